// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random sets of two criticality levels: what the tests accept does not miss, whenever the mode changes, and no response exceeds its bound.

use super::modes::{Core, Free, Numbers, Trigger};
use crate::soundness::POLICIES;
use fresco_rt::criticality::certificate::{check_demand, check_responses};
use fresco_rt::criticality::{DualTask, adaptive_responses, virtual_deadlines};
use fresco_rt::edf::edf_test;
use fresco_rt::fixed_priority::response_bounds;
use fresco_rt::policy::{Order, Policy};
use fresco_rt::supply::SlotTable;
use fresco_rt::{Task, Time};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;

/// Retention time of low mode, at a multiple of which the table of high mode begins.
const RETENTION: Time = 16;
/// End of the observation.
const END: Time = 128;

/// A fact that an analysis may forget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forgotten {
    Nothing,
    /// Jobs of high tasks that are pending at the change (EDF).
    CarriedOver,
    /// Jobs of low tasks before the change (fixed priorities).
    LowJobs,
    /// What jobs of high tasks take in high mode.
    Overruns,
    /// The supply of high mode is less.
    Heat,
    /// The table of high mode, with more time than that of low mode, begins at the next multiple of the retention time.
    Delay,
}

impl Forgotten {
    pub const FACTS: [Self; 5] = [
        Self::CarriedOver,
        Self::LowJobs,
        Self::Overruns,
        Self::Heat,
        Self::Delay,
    ];
}

struct Case {
    tasks: Vec<DualTask>,
    policy: Policy,
    low: Free,
    high: Free,
}

/// Bounds of responses in low and in high mode.
type Bounds = (Vec<Time>, Vec<Option<Time>>);

/// Draws the case of a seed, and checks that what is accepted holds; whether it is accepted, and whether jobs miss. Without `forgotten` facts a miss is
/// a failure of the test.
pub fn check(seed: u64, forgotten: Forgotten) -> (bool, bool) {
    let rng = &mut Pcg64::seed_from_u64(seed);
    let mut case = draw(rng, forgotten == Forgotten::Delay);
    let Some(bounds) = judge(&mut case, forgotten) else {
        return (false, false);
    };
    let context = format!(
        "seed {seed}: {:?}, {:?} then {:?}, {:?}",
        case.policy, case.low, case.high, case.tasks
    );
    let numbers = numbers(&case);
    let core = Core {
        tasks: &numbers,
        is_edf: case.policy == Policy::Edf,
        low: &case.low,
        high: &case.high,
        retention: RETENTION,
    };
    for pattern in 0..3 {
        let releases = releases(&case.tasks, rng, pattern);
        let heats = (0..=END / 2).map(Trigger::Heat);
        let jobs = |task: usize| (0..releases[task].len()).map(move |job| Trigger::Overrun(task, job));
        let overruns = (0..numbers.len())
            .filter(|&task| case.tasks[task].is_high())
            .flat_map(jobs);
        for trigger in heats.chain(overruns) {
            let found = core.run(&releases, trigger, END);
            let is_beyond = |[low, high]: &[Vec<u64>; 2]| {
                let in_low = low.iter().zip(&bounds.0).any(|(found, bound)| found > bound);
                in_low
                    || high
                        .iter()
                        .zip(&bounds.1)
                        .any(|(found, bound)| bound.is_some_and(|bound| *found > bound))
            };
            match (&found, forgotten) {
                (Ok(worst), _) if !is_beyond(worst) => {}
                (_, Forgotten::Nothing) => panic!("{found:?} beyond {bounds:?} after {trigger:?}: {context}"),
                // More than the bounds is no miss: only that shows that a fact is needed.
                (Ok(_), _) => {}
                (Err(_), _) => return (true, true),
            }
        }
    }
    (true, false)
}

/// Tasks with their virtual deadlines, as the simulation has them.
fn numbers(case: &Case) -> Vec<Numbers> {
    let plain: Vec<Task> = case.tasks.iter().map(|task| task.task().clone()).collect();
    let order = match case.policy {
        Policy::FixedPriority(order) => order,
        Policy::Edf => Order::DeadlineMonotonic,
    };
    let ranks = order.ranks(&plain);
    let number = |(task, rank): (&DualTask, usize)| Numbers {
        deadline: task.task().deadline,
        virtual_deadline: task.virtual_deadline(),
        wcet: task.task().wcet,
        wcet_high: task.wcet_high(),
        rank,
    };
    case.tasks.iter().zip(ranks).map(number).collect()
}

/// All at once, or from any instants on, and then at the period or later.
fn releases(tasks: &[DualTask], rng: &mut Pcg64, pattern: u32) -> Vec<Vec<u64>> {
    let of = |task: &DualTask| {
        let period = task.task().period;
        let mut at = if pattern == 0 { 0 } else { rng.random_range(0..period) };
        let mut releases = Vec::new();
        while at < END {
            releases.push(at);
            let late = if pattern == 2 {
                rng.random_range(0..=period / 2)
            } else {
                0
            };
            at += period + late;
        }
        releases
    };
    tasks.iter().map(of).collect()
}

/// Bounds of the responses of an analysis that forgets a fact, and the virtual deadlines that it chooses; `None` if it refuses.
fn judge(case: &mut Case, forgotten: Forgotten) -> Option<Bounds> {
    let table = |free: &Free| SlotTable::new(free.length, &free.open).unwrap();
    let low = table(&case.low);
    let high = match forgotten {
        Forgotten::Heat => low.clone(),
        _ => table(&case.high),
    };
    let believed: Vec<DualTask> = match forgotten {
        Forgotten::Overruns => {
            let as_low = |task: &DualTask| match task.is_high() {
                true => DualTask::high(task.task().clone(), task.task().wcet).unwrap(),
                false => task.clone(),
            };
            case.tasks.iter().map(as_low).collect()
        }
        _ => case.tasks.clone(),
    };
    let of_high = || {
        let high = case.tasks.iter().filter(|task| task.is_high());
        let taking = |task: &DualTask| Task {
            wcet: task.wcet_high().unwrap(),
            ..task.task().clone()
        };
        high.map(taking).collect::<Vec<Task>>()
    };
    match (case.policy, forgotten) {
        (Policy::Edf, Forgotten::CarriedOver) => {
            let plain: Vec<Task> = believed.iter().map(|task| task.task().clone()).collect();
            let holds = edf_test(&plain, &low).unwrap().is_schedulable()
                && edf_test(&of_high(), &high).unwrap().is_schedulable();
            holds.then(|| (vec![END; plain.len()], vec![None; plain.len()]))
        }
        (Policy::Edf, _) => {
            let (tuned, of_low, of_high) = virtual_deadlines(&believed, &low, &high).ok()?;
            let in_low: Vec<Task> = tuned.iter().map(DualTask::in_low_mode).collect();
            of_low.check(&in_low, &low).expect("a certificate of low mode");
            check_demand(&of_high, &tuned, &high).expect("a certificate of high mode");
            for (task, tuned) in case.tasks.iter_mut().zip(&tuned) {
                *task = task.clone().with_virtual_deadline(tuned.virtual_deadline()).unwrap();
            }
            let bounds = tuned.iter().map(|task| task.is_high().then_some(task.task().deadline));
            Some((in_low.iter().map(|task| task.deadline).collect(), bounds.collect()))
        }
        (Policy::FixedPriority(order), Forgotten::LowJobs) => {
            let plain: Vec<Task> = believed.iter().map(|task| task.task().clone()).collect();
            let low: Option<Vec<Time>> = response_bounds(&plain, order, &low).into_iter().collect();
            let high: Option<Vec<Time>> = response_bounds(&of_high(), order, &high).into_iter().collect();
            let (low, _) = (low?, high?);
            let none = vec![None; low.len()];
            Some((low, none))
        }
        (Policy::FixedPriority(order), _) => {
            let (of_low, of_high) = adaptive_responses(&believed, order, &low, &high).ok()?;
            check_responses(&believed, order, &of_low, &of_high, &high).expect("bounds of high mode");
            Some((of_low, of_high))
        }
    }
}

/// Tasks and tables; `grows`: the table of high mode has more time than that of low mode, else it lies within it.
fn draw(rng: &mut Pcg64, grows: bool) -> Case {
    let refresh = rng.random_range(0..=3);
    let low = Free {
        open: vec![(refresh, RETENTION)],
        length: RETENTION,
    };
    let high = match rng.random_range(0..3) {
        _ if grows => Free {
            open: vec![(0, RETENTION)],
            length: RETENTION,
        },
        0 => low.clone(),
        // Twice as often.
        1 => Free {
            open: vec![(refresh, RETENTION / 2)],
            length: RETENTION / 2,
        },
        _ => Free {
            open: vec![(refresh + 1, RETENTION - 1)],
            length: RETENTION,
        },
    };
    let low = match grows {
        true => Free {
            open: vec![(refresh + 3, RETENTION)],
            length: RETENTION,
        },
        false => low,
    };
    const PERIODS: [Time; 8] = [10, 12, 16, 20, 24, 30, 32, 40];
    let count = rng.random_range(2..=4);
    let tasks = (0..count).map(|number| {
        let period = PERIODS[rng.random_range(0..PERIODS.len())];
        let wcet = rng.random_range(1..=(period * 3 / 4 / count).max(1));
        let deadline = rng.random_range((period * 3 / 4).max(wcet)..=period);
        let task = Task::new(&format!("t{number}"), 0, period, wcet, deadline).unwrap();
        match rng.random_bool(0.6) {
            true => DualTask::high(task, rng.random_range(wcet..=(wcet * 3).min(deadline))).unwrap(),
            false => DualTask::low(task).unwrap(),
        }
    });
    Case {
        tasks: tasks.collect(),
        policy: POLICIES[rng.random_range(0..POLICIES.len())],
        low,
        high,
    }
}
