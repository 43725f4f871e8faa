// SPDX-License-Identifier: MIT OR Apache-2.0
//! What follows from the Opteron's colors and from the allocator alone: lists, shares of the cache, cost of allocating.

use fresco_dram::ColorSpace;
use fresco_frames::shares::{Seat, Taken, Tint, Variant, tintmalloc};
use fresco_frames::{
    CostModel, FrameError, Frames, FramesConfig, ListsBy, Memory, Policy, TaskId, TaskMemory, Tintmalloc,
};
use fresco_input::InputError;
use fresco_machine::{Machine, builtin};
use fresco_report::claims::Row;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Threads that take pages in turn, and pages of each in a round.
const THREADS: u32 = 16;
const PAGES: u32 = 2048;
/// Rounds: pages are taken, and at the end of each all are freed.
const ROUNDS: usize = 3;

/// Color lists (TINT-8), and the cost of a page in the first round and later ones (TINT-18).
pub fn facts(seed: u64) -> Result<Vec<Row>, InputError> {
    let machine = builtin("opteron-6128")?;
    let space = space(&machine)?;
    let shares = tintmalloc(
        &space,
        &seats(THREADS),
        Tint::published(Variant::MemLlc),
        &Taken::default(),
    );
    let shares = shares.map_err(|error| wrong(&machine, &error))?;
    let memory: Vec<TaskMemory> = std::iter::zip(shares, seats(THREADS))
        .map(|(share, seat)| TaskMemory {
            coloring: share.coloring(),
            ..TaskMemory::local(seat.node)
        })
        .collect();
    let row = Row::new()
        .value("bank_lists", f64::from(space.bank_colors()))
        .value("llc_lists", f64::from(space.llc_colors()));
    let equation = equation_1(&machine);
    let row = row
        .value("eq1_colors", equation.len() as f64)
        .value("eq1_largest", f64::from(equation.last().copied().unwrap_or(0)));
    let [first, second, third] = rounds(&machine, space, &memory, seed).map_err(|error| wrong(&machine, &error))?;
    let row = row.value("alloc_1_ns", first).value("alloc_2_ns", second);
    Ok(vec![row.value("alloc_3_ns", third)])
}

/// LLC colors of a thread (TINT-14).
pub fn shares() -> Result<Vec<Row>, InputError> {
    let machine = builtin("opteron-6128")?;
    let space = space(&machine)?;
    let mut rows = Vec::new();
    for threads in [16, 8] {
        for (name, variant) in [("mem+llc", Variant::MemLlc), ("mem+llc-part", Variant::MemLlcPart)] {
            let shares = tintmalloc(&space, &seats(threads), Tint::published(variant), &Taken::default());
            let shares = shares.map_err(|error| wrong(&machine, &error))?;
            let colors = shares.iter().map(|share| share.llc.as_ref().map_or(0, |llc| llc.len()));
            let row = Row::new().label("threads", threads).label("policy", name);
            let row = row.value("llc_colors.min", colors.clone().min().unwrap_or(0) as f64);
            rows.push(row.value("llc_colors.max", colors.max().unwrap_or(0) as f64));
        }
    }
    Ok(rows)
}

/// The colors that equation (1) gives all banks of a machine, as printed: `((node * NN * NC + channel) * NR + rank) * NB + bank`.
fn equation_1(machine: &Machine) -> BTreeSet<u32> {
    let org = &machine.memory.organisation;
    let mut colors = BTreeSet::new();
    for node in 0..org.nodes {
        for channel in 0..org.channels {
            for rank in 0..org.ranks {
                let first = ((node * org.nodes * org.channels + channel) * org.ranks + rank) * org.banks_per_rank();
                colors.extend(first..first + org.banks_per_rank());
            }
        }
    }
    colors
}

/// Hops between cores of the Opteron, as the paper counts them: one within a node. Each row is of all pairs of nodes of its kind.
pub fn hops() -> Result<Vec<Row>, InputError> {
    let hops = builtin("opteron-6128")?.topology.hops;
    let nodes = hops.len();
    // Two nodes are a socket.
    let kind = |from: usize, to: usize| match (from == to, from / 2 == to / 2) {
        (true, _) => "same-node",
        (false, true) => "same-socket",
        (false, false) => "other-socket",
    };
    let pairs = (0..nodes).flat_map(|from| (0..nodes).map(move |to| (from, to)));
    let row = |pair: &str| {
        let of_kind = pairs.clone().filter(|&(from, to)| kind(from, to) == pair);
        let mut found: Vec<u32> = of_kind.map(|(from, to)| hops[from][to] + 1).collect();
        found.dedup();
        match found.as_slice() {
            [all] => Ok(Row::new().label("pair", pair).value("hops", f64::from(*all))),
            _ => Err(InputError::new("opteron-6128", format!("found {found:?} hops, {pair}"))),
        }
    };
    ["same-node", "same-socket", "other-socket"]
        .map(row)
        .into_iter()
        .collect()
}

fn space(machine: &Machine) -> Result<ColorSpace, InputError> {
    machine.colors().map_err(|error| wrong(machine, &error))
}

fn wrong(machine: &Machine, error: &dyn std::fmt::Display) -> InputError {
    InputError::new(
        machine.name.clone(),
        format!("found colors that cannot be shared out: {error}"),
    )
}

/// Threads on four nodes, as many on each (TINT-15), a cache for each socket.
fn seats(threads: u32) -> Vec<Seat> {
    let seat = |thread| {
        let node = thread * 4 / threads;
        Seat { node, cache: node / 2 }
    };
    (0..threads).map(seat).collect()
}

/// Nanoseconds in the allocator per page, by round.
fn rounds(machine: &Machine, space: ColorSpace, memory: &[TaskMemory], seed: u64) -> Result<[f64; ROUNDS], FrameError> {
    let cost = CostModel::at(machine.core.mhz);
    let config = FramesConfig {
        policy: Policy::Tintmalloc(Tintmalloc::default()),
        lists: ListsBy::BankAndLlc,
        cost,
        ..FramesConfig::default()
    };
    let regions = Memory::of_map(&machine.memory.map, space.page_bits(), &machine.topology.hops)?;
    let mut frames = Frames::new(Arc::new(space), regions, config, seed)?;
    let tasks: Vec<TaskId> = (0..memory.len() as u32).map(TaskId).collect();
    for (task, memory) in std::iter::zip(&tasks, memory) {
        frames.register(*task, memory.clone())?;
    }
    let mut means = [0.0; ROUNDS];
    for mean in &mut means {
        for _ in 0..PAGES {
            for task in &tasks {
                frames.alloc(*task)?;
            }
        }
        for task in &tasks {
            let alloc = frames.take_stats(*task)?.alloc;
            let ps = cost.ps(cost.cycles_of(alloc.calls, &alloc.total));
            *mean += ps as f64 / 1000.0 / alloc.calls as f64 / tasks.len() as f64;
            for frame in frames.frames_of(*task)? {
                frames.free(*task, frame)?;
            }
        }
    }
    Ok(means)
}
