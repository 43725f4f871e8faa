// SPDX-License-Identifier: MIT OR Apache-2.0
//! The cache does what the naive models do, access by access.

use super::naive::{Line, LruList, NaiveSet, Predicted, Tree};
use super::{LINE, config, proptest_config};
use crate::cache::{Cache, SourceStats, Victim};
use fresco_dram::PhysAddr;
use fresco_machine::Replacement;
use proptest::prelude::*;

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
    let mut fast = Cache::new(&config(ways, sets, replacement), slices, 3);
    let mut naive: Vec<S> = (0..sets).map(|_| S::new(ways as usize)).collect();
    let mut counted = vec![SourceStats::default(); 3];
    let plain = sets >> slices.len();
    let set_of = |line: u64| {
        let slice = slices
            .iter()
            .rev()
            .fold(0, |s, mask| s << 1 | u64::from((line & mask).count_ones() % 2));
        (slice * plain + line / LINE % plain) as usize
    };
    let note = |counted: &mut Vec<SourceStats>, victim: Option<Line>, source: u16| {
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
    #![proptest_config(proptest_config())]

    #[test]
    fn lru_is_a_list(ops in ops()) {
        for (ways, sets) in [(1, 8), (2, 4), (3, 2), (4, 2), (8, 1), (16, 2), (96, 1)] {
            compare::<LruList>(ways, sets, Replacement::Lru, &[], &ops);
        }
        compare::<LruList>(4, 8, Replacement::Lru, &[0x4440, 0x8_0080], &ops);
    }

    #[test]
    fn srrip_predicts_as_written(ops in ops()) {
        for (ways, sets) in [(1, 8), (2, 4), (3, 2), (7, 1), (8, 1), (16, 1)] {
            compare::<Predicted>(ways, sets, Replacement::Srrip, &[], &ops);
        }
        compare::<Predicted>(4, 8, Replacement::Srrip, &[0x4440, 0x8_0080], &ops);
    }

    #[test]
    fn tree_plru_is_a_tree(ops in ops()) {
        for (ways, sets) in [(1, 8), (2, 4), (4, 2), (8, 1), (16, 1), (32, 1), (64, 1)] {
            compare::<Tree>(ways, sets, Replacement::TreePlru, &[], &ops);
        }
        compare::<Tree>(4, 8, Replacement::TreePlru, &[0x4440, 0x8_0080], &ops);
    }
}
