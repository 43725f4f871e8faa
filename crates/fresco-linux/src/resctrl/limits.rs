// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a program is limited to, beside its colors.

use fresco_dram::color::format_list;
use fresco_input::format_bandwidth;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Limits of a class.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Ways of the last-level cache that it may fill, ascending; `None` for all.
    pub ways: Option<Vec<u32>>,
    /// Bytes per second that it may move between last-level cache and memory; `None` for any number.
    pub bytes_per_s: Option<u64>,
}

impl Limits {
    /// Nothing is limited.
    pub fn is_none(&self) -> bool {
        self.ways.is_none() && self.bytes_per_s.is_none()
    }

    /// The mask of the ways, bit `i` for way `i`.
    pub(super) fn way_mask(&self) -> Option<u64> {
        let ways = self.ways.as_ref()?;
        Some(
            ways.iter()
                .filter_map(|&way| 1u64.checked_shl(way))
                .fold(0, |mask, bit| mask | bit),
        )
    }
}

impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ways = self.ways.as_ref().map(|ways| format!("ways={}", format_list(ways)));
        let bandwidth = self.bytes_per_s.map(format_bandwidth);
        let parts: Vec<String> = ways.into_iter().chain(bandwidth).collect();
        match parts.is_empty() {
            true => f.write_str("none"),
            false => f.write_str(&parts.join(", ")),
        }
    }
}
