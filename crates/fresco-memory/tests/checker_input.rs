// SPDX-License-Identifier: MIT OR Apache-2.0
//! Command traces as text, and traces of nonsense.

use crate::checker_support::{organisation, timing, trace};
use fresco_dram::{CommandKind, standards};
use fresco_memory::checker::{Checker, CommandRecord, Options, parse_line};
use proptest::prelude::*;

#[test]
fn lines_that_say_nothing() {
    for line in [
        "",
        "   ",
        "# cycle command channel rank bankgroup bank row column",
        "\t# 1",
    ] {
        assert_eq!(parse_line("t", 1, line), Ok(None));
    }
}

#[test]
fn every_command_is_read_as_written() {
    let lines = [
        "17 ACT 0 1 2 3 65535 -",
        "18 PRE 0 1 2 3 - -",
        "18446744073709551615 PREA 4 1 - - - -",
        "20 RD 0 1 2 3 7 1016",
        "21 RDA 0 1 2 3 7 0",
        "22 WR 0 1 2 3 7 0",
        "23 WRA 0 1 2 3 7 0",
        "24 REFab 0 1 - - - -",
        "25 REFpb 0 1 2 3 - -",
        "26 REFsb 0 1 - 3 - -",
    ];
    for line in lines {
        let record = parse_line("t", 1, line).expect("valid").expect("a command");
        assert_eq!(record.to_string(), line);
    }
    let act = trace(lines[0])[0];
    assert_eq!(
        (act.cycle, act.rank, act.bank_group, act.bank, act.row),
        (17, 1, 2, 3, 65535)
    );
}

#[test]
fn errors_name_line_field_and_what_is_allowed() {
    let cases = [
        ("1 ACT 0 0 0 0 7", "", "7 fields"),
        ("1 ACT 0 0 0 0 7 - -", "", "more fields"),
        ("1 act 0 0 0 0 7 -", "command", "`act`"),
        ("x ACT 0 0 0 0 7 -", "cycle", "`x`"),
        ("-1 ACT 0 0 0 0 7 -", "cycle", "`-1`"),
        ("+1 ACT 0 0 0 0 7 -", "cycle", "`+1`"),
        (
            "18446744073709551616 ACT 0 0 0 0 7 -",
            "cycle",
            "`18446744073709551616`",
        ),
        ("1 ACT 4294967296 0 0 0 7 -", "channel", "`4294967296`"),
        ("1 ACT 0 - 0 0 7 -", "rank", "`-`"),
        ("1 ACT 0 0 0 0 - -", "row", "`-`"),
        ("1 ACT 0 0 0 0 7 0", "column", "`0`"),
        ("1 REFab 0 0 0 - - -", "bankgroup", "`0`"),
        ("1 RD 0 0 0 0 0x7 0", "row", "`0x7`"),
    ];
    for (line, field, found) in cases {
        let error = parse_line("run.cmd", 42, line).expect_err(line);
        assert_eq!(
            (
                error.file.as_str(),
                error.line,
                error.field.as_str(),
                error.found.as_str()
            ),
            ("run.cmd", Some(42), field, found)
        );
        assert!(!error.allowed.is_empty(), "{line}");
    }
}

fn any_record() -> impl Strategy<Value = CommandRecord> {
    let cycle = prop_oneof![0..2_000u64, any::<u64>(), Just(u64::MAX)];
    let small = || prop_oneof![9 => 0..4u32, 1 => any::<u32>()];
    (
        cycle,
        0..CommandKind::ALL.len(),
        [small(), small(), small(), small(), small(), small()],
    )
        .prop_map(
            |(cycle, kind, [channel, rank, bank_group, bank, row, column])| CommandRecord {
                cycle,
                kind: CommandKind::ALL[kind],
                channel: channel % 3,
                rank: rank % 3,
                bank_group,
                bank,
                row,
                column,
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, rng_seed: proptest::test_runner::RngSeed::Fixed(1), ..ProptestConfig::default() })]

    #[test]
    fn nonsense_is_judged_without_panic(
        mut records in prop::collection::vec(any_record(), 0..300),
        sorted: bool,
        standard in 0..8usize,
        end: u64,
    ) {
        if sorted {
            records.sort_by_key(|r| r.cycle);
        }
        let name = standards::names().nth(standard).expect("eight standards");
        let mut checker = Checker::new(&organisation(), &timing(name, &[("refreshes", 16), ("bank_refreshes", 16)]), Options::default());
        records.iter().for_each(|r| checker.observe(r));
        let report = checker.finish(end);
        prop_assert_eq!(report.commands_total(), records.len() as u64);
        prop_assert!(!report.to_string().is_empty());
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC*", number: u32) {
        if let Ok(Some(record)) = parse_line("t", number, &text) {
            prop_assert_eq!(parse_line("t", 1, &record.to_string()), Ok(Some(record)));
        }
    }

    #[test]
    fn near_lines_are_read_or_refused(words in prop::collection::vec("[0-9]{1,3}|-|ACT|RD|PREA|REFsb|WRA", 6..10)) {
        let text = words.join(" ");
        match parse_line("t", 7, &text) {
            Ok(Some(record)) => prop_assert_eq!(parse_line("t", 1, &record.to_string()), Ok(Some(record))),
            Ok(None) => prop_assert!(false, "a line with words is a command or an error"),
            Err(error) => prop_assert_eq!(error.line, Some(7)),
        }
    }
}
