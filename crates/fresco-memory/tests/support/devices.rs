// SPDX-License-Identifier: MIT OR Apache-2.0
//! A plausible channel of each built-in standard.

use fresco_dram::standards::{self, Device, TimingOverrides};
use fresco_dram::{Cycle, Organisation, Timing};

/// A channel of two ranks of a built-in speed grade. A line of 64 bytes is one burst.
pub fn organisation(standard: &str) -> Organisation {
    let (bank_groups, banks, bus_bytes) = match &standard[..4] {
        "ddr4" => (4, 4, 8),
        "ddr5" => (8, 4, 4),
        "lpdd" => (1, 8, 2),
        _ => (1, 8, 8),
    };
    Organisation {
        nodes: 1,
        channels: 1,
        ranks: 2,
        bank_groups,
        banks,
        rows: 32_768,
        columns: 1024,
        bus_bytes,
    }
}

/// A built-in speed grade with 8 Gb devices, some of its values replaced.
pub fn timing(standard: &str, replaced: &[(&str, Cycle)]) -> Timing {
    let replaced = TimingOverrides(replaced.iter().map(|&(name, value)| (name.to_owned(), value)).collect());
    standards::timing_with(standard, &Device::jedec(8), &replaced).expect("consistent timing")
}
