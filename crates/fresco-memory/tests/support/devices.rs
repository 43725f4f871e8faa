// SPDX-License-Identifier: MIT OR Apache-2.0
//! A plausible channel of each built-in standard.

use fresco_dram::standards::{self, Device, TimingOverrides};
use fresco_dram::{Cycle, Generation, Organisation, Prac, Rfm, Timing};

/// A channel of two ranks of a built-in speed grade. A line of 64 bytes is one burst, or two of LPDDR3, LPDDR5 with bank groups and HBM.
pub fn organisation(standard: &str) -> Organisation {
    let generation = standards::generation(standard).expect("built in");
    let (bank_groups, banks, bus_bytes) = match generation {
        Generation::Ddr4 => (4, 4, 8),
        Generation::Ddr5 => (8, 4, 4),
        Generation::Hbm2 => (4, 4, 8),
        Generation::Hbm3 => (4, 4, 4),
        Generation::Lpddr3 => (1, 8, 4),
        Generation::Lpddr5 if !standard.ends_with("-8b") => (4, 4, 2),
        Generation::Lpddr4 | Generation::Lpddr5 => (1, 8, 2),
        Generation::Ddr2 | Generation::Ddr3 => (1, 8, 8),
    };
    Organisation {
        nodes: 1,
        channels: 1,
        ranks: 2,
        bank_groups,
        banks,
        rows: 32_768,
        columns: match generation {
            Generation::Hbm2 => 128,
            Generation::Hbm3 => 256,
            Generation::Lpddr5 if standard.ends_with("-8b") => 2048,
            _ => 1024,
        },
        bus_bytes,
    }
}

/// Columns of a line.
pub fn line_columns(org: &Organisation, timing: &Timing) -> u32 {
    (timing.bytes_of_line(org) / u64::from(org.bus_bytes)) as u32
}

/// A built-in speed grade with 8 Gb devices, pseudo-channels of 4 Gb, some of its values replaced.
pub fn timing(standard: &str, replaced: &[(&str, Cycle)]) -> Timing {
    managed(standard, replaced, None, None)
}

/// The same with refresh management and activation counting.
pub fn managed(standard: &str, replaced: &[(&str, Cycle)], rfm: Option<Rfm>, prac: Option<Prac>) -> Timing {
    let replaced = TimingOverrides(replaced.iter().map(|&(name, value)| (name.to_owned(), value)).collect());
    let density = match standards::generation(standard).expect("built in") {
        Generation::Hbm2 | Generation::Hbm3 => 4,
        _ => 8,
    };
    let device = Device {
        rfm,
        prac,
        ..Device::jedec(density)
    };
    standards::timing_with(standard, &device, &replaced).expect("consistent timing")
}
