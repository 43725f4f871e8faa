// SPDX-License-Identifier: MIT OR Apache-2.0
//! What one run is made of, and what came of it: of scenarios as of plans.
//!
//! An [`Experiment`] says which machine, tasks, schedule, refresh, budgets and phases; [`run`] makes one run of it and returns a
//! [`RunOutcome`]. Times of a schedule are in nanoseconds, of the simulation and its results in picoseconds.
//!
//! # Who runs
//! Each core has a [`Dispatcher`], the small trait behind which schedules live. The engine tells it of releases and
//! completions and asks it, at every such instant and when its last [`Decision`] ends, what the core does next: run a job,
//! run a handler, or nothing. A decision holds at once; that the core first has to let the accesses under way end belongs
//! to what comes next, as in the theory, where such costs are part of handlers and execution times. Servers, slots, flat and
//! plain priorities are decided by `fresco_rt::simulation::Processor`, the part that also drives the exact simulation. A core with
//! one task that has no period has the trivial dispatcher. A new scheduler implements the trait and gets a variant of [`Schedule`];
//! tasks that never end a job are [`Timing::Batch`].
//!
//! # What a switch does
//! The running process is asked to stop before its next operation. The core drains: accesses under way and the store buffer
//! end. Then the next process goes on, [`Experiment::context_switch_ns`] later if it is another one. Private caches stay with
//! the core, so a task finds what the others left of its lines.
//!
//! # Handlers
//! Lock, unlock and slot handlers have the core for their analysed time. The handler that locks a color writes the dirty
//! lines of that color back from the core's private caches and its last-level cache (RLIM-7, assumption A1 of the theory),
//! and while it runs the controllers write what they hold instead of waiting for a better moment. Lines that leave the caches
//! for a rank in its window nevertheless are counted.
//!
//! # Budgets of bandwidth
//! [`Experiment::regulation`] gives cores budgets (MG-1), whatever job runs on them. A core that has used up its budget is
//! stalled to the end of the period: no job executes on it, though the dispatcher decides as always and may change the job
//! that waits. Time stalled counts for responses, not for executions. The first period begins at time 0.
//!
//! # Start
//! All pages are mapped before time 0 and cost nothing. Caches are empty, rows count as refreshed at time 0, and a rank is
//! refreshed as usual until its first window (E34).

mod calibrate;
pub(crate) mod colors;
pub(crate) mod dispatch;
mod dynamic;
pub mod fair;
mod mode_change;
mod phases;
mod result;
mod schedule;
mod setup;
mod task;

pub use colors::colors_of_ranks;
pub use dispatch::{Activity, Decision, Dispatcher, Handler, Jobs, ReadyJob};
pub use fair::FairSchedule;
pub use fresco_scenario::{Agent, Dynamic, Paging, Pattern};
pub use mode_change::{Fate, ModeChange};
pub use phases::Phases;
pub use result::{
    AgentOutcome, CheckerVerdict, CoreBudget, CoreOutcome, FaultSpan, JobRecord, LockSpan, Met, ModeSpan, Move,
    OwnerSpan, PageFaults, Pass, RankRefresh, RefreshSpan, RegulationOutcome, RunOutcome, RunSpan, ShootdownSpan,
    Spread, StallSpan, TaskOutcome, Timeline, WindowsKept,
};
pub use schedule::{CoreSlots, Schedule};
pub use setup::{Experiment, RefreshPlan, RefreshWindow, Regulation};
pub use task::{Instance, Once, TaskSpec, Timing, Work};

use crate::engine::Engine;
use fresco_input::InputError;

/// Runs an experiment from time 0 to its horizon.
///
/// # Errors
/// An experiment that cannot be run (tasks on cores that the machine lacks, a plan that no device can follow, programs
/// without room in their colors), with what is wrong and how to mend it; a damaged trace.
pub fn run(experiment: &Experiment) -> Result<RunOutcome, InputError> {
    let outcome = run_unless(experiment, &|| false)?;
    Ok(outcome.expect("nobody gives it up"))
}

/// As [`run`], but asks every few milliseconds whether the run is given up: then there is no outcome.
///
/// # Errors
/// As of [`run`].
pub fn run_unless(experiment: &Experiment, is_given_up: &dyn Fn() -> bool) -> Result<Option<RunOutcome>, InputError> {
    experiment.check()?;
    let operations = calibrate::operations(experiment)?;
    let longer = calibrate::longer_operations(experiment)?;
    Engine::new(experiment, &operations)?
        .lengthened(&longer)?
        .run(is_given_up)
}
