// SPDX-License-Identifier: MIT OR Apache-2.0
//! A plan by its file: that of the plan, or a scenario, which is planned. Scenarios and task sets that are built in go by their names.

use crate::failure::{Failure, tell};
use crate::stop::Stop;
use crate::waiting;
use crate::{provenance, scenarios};
use fresco_input::{InputError, MAX_TEXT_BYTES, file_name, larger};
use fresco_machine::Machine;
use fresco_plan::check::Objection;
use fresco_plan::plan::{PlannedMachine, SCHEMA};
use fresco_plan::{Plan, Refusal, TaskSet, refusal::Kind};
use fresco_report::{Document, InputFile, Provenance};
use fresco_scenario::{Source, is_plan};
use std::path::{Path, PathBuf};

/// A plan, its machine, and what was read for them.
pub struct LoadedPlan {
    /// The plan.
    pub plan: Plan,
    /// Its machine, with the changes that the plan makes to it.
    pub machine: Machine,
    /// What was read.
    pub provenance: Provenance,
    /// The files that were read.
    pub inputs: Vec<PathBuf>,
}

/// Reads a task set by name or path, or the tasks of a plan; `overrides` are `key=value`.
///
/// # Errors
/// No such task set or file; anything that [`TaskSet::parse`] finds.
pub fn task_set(path: &Path, overrides: &[String]) -> Result<TaskSet, InputError> {
    let (file, text) = scenarios::text(path)?;
    let directory = path.parent().unwrap_or(Path::new(""));
    TaskSet::of(&Source::of_text(&file, text, directory)?, overrides)
}

/// Reads a plan, or plans a scenario; `overrides` are `key=value`, for a scenario.
///
/// # Errors
/// Neither of the two; a change to a plan; a scenario that has no plan.
pub fn load(path: &Path, overrides: &[String]) -> Result<LoadedPlan, Failure> {
    let (file, text) = scenarios::text(path)?;
    let (plan, machine) = if is_plan(path, &text) {
        if let Some(word) = overrides.first() {
            return Err(InputError::new(format!("--set {word}"), "found a change to a plan")
                .allowed("a plan as it is")
                .help("change the scenario and plan again: fresco plan SCENARIO --set …")
                .into());
        }
        let plan = Plan::parse(&file, &text)?;
        let machine = fresco_machine::load_with(&plan.machine.given, &plan.machine.changes)?;
        (plan, machine)
    } else {
        let set = task_set(path, overrides)?;
        (of_set(path, &set)?, set.machine)
    };
    Ok(LoadedPlan {
        provenance: provenance(path, &machine, &plan.machine)?,
        inputs: inputs(path, &plan.machine),
        plan,
        machine,
    })
}

/// The seed of the run of a scenario that is planned.
///
/// # Errors
/// The file cannot be read; anything that [`fresco_sweep::seed`] finds.
pub fn seed(path: &Path, overrides: &[String]) -> Result<u64, InputError> {
    let (file, text) = scenarios::text(path)?;
    fresco_sweep::seed(&Source::of_text(&file, text, Path::new(""))?, overrides)
}

/// What was read for a plan: its file, or that of the scenario, and the machine's.
///
/// # Errors
/// The file cannot be read.
pub fn provenance(path: &Path, machine: &Machine, given: &PlannedMachine) -> Result<Provenance, InputError> {
    let mut read = provenance::of_this_run(None);
    let digest = provenance::digest(&scenarios::text(path)?.1);
    read.inputs.push(InputFile::new(file_name(path), digest));
    read.machine_files.push(provenance::machine_file(machine, &given.given));
    Ok(read)
}

/// The files that a plan or a scenario is made of.
pub fn inputs(path: &Path, machine: &PlannedMachine) -> Vec<PathBuf> {
    let of_machine = fresco_machine::is_path(&machine.given).then(|| PathBuf::from(&machine.given));
    let own = scenarios::built_in(path).is_none().then(|| path.to_owned());
    own.into_iter().chain(of_machine).collect()
}

/// Plans the tasks of a file.
///
/// # Errors
/// There is no plan; wrong input if the method asked for is not for such tasks or such a machine.
pub fn of_set(file: &Path, set: &TaskSet) -> Result<Plan, Failure> {
    let made = waiting::plan(set, None, &Stop::never());
    made.map_err(|refusal| refused(file, set, &refusal))
}

/// A plan as the file that `fresco plan` writes.
///
/// # Errors
/// It is larger than what `fresco check` and `sim` read.
pub fn document(plan: &Plan, provenance: &Provenance) -> Result<Vec<u8>, Failure> {
    let document = Document {
        schema: SCHEMA,
        provenance,
        data: plan,
    };
    let bytes = document.to_bytes()?;
    if bytes.len() as u64 > MAX_TEXT_BYTES {
        let found = format!(
            "a plan by {} of {} bytes, which `fresco check` and `fresco sim` would not read",
            plan.method.name(),
            bytes.len()
        );
        return Err(larger(&plan.name, &found).help(SMALLER).into());
    }
    Ok(bytes)
}

/// What gives a smaller plan.
const SMALLER: &str = "choose periods with a smaller least common multiple, or a --method without a table";

/// Has the checker look at a plan that was just made.
///
/// # Errors
/// It is too long to be verified. A plan that is not sound is told of on standard error: some methods make them on purpose (E1).
pub fn verify(plan: &Plan, machine: &Machine) -> Result<(), Failure> {
    match fresco_plan::check(plan, machine) {
        Ok(_) => Ok(()),
        Err(Objection::Violated(violation)) => {
            tell(&format!(
                "fresco: {}: warning: `fresco check` finds this plan not sound: {violation}",
                plan.name
            ));
            Ok(())
        }
        Err(objection) => {
            let found = format!(
                "found a plan by {} that cannot be verified: {objection}",
                plan.method.name()
            );
            Err(InputError::new(&plan.name, found)
                .allowed("a plan that `fresco check` can verify")
                .too_large()
                .into())
        }
    }
}

/// Why there is no plan for the tasks of a file, as a failure.
pub fn refused(file: &Path, set: &TaskSet, refusal: &Refusal) -> Failure {
    let (asked, name) = (set.options.method, &set.name);
    match (refusal.kind, asked) {
        (Kind::Machine | Kind::Form, Some(method)) => InputError::new(
            file_name(file),
            format!("found tasks or a machine that {} is not for: {refusal}", method.name()),
        )
        .in_field("plan.method")
        .allowed("a method that suits them")
        .help("omit --method: the best one is chosen, or lay all side by side with --compare")
        .into(),
        _ => {
            let by = asked.map_or(String::new(), |method| format!(" by {}", method.name()));
            if refusal.is_open() {
                return Failure::Wanting(format!("{name}: there is no verdict on a plan{by}: {refusal}"));
            }
            Failure::Wanting(format!("{name}: there is no plan{by}: {refusal}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fresco_input::Kind as Fault;

    /// What no reader takes is not written.
    #[test]
    fn a_plan_larger_than_is_read_has_no_document() {
        let text = "[[task]]\nname = \"a\"\nperiod = \"8 ms\"\nwcet = \"1 ms\"\n";
        let set = TaskSet::parse("t.toml", text, Path::new(""), &[]).unwrap_or_else(|error| panic!("{error}"));
        let mut plan = fresco_plan::plan(&set).unwrap_or_else(|refusal| panic!("{refusal}"));
        let read = provenance::of_this_run(None);
        assert!(document(&plan, &read).is_ok());
        plan.reasons = vec!["x".repeat(MAX_TEXT_BYTES as usize)];
        let Err(Failure::Input(error)) = document(&plan, &read) else {
            panic!("a document that nobody reads");
        };
        assert_eq!(error.kind, Fault::TooLarge);
        assert!(error.allowed.contains("at most 64 MiB"), "{error}");
    }
}
