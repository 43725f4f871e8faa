// SPDX-License-Identifier: MIT OR Apache-2.0
//! Is a table sound? Every fact is checked from the tasks and the table alone; nothing of the planner is used.

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
/// what each colour holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Needs<'a> {
    /// The tasks.
    pub tasks: &'a [Task],
    /// R: longest distance of two bursts of a colour.
    pub retention: Time,
    /// δ + e_rl + e_ru.
    pub burst: Time,
    /// Units of memory of one instance of each task.
    pub memory: &'a [u64],
    /// Units each colour holds.
    pub capacity: &'a [u64],
}

macro_rules! holds {
    ($fact:expr, $($words:tt)+) => { if !$fact { return Err(Violation(format!($($words)+))); } };
}

impl Table {
    /// Checks slots (one job at a time on a core, one core at a time for a job, inside windows, full execution times),
    /// refresh (each colour at least once per retention period, long enough, never under a task that owns it or copies from
    /// it), and memory (all of each instance, no colour over its capacity).
    pub fn check(&self, needs: &Needs) -> Result<(), Violation> {
        let (tasks, length, colors) = (needs.tasks, self.length, needs.capacity.len());
        holds!(length > 0, "the table has no length");
        holds!(
            self.memory.len() == tasks.len() && needs.memory.len() == tasks.len(),
            "memory of other tasks"
        );
        holds!(self.copy_cost.len() == tasks.len(), "copy costs of other tasks");
        for task in tasks {
            holds!(
                length.is_multiple_of(task.period),
                "{}: period does not divide the table",
                task.name
            );
        }
        let mut used = vec![0u128; colors];
        for (task, instances) in tasks.iter().zip(&self.memory) {
            for units in instances {
                holds!(units.len() == colors, "{}: memory in other colours", task.name);
                units
                    .iter()
                    .zip(&mut used)
                    .for_each(|(&units, used)| *used += u128::from(units));
            }
        }
        let mut bursts_of: Vec<Vec<(Time, Time)>> = vec![Vec::new(); colors];
        for (color, bursts) in bursts_of.iter_mut().enumerate() {
            holds!(
                used[color] <= u128::from(needs.capacity[color]),
                "colour {color} holds more than its capacity"
            );
            for burst in self.bursts.iter().filter(|burst| burst.color == color) {
                holds!(
                    burst.length >= needs.burst,
                    "burst of colour {color} at {} is too short",
                    burst.start
                );
                holds!(
                    burst.start < length && burst.length <= length - burst.start,
                    "burst at {} leaves the table",
                    burst.start
                );
                bursts.push((burst.start, burst.start + burst.length));
            }
            bursts.sort_unstable();
            holds!(!bursts.is_empty(), "colour {color} is never refreshed");
            let around = bursts[0].0.checked_add(length).unwrap_or(Time::MAX);
            let next = bursts.iter().skip(1).map(|&(start, _)| start).chain([around]);
            for (&(start, end), next) in bursts.iter().zip(next) {
                holds!(
                    next - start <= needs.retention,
                    "colour {color} waits from {start} to {next} for its refresh"
                );
                holds!(end <= next, "two bursts of colour {color} at once, at {next}");
            }
        }
        let mut done: BTreeMap<(usize, u64), (usize, Time)> = BTreeMap::new(); // instance, time
        let mut parts_of: BTreeMap<(usize, u64), Vec<(Time, Time)>> = BTreeMap::new();
        let mut busy_until = vec![0; self.cores];
        for slot in &self.slots {
            let at = format!("slot at {} on core {}", slot.start, slot.core);
            holds!(
                slot.core < self.cores && slot.task < tasks.len(),
                "{at}: no such core or task"
            );
            let task = &tasks[slot.task];
            holds!(slot.job < length / task.period, "{at}: no such job of {}", task.name);
            holds!(
                slot.instance < self.memory[slot.task].len(),
                "{at}: no such instance of {}",
                task.name
            );
            let end = slot.start.checked_add(slot.length).unwrap_or(Time::MAX);
            holds!(slot.length > 0 && end <= length, "{at}: empty, or beyond the table");
            holds!(slot.start >= busy_until[slot.core], "{at}: the core is busy");
            busy_until[slot.core] = end;
            let release =
                (u128::from(task.phase) + u128::from(slot.job) * u128::from(task.period)) % u128::from(length);
            let since = (u128::from(slot.start) + u128::from(length) - release) % u128::from(length);
            let by = since + u128::from(slot.length);
            holds!(
                by <= u128::from(task.deadline),
                "{at}: {} runs outside its window",
                task.name
            );
            let job = (slot.task, slot.job);
            let parts = parts_of.entry(job).or_default();
            holds!(
                parts.iter().all(|&(s, e)| end <= s || e <= slot.start),
                "{at}: {} runs on two cores",
                task.name
            );
            parts.push((slot.start, end));
            let (instance, time) = done.entry(job).or_insert((slot.instance, 0));
            holds!(
                *instance == slot.instance,
                "{at}: {} changes its instance within a job",
                task.name
            );
            *time += slot.length;
        }
        for (number, task) in tasks.iter().enumerate() {
            let jobs = length / task.period;
            for (instance, units) in self.memory[number].iter().enumerate() {
                let all =
                    units.iter().map(|&units| u128::from(units)).sum::<u128>() >= u128::from(needs.memory[number]);
                let runs = (0..jobs).any(|job| done.get(&(number, job)).is_some_and(|&(i, _)| i == instance));
                holds!(all || !runs, "{}: instance {instance} lacks memory", task.name);
            }
            for job in 0..jobs {
                let Some(&(instance, time)) = done.get(&(number, job)) else {
                    return Err(Violation(format!("{}: job {job} does not run", task.name)));
                };
                let before = done
                    .get(&(number, (job + jobs - 1) % jobs))
                    .map_or(instance, |&(before, _)| before);
                let copy = if before == instance {
                    None
                } else {
                    self.copy_cost[number]
                };
                let needed = u128::from(task.wcet) + u128::from(copy.unwrap_or(0));
                holds!(
                    u128::from(time) == needed,
                    "{}: job {job} gets {time} of {needed}",
                    task.name
                );
                for (color, bursts) in bursts_of.iter().enumerate() {
                    let copied = copy.is_some() && self.memory[number][before][color] > 0;
                    if self.memory[number][instance][color] == 0 && !copied {
                        continue;
                    }
                    for &(start, end) in &parts_of[&(number, job)] {
                        let next = bursts.get(bursts.partition_point(|&(_, over)| over <= start));
                        let clear = next.is_none_or(|&(burst, _)| end <= burst);
                        holds!(
                            clear,
                            "{}: job {job} at {start} meets the refresh of colour {color}",
                            task.name
                        );
                    }
                }
            }
        }
        Ok(())
    }
}
