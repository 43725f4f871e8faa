// SPDX-License-Identifier: MIT OR Apache-2.0
//! Naive models of a cache, and the proof by random accesses that the fast one does the same.

use super::{Cache, PrivateCaches, PrivateOutcome, Victim};
use fresco_dram::PhysAddr;
use fresco_machine::{CacheConfig, Replacement};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::collections::VecDeque;

const LINE: u64 = 64;
/// Seed of the random tests: every run checks the same cases.
const SEED: u64 = 7;

/// One line of a naive set.
#[derive(Clone, Copy)]
struct Line {
    address: u64,
    dirty: bool,
    owner: u16,
}

impl From<Line> for Victim {
    fn from(line: Line) -> Self {
        let Line { address, dirty, owner } = line;
        let line = PhysAddr(address);
        Self { line, dirty, owner }
    }
}

trait NaiveSet {
    fn new(ways: usize) -> Self;
    fn get(&mut self, address: u64) -> Option<&mut Line>;
    fn insert(&mut self, line: Line) -> Option<Line>;
    fn remove(&mut self, address: u64) -> Option<Line>;
}

/// LRU as a list, the most recently used line in front.
struct LruList {
    ways: usize,
    lines: VecDeque<Line>,
}

impl NaiveSet for LruList {
    fn new(ways: usize) -> Self {
        let lines = VecDeque::new();
        Self { ways, lines }
    }

    fn get(&mut self, address: u64) -> Option<&mut Line> {
        let line = self.remove(address)?;
        self.lines.push_front(line);
        self.lines.front_mut()
    }

    fn insert(&mut self, line: Line) -> Option<Line> {
        let victim = if self.lines.len() == self.ways {
            self.lines.pop_back()
        } else {
            None
        };
        self.lines.push_front(line);
        victim
    }

    fn remove(&mut self, address: u64) -> Option<Line> {
        let at = self.lines.iter().position(|l| l.address == address)?;
        self.lines.remove(at)
    }
}

/// Tree PLRU by recursion over halves: `points_right[n]` of node `n`, children `2n + 1` and `2n + 2`.
struct Tree {
    lines: Vec<Option<Line>>,
    points_right: Vec<bool>,
}

impl Tree {
    /// Walks from node `n` over `ways` to `way`, turning each node away from it (or, after a removal, towards it).
    fn turn(&mut self, n: usize, ways: std::ops::Range<usize>, way: usize, away: bool) {
        if ways.len() == 1 {
            return;
        }
        let middle = ways.start + ways.len() / 2;
        let is_right = way >= middle;
        self.points_right[n] = is_right != away;
        if is_right {
            self.turn(2 * n + 2, middle..ways.end, way, away);
        } else {
            self.turn(2 * n + 1, ways.start..middle, way, away);
        }
    }

    fn pointed(&self, n: usize, ways: std::ops::Range<usize>) -> usize {
        if ways.len() == 1 {
            return ways.start;
        }
        let middle = ways.start + ways.len() / 2;
        if self.points_right[n] {
            self.pointed(2 * n + 2, middle..ways.end)
        } else {
            self.pointed(2 * n + 1, ways.start..middle)
        }
    }

    fn way_of(&self, address: u64) -> Option<usize> {
        self.lines.iter().position(|l| l.is_some_and(|l| l.address == address))
    }
}

impl NaiveSet for Tree {
    fn new(ways: usize) -> Self {
        Self {
            lines: vec![None; ways],
            points_right: vec![false; ways],
        }
    }

    fn get(&mut self, address: u64) -> Option<&mut Line> {
        let way = self.way_of(address)?;
        self.turn(0, 0..self.lines.len(), way, true);
        self.lines[way].as_mut()
    }

    fn insert(&mut self, line: Line) -> Option<Line> {
        let empty = self.lines.iter().position(Option::is_none);
        let way = empty.unwrap_or_else(|| self.pointed(0, 0..self.lines.len()));
        self.turn(0, 0..self.lines.len(), way, true);
        self.lines[way].replace(line)
    }

    fn remove(&mut self, address: u64) -> Option<Line> {
        let way = self.way_of(address)?;
        self.turn(0, 0..self.lines.len(), way, false);
        self.lines[way].take()
    }
}

/// One step of a random test.
#[derive(Clone, Copy, Debug)]
enum Op {
    /// An access, and a fill after a miss.
    Access {
        line: u64,
        write: bool,
        source: u16,
    },
    /// A write-back from the level above.
    Fill {
        line: u64,
        source: u16,
    },
    Invalidate {
        line: u64,
    },
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    // Few distinct lines, so that sets overflow and lines come back.
    let line = (0u64..8, 0u64..24).prop_map(|(low, high)| (high << 8 | low) * LINE);
    let op = (line, any::<bool>(), 0u16..3, 0u8..10).prop_map(|(line, write, source, kind)| match kind {
        0 => Op::Invalidate { line },
        1 => Op::Fill { line, source },
        _ => Op::Access { line, write, source },
    });
    prop::collection::vec(op, 1..600)
}

/// Runs `ops` on the fast cache and on naive sets, comparing every answer and counter.
fn compare<S: NaiveSet>(ways: u32, sets: u64, replacement: Replacement, slices: &[u64], ops: &[Op]) {
    let config = CacheConfig {
        size: u64::from(ways) * sets * LINE,
        ways,
        line: LINE as u32,
        latency: 1,
        replacement,
    };
    let mut fast = Cache::new(&config, slices, 3);
    let mut naive: Vec<S> = (0..sets).map(|_| S::new(ways as usize)).collect();
    let mut counted = vec![super::SourceStats::default(); 3];
    let plain = sets >> slices.len();
    let set_of = |line: u64| {
        let slice = slices
            .iter()
            .rev()
            .fold(0, |s, mask| s << 1 | u64::from((line & mask).count_ones() % 2));
        (slice * plain + line / LINE % plain) as usize
    };
    let note = |counted: &mut Vec<super::SourceStats>, victim: Option<Line>, source: u16| {
        if let Some(victim) = victim {
            let c = &mut counted[usize::from(victim.owner)];
            c.evictions += 1;
            c.evictions_by_others += u64::from(victim.owner != source);
            c.write_backs += u64::from(victim.dirty);
        }
        victim.map(Victim::from)
    };
    for op in ops {
        match *op {
            Op::Access { line, write, source } => {
                let set = &mut naive[set_of(line)];
                let hit = set.get(line).map(|l| l.dirty |= write).is_some();
                let c = &mut counted[usize::from(source)];
                if hit {
                    c.hits += 1
                } else {
                    c.misses += 1
                }
                // Any byte of the line finds it.
                assert_eq!(fast.access(PhysAddr(line + line % 61), write, source), hit);
                if !hit {
                    let (address, dirty, owner) = (line, write, source);
                    let victim = set.insert(Line { address, dirty, owner });
                    let victim = note(&mut counted, victim, source);
                    assert_eq!(fast.allocate(PhysAddr(line), write, source), victim);
                }
            }
            Op::Fill { line, source } => {
                let set = &mut naive[set_of(line)];
                let victim = match set.get(line) {
                    Some(found) => {
                        found.dirty = true;
                        None
                    }
                    None => set.insert(Line {
                        address: line,
                        dirty: true,
                        owner: source,
                    }),
                };
                let victim = note(&mut counted, victim, source);
                assert_eq!(fast.fill(PhysAddr(line), true, source), victim);
            }
            Op::Invalidate { line } => {
                let removed = naive[set_of(line)].remove(line).map(Victim::from);
                assert_eq!(fast.invalidate(PhysAddr(line)), removed);
                assert!(!fast.contains(PhysAddr(line)));
            }
        }
    }
    assert_eq!(fast.stats(), counted);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, rng_seed: RngSeed::Fixed(SEED), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn lru_is_a_list(ops in ops()) {
        for (ways, sets) in [(1, 8), (2, 4), (3, 2), (4, 2), (8, 1), (16, 2), (96, 1)] {
            compare::<LruList>(ways, sets, Replacement::Lru, &[], &ops);
        }
        compare::<LruList>(4, 8, Replacement::Lru, &[0x4440, 0x8_0080], &ops);
    }

    #[test]
    fn tree_plru_is_a_tree(ops in ops()) {
        for (ways, sets) in [(1, 8), (2, 4), (4, 2), (8, 1), (16, 1), (32, 1), (64, 1)] {
            compare::<Tree>(ways, sets, Replacement::TreePlru, &[], &ops);
        }
        compare::<Tree>(4, 8, Replacement::TreePlru, &[0x4440, 0x8_0080], &ops);
    }

    /// No store is lost and none is invented: a line comes out at most once per store to it, and after the last one.
    #[test]
    fn every_store_comes_out(
        accesses in prop::collection::vec((0u64..40, any::<bool>()), 1..400), has_l1: bool, has_l2: bool
    ) {
        let config = |size, ways| CacheConfig { size, ways, line: 64, latency: size, replacement: Replacement::Lru };
        let (l1, l2) = (config(512, 2), config(1024, 4));
        let mut caches = PrivateCaches::new(has_l1.then_some(&l1), has_l2.then_some(&l2));
        let mut stored = std::collections::BTreeMap::<u64, Stored>::new();
        // Loads of other lines push everything out in the end.
        let flush = (1000..1100).map(|line| (line, false));
        for (line, write) in accesses.into_iter().chain(flush) {
            let addr = PhysAddr(line * LINE + 4);
            let access = caches.access(addr, write);
            if write {
                let line = stored.entry(line).or_default();
                line.stores += 1;
                line.out_since = false;
            }
            let out = match access {
                PrivateOutcome::Hit { write_back, .. } => write_back.into_iter().collect(),
                PrivateOutcome::Miss => caches.fill(addr, write).as_slice().to_vec(),
            };
            for gone in out {
                prop_assert_eq!(gone.0 % LINE, if has_l1 || has_l2 { 0 } else { 4 });
                let line = stored.get_mut(&(gone.0 / LINE)).expect("a line without stores is clean");
                line.outs += 1;
                line.out_since = true;
            }
        }
        for (line, counts) in stored {
            prop_assert!(counts.outs <= counts.stores && counts.out_since, "line {}: {:?}", line, counts);
        }
    }
}

/// Stores to one line, and its write-backs.
#[derive(Clone, Copy, Debug, Default)]
struct Stored {
    stores: u32,
    outs: u32,
    out_since: bool,
}

#[test]
fn levels_answer_with_their_total_latency() {
    let config = |size, latency| CacheConfig {
        size,
        ways: 2,
        line: 64,
        latency,
        replacement: Replacement::Lru,
    };
    let (l1, l2) = (config(128, 1_000), config(1024, 5_000));
    let mut caches = PrivateCaches::new(Some(&l1), Some(&l2));
    let lines = [0, 4096, 8192].map(PhysAddr);
    assert_eq!(caches.access(lines[0], true), PrivateOutcome::Miss);
    assert_eq!(caches.fill(lines[0], true).as_slice(), []);
    let hit = |level, latency, write_back| PrivateOutcome::Hit {
        level,
        latency,
        write_back,
    };
    assert_eq!(caches.access(lines[0], false), hit(1, 1_000, None));
    // Two more lines push the first out of the one set of level 1 and out of its set of level 2 …
    assert_eq!(caches.fill(lines[1], false).as_slice(), []);
    let out = caches.fill(lines[2], false);
    // … which it leaves clean (its level 2 copy never saw the store) before the dirty copy arrives from level 1.
    assert_eq!(out.as_slice(), []);
    assert_eq!(caches.access(lines[0], false), hit(2, 5_000, None));
    assert_eq!(caches.access(lines[0], false), hit(1, 1_000, None));
    let [l1, l2] = caches.stats();
    assert_eq!(l1.map(|s| (s.hits, s.misses)), Some((2, 2)));
    assert_eq!(l2.map(|s| (s.hits, s.misses)), Some((1, 1)));
}
