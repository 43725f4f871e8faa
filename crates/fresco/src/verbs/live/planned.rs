// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a plan asks of this machine: for each task a program with colors, nodes, processors and bandwidth.

use crate::failure::Failure;
use crate::plans::{self, LoadedPlan};
use fresco_dram::ColorSpace;
use fresco_dram::color::{format_list, parse_list};
use fresco_input::InputError;
use fresco_linux::colors::{AskedColors, ColorCounts, FrameColors, Request, TaskOf};
use fresco_linux::resctrl::Limits;
use fresco_machine::Machine;
use fresco_plan::Plan;
use fresco_plan::check::Objection;
use fresco_plan::plan::PlannedTask;
use fresco_report::Provenance;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;

/// A plan for this machine.
#[derive(Debug)]
pub struct PlannedPrograms {
    /// Its name.
    pub name: String,
    /// The file, as errors name it.
    pub file: String,
    /// The plan.
    pub plan: Plan,
    /// The programs, in the order of the tasks.
    pub programs: Vec<PlannedProgram>,
    /// What was read.
    pub provenance: Provenance,
}

/// A task as a program.
#[derive(Debug)]
pub struct PlannedProgram {
    /// The task's name.
    pub task: String,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Colors, limits, processors and nodes.
    pub request: Request,
    /// The core it is planned for: its limits are the core's.
    pub core: Option<u32>,
}

/// The plan that stands in place of a program, or the scenario that is planned: a file ending in .json or .toml.
///
/// # Errors
/// It is not alone.
pub fn plan_of(words: &[OsString]) -> Result<Option<&Path>, InputError> {
    let is_plan = |word: &&OsString| {
        *word == "-"
            || Path::new(word)
                .extension()
                .is_some_and(|ending| ending == "json" || ending == "toml")
    };
    match (words.first().filter(is_plan), words.len()) {
        (Some(plan), 1) => Ok(Some(Path::new(plan))),
        (Some(plan), count) => Err(InputError::new(
            plan.to_string_lossy(),
            format!("found {} after the plan", counted(count - 1, "word", "words")),
        )
        .allowed("a plan alone")
        .help("write options before it: fresco run --dry-run PLAN")),
        (None, _) => Ok(None),
    }
}

/// A number of things, in words.
pub fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Has the checker look at a plan.
///
/// # Errors
/// It is not sound, or cannot be verified.
pub fn check_sound(file: &str, plan: &Plan, machine: &Machine) -> Result<(), InputError> {
    let Err(objection) = fresco_plan::check(plan, machine) else {
        return Ok(());
    };
    let (verdict, is_known) = match &objection {
        Objection::Violated(_) => ("is not sound", true),
        Objection::Unverifiable(_) => ("cannot be verified", false),
    };
    let error = InputError::new(file, format!("found a plan that {verdict}: {objection}"))
        .allowed("a plan that `fresco check` finds sound")
        .help("plan again: fresco plan SCENARIO --out PLAN");
    Err(if is_known { error } else { error.too_large() })
}

/// Reads a plan. `cpus` are the processors of its cores, in order; by default core n is processor n.
pub fn load(path: &Path, cpus: Option<&[u32]>) -> Result<PlannedPrograms, Failure> {
    let LoadedPlan {
        plan,
        machine,
        provenance,
        ..
    } = plans::load(path, &[])?;
    let file = fresco_input::file_name(path);
    check_sound(&file, &plan, &machine)?;
    let page_bytes = fresco_linux::sys::page_bytes();
    if machine.page_bytes != page_bytes {
        let found = format!("found a plan for pages of {} bytes", machine.page_bytes);
        return Err(InputError::new(file, found)
            .allowed(format!("{page_bytes}, the pages of this machine"))
            .help("plan for a machine with these pages")
            .into());
    }
    let space = machine
        .colors()
        .map_err(|error| error.into_input(machine.name.clone(), "colors"))?;
    let digest = crate::provenance::digest(&fresco_input::read_file(path)?);
    let plan_of = |(number, task): (usize, &PlannedTask)| {
        if task.command.is_empty() {
            return Err(
                InputError::new(file.clone(), format!("found no command for the task {:?}", task.name))
                    .in_field(format!("data.tasks[{number}].command"))
                    .allowed("a program and its arguments for each task")
                    .help("add command = [\"PROGRAM\", \"ARGUMENT\"] to the [[task]], and plan again"),
            );
        }
        let mut request = request(&plan, task, &machine, &space, &file)?;
        request.cpus = match (task.core, cpus) {
            (None, cpus) => cpus.map(<[u32]>::to_vec),
            (Some(core), None) => Some(vec![core]),
            (Some(core), Some(cpus)) => match cpus.get(core as usize) {
                Some(&cpu) => Some(vec![cpu]),
                None => {
                    return Err(InputError::new(
                        "--cpus",
                        format!("found {}", counted(cpus.len(), "processor", "processors")),
                    )
                    .allowed(format!("one for each of the plan's {} cores", plan.cores))
                    .help("name more"));
                }
            },
        };
        request.task = Some(TaskOf {
            plan: digest.clone(),
            task: task.name.clone(),
        });
        Ok(PlannedProgram {
            task: task.name.clone(),
            command: task.command.clone(),
            request,
            core: task.core,
        })
    };
    let programs: Result<_, InputError> = plan.tasks.iter().enumerate().map(plan_of).collect();
    Ok(PlannedPrograms {
        name: plan.name.clone(),
        programs: programs?,
        file,
        plan,
        provenance,
    })
}

/// The colors of all instances of a task, the nodes they lie on where a range of addresses fixes these, and the
/// bandwidth of its core.
fn request(
    plan: &Plan,
    task: &PlannedTask,
    machine: &Machine,
    space: &ColorSpace,
    file: &str,
) -> Result<Request, InputError> {
    let colors = FrameColors::of_machine(&machine.memory.map, space)?;
    let used: BTreeSet<usize> = (0..task.instances.len())
        .flat_map(|instance| task.colors_of(instance))
        .collect();
    let mut banks = BTreeSet::new();
    let mut llc = String::new();
    for color in used {
        let color = &plan.colors[color];
        banks.extend(parse_list(&color.bank_colors, space.bank_colors(), file)?);
        // Only a partition has these, and there a task has one color.
        llc = color
            .llc_colors
            .as_ref()
            .map_or_else(String::new, |list| format!(",llc={list}"));
    }
    let banks: Vec<u32> = match banks.is_empty() {
        true => (0..space.bank_colors()).collect(),
        false => banks.into_iter().collect(),
    };
    let by_range = space.parts().all(|part| part.node.is_some());
    let nodes: BTreeSet<u32> = banks.iter().map(|&bank| space.node_of_color(bank)).collect();
    let asked = AskedColors::parse(&format!("banks={}{llc}", format_list(&banks)), ColorCounts::of(&colors))?;
    let mut request = Request::new(machine.name.clone(), colors, asked);
    request.nodes = by_range.then(|| nodes.into_iter().collect());
    let budget = |core: u32| {
        plan.bandwidth
            .as_ref()
            .map(|budgets| budgets.bytes_per_s(core as usize))
            .filter(|bytes| *bytes > 0)
    };
    request.limits = Limits {
        ways: None,
        bytes_per_s: task.core.and_then(budget),
    };
    Ok(request)
}
