// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cyclic executives inside servers (CRS-8): the slots of each server are known, so every job gets its place in them, and all servers
//! together are one table.

use super::super::colored_refresh::responses;
use super::super::draft::{Draft, PlanContext};
use super::super::repeat::hyperperiod;
use super::super::words::time;
use super::{OnCore, refused};
use crate::plan::{Evidence, Proof, Schedule};
use crate::refusal::Refusal;
use fresco_rt::Time;
use fresco_rt::executive::{Burst, Slot, Table};
use fresco_rt::listed::{ServerExecutive, cyclic_executive};
use fresco_rt::time::lcm;
use fresco_rt::toplevel::{Locks, server_tables};

/// Longest table, in slots and bursts.
const MOST_ENTRIES: u64 = 200_000;

/// Puts a table in place of the servers.
pub(super) fn tabulate(
    context: &PlanContext<'_>,
    locks: &Locks,
    cores: &[OnCore],
    draft: &mut Draft,
) -> Result<(), Refusal> {
    for core in cores {
        hyperperiod(&context.pick(&core.workloads.concat()), locks.retention())?;
    }
    let mut placed: Vec<(usize, Vec<usize>, ServerExecutive)> = Vec::new();
    let mut length = locks.retention();
    for (number, core) in cores.iter().enumerate() {
        if !core.copied.is_empty() {
            return Err(Refusal::form(
                "without copy tasks there are no servers for these tasks, and an executive inside servers has none; set another plan.policy",
            ));
        }
        let (tables, _) = server_tables(&core.top).map_err(refused)?;
        for (tasks, table) in core
            .workloads
            .iter()
            .zip(&tables)
            .filter(|(tasks, _)| !tasks.is_empty())
        {
            let executive = cyclic_executive(&context.pick(tasks), &table.slots);
            let executive =
                executive.map_err(|error| Refusal::load(format!("core {number}: {error} (times in ns)")))?;
            length = lcm(length, executive.length)?;
            placed.push((number, tasks.clone(), executive));
        }
    }
    let entries: u64 = placed
        .iter()
        .map(|(_, _, executive)| (length / executive.length).saturating_mul(executive.slots.len() as u64))
        .fold(length / locks.retention() * 2, u64::saturating_add);
    if entries > MOST_ENTRIES {
        return Err(Refusal::undecided(format!(
            "the table lasts {} and has {entries} entries",
            time(length)
        )));
    }
    let mut slots: Vec<Slot> = placed
        .iter()
        .flat_map(|(core, tasks, executive)| slots_of(context, *core, tasks, executive, length))
        .collect();
    let mut bursts: Vec<Burst> = (0..locks.colors().len())
        .flat_map(|color| {
            let windows = locks.windows_before(color, length);
            windows.map(move |window| Burst {
                color,
                start: window.start,
                length: window.end - window.start,
            })
        })
        .collect();
    bursts.sort_by_key(|burst| burst.start);
    slots = slots.into_iter().flat_map(|slot| cut(slot, &bursts)).collect();
    slots.sort_by_key(|slot| (slot.core, slot.start));
    let page = context.memory.page_bytes;
    let pages = |bytes: &u64| bytes / page;
    let memory = draft
        .instances
        .iter()
        .map(|task| task.iter().map(|bytes| bytes.iter().map(pages).collect()).collect());
    let table = Table {
        length,
        cores: cores.len(),
        slots,
        bursts,
        memory: memory.collect(),
        copy_cost: vec![None; context.tasks.len()],
    };
    draft.bounds = responses(context, &table);
    draft.proofs = vec![Proof {
        core: None,
        color: None,
        tasks: (0..context.tasks.len()).collect(),
        evidence: Evidence::Table,
    }];
    draft.reasons.push(format!(
        "a cyclic executive inside each server: one table of {}",
        time(length)
    ));
    draft.schedule = Schedule::Table {
        table,
        lock_ns: locks.lock_cost(),
    };
    Ok(())
}

/// The slots of one server, repeated to the length of the whole table.
fn slots_of(
    context: &PlanContext<'_>,
    core: usize,
    tasks: &[usize],
    executive: &ServerExecutive,
    length: Time,
) -> Vec<Slot> {
    let mut slots = Vec::new();
    let turns = length / executive.length;
    for turn in 0..turns {
        for slot in &executive.slots {
            let task = tasks[slot.task];
            let timing = &context.tasks[task];
            let jobs = executive.length / timing.period;
            let release = timing.phase + slot.job * timing.period;
            // A job that is released late in a turn has slots at the beginning of the next.
            let before = release / executive.length + Time::from(slot.start < release % executive.length);
            let released = (turn + turns - before % turns) % turns;
            slots.push(Slot {
                core,
                start: turn * executive.length + slot.start,
                length: slot.end - slot.start,
                task,
                job: released * jobs + slot.job,
                instance: 0,
                blocked: None,
            });
        }
    }
    slots
}

/// The pieces of a slot between the ends of bursts, each with the color that is blocked then; bursts are disjoint, by start.
fn cut(slot: Slot, bursts: &[Burst]) -> Vec<Slot> {
    let (mut now, end) = (slot.start, slot.start + slot.length);
    let mut pieces = Vec::new();
    while now < end {
        let next = bursts.get(bursts.partition_point(|burst| burst.start + burst.length <= now));
        let (until, blocked) = match next {
            Some(burst) if burst.start <= now => (burst.start + burst.length, Some(burst.color)),
            Some(burst) => (burst.start, None),
            None => (end, None),
        };
        let until = until.min(end);
        pieces.push(Slot {
            start: now,
            length: until - now,
            blocked,
            ..slot
        });
        now = until;
    }
    pieces
}
