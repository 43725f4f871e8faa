// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cyclic executives that hide refresh (Colored Refresh, CR-1 to CR-26).
//!
//! Memory is coloured by rank, refresh goes round the colours ([`Rotation`]), and a table of fixed length says which task
//! runs when, so that no task runs while a colour it owns is refreshed. The published method places jobs first and looks
//! for free colours afterwards ([`NaivePlan`]); here frames and colours are chosen together.

mod bottleneck;
mod cells;
mod check;
mod co_assign;
mod colors;
mod cores;
mod edf_fill;
mod error;
mod jobs;
mod memory;
mod naive;
mod placement;
mod problem;
mod rotation;
mod rules;
mod search;
mod table;
mod tabulate;
mod transport;

pub use bottleneck::Bottleneck;
pub use cells::Cell;
pub use check::{Needs, Violation};
pub use co_assign::{Answer, Assignment, CoAssign, DEFAULT_BUDGET, NoAssignment};
pub use cores::Cores;
pub use edf_fill::EdfFill;
pub use error::ProblemError;
pub use jobs::Job;
pub use memory::{MemoryShortage, assign_memory, memory_flow};
pub use naive::NaivePlan;
pub use placement::{Flow, Placement, Share};
pub use problem::{MAX_ENTRIES, MAX_PAIRS, Problem, Slicing};
pub use rotation::{Rotation, RotationError};
pub use rules::{Rules, burst_fits, candidates, holds_a_frame, lossless_frame};
pub use search::Effort;
pub use table::{Burst, Slot, Table};
