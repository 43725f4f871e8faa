// SPDX-License-Identifier: MIT OR Apache-2.0
//! A plan that has been simulated, as people look at it: tables, page, timeline.

mod assumptions;
mod budgets;
mod gantt;
mod page;
mod table;

pub use gantt::trace;
pub use page::of as page;
pub use table::tables;

use fresco_system::planned::Simulated;

/// Schema of the JSON that `fresco sim` prints of a plan.
pub const SCHEMA: &str = "fresco-plan-sim/1";
