// SPDX-License-Identifier: MIT OR Apache-2.0
//! Running a controller over traffic.

use super::record::Record;
use fresco_dram::{Cycle, Organisation, Timing};
use fresco_machine::{ControllerConfig, RefreshPolicy};
use fresco_memory::{Controller, Request, Sink, Stepping};

/// Submits every request in the cycle before its arrival at the latest, as a caller that does not know the future
/// does, and runs until the last is served; returns the record and the last cycle run.
pub fn run(
    config: &ControllerConfig,
    org: &Organisation,
    timing: &Timing,
    stepping: Stepping,
    requests: impl Iterator<Item = (Cycle, Request)>,
) -> (Record, Cycle) {
    let mut controller = Controller::new(config, org, timing, 0);
    controller.set_stepping(stepping);
    let record = Record::new(org, timing, config.refresh != RefreshPolicy::None);
    drive(controller, record, timing, requests)
}

/// The same with a controller that has been made.
pub fn drive<S: Sink>(
    mut controller: Controller,
    mut record: S,
    timing: &Timing,
    requests: impl Iterator<Item = (Cycle, Request)>,
) -> (S, Cycle) {
    let mut now = 0;
    for (at, request) in requests {
        if at > 0 {
            controller.run_until(at - 1, &mut record);
        }
        controller.submit(at, request);
        now = at;
    }
    // In even steps, so that the end does not depend on the stepping.
    controller.set_eager_writes(true);
    while controller.outstanding() > 0 {
        now += timing.burst();
        controller.run_until(now, &mut record);
    }
    (record, now)
}
