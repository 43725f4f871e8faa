// SPDX-License-Identifier: MIT OR Apache-2.0
//! The controllers of a machine as one who sends requests sees them: one clock, and requests that come back in order.
//! [`crate::Driver`] replays traces by it, [`crate::embedded::Memory`] serves other simulators.

use crate::Command;
use crate::controller::{Controller, Sink};
use crate::drive::TraceRequest;
use crate::request::{Access, Completion, Request};
use crate::returns::{Kept, Returns};
use fresco_dram::{Cycle, Location, NEVER};

/// What is kept of requests, and seen of what the controllers do.
pub(crate) trait Watch {
    /// Kept of a request from when its end is known to when it is back.
    type Item: Kept;
    /// The `number`th request (from 0) of a call of [`Feed::run`] is sent. Returns the name that completions have of it.
    fn sent(&mut self, number: u64) -> u64;
    /// A request's end is known: what is kept of it.
    fn completed(&mut self, completion: &Completion) -> Self::Item;
    /// A request is back, in [`Feed::run`].
    fn returned(&mut self, item: Self::Item);
    /// Returns true if [`command`](Self::command) is to be called.
    fn wants_commands(&self) -> bool;
    /// A command was issued.
    fn command(&mut self, command: &Command);
}

/// Controllers, and what is under way in them.
pub(crate) struct Feed<T> {
    pub(crate) controllers: Vec<Controller>,
    pub(crate) returns: Returns<T>,
    /// The cycle in which the last request known of is done.
    last: Cycle,
    /// Requests that were sent and are not back.
    in_flight: usize,
    /// [`Self::run`] sends no earlier, and in this cycle at most so many requests.
    send_from: Cycle,
    places: usize,
    /// Requests that [`Self::run`] sends in a cycle at most: as many as there are channels, each of which issues a command a cycle.
    width: usize,
}

struct Port<'a, W: Watch> {
    watch: &'a mut W,
    returns: &'a mut Returns<W::Item>,
    last: &'a mut Cycle,
    /// Stop before the first return.
    stop: bool,
}

impl<W: Watch> Sink for Port<'_, W> {
    #[inline]
    fn completed(&mut self, completion: &Completion) {
        *self.last = (*self.last).max(completion.done);
        let item = self.watch.completed(completion);
        self.returns.insert(back_at(completion), item);
    }

    #[inline]
    fn horizon(&self) -> Cycle {
        if self.stop {
            self.returns.first().saturating_sub(1)
        } else {
            NEVER
        }
    }

    #[inline]
    fn wants_commands(&self) -> bool {
        self.watch.wants_commands()
    }

    #[inline]
    fn command(&mut self, command: &Command) {
        self.watch.command(command);
    }
}

/// When a request is back: the sender can send another one in its place in this cycle.
#[inline]
pub(crate) fn back_at(completion: &Completion) -> Cycle {
    // A write is taken at the end of its cycle: the place is free in the next one.
    completion.done + u64::from(completion.access == Access::Write)
}

impl<T: Kept> Feed<T> {
    /// Of controllers, one per node in order of the nodes.
    pub(crate) fn new(controllers: Vec<Controller>) -> Self {
        let width = controllers.iter().map(Controller::channels).sum();
        Self {
            controllers,
            returns: Returns::new(),
            last: 0,
            in_flight: 0,
            send_from: 0,
            places: width,
            width,
        }
    }

    /// Requests that were sent and are not back.
    #[inline]
    pub(crate) fn in_flight(&self) -> usize {
        self.in_flight
    }

    /// The next cycle in which something happens in a controller; [`NEVER`] if nothing will.
    #[inline]
    pub(crate) fn next_event(&self) -> Cycle {
        match &self.controllers[..] {
            [controller] => controller.next_event(),
            controllers => controllers.iter().map(Controller::next_event).min().unwrap_or(NEVER),
        }
    }

    /// The cycle up to which [`Self::run`] has run: that of the last request it sent, 0 if it has sent none.
    pub(crate) fn sent_at(&self) -> Cycle {
        // With all places it was the cycle before.
        self.send_from.saturating_sub(u64::from(self.places == self.width))
    }

    /// A request arrives in cycle `at`, of which nothing has been run.
    #[inline]
    pub(crate) fn submit(&mut self, at: Cycle, request: Request) {
        self.controllers[request.location.node as usize].submit(at, request);
        self.in_flight += 1;
    }

    /// The first request that is back, and when.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<(Cycle, T)> {
        let first = self.returns.pop();
        self.in_flight -= usize::from(first.is_some());
        first
    }

    /// Sends every request of the trace, in order, in a cycle at most as many as there are channels, and not before `from`, each as soon as
    /// fewer than `outstanding` are not back. `place` finds where a request lies that is sent in a cycle from the given one on, and of the bits of
    /// its address `line_mask` has those that name its line. The first error of the trace ends it.
    pub(crate) fn run<E, W: Watch<Item = T>>(
        &mut self,
        trace: impl Iterator<Item = Result<TraceRequest, E>>,
        (from, outstanding): (Cycle, usize),
        (line_mask, mut place): (u64, impl FnMut(TraceRequest, Cycle) -> Result<Location, E>),
        watch: &mut W,
    ) -> Result<(), E> {
        if from > self.send_from {
            (self.send_from, self.places) = (from, self.width);
        }
        let mut send_from = self.send_from;
        let mut in_flight = self.in_flight;
        let mut number = 0;
        let mut send = |item: Result<TraceRequest, E>| {
            let item = item?;
            let location = place(item, send_from)?;
            let mut at = item.cycle.max(send_from);
            while in_flight >= outstanding {
                self.run_to_first_return(NEVER, watch);
                let Some((back, item)) = self.returns.pop() else { break };
                in_flight -= 1;
                watch.returned(item);
                at = at.max(back);
            }
            if at > 0 {
                self.run_until(at - 1, watch);
            }
            while self.returns.first() <= at
                && let Some((_, item)) = self.returns.pop()
            {
                in_flight -= 1;
                watch.returned(item);
            }
            let request = Request {
                id: watch.sent(number),
                source: 0,
                access: item.access,
                line: item.address & line_mask,
                location,
            };
            self.controllers[location.node as usize].submit(at, request);
            number += 1;
            in_flight += 1;
            send_from = match self.width {
                1 => at + 1,
                _ => self.next_place(send_from, at),
            };
            Ok(())
        };
        let mut trace = trace;
        let sent = trace.try_for_each(&mut send);
        (self.in_flight, self.send_from) = (in_flight, send_from);
        sent
    }

    /// A request was sent in cycle `at`, when [`Self::run`] sent none before `send_from`: the cycle before which it sends no other.
    // Not inlined: with one channel there is nothing to count.
    #[inline(never)]
    fn next_place(&mut self, send_from: Cycle, at: Cycle) -> Cycle {
        if at > send_from {
            self.places = self.width;
        }
        self.places -= 1;
        if self.places > 0 {
            return at;
        }
        self.places = self.width;
        at + 1
    }

    /// The cycle in which the last data known of are over, those read and those written.
    pub(crate) fn end(&self) -> Cycle {
        let written = self.controllers.iter().map(Controller::written_until);
        written.fold(self.last, Cycle::max)
    }

    /// Counts are to go up to cycle `at`, or in a controller that has something to do before to there.
    pub(crate) fn settle(&mut self, at: Cycle) {
        self.controllers.iter_mut().for_each(|c| c.settle(at));
    }

    /// Until nothing is outstanding in the controllers; what is left in their write buffers is written at once, from cycle `from` on, before which
    /// all has happened. Requests whose end is known may not be back yet.
    pub(crate) fn finish<W: Watch<Item = T>>(&mut self, from: Cycle, watch: &mut W) {
        // One that had nothing to do has not looked at the clock.
        self.settle(from);
        // Refreshes go on for ever: it ends when nothing is outstanding.
        self.controllers.iter_mut().for_each(|c| c.set_eager_writes(true));
        while self.controllers.iter().any(|c| c.outstanding() > 0) {
            let event = self.next_event();
            debug_assert_ne!(event, NEVER, "requests are outstanding but nothing will happen");
            self.run_until(event, watch);
        }
        self.controllers.iter_mut().for_each(|c| c.set_eager_writes(false));
    }

    /// Runs the cycles before `until` up to the first return: a completion told in some cycle lies after that cycle.
    #[inline]
    pub(crate) fn run_to_first_return<W: Watch<Item = T>>(&mut self, until: Cycle, watch: &mut W) {
        if let [controller] = &mut self.controllers[..] {
            let Some(until) = until.checked_sub(1) else { return };
            controller.run_until(
                until,
                &mut Port {
                    watch,
                    returns: &mut self.returns,
                    last: &mut self.last,
                    stop: true,
                },
            );
            return;
        }
        loop {
            let event = self.next_event();
            if event >= self.returns.first().min(until) {
                return;
            }
            self.run_until(event, watch);
        }
    }

    /// Runs the cycles up to and including `until`.
    pub(crate) fn run_until<W: Watch<Item = T>>(&mut self, until: Cycle, watch: &mut W) {
        for controller in &mut self.controllers {
            if controller.next_event() <= until {
                controller.run_until(
                    until,
                    &mut Port {
                        watch: &mut *watch,
                        returns: &mut self.returns,
                        last: &mut self.last,
                        stop: false,
                    },
                );
            }
        }
    }
}
