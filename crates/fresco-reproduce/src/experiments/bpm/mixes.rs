// SPDX-License-Identifier: MIT OR Apache-2.0
//! Four programs at a time, against each of them alone and against an undivided memory: throughput, fairness, rows, energy
//! (MET-6, MET-7).

use fresco_report::claims::Row;
use fresco_system::results::{ControllerResult, PointResult, ScenarioResult, TaskSummary};

/// Points of this name and the task's measure the task alone.
const ALONE: &str = "alone-";
/// The scheme that others are compared with.
const SHARED: &str = "buddy";
/// The mix of which the paper says that it is hurt (5.8): kept apart.
const HURT: &str = "lbm";
/// Lines of a page.
const LINES: f64 = 64.0;

/// All points that differ in the scheme alone; the scheme is the last axis.
pub(super) struct Mix<'r> {
    /// Values of the other axes.
    pub place: Vec<&'r str>,
    points: Vec<(&'r str, &'r PointResult)>,
}

/// A mix under a scheme.
pub(super) struct Figures {
    /// Σ of the shares of their speed alone that the programs keep.
    pub weighted_speedup: f64,
    /// How many times slower the slowest became.
    pub maximum_slowdown: f64,
    /// Row misses and conflicts, in percent of all that went to a bank.
    miss_pct: f64,
    /// Energy of the devices per line, in nanojoules; not known for all memories.
    energy_nj: Option<f64>,
}

impl<'r> Mix<'r> {
    /// The mixes of a scenario, in its order.
    pub fn all(result: &'r ScenarioResult) -> Vec<Self> {
        let mut mixes: Vec<Self> = Vec::new();
        for point in &result.points {
            let Some((scheme, place)) = point.values.split_last() else {
                continue;
            };
            let place: Vec<&str> = place.iter().map(String::as_str).collect();
            match mixes.last_mut().filter(|mix| mix.place == place) {
                Some(mix) => mix.points.push((scheme, point)),
                None => mixes.push(Self {
                    place,
                    points: vec![(scheme, point)],
                }),
            }
        }
        mixes
    }

    /// Returns true if it is the one that the paper excepts.
    pub fn is_hurt(&self) -> bool {
        self.place == [HURT]
    }

    /// The mix under this scheme.
    pub fn point(&self, scheme: &str) -> Option<&'r PointResult> {
        let found = self.points.iter().find(|(name, _)| *name == scheme);
        found.map(|(_, point)| *point)
    }

    /// Each program alone.
    pub fn alone(&self) -> Vec<&'r TaskSummary> {
        let of = |&(name, point): &(&str, &'r PointResult)| {
            let task = name.strip_prefix(ALONE)?;
            point.tasks.iter().find(|summary| summary.name == task)
        };
        self.points.iter().filter_map(of).collect()
    }

    /// Its figures under this scheme; `None` if it or a program alone was not run.
    pub fn figures(&self, scheme: &str) -> Option<Figures> {
        let (point, alone) = (self.point(scheme)?, self.alone());
        let kept = point.tasks.iter().map(|task| {
            let alone = alone.iter().find(|one| one.name == task.name)?;
            Some(task.instructions_per_cycle.mean / alone.instructions_per_cycle.mean)
        });
        let kept: Vec<f64> = kept.collect::<Option<_>>()?;
        let controllers = || point.runs.iter().flat_map(|run| &run.controllers);
        let sum = |count: fn(&ControllerResult) -> u64| controllers().map(count).sum::<u64>() as f64;
        let hits = sum(|controller| controller.rows.hits);
        let others = sum(|controller| controller.rows.misses + controller.rows.conflicts);
        let lines = sum(|controller| controller.reads + controller.writes);
        let energy = controllers().map(|controller| Some(controller.energy.as_ref()?.total_pj));
        let energy: Option<u64> = energy.sum();
        Some(Figures {
            weighted_speedup: kept.iter().sum(),
            maximum_slowdown: kept.iter().map(|kept| 1.0 / kept).fold(0.0, f64::max),
            miss_pct: 100.0 * others / (hits + others),
            energy_nj: energy.map(|picojoules| picojoules as f64 / 1000.0 / lines),
        })
    }

    /// Gain in weighted speedup over the undivided memory, in percent.
    pub fn gain(&self, scheme: &str) -> Option<f64> {
        let (shared, own) = (self.figures(SHARED)?, self.figures(scheme)?);
        Some(100.0 * (own.weighted_speedup / shared.weighted_speedup - 1.0))
    }

    /// Bytes per second of all programs together, undivided.
    pub fn bandwidth(&self) -> f64 {
        self.point(SHARED)
            .map_or(0.0, |point| point.together.bandwidth_bytes_per_s.mean)
    }

    fn row(&self, scheme: &str) -> Option<Row> {
        let (shared, own) = (self.figures(SHARED)?, self.figures(scheme)?);
        let mut row = Row::new()
            .label("scheme", scheme)
            .value("weighted_speedup", own.weighted_speedup)
            .value("gain_pct", self.gain(scheme)?)
            .value("maximum_slowdown", own.maximum_slowdown)
            .value(
                "fairness_pct",
                100.0 * (1.0 - own.maximum_slowdown / shared.maximum_slowdown),
            )
            .value("row_miss_pct", own.miss_pct);
        if let (Some(own), Some(shared)) = (own.energy_nj, shared.energy_nj) {
            row = row.value("energy_saved_pct", 100.0 * (1.0 - own / shared));
        }
        Some(match search(self.point(SHARED)?, self.point(scheme)?) {
            Some(share) => row.value("search_pct", share),
            None => row,
        })
    }

    /// A row for each scheme.
    fn rows(&self) -> Vec<Row> {
        let schemes = self.points.iter().filter(|(name, _)| !name.starts_with(ALONE));
        schemes.filter_map(|(scheme, _)| self.row(scheme)).collect()
    }
}

/// What allocating takes more than the buddy system, in percent of the time of going over each page once: the mean of the tasks.
fn search(shared: &PointResult, own: &PointResult) -> Option<f64> {
    let share = |(before, after): (&fresco_system::results::TaskResult, &fresco_system::results::TaskResult)| {
        100.0 * (after.pages.allocation_ns - before.pages.allocation_ns) / (LINES * after.access_time_ns)
    };
    let runs = std::iter::zip(&shared.runs, &own.runs);
    let shares = runs.flat_map(|(shared, own)| std::iter::zip(&shared.tasks, &own.tasks));
    let shares: Vec<f64> = shares.map(share).collect();
    (!shares.is_empty()).then(|| shares.iter().sum::<f64>() / shares.len() as f64)
}

fn rows(result: &ScenarioResult, hurt: bool) -> Vec<Row> {
    let wanted = |mix: &Mix<'_>| mix.is_hurt() == hurt;
    let of_mix = |mix: Mix<'_>| {
        let workload = mix.place.first().copied().unwrap_or_default().to_owned();
        mix.rows().into_iter().map(move |row| row.label("workload", &workload))
    };
    Mix::all(result).into_iter().filter(wanted).flat_map(of_mix).collect()
}

/// Every mix under every scheme, but for the one that is kept apart.
pub fn mixes(result: &ScenarioResult) -> Vec<Row> {
    rows(result, false)
}

/// The mix with lbm.
pub fn lbm(result: &ScenarioResult) -> Vec<Row> {
    rows(result, true).into_iter().map(without_workload).collect()
}

fn without_workload(mut row: Row) -> Row {
    row.labels.remove("workload");
    row
}

/// Short memory, by mix and scheme.
pub fn short(result: &ScenarioResult) -> Vec<Row> {
    let rows = Mix::all(result).into_iter().flat_map(|mix| {
        let moved = |scheme: &str| {
            let runs = mix.point(scheme).map_or(&[][..], |point| &point.runs);
            let pages = runs.iter().flat_map(|run| &run.tasks).map(|task| &task.pages);
            let all = pages.fold((0, 0), |all, pages| (all.0 + pages.spilled, all.1 + pages.recolored));
            let runs = runs.len().max(1) as f64;
            (all.0 as f64 / runs, all.1 as f64 / runs)
        };
        let row = |scheme: &str| {
            let (spilled, recolored) = moved(scheme);
            let row = Row::new().label("workload", mix.place.first()?).label("scheme", scheme);
            Some(
                row.value("gain_pct", mix.gain(scheme)?)
                    .value("spilled_pages", spilled)
                    .value("recolored_pages", recolored),
            )
        };
        ["buddy", "static", "dynamic"]
            .into_iter()
            .filter_map(row)
            .collect::<Vec<_>>()
    });
    rows.collect()
}

/// Faster and slower memory: mean gain of the mixes, and bandwidth of a core undivided.
pub fn speed(result: &ScenarioResult) -> Vec<Row> {
    let mixes = Mix::all(result);
    let mut memories: Vec<&str> = mixes.iter().filter_map(|mix| mix.place.first().copied()).collect();
    memories.dedup();
    let row = |memory: &str, scheme: &str| {
        let of_memory: Vec<&Mix<'_>> = mixes.iter().filter(|mix| mix.place.first() == Some(&memory)).collect();
        let count = of_memory.len() as f64;
        let gains: Vec<f64> = of_memory.iter().map(|mix| mix.gain(scheme)).collect::<Option<_>>()?;
        let bandwidth = |mix: &&Mix<'_>| mix.bandwidth() / mix.alone().len().max(1) as f64;
        let row = Row::new().label("memory", memory).label("scheme", scheme);
        Some(
            row.value("gain_pct", gains.iter().sum::<f64>() / count)
                .value("core_gb_s", of_memory.iter().map(bandwidth).sum::<f64>() / count / 1e9),
        )
    };
    let schemes = |memory: &&str| ["bpm", "bpm+"].map(|scheme| row(memory, scheme));
    memories.iter().flat_map(schemes).flatten().collect()
}
