// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is exported: the tasks of a scenario, plan or task set with their colors, ways and budgets.

use crate::times::Times;
use fresco_dram::ColorSpace;
use fresco_dram::color::parse_list;
use fresco_frames::{ColorSet, Coloring};
use fresco_input::InputError;
use fresco_machine::Machine;
use fresco_rt::Time;
use fresco_rt::policy::Policy;
use fresco_scenario::budgets::Share;
use fresco_scenario::plan::PlannedTask;
use fresco_scenario::{Plan, Scenario, Setup, TaskSet};
use std::collections::BTreeSet;

/// What is exported.
#[derive(Debug)]
pub struct Subject {
    /// The file that errors name.
    pub file: String,
    /// Name of the scenario or set.
    pub name: String,
    /// The machine.
    pub machine: Machine,
    /// Its tasks, each copy by itself.
    pub tasks: Vec<Task>,
    /// Budgets of bandwidth of the cores, if there are any.
    pub budgets: Option<Budgets>,
    /// Order of ready tasks.
    pub policy: Policy,
    /// Names of the tasks of high criticality.
    pub high: Vec<String>,
    /// The plan, if it is one.
    pub plan: Option<Plan>,
}

/// A task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// Unique name.
    pub name: String,
    /// When it runs; `None` without a period.
    pub times: Option<Times>,
    /// Its core; `None` if that is left to others.
    pub core: Option<u32>,
    /// Bytes of memory of one instance, where they are known.
    pub memory_bytes: Option<u64>,
    /// The colors of its memory, ascending; `None` for all.
    pub colors: Option<Colors>,
    /// Ways of the last-level cache that it may fill, ascending; `None` for all.
    pub ways: Option<Vec<u32>>,
    /// What it is on a real machine; may be empty.
    pub command: Vec<String>,
}

/// Colors, ascending; all of a kind where that kind is not restricted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Colors {
    /// Bank colors.
    pub banks: Vec<u32>,
    /// LLC colors.
    pub llc: Vec<u32>,
}

/// Tasks with the same colors, and so one part of the memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// That of its task, if there is one; else `partN`.
    pub name: String,
    /// Numbers of its tasks.
    pub tasks: Vec<usize>,
    /// Cores of its tasks, ascending; empty if they have none.
    pub cores: Vec<u32>,
    /// The colors.
    pub colors: Colors,
}

/// Budgets of bandwidth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budgets {
    /// Length of a period.
    pub period_ns: Time,
    /// Bytes of a line.
    pub line_bytes: u64,
    /// Lines of each core in a period; 0 for a core without tasks.
    pub lines: Vec<u64>,
    /// Lines written back use budgets up, too (RLIM-9).
    pub count_write_backs: bool,
    /// Cores lend them or share what is left.
    pub lent: bool,
}

impl Budgets {
    /// Bandwidth of a core in MiB/s, rounded down: what MemGuard and the kernel's controller call MB/s.
    pub fn mib_per_s(&self, core: usize) -> u64 {
        let lines = self.lines.get(core).copied().unwrap_or(0);
        let bytes = u128::from(lines) * u128::from(self.line_bytes) * 1_000_000_000;
        u64::try_from((bytes / u128::from(self.period_ns.max(1))) >> 20).unwrap_or(u64::MAX)
    }
}

/// Names of some of them.
fn names<'a, T>(all: &'a [T], name: impl Fn(&'a T) -> Option<&'a String>) -> Vec<String> {
    all.iter().filter_map(name).cloned().collect()
}

impl Subject {
    /// A plan.
    ///
    /// # Errors
    /// Colors that the machine does not have.
    pub fn of_plan(file: &str, plan: Plan, machine: Machine) -> Result<Self, InputError> {
        let space = space(file, &machine)?;
        let tasks: Result<_, InputError> = plan
            .tasks
            .iter()
            .map(|task| {
                Ok(Task {
                    // A plan's file may have any name; none may begin a line of another file.
                    name: task.name.replace(char::is_control, "_"),
                    times: task.timing().as_ref().map(Times::of),
                    core: task.core,
                    memory_bytes: Some(task.memory_bytes),
                    colors: planned_colors(file, &plan, task, &space)?,
                    ways: None,
                    command: task.command.clone(),
                })
            })
            .collect();
        let budgets = plan.bandwidth.as_ref().map(|bandwidth| Budgets {
            period_ns: bandwidth.period_ns,
            line_bytes: bandwidth.line_bytes,
            lines: bandwidth.lines.clone(),
            count_write_backs: bandwidth.count_write_backs,
            lent: false,
        });
        Ok(Self {
            file: file.to_owned(),
            name: plan.name.clone(),
            tasks: tasks?,
            budgets,
            policy: plan.policy,
            machine,
            high: names(&plan.tasks, |task| (task.wcet_high_ns > 0).then_some(&task.name)),
            plan: Some(plan),
        })
    }

    /// A scenario that is simulated: its colors are those that its tasks name, or that a policy shares out.
    ///
    /// # Errors
    /// A sweep of several points; colors that are chosen or moved in a run; row domains.
    pub fn of_scenario(file: &str, scenario: &Scenario) -> Result<Self, InputError> {
        let [point] = scenario.points.as_slice() else {
            let axis = scenario.axes.first().map_or("", |axis| axis.name.as_str());
            return Err(
                InputError::new(file, format!("found a sweep of {} points", scenario.points.len()))
                    .in_field("sweep")
                    .allowed("one point: what is exported is one partition of one set of tasks")
                    .help(format!(
                        "choose one value of each axis, as in --set 'sweep.{axis}=[VALUE]'"
                    )),
            );
        };
        let setup = &point.setup;
        let refuse = |field: &str, found: &str, help: &str| {
            Err(InputError::new(file, found)
                .in_field(field)
                .allowed("colors that are known before a run, and stay")
                .help(help))
        };
        if setup.dynamic.is_some() {
            return refuse(
                "policy.dynamic",
                "found colors that are divided anew while tasks run",
                "remove policy.dynamic, or name the banks of each task",
            );
        }
        if setup.rows.is_some() {
            return refuse(
                "rows",
                "found row domains, of which no format knows",
                "remove rows: memory of row domains is reserved at boot, at the addresses of `fresco map domains --domain`",
            );
        }
        let tasks: Result<_, InputError> = setup.copies.iter().map(|copy| task_of_run(file, setup, copy)).collect();
        Ok(Self {
            file: file.to_owned(),
            name: scenario.name.clone(),
            tasks: tasks?,
            budgets: budgets_of_run(setup),
            policy: setup.scheduler.policy,
            machine: setup.machine.clone(),
            high: names(&setup.copies, |copy| {
                setup.tasks[copy.task].wcet_high.map(|_| &copy.name)
            }),
            plan: None,
        })
    }

    /// The tasks of a scenario that need not be simulated: their times alone.
    pub fn of_tasks(file: &str, set: &TaskSet) -> Self {
        let tasks = set.tasks.iter().map(|task| Task {
            name: task.name.clone(),
            times: task.timing.as_ref().map(Times::of),
            core: task.core,
            memory_bytes: Some(task.memory),
            colors: None,
            ways: None,
            command: task.command.clone(),
        });
        Self {
            file: file.to_owned(),
            name: set.name.clone(),
            tasks: tasks.collect(),
            budgets: None,
            policy: set.options.policy,
            machine: set.machine.clone(),
            high: names(&set.tasks, |task| task.wcet_high.map(|_| &task.name)),
            plan: None,
        }
    }

    /// The parts of the memory that tasks have, in the order of their first task; a task without colors has none.
    pub fn parts(&self) -> Vec<Part> {
        let mut parts: Vec<Part> = Vec::new();
        for (number, task) in self.tasks.iter().enumerate() {
            let Some(colors) = &task.colors else { continue };
            let part = match parts.iter_mut().find(|part| part.colors == *colors) {
                Some(part) => part,
                None => {
                    parts.push(Part {
                        name: String::new(),
                        tasks: Vec::new(),
                        cores: Vec::new(),
                        colors: colors.clone(),
                    });
                    parts.last_mut().expect("one was added")
                }
            };
            part.tasks.push(number);
        }
        for (number, part) in parts.iter_mut().enumerate() {
            let cores: BTreeSet<u32> = part.tasks.iter().filter_map(|&task| self.tasks[task].core).collect();
            part.cores = cores.into_iter().collect();
            part.name = match part.tasks.as_slice() {
                [task] => self.tasks[*task].name.clone(),
                // No task has that name: were one called so, more letters are added.
                _ => {
                    let mut name = format!("part{number}");
                    while self.tasks.iter().any(|task| task.name == name) {
                        name.push('_');
                    }
                    name
                }
            };
        }
        parts
    }

    /// The names of a part's tasks.
    pub fn names(&self, part: &Part) -> String {
        let names: Vec<&str> = part.tasks.iter().map(|&task| self.tasks[task].name.as_str()).collect();
        names.join(", ")
    }

    /// An error about what is exported.
    pub fn error(&self, format: &str, found: impl Into<String>) -> InputError {
        InputError::new(&self.file, found).in_field(format!("--to {format}"))
    }
}

/// The machine's colors.
pub fn space(file: &str, machine: &Machine) -> Result<ColorSpace, InputError> {
    machine.colors().map_err(|error| error.into_input(file, "machine"))
}

/// The colors of all instances of a planned task; `None` if the plan has no colors.
fn planned_colors(
    file: &str,
    plan: &Plan,
    task: &PlannedTask,
    space: &ColorSpace,
) -> Result<Option<Colors>, InputError> {
    let used: BTreeSet<usize> = (0..task.instances.len())
        .flat_map(|instance| task.colors_of(instance))
        .collect();
    if used.is_empty() {
        return Ok(None);
    }
    let (mut banks, mut llc) = (BTreeSet::new(), BTreeSet::new());
    for color in used {
        let Some(color) = plan.colors.get(color) else {
            return Err(
                InputError::new(file, format!("found memory of {:?} in color {color}", task.name))
                    .in_field("data.tasks")
                    .allowed(format!("the {} colors of the plan", plan.colors.len()))
                    .help("plan again: `fresco check` says what is wrong with a plan"),
            );
        };
        banks.extend(parse_list(&color.bank_colors, space.bank_colors(), file)?);
        match &color.llc_colors {
            Some(list) => llc.extend(parse_list(list, space.llc_colors(), file)?),
            None => llc.extend(0..space.llc_colors()),
        }
    }
    Ok(Some(Colors {
        banks: banks.into_iter().collect(),
        llc: llc.into_iter().collect(),
    }))
}

/// A copy of a scenario's task.
fn task_of_run(file: &str, setup: &Setup, copy: &fresco_scenario::Copy) -> Result<Task, InputError> {
    let task = &setup.tasks[copy.task];
    let numbers = |set: &Option<ColorSet>, all: u32| match set {
        Some(set) => set.iter().collect(),
        None => (0..all).collect(),
    };
    let colors = match &copy.coloring {
        Coloring::Off => None,
        Coloring::Explicit { banks, llc } => Some(Colors {
            banks: numbers(banks, setup.space.bank_colors()),
            llc: numbers(llc, setup.space.llc_colors()),
        }),
        Coloring::Automatic { .. } => {
            return Err(InputError::new(
                file,
                format!("found colors of {}, which the allocator chooses in a run", copy.name),
            )
            .in_field(format!("task.{}", task.name))
            .allowed("colors that are known before a run")
            .help("name its banks, as in banks = \"0-3\", or export a plan: fresco plan"));
        }
    };
    let ways = task
        .ways
        .map(|mask| (0..u128::BITS).filter(|way| mask >> way & 1 == 1).collect());
    Ok(Task {
        name: copy.name.clone(),
        times: task.timing.as_ref().map(Times::of),
        core: Some(copy.core),
        memory_bytes: task.bytes,
        colors,
        ways,
        command: task.command.clone(),
    })
}

/// The budgets of a scenario's cores.
fn budgets_of_run(setup: &Setup) -> Option<Budgets> {
    let budgets = setup.bandwidth.as_ref()?;
    let mut lines = vec![0; setup.machine.cores as usize];
    for node in &budgets.nodes {
        for (core, reservation) in std::iter::zip(&node.cores, &node.settings.reservations) {
            lines[*core as usize] = reservation.lines;
        }
    }
    let is_shared = budgets.nodes.iter().any(|node| node.settings.share != Share::None);
    Some(Budgets {
        period_ns: budgets.period / 1000,
        line_bytes: budgets.guaranteed.line_bytes,
        lines,
        count_write_backs: budgets.count_write_backs,
        lent: budgets.reclaim() || is_shared,
    })
}
