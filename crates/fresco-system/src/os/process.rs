// SPDX-License-Identifier: MIT OR Apache-2.0
//! A running task: its program, its page table, the private caches of its core. What the core executes.

use super::copying::{CopyTo, Copying};
use super::pages::{Page, PageTable, Translation};
use crate::core::{Lookup, MicroOp, Source, Step, Victims};
use fresco_dram::{PhysAddr, VirtAddr};
use fresco_input::InputError;
use fresco_load::{Batch, Event, Marker, Op, Order, Program};
use fresco_memory::{PrivateCaches, PrivateOutcome, Watched};

/// Why a process has stopped at a [`Step::Event`].
#[derive(Debug)]
pub(crate) enum Stop {
    /// It has not begun: [`Process::begin`] lets it.
    Start,
    /// A page without a frame is touched.
    Fault(Page),
    /// The program is at a mark.
    Mark(Marker),
    /// The thread meets the others of its program.
    Order(Order),
    /// It was asked to stop, by [`Process::stop_at`].
    Asked,
    /// It was interrupted, by [`Process::interrupt`].
    Interrupt,
    /// Many instructions went by that accessed no memory.
    Elapsed,
    /// The data that [`Process::copy`] was asked for have been copied.
    Copied,
    /// The program is over.
    Over,
    /// The program can no longer be run.
    Failed(Failure),
}

/// Instructions without memory access that may be put off until the next operation: a program that has no operations
/// must let time pass too.
const MOST_CARRIED: u32 = 1 << 12;

/// Why a program can no longer be run.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Its trace is damaged.
    Input(InputError),
    /// It accessed this address, outside its own areas.
    Outside(VirtAddr),
}

/// A task on its core.
pub(crate) struct Process {
    program: Box<dyn Program>,
    pub(super) batch: Batch,
    pub(super) next: usize,
    pub(super) pages: PageTable,
    pub(super) caches: PrivateCaches,
    /// Slots of a hit in level 1 and 2.
    pub(super) hit_slots: [u32; 2],
    /// Bits of an address below its line.
    pub(super) line_bits: u32,
    /// Memory operations executed.
    pub(super) operations: u64,
    /// Lines of code fetched.
    pub(super) fetches: u64,
    /// Stop before this operation.
    pub(super) stop_at: u64,
    /// Stop before the next operation, whatever `stop_at` says.
    pub(super) interrupted: bool,
    /// Stop at marks.
    heeds_marks: bool,
    begun: bool,
    /// It can be stopped among instructions that access no memory.
    preemptible: bool,
    /// A copy between two of its memories that goes on.
    pub(super) copying: Option<Copying>,
    /// Instructions of the gap before the next event that have been executed already.
    pub(super) cut: u32,
    /// Instructions that went by without an event since the last step.
    pub(super) carried: u32,
    /// The instructions before the next operation have been executed already.
    pub(super) gap_done: bool,
    /// It has begun, copies nothing, is not interrupted, and no part of the next gap has been executed or is left from before:
    /// an operation is all that the next step can be.
    plain: bool,
    stop: Option<Stop>,
}

impl Process {
    /// A process before its first instruction. `hit_slots` are the latencies of hits in level 1 and 2
    /// ([`crate::core::SlotClock::latency`]). It stops at marks if it `heeds_marks`.
    pub fn new(
        pages: PageTable,
        program: Box<dyn Program>,
        caches: PrivateCaches,
        hit_slots: [u32; 2],
        line_bytes: u32,
        heeds_marks: bool,
    ) -> Self {
        Self {
            program,
            batch: Batch::new(),
            next: 0,
            pages,
            caches,
            hit_slots,
            line_bits: line_bytes.trailing_zeros(),
            operations: 0,
            fetches: 0,
            stop_at: u64::MAX,
            interrupted: false,
            heeds_marks,
            preemptible: false,
            copying: None,
            cut: 0,
            begun: false,
            carried: 0,
            gap_done: false,
            plain: false,
            stop: None,
        }
    }

    /// The next step is the program's first one.
    pub fn begin(&mut self) {
        self.begun = true;
        self.plain = self.is_plain();
    }

    /// The next step is [`Stop::Start`] once more; the program goes on where it is.
    pub fn pause(&mut self) {
        self.begun = false;
        self.plain = false;
    }

    /// Why it stopped. Asked once after each event.
    pub fn take_stop(&mut self) -> Stop {
        self.stop.take().expect("a process that stops says why")
    }

    /// Stops before the operation with this number (from 0), or before the next one if that is past.
    pub fn stop_at(&mut self, operation: u64) {
        self.stop_at = operation;
    }

    /// Stops before the next operation, apart from [`stop_at`](Self::stop_at): if both are due, that goes first.
    pub fn interrupt(&mut self) {
        self.interrupted = true;
        self.plain = false;
    }

    /// Takes back [`interrupt`](Self::interrupt). Returns true if it was called, and the process has not stopped for it
    /// since.
    pub fn take_interrupt(&mut self) -> bool {
        let interrupted = std::mem::take(&mut self.interrupted);
        self.plain = self.is_plain();
        interrupted
    }

    /// Memory operations executed.
    pub fn operations(&self) -> u64 {
        self.operations
    }

    /// Lines of code fetched.
    pub fn fetches(&self) -> u64 {
        self.fetches
    }

    /// Takes back [`stop_at`](Self::stop_at).
    pub fn go_on(&mut self) {
        self.stop_at = u64::MAX;
    }

    /// From now on it can be stopped among instructions that access no memory, however many there are.
    pub fn be_preemptible(&mut self) {
        self.preemptible = true;
    }

    /// Moves the private caches of a core in, and what was there out.
    pub fn swap_caches(&mut self, caches: &mut PrivateCaches) {
        std::mem::swap(&mut self.caches, caches);
    }

    /// Goes on in other memory, and leaves the memory that it had in `pages`.
    pub fn swap_pages(&mut self, pages: &mut PageTable) {
        std::mem::swap(&mut self.pages, pages);
    }

    /// Before anything else but a copy that goes on, the next steps copy these lines; then it stops with [`Stop::Copied`].
    pub fn copy(&mut self, lines: Vec<(PhysAddr, CopyTo)>) {
        match &mut self.copying {
            Some(copying) => copying.append(lines),
            None => self.copying = Some(Copying::new(lines)),
        }
        self.plain = false;
    }

    fn is_plain(&self) -> bool {
        let whole_gap = !self.gap_done && self.cut == 0 && self.carried == 0;
        self.begun && self.copying.is_none() && !self.interrupted && whole_gap
    }

    /// The page table, to look at.
    pub fn pages(&self) -> &PageTable {
        &self.pages
    }

    /// The page table.
    pub fn pages_mut(&mut self) -> &mut PageTable {
        &mut self.pages
    }

    /// The private caches, to look at.
    pub fn caches(&self) -> &PrivateCaches {
        &self.caches
    }

    /// The private caches.
    pub fn caches_mut(&mut self) -> &mut PrivateCaches {
        &mut self.caches
    }

    /// The program.
    pub fn program(&self) -> &dyn Program {
        &*self.program
    }

    /// Goes on with `program`, which has the same footprint, in the same memory.
    pub fn restart(&mut self, program: Box<dyn Program>) {
        debug_assert_eq!(self.program.footprint(), program.footprint());
        self.program = program;
        self.batch.clear();
        self.next = 0;
    }

    pub(super) fn stopped(&mut self, stop: Stop, gap: u32) -> Step {
        self.stop = Some(stop);
        Step::Event { gap }
    }

    /// More events from the program, or why there are none.
    fn refill(&mut self) -> Option<Stop> {
        self.batch.clear();
        self.next = 0;
        match self.program.next(&mut self.batch) {
            Ok(true) => None,
            Ok(false) => Some(Stop::Over),
            Err(error) => Some(Stop::Failed(Failure::Input(error))),
        }
    }

    // Always: for each operation.
    #[inline(always)]
    fn execute(&mut self, op: &Op, addr: PhysAddr, gap: u32) -> Step {
        self.operations += 1;
        self.next += 1;
        let line = PhysAddr(addr.0 >> self.line_bits << self.line_bits);
        Step::Op(self.access(line, op.write, op.dep, gap))
    }

    /// What has not been executed yet of the instructions before an event whose turn has come.
    pub(super) fn gap_left(&mut self, gap: u32) -> u32 {
        let gap = if std::mem::take(&mut self.gap_done) {
            0
        } else {
            gap - std::mem::take(&mut self.cut)
        };
        gap.saturating_add(std::mem::take(&mut self.carried))
    }

    /// Looks a line up in the private caches.
    // Always: for each operation.
    #[inline(always)]
    pub(super) fn access(&mut self, line: PhysAddr, write: bool, dep: u32, gap: u32) -> MicroOp {
        let mut victims = Victims::default();
        let lookup = match self.caches.access(line, write) {
            PrivateOutcome::Hit {
                level, leaves, watched, ..
            } => {
                if let Some(victim) = leaves {
                    victims.push(victim);
                }
                let [first, second] = self.hit_slots;
                let slots = if level == 1 { first } else { second };
                match watched {
                    None => Lookup::Hit { slots },
                    Some(Watched { first_use }) => Lookup::Watched { slots, first_use },
                }
            }
            PrivateOutcome::Miss => {
                for victim in self.caches.fill(line, write).as_slice() {
                    victims.push(*victim);
                }
                Lookup::Miss
            }
        };
        MicroOp {
            gap,
            dep,
            write,
            line,
            lookup,
            victims,
        }
    }

    /// The next event is no operation, and its turn has come: the instructions before it.
    fn pass_by(&mut self, gap: u32) -> u32 {
        self.next += 1;
        let gap = gap - std::mem::take(&mut self.cut);
        gap.saturating_add(std::mem::take(&mut self.carried))
    }

    /// The instructions before the next operation or fetch, executed before it stops there.
    pub(super) fn gap_before(&mut self, gap: u32) -> u32 {
        let left = self.gap_left(gap);
        self.gap_done = true;
        left
    }
}

impl Source for Process {
    // Always: there is one place that calls it, for each operation.
    #[inline(always)]
    fn next_within(&mut self, room: u64) -> Step {
        // Nearly always: an operation that nothing stops, of a page that has a frame.
        if self.plain
            && self.operations < self.stop_at
            && let Some(&Event::Op(op)) = self.batch.events().get(self.next)
            && u64::from(op.gap) <= room
            && let Some(addr) = self.pages.find(op.addr)
        {
            return self.execute(&op, addr, op.gap);
        }
        self.next_of_any(room)
    }

    fn next(&mut self) -> Step {
        self.next_within(u64::MAX)
    }
}

impl Process {
    /// The next step, whatever it is.
    #[inline(never)]
    fn next_of_any(&mut self, room: u64) -> Step {
        let step = self.next_within_copy_or_program(room);
        self.plain = self.is_plain();
        step
    }

    fn next_within_copy_or_program(&mut self, room: u64) -> Step {
        if !self.begun {
            return self.stopped(Stop::Start, 0);
        }
        if let Some(step) = self.copy_on() {
            return step;
        }
        if self.preemptible {
            if self.batch.events().get(self.next).is_none()
                && let Some(stop) = self.refill()
            {
                return self.stopped(stop, 0);
            }
            if let Some(step) = self.work_within(room) {
                return step;
            }
        }
        loop {
            match self.batch.events().get(self.next) {
                Some(&Event::Op(op)) => {
                    if let Some(stop) = self.stop_here() {
                        // A process that can be stopped anywhere stops before the instructions that lead to it.
                        let gap = if self.preemptible { 0 } else { self.gap_before(op.gap) };
                        return self.stopped(stop, gap);
                    }
                    return match self.pages.translate(op.addr) {
                        Translation::Mapped(addr) => {
                            let gap = self.gap_left(op.gap);
                            self.execute(&op, addr, gap)
                        }
                        Translation::Fault(page) => {
                            let gap = self.gap_before(op.gap);
                            self.stopped(Stop::Fault(page), gap)
                        }
                        Translation::Outside => self.stopped(Stop::Failed(Failure::Outside(op.addr)), 0),
                    };
                }
                Some(&Event::Mark { marker, gap }) => {
                    if let Some(stop) = self.stop_here() {
                        let gap = std::mem::take(&mut self.carried);
                        return self.stopped(stop, gap);
                    }
                    let gap = self.pass_by(gap);
                    if self.heeds_marks {
                        return self.stopped(Stop::Mark(marker), gap);
                    }
                    if gap >= MOST_CARRIED {
                        return self.stopped(Stop::Elapsed, gap);
                    }
                    self.carried = gap;
                }
                Some(&Event::Order { order, gap }) => {
                    if let Some(stop) = self.stop_here() {
                        let gap = std::mem::take(&mut self.carried);
                        return self.stopped(stop, gap);
                    }
                    let gap = self.pass_by(gap);
                    return self.stopped(Stop::Order(order), gap);
                }
                Some(&Event::Fetch { line, gap }) => {
                    if let Some(step) = self.fetch(line, gap) {
                        return step;
                    }
                }
                None => {
                    if let Some(stop) = self.refill() {
                        return self.stopped(stop, 0);
                    }
                }
            }
        }
    }
}
