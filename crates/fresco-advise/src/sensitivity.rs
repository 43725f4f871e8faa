// SPDX-License-Identifier: MIT OR Apache-2.0
//! How a task's speed depends on its banks, its cache and its bandwidth (BPM-19, LIM-5, LIM-18).

use super::Bench;
use super::candidate::{banks_key, nodes, policy};
use super::pick::{Given, pick};
use crate::Observer;
use fresco_dram::color::format_list;
use fresco_input::{InputError, Kind};
use rayon::prelude::*;
use serde::Serialize;

/// What a task gets less and less of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Resource {
    /// Bank colors of its node.
    Banks,
    /// Colors of the last-level cache.
    Llc,
    /// Bandwidth, in MB/s for each core.
    Bandwidth,
}

impl Resource {
    /// In words, with the unit.
    pub fn name(self) -> &'static str {
        match self {
            Self::Banks => "bank colors",
            Self::Llc => "LLC colors",
            Self::Bandwidth => "bandwidth [MB/s]",
        }
    }
}

impl Resource {
    /// So much of it, in words.
    pub fn amount(self, amount: u32) -> String {
        let plural = if amount == 1 { "" } else { "s" };
        match self {
            Self::Banks => format!("{amount} bank color{plural}"),
            Self::Llc => format!("{amount} LLC color{plural}"),
            Self::Bandwidth => format!("{amount} MB/s"),
        }
    }
}

/// A task alone on the machine, with less and less of one resource.
#[derive(Clone, Debug, Serialize)]
pub struct Curve {
    /// The task.
    pub task: String,
    /// The resource.
    pub resource: Resource,
    /// Amounts, ascending, and the speed with each, relative to that with the whole machine.
    pub points: Vec<(u32, f64)>,
    /// Amounts that its data do not fit.
    pub too_small: Vec<u32>,
}

/// Halvings that are tried.
const HALVINGS: u32 = 4;

/// `most`, its half, and so on, ascending: at most five amounts, none below 1.
pub fn steps(most: u32) -> Vec<u32> {
    let mut steps: Vec<u32> = (0..=HALVINGS)
        .map(|halved| most >> halved)
        .filter(|step| *step > 0)
        .collect();
    steps.reverse();
    steps
}

/// The curves of all measured tasks. Bandwidths are shares of `guaranteed`, in bytes per second; `None` to leave them out.
///
/// # Errors
/// A run that fails for another reason than that the data do not fit.
pub fn curves(bench: &Bench, guaranteed: Option<u64>, observer: &dyn Observer) -> Result<Vec<Curve>, InputError> {
    let mut wanted = Vec::new();
    for task in bench.measured() {
        let banks = most_banks(bench, &task);
        wanted.extend(
            steps(banks)
                .into_iter()
                .map(|amount| (task.clone(), Resource::Banks, amount)),
        );
        let llc = bench.overview.space.llc_colors();
        if llc > 1 {
            wanted.extend(
                steps(llc)
                    .into_iter()
                    .map(|amount| (task.clone(), Resource::Llc, amount)),
            );
        }
        if let Some(guaranteed) = guaranteed {
            let megabytes = (guaranteed / 1_000_000) as u32 / cores_alone(bench, &task);
            let shares = [8, 4, 2, 1].map(|part| (megabytes / part).max(1));
            wanted.extend(shares.map(|amount| (task.clone(), Resource::Bandwidth, amount)));
        }
    }
    observer.planned(wanted.len() as u64);
    // Nothing where Ctrl-C came first.
    let measured: Vec<Option<Option<f64>>> = wanted
        .par_iter()
        .map(|(task, resource, amount)| {
            if observer.is_stopped() {
                return Ok(None);
            }
            let speed = with(bench, task, *resource, *amount)?;
            observer.done();
            Ok(Some(speed))
        })
        .collect::<Result<_, InputError>>()?;
    let mut curves: Vec<Curve> = Vec::new();
    let made = std::iter::zip(wanted, measured).filter_map(|(wanted, speed)| Some((wanted, speed?)));
    for ((task, resource, amount), speed) in made {
        if curves
            .last()
            .is_none_or(|last| (&last.task, last.resource) != (&task, resource))
        {
            curves.push(Curve {
                task,
                resource,
                points: Vec::new(),
                too_small: Vec::new(),
            });
        }
        if let Some(curve) = curves.last_mut() {
            match speed {
                Some(speed) => curve.points.push((amount, speed)),
                None => curve.too_small.push(amount),
            }
        }
    }
    Ok(curves)
}

/// The cores of one controller that a task has when it runs alone: a program of several threads brings them all.
fn cores_alone(bench: &Bench, task: &str) -> u32 {
    let overview = &bench.overview;
    let task = overview.tasks.iter().find(|other| other.name == task && other.is_team);
    let Some(task) = task else { return 1 };
    let of = |node: u32| {
        let cores = task.cores.iter();
        cores
            .filter(|core| overview.machine.topology.node_of_core[**core as usize] == node)
            .count() as u32
    };
    nodes(overview, task).into_iter().map(of).max().unwrap_or(1)
}

/// The bank colors that each node of a task has.
fn most_banks(bench: &Bench, task: &str) -> u32 {
    let overview = &bench.overview;
    let task = overview.tasks.iter().find(|other| other.name == task);
    let of = |node: u32| {
        let space = &overview.space;
        (0..space.bank_colors())
            .filter(|bank| space.node_of_color(*bank) == node)
            .count() as u32
    };
    task.map_or(1, |task| nodes(overview, task).into_iter().map(of).min().unwrap_or(1))
}

/// The speed of a task with so much, relative to that with all; `None` if its data do not fit.
fn with(bench: &Bench, task: &str, resource: Resource, amount: u32) -> Result<Option<f64>, InputError> {
    let overview = &bench.overview;
    let more = match resource {
        Resource::Bandwidth => {
            let reserve = format!("task.{task}.reserve=\"{amount} MB/s\"");
            vec![policy(overview, "buddy", true), reserve]
        }
        Resource::Banks | Resource::Llc => {
            let Some(colors) = colors(bench, task, resource, amount) else {
                return Ok(None);
            };
            [vec![policy(overview, "camc", false)], colors].concat()
        }
    };
    let solo = bench.solo[task].instructions_per_cycle;
    match bench.alone(task, &more) {
        Ok(speed) => Ok(Some(speed.instructions_per_cycle / solo)),
        Err(error) if error.kind == Kind::DoesNotFit => Ok(None),
        Err(error) => Err(error),
    }
}

/// `banks_each` and `llc` of a task that has so many banks on each of its nodes, or so many cache colors and all banks.
fn colors(bench: &Bench, task: &str, resource: Resource, amount: u32) -> Option<Vec<String>> {
    let overview = &bench.overview;
    let found = overview.tasks.iter().find(|other| other.name == task)?;
    let space = &overview.space;
    let mut given = Given::default();
    let mut keys = Vec::new();
    let llc = match resource {
        Resource::Llc => pick(space, 0, 0, amount, &mut given)?.llc,
        _ => Vec::new(),
    };
    let mut by_node = std::collections::BTreeMap::new();
    for node in nodes(overview, found) {
        let banks = match resource {
            Resource::Banks => pick(space, node, amount, 0, &mut given)?.banks,
            _ => (0..space.bank_colors())
                .filter(|bank| space.node_of_color(*bank) == node)
                .collect(),
        };
        by_node.insert(node, format!("{:?}", format_list(&banks)));
    }
    let of = |core: &u32| by_node[&overview.machine.topology.node_of_core[*core as usize]].clone();
    keys.push(banks_key(found, of));
    if !llc.is_empty() {
        keys.push(format!("task.{task}.llc={:?}", format_list(&llc)));
    }
    Some(keys)
}

#[cfg(test)]
mod tests {
    use super::steps;

    #[test]
    fn steps_double_and_end_with_all() {
        assert_eq!(steps(1), [1]);
        assert_eq!(steps(8), [1, 2, 4, 8]);
        assert_eq!(steps(12), [1, 3, 6, 12]);
        assert_eq!(steps(128), [8, 16, 32, 64, 128]);
    }
}
