// SPDX-License-Identifier: MIT OR Apache-2.0
//! The co-design of refresh, page allocation and scheduling, beside what it is compared with, on mixes of synthetic models or of recordings.

mod eta;
mod example;
mod mixes;
mod probe;
mod programs;
mod rows;
mod setup;
mod spec;

pub use eta::eta;
pub use example::example;
pub use probe::probe;
pub use programs::{Programs, Recorded, alone};
pub use rows::{banks, runs, variants};

use crate::{Observer, World};
use fresco_input::InputError;
use fresco_system::experiment::fair::FairResult;
use fresco_system::experiment::{RunOutcome, run_unless};
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
    /// Reads that met a refresh: nobody waits for what is written back.
    interfered: u64,
    /// Banks at work, while any is.
    parallelism: f64,
}

/// Runs by world and set-up: a run that several experiments need is made once.
type Made = BTreeMap<(World, Spec), Outcome>;

/// Runs of models.
static OF_MODELS: Mutex<Made> = Mutex::new(BTreeMap::new());

/// The outcomes of these set-ups; those that no memory can follow (CON-20) are left out, and so are all if the observer stops the runs.
fn outcomes(
    what: &str,
    programs: Programs<'_>,
    world: World,
    wanted: &BTreeSet<Spec>,
    observer: &dyn Observer,
) -> Result<BTreeMap<Spec, Outcome>, InputError> {
    let mut made = programs.made().lock().unwrap_or_else(PoisonError::into_inner);
    let missing: Vec<Spec> = wanted
        .iter()
        .filter(|spec| !made.contains_key(&(world, **spec)) && spec.fits())
        .copied()
        .collect();
    let steps = observer.begin(what, missing.len() as u64);
    let new: Result<Option<Vec<Outcome>>, InputError> = missing
        .par_iter()
        .map(|spec| {
            let experiment = setup::experiment(spec, programs, world)?;
            let Some(result) = run_unless(&experiment, &|| observer.is_stopped())? else {
                return Ok(None);
            };
            steps.step();
            let fair = FairResult::new(&experiment, &result);
            let clock_ns = experiment.machine.memory.timing.clock.to_ps(1000) as f64 / 1e6;
            Ok(Some(outcome(&fair, &result, clock_ns)))
        })
        .collect();
    let Some(new) = new? else { return Ok(BTreeMap::new()) };
    made.extend(missing.into_iter().map(|spec| (world, spec)).zip(new));
    let found = wanted
        .iter()
        .filter_map(|spec| Some((*spec, *made.get(&(world, *spec))?)));
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
        interfered: fair.tasks.iter().map(|task| task.met_refresh.reads).sum(),
        parallelism: result.banks_at_work,
    }
}
