// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows refreshed in time, too few refreshes, postponing.

use crate::checker_support::{check, organisation, timing};
use fresco_dram::{CommandKind, Cycle, Timing};
use fresco_memory::checker::{Checker, CheckerReport, CommandRecord, LateRows, Options};

/// DDR4 with 8 refreshes of 1024 rows, one every 1000 cycles, window 8600.
fn ddr4() -> Timing {
    timing(
        "ddr4-2400",
        &[("refreshes", 8), ("refi", 1000), ("refw", 8600), ("postponable", 8)],
    )
}

fn refresh(cycle: Cycle, kind: CommandKind, rank: u32, bank_group: u32, bank: u32) -> CommandRecord {
    CommandRecord {
        cycle,
        kind,
        channel: 0,
        rank,
        bank_group,
        bank,
        row: 0,
        column: 0,
    }
}

fn all_bank(cycle: Cycle, rank: u32) -> CommandRecord {
    refresh(cycle, CommandKind::RefAb, rank, 0, 0)
}

fn judge(timing: &Timing, mut commands: Vec<CommandRecord>, end: Cycle) -> CheckerReport {
    commands.sort_by_key(|c| c.cycle);
    let report = check(timing, Options::default(), &commands, end);
    assert_eq!(report.violations, [], "refresh alone is judged here");
    report
}

/// Both ranks, staggered, every tREFI up to `end`.
fn distributed(end: Cycle) -> Vec<CommandRecord> {
    (1..end / 1000)
        .flat_map(|i| [all_bank(i * 1000, 0), all_bank(i * 1000 + 500, 1)])
        .collect()
}

#[test]
fn distributed_refresh_is_clean() {
    for end in [5_000, 8_600, 50_000] {
        let report = judge(&ddr4(), distributed(end), end);
        assert!(report.is_clean(), "{report}");
        assert_eq!(report.retention.postponements, 0);
    }
}

#[test]
fn a_row_may_wait_exactly_one_window() {
    let around = |second: Cycle| {
        let mut t = ddr4();
        t.refreshes = 1;
        t.postponable = 1_000;
        let commands = vec![
            all_bank(8_000, 0),
            all_bank(8_001, 1),
            all_bank(second, 0),
            all_bank(second + 1, 1),
        ];
        judge(&t, commands, second + 1)
    };
    assert!(around(8_000 + 8_600).is_clean());
    let late = around(8_000 + 8_601).retention;
    assert_eq!(late.late_rows, 2 * 16 * 8192);
}

#[test]
fn a_missed_refresh_makes_its_rows_late() {
    // Without the refresh at 10000 every later one takes the bin before its turn: each bin waits 9000 once.
    let end = 30_000;
    let commands = distributed(end).into_iter().filter(|c| c.cycle != 10_000).collect();
    let report = judge(&ddr4(), commands, end);
    let first = LateRows {
        channel: 0,
        rank: 0,
        bank_group: 0,
        bank: 0,
        first_row: 1024,
        rows: 1024,
        since: 2_000,
        until: 11_000,
    };
    assert_eq!(report.retention.late[0], first);
    assert_eq!(report.retention.late_rows, 8 * 1024 * 16, "each row once");
    assert!(report.retention.late.iter().all(|l| l.rank == 0));
}

/// A published simulator never refreshes the second rank when both are due at once.
#[test]
fn a_rank_that_is_never_refreshed() {
    let end = 50_000;
    let commands = distributed(end).into_iter().filter(|c| c.rank == 0).collect();
    let report = judge(&ddr4(), commands, end);
    assert!(!report.is_clean());
    assert_eq!(report.retention.late_rows, 16 * 8192);
    let whole_bank = LateRows {
        channel: 0,
        rank: 1,
        bank_group: 0,
        bank: 0,
        first_row: 0,
        rows: 8192,
        since: 0,
        until: end,
    };
    assert_eq!(report.retention.late[0], whole_bank);
    assert_eq!(report.retention.late.len(), 16);
    assert_eq!(report.retention.postponements, 1);
}

#[test]
fn a_rank_that_is_never_refreshed_in_a_short_run() {
    let t = timing("ddr4-2400", &[]);
    let end = 20 * t.refi;
    let commands = (1..20).map(|i| all_bank(i * t.refi, 0)).collect();
    let report = judge(&t, commands, end);
    assert!(!report.is_clean());
    assert_eq!(report.retention.late_rows, 0);
    assert_eq!(report.retention.shortfall_banks, 16);
    let s = report.retention.shortfalls[0];
    assert_eq!((s.rank, s.due, s.done), (1, 20, 0));
}

#[test]
fn eight_may_be_owed_at_the_end_of_a_short_run() {
    let t = timing("ddr4-2400", &[]);
    let run = |done: u64| {
        let commands = (1..=done)
            .flat_map(|i| [all_bank(i * t.refi, 0), all_bank(i * t.refi + 1, 1)])
            .collect();
        judge(&t, commands, 20 * t.refi)
    };
    assert!(run(12).is_clean());
    assert_eq!(run(11).retention.shortfall_banks, 32);
}

#[test]
fn no_refresh_needs_no_row_if_not_judged() {
    let options = Options {
        retention: false,
        ..Options::default()
    };
    let report = check(&ddr4(), options, &[], 1_000_000);
    assert!(report.is_clean() && !report.refresh_judged);
    assert_eq!(
        report.to_string(),
        "0 commands in 1000000 cycles\nrefresh was not judged, as the machine's policy is \"none\"\nno violation"
    );
    let all_rows = 2 * 16 * 8192;
    assert_eq!(
        check(&ddr4(), Options::default(), &[], 1_000_000).retention.late_rows,
        all_rows
    );
}

#[test]
fn bursts_leave_the_postponing_limit_and_lose_no_row() {
    // All eight at once in every window; 9 tREFI lie beyond, so take a smaller debt.
    let mut t = ddr4();
    t.postponable = 4;
    let burst =
        |start: Cycle| (0..8).flat_map(move |i| [all_bank(start + i * 420, 0), all_bank(start + i * 420 + 1, 1)]);
    let commands = [0, 8_000, 16_000].into_iter().flat_map(burst).collect();
    let report = judge(&t, commands, 20_000);
    assert!(report.is_clean(), "{report}");
    assert_eq!(report.retention.postponements, 4, "two pauses of two ranks");
    assert!(report.to_string().contains("4 pauses"), "{report}");
}

#[test]
fn pro_rata_can_be_left_out() {
    let options = Options {
        pro_rata: false,
        ..Options::default()
    };
    assert!(check(&ddr4(), options, &[], 8_000).is_clean());
}

#[test]
fn a_refresh_of_each_bank_stands_for_one_of_all() {
    let t = timing(
        "lpddr4-3200",
        &[
            ("refreshes", 8),
            ("bank_refreshes", 8),
            ("refi", 10_000),
            ("refw", 90_000),
        ],
    );
    let banks = organisation().banks_per_rank();
    let step = 10_000 / u64::from(banks);
    let per_bank = |skip: u32| -> Vec<CommandRecord> {
        let turn = |i: u64| (0..banks).map(move |b| (i * 10_000 + u64::from(b) * step, b));
        let commands = (1..20).flat_map(turn).filter(|&(_, b)| b != skip);
        commands
            .flat_map(|(cycle, b)| {
                [0, 1].map(|rank| refresh(cycle + 5 * u64::from(rank), CommandKind::RefPb, rank, b / 4, b % 4))
            })
            .collect()
    };
    assert!(judge(&t, per_bank(u32::MAX), 200_000).is_clean());
    let missing = judge(&t, per_bank(6), 200_000).retention;
    assert_eq!(missing.late_rows, 2 * 8192);
    assert!(missing.late.iter().all(|l| (l.bank_group, l.bank) == (1, 2)));
}

#[test]
fn a_same_bank_refresh_is_half_of_one() {
    let t = timing(
        "ddr5-4800",
        &[
            ("refreshes", 8),
            ("bank_refreshes", 16),
            ("refi", 10_000),
            ("refw", 90_000),
        ],
    );
    // Four numbers, each every 5000 cycles.
    let every = |interval: u64| -> Vec<CommandRecord> {
        let turn = |i: u64| (0..4).map(move |bank| (i * interval + u64::from(bank) * interval / 4, bank));
        let commands = (1..200_000 / interval).flat_map(turn);
        commands
            .flat_map(|(cycle, bank)| [0, 1].map(|r| refresh(cycle + 5 * u64::from(r), CommandKind::RefSb, r, 0, bank)))
            .collect()
    };
    assert!(judge(&t, every(5_000), 200_000).is_clean());
    let half = judge(&t, every(10_000), 200_000);
    assert!(half.retention.late_rows > 0);
}

#[test]
fn fewer_rows_than_refreshes() {
    // 8192 rows, 32768 refreshes: three of four refresh no row of the organisation, and none is missed.
    let t = timing(
        "ddr4-2400",
        &[
            ("refreshes", 32_768),
            ("refi", 421),
            ("refw", 14_000_000),
            ("rfc_ab", 400),
        ],
    );
    let report = check(
        &t,
        Options {
            keep: 40,
            ..Options::default()
        },
        &[],
        14_000_001,
    );
    assert_eq!(report.retention.late_rows, 2 * 16 * 8192);
    assert_eq!(report.retention.late.len(), 32, "one finding per bank");
}

/// Both ranks, staggered, every quarter of tREFI where `quarters` says so, else every tREFI.
fn mixed(end: Cycle, quarters: impl Fn(Cycle) -> bool) -> Vec<CommandRecord> {
    let rank = |start: Cycle, rank: u32| match quarters(start / 1000) {
        true => (0..4)
            .map(|q| refresh(start + q * 250, CommandKind::RefAb4, rank, 0, 0))
            .collect(),
        false => vec![all_bank(start, rank)],
    };
    (0..end / 1000 - 1)
        .flat_map(|i| [rank(i * 1000, 0), rank(i * 1000 + 100, 1)])
        .flatten()
        .collect()
}

#[test]
fn four_quarters_refresh_the_rows_of_one_command() {
    let mut t = ddr4();
    t.refw = 8000 + 750;
    let mixes: [&dyn Fn(Cycle) -> bool; 4] = [&|_| true, &|i| i % 2 == 0, &|i| i % 9 < 4, &|i| i > 20];
    for quarters in mixes {
        let report = judge(&t, mixed(60_000, quarters), 58_000);
        assert!(report.is_clean(), "{report}");
    }
    // A row in the last quarter waits for 8750 after a command that took it at once: one cycle too long.
    t.refw -= 1;
    let late = judge(&t, mixed(60_000, |i| i > 8), 20_000).retention;
    assert_eq!((late.late_rows, late.late[0].rows), (8 * 256 * 2 * 16, 256));
    assert_eq!(
        (late.late[0].first_row, late.late[0].since, late.late[0].until),
        (1792, 1000, 9750)
    );
}

#[test]
fn a_missing_quarter_makes_its_rows_late() {
    let mut t = ddr4();
    t.refw = 8100;
    let mut commands = mixed(40_000, |_| true);
    let missing = commands.iter().position(|c| c.cycle == 10_250 && c.rank == 0);
    commands.remove(missing.expect("there"));
    // From there on each quarter takes the rows before its turn: they wait for 250 more.
    let late = judge(&t, commands, 38_000).retention;
    assert_eq!(late.late_rows, 16 * 8192);
    assert!(late.late.iter().all(|l| l.rank == 0 && l.until - l.since == 8250));
}

/// A verdict in the middle of a run changes nothing of what is found later, and what it has found for itself is no part of it.
#[test]
fn verdicts_may_be_asked_for_at_any_time() {
    let timing = ddr4();
    let mut asked = Checker::new(&organisation(), &timing, Options::default());
    // Rank 1 is refreshed no more from cycle 4,500 on.
    let commands: Vec<_> = distributed(30_000)
        .into_iter()
        .filter(|command| command.rank == 0 || command.cycle < 5_000)
        .collect();
    for (i, command) in commands.iter().enumerate() {
        let alone = judge(&timing, commands[..i].to_vec(), command.cycle);
        for _ in 0..2 {
            let verdict = asked.verdict(command.cycle);
            assert_eq!(verdict.retention, alone.retention, "cycle {}", command.cycle);
        }
        asked.observe(command);
    }
    let late = asked.verdict(30_000).retention.late_rows;
    assert!(late > 0 && asked.finish(30_000).retention.late_rows == late);
}
