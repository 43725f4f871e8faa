// SPDX-License-Identifier: MIT OR Apache-2.0
//! Instructions enter the core, in program order.

use super::aside::Awaited;
use super::clock::{PENDING, Slot};
use super::lines::{NIL, Ticket};
use super::outbox::Fetch;
use super::prefetch::Hit;
use super::window::Record;
use super::{Lookup, MicroOp, Pipeline, Source, Step, User, Victims};
use fresco_dram::PhysAddr;

/// Where and when an operation enters the window.
pub(super) struct Entered {
    /// Of the instruction.
    number: u64,
    pub slot: Slot,
    /// When it has its operands, if it has them all.
    ready: Slot,
    /// The operation whose result it waits for.
    waits_for: Option<u64>,
}

impl Pipeline {
    /// Runs ahead until `limit`, an event, or an instruction that has to wait for the memory.
    pub(super) fn dispatch(&mut self, source: &mut impl Source, limit: Slot) {
        if self.may_go_on(limit)
            && let Some(step) = self.held.take()
            && !self.dispatch_held(step, source)
        {
            return;
        }
        while self.may_go_on(limit) {
            let room = self.stalls.room(limit.saturating_sub(self.front) + 1);
            let step = source.next_within(room);
            match &step {
                Step::Op(op) => {
                    if !self.dispatch_op(op) {
                        return self.hold(step);
                    }
                }
                Step::Fetch(code) => {
                    if !self.dispatch_fetch(code) {
                        return self.hold(step);
                    }
                    if self.fetching {
                        return;
                    }
                }
                Step::Work { instructions } => self.work(*instructions),
                Step::Walk(read) => self.add_table_read(read),
                Step::Translated(op, translation) => {
                    if !self.dispatch_translated(op, *translation) {
                        return self.hold(step);
                    }
                }
                Step::Event { gap } => {
                    if !self.reach_event(u64::from(*gap)) {
                        self.hold(step);
                    }
                    return;
                }
            }
        }
    }

    /// In order no instruction is dispatched before a line has left that leaves before it: the memory may let the core stand.
    #[inline]
    fn may_go_on(&self, limit: Slot) -> bool {
        self.front <= limit && !(self.blocking_stores && self.outbox.first_write_back() <= self.front)
    }

    /// A step that had to wait tries again; false if dispatch goes no further.
    #[cold]
    fn dispatch_held(&mut self, mut step: Step, source: &mut impl Source) -> bool {
        if let Step::Op(op) = &mut step
            && let Lookup::Upgrade { slots, watched } = op.lookup
            && source.owns(op.line)
        {
            // An operation before it has got the line meanwhile.
            op.lookup = watched.map_or(Lookup::Hit { slots }, |first_use| Lookup::Watched { slots, first_use });
        }
        let (done, goes_on) = match &step {
            Step::Op(op) => (self.dispatch_op(op), true),
            Step::Fetch(code) => (self.dispatch_fetch(code), !self.fetching),
            Step::Work { instructions } => {
                self.work(*instructions);
                (true, true)
            }
            Step::Walk(read) => {
                self.add_table_read(read);
                (true, true)
            }
            Step::Translated(op, translation) => (self.dispatch_translated(op, *translation), true),
            Step::Event { gap } => (self.reach_event(u64::from(*gap)), false),
        };
        if !done {
            self.hold(step);
        }
        done && goes_on
    }

    /// A step waits for the memory.
    fn hold(&mut self, step: Step) {
        self.held = Some(step);
        self.stalled = true;
    }

    /// Instructions without memory access, as a part of the gap before the next operation, which heeds the window for all of it.
    fn work(&mut self, instructions: u32) {
        let instructions = u64::from(instructions);
        self.instructions += instructions;
        self.front += instructions + self.stalls.within(instructions);
    }

    /// The number of the instruction after this gap, and when it can be dispatched; `None` if the window is full. Of the stalls it takes
    /// those up to the last of the gap, and of the instruction itself if `is_op`.
    #[inline(always)]
    fn place(&mut self, gap: u32, is_op: bool) -> Option<(u64, Slot)> {
        if self.stalls.are_there() {
            return self.place_among_stalls(u64::from(gap), is_op);
        }
        let gap = u64::from(gap);
        let number = self.instructions + gap + 1;
        if !self.window.retire_through(number.saturating_sub(self.size)) {
            return None;
        }
        let slot = (self.front + gap).max(self.window.earliest_retirement(number).saturating_sub(self.size));
        Some((number, slot))
    }

    /// The same with stalls. Of the instructions that enter the window when an operation leaves it, stalls come after that.
    fn place_among_stalls(&mut self, gap: u64, is_op: bool) -> Option<(u64, Slot)> {
        let (own, number) = (u64::from(is_op), self.instructions + gap + 1);
        let leaving = number.saturating_sub(self.size);
        while let Some(operation) = self.window.first_through(leaving) {
            if !self.window.retire_through(operation) {
                return None;
            }
            let after = self.stalls.of_last(leaving - operation + own, gap + own);
            let bound = self.window.earliest_retirement(leaving) + after;
            self.held_up = self.held_up.max(bound);
        }
        let slot = self.front + gap + self.stalls.within(gap + own);
        Some((number, slot.max(std::mem::take(&mut self.held_up))))
    }

    /// An operation takes its place; `None` if the window is full.
    #[inline(always)]
    pub(super) fn enter(&mut self, op: &MicroOp) -> Option<Entered> {
        let (number, slot) = self.place(op.gap, true)?;
        self.front = slot + 1;
        self.instructions = number;
        let producer = match op.dep {
            0 => None,
            dep => self.window.next_sequence().checked_sub(u64::from(dep)),
        };
        let operand = producer
            .and_then(|p| self.window.get(p))
            .map_or(0, |record| record.result);
        let waits = operand == PENDING;
        Some(Entered {
            number,
            slot,
            ready: if waits { slot } else { slot.max(operand) },
            waits_for: producer.filter(|_| waits),
        })
    }

    /// Dispatches one operation; false if the window is full.
    #[inline(always)]
    pub(super) fn dispatch_op(&mut self, op: &MicroOp) -> bool {
        let Some(entered) = self.enter(op) else {
            return false;
        };
        let Entered { slot, ready, .. } = entered;
        let waits = entered.waits_for.is_some();
        let (latency, awaited) = match op.lookup {
            Lookup::Hit { slots } => {
                if !op.victims.is_empty() {
                    self.write_back(slot, op.victims);
                }
                let awaited = match self.lines.are_here(ready) {
                    true => None,
                    false => self.lines.find(op.line),
                };
                if !waits && awaited.is_none() {
                    // By far the commonest case: everything is known at once.
                    let fill = ready + Slot::from(slots);
                    let owned_later = op.write && !self.blocking_stores;
                    let result = if owned_later { ready + 1 } else { fill };
                    self.window.push_known(entered.number, result, fill, op.write);
                    return true;
                }
                (slots, awaited)
            }
            Lookup::Miss => {
                let ticket = self.lines.insert(op.line, op.victims);
                if op.write {
                    self.lines.entry_mut(ticket.entry()).store = true;
                }
                (1, Some(ticket))
            }
            Lookup::Watched { slots, first_use } => {
                self.write_back(slot, op.victims);
                self.watch(op.line, first_use, waits, ready);
                (slots, self.lines.find(op.line))
            }
            Lookup::Upgrade { slots, watched } => {
                self.write_back(slot, op.victims);
                if let Some(first_use) = watched {
                    self.watch(op.line, first_use, waits, ready);
                }
                (slots, Some(self.lines.upgrade(op.line)))
            }
        };
        self.push(&entered, op.write, latency, awaited);
        true
    }

    /// An operation of which not everything is known comes into the window, and is issued if it has its operands.
    #[inline(always)]
    pub(super) fn push(&mut self, entered: &Entered, write: bool, latency: u32, awaited: Option<Ticket>) {
        let mut record = Record {
            number: entered.number,
            ready: entered.ready,
            result: PENDING,
            fill: PENDING,
            line: awaited.unwrap_or(Ticket::NONE),
            latency,
            write,
            dependents: NIL,
            next: NIL,
        };
        if let Some(producer) = entered.waits_for {
            let sequence = self.window.next_sequence();
            let producer = self.window.get_mut(producer).expect("its result is pending");
            record.next = std::mem::replace(&mut producer.dependents, sequence);
            self.window.push(record);
        } else {
            let sequence = self.window.push(record);
            self.issue(sequence);
            self.wakened.clear();
        }
    }

    /// A hit of the next operation is watched: it happens at `ready`, or when the operation has what it waits for.
    fn watch(&mut self, line: PhysAddr, first_use: bool, waits: bool, ready: Slot) {
        let hit = Hit { line, first_use };
        match waits {
            true => {
                let awaited = Awaited {
                    hit: Some(hit),
                    ..Awaited::default()
                };
                self.aside.wait(self.window.next_sequence(), awaited);
            }
            false => self.aside.watch(ready, hit),
        }
    }

    /// Fetches code for the instruction after the gap; false if the window is full.
    #[cold]
    fn dispatch_fetch(&mut self, code: &MicroOp) -> bool {
        let Some((number, slot)) = self.place(code.gap, false) else {
            return false;
        };
        self.instructions = number - 1;
        self.front = slot;
        let awaited = match code.lookup {
            Lookup::Hit { slots } => {
                self.write_back(slot, code.victims);
                self.front += Slot::from(slots);
                self.lines.find(code.line)
            }
            Lookup::Miss => Some(self.lines.insert(code.line, code.victims)),
            Lookup::Watched { .. } | Lookup::Upgrade { .. } => {
                unreachable!("nobody watches code, or stores to it here")
            }
        };
        let Some((ticket, line)) = awaited.and_then(|ticket| Some((ticket, self.lines.of(ticket)?))) else {
            return true;
        };
        if line.arrival != PENDING {
            self.front = self.front.max(line.arrival);
            return true;
        }
        line.user = User::Code;
        (self.fetching, self.stalled) = (true, true);
        let fetch = Fetch {
            slot,
            sequence: self.window.next_sequence(),
            entry: ticket.entry(),
            line: line.addr,
            write: false,
        };
        self.outbox.ask(line, fetch);
        true
    }

    #[inline]
    pub(super) fn write_back(&mut self, slot: Slot, victims: Victims) {
        for victim in victims {
            self.outbox.add_write_back(slot, victim);
        }
    }

    /// The source stops: everything before the event completes first. False if that is not known to have happened.
    fn reach_event(&mut self, gap: u64) -> bool {
        let Some(drained) = self.window.drain(self.instructions) else {
            return false;
        };
        self.instructions += gap;
        self.front = self.front.max(drained) + gap + self.stalls.within(gap);
        self.event = Some(self.front);
        true
    }
}
