// SPDX-License-Identifier: MIT OR Apache-2.0
//! The next command of every bank, laid out so that the choice among them is a pass over short flat arrays.
//!
//! The choice is made three times for each request, among all banks, and would be the largest part of the model's work.
//! So times stand here as 16-bit distances from a base that moves along: eight of them fill one vector register of the
//! oldest 64-bit processors. Distances between commands are far smaller than that, so what banks share is exact in this
//! form; what one bank allows may lie further ahead (a long idle time before an adaptive precharge) and is then looked
//! up.

use super::pool::NIL;
use super::ready::{ACT, PRE, RD, Shared, WR};
use fresco_dram::{Cycle, NEVER, Organisation};

/// The command a bank would issue next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    /// Earliest cycle as far as the bank alone matters.
    pub ready: Cycle,
    /// Class and age; the smallest goes first among those ready in the same cycle. Unique.
    pub key: u64,
    /// The request it serves; [`NIL`] for an idle precharge.
    pub entry: u32,
    /// ACT, PRE, RD or WR, as in `ready`.
    pub kind: u8,
}

const NOTHING: Candidate = Candidate {
    ready: NEVER,
    key: u64::MAX,
    entry: NIL,
    kind: 0,
};

/// A distance from the base: this far ahead, or further.
const FAR: i16 = i16::MAX;
/// The base moves along when time is this far ahead of it; every timing parameter is far below `FAR` minus this.
const STRIDE: Cycle = 16_384;
/// No distance that banks share may be longer.
pub(super) const LONGEST_SHARED: Cycle = FAR as Cycle - STRIDE - 1;

/// Banks whose times stand together in one vector register.
const LANES: usize = 8;

/// Times of eight banks.
#[derive(Clone, Debug)]
struct Lanes {
    /// By kind: what the bank allows, if its candidate is of that kind; else [`FAR`].
    own: [[i16; LANES]; 4],
    /// By kind: what its bank group, rank and the data bus allow.
    others: [[i16; LANES]; 4],
    /// Of the last choice: the earliest cycle of each bank's candidate.
    earliest: [i16; LANES],
    /// The smallest of them.
    smallest: i16,
    /// `own` or `others` have changed since.
    dirty: bool,
    /// Class and age of each bank's candidate; the largest number where there is none.
    key: [u64; LANES],
}

impl Lanes {
    /// Computes `earliest` if it must; returns the smallest.
    #[inline]
    fn settle(&mut self, column: usize) -> i16 {
        if !self.dirty {
            return self.smallest;
        }
        self.dirty = false;
        let mut earliest = [FAR; LANES];
        for kind in [ACT, PRE, column & 3] {
            for lane in 0..LANES {
                earliest[lane] = earliest[lane].min(self.own[kind][lane].max(self.others[kind][lane]));
            }
        }
        self.earliest = earliest;
        self.smallest = earliest.into_iter().fold(FAR, i16::min);
        self.smallest
    }
}

/// One optional candidate per bank.
#[derive(Debug)]
pub(super) struct Candidates {
    exact: Vec<Candidate>,
    /// Banks that have a candidate.
    count: u32,
    base: Cycle,
    /// Bank `b` stands in lane `b % LANES` of register `b / LANES`.
    lanes: Vec<Lanes>,
    groups: Vec<Span>,
    ranks: Vec<Span>,
}

/// The lanes of neighbouring banks; fewer than eight of them, a power of two, lie in one register.
#[derive(Clone, Debug)]
struct Span {
    first: usize,
    count: usize,
    /// All bits set in the lanes that belong to it.
    mask: [i16; LANES],
}

impl Span {
    fn new(first: usize, banks: usize) -> Self {
        let lane = first % LANES;
        Self {
            first: first / LANES,
            count: banks.div_ceil(LANES),
            mask: std::array::from_fn(|l| if (lane..lane + banks).contains(&l) { -1 } else { 0 }),
        }
    }
}

impl Candidates {
    pub(super) fn new(org: &Organisation) -> Self {
        let spans = |number: u32, banks: u32| {
            (0..number as usize)
                .map(|i| Span::new(i * banks as usize, banks as usize))
                .collect()
        };
        let empty = Lanes {
            own: [[FAR; LANES]; 4],
            others: [[0; LANES]; 4],
            earliest: [FAR; LANES],
            smallest: FAR,
            dirty: false,
            key: [u64::MAX; LANES],
        };
        let banks = org.banks_per_channel();
        Self {
            exact: vec![NOTHING; org.banks_per_channel() as usize],
            count: 0,
            base: 0,
            lanes: vec![empty; (banks as usize).div_ceil(LANES)],
            groups: spans(org.ranks * org.bank_groups, org.banks),
            ranks: spans(org.ranks, org.banks_per_rank()),
        }
    }

    #[inline]
    pub(super) fn get(&self, b: usize) -> Option<Candidate> {
        let candidate = self.exact[b];
        (candidate.ready != NEVER).then_some(candidate)
    }

    #[inline]
    fn distance(&self, to: Cycle) -> i16 {
        to.saturating_sub(self.base).min(FAR as Cycle) as i16
    }

    #[inline]
    pub(super) fn set(&mut self, b: usize, candidate: Option<Candidate>) {
        debug_assert!(candidate.is_none_or(|c| c.ready != NEVER));
        self.count += u32::from(candidate.is_some());
        self.count -= u32::from(self.exact[b].ready != NEVER);
        let candidate = candidate.unwrap_or(NOTHING);
        let distance = self.distance(candidate.ready);
        let (register, lane) = (b / LANES, b % LANES);
        let lanes = &mut self.lanes[register];
        lanes.dirty = true;
        lanes.key[lane] = candidate.key;
        lanes.own[usize::from(self.exact[b].kind & 3)][lane] = FAR;
        lanes.own[usize::from(candidate.kind & 3)][lane] = distance;
        self.exact[b] = candidate;
    }

    /// What bank group, rank and data bus allow.
    #[inline]
    pub(super) fn others(&self, b: usize, kind: usize) -> Cycle {
        let (register, lane) = (b / LANES, b % LANES);
        self.base + self.lanes[register].others[kind & 3][lane] as Cycle
    }

    /// The distance to the end of something that banks share. After a long idle time the base may lie so far back that
    /// the distance would not fit; what begins now lasts [`LONGEST_SHARED`] at most, so the base may follow up to that.
    #[inline]
    fn shared_distance(&mut self, to: Cycle) -> i16 {
        if to >= self.base + FAR as Cycle {
            self.rebase(to - LONGEST_SHARED);
        }
        self.distance(to)
    }

    /// Moves the base to `to`. What lies before it no longer matters.
    #[cold]
    fn rebase(&mut self, to: Cycle) {
        let moved = (to - self.base).min(FAR as Cycle) as i16;
        self.base = to;
        for lanes in &mut self.lanes {
            lanes.dirty = true;
            for earliest in lanes.others.iter_mut().flatten() {
                *earliest = earliest.saturating_sub(moved).max(0);
            }
        }
        for b in 0..self.exact.len() {
            let c = self.exact[b];
            let (register, lane) = (b / LANES, b % LANES);
            self.lanes[register].own[usize::from(c.kind & 3)][lane] = self.distance(c.ready);
        }
    }

    /// The candidate with the smallest (cycle, key), none of them before `floor`. Candidates for column commands are
    /// all of the kind `column`, RD or WR.
    #[inline]
    pub(super) fn first(&mut self, column: usize, floor: Cycle) -> Option<(Cycle, u64, u32)> {
        if self.count == 0 {
            return None;
        }
        if floor >= self.base + STRIDE {
            self.rebase(floor);
        }
        let at = self
            .lanes
            .iter_mut()
            .fold(FAR, |at, lanes| at.min(lanes.settle(column)));
        if at == FAR {
            return self.first_far(floor);
        }
        let at = at.max(self.distance(floor));
        let (mut key, mut bank) = (u64::MAX, 0);
        for (register, lanes) in self.lanes.iter().enumerate() {
            if lanes.smallest <= at {
                for lane in 0..LANES {
                    if lanes.earliest[lane] <= at && lanes.key[lane] < key {
                        (key, bank) = (lanes.key[lane], register * LANES + lane);
                    }
                }
            }
        }
        let found = (self.base + at as Cycle, key, bank as u32);
        debug_assert_eq!(
            self.first_far(floor),
            Some(found),
            "distances agree with the exact cycles"
        );
        Some(found)
    }

    /// The same, from the exact cycles.
    #[cold]
    fn first_far(&self, floor: Cycle) -> Option<(Cycle, u64, u32)> {
        let time = |(b, c): (usize, &Candidate)| {
            (
                c.ready.max(self.others(b, usize::from(c.kind))).max(floor),
                c.key,
                b as u32,
            )
        };
        self.exact
            .iter()
            .enumerate()
            .filter(|(_, c)| c.ready != NEVER)
            .map(time)
            .min()
    }
}

/// No `kind` in the span before `to`.
#[inline]
fn raise(lanes: &mut [Lanes], span: &Span, kind: usize, to: i16) {
    for lanes in &mut lanes[span.first..][..span.count] {
        lanes.dirty = true;
        for (earliest, mask) in lanes.others[kind & 3].iter_mut().zip(span.mask) {
            *earliest = (*earliest).max(to & mask);
        }
    }
}

impl Shared for Candidates {
    #[inline]
    fn raise_rank(&mut self, rank: usize, kind: usize, to: Cycle) {
        let to = self.shared_distance(to);
        raise(&mut self.lanes, &self.ranks[rank], kind, to);
    }

    #[inline]
    fn raise_group(&mut self, group: usize, kind: usize, to: Cycle) {
        let to = self.shared_distance(to);
        raise(&mut self.lanes, &self.groups[group], kind, to);
    }

    #[inline]
    fn raise_columns(&mut self, rank: usize, rd: Cycle, wr: Cycle) {
        // The later one first: it may move the base.
        let _ = self.shared_distance(rd.max(wr));
        let (rd, wr) = (self.distance(rd), self.distance(wr));
        let span = &self.ranks[rank];
        for lanes in &mut self.lanes[span.first..][..span.count] {
            lanes.dirty = true;
            for (lane, mask) in span.mask.into_iter().enumerate() {
                lanes.others[RD][lane] = lanes.others[RD][lane].max(rd & mask);
                lanes.others[WR][lane] = lanes.others[WR][lane].max(wr & mask);
            }
        }
    }
}
