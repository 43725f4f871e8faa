// SPDX-License-Identifier: MIT OR Apache-2.0
//! A trace of which nothing is wanted but when its requests arrive and are done.

use super::inside::{Inside, Ticket};
use super::{Memory, SendError, run};
use crate::drive::TraceRequest;
use crate::feed::{Feed, Watch, back_at};
use crate::{Access, Command, Completion};
use fresco_dram::{Cycle, NEVER};

/// Requests called by their numbers.
struct Ends<'a> {
    inside: &'a mut Inside,
    ends: &'a mut [Cycle],
    arrivals: &'a mut [Cycle],
    /// How many were sent by earlier calls.
    before: u64,
}

impl Watch for Ends<'_> {
    type Item = Ticket;

    #[inline]
    fn sent(&mut self, number: u64) -> u64 {
        self.before + number
    }

    #[inline]
    fn completed(&mut self, completion: &Completion) -> Ticket {
        let number = completion.id as usize;
        self.ends[number] = back_at(completion);
        if let Some(arrival) = self.arrivals.get_mut(number) {
            *arrival = completion.arrived;
        }
        Ticket::UNNAMED
    }

    #[inline]
    fn returned(&mut self, _: Ticket) {}

    #[inline]
    fn wants_commands(&self) -> bool {
        self.inside.wants_commands
    }

    #[inline]
    fn command(&mut self, command: &Command) {
        self.inside.command(command);
    }
}

/// A trace that is replayed in pieces ([`Memory::begin_replay`]). Dropped before [`finish`](Self::finish), it waits for what was sent, and write buffers
/// are not emptied.
pub struct Replay<'a> {
    memory: &'a mut Memory,
    ends: &'a mut [Cycle],
    arrivals: &'a mut [Cycle],
    outstanding: usize,
    sent: usize,
}

impl Replay<'_> {
    /// Requests that were sent.
    pub fn sent(&self) -> usize {
        self.sent
    }

    /// No request is sent before this cycle any more.
    pub fn now(&self) -> Cycle {
        self.memory.now.max(self.memory.feed.sent_at())
    }

    /// The controllers, the time, and what watches them while nothing is sent.
    fn parts(&mut self) -> (&mut Feed<Ticket>, &mut Cycle, Ends<'_>) {
        let Memory { feed, inside, now, .. } = &mut *self.memory;
        let watch = Ends {
            inside,
            ends: self.ends,
            arrivals: self.arrivals,
            before: 0,
        };
        (feed, now, watch)
    }

    /// Sends the next requests of the trace, as [`Memory::send_all`] does.
    ///
    /// # Errors
    /// The request that cannot be sent, counted from the first of the trace, and why; those before it have been sent.
    ///
    /// # Panics
    /// If there are fewer ends than requests.
    pub fn send(&mut self, requests: &[TraceRequest]) -> Result<(), (usize, SendError)> {
        self.send_each(requests.iter().copied())
    }

    /// As [`send`](Self::send), of requests whose parts stand in arrays: cycles, addresses in bytes, and whether they write.
    ///
    /// # Errors
    /// As of [`send`](Self::send).
    ///
    /// # Panics
    /// If the arrays have different lengths, or there are fewer ends than requests.
    // Not generic, and so compiled here.
    pub fn send_arrays(
        &mut self,
        cycles: &[Cycle],
        addresses: &[u64],
        writes: &[bool],
    ) -> Result<(), (usize, SendError)> {
        assert!(
            addresses.len() == cycles.len() && writes.len() == cycles.len(),
            "arrays of one length"
        );
        let requests = cycles.iter().zip(addresses).zip(writes);
        self.send_each(requests.map(|((&cycle, &address), &is_write)| TraceRequest {
            cycle,
            address,
            access: if is_write { Access::Write } else { Access::Read },
        }))
    }

    #[inline]
    fn send_each(&mut self, requests: impl ExactSizeIterator<Item = TraceRequest>) -> Result<(), (usize, SendError)> {
        let (before, all) = (self.sent, requests.len());
        assert!(self.ends.len() - before >= all, "an end for each request");
        let mut watch = Ends {
            inside: &mut self.memory.inside,
            ends: self.ends,
            arrivals: self.arrivals,
            before: before as u64,
        };
        let sent = run(
            &mut self.memory.feed,
            (&self.memory.map, self.memory.line_bytes),
            requests,
            (self.memory.now, self.outstanding),
            &mut watch,
        );
        let sent = sent.map_err(|(index, error)| (before + index, error));
        self.sent = sent.map_or_else(|(index, _)| index, |()| before + all);
        sent
    }

    /// Moves time on to cycle `until` (at most [`Memory::LAST`]), before which no request is sent then.
    pub fn advance(&mut self, until: Cycle) {
        let until = until.min(Memory::LAST);
        let (feed, now, mut watch) = self.parts();
        if until > 0 {
            feed.run_until(until - 1, &mut watch);
        }
        while feed.returns.first() <= until && feed.pop().is_some() {}
        *now = (*now).max(until);
    }

    /// Waits for all requests and for the write buffers, which are emptied at once. Returns the cycle in which the last data are over, at which time
    /// stands then.
    pub fn finish(mut self) -> Cycle {
        let from = self.now();
        let (feed, _, mut watch) = self.parts();
        feed.finish(from, &mut watch);
        self.wait();
        let end = self.memory.feed.end();
        self.memory.now = self.memory.now.max(end);
        end
    }

    /// Until all requests are done. What is known to be done later is no more than waited for.
    fn wait(&mut self) {
        let (feed, now, mut watch) = self.parts();
        let mut back = feed.sent_at();
        while feed.in_flight() > 0 {
            if feed.returns.first() == NEVER {
                feed.run_to_first_return(Memory::LAST, &mut watch);
            }
            let Some((at, _)) = feed.pop() else { break };
            back = at;
        }
        *now = (*now).max(back);
    }
}

impl Drop for Replay<'_> {
    fn drop(&mut self) {
        self.wait();
    }
}

impl Memory {
    /// Begins to replay a trace of at most `ends.len()` requests, with at most `outstanding` (at least 1) under way: [`Replay::send`] sends some,
    /// [`Replay::finish`] ends it. `ends[i]` is set to the cycle in which the `i`th request is done, as in [`Done::at`](super::Done::at), and `arrivals[i]`, if there is
    /// one, to the cycle in which it arrived. What was under way before is waited for, and told to nobody.
    pub fn begin_replay<'a>(
        &'a mut self,
        outstanding: usize,
        ends: &'a mut [Cycle],
        arrivals: &'a mut [Cycle],
    ) -> Replay<'a> {
        while self.feed.in_flight() > 0 && self.next_done(Self::LAST).is_some() {}
        Replay {
            memory: self,
            ends,
            arrivals,
            outstanding,
            sent: 0,
        }
    }

    /// Sends requests as [`send_all`](Self::send_all) does, then [drains](Self::drain) the memory: all that `fresco memory` does with a trace.
    /// `ends[i]` is set to the cycle in which the `i`th request is done, as in [`Done::at`](super::Done::at); what was under way before is told to nobody. Returns the
    /// cycle in which the last data are over.
    ///
    /// # Errors
    /// As in [`send_all`](Self::send_all): the requests before it are waited for, but write buffers are not emptied, and other ends are left as they were.
    ///
    /// # Panics
    /// If there are fewer ends than requests.
    pub fn replay(
        &mut self,
        requests: &[TraceRequest],
        outstanding: usize,
        ends: &mut [Cycle],
    ) -> Result<Cycle, (usize, SendError)> {
        assert!(ends.len() >= requests.len(), "an end for each request");
        let mut replay = self.begin_replay(outstanding, ends, &mut []);
        replay.send(requests)?;
        Ok(replay.finish())
    }
}
