// SPDX-License-Identifier: MIT OR Apache-2.0
//! PALLOC's test of address bits (IV-B): two tasks chase through lines of which one bit of the address differs.

use super::facts;
use fresco_dram::{NEVER, PhysAddr, Ps};
use fresco_input::InputError;
use fresco_machine::{Machine, builtin};
use fresco_memory::{MemorySystem, Service};
use fresco_report::claims::Row;

/// Lines of a list (IV-B): more than a set of the last-level cache has ways.
const LINES: u64 = 32;
/// From line to line, 8 MiB (IV-B): above all bits of banks and of the cache's sets, so all are in one bank and one set.
const APART: u64 = 8 << 20;
/// Reads of each task: some ten refreshes.
const READS: u64 = 2000;

/// Each bit that a page's frame decides, up to the highest of a bank: mean time of a read of both. Then the extremes of each kind of bit.
pub fn test() -> Result<Vec<Row>, InputError> {
    let machine = builtin("xeon-w3530")?;
    let banks = facts::bank_bits(&machine);
    let row = |bit: u32| {
        let kind = if (banks >> bit) & 1 == 1 { "bank" } else { "other" };
        let row = Row::new().label("changed_bit", bit).label("kind", kind);
        Ok(row.value("read_ns", mean_ns(&machine, bit)?))
    };
    let mut rows = (12..=20).map(row).collect::<Result<Vec<Row>, InputError>>()?;
    let extremes = ["bank", "other"].map(|kind| {
        let of_kind = rows.iter().filter(|row| row.labels["kind"] == kind);
        let ns: Vec<f64> = of_kind.map(|row| row.values["read_ns"]).collect();
        Row::new()
            .label("changed_bit", "all")
            .label("kind", kind)
            .value("read_ns.min", ns.iter().copied().fold(f64::INFINITY, f64::min))
            .value("read_ns.max", ns.iter().copied().fold(f64::NEG_INFINITY, f64::max))
    });
    rows.extend(extremes);
    Ok(rows)
}

/// A task that sends its next read when the data of the last one are there.
struct Chase {
    first: u64,
    position: u64,
    /// When it sends; [`NEVER`] while it waits.
    at: Ps,
    /// When it has sent last.
    asked: Ps,
}

fn mean_ns(machine: &Machine, bit: u32) -> Result<f64, InputError> {
    let mut memory = MemorySystem::new(machine);
    // In the middle of its list: tasks of two cores are not in step.
    let chase = |first, position| Chase {
        first,
        position,
        at: 0,
        asked: 0,
    };
    let mut chases = [chase(0, 0), chase(1 << bit, LINES / 2)];
    let (mut reads, mut latency, mut done) = (0, 0, Vec::new());
    while reads < 2 * READS {
        let next = chases.iter().map(|chase| chase.at).min().unwrap_or(NEVER);
        let now = next.min(memory.next_event());
        memory.run_until(now, &mut done);
        for read in done.drain(..) {
            reads += 1;
            latency += read.at - chases[read.core as usize].asked;
            chases[read.core as usize].at = read.at;
        }
        for (core, chase) in (0..).zip(&mut chases) {
            if chase.at == now {
                let line = PhysAddr(chase.first + chase.position % LINES * APART);
                let Service::Pending(_) = memory.read(now, core, line, false) else {
                    return Err(InputError::new("palloc-bits", "found a read that a cache serves"));
                };
                chase.position += 1;
                (chase.at, chase.asked) = (NEVER, now);
            }
        }
    }
    Ok(latency as f64 / reads as f64 / 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A bank opens a row each tRC: two tasks that meet there get one each in turn, a read takes two of these; and refreshes.
    #[test]
    fn tasks_that_meet_in_a_bank_wait_for_each_others_rows() {
        let rows = test().expect("runs");
        let of = |kind: &str| -> Vec<f64> {
            let rows = rows.iter().filter(|row| row.labels["kind"] == kind);
            rows.filter_map(|row| row.values.get("read_ns").copied()).collect()
        };
        let (apart, together) = (of("bank"), of("other"));
        // MAP-7: bits 12, 13, 19 and 20.
        assert_eq!((apart.len(), together.len()), (4, 5));
        let timing = builtin("xeon-w3530").expect("built in").memory.timing;
        let two = 2.0 * timing.clock.to_ps(timing.rc) as f64 / 1000.0;
        assert!(
            together.iter().all(|ns| (two..1.05 * two).contains(ns)),
            "{together:?} {two}"
        );
        assert!(apart.iter().all(|ns| *ns < 0.9 * two), "{apart:?} {two}");
        let of_bank = rows
            .iter()
            .find(|row| row.values.contains_key("read_ns.max"))
            .expect("there");
        assert_eq!(of_bank.values["read_ns.max"], apart.into_iter().fold(0.0, f64::max));
    }
}
