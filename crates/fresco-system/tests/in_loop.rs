// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs of processors of a machine that runs meanwhile, and hears how late it is on the model.

use fresco_dram::VirtAddr;
use fresco_input::InputError;
use fresco_load::trace::ftrace::Addresses;
use fresco_load::{Area, Batch, Event, Marker, Op, Program};
use fresco_system::bandwidth::Told;
use fresco_system::results::RunResult;
use fresco_system::{InLoop, Scenario};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

/// Loads of a batch, each of a line of its own that needs the load before.
const LOADS: u64 = 100;

/// Notes how late it is whenever it is asked for more; after some batches it is over, and idle.
struct Processor {
    clock: Arc<AtomicU64>,
    noted: Arc<Mutex<Vec<u64>>>,
    base: u64,
    batch: u64,
    batches: u64,
}

impl Program for Processor {
    fn name(&self) -> &str {
        "live"
    }

    fn footprint(&self) -> Vec<Area> {
        Vec::new()
    }

    fn grows(&self) -> bool {
        true
    }

    fn addresses(&self) -> Option<Addresses> {
        Some(Addresses::Physical)
    }

    fn next(&mut self, out: &mut Batch) -> Result<bool, InputError> {
        let batch = self.batch;
        self.batch += 1;
        let mark = |marker, gap| Event::Mark { marker, gap };
        if batch < self.batches {
            self.noted.lock().expect("whole").push(self.clock.load(Relaxed));
            for load in batch * LOADS..(batch + 1) * LOADS {
                out.push(Event::Op(Op {
                    addr: VirtAddr(self.base + load * 64),
                    gap: 0,
                    dep: u32::from(load > 0),
                    size: 8,
                    write: false,
                }));
            }
        } else if batch == self.batches {
            out.push(mark(Marker::Pass, 0));
            out.push(mark(Marker::End, 0));
        } else if batch == self.batches + 1 {
            return Ok(false);
        } else {
            out.push(mark(Marker::Join, 1 << 12));
        }
        Ok(true)
    }

    fn verify(&self) -> Result<(), String> {
        Ok(())
    }
}

const PAIR: &str = r#"name = "pair"
machine = "xeon-w3530"
warm_up.passes = 0
measure.passes = 1
[[task]]
name = "measured"
program = "idle"
core = 0
[[task]]
name = "beside"
program = "idle"
core = 1
role = "background"
"#;

/// The run, and the times that each processor was told.
fn run(batches: [u64; 2]) -> (RunResult, [Vec<u64>; 2]) {
    run_with(batches, &[], None)
}

/// The same with these keys set; budgets are kept by who is told.
fn run_with(batches: [u64; 2], set: &[String], told: Option<Told>) -> (RunResult, [Vec<u64>; 2]) {
    let mut scenario = Scenario::parse("pair.toml", PAIR, Path::new(""), set).expect("sound");
    scenario.run_meanwhile().expect("just read");
    let clock = Arc::new(AtomicU64::new(0));
    let noted: [Arc<Mutex<Vec<u64>>>; 2] = Default::default();
    let processor = |number: usize| -> Box<dyn Program> {
        Box::new(Processor {
            clock: Arc::clone(&clock),
            noted: Arc::clone(&noted[number]),
            base: number as u64 * (64 << 20),
            batch: 0,
            batches: batches[number],
        })
    };
    let programs = vec![processor(0), processor(1)];
    let in_loop = InLoop {
        told,
        programs,
        clock: Arc::clone(&clock),
    };
    let spec = scenario.runs().swap_remove(0);
    let result = in_loop.run(&spec, &|| false).expect("runs").expect("to its end");
    let results = InLoop::results(&scenario, vec![result.clone()]);
    assert_eq!(results.points[0].runs[0].to_ps, result.to_ps);
    (result, noted.map(|noted| noted.lock().expect("whole").clone()))
}

#[test]
fn a_processor_is_told_how_late_it_is() {
    let batches = 50;
    let (result, [noted, _]) = run([batches, 0]);
    let task = &result.tasks[0];
    assert_eq!(task.operations, batches * LOADS);
    assert_eq!(noted.len() as u64, batches);
    let each = task.run_time_ps as f64 / batches as f64;
    // Loads are under way when more is asked for: those that fill the core's window, and no more than a batch.
    for (number, time) in noted.iter().enumerate().skip(3) {
        let ahead = (number as f64 * each - (time - result.from_ps) as f64) / each;
        assert!((-0.2..=1.5).contains(&ahead), "batch {number}: {ahead} of {each} ps");
    }
    // A read of a row that is open, after another: some tens of nanoseconds each.
    let load_ns = each / LOADS as f64 / 1000.0;
    assert!((15.0..120.0).contains(&load_ns), "{load_ns}");
}

#[test]
fn one_in_the_background_may_be_over_before_or_go_on() {
    let (alone, _) = run([50, 0]);
    let (over, [_, beside]) = run([50, 5]);
    assert_eq!(beside.len(), 5);
    let (on, [_, beside]) = run([50, 100_000]);
    assert!(beside.len() < 100_000);
    let time = |result: &RunResult| result.tasks[0].run_time_ps;
    assert!(
        time(&alone) <= time(&over) && time(&over) < time(&on),
        "{} {} {}",
        time(&alone),
        time(&over),
        time(&on)
    );
}

#[test]
fn budgets_that_the_machine_keeps_hold_nobody_on_the_model() {
    let set = [
        "policy.bandwidth=memguard",
        "bandwidth.over_reserve=true",
        "bandwidth.period=10 us",
        "task.beside.reserve=10 MB/s",
    ];
    let set = set.map(str::to_owned);
    let all = [50, 100_000];
    let time = |result: &RunResult| result.tasks[0].run_time_ps;
    let (free, _) = run(all);
    let (held, _) = run_with(all, &set, None);
    let told = Told::new(4);
    let (kept, _) = run_with(all, &set, Some(told.clone()));
    assert!(time(&held) < time(&free), "a budget of a line holds the other one back");
    assert!(held.regulation.is_some() && held.tasks[1].regulation.is_some());
    assert!(kept.regulation.is_none() && kept.tasks.iter().all(|task| task.regulation.is_none()));
    let far = time(&kept).abs_diff(time(&free)) as f64 / time(&free) as f64;
    assert!(far < 0.01, "{far}: the model held somebody");
    // All that was read from memory, and what was under way at the end.
    for (core, task) in (0..).zip(&kept.tasks) {
        let lines = told.lines(core);
        assert!(
            (task.reads.count..=task.reads.count + 20).contains(&lines),
            "{core}: {lines}, {}",
            task.reads.count
        );
    }
    assert_eq!((told.lines(2), told.lines(3)), (0, 0));
}
