// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco sim --on MACHINE`: programs side by side, without a scenario's file.

use super::Args;
use super::subjects::{overrides, refuse_options, timelines};
use crate::failure::{Failure, tell};
use crate::scenarios;
use crate::simulate::Subject;
use fresco_input::InputError;
use fresco_load::trace::ftrace::recorded::RecordedFile;
use fresco_scenario::Comparison;
use fresco_system::Scenario;
use std::path::Path;

/// The text of the scenario that the command line stands for.
///
/// # Errors
/// No such machine, program or policy; more programs than cores.
pub(super) fn scenario_of(args: &Args) -> Result<String, InputError> {
    Comparison {
        machine: args.on.as_deref().unwrap_or_default(),
        measured: &args.scenarios,
        beside: &args.beside,
        policies: &args.policies,
        is_together: !names_thread(args),
    }
    .to_text()
}

/// The scenario, with what `--set` changes.
///
/// # Errors
/// As [`scenario_of`]; a trace that cannot be read; programs that do not fit the machine.
pub(super) fn load(args: &Args) -> Result<Subject, Failure> {
    let options = [
        ("--horizon", args.horizon.is_some()),
        ("--from-switch-on", args.from_switch_on),
    ];
    refuse_options("--on", "plans", &options)?;
    let (source, file) = scenarios::of_comparison(scenario_of(args)?)?;
    let mut scenario = Scenario::of(&source, &overrides(args)?)?;
    scenario.timelines = timelines(args);
    if !names_thread(args) {
        for trace in scenario.traces().iter().filter(|trace| !trace.is_together) {
            tell_of_threads(&trace.name, &trace.path)?;
        }
    }
    Ok(Subject::Scenario(Box::new(scenario), file))
}

/// Returns true if the command line says which thread of a program is replayed.
fn names_thread(args: &Args) -> bool {
    args.set.iter().any(|word| word.contains(".thread="))
}

/// Says which part of a program of several threads is replayed, if it is one.
fn tell_of_threads(name: &str, path: &Path) -> Result<(), InputError> {
    if !RecordedFile::is(path)? {
        return Ok(());
    }
    let file = RecordedFile::open(path)?;
    let trailer = file.trailer();
    if let [first, _, ..] = trailer.threads.as_slice() {
        let share = 100.0 * first.counts.instructions as f64 / trailer.counts().instructions.max(1) as f64;
        tell(&format!(
            "fresco: {name} has {} threads, of which thread {} is replayed, {share:.1} % of the instructions, for want of cores; --set \
             task.NAME.parameters.thread=N takes another",
            trailer.threads.len(),
            first.thread
        ));
    }
    Ok(())
}
