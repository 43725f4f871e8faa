// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks that a table is sound. Every fact is derived from the tasks and the table alone; nothing of the planner is used.

use std::collections::BTreeMap;
use std::fmt;

use super::table::Table;
use crate::task::Task;
use crate::time::Time;

/// The first fact that does not hold, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation(String);

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Violation {}

/// What the table must be for: R, the least length of a burst with its overheads, memory of an instance of each task, and
/// what each color holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Needs<'a> {
    /// The tasks.
    pub tasks: &'a [Task],
    /// R: longest distance of two bursts of a color.
    pub retention: Time,
    /// δ + e_rl + e_ru.
    pub burst: Time,
    /// Units of memory of one instance of each task.
    pub memory: &'a [u64],
    /// Units each color holds.
    pub capacity: &'a [u64],
}

/// Returns with the words unless the fact holds. (In braces, so that the formatter leaves one fact on one line.)
macro_rules! holds {
    { $fact:expr, $($words:tt)+ } => { if !$fact { return Err(Violation(format!($($words)+))); } };
}

/// What the slots give a job.
#[derive(Default)]
struct Run {
    instance: usize,
    time: u128,
    parts: Vec<(Time, Time)>,
}

impl Table {
    /// Checks memory (all of each instance that runs, no color over its capacity), refresh (each color at least once per
    /// retention period, long enough) and slots (one job at a time on a core, one core at a time for a job, inside windows,
    /// no less than full execution times, never while a color is refreshed that the job's instance owns or that it copies from).
    pub fn check(&self, needs: &Needs) -> Result<(), Violation> {
        holds! { self.length > 0, "the table has no length" }
        holds! { self.memory.len() == needs.tasks.len(), "memory of other tasks" }
        holds! { needs.memory.len() == needs.tasks.len() && self.copy_cost.len() == needs.tasks.len(), "needs of other tasks" }
        for task in needs.tasks {
            holds! { self.length.is_multiple_of(task.period), "{}: period does not divide the table", task.name }
        }
        self.check_memory(needs)?;
        let bursts = self.check_refresh(needs)?;
        self.check_jobs(needs, &bursts, &self.check_slots(needs)?)
    }

    fn check_memory(&self, needs: &Needs) -> Result<(), Violation> {
        let mut used = vec![0u128; needs.capacity.len()];
        for (task, units) in self
            .memory
            .iter()
            .enumerate()
            .flat_map(|(t, all)| all.iter().map(move |units| (t, units)))
        {
            holds! { units.len() == used.len(), "{}: memory in other colors", needs.tasks[task].name }
            used.iter_mut()
                .zip(units)
                .for_each(|(used, &units)| *used += u128::from(units));
        }
        for (color, (&used, &capacity)) in used.iter().zip(needs.capacity).enumerate() {
            holds! { used <= u128::from(capacity), "color {color} holds {used}, more than its capacity {capacity}" }
        }
        Ok(())
    }

    /// Bursts of each color, ascending.
    fn check_refresh(&self, needs: &Needs) -> Result<Vec<Vec<(Time, Time)>>, Violation> {
        let mut bursts_of = vec![Vec::new(); needs.capacity.len()];
        for burst in &self.bursts {
            let (color, start) = (burst.color, burst.start);
            holds! { color < bursts_of.len(), "burst at {start}: no such color" }
            holds! { burst.length >= needs.burst, "burst of color {color} at {start} is too short" }
            holds! { start < self.length && burst.length <= self.length - start, "burst at {start} leaves the table" }
            bursts_of[color].push((start, start + burst.length));
        }
        for (color, bursts) in bursts_of.iter_mut().enumerate() {
            bursts.sort_unstable();
            holds! { !bursts.is_empty(), "color {color} is never refreshed" }
            let next = bursts
                .iter()
                .skip(1)
                .map(|&(start, _)| start)
                .chain([bursts[0].0.saturating_add(self.length)]);
            for (&(start, end), next) in bursts.iter().zip(next) {
                holds! { next - start <= needs.retention, "color {color} waits from {start} to {next} for its refresh" }
                holds! { end <= next, "two bursts of color {color} at once, at {next}" }
            }
        }
        Ok(bursts_of)
    }

    fn check_slots(&self, needs: &Needs) -> Result<BTreeMap<(usize, u64), Run>, Violation> {
        let mut runs: BTreeMap<(usize, u64), Run> = BTreeMap::new();
        let mut last: BTreeMap<usize, (Time, Time)> = BTreeMap::new();
        for slot in &self.slots {
            let at = format!("slot at {} on core {}", slot.start, slot.core);
            holds! { slot.core < self.cores && slot.task < needs.tasks.len(), "{at}: no such core or task" }
            let task = &needs.tasks[slot.task];
            holds! { slot.job < self.length / task.period, "{at}: no such job of {}", task.name }
            holds! { slot.instance < self.memory[slot.task].len(), "{at}: no such instance of {}", task.name }
            let end = slot.start.saturating_add(slot.length);
            holds! { slot.length > 0 && end <= self.length, "{at}: empty, or beyond the table" }
            let (before, busy_until) = last.insert(slot.core, (slot.start, end)).unwrap_or_default();
            holds! { slot.start >= before, "{at}: slots of a core are not in the order of their starts" }
            holds! { slot.start >= busy_until, "{at}: the core is busy" }
            let [phase, k, period, turn] = [task.phase, slot.job, task.period, self.length].map(u128::from);
            let since_release = (u128::from(slot.start) + turn - (phase + k * period) % turn) % turn;
            let by = since_release + u128::from(slot.length);
            holds! { by <= u128::from(task.deadline), "{at}: {} runs outside its window", task.name }
            let first = Run {
                instance: slot.instance,
                ..Run::default()
            };
            let run = runs.entry((slot.task, slot.job)).or_insert(first);
            holds! { run.instance == slot.instance, "{at}: {} changes its instance within a job", task.name }
            let apart = run.parts.iter().all(|&(s, e)| end <= s || e <= slot.start);
            holds! { apart, "{at}: {} runs on two cores", task.name }
            run.parts.push((slot.start, end));
            run.time += u128::from(slot.length);
        }
        Ok(runs)
    }

    fn check_jobs(
        &self,
        needs: &Needs,
        bursts_of: &[Vec<(Time, Time)>],
        runs: &BTreeMap<(usize, u64), Run>,
    ) -> Result<(), Violation> {
        for (number, task) in needs.tasks.iter().enumerate() {
            let (name, memory, jobs) = (&task.name, &self.memory[number], self.length / task.period);
            for job in 0..jobs {
                let Some(run) = runs.get(&(number, job)) else {
                    return Err(Violation(format!("{name}: job {job} does not run")));
                };
                let before = runs.get(&(number, (job + jobs - 1) % jobs));
                let held = memory[run.instance]
                    .iter()
                    .map(|&units| u128::from(units))
                    .sum::<u128>();
                holds! { held >= u128::from(needs.memory[number]), "{name}: instance {} lacks memory", run.instance }
                let source = before.map_or(run.instance, |before| before.instance);
                let copy = self.copy_cost[number].filter(|_| source != run.instance);
                let (time, needed) = (run.time, u128::from(task.wcet) + u128::from(copy.unwrap_or(0)));
                holds! { time >= needed, "{name}: job {job} gets {time} of {needed}" }
                for (color, bursts) in bursts_of.iter().enumerate() {
                    let touches = memory[run.instance][color] > 0 || copy.is_some() && memory[source][color] > 0;
                    for &(start, end) in run.parts.iter().filter(|_| touches) {
                        let next = bursts.get(bursts.partition_point(|&(_, over)| over <= start));
                        let clear = next.is_none_or(|&(burst, _)| end <= burst);
                        holds! { clear, "{name}: job {job} at {start} meets the refresh of color {color}" }
                    }
                }
            }
        }
        Ok(())
    }
}
