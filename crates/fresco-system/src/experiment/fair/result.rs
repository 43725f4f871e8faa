// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a fair schedule gave its tasks, in the time that is counted.

use crate::experiment::{Experiment, Met, RunOutcome};
use fresco_dram::Ps;
use serde::Serialize;

/// A run under the fair scheduler.
#[derive(Clone, Debug, Serialize)]
pub struct FairResult {
    /// Tasks, in the order of the experiment.
    pub tasks: Vec<FairTask>,
    /// Harmonic mean of the tasks' instructions per cycle: what the paper compares. 0 if a task never ran.
    pub harmonic_mean_ipc: f64,
    /// For each core, the largest difference between the run times of its tasks: 0 is perfectly fair.
    pub unfairness_ps: Vec<Ps>,
}

/// A task of such a run.
#[derive(Clone, Debug, Serialize)]
pub struct FairTask {
    /// Name.
    pub name: String,
    /// The core it is on.
    pub core: u32,
    /// Instructions executed.
    pub instructions: u64,
    /// Time it had the core: its virtual run time, as all weights are equal.
    pub run_time_ps: Ps,
    /// Instructions per cycle of that time; what the time away from the core costs is in `share_of_time`.
    pub instructions_per_cycle: f64,
    /// The part of the time that is counted in which it had its core.
    pub share_of_time: f64,
    /// Reads that went to memory.
    pub reads: u64,
    /// Their mean latency.
    pub read_latency_ns: f64,
    /// Accesses that met a refresh (REF-17).
    pub met_refresh: Met,
    /// Pages by bank color (COD-9).
    pub pages_by_bank: Vec<(u32, u64)>,
}

impl FairResult {
    /// From the result of an experiment with batch tasks.
    pub fn new(experiment: &Experiment, result: &RunOutcome) -> Self {
        let per_ps = f64::from(experiment.machine.core.mhz) * 1e-6;
        let ratio = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
        let counted = (result.counted_ps.1 - result.counted_ps.0) as f64;
        let tasks: Vec<FairTask> = result
            .tasks
            .iter()
            .map(|task| {
                let run_time_ps = task.executing_ps;
                FairTask {
                    name: task.name.clone(),
                    core: task.core,
                    instructions: task.instructions,
                    run_time_ps,
                    instructions_per_cycle: ratio(task.instructions as f64, run_time_ps as f64 * per_ps),
                    share_of_time: ratio(run_time_ps as f64, counted),
                    reads: task.reads.count,
                    read_latency_ns: task.reads.latency.mean_ns,
                    met_refresh: task.met_refresh,
                    pages_by_bank: task.pages_by_bank.clone(),
                }
            })
            .collect();
        let inverse: f64 = tasks.iter().map(|task| 1.0 / task.instructions_per_cycle).sum();
        let unfairness = |core: u32| {
            let own = tasks
                .iter()
                .filter(|task| task.core == core)
                .map(|task| task.run_time_ps);
            own.clone().max().unwrap_or(0) - own.min().unwrap_or(0)
        };
        Self {
            harmonic_mean_ipc: ratio(tasks.len() as f64, inverse),
            unfairness_ps: (0..experiment.machine.cores).map(unfairness).collect(),
            tasks,
        }
    }
}
