// SPDX-License-Identifier: MIT OR Apache-2.0
//! What an embedded memory knows of requests that are under way, and what it sees of the controllers.

use super::{Done, Options};
use crate::checker::{self, Checker, CheckerReport};
use crate::drive::TraceRequest;
use crate::feed::{Watch, back_at};
use crate::{Command, Completion};
use fresco_dram::Cycle;
use fresco_machine::MemoryConfig;

/// A request under way.
#[derive(Clone, Copy)]
struct Slot {
    /// How many were sent before it.
    order: u64,
    tag: u64,
    address: u64,
}

/// Requests under way, and the watchers.
pub(super) struct Inside {
    /// Controllers call a request by its place in here.
    slots: Vec<Slot>,
    free: Vec<u32>,
    sent: u64,
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
            checker: options.check.then(|| Box::new(Checker::of(memory, judged))),
            commands: options.keep_commands.then(Vec::new),
        }
    }

    /// The controllers' name for a request.
    #[inline]
    pub fn enter(&mut self, tag: u64, address: u64) -> u64 {
        let slot = Slot {
            order: self.sent,
            tag,
            address,
        };
        self.sent += 1;
        match self.free.pop() {
            Some(i) => {
                self.slots[i as usize] = slot;
                u64::from(i)
            }
            None => {
                self.slots.push(slot);
                self.slots.len() as u64 - 1
            }
        }
    }

    #[inline]
    fn leave(&mut self, completion: &Completion) -> (u64, Done) {
        let slot = self.slots[completion.id as usize];
        self.free.push(completion.id as u32);
        let done = Done {
            tag: slot.tag,
            address: slot.address,
            access: completion.access,
            arrived: completion.arrived,
            at: back_at(completion),
            outcome: completion.outcome,
            wait: completion.wait,
        };
        (slot.order, done)
    }

    #[inline]
    fn command(&mut self, command: &Command) {
        if let Some(checker) = &mut self.checker {
            checker.observe(&command.into());
        }
        if let Some(commands) = &mut self.commands {
            commands.push(*command);
        }
    }

    pub fn verdict(&self, end: Cycle) -> Option<CheckerReport> {
        self.checker.as_ref().map(|checker| Checker::clone(checker).finish(end))
    }

    pub fn take_commands(&mut self) -> Vec<Command> {
        self.commands.as_mut().map(std::mem::take).unwrap_or_default()
    }
}

/// Requests of a slice, called by their numbers from `tag` on, and who is told of those that are done.
pub(super) struct Telling<'a, F> {
    pub inside: &'a mut Inside,
    pub requests: &'a [TraceRequest],
    pub tag: u64,
    pub done: F,
}

impl<'a> Telling<'a, fn(&Done)> {
    /// For runs in which nothing is sent.
    #[inline]
    pub fn nobody(inside: &'a mut Inside) -> Self {
        Self {
            inside,
            requests: &[],
            tag: 0,
            done: |_| {},
        }
    }
}

impl<F: FnMut(&Done)> Watch for Telling<'_, F> {
    type Item = Done;

    #[inline]
    fn sent(&mut self, number: u64) -> u64 {
        let address = self.requests[number as usize].address;
        self.inside.enter(self.tag.wrapping_add(number), address)
    }

    #[inline]
    fn completed(&mut self, completion: &Completion) -> (u64, Done) {
        self.inside.leave(completion)
    }

    #[inline]
    fn returned(&mut self, done: Done) {
        (self.done)(&done);
    }

    #[inline]
    fn command(&mut self, command: &Command) {
        self.inside.command(command);
    }
}
