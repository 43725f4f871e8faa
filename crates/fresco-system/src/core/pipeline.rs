// SPDX-License-Identifier: MIT OR Apache-2.0
//! One core: dispatch in program order, issue when operands are there, misses through MSHRs, retirement in order.

use super::aside::Aside;
use super::clock::{PENDING, Slot, SlotClock};
use super::lines::{FetchState, Lines};
use super::outbox::Outbox;
use super::stalls::Stalls;
use super::window::Window;
use super::{Action, CoreModel, Lookup, MissTag, Source, Step, User, Victims, WalkCounts};
use fresco_dram::{NEVER, PhysAddr, Ps};
use fresco_machine::CoreConfig;
use fresco_memory::Purpose;
use std::collections::VecDeque;

/// Miss status holding registers.
#[derive(Clone, Debug)]
pub(super) struct Mshrs {
    /// Those that wait for no line, by the slot from which they are free, then by number: that slot, and the number.
    free: VecDeque<(Slot, usize)>,
    /// Of each: the entry of its line, until the register is used again.
    pub(super) line: Vec<Option<usize>>,
}

impl Mshrs {
    fn new(count: usize) -> Self {
        Self {
            free: (0..count).map(|number| (0, number)).collect(),
            line: vec![None; count],
        }
    }

    /// When the first is free, or [`PENDING`].
    #[inline]
    fn first_free(&self) -> Slot {
        self.free.front().map_or(PENDING, |(from, _)| *from)
    }

    /// A register waits no longer, and is free from `slot` on. Lines arrive nearly in order.
    #[inline]
    pub(super) fn release(&mut self, number: usize, slot: Slot) {
        debug_assert!(
            self.free.iter().all(|(_, other)| *other != number),
            "this register waits for no line"
        );
        let later = self
            .free
            .iter()
            .rev()
            .take_while(|other| **other > (slot, number))
            .count();
        self.free.insert(self.free.len() - later, (slot, number));
    }
}

/// What a core does next, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    Fetch,
    WriteBack,
    Aside,
    Event,
    Dispatch,
    Nothing,
}

/// An in-order or out-of-order core. See the module's documentation for the model.
#[derive(Clone, Debug)]
pub struct Pipeline {
    pub(super) clock: SlotClock,
    pub(super) size: u64,
    pub(super) mshrs: Mshrs,
    /// In order: one access at a time.
    pub(super) blocking_stores: bool,
    pub(super) window: Window,
    pub(super) lines: Lines,
    pub(super) outbox: Outbox,
    pub(super) aside: Aside,
    pub(super) stalls: Stalls,
    /// With stalls: no earlier can what is held be dispatched, by operations that have retired since it is.
    pub(super) held_up: Slot,
    /// Earliest slot of the next instruction's dispatch.
    pub(super) front: Slot,
    /// Instructions dispatched.
    pub(super) instructions: u64,
    /// A step taken from the source that cannot be dispatched yet.
    pub(super) held: Option<Step>,
    /// Dispatch waits for the memory.
    pub(super) stalled: bool,
    /// It waits for code.
    pub(super) fetching: bool,
    /// When the event is complete at which the source stopped.
    pub(super) event: Option<Slot>,
    /// An event has been reported and waits for [`CoreModel::resume`].
    pub(super) halted: bool,
    /// The memory accepts nothing: see [`CoreModel::stand`].
    standing: bool,
    /// Global time of the last completion: nothing happens before.
    pub(super) now: Ps,
    pub(super) next: (Ps, Next),
    /// Operations whose operands have just become available; empty between calls.
    pub(super) wakened: Vec<u64>,
}

impl Pipeline {
    /// Entries of the store buffer of an out-of-order core: that of the Nehalem core, and of the second level of the
    /// load-store unit of AMD's family 10h.
    pub const STORE_BUFFER: usize = 32;

    /// A core that waits for each access: a window of one instruction, no store buffer, one miss at a time beside prefetches.
    pub fn in_order(config: &CoreConfig) -> Self {
        Self::new(SlotClock::of(config), 1, config.mshrs, 0)
    }

    /// A core with the machine's window and MSHRs and a store buffer of [`Pipeline::STORE_BUFFER`] entries, of which each
    /// thread of a core has its share.
    pub fn out_of_order(config: &CoreConfig) -> Self {
        let store_buffer = Self::STORE_BUFFER / config.threads as usize;
        Self::new(SlotClock::of(config), config.window, config.mshrs, store_buffer)
    }

    /// Without a store buffer a store holds up what comes after it until its line is there.
    fn new(clock: SlotClock, window: u32, mshrs: u32, store_buffer: usize) -> Self {
        assert!(window > 0 && mshrs > 0, "a checked machine has a window and MSHRs");
        Self {
            clock,
            size: u64::from(window),
            mshrs: Mshrs::new(mshrs as usize),
            blocking_stores: store_buffer == 0,
            window: Window::new(window as usize, store_buffer),
            lines: Lines::default(),
            outbox: Outbox::default(),
            aside: Aside::default(),
            stalls: Stalls::default(),
            held_up: 0,
            front: 0,
            instructions: 0,
            held: None,
            stalled: false,
            fetching: false,
            event: None,
            halted: true,
            standing: false,
            now: 0,
            next: (NEVER, Next::Nothing),
            wakened: Vec::new(),
        }
    }

    #[inline]
    fn send_fetch(&mut self, at: Ps) -> Action {
        let fetch = self.outbox.take_fetch();
        Action::Fetch {
            at,
            line: fetch.line,
            write: fetch.write,
            tag: self.take_register(fetch.entry),
        }
    }

    /// The line of an entry is sent for, and has the first free register.
    #[inline]
    pub(super) fn take_register(&mut self, entry: usize) -> MissTag {
        let (_, index) = self
            .mshrs
            .free
            .pop_front()
            .expect("a fetch is sent when a register is free");
        if let Some(old) = self.mshrs.line[index].replace(entry) {
            self.lines.remove(old);
        }
        self.lines.entry_mut(entry).fetch = FetchState::Sent;
        MissTag(index as u16)
    }

    /// Works out what is next. Accesses go before the run-ahead, so that they reach the memory in order of time.
    pub(super) fn schedule(&mut self) {
        let mut first = (PENDING, Next::Nothing);
        let mut consider = |slot: Slot, next: Next| {
            if slot < first.0 {
                first = (slot, next);
            }
        };
        if !self.standing {
            if let Some(slot) = self.outbox.first_fetch() {
                consider(slot.max(self.mshrs.first_free()), Next::Fetch);
            }
            consider(self.outbox.first_write_back(), Next::WriteBack);
            consider(self.aside.next(), Next::Aside);
        }
        match self.event {
            Some(_) if self.standing => {}
            Some(slot) => consider(slot, Next::Event),
            None if self.stalled || self.halted => {}
            None if self.standing && self.blocking_stores => {}
            None => consider(self.front, Next::Dispatch),
        }
        self.next = match first {
            (PENDING, _) => (NEVER, Next::Nothing),
            (slot, next) => (self.clock.to_ps(slot).max(self.now), next),
        };
    }
}

impl<S: Source> CoreModel<S> for Pipeline {
    fn clock(&self) -> SlotClock {
        self.clock
    }

    fn set_stalls(&mut self, cycles: u32) {
        self.stalls = Stalls::of(self.clock.slots(u64::from(cycles)));
    }

    fn instructions(&self) -> u64 {
        self.instructions
    }

    #[inline]
    fn next_time(&self) -> Ps {
        self.next.0
    }

    fn step(&mut self, source: Option<&mut S>, limit: Ps) -> Action {
        let (at, next) = self.next;
        debug_assert!(at >= self.now, "time does not run backwards");
        let action = match next {
            Next::Fetch => self.send_fetch(at),
            Next::WriteBack => Action::Leave {
                at,
                leaving: self.outbox.take_write_back(),
            },
            Next::Aside => self.aside(at),
            Next::Event => {
                self.event = None;
                self.halted = true;
                Action::Event { at }
            }
            Next::Dispatch => {
                let source = source.expect("a core without a source is halted");
                self.dispatch(source, self.clock.from_ps(limit));
                Action::Ran
            }
            Next::Nothing => Action::Ran,
        };
        self.now = at.min(NEVER - 1).max(self.now);
        self.schedule();
        action
    }

    #[inline]
    fn run_on(&mut self, source: &mut S, limit: Ps) {
        if self.next == (self.now, Next::Dispatch) {
            self.dispatch(source, self.clock.from_ps(limit));
            self.schedule();
        }
    }

    fn is_yet_to_ask(&self, line: PhysAddr) -> bool {
        // An operation that the window has no room for has been looked up, and is not among those that wait for lines.
        if let Some(Step::Op(op) | Step::Fetch(op) | Step::Translated(op, _)) = &self.held
            && op.line == line
            && matches!(op.lookup, Lookup::Miss)
        {
            return true;
        }
        let awaited = self.lines.find(line);
        awaited.is_some_and(|ticket| self.lines.entry(ticket.entry()).fetch != FetchState::Sent)
    }

    fn is_under_way(&self, at: Ps, line: PhysAddr) -> bool {
        self.awaits(at, line)
    }

    fn has_register_for_prefetch(&self, at: Ps) -> bool {
        let slot = self.clock.from_ps(at);
        let is_wanted = self.outbox.first_fetch().is_some_and(|fetch| fetch <= slot);
        !is_wanted && self.mshrs.first_free() <= slot
    }

    fn prefetch(&mut self, line: PhysAddr, victims: Victims) -> MissTag {
        let ticket = self.lines.insert(line, victims);
        let tag = self.take_register(ticket.entry());
        self.schedule();
        tag
    }

    fn user(&self, tag: MissTag) -> User {
        let entry = self.mshrs.line[usize::from(tag.0)];
        entry.map_or(User::Operations, |entry| self.lines.entry(entry).user)
    }

    fn note_source(&mut self, tag: MissTag, from_memory: bool) {
        if CoreModel::<S>::user(self, tag) == User::Walk {
            self.note_source_of_table(from_memory);
        }
    }

    fn walks(&self) -> WalkCounts {
        self.aside.walks.counts()
    }

    fn purpose(&self, tag: MissTag) -> Purpose {
        let entry = self.mshrs.line[usize::from(tag.0)].expect("a fetch has a line");
        match self.lines.entry(entry) {
            line if line.upgrade => Purpose::Upgrade,
            line if line.store => Purpose::Store,
            line if line.user == User::Code => Purpose::Code,
            _ => Purpose::Load,
        }
    }

    fn awaited(&self, line: PhysAddr, but: Option<MissTag>) -> Option<(MissTag, Option<Ps>)> {
        let registers = self.mshrs.line.iter().enumerate();
        let asked = registers.filter_map(|(number, entry)| Some((MissTag(number as u16), self.lines.entry((*entry)?))));
        let of_line = asked.filter(|(tag, asked)| asked.addr == line && Some(*tag) != but);
        let latest = of_line.max_by_key(|(_, asked)| asked.arrival);
        latest.map(|(tag, asked)| (tag, (asked.arrival != PENDING).then(|| self.clock.to_ps(asked.arrival))))
    }

    fn complete(&mut self, tag: MissTag, now: Ps, at: Ps) {
        self.arrive(tag, now, at);
    }

    fn stand(&mut self, now: Ps, standing: bool) {
        debug_assert!(self.now <= now, "time does not run backwards");
        (self.now, self.standing) = (now, standing);
        if !standing && self.blocking_stores {
            self.front = self.front.max(self.clock.from_ps(now));
        }
        self.schedule();
    }

    fn resume(&mut self, at: Ps) {
        debug_assert!(self.halted, "only an event halts a core");
        self.halted = false;
        self.front = self.front.max(self.clock.from_ps(at));
        self.schedule();
    }
}
