// SPDX-License-Identifier: MIT OR Apache-2.0
//! Everything that runs measured as long tables, one row per observation: `--csv` and `--parquet` of `fresco sim`.
//!
//! `metrics.rs` names what is measured; `scenario.rs` says where it is found in results, and `parts.rs` in parts of a run.

mod metrics;
mod parts;
mod scenario;
mod tables;
mod timeline;
mod write;

pub use scenario::of as scenarios;
pub use write::{Destination, Options};

#[cfg(test)]
mod tests;
