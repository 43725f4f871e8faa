// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every refresh policy on every standard that has its commands: exact, clean, and no row late over several refresh
//! windows; and what is particular to each.

use crate::support::random::Random;
use crate::support::script::run;
use crate::support::traffic::Traffic;
use crate::support::{devices, variety};
use fresco_dram::{Cycle, Organisation, Timing};
use fresco_machine::{ControllerConfig, RefreshPolicy};
use fresco_memory::controller::refresh::BankTurns;
use fresco_memory::{Access, Command, Request, Stepping};

/// Rows in so few parts that a test sees several refresh windows.
pub const PARTS: u64 = 64;

/// Devices whose refresh window is short: `PARTS` refreshes of the usual length, at most eight of them owed.
pub fn short_window(standard: &str) -> (Organisation, Timing) {
    let usual = devices::timing(standard, &[]);
    let ratio = (usual.bank_refreshes / usual.refreshes).max(1);
    // The banks of both ranks have their turns one after the other in the sequential order.
    let org = devices::organisation(standard);
    let units = match usual.rfc_sb {
        0 => u64::from(org.ranks * usual.refpb_units(&org)),
        _ => u64::from(org.banks),
    };
    let each = usual
        .rfc_ab
        .max(units * ratio * usual.refresh_to_refresh_other.max(usual.rfc_pb));
    let refi = each + 2500;
    let bank_parts = if usual.bank_refreshes == 0 { 0 } else { PARTS * ratio };
    let timing = devices::timing(
        standard,
        &[
            ("refi", refi),
            ("refreshes", PARTS),
            ("bank_refreshes", bank_parts),
            ("refw", refi * (PARTS + 12)),
            ("postponable", 8),
        ],
    );
    (org, timing)
}

pub fn with(policy: RefreshPolicy) -> ControllerConfig {
    let first = variety::configurations(3).next();
    ControllerConfig {
        refresh: policy,
        ..first.expect("configurations")
    }
}

/// Requests until the end of the fourth refresh window.
fn requests(seed: u64, org: &Organisation, timing: &Timing) -> Vec<(Cycle, Request)> {
    let mut traffic = Traffic::new(seed, org, timing);
    let end = 4 * timing.refw;
    std::iter::from_fn(|| Some(traffic.draw()))
        .take_while(|&(at, _)| at < end)
        .collect()
}

pub fn refreshes(commands: &[Command]) -> Vec<&Command> {
    commands.iter().filter(|c| c.kind.is_refresh()).collect()
}

#[test]
fn every_policy_refreshes_every_row_in_time_on_every_standard() {
    let mut runs = 0;
    let standards = [
        "ddr2-800",
        "ddr3-1600",
        "ddr4-2400",
        "ddr5-4800",
        "lpddr3-1600",
        "lpddr4-3200",
        "lpddr5-6400",
        "lpddr5-6400-8b",
        "hbm2-2000",
        "hbm3-6400",
    ];
    for standard in standards {
        let (org, timing) = short_window(standard);
        for (name, policy) in RefreshPolicy::NAMES {
            if policy == RefreshPolicy::None || policy.check(&org, &timing).is_err() {
                continue;
            }
            let (record, end) = run(
                &with(policy),
                &org,
                &timing,
                Stepping::Events,
                requests(7, &org, &timing).into_iter(),
            );
            let issued = refreshes(&record.commands).len() as u64;
            let report = record.verdict(end);
            assert!(end > 3 * timing.refw, "{standard} {name}: {end} cycles");
            assert!(issued > 3 * PARTS * 2, "{standard} {name}: {issued} refreshes");
            assert_eq!(report.violations_total(), 0, "{standard} {name}: {report}");
            assert_eq!(report.retention.late_rows, 0, "{standard} {name}: {report}");
            let bursts = matches!(policy, RefreshPolicy::Burst | RefreshPolicy::PerBankSequential);
            assert_eq!(
                report.retention.postponements > 0,
                bursts,
                "{standard} {name}: {report}"
            );
            let out_of_round = policy == RefreshPolicy::PerBankSequential;
            assert_eq!(
                report.retention.repeats > 0,
                out_of_round,
                "{standard} {name}: {report}"
            );
            runs += 1;
        }
    }
    assert_eq!(
        runs,
        10 * 4 + 1 + (3 + 3 + 2 + 3 + 3 + 3) + 1,
        "four all-bank policies everywhere, one of REFab4, three of REFpb, two where that is of two banks, one of REFsb"
    );
}

#[test]
fn jumping_in_time_changes_no_command() {
    for standard in ["ddr4-2400", "ddr5-4800", "lpddr4-3200", "lpddr5-6400", "hbm2-2000"] {
        let org = devices::organisation(standard);
        let (_, timing) = short_window(standard);
        for (name, policy) in RefreshPolicy::NAMES.into_iter().skip(3) {
            if policy.check(&org, &timing).is_err() {
                continue;
            }
            for mut config in variety::configurations(9).step_by(7) {
                config.refresh = policy;
                let mut traffic = Traffic::new(21, &org, &timing);
                let requests: Vec<_> = (0..300).map(|_| traffic.draw()).collect();
                let (jumping, _) = run(&config, &org, &timing, Stepping::Events, requests.iter().copied());
                let (stepping, _) = run(&config, &org, &timing, Stepping::EveryCycle, requests.iter().copied());
                assert_eq!(jumping.commands, stepping.commands, "{standard} {name} {config:?}");
                assert_eq!(
                    jumping.completions, stepping.completions,
                    "{standard} {name} {config:?}"
                );
            }
        }
    }
}

/// A read of one bank of rank 0, of another row each time, each `every` cycles.
pub fn reads_of_a_bank(org: &Organisation, bank: u32, every: Cycle, end: Cycle) -> Vec<(Cycle, Request)> {
    (1..end / every)
        .map(|i| {
            let location = fresco_dram::Location {
                bank_group: bank / org.banks,
                bank: bank % org.banks,
                row: (i % 4096) as u32,
                ..fresco_dram::Location::default()
            };
            let request = Request {
                id: i,
                source: 0,
                access: Access::Read,
                line: (i * 64) << 20,
                location,
            };
            (i * every, request)
        })
        .collect()
}

#[test]
fn out_of_order_leaves_the_busy_bank_for_the_end_of_each_round() {
    let (org, timing) = short_window("lpddr4-3200");
    // Reads come faster than the bank's row cycle: it always has some waiting.
    let requests = reads_of_a_bank(&org, 2, 10, 20 * timing.refi);
    let (record, _) = run(
        &with(RefreshPolicy::PerBankOutOfOrder),
        &org,
        &timing,
        Stepping::Events,
        requests.into_iter(),
    );
    let banks: Vec<u32> = refreshes(&record.commands)
        .iter()
        .filter(|c| c.rank == 0)
        .map(|c| c.bank)
        .collect();
    assert!(banks.len() > 100);
    for round in banks.chunks_exact(8) {
        assert_eq!(round, [0, 1, 3, 4, 5, 6, 7, 2]);
    }
}

#[test]
fn sequential_refreshes_all_rows_of_a_bank_before_the_next() {
    let (org, timing) = short_window("lpddr4-3200");
    let requests = reads_of_a_bank(&org, 2, 1000, 2 * timing.refw);
    let (record, _) = run(
        &with(RefreshPolicy::PerBankSequential),
        &org,
        &timing,
        Stepping::Events,
        requests.into_iter(),
    );
    let issued = refreshes(&record.commands);
    assert!(issued.len() > 2000);
    let turns = BankTurns::new(&org, &timing);
    for (i, command) in issued.iter().enumerate() {
        let turn = turns.turn(i as u64 / PARTS);
        assert_eq!((command.rank, command.bank), (turn.rank, turn.bank), "command {i}");
        assert_eq!(
            i as u64 / PARTS % 16,
            u64::from(8 * command.rank + command.bank),
            "command {i}"
        );
        // All of a turn within it, also where a begun request goes first.
        let span = turn.start..=turn.end - timing.rfc_pb;
        assert!(
            span.contains(&command.cycle),
            "command {i} at {} of {turn:?}",
            command.cycle
        );
    }
}

#[test]
fn elastic_refresh_waits_for_a_pause_up_to_the_limit() {
    let (org, timing) = short_window("ddr4-2400");
    let busy = 30 * timing.refi;
    // Rank 0 is never idle, rank 1 always.
    let requests = reads_of_a_bank(&org, 0, 10, busy);
    let (record, _) = run(
        &with(RefreshPolicy::Elastic),
        &org,
        &timing,
        Stepping::Events,
        requests.into_iter(),
    );
    let first = |rank| {
        refreshes(&record.commands)
            .iter()
            .find(|c| c.rank == rank)
            .map(|c| c.cycle)
    };
    let (forced, idle) = (first(0).expect("refreshed"), first(1).expect("refreshed"));
    // With eight owed, as many as the standard allows.
    assert!(
        (8 * timing.refi - timing.refi / 2..=8 * timing.refi + timing.rc).contains(&forced),
        "{forced}"
    );
    // With one owed, after seven eighths of tRFC.
    assert!((timing.refi..timing.refi + timing.rfc_ab).contains(&idle), "{idle}");
}

#[test]
fn elastic_refresh_makes_fewer_reads_wait() {
    let (org, timing) = short_window("ddr4-2400");
    // Bursts of work, and pauses in which refreshes fit.
    let mut random = Random::new(5);
    let mut requests = Vec::new();
    for burst in 0..400u64 {
        let start = burst * timing.refi;
        for (at, mut request) in reads_of_a_bank(&org, random.below(16) as u32, 50, timing.refi * 2 / 3) {
            request.id = requests.len() as u64;
            requests.push((start + at, request));
        }
    }
    let waiting = |policy| {
        let (record, _) = run(&with(policy), &org, &timing, Stepping::Events, requests.iter().copied());
        record.completions.iter().filter(|c| c.wait.refresh > 0).count()
    };
    let (usual, elastic) = (
        waiting(RefreshPolicy::AllBankIndependent),
        waiting(RefreshPolicy::Elastic),
    );
    assert!(usual > 300, "{usual}");
    assert!(elastic * 10 < usual, "{elastic} of {usual}");
}

#[test]
fn a_burst_is_back_to_back_in_both_ranks_at_once() {
    let (org, timing) = short_window("ddr4-2400");
    let requests = reads_of_a_bank(&org, 0, 5000, 2 * timing.refw);
    let (record, _) = run(
        &with(RefreshPolicy::Burst),
        &org,
        &timing,
        Stepping::Events,
        requests.into_iter(),
    );
    // Who comes at its beginning waits for all of it, and for nothing else.
    let waits = record.completions.iter().map(|c| c.wait);
    let longest = waits.max_by_key(|wait| wait.refresh).expect("reads");
    assert!(longest.refresh > (PARTS - 16) * timing.rfc_ab, "{longest:?}");
    assert!(longest.bank < 2 * timing.rc, "{longest:?}");
    for rank in 0..2 {
        let cycles: Vec<Cycle> = refreshes(&record.commands)
            .iter()
            .filter(|c| c.rank == rank)
            .map(|c| c.cycle)
            .collect();
        for burst in cycles.chunks_exact(PARTS as usize) {
            // One command slot later than possible where the other rank's command goes first.
            let longest = (PARTS - 1) * (timing.rfc_ab + 1);
            assert!(burst[burst.len() - 1] - burst[0] <= longest, "{burst:?}");
        }
        assert!(cycles.len() as u64 >= 2 * PARTS);
    }
}

#[test]
fn policies_that_devices_do_not_stand_are_refused_with_the_reason() {
    let (org, timing) = (devices::organisation("ddr4-2400"), devices::timing("ddr4-2400", &[]));
    let why = |policy: RefreshPolicy, org: &Organisation, timing: &Timing| policy.check(org, timing).unwrap_err();
    assert_eq!(
        why(RefreshPolicy::PerBank, &org, &timing),
        "ddr4-2400 with this refresh table has no REFpb"
    );
    assert_eq!(
        why(RefreshPolicy::SameBank, &org, &timing),
        "ddr4-2400 with this refresh table has no REFsb"
    );
    let (org3, ddr3) = (devices::organisation("ddr3-1600"), devices::timing("ddr3-1600", &[]));
    assert_eq!(
        why(RefreshPolicy::Adaptive, &org3, &ddr3),
        "ddr3-1600 with this refresh table and mode has no REFab4 (on-the-fly refresh of DDR4)"
    );
    let hasty = devices::timing("ddr4-2400", &[("refi", 4000), ("rfc_ab4", 1000)]);
    assert_eq!(
        why(RefreshPolicy::Adaptive, &org, &hasty),
        "REFab4 is due every 1000 cycles, and takes 1000 of them"
    );
    let long = devices::timing("ddr4-2400", &[("rfc_ab", 9_359), ("refw", 9_360 * 8192)]);
    assert_eq!(
        why(RefreshPolicy::Burst, &org, &long),
        "a burst of 76668928 cycles does not end within the refresh window of 76667760 cycles"
    );
    // CON-20: with 16 banks at twice the pace there is no time for the next bank.
    let org = devices::organisation("lpddr4-3200");
    let hot = devices::timing("lpddr4-3200", &[("refi", 1600), ("rfc_ab", 448)]);
    let complaint = why(RefreshPolicy::PerBankSequential, &org, &hot);
    assert_eq!(
        complaint,
        "a refresh command is due every 100 cycles, and the next may follow after 224 (CON-20)"
    );
}
