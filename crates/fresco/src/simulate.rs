// SPDX-License-Identifier: MIT OR Apache-2.0
//! Running scenarios, and saying what was run.

use crate::stop::Stop;
use crate::{progress, provenance};
use fresco_input::InputError;
use fresco_load::trace::digest_of_file;
use fresco_report::{InputFile, Provenance};
use fresco_system::Scenario;
use fresco_system::results::ScenarioResult;
use indicatif::ProgressBar;

/// Why runs have not been made.
pub enum End {
    /// A run has a fault.
    Fault(InputError),
    /// Ctrl-C, after so many runs of so many.
    Stopped(u64, u64),
}

/// Makes all runs, under one progress bar. Keeps what has been made before a fault or Ctrl-C: the results of the scenarios before,
/// and of the one that Ctrl-C stops the part that was made whole.
pub fn simulate(loaded: &[(Scenario, InputFile)], threads: usize, stop: &Stop) -> (Vec<ScenarioResult>, Option<End>) {
    let mut results = Vec::new();
    let bar = bar(loaded);
    for (scenario, _) in loaded {
        bar.set_message(scenario.name.clone());
        let made = fresco_system::run_until(scenario, threads, &|_| bar.inc(1), &|| stop.is_asked());
        let end = match made {
            Ok(result) => {
                results.extend(result);
                let (made, total) = (bar.position(), bar.length().unwrap_or(0));
                (stop.is_asked() && made < total).then_some(End::Stopped(made, total))
            }
            Err(fault) => Some(End::Fault(fault)),
        };
        if end.is_some() {
            bar.finish_and_clear();
            return (results, end);
        }
    }
    bar.finish_and_clear();
    (results, None)
}

fn bar(loaded: &[(Scenario, InputFile)]) -> ProgressBar {
    let total: usize = loaded.iter().map(|(scenario, _)| scenario.runs().len()).sum();
    progress::bar(total as u64, "runs")
}

/// Seed, scenarios, machines and traces of these results.
///
/// # Errors
/// A trace cannot be read any more.
pub fn provenance_of(loaded: &[(Scenario, InputFile)], results: &[ScenarioResult]) -> Result<Provenance, InputError> {
    let mut provenance = provenance::of_this_run(results.first().map(|result| result.seed));
    match loaded {
        [(_, file)] => provenance.scenario = Some(file.clone()),
        several => provenance.inputs = several.iter().map(|(_, file)| file.clone()).collect(),
    }
    for (scenario, _) in loaded {
        for machine in scenario.machines() {
            let file = provenance::named_machine(&machine.name, machine.path.as_deref(), &machine.digest);
            if !provenance.machine_files.contains(&file) {
                provenance.machine_files.push(file);
            }
        }
        for trace in scenario.traces() {
            let file = InputFile::new(trace.name, digest_of_file(&trace.path)?);
            if !provenance.inputs.contains(&file) {
                provenance.inputs.push(file);
            }
        }
    }
    Ok(provenance)
}
