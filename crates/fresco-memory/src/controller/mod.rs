// SPDX-License-Identifier: MIT OR Apache-2.0
//! A memory controller: one per node, its channels behind an optional shared front queue (SIM-8, SIM-9).
//!
//! Order within a cycle: refreshes that are due; at most one command per channel (one of rows and one of columns in HBM3), chosen among what was admitted in
//! earlier cycles; then admissions. So a request that arrives in cycle `t` can be served from `t + 1` on, the one
//! constant pipeline cycle of the model.

mod bank;
mod candidates;
mod channel;
mod front;
mod pool;
mod ready;
pub mod refresh;
mod sink;
mod standby;
mod stats;

pub use sink::Sink;
pub use stats::ChannelStats;

use crate::nearly_sorted::insert_from_behind;
use crate::request::{Access, Request};
use channel::Channel;
use fresco_dram::{Cycle, Location, NEVER, Organisation, Timing};
use fresco_machine::ControllerConfig;
use front::Front;
use std::collections::VecDeque;

/// How time goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stepping {
    /// From one cycle in which something happens to the next.
    Events,
    /// Cycle by cycle, nothing kept from one to the next: slow and plain, to prove the other one exact.
    EveryCycle,
}

/// The controller of one node.
pub struct Controller {
    channels: Vec<Channel>,
    /// Requests that have not arrived yet, by arrival; equal arrivals in the order of submission.
    arrivals: VecDeque<Arrival>,
    front: Option<Front>,
    /// The next cycle in which something happens.
    next: Cycle,
    /// Every cycle before this one has been run.
    clock: Cycle,
    stepping: Stepping,
    /// Cycles from a write command to the end of its data.
    write_data: Cycle,
}

/// A request and when it arrives.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    at: Cycle,
    channel: u32,
    /// The channel's name for it.
    entry: u32,
}

impl Controller {
    /// The controller of `node`, empty, at cycle 0.
    pub fn new(config: &ControllerConfig, org: &Organisation, timing: &Timing, node: u32) -> Self {
        let channels = (0..org.channels)
            .map(|c| Channel::new(node * org.channels + c, config, org, timing))
            .collect();
        let mut controller = Self {
            channels,
            arrivals: VecDeque::new(),
            front: Front::new(config.queues),
            next: NEVER,
            clock: 0,
            stepping: Stepping::Events,
            write_data: timing.cwl + timing.burst(),
        };
        controller.find_next();
        controller
    }

    /// The cycle in which the last data that were written are over; 0 if none were.
    pub(crate) fn written_until(&self) -> Cycle {
        let last = self.channels.iter().filter_map(Channel::last_write).max();
        last.map_or(0, |last| last + self.write_data)
    }

    /// Chooses how time goes on; before the first [`Self::run_until`].
    pub fn set_stepping(&mut self, stepping: Stepping) {
        debug_assert_eq!(self.clock, 0);
        self.stepping = stepping;
    }

    /// Puts another refresh scheme in place of the configured one, one engine per channel in order; before the first
    /// [`Self::run_until`].
    pub fn set_refresh(&mut self, engines: Vec<Box<dyn refresh::RefreshEngine>>) {
        debug_assert_eq!(engines.len(), self.channels.len());
        for (channel, engine) in self.channels.iter_mut().zip(engines) {
            channel.set_engine(engine);
        }
        self.find_next();
    }

    /// While on, lines are written as soon as they come instead of being kept until the bus has to be turned for enough of
    /// them: for the end of a time in which their rank may be written.
    pub fn set_eager_writes(&mut self, eager: bool) {
        let now = self.clock;
        self.channels.iter_mut().for_each(|c| c.set_eager_writes(now, eager));
        self.find_next();
    }

    /// How well the plan of each channel's refreshes was kept.
    pub fn refresh_lateness(&self) -> Vec<refresh::Lateness> {
        self.channels.iter().map(Channel::refresh_lateness).collect()
    }

    /// Channels of the node.
    pub fn channels(&self) -> usize {
        self.channels.len()
    }

    /// Hands over a request that arrives at cycle `at`, which must not have been run yet. It is always taken; while
    /// the queues inside are full it waits, and the wait counts.
    // Always: for each request.
    #[inline(always)]
    pub fn submit(&mut self, at: Cycle, request: Request) {
        debug_assert!(
            at >= self.clock,
            "cycle {at} has been run, the clock is at {}",
            self.clock
        );
        debug_assert!((request.location.channel as usize) < self.channels.len());
        let at = at.max(self.clock);
        let channel = request.location.channel;
        let entry = self.channels[channel as usize].take(at, &request);
        let arrival = Arrival { at, channel, entry };
        insert_from_behind(&mut self.arrivals, arrival, |other| other.at > at);
        self.next = self.next.min(at);
    }

    /// The next cycle in which something happens; [`NEVER`] if nothing will. Never earlier than the cycles already run.
    #[inline]
    pub fn next_event(&self) -> Cycle {
        self.next
    }

    /// Everything that happens in the cycles up to and including `until`, or until the sink's horizon stops it.
    pub fn run_until<S: Sink>(&mut self, until: Cycle, sink: &mut S) {
        let done = match self.stepping {
            Stepping::Events if S::NEVER_STOPS => self.run_apart(until, sink),
            Stepping::Events if self.channels.len() == 1 && self.front.is_none() => self.run_alone(until, sink),
            Stepping::Events => self.run_events(until, sink),
            Stepping::EveryCycle => self.run_every_cycle(until, sink),
        };
        self.clock = self.clock.max(done);
    }

    /// From event to event; returns the cycle up to which, exclusively, nothing is left to happen.
    fn run_events(&mut self, until: Cycle, sink: &mut impl Sink) -> Cycle {
        while self.next <= until.min(sink.horizon()) {
            self.cycle(self.next, sink);
            self.find_next();
        }
        self.next.min(until.min(sink.horizon()).saturating_add(1))
    }

    /// The same for a channel without a front queue, which goes from arrival to arrival.
    fn run_alone(&mut self, until: Cycle, sink: &mut impl Sink) -> Cycle {
        let channel = &mut self.channels[0];
        let mut arrival = self.arrivals.front().map_or(NEVER, |a| a.at);
        while self.next <= until.min(sink.horizon()) {
            let mut event = channel.run(arrival.min(until), sink);
            if arrival <= until && arrival < event {
                let now = arrival;
                while arrival == now
                    && let Some(Arrival { entry, .. }) = self.arrivals.pop_front()
                {
                    channel.arrive(now, entry, sink);
                    arrival = self.arrivals.front().map_or(NEVER, |a| a.at);
                }
                event = channel.next_event();
            }
            self.next = arrival.min(event);
        }
        self.next.min(until.min(sink.horizon()).saturating_add(1))
    }

    /// The same for a sink that never stops the controller: each channel goes by itself from arrival to arrival, unless requests
    /// wait in the front queue for places in it.
    fn run_apart(&mut self, until: Cycle, sink: &mut impl Sink) -> Cycle {
        while self.next <= until {
            if self.front.as_ref().is_some_and(|front| !front.is_empty()) {
                self.cycle(self.next, sink);
                self.find_next();
                continue;
            }
            let arrival = self.arrivals.front().map_or(NEVER, |a| a.at);
            let mut next = arrival;
            for channel in &mut self.channels {
                next = next.min(channel.run(arrival.min(until), sink));
            }
            self.next = next;
            if arrival <= until {
                self.clock = arrival + 1;
                self.admit_arrivals(arrival, sink);
                // If nobody waits in the front queue, the channels say in the next round when something happens.
                if self.front.as_ref().is_some_and(|front| !front.is_empty()) {
                    self.find_next();
                }
            }
        }
        self.next.min(until.saturating_add(1))
    }

    fn run_every_cycle(&mut self, until: Cycle, sink: &mut impl Sink) -> Cycle {
        let mut now = self.clock;
        while now <= until.min(sink.horizon()) {
            self.channels.iter_mut().for_each(Channel::forget);
            self.cycle(now, sink);
            now += 1;
        }
        self.find_next();
        now
    }

    fn cycle(&mut self, now: Cycle, sink: &mut impl Sink) {
        self.clock = now + 1;
        for channel in &mut self.channels {
            // Twice, where rows and columns have a bus each.
            while channel.next_event() <= now {
                channel.step(now, sink);
            }
        }
        self.admit_arrivals(now, sink);
    }

    /// What arrives in cycle `now` goes into its channel, or into the front queue and on from there.
    fn admit_arrivals(&mut self, now: Cycle, sink: &mut impl Sink) {
        while let Some(arrival) = self.arrivals.front()
            && arrival.at <= now
            && let Some(arrival) = self.arrivals.pop_front()
        {
            match &mut self.front {
                Some(front) => {
                    if front.passes(now, arrival, &self.channels) {
                        self.enter(now, arrival, sink);
                    } else {
                        front.arrive(arrival);
                    }
                }
                None => self.channels[arrival.channel as usize].arrive(now, arrival.entry, sink),
            }
        }
        if let Some(front) = &mut self.front
            && let Some(arrival) = front.leave(now, &self.channels)
        {
            self.enter(now, arrival, sink);
        }
    }

    /// A request goes on from the front queue into its channel, which has room.
    #[inline]
    fn enter(&mut self, now: Cycle, arrival: Arrival, sink: &mut impl Sink) {
        let channel = &mut self.channels[arrival.channel as usize];
        channel.admit(now, arrival.entry, sink);
    }

    fn find_next(&mut self) {
        let mut next = self.arrivals.front().map_or(NEVER, |a| a.at);
        for channel in &mut self.channels {
            next = next.min(channel.next_event());
        }
        if let Some(front) = &self.front {
            next = next.min(front.next_move(&self.channels));
        }
        self.next = next;
    }

    /// Cycles before `at` count as run, if nothing happens in them: for counts up to then.
    pub(crate) fn settle(&mut self, at: Cycle) {
        if self.next >= at {
            self.clock = self.clock.max(at);
        }
    }

    /// Counts per channel, up to the cycles already run.
    pub fn stats(&mut self) -> Vec<ChannelStats> {
        let now = self.clock;
        self.channels.iter_mut().map(|c| c.stats(now)).collect()
    }

    /// Starts the counts anew.
    pub fn reset_stats(&mut self) {
        let now = self.clock;
        self.channels.iter_mut().for_each(|c| c.reset_stats(now));
    }

    /// Requests that have arrived or will, and are not yet served by the DRAM.
    pub fn outstanding(&self) -> u64 {
        let front = self.front.as_ref().map_or(0, Front::len);
        (self.arrivals.len() + front) as u64 + self.channels.iter().map(|c| u64::from(c.outstanding())).sum::<u64>()
    }

    /// Returns true if a request that arrives in the next cycle to be run finds a place, in the front queue where there is
    /// one, and nobody waits before it. For callers that keep their requests while queues are full.
    pub fn has_place(&self, access: Access, location: &Location) -> bool {
        if let Some(front) = &self.front {
            return front.has_places(self.arrivals.len());
        }
        let channel = &self.channels[location.channel as usize];
        let bank = location.bank_in_channel(channel.organisation());
        let before = self.arrivals.iter().filter(|other| {
            other.channel == location.channel && channel.goes_into_same_queue(other.entry, bank, access)
        });
        channel.has_places(bank, access, before.count())
    }
}
