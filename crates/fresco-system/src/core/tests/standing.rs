// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cores whose lines find no room on their way to memory.

use super::*;
use fresco_dram::NEVER;

const IN_ORDER: CoreKind = CoreKind::InOrder;
const OUT_OF_ORDER: CoreKind = CoreKind::OutOfOrder;

const NS: Ps = 1000;

/// Two lines that leave with hits, a miss, and hits after it. The memory lets the core stand when the first line leaves, for so long; returns when
/// each access left the core, and the end.
fn run(kind: CoreKind, ahead: Ps, stands: Ps) -> (Vec<Action>, Ps) {
    let mut victims = Victims::default();
    victims.push(Leaving::dirty(PhysAddr(64 * 77)));
    let leaves = |gap, line| MicroOp {
        victims,
        ..hit(gap, 0, line, 3)
    };
    let mut ops = vec![leaves(1, 5), leaves(0, 6), miss(0, 0, 1)];
    ops.extend((10..14).map(|line| hit(0, 0, line, 3)));
    let mut source = List::new(ops);
    let window = if kind == IN_ORDER { 1 } else { 64 };
    let mut core: Box<dyn CoreModel<List>> = build(&core(kind, 1, window, 8));
    core.resume(0);
    let (mut actions, mut answer, mut until) = (Vec::new(), NEVER, None);
    loop {
        let now = core.next_time().min(answer).min(until.unwrap_or(NEVER));
        assert!(now < NEVER, "it goes on: {actions:?}");
        if until == Some(now) {
            core.stand(now, false);
            until = None;
        } else if answer == now {
            core.complete(MissTag(0), now, now);
            answer = NEVER;
        } else {
            match core.step(Some(&mut source), now + ahead) {
                Action::Ran => {}
                Action::Event { at } => return (actions, at),
                action => {
                    if let Action::Fetch { at, .. } = action {
                        answer = at + 50 * NS;
                    }
                    if actions.is_empty() && stands > 0 {
                        core.stand(now, true);
                        until = Some(now + stands);
                    }
                    actions.push(action);
                }
            }
        }
    }
}

/// When accesses left the core.
fn times(actions: &[Action]) -> Vec<Ps> {
    let at = |action: &Action| match action {
        Action::Fetch { at, .. } | Action::Leave { at, .. } => at / NS,
        other => panic!("{other:?}"),
    };
    actions.iter().map(at).collect()
}

#[test]
fn in_order_a_core_stands_still() {
    // Hits of 3 ns each at 1 and 4, the miss at 7, four hits after it.
    let (actions, end) = run(IN_ORDER, 100 * NS, 0);
    assert_eq!((times(&actions), end), (vec![1, 4, 7], 69 * NS));
    for ahead in [0, 1, 2 * NS, 1000 * NS] {
        // The first line leaves at 1, and has room at 41: the next instruction is dispatched then, at 4 without.
        let (actions, end) = run(IN_ORDER, ahead, 40 * NS);
        assert_eq!((times(&actions), end), (vec![1, 41, 44], 106 * NS), "{ahead} ps");
        // No time is lost while the hit lasts anyhow.
        let (actions, end) = run(IN_ORDER, ahead, 2 * NS);
        assert_eq!((times(&actions), end), (vec![1, 4, 7], 69 * NS), "{ahead} ps");
    }
}

#[test]
fn out_of_order_its_accesses_wait_in_order_and_its_hits_do_not() {
    // The data come 50 ns after the fetch at 3, and the four hits retire after that, one each slot.
    let (actions, end) = run(OUT_OF_ORDER, 100 * NS, 0);
    assert_eq!((times(&actions), end), (vec![1, 2, 3], 57 * NS));
    for ahead in [0, 1, 2 * NS, 1000 * NS] {
        let (actions, end) = run(OUT_OF_ORDER, ahead, 40 * NS);
        assert_eq!((times(&actions), end), (vec![1, 41, 41], 95 * NS), "{ahead} ps");
    }
}

/// What it reports waits, too.
#[test]
fn an_event_waits_until_the_core_goes_on() {
    let mut core: Box<dyn CoreModel<List>> = build(&core(OUT_OF_ORDER, 1, 64, 8));
    let mut source = List::new(vec![hit(9, 0, 5, 3)]);
    core.resume(0);
    core.stand(0, true);
    assert_eq!(core.step(Some(&mut source), 100 * NS), Action::Ran);
    assert_eq!(core.next_time(), NEVER);
    core.stand(70 * NS, false);
    assert_eq!(core.step(Some(&mut source), 100 * NS), Action::Event { at: 70 * NS });
}
