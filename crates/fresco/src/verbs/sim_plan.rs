// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco sim PLAN.json`: a plan against the command-level model of its machine.

use super::check::load;
use super::sim::{Args, refuse_options};
use crate::failure::{Outcome, WANTING};
use crate::planned::{self, Run, SCHEMA, Simulated};
use crate::show::files::{PAGE, ReportDirectory, TRACE};
use crate::{output, outputs, tidy};
use fresco_input::{Document, InputError, file_name, is_standard_input, quoted, read_file};
use fresco_report::perfetto::write_trace;
use fresco_report::{Document as Report, Provenance};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The plan among the words of the command line, if there is one: it stands alone. It ends in `.json`, or is standard
/// input and JSON, as no scenario is.
pub fn plan_of(given: &[String]) -> Result<Option<PathBuf>, InputError> {
    let mut plan = given.iter().find(|name| name.ends_with(".json"));
    if let Some(dash) = given
        .iter()
        .find(|name| is_standard_input(name))
        .filter(|_| plan.is_none())
        && read_file(dash)?.trim_start().starts_with('{')
    {
        plan = Some(dash);
    }
    let Some(plan) = plan else {
        return Ok(None);
    };
    if given.len() > 1 {
        return Err(
            InputError::new(file_name(plan), format!("found a plan among {} arguments", given.len()))
                .allowed("one plan, or scenarios")
                .help("simulate the plan by a command of its own"),
        );
    }
    Ok(Some(PathBuf::from(plan)))
}

/// Simulates the plan.
pub fn run(args: &Args, path: &Path) -> Outcome {
    if let Some(word) = args.set.first() {
        return Err(InputError::new(format!("--set {word}"), "found a change to a plan")
            .allowed("a plan as it is")
            .help("change the file of tasks and plan again: fresco plan TASKS --set …")
            .into());
    }
    let given = [("--trace-dir", args.trace_dir.is_some()), ("--all", args.all)];
    refuse_options("a plan", "scenarios", &given)?;
    let (plan, machine, mut provenance) = load(path)?;
    let mut run = Run {
        horizon_ns: args.horizon.as_deref().map(horizon).transpose()?,
        from_switch_on: args.from_switch_on,
        ..Run::default()
    };
    run.seed = args.seed.map_or(run.seed, u64::from);
    provenance.seed = Some(run.seed);
    let mut inputs = vec![path.to_owned()];
    if plan.machine.given != plan.machine.name {
        inputs.push(PathBuf::from(&plan.machine.given));
    }
    let tables = args.tables.prepare(&inputs)?;
    let directory = args
        .out
        .as_deref()
        .map(|directory| ReportDirectory::prepare(directory, inputs));
    let directory = directory.transpose()?;
    let simulated = planned::simulate(&plan, &machine, run)?;
    // A report that cannot be written does not cost the results: they are printed first.
    let written = match &directory {
        Some(directory) => {
            let (page, figures) = planned::page(&plan, &simulated, &provenance, TRACE)?;
            let mut trace = Vec::new();
            write_trace(&planned::trace(&plan, &simulated), &provenance, &mut trace)?;
            let more = vec![(TRACE.to_owned(), trace)];
            directory.write_with(&page, &document(&simulated, &provenance)?, &figures, more)
        }
        None => Ok(()),
    };
    let tabled = tables.write(&provenance, || tidy::plan(&simulated));
    output::print(args.json, SCHEMA, &provenance, &simulated, || {
        planned::tables(&simulated)
    })?;
    if !args.json && tabled.is_ok() {
        output::write(args.tables.lines())?;
    }
    outputs::all([written, tabled])?;
    if let (Some(directory), false) = (&args.out, args.json) {
        output::write(format!("report   {}\n", directory.join(PAGE).display()))?;
    }
    Ok(match simulated.promises.iter().all(|promise| promise.kept) {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(WANTING),
    })
}

fn document(simulated: &Simulated, provenance: &Provenance) -> Result<Vec<u8>, fresco_report::ReportError> {
    Report {
        schema: SCHEMA,
        provenance,
        data: simulated,
    }
    .to_bytes()
}

/// Longest run: 100 s.
const LONGEST_PS: u64 = 100_000_000_000_000;

/// A length of time, in ns.
fn horizon(text: &str) -> Result<u64, InputError> {
    let document = Document::parse("--horizon", &format!("horizon = {}", quoted(text)))?;
    let read = document.root().duration("horizon", 1_000_000..=LONGEST_PS);
    let ps = read.map_err(|error| {
        InputError::new("--horizon", format!("found {text:?}"))
            .allowed(error.allowed.clone())
            .help("write a time such as '640 ms'")
    })?;
    Ok(ps / 1000)
}
