// SPDX-License-Identifier: MIT OR Apache-2.0
//! A memory controller: one per node, its channels behind an optional shared front queue (SIM-8, SIM-9).
//!
//! Order within a cycle: refreshes that are due; at most one command per channel, chosen among what was admitted in
//! earlier cycles; then admissions. So a request that arrives in cycle `t` can be served from `t + 1` on, the one
//! constant pipeline cycle of the model.

mod bank;
mod candidates;
mod channel;
mod pool;
mod ready;
pub mod refresh;
mod sink;
mod stats;

pub use sink::Sink;
pub use stats::ChannelStats;

use crate::request::{Access, Request};
use channel::Channel;
use fresco_dram::{Cycle, NEVER, Organisation, Timing};
use fresco_machine::{ControllerConfig, Queues};
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
    arrivals: VecDeque<(Cycle, Request)>,
    front: Option<Front>,
    /// The next cycle in which something happens.
    next: Cycle,
    /// Every cycle before this one has been run.
    clock: Cycle,
    stepping: Stepping,
}

/// The queue in front of all channels and banks.
#[derive(Debug)]
struct Front {
    capacity: usize,
    queue: VecDeque<(Cycle, Request)>,
    /// Arrived, but the front queue was full.
    outside: VecDeque<(Cycle, Request)>,
    /// One request leaves per cycle: not before this one.
    next_move: Cycle,
}

impl Controller {
    /// The controller of `node`, empty, at cycle 0.
    pub fn new(config: &ControllerConfig, org: &Organisation, timing: &Timing, node: u32) -> Self {
        let channels = (0..org.channels)
            .map(|c| Channel::new(node * org.channels + c, config, org, timing))
            .collect();
        let front = match config.queues {
            Queues::FrontQueue { front, .. } => Some(Front {
                capacity: front as usize,
                queue: VecDeque::new(),
                outside: VecDeque::new(),
                next_move: 0,
            }),
            _ => None,
        };
        let mut controller = Self {
            channels,
            arrivals: VecDeque::new(),
            front,
            next: NEVER,
            clock: 0,
            stepping: Stepping::Events,
        };
        controller.find_next();
        controller
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

    /// Hands over a request that arrives at cycle `at`, which must not have been run yet. It is always taken; while
    /// the queues inside are full it waits, and the wait counts.
    pub fn submit(&mut self, at: Cycle, request: Request) {
        debug_assert!(
            at >= self.clock,
            "cycle {at} has been run, the clock is at {}",
            self.clock
        );
        debug_assert!((request.location.channel as usize) < self.channels.len());
        let at = at.max(self.clock);
        if self.arrivals.back().is_none_or(|&(last, _)| last <= at) {
            self.arrivals.push_back((at, request));
        } else {
            let place = self.arrivals.partition_point(|&(other, _)| other <= at);
            self.arrivals.insert(place, (at, request));
        }
        self.next = self.next.min(at);
    }

    /// The next cycle in which something happens; [`NEVER`] if nothing will. Never earlier than the cycles already run.
    #[inline]
    pub fn next_event(&self) -> Cycle {
        self.next
    }

    /// Everything that happens in the cycles up to and including `until`, or until the sink's horizon stops it.
    pub fn run_until(&mut self, until: Cycle, sink: &mut impl Sink) {
        let done = match self.stepping {
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
        let mut arrival = self.arrivals.front().map_or(NEVER, |&(at, _)| at);
        while self.next <= until.min(sink.horizon()) {
            let mut event = channel.run(arrival.min(until), sink);
            if arrival <= until && arrival < event {
                let now = arrival;
                while arrival == now
                    && let Some((at, request)) = self.arrivals.pop_front()
                {
                    channel.arrive(at, request, sink);
                    arrival = self.arrivals.front().map_or(NEVER, |&(at, _)| at);
                }
                event = channel.next_event();
            }
            self.next = arrival.min(event);
        }
        self.next.min(until.min(sink.horizon()).saturating_add(1))
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
            if channel.next_event() <= now {
                channel.step(now, sink);
            }
        }
        while let Some(&(at, request)) = self.arrivals.front() {
            if at > now {
                break;
            }
            self.arrivals.pop_front();
            match &mut self.front {
                Some(front) => front.outside.push_back((at, request)),
                None => self.channels[request.location.channel as usize].arrive(now, request, sink),
            }
        }
        if let Some(front) = &mut self.front {
            front.fill();
            if front.next_move <= now
                && let Some(&(arrived, request)) = front.queue.front()
            {
                let channel = &mut self.channels[request.location.channel as usize];
                if channel.has_room(channel.bank_of(&request), request.access) {
                    front.queue.pop_front();
                    front.next_move = now + 1;
                    channel.arrive_from_front(now, arrived, request, sink);
                    front.fill();
                }
            }
        }
    }

    fn find_next(&mut self) {
        let mut next = self.arrivals.front().map_or(NEVER, |&(at, _)| at);
        for channel in &mut self.channels {
            next = next.min(channel.next_event());
        }
        if let Some(front) = &self.front
            && let Some((_, request)) = front.queue.front()
        {
            // A head whose bank queue is full moves in the cycle of the column command that makes room.
            let channel = &self.channels[request.location.channel as usize];
            if channel.has_room(channel.bank_of(request), request.access) {
                next = next.min(front.next_move);
            }
        }
        self.next = next;
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
        let front = self.front.as_ref().map_or(0, |f| f.queue.len() + f.outside.len());
        (self.arrivals.len() + front) as u64 + self.channels.iter().map(|c| u64::from(c.outstanding())).sum::<u64>()
    }

    /// Does the access of this direction find all its queues full? For drivers that would rather wait than submit.
    pub fn is_backlogged(&self, access: Access, channel: u32, bank: u32) -> bool {
        !self.channels[channel as usize].has_room(bank, access)
    }
}

impl Front {
    fn fill(&mut self) {
        while self.queue.len() < self.capacity {
            let Some(next) = self.outside.pop_front() else { break };
            self.queue.push_back(next);
        }
    }
}
