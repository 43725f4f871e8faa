// SPDX-License-Identifier: MIT OR Apache-2.0
//! Adaptive refresh (REF-10): quarters for a channel with time, whole commands for a busy one, and no row late between. The
//! fixed granularities beside it (REF-7).

use crate::support::script::run;
use crate::support::{devices, variety};
use fresco_dram::standards::{self, Device, FineRefresh, TimingOverrides};
use fresco_dram::{CommandKind, Cycle, Location, Organisation, Timing};
use fresco_machine::{ControllerConfig, RefreshPolicy};
use fresco_memory::{Access, Command, Request, Stepping};

/// Rows in so few parts that a test sees several refresh windows. A window has three quarters of an interval to spare, for
/// a row that moves from the beginning to the end of its interval, and a little for requests that go first.
fn short_window() -> (Organisation, Timing) {
    let refi = 4000;
    let timing = devices::timing(
        "ddr4-2400",
        &[
            ("refi", refi),
            ("refreshes", 32),
            ("refw", 34 * refi),
            ("postponable", 8),
        ],
    );
    (devices::organisation("ddr4-2400"), timing)
}

fn config(policy: RefreshPolicy) -> ControllerConfig {
    let first = variety::configurations(3).next();
    ControllerConfig {
        refresh: policy,
        ..first.expect("configurations")
    }
}

/// Row hits in rank 0, `share` percent of what the data bus can carry, in the intervals that `busy` names.
fn traffic(t: &Timing, share: u64, busy: impl Fn(Cycle) -> bool, end: Cycle) -> Vec<(Cycle, Request)> {
    let each = t.burst() * 100 / share;
    (1..end / each)
        .filter(|i| busy(i * each / t.refi))
        .map(|i| {
            let location = Location {
                bank_group: (i % 4) as u32,
                bank: (i / 4 % 4) as u32,
                column: (i / 16 % 128 * 8) as u32,
                ..Location::default()
            };
            let request = Request {
                id: i,
                source: 0,
                access: Access::Read,
                line: i * 64,
                location,
            };
            (i * each, request)
        })
        .collect()
}

fn refreshes(commands: &[Command], rank: u32) -> Vec<(Cycle, CommandKind)> {
    let of = commands.iter().filter(|c| c.kind.is_refresh() && c.rank == rank);
    of.map(|c| (c.cycle, c.kind)).collect()
}

#[test]
fn quarters_below_half_of_the_bus_and_whole_commands_above() {
    let (org, timing) = short_window();
    for (share, kind) in [(40, CommandKind::RefAb4), (70, CommandKind::RefAb)] {
        let requests = traffic(&timing, share, |_| true, 60 * timing.refi);
        let (record, end) = run(
            &config(RefreshPolicy::Adaptive),
            &org,
            &timing,
            Stepping::Events,
            requests.into_iter(),
        );
        for rank in 0..2 {
            let issued = refreshes(&record.commands, rank);
            assert!(issued.iter().all(|&(_, found)| found == kind), "{share} %: {issued:?}");
            let per_interval = if kind == CommandKind::RefAb4 { 4 } else { 1 };
            assert!(
                (58 * per_interval..=60 * per_interval).contains(&issued.len()),
                "{}",
                issued.len()
            );
        }
        let report = record.verdict(end);
        assert!(report.is_clean(), "{report}");
        assert_eq!(report.retention.postponements, 0);
    }
}

#[test]
fn the_granularity_follows_the_load_an_interval_later_and_changes_after_whole_commands_only() {
    let (org, timing) = short_window();
    // Three intervals of work, five of rest, over six refresh windows.
    let requests = traffic(&timing, 80, |interval| interval % 8 < 3, 200 * timing.refi);
    let (record, end) = run(
        &config(RefreshPolicy::Adaptive),
        &org,
        &timing,
        Stepping::Events,
        requests.into_iter(),
    );
    // Rank 1 is refreshed at the boundaries of tREFI: the choice is by the interval just over.
    for (cycle, kind) in refreshes(&record.commands, 1) {
        let busy = (cycle / timing.refi - 1) % 8 < 3;
        assert_eq!(kind == CommandKind::RefAb, busy, "at {cycle}");
    }
    for rank in 0..2 {
        let kinds: Vec<CommandKind> = refreshes(&record.commands, rank)
            .into_iter()
            .map(|(_, kind)| kind)
            .collect();
        let runs: Vec<_> = kinds.chunk_by(|a, b| a == b).collect();
        assert!(runs.len() > 40, "{} changes", runs.len());
        let quarters = runs[..runs.len() - 1]
            .iter()
            .filter(|run| run[0] == CommandKind::RefAb4);
        assert!(quarters.clone().all(|run| run.len() % 4 == 0));
    }
    let report = record.verdict(end);
    assert!(report.is_clean(), "{report}");
}

#[test]
fn a_quarter_keeps_a_lonely_read_for_less_time() {
    let (org, timing) = short_window();
    let longest = |policy| {
        let requests = traffic(&timing, 2, |_| true, 100 * timing.refi);
        let (record, _) = run(&config(policy), &org, &timing, Stepping::Events, requests.into_iter());
        record.completions.iter().map(|c| c.wait.refresh).max()
    };
    let (whole, quarter) = (
        longest(RefreshPolicy::AllBankIndependent).expect("reads"),
        longest(RefreshPolicy::Adaptive).expect("reads"),
    );
    assert!(quarter <= timing.rfc_ab4 + timing.rc, "{quarter}");
    assert!(
        whole > timing.rfc_ab4 + timing.rc && whole <= timing.rfc_ab + timing.rc,
        "{whole}"
    );
}

/// REF-7: the fixed granularities of DDR4 over two real refresh windows of 64 ms, with a little traffic.
#[test]
fn fixed_granularities_refresh_every_row_in_time() {
    for (fine, commands) in [
        (FineRefresh::X1, 8192),
        (FineRefresh::X2, 16_384),
        (FineRefresh::X4, 32_768),
    ] {
        let choice = Device {
            fine,
            ..Device::jedec(8)
        };
        let org = devices::organisation("ddr4-2400");
        let timing = standards::timing_with("ddr4-2400", &choice, &TimingOverrides::default()).expect("a mode of DDR4");
        let request = |i: u64| Request {
            id: i,
            source: 0,
            access: Access::Read,
            line: i * 64,
            location: Location {
                rank: (i % 2) as u32,
                bank: (i % 3) as u32,
                ..Location::default()
            },
        };
        let requests = (1..2 * timing.refw / 50_000).map(|i| (i * 50_000, request(i)));
        let policy = config(RefreshPolicy::AllBankIndependent);
        let (record, end) = run(&policy, &org, &timing, Stepping::Events, requests);
        let issued = refreshes(&record.commands, 0);
        assert!(issued.iter().all(|&(_, kind)| kind == CommandKind::RefAb));
        assert!(
            issued.len().abs_diff(2 * commands) < 2 * commands / 500,
            "{fine:?}: {}",
            issued.len()
        );
        let report = record.verdict(end);
        assert!(report.is_clean(), "{fine:?}: {report}");
        assert_eq!(report.retention.postponements, 0);
    }
}
