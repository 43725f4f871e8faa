// SPDX-License-Identifier: MIT OR Apache-2.0
//! Statements of chapter 4, put to the theory.

use super::executive::solved;
use super::theorems::{theorem_1_failures, theorem_2, theorem_2_case_2a};
use super::{MS, RANKS, TABLE_4_4, failed, ms, one_if, task, task_set, tasks};
use crate::published;
use fresco_input::InputError;
use fresco_report::claims::Row;
use fresco_rt::executive::{Bandwidth, CoAssign, Cores, Problem, Rotation, Slicing};
use fresco_rt::refresh::{COMMANDS, Density, RETENTION, padded, refresh_interval};
use fresco_rt::supply::Ratio;
use fresco_rt::{Task, Time};

/// Bandwidth of the text: bytes copied per second.
const COPYING: Bandwidth = Bandwidth::Copied(10_000_000_000);
/// Ranks for which the text calls 4 ms the threshold of short tasks.
const SHORT_RANKS: usize = 32;

/// The statements, in one row.
pub fn cr_analysis(seed: u64) -> Result<Vec<Row>, InputError> {
    let stall = Density::Gb8.trfc();
    let interval = refresh_interval(RETENTION);
    let table_4_4 = task_set(TABLE_4_4)?.timing();
    let printed = table_4_4
        .iter()
        .all(|task| printed_padding_ends(task.wcet, stall, interval));
    let corrected = table_4_4
        .iter()
        .all(|task| padded(task.wcet, stall, interval).is_some());
    let theorem_2 = theorem_2(seed)?;
    let rounded = Ratio::new(7800, 1).ok_or_else(|| failed("no interval"))?;
    let break_even = published::executive::break_even(MS, stall, rounded, COPYING);
    let copy = COPYING.copy_time(16 << 10).ok_or_else(|| failed("no copy"))?;
    let delay = padded(MS, stall, interval).ok_or_else(|| failed("no fixed point"))? - MS;
    let row = Row::new()
        .value("padding_printed_converges", one_if(printed))
        .value("padding_corrected_converges", one_if(corrected))
        .value("theorem1_failures", f64::from(theorem_1_failures()?))
        .value("theorem2_sets", f64::from(theorem_2.sets))
        .value("theorem2_failures", f64::from(theorem_2.failures))
        .value("theorem2_case2a_failures", one_if(theorem_2_case_2a()?))
        .value("highest_utilization", highest_utilization()?)
        .value("short_threshold_ms", ms(short_threshold()?))
        .value("huge_bursts", most_bursts(40 * MS, COMMANDS * stall)? as f64)
        .value("breakeven_mb", break_even as f64 / 1e6)
        .value("matrices_mb", f64::from(2 * 250 * 250 * size_of::<f64>() as u32) / 1e6)
        .value("copy_16kib_us", copy as f64 / 1000.0)
        .value("refresh_delay_us", delay as f64 / 1000.0);
    Ok(vec![match instances_of_three_colors()? {
        Some(instances) => row.value("instances_three_colors", instances as f64),
        None => row,
    }])
}

/// The recursion as printed, `e(n) = e(n-1) + tRFC ⌈e(n-1) / tREFI⌉` (E6). Returns true if it reaches a fixed point
/// below the retention time.
fn printed_padding_ends(wcet: Time, stall: Time, interval: Ratio) -> bool {
    let mut padded = wcet;
    while padded < RETENTION {
        let begun = (padded * interval.den()).div_ceil(interval.num());
        match padded + stall * begun {
            next if next == padded => return true,
            next => padded = next,
        }
    }
    false
}

/// Utilisation of (8, 4) and (16, 8) if they can be scheduled with two instances each and copies that cost nothing, else 0.
fn highest_utilization() -> Result<f64, InputError> {
    let set = tasks(&[("a", 8, 4), ("b", 16, 8)])?;
    let rotation = Rotation::frames(RETENTION, RANKS).map_err(failed)?;
    let problem = Problem::new(&set, rotation, Cores::ONE, Slicing::Anywhere).map_err(failed)?;
    let utilization: f64 = set.iter().map(|task| task.wcet as f64 / task.period as f64).sum();
    Ok(if solved(&CoAssign::instances(&problem, 2))? {
        utilization
    } else {
        0.0
    })
}

/// The least period, in microseconds, with which a task is not short.
fn short_threshold() -> Result<Time, InputError> {
    let is_short = |period: Time| {
        Ok(published::executive::is_short(
            &task("t", period, 1)?,
            RETENTION,
            SHORT_RANKS,
        ))
    };
    for period in (1..=RETENTION / 1000).map(|period| period * 1000) {
        if !is_short(period)? {
            return Ok(period);
        }
    }
    Err(failed("a period of the retention time is short"))
}

/// Most bursts that a job of this length meets which uses all colors, wherever it begins.
fn most_bursts(length: Time, burst: Time) -> Result<usize, InputError> {
    let rotation = Rotation::bursts(RETENTION, RANKS, burst).map_err(failed)?;
    let starts: Vec<Time> = (0..2 * RANKS as Time).map(|color| color * rotation.frame()).collect();
    // A window meets most if it begins within the last instant of a burst.
    let met = |from: Time| {
        let meets = |&&start: &&Time| start < from + length && from < start + rotation.blocked();
        starts.iter().filter(meets).count()
    };
    let windows = starts.iter().take(RANKS).map(|start| start + rotation.blocked() - 1);
    Ok(windows.map(met).max().unwrap_or(0))
}

/// Least number of instances with which a task that takes all of its time avoids the refresh of three colors (F13).
fn instances_of_three_colors() -> Result<Option<usize>, InputError> {
    let colors = 3;
    let always: Vec<Task> = tasks(&[("t", 20, 20)])?;
    let rotation = Rotation::frames(60 * MS, colors).map_err(failed)?;
    let problem = Problem::new(&always, rotation, Cores::ONE, Slicing::Anywhere).map_err(failed)?;
    for instances in 1..=colors {
        if solved(&CoAssign::instances(&problem, instances))? {
            return Ok(Some(instances));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_printed_padding_never_ends_unless_nothing_is_padded() {
        let interval = refresh_interval(RETENTION);
        assert!(!printed_padding_ends(MS, 350, interval), "E6");
        assert!(printed_padding_ends(MS, 0, interval));
    }

    #[test]
    fn thresholds_and_copies() {
        assert_eq!(short_threshold().expect("a threshold"), 4 * MS);
        assert_eq!(highest_utilization().expect("solved"), 1.0);
        assert_eq!(
            instances_of_three_colors().expect("solved"),
            Some(2),
            "jobs that begin with the frames"
        );
        // Bursts of 2 ms begin every 8 ms: 7 ms meet one or two, 5 ms at most one.
        assert_eq!(
            [5, 7, 9].map(|length| most_bursts(length * MS, 2 * MS).expect("fits")),
            [1, 2, 2]
        );
    }
}
