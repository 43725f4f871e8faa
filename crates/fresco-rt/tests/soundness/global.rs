// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tasks on cores that they share: what the tests of `fresco_rt::global` accept does not miss, no response is longer than its bound, and the
//! certificates hold.

use fresco_rt::global::certificate::{GlobalCertificate, check_density};
use fresco_rt::global::responses::response_bounds;
use fresco_rt::global::{Platform, charged, density};
use fresco_rt::policy::Policy;
use fresco_rt::supply::{AutoRefresh, Dedicated, SlotTable, Supply};
use fresco_rt::switches::SliceCost;
use fresco_rt::{Task, Time};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;

use super::cores::{Cores, Stops};
use super::real::{END, jobs};
use super::{POLICIES, tasks};

/// A fact that an analysis may forget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forgotten {
    Nothing,
    CarryIn,
    Stops,
    ArrivalJitter,
    ReleaseJitter,
    Switches,
    Reloads,
    Slices,
    Rows,
}

impl Forgotten {
    pub const FACTS: [Self; 8] = [
        Self::CarryIn,
        Self::Stops,
        Self::ArrivalJitter,
        Self::ReleaseJitter,
        Self::Switches,
        Self::Reloads,
        Self::Slices,
        Self::Rows,
    ];
}

struct Case {
    tasks: Vec<Task>,
    policy: Policy,
    cores: u32,
    stops: Stops,
    switch: Time,
}

/// What a check of a case finds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Found {
    pub accepted: bool,
    /// By densities, where responses are not bounded.
    pub by_density: bool,
    pub missed: bool,
}

/// Draws the case of a seed, and checks that what is accepted holds. Without `forgotten` facts a miss is a failure of the test.
pub fn check(seed: u64, forgotten: Forgotten) -> Found {
    let rng = &mut Pcg64::seed_from_u64(seed);
    let case = draw(rng, forgotten);
    let context = format!(
        "seed {seed}: {:?} on {} cores, {:?}, switch {}, {:?}",
        case.policy, case.cores, case.stops, case.switch, case.tasks
    );
    let Some((bounds, by_density)) = judge(&case, forgotten, &context) else {
        return Found::default();
    };
    let found = Found {
        accepted: true,
        by_density,
        missed: false,
    };
    for _ in 0..8 {
        let mut jobs = jobs(&case.tasks, rng);
        if rng.random_bool(0.5) {
            // Each task from a phase of its own, as dense as it can be.
            let shifts: Vec<Time> = case.tasks.iter().map(|task| rng.random_range(0..task.period)).collect();
            for job in &mut jobs {
                job.arrived += shifts[job.task];
                job.ready += shifts[job.task];
            }
            jobs.sort_by_key(|job| (job.ready, job.task, job.number));
        }
        let cores = Cores {
            tasks: &case.tasks,
            policy: case.policy,
            cores: case.cores as usize,
            stops: case.stops,
            phase: rng.random_range(0..64),
            switch: case.switch,
        };
        let missed = match cores.run(&jobs, END, rng) {
            Ok(worst) => worst.iter().zip(&bounds).position(|(worst, bound)| worst > bound),
            Err(task) => Some(task),
        };
        match missed {
            None => {}
            Some(task) if forgotten == Forgotten::Nothing => {
                panic!("a job of task {task} misses, or exceeds {}: {context}", bounds[task])
            }
            Some(_) => return Found { missed: true, ..found },
        }
    }
    found
}

/// Many light tasks under EDF, and refresh that takes little: what densities accept.
fn light(rng: &mut Pcg64) -> Case {
    let cores = rng.random_range(2..=4);
    let stop = rng.random_range(0..=1);
    let stops = match rng.random_range(0..3) {
        0 => Stops::Bursts { every: 64, stop },
        _ => Stops::Stalls {
            every: 64,
            stop,
            rows: rng.random_range(0..=1),
        },
    };
    let load = rng.random_range(50..75) * u64::from(cores);
    Case {
        tasks: tasks(rng, "t", 12 * cores as usize, load),
        policy: Policy::Edf,
        cores,
        stops,
        switch: 0,
    }
}

fn draw(rng: &mut Pcg64, forgotten: Forgotten) -> Case {
    if forgotten == Forgotten::Nothing && rng.random_bool(0.2) {
        return light(rng);
    }
    let policy = POLICIES[rng.random_range(0..POLICIES.len())];
    let cores = rng.random_range(2..=4);
    let stops = match rng.random_range(0..3) {
        0 => Stops::Never,
        1 => Stops::Stalls {
            every: 16,
            stop: rng.random_range(1..=3),
            rows: rng.random_range(0..=2),
        },
        _ => Stops::Bursts {
            every: 64,
            stop: rng.random_range(2..=14),
        },
    };
    // What is to be seen must not drown in what else is counted.
    let plain = forgotten != Forgotten::Nothing && rng.random_bool(0.5);
    let chance = if plain { 0.0 } else { 0.3 };
    let switch = match plain && forgotten != Forgotten::Switches && forgotten != Forgotten::Slices {
        true => 0,
        false => rng.random_range(0..=2),
    };
    let load = rng.random_range(20..90) * u64::from(cores);
    let most = cores as usize * if rng.random_bool(0.3) { 8 } else { 3 };
    let tasks = tasks(rng, "t", most, load).into_iter().map(|task| {
        let (period, slack) = (task.period, task.deadline - task.wcet);
        let task = if rng.random_bool(if forgotten == Forgotten::ArrivalJitter {
            0.5
        } else {
            chance
        }) {
            let jitter = rng.random_range(0..=period);
            task.arriving(jitter, rng.random_range(0..=period)).unwrap()
        } else {
            task
        };
        let late = if rng.random_bool(if forgotten == Forgotten::ReleaseJitter {
            0.5
        } else {
            chance
        }) {
            rng.random_range(0..=slack / 2)
        } else {
            0
        };
        let reload = if rng.random_bool(if forgotten == Forgotten::Reloads { 0.8 } else { chance }) {
            rng.random_range(0..=4)
        } else {
            0
        };
        task.ready_late(late).unwrap().reloading(reload)
    });
    Case {
        tasks: tasks.collect(),
        policy,
        cores,
        stops,
        switch,
    }
}

/// The bounds, and whether they are by densities; `None` where the tests refuse.
fn judge(case: &Case, forgotten: Forgotten, context: &str) -> Option<(Vec<Time>, bool)> {
    let forget = |fact: Forgotten, time: Time| if forgotten == fact { 0 } else { time };
    let known: Vec<Task> = case
        .tasks
        .iter()
        .map(|task| Task {
            arrival_jitter: forget(Forgotten::ArrivalJitter, task.arrival_jitter),
            release_jitter: forget(Forgotten::ReleaseJitter, task.release_jitter),
            cache_reload: forget(Forgotten::Reloads, task.cache_reload),
            ..task.clone()
        })
        .collect();
    let counted = charged(&known, forget(Forgotten::Switches, case.switch)).ok()?;
    match case.stops {
        Stops::Never => by(case, &counted, forgotten, (&Dedicated, 0), context),
        _ if forgotten == Forgotten::Stops => by(case, &counted, forgotten, (&Dedicated, 0), context),
        Stops::Stalls { every, stop, rows } => {
            let rows = forget(Forgotten::Rows, rows);
            let supply = AutoRefresh::new(every, 1, stop + rows).unwrap();
            by(case, &counted, forgotten, (&supply, rows), context)
        }
        Stops::Bursts { every, stop } => {
            let table = SlotTable::new(every, &[(stop, every)]).unwrap();
            let supply = match forgotten {
                Forgotten::Slices => table,
                _ => table.shortened(SliceCost::of(&known, case.switch)),
            };
            by(case, &counted, forgotten, (&supply, 0), context)
        }
    }
}

fn by(
    case: &Case,
    counted: &[Task],
    forgotten: Forgotten,
    (supply, backlog): (&impl Supply, Time),
    context: &str,
) -> Option<(Vec<Time>, bool)> {
    if forgotten == Forgotten::CarryIn {
        return without_carry_in(case, counted, supply).map(|bounds| (bounds, false));
    }
    let platform = Platform {
        cores: case.cores,
        supply,
        backlog,
    };
    if let Ok(certificate) = response_bounds(counted, case.policy, &platform) {
        assert_eq!(certificate.check(counted, case.policy, &platform), Ok(()), "{context}");
        if let Policy::FixedPriority(_) = case.policy {
            // Each is the least that follows from the others.
            for (task, response) in certificate.responses.iter().enumerate() {
                let mut responses = certificate.responses.clone();
                responses[task] = response - 1;
                let less = GlobalCertificate { responses };
                assert!(
                    less.check(counted, case.policy, &platform).is_err(),
                    "{task}: {context}"
                );
            }
        }
        return Some((certificate.responses, false));
    }
    if case.policy != Policy::Edf || !density::accepts(counted, &platform) {
        return None;
    }
    assert_eq!(check_density(counted, &platform), Ok(()), "{context}");
    Some((case.tasks.iter().map(|task| task.deadline).collect(), true))
}

/// An analysis that takes the critical instant of one core for that of several: all tasks begin with the job, and `m` cores share the work.
fn without_carry_in(case: &Case, tasks: &[Task], supply: &impl Supply) -> Option<Vec<Time>> {
    let ranks = match case.policy {
        Policy::Edf => return None,
        Policy::FixedPriority(order) => order.ranks(tasks),
    };
    let response = |own: usize| {
        let (mut end, cores) = (tasks[own].wcet, u64::from(case.cores));
        loop {
            let left = end - tasks[own].wcet + 1;
            let work = (0..tasks.len())
                .filter(|&other| ranks[other] < ranks[own])
                .map(|other| {
                    let (task, reach) = (&tasks[other], end + tasks[other].release_jitter);
                    (task.arrivals_in(reach - 1) * task.wcet).min(left)
                });
            let next = supply.tbf(u128::from(tasks[own].wcet + work.sum::<Time>() / cores))?;
            if next + tasks[own].release_jitter > tasks[own].deadline {
                return None;
            }
            if next <= end {
                return Some(end + tasks[own].release_jitter);
            }
            end = next;
        }
    };
    (0..tasks.len()).map(response).collect()
}
