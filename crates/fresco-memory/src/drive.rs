// SPDX-License-Identifier: MIT OR Apache-2.0
//! The memory core alone under an address trace: no cores, no caches, at most so many requests outstanding.

use crate::Command;
use crate::controller::{Controller, Sink};
use crate::request::{Access, Completion, Request};
use fresco_dram::{CommandKind, Cycle, Location, NEVER};
use std::collections::VecDeque;

/// One line of an address trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceRequest {
    /// Earliest arrival, in cycles of the controller; 0 means as soon as there is room.
    pub cycle: Cycle,
    /// Physical address, in bytes.
    pub address: u64,
    /// Direction.
    pub access: Access,
}

/// What watches a driven trace.
pub trait Observer {
    /// A request is done (or its completion is known; see [`Sink::completed`]).
    fn completed(&mut self, completion: &Completion);
    /// A command was issued.
    fn command(&mut self, _command: &Command) {}
}

/// How a driven trace ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Driven {
    /// Requests sent.
    pub requests: u64,
    /// The cycle in which the last data were over, those read and those written.
    pub end: Cycle,
}

/// Feeds requests to the controllers of a machine.
pub struct Driver {
    controllers: Vec<Controller>,
    outstanding: usize,
}

/// Cycles at which requests are done, in order. They come nearly in order, so that insertion from the back is cheap.
struct Returns {
    /// The first of `queue`, or [`NEVER`].
    first: Cycle,
    queue: VecDeque<Cycle>,
}

impl Returns {
    fn new() -> Self {
        Self {
            first: NEVER,
            queue: VecDeque::new(),
        }
    }

    #[inline]
    fn insert(&mut self, done: Cycle) {
        self.first = self.first.min(done);
        if self.queue.back().is_none_or(|&last| last <= done) {
            self.queue.push_back(done);
        } else {
            let place = self.queue.iter().rposition(|&other| other <= done).map_or(0, |i| i + 1);
            self.queue.insert(place, done);
        }
    }

    #[inline]
    fn pop(&mut self) -> Option<Cycle> {
        let first = self.queue.pop_front();
        self.first = self.queue.front().copied().unwrap_or(NEVER);
        first
    }
}

struct Port<'a, O> {
    observer: &'a mut O,
    returns: &'a mut Returns,
    last: &'a mut Cycle,
    /// Cycles from a write command to the end of its data.
    write_data: Cycle,
    /// Stop before the first return.
    stop: bool,
}

impl<O: Observer> Sink for Port<'_, O> {
    #[inline]
    fn completed(&mut self, completion: &Completion) {
        // A write is taken at the end of its cycle: the place is free in the next one.
        self.returns
            .insert(completion.done + u64::from(completion.access == Access::Write));
        *self.last = (*self.last).max(completion.done);
        self.observer.completed(completion);
    }

    #[inline]
    fn horizon(&self) -> Cycle {
        if self.stop {
            self.returns.first.saturating_sub(1)
        } else {
            NEVER
        }
    }

    #[inline]
    fn command(&mut self, command: &Command) {
        let is_write = matches!(command.kind, CommandKind::Wr | CommandKind::WrA);
        let over = command.cycle + if is_write { self.write_data } else { 0 };
        *self.last = (*self.last).max(over);
        self.observer.command(command);
    }
}

impl Driver {
    /// Drives `controllers`, one per node in order of the nodes, with at most `outstanding` (at least 1) requests not
    /// yet done. A read is outstanding until its data are there, a write until it is in the write buffer.
    pub fn new(controllers: Vec<Controller>, outstanding: usize) -> Self {
        assert!(outstanding > 0 && !controllers.is_empty());
        Self {
            controllers,
            outstanding,
        }
    }

    fn next_event(&self) -> Cycle {
        self.controllers
            .iter()
            .map(Controller::next_event)
            .min()
            .unwrap_or(NEVER)
    }

    /// Sends every request of the trace, at most one per cycle, in order, and waits for the last. `place` finds where
    /// an address lies. The first error of the trace ends the run.
    pub fn run<E>(
        &mut self,
        trace: impl Iterator<Item = Result<TraceRequest, E>>,
        mut place: impl FnMut(u64) -> Result<Location, E>,
        observer: &mut impl Observer,
    ) -> Result<Driven, E> {
        let mut returns = Returns::new();
        let mut last = 0;
        let mut in_flight = 0usize;
        let mut send_from: Cycle = 0;
        let mut requests = 0u64;
        for item in trace {
            let item = item?;
            let location = place(item.address)?;
            let mut at = item.cycle.max(send_from);
            if in_flight == self.outstanding {
                self.run_to_first_return(&mut returns, &mut last, observer);
                if let Some(done) = returns.pop() {
                    in_flight -= 1;
                    at = at.max(done);
                }
            }
            if at > 0 {
                self.run_until(at - 1, &mut returns, &mut last, observer);
            }
            while returns.first <= at {
                returns.pop();
                in_flight -= 1;
            }
            let request = Request {
                id: requests,
                source: 0,
                access: item.access,
                line: item.address,
                location,
            };
            self.controllers[location.node as usize].submit(at, request);
            in_flight += 1;
            requests += 1;
            send_from = at + 1;
        }
        // What is left in the write buffers may be written now. Refreshes go on for ever: the run ends when nothing is outstanding.
        self.controllers.iter_mut().for_each(|c| c.set_eager_writes(true));
        while self.controllers.iter().any(|c| c.outstanding() > 0) {
            let event = self.next_event();
            debug_assert_ne!(event, NEVER, "requests are outstanding but nothing will happen");
            self.run_until(event, &mut returns, &mut last, observer);
        }
        Ok(Driven { requests, end: last })
    }

    /// Runs until no request can be done earlier than the first one known to be: a completion told in some cycle lies
    /// after that cycle.
    fn run_to_first_return(&mut self, returns: &mut Returns, last: &mut Cycle, observer: &mut impl Observer) {
        if let [controller] = &mut self.controllers[..] {
            let write_data = controller.write_data();
            controller.run_until(
                NEVER - 1,
                &mut Port {
                    observer,
                    returns,
                    last,
                    write_data,
                    stop: true,
                },
            );
            return;
        }
        loop {
            let event = self.next_event();
            if event >= returns.first {
                return;
            }
            debug_assert_ne!(event, NEVER, "requests are outstanding but nothing will happen");
            self.run_until(event, returns, last, observer);
        }
    }

    fn run_until(&mut self, until: Cycle, returns: &mut Returns, last: &mut Cycle, observer: &mut impl Observer) {
        for controller in &mut self.controllers {
            if controller.next_event() <= until {
                let write_data = controller.write_data();
                controller.run_until(
                    until,
                    &mut Port {
                        observer: &mut *observer,
                        returns: &mut *returns,
                        last: &mut *last,
                        write_data,
                        stop: false,
                    },
                );
            }
        }
    }

    /// The controllers, for their statistics.
    pub fn controllers(&mut self) -> &mut [Controller] {
        &mut self.controllers
    }
}
