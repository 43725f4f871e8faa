// SPDX-License-Identifier: MIT OR Apache-2.0
//! How the private caches of a machine are kept coherent.

use fresco_dram::Ps;
use serde::{Deserialize, Serialize};

/// The protocol that private caches keep to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// Modified, exclusive, shared, invalid (Papamarcos and Patel, ISCA 1984).
    Mesi,
}

impl Protocol {
    /// As a machine file says them.
    pub const NAMES: [(&str, Self); 1] = [("mesi", Self::Mesi)];
}

/// Coherence of the private caches of all cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coherence {
    /// The protocol.
    pub protocol: Protocol,
    /// What it takes, beyond the latency of the last-level cache, to ask another core for a line or to invalidate its copy, and to have the
    /// answer, in picoseconds; hops between nodes left aside.
    pub transfer: Ps,
}
