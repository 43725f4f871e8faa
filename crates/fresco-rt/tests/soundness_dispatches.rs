// SPDX-License-Identifier: MIT OR Apache-2.0
//! Flat scheduling with switches: sets that the run accepts when each job is charged its dispatches, on a core that is simulated tick by tick, with
//! execution times up to the WCET, switches, reloads and handlers. The core shares nothing with the library but tasks and their order of priorities.

use crate::soundness::{POLICIES, tasks};
use fresco_rt::flat::{FlatVerdict, flat_test};
use fresco_rt::policy::{Order, Policy};
use fresco_rt::switches::charged_by_dispatch;
use fresco_rt::toplevel::Locks;
use fresco_rt::{Task, Time};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;

const RETENTION: Time = 128;
const END: Time = 2000;

/// Tasks of two colors, under locks.
struct Case {
    tasks: Vec<Task>,
    color: Vec<usize>,
    policy: Policy,
    locks: Locks,
    switch: Time,
}

/// What the charge leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Forgotten {
    Nothing,
    Switches,
    Reloads,
    Handlers,
    Arrivals,
}

fn draw(rng: &mut Pcg64) -> Case {
    let switch = rng.random_range(0..=2);
    let load = rng.random_range(20..70);
    let mut tasks = tasks(rng, "t", 4, load);
    for task in &mut tasks {
        *task = task.clone().reloading(rng.random_range(0..=4));
    }
    // Handlers have time for a switch under way.
    let handler = switch + rng.random_range(1..=2);
    let burst = rng.random_range(2..=12);
    let mut color: Vec<usize> = tasks.iter().map(|_| rng.random_range(0..2)).collect();
    color.sort_unstable();
    Case {
        color,
        policy: POLICIES[rng.random_range(0..POLICIES.len())],
        locks: Locks::of_two_servers(RETENTION, burst, handler, handler).unwrap(),
        switch,
        tasks,
    }
}

/// The longest responses of an accepted set.
fn accepted(case: &Case, forgotten: Forgotten) -> Option<Vec<Time>> {
    let mut tasks = case.tasks.clone();
    if forgotten == Forgotten::Reloads {
        tasks = tasks.into_iter().map(|task| task.reloading(0)).collect();
    }
    let switch = if forgotten == Forgotten::Switches {
        0
    } else {
        case.switch
    };
    let handlers = |window: Time| match forgotten {
        Forgotten::Handlers => 0,
        _ => 4 * window.div_ceil(RETENTION),
    };
    let charged = match forgotten {
        // As if nobody were preempted.
        Forgotten::Arrivals => {
            let alone =
                |task: &Task| charged_by_dispatch(std::slice::from_ref(task), case.policy, switch, handlers).ok();
            tasks.iter().map(alone).collect::<Option<Vec<_>>>()?.concat()
        }
        _ => charged_by_dispatch(&tasks, case.policy, switch, handlers).ok()?,
    };
    let border = case.color.partition_point(|&color| color == 0);
    let (first, second) = charged.split_at(border);
    match flat_test(&[first, second], case.policy, &case.locks).ok()? {
        FlatVerdict::Schedulable(outcome) => Some(
            outcome
                .worst_response
                .into_iter()
                .map(|worst| worst.unwrap_or(0))
                .collect(),
        ),
        _ => None,
    }
}

struct Job {
    task: usize,
    released: Time,
    left: Time,
    has_run: bool,
    reload: Time,
}

/// Runs the set tick by tick; the longest response of each task, or the task that misses.
fn run(case: &Case, rng: &mut Pcg64, least: Time) -> Result<Vec<Time>, usize> {
    let order = match case.policy {
        Policy::Edf => Order::DeadlineMonotonic,
        Policy::FixedPriority(order) => order,
    };
    let ranks = order.ranks(&case.tasks);
    let windows: Vec<Vec<_>> = (0..2)
        .map(|color| case.locks.windows_before(color, END).collect())
        .collect();
    let is_handled = |now: Time| {
        windows.iter().flatten().any(|window| {
            (window.start..window.burst_start).contains(&now) || (window.burst_end..window.end).contains(&now)
        })
    };
    let is_locked = |color: usize, now: Time| {
        windows[color]
            .iter()
            .any(|window| (window.start..window.end).contains(&now))
    };
    let mut jobs: Vec<Job> = Vec::new();
    // Who has the core: task and release; and what is left of the switch to it.
    let mut running: Option<(usize, Time)> = None;
    let mut switching = 0;
    let mut worst = vec![0; case.tasks.len()];
    for now in 0..END {
        for (number, task) in case.tasks.iter().enumerate() {
            if now >= task.phase && (now - task.phase) % task.period == 0 {
                let (left, reload) = (rng.random_range(least.min(task.wcet)..=task.wcet), 0);
                jobs.push(Job {
                    task: number,
                    released: now,
                    left,
                    has_run: false,
                    reload,
                });
            }
        }
        if let Some(late) = jobs
            .iter()
            .find(|job| job.released + case.tasks[job.task].deadline <= now)
        {
            return Err(late.task);
        }
        if is_handled(now) {
            (running, switching) = (None, 0);
            continue;
        }
        if switching == 0 {
            let first = |job: &&Job| {
                let deadline = if case.policy == Policy::Edf {
                    job.released + case.tasks[job.task].deadline
                } else {
                    0
                };
                (deadline, ranks[job.task], job.released)
            };
            let free = jobs.iter().filter(|job| !is_locked(case.color[job.task], now));
            let wanted = free.min_by_key(first).map(|job| (job.task, job.released));
            if wanted != running {
                running = wanted;
                if let Some(job) = jobs.iter_mut().find(|job| Some((job.task, job.released)) == wanted) {
                    switching = case.switch;
                    job.reload = if job.has_run {
                        case.tasks[job.task].cache_reload
                    } else {
                        0
                    };
                }
            }
        }
        if switching > 0 {
            switching -= 1;
            continue;
        }
        let Some(place) = jobs.iter().position(|job| Some((job.task, job.released)) == running) else {
            continue;
        };
        let job = &mut jobs[place];
        job.has_run = true;
        match job.reload {
            0 => job.left -= 1,
            _ => job.reload -= 1,
        }
        if job.left == 0 {
            worst[job.task] = worst[job.task].max(now + 1 - job.released);
            jobs.remove(place);
        }
    }
    Ok(worst)
}

/// Whether the set of a seed is accepted, and whether it then misses or exceeds a bound.
fn check(seed: u64, forgotten: Forgotten) -> (bool, bool) {
    let rng = &mut Pcg64::seed_from_u64(seed);
    let case = draw(rng);
    let Some(bounds) = accepted(&case, forgotten) else {
        return (false, false);
    };
    let breaks = (0..4).any(|turn| match run(&case, rng, if turn == 0 { Time::MAX } else { 1 }) {
        Ok(worst) => worst.iter().zip(&bounds).any(|(worst, bound)| worst > bound),
        Err(_) => true,
    });
    let context = || {
        format!(
            "seed {seed}: {:?} {:?} {:?} switch {}",
            case.tasks, case.color, case.locks, case.switch
        )
    };
    assert!(forgotten != Forgotten::Nothing || !breaks, "{}", context());
    (true, breaks)
}

/// Sets that are drawn; `RT_SETS` in the environment draws more.
fn sets() -> u64 {
    let sets = std::env::var("RT_SETS").ok().and_then(|sets| sets.parse().ok());
    sets.unwrap_or(4000)
}

#[test]
fn no_job_misses_with_its_dispatches() {
    let accepted = (0..sets()).filter(|&seed| check(seed, Forgotten::Nothing).0).count() as u64;
    assert!(accepted > sets() / 10, "{accepted} accepted");
    println!("{accepted} accepted");
}

#[test]
fn each_part_of_the_charge_is_needed() {
    use Forgotten::{Arrivals, Handlers, Reloads, Switches};
    for fact in [Switches, Reloads, Handlers, Arrivals] {
        let found = (0..sets()).find(|&seed| check(seed, fact).1);
        println!("{fact:?}: set {found:?}");
        assert!(found.is_some(), "{fact:?} is never missed");
    }
}
