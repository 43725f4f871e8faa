// SPDX-License-Identifier: MIT OR Apache-2.0
//! Run times that follow from one resource alone.

use super::*;

const NS: Ps = 1000;
const OUT_OF_ORDER: CoreKind = CoreKind::OutOfOrder;

#[test]
fn pure_computation_runs_at_the_issue_width() {
    for width in [1, 2, 4] {
        let ops = (0..1000).map(|i| hit(99, 0, i % 8, 1)).collect();
        let (end, _) = run(&core(OUT_OF_ORDER, width, 128, 8), ops, 100 * NS);
        assert_eq!(end, 100_000 * NS / Ps::from(width));
    }
}

#[test]
fn independent_hits_are_pipelined_and_dependent_hits_are_not() {
    let independent = (0..1000).map(|i| hit(0, 0, i % 8, 3)).collect();
    assert_eq!(run(&core(OUT_OF_ORDER, 1, 64, 8), independent, 0).0, (1000 + 2) * NS);
    let chain = (0..1000).map(|i| hit(0, 1, i % 8, 3)).collect();
    assert_eq!(run(&core(OUT_OF_ORDER, 1, 64, 8), chain, 0).0, 3 * 1000 * NS);
}

#[test]
fn a_pointer_chase_takes_the_sum_of_its_latencies() {
    for (width, window, mshrs) in [(1, 1, 1), (1, 128, 16), (4, 128, 16), (4, 8, 1)] {
        let ops = (0..500).map(|i| miss(0, 1, i)).collect();
        let (end, fetched) = run(&core(OUT_OF_ORDER, width, window, mshrs), ops, 100 * NS);
        assert_eq!(end, 500 * 100 * NS);
        assert!(fetched.windows(2).all(|pair| pair[1] - pair[0] == 100 * NS));
    }
}

#[test]
fn several_chains_overlap() {
    for chains in [1, 2, 5] {
        let ops = (0..500).map(|i| miss(0, chains, i)).collect();
        let (end, _) = run(&core(OUT_OF_ORDER, 4, 128, 16), ops, 100 * NS);
        let tail = (u64::from(chains) - 1) * NS / 4;
        assert_eq!(end, 500 / u64::from(chains) * 100 * NS + tail);
    }
}

#[test]
fn independent_misses_are_limited_by_the_mshrs() {
    for mshrs in [1, 2, 8] {
        let ops = (0..800).map(|i| miss(0, 0, i)).collect();
        let (end, _) = run(&core(OUT_OF_ORDER, 1, 128, mshrs), ops, 100 * NS);
        let tail = (Ps::from(mshrs) - 1) * NS;
        assert_eq!(end, 800 / Ps::from(mshrs) * 100 * NS + tail);
    }
}

#[test]
fn independent_misses_are_limited_by_the_window() {
    // Each miss comes with 15 other instructions: a window of 64 holds four.
    let ops = (0..400).map(|i| miss(15, 0, i)).collect();
    let (end, _) = run(&core(OUT_OF_ORDER, 1, 64, 32), ops, 1000 * NS);
    assert_eq!(end, 15 * NS + 400 / 4 * 1000 * NS + 3 * 16 * NS);
}

#[test]
fn an_in_order_core_takes_the_sum_of_everything() {
    let config = core(CoreKind::InOrder, 1, 64, 8);
    let mut ops = Vec::new();
    for i in 0..100 {
        ops.push(miss(7, 0, i));
        ops.push(hit(2, 0, i, 3));
        ops.push(store(hit(0, 1, i, 3)));
        ops.push(store(miss(1, 0, 1000 + i)));
    }
    let (end, _) = run(&config, ops, 100 * NS);
    assert_eq!(end, 100 * (7 + 100 + 2 + 3 + 3 + 1 + 100) * NS);
}

/// The buffer of a core, and the half of it that each of two threads has.
#[test]
fn stores_do_not_hold_up_retirement_until_their_buffer_is_full() {
    for threads in [1, 2] {
        let with = |mshrs: u32| CoreConfig {
            threads,
            ..core(OUT_OF_ORDER, 1, 16, mshrs)
        };
        // Fewer stores than the buffer holds: the loads behind them run on, and the end waits for the last line.
        let few = Pipeline::STORE_BUFFER as u64 / u64::from(threads);
        let ops: Vec<_> = (0..few).map(|i| store(miss(9, 0, i))).collect();
        let (end, fetched) = run(&with(64), ops, 10_000 * NS);
        assert_eq!(fetched.len() as u64, few);
        assert_eq!(
            *fetched.last().expect("some"),
            (few * 10 - 1) * NS,
            "no store waited for another"
        );
        assert_eq!(end, (few * 10 - 1) * NS + 10_000 * NS);

        // One more round of stores than that: the first of them retires when the first store has left.
        let many = 2 * few;
        let ops: Vec<_> = (0..many).map(|i| store(miss(9, 0, i))).collect();
        let (end, fetched) = run(&with(256), ops, 10_000 * NS);
        // Store 32 (from 0), of a whole buffer, is dispatched at slot 329 and retires when store 0, fetched at slot 9, has left:
        // slot 10,009. The window of 16 instructions lets store 33 be dispatched before that, and store 34 four slots later.
        let full = few as usize;
        assert_eq!(fetched[full + 1], ((few + 1) * 10 + 9) * NS);
        assert_eq!(fetched[full + 2], (10_009 + 4) * NS);
        assert_eq!(end, fetched[many as usize - 1] + 10_000 * NS);
    }
}

#[test]
fn accesses_to_a_line_on_its_way_share_one_fetch() {
    let ops = (0..800)
        .map(|i| {
            if i % 8 == 0 {
                miss(0, 0, i / 8)
            } else {
                hit(0, 0, i / 8, 1)
            }
        })
        .collect();
    let (end, fetched) = run(&core(OUT_OF_ORDER, 1, 64, 1), ops, 100 * NS);
    assert_eq!(fetched.len(), 100);
    assert_eq!(
        end,
        (100 * 100 + 7) * NS,
        "the seven hits after the last miss retire one by one"
    );
}

#[test]
fn a_line_is_asked_for_by_the_first_access_that_can() {
    // The first access to line 9 waits for a chain of two misses; the second does not, and fetches it at slot 3.
    let ops = vec![miss(0, 0, 1), miss(0, 1, 2), miss(0, 1, 9), hit(0, 0, 9, 1)];
    let (end, fetched) = run(&core(OUT_OF_ORDER, 1, 64, 8), ops, 100 * NS);
    assert_eq!(fetched, [0, 3 * NS, 100 * NS]);
    assert_eq!(end, (200 + 1 + 1) * NS);
}

#[test]
fn dirty_victims_leave_with_the_hit_or_when_the_line_arrives() {
    let mut victims = Victims::default();
    victims.push(Leaving::dirty(PhysAddr(64 * 77)));
    let ops = vec![
        MicroOp {
            victims,
            ..hit(1, 0, 5, 3)
        },
        MicroOp {
            victims,
            ..miss(4, 0, 1)
        },
    ];
    let mut core = build(&core(OUT_OF_ORDER, 1, 64, 8));
    core.resume(0);
    let mut source = List::new(ops);
    assert_eq!(core.step(Some(&mut source), 1000 * NS), Action::Ran);
    let left = |at| Action::Leave {
        at,
        leaving: Leaving::dirty(PhysAddr(64 * 77)),
    };
    assert_eq!(core.step(Some(&mut source), 1000 * NS), left(NS));
    let Action::Fetch {
        at,
        tag,
        write: false,
        line: PhysAddr(64),
    } = core.step(Some(&mut source), 1000 * NS)
    else {
        panic!("the miss fetches its line");
    };
    assert_eq!((at, core.next_time()), (6 * NS, fresco_dram::NEVER));
    core.complete(tag, 50 * NS, 60 * NS);
    let mut actions = Vec::new();
    while !matches!(actions.last(), Some(Action::Event { .. })) {
        actions.push(core.step(Some(&mut source), 1000 * NS));
    }
    actions.retain(|action| *action != Action::Ran);
    assert_eq!(actions, [left(60 * NS), Action::Event { at: 60 * NS }]);
}
