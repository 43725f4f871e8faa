// SPDX-License-Identifier: MIT OR Apache-2.0
//! Proofs by a run of the tasks of a core: what such a run looks at, how many events it has, and what it finds.

use super::hiding::shut;
use super::replay::{End, Jobs, Replay};
use super::report::{Objection, Stop, Violation};
use super::spans::Spans;
use super::timeline::{repeat, server_slots};
use crate::limits::{MOST_EVENTS, events};
use crate::plan::{LockTimes, Plan, PlannedTask, Proof, Schedule};
use crate::refusal::Refusal;
use fresco_rt::{Task, Time};

/// When each color may run under locks.
pub(super) fn open(locks: &LockTimes, length: Time) -> Vec<Spans> {
    let complement = |shut: Spans| {
        let mut free = 0;
        let mut open = Vec::new();
        for (start, end) in shut.into_iter().chain([(length, length)]) {
            if free < start {
                open.push((free, start));
            }
            free = end;
        }
        open
    };
    shut(locks, length).into_iter().map(complement).collect()
}

/// When each of `colors` may run on a core under a schedule that is proved by runs, and after how long that repeats.
fn open_on(schedule: &Schedule, colors: usize, core: usize, place: &str) -> Result<(Vec<Spans>, Time), Stop> {
    match schedule {
        Schedule::Locked { locks } => Ok((open(locks, locks.period_ns), locks.period_ns)),
        Schedule::Servers { locks, cores } => {
            let Some(on_core) = cores.get(core) else {
                return Err(Violation::new(place, "names a core that the schedule does not have").into());
            };
            let length = repeat(locks, on_core)?;
            let mut open = vec![Vec::new(); colors];
            for (server, slots) in on_core.servers.iter().zip(server_slots(locks, on_core, length)) {
                open[server.color] = slots;
            }
            Ok((open, length))
        }
        _ => Err(Violation::new(place, "is a run, which this schedule is not proved by").into()),
    }
}

/// How long a run is that proves deadlines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RunSize {
    /// What the core gives repeats after this.
    pub length: Time,
    /// Spans of time in which a color may run, in `length`.
    pub spans: u64,
}

impl RunSize {
    /// That of a core under locks or servers.
    ///
    /// # Errors
    /// There is no such core, no run under this schedule, or it is too long.
    pub fn of(schedule: &Schedule, colors: usize, core: usize) -> Result<Self, Refusal> {
        match open_on(schedule, colors, core, "schedule") {
            Ok((open, length)) => Ok(Self::new(&open, length)),
            Err(stop) => Err(Refusal::undecided(Objection::from(stop).to_string())),
        }
    }

    pub(super) fn new(open: &[Spans], length: Time) -> Self {
        let spans = open.iter().map(|spans| spans.len() as u64).sum();
        Self { length, spans }
    }

    /// Events of a run of `tasks` up to `end`.
    pub fn events(self, tasks: &[Task], end: Time) -> u64 {
        events(tasks, end, self.length, self.spans)
    }
}

/// The colors that the jobs of a task run in.
fn jobs_of(task: &PlannedTask) -> Jobs {
    let color = |instance: usize| task.colors_of(instance).first().copied().unwrap_or(0);
    match task.instance_of_job.is_empty() {
        true => Jobs::of_one(color(0)),
        false => Jobs {
            colors: task.instance_of_job.iter().map(|&instance| color(instance)).collect(),
            copy: task.copy_ns.unwrap_or(0),
        },
    }
}

/// Runs the tasks of a core; returns the longest responses.
pub(super) fn by_run(plan: &Plan, proof: &Proof, tasks: &[Task], place: &str) -> Result<Vec<Time>, Stop> {
    let core = proof.core.map_or(0, |core| core as usize);
    let jobs: Vec<Jobs> = proof.tasks.iter().map(|&task| jobs_of(&plan.tasks[task])).collect();
    let (open, length) = open_on(&plan.schedule, plan.colors.len(), core, place)?;
    let replay = Replay {
        tasks,
        jobs: &jobs,
        open: &open,
        length,
        policy: plan.policy,
    };
    match replay.run() {
        End::Repeats(worst) => Ok(worst),
        End::Misses(task, job) => {
            Err(Violation::new(place, format!("job {job} of {} misses its deadline", tasks[task].name)).into())
        }
        End::Endless => Err(Stop::too_long(
            place,
            "the tasks of the run repeat after more than 584 years (2^64 ns), and every job until then is looked at",
        )),
        End::TooLong(events) => Err(Stop::too_long(
            place,
            format!(
                "the run has {events} events (releases, and spans in which a color may run), more than the {MOST_EVENTS} that are looked at"
            ),
        )),
        End::Changes(repeats) => Err(Stop::too_long(
            place,
            format!(
                "no job of the run misses its deadline, but it does not repeat within the {repeats} turns that are looked at"
            ),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{CoreServers, PlannedServer};

    fn locks() -> LockTimes {
        LockTimes {
            period_ns: 64,
            lock_ns: 1,
            unlock_ns: 1,
            phase_ns: vec![32, 0],
            burst_ns: vec![6, 6],
        }
    }

    /// Color 0 may run at [1, 7), [8, 32) and [40, 64), color 1 at [8, 32), [33, 39) and [40, 64).
    #[test]
    fn events_are_releases_and_spans() {
        let size = RunSize::of(&Schedule::Locked { locks: locks() }, 2, 0);
        assert_eq!(size, Ok(RunSize { length: 64, spans: 6 }));
        let task = |period| Task::new("t", 0, period, 1, period).expect("times of a task");
        // 8 and 4 releases in 128, and the spans twice; a last turn that has begun counts whole.
        let tasks = [task(16), task(32)];
        assert_eq!(size.clone().map(|size| size.events(&tasks, 128)), Ok(24));
        assert_eq!(size.map(|size| size.events(&tasks, 129)), Ok(30));
    }

    /// A server whose slots those of the other cut has more spans than periods: what a planner must not leave out.
    #[test]
    fn servers_cut_each_other() {
        let server = |color, period_ns, budget_ns| PlannedServer {
            color,
            period_ns,
            budget_ns,
            tasks: Vec::new(),
        };
        let cores = vec![CoreServers {
            servers: vec![server(0, 4, 1), server(1, 64, 40)],
        }];
        let size = RunSize::of(&Schedule::Servers { locks: locks(), cores }, 2, 0).expect("short");
        // Server 0 has 14 slots, one of each period that is not locked; server 1 the time between, and 17 periods are fewer.
        assert!(size.length == 64 && size.spans > 17, "{size:?}");
    }
}
