// SPDX-License-Identifier: MIT OR Apache-2.0
//! The next command of every bank, laid out so that the choice among them is a pass over short flat arrays.
//!
//! The choice is made three times for each request, among all banks, and would be the largest part of the model's work.
//! So times stand here as 16-bit distances from a base that moves along: eight of them fill one vector register of the
//! oldest 64-bit processors. Distances between commands are far smaller than that, so what banks share is exact in this
//! form; what one bank allows may lie further ahead (a long idle time before an adaptive precharge) and is then looked
//! up.

use super::ready::{Kind, Shared, Until};
use fresco_dram::{Cycle, NEVER, Organisation};
use std::ops::Range;

/// The command a bank would issue next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    /// Earliest cycle as far as the bank alone matters.
    pub ready: Cycle,
    /// Class and age; the smallest goes first among those ready in the same cycle. Unique.
    pub key: u64,
    /// The request it serves; [`NIL`](super::pool::NIL) for an idle precharge.
    pub entry: u32,
    pub kind: Kind,
}

/// In place of a distance: there is no candidate.
const NONE: i16 = i16::MAX;
/// A distance: this far ahead of the base, or further.
const FAR: i16 = NONE - 1;
/// No distance that banks share may be longer.
pub(super) const LONGEST_SHARED: Cycle = 8_192;
/// The base follows when time is this far ahead of it …
const STRIDE: Cycle = FAR as Cycle - LONGEST_SHARED;
/// … and stays behind by this much: what banks shared longer ago is forgotten.
const MEMORY: Cycle = 4_096;

/// Banks whose times stand together in one vector register.
const LANES: usize = 8;

/// The top bit of each distance in a word of four: distances are not negative, so it is free.
const TOP_BITS: u64 = 0x8000_8000_8000_8000;

/// Four distances in one word, the first in its lowest bits.
#[inline]
fn four_in_one(&[a, b, c, d]: &[i16; 4]) -> u64 {
    let [a, b, c, d] = [a, b, c, d].map(|distance| u64::from(distance as u16));
    a | b << 16 | c << 32 | d << 48
}

/// Times of eight banks.
#[derive(Clone, Debug)]
struct Lanes {
    /// The earliest cycle of each bank's candidate.
    earliest: [i16; LANES],
    /// By kind: what bank group, rank and data bus allow.
    others: [[i16; LANES]; 4],
    /// By kind: all bits set where the candidate is of that kind.
    of_kind: [[i16; LANES]; 4],
    /// Of each bank's candidate; meaningless where there is none.
    key: [u64; LANES],
}

/// How the banks of one register stand to a bank group: all bits set in the lanes of …
#[derive(Clone, Debug)]
struct Relation {
    /// … its own banks,
    group: [i16; LANES],
    /// … the other banks of its rank,
    rank: [i16; LANES],
    /// … the banks of other ranks.
    others: [i16; LANES],
}

impl Relation {
    /// The banks from `first` on, seen from a group of which `group` and `rank` are all banks.
    fn new(first: usize, group: &Range<usize>, rank: &Range<usize>) -> Self {
        let lanes =
            |belongs: &dyn Fn(usize) -> bool| std::array::from_fn(|lane| if belongs(first + lane) { -1 } else { 0 });
        Self {
            group: lanes(&|b| group.contains(&b)),
            rank: lanes(&|b| rank.contains(&b) && !group.contains(&b)),
            others: lanes(&|b| !rank.contains(&b)),
        }
    }
}

/// One optional candidate per bank.
#[derive(Debug)]
pub(super) struct Candidates {
    exact: Vec<Option<Candidate>>,
    base: Cycle,
    /// Bank `b` stands in lane `b % LANES` of register `b / LANES`.
    lanes: Vec<Lanes>,
    /// By bank group, then register.
    relations: Vec<Vec<Relation>>,
    /// By bank group: the registers that have banks of its rank.
    of_rank: Vec<Range<usize>>,
}

impl Candidates {
    pub(super) fn new(org: &Organisation) -> Self {
        let banks = org.banks_per_channel() as usize;
        let registers = banks.div_ceil(LANES);
        let (per_group, per_rank) = (org.banks as usize, org.banks_per_rank() as usize);
        let relations = |first: usize| {
            let rank = first / per_rank * per_rank;
            let (group, rank) = (first..first + per_group, rank..rank + per_rank);
            (0..registers)
                .map(|r| Relation::new(r * LANES, &group, &rank))
                .collect()
        };
        let of_rank = |first: usize| {
            let rank = first / per_rank * per_rank;
            rank / LANES..(rank + per_rank).div_ceil(LANES)
        };
        let empty = Lanes {
            earliest: [NONE; LANES],
            others: [[0; LANES]; 4],
            of_kind: [[0; LANES]; 4],
            key: [0; LANES],
        };
        Self {
            exact: vec![None; banks],
            base: 0,
            lanes: vec![empty; registers],
            relations: (0..banks).step_by(per_group).map(relations).collect(),
            of_rank: (0..banks).step_by(per_group).map(of_rank).collect(),
        }
    }

    #[inline]
    pub(super) fn get(&self, b: usize) -> Option<Candidate> {
        self.exact[b]
    }

    /// The key of a bank's candidate.
    #[inline]
    pub(super) fn key(&self, b: u32) -> u64 {
        self.exact[b as usize].map_or(u64::MAX, |candidate| candidate.key)
    }

    #[inline]
    fn distance(&self, to: Cycle) -> i16 {
        to.saturating_sub(self.base).min(FAR as Cycle) as i16
    }

    /// Replaces the candidate of a bank.
    #[inline]
    pub(super) fn set(&mut self, b: usize, candidate: Option<Candidate>) {
        self.replace(b, candidate);
    }

    /// Replaces the candidate of a bank by `candidate`, and returns the earliest cycle of that.
    #[inline]
    pub(super) fn put(&mut self, b: usize, candidate: Candidate) -> Cycle {
        match self.replace(b, Some(candidate)) {
            FAR => candidate.ready.max(self.others(b, candidate.kind)),
            distance => self.base + distance as Cycle,
        }
    }

    /// Replaces the candidate of a bank, and returns how far ahead the new one is.
    #[inline]
    fn replace(&mut self, b: usize, candidate: Option<Candidate>) -> i16 {
        let ready = candidate.map_or(0, |c| self.distance(c.ready));
        let (register, lane) = (b / LANES, b % LANES);
        let lanes = &mut self.lanes[register];
        if let Some(before) = self.exact[b] {
            lanes.of_kind[before.kind as usize][lane] = 0;
        }
        let mut earliest = NONE;
        if let Some(Candidate { kind, key, .. }) = candidate {
            lanes.key[lane] = key;
            lanes.of_kind[kind as usize][lane] = -1;
            earliest = ready.max(lanes.others[kind as usize][lane]);
        }
        lanes.earliest[lane] = earliest;
        self.exact[b] = candidate;
        earliest
    }

    /// What bank group, rank and data bus allow; 0 if it is long past.
    #[inline]
    pub(super) fn others(&self, b: usize, kind: Kind) -> Cycle {
        let (register, lane) = (b / LANES, b % LANES);
        match self.lanes[register].others[kind as usize][lane] {
            0 => 0,
            distance => self.base + distance as Cycle,
        }
    }

    /// A command is issued at `now`: what follows from it shall fit into a distance.
    #[inline]
    pub(super) fn advance(&mut self, now: Cycle) {
        if now >= self.base + STRIDE {
            self.rebase(now - MEMORY);
        }
    }

    #[cold]
    fn rebase(&mut self, to: Cycle) {
        let moved = (to - self.base).min(FAR as Cycle) as i16;
        self.base = to;
        for others in self.lanes.iter_mut().flat_map(|lanes| &mut lanes.others) {
            *others = others.map(|distance| distance.saturating_sub(moved).max(0));
        }
        for b in 0..self.exact.len() {
            if self.exact[b].is_some() {
                self.set(b, self.exact[b]);
            }
        }
    }

    /// When the first of the candidates may be issued, none of them before `floor`, and whose it is: of those that may be then, that with the
    /// smallest key. [`NEVER`] if there is none.
    #[inline]
    pub(super) fn first(&self, floor: Cycle) -> (Cycle, u32) {
        let lanes = self.lanes.as_slice();
        // The usual numbers of banks, for which the compiler knows how long the loops are.
        if let Ok(registers) = <&[Lanes; 1]>::try_from(lanes) {
            self.first_among(registers, floor)
        } else if let Ok(registers) = <&[Lanes; 2]>::try_from(lanes) {
            self.first_among(registers, floor)
        } else if let Ok(registers) = <&[Lanes; 4]>::try_from(lanes) {
            self.first_among(registers, floor)
        } else {
            self.first_among(lanes, floor)
        }
    }

    #[inline]
    fn first_among<'a>(&self, registers: impl IntoIterator<Item = &'a Lanes> + Copy, floor: Cycle) -> (Cycle, u32) {
        let mut smallest = [NONE; LANES];
        for lanes in registers {
            for (smallest, &earliest) in smallest.iter_mut().zip(&lanes.earliest) {
                *smallest = earliest.min(*smallest);
            }
        }
        // Seen as a whole: else the compiler takes both steps for one and works lane by lane.
        let smallest = std::hint::black_box(smallest);
        let smallest = smallest.into_iter().fold(NONE, i16::min);
        if smallest == NONE {
            return (NEVER, 0);
        }
        let at = smallest.max(self.distance(floor));
        if at == FAR {
            return self.first_far(floor);
        }
        let (mut key, mut bank) = (u64::MAX, 0);
        let limit = four_in_one(&[at; 4]) | TOP_BITS;
        for (register, lanes) in registers.into_iter().enumerate() {
            let (fours, _) = lanes.earliest.as_chunks();
            for (four, earliest) in fours.iter().enumerate() {
                // No borrow goes from a lane to the next: the top bit stays where the lane is no later than the limit.
                let mut ready = (limit - four_in_one(earliest)) & TOP_BITS;
                while ready != 0 {
                    let lane = 4 * four + ready.trailing_zeros() as usize / 16;
                    ready &= ready - 1;
                    if lanes.key[lane] < key {
                        (key, bank) = (lanes.key[lane], register * LANES + lane);
                    }
                }
            }
        }
        let found = (self.base + at as Cycle, bank as u32);
        debug_assert_eq!(self.first_far(floor), found, "distances agree with the exact cycles");
        found
    }

    /// The same, from the exact cycles.
    #[cold]
    fn first_far(&self, floor: Cycle) -> (Cycle, u32) {
        let time = |b: usize, c: &Candidate| (c.ready.max(self.others(b, c.kind)).max(floor), c.key, b as u32);
        let candidates = self.exact.iter().enumerate();
        let first = candidates.filter_map(|(b, c)| c.as_ref().map(|c| time(b, c))).min();
        first.map_or((NEVER, 0), |(at, _, bank)| (at, bank))
    }

    /// The distance to the end of something that banks share.
    #[inline]
    fn shared_distance(&self, to: Cycle) -> i16 {
        debug_assert!(to < self.base + FAR as Cycle, "a shared distance fits");
        to.saturating_sub(self.base) as i16
    }
}

impl Shared for Candidates {
    #[inline]
    fn raise(&mut self, group: usize, kind: Kind, until: Until) {
        let to_group = self.shared_distance(until.group);
        let to_rank = self.shared_distance(until.rank);
        let to_others = self.shared_distance(until.others);
        // What concerns no other rank is not looked for there.
        let all = 0..self.lanes.len();
        let registers = if until.others == 0 {
            self.of_rank[group].clone()
        } else {
            all
        };
        let relations = &self.relations[group][registers.clone()];
        for (lanes, relation) in self.lanes[registers].iter_mut().zip(relations) {
            // Whole registers, computed before the first is stored: else the compiler works lane by lane.
            let of_kind = lanes.of_kind[kind as usize];
            let others = lanes.others[kind as usize];
            let to: [i16; LANES] = std::array::from_fn(|lane| {
                to_group & relation.group[lane] | to_rank & relation.rank[lane] | to_others & relation.others[lane]
            });
            let earliest = std::array::from_fn(|lane| lanes.earliest[lane].max(to[lane] & of_kind[lane]));
            lanes.others[kind as usize] = std::array::from_fn(|lane| others[lane].max(to[lane]));
            lanes.earliest = earliest;
        }
    }
}
