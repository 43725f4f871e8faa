// SPDX-License-Identifier: MIT OR Apache-2.0
//! What bounds are made of: the setup of each point, each task alone, and, if wanted, all together.

use super::{Alone, Bounds, PointBounds, Reason, TaskBounds};
use crate::stop::Stop;
use fresco_bound::Sources;
use fresco_dram::Ps;
use fresco_input::InputError;
use fresco_memory::OrderCounts;
use fresco_system::results::{MayBeRead, ScenarioResult, TaskResult};
use fresco_system::{Batch, Role, RunSpec, Scenario};
use indicatif::ProgressBar;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// The means.
pub struct Measure<'s> {
    pub scenario: &'s Scenario,
    pub stop: Stop,
    pub bar: ProgressBar,
    /// Runs at the same time; 0: one per processor.
    pub threads: usize,
}

impl Measure<'_> {
    /// Bounds of reads at every point.
    pub fn reads(&self) -> Bounds {
        let points = self.scenario.points.iter().map(|point| {
            let setup = &point.setup;
            let sources = Sources::of(setup);
            let tasks = setup.copies.iter().enumerate().map(|(number, copy)| {
                let (reads, reads_unbounded) = match sources.reads_of(number) {
                    Ok(reads) => (Some(reads), None),
                    Err(unbounded) => (None, Some(Reason::of(&unbounded, unbounded.way_out()))),
                };
                TaskBounds {
                    name: copy.name.clone(),
                    core: copy.core,
                    is_measured: setup.tasks[copy.task].role == Role::Measured,
                    reads,
                    reads_unbounded,
                    observed_read_ps: None,
                    work: None,
                    work_unknown: None,
                    observed_work_ps: None,
                }
            });
            let axes = self.scenario.axes.iter().zip(&point.values);
            PointBounds {
                values: axes.map(|(axis, value)| axis.values[*value].clone()).collect(),
                tasks: tasks.collect(),
            }
        });
        Bounds {
            scenario: self.scenario.name.clone(),
            axes: self.scenario.axes.iter().map(|axis| axis.name.clone()).collect(),
            points: points.collect(),
        }
    }

    /// Runs each measured task alone whose reads are bounded, and adds the bounds of its work.
    ///
    /// # Errors
    /// What a run finds.
    pub fn work(&self, bounds: &mut Bounds) -> Result<(), InputError> {
        for (point, bounds) in self.scenario.points.iter().zip(&mut bounds.points) {
            let sources = Sources::of(&point.setup);
            for (number, task) in bounds.tasks.iter_mut().enumerate() {
                if task.is_measured && task.reads.is_some() {
                    task.work_unknown = sources.unknown(number).map(|why| Reason::of(&why, why.way_out()));
                }
            }
        }
        let specs = self.scenario.runs();
        let wanted: Vec<(&RunSpec, usize)> = specs
            .iter()
            .flat_map(|spec| {
                let tasks = bounds.points[spec.point_number].tasks.iter().enumerate();
                let wanted = tasks.filter(|(_, t)| t.is_measured && t.reads.is_some() && t.work_unknown.is_none());
                wanted.map(move |(number, _)| (spec, number))
            })
            .collect();
        self.bar.inc_length(wanted.len() as u64);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads).build();
        let pool = pool.map_err(|error| InputError::new("--threads", format!("cannot start threads: {error}")))?;
        let made = |&(spec, number): &(&RunSpec, usize)| {
            if self.stop.is_asked() {
                return Ok(None);
            }
            let Some(result) = fresco_system::run_alone(spec, number, &|| self.stop.is_given_up())? else {
                return Ok(None);
            };
            self.bar.inc(1);
            let sources = Sources::of(&spec.point.setup);
            Ok(result.tasks.get(number).map(|task| alone(task, &sources, number)))
        };
        let alone: Vec<Option<Vec<Alone>>> = pool.install(|| {
            wanted
                .par_iter()
                .with_max_len(1)
                .map(made)
                .collect::<Result<_, InputError>>()
        })?;
        // Of all repetitions.
        let mut works: BTreeMap<(usize, usize), Vec<Alone>> = BTreeMap::new();
        for ((spec, number), alone) in wanted.iter().zip(alone) {
            let all = works.entry((spec.point_number, *number)).or_default();
            all.extend(alone.into_iter().flatten());
        }
        for ((point, number), all) in works {
            let sources = Sources::of(&self.scenario.points[point].setup);
            let task = &mut bounds.points[point].tasks[number];
            let Some(reads) = &task.reads else { continue };
            match sources.longest_work(number, &all, reads) {
                Ok(work) => task.work = Some(work),
                Err(why) => task.work_unknown = Some(Reason::of(&why, why.way_out())),
            }
        }
        Ok(())
    }

    /// Runs the scenario and adds the longest that was observed.
    ///
    /// # Errors
    /// What a run finds.
    pub fn observe(&self, bounds: &mut Bounds) -> Result<(), InputError> {
        self.bar.inc_length(self.scenario.runs().len() as u64);
        let batch = Batch {
            threads: self.threads,
            progress: &|_| self.bar.inc(1),
            stop: &|| self.stop.is_asked(),
            is_given_up: &|| self.stop.is_given_up(),
            ..Batch::default()
        };
        let Some(result) = batch.run(self.scenario)? else {
            return Ok(());
        };
        note(&result, bounds);
        Ok(())
    }
}

/// Adds the longest that a run of the scenario shows.
pub fn note(result: &ScenarioResult, bounds: &mut Bounds) {
    // Of a part, points are found by their values.
    for point in &result.points {
        let Some(bounds) = bounds.points.iter_mut().find(|bounds| bounds.values == point.values) else {
            continue;
        };
        let results = point.runs.iter().flat_map(|run| &run.tasks);
        for result in results {
            let Some(task) = bounds.tasks.iter_mut().find(|task| task.name == result.name) else {
                continue;
            };
            task.observed_read_ps = task.observed_read_ps.max(Some(result.reads.in_memory_max_ps));
            if task.work.is_some() {
                task.observed_work_ps = task.observed_work_ps.max(works(result).max());
            }
        }
    }
}

/// Work of a copy that ran alone: each job, or the measured phase.
pub fn alone(result: &TaskResult, sources: &Sources<'_>, copy: usize) -> Vec<Alone> {
    let (all, order) = result.may_be_read().expect("it was noted alone");
    let may_reorder = sources.may_reorder(copy);
    // Lines that were displaced before may still wait when it begins.
    let before = order.written.saturating_sub(result.write_backs);
    let waiting = before.min(sources.displaced_lines());
    let work = |seen: Alone, may_be: MayBeRead| {
        let mut work = Alone {
            cached: may_be.cached,
            write_backs: result.write_backs,
            ..seen
        };
        if may_reorder {
            in_any_order(&mut work, may_be, order);
        }
        work.write_backs += waiting;
        work
    };
    match &result.jobs {
        None => {
            let reads = &result.reads;
            let seen = Alone {
                time_ps: result.run_time_ps,
                reads: reads.count - reads.joined,
                in_memory_ps: reads.in_memory_ps,
                chain: reads.chain,
                shortest_ps: reads.in_memory_min_ps,
                ..Alone::default()
            };
            vec![work(seen, all)]
        }
        Some(jobs) => {
            let ended = jobs.jobs.iter().filter(|job| job.end_ps.is_some());
            let alone = ended.map(|job| {
                let seen = Alone {
                    time_ps: job.execution_ps,
                    reads: job.reads,
                    in_memory_ps: job.in_memory_ps,
                    chain: job.chain,
                    shortest_ps: job.in_memory_min_ps,
                    ..Alone::default()
                };
                work(seen, job.may_be_read)
            });
            alone.collect()
        }
    }
}

/// Work whose accesses may come to the last-level cache in another order.
fn in_any_order(work: &mut Alone, may_be: MayBeRead, order: OrderCounts) {
    work.write_backs = order.dirty.unwrap_or(0).max(work.write_backs);
    work.hits = may_be.hits + order.early;
    work.reads += work.hits;
    if work.hits > 0 {
        work.chain = may_be.chain + order.early;
        work.shortest_ps = 0;
    }
}

/// Times of a task's work.
fn works(result: &TaskResult) -> Box<dyn Iterator<Item = Ps> + '_> {
    match &result.jobs {
        None => Box::new(std::iter::once(result.run_time_ps)),
        Some(jobs) => Box::new(
            jobs.jobs
                .iter()
                .filter(|job| job.end_ps.is_some())
                .map(|job| job.execution_ps),
        ),
    }
}
