// SPDX-License-Identifier: MIT OR Apache-2.0
//! Page walks against sums of their latencies.

use super::*;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

const NS: Ps = 1000;

/// Bits of an address within a page: lines 0 to 63 are in the first.
const PAGE_BITS: u32 = 12;
/// Lines of tables lie beyond those of data.
const TABLES: u64 = 1 << 20;

/// A list of steps, and what its core has walked in the end.
fn run(config: &CoreConfig, steps: Vec<Step>, ahead: Ps, latency: Ps) -> (Ps, Vec<Ps>) {
    let source = List { steps, next: 0 };
    run_steps(config, source, 0, ahead, |_| latency)
}

/// An operation that takes so many slots for the second level of the TLB.
fn translated(op: MicroOp, slots: u32) -> Step {
    let page_bits = PAGE_BITS;
    Step::Translated(op, Translation { slots, page_bits })
}

/// Reads of tables that miss all private caches, each of a line of its own, then the operation.
fn walked(op: MicroOp, slots: u32, reads: std::ops::Range<u64>) -> Vec<Step> {
    let reads = reads.map(|read| Step::Walk(miss(0, 0, TABLES + read)));
    reads.chain([translated(op, slots)]).collect()
}

fn kinds() -> [CoreConfig; 2] {
    [core(CoreKind::InOrder, 1, 1, 1), core(CoreKind::OutOfOrder, 1, 64, 8)]
}

/// Four reads of 100 ns, one after the other, then the line itself; 7 slots for the second level before.
#[test]
fn a_walk_takes_the_sum_of_its_reads() {
    for config in kinds() {
        let steps = walked(miss(0, 0, 0), 7, 0..4);
        let (end, fetched) = run(&config, steps, 0, 100 * NS);
        assert_eq!(end, (7 + 5 * 100) * NS);
        assert_eq!(fetched, [7, 107, 207, 307, 407].map(|at| at * NS));
    }
}

/// Three upper levels in level 2, at 15 slots each, and one read of the memory; the line itself is in level 1.
#[test]
fn reads_of_level_2_take_its_latency() {
    for config in kinds() {
        let in_l2 = [0, 1, 2].map(|read| Step::Walk(hit(0, 0, TABLES + read, 15)));
        let steps = in_l2.into_iter().chain(walked(hit(0, 0, 0, 4), 0, 3..4)).collect();
        let (end, fetched) = run(&config, steps, 0, 100 * NS);
        assert_eq!((end, fetched), ((45 + 100 + 4) * NS, vec![45 * NS]));
    }
}

/// The second level alone: no walk, and the access begins so much later, as does what depends on it.
#[test]
fn the_second_level_delays_the_access() {
    for config in kinds() {
        let steps = vec![translated(hit(0, 0, 0, 4), 7), translated(hit(0, 1, 64, 4), 7)];
        assert_eq!(run(&config, steps, 0, 0).0, 2 * (7 + 4) * NS);
    }
}

/// Two loads of two pages need two walks, which do not overlap; their own lines do. A third load, of the first page, waits for its walk.
#[test]
fn one_walk_at_a_time() {
    let config = core(CoreKind::OutOfOrder, 1, 64, 8);
    let first = walked(miss(0, 0, 0), 0, 0..2);
    let second = walked(miss(0, 0, 64), 0, 2..4);
    let third = vec![translated(miss(0, 0, 1), 0)];
    let (end, fetched) = run(&config, [first, second, third].concat(), 0, 100 * NS);
    // Walks: 0 to 100 to 200, 200 to 300 to 400. Lines of the first page: from 200 on, of the second from 400.
    assert_eq!(fetched, [0, 100, 200, 200, 200, 300, 400].map(|at| at * NS));
    assert_eq!(end, 501 * NS, "the third retires after the second");
}

/// A store needs its translation before it can retire, so that what comes after it in a full window waits.
#[test]
fn a_store_retires_when_its_address_is_known() {
    let config = core(CoreKind::OutOfOrder, 1, 1, 8);
    let stored = walked(store(miss(0, 0, 0)), 0, 0..4);
    let (_, fetched) = run(
        &config,
        [stored, vec![translated(miss(0, 0, 64), 0)]].concat(),
        0,
        100 * NS,
    );
    assert_eq!(
        fetched[4..],
        [400 * NS, 401 * NS],
        "the load is dispatched when the store has retired"
    );
}

/// A walk belongs to the operation that is ready first, whichever the program names first. The first load of the page waits for another one.
#[test]
fn who_is_ready_first_asks_first() {
    let config = core(CoreKind::OutOfOrder, 1, 64, 8);
    let waits_for = translated(miss(0, 0, 640), 0);
    let first = walked(miss(0, 1, 0), 0, 0..1);
    let second = translated(miss(0, 0, 1), 0);
    let (end, fetched) = run(&config, [vec![waits_for], first, vec![second]].concat(), 0, 100 * NS);
    // The second one asks at slot 2; its walk is over at 102, when the first one's operand has been there for 2 slots.
    assert_eq!(fetched, [0, 2, 102, 102].map(|at| at * NS));
    assert_eq!(end, 203 * NS);
}

/// A walk takes a register as a load does: with one, a load that misses holds the walk of the next one up.
#[test]
fn walks_take_registers() {
    let config = core(CoreKind::OutOfOrder, 1, 64, 1);
    let load = translated(miss(0, 0, 640), 0);
    let (_, fetched) = run(
        &config,
        [vec![load], walked(miss(0, 0, 0), 0, 0..1)].concat(),
        0,
        100 * NS,
    );
    assert_eq!(fetched, [0, 100, 200].map(|at| at * NS));
}

/// Random loads and stores with and without walks.
fn steps() -> impl Strategy<Value = Vec<Step>> {
    let op = (
        0u32..3,
        0u32..4,
        any::<bool>(),
        0u64..6,
        any::<bool>(),
        0usize..6,
        0u32..3,
    );
    prop::collection::vec(op, 1..120).prop_map(|ops| {
        let mut known = std::collections::HashSet::new();
        let mut steps = Vec::new();
        for (number, (gap, dep, write, page, misses, reads, slots)) in (0u64..).zip(ops) {
            let line = page * 64 + number % 3;
            // A table is read by walks alone; a line that is read again is in level 2.
            for read in 0..reads.saturating_sub(1) as u64 {
                let line = TABLES + (page / 2) * 8 + read;
                steps.push(Step::Walk(match known.insert(line) {
                    true => miss(0, 0, line),
                    false => hit(0, 0, line, 5),
                }));
            }
            let op = match misses && known.insert(line) {
                true => miss(gap, dep, line),
                false => hit(gap, dep, line, 3),
            };
            steps.push(translated(MicroOp { write, ..op }, slots));
        }
        steps
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, rng_seed: RngSeed::Fixed(37), failure_persistence: None, ..ProptestConfig::default() })]
    /// How far a core runs ahead changes nothing, and each line is fetched once.
    #[test]
    fn running_ahead_changes_nothing(steps in steps(), mshrs in 1u32..4, window in 1u32..20, latency in 1u64..50) {
        for config in [core(CoreKind::InOrder, 1, 1, 1), core(CoreKind::OutOfOrder, 2, window, mshrs)] {
            let plain = run(&config, steps.clone(), 0, latency * NS);
            for ahead in [3 * NS, 1000 * NS, 1_000_000 * NS] {
                prop_assert_eq!(&run(&config, steps.clone(), ahead, latency * NS), &plain);
            }
            let missing = |step: &&Step| match step {
                Step::Walk(op) | Step::Translated(op, _) => matches!(op.lookup, Lookup::Miss),
                _ => false,
            };
            prop_assert_eq!(plain.1.len(), steps.iter().filter(missing).count());
        }
    }
}
