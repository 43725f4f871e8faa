// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lines that take two bursts: each has a column command of its own, tCCD_L after the other at least, others may go in between, and
//! what follows counts from the last.

use crate::support::record::Record;
use crate::support::script::run;
use crate::support::traffic::Traffic;
use crate::support::{devices, variety};
use fresco_dram::{CommandKind, Cycle, Location, NEVER, Organisation, Timing, standards};
use fresco_machine::{ControllerConfig, PagePolicy, Queues, RefreshPolicy, Scheduler};
use fresco_memory::controller::refresh::{Load, Refresh, RefreshEngine};
use fresco_memory::{Access, Command, Controller, Request, Stepping};
use std::collections::BTreeMap;

/// Row 1 of bank 0 of two groups is open from here on.
const START: Cycle = 5000;

/// One refresh, if any.
struct Once(Option<(Cycle, Refresh)>);

impl RefreshEngine for Once {
    fn next_due(&self) -> Cycle {
        self.0.map_or(NEVER, |(at, _)| at)
    }

    fn take_due(&mut self, _now: Cycle, _load: &Load<'_>) -> Option<Refresh> {
        self.0.take().map(|(_, refresh)| refresh)
    }
}

struct Wanted {
    at: Cycle,
    access: Access,
    group: u32,
    row: u32,
}

fn read(at: Cycle, group: u32, row: u32) -> Wanted {
    let access = Access::Read;
    Wanted { at, access, group, row }
}

fn write(at: Cycle, group: u32, row: u32) -> Wanted {
    let access = Access::Write;
    Wanted { at, access, group, row }
}

/// A command: cycles after [`START`], kind, bank group, column.
type Seen = (Cycle, CommandKind, u32, u32);

/// The commands from [`START`] on, and the latencies of the reads, in order of completion.
fn play(scheduler: Scheduler, wanted: &[Wanted], refresh: Option<(Cycle, Refresh)>) -> (Vec<Seen>, Vec<Cycle>) {
    let (org, t) = device();
    let config = ControllerConfig {
        scheduler,
        page: PagePolicy::Open,
        queues: Queues::Global { reads: 8, writes: 8 },
        drain_high: 8,
        drain_low: 0,
        refresh: RefreshPolicy::None,
        drain_once: false,
        frontend: 0,
    };
    let mut controller = Controller::new(&config, &org, &t, 0);
    controller.set_refresh(vec![Box::new(Once(refresh.map(|(at, refresh)| (START + at, refresh))))]);
    let opening = [read(1000, 0, 1), read(2000, 1, 1)];
    let first = opening.len();
    let from_start = wanted.iter().map(|w| (START + w.at, w));
    for (id, (at, w)) in (0..).zip(opening.iter().map(|w| (w.at, w)).chain(from_start)) {
        let location = Location {
            bank_group: w.group,
            row: w.row,
            ..Location::default()
        };
        // Reads are of lines that nobody writes.
        let line = match w.access {
            Access::Read => 1000 + id,
            Access::Write => u64::from(w.group * 100 + w.row),
        };
        let (source, access) = (0, w.access);
        controller.submit(
            at,
            Request {
                id,
                source,
                access,
                line,
                location,
            },
        );
    }
    let mut record = Record::new(&org, &t, false);
    controller.run_until(START + 5000, &mut record);
    let late = record.commands.iter().filter(|c| c.cycle >= START);
    let commands = late
        .map(|c| (c.cycle - START, c.kind, c.bank_group, c.column))
        .collect();
    let reads = record
        .completions
        .iter()
        .filter(|c| c.access == Access::Read)
        .skip(first);
    let latencies = reads.map(|c| c.done - c.arrived).collect();
    let report = record.verdict(START + 5000);
    assert!(report.is_clean(), "{report}");
    (commands, latencies)
}

/// 800 MHz: RL 17, WL 9, tRCD 16, tRP 15, a burst of 16 in 2 clocks, tCCD_L 4, read to precharge 6, write recovery 29.
fn device() -> (Organisation, Timing) {
    let name = "lpddr5-6400";
    (devices::organisation(name), devices::timing(name, &[]))
}

const FR_FCFS: Scheduler = Scheduler::FrFcfs { hit_cap: 16 };

use CommandKind::{Act, Pre, Rd, RefPb, Wr};

/// 24 clocks of 1.25 ns where the row is open, 40 where the bank is closed, 55 where another row is open.
#[test]
fn a_lone_read() {
    let (commands, latencies) = play(FR_FCFS, &[read(0, 0, 1)], None);
    assert_eq!(commands, [(1, Rd, 0, 0), (5, Rd, 0, 16)]);
    assert_eq!(latencies, [1 + 4 + 17 + 2]);
    let (commands, latencies) = play(FR_FCFS, &[read(0, 2, 1)], None);
    assert_eq!(commands, [(1, Act, 2, 0), (17, Rd, 2, 0), (21, Rd, 2, 16)]);
    assert_eq!(latencies, [1 + 16 + 4 + 17 + 2]);
    let (_, latencies) = play(FR_FCFS, &[read(0, 0, 2)], None);
    assert_eq!(latencies, [1 + 15 + 16 + 4 + 17 + 2]);
}

/// Of lines in two bank groups each fills the gaps of the other, and the data bus is busy all the time; lines of one group leave it idle
/// half of the time.
#[test]
fn lines_of_two_groups_interleave() {
    let (commands, latencies) = play(FR_FCFS, &[read(0, 0, 1), read(0, 1, 1)], None);
    assert_eq!(commands, [(1, Rd, 0, 0), (3, Rd, 1, 0), (5, Rd, 0, 16), (7, Rd, 1, 16)]);
    assert_eq!(latencies, [24, 26]);
    let (commands, latencies) = play(FR_FCFS, &[read(0, 0, 1), read(0, 0, 1)], None);
    assert_eq!(
        commands,
        [(1, Rd, 0, 0), (5, Rd, 0, 16), (9, Rd, 0, 0), (13, Rd, 0, 16)]
    );
    assert_eq!(latencies, [24, 32]);
}

/// PRE counts from the second command, and so does the other direction.
#[test]
fn the_last_burst_decides() {
    let (commands, _) = play(FR_FCFS, &[read(0, 0, 1), read(0, 0, 2)], None);
    assert_eq!(commands[..3], [(1, Rd, 0, 0), (5, Rd, 0, 16), (5 + 6, Pre, 0, 0)]);
    let (commands, _) = play(FR_FCFS, &[write(0, 0, 1), write(0, 0, 2)], None);
    assert_eq!(
        commands[..3],
        [(1, Wr, 0, 0), (5, Wr, 0, 16), (5 + 9 + 2 + 29, Pre, 0, 0)]
    );
    // Within the bank group tWTR_L with BL/n_max, to another tWTR_S.
    for (group, after) in [(0, 9 + 4 + 10), (1, 9 + 2 + 5)] {
        let (commands, _) = play(FR_FCFS, &[write(0, 0, 1), read(1, group, 1)], None);
        assert_eq!(
            commands[..3],
            [(1, Wr, 0, 0), (5, Wr, 0, 16), (5 + after, Rd, group, 0)]
        );
    }
}

/// A request of the other direction, a refresh and an older row wait until the line is whole, whoever schedules.
#[test]
fn a_line_is_finished_first() {
    for scheduler in [FR_FCFS, Scheduler::FrFcfs { hit_cap: 0 }, Scheduler::Fcfs] {
        let (commands, _) = play(scheduler, &[write(0, 0, 1), read(1, 0, 2)], None);
        let kinds: Vec<_> = commands.iter().map(|c| c.1).collect();
        assert_eq!(kinds, [Wr, Wr, Pre, Act, Rd, Rd], "{scheduler:?}");
        let (_, t) = device();
        let pair = Refresh {
            rank: 0,
            kind: RefPb,
            banks: 1 | 1 << 8,
            cycles: t.rfc_pb,
        };
        let (commands, _) = play(scheduler, &[read(0, 0, 1)], Some((2, pair)));
        let expected = [(1, Rd, 0, 0), (5, Rd, 0, 16), (11, Pre, 0, 0), (26, RefPb, 0, 0)];
        assert_eq!(commands, expected, "{scheduler:?}");
    }
}

/// A write to a line of which a half has been written is written for itself; one that comes before replaces it.
#[test]
fn half_a_line_is_not_replaced() {
    let writes = |at| {
        let (commands, _) = play(FR_FCFS, &[write(0, 0, 1), write(at, 0, 1)], None);
        commands.iter().filter(|c| c.1 == Wr).count()
    };
    assert_eq!([0, 1, 4, 5].map(writes), [2, 4, 4, 4]);
}

/// Whatever happens, both halves of a line follow each other in their bank.
#[test]
fn halves_stay_together() {
    for name in standards::names() {
        let (org, t) = (devices::organisation(name), devices::timing(name, &[]));
        if t.bursts_of_line(&org) == 1 {
            continue;
        }
        let (line, burst) = (devices::line_columns(&org, &t), t.burst_length as u32);
        let t = devices::timing(name, &[("refi", t.rfc_ab + 500)]);
        for (seed, config) in (0..).zip(variety::configurations(11)) {
            let mut traffic = Traffic::new(seed, &org, &t);
            let (record, _) = run(&config, &org, &t, Stepping::Events, (0..400).map(|_| traffic.draw()));
            let mut halves: BTreeMap<(u32, u32, u32), &Command> = BTreeMap::new();
            let mut lines = 0;
            for command in record
                .commands
                .iter()
                .filter(|c| !c.kind.is_refresh() && c.kind != CommandKind::PreAll)
            {
                let bank = (command.rank, command.bank_group, command.bank);
                let is_first = command.kind.is_column() && command.column % line == 0;
                match halves.remove(&bank) {
                    Some(half) => {
                        let read = |c: &Command| matches!(c.kind, CommandKind::Rd | CommandKind::RdA);
                        assert!(command.kind.is_column(), "{name} {config:?}: {half}, then {command}");
                        let expected = (read(half), half.row, half.column + burst);
                        assert_eq!(
                            (read(command), command.row, command.column),
                            expected,
                            "{name} {config:?}"
                        );
                        lines += 1;
                    }
                    None => assert!(is_first || !command.kind.is_column(), "{name} {config:?}: {command}"),
                }
                if is_first {
                    halves.insert(bank, command);
                }
            }
            assert!(halves.is_empty() && lines > 100, "{name} {config:?}: {lines} lines");
        }
    }
}
