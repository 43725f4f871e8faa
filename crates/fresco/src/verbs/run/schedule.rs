// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who runs the tasks of a plan when: what executes its schedule on this machine.

use crate::arguments::choice;
use crate::outputs::Outputs;
use crate::verbs::live::planned::{PlannedPrograms, counted};
use fresco_dram::color::format_list;
use fresco_exchange::execution::{Deadline, Execution, Executor, SlotTable, execution};
use fresco_input::InputError;
use fresco_linux::launch;
use fresco_linux::memguard::Cgroup;
use fresco_linux::schedule::{Asked, Entry, Ext, Groups, NotReady, Ready, Scheduler, find_scheduler, probe};
use fresco_linux::sys::{Policy, Signals};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Options of schedules.
#[derive(Debug, clap::Args)]
pub struct ScheduleArgs {
    /// What executes the schedule of a plan: the table of fresco-scheduler (table), SCHED_DEADLINE (deadline), SCHED_FIFO
    /// (fifo), nothing (none), or what fits the plan and this machine (auto)
    #[arg(long, default_value = "auto", value_parser = wanted())]
    schedule: Wanted,

    /// Write what becomes of each slot of a table to this file, a line of JSON each, for `fresco verify PLAN --records FILE`
    #[arg(long, value_name = "FILE")]
    records: Option<PathBuf>,
}

/// What is to execute it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    /// What fits.
    Auto,
    /// Nothing: Linux's own scheduler, as it is.
    Nothing,
    /// This one.
    Only(Executor),
}

/// The argument of `--schedule`.
fn wanted() -> clap::builder::ValueParser {
    static CHOICES: LazyLock<Vec<(&str, Wanted)>> = LazyLock::new(|| {
        let only = Executor::ALL.map(|executor| (executor.name(), Wanted::Only(executor)));
        [("auto", Wanted::Auto), ("none", Wanted::Nothing)]
            .into_iter()
            .chain(only)
            .collect()
    });
    choice("--schedule", &CHOICES).into()
}

/// What executes the schedule here.
#[derive(Debug)]
pub struct Schedule {
    /// `None` if nothing does.
    pub executor: Option<Executor>,
    /// What it is told, a table on this machine's processors.
    pub execution: Option<Execution>,
    /// Where fresco-scheduler is.
    pub scheduler: Option<PathBuf>,
    /// Why nothing executes it, or why what was asked for cannot.
    pub reason: Option<String>,
    /// It was left to fresco.
    is_auto: bool,
    records: Option<PathBuf>,
}

impl ScheduleArgs {
    /// Refuses these options for a program.
    pub fn check_without_plan(&self) -> Result<(), InputError> {
        let given = [
            ("--schedule", self.schedule != Wanted::Auto),
            ("--records", self.records.is_some()),
        ];
        match given.into_iter().find(|(_, given)| *given) {
            None => Ok(()),
            Some((option, _)) => Err(InputError::new(option, "found it with a program")
                .allowed(format!("{option} with a plan, which has a schedule"))
                .help(format!("leave out {option}, or name a plan"))),
        }
    }

    /// What executes the plan's schedule on these processors.
    ///
    /// # Errors
    /// What was asked for cannot execute it on any machine.
    pub fn choose(&self, planned: &PlannedPrograms, path: &Path, cpus: Option<&[u32]>) -> Result<Schedule, InputError> {
        let schedule = self.chosen(planned, cpus)?;
        if self.records.is_some() && schedule.executor != Some(Executor::Table) {
            let found = match schedule.executor {
                Some(executor) => format!("found it with the schedule {}", executor.name()),
                None => "found it without a table".to_owned(),
            };
            let help = schedule.reason.unwrap_or_else(|| "leave out --records".to_owned());
            return Err(InputError::new("--records", found)
                .allowed("--records with a plan whose slots fresco-scheduler executes: --schedule table")
                .help(help));
        }
        Outputs::new()
            .file("--records", self.records.as_deref())
            .check(false, &[path])?;
        Ok(schedule)
    }

    fn chosen(&self, planned: &PlannedPrograms, cpus: Option<&[u32]>) -> Result<Schedule, InputError> {
        let mut schedule = Schedule {
            executor: None,
            execution: None,
            scheduler: None,
            reason: None,
            is_auto: self.schedule == Wanted::Auto,
            records: self.records.clone(),
        };
        let executor = match self.schedule {
            Wanted::Nothing => return Ok(schedule),
            Wanted::Only(executor) => executor,
            Wanted::Auto => Executor::of(&planned.plan).unwrap_or(Executor::Table),
        };
        let wrong = |error: InputError| match schedule.is_auto {
            true => Ok(Err(error
                .to_string()
                .lines()
                .map(str::trim)
                .collect::<Vec<_>>()
                .join("; "))),
            false => Err(error),
        };
        let found = match execution(&planned.plan, executor) {
            Ok(Execution::Table(table)) => match cpus.map_or(Ok(table.clone()), |cpus| table.on(cpus)) {
                Ok(table) => Ok(Execution::Table(table)),
                Err(core) => wrong(
                    InputError::new("--cpus", format!("found no processor for core {core}"))
                        .allowed(format!("one for each of the plan's {} cores", planned.plan.cores))
                        .help("name more"),
                )?,
            },
            Ok(execution) => Ok(execution),
            Err(misfit) => wrong(misfit.into_input(&planned.file, &format!("--schedule {}", executor.name())))?,
        };
        let lacks = match &found {
            Err(reason) => Some(reason.clone()),
            Ok(execution) => schedule.lacks(planned, execution).err(),
        };
        // What was asked for is shown, and refused; what was left to fresco is not done.
        if lacks.is_none() || !schedule.is_auto {
            schedule.executor = Some(executor);
            schedule.execution = found.ok();
        }
        schedule.reason = lacks;
        Ok(schedule)
    }
}

impl Schedule {
    /// Finds out whether this machine executes it so.
    fn lacks(&mut self, planned: &PlannedPrograms, execution: &Execution) -> Result<(), String> {
        let online = launch::online_cpus();
        let absent = |cpus: &[u32]| match cpus.iter().find(|cpu| !online.contains(cpu)) {
            None => Ok(()),
            Some(cpu) => Err(format!(
                "--cpus: found processor {cpu}, which is not online, for a plan of {} cores; allowed: {}; plan for the cores of this machine",
                planned.plan.cores,
                format_list(&online)
            )),
        };
        match execution {
            Execution::Table(table) => {
                absent(&table.slots.iter().map(|slot| slot.core).collect::<Vec<_>>())?;
                if let Some(missing) = Ext::find().missing() {
                    return Err(format!(
                        "{missing}; --schedule none starts the tasks without their slots"
                    ));
                }
                if !rustix::process::geteuid().is_root() {
                    return Err("this user: found one who is not root; allowed: root, in the machine's own user namespace; use sudo".to_owned());
                }
                let own = std::env::current_exe().ok();
                self.scheduler = Some(find_scheduler(own.as_deref(), &super::search_path())?);
                Ok(())
            }
            Execution::Deadlines(deadlines) => {
                let cpus = bound_to(planned);
                absent(&cpus)?;
                probe(all_of(deadlines), &cpus)
            }
            Execution::Priorities(priorities) => {
                let cpus = bound_to(planned);
                absent(&cpus)?;
                let highest = priorities.iter().flatten().max().copied().unwrap_or(1);
                probe(Policy::Fifo(highest), &cpus)
            }
        }
    }

    /// Why what was asked for cannot be done; that nothing is done where it was left to fresco is no refusal.
    pub fn refusal(&self) -> Option<&str> {
        self.reason.as_deref().filter(|_| !self.is_auto)
    }

    /// What is to be told of it before the tasks begin.
    pub fn told(&self) -> Option<String> {
        let is_said = self.executor.is_some() || self.reason.is_some();
        (is_said && self.refusal().is_none()).then(|| self.words())
    }

    /// What does execute it.
    fn executing(&self) -> Option<Executor> {
        self.executor.filter(|_| self.reason.is_none())
    }

    /// In words.
    pub fn words(&self) -> String {
        match (&self.execution, &self.reason) {
            (Some(Execution::Table(table)), None) => {
                let mut cpus: Vec<u32> = table.slots.iter().map(|slot| slot.core).collect();
                cpus.sort_unstable();
                cpus.dedup();
                let shared = match table.members.is_empty() {
                    true => String::new(),
                    false => format!(
                        "; {} share them, by {}",
                        counted(table.members.len(), "task", "tasks"),
                        table.order.name()
                    ),
                };
                format!(
                    "table: {} slots in frames of {} ns on processors {}{shared}",
                    table.slots.len(),
                    table.frame_ns,
                    format_list(&cpus)
                )
            }
            (Some(Execution::Deadlines(all)), None) => {
                format!(
                    "deadline: SCHED_DEADLINE for {}",
                    counted(all.iter().flatten().count(), "task", "tasks")
                )
            }
            (Some(Execution::Priorities(all)), None) => {
                format!(
                    "fifo: SCHED_FIFO for {}",
                    counted(all.iter().flatten().count(), "task", "tasks")
                )
            }
            (_, Some(reason)) if self.is_auto => format!("none: {reason}"),
            (_, Some(_)) => match self.executor {
                Some(executor) => format!("{}, which cannot be done", executor.name()),
                None => "none".to_owned(),
            },
            (None, None) => "none, as asked for".to_owned(),
        }
    }

    /// What of a plan a machine is given.
    pub fn applied(&self) -> &'static str {
        match self.executing() {
            None => "colors, nodes, processors and bandwidth of each task",
            Some(Executor::Table) => {
                "colors, nodes, processors and bandwidth of each task; its slots, and who goes first in them"
            }
            Some(Executor::Deadline) => {
                "colors, nodes, processors and bandwidth of each task; its deadline and execution time"
            }
            Some(Executor::Fifo) => "colors, nodes, processors and bandwidth of each task; its priority",
        }
    }

    /// What not.
    pub fn not_applied(&self) -> &'static str {
        match self.executing() {
            None => {
                "the schedule, and refresh windows, which no common memory controller takes; the programs keep their own periods"
            }
            Some(_) => "refresh windows: no common memory controller takes them; the programs keep their own periods",
        }
    }

    /// Makes the cgroups of tasks with slots, each below that of its core, if it has one.
    pub fn groups(
        &self,
        planned: &PlannedPrograms,
        of_core: impl Fn(Option<u32>) -> Option<Cgroup>,
    ) -> Result<Option<Groups>, String> {
        let Some(Execution::Table(table)) = &self.execution else {
            return Ok(None);
        };
        let names = table.tasks();
        let has_slots = |number: &usize| names.contains(&planned.programs[*number].task.as_str());
        let tasks: Vec<usize> = (0..planned.programs.len()).filter(has_slots).collect();
        let groups = Groups::new(&tasks, std::process::id(), |task| of_core(planned.programs[task].core))?;
        groups.make(std::process::id())?;
        Ok(Some(groups))
    }

    /// Has the kernel run the table.
    pub fn load(
        &self,
        planned: &PlannedPrograms,
        groups: Option<&Groups>,
        held: &Signals,
    ) -> Result<Option<Ready>, NotReady> {
        let (Some(Execution::Table(table)), Some(program), Some(groups)) = (&self.execution, &self.scheduler, groups)
        else {
            return Ok(None);
        };
        let text = text(table, planned, groups);
        let scheduler = Scheduler::start(program, &text, self.records.as_deref(), held).map_err(NotReady::Failed)?;
        scheduler.ready(held).map(Some)
    }

    /// What a task is started with.
    pub fn asked(&self, task: usize, groups: Option<&Groups>) -> Option<Asked> {
        match self.execution.as_ref()? {
            Execution::Table(_) => groups?.of(task).map(|group| Asked::Table {
                cgroup: group.path().to_owned(),
            }),
            Execution::Deadlines(all) => all.get(task).copied().flatten().map(asked),
            Execution::Priorities(all) => all
                .get(task)
                .copied()
                .flatten()
                .map(|priority| Asked::Fifo { priority }),
        }
    }

    /// What it does before it begins.
    pub fn entry(&self, task: usize, groups: Option<&Groups>) -> Option<Entry> {
        match self.asked(task, groups)?.policy() {
            Some(policy) => Some(Entry::Policy(policy)),
            None => groups?.entry(task).map(Entry::Group),
        }
    }
}

fn asked(deadline: Deadline) -> Asked {
    Asked::Deadline {
        runtime_ns: deadline.runtime_ns,
        deadline_ns: deadline.deadline_ns,
        period_ns: deadline.period_ns,
    }
}

/// The processors of tasks that are bound to some.
fn bound_to(planned: &PlannedPrograms) -> Vec<u32> {
    let mut cpus: Vec<u32> = planned
        .programs
        .iter()
        .flat_map(|program| program.request.cpus.clone().unwrap_or_default())
        .collect();
    cpus.sort_unstable();
    cpus.dedup();
    cpus
}

/// As much of a processor as all of them together take.
fn all_of(deadlines: &[Option<Deadline>]) -> Policy {
    const PERIOD_NS: u64 = 100_000_000;
    let of = |deadline: &Deadline| {
        u128::from(deadline.runtime_ns) * u128::from(PERIOD_NS) / u128::from(deadline.period_ns.max(1))
    };
    let sum: u128 = deadlines.iter().flatten().map(of).sum();
    Policy::Deadline {
        runtime_ns: u64::try_from(sum).unwrap_or(PERIOD_NS).clamp(1024, PERIOD_NS),
        deadline_ns: PERIOD_NS,
        period_ns: PERIOD_NS,
    }
}

/// The table, with the cgroups of its tasks.
fn text(table: &SlotTable, planned: &PlannedPrograms, groups: &Groups) -> String {
    table.to_toml(|name| {
        let number = planned.programs.iter().position(|program| program.task == name)?;
        Some(groups.of(number)?.path().to_owned())
    })
}
