// SPDX-License-Identifier: MIT OR Apache-2.0
//! A plan's schedule as what Linux executes it with: a table of slots, of one task or of several each, deadlines or fixed priorities. What would run otherwise than the
//! plan was proved for is refused, not approximated.

mod deadlines;
mod jobs;
mod judge;
mod members;
mod priorities;
mod records;
mod segments;
mod shared;
mod slots;

pub use deadlines::{Deadline, LEAST_RUNTIME_NS, LONGEST_PERIOD_NS, SHORTEST_PERIOD_NS};
pub(crate) use deadlines::{LIMIT, fraction, misfit, share};
pub use jobs::{Job, JobJudgement, judge_jobs};
pub use judge::{Judgement, Judgements, Spread, judge};
pub use members::{Member, Order};
pub use priorities::MOST_PRIORITIES;
pub use records::{Record, Records, parse_records};
pub use slots::{Slot, SlotTable};

use crate::windows::kind;
use fresco_input::InputError;
use fresco_rt::policy::Policy;
use fresco_scenario::Plan;
use fresco_scenario::plan::Schedule;

/// What executes a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Executor {
    /// The table of `kernel/schedulers`, in slots that repeat.
    Table,
    /// SCHED_DEADLINE: runtime, deadline and period of each task.
    Deadline,
    /// SCHED_FIFO: fixed priorities.
    Fifo,
}

impl Executor {
    /// All.
    pub const ALL: [Self; 3] = [Self::Table, Self::Deadline, Self::Fifo];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Deadline => "deadline",
            Self::Fifo => "fifo",
        }
    }

    /// The one that executes schedules of this kind, if any does.
    pub fn of(plan: &Plan) -> Option<Self> {
        match (&plan.schedule, plan.policy) {
            (
                Schedule::Table { .. } | Schedule::Slots { .. } | Schedule::Servers { .. } | Schedule::Locked { .. },
                _,
            ) => Some(Self::Table),
            (Schedule::Priorities, Policy::Edf) => Some(Self::Deadline),
            (Schedule::Priorities, Policy::FixedPriority(_)) => Some(Self::Fifo),
            (Schedule::Fair { .. }, _) => None,
        }
    }
}

/// A schedule as Linux is told it. Tasks are numbered as in the plan; those without a period have no place in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Execution {
    /// Slots that repeat, on the plan's cores.
    Table(SlotTable),
    /// Of each task.
    Deadlines(Vec<Option<Deadline>>),
    /// Of each task, from 1 to [`MOST_PRIORITIES`], the higher the more urgent, on each core by itself.
    Priorities(Vec<Option<u32>>),
}

/// What does not fit: what was found, what is allowed, and the way out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// What was found, without "found".
    pub found: String,
    /// What is allowed.
    pub allowed: String,
    /// The way out.
    pub help: String,
}

impl Misfit {
    pub(crate) fn new(found: impl Into<String>, allowed: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            found: found.into(),
            allowed: allowed.into(),
            help: help.into(),
        }
    }

    /// As an error of a file.
    pub fn into_input(self, file: &str, field: &str) -> InputError {
        InputError::new(file, format!("found {}", self.found))
            .in_field(field)
            .allowed(self.allowed)
            .help(self.help)
    }
}

/// The plan's schedule for an executor.
///
/// # Errors
/// The executor would run it otherwise than it was proved for, or the kernel would not take it.
pub fn execution(plan: &Plan, executor: Executor) -> Result<Execution, Misfit> {
    if let Some(misfit) = of_nobody(plan) {
        return Err(misfit);
    }
    let fits = Executor::of(plan);
    if fits != Some(executor) {
        return Err(other_kind(plan, fits));
    }
    match executor {
        Executor::Table => match &plan.schedule {
            Schedule::Table { .. } => slots::of(plan),
            _ => shared::of(plan),
        }
        .map(Execution::Table),
        Executor::Deadline => deadlines::of(plan).map(Execution::Deadlines),
        Executor::Fifo => priorities::of(plan).map(Execution::Priorities),
    }
}

/// What no executor does, so that another one is no way out.
fn of_nobody(plan: &Plan) -> Option<Misfit> {
    if plan.high.is_some() {
        return Some(Misfit::new(
            "a plan with tasks of two criticality levels",
            "one level: no scheduler of Linux drops tasks when a job takes longer",
            "--schedule none starts the tasks without it; or leave out criticality and wcet_high, and plan again",
        ));
    }
    if let Some(task) = plan.tasks.iter().find(|task| task.period_ns > 0 && task.core.is_none()) {
        return Some(Misfit::new(
            format!("task {}, whose jobs run on any core", task.name),
            "tasks that are bound to cores",
            "plan with plan.migration = \"none\", or use --schedule none",
        ));
    }
    matches!(plan.schedule, Schedule::Fair { .. }).then(|| {
        Misfit::new(
            format!("a schedule that is {}", kind(&plan.schedule)),
            "one of tasks with periods; such shares are not in a plan's power: `fresco-scheduler refresh` of kernel/schedulers gives them to all",
            "--schedule none starts the tasks without it",
        )
    })
}

fn other_kind(plan: &Plan, fits: Option<Executor>) -> Misfit {
    let by = match (&plan.schedule, plan.policy) {
        (Schedule::Priorities, Policy::Edf) => ", by deadlines",
        (Schedule::Priorities, Policy::FixedPriority(_)) => ", by fixed priorities",
        _ => "",
    };
    Misfit::new(
        format!("a schedule that is {}{by}", kind(&plan.schedule)),
        "a table, slots, servers or lock windows with table, deadlines with deadline, fixed priorities with fifo; beside refresh in the last two",
        match fits {
            Some(fits) => format!("use --schedule {}, or auto", fits.name()),
            None => "use --schedule none".to_owned(),
        },
    )
}
