// SPDX-License-Identifier: MIT OR Apache-2.0
//! r_min as the model of a controller serves it (MG-3): all requests to one bank, each to another row.

use fresco_dram::Location;
use fresco_machine::Machine;
use fresco_memory::{Access, Completion, Controller, Driver, Observer, TraceRequest};
use std::convert::Infallible;

/// Requests under way: enough that the bank never waits for one.
const OUTSTANDING: usize = 32;

/// Bytes per second of `lines` requests to one bank, a row miss each, as fast as the controller takes them; all reads or
/// all writes.
pub fn measured_bytes_per_s(machine: &Machine, lines: u64, access: Access) -> u64 {
    let memory = &machine.memory;
    let (organisation, timing) = (&memory.organisation, &memory.timing);
    let controller = Controller::new(&memory.controller, organisation, timing, 0);
    let rows = u64::from(organisation.rows);
    let place = |number: u64| {
        Ok::<Location, Infallible>(Location {
            node: 0,
            channel: 0,
            rank: 0,
            bank_group: 0,
            bank: 0,
            row: (number % rows) as u32,
            column: 0,
        })
    };
    let trace = (0..lines).map(|address| {
        Ok(TraceRequest {
            cycle: 0,
            address,
            access,
        })
    });
    let Ok(driven) = Driver::new(vec![controller], OUTSTANDING).run(trace, place, &mut Nobody);
    let line_bytes = timing.bytes_of_line(organisation);
    let bytes = u128::from(driven.requests * line_bytes) * 1_000_000_000_000;
    u64::try_from(bytes / u128::from(timing.clock.to_ps(driven.end).max(1))).unwrap_or(u64::MAX)
}

/// Watches nothing.
struct Nobody;

impl Observer for Nobody {
    fn completed(&mut self, _: &Completion) {}
}
