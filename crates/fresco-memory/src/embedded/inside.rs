// SPDX-License-Identifier: MIT OR Apache-2.0
//! What an embedded memory knows of requests that are under way, and what it sees of the controllers.

use super::{Done, Options};
use crate::checker::{self, Checker, CheckerReport};
use crate::drive::TraceRequest;
use crate::feed::{Watch, back_at};
use crate::returns::Kept;
use crate::{Access, Command, Completion, RowOutcome, Wait};
use fresco_dram::Cycle;
use fresco_machine::MemoryConfig;

/// A request under way, and what is known of its end.
struct Slot {
    /// How many were sent before it.
    order: u64,
    done: Done,
}

/// A request on its way back: what is known of it stays where it is.
pub(super) struct Ticket {
    order: u64,
    slot: u32,
}

impl Ticket {
    /// Of a request of which nothing is asked on its way back.
    pub const UNNAMED: Self = Self { order: 0, slot: 0 };
}

impl Kept for Ticket {
    #[inline]
    fn order(&self) -> u64 {
        self.order
    }
}

/// Requests under way, and the watchers.
pub(super) struct Inside {
    /// Controllers call a request by its place in here.
    slots: Vec<Slot>,
    free: Vec<u32>,
    sent: u64,
    /// Places of those that were back while requests of a slice were sent, and how many of them have been told.
    back: Vec<u32>,
    told: usize,
    pub wants_commands: bool,
    checker: Option<Box<Checker>>,
    commands: Option<Vec<Command>>,
}

impl Inside {
    pub fn new(memory: &MemoryConfig, options: Options) -> Self {
        let judged = checker::Options::of_policy(memory.controller.refresh);
        Self {
            slots: Vec::new(),
            free: Vec::new(),
            sent: 0,
            back: Vec::new(),
            told: 0,
            wants_commands: options.check || options.keep_commands,
            checker: options.check.then(|| Box::new(Checker::of(memory, judged))),
            commands: options.keep_commands.then(Vec::new),
        }
    }

    /// The controllers' name for a request.
    #[inline]
    pub fn enter(&mut self, tag: u64, address: u64, access: Access) -> u64 {
        let order = self.sent;
        self.sent += 1;
        if let Some(i) = self.free.pop()
            && let Some(slot) = self.slots.get_mut(i as usize)
        {
            slot.order = order;
            (slot.done.tag, slot.done.address, slot.done.access) = (tag, address, access);
            return u64::from(i);
        }
        self.enter_new(order, tag, address, access)
    }

    #[cold]
    fn enter_new(&mut self, order: u64, tag: u64, address: u64, access: Access) -> u64 {
        let done = Done {
            tag,
            address,
            access,
            arrived: 0,
            at: 0,
            outcome: RowOutcome::Buffered,
            wait: Wait::default(),
        };
        self.slots.push(Slot { order, done });
        self.slots.len() as u64 - 1
    }

    /// A request that is back; its place is free.
    #[inline]
    pub fn leave(&mut self, ticket: &Ticket) -> &Done {
        self.free.push(ticket.slot);
        &self.slots[ticket.slot as usize].done
    }

    /// The next of those that were back while requests of a slice were sent.
    #[inline]
    pub fn tell(&mut self) -> Option<&Done> {
        let Some(&slot) = self.back.get(self.told) else {
            self.back.clear();
            self.told = 0;
            return None;
        };
        self.told += 1;
        self.free.push(slot);
        Some(&self.slots[slot as usize].done)
    }

    // Cold: without a checker nobody asks for it.
    #[cold]
    pub fn command(&mut self, command: &Command) {
        if let Some(checker) = &mut self.checker {
            checker.observe(&command.into());
        }
        if let Some(commands) = &mut self.commands {
            commands.push(*command);
        }
    }

    pub fn verdict(&mut self, end: Cycle) -> Option<CheckerReport> {
        self.checker.as_mut().map(|checker| checker.verdict(end))
    }

    pub fn take_commands(&mut self) -> Vec<Command> {
        self.commands.as_mut().map(std::mem::take).unwrap_or_default()
    }
}

/// Requests of a slice, called by their numbers from `tag` on.
pub(super) struct Telling<'a> {
    pub inside: &'a mut Inside,
    pub requests: &'a [TraceRequest],
    pub tag: u64,
}

impl<'a> Telling<'a> {
    /// For runs in which nothing is sent.
    #[inline]
    pub fn nothing(inside: &'a mut Inside) -> Self {
        Self {
            inside,
            requests: &[],
            tag: 0,
        }
    }
}

impl Watch for Telling<'_> {
    type Item = Ticket;

    #[inline]
    fn sent(&mut self, number: u64) -> u64 {
        let TraceRequest { address, access, .. } = self.requests[number as usize];
        self.inside.enter(self.tag.wrapping_add(number), address, access)
    }

    #[inline]
    fn completed(&mut self, completion: &Completion) -> Ticket {
        let slot = &mut self.inside.slots[completion.id as usize];
        slot.done.arrived = completion.arrived;
        slot.done.at = back_at(completion);
        slot.done.outcome = completion.outcome;
        slot.done.wait = completion.wait;
        Ticket {
            order: slot.order,
            slot: completion.id as u32,
        }
    }

    #[inline]
    fn returned(&mut self, ticket: Ticket) {
        self.inside.back.push(ticket.slot);
    }

    #[inline]
    fn wants_commands(&self) -> bool {
        self.inside.wants_commands
    }

    #[inline]
    fn command(&mut self, command: &Command) {
        self.inside.command(command);
    }
}
