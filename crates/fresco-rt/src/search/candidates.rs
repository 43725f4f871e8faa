// SPDX-License-Identifier: MIT OR Apache-2.0
//! Partitions into two workloads in the order in which they are tried, made as they are asked for.

use super::partition::MemoryNeed;
use crate::demand::utilization_q64;
use crate::task::Task;
use std::collections::{BTreeSet, BinaryHeap, VecDeque};

/// Up to this many tasks, every subset is tried.
const EXHAUSTIVE: usize = 8;

/// Neighbours that are held at a time. What lies behind them is found by another pass over all.
const PAGE: usize = 4096;

/// For each task the workload that it belongs to.
pub(crate) type Side = Vec<bool>;

/// Sides of the tasks without repetition, those alone whose memory fits.
///
/// First come the splits by period (short periods in one workload, long ones in the other), then, for few tasks, all subsets, else
/// what one move or one swap makes of the splits; each of both most even first, and of equals those that are made first. Of the
/// n³ neighbours of n tasks only [`PAGE`] are held.
pub(crate) struct Candidates {
    memory: Option<MemoryNeed>,
    /// Utilisation of each task, in units of 2⁻⁶⁴ and rounded down.
    loads: Vec<u128>,
    splits: Vec<Side>,
    ready: VecDeque<Side>,
    seen: BTreeSet<Side>,
    /// The last neighbour that was made ready, and the end of them.
    last: Option<Neighbour>,
    is_over: bool,
}

/// A split after the tasks `moved` have changed sides, by how uneven it is, then by when it is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Neighbour {
    unevenness: u128,
    number: u64,
    split: usize,
    moved: (usize, Option<usize>),
}

impl Candidates {
    /// The partitions of `tasks`.
    pub(crate) fn new(tasks: &[Task], memory: Option<&MemoryNeed>) -> Self {
        let n = tasks.len();
        let mut by_period: Vec<usize> = (0..n).collect();
        by_period.sort_by_key(|&i| (tasks[i].period, tasks[i].deadline, i));
        let mut all = Self {
            memory: memory.cloned(),
            loads: (0..n).map(|i| utilization_q64(&tasks[i..=i]).0).collect(),
            splits: Vec::new(),
            ready: VecDeque::new(),
            seen: BTreeSet::new(),
            last: None,
            is_over: n <= EXHAUSTIVE,
        };
        // Splits by period, either way round: memory may allow one only.
        for border in 0..=n {
            for long in [true, false] {
                let mut side = vec![!long; n];
                by_period[border..].iter().for_each(|&i| side[i] = long);
                all.splits.push(side);
            }
        }
        let mut splits = std::mem::take(&mut all.splits);
        splits.sort_by_key(|side| all.balance(side).unsigned_abs());
        splits.iter().for_each(|side| all.offer(side.clone()));
        if n <= EXHAUSTIVE {
            let side = |bits: u32| (0..n).map(|i| bits >> i & 1 == 1).collect::<Side>();
            let mut subsets: Vec<Side> = (0..1u32 << n).map(side).collect();
            subsets.sort_by_key(|side| all.balance(side).unsigned_abs());
            subsets.into_iter().for_each(|side| all.offer(side));
        }
        all.splits = splits;
        all
    }

    /// Whether every partition has been asked for.
    pub(crate) fn are_over(&mut self) -> bool {
        self.loads.len() <= EXHAUSTIVE && self.ready.is_empty()
    }

    /// Load of the first workload less that of the second, in units of 2⁻⁶⁴.
    fn balance(&self, side: &[bool]) -> i128 {
        let signed = |(&side, &load): (&bool, &u128)| if side { -(load as i128) } else { load as i128 };
        side.iter().zip(&self.loads).map(signed).sum()
    }

    /// Bytes of the first and of the second workload.
    fn used(&self, side: &[bool]) -> [u128; 2] {
        let mut used = [0; 2];
        for (&side, &bytes) in side.iter().zip(self.memory.iter().flat_map(|need| &need.bytes)) {
            used[usize::from(side)] += u128::from(bytes);
        }
        used
    }

    fn fits(&self, used: [u128; 2]) -> bool {
        self.memory
            .as_ref()
            .is_none_or(|need| (0..2).all(|side| used[side] <= u128::from(need.capacity[side])))
    }

    /// Makes a side ready that fits and is new.
    fn offer(&mut self, side: Side) {
        if self.fits(self.used(&side)) && self.seen.insert(side.clone()) {
            self.ready.push_back(side);
        }
    }

    /// Makes the next neighbours ready.
    fn turn_page(&mut self) {
        let mut page: BinaryHeap<Neighbour> = BinaryHeap::with_capacity(PAGE + 1);
        let mut number = 0;
        for (split, side) in self.splits.iter().enumerate() {
            let (balance, used) = (self.balance(side), self.used(side));
            let n = side.len();
            let swaps = (0..n).flat_map(|i| (0..i).map(move |j| (i, Some(j))));
            let swaps = swaps.filter(|&(i, j)| j.is_some_and(|j| side[i] != side[j]));
            for moved in (0..n).map(|i| (i, None)).chain(swaps) {
                number += 1;
                let (mut balance, mut used) = (balance, used);
                for i in [Some(moved.0), moved.1].into_iter().flatten() {
                    let twice = 2 * self.loads[i] as i128;
                    balance += if side[i] { twice } else { -twice };
                    if let Some(need) = &self.memory {
                        used[usize::from(side[i])] -= u128::from(need.bytes[i]);
                        used[usize::from(!side[i])] += u128::from(need.bytes[i]);
                    }
                }
                let found = Neighbour {
                    unevenness: balance.unsigned_abs(),
                    number,
                    split,
                    moved,
                };
                let is_next = self.last.is_none_or(|last| last < found) && self.fits(used);
                if is_next && (page.len() < PAGE || page.peek().is_some_and(|worst| found < *worst)) {
                    page.push(found);
                    if page.len() > PAGE {
                        page.pop();
                    }
                }
            }
        }
        self.is_over = page.len() < PAGE;
        for found in page.into_sorted_vec() {
            let mut side = self.splits[found.split].clone();
            for i in [Some(found.moved.0), found.moved.1].into_iter().flatten() {
                side[i] = !side[i];
            }
            self.last = Some(found);
            self.offer(side);
        }
    }
}

impl Iterator for Candidates {
    type Item = Side;

    fn next(&mut self) -> Option<Side> {
        while self.ready.is_empty() && !self.is_over {
            self.turn_page();
        }
        self.ready.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, SeedableRng};
    use rand_pcg::Pcg64;

    /// All at once, as it is defined.
    fn plainly(tasks: &[Task], memory: Option<&MemoryNeed>) -> Vec<Side> {
        let n = tasks.len();
        let share = |i: usize| utilization_q64(&tasks[i..=i]).0;
        let load = |side: &Side| {
            let of = |wanted: bool| (0..n).filter(|&i| side[i] == wanted).map(share).sum::<u128>();
            of(false).abs_diff(of(true))
        };
        let mut by_period: Vec<usize> = (0..n).collect();
        by_period.sort_by_key(|&i| (tasks[i].period, tasks[i].deadline, i));
        let borders = (0..=n).flat_map(|border| [(border, true), (border, false)]);
        let mut splits: Vec<Side> = borders
            .map(|(border, long)| (0..n).map(|i| by_period[border..].contains(&i) == long).collect())
            .collect();
        splits.sort_by_key(load);
        let mut more = Vec::new();
        for side in &splits {
            let flipped = |places: &[usize]| {
                let mut next = side.clone();
                places.iter().for_each(|&i| next[i] = !next[i]);
                next
            };
            more.extend((0..n).map(|i| flipped(&[i])));
            let swaps = (0..n).flat_map(|i| (0..i).map(move |j| [i, j]));
            more.extend(swaps.filter(|&[i, j]| side[i] != side[j]).map(|two| flipped(&two)));
        }
        more.sort_by_key(load);
        let fits = |side: &Side| {
            memory.is_none_or(|need| {
                [false, true].into_iter().zip(need.capacity).all(|(wanted, capacity)| {
                    let own = (0..n).filter(|&i| side[i] == wanted);
                    own.map(|i| need.bytes[i]).sum::<u64>() <= capacity
                })
            })
        };
        let mut seen = BTreeSet::new();
        let all = splits.into_iter().chain(more).filter(fits);
        all.filter(|side| seen.insert(side.clone())).collect()
    }

    fn tasks(n: usize, random: &mut Pcg64) -> Vec<Task> {
        let mut one = || {
            let period = random.random_range(10..60);
            let wcet = random.random_range(1..period);
            Task::new("t", 0, period, wcet, random.random_range(wcet..=period)).unwrap()
        };
        (0..n).map(|_| one()).collect()
    }

    /// The same partitions in the same order as all at once, over several pages too.
    #[test]
    fn pages_are_the_whole_in_order() {
        let mut random = Pcg64::seed_from_u64(1);
        for n in [9, 12, 20, 24] {
            let tasks = tasks(n, &mut random);
            let bytes: Vec<u64> = (0..n).map(|_| random.random_range(1..10)).collect();
            let total: u64 = bytes.iter().sum();
            let need = MemoryNeed {
                bytes,
                capacity: [total / 2, total],
            };
            for memory in [None, Some(&need)] {
                let found: Vec<Side> = Candidates::new(&tasks, memory).collect();
                assert_eq!(found, plainly(&tasks, memory), "{n} tasks");
            }
        }
        let neighbours = plainly(&tasks(24, &mut random), None).len();
        assert!(neighbours > PAGE, "the test has but one page of {neighbours}");
    }

    #[test]
    fn few_tasks_are_split_in_every_way() {
        let mut random = Pcg64::seed_from_u64(2);
        let tasks = tasks(5, &mut random);
        let all: BTreeSet<Side> = Candidates::new(&tasks, None).collect();
        assert_eq!(all.len(), 32);
    }
}
