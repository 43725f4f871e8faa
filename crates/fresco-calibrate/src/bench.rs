// SPDX-License-Identifier: MIT OR Apache-2.0
//! The experiment by which curves are measured, on the model: one core chases pointers through memory far larger than the
//! caches, all others stream with a share of reads and a pause between accesses (the Mess benchmark, MICRO 2024).

use crate::Observer;
use crate::known::Known;
use crate::load::{Load, Point, of};
use crate::under_way::{CLUSTER_IN_FLIGHT, NODE_IN_FLIGHT};
use fresco_input::{InputError, quoted};
use fresco_machine::{CacheConfig, LlcConfig, Machine, PagePolicy};
use fresco_system::{Batch, Scenario};
use std::fmt::Write;

/// Pages of the experiment: with those of 4 KiB the chase would measure the TLB of a real machine, which no built-in model has.
const PAGE: &str = "2 MiB";

/// Lines that a generator touches before it pauses: those of Mess make six accesses of 32 bytes in order, then pause (kernels for
/// x86 in its repository, bsc-mem/Mess-benchmark).
const BURST: u32 = 3;

/// What the chase goes through: no node of it is visited twice in a run.
const CHASE_BYTES: u64 = 128 << 20;

/// Caches beyond the first are this part of their size: nothing is used twice, so that of a cache only what leaves it
/// matters, and large ones take most of the time to be filled. Sets stay a power of two.
const CACHE_PART: u64 = 8;

/// Accesses of the chase before it is measured, some 20 us and more: queues and rows are then as the traffic leaves them. The caches
/// have been filled before.
const WARM_UP: u64 = 150;

/// Of a saturated memory this part of the accesses is measured: each takes several times as long, and moves as much more.
const SATURATED: u64 = 4;

/// A machine to be measured.
#[derive(Clone)]
pub struct Bench {
    given: String,
    set: Vec<String>,
    /// As the file and the user's values say, before anything is fitted.
    pub machine: Machine,
    accesses: u64,
    /// Seed of the first repetition.
    pub seed: u32,
    repetitions: u32,
    known: Known,
}

impl Bench {
    /// The machine of that name or file, with `set` (`key=value`) in place of its values. The chase is measured for
    /// `accesses` loads. To be fitted, a machine is what its file says without what was fitted before.
    ///
    /// # Errors
    /// No such machine, or a value that does not suit it; a machine with one core, or without a last-level cache.
    pub fn new(given: &str, set: &[String], accesses: u64, seed: u32, to_be_fitted: bool) -> Result<Self, InputError> {
        let machine = fresco_machine::load(given)?;
        let without = (to_be_fitted && machine.calibration.is_some()).then(|| "calibration=false".to_owned());
        let mut bench = Self {
            given: given.to_owned(),
            set: without.into_iter().chain(set.iter().cloned()).collect(),
            machine,
            accesses,
            seed,
            repetitions: 1,
            known: Known::default(),
        };
        let name = &bench.machine.name;
        if bench.machine.cores < 2 {
            let error = InputError::new(name, "found a machine with one core").in_field("cores");
            return Err(error
                .allowed("two or more: one is timed, the others make traffic")
                .help("choose another machine"));
        }
        if bench.machine.llc.is_none() {
            let error = InputError::new(name, "found no last-level cache").in_field("llc");
            return Err(error
                .allowed("one")
                .help("describe it: what is written back depends on it"));
        }
        let first = Load::idle(100);
        let scenario = bench.scenario(&[], &[first])?;
        if let Some(point) = scenario.points.first() {
            bench.machine = point.setup.machine.clone();
        }
        Ok(bench)
    }

    /// Returns true if the machine may have these values: not more misses in flight than its threads can share, say.
    pub fn accepts(&self, settings: &[String]) -> bool {
        self.scenario(settings, &[Load::idle(100)]).is_ok()
    }

    /// What the machine says for a key that may be fitted, before anything is; `None` if it has no such value.
    pub fn value_of(&self, key: &str) -> Option<String> {
        let controller = &self.machine.memory.controller;
        match (key, controller.page) {
            ("core.mshrs", _) => Some((self.machine.core.mshrs * self.machine.core.threads).to_string()),
            ("memory.controller.frontend", _) => Some(format!("\"{} ps\"", controller.frontend)),
            ("memory.controller.drain_high", _) => Some(controller.drain_high.to_string()),
            ("memory.controller.drain_low", _) => Some(controller.drain_low.to_string()),
            ("memory.controller.page", PagePolicy::Open) => Some("\"open\"".to_owned()),
            ("memory.controller.page", PagePolicy::Closed) => Some("\"closed\"".to_owned()),
            ("memory.controller.page", PagePolicy::Adaptive { .. }) => Some("\"adaptive\"".to_owned()),
            ("memory.controller.page_idle", PagePolicy::Adaptive { idle }) => Some(idle.to_string()),
            ("fabric.node.traffic", _) => self.machine.fabric.node.traffic.map(|rate| rate.to_string()),
            (NODE_IN_FLIGHT, _) => self.machine.fabric.node.in_flight.map(|lines| lines.to_string()),
            (CLUSTER_IN_FLIGHT, _) => self.machine.fabric.cluster.in_flight.map(|lines| lines.to_string()),
            ("fabric.node.write_cost", _) => self.machine.fabric.node.write_cost.map(|cost| cost.to_string()),
            _ => None,
        }
    }

    /// The same with so many runs of each load, each with a seed of its own.
    #[must_use]
    pub fn repeated(&self, repetitions: u32) -> Self {
        Self {
            repetitions,
            ..self.clone()
        }
    }

    /// Measures each load, with `settings` in place of the machine's values; `None` if the observer has stopped it. What was measured
    /// before is not simulated again.
    ///
    /// # Errors
    /// A setting that does not suit the machine, or what a run finds.
    pub fn run(
        &self,
        settings: &[String],
        loads: &[Load],
        observer: &dyn Observer,
    ) -> Result<Option<Vec<Point>>, InputError> {
        let known = |load: &Load| self.known.get(settings, self.repetitions, load);
        let unknown = loads.iter().filter(|load| known(load).is_none());
        let mut unknown: Vec<Load> = unknown.copied().map(Load::as_measured).collect();
        unknown.sort_unstable();
        unknown.dedup();
        for _ in 0..self.runs(loads.len() - unknown.len()) {
            observer.done();
        }
        if !unknown.is_empty() {
            let Some(points) = self.simulate(settings, &unknown, observer)? else {
                return Ok(None);
            };
            for (load, point) in std::iter::zip(&unknown, points) {
                self.known.put(settings, self.repetitions, load, point);
            }
        }
        Ok(loads.iter().map(known).collect())
    }

    fn simulate(
        &self,
        settings: &[String],
        loads: &[Load],
        observer: &dyn Observer,
    ) -> Result<Option<Vec<Point>>, InputError> {
        let scenario = self.scenario(settings, loads)?;
        let is_stopped = || observer.is_stopped();
        let batch = Batch {
            progress: &|_| observer.done(),
            stop: &is_stopped,
            is_given_up: &is_stopped,
            ..Batch::default()
        };
        let result = batch.run(&scenario)?.filter(|_| !observer.is_stopped());
        Ok(result.map(|result| {
            std::iter::zip(loads, &result.points)
                .map(|(load, point)| of(load, point))
                .collect()
        }))
    }

    /// How many runs [`run`](Self::run) makes of so many loads.
    pub fn runs(&self, loads: usize) -> u64 {
        loads as u64 * u64::from(self.repetitions)
    }

    pub(crate) fn line(&self) -> u32 {
        self.machine.llc.as_ref().map_or(64, |llc| llc.cache.line)
    }

    /// Bytes of caches that a generator has for itself: its own, and its part of the last level.
    fn caches(&self) -> u64 {
        let machine = &self.machine;
        let private = machine.l1.as_ref().map_or(0, |l1| l1.size) + machine.l2.as_ref().map_or(0, |l2| small(l2, 1));
        let shared = |llc: &LlcConfig| small(&llc.cache, llc.slices()) / u64::from(llc.cores_per_cache);
        let shared = machine.llc.as_ref().map_or(0, shared);
        private + shared
    }

    fn scenario(&self, settings: &[String], loads: &[Load]) -> Result<Scenario, InputError> {
        let text = self.text(loads);
        let mut set = self.set.clone();
        set.extend_from_slice(settings);
        Scenario::parse("the scenario of fresco calibrate", &text, "".as_ref(), &set)
    }

    /// The scenario: a variant for each load.
    fn text(&self, loads: &[Load]) -> String {
        let caches = self.caches();
        // Twice what its caches hold, so that nothing that a generator comes back to is still there.
        let array = (2 * caches).next_power_of_two().clamp(1 << 20, 1 << 28);
        // As many accesses as fill the caches one and a half times: what leaves them then is as dirty as it will be.
        let fill = 3 * caches / (2 * u64::from(self.line()));
        let llc = self
            .machine
            .llc
            .as_ref()
            .map_or(0, |llc| small(&llc.cache, llc.slices()));
        let l2 = self
            .machine
            .l2
            .as_ref()
            .map_or_else(String::new, |l2| format!("l2.size = {}\n", small(l2, 1)));
        let mut text = format!(
            "name = \"calibrate\"\nmachine = {}\npage = \"{PAGE}\"\nseed = {}\nrepetitions = {}\nllc.size = {llc}\n{l2}fill.operations = {fill}\n\
             warm_up.operations = {WARM_UP}\nmeasure.operations = {}\n",
            quoted(&self.given),
            self.seed,
            self.repetitions,
            self.accesses,
        );
        let last = self.machine.cores - 1;
        let names: Vec<String> = (0..loads.len()).map(|number| format!("\"load-{number}\"")).collect();
        let _ = write!(
            text,
            "[sweep]\nload = [{}]\n[[task]]\nname = \"chase\"\nprogram = \"latency\"\ncore = 0\nparameters.bytes = {CHASE_BYTES}\n\
             [[task]]\nname = \"traffic\"\nprogram = \"traffic\"\nrole = \"background\"\ncores = \"1-{last}\"\nparameters.bytes = {array}\n\
             parameters.burst = {BURST}\n",
            names.join(", ")
        );
        for (number, load) in loads.iter().enumerate() {
            let _ = write!(
                text,
                "[[variant]]\nname = \"load-{number}\"\nset.task.traffic.parameters.reads = {}\n",
                load.reads
            );
            let _ = match load.pause {
                Some(pause) => writeln!(text, "set.task.traffic.parameters.pause = {pause}"),
                None => writeln!(text, "set.corunners = 0"),
            };
            if load.saturates {
                let [warm_up, measured] = [WARM_UP, self.accesses].map(|accesses| accesses / SATURATED);
                let _ = writeln!(
                    text,
                    "set.warm_up.operations = {warm_up}\nset.measure.operations = {measured}"
                );
            }
        }
        text
    }
}

/// Bytes of a cache in the experiment; as many as it has where it is too small for that.
fn small(cache: &CacheConfig, slices: u32) -> u64 {
    match cache.sets() >= 64 * CACHE_PART * u64::from(slices) {
        true => cache.size / CACHE_PART,
        false => cache.size,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Nobody;
    impl Observer for Nobody {
        fn planned(&self, _: u64) {}
        fn done(&self) {}
        fn is_stopped(&self) -> bool {
            false
        }
    }

    #[test]
    fn a_pause_asks_for_a_bandwidth_and_gets_it_while_memory_keeps_up() {
        let bench = Bench::new("xeon-w3530", &[], 2000, 1, true).expect("is built in");
        // By hand: three cores, 2.8 GHz, four instructions a cycle, 11.2 in a nanosecond. Beside a chase of 64 bytes in 80 ns
        // 2.4 GB/s leave 1.6 GB/s, a load of each core in 120 ns, of which 80 ns - 128 / 11.2 pass with a full window: the
        // other 51.43 ns are 576 instructions, less the access itself and four of the loop.
        assert_eq!(bench.pause_for(2.4, 100, 80.0), 571);
        let wanted = [50, 70, 100].map(|reads| (reads, 2.8, 90.0));
        let loads = bench.aim(&[], &wanted, &Nobody).expect("runs").expect("is not stopped");
        let points = bench.run(&[], &loads, &Nobody).expect("runs").expect("is not stopped");
        for point in &points {
            assert!((2.6..3.0).contains(&point.gb_s), "{point:?}");
        }
        assert!(
            points[2].reads_served > 99.9 && points[0].reads_served < 65.0,
            "{points:?}"
        );
    }

    #[test]
    fn without_generators_only_the_chase_is_served() {
        let bench = Bench::new("xeon-w3530", &[], 1000, 1, true).expect("is built in");
        let alone = Load::idle(100);
        let points = bench
            .run(&[], &[alone], &Nobody)
            .expect("runs")
            .expect("is not stopped");
        assert!((75.0..95.0).contains(&points[0].ns), "{points:?}");
        assert!(
            (points[0].gb_s * points[0].ns / 64.0 - 1.0).abs() < 0.02,
            "a line at a time: {points:?}"
        );
    }

    #[test]
    fn machines_that_cannot_make_the_experiment_are_refused() {
        let error = Bench::new("ddr4-2400-bench", &[], 1000, 1, true)
            .err()
            .expect("has one core");
        assert_eq!(error.field, "cores", "{error}");
        let error = Bench::new("xeon-w3530", &["core.mshrs=0".to_owned()], 1000, 1, true)
            .err()
            .expect("is wrong");
        assert_eq!(error.field, "core.mshrs", "{error}");
    }
}
