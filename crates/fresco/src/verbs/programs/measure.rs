// SPDX-License-Identifier: MIT OR Apache-2.0
//! How often a recorded program misses the last-level cache, alone on a machine.

use crate::stop::Stop;
use fresco_input::{InputError, quoted};
use fresco_machine::Machine;
use fresco_programs::Measured;
use fresco_system::{Batch, Scenario};
use std::path::Path;

/// The trace's thread, of so many loads and stores: half of them fill the caches, the other half is measured. `None` if the user
/// stops it.
///
/// # Errors
/// The trace cannot be read, or not be replayed on the machine.
pub fn alone(
    machine: &Machine,
    given: &str,
    trace: &Path,
    thread: u16,
    accesses: u64,
    stop: &Stop,
) -> Result<Option<Measured>, InputError> {
    let trace = std::path::absolute(trace).unwrap_or_else(|_| trace.to_owned());
    let half = (accesses / 2).max(1);
    let text = format!(
        "name = \"alone\"\nmachine = {}\n[warm_up]\noperations = {half}\n[measure]\noperations = {half}\n[[task]]\nname = \"program\"\n\
         program = \"trace\"\ncore = 0\nparameters = {{ file = {}, thread = {thread} }}\n",
        quoted(given),
        quoted(&trace.to_string_lossy()),
    );
    let scenario = Scenario::parse("the measurement", &text, Path::new(""), &[])?;
    let batch = Batch {
        threads: 1,
        stop: &|| stop.is_asked(),
        ..Batch::default()
    };
    let Some(result) = batch.run(&scenario)? else {
        return Ok(None);
    };
    let task = &result.points[0].runs[0].tasks[0];
    let misses = task.caches.llc.map_or(task.reads.count, |llc| llc.misses);
    Ok(Some(Measured {
        machine: machine.name.clone(),
        digest: machine.text_digest.clone(),
        instructions: task.instructions,
        misses: misses as f64 * 1000.0 / task.instructions.max(1) as f64,
        ipc: task.instructions_per_cycle,
    }))
}
