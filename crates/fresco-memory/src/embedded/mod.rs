// SPDX-License-Identifier: MIT OR Apache-2.0
//! A machine's memory for other simulators and for notebooks: all its controllers behind one clock, without cores and
//! caches. The host says when what arrives, and how far time goes; the memory says what is done when.
//!
//! **Time** is in cycles of the memory's command clock ([`Memory::clock`] converts to picoseconds). The memory stands at
//! [`Memory::now`]: all that happens before this cycle has happened. A request that is [sent](Memory::send) arrives in
//! that cycle and can be served from the next one on. What is done is handed out in the cycle in which it is: a read when
//! its data are there, a write in the cycle after the one that took it into a write buffer. Results do not depend on how
//! far time is moved at once.
//!
//! ```
//! use fresco_memory::Access;
//! use fresco_memory::embedded::{Memory, Options};
//!
//! let machine = fresco_machine::builtin("ddr4-2400-bench")?;
//! let mut memory = Memory::new(&machine, Options::default());
//! memory.send(0x4000, Access::Read, 7)?;
//! // One cycle of pipeline, the activation and the read (16 each) and four cycles of data.
//! let done = memory.next_done(1_000).expect("it is done by then");
//! assert_eq!((done.tag, done.at, memory.now()), (7, 37, 37));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod inside;
mod options;
mod replay;

pub use options::{Limit, Options, SendError};
pub use replay::Replay;

use crate::Command;
use crate::checker::CheckerReport;
use crate::controller::{ChannelStats, Controller};
use crate::drive::TraceRequest;
use crate::feed::{Feed, Watch};
use crate::request::{Access, Request, RowOutcome, Wait};
use fresco_dram::{AddressMap, Clock, Cycle, LONGEST_GAP, Location, NEVER, PhysAddr};
use fresco_machine::Machine;
use inside::{Inside, Telling, Ticket};

/// A request that is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    /// The sender's name for it.
    pub tag: u64,
    /// Its address as it was sent, in bytes.
    pub address: u64,
    /// Direction.
    pub access: Access,
    /// The cycle in which it arrived.
    pub arrived: Cycle,
    /// The cycle in which it is done. A read's data are there; a write was taken into a write buffer in the cycle before.
    pub at: Cycle,
    /// What it found in its bank.
    pub outcome: RowOutcome,
    /// Where the time went, in cycles; the parts add up to a read's time, and to a write's less the one cycle after which it is told.
    pub wait: Wait,
}

/// So many requests of a slice are sent before what was done meanwhile is told.
const PIECE: usize = 1024;

/// Sends requests, as [`Memory::send_all`] says.
#[inline]
fn run<W: Watch<Item = Ticket>>(
    feed: &mut Feed<Ticket>,
    (map, line_bytes): (&AddressMap, u64),
    requests: impl Iterator<Item = TraceRequest>,
    (now, outstanding): (Cycle, usize),
    watch: &mut W,
) -> Result<(), (usize, SendError)> {
    let mut reached = 0;
    let trace = requests.enumerate().map(|(i, request)| {
        reached = i;
        Ok(request)
    });
    let place = |request: TraceRequest, from: Cycle| {
        let TraceRequest { cycle, address, .. } = request;
        if cycle > Memory::LAST.min(from + LONGEST_GAP) {
            return Err(SendError::out_of_time(cycle, from));
        }
        Ok(Memory::place(map, line_bytes, address)?.1)
    };
    let sent = feed.run(trace, (now, outstanding.max(1)), (!(line_bytes - 1), place), watch);
    sent.map_err(|error| (reached, error))
}

/// A machine's memory: the channels of all its nodes.
///
/// It is `Send`, and knows nothing of others of its kind: each may have a thread of its own.
pub struct Memory {
    feed: Feed<Ticket>,
    inside: Inside,
    map: AddressMap,
    clock: Clock,
    /// Bytes of a line, a power of two.
    line_bytes: u64,
    limit: Limit,
    now: Cycle,
}

impl Memory {
    /// The last cycle that a host may name, some decades after the first. [`drain`](Self::drain) goes further if it has to wait for what is under way.
    pub const LAST: Cycle = 1 << 60;

    /// The memory of a machine, empty, at cycle 0.
    pub fn new(machine: &Machine, options: Options) -> Self {
        let memory = &machine.memory;
        let controllers = (0..memory.organisation.nodes)
            .map(|node| Controller::new(&memory.controller, &memory.organisation, &memory.timing, node))
            .collect();
        Self {
            feed: Feed::new(controllers),
            inside: Inside::new(memory, options),
            map: memory.map.clone(),
            clock: memory.timing.clock,
            line_bytes: memory.timing.bytes_of_line(&memory.organisation),
            limit: options.limit,
            now: 0,
        }
    }

    /// All that happens before this cycle has happened.
    #[inline]
    pub fn now(&self) -> Cycle {
        self.now
    }

    /// The command clock: how long a cycle is.
    pub fn clock(&self) -> Clock {
        self.clock
    }

    /// Bytes that a request moves: a line, a power of two. An address names the line that holds it.
    pub fn line_bytes(&self) -> u64 {
        self.line_bytes
    }

    /// Where there is memory.
    pub fn map(&self) -> &AddressMap {
        &self.map
    }

    /// Requests that were sent and have not been handed out as done.
    #[inline]
    pub fn outstanding(&self) -> usize {
        self.feed.in_flight()
    }

    #[inline]
    fn place(map: &AddressMap, line_bytes: u64, address: u64) -> Result<(u64, Location), SendError> {
        let line = address & !(line_bytes - 1);
        match map.decode(PhysAddr(line)) {
            Some(location) => Ok((line, location)),
            None => Err(SendError::NoMemory { address }),
        }
    }

    #[inline]
    fn takes(&self, access: Access, location: &Location) -> bool {
        match self.limit {
            Limit::Queues => self.feed.controllers[location.node as usize].has_place(access, location),
            Limit::Outstanding(most) => self.feed.in_flight() < most.get() as usize,
        }
    }

    /// Returns true if [`send`](Self::send) would take such a request now.
    ///
    /// # Errors
    /// [`SendError::NoMemory`]: there is no memory at the address.
    pub fn can_take(&self, address: u64, access: Access) -> Result<bool, SendError> {
        let (_, location) = Self::place(&self.map, self.line_bytes, address)?;
        Ok(self.takes(access, &location))
    }

    /// A request arrives in cycle [`now`](Self::now). As many may arrive in one cycle as the limit lets in, in the order in which they are sent.
    /// `tag` is the caller's name for it and need not be unique.
    ///
    /// # Errors
    /// [`SendError::NoMemory`]: there is no memory at the address; [`SendError::Full`]: the limit of [`Options`] is reached, and it is to be
    /// sent again in the cycle of [`next_event`](Self::next_event), and so on until it is taken. Nothing has happened then.
    pub fn send(&mut self, address: u64, access: Access, tag: u64) -> Result<(), SendError> {
        let (line, location) = Self::place(&self.map, self.line_bytes, address)?;
        if !self.takes(access, &location) {
            return Err(SendError::Full);
        }
        let request = Request {
            id: self.inside.enter(tag, address, access),
            source: 0,
            access,
            line,
            location,
        };
        self.feed.submit(self.now, request);
        Ok(())
    }

    /// Nothing is done and no place becomes free before this cycle, if nothing is sent before; never earlier than [`now`](Self::now). `None` if
    /// nothing will ever happen: nothing is outstanding, and there are no refreshes.
    pub fn next_event(&self) -> Option<Cycle> {
        let inside = self.feed.next_event().saturating_add(1);
        let next = self.feed.returns.first().min(inside);
        (next < NEVER).then_some(next.max(self.now))
    }

    /// Moves time on until something is done, but not beyond cycle `until` (at most [`Self::LAST`]), and returns it, with [`now`](Self::now)
    /// at the cycle in which it is done. `None`: the time is `until`, and all that is done by then has been returned. Of the same cycle, they come
    /// in the order in which they were sent.
    ///
    /// The caller may send what follows from it before time goes on.
    #[inline]
    pub fn next_done(&mut self, until: Cycle) -> Option<Done> {
        self.next_done_ref(until).copied()
    }

    /// As [`next_done`](Self::next_done), without a copy.
    pub fn next_done_ref(&mut self, until: Cycle) -> Option<&Done> {
        if self.feed.returns.first() > self.now {
            let until = until.min(Self::LAST);
            if until <= self.now {
                return None;
            }
            self.feed
                .run_to_first_return(until, &mut Telling::nothing(&mut self.inside));
            self.now = self.feed.returns.first().min(until);
            if self.feed.returns.first() > until {
                return None;
            }
        }
        let (_, ticket) = self.feed.pop()?;
        Some(self.inside.leave(&ticket))
    }

    /// Moves time on to cycle `until` (at most [`Self::LAST`]; one that has passed is no error) and tells all that is done by then, in order.
    /// Idle time costs its refreshes, which up to [`Self::LAST`] nobody waits for.
    #[inline]
    pub fn advance(&mut self, until: Cycle, mut done: impl FnMut(&Done)) {
        while let Some(next) = self.next_done_ref(until) {
            done(next);
        }
    }

    /// Sends requests as `fresco memory` sends a trace: in order, in a cycle at most as many as the machine has channels, each in its cycle or as soon after as
    /// fewer than `outstanding` requests are not yet done (at least 1; [`Options::limit`] does not count here: requests may wait for places in queues). One
    /// that has to wait holds those behind it. Requests are called
    /// `tag`, `tag + 1` and so on, around the end of 64 bits. What is done meanwhile is told, in order; with the last request sent, what is under way
    /// stays so.
    ///
    /// # Errors
    /// The request that cannot be sent, and why ([`SendError::NoMemory`], [`SendError::Late`], [`SendError::Far`]); those before it have been sent.
    pub fn send_all(
        &mut self,
        requests: &[TraceRequest],
        outstanding: usize,
        tag: u64,
        mut done: impl FnMut(&Done),
    ) -> Result<(), (usize, SendError)> {
        for (number, piece) in (0usize..).zip(requests.chunks(PIECE)) {
            let before = number * PIECE;
            let sent = self.send_quietly(piece, outstanding, tag.wrapping_add(before as u64));
            while let Some(next) = self.inside.tell() {
                done(next);
            }
            sent.map_err(|(index, error)| (before + index, error))?;
        }
        Ok(())
    }

    /// As [`send_all`](Self::send_all), but what is done meanwhile is to be asked for after it, by [`next_told`](Self::next_told): before anything else is
    /// done with the memory.
    ///
    /// # Errors
    /// As in [`send_all`](Self::send_all).
    // Not generic, and so compiled here.
    pub fn send_quietly(
        &mut self,
        requests: &[TraceRequest],
        outstanding: usize,
        tag: u64,
    ) -> Result<(), (usize, SendError)> {
        let mut telling = Telling {
            inside: &mut self.inside,
            requests,
            tag,
        };
        let from = (self.now, outstanding);
        let sent = run(
            &mut self.feed,
            (&self.map, self.line_bytes),
            requests.iter().copied(),
            from,
            &mut telling,
        );
        self.now = self.now.max(self.feed.sent_at());
        sent
    }

    /// What is done since [`send_quietly`](Self::send_quietly) was called, in order, one by one; `None` if there is no more.
    pub fn next_told(&mut self) -> Option<&Done> {
        self.inside.tell()
    }

    /// Waits for all that is outstanding, and for the write buffers, which are emptied at once; tells what is done, in order. Returns the cycle in which the
    /// last data are over, at which time stands then.
    pub fn drain(&mut self, mut done: impl FnMut(&Done)) -> Cycle {
        self.feed.finish(self.now, &mut Telling::nothing(&mut self.inside));
        while let Some((_, ticket)) = self.feed.pop() {
            let next = self.inside.leave(&ticket);
            self.now = self.now.max(next.at);
            done(next);
        }
        let end = self.feed.end();
        self.now = self.now.max(end);
        end
    }

    /// What each channel counted since the beginning or the last [reset](Self::reset_stats), up to [`now`](Self::now): those of the first node, then those of the next.
    pub fn stats(&mut self) -> Vec<ChannelStats> {
        self.feed.settle(self.now);
        self.feed.controllers.iter_mut().flat_map(Controller::stats).collect()
    }

    /// Counts from here on.
    pub fn reset_stats(&mut self) {
        self.feed.settle(self.now);
        self.feed.controllers.iter_mut().for_each(Controller::reset_stats);
    }

    /// What the checker says of all commands so far, if it is on ([`Options::check`]).
    pub fn verdict(&mut self) -> Option<CheckerReport> {
        self.inside.verdict(self.now)
    }

    /// The commands issued since the last call, if they are kept ([`Options::keep_commands`]): channel by channel in order of time.
    pub fn take_commands(&mut self) -> Vec<Command> {
        self.inside.take_commands()
    }
}
