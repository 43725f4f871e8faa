// SPDX-License-Identifier: MIT OR Apache-2.0
//! The tests inside a server against their definitions, and least budgets against trying every budget.

use fresco_rt::budget::{Family, least_budget};
use fresco_rt::certificate::{EdfStep, Refuted, ResponseCertificate};
use fresco_rt::demand::{dbf, utilization};
use fresco_rt::edf::{EdfVerdict, demand_horizon, edf_test};
use fresco_rt::fixed_priority::{fixed_priority_test, response_bounds};
use fresco_rt::policy::{Order, Policy};
use fresco_rt::supply::{AutoRefresh, Dedicated, LinearBound, PeriodicResource, SlotTable, Supply, Tdma};
use fresco_rt::task::hyperperiod;
use fresco_rt::time::lcm;
use fresco_rt::{Task, Time};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

const ORDER: Order = Order::DeadlineMonotonic;

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(2),
        ..ProptestConfig::default()
    }
}

/// Small tasks whose hyperperiod stays small.
fn tasks(most: usize) -> impl Strategy<Value = Vec<Task>> {
    let periods = prop::sample::select(vec![6u64, 8, 10, 12, 15, 16, 20, 24, 30, 40]);
    let task = (periods, 1u64..6, 0u64..6).prop_map(|(period, wcet, early)| {
        Task::new("t", 0, period, wcet, (period - early.min(period - 1)).max(wcet)).unwrap()
    });
    prop::collection::vec(task, 1..=most)
}

/// The definition: demand within supply at every length up to where both repeat.
fn edf_by_definition(tasks: &[Task], supply: &impl Supply) -> bool {
    if utilization(tasks).unwrap() > supply.rate() {
        return false;
    }
    let repeat = lcm(hyperperiod(tasks).unwrap(), supply.period()).unwrap();
    (0..=repeat + 2 * supply.period() + 40).all(|t| dbf(tasks, t) <= u128::from(supply.sbf(t)))
}

fn fp_by_definition(tasks: &[Task], supply: &impl Supply) -> bool {
    let ranking = ORDER.ranking(tasks);
    ranking.iter().enumerate().all(|(rank, &i)| {
        (1..=tasks[i].deadline).any(|t| {
            let higher = ranking[..rank]
                .iter()
                .map(|&k| t.div_ceil(tasks[k].period) * tasks[k].wcet);
            tasks[i].wcet + higher.sum::<Time>() <= supply.sbf(t)
        })
    })
}

/// The test, its certificate in the eyes of the checker, and the definition agree.
fn agree(tasks: &[Task], supply: &impl Supply) -> Result<(), TestCaseError> {
    let verdict = edf_test(tasks, supply).unwrap();
    prop_assert_eq!(verdict.is_schedulable(), edf_by_definition(tasks, supply));
    match &verdict {
        EdfVerdict::Schedulable(certificate) => prop_assert_eq!(certificate.check(tasks, supply), Ok(())),
        &EdfVerdict::Violated {
            t,
            demand,
            supply: supplied,
        } => {
            prop_assert!(dbf(tasks, t) == demand && supply.sbf(t) == supplied && demand > u128::from(supplied));
        }
        EdfVerdict::Overloaded => prop_assert!(utilization(tasks).unwrap() > supply.rate()),
    }
    let served = fixed_priority_test(tasks, ORDER, supply);
    prop_assert_eq!(served.is_some(), fp_by_definition(tasks, supply));
    if let Some(certificate) = served {
        prop_assert_eq!(certificate.check(tasks, supply), Ok(()));
        // Least fixed points: no bound can be shortened.
        for i in 0..tasks.len() {
            let mut shorter = certificate.clone();
            shorter.responses[i] -= 1;
            prop_assert_eq!(shorter.check(tasks, supply), Err(Refuted::Response(i)));
        }
    }
    Ok(())
}

/// Whether a budget suffices, by definition.
fn suffices(tasks: &[Task], policy: Policy, family: Family, period: Time, budget: Time) -> bool {
    fn on(tasks: &[Task], policy: Policy, supply: &impl Supply) -> bool {
        match policy {
            Policy::Edf => edf_by_definition(tasks, supply),
            Policy::FixedPriority(_) => fp_by_definition(tasks, supply),
        }
    }
    match family {
        Family::Periodic => on(tasks, policy, &PeriodicResource::new(period, budget).unwrap()),
        Family::PeriodicLinear => on(tasks, policy, &LinearBound::new(period, budget).unwrap()),
        Family::Tdma => on(tasks, policy, &Tdma::new(period, budget).unwrap()),
    }
}

proptest! {
    #![proptest_config(config(1500))]

    #[test]
    fn tests_agree_with_their_definitions(set in tasks(4), period in 1u64..24, part in 0u64..1000) {
        let budget = period - part % (period / 2 + 1);
        agree(&set, &Dedicated)?;
        agree(&set, &PeriodicResource::new(period, budget).unwrap())?;
        agree(&set, &LinearBound::new(period, budget).unwrap())?;
        agree(&set, &Tdma::new(period, budget).unwrap())?;
        // Slots of uneven length, and a refreshed processor.
        let half = period.div_ceil(2);
        let slots = SlotTable::new(2 * period, &[(0, half), (period + half / 2, 2 * period)]).unwrap();
        agree(&set, &slots)?;
        agree(&set, &AutoRefresh::new(6 * period, 4, period.div_ceil(8)).unwrap())?;
    }
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn least_budgets_are_least(set in tasks(3), period in 1u64..16) {
        for family in [Family::Periodic, Family::PeriodicLinear, Family::Tdma] {
            for policy in [Policy::Edf, Policy::FixedPriority(ORDER)] {
                let least = (1..=period).find(|&budget| suffices(&set, policy, family, period, budget));
                prop_assert_eq!(least_budget(&set, policy, family, period).unwrap(), least, "{:?} {:?}", family, policy);
            }
        }
    }
}

#[test]
fn forged_certificates_are_refused() {
    let set = [(10, 3, 6), (15, 4, 15)].map(|(p, e, d)| Task::new("t", 0, p, e, d).unwrap());
    let EdfVerdict::Schedulable(honest) = edf_test(&set, &Dedicated).unwrap() else {
        panic!("schedulable")
    };
    assert_eq!(honest.check(&set, &Dedicated), Ok(()));
    assert_eq!(honest.horizon, demand_horizon(&set, &Dedicated).unwrap().unwrap());

    let mut early = honest.clone();
    early.horizon = 1;
    early.steps.clear();
    assert_eq!(early.check(&set, &Dedicated), Err(Refuted::Horizon));
    let mut long = honest.clone();
    long.horizon += 60;
    assert!(matches!(
        long.check(&set, &Dedicated),
        Err(Refuted::Gap(_) | Refuted::Unfinished(_))
    ));

    // A resource on which the chain has steps to forge.
    let supply = PeriodicResource::new(4, 3).unwrap();
    let EdfVerdict::Schedulable(honest) = edf_test(&set, &supply).unwrap() else {
        panic!("schedulable")
    };
    assert_eq!(honest.check(&set, &supply), Ok(()));
    assert!(honest.steps.len() > 1, "{honest:?}");
    for left_out in 0..honest.steps.len() - 1 {
        let mut gap = honest.clone();
        gap.steps.remove(left_out);
        assert_eq!(gap.check(&set, &supply), Err(Refuted::Gap(gap.steps[left_out].t)));
    }
    let mut cut = honest.clone();
    cut.steps.pop();
    assert!(matches!(cut.check(&set, &supply), Err(Refuted::Unfinished(_))));
    let mut short = honest.clone();
    let EdfStep { t, reached } = short.steps[0];
    short.steps[0] = EdfStep {
        t,
        reached: reached - 1,
    };
    assert_eq!(short.check(&set, &supply), Err(Refuted::Short(t)));
}

/// Responses that are supplied but late, too short, or of a ranking that leaves a task out.
#[test]
fn forged_responses_are_refused() {
    let set = [(10, 5), (15, 9)].map(|(p, e)| Task::new("t", 0, p, e, p).unwrap());
    let claim = |ranking: &[usize], responses: &[Time]| {
        let certificate = ResponseCertificate {
            ranking: ranking.to_vec(),
            responses: responses.to_vec(),
        };
        certificate.check(&set, &Dedicated)
    };
    assert_eq!(
        claim(&[0, 1], &[5, 24]),
        Err(Refuted::Response(1)),
        "24 is supplied, after the deadline"
    );
    assert_eq!(claim(&[0, 1], &[5, 15]), Err(Refuted::Response(1)));
    assert_eq!(claim(&[0, 1], &[4, 24]), Err(Refuted::Response(0)));
    assert_eq!(claim(&[0, 0], &[5, 9]), Err(Refuted::Ranking));
    assert_eq!(claim(&[0], &[5]), Err(Refuted::Ranking));
}

/// E22: with floors instead of ceilings this overloaded set responds in 5 and 9.
#[test]
fn floors_in_response_times_accept_an_overload() {
    let set = [(10, 5), (15, 9)].map(|(p, e)| Task::new("t", 0, p, e, p).unwrap());
    assert_eq!(response_bounds(&set, Order::RateMonotonic, &Dedicated), [Some(5), None]);
    assert_eq!(edf_test(&set, &Dedicated), Ok(EdfVerdict::Overloaded));
}

/// Periods whose common multiple exceeds 64 bits need none while the load stays clear of the rate.
#[test]
fn hyperperiods_beyond_64_bits_matter_only_at_the_edge() {
    let primes = [999_999_937u64, 999_999_929, 999_999_893, 999_999_883];
    let load = |wcet: Time| primes.map(|p| Task::new("t", 0, p, wcet, p).unwrap());
    assert!(hyperperiod(&load(1)).is_err());
    assert!(edf_test(&load(200_000_000), &Dedicated).unwrap().is_schedulable());
    assert_eq!(edf_test(&load(300_000_000), &Dedicated), Ok(EdfVerdict::Overloaded));
    let set = load(200_000_000);
    let budget = least_budget(&set, Policy::Edf, Family::Periodic, 4_000_000)
        .unwrap()
        .unwrap();
    let accepted = |b: Time| {
        edf_test(&set, &PeriodicResource::new(4_000_000, b).unwrap())
            .unwrap()
            .is_schedulable()
    };
    assert!(accepted(budget) && !accepted(budget - 1));
}
