// SPDX-License-Identifier: MIT OR Apache-2.0
//! The threshold of the co-design's scheduler (COD-7).

use super::Programs;
use super::setup;
use super::spec::{Scheme, Spec};
use crate::{Observer, World};
use fresco_dram::Ps;
use fresco_input::InputError;
use fresco_memory::controller::refresh::BankTurns;
use fresco_report::claims::Row;
use fresco_system::experiment::{Activity, Experiment, FairSchedule, RunOutcome, run_unless};
use rayon::prelude::*;

/// WL-1.
const WORKLOAD: u32 = 1;

/// That mix with each threshold, if it can be made of these programs.
pub fn eta(programs: Programs<'_>, world: World, observer: &dyn Observer) -> Result<Vec<Row>, InputError> {
    if !programs.has(WORKLOAD) {
        return Ok(Vec::new());
    }
    let steps = observer.begin("co-design, threshold", 4);
    let row = |eta: u32| {
        let spec = Spec::usual(WORKLOAD, 32, Scheme::Codesign(eta));
        let mut experiment = setup::experiment(&spec, programs, world)?;
        experiment.record_ns = experiment.horizon_ns;
        let Some(result) = run_unless(&experiment, &|| observer.is_stopped())? else {
            return Ok(None);
        };
        steps.step();
        let interfered: u64 = result.tasks.iter().map(|task| task.met_refresh.reads).sum();
        let row = Row::new()
            .label("eta", eta)
            .value("passed_over", passed_over(&experiment, &result) as f64);
        Ok(Some(row.value("interfered_reads", interfered as f64)))
    };
    let rows: Result<Option<Vec<Row>>, InputError> = [1u32, 2, 3, 4].into_par_iter().map(row).collect();
    Ok(rows?.unwrap_or_default())
}

/// Candidates with a smaller virtual run time than the task that got a slice, over all slices and cores of the whole run.
fn passed_over(experiment: &Experiment, result: &RunOutcome) -> u64 {
    let chosen = chosen(experiment, result);
    let guard = FairSchedule::GUARD_NS * 1000;
    let turns = turns(experiment);
    let mut passed = 0;
    for (core, chosen) in (0u32..).zip(&chosen) {
        let own: Vec<usize> = (0..experiment.tasks.len())
            .filter(|&task| experiment.tasks[task].core == core)
            .collect();
        let mut ran: Vec<Ps> = vec![0; experiment.tasks.len()];
        for (slice, &task) in chosen.iter().enumerate() {
            passed += own
                .iter()
                .filter(|&&other| (ran[other], other) < (ran[task], task))
                .count() as u64;
            let (start, end) = (turns[slice], turns[slice + 1]);
            // The next one is chosen when this one is about to end; it runs on only if it is chosen again.
            ran[task] += end - start - guard;
            if let Some(&next) = chosen.get(slice + 1)
                && next == task
            {
                passed += own
                    .iter()
                    .filter(|&&other| (ran[other], other) < (ran[task], task))
                    .count() as u64;
                ran[task] += guard;
                passed -= own
                    .iter()
                    .filter(|&&other| (ran[other], other) < (ran[task], task))
                    .count() as u64;
            }
        }
    }
    passed
}

/// Times at which slices begin, and the end of the last.
fn turns(experiment: &Experiment) -> Vec<Ps> {
    let memory = &experiment.machine.memory;
    let turns = BankTurns::new(&memory.organisation, &memory.timing);
    let start = |number: u64| memory.timing.clock.to_ps(turns.turn(number).start);
    (0u64..)
        .map(start)
        .take_while(|&at| at <= experiment.horizon_ns * 1000 + 1000)
        .collect()
}

/// Of each core, the task that runs in the middle of each slice.
fn chosen(experiment: &Experiment, result: &RunOutcome) -> Vec<Vec<usize>> {
    let slices = turns(experiment);
    let of_core = |core: u32| {
        let middle = |slice: &[Ps]| (slice[0] + slice[1]) / 2;
        let running = |at: Ps| {
            let mut runs = result.timeline.runs.iter();
            runs.find_map(|span| match span.activity {
                Activity::Run { task, .. } if span.core == core && span.start_ps <= at && at < span.end_ps => {
                    Some(task)
                }
                _ => None,
            })
        };
        slices.windows(2).filter_map(|slice| running(middle(slice))).collect()
    };
    (0..experiment.machine.cores).map(of_core).collect()
}
