// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fetches of code: when dispatch waits for them, and what does not.

use super::*;

const NS: Ps = 1000;

fn timed(config: &CoreConfig, steps: &[Step], latency: impl Fn(PhysAddr) -> Ps) -> (Ps, Vec<Ps>) {
    let source = List {
        steps: steps.to_vec(),
        next: 0,
    };
    let (end, fetched) = run_steps(config, source, 0, 50_000, latency);
    (end / NS, fetched.into_iter().map(|at| at / NS).collect())
}

fn out_of_order() -> CoreConfig {
    core(CoreKind::OutOfOrder, 1, 128, 8)
}

#[test]
fn dispatch_waits_for_a_line_from_level_two_and_from_the_memory() {
    let near = [Step::Fetch(hit(5, 0, 7, 10)), Step::Op(hit(0, 0, 1, 1))];
    assert_eq!(timed(&out_of_order(), &near, |_| 100 * NS), (5 + 10 + 1, vec![]));
    let far = [Step::Fetch(miss(5, 0, 7)), Step::Op(hit(0, 0, 1, 1))];
    assert_eq!(timed(&out_of_order(), &far, |_| 100 * NS), (5 + 100 + 1, vec![5]));
    // It is no instruction: those before it are the gap's.
    let mut core = build(&out_of_order());
    core.resume(0);
    let mut source = List {
        steps: near.to_vec(),
        next: 0,
    };
    while !matches!(core.step(Some(&mut source), 1_000_000), Action::Event { .. }) {}
    assert_eq!(CoreModel::<List>::instructions(&*core), 6);
}

#[test]
fn what_was_dispatched_before_goes_on() {
    // The load is under way until 1000; code comes at 101, and the next code is asked for at once.
    let steps = [
        Step::Op(miss(0, 0, 1)),
        Step::Fetch(miss(0, 0, 2)),
        Step::Op(hit(0, 0, 3, 1)),
        Step::Fetch(miss(0, 0, 4)),
    ];
    let latency = |line: PhysAddr| if line.0 == 64 { 1000 * NS } else { 100 * NS };
    assert_eq!(timed(&out_of_order(), &steps, latency), (1001, vec![0, 1, 102]));
    // A load that arrives meanwhile does not let dispatch go on.
    let steps = [
        Step::Op(miss(0, 0, 1)),
        Step::Fetch(miss(0, 0, 2)),
        Step::Op(miss(0, 0, 3)),
    ];
    let latency = |line: PhysAddr| if line.0 == 128 { 1000 * NS } else { 100 * NS };
    assert_eq!(timed(&out_of_order(), &steps, latency), (1101, vec![0, 1, 1001]));
}

#[test]
fn a_core_in_order_has_one_thing_under_way() {
    let config = core(CoreKind::InOrder, 1, 64, 8);
    let steps = [
        Step::Op(miss(0, 0, 1)),
        Step::Fetch(miss(9, 0, 2)),
        Step::Op(hit(0, 0, 3, 1)),
    ];
    assert_eq!(timed(&config, &steps, |_| 100 * NS), (100 + 9 + 100 + 1, vec![0, 109]));
}

#[test]
fn code_that_is_under_way_as_data_is_waited_for_and_the_window_is_heeded() {
    let steps = [
        Step::Op(miss(0, 0, 7)),
        Step::Fetch(hit(0, 0, 7, 3)),
        Step::Op(hit(0, 0, 1, 1)),
    ];
    assert_eq!(timed(&out_of_order(), &steps, |_| 100 * NS), (101, vec![0]));
    // A load that waits for another one has not asked for its line: the fetch does, and the load finds it under way.
    let steps = [
        Step::Op(miss(0, 0, 1)),
        Step::Op(miss(0, 1, 2)),
        Step::Fetch(hit(0, 0, 2, 3)),
        Step::Op(hit(0, 0, 3, 1)),
    ];
    assert_eq!(timed(&out_of_order(), &steps, |_| 100 * NS), (103, vec![0, 2]));
    // The instruction that needs the code finds no room before the load has retired.
    let narrow = core(CoreKind::OutOfOrder, 1, 4, 8);
    let steps = [
        Step::Op(miss(0, 0, 1)),
        Step::Fetch(miss(9, 0, 2)),
        Step::Op(hit(0, 0, 3, 1)),
    ];
    assert_eq!(timed(&narrow, &steps, |_| 100 * NS).1, [0, 106]);
}

#[test]
fn dirty_lines_that_code_displaces_leave_when_it_comes() {
    let mut victims = Victims::default();
    victims.push(Leaving::dirty(PhysAddr(64 * 77)));
    let code = MicroOp {
        victims,
        ..miss(5, 0, 7)
    };
    let mut core = build(&out_of_order());
    core.resume(0);
    let mut source = List {
        steps: vec![Step::Fetch(code)],
        next: 0,
    };
    let mut actions = Vec::new();
    while !matches!(actions.last(), Some(Action::Event { .. })) {
        let action = core.step(Some(&mut source), 1000 * NS);
        if let Action::Fetch { at, tag, write, .. } = action {
            assert!(!write);
            core.complete(tag, at, at + 100 * NS);
        }
        actions.push(action);
    }
    let leaving = Leaving::dirty(PhysAddr(64 * 77));
    assert!(
        actions.contains(&Action::Leave { at: 105 * NS, leaving }),
        "{actions:?}"
    );
    assert_eq!(actions.last(), Some(&Action::Event { at: 105 * NS }));
}
