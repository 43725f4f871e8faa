// SPDX-License-Identifier: MIT OR Apache-2.0
//! A task, with all its copies, over all repetitions of a point: what figures and sentences are about.

use fresco_system::Role;
use fresco_system::results::{Anatomy, PointResult, Reads, ScenarioResult, Spread, TaskResult, TaskSummary};

/// The measured tasks, each once, whatever the number of its copies; in the order of the scenario.
pub fn measured(result: &ScenarioResult) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for task in result.points.iter().flat_map(|point| &point.tasks) {
        let name = task_name(&task.name);
        if task.role == Role::Measured && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// The task that a copy belongs to: `writer` of `writer.2`.
pub fn task_name(copy: &str) -> &str {
    copy.split('.').next().unwrap_or(copy)
}

/// A task at a point.
pub struct Subject<'r> {
    /// Its copies, over all repetitions.
    copies: Vec<&'r TaskSummary>,
    /// Its copies in each repetition.
    runs: Vec<&'r TaskResult>,
}

impl<'r> Subject<'r> {
    /// The task `name` at `point`; `None` if it does not run there.
    pub fn at(point: &'r PointResult, name: &str) -> Option<Self> {
        let copies: Vec<&TaskSummary> = point
            .tasks
            .iter()
            .filter(|task| task_name(&task.name) == name)
            .collect();
        let runs = point.runs.iter().flat_map(|run| &run.tasks);
        let runs = runs.filter(|task| task_name(&task.name) == name).collect();
        (!copies.is_empty()).then_some(Self { copies, runs })
    }

    /// A value of each copy in each repetition, summed up.
    pub fn spread(&self, value: fn(&TaskResult) -> f64) -> Spread {
        Spread::of(self.runs.iter().map(|task| value(task)))
    }

    /// Length of the measured phase, in milliseconds.
    pub fn run_time_ms(&self) -> Spread {
        self.spread(|task| task.run_time_ps as f64 / 1e9)
    }

    /// Run time per load or store, in nanoseconds.
    pub fn access_ns(&self) -> Spread {
        self.spread(|task| task.access_time_ns)
    }

    /// Latency of reads, in nanoseconds: the mean of all of them, and the extremes of the means of copies and repetitions that
    /// read at all. `None` if nothing was read from memory.
    pub fn read_ns(&self) -> Option<Spread> {
        let readers = self.runs.iter().map(|task| &task.reads).filter(|reads| reads.count > 0);
        let means = Spread::of(readers.clone().map(|reads| reads.latency.mean_ns));
        let (count, sum) = readers.fold((0, 0.0), |(count, sum), reads| {
            (count + reads.count, sum + reads.latency.mean_ns * reads.count as f64)
        });
        (count > 0).then(|| Spread {
            mean: sum / count as f64,
            ..means
        })
    }

    /// How many times longer than at its baseline it takes for the same work; mean over copies, and the extremes of all
    /// of them.
    pub fn slowdown(&self) -> Option<Spread> {
        let spreads: Option<Vec<Spread>> = self.copies.iter().map(|task| task.slowdown).collect();
        let spreads = spreads?;
        let mean = Spread::of(spreads.iter().map(|spread| spread.mean));
        Some(Spread {
            min: spreads.iter().map(|spread| spread.min).fold(f64::INFINITY, f64::min),
            max: spreads
                .iter()
                .map(|spread| spread.max)
                .fold(f64::NEG_INFINITY, f64::max),
            ..mean
        })
    }

    /// Reads that missed all caches.
    pub fn reads(&self) -> u64 {
        self.each_reads().map(|reads| reads.count).sum()
    }

    /// The reads of each copy.
    pub fn each_reads(&self) -> impl Iterator<Item = &'r Reads> + '_ {
        self.copies.iter().map(|task| &task.reads)
    }

    /// Where the time of a read went, mean over the reads of all copies.
    pub fn anatomy(&self) -> Anatomy {
        let total = self.reads().max(1) as f64;
        let mean = |part: fn(&Anatomy) -> f64| {
            let sum: f64 = self
                .each_reads()
                .map(|reads| part(&reads.anatomy) * reads.count as f64)
                .sum();
            sum / total
        };
        Anatomy {
            path_ns: mean(|a| a.path_ns),
            remote_ns: mean(|a| a.remote_ns),
            queue_ns: mean(|a| a.queue_ns),
            bank_ns: mean(|a| a.bank_ns),
            bus_ns: mean(|a| a.bus_ns),
            refresh_ns: mean(|a| a.refresh_ns),
            service_ns: mean(|a| a.service_ns),
            joined_ns: mean(|a| a.joined_ns),
        }
    }
}

/// A part of a read's time: its name in figures, in sentences, and its value in nanoseconds.
pub type Part = (&'static str, &'static str, fn(&Anatomy) -> f64);

/// The parts of [`Anatomy`], from what a read alone has to what others add.
pub const PARTS: [Part; 8] = [
    ("caches and path", "caches and the path to the controller", |a| {
        a.path_ns
    }),
    ("interconnect", "the interconnect between nodes", |a| a.remote_ns),
    ("own commands", "its own commands and data", |a| a.service_ns),
    ("refresh", "refreshes", |a| a.refresh_ns),
    ("bank", "its bank", |a| a.bank_ns),
    ("bus and rank", "the data bus and the rank", |a| a.bus_ns),
    ("queue", "the controller's queues", |a| a.queue_ns),
    ("line under way", "lines already under way", |a| a.joined_ns),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_of_reads_is_that_of_all_of_them() {
        let mut result = super::super::testing::short_run("first", &["sweep.corunners=[3]"]);
        let tasks = result.points[0].runs[0].tasks.iter_mut();
        let copies = tasks.filter(|task| task_name(&task.name) == "neighbour");
        for (task, (count, mean)) in copies.zip([(3, 100.0), (1, 60.0), (0, 0.0)]) {
            task.reads.count = count;
            task.reads.latency.mean_ns = mean;
        }
        let subject = Subject::at(&result.points[0], "neighbour").expect("three of them");
        let read = subject.read_ns().expect("was read");
        assert_eq!((read.mean, read.min, read.max, read.count), (90.0, 60.0, 100.0, 2));
    }
}
