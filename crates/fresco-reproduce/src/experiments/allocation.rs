// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows about the cost of allocation: frame allocators alone, their counted work turned into time by the documented cost
//! model ([`fresco_frames::CostModel`]).

use fresco_dram::ColorSpace;
use fresco_frames::{
    Camc, ColorLists, ColorSet, CostModel, FrameError, Frames, FramesConfig, Memory, Palloc, Policy, TaskId,
    TaskMemory, WorkSummary,
};
use fresco_input::InputError;
use fresco_machine::{Machine, builtin};
use fresco_report::claims::Row;
use std::sync::Arc;

/// Sizes of table I of the PALLOC paper.
pub const SIZES_MIB: [u64; 10] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
/// Starting states of the memory that are averaged over; each allocation starts shortly after boot.
const SEEDS: u64 = 5;
/// Tasks of table 2.2, and what each allocates.
const CAMC_TASKS: u32 = 4;
const CAMC_MIB: u64 = 32;
/// A task's colors: CAMC's default. With all 32 of the node in use no frame is sorted in vain.
const CAMC_COLORS: u32 = 1;

/// PALLOC's table I (PAL-9): allocate memory in four banks; time in the allocator per page, mean over all starting states
/// and longest of all.
pub fn palloc_table_1(seed: u64) -> Result<Vec<Row>, InputError> {
    let machine = builtin("xeon-w3530")?;
    let mut rows = Vec::new();
    for size in SIZES_MIB {
        for (name, policy) in [("palloc", Policy::Palloc(Palloc::default())), ("buddy", Policy::Buddy)] {
            let (mut mean, mut max) = (0.0, 0.0);
            for seed in seed..seed + SEEDS {
                let cost = CostModel::at(machine.core.mhz);
                let done = one_program(&machine, policy, size << 20, seed).map_err(|error| failed(&machine, &error))?;
                let cycles = cost.cycles_of(done.calls, &done.total);
                mean += cost.ps(cycles) as f64 / 1000.0 / done.calls as f64 / SEEDS as f64;
                max = f64::max(max, cost.ps(done.worst_cycles) as f64 / 1000.0);
            }
            let row = Row::new().label("size_mib", size).label("policy", name);
            rows.push(row.value("alloc_ns.mean", mean).value("alloc_ns.max", max));
        }
    }
    Ok(rows)
}

/// A program that touches `bytes` one page after the other.
fn one_program(machine: &Machine, policy: Policy, bytes: u64, seed: u64) -> Result<WorkSummary, FrameError> {
    let mut frames = boot(machine, policy, seed)?;
    let memory = match policy {
        Policy::Buddy => TaskMemory::local(0),
        _ => TaskMemory::local(0).with_banks((0..4).collect::<ColorSet>()),
    };
    let task = TaskId(0);
    frames.register(task, memory)?;
    for _ in 0..bytes / machine.page_bytes {
        frames.alloc(task)?;
    }
    Ok(frames.stats(task)?.alloc)
}

/// CAMC's table 2.2: page faults of four tasks of one node, which take turns; the first time, and after all pages have
/// been freed (CAMC-25); and from color lists that are full (CAMC-26). What a program sees of an allocation is the whole fault, so that is
/// what is compared: buddy is 1.
pub fn camc_table_2_2(seed: u64) -> Result<Vec<Row>, InputError> {
    let machine = builtin("opteron-6128")?;
    let rounds = |policy: Policy| {
        let (mut first, mut second) = (0.0, 0.0);
        for seed in seed..seed + SEEDS {
            let [one, two] = two_rounds(&machine, policy, seed).map_err(|error| failed(&machine, &error))?;
            first += one as f64;
            second += two as f64;
        }
        Ok((first, second))
    };
    let buddy = rounds(Policy::Buddy)?;
    let camc = rounds(Policy::Camc(Camc::default()))?;
    let full = Camc {
        start: ColorLists::Full,
        ..Camc::default()
    };
    let prefilled = rounds(Policy::Camc(full))?;
    let row = |name: &str, (first, second): (f64, f64)| {
        let row = Row::new().label("policy", name);
        row.value("alloc_init.ratio", first / buddy.0)
            .value("alloc_steady.ratio", second / buddy.1)
    };
    Ok(vec![
        row("buddy", buddy),
        row("camc", camc),
        row("prefilled", prefilled),
    ])
}

/// Core cycles of all page faults of each round.
fn two_rounds(machine: &Machine, policy: Policy, seed: u64) -> Result<[u64; 2], FrameError> {
    let cost = CostModel::at(machine.core.mhz);
    let mut frames = boot(machine, policy, seed)?;
    let tasks: Vec<TaskId> = (0..CAMC_TASKS).map(TaskId).collect();
    for task in &tasks {
        let memory = match policy {
            Policy::Buddy => TaskMemory::local(0),
            _ => TaskMemory::local(0).automatic(CAMC_COLORS),
        };
        frames.register(*task, memory)?;
    }
    let mut rounds = [0; 2];
    for cycles in &mut rounds {
        for _ in 0..(CAMC_MIB << 20) / machine.page_bytes {
            for task in &tasks {
                frames.alloc(*task)?;
            }
        }
        for task in &tasks {
            let WorkSummary { calls, total, .. } = frames.take_stats(*task)?.alloc;
            *cycles += calls * (cost.fault + cost.clear) + cost.cycles_of(calls, &total);
            for frame in frames.frames_of(*task)? {
                frames.free(*task, frame)?;
            }
        }
    }
    Ok(rounds)
}

/// The allocator of a machine shortly after boot.
pub(super) fn boot(machine: &Machine, policy: Policy, seed: u64) -> Result<Frames, FrameError> {
    let page_bits = machine.page_bytes.trailing_zeros();
    let map = &machine.memory.map;
    let space = ColorSpace::new(map, &[], page_bits).map_err(|error| FrameError::Memory {
        what: error.to_string(),
    })?;
    let memory = Memory::of_map(map, page_bits, &machine.topology.hops)?;
    let config = FramesConfig {
        policy,
        cost: CostModel::at(machine.core.mhz),
        ..FramesConfig::default()
    };
    Frames::new(Arc::new(space), memory, config, seed)
}

fn failed(machine: &Machine, error: &FrameError) -> InputError {
    InputError::new(
        machine.name.clone(),
        format!("found a machine that cannot allocate so much: {error}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_color_lists_have_no_initial_cost() {
        let rows = camc_table_2_2(1).expect("allocates");
        let of = |policy: &str, value: &str| {
            let row = rows.iter().find(|row| row.labels["policy"] == policy);
            row.expect(policy).values[value]
        };
        let (empty, full) = (of("camc", "alloc_init.ratio"), of("prefilled", "alloc_init.ratio"));
        assert!(full < empty, "{full} and {empty}");
        // Nor does it matter then whether the pages were allocated before.
        assert!(
            (full / of("prefilled", "alloc_steady.ratio") - 1.0).abs() < 0.01,
            "{rows:?}"
        );
    }
}
