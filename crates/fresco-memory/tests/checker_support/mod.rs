// SPDX-License-Identifier: MIT OR Apache-2.0
//! Hand-written command traces and what the checker says to them.
use fresco_dram::standards::{self, Device, TimingOverrides};
use fresco_dram::{Cycle, Organisation, Timing};
use fresco_memory::checker::{Checker, CheckerReport, CommandRecord, Constraint, Options, parse_line};

/// Two ranks of four groups of four banks, one channel.
pub fn organisation() -> Organisation {
    Organisation {
        nodes: 1,
        channels: 1,
        ranks: 2,
        bank_groups: 4,
        banks: 4,
        rows: 8192,
        columns: 1024,
        bus_bytes: 8,
    }
}

/// A built-in speed grade with 8 Gb devices and some values replaced.
pub fn timing(name: &str, overrides: &[(&str, Cycle)]) -> Timing {
    let overrides = TimingOverrides(overrides.iter().map(|&(n, v)| (n.to_string(), v)).collect());
    standards::timing_with(name, &Device::jedec(8), &overrides).expect("consistent timing")
}

/// Timing alone, without refresh.
pub const TIMING_ONLY: Options = Options {
    retention: false,
    pro_rata: false,
    keep: 100,
    hotter: None,
};

/// Reads a trace, one command per line or separated by `;`.
pub fn trace(text: &str) -> Vec<CommandRecord> {
    let lines = text.split(['\n', ';']).enumerate();
    lines
        .filter_map(|(i, line)| parse_line("trace", i as u32 + 1, line).expect("a valid trace"))
        .collect()
}

/// The report on a trace that ends at `end`.
pub fn check(timing: &Timing, options: Options, commands: &[CommandRecord], end: Cycle) -> CheckerReport {
    let mut checker = Checker::new(&organisation(), timing, options);
    commands.iter().for_each(|c| checker.observe(c));
    checker.finish(end)
}

/// The rules that a trace violates, in its order.
pub fn violated(timing: &Timing, text: &str) -> Vec<Constraint> {
    check(timing, TIMING_ONLY, &trace(text), 0)
        .violations
        .iter()
        .map(|v| v.constraint)
        .collect()
}

/// The last command of `text`, whose cycle is written `@`, may come at `t`, but at `t - 1` violates `constraint` and
/// nothing else.
#[track_caller]
pub fn tight(timing: &Timing, constraint: Constraint, text: &str, t: Cycle) {
    assert_eq!(
        violated(timing, &text.replace('@', &t.to_string())),
        [],
        "{text} at {t}"
    );
    let early = check(timing, TIMING_ONLY, &trace(&text.replace('@', &(t - 1).to_string())), 0);
    let found: Vec<Constraint> = early.violations.iter().map(|v| v.constraint).collect();
    assert_eq!(found, [constraint], "{text} at {}", t - 1);
    let violation = &early.violations[0];
    assert_eq!(violation.found + 1, violation.required, "{violation}");
}

/// The benchmark's DDR4-2400, its values spread where two rules would bind in the same cycle.
pub fn ddr4() -> Timing {
    timing(
        "ddr4-2400",
        &[
            ("cl", 16),
            ("cwl", 12),
            ("rcd", 16),
            ("rp", 16),
            ("rp_ab", 20),
            ("ras", 39),
            ("rc", 60),
            ("rrd_s", 4),
            ("rrd_l", 6),
            ("faw", 40),
            ("ccd_s", 6),
            ("ccd_l", 8),
            ("ccd_l_wr", 10),
            ("wtr_s", 3),
            ("wtr_l", 9),
            ("rtp", 9),
            ("wr", 30),
            ("rtrs", 2),
            ("rtw_gap", 2),
            ("ppd", 3),
            ("rfc_ab", 420),
        ],
    )
}

/// LPDDR4 as built in: four- and two-clock commands, REFpb.
pub fn lpddr4() -> Timing {
    timing("lpddr4-3200", &[])
}

/// DDR5 as built in: two-clock commands, REFsb.
pub fn ddr5() -> Timing {
    timing("ddr5-4800", &[])
}
