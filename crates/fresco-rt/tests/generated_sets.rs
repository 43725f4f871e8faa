// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random task sets keep their recipe; every method is asked, and the tests stand to each other as the theory says.

use fresco_rt::acceptance::{self, Conditions, Method, Verdict, judge};
use fresco_rt::generate::{Deadlines, GenerateError, Periods, Phases, Recipe, Shares};
use fresco_rt::policy::{Order, Policy};
use fresco_rt::refresh::Density;

fn recipe() -> Recipe {
    Recipe {
        seed: 7,
        ..acceptance::recipe(6)
    }
}

#[test]
fn sets_keep_their_recipe() {
    let log = Periods::LogUniform {
        least: 1_000_000,
        most: 100_000_000,
        step: 100_000,
    };
    for shares in [Shares::UUniFast, Shares::Drs] {
        let recipe = Recipe {
            shares,
            bounds: (50_000, 300_000),
            periods: log.clone(),
            deadlines: Deadlines::Constrained,
            phases: Phases::Random,
            ..recipe()
        };
        for index in 0..300 {
            let set = recipe.set(900_000, index).unwrap();
            assert_eq!(set.len(), 6);
            let load: f64 = set.iter().map(|t| t.wcet as f64 / t.period as f64).sum();
            assert!(0.89999 < load && load <= 0.9 + 1e-9, "{load}");
            for task in &set {
                let share = task.wcet as f64 / task.period as f64;
                assert!((0.04999..=0.3).contains(&share), "{share}");
                assert!(task.deadline >= task.wcet + (task.period - task.wcet) / 2 && task.phase < task.period);
                assert_eq!(task.period % 100_000, 0);
            }
            assert_eq!(recipe.set(900_000, index).unwrap(), set, "the same again");
        }
        assert_ne!(recipe.set(900_000, 0), recipe.set(900_000, 1));
    }
}

/// Sets scale with the utilisation: the same numbers are drawn.
#[test]
fn sets_compare_over_utilization() {
    let (low, high) = (recipe().set(400_000, 3).unwrap(), recipe().set(800_000, 3).unwrap());
    for (a, b) in low.iter().zip(&high) {
        assert_eq!(a.period, b.period);
        assert!(b.wcet.abs_diff(2 * a.wcet) <= 1);
    }
}

#[test]
fn impossible_recipes_say_why() {
    let refused = |change: &dyn Fn(&mut Recipe), utilization: u32| {
        let mut recipe = recipe();
        change(&mut recipe);
        recipe.set(utilization, 0).unwrap_err()
    };
    assert_eq!(refused(&|r| r.tasks = 0, 500_000), GenerateError::Tasks(0));
    assert_eq!(refused(&|r| r.bounds = (2, 1), 500_000), GenerateError::Bounds(2, 1));
    assert_eq!(
        refused(&|r| r.periods = Periods::List(vec![]), 500_000),
        GenerateError::Periods
    );
    assert_eq!(
        refused(&|r| r.bounds = (0, 100_000), 700_000),
        GenerateError::Unreachable(700_000, 0, 600_000)
    );
    assert_eq!(refused(&|_| (), 0), GenerateError::Unreachable(0, 0, 6_000_000));
    assert_eq!(
        refused(&|r| r.bounds = (166_600, 166_700), 1_000_000),
        GenerateError::Discarded
    );
    let rare = Recipe {
        shares: Shares::Drs,
        bounds: (166_600, 166_700),
        ..recipe()
    };
    assert!(rare.set(1_000_000, 0).is_ok(), "DRS needs no luck");
}

/// linear accepts no more than periodic, that no more than table, that no more than flat; aligned accepts every set here. At 64
/// Gb no fixed burst leaves room (E33).
#[test]
fn methods_stand_to_each_other_as_proved() {
    let sets: Vec<_> = (0..12).map(|index| recipe().set(800_000, index).unwrap()).collect();
    let count = |method: Method, density: Density| {
        let conditions = Conditions::of(density, Policy::Edf);
        sets.iter()
            .filter(|set| judge(method, set, &conditions) == Verdict::Accepted)
            .count()
    };
    for density in [Density::Gb2, Density::Gb8] {
        let chain = [Method::Linear, Method::Periodic, Method::Table, Method::Flat].map(|m| count(m, density));
        assert!(chain.is_sorted() && chain[1] > 0, "{density:?}: {chain:?}");
        assert_eq!(count(Method::Aligned, density), 12);
        assert_eq!(count(Method::AutoRefresh, density), 12);
        assert!(count(Method::ColoredRefresh, density) > 0);
    }
    for method in [Method::AutoRefresh, Method::Linear, Method::Periodic, Method::Table] {
        assert_eq!(count(method, Density::Gb64), 0, "{method:?}");
    }
    assert!(count(Method::Aligned, Density::Gb64) > 6);
}

/// Rate-monotonic priorities accept no set that EDF does not, under auto-refresh, where both tests are exact; handlers that leave no
/// time are no error, times beyond what a test takes are undecided.
#[test]
fn conditions_matter() {
    let fixed = Conditions::of(Density::Gb8, Policy::FixedPriority(Order::RateMonotonic));
    let edf = Conditions::of(Density::Gb8, Policy::Edf);
    for index in 0..40 {
        let set = recipe().set(850_000, index).unwrap();
        let accepted = |conditions| judge(Method::AutoRefresh, &set, conditions) == Verdict::Accepted;
        assert!(accepted(&edf) || !accepted(&fixed));
    }
    let set = recipe().set(100_000, 0).unwrap();
    let slow = Conditions {
        handler: 40_000_000,
        ..edf
    };
    for method in [
        Method::Table,
        Method::Periodic,
        Method::Flat,
        Method::Aligned,
        Method::ColoredRefresh,
    ] {
        assert_eq!(judge(method, &set, &slow), Verdict::Rejected, "{method:?}");
    }
    let coprime = Recipe {
        periods: Periods::List(vec![999_983, 999_979, 999_961, 999_959]),
        ..recipe()
    };
    let set = coprime.set(300_000, 0).unwrap();
    assert_eq!(judge(Method::ColoredRefresh, &set, &edf), Verdict::Undecided);
}
