// SPDX-License-Identifier: MIT OR Apache-2.0
//! How a detection ends. Only one ending gives a map.

use serde::Serialize;
use std::fmt;

/// The ending of a detection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING-KEBAB-CASE")]
pub enum Verdict {
    /// A map that predicts what was never measured, twice.
    Map,
    /// Row conflicts are there, but no map of the addresses that are known explains them.
    SignalOnly,
    /// Nothing that is surely a row conflict.
    NoSignal,
    /// What was found once was not found again.
    Unstable,
    /// A map, and keeping programs off each other's banks by pages gains nothing.
    NoBenefit,
}

impl Verdict {
    /// The exit status of the command.
    pub fn status(self) -> u8 {
        match self {
            Self::Map => 0,
            Self::SignalOnly => 10,
            Self::NoSignal => 11,
            Self::Unstable => 12,
            Self::NoBenefit => 13,
        }
    }

    /// Returns true if there is a map to write.
    pub fn has_map(self) -> bool {
        matches!(self, Self::Map | Self::NoBenefit)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Map => "MAP",
            Self::SignalOnly => "SIGNAL-ONLY",
            Self::NoSignal => "NO-SIGNAL",
            Self::Unstable => "UNSTABLE",
            Self::NoBenefit => "NO-BENEFIT",
        })
    }
}
