// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a device did while tasks were measured.

use super::reads::Reads;
use super::spread::{ns, ratio};
use crate::experiment::{AgentOutcome, Met};
use fresco_dram::Ps;
use fresco_scenario::Agent;
use serde::{Deserialize, Serialize};

/// A device that is no core: from `from_ps` to `to_ps` of its run, as controllers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AgentResult {
    /// Name.
    pub name: String,
    /// The node that it is attached to.
    pub node: u32,
    /// Bank colors of its buffer, as `0-3,8`; `none` if it was not colored.
    pub banks: String,
    /// Row domains that its buffer lies in, as `0-1,4`; `None` if it named none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<String>,
    /// Bytes per second that it was to move while it was active; `None` for as many as it could.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_bytes_per_s: Option<u64>,
    /// Lines written, which controllers have taken. Those read are `reads.count`.
    pub lines_written: u64,
    /// Lines that were read or written, in bytes, by the length of the time that is counted, pauses and all.
    pub bandwidth_bytes_per_s: f64,
    /// Its reads: how long they took, and where the time went.
    pub reads: Reads,
    /// Lines that were sent later than they were due, as the device had as many under way as it may; 0 without a rate.
    pub lines_deferred: u64,
    /// How much later, at most, in nanoseconds: times the rate, what a device must hold that cannot wait.
    pub deferred_max_ns: f64,
    /// Reads that met a refresh.
    pub refreshed_reads: u64,
    /// How long they waited for it, in nanoseconds, in sum.
    pub refreshed_wait_ns: f64,
    /// The longest of these waits.
    pub refreshed_wait_max_ns: f64,
}

impl AgentResult {
    pub(super) fn new(agent: &Agent, outcome: &AgentOutcome, line_bytes: u64, time: Ps) -> Self {
        let reads = outcome.recorder.reads();
        let bytes = (reads.count + outcome.written) * line_bytes;
        let Met {
            reads: refreshed_reads,
            read_wait_ps,
            longest_read_wait_ps,
            ..
        } = outcome.met_refresh;
        Self {
            name: agent.name.clone(),
            node: agent.node,
            banks: outcome.banks.clone(),
            rows: agent.rows.as_ref().map(ToString::to_string),
            rate_bytes_per_s: agent.rate,
            lines_written: outcome.written,
            bandwidth_bytes_per_s: ratio(bytes as f64, time as f64 * 1e-12),
            reads,
            lines_deferred: outcome.deferred,
            deferred_max_ns: ns(outcome.latest_ps),
            refreshed_reads,
            refreshed_wait_ns: ns(read_wait_ps),
            refreshed_wait_max_ns: ns(longest_read_wait_ps),
        }
    }
}
