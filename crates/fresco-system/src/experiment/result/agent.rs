// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a device did.

use super::Met;
use crate::results::ReadRecorder;
use fresco_dram::Ps;

/// What a device did in the time that is counted.
#[derive(Clone, Debug)]
pub struct AgentOutcome {
    /// Name.
    pub name: String,
    /// Bank colors of its buffer, as text; `none` without.
    pub banks: String,
    /// Lines that controllers have taken.
    pub written: u64,
    /// Lines that it sent later than they were due, as it had too many under way; 0 without a rate.
    pub deferred: u64,
    /// How much later, at most.
    pub latest_ps: Ps,
    /// Its reads that met a refresh. Writes are not followed.
    pub met_refresh: Met,
    /// Its reads.
    pub(crate) recorder: ReadRecorder,
}
