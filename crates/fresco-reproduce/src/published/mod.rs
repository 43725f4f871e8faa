// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bounds and algorithms as they are printed, to reproduce what the papers claim: those of chapter 5, and in [`executive`]
//! those of chapter 4.
//!
//! Nothing here proves a schedule. What is unsound is listed in [`FORMULAS`] with its erratum; the sound counterparts are in
//! [`budget`](fresco_rt::budget), [`edf`](fresco_rt::edf), [`fixed_priority`](fresco_rt::fixed_priority), [`toplevel`](fresco_rt::toplevel)
//! and [`search`](fresco_rt::search).

mod accept;
mod algorithm7;
mod algorithm8;
mod bounds;
pub mod executive;
mod formulas;
mod response;
mod rows;
mod side_by_side;

pub use accept::{PublishedVerdict, accepts_as_published};
pub use algorithm7::{Algorithm7, Algorithm7Error, algorithm7};
pub use algorithm8::refresh_overhead;
pub use bounds::{Rounding, capacity_bound, dedicated_responses, responses_by_ltbf, within_utilization_bound};
pub use formulas::{FORMULAS, Formula};
pub use response::{auto_refresh_response_times, response_times, within_total_utilization};
pub use side_by_side::{Amount, Row, Settings, SideBySide, Subject, side_by_side};
