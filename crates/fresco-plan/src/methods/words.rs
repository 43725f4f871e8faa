// SPDX-License-Identifier: MIT OR Apache-2.0
//! Times and utilisations in sentences.

use fresco_rt::{Task, Time};

/// A time as people write it: `2.4 ms`.
pub(super) fn time(ns: Time) -> String {
    match ns.checked_mul(1000) {
        Some(ps) => fresco_input::format_duration(ps),
        // Longer than 213 days.
        None => format!("{} s", ns / 1_000_000_000),
    }
}

/// A number of things: `1 rank`, `8 ranks`.
pub(super) fn counted(count: u32, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Σ e/p to four digits, for sentences only.
pub(crate) fn utilization(tasks: &[Task]) -> f64 {
    tasks.iter().map(|task| task.wcet as f64 / task.period as f64).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_any_length() {
        assert_eq!(time(2_400_000), "2400 us");
        assert_eq!(time(Time::MAX), "18446744073 s");
    }
}
