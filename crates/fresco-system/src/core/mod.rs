// SPDX-License-Identifier: MIT OR Apache-2.0
//! The core model: how much of its memory latency a core can hide.
//!
//! Time is counted in *slots* of one instruction: a core cycle divided by the issue width. The model keeps four
//! resources of a core and nothing else.
//!
//! - **Dispatch** is in program order, one instruction per slot. Instruction `n` waits until instruction
//!   `n - window` has retired: the reorder buffer is full before.
//! - **Issue** is out of order. An operation waits for the operation it depends on ([`fresco_load::Op::dep`]): a load
//!   for the data of a load; after a store the next one may follow a slot later. Independent operations overlap.
//! - **Misses** of the private caches take an MSHR each, first ready first served; an access to a line that is on its
//!   way waits for that line and takes none. A load has its data, and a line is owned, when the memory delivers it.
//! - **Retirement** is in program order, one instruction per slot. A load retires with its data. A store retires as
//!   soon as its operands are there, into a store buffer of [`Pipeline::STORE_BUFFER`] entries, which it leaves in program
//!   order when its line is there (write-allocate); a full buffer holds retirement up. Ownership is asked for when
//!   the store's address is known, as cores do that prefetch ownership.
//!
//! An in-order core is the special case of one access at a time: each load and each store completes before the next
//! instruction is dispatched, so its run time is the sum of its slots and latencies.
//!
//! Private caches are looked up in program order, when an operation is dispatched, and a line that misses takes its
//! place in them at once, although its data come later: which accesses miss then depends on the program and its page
//! frames alone, not on the timing of other cores. The lines it displaces leave when the new line arrives. Where an inclusive cache below takes
//! lines away, it depends on the others: there an operation is looked up when the one before it has been dispatched, and no earlier.
//!
//! **Stalls** without a cause that the model sees (dependences among registers, branches taken wrongly, units that are busy) come with
//! programs that are known to have them ([`fresco_load::Program::stalls`]), at an even rate: so many slots go by before an instruction is
//! dispatched.
//!
//! **Instruction fetches** come with programs that name them ([`fresco_load::Event::Fetch`]); all others find their code in the instruction
//! cache. A line of code is looked up when the instruction that needs it could be dispatched. In the first level it costs nothing, for fetch is
//! pipelined. Otherwise neither that instruction nor any after it is dispatched before the line is here, from level 2 after its latency, from
//! the memory through an MSHR like a load's; what was dispatched before goes on. Lines are not fetched ahead.
//!
//! Not modelled, because none of it changes who waits for whom in the memory: branch prediction and wrong paths,
//! functional-unit latencies (an instruction without memory access takes its slot, and its share of the stalls), store-to-load forwarding by address
//! (a load of a line that a store has fetched, or upgrades, waits for the line), translation of addresses of code.
//!
//! **Page walks** ([`Step::Walk`]), of cores with TLBs: which translations are known is looked up in program order, too. An operation whose
//! page the first level does not have looks the second up when it has its operands, and if a walk is needed, waits for it; so do others of the page. The walks
//! of a core are done one at a time, that first which is asked for first. Their reads follow each other, each from level 2 after its latency or
//! through an MSHR as a load.
//!
//! **Coherence**: a store to a line that the core shares with others takes an MSHR and a place in the store buffer until it owns the line, as one
//! that misses. Where a load and a store wait for a line that has not been asked for, one request is for both.
//!
//! **A full write-back buffer**: while a line that the core displaced finds no entry in it, its accesses to the shared levels wait, in order. In order it
//! stands still; so no instruction is dispatched before the lines have left that leave before it.
//!
//! **Prefetches** take an MSHR that is free when they are issued, or are not issued; operations that need such a line meanwhile wait for it as for any
//! other. What a prefetcher learns from has happened: misses when they are sent, and hits that it watches when their operands are there.
//!
//! A core runs ahead of the simulated time only where nobody else can notice: on its private caches, unless an inclusive cache is below, prefetchers fill them, or they are coherent. What leaves it
//! (fetches, write-backs, events) does so in order of time: see [`CoreModel::step`]. How far it runs ahead changes nothing.

mod aside;
mod clock;
mod complete;
mod dispatch;
mod in_order;
mod lines;
mod model;
mod outbox;
mod pipeline;
mod prefetch;
mod ring;
mod stalls;
mod translated;
mod walks;
mod window;

#[cfg(test)]
mod tests;

pub use clock::SlotClock;
pub(crate) use in_order::{InOrder, Timed};
pub use model::{CoreModel, build};
pub use pipeline::Pipeline;
pub use walks::{TableReads, WalkCounts};

use fresco_dram::{PhysAddr, Ps};
use fresco_memory::Leaving;

/// What a core executes: operations whose pages are mapped and whose private caches have been looked up.
pub trait Source {
    /// The next step, in program order. After [`Step::Event`] the source is not asked before [`CoreModel::resume`].
    fn next(&mut self) -> Step;

    /// The same, but instructions without memory access may come in parts: no more than `room` of them at once, so that the
    /// source can be stopped among them. How they are cut changes no time.
    fn next_within(&mut self, _room: u64) -> Step {
        self.next()
    }

    /// Returns true if the core may store to a line now, which it had to [ask for](Lookup::Upgrade) when it was looked up.
    fn owns(&mut self, _line: PhysAddr) -> bool {
        false
    }
}

/// One step of a [`Source`].
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// A load or store.
    Op(MicroOp),
    /// A line of code is fetched for the instruction after the gap; it is no instruction, and nothing depends on it.
    Fetch(MicroOp),
    /// The page walk that the next operation needs reads an entry of a page table; it is no instruction. Its reads come from the highest level
    /// down, each a step of its own.
    Walk(MicroOp),
    /// As [`Step::Op`], of a core with TLBs: it needs the walk whose reads have come just before, if any have.
    Translated(MicroOp, Translation),
    /// So many instructions that access no memory, and more to come.
    Work {
        /// Those instructions.
        instructions: u32,
    },
    /// A point at which everything before it has to be complete, the store buffer empty: a page fault, a reading of
    /// the clock, the end. `gap` instructions without memory access come before it.
    Event {
        /// Those instructions.
        gap: u32,
    },
}

/// A load or store as the core sees it.
#[derive(Clone, Copy, Debug)]
pub struct MicroOp {
    /// Instructions without memory access before it.
    pub gap: u32,
    /// Distance back to the operation it depends on; 0 for none.
    pub dep: u32,
    /// A store.
    pub write: bool,
    /// First byte of its line.
    pub line: PhysAddr,
    /// What the private caches said.
    pub lookup: Lookup,
    /// Lines that it displaces from the private caches: they leave with a hit at once, with a miss when the line
    /// arrives.
    pub victims: Victims,
}

/// What an operation's translation takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Translation {
    /// Slots to look the second level of the TLB up; 0 if the first had it.
    pub slots: u32,
    /// Bits of an address within its page.
    pub page_bits: u32,
}

/// Who needs a line that is fetched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum User {
    /// Loads and stores.
    #[default]
    Operations,
    /// Dispatch waits for the code in it.
    Code,
    /// A page walk waits for an entry of a page table.
    Walk,
}

/// Result of looking up the private caches.
#[derive(Clone, Copy, Debug)]
pub enum Lookup {
    /// There, and the data come after so many slots ([`SlotClock::latency`]).
    Hit {
        /// Slots.
        slots: u32,
    },
    /// Not there; the line has been given a place.
    Miss,
    /// There, as of [`Lookup::Hit`], and not the core's to store to: that is asked for.
    Upgrade {
        /// Slots.
        slots: u32,
        /// As of [`Lookup::Watched`], if it is watched.
        watched: Option<bool>,
    },
    /// There, as of [`Lookup::Hit`], and the core reports when it happens ([`Action::Watched`]).
    Watched {
        /// Slots.
        slots: u32,
        /// It is the first access to a line that was prefetched.
        first_use: bool,
    },
}

/// The lines that leave the private caches for one access: at most [`Victims::MOST`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Victims {
    lines: [PhysAddr; Victims::MOST],
    count: u8,
    /// Bit n: line n is clean.
    clean: u8,
}

impl Victims {
    /// One for each level of private cache.
    pub const MOST: usize = 2;

    /// Returns true if there are no lines.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Adds a line.
    pub fn push(&mut self, leaving: Leaving) {
        self.lines[usize::from(self.count)] = leaving.line;
        self.clean |= u8::from(!leaving.dirty) << self.count;
        self.count += 1;
    }
}

impl IntoIterator for Victims {
    type Item = Leaving;
    type IntoIter = std::iter::Take<std::array::IntoIter<Leaving, { Victims::MOST }>>;

    fn into_iter(self) -> Self::IntoIter {
        let [first, second] = self.lines;
        let leaving = |line, bit| Leaving {
            line,
            dirty: self.clean & bit == 0,
        };
        let lines = [leaving(first, 1), leaving(second, 2)];
        lines.into_iter().take(usize::from(self.count))
    }
}

/// Names a fetch of a core until it is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MissTag(pub u16);

/// What a core did in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// It ran ahead on private state, or stalled.
    Ran,
    /// It needs a line from the shared memory; answered by [`CoreModel::complete`].
    Fetch {
        /// When.
        at: Ps,
        /// The line.
        line: PhysAddr,
        /// For a store.
        write: bool,
        /// Its name.
        tag: MissTag,
    },
    /// A line leaves the private caches: dirty, or for an exclusive cache.
    Leave {
        /// When.
        at: Ps,
        /// The line.
        leaving: Leaving,
    },
    /// A load or store whose lookup was [`Lookup::Watched`] has its operands, and accesses its line.
    Watched {
        /// When.
        at: Ps,
        /// The line.
        line: PhysAddr,
        /// It is the first access to a line that was prefetched, and whose data are still on the way.
        late: bool,
    },
    /// The source stopped at an event and everything before it is complete; answered by [`CoreModel::resume`].
    Event {
        /// When.
        at: Ps,
    },
}
