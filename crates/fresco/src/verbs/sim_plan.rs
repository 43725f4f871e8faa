// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco sim PLAN.json`: a plan against the command-level model of its machine.

use super::sim::{Args, refuse_options};
use crate::failure::{Outcome, WANTING};
use crate::planned::{self, SCHEMA};
use crate::plans::{self, LoadedPlan};
use crate::scenarios;
use crate::show::files::{PAGE, ReportDirectory, TRACE};
use crate::{output, outputs, tidy};
use fresco_input::{Document, InputError, file_name, quoted, read_file};
use fresco_report::Provenance;
use fresco_report::perfetto::write_trace;
use fresco_scenario::is_plan;
use fresco_system::planned::{Run, Simulated, simulate};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The plan among the words of the command line, or the scenario that asks for one (`[plan]`); it stands alone.
pub fn plan_of(given: &[String]) -> Result<Option<PathBuf>, InputError> {
    let mut found = None;
    for name in given
        .iter()
        .filter(|name| name.ends_with(".json") || scenarios::is_path(name))
    {
        let text = read_file(name)?;
        if is_plan(name, &text) || asks_for_a_plan(name, &text) {
            found = Some(name);
            break;
        }
    }
    let Some(plan) = found else {
        return Ok(None);
    };
    if given.len() > 1 {
        return Err(
            InputError::new(file_name(plan), format!("found a plan among {} arguments", given.len()))
                .allowed("one plan, or scenarios without [plan]")
                .help("simulate the plan by a command of its own"),
        );
    }
    Ok(Some(PathBuf::from(plan)))
}

/// Returns true if a scenario has `[plan]`. What is wrong with its text is told when it is read.
fn asks_for_a_plan(file: &str, text: &str) -> bool {
    Document::parse(file, text).is_ok_and(|document| document.root().has("plan"))
}

/// Simulates the plan.
pub fn run(args: &Args, path: &Path) -> Outcome {
    let given = [("--trace-dir", args.trace_dir.is_some()), ("--all", args.all)];
    refuse_options("a plan", "scenarios", &given)?;
    let LoadedPlan {
        plan,
        machine,
        mut provenance,
        inputs,
    } = plans::load(path, &args.set)?;
    let mut run = Run {
        horizon_ns: args.horizon.as_deref().map(horizon).transpose()?,
        from_switch_on: args.from_switch_on,
        ..Run::default()
    };
    run.seed = args.seed.map_or(run.seed, u64::from);
    provenance.seed = Some(run.seed);
    let tables = args.tables.prepare(&inputs)?;
    let directory = args
        .out
        .as_deref()
        .map(|directory| ReportDirectory::prepare(directory, inputs));
    let directory = directory.transpose()?;
    let simulated = simulate(&plan, &machine, run)?;
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
    fresco_report::Document {
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
