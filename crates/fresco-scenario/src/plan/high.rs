// SPDX-License-Identifier: MIT OR Apache-2.0
//! High mode: which tasks go on, on what, and why their deadlines are met.

use super::{Proof, RefreshPlan, Schedule};
use fresco_rt::Time;
use serde::{Deserialize, Serialize};

/// What changes when a job of a task of high criticality takes longer than its `wcet_ns`, or the device becomes hot.
///
/// At that instant tasks without `wcet_high_ns` are dropped, and jobs of the others may take that. At the next multiple of the retention time of the plan
/// the schedule and the refresh of high mode begin, both at their start. High mode does not end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HighMode {
    /// Every row is refreshed within this, once it was refreshed in high mode.
    pub retention_ns: Time,
    /// By so much after the schedule of high mode begins every row has been refreshed in it: the device may be hot from then on.
    pub settled_ns: Time,
    /// Who runs when.
    pub schedule: Schedule,
    /// What is refreshed when.
    pub refresh: RefreshPlan,
    /// Why tasks of high criticality meet their deadlines, whenever the mode changes.
    pub proofs: Vec<Proof>,
}
