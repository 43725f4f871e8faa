// SPDX-License-Identifier: MIT OR Apache-2.0
//! Jobs by a table: each in its slots, for as long as it takes.

use super::conduct::Conduct;
use super::jobs::{judged, meets, missed};
use super::plan::{Ns, Plan, Slot, Table};
use super::refresh::Busy;
use super::{Harm, Seen};
use std::collections::BTreeMap;

/// Turns of the table that are run; the last one's jobs end in the one after.
const TURNS: u64 = 3;

/// A job of the table in its turn.
struct Job {
    left: Ns,
    copy: Ns,
    /// Of the switch to it, and of its reload.
    switch: Ns,
    until: Ns,
    over: Option<Ns>,
}

/// A task, a job of it in the table, and the turn.
type Turn = (usize, u64, u64);

/// Runs the table for some turns.
///
/// # Errors
/// The first harm.
pub fn run(plan: &Plan, table: &Table, lock: Ns, conduct: &Conduct, seen: &mut Seen) -> Result<(), Harm> {
    let length = table.length;
    if table.slots.len() as u64 * TURNS > conduct.steps {
        return Ok(());
    }
    let mut slots: Vec<&Slot> = table.slots.iter().collect();
    slots.sort_by_key(|slot| (slot.start, slot.core));
    let mut instance: BTreeMap<(usize, u64), usize> = BTreeMap::new();
    for slot in &slots {
        instance.entry((slot.task, slot.job)).or_insert(slot.instance);
    }
    let mut handlers: Vec<(Ns, Ns)> = table
        .bursts
        .iter()
        .map(|burst| (burst.start, burst.start + lock))
        .collect();
    handlers.sort_unstable();
    let of_color = |color| Busy::of(plan, conduct, plan.ranks_of(color));
    let of_core = |_| (0..plan.colors.len()).filter_map(of_color).collect();
    let mut busy: Vec<Vec<Busy>> = (0..plan.cores).map(of_core).collect();
    let mut free = vec![0; plan.cores as usize];
    // What each core ran last, and until when.
    let mut running: Vec<Option<(Turn, Ns)>> = vec![None; plan.cores as usize];
    let mut jobs: BTreeMap<Turn, Job> = BTreeMap::new();
    for turn in 0..TURNS {
        let base = turn * length;
        for slot in &slots {
            let (task, job) = (&plan.tasks[slot.task], slot.job);
            let first = task.phase_ns + job * task.period_ns;
            let mut now = (base + slot.start).max(free[slot.core]);
            let end = base + slot.start + slot.length;
            if now < first || now >= end {
                continue;
            }
            let round = (now - first) / length;
            let jobs_of_turn = length / task.period_ns;
            let source = instance
                .get(&(slot.task, (job + jobs_of_turn - 1) % jobs_of_turn))
                .copied()
                .unwrap_or(slot.instance);
            let copies = source != slot.instance;
            let state = jobs.entry((slot.task, job, round)).or_insert_with(|| {
                let copy = task.copy_ns.filter(|_| copies).unwrap_or(0);
                Job {
                    left: conduct.work(task.wcet_ns, slot.task, job + round * jobs_of_turn) + copy,
                    copy,
                    switch: 0,
                    until: 0,
                    over: None,
                }
            });
            // A slice begins with a switch, and a reload unless it is the job's first.
            if running[slot.core] != Some(((slot.task, job, round), now)) {
                let again = if state.until > 0 { task.cache_reload_ns } else { 0 };
                state.switch = plan.context_switch_ns + again;
            }
            now = now.max(state.until);
            while now < end && state.left > 0 {
                // A handler of a lock takes the core.
                let within = now - base;
                let next = handlers
                    .iter()
                    .find(|&&(start, end)| within < end && start < end)
                    .copied();
                if let Some((start, end)) = next
                    && start <= within
                {
                    now = base + end;
                    continue;
                }
                let begins = next.map_or(Ns::MAX, |(start, _)| base + start);
                if state.switch > 0 {
                    let until = end.min(now + state.switch).min(begins);
                    state.switch -= until - now;
                    now = until;
                    continue;
                }
                let part = if state.copy > 0 { state.copy } else { state.left };
                let until = end.min(now + part).min(begins);
                let touched = match state.copy {
                    0 => plan.touched(slot.task, slot.instance),
                    _ => plan.touched(slot.task, slot.instance) | plan.touched(slot.task, source),
                };
                meets(plan, &mut busy[slot.core], slot.task, touched, (now, until))?;
                seen.piece(slot.core, slot.task, job + round * jobs_of_turn, now, until);
                state.left -= until - now;
                state.copy = state.copy.saturating_sub(until - now);
                (now, state.until) = (until, until);
                free[slot.core] = until;
            }
            if state.left == 0 && state.over.is_none() {
                state.over = Some(state.until);
            }
            running[slot.core] = Some(((slot.task, job, round), end));
        }
    }
    judge_all(plan, table, &jobs, seen)
}

/// Whether every job that the run has seen the end of was over in time.
fn judge_all(plan: &Plan, table: &Table, jobs: &BTreeMap<Turn, Job>, seen: &mut Seen) -> Result<(), Harm> {
    for (number, task) in plan.tasks.iter().enumerate().filter(|(_, task)| task.period_ns > 0) {
        let jobs_of_turn = table.length / task.period_ns;
        for job in 0..jobs_of_turn {
            for round in 0..TURNS {
                let release = task.phase_ns + job * task.period_ns + round * table.length;
                if release + task.deadline_ns > TURNS * table.length {
                    continue;
                }
                let over = jobs.get(&(number, job, round)).and_then(|state| state.over);
                let named = job + round * jobs_of_turn;
                let over = over.ok_or_else(|| missed(task, named, release))?;
                judged(plan, number, named, release, over, seen)?;
            }
        }
    }
    Ok(())
}
