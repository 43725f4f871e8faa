// SPDX-License-Identifier: MIT OR Apache-2.0
//! The slides' example, one rule at a time, and what holds for any course of events.

mod regulator;

use super::*;
use proptest::prelude::*;

fn soft(lines: u64) -> Reservation {
    Reservation {
        lines,
        kind: Kind::Soft,
        weight: 1,
    }
}

fn hard(lines: u64) -> Reservation {
    Reservation {
        kind: Kind::Hard,
        ..soft(lines)
    }
}

fn manager(reservations: &[Reservation], reclaim: bool, share: Share) -> Manager {
    Manager::new(Settings {
        total: reservations.iter().map(|one| one.lines).sum(),
        reservations: reservations.to_vec(),
        reclaim,
        share,
        chunk: 1,
        prediction: Prediction::Last,
    })
}

/// The core uses `lines`, one after the other; its interrupt comes at once. The last decision.
fn uses(manager: &mut Manager, core: usize, lines: u64) -> Decision {
    let mut decision = Decision::GoOn;
    for _ in 0..lines {
        decision = if manager.used(core, 1) {
            manager.exhausted(core)
        } else {
            Decision::GoOn
        };
    }
    decision
}

#[test]
fn the_reclaim_example_of_the_slides() {
    // MG-5: two cores with a budget of 3 each, periods of 10; a chunk of 1.
    let mut manager = manager(&[soft(3), soft(3)], true, Share::None);
    assert_eq!((manager.given(), manager.pool()), (vec![3, 3], 0), "time 0");
    assert_eq!(uses(&mut manager, 0, 1), Decision::GoOn, "time 3");
    assert_eq!(uses(&mut manager, 1, 1), Decision::GoOn, "time 4");
    manager.begin_period();
    assert_eq!(
        (manager.given(), manager.pool()),
        (vec![1, 1], 4),
        "time 10: both donate 2"
    );
    assert_eq!(uses(&mut manager, 1, 1), Decision::GoOn, "time 12");
    assert_eq!(
        (manager.given(), manager.pool()),
        (vec![1, 3], 2),
        "core 1 takes its reservation back"
    );
    assert_eq!(uses(&mut manager, 1, 2), Decision::GoOn, "time 15");
    assert_eq!(
        (manager.given(), manager.pool()),
        (vec![1, 4], 1),
        "core 1 gets a chunk beyond it"
    );
    assert_eq!(uses(&mut manager, 0, 1), Decision::GoOn, "time 16");
    assert_eq!(
        (manager.given(), manager.pool()),
        (vec![2, 4], 0),
        "core 0 gets what is left of its 2"
    );
    assert_eq!(uses(&mut manager, 1, 1), Decision::Stall, "time 17: nothing remains");
    assert!(manager.is_stalled(1) && !manager.is_stalled(0));
    manager.begin_period();
    assert_eq!(
        (manager.given(), manager.pool()),
        (vec![1, 3], 2),
        "time 20: core 0 donates 2, core 1 nothing"
    );
    let counts = [0, 1].map(|core| manager.counts(core));
    assert_eq!(counts.map(|one| one.donated), [4, 2]);
    assert_eq!(counts.map(|one| (one.reclaimed, one.extra)), [(1, 0), (2, 1)]);
    assert_eq!(counts.map(|one| (one.exhausted, one.errors)), [(0, 0), (1, 0)]);
}

#[test]
fn without_reclaiming_a_budget_is_a_budget() {
    let mut manager = manager(&[soft(3), soft(3)], false, Share::None);
    assert_eq!(uses(&mut manager, 0, 2), Decision::GoOn);
    assert_eq!(uses(&mut manager, 0, 1), Decision::Stall);
    manager.begin_period();
    assert_eq!((manager.given(), manager.pool()), (vec![3, 3], 0));
    assert_eq!(manager.counts(0).exhausted, 1);
}

#[test]
fn a_wrong_prediction_costs_a_soft_core_its_reservation_and_is_counted() {
    let mut manager = manager(&[soft(10), soft(10)], true, Share::None);
    manager.begin_period();
    assert_eq!((manager.given(), manager.pool()), (vec![0, 0], 20));
    assert_eq!(uses(&mut manager, 1, 20), Decision::Stall, "core 1 takes it all");
    assert_eq!(uses(&mut manager, 0, 1), Decision::Stall);
    manager.begin_period();
    assert_eq!([manager.counts(0).errors, manager.counts(1).errors], [1, 0]);
}

#[test]
fn hard_cores_neither_donate_nor_take() {
    let mut manager = manager(&[hard(10), soft(10)], true, Share::None);
    manager.begin_period();
    assert_eq!((manager.given(), manager.pool()), (vec![10, 0], 10));
    assert_eq!(uses(&mut manager, 1, 10), Decision::Stall, "not robbed");
    assert_eq!(uses(&mut manager, 0, 9), Decision::GoOn);
    manager.begin_period();
    assert_eq!(manager.given(), [10, 10]);
    manager.begin_period();
    assert_eq!((manager.given(), manager.pool()), (vec![10, 0], 10));
    assert_eq!(uses(&mut manager, 0, 10), Decision::Stall, "takes nothing");
    assert_eq!(manager.pool(), 10);
}

#[test]
fn all_go_on_when_all_are_exhausted() {
    let mut manager = manager(&[hard(2), soft(1)], false, Share::BestEffort);
    assert_eq!(uses(&mut manager, 0, 2), Decision::Stall, "core 1 has a line left");
    assert_eq!(uses(&mut manager, 1, 1), Decision::AllGoOn);
    assert!(!manager.is_stalled(0));
    assert_eq!(uses(&mut manager, 0, 100), Decision::GoOn);
    assert_eq!(manager.beyond(), None);
    manager.begin_period();
    assert_eq!(
        uses(&mut manager, 1, 1),
        Decision::Stall,
        "to the end of the period only"
    );
}

#[test]
fn what_is_left_is_shared_by_weight() {
    let weighed = [1, 2, 4].map(|weight| Reservation { weight, ..soft(1) });
    let mut manager = manager(&weighed, false, Share::Weights);
    assert_eq!(uses(&mut manager, 0, 1), Decision::Stall);
    assert_eq!(uses(&mut manager, 1, 1), Decision::Stall);
    assert_eq!(uses(&mut manager, 2, 1), Decision::AllGoOn);
    assert_eq!((manager.given(), manager.beyond()), (vec![2, 3, 5], Some(7)));
    assert_eq!(
        uses(&mut manager, 2, 4),
        Decision::Stall,
        "the others have not had theirs"
    );
    assert_eq!(uses(&mut manager, 0, 1), Decision::Stall);
    assert_eq!(uses(&mut manager, 1, 2), Decision::AllGoOn);
    assert_eq!(manager.given(), [3, 5, 9]);
}

#[test]
fn lines_under_way_are_overshoot() {
    let mut manager = manager(&[soft(4)], false, Share::None);
    assert!(manager.used(0, 4));
    assert!(manager.used(0, 3));
    assert_eq!(manager.exhausted(0), Decision::Stall);
    manager.begin_period();
    assert_eq!(manager.counts(0).overshoot, 3);
    // An interrupt that comes in the next period finds a budget there.
    assert_eq!(manager.exhausted(0), Decision::GoOn);
}

#[derive(Clone, Debug)]
enum Event {
    Uses(usize, u64),
    Interrupt(usize),
    Period,
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        20 => (0..4usize, 1..6u64).prop_map(|(core, lines)| Event::Uses(core, lines)),
        20 => (0..4usize).prop_map(Event::Interrupt),
        1 => Just(Event::Period),
    ]
}

prop_compose! {
    fn settings()(
        cores in proptest::collection::vec((0..30u64, any::<bool>(), 1..9u32), 4),
        spare in 0..20u64,
        reclaim in any::<bool>(),
        share in prop_oneof![Just(Share::None), Just(Share::BestEffort), Just(Share::Weights)],
        chunk in 1..5u64,
        average in any::<bool>(),
    ) -> Settings {
        let kind = |hard| if hard { Kind::Hard } else { Kind::Soft };
        let one = |(lines, hard, weight)| Reservation { lines, kind: kind(hard), weight };
        let reservations: Vec<Reservation> = cores.into_iter().map(one).collect();
        let total = reservations.iter().map(|one| one.lines).sum::<u64>() + spare;
        let prediction = if average { Prediction::Average } else { Prediction::Last };
        Settings { reservations, total, reclaim, share, chunk, prediction }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn budgets_are_conserved_and_hard_ones_kept(
        settings in settings(),
        events in proptest::collection::vec(event(), 1..300),
    ) {
        let mut manager = Manager::new(settings.clone());
        for event in events {
            match event {
                Event::Period => manager.begin_period(),
                Event::Interrupt(core) => {
                    let stalls = manager.exhausted(core) == Decision::Stall;
                    prop_assert_eq!(stalls, manager.is_stalled(core));
                    if stalls {
                        prop_assert!(manager.used_now(core) >= manager.given()[core]);
                    }
                }
                Event::Uses(core, lines) => {
                    let spent = manager.used(core, lines);
                    let open = manager.beyond().is_none();
                    prop_assert_eq!(spent, !open && manager.used_now(core) >= manager.given()[core]);
                }
            }
            let given = manager.given();
            if let Some(beyond) = manager.beyond() {
                let sum = given.iter().sum::<u64>() + manager.pool();
                prop_assert!(sum <= settings.total + beyond, "{sum} of {}", settings.total);
                if settings.reclaim {
                    prop_assert_eq!(sum, settings.total + beyond);
                }
                prop_assert!(beyond == 0 || settings.share == Share::Weights);
            } else {
                prop_assert_eq!(settings.share, Share::BestEffort);
            }
            for (core, one) in settings.reservations.iter().enumerate() {
                if one.kind == Kind::Hard || !settings.reclaim {
                    prop_assert!(given[core] >= one.lines, "hard reservations are kept");
                    prop_assert_eq!(manager.counts(core).errors, 0);
                    prop_assert_eq!(manager.counts(core).donated, 0);
                }
                prop_assert!(manager.counts(core).errors <= manager.counts(core).exhausted);
            }
        }
    }

    #[test]
    fn who_asks_in_time_gets_its_reservation_while_the_pool_lasts(
        settings in settings(),
        wants in proptest::collection::vec(0..60u64, 8),
    ) {
        // One core alone asks, in each period: nothing is in its way.
        let mut manager = Manager::new(settings.clone());
        let reserved = settings.reservations[0].lines;
        for want in wants {
            let mut got = 0;
            while got < want && !manager.is_stalled(0) {
                got += 1;
                if manager.used(0, 1) {
                    manager.exhausted(0);
                }
            }
            prop_assert!(got >= want.min(reserved.max(1)));
            manager.begin_period();
            prop_assert_eq!(manager.counts(0).errors, 0);
        }
    }
}
