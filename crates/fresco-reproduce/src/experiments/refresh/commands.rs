// SPDX-License-Identifier: MIT OR Apache-2.0
//! What single reads and bursts of refreshes take on the dissertation's machine, at the level of commands.

use super::failed;
use fresco_dram::{CommandKind, Cycle, Location, NEVER, PhysAddr, Ps};
use fresco_input::InputError;
use fresco_machine::{Machine, load_with};
use fresco_memory::controller::refresh::{Window, Windows};
use fresco_memory::{Command, MemorySystem, Service};
use fresco_report::claims::Row;
use std::cell::RefCell;
use std::rc::Rc;

/// From read to read, in picoseconds: all is over by then.
const APART: Ps = 1_000_000;

/// Row hits, conflicts, and rows that a refresh has closed, with open rows.
pub fn timing() -> Result<Vec<Row>, InputError> {
    let open = |refresh: &str| {
        let set = |key: &str, value: &str| (format!("memory.controller.{key}"), format!("{value:?}"));
        load_with("ss-rtmc", &[set("page", "open"), set("refresh", refresh)])
    };
    let quiet = open("none")?;
    let timing = &quiet.memory.timing;
    let ns = |cycles: Cycle| timing.clock.to_ps(cycles) as f64 / 1000.0;
    let [first, same_row, other_row] = [(0, 0), (0, 64), (1, 0)].map(|(row, column)| {
        let place = Location {
            row,
            column,
            ..Location::default()
        };
        quiet.memory.map.encode(&place)
    });
    let mut bare = Probe::new(&quiet);
    bare.read(APART, first)?;
    let hit = bare.read(2 * APART, same_row)?;
    let conflict = bare.read(3 * APART, other_row)?;
    let reopened = after_refresh(&open("all-bank-independent")?, first, same_row)?;
    let ps = |time: Ps| time as f64 / 1000.0;
    let row = Row::new()
        .value("tcas_ns", ns(timing.cl))
        .value("trcd_ns", ns(timing.rcd))
        .value("trp_ns", ns(timing.rp))
        .value("tras_ns", ns(timing.ras))
        .value("row_hit_ns", ps(hit))
        .value("row_conflict_ns", ps(conflict))
        .value("reopen_ns", ps(reopened) - ps(hit));
    Ok(vec![row])
}

/// Latency of a read of an open row, issued when the refresh of its rank ends that found the row open.
fn after_refresh(machine: &Machine, first: PhysAddr, again: PhysAddr) -> Result<Ps, InputError> {
    let timing = &machine.memory.timing;
    let rank = machine.memory.map.decode(first).map_or(0, |place| place.rank);
    let mut probe = Probe::new(machine);
    let opened = APART;
    probe.read(opened, first)?;
    let step = timing.clock.to_ps(1);
    let until = opened + timing.clock.to_ps(2 * timing.refi);
    let mut now = opened + APART / 2;
    let opened = timing.clock.cycle_at_or_after(opened);
    while now < until {
        probe.memory.run_until(now, &mut Vec::new());
        let refreshed = probe.last(|command| command.kind == CommandKind::RefAb && command.rank == rank);
        if let Some(cycle) = refreshed.filter(|&cycle| cycle > opened) {
            return probe.read(timing.clock.to_ps(cycle + timing.rfc_ab), again);
        }
        now += step;
    }
    Err(failed("no refresh within two intervals"))
}

/// Cycles from the first command to the end of the last when these ranks (a bit each) are refreshed in one burst.
pub(super) fn burst_cycles(machine: &Machine, ranks: u64) -> Result<Cycle, InputError> {
    let (timing, organisation) = (&machine.memory.timing, &machine.memory.organisation);
    let window = Window {
        start: 0,
        ranks,
        commands: timing.refreshes,
    };
    let engine = Windows::new(organisation, timing, timing.refw, &[window]).map_err(failed)?;
    let mut probe = Probe::new(machine);
    probe.memory.set_refresh(|| Box::new(engine.clone()));
    let until = timing.clock.to_ps(2 * timing.refreshes * timing.rfc_ab);
    probe
        .memory
        .run_until(until.min(timing.clock.to_ps(timing.refw - 1)), &mut Vec::new());
    // Ranks without a window are refreshed as ever.
    let is_refresh = |command: &Command| command.kind == CommandKind::RefAb && ranks >> command.rank & 1 == 1;
    let (first, last) = (probe.first(is_refresh), probe.last(is_refresh));
    match (first, last) {
        (Some(first), Some(last)) => Ok(last + timing.rfc_ab - first),
        _ => Err(failed("no refresh in a burst")),
    }
}

/// A memory that notes its commands.
struct Probe {
    memory: MemorySystem,
    commands: Rc<RefCell<Vec<Command>>>,
}

impl Probe {
    fn new(machine: &Machine) -> Self {
        let commands: Rc<RefCell<Vec<Command>>> = Rc::default();
        let noted = Rc::clone(&commands);
        let mut memory = MemorySystem::new(machine);
        memory.set_command_sink(Box::new(move |command| noted.borrow_mut().push(*command)));
        Self { memory, commands }
    }

    fn first(&self, wanted: impl Fn(&Command) -> bool) -> Option<Cycle> {
        let commands = self.commands.borrow();
        commands
            .iter()
            .find(|command| wanted(command))
            .map(|command| command.cycle)
    }

    fn last(&self, wanted: impl Fn(&Command) -> bool) -> Option<Cycle> {
        let commands = self.commands.borrow();
        commands
            .iter()
            .rfind(|command| wanted(command))
            .map(|command| command.cycle)
    }

    /// Latency of a read that nothing else is beside.
    fn read(&mut self, at: Ps, address: PhysAddr) -> Result<Ps, InputError> {
        let mut done = Vec::new();
        self.memory.run_until(at, &mut done);
        let id = match self.memory.read(at, 0, address, false) {
            Service::Done { at: done } => return Ok(done - at),
            Service::Pending(id) => id,
        };
        loop {
            if let Some(read) = done.iter().find(|read| read.id == id) {
                return Ok(read.at - at);
            }
            match self.memory.next_event() {
                NEVER => return Err(failed("a read that never ends")),
                next => self.memory.run_until(next, &mut done),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refresh_costs_the_row_an_activation_and_a_conflict_a_precharge_too() {
        let row = &timing().expect("rows")[0].values;
        let [hit, conflict] = ["row_hit_ns", "row_conflict_ns"].map(|name| row[name]);
        assert!(
            (conflict - hit - row["trp_ns"] - row["trcd_ns"]).abs() < 1e-9,
            "{row:?}"
        );
        assert!((row["reopen_ns"] - row["trcd_ns"]).abs() < 1e-9, "E26: {row:?}");
    }

    #[test]
    fn a_burst_is_as_long_as_its_commands() {
        let machine = fresco_machine::builtin("ss-rtmc").expect("built in");
        let timing = &machine.memory.timing;
        assert_eq!(
            burst_cycles(&machine, 1).expect("a burst"),
            timing.refreshes * timing.rfc_ab
        );
    }
}
