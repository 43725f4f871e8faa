// SPDX-License-Identifier: MIT OR Apache-2.0
//! Single reads, line after line, beside each way of refreshing: rows that are closed, the longest wait, and how many
//! refreshes are put off.

use fresco_dram::{CommandKind, Cycle, NEVER, PhysAddr, Ps};
use fresco_input::InputError;
use fresco_machine::{Machine, RefreshPolicy, load_with};
use fresco_memory::{Command, MemorySystem, RowOutcome, Sample, Service};
use fresco_report::claims::Row;
use rayon::prelude::*;
use std::cell::RefCell;
use std::rc::Rc;

const DENSITIES: [u32; 3] = [1, 8, 64];
const POLICIES: [&str; 4] = ["none", "all-bank-independent", "burst", "elastic"];
/// From read to read, in picoseconds; a read that takes longer puts off the next one. So short that a rank with reads is
/// never idle for an eighth of tRFC at 64 Gb: elastic refresh goes to its limit.
const APART: Ps = 200_000;
/// Bytes of a line.
const LINE: u64 = 64;
/// Refresh windows before what is measured, and measured.
const BEFORE: u64 = 1;
const MEASURED: u64 = 2;

/// Every policy at every density.
pub fn probe() -> Result<Vec<Row>, InputError> {
    let cases: Vec<(u32, &str)> = DENSITIES
        .iter()
        .flat_map(|&gbit| POLICIES.map(|policy| (gbit, policy)))
        .collect();
    cases.into_par_iter().map(|(gbit, policy)| case(gbit, policy)).collect()
}

fn case(gbit: u32, policy: &str) -> Result<Row, InputError> {
    let set = |key: &str, value: String| (format!("memory.{key}"), value);
    let machine = load_with(
        "ss-rtmc",
        &[
            set("density", gbit.to_string()),
            set("density_scales_refresh_only", "true".to_owned()),
            set("controller.page", "\"open\"".to_owned()),
            set("controller.scheduler", "\"fr-fcfs\"".to_owned()),
            set("controller.refresh", format!("{policy:?}")),
        ],
    )?;
    let timing = &machine.memory.timing;
    let refreshes: Rc<RefCell<Vec<Command>>> = Rc::default();
    let noted = Rc::clone(&refreshes);
    let mut memory = MemorySystem::new(&machine);
    memory.set_command_sink(Box::new(move |command| {
        if command.kind == CommandKind::RefAb {
            noted.borrow_mut().push(*command);
        }
    }));
    let (begin, end) = (
        timing.clock.to_ps(BEFORE * timing.refw),
        timing.clock.to_ps((BEFORE + MEASURED) * timing.refw),
    );
    let (mut reads, mut misses, mut interfered, mut longest) = (0u64, 0u64, 0u64, 0);
    let (mut at, mut line) = (APART, 0u64);
    while at < end {
        let sample = read(&mut memory, at, PhysAddr(line * LINE))?;
        if at >= begin {
            reads += 1;
            misses += u64::from(sample.outcome != RowOutcome::Hit);
            interfered += u64::from(sample.refresh > 0);
            longest = longest.max(sample.latency);
        }
        line += 1;
        let over = at + sample.latency;
        at = (at + APART).max(over.next_multiple_of(APART));
    }
    drop(memory);
    let refreshes = refreshes.take();
    let postponed = postponed(&machine, &refreshes);
    Ok(Row::new()
        .label("refresh", policy)
        .label("density", gbit)
        .value("accesses", reads as f64)
        .value("row_misses", misses as f64)
        .value("interfered_accesses", interfered as f64)
        .value("interfered_pct", 100.0 * interfered as f64 / reads.max(1) as f64)
        .value("wait_ns.max", longest as f64 / 1000.0)
        .value("postponed.max", postponed as f64))
}

/// A read that nothing else is beside.
fn read(memory: &mut MemorySystem, at: Ps, address: PhysAddr) -> Result<Sample, InputError> {
    let mut done = Vec::new();
    memory.run_until(at, &mut done);
    let Service::Pending(id) = memory.read(at, 0, address, false) else {
        return Err(InputError::new("refresh-probe", "found a read that a cache serves"));
    };
    loop {
        if let Some(sample) = done.iter().find(|read| read.id == id).and_then(|read| read.sample) {
            return Ok(sample);
        }
        match memory.next_event() {
            NEVER => return Err(InputError::new("refresh-probe", "found a read that never ends")),
            next => memory.run_until(next, &mut done),
        }
    }
}

/// Most refreshes of a rank that are due and not issued at the same time, those excepted that go at their time but for
/// an access under way. A rank owes one more at each interval of the elastic controller, from its part of the first one on;
/// bursts are due all at once and none is put off.
fn postponed(machine: &Machine, refreshes: &[Command]) -> u64 {
    let (timing, ranks) = (&machine.memory.timing, u64::from(machine.memory.organisation.ranks));
    let interval = match machine.memory.controller.refresh {
        RefreshPolicy::Elastic => timing
            .refi
            .min(timing.refw / (timing.refreshes + timing.postponable + 1)),
        RefreshPolicy::AllBankIndependent => timing.refi,
        _ => return 0,
    };
    let of_rank = |rank: u64| {
        let first = interval * (rank + 1) / ranks;
        let issued = refreshes.iter().filter(move |command| u64::from(command.rank) == rank);
        let owed = move |(before, command): (u64, &Command)| {
            let in_time = command.cycle <= first + before * interval + timing.rc + timing.rp;
            let due: Cycle = (command.cycle + interval).saturating_sub(first) / interval;
            if in_time { 0 } else { due.saturating_sub(before) }
        };
        (0u64..).zip(issued).map(owed).max().unwrap_or(0)
    };
    (0..ranks).map(of_rank).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bursts_close_fewer_rows_and_elastic_refresh_keeps_to_its_limit() {
        let of = |policy| case(8, policy).expect("a row").values;
        let [none, usual, burst, elastic] = POLICIES.map(of);
        assert_eq!((none["interfered_accesses"], none["postponed.max"]), (0.0, 0.0));
        assert!(burst["row_misses"] < usual["row_misses"], "{burst:?} {usual:?}");
        assert!(usual["wait_ns.max"] < burst["wait_ns.max"]);
        assert_eq!(usual["postponed.max"], 0.0);
        assert!((1.0..=8.0).contains(&elastic["postponed.max"]), "{elastic:?}");
        let at_64 = case(64, "elastic").expect("a row").values;
        assert_eq!(at_64["postponed.max"], 8.0, "{at_64:?}");
    }
}
