// SPDX-License-Identifier: MIT OR Apache-2.0
//! Plans of two criticality levels, run from instant to instant as they stand: whenever the mode changes, no high job misses, no low one does before, and no
//! response exceeds its bound. The runs know the plan alone, and share nothing with planner and checker.

use crate::judge::draws::Draw;
use fresco_plan::plan::Schedule;
use fresco_plan::{Plan, TaskSet, check, plan};
use std::fmt::Write;
use std::path::Path;

const MS: u64 = 1_000_000;
/// End of a run, in ns.
const END: u64 = 400 * MS;

/// When tasks of a color run on a core under a schedule: spans within a period.
struct Free {
    spans: Vec<(u64, u64)>,
    period: u64,
}

impl Free {
    fn of(schedule: &Schedule, core: usize, color: usize) -> Self {
        match schedule {
            Schedule::Slots {
                period_ns,
                handler_ns,
                cores,
            } => {
                let border = cores[core].border_ns;
                let slots = [(*handler_ns, border), (border + handler_ns, *period_ns)];
                Self {
                    spans: vec![slots[color]],
                    period: *period_ns,
                }
            }
            Schedule::Locked { locks } => {
                let end = locks.phase_ns[0] + locks.lock_ns + locks.burst_ns[0] + locks.unlock_ns;
                Self {
                    spans: vec![(0, locks.phase_ns[0]), (end, locks.period_ns)],
                    period: locks.period_ns,
                }
            }
            other => panic!("{other:?}"),
        }
    }

    /// Whether it is free at `t`, and until when that stays.
    fn at(&self, t: u64) -> (bool, u64) {
        let (turn, inside) = (t - t % self.period, t % self.period);
        let edges = self.spans.iter().flat_map(|&(from, to)| [from, to]);
        let next = edges.filter(|&edge| edge > inside).min().unwrap_or(self.period);
        let free = self.spans.iter().any(|&(from, to)| from <= inside && inside < to);
        (free, turn + next)
    }
}

#[derive(Clone, Copy, Debug)]
enum Trigger {
    Heat(u64),
    Overrun(usize, usize),
}

#[derive(Clone, Copy)]
struct Job {
    task: usize,
    number: usize,
    released: u64,
    done: u64,
}

/// Runs the tasks of one core and color; what is wrong, in words.
fn run(
    plan: &Plan,
    group: &[usize],
    tables: &[Free; 2],
    releases: &[Vec<u64>],
    trigger: Trigger,
) -> Result<(), String> {
    let (mut now, mut changed) = (0, None::<u64>);
    let mut next = vec![0; group.len()];
    let mut pending: Vec<Job> = Vec::new();
    let task = |own: usize| &plan.tasks[group[own]];
    let is_edf = plan.policy == fresco_rt::policy::Policy::Edf;
    while now < END {
        if changed.is_none() && matches!(trigger, Trigger::Heat(at) if at <= now) {
            changed = Some(now);
        }
        for own in 0..group.len() {
            if releases[own].get(next[own]) == Some(&now) {
                let number = next[own];
                pending.push(Job {
                    task: own,
                    number,
                    released: now,
                    done: 0,
                });
                next[own] += 1;
            }
        }
        pending.retain(|job| changed.is_none() || task(job.task).wcet_high_ns > 0);
        let table = match changed {
            Some(at) if now >= at.next_multiple_of(plan.memory.retention_ns) => &tables[1],
            _ => &tables[0],
        };
        let (free, edge) = table.at(now);
        let releases = (0..group.len()).filter_map(|own| releases[own].get(next[own]).copied());
        let mut until = releases.fold(edge.min(END), u64::min);
        if let (None, Trigger::Heat(at)) = (changed, trigger) {
            until = until.min(at.max(now + 1));
        }
        if let Some(at) = changed
            .map(|at| at.next_multiple_of(plan.memory.retention_ns))
            .filter(|&at| at > now)
        {
            until = until.min(at);
        }
        let first = (0..pending.len()).min_by_key(|&place| {
            let (job, of) = (&pending[place], task(pending[place].task));
            let relative = if changed.is_some() || of.virtual_deadline_ns == 0 {
                of.deadline_ns
            } else {
                of.virtual_deadline_ns
            };
            let urgency = if is_edf { job.released + relative } else { 0 };
            (urgency, of.deadline_ns, of.period_ns, of.name.clone())
        });
        if let (true, Some(place)) = (free, first) {
            let job = &mut pending[place];
            let of = task(job.task);
            let overruns = matches!(trigger, Trigger::Overrun(own, number) if (own, number) == (job.task, job.number));
            let longer = of.wcet_high_ns > of.wcet_ns && (changed.is_some() || overruns);
            let needed = if longer { of.wcet_high_ns } else { of.wcet_ns };
            // Up to its end, or to where it takes longer than in low mode.
            let stop = if changed.is_none() { of.wcet_ns } else { needed };
            until = until.min(now + stop - job.done);
            job.done += until - now;
            if job.done == needed {
                let response = until - job.released;
                if response > of.response_bound_ns.unwrap_or(0) {
                    return Err(format!(
                        "{} takes {response} ns in a {} mode after {changed:?}",
                        of.name,
                        if changed.is_some() { "high" } else { "low" }
                    ));
                }
                pending.remove(place);
            } else if changed.is_none() && job.done == of.wcet_ns {
                changed = Some(until);
            }
        }
        now = until;
        if let Some(late) = pending.iter().find(|job| {
            let kept = changed.is_none() || task(job.task).wcet_high_ns > 0;
            kept && job.released + task(job.task).deadline_ns < now
        }) {
            return Err(format!(
                "{} is late at {now}, mode changed at {changed:?}",
                task(late.task).name
            ));
        }
    }
    Ok(())
}

/// A set of tasks with a method and a policy, as a file.
fn set(draw: &mut Draw) -> String {
    let method = draw.one(&["aligned", "burst"]);
    let policy = draw.one(&["edf", "dm"]);
    let hot = draw.one(&[16, 32, 64]);
    let between = |draw: &mut Draw, least: u64, most: u64| least + draw.below(most + 1 - least);
    let mut text = format!(
        "memory = {{ density = 2, density_scales_refresh_only = true }}\n\
         plan = {{ method = \"{method}\", policy = \"{policy}\", high_retention = \"{hot} ms\", lock = \"8 us\", handler = \"8 us\", attempts = 20 }}\n"
    );
    let count = between(draw, 2, 4);
    for number in 0..count {
        let period = draw.one(&[10, 16, 20, 32, 40, 50]) * 1000;
        let wcet = between(draw, period / 20, period * 3 / 4 / count);
        let deadline = between(draw, period * 3 / 4, period);
        _ = write!(
            text,
            "[[task]]\nname = \"t{number}\"\nperiod = \"{period} us\"\nwcet = \"{wcet} us\"\ndeadline = \"{deadline} us\"\n"
        );
        if number == 0 || draw.below(2) == 0 {
            let high = between(draw, wcet, (wcet * 3).min(deadline));
            _ = write!(text, "criticality = \"high\"\nwcet_high = \"{high} us\"\n");
        }
    }
    text
}

/// All at once and then at the period, or from any instant on and up to half a period later.
fn releases(plan: &Plan, group: &[usize], together: bool, draw: &mut Draw) -> Vec<Vec<u64>> {
    let of = |&task: &usize| {
        let period = plan.tasks[task].period_ns;
        let mut at = if together { 0 } else { draw.below(period) };
        let mut releases = Vec::new();
        while at < END {
            releases.push(at);
            at += period + if together { 0 } else { draw.below(period / 2) };
        }
        releases
    };
    group.iter().map(of).collect()
}

#[test]
fn plans_keep_their_promises_whenever_the_mode_changes() {
    let draw = &mut Draw::of(7);
    let (mut planned, mut changes) = (0, 0);
    for _ in 0..80 {
        let text = set(draw);
        let tasks =
            TaskSet::parse("drawn.toml", &text, Path::new(""), &[]).unwrap_or_else(|error| panic!("{error}: {text}"));
        let Ok(found) = plan(&tasks) else { continue };
        check(&found, &tasks.machine).unwrap_or_else(|wrong| panic!("{wrong}: {text}"));
        planned += 1;
        let high = found.high.as_ref().expect("a high mode");
        for proof in &found.proofs {
            let (core, color) = (proof.core.unwrap() as usize, proof.color.unwrap());
            let tables = [&found.schedule, &high.schedule].map(|schedule| Free::of(schedule, core, color));
            for together in [true, false] {
                let releases = releases(&found, &proof.tasks, together, draw);
                let heats = (0..20).map(|_| Trigger::Heat(draw.below(END / 2))).collect::<Vec<_>>();
                let is_high = |own: &usize| found.tasks[proof.tasks[*own]].wcet_high_ns > 0;
                let overruns = (0..proof.tasks.len())
                    .filter(is_high)
                    .flat_map(|own| (0..5).map(move |job| Trigger::Overrun(own, job)));
                for trigger in heats.into_iter().chain(overruns) {
                    run(&found, &proof.tasks, &tables, &releases, trigger)
                        .unwrap_or_else(|wrong| panic!("{trigger:?}: {wrong}: {text}"));
                    changes += 1;
                }
            }
        }
    }
    println!("{planned} plans, {changes} changes");
    assert!(planned >= 20, "{planned} plans of 80 sets");
}
