// SPDX-License-Identifier: MIT OR Apache-2.0
//! Everything that runs measured as long tables, one row per observation.
//!
//! `metrics.rs` names what is measured; `scenario.rs` says where it is found in results, and `parts.rs` in parts of a run.

mod metrics;
mod parts;
mod scenario;
mod tables;
mod timeline;

pub use metrics::{ALL as METRICS, Metric, Subject};
pub use scenario::of as scenarios;
pub use tables::{NAMES, OBSERVATIONS, Tables};

#[cfg(test)]
mod tests;
