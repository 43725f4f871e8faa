// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco sim --on MACHINE`: programs side by side, without a scenario's file.

use super::Args;
use super::subjects::{overrides, refuse_options, timelines};
use crate::failure::Failure;
use crate::scenarios;
use crate::simulate::Subject;
use fresco_input::InputError;
use fresco_scenario::Comparison;
use fresco_system::Scenario;

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
    Ok(Subject::Scenario(Box::new(scenario), file))
}
