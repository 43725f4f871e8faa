// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two criticality levels: examples worked by hand, and random sets whose mode is changed at every instant.

mod modes;
mod random;

use fresco_rt::criticality::certificate::{check_demand, check_responses};
use fresco_rt::criticality::{
    AfterChange, DualError, DualTask, Late, Untunable, adaptive_responses, after_change, demand_after_change,
    virtual_deadlines,
};
use fresco_rt::policy::Order;
use fresco_rt::supply::{Dedicated, Tdma};
use fresco_rt::{Task, Time};
use random::{Forgotten, check};

fn low(name: &str, period: Time, wcet: Time) -> DualTask {
    DualTask::low(Task::new(name, 0, period, wcet, period).unwrap()).unwrap()
}

fn high(name: &str, period: Time, wcet: Time, wcet_high: Time) -> DualTask {
    DualTask::high(Task::new(name, 0, period, wcet, period).unwrap(), wcet_high).unwrap()
}

/// By hand. Low mode: 20 + ⌈50/2⌉ + ⌈50/10⌉ = 50. At the change: 20 + ⌈50/2⌉ + 5 ⌈90/10⌉ = 90. If all jobs took what they take at most, 0.5 + 0.5 + 0.2
/// of the processor would be needed.
#[test]
fn responses_over_the_change() {
    let set = [low("a", 2, 1), high("b", 10, 1, 5), high("c", 100, 20, 20)];
    let order = Order::RateMonotonic;
    let found = adaptive_responses(&set, order, &Dedicated, &Dedicated).unwrap();
    // b: 1 + ⌈2/2⌉ = 2 in low mode; 5 + 1 after it.
    assert_eq!(found, (vec![1, 2, 50], vec![None, Some(6), Some(90)]));
    let checked = |high: [Option<Time>; 3]| check_responses(&set, order, &found.0, &high, &Dedicated);
    assert!(checked([None, Some(6), Some(90)]).is_ok());
    assert!(checked([None, Some(6), Some(100)]).is_ok());
    for wrong in [
        [None, Some(5), Some(90)],
        [None, Some(6), Some(89)],
        [None, None, Some(90)],
        [None, Some(6), Some(101)],
    ] {
        assert!(checked(wrong).is_err(), "{wrong:?}");
    }
    // 8 of every 10: 20 + 25 + 5 ⌈R/10⌉ passes 100.
    let slots = Tdma::new(10, 8).unwrap();
    assert_eq!(adaptive_responses(&set, order, &Dedicated, &slots), Err(Late::High(2)));
    assert_eq!(adaptive_responses(&set, order, &slots, &slots), Err(Late::Low(0)));
}

/// The low task needs 1/2, the high one 1/7 in low mode and 5/7 in high mode: EDF-VD (Baruah et al., ECRTS 2012) has x = (1/7)/(1 − 1/2) = 2/7, a virtual
/// deadline of 2, and 2/7 · 1/2 + 5/7 ≤ 1. By hand at the change, D − V = 5: a job may be left with 4 of its 5 at 5, with all of them at 6, and the next one
/// adds 5 at 12 and 13.
#[test]
fn demand_after_the_change() {
    let set = [low("a", 4, 2), high("b", 7, 1, 5)];
    let at = |deadline: Time| {
        let task = set[1].clone().with_virtual_deadline(deadline).unwrap();
        [set[0].clone(), task]
    };
    let two = at(2);
    assert_eq!(
        [0, 4, 5, 6, 11, 12, 13].map(|t| demand_after_change(&two, t)),
        [0, 0, 4, 5, 5, 9, 10]
    );
    let AfterChange::Met(certificate) = after_change(&two, &Dedicated) else {
        panic!("EDF-VD accepts it");
    };
    assert_eq!(check_demand(&certificate, &two, &Dedicated), Ok(()));
    // With 4 the job may be left with 4 of 5 when 3 are left to its deadline.
    assert_eq!(
        after_change(&at(4), &Dedicated),
        AfterChange::Violated {
            t: 4,
            demand: 5,
            supply: 4
        }
    );
    assert!(check_demand(&certificate, &at(4), &Dedicated).is_err());
    let (tuned, ..) = virtual_deadlines(&set, &Dedicated, &Dedicated).unwrap();
    assert_eq!(tuned[1].virtual_deadline(), 3);
    // Low mode needs V of 5 or more, since 3 + 2 > 4; high mode needs D − V of 7 − 2 or more.
    let torn = [low("a", 4, 3), high("b", 8, 2, 7)];
    assert!(matches!(
        virtual_deadlines(&torn, &Dedicated, &Dedicated),
        Err(Untunable::High(AfterChange::Violated { .. }))
    ));
    // All of the processor is not enough where less is left to a deadline than a job takes.
    let full = [high("b", 7, 1, 7)];
    let refused = Untunable::High(AfterChange::Overloaded);
    assert_eq!(virtual_deadlines(&full, &Dedicated, &Dedicated), Err(refused));
}

#[test]
fn certificates_that_leave_something_out_are_refuted() {
    let set = [high("a", 12, 2, 4), high("b", 20, 3, 6)];
    let slots = Tdma::new(4, 3).unwrap();
    let (tuned, _, found) = virtual_deadlines(&set, &slots, &slots).unwrap();
    assert_eq!(check_demand(&found, &tuned, &slots), Ok(()));
    assert!(found.steps.len() > 1, "{found:?}");
    for step in 0..found.steps.len() {
        let mut wrong = found.clone();
        wrong.steps.remove(step);
        assert!(check_demand(&wrong, &tuned, &slots).is_err(), "without step {step}");
        let mut wrong = found.clone();
        wrong.steps[step].reached = wrong.steps[step].reached.saturating_sub(1);
        let refuted = check_demand(&wrong, &tuned, &slots).is_err();
        assert!(refuted, "step {step} reached 1 too early");
    }
    let mut short = found.clone();
    short.horizon = found.steps[0].t;
    short.steps.remove(0);
    assert!(check_demand(&short, &tuned, &slots).is_err(), "a short horizon");
}

#[test]
fn impossible_tasks_are_refused() {
    let task = || Task::new("t", 0, 10, 3, 8).unwrap();
    assert!(matches!(
        DualTask::high(task(), 2),
        Err(DualError::WcetHigh(_, 2, (3, 8)))
    ));
    assert!(matches!(DualTask::high(task(), 9), Err(DualError::WcetHigh(..))));
    let late = task().ready_late(1).unwrap();
    assert!(matches!(DualTask::low(late), Err(DualError::NotPlain(_))));
    let high = DualTask::high(task(), 8).unwrap();
    assert!(high.clone().with_virtual_deadline(2).is_err() && high.with_virtual_deadline(3).is_ok());
    assert!(DualTask::low(task()).unwrap().with_virtual_deadline(7).is_err());
}

/// Sets that are drawn; `RT_SETS` in the environment draws more.
fn sets() -> u64 {
    let given = std::env::var("RT_SETS").ok().and_then(|sets| sets.parse().ok());
    given.unwrap_or(2000)
}

#[test]
fn high_jobs_meet_their_deadlines_whenever_the_mode_changes() {
    let accepted = (0..sets()).filter(|&seed| check(seed, Forgotten::Nothing).0).count() as u64;
    assert!(accepted > sets() / 20, "{accepted} accepted");
    println!("{accepted} of {} accepted", sets());
}

/// An analysis that forgets one fact accepts sets that miss: so each fact is needed, and a run finds it.
#[test]
fn each_fact_is_needed() {
    for fact in Forgotten::FACTS {
        let found = (0..sets()).find(|&seed| check(seed, fact).1);
        assert!(found.is_some(), "{fact:?} is never missed");
        println!("{fact:?}: set {}", found.unwrap_or(0));
    }
}
