// SPDX-License-Identifier: MIT OR Apache-2.0
//! Planning tasks and DRAM refresh together: a task set and a machine in, a plan out; and the checker of plans.
//!
//! [`TaskSet`] is the input: one TOML file. [`plan`](plan()) finds a [`Plan`] by one [`Method`], or by the best that
//! there is, or says why there is none ([`Refusal`]). A plan is plain data: colors and memory of each task, a cyclic
//! table or servers or slots, refresh windows, and the proof of each deadline. [`check()`] verifies a plan without
//! trusting the planner: it derives everything that the proofs rest on from the plan itself.
//!
//! All times are integer nanoseconds. No verdict passes through a float.

mod alone;
mod background;
pub mod check;
mod choose;
mod colors;
mod compare;
pub mod limits;
mod methods;
pub mod refusal;
mod sensitivity;
mod watch;

pub use check::check;
pub use choose::{plan, plan_watched};
pub use compare::{Comparison, Row, compare};
pub use fresco_scenario::plan::{self, Method, Plan, RankMemory};
pub use fresco_scenario::{BurstLength, Options, ServerSpec, TaskSet, TaskSpec};
pub use refusal::Refusal;
pub use sensitivity::{RETENTIONS_MS, Sensitivity, Undecided, sensitivity, verdicts};
pub use watch::{Report, Watch};
