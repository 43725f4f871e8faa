// SPDX-License-Identifier: MIT OR Apache-2.0
//! One core: dispatch in program order, issue when operands are there, misses through MSHRs, retirement in order.

use super::clock::{PENDING, Slot, SlotClock};
use super::lines::{Lines, NIL};
use super::outbox::{Fetch, Outbox};
use super::window::{Record, Window};
use super::{Action, Lookup, MicroOp, MissTag, Source, Step, Victims};
use fresco_dram::{NEVER, PhysAddr, Ps};
use fresco_machine::{CoreConfig, CoreKind};

/// A miss status holding register.
#[derive(Clone, Copy, Debug)]
struct Mshr {
    /// Free from this slot on; [`PENDING`] while its line is on the way.
    free_at: Slot,
    /// Entry of its line, until the register is used again.
    line: Option<usize>,
}

/// What a core does next, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Fetch,
    WriteBack,
    Event,
    Dispatch,
    Nothing,
}

/// A core. See the module's documentation for the model.
#[derive(Clone, Debug)]
pub struct Core {
    clock: SlotClock,
    size: u64,
    mshrs: Vec<Mshr>,
    blocking_stores: bool,
    window: Window,
    lines: Lines,
    outbox: Outbox,
    /// Earliest slot of the next instruction's dispatch.
    front: Slot,
    /// Instructions dispatched.
    instructions: u64,
    /// A step taken from the source that cannot be dispatched yet.
    held: Option<Step>,
    /// Dispatch waits for the memory.
    stalled: bool,
    /// The event the source stopped at, and when.
    event: Option<Slot>,
    /// Global time of the last completion: nothing happens before.
    now: Ps,
    next: (Ps, Next),
    /// Operations whose operands have just become available; empty between calls.
    wakened: Vec<u64>,
}

impl Core {
    /// Entries of the store buffer of an out-of-order core: that of the Nehalem core, and of the second level of the
    /// load-store unit of AMD's family 10h.
    pub const STORE_BUFFER: usize = 32;

    /// A core that has executed nothing, at time 0.
    pub fn new(config: &CoreConfig) -> Self {
        let in_order = config.kind == CoreKind::InOrder;
        let (size, mshrs) = if in_order {
            (1, 1)
        } else {
            (config.window, config.mshrs)
        };
        assert!(size > 0 && mshrs > 0, "a checked machine has a window and MSHRs");
        Self {
            clock: SlotClock::new(config.mhz, config.issue_width),
            size: u64::from(size),
            mshrs: vec![Mshr { free_at: 0, line: None }; mshrs as usize],
            blocking_stores: in_order,
            window: Window::new(if in_order { 0 } else { Self::STORE_BUFFER }),
            lines: Lines::default(),
            outbox: Outbox::default(),
            front: 0,
            instructions: 0,
            held: None,
            stalled: false,
            event: None,
            now: 0,
            next: (0, Next::Dispatch),
            wakened: Vec::new(),
        }
    }

    /// The core's clock, for the latencies of its private caches.
    pub fn clock(&self) -> SlotClock {
        self.clock
    }

    /// Instructions dispatched so far.
    pub fn instructions(&self) -> u64 {
        self.instructions
    }

    /// When [`Core::step`] is to be called next; [`NEVER`] while the core can only wait for [`Core::complete`].
    #[inline]
    pub fn next_time(&self) -> Ps {
        self.next.0
    }

    /// Does what is due at [`Core::next_time`]. Where that is to run on, the core runs ahead on private state until
    /// `limit`, until it stalls or until the source stops at an event.
    pub fn step(&mut self, source: &mut impl Source, limit: Ps) -> Action {
        let (at, next) = self.next;
        debug_assert!(at >= self.now, "time does not run backwards");
        let action = match next {
            Next::Fetch => self.send_fetch(at),
            Next::WriteBack => Action::WriteBack {
                at,
                line: self.outbox.take_write_back(),
            },
            Next::Event => Action::Event { at },
            Next::Dispatch => {
                self.dispatch(source, self.clock.from_ps(limit));
                Action::Ran
            }
            Next::Nothing => Action::Ran,
        };
        self.now = at.min(NEVER - 1).max(self.now);
        self.schedule();
        action
    }

    /// After [`Action::Event`]: goes on at `at`, which is no earlier than the event.
    pub fn resume(&mut self, at: Ps) {
        debug_assert!(self.event.is_some(), "only an event stops a core");
        self.event = None;
        self.front = self.front.max(self.clock.from_ps(at));
        self.schedule();
    }

    /// The line of a fetch arrives at `at`. Called at the global time `now`, which may be earlier.
    pub fn complete(&mut self, tag: MissTag, now: Ps, at: Ps) {
        debug_assert!(now <= at && self.now <= now);
        self.now = now;
        let arrival = self.clock.from_ps(at);
        let mshr = &mut self.mshrs[usize::from(tag.0)];
        debug_assert!(mshr.free_at == PENDING, "this register waits for no line");
        mshr.free_at = arrival;
        let entry = mshr.line.expect("a busy register has a line");
        let line = self.lines.get_mut(entry);
        line.arrival = arrival;
        for victim in line.victims {
            self.outbox.add_write_back(arrival, victim);
        }
        let mut waiter = std::mem::replace(&mut line.waiters, NIL);
        while waiter != NIL {
            waiter = self.arrived(waiter, arrival);
        }
        self.wake();
        self.stalled = false;
        self.schedule();
    }

    /// The line of operation `sequence` is there from `slot` on. Returns the next operation in its list.
    fn arrived(&mut self, sequence: u64, slot: Slot) -> u64 {
        let next = self.window.set_fill(sequence, slot);
        if let Some(record) = self.window.get_mut(sequence) {
            if !record.write || self.blocking_stores {
                record.result = record.fill;
                self.wakened.push(sequence);
            }
        }
        next
    }

    /// Issues what waits for the results of the operations in `wakened`, and what waits for those in turn.
    fn wake(&mut self) {
        while let Some(producer) = self.wakened.pop() {
            let Some(record) = self.window.get_mut(producer) else {
                continue;
            };
            let result = record.result;
            debug_assert_ne!(result, PENDING);
            let mut dependent = std::mem::replace(&mut record.dependents, NIL);
            while dependent != NIL {
                let record = self
                    .window
                    .get_mut(dependent)
                    .expect("an operation without result has not retired");
                record.ready = record.ready.max(result);
                let next = std::mem::replace(&mut record.next, NIL);
                self.issue(dependent);
                dependent = next;
            }
        }
    }

    /// The operands of an operation are there: it accesses its line, or waits for it.
    fn issue(&mut self, sequence: u64) {
        let record = self
            .window
            .get_mut(sequence)
            .expect("an operation without result has not retired");
        let (slot, line, write) = (record.ready, record.line, record.write);
        if write && !self.blocking_stores {
            record.result = slot + 1;
            self.wakened.push(sequence);
        }
        let Some(entry) = self.lines.find(line) else {
            self.arrived(sequence, slot);
            return;
        };
        let awaited = self.lines.get_mut(entry);
        if awaited.arrival != PENDING {
            let arrival = awaited.arrival;
            self.arrived(sequence, arrival);
            return;
        }
        record.next = std::mem::replace(&mut awaited.waiters, sequence);
        if !std::mem::replace(&mut awaited.asked, true) {
            self.outbox.add_fetch(Fetch {
                slot,
                sequence,
                entry,
                line,
                write,
            });
        }
    }

    fn dispatch(&mut self, source: &mut impl Source, limit: Slot) {
        while self.front <= limit {
            let step = self.held.take().unwrap_or_else(|| source.next());
            let done = match &step {
                Step::Op(op) => self.dispatch_op(op),
                Step::Event { gap } => self.reach_event(u64::from(*gap)),
            };
            if !done {
                self.held = Some(step);
                self.stalled = true;
                return;
            }
            if self.event.is_some() {
                return;
            }
        }
    }

    /// Dispatches one operation; false if the window is full.
    #[inline]
    fn dispatch_op(&mut self, op: &MicroOp) -> bool {
        let gap = u64::from(op.gap);
        let number = self.instructions + gap + 1;
        if !self.window.retire_through(number.saturating_sub(self.size)) {
            return false;
        }
        let slot = (self.front + gap).max(self.window.earliest_retirement(number).saturating_sub(self.size));
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
        let ready = if waits { slot } else { slot.max(operand) };
        let (latency, missed) = match op.lookup {
            Lookup::Hit { slots } => (slots, false),
            Lookup::Miss => (1, true),
        };
        if !missed && !op.victims.is_empty() {
            self.write_back(slot, op.victims);
        }
        let mut record = Record {
            number,
            ready,
            result: PENDING,
            fill: PENDING,
            line: op.line,
            latency,
            write: op.write,
            dependents: NIL,
            next: NIL,
        };
        if !missed && !waits && self.lines.find(op.line).is_none() {
            // By far the commonest case: everything is known at once.
            record.fill = ready + Slot::from(latency);
            record.result = if op.write && !self.blocking_stores {
                ready + 1
            } else {
                record.fill
            };
            self.window.push(record);
            return true;
        }
        if missed {
            self.await_line(slot, op.line, op.victims);
        }
        if let (Some(producer), true) = (producer, waits) {
            let sequence = self.window.next_sequence();
            let producer = self.window.get_mut(producer).expect("its result is pending");
            record.next = std::mem::replace(&mut producer.dependents, sequence);
            self.window.push(record);
        } else {
            let sequence = self.window.push(record);
            self.issue(sequence);
            self.wakened.clear();
        }
        true
    }

    /// An access missed in the private caches: its line has to come, unless it is on its way already.
    fn await_line(&mut self, slot: Slot, line: PhysAddr, victims: Victims) {
        if let Some(entry) = self.lines.find(line) {
            if self.lines.get_mut(entry).arrival > slot {
                // Displaced by the lines behind it before it arrived; whoever waits for it gets it all the same.
                self.write_back(slot, victims);
                return;
            }
            let holder = self.mshrs.iter_mut().find(|mshr| mshr.line == Some(entry));
            holder.expect("a line keeps its register until that is used again").line = None;
            self.lines.remove(entry);
        }
        self.lines.insert(line, victims);
    }

    fn write_back(&mut self, slot: Slot, victims: Victims) {
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
        self.front = self.front.max(drained) + gap;
        self.event = Some(self.front);
        true
    }

    fn send_fetch(&mut self, at: Ps) -> Action {
        let fetch = self.outbox.take_fetch();
        let index = self.free_mshr();
        let mshr = &mut self.mshrs[index];
        if let Some(old) = mshr.line.replace(fetch.entry) {
            self.lines.remove(old);
        }
        mshr.free_at = PENDING;
        Action::Fetch {
            at,
            line: fetch.line,
            write: fetch.write,
            tag: MissTag(index as u16),
        }
    }

    /// The register that is free first.
    fn free_mshr(&self) -> usize {
        let mut first = 0;
        for (index, mshr) in self.mshrs.iter().enumerate() {
            if mshr.free_at < self.mshrs[first].free_at {
                first = index;
            }
        }
        first
    }

    /// Works out what is next. Accesses go before the run-ahead, so that they reach the memory in order of time.
    fn schedule(&mut self) {
        let fetch = self
            .outbox
            .first_fetch()
            .map_or(PENDING, |slot| slot.max(self.mshrs[self.free_mshr()].free_at));
        let write_back = self.outbox.first_write_back();
        let dispatch = if self.stalled || self.event.is_some() {
            PENDING
        } else {
            self.front
        };
        let event = self.event.unwrap_or(PENDING);
        let candidates = [
            (fetch, Next::Fetch),
            (write_back, Next::WriteBack),
            (event, Next::Event),
            (dispatch, Next::Dispatch),
        ];
        let mut first = (PENDING, Next::Nothing);
        for candidate in candidates {
            if candidate.0 < first.0 {
                first = candidate;
            }
        }
        self.next = match first {
            (PENDING, _) => (NEVER, Next::Nothing),
            (slot, next) => (self.clock.to_ps(slot).max(self.now), next),
        };
    }
}
