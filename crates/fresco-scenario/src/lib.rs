// SPDX-License-Identifier: MIT OR Apache-2.0
//! One typed description of an experiment or a system: machine, tasks, policies, what is asked of a plan; and the plan.
//!
//! A [`Scenario`] is a TOML file (`scenarios/README.md` describes the format) whose runs can start; a [`TaskSet`] is what a
//! planner needs of the same file. A [`plan::Plan`] is the scenario resolved, as data that other tools read.

pub mod allocator;
pub mod budgets;
mod builtin;
mod comparison;
pub mod plan;
mod planning;
pub mod reading;
mod scenario;
mod source;

pub use builtin::{builtin, builtin_names, builtin_source, builtin_task_sets, builtin_text, builtin_titles, is_path};
pub use comparison::{Comparison, policies};
pub use plan::Plan;
pub use planning::{AloneWcets, BurstLength, Options, PageColors, ServerSpec, TaskSet, TaskSpec};
pub use scenario::{
    Agent, Axis, Copy, Dynamic, Extent, MOST_STALLS, MachineUsed, Overview, POINTS_SHOWN, Paging, Pattern, Point, Role,
    Rows, RunSpec, Scenario, Setup, Task, TaskOverview, TraceUsed, error_at,
};
pub use source::{Source, is_plan};
