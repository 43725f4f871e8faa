// SPDX-License-Identifier: MIT OR Apache-2.0
//! Running scenarios, and saying what was run.

use crate::{progress, provenance};
use fresco_input::InputError;
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

/// Seed, scenarios and machines of these results.
pub fn provenance_of(loaded: &[(Scenario, InputFile)], results: &[ScenarioResult]) -> Provenance {
    let mut provenance = provenance::of_this_run(results.first().map_or(0, |result| result.seed));
    match loaded {
        [(_, file)] => provenance.scenario = Some(file.clone()),
        several => provenance.inputs = several.iter().map(|(_, file)| file.clone()).collect(),
    }
    for point in results.iter().flat_map(|result| &result.points) {
        let file = InputFile::new(&point.machine, &point.machine_digest);
        if !provenance.machine_files.contains(&file) {
            provenance.machine_files.push(file);
        }
    }
    provenance
}
