// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tasks with bursts, late jobs, critical sections, switches and reloads, on a processor of their own or in slots: what the tests accept does not
//! miss, no response is longer than its bound, and the certificates hold.

use fresco_rt::edf::{EdfVerdict, edf_test};
use fresco_rt::fixed_priority::fixed_priority_test;
use fresco_rt::policy::Policy;
use fresco_rt::supply::SlotTable;
use fresco_rt::switches::{SliceCost, charged};
use fresco_rt::{Task, Time};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;

use super::tick::{Coming, Core};
use super::{POLICIES, tasks};

/// End of the observation.
pub const END: Time = 1500;
/// Beyond it.
const ENDLESS: Time = 100 * END;

/// A fact that an analysis may forget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forgotten {
    Nothing,
    ArrivalJitter,
    ReleaseJitter,
    Sections,
    Switches,
    Reloads,
    Slices,
}

impl Forgotten {
    pub const FACTS: [Self; 6] = [
        Self::ArrivalJitter,
        Self::ReleaseJitter,
        Self::Sections,
        Self::Switches,
        Self::Reloads,
        Self::Slices,
    ];
}

/// Tasks of a core, its slots, and what a switch takes.
struct Case {
    tasks: Vec<Task>,
    policy: Policy,
    slots: Vec<(Time, Time)>,
    length: Time,
    switch: Time,
}

/// What the tests say of a case.
enum Answer {
    /// Refused.
    No,
    /// Accepted, with a bound of each response.
    Yes(Vec<Time>),
}

/// Draws the case of a seed, and checks that what is accepted holds; whether it is accepted, and whether jobs miss. Without `forgotten` facts a miss is
/// a failure of the test.
pub fn check(seed: u64, forgotten: Forgotten) -> (bool, bool) {
    let rng = &mut Pcg64::seed_from_u64(seed);
    let case = draw(rng);
    let context = format!(
        "seed {seed}: {:?} {:?} of {}, switch {}, {:?}",
        case.policy, case.slots, case.length, case.switch, case.tasks
    );
    let Answer::Yes(bounds) = judge(&case, forgotten, &context) else {
        return (false, false);
    };
    for _ in 0..8 {
        let jobs = jobs(&case.tasks, rng);
        let core = Core {
            tasks: &case.tasks,
            policy: case.policy,
            slots: &case.slots,
            length: case.length,
            switch: case.switch,
        };
        let worst = match core.run(&jobs, END) {
            Ok(worst) => worst,
            Err(task) if forgotten == Forgotten::Nothing => panic!("a job of task {task} misses: {context}"),
            Err(_) => return (true, true),
        };
        let longer = worst.iter().zip(&bounds).position(|(worst, bound)| worst > bound);
        match longer {
            None => {}
            Some(task) if forgotten == Forgotten::Nothing => {
                panic!(
                    "a response of {} of task {task} exceeds {}: {context}",
                    worst[task], bounds[task]
                )
            }
            Some(_) => return (true, true),
        }
    }
    (true, false)
}

fn draw(rng: &mut Pcg64) -> Case {
    let policy = POLICIES[rng.random_range(0..POLICIES.len())];
    let (slots, length) = match rng.random_range(0..3) {
        // A processor of one's own: the slot does not end.
        0 => (vec![(0, ENDLESS)], ENDLESS),
        1 => (vec![(4, 30)], 32),
        _ => (vec![(2, 20), (24, 47)], 48),
    };
    let switch = rng.random_range(0..=2);
    let load = rng.random_range(20..80);
    let tasks = tasks(rng, "t", 3, load).into_iter().map(|task| {
        let (period, slack) = (task.period, task.deadline - task.wcet);
        let task = if rng.random_bool(0.3) {
            let jitter = rng.random_range(0..=2 * period);
            task.arriving(jitter, rng.random_range(0..=period)).unwrap()
        } else {
            task
        };
        let late = if rng.random_bool(0.3) {
            rng.random_range(0..=slack / 2)
        } else {
            0
        };
        let section = if rng.random_bool(0.3) {
            rng.random_range(1..=task.wcet)
        } else {
            0
        };
        let task = task.ready_late(late).unwrap().blocking(section).unwrap();
        task.reloading(rng.random_range(0..=3))
    });
    Case {
        tasks: tasks.collect(),
        policy,
        slots,
        length,
        switch,
    }
}

/// What the tests say, and their certificates with them.
fn judge(case: &Case, forgotten: Forgotten, context: &str) -> Answer {
    let forget = |fact: Forgotten, time: Time| if forgotten == fact { 0 } else { time };
    let known: Vec<Task> = case
        .tasks
        .iter()
        .map(|task| Task {
            arrival_jitter: forget(Forgotten::ArrivalJitter, task.arrival_jitter),
            release_jitter: forget(Forgotten::ReleaseJitter, task.release_jitter),
            critical_section: forget(Forgotten::Sections, task.critical_section),
            cache_reload: forget(Forgotten::Reloads, task.cache_reload),
            ..task.clone()
        })
        .collect();
    let Ok(counted) = charged(&known, case.policy, forget(Forgotten::Switches, case.switch)) else {
        return Answer::No;
    };
    let endless = case.length == ENDLESS;
    let table = SlotTable::new(case.length, &case.slots).unwrap();
    let supply = match endless || forgotten == Forgotten::Slices {
        true => table,
        false => table.shortened(SliceCost::of(&known, case.switch)),
    };
    match case.policy {
        Policy::Edf => match edf_test(&counted, &supply).unwrap() {
            EdfVerdict::Schedulable(certificate) => {
                assert_eq!(certificate.check(&counted, &supply), Ok(()), "{context}");
                Answer::Yes(case.tasks.iter().map(|task| task.deadline).collect())
            }
            _ => Answer::No,
        },
        Policy::FixedPriority(order) => match fixed_priority_test(&counted, order, &supply) {
            Some(certificate) => {
                assert_eq!(certificate.check(&counted, &supply), Ok(()), "{context}");
                for (task, response) in certificate.responses.iter().enumerate() {
                    let mut less = certificate.clone();
                    less.responses[task] = response - 1;
                    assert!(less.check(&counted, &supply).is_err(), "{task}: {context}");
                }
                Answer::Yes(certificate.responses)
            }
            None => Answer::No,
        },
    }
}

/// Jobs that their tasks allow: in dense bursts after a late first arrival, ready late at first and then at once, or anyhow.
pub fn jobs(tasks: &[Task], rng: &mut Pcg64) -> Vec<Coming> {
    let (dense, together) = (rng.random_bool(0.6), rng.random_bool(0.6));
    let busiest = tasks
        .iter()
        .map(|task| task.arrival_jitter + task.release_jitter)
        .max()
        .unwrap_or(0);
    let mut jobs = Vec::new();
    for (number, task) in tasks.iter().enumerate() {
        // The first job becomes ready with all others, as late as it can.
        let phase = match together {
            true => busiest - task.arrival_jitter - task.release_jitter,
            false => rng.random_range(0..=busiest + task.period),
        };
        let mut before: Option<(Time, Time)> = None;
        for k in 0.. {
            let nominal = phase + k * task.period;
            if nominal > END {
                break;
            }
            let arrived = nominal
                + match (dense, k) {
                    (true, 0) => task.arrival_jitter,
                    (true, _) => 0,
                    (false, _) => rng.random_range(0..=task.arrival_jitter),
                };
            let arrived = before.map_or(arrived, |(earlier, _)| arrived.max(earlier + task.min_distance));
            let late = match (dense, k) {
                (true, 0) => task.release_jitter,
                (true, _) => 0,
                (false, _) => rng.random_range(0..=task.release_jitter),
            };
            let ready = before.map_or(arrived + late, |(_, ready)| ready.max(arrived + late));
            before = Some((arrived, ready));
            let execution = if dense {
                task.wcet
            } else {
                rng.random_range(1..=task.wcet)
            };
            let length = task.critical_section.min(execution);
            jobs.push(Coming {
                task: number,
                number: k,
                arrived,
                ready,
                execution,
                section: (rng.random_range(0..=execution - length), length),
            });
        }
    }
    jobs.sort_by_key(|job| (job.ready, job.task, job.number));
    jobs
}
