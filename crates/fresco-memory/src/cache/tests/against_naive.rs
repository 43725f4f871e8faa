// SPDX-License-Identifier: MIT OR Apache-2.0
//! The cache does what the naive models do, access by access.

use super::naive::{Duelling, Line, LruList, NaiveSet, Of, Predicted, Quad, Tree};
use super::{LINE, config, proptest_config};
use crate::cache::{Cache, SourceStats, Victim};
use fresco_dram::PhysAddr;
use fresco_machine::Replacement;
use proptest::prelude::*;
use std::rc::Rc;

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

/// Runs `ops` on the fast cache and on naive sets, comparing every answer and counter; without masks of ways, and with them.
fn compare<S: NaiveSet>(ways: u32, sets: u64, replacement: Replacement, slices: &[u64], ops: &[Op]) {
    let all = u128::MAX >> (128 - ways);
    compare_masked::<S>(ways, sets, replacement, slices, ops, [all; 3]);
    if ways > 1 {
        // The first half, the second, and some in the middle.
        let half = all >> (ways / 2);
        compare_masked::<S>(
            ways,
            sets,
            replacement,
            slices,
            ops,
            [half, all & !half, all & half << 1],
        );
    }
}

fn compare_masked<S: NaiveSet>(
    ways: u32,
    sets: u64,
    replacement: Replacement,
    slices: &[u64],
    ops: &[Op],
    masks: [u128; 3],
) {
    let mut fast = Cache::new(&config(ways, sets, replacement), slices, 3);
    if masks[0] != masks[1] {
        (0..3).for_each(|source| fast.set_ways(source, masks[usize::from(source)]));
    }
    let duel = Rc::default();
    let of = |set| Of {
        ways: ways as usize,
        set,
        sets: sets as usize,
        duel: Rc::clone(&duel),
    };
    let mut naive: Vec<S> = (0..sets as usize).map(|set| S::new(&of(set))).collect();
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
                    let victim = set.insert(Line { address, dirty, owner }, masks[usize::from(source)]);
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
                    None => {
                        let (address, dirty, owner) = (line, true, source);
                        set.insert(Line { address, dirty, owner }, masks[usize::from(source)])
                    }
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
    fn drrip_brings_lines_in_as_its_leaders_say(ops in ops()) {
        for (ways, sets) in [(1, 8), (2, 4), (3, 2), (8, 1), (16, 8)] {
            compare::<Duelling>(ways, sets, Replacement::Drrip, &[], &ops);
        }
        compare::<Duelling>(4, 8, Replacement::Drrip, &[0x4440, 0x8_0080], &ops);
    }

    #[test]
    fn quad_age_lru_ages_as_defined(ops in ops()) {
        for (ways, sets) in [(1, 8), (2, 4), (3, 2), (8, 1), (16, 1)] {
            compare::<Quad<11, false, false>>(ways, sets, Replacement::QlruH11M1R0U0, &[], &ops);
            compare::<Quad<0, false, true>>(ways, sets, Replacement::QlruH00M1R0U1, &[], &ops);
            compare::<Quad<0, true, true>>(ways, sets, Replacement::QlruH00M1R2U1, &[], &ops);
        }
        compare::<Quad<11, false, false>>(4, 8, Replacement::QlruH11M1R0U0, &[0x4440, 0x8_0080], &ops);
    }

    #[test]
    fn tree_plru_is_a_tree(ops in ops()) {
        for (ways, sets) in [(1, 8), (2, 4), (4, 2), (8, 1), (16, 1), (32, 1), (64, 1)] {
            compare::<Tree>(ways, sets, Replacement::TreePlru, &[], &ops);
        }
        compare::<Tree>(4, 8, Replacement::TreePlru, &[0x4440, 0x8_0080], &ops);
    }
}
