// SPDX-License-Identifier: MIT OR Apache-2.0
//! The co-design of refresh, page allocation and scheduling, beside what it is compared with, on mixes of synthetic models.

mod eta;
mod example;
mod mixes;
mod probe;
mod rows;
mod setup;
mod spec;

pub use eta::eta;
pub use example::example;
pub use probe::probe;
pub use rows::{banks, runs, variants};

use crate::Observer;
use fresco_input::InputError;
use fresco_system::experiment::fair::FairResult;
use fresco_system::experiment::{RunOutcome, run};
use rayon::prelude::*;
use spec::Spec;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

/// What a run gives to rows.
#[derive(Clone, Copy, Debug)]
struct Outcome {
    /// Harmonic mean of the tasks' IPC.
    ipc: f64,
    /// Mean latency of reads, in cycles of the memory.
    latency: f64,
    reads: u64,
    /// Accesses that met a refresh.
    interfered: u64,
    /// Banks at work, while any is.
    parallelism: f64,
}

/// Runs by seed and set-up: a run that several experiments need is made once.
static MADE: Mutex<BTreeMap<(u64, Spec), Outcome>> = Mutex::new(BTreeMap::new());

/// The outcomes of these set-ups; those that no memory can follow (CON-20) are left out.
fn outcomes(
    what: &str,
    seed: u64,
    wanted: &BTreeSet<Spec>,
    observer: &dyn Observer,
) -> Result<BTreeMap<Spec, Outcome>, InputError> {
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let missing: Vec<Spec> = wanted
        .iter()
        .filter(|spec| !made.contains_key(&(seed, **spec)) && spec.fits())
        .copied()
        .collect();
    let steps = observer.begin(what, missing.len() as u64);
    let new: Result<Vec<Outcome>, InputError> = missing
        .par_iter()
        .map(|spec| {
            let experiment = setup::experiment(spec, seed)?;
            let result = run(&experiment)?;
            steps.step();
            let fair = FairResult::new(&experiment, &result);
            let clock_ns = experiment.machine.memory.timing.clock.to_ps(1000) as f64 / 1e6;
            Ok(outcome(&fair, &result, clock_ns))
        })
        .collect();
    made.extend(missing.into_iter().map(|spec| (seed, spec)).zip(new?));
    let found = wanted
        .iter()
        .filter_map(|spec| Some((*spec, *made.get(&(seed, *spec))?)));
    Ok(found.collect())
}

fn outcome(fair: &FairResult, result: &RunOutcome, clock_ns: f64) -> Outcome {
    let reads: u64 = fair.tasks.iter().map(|task| task.reads).sum();
    let waited: f64 = fair
        .tasks
        .iter()
        .map(|task| task.read_latency_ns * task.reads as f64)
        .sum();
    Outcome {
        ipc: fair.harmonic_mean_ipc,
        latency: waited / reads.max(1) as f64 / clock_ns,
        reads,
        interfered: fair.tasks.iter().map(|task| task.met_refresh.accesses()).sum(),
        parallelism: result.banks_at_work,
    }
}
