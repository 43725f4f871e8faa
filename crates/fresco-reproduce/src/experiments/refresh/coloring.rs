// SPDX-License-Identifier: MIT OR Apache-2.0
//! Colors of ranks: traces moved into them (SIM-3), and pages allocated from one.

use super::super::allocation::boot;
use super::{RANKS, TABLE_4_4, failed, task_set};
use fresco_dram::{FrameNumber, PhysAddr};
use fresco_frames::{Camc, CostModel, Policy, TaskId, TaskMemory};
use fresco_input::InputError;
use fresco_load::trace::Recoloring;
use fresco_load::{Batch, Event, Setting, build};
use fresco_machine::{Machine, builtin};
use fresco_report::claims::Row;
use fresco_system::experiment::colors_of_ranks;
use std::collections::{BTreeMap, BTreeSet};

/// Loads and stores of a program that are traced.
const OPERATIONS: usize = 200_000;
/// What cr-allocation allocates in each pass.
const ALLOCATED_MIB: u64 = 32;
const PASSES: u32 = 3;

/// Traces of the programs of table 4.4, each moved into a rank of its own.
pub fn cr_coloring(seed: u64) -> Result<Vec<Row>, InputError> {
    let machine = builtin("ss-rtmc")?;
    let mut found = Faults::default();
    let tasks = task_set(TABLE_4_4)?.tasks;
    for (rank, task) in (0..RANKS as u32).zip(tasks) {
        let seed = seed + u64::from(rank);
        let trace = trace(&machine, &task.name, seed)?;
        found.add(&recolored(&machine, rank, &trace)?, &machine, rank);
    }
    let row = Row::new()
        .value("duplicate_addresses", found.duplicates as f64)
        .value("pages_split", found.split as f64)
        .value("accesses_outside", found.outside as f64);
    Ok(vec![row])
}

/// Physical addresses of a program whose pages lie anywhere in memory.
fn trace(machine: &Machine, program: &str, seed: u64) -> Result<Vec<PhysAddr>, InputError> {
    let setting = Setting {
        seed,
        ..Setting::default()
    };
    let mut program = build(program, "passes = 0", &setting)?;
    let frames = machine.memory.map.capacity() / machine.page_bytes;
    let mut pages: BTreeMap<u64, u64> = BTreeMap::new();
    let mut taken = BTreeSet::new();
    let mut random = seed;
    let mut trace = Vec::new();
    let mut batch = Batch::new();
    while trace.len() < OPERATIONS && program.next(&mut batch)? {
        for event in batch.events() {
            let Event::Op(op) = event else { continue };
            let frame = *pages.entry(op.addr.0 / machine.page_bytes).or_insert_with(|| {
                loop {
                    let frame = scattered(&mut random) % frames;
                    if taken.insert(frame) {
                        break frame;
                    }
                }
            });
            trace.push(PhysAddr(frame * machine.page_bytes + op.addr.0 % machine.page_bytes));
        }
        batch.clear();
    }
    Ok(trace)
}

/// The next of a series of numbers that look random (Weyl sequence, SplitMix64's finaliser).
fn scattered(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut x = *state;
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Addresses before and after the tool.
fn recolored(machine: &Machine, rank: u32, trace: &[PhysAddr]) -> Result<Vec<(PhysAddr, PhysAddr)>, InputError> {
    let page = machine.page_bytes;
    let conforms = |frame: FrameNumber| rank_of(machine, PhysAddr(frame.0 * page)) == Some(rank);
    let frames = machine.memory.map.capacity() / page;
    let mut free = (0..frames).map(FrameNumber).filter(|&frame| conforms(frame));
    let mut tool = Recoloring::new(conforms, || free.next());
    trace.iter().for_each(|&address| tool.survey(address));
    let rewrite = |&address: &PhysAddr| Some((address, tool.rewrite(address)?));
    let pairs: Option<Vec<_>> = trace.iter().map(rewrite).collect();
    pairs.ok_or_else(|| failed("a color without a free page"))
}

fn rank_of(machine: &Machine, address: PhysAddr) -> Option<u32> {
    machine.memory.map.decode(address).map(|place| place.rank)
}

/// What the tool may not do.
#[derive(Debug, Default, PartialEq)]
struct Faults {
    /// Frames given to several pages.
    duplicates: usize,
    /// Pages whose lines lie in several frames, or elsewhere in theirs.
    split: usize,
    /// Accesses outside the color.
    outside: usize,
}

impl Faults {
    fn add(&mut self, pairs: &[(PhysAddr, PhysAddr)], machine: &Machine, rank: u32) {
        let page = machine.page_bytes;
        let mut frames_of: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
        let mut pages_of: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
        let mut shifted = BTreeSet::new();
        for (from, to) in pairs {
            frames_of.entry(from.0 / page).or_default().insert(to.0 / page);
            pages_of.entry(to.0 / page).or_default().insert(from.0 / page);
            if from.0 % page != to.0 % page {
                shifted.insert(from.0 / page);
            }
            self.outside += usize::from(rank_of(machine, *to) != Some(rank));
        }
        self.duplicates += pages_of.values().filter(|pages| pages.len() > 1).count();
        let split = frames_of
            .iter()
            .filter(|(page, frames)| frames.len() > 1 || shifted.contains(page));
        self.split += split.count();
    }
}

/// Pages of one rank, allocated, freed, and allocated again, shortly after boot.
pub fn cr_allocation(seed: u64) -> Result<Vec<Row>, InputError> {
    let machine = builtin("ss-rtmc")?;
    let cost = CostModel::at(machine.core.mhz);
    let mut frames = boot(&machine, Policy::Camc(Camc::default()), seed).map_err(failed)?;
    let task = TaskId(0);
    let memory = TaskMemory::local(0).with_banks(colors_of_ranks(&machine, 1)?);
    frames.register(task, memory).map_err(failed)?;
    let mut rows = Vec::new();
    for pass in 1..=PASSES {
        for _ in 0..(ALLOCATED_MIB << 20) / machine.page_bytes {
            frames.alloc(task).map_err(failed)?;
        }
        let work = frames.take_stats(task).map_err(failed)?.alloc;
        let time = cost.ps(cost.cycles_of(work.calls, &work.total)) as f64 / 1000.0;
        rows.push(
            Row::new()
                .label("pass", pass)
                .value("alloc_ns.mean", time / work.calls as f64),
        );
        for frame in frames.frames_of(task).map_err(failed)? {
            frames.free(task, frame).map_err(failed)?;
        }
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_seen() {
        let machine = builtin("ss-rtmc").expect("built in");
        let mut faults = Faults::default();
        let at = |page: u64, offset: u64| PhysAddr(page * 4096 + offset);
        // Pages 1 and 2 to frame 8, of rank 1; page 3 to frames 16 and 17 of rank 2.
        let pairs = [
            (at(1, 0), at(8, 0)),
            (at(2, 0), at(8, 0)),
            (at(3, 0), at(16, 0)),
            (at(3, 64), at(17, 64)),
        ];
        faults.add(&pairs, &machine, 1);
        assert_eq!(
            faults,
            Faults {
                duplicates: 1,
                split: 1,
                outside: 2
            }
        );
    }

    #[test]
    fn the_tool_keeps_pages_whole_and_apart() {
        let values = &cr_coloring(1).expect("traces")[0].values;
        assert!(values.values().all(|&count| count == 0.0), "{values:?}");
        let machine = builtin("ss-rtmc").expect("built in");
        let uncolored = trace(&machine, "cnt", 1).expect("a trace");
        assert!(
            uncolored.iter().any(|&address| rank_of(&machine, address) != Some(0)),
            "something to do"
        );
    }

    #[test]
    fn colors_cost_when_they_are_first_used() {
        let rows = cr_allocation(1).expect("memory");
        let [first, second, third] = [0, 1, 2].map(|pass: usize| rows[pass].values["alloc_ns.mean"]);
        assert!(first > 2.0 * second && (second / third - 1.0).abs() < 0.01, "{rows:?}");
    }
}
