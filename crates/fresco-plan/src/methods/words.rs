// SPDX-License-Identifier: MIT OR Apache-2.0
//! Times and utilisations in sentences.

use fresco_rt::{Task, Time};

/// A time as people write it: `2.4 ms`.
pub(super) fn time(ns: Time) -> String {
    fresco_input::format_duration(ns.saturating_mul(1000))
}

/// Σ e/p to four digits, for sentences only.
pub(crate) fn utilization(tasks: &[Task]) -> f64 {
    tasks.iter().map(|task| task.wcet as f64 / task.period as f64).sum()
}
