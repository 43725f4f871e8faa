// SPDX-License-Identifier: MIT OR Apache-2.0
//! `policy.frames = "recorded"`: the operating system under which processors were recorded has given the page frames.
//!
//! Every task replays a trace whose addresses are physical: each page lies in the frame with its own number. Nothing is allocated, so that
//! several tasks may touch the same frames, as processors do that execute one kernel.

use super::place::error_at;
use super::room::Room;
use super::{Copy, Scenario, Setup, Task};
use fresco_dram::Region;
use fresco_frames::{Coloring, CostModel, FramesConfig, Policy};
use fresco_input::{InputError, Table, quoted};
use fresco_load::trace::ftrace::Addresses;
use fresco_load::{Area, ProgramSpec};
use std::path::PathBuf;
use std::sync::Arc;

/// Keys of a task or agent that ask an allocator for something.
const ASKING: [&str; 9] = [
    "banks",
    "banks_each",
    "llc",
    "colors",
    "rows",
    "node",
    "placement",
    "memory_limit",
    "pages",
];

/// An allocator of which nothing is taken.
pub(super) fn frames(cost: CostModel) -> FramesConfig {
    FramesConfig {
        cost,
        ..FramesConfig::pristine(Policy::Buddy)
    }
}

/// Refuses what tasks ask of an allocator that there is none of, and agents, which need page frames.
pub(super) fn refuse_asking(root: &Table<'_>) -> Result<(), InputError> {
    for task in root.array_of_tables("task")? {
        if let Some(key) = ASKING.into_iter().find(|key| task.has(key)) {
            let error = task.error_at(key, format!("found {key} under the policy \"recorded\""));
            return Err(error
                .allowed("nothing that asks for page frames: they are those of the recording")
                .help(format!(
                    "remove {key}, or set it when processors are recorded, and record them again"
                )));
        }
    }
    if let Some(agent) = root.array_of_tables("agent")?.first() {
        let error = agent.error("found an agent under the policy \"recorded\"");
        return Err(error
            .allowed("tasks alone: there are no page frames for the buffers of agents")
            .help("remove the agent"));
    }
    Ok(())
}

/// Compares the addresses of a task's program with the policy, and with where the machine has memory.
pub(super) fn check(
    setup: &Setup,
    task: usize,
    addresses: Option<Addresses>,
    areas: &[Area],
) -> Result<(), InputError> {
    let place = &setup.tasks[task].place;
    let name = setup.program(task).kind().name;
    if !setup.recorded {
        if addresses != Some(Addresses::Physical) {
            return Ok(());
        }
        let error = error_at(place, "found a trace whose addresses are physical");
        return Err(error
            .allowed("traces of programs, whose pages the policy gives frames")
            .help("set policy.frames = \"recorded\", which leaves them where they were"));
    }
    if addresses == Some(Addresses::Virtual) {
        let error = error_at(
            place,
            format!("found {name} with virtual addresses under the policy \"recorded\""),
        );
        return Err(error
            .allowed("program = \"trace\", of processors: with physical addresses")
            .help("choose another policy.frames, such as \"buddy\", or a trace with physical addresses"));
    }
    let regions = setup.machine.memory.map.regions();
    if let Some(address) = areas.iter().find_map(|area| outside(regions, area)) {
        let error = error_at(
            place,
            format!(
                "found the address {address:#x}, where {} has no memory",
                setup.machine.name
            ),
        );
        let ranges: Vec<String> = regions.iter().map(range).collect();
        return Err(error
            .allowed(format!("physical addresses in {}", ranges.join(", ")))
            .help("replay it on a machine with as much memory as the one that was recorded")
            .does_not_fit());
    }
    Ok(())
}

fn range(region: &Region) -> String {
    format!("{:#x} to {:#x}", region.base, region.base + (region.size - 1))
}

/// The first address of an area that lies in no region.
fn outside(regions: &[Region], area: &Area) -> Option<u64> {
    let (mut at, end) = (area.base.0, area.base.0 + area.bytes);
    while at < end {
        let holds = |region: &&Region| (region.base..region.base + region.size).contains(&at);
        match regions.iter().find(holds) {
            Some(region) => at = region.base + region.size,
            None => return Some(at),
        }
    }
    None
}

impl Scenario {
    /// Replaces each task by copies that replay the traces of processors on which it was recorded: `trace` names the trace of a copy.
    /// Colors are those of the recording.
    ///
    /// # Errors
    /// A trace cannot be read, or does not fit the machine; what `trace` says.
    ///
    /// # Panics
    /// If points are shared with others: it is for a scenario that was just read.
    pub fn replay(&mut self, trace: impl Fn(&Setup, &Copy) -> Result<PathBuf, InputError>) -> Result<(), InputError> {
        let mut room = Room::default();
        self.replace(|setup, copy| {
            let parameters = format!("file = {}", quoted(&trace(setup, copy)?.to_string_lossy()));
            ProgramSpec::parse("trace", &parameters)
        })?;
        self.points.iter().try_for_each(|point| room.check(&point.setup))
    }

    /// Replaces each task by copies that stand for processors of a machine that runs meanwhile. Colors are those that the machine gives.
    ///
    /// # Errors
    /// None in practice.
    ///
    /// # Panics
    /// As [`replay`](Self::replay).
    pub fn run_meanwhile(&mut self) -> Result<(), InputError> {
        self.replace(|_, _| ProgramSpec::parse("live", ""))
    }

    fn replace(
        &mut self,
        program: impl Fn(&Setup, &Copy) -> Result<ProgramSpec, InputError>,
    ) -> Result<(), InputError> {
        for point in &mut self.points {
            let point = Arc::get_mut(point).expect("a scenario that was just read");
            let setup = Arc::get_mut(&mut point.setup).expect("a scenario that was just read");
            let mut tasks = Vec::new();
            for copy in &setup.copies {
                tasks.push(Task {
                    program: Some(program(setup, copy)?.endless()),
                    cores: vec![copy.core],
                    colorings: vec![Coloring::Off],
                    shared: vec![false],
                    ..setup.tasks[copy.task].clone()
                });
            }
            setup.tasks = tasks;
            for (number, copy) in setup.copies.iter_mut().enumerate() {
                *copy = Copy {
                    task: number,
                    name: copy.name.clone(),
                    core: copy.core,
                    coloring: Coloring::Off,
                    shared: false,
                };
            }
            setup.recorded = true;
            setup.frames = frames(setup.frames.cost);
        }
        Ok(())
    }
}
