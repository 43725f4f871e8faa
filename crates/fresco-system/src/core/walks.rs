// SPDX-License-Identifier: MIT OR Apache-2.0
//! Page walks: reads of page tables, one after the other, and one walk after the other.

use super::clock::{PENDING, Slot};
use super::lines::{NIL, Ticket};
use super::outbox::Fetch;
use super::{Lookup, MicroOp, Pipeline, User};
use fresco_machine::Tlb;
use std::collections::VecDeque;
use std::ops::AddAssign;

/// What walks have done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WalkCounts {
    /// Walks that are over.
    pub walks: u64,
    /// Their time, in slots.
    pub slots: u64,
    /// How long they waited until the walker was free, in slots.
    pub waited: u64,
    /// Reads of their tables, by level: that of the pages first.
    pub reads: [TableReads; Tlb::MOST_LEVELS],
}

/// Reads of tables of one level, by what had the entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableReads {
    /// A private cache.
    pub private: u64,
    /// The last-level cache.
    pub llc: u64,
    /// The memory.
    pub memory: u64,
}

impl WalkCounts {
    /// Each count with the same one of another reading.
    fn with(&self, other: &Self, both: fn(u64, u64) -> u64) -> Self {
        let mut reads = self.reads;
        for (reads, other) in std::iter::zip(&mut reads, &other.reads) {
            reads.private = both(reads.private, other.private);
            reads.llc = both(reads.llc, other.llc);
            reads.memory = both(reads.memory, other.memory);
        }
        Self {
            walks: both(self.walks, other.walks),
            slots: both(self.slots, other.slots),
            waited: both(self.waited, other.waited),
            reads,
        }
    }

    /// What was counted since an earlier reading.
    pub fn since(&self, then: &Self) -> Self {
        self.with(then, |now, then| now - then)
    }
}

impl AddAssign for WalkCounts {
    fn add_assign(&mut self, other: Self) {
        *self = self.with(&other, |one, other| one + other);
    }
}

/// One read of a walk.
#[derive(Clone, Copy, Debug)]
struct Read {
    /// Until the entry is there, if its line is.
    slots: u32,
    /// The line, if that may have to be waited for.
    line: Ticket,
}

#[derive(Clone, Copy, Debug)]
struct Walk {
    /// Number of the page frame that it finds.
    frame: u64,
    /// Its reads, the highest level first.
    reads: Reads,
    /// When it is asked for, and by which operation: the first one.
    asked: Option<(Slot, u64)>,
    began: Slot,
    /// When the translation is known, or [`PENDING`].
    end: Slot,
    /// First of the operations that wait for it, or [`NIL`]. They are linked by their records.
    waiters: u64,
}

/// At most one of each level.
#[derive(Clone, Copy, Debug)]
struct Reads {
    reads: [Read; Tlb::MOST_LEVELS],
    count: usize,
    done: usize,
}

impl Reads {
    const NONE: Self = Self {
        reads: [Read {
            slots: 0,
            line: Ticket::NONE,
        }; Tlb::MOST_LEVELS],
        count: 0,
        done: 0,
    };
}

/// The walker of a core, and the walks that it has to do. It does one at a time: that which is asked for first.
#[derive(Clone, Debug)]
pub(super) struct Walks {
    /// Reads of the walk that the next operation needs.
    coming: Reads,
    /// In the order of the operations that need them; some of those that are over, too.
    walks: VecDeque<Walk>,
    /// Number of the first of them.
    first: u64,
    /// That which is under way.
    current: Option<u64>,
    /// When it goes on at the earliest, once the line is there that it waits for.
    hit: Slot,
    /// When the last one was over.
    free_from: Slot,
    /// When the next one begins, or [`PENDING`], and which it is.
    next: (Slot, u64),
    counts: WalkCounts,
}

impl Default for Walks {
    fn default() -> Self {
        Self {
            coming: Reads::NONE,
            walks: VecDeque::new(),
            first: 0,
            current: None,
            hit: 0,
            free_from: 0,
            next: (PENDING, 0),
            counts: WalkCounts::default(),
        }
    }
}

impl Walks {
    /// When the next walk begins, or [`PENDING`].
    pub fn next(&self) -> Slot {
        self.next.0
    }

    pub fn counts(&self) -> WalkCounts {
        self.counts
    }

    /// Returns true if the next operation needs a walk of its own.
    pub fn is_coming(&self) -> bool {
        self.coming.count > 0
    }

    /// The walk whose reads have come: it finds this frame. What was over by `past` is forgotten.
    pub fn add(&mut self, frame: u64, past: Slot) -> u64 {
        while self.walks.front().is_some_and(|walk| walk.end <= past) {
            self.walks.pop_front();
            self.first += 1;
        }
        self.walks.push_back(Walk {
            frame,
            reads: std::mem::replace(&mut self.coming, Reads::NONE),
            asked: None,
            began: PENDING,
            end: PENDING,
            waiters: NIL,
        });
        self.first + self.walks.len() as u64 - 1
    }

    /// The youngest walk that finds this frame, unless it is over at `slot`.
    pub fn to(&self, frame: u64, slot: Slot) -> Option<u64> {
        let at = self.walks.iter().rposition(|walk| walk.frame == frame)?;
        (self.walks[at].end > slot).then_some(self.first + at as u64)
    }

    /// When the translation that a walk finds is known, [`PENDING`] if that is not known yet.
    pub fn end(&self, walk: u64) -> Slot {
        let at = walk.checked_sub(self.first);
        // What is forgotten was over before any time that comes.
        at.map_or(0, |at| self.walks[at as usize].end)
    }

    /// An operation needs a walk from `slot` on, and waits for it; returns the next one in the list of those that do.
    pub fn ask(&mut self, walk: u64, slot: Slot, sequence: u64) -> u64 {
        let walk = &mut self.walks[(walk - self.first) as usize];
        let asked = walk.asked.get_or_insert((slot, sequence));
        *asked = (*asked).min((slot, sequence));
        let next = std::mem::replace(&mut walk.waiters, sequence);
        self.find_next();
        next
    }

    fn find_next(&mut self) {
        let numbered = (self.first..).zip(&self.walks);
        let asked = numbered.filter(|(_, walk)| walk.began == PENDING);
        let first = asked.filter_map(|(number, walk)| Some((walk.asked?, number))).min();
        self.next = match first {
            Some(((slot, _), number)) if self.current.is_none() => (slot.max(self.free_from), number),
            _ => (PENDING, 0),
        };
    }

    /// The next one begins; returns when.
    fn begin(&mut self) -> Slot {
        let (slot, number) = self.next;
        let walk = &mut self.walks[(number - self.first) as usize];
        let (asked, _) = walk.asked.expect("a walk that begins was asked for");
        walk.began = slot;
        self.counts.waited += slot - asked;
        self.current = Some(number);
        self.find_next();
        slot
    }

    fn current(&mut self) -> &mut Walk {
        let number = self.current.expect("a walk is under way");
        &mut self.walks[(number - self.first) as usize]
    }

    /// The next read of the walk under way, and its level, from 0; `None` if it has none any more.
    fn next_read(&mut self) -> Option<(Read, usize)> {
        let reads = &mut self.current().reads;
        let read = reads.reads[..reads.count].get(reads.done)?;
        reads.done += 1;
        Some((*read, reads.count - reads.done))
    }

    /// The walk under way is over at `slot`; returns the operations that wait for it, the first of a list.
    fn end_current(&mut self, slot: Slot) -> u64 {
        let walk = self.current();
        walk.end = slot;
        let (time, waiters) = (slot - walk.began, std::mem::replace(&mut walk.waiters, NIL));
        self.counts.walks += 1;
        self.counts.slots += time;
        (self.current, self.free_from) = (None, slot);
        self.find_next();
        waiters
    }
}

impl Pipeline {
    /// The next operation needs a walk: its next read, from the highest level down. The line has been looked up in the private caches.
    #[cold]
    pub(super) fn add_table_read(&mut self, read: &MicroOp) {
        let (slots, line) = match read.lookup {
            Lookup::Miss => (1, Some(self.lines.insert(read.line, read.victims))),
            Lookup::Hit { slots } | Lookup::Watched { slots, .. } => (slots, self.lines.find(read.line)),
            Lookup::Upgrade { .. } => unreachable!("nothing is stored to a table"),
        };
        let reads = &mut self.aside.walks.coming;
        reads.reads[reads.count] = Read {
            slots,
            line: line.unwrap_or(Ticket::NONE),
        };
        reads.count += 1;
    }

    /// The walk that is next begins.
    pub(super) fn begin_walk(&mut self) {
        let slot = self.aside.walks.begin();
        self.walk_on(slot);
        self.wake();
        if !self.fetching {
            self.stalled &= self.window.is_blocked();
        }
    }

    /// The line arrives at `slot` that the walk under way waits for.
    pub(super) fn walk_after(&mut self, slot: Slot) {
        self.walk_on(slot.max(self.aside.walks.hit));
    }

    /// The walk under way goes on at `slot`, until its end or a line that has not arrived.
    fn walk_on(&mut self, mut slot: Slot) {
        let walks = &mut self.aside.walks;
        while let Some((read, level)) = walks.next_read() {
            let hit = slot + Slot::from(read.slots);
            let line = self.lines.of(read.line);
            if let Some(line) = line {
                if line.arrival == PENDING {
                    line.user = User::Walk;
                    let (_, sequence) = walks.current().asked.expect("it was asked for");
                    let fetch = Fetch {
                        slot,
                        sequence,
                        entry: read.line.entry(),
                        line: line.addr,
                        write: false,
                    };
                    self.outbox.ask(line, fetch);
                    walks.hit = hit;
                    self.aside.changed();
                    return;
                }
                slot = hit.max(line.arrival);
            } else {
                slot = hit;
            }
            walks.counts.reads[level].private += 1;
        }
        let mut waiter = walks.end_current(slot);
        self.aside.changed();
        while waiter != NIL {
            let record = self.window.get_mut(waiter).expect("what waits has not retired");
            record.ready = record.ready.max(slot);
            let next = std::mem::replace(&mut record.next, NIL);
            self.issue(waiter);
            waiter = next;
        }
    }

    /// The table read that a walk waits for comes from the memory, or from the last-level cache.
    pub(super) fn note_source_of_table(&mut self, from_memory: bool) {
        let walks = &mut self.aside.walks;
        let reads = walks.current().reads;
        let counts = &mut walks.counts.reads[reads.count - reads.done];
        match from_memory {
            true => counts.memory += 1,
            false => counts.llc += 1,
        }
    }
}
