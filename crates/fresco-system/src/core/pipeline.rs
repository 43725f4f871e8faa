// SPDX-License-Identifier: MIT OR Apache-2.0
//! One core: dispatch in program order, issue when operands are there, misses through MSHRs, retirement in order.

use super::clock::{PENDING, Slot, SlotClock};
use super::lines::{FetchState, Lines};
use super::outbox::Outbox;
use super::window::Window;
use super::{Action, MissTag, Source, Step};
use fresco_dram::{NEVER, Ps};
use fresco_machine::{CoreConfig, CoreKind};

/// A miss status holding register.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mshr {
    /// Free from this slot on; [`PENDING`] while its line is on the way.
    pub(super) free_at: Slot,
    /// Entry of its line, until the register is used again.
    pub(super) line: Option<usize>,
}

/// What a core does next, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    Fetch,
    WriteBack,
    Event,
    Dispatch,
    Nothing,
}

/// A core. See the module's documentation for the model.
#[derive(Clone, Debug)]
pub struct Core {
    pub(super) clock: SlotClock,
    pub(super) size: u64,
    pub(super) mshrs: Vec<Mshr>,
    /// The register that is free first; of those that are free together, the first.
    pub(super) first_free: usize,
    pub(super) blocking_stores: bool,
    pub(super) window: Window,
    pub(super) lines: Lines,
    pub(super) outbox: Outbox,
    /// Earliest slot of the next instruction's dispatch.
    pub(super) front: Slot,
    /// Instructions dispatched.
    pub(super) instructions: u64,
    /// A step taken from the source that cannot be dispatched yet.
    pub(super) held: Option<Step>,
    /// Dispatch waits for the memory.
    pub(super) stalled: bool,
    /// When the event is complete at which the source stopped.
    pub(super) event: Option<Slot>,
    /// An event has been reported and waits for [`Core::resume`].
    pub(super) halted: bool,
    /// Global time of the last completion: nothing happens before.
    pub(super) now: Ps,
    pub(super) next: (Ps, Next),
    /// Operations whose operands have just become available; empty between calls.
    pub(super) wakened: Vec<u64>,
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
            first_free: 0,
            blocking_stores: in_order,
            window: Window::new(if in_order { 0 } else { Self::STORE_BUFFER }),
            lines: Lines::default(),
            outbox: Outbox::default(),
            front: 0,
            instructions: 0,
            held: None,
            stalled: false,
            event: None,
            halted: false,
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
            Next::Event => {
                self.event = None;
                self.halted = true;
                Action::Event { at }
            }
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

    /// After [`Core::complete`]: if the core is to run ahead from this very time on, it does so at once, as the next
    /// [`Core::step`] would.
    #[inline]
    pub fn run_on(&mut self, source: &mut impl Source, limit: Ps) {
        if self.next == (self.now, Next::Dispatch) {
            self.dispatch(source, self.clock.from_ps(limit));
            self.schedule();
        }
    }

    /// After [`Action::Event`], at any later call: goes on at `at`, which is no earlier than the event and than now.
    pub fn resume(&mut self, at: Ps) {
        debug_assert!(self.halted, "only an event halts a core");
        self.halted = false;
        self.front = self.front.max(self.clock.from_ps(at));
        self.schedule();
    }

    fn send_fetch(&mut self, at: Ps) -> Action {
        let fetch = self.outbox.take_fetch();
        let index = self.first_free;
        let mshr = &mut self.mshrs[index];
        mshr.free_at = PENDING;
        if let Some(old) = mshr.line.replace(fetch.entry) {
            self.lines.remove(old);
        }
        self.first_free = self.find_free();
        self.lines.entry_mut(fetch.entry).fetch = FetchState::Sent;
        Action::Fetch {
            at,
            line: fetch.line,
            write: fetch.write,
            tag: MissTag(index as u16),
        }
    }

    fn find_free(&self) -> usize {
        let mut first = (PENDING, 0);
        for (index, mshr) in self.mshrs.iter().enumerate() {
            if mshr.free_at < first.0 {
                first = (mshr.free_at, index);
            }
        }
        first.1
    }

    /// Works out what is next. Accesses go before the run-ahead, so that they reach the memory in order of time.
    pub(super) fn schedule(&mut self) {
        debug_assert_eq!(self.first_free, self.find_free());
        let mut first = (PENDING, Next::Nothing);
        let mut consider = |slot: Slot, next: Next| {
            if slot < first.0 {
                first = (slot, next);
            }
        };
        if let Some(slot) = self.outbox.first_fetch() {
            consider(slot.max(self.mshrs[self.first_free].free_at), Next::Fetch);
        }
        consider(self.outbox.first_write_back(), Next::WriteBack);
        match self.event {
            Some(slot) => consider(slot, Next::Event),
            None if self.stalled || self.halted => {}
            None => consider(self.front, Next::Dispatch),
        }
        self.next = match first {
            (PENDING, _) => (NEVER, Next::Nothing),
            (slot, next) => (self.clock.to_ps(slot).max(self.now), next),
        };
    }
}
