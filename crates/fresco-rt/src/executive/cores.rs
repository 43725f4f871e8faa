// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which cores a table is for (CR-21).

/// Cores and what may run on them. Refresh, and with it every color, is common to all cores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cores {
    /// Any job may run on any of so many cores, on one at a time; slices are sequenced by McNaughton's wrap-around rule.
    Global(usize),
    /// Each task has its core; holds the core of each task, numbered from 0.
    Partitioned(Vec<usize>),
}

impl Cores {
    /// One core.
    pub const ONE: Cores = Cores::Global(1);

    /// How many cores there are: for a partition, one more than the highest number in it.
    pub fn count(&self) -> usize {
        match self {
            Cores::Global(count) => *count,
            Cores::Partitioned(core_of) => core_of.iter().max().map_or(0, |&core| core.saturating_add(1)),
        }
    }
}
