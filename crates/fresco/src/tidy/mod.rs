// SPDX-License-Identifier: MIT OR Apache-2.0
//! Everything that runs measured as long tables, one row per observation: `--csv` and `--parquet` of `fresco sim`.
//!
//! `metrics.rs` names what is measured. `scenario.rs` and `plan.rs` say where it is found in the results of each; both go through
//! `Tables`, so that their tables have the same columns.

mod metrics;
mod plan;
mod scenario;
mod shared;
mod tables;
mod timeline;
mod write;

pub use plan::of as plan;
pub use scenario::of as scenarios;
pub use write::{Destination, Options};

#[cfg(test)]
mod tests;
