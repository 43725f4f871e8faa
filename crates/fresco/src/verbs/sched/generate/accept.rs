// SPDX-License-Identifier: MIT OR Apache-2.0
//! Judging the sets, many at a time, and the counts as tables.

use super::Level;
use super::sets::share;
use crate::progress;
use crate::stop::Stop;
use fresco_input::InputError;
use fresco_report::{Cell, Column, ReportError, Table};
use fresco_rt::acceptance::{Conditions, Method, Verdict, judge};
use rayon::prelude::*;
use serde::Serialize;

/// A point of a curve.
#[derive(Serialize)]
pub struct Point {
    pub density_gbit: u32,
    pub method: Method,
    pub utilization: f64,
    pub sets: u64,
    pub accepted: u64,
    /// Sets that the method could not decide; not accepted.
    pub undecided: u64,
    pub fraction: f64,
}

/// Every method at every density on every set; in this order, and for each by utilisation, whatever the number of threads.
/// And how many sets have been judged: fewer than there are if `stop` says so before the last, and a utilization none of
/// whose sets has been judged then has no points.
pub fn points(
    levels: &[Level],
    methods: &[Method],
    conditions: &[Conditions],
    threads: usize,
    stop: &Stop,
) -> Result<(Vec<Point>, usize), InputError> {
    let sets: Vec<_> = levels.iter().flat_map(|level| &level.sets).collect();
    let bar = progress::bar(sets.len() as u64, "sets");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| {
        let found = format!("cannot start {threads} threads: {error}");
        InputError::new("the number of threads", found).help("use fewer threads")
    })?;
    let of_set = |set: &&Vec<fresco_rt::Task>| {
        if stop.is_asked() {
            return None;
        }
        let at = |conditions: &Conditions| {
            methods
                .iter()
                .map(|&method| judge(method, set, conditions))
                .collect::<Vec<_>>()
        };
        let verdicts: Vec<Vec<Verdict>> = conditions.iter().map(at).collect();
        bar.inc(1);
        Some(verdicts)
    };
    let verdicts: Vec<Option<Vec<Vec<Verdict>>>> =
        pool.install(|| sets.par_iter().with_max_len(1).map(of_set).collect());
    bar.finish_and_clear();
    let mut points = Vec::new();
    for (c, conditions) in conditions.iter().enumerate() {
        for (m, &method) in methods.iter().enumerate() {
            let mut first = 0;
            for level in levels {
                let own: Vec<_> = verdicts[first..first + level.sets.len()].iter().flatten().collect();
                first += level.sets.len();
                if own.is_empty() {
                    continue;
                }
                let count = |verdict: Verdict| own.iter().filter(|all| all[c][m] == verdict).count() as u64;
                let accepted = count(Verdict::Accepted);
                points.push(Point {
                    density_gbit: conditions.density.gigabits(),
                    method,
                    utilization: share(level.utilization),
                    sets: own.len() as u64,
                    accepted,
                    undecided: count(Verdict::Undecided),
                    fraction: accepted as f64 / own.len() as f64,
                });
            }
        }
    }
    Ok((points, verdicts.iter().flatten().count()))
}

/// Densities in the order of the points.
pub fn densities(points: &[Point]) -> Vec<u32> {
    let mut densities: Vec<u32> = points.iter().map(|point| point.density_gbit).collect();
    densities.dedup();
    densities
}

/// A table for each density: a row for each utilisation, the fraction and the count of each method.
pub fn tables(points: &[Point], methods: &[Method]) -> Result<Vec<Table>, ReportError> {
    let of_density = |density: u32| {
        // All have as many, but where Ctrl-C came before the last.
        let sets = points.iter().map(|point| point.sets).max().unwrap_or(0);
        let mut columns = vec![Column::number("utilization", "", 2)];
        columns.extend(methods.iter().map(|method| Column::text(method.name())));
        let title = format!("{density} Gb: fraction accepted of {sets} sets, and how many");
        let mut table = Table::new(title, columns);
        let of = |method: Method| {
            let own = move |point: &&Point| point.density_gbit == density && point.method == method;
            points.iter().filter(own)
        };
        let Some(&first) = methods.first() else {
            return Ok(table);
        };
        for (row, point) in of(first).enumerate() {
            let mut cells: Vec<Cell> = vec![point.utilization.into()];
            for &method in methods {
                cells.push(of(method).nth(row).map(|point| counted(point, sets)).into());
            }
            table.push(cells)?;
        }
        Ok(table)
    };
    densities(points).into_iter().map(of_density).collect()
}

/// `0.95 (114)`, with the undecided where there are any, and with the sets where they are fewer than `usual`.
fn counted(point: &Point, usual: u64) -> String {
    let of = match point.sets < usual {
        true => format!(" of {}", point.sets),
        false => String::new(),
    };
    let undecided = match point.undecided {
        0 => String::new(),
        some => format!(", {some} undecided"),
    };
    format!("{:.2} ({}{of}{undecided})", point.fraction, point.accepted)
}
