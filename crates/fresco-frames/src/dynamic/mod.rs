// SPDX-License-Identifier: MIT OR Apache-2.0
//! What dynamic BPM and BPM+ decide: pure functions from what monitors saw to what is to change (BPM-6 to 12).
//!
//! [`adjust`] divides banks anew by what threads need ([`Holding`]), [`rebalance`] moves threads between channels, [`mode`]
//! says whether to partition channels at all, [`divide`] both. The model (`fresco-system`) and the daemon (`fresco balance`) ask the same
//! functions. [`estimate`] makes bandwidths of threads from what can be measured. Nobody's
//! pages are touched here: [`crate::Frames::set_coloring`] and [`crate::Frames::migrate`] do that.

mod banks;
mod channels;

pub use banks::{Adjustment, Holding, Loan, adjust, adjust_within};
pub use channels::{
    Demand, Migration, Mode, UNBALANCE_PERMILLE, divide, estimate, mode, rebalance, unbalance_permille,
};

/// Time between two scans, unless the user changes it: 10 s (BPM-11), in picoseconds.
pub const SCAN_INTERVAL: u64 = 10_000_000_000_000;
