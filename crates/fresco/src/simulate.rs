// SPDX-License-Identifier: MIT OR Apache-2.0
//! Running scenarios, and saying what was run.

use crate::{progress, provenance};
use fresco_input::InputError;
use fresco_load::trace::digest_of_file;
use fresco_report::{InputFile, Provenance};
use fresco_system::Scenario;
use fresco_system::results::ScenarioResult;

/// Makes all runs, under one progress bar.
pub fn simulate(loaded: &[(Scenario, InputFile)], threads: usize) -> Result<Vec<ScenarioResult>, InputError> {
    let total: usize = loaded.iter().map(|(scenario, _)| scenario.runs().len()).sum();
    let bar = progress::bar(total as u64, "runs");
    let mut results = Vec::new();
    let mut before = 0;
    for (scenario, _) in loaded {
        bar.set_message(scenario.name.clone());
        let result = fresco_system::run_all(scenario, threads, &|_| bar.inc(1));
        if result.is_err() {
            bar.finish_and_clear();
        }
        results.push(result?);
        before += scenario.runs().len();
        bar.set_position(before as u64);
    }
    bar.finish_and_clear();
    Ok(results)
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
