// SPDX-License-Identifier: MIT OR Apache-2.0
//! Examples of global scheduling that can be followed by hand.

use fresco_rt::certificate::Refuted;
use fresco_rt::global::certificate::{GlobalCertificate, check_density};
use fresco_rt::global::responses::response_bounds;
use fresco_rt::global::{Platform, charged, density};
use fresco_rt::policy::{Order, Policy};
use fresco_rt::supply::{AutoRefresh, Dedicated, SlotTable};
use fresco_rt::{Task, Time};

const RM: Policy = Policy::FixedPriority(Order::RateMonotonic);

const TWO: Platform<'_, Dedicated> = Platform {
    cores: 2,
    supply: &Dedicated,
    backlog: 0,
};

fn set(times: &[(Time, Time)]) -> Vec<Task> {
    let task = |(number, &(wcet, period)): (usize, &(Time, Time))| {
        Task::new(&format!("t{number}"), 0, period, wcet, period).unwrap()
    };
    times.iter().enumerate().map(task).collect()
}

/// Dhall and Liu, On a real-time scheduling problem, Operations Research 26, 1978: as many light tasks as cores go before a heavy one, which then is
/// late, however light they are. The heavy one begins at 2 and ends at 12.
#[test]
fn dhalls_effect_is_refused() {
    let tasks = set(&[(2, 10), (2, 10), (10, 11)]);
    for policy in [Policy::Edf, RM] {
        assert_eq!(response_bounds(&tasks, policy, &TWO), Err(2), "{policy:?}");
    }
    assert!(!density::accepts(&tasks, &TWO));
    let claimed = GlobalCertificate {
        responses: vec![2, 2, 11],
    };
    assert_eq!(claimed.check(&tasks, RM, &TWO), Err(Refuted::Response(2)));
    // Where the light ones end at 1, it ends at 11.
    let tasks = set(&[(1, 10), (1, 10), (10, 11)]);
    assert_eq!(
        response_bounds(&tasks, RM, &TWO),
        Err(2),
        "carry-in is counted, which may be at 10"
    );
    let tasks = set(&[(1, 12), (1, 12), (9, 11)]);
    assert_eq!(
        response_bounds(&tasks, Policy::Edf, &TWO).map(|found| found.responses[2]),
        Ok(10)
    );
}

/// Three tasks that need two thirds of a core each fill two cores, and no order of jobs without migration at equal rates serves them.
#[test]
fn full_cores_are_refused() {
    let tasks = set(&[(2, 3); 3]);
    assert_eq!(response_bounds(&tasks, Policy::Edf, &TWO), Err(0));
    assert_eq!(response_bounds(&tasks, RM, &TWO), Err(2));
    assert_eq!(check_density(&tasks, &TWO), Err(Refuted::Density));
}

/// Two tasks run in [0, 2) on both cores, the third in [2, 5). Refresh of 3 before it makes that [5, 8).
#[test]
fn responses_by_hand() {
    let tasks = set(&[(2, 9), (2, 10), (3, 20)]);
    assert_eq!(response_bounds(&tasks, RM, &TWO).unwrap().responses, [2, 2, 5]);
    let slots = SlotTable::new(20, &[(3, 20)]).unwrap();
    let beside_burst = Platform {
        cores: 2,
        supply: &slots,
        backlog: 0,
    };
    let found = response_bounds(&tasks, RM, &beside_burst).unwrap();
    assert_eq!(found.responses, [5, 5, 8]);
    assert_eq!(found.check(&tasks, RM, &beside_burst), Ok(()));
    assert_eq!(found.check(&tasks, RM, &TWO), Ok(()));
    // Rows that refreshes before it closed keep each core busy for half of what they take.
    let refresh = AutoRefresh::new(20, 1, 3).unwrap();
    let rows = Platform {
        cores: 2,
        supply: &refresh,
        backlog: 2,
    };
    let tasks = set(&[(2, 30), (2, 31), (3, 40)]);
    assert_eq!(response_bounds(&tasks, RM, &rows).unwrap().responses, [5, 5, 9]);
}

/// Ten tasks of a fifth on three cores: 2 ≤ 3 - 2 · 0.2. With a third of the cores gone, a density is 0.3, and 3 > 3 - 2 · 0.3.
#[test]
fn densities_by_hand() {
    let tasks = set(&[(2, 10); 10]);
    let on = |cores| Platform { cores, ..TWO };
    assert!(density::accepts(&tasks, &on(3)) && check_density(&tasks, &on(3)).is_ok());
    assert!(!density::accepts(&tasks, &on(2)));
    let slots = SlotTable::new(9, &[(3, 9)]).unwrap();
    let beside_burst = Platform {
        cores: 3,
        supply: &slots,
        backlog: 0,
    };
    assert!(!density::accepts(&tasks, &beside_burst));
    assert_eq!(check_density(&tasks, &beside_burst), Err(Refuted::Density));
    let five: Vec<Task> = tasks[..5].to_vec();
    assert!(density::accepts(&five, &beside_burst) && check_density(&five, &beside_burst).is_ok());
}

/// A burst of two jobs 3 apart that each may take 4: they would wait for each other, which no test here counts.
#[test]
fn jobs_of_a_task_must_not_overlap() {
    let mut tasks = set(&[(3, 20), (2, 20), (2, 20)]);
    tasks[2] = tasks[2].clone().arriving(18, 3).unwrap();
    assert_eq!(response_bounds(&tasks, RM, &TWO), Err(2));
    tasks[2] = tasks[2].clone().arriving(18, 5).unwrap();
    assert_eq!(response_bounds(&tasks, RM, &TWO).unwrap().responses, [3, 2, 4]);
    assert!(
        !density::accepts(&tasks, &TWO),
        "their deadlines are further than they are apart"
    );
}

/// Switches are a part of each job, reloads are counted for each job of higher priority that comes meanwhile, and for each that may be reloading.
#[test]
fn switches_and_reloads() {
    let reloading = |task: Task| task.reloading(2);
    let tasks: Vec<Task> = set(&[(2, 30), (2, 31), (3, 40)]).into_iter().map(reloading).collect();
    let counted = charged(&tasks, 1).unwrap();
    assert_eq!(counted.iter().map(|task| task.wcet).collect::<Vec<_>>(), [5, 5, 6]);
    // 6 for itself, 2 for each of two that preempt, and of 5 + 5 + 2 + 2 for others a half.
    let found = response_bounds(&counted, RM, &TWO).unwrap();
    assert_eq!(found.responses, [5, 5, 17]);
    assert_eq!(charged(&tasks, 10).unwrap_err().task, "t0");
}
