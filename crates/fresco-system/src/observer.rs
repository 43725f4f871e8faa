// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whoever waits for many runs, of advice or a calibration: is told how many there are, and may end it early.

/// Is told of runs, from several threads, and says when no more are to begin.
pub trait Observer: Sync {
    /// So many more runs are to be made.
    fn planned(&self, runs: u64);

    /// A run is over.
    fn done(&self);

    /// Returns true if no run is to begin any more. Once true, it stays so.
    fn is_stopped(&self) -> bool;
}
