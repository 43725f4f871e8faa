// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco sim PLAN.json`: a plan against the command-level model of its machine.

use super::{Args, Results, refuse_options, show};
use crate::failure::{Outcome, WANTING};
use crate::plans::{self, LoadedPlan};
use crate::show::files::ReportDirectory;
use crate::{progress, scenarios};
use fresco_input::{Document, InputError, file_name, quoted, read_file};
use fresco_scenario::is_plan;
use fresco_system::planned::{Run, simulate};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The plan among the words of the command line, or the scenario that asks for one, in its file (`[plan]`) or by `--set`; it stands
/// alone.
pub(super) fn plan_of(given: &[String], set: &[String]) -> Result<Option<PathBuf>, InputError> {
    let of_plan = set.iter().find(|word| table_of(word) == "plan");
    let mut found = None;
    for name in given {
        if !name.ends_with(".json") && !scenarios::is_path(name) {
            if let Some(word) = of_plan {
                return Err(InputError::new(
                    format!("--set {word}"),
                    format!("found it with {name}, which is built in"),
                )
                .allowed("keys of [plan] with the file of a scenario")
                .help("save it as a file, and plan that"));
            }
            continue;
        }
        let text = read_file(name)?;
        if is_plan(name, &text) || of_plan.is_some() || asks_for_a_plan(name, &text) {
            found = Some(name);
            break;
        }
    }
    let Some(plan) = found else {
        return match set.iter().find(|word| table_of(word) == "server") {
            None => Ok(None),
            Some(word) => Err(
                InputError::new(format!("--set {word}"), "found a key that only plans heed")
                    .allowed("it with a scenario that has [plan]")
                    .help("omit it, or add --set plan.method=crs"),
            ),
        };
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

/// The table at the top of the file that a `--set` is about.
fn table_of(set: &str) -> &str {
    set.split(['.', '=']).next().unwrap_or_default().trim()
}

/// Returns true if a scenario has `[plan]`. What is wrong with its text is told when it is read.
fn asks_for_a_plan(file: &str, text: &str) -> bool {
    Document::parse(file, text).is_ok_and(|document| document.root().has("plan"))
}

/// Simulates the plan, and shows what came of it.
pub(super) fn run(args: &Args, path: &Path) -> Outcome {
    refuse_options("a plan", "scenarios", &[("--trace-dir", args.trace_dir.is_some())])?;
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
    let directory = args.out.as_deref();
    let directory = directory
        .map(|directory| ReportDirectory::prepare(directory, inputs))
        .transpose()?;
    let waiting = progress::waiting(&format!("simulating {}", plan.name));
    let result = simulate(&plan, &machine, run);
    waiting.finish_and_clear();
    let result = result?;
    let mut promises = result
        .points
        .iter()
        .flat_map(|point| &point.runs)
        .flat_map(|run| &run.promises);
    let status = match promises.all(|promise| promise.kept) {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(WANTING),
    };
    let results = Results {
        scenarios: vec![result],
    };
    show(args, directory.as_ref(), &tables, &provenance, &results, Some(&plan))?;
    Ok(status)
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
