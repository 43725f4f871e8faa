// SPDX-License-Identifier: MIT OR Apache-2.0
//! Channels that are balanced while programs run (BPM-10), and threads of one program with colors of their own (BPM-15).

use super::super::row;
use fresco_report::claims::Row;
use fresco_system::results::{PointResult, RunResult, ScenarioResult};
use std::collections::BTreeMap;

/// Bank colors of a channel of the machine.
const CHANNEL: u32 = 32;

/// Tasks on the channel of the heavy one, and on the other channel; and the unbalance factor. The heavy one is the one that moves the most
/// data: of recordings that may be another one than of models.
pub fn balance(result: &ScenarioResult) -> Vec<Row> {
    let row = |scheme: &String, run: &RunResult| {
        let channel = |banks: &str| Some(banks.split(['-', ',']).next()?.parse::<u32>().ok()? / CHANNEL);
        let channels = run.tasks.iter().map(|task| channel(&task.banks));
        let channels: Vec<u32> = channels.collect::<Option<_>>()?;
        let moves = |task: &usize| run.tasks[*task].bandwidth_bytes_per_s;
        let heavy = (0..channels.len()).max_by(|one, other| moves(one).total_cmp(&moves(other)))?;
        let beside = channels.iter().filter(|channel| **channel == channels[heavy]).count();
        let moved: u64 = run.tasks.iter().map(|task| task.pages.recolored).sum();
        Some(
            Row::new()
                .label("scheme", scheme)
                .value("heavy_channel_tasks", beside as f64)
                .value("other_channel_tasks", (channels.len() - beside) as f64)
                .value("recolored_pages", moved as f64),
        )
    };
    let of_point = |point: &PointResult| {
        let scheme = point.values.first()?;
        let of_run = |run| row(scheme, run).into_iter().collect();
        let row = row::means(&point.runs.iter().map(of_run).collect::<Vec<Vec<Row>>>()).pop()?;
        Some(match point.together.channel_unbalance {
            Some(unbalance) => row.value("unbalance", unbalance.mean),
            None => row,
        })
    };
    result.points.iter().filter_map(of_point).collect()
}

/// Run time of a program of four threads against the buddy system, and how many of its reads find another row open.
pub fn team(result: &ScenarioResult) -> Vec<Row> {
    let time = |point: &PointResult| Some(point.teams.first()?.run_time_ns.mean);
    let mut shared: BTreeMap<&str, f64> = BTreeMap::new();
    let row = |point| {
        let point: &PointResult = point;
        let [init, frames] = point.values.as_slice() else {
            return None;
        };
        let own = time(point)?;
        let before = *shared.entry(init).or_insert(own);
        let rows = point.tasks.iter().map(|task| task.reads.rows);
        let (conflicts, all) = rows.fold((0, 0), |(conflicts, all), rows| {
            (
                conflicts + rows.conflicts,
                all + rows.hits + rows.misses + rows.conflicts,
            )
        });
        let row = Row::new().label("init", init).label("scheme", frames);
        Some(
            row.value("gain_pct", 100.0 * (before / own - 1.0))
                .value("conflict_pct", 100.0 * conflicts as f64 / all.max(1) as f64),
        )
    };
    result.points.iter().filter_map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::balance;
    use fresco_scenario::builtin;

    #[test]
    fn the_heavy_one_is_the_one_that_moves_the_most_data() {
        let short = [
            "sweep.scheme=[\"static\"]",
            "warm_up.time=\"2 us\"",
            "measure.time=\"20 us\"",
        ];
        let scenario = builtin("bpm-balance", &short.map(str::to_owned)).expect("sound");
        let mut result = fresco_system::run_all(&scenario, 1, &|_| {}).expect("sound");
        let mut counted = |moved: [f64; 4]| {
            let tasks = &mut result.points[0].runs[0].tasks;
            for ((task, banks), moved) in tasks.iter_mut().zip(["0-7", "32-39", "40-47", "48-55"]).zip(moved) {
                task.banks = banks.to_owned();
                task.bandwidth_bytes_per_s = moved;
            }
            let row = balance(&result).remove(0);
            ["heavy_channel_tasks", "other_channel_tasks"].map(|name| row.values[name])
        };
        assert_eq!(counted([9e9, 1e9, 1e9, 1e9]), [1.0, 3.0]);
        assert_eq!(counted([1e9, 9e9, 1e9, 1e9]), [3.0, 1.0]);
    }
}
