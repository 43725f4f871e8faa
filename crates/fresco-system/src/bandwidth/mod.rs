// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bandwidth regulation of cores, as MemGuard does it (MG-1 to MG-8).
//!
//! Each core has a budget of lines for each period. A counter of the core counts what it moves; when the budget is used
//! up, an interrupt asks the [`Manager`], which finds more or stalls the core to the end of the period. It knows no cores,
//! caches or time: a period begins, a core used a line, a core is exhausted; decisions come out. The cores of one
//! memory node share a manager, for what a controller guarantees is shared by those who use it. The `Regulator` stands
//! between the managers and an engine: counters, interrupts, waits. Nothing here knows an engine.
//!
//! [`Guaranteed`] is what the memory serves at worst (MG-3), [`bound`] what follows from the reservations for the
//! slowdown of a task (LIM-1, LIM-16).

pub mod bound;
mod budget;
mod manager;
mod measured;
mod predictor;
mod regulator;
mod report;
mod sharing;
#[cfg(test)]
mod tests;

pub use budget::Counts;
pub use fresco_machine::Guaranteed;
pub use fresco_scenario::budgets::{Budgets, Kind, NodeBudgets, Prediction, Reservation, Settings, Share, Told};
pub use manager::{Decision, Manager};
pub use measured::measured_bytes_per_s;
pub(crate) use regulator::{RUN_AHEAD, Regulator, Renewal};
