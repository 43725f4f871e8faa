// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why deadlines are met: certificates that the checker verifies.

use fresco_rt::certificate::{EdfCertificate, ResponseCertificate};
use serde::{Deserialize, Serialize};

/// Why the deadlines of some tasks are met.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof {
    /// The core they run on; `None` where the schedule is one table for all cores.
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
    /// No job misses in a run until everything repeats: holds for these phases and for shorter execution times (F27, F28).
    Run {
        /// Jobs completed in the run.
        jobs: u64,
    },
    /// Every job of a turn has its slots in the table (F4).
    Table,
}
