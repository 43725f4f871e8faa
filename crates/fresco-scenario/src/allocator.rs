// SPDX-License-Identifier: MIT OR Apache-2.0
//! The physical memory of a machine as the frame allocator sees it.

use crate::scenario::{Copy, Rows, Setup};
use fresco_dram::{ColorSpace, FrameNumber};
use fresco_frames::{FrameError, Frames, FramesConfig, Memory, Region, TaskId, TaskMemory};
use fresco_machine::Machine;
use std::sync::Arc;

/// An allocator for all frames of a machine. Where address ranges decide the node there is a zone for each node; where
/// nodes are interleaved the operating system sees one zone. Row domains are set apart if there are `rows`.
pub fn frames(
    machine: &Machine,
    space: &Arc<ColorSpace>,
    config: FramesConfig,
    rows: Option<&Rows>,
    seed: u64,
) -> Result<Frames, FrameError> {
    let regions = machine.memory.map.regions();
    let nodes = machine.topology.nodes();
    let by_range = nodes == 1 || regions.iter().all(|region| region.node.is_some());
    let zone = |region: &fresco_dram::Region| Region {
        zone: if by_range { region.node.unwrap_or(0) } else { 0 },
        first: FrameNumber(region.base / machine.page_bytes),
        frames: region.size / machine.page_bytes,
    };
    let zones = regions.iter().map(zone).collect();
    let memory = match by_range {
        true => Memory::new(zones, &machine.topology.hops)?,
        false => Memory::single_zone(zones, nodes)?,
    };
    let memory = match rows {
        Some(rows) => memory.set_apart(&rows.parts)?,
        None => memory,
    };
    Frames::new(Arc::clone(space), memory, config, seed)
}

/// What the allocator says about a task, with the names of tasks for their numbers.
pub fn named(error: &FrameError, id: TaskId, name: impl Fn(TaskId) -> String) -> String {
    let named = |text: String, id: TaskId| text.replacen(&id.to_string(), &name(id), 1);
    let text = named(error.to_string(), id);
    match error {
        FrameError::BankTaken { other, .. } => named(text, *other),
        _ => text,
    }
}

/// What a copy of a task asks of the allocator.
pub fn of_task(setup: &Setup, copy: &Copy) -> TaskMemory {
    let task = &setup.tasks[copy.task];
    TaskMemory {
        home_node: task
            .node
            .unwrap_or(setup.machine.topology.node_of_core[copy.core as usize]),
        placement: task.placement.clone(),
        coloring: copy.coloring.clone(),
        limit: task.limit,
        rows: task.rows.clone(),
    }
}
