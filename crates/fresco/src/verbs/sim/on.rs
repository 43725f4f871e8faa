// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco sim --on MACHINE`: programs side by side, without a scenario's file.

use super::Args;
use super::subjects::{overrides, refuse_options, refuse_two_values, timelines};
use crate::failure::{Failure, tell};
use crate::scenarios;
use crate::simulate::Subject;
use fresco_input::InputError;
use fresco_load::trace::busiest_thread_of;
use fresco_load::trace::ftrace::recorded::RecordedFile;
use fresco_report::InputFile;
use fresco_scenario::{Comparison, Source};
use fresco_system::Scenario;
use std::path::Path;

/// The scenario that the command line stands for, with what `--set` changes.
///
/// # Errors
/// No such machine, program or policy; more programs than cores; a trace that cannot be read; programs that do not fit the machine.
pub(super) fn load(args: &Args, comparison: Comparison<'_>) -> Result<Subject, Failure> {
    let (scenario, file, _) = of_command_line(args, comparison)?;
    Ok(Subject::Scenario(Box::new(scenario), file))
}

/// The same as the text of a file, without comments if something is changed.
///
/// # Errors
/// As [`load`]; an option beside the key that it stands for.
pub(super) fn text(args: &Args, comparison: Comparison<'_>) -> Result<String, Failure> {
    refuse_two_values(args)?;
    let (_, _, source) = of_command_line(args, comparison)?;
    let overrides = overrides(args)?;
    Ok(match overrides.is_empty() {
        true => source.text,
        false => source.with(&overrides)?,
    })
}

/// The scenario, what a report says of its text, and that text, without what `--set` changes.
fn of_command_line(args: &Args, comparison: Comparison<'_>) -> Result<(Scenario, InputFile, Source), Failure> {
    let options = [
        ("--horizon", args.horizon.is_some()),
        ("--from-switch-on", args.from_switch_on),
        ("--mode-change", args.mode_change.is_some()),
    ];
    refuse_options("--on", "plans", &options)?;
    let comparison = Comparison {
        is_together: !names_thread(args),
        ..comparison
    };
    // A policy that does not exist is a mistake; one that is not for this machine is not.
    comparison.to_text()?;
    let (mut scenario, file, source) =
        read(args, &comparison).or_else(|fault| without_the_impossible(args, &comparison, fault))?;
    scenario.timelines = timelines(args);
    if !names_thread(args) {
        for trace in scenario.traces().iter().filter(|trace| !trace.is_together) {
            tell_of_threads(&trace.name, &trace.path)?;
        }
    }
    Ok((scenario, file, source))
}

/// The scenario of a comparison.
fn read(args: &Args, comparison: &Comparison<'_>) -> Result<(Scenario, InputFile, Source), InputError> {
    let (source, file) = scenarios::of_comparison(comparison.to_text()?)?;
    Ok((Scenario::of(&source, &overrides(args)?)?, file, source))
}

/// The same without the policies that are not for this machine or these programs, each of which is told; `fault` if that leaves
/// nothing to compare.
fn without_the_impossible(
    args: &Args,
    comparison: &Comparison<'_>,
    fault: InputError,
) -> Result<(Scenario, InputFile, Source), InputError> {
    let [first, others @ ..] = comparison.policies else {
        return Err(fault);
    };
    let mut kept = vec![first.clone()];
    let mut told = Vec::new();
    for name in others {
        let policies = &[first.clone(), name.clone()];
        match read(
            args,
            &Comparison {
                policies,
                ..*comparison
            },
        ) {
            Ok(_) => kept.push(name.clone()),
            Err(fault) => told.push(format!("fresco: {name} is left out: {}", fault.found)),
        }
    }
    if kept.len() == 1 {
        return Err(fault);
    }
    let policies = &kept;
    let rest = read(
        args,
        &Comparison {
            policies,
            ..*comparison
        },
    )?;
    told.iter().for_each(|line| tell(line));
    Ok(rest)
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
    let replayed = trailer.thread(busiest_thread_of(path));
    if let (Some(replayed), [_, _, ..]) = (replayed, trailer.threads.as_slice()) {
        let share = 100.0 * replayed.counts.instructions as f64 / trailer.counts().instructions.max(1) as f64;
        tell(&format!(
            "fresco: {name} has {} threads, of which thread {} is replayed, {share:.1} % of the instructions, for want of cores; --set \
             task.NAME.parameters.thread=N takes another",
            trailer.threads.len(),
            replayed.thread
        ));
    }
    Ok(())
}
