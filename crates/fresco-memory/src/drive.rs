// SPDX-License-Identifier: MIT OR Apache-2.0
//! The memory core alone under an address trace: no cores, no caches, at most so many requests outstanding.

use crate::Command;
use crate::controller::Controller;
use crate::feed::{Feed, Watch};
use crate::request::{Access, Completion};
use fresco_dram::{Cycle, Location};

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
    /// A request is done (or its completion is known; see [`crate::Sink::completed`]).
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
    feed: Feed<()>,
    outstanding: usize,
}

/// Requests are called by their numbers; nothing is kept of them.
struct Numbered<'a, O> {
    observer: &'a mut O,
    requests: u64,
}

impl<O: Observer> Watch for Numbered<'_, O> {
    type Item = ();

    #[inline]
    fn sent(&mut self, number: u64) -> u64 {
        self.requests = number + 1;
        number
    }

    #[inline]
    fn completed(&mut self, completion: &Completion) {
        self.observer.completed(completion);
    }

    #[inline]
    fn returned(&mut self, (): ()) {}

    #[inline]
    fn wants_commands(&self) -> bool {
        true
    }

    #[inline]
    fn command(&mut self, command: &Command) {
        self.observer.command(command);
    }
}

impl Driver {
    /// Drives `controllers`, one per node in order of the nodes, with at most `outstanding` (at least 1) requests not
    /// yet done. A read is outstanding until its data are there, a write until it is in the write buffer.
    pub fn new(controllers: Vec<Controller>, outstanding: usize) -> Self {
        assert!(outstanding > 0 && !controllers.is_empty());
        Self {
            feed: Feed::new(controllers),
            outstanding,
        }
    }

    /// Sends every request of the trace, in order, in a cycle at most as many as the controllers have channels, and waits for the last. One that has
    /// to wait holds those behind it. `place` finds where an address lies. The first error of the trace ends the run.
    pub fn run<E>(
        &mut self,
        trace: impl Iterator<Item = Result<TraceRequest, E>>,
        mut place: impl FnMut(u64) -> Result<Location, E>,
        observer: &mut impl Observer,
    ) -> Result<Driven, E> {
        let mut watch = Numbered { observer, requests: 0 };
        let place = |request: TraceRequest, _| place(request.address);
        self.feed
            .run(trace, (0, self.outstanding), (u64::MAX, place), &mut watch)?;
        self.feed.finish(self.feed.sent_at(), &mut watch);
        self.feed.settle(self.feed.end());
        Ok(Driven {
            requests: watch.requests,
            end: self.feed.end(),
        })
    }

    /// The controllers, for their statistics.
    pub fn controllers(&mut self) -> &mut [Controller] {
        &mut self.feed.controllers
    }
}
