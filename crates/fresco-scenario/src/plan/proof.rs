// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why deadlines are met: certificates that the checker verifies.

use fresco_rt::certificate::{EdfCertificate, ResponseCertificate};
use fresco_rt::global::certificate::GlobalCertificate;
use serde::{Deserialize, Serialize};

/// Why the deadlines of some tasks are met.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof {
    /// The core they run on; `None` where the schedule is one table for all cores, or where jobs migrate.
    pub core: Option<u32>,
    /// The color whose slots they run in; `None` if they do not run by colors.
    pub color: Option<usize>,
    /// Numbers of the tasks, in the order in which the certificate counts them.
    pub tasks: Vec<usize>,
    /// What shows it.
    pub evidence: Evidence,
}

/// What shows that deadlines are met.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Evidence {
    /// Demand is supplied in every interval, also if tasks are sporadic (F19).
    Demand(EdfCertificate),
    /// Every response is supplied in time, also if tasks are sporadic (F20).
    Responses(ResponseCertificate),
    /// On cores that tasks share, every response is short enough if the others are, also if tasks are sporadic (F38).
    GlobalResponses(GlobalCertificate),
    /// On cores that tasks share, densities leave enough for the earliest deadline first, also if tasks are sporadic (F39).
    GlobalDensity,
    /// No job misses in a run until everything repeats: holds for these phases and for shorter execution times (F27, F28).
    Run {
        /// Jobs completed in the run.
        jobs: u64,
    },
    /// Every job of a turn has its slots in the table (F4).
    Table,
}

impl Evidence {
    /// Returns true if it holds for sporadic arrivals too, not for known phases alone.
    pub fn is_sporadic(&self) -> bool {
        match self {
            Self::Demand(_) | Self::Responses(_) | Self::GlobalResponses(_) | Self::GlobalDensity => true,
            Self::Run { .. } | Self::Table => false,
        }
    }
}
