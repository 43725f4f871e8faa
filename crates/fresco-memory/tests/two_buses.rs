// SPDX-License-Identifier: MIT OR Apache-2.0
//! HBM3 has a command bus for rows and one for columns: commands of both go in the same cycle, two of one do not.

use crate::checker_support::violated;
use crate::support::devices;
use crate::support::record::Record;
use crate::support::script::run;
use fresco_dram::{CommandKind, Cycle, Location};
use fresco_machine::{ControllerConfig, PagePolicy, Queues, RefreshPolicy, Scheduler};
use fresco_memory::checker::Constraint::CommandBus;
use fresco_memory::{Access, Request, Stepping};

/// Reads of bank and row at given cycles, the first bank's row 1 open.
fn play(standard: &str, reads: &[(Cycle, u32, u32)], stepping: Stepping) -> Record {
    let config = ControllerConfig {
        scheduler: Scheduler::FrFcfs { hit_cap: 16 },
        page: PagePolicy::Open,
        queues: Queues::Global { reads: 32, writes: 32 },
        drain_high: 16,
        drain_low: 8,
        refresh: RefreshPolicy::None,
        drain_once: false,
        frontend: 0,
    };
    let (org, timing) = (devices::organisation(standard), devices::timing(standard, &[]));
    let requests = (0..).zip(reads).map(|(id, &(at, bank, row))| {
        let location = Location {
            bank,
            row,
            ..Location::default()
        };
        let request = Request {
            id,
            source: 0,
            access: Access::Read,
            line: id,
            location,
        };
        (at, request)
    });
    let (record, end) = run(&config, &org, &timing, stepping, requests);
    let commands = record.commands.clone();
    let completions = record.completions.clone();
    let report = record.verdict(end);
    assert!(report.is_clean(), "{report}");
    let mut record = Record::new(&org, &timing, false);
    (record.commands, record.completions) = (commands, completions);
    record
}

fn cycles(record: &Record, kind: CommandKind, from: Cycle) -> Vec<Cycle> {
    let all = record.commands.iter().filter(|c| c.kind == kind && c.cycle >= from);
    all.map(|c| c.cycle).collect()
}

#[test]
fn a_row_opens_in_the_cycle_of_a_read() {
    // Row 1 of bank 0 is open; then a hit of it, and a read of bank 1, which is closed.
    let reads = [(0, 0, 1), (1000, 0, 1), (1000, 1, 2)];
    for stepping in [Stepping::Events, Stepping::EveryCycle] {
        let hbm3 = play("hbm3-6400", &reads, stepping);
        assert_eq!(cycles(&hbm3, CommandKind::Rd, 1000)[0], 1001);
        assert_eq!(cycles(&hbm3, CommandKind::Act, 1000), [1001]);
        // The one bus of DDR4 takes the read first.
        let ddr4 = play("ddr4-2400", &reads, stepping);
        assert_eq!(cycles(&ddr4, CommandKind::Rd, 1000)[0], 1001);
        assert_eq!(cycles(&ddr4, CommandKind::Act, 1000), [1002]);
    }
}

#[test]
fn two_commands_of_rows_do_not_share_a_cycle() {
    // Banks 1 and 2 are closed, of bank 0 another row is wanted: PRE of it waits for the ACT in front of it.
    let reads = [(0, 0, 1), (1000, 1, 2), (1001, 0, 3)];
    for stepping in [Stepping::Events, Stepping::EveryCycle] {
        let hbm3 = play("hbm3-6400", &reads, stepping);
        assert_eq!(cycles(&hbm3, CommandKind::Act, 1000)[0], 1001);
        assert_eq!(cycles(&hbm3, CommandKind::Pre, 1000), [1003]);
    }
}

#[test]
fn the_checker_knows_both_buses() {
    let t = devices::timing("hbm3-6400", &[]);
    let open = "0 ACT 0 0 0 0 7 -; 100 ACT 0 0 1 0 7 -; ";
    assert_eq!(
        violated(&t, &format!("{open}1000 RD 0 0 0 0 7 0; 1000 ACT 0 0 0 1 7 -")),
        []
    );
    assert_eq!(
        violated(&t, &format!("{open}1000 ACT 0 0 0 1 7 -; 1000 RD 0 0 0 0 7 0")),
        []
    );
    // ACT takes the bus of rows for two cycles.
    let rows = |at: Cycle| violated(&t, &format!("{open}1000 ACT 0 0 0 1 7 -; {at} PRE 0 0 0 0 - -"));
    assert_eq!((rows(1001), rows(1002)), (vec![CommandBus], vec![]));
    // With a read between them, too.
    let between = format!("{open}1000 ACT 0 0 0 1 7 -; 1001 RD 0 0 1 0 7 0; 1001 PRE 0 0 0 0 - -");
    assert_eq!(violated(&t, &between), [CommandBus]);
    // HBM2's grades have one for both.
    let one = devices::timing("hbm2-2000", &[]);
    assert_eq!(
        violated(&one, &format!("{open}1000 RD 0 0 0 0 7 0; 1000 ACT 0 0 0 1 7 -")),
        [CommandBus]
    );
}
