// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks row by row that every one is refreshed in time while the mode changes: with the commands of low mode up to a multiple of the retention time and
//! with those of high mode from there on.

use super::report::{Violation, holds};
use super::retention::ordinary;
use crate::plan::{HighMode, Plan, RefreshPlan};
use fresco_rt::Time;

/// Turns of low mode before the change: it may come with the first one, when colors still leave ordinary refresh (E34), or when all repeats.
const BEFORE: [Time; 5] = [0, 1, 2, 3, 4];
/// Retention times of low mode that are looked at after the change.
const AFTER: Time = 3;

/// Commands of a rank: when, and how much later each may come.
type Commands = Vec<(Time, Time)>;

/// The longest time after the begin of the schedule of high mode for which a row waits for its first refresh in it.
///
/// # Errors
/// A row that waits for longer than the retention time of low mode since a refresh in that, or longer than that of high mode since one in high mode.
pub(super) fn check(plan: &Plan, high: &HighMode) -> Result<Time, Violation> {
    let colors = plan.colors.len().max(1);
    let mut settled = 0;
    for (color, turns) in (0..colors).flat_map(|color| BEFORE.map(|turns| (color, turns))) {
        settled = settled.max(one(plan, high, color, turns)?);
    }
    Ok(settled)
}

/// For one color, with the change after so many turns.
fn one(plan: &Plan, high: &HighMode, color: usize, turns: Time) -> Result<Time, Violation> {
    let (memory, place) = (&plan.memory, "high.refresh");
    // A retention time of ordinary refresh comes first.
    let begin = memory.retention_ns;
    let change = begin + turns * memory.retention_ns;
    let end = change + AFTER * memory.retention_ns;
    let before = of(plan, &plan.refresh, memory.retention_ns, color, (begin, change));
    let after = of(plan, &high.refresh, high.retention_ns, color, (change, end));
    let first_window = before.iter().chain(&after).map(|&(at, _)| at).next();
    let first = first_window.unwrap_or(end);
    let mut all: Commands = (0..)
        .map(|number| (ordinary(number, memory.retention_ns, memory.commands), 0))
        .take_while(|&(at, _)| at < first)
        .collect();
    // What would still run when the first window opens comes so much earlier.
    all.iter_mut()
        .for_each(|command| command.0 = command.0.min(first.saturating_sub(memory.trfc_ns)));
    let usual = all.len();
    all.extend(before.into_iter().chain(after));
    // Until the first window begins, however late, the rank is refreshed as usual.
    let first_end = all[usual..]
        .windows(2)
        .position(|pair| pair[1].0 > pair[0].0 + memory.trfc_ns);
    let length = first_end.map_or(all.len() - usual, |last| last + 1);
    all[usual..usual + length].iter_mut().for_each(|command| command.1 = 0);
    if let Some(over) = all.iter().position(|&(at, _)| at >= change).filter(|&over| over > 0) {
        let (at, late) = all[over - 1];
        holds! {
            at + late + memory.trfc_ns <= all[over].0, place,
            "begins at {} ns of its schedule, while a refresh of low mode may run", all[over].0 - change
        }
    }
    let rows = usize::try_from(memory.commands).unwrap_or(usize::MAX);
    holds! { rows > 0 && all.len() > rows, place, "has no command for some rows" }
    let mut settled = 0;
    for (number, &(at, late)) in all.iter().enumerate() {
        // A device counts commands: this one refreshes the rows that the one so many before it did.
        let last = number.checked_sub(rows).map_or(0, |number| all[number].0);
        let (allowed, mode) = match last < change {
            true => (memory.retention_ns, "low"),
            false => (high.retention_ns, "high"),
        };
        let to = at + late;
        holds! {
            to - last <= allowed, place,
            "a row of color {color} is refreshed in {mode} mode, and not again for {} ns; {allowed} ns are allowed (change after {turns} turns)",
            to - last
        }
        if last < change && at >= change {
            settled = settled.max(to - change);
        }
    }
    // What is refreshed last must come round again: the end lies well after the change.
    let last_round = all[all.len() - rows].0;
    holds! { end - last_round <= high.retention_ns, place, "leaves rows of color {color} that are not refreshed to the end" }
    Ok(settled)
}

/// The commands of a refresh for rows that keep their data for `retention`, in `[from, to)`; it begins at `from`.
fn of(plan: &Plan, refresh: &RefreshPlan, retention: Time, color: usize, (from, to): (Time, Time)) -> Commands {
    let mut commands = match refresh {
        RefreshPlan::Controller { .. } => (0..)
            .map(|number| (from + ordinary(number, retention, plan.memory.commands), 0))
            .take_while(|&(at, _)| at < to)
            .collect(),
        RefreshPlan::Windows { period_ns, windows } => {
            let mut commands = Commands::new();
            for turn in (0..).map(|turn| from + turn * period_ns).take_while(|&turn| turn < to) {
                for window in windows.iter().filter(|window| window.color == color) {
                    let start = turn + window.start_ns;
                    let at = |number: Time| (start + number * plan.memory.trfc_ns, plan.refresh_jitter_ns);
                    commands.extend((0..window.commands).map(at));
                }
            }
            commands
        }
    };
    commands.sort_unstable();
    commands.retain(|&(at, _)| at < to);
    commands
}
