// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cyclic executives that hide refresh (Colored Refresh, CR-1 to CR-26).
//!
//! Memory is colored by rank, refresh goes round the colors ([`Rotation`]), and a table of fixed length says which task
//! runs when, so that no task runs while a color it owns is refreshed. The published method places jobs first and looks
//! for free colors afterwards ([`NaivePlan`]); here frames and colors are chosen together.
//!
//! - [`candidates`], [`Rules`] and [`fuse`] say which frames there are; [`Problem`] lays jobs and cells out under one of them.
//! - [`Problem::place`] places jobs by maximum flow, or names the jobs that do not fit ([`Bottleneck`]).
//! - [`CoAssign`] chooses colors, instances and places together, exactly; [`antipodal`] does so without search where
//!   deadlines are short; [`plan()`] chooses the color frame too, with few copies.
//! - [`Table`] is what runs, and [`Table::check`] proves it without trusting any of the above.
//!
//! All results are deterministic, and no verdict depends on a floating-point number.

mod antipodal;
mod bottleneck;
mod cells;
mod check;
mod co_assign;
mod colors;
mod copies;
mod cores;
mod edf_fill;
mod error;
mod fusion;
mod jobs;
mod kinds;
mod memory;
mod naive;
mod partition;
mod placement;
mod plan;
mod problem;
mod rotation;
mod rules;
mod search;
mod table;
mod tabulate;
mod transport;

pub use antipodal::{NotAntipodal, antipodal};
pub use bottleneck::Bottleneck;
pub use cells::Cell;
pub use check::{Needs, Violation};
pub use co_assign::{Answer, Assignment, CoAssign, DEFAULT_BUDGET, NoAssignment, Unavoidable};
pub use copies::{Bandwidth, break_even};
pub use cores::Cores;
pub use edf_fill::EdfFill;
pub use error::ProblemError;
pub use fusion::{Fusion, NoFusion, fuse};
pub use jobs::Job;
pub use kinds::{blocked_at_least, blocking_at_most, is_huge, long_task_limit, one_burst_covers};
pub use memory::{MemoryShortage, assign_memory, memory_flow};
pub use naive::NaivePlan;
pub use partition::first_fit;
pub use placement::{Flow, Placement, Share};
pub use plan::{ExecutivePlan, NoPlan, Request, plan, plan_while};
pub use problem::{MAX_CORES, MAX_ENTRIES, MAX_PAIRS, Problem, Slicing};
pub use rotation::{Rotation, RotationError};
pub use rules::{Rules, burst_fits, candidates, holds_a_frame, lossless_frame};
pub use search::Effort;
pub use table::{Burst, Slot, Table};
