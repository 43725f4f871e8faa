// SPDX-License-Identifier: MIT OR Apache-2.0
//! A running task: its program, its page table, the private caches of its core.

use super::copying::{CopyTo, Copying};
use super::pages::{Page, PageTable};
use super::translating::Translating;
use crate::core::Step;
use fresco_dram::{FrameNumber, PhysAddr, VirtAddr};
use fresco_input::InputError;
use fresco_load::{Batch, Marker, Order, Program};
use fresco_memory::PrivateCaches;

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
    pub(super) program: Box<dyn Program>,
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
    pub(super) heeds_marks: bool,
    pub(super) begun: bool,
    /// It can be stopped among instructions that access no memory.
    pub(super) preemptible: bool,
    /// A copy between two of its memories that goes on.
    pub(super) copying: Option<Copying>,
    /// Instructions of the gap before the next event that have been executed already.
    pub(super) cut: u32,
    /// Instructions that went by without an event since the last step.
    pub(super) carried: u32,
    /// The instructions before the next operation have been executed already.
    pub(super) gap_done: bool,
    /// How its addresses are translated, if its core has TLBs.
    pub(super) translating: Option<Box<Translating>>,
    /// It has begun, copies nothing, is not interrupted, has no TLB to ask, its caches need no coherence, and no part of the next gap has been executed or is
    /// left from before:
    /// an operation is all that the next step can be.
    pub(super) plain: bool,
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
            translating: None,
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
        self.plain = self.is_plain();
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

    pub(super) fn is_plain(&self) -> bool {
        let whole_gap = !self.gap_done && self.cut == 0 && self.carried == 0;
        let simple = self.translating.is_none() && !self.caches.are_coherent();
        self.begun && self.copying.is_none() && !self.interrupted && whole_gap && simple
    }

    /// The page table, to look at.
    pub fn pages(&self) -> &PageTable {
        &self.pages
    }

    /// Gives a page its frame, and tells the program.
    pub fn place(&mut self, page: Page, frame: FrameNumber) {
        self.pages.map(page, frame);
        let (page, frame) = self.pages.place_of(page, frame);
        self.program.placed(page, frame);
    }

    /// Tells the program where its pages lie that have a frame already.
    pub fn tell_places(&mut self) {
        for (page, frame) in self.pages.mapped() {
            let (page, frame) = self.pages.place_of(page, frame);
            self.program.placed(page, frame);
        }
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
}
