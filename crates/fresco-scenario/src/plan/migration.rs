// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether jobs may change their cores.

use serde::{Deserialize, Serialize};

/// Whether jobs may change their cores. It is no policy of its own: any order of ready jobs goes with either.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Migration {
    /// Each task has one core, and what runs there is decided there.
    #[default]
    None,
    /// The ready jobs that go first run, as many as there are cores; one that was preempted goes on on any core.
    Global,
}

impl Migration {
    /// Both with their names in files.
    pub const NAMES: [(&'static str, Self); 2] = [("none", Self::None), ("global", Self::Global)];

    /// Returns true if tasks keep their cores.
    pub fn is_none(&self) -> bool {
        *self == Self::None
    }
}
