// SPDX-License-Identifier: MIT OR Apache-2.0
//! Refresh in windows that a plan lays down: kept, met by no access that avoids them, refused where no device can follow.

use crate::refresh_policies::{PARTS, reads_of_a_bank, refreshes, short_window, with};
use crate::support::record::Record;
use crate::support::script::drive;
use fresco_dram::{Organisation, Timing};
use fresco_machine::RefreshPolicy;
use fresco_memory::checker::Hotter;
use fresco_memory::controller::refresh::{AllBankSimultaneous, RefreshEngine, Window, WindowError, Windows};
use fresco_memory::{Access, Controller, Request};

/// Two colors of one rank each, refreshed half a window apart (CR-1), each by segments (F29) or in one go.
fn colored(org: &Organisation, timing: &Timing, segments: u64) -> Windows {
    let period = timing.refw - timing.refi;
    let windows: Vec<Window> = (0..segments)
        .flat_map(|i| {
            [0, 1].map(|rank| Window {
                start: (2 * i + rank) * period / (2 * segments),
                ranks: 1 << rank,
                commands: PARTS / segments,
            })
        })
        .collect();
    Windows::new(org, timing, period, &windows).expect("a plan")
}

#[test]
fn planned_windows_are_kept_and_meet_no_access_that_avoids_them() {
    let (org, timing) = short_window("ddr4-2400");
    for segments in [1, 4, 16] {
        let period = timing.refw - timing.refi;
        let half = period / (2 * segments);
        let busy = PARTS / segments * timing.rfc_ab;
        let mut config = with(RefreshPolicy::None);
        config.page = fresco_machine::PagePolicy::Closed;
        let mut controller = Controller::new(&config, &org, &timing, 0);
        controller.set_refresh(vec![Box::new(colored(&org, &timing, segments))]);
        // After the first half period (when rank 1 is refreshed as usual still), each rank is read only outside its
        // windows.
        let mut requests = Vec::new();
        for i in 0..4 * timing.refw / 200 {
            let at = 2 * timing.refw + i * 200;
            let (slot, within) = (at % period / half, at % period % half);
            let rank = (slot % 2 == 0) as u32;
            if within + 300 < half || within > busy {
                let request = Request {
                    id: requests.len() as u64,
                    source: 0,
                    access: Access::Read,
                    line: (i * 64) << 20,
                    location: fresco_dram::Location {
                        rank,
                        row: (i % 512) as u32,
                        ..fresco_dram::Location::default()
                    },
                };
                requests.push((at, request));
            }
        }
        let record = Record::new(&org, &timing, true);
        let (record, end) = drive(controller, record, &timing, requests.into_iter());
        assert!(record.completions.len() > 1000);
        assert!(
            record.completions.iter().all(|c| c.wait.refresh == 0),
            "{segments} segments"
        );
        let report = record.verdict(end);
        assert!(report.is_clean(), "{segments} segments: {report}");
    }
}

#[test]
fn a_rank_is_refreshed_as_usual_until_its_first_window() {
    let (org, timing) = short_window("ddr4-2400");
    let window = Window {
        start: timing.refw / 2,
        ranks: 0b10,
        commands: PARTS,
    };
    let engine = Windows::new(&org, &timing, timing.refw - timing.refi, &[window]).expect("a plan");
    let mut controller = Controller::new(&with(RefreshPolicy::None), &org, &timing, 0);
    controller.set_refresh(vec![Box::new(engine)]);
    let requests = reads_of_a_bank(&org, 0, 1000, 3 * timing.refw);
    let (record, end) = drive(
        controller,
        Record::new(&org, &timing, true),
        &timing,
        requests.into_iter(),
    );
    let of = |rank| refreshes(&record.commands).into_iter().filter(move |c| c.rank == rank);
    assert_eq!(
        of(1).filter(|c| c.cycle < window.start).count() as u64,
        (window.start - 1) / timing.refi
    );
    // A rank without a window is refreshed as usual to the end.
    assert!(of(0).count() as u64 >= end / timing.refi - 1);
    let report = record.verdict(end);
    assert!(report.is_clean(), "{report}");
}

/// Windows in every second turn come late by all of the jitter: rows wait too long, unless as many more commands as fit it refresh
/// them earlier in each burst.
#[test]
fn late_windows_need_more_commands() {
    let (org, timing) = short_window("ddr4-2400");
    let jitter = 2 * timing.rfc_ab;
    for (more, in_time) in [(0, false), (1, false), (2, true), (3, true)] {
        let windows = [0, 1].map(|rank| Window {
            start: rank * timing.refw / 2,
            ranks: 1 << rank,
            commands: PARTS + more,
        });
        let engine = Windows::on_time(&org, &timing, timing.refw, &windows).expect("a plan");
        let mut controller = Controller::new(&with(RefreshPolicy::None), &org, &timing, 0);
        let engine = engine.late_every_other_turn(jitter, timing.refw);
        controller.set_refresh(vec![Box::new(engine)]);
        // A read now and then, far from all windows, keeps the run going.
        let reads = reads_of_a_bank(&org, 0, timing.refw, 6 * timing.refw);
        let reads = reads.into_iter().map(|(at, read)| (at + timing.refw / 4, read));
        let (record, end) = drive(controller, Record::new(&org, &timing, true), &timing, reads);
        let of_rank_1 = refreshes(&record.commands)
            .into_iter()
            .filter(|command| command.rank == 1);
        // On time in the first turn and late in the second.
        let begins: Vec<u64> = of_rank_1.map(|command| command.cycle).collect();
        assert!(
            begins.contains(&(timing.refw / 2)) && begins.contains(&(3 * timing.refw / 2 + jitter)),
            "{more}"
        );
        let report = record.verdict(end);
        assert_eq!(report.is_clean(), in_time, "{more} more: {report}");
    }
}

/// Devices become hot after three refresh windows: refresh that follows is in time, whether in bursts or spread, and refresh that stays as it was is late.
#[test]
fn refresh_follows_devices_that_become_hot() {
    let (org, timing) = short_window("ddr4-2400");
    let (from, interval) = (3 * timing.refw, timing.refi * 3 / 4);
    let refw = interval * (PARTS + 1);
    let settled = from + refw;
    let burst = |period| {
        let all = Window {
            start: 0,
            ranks: 0b11,
            commands: PARTS,
        };
        Windows::on_time(&org, &timing, period, &[all])
            .expect("a plan")
            .in_rhythm()
    };
    let (usual, shorter) = (timing.refw, refw - timing.refi / 2);
    let spread = || AllBankSimultaneous::new(&org, &timing);
    let engines: [(Box<dyn RefreshEngine>, bool); 4] = [
        (Box::new(burst(usual)), false),
        (Box::new(burst(usual).followed_by(from, burst(shorter))), true),
        (Box::new(spread()), false),
        (Box::new(spread().at_shorter_intervals(from, interval)), true),
    ];
    for (number, (engine, in_time)) in engines.into_iter().enumerate() {
        let mut controller = Controller::new(&with(RefreshPolicy::None), &org, &timing, 0);
        controller.set_refresh(vec![engine]);
        let reads = reads_of_a_bank(&org, 0, timing.refw, 8 * timing.refw);
        let reads = reads.into_iter().map(|(at, read)| (at + timing.refw / 4, read));
        let record = Record::hotter(&org, &timing, Hotter { from, refw, settled });
        let (record, end) = drive(controller, record, &timing, reads);
        let begins: Vec<u64> = refreshes(&record.commands)
            .iter()
            .filter(|command| command.rank == 0)
            .map(|command| command.cycle)
            .collect();
        // The first burst of hot devices begins when they become hot, and takes the place of the usual one.
        if number == 1 {
            let next = begins.iter().filter(|&&begin| begin >= from);
            assert_eq!(next.clone().next(), Some(&from));
            assert_eq!(next.take_while(|&&begin| begin < from + shorter).count() as u64, PARTS);
        }
        // Commands are as far apart as in either mode, or further.
        if number == 3 {
            assert!(begins.windows(2).all(|pair| pair[1] - pair[0] + 400 >= interval));
        }
        let report = record.verdict(end);
        assert_eq!(report.is_clean(), in_time, "engine {number}: {report}");
    }
}

#[test]
fn impossible_plans_are_refused() {
    let (org, timing) = short_window("ddr4-2400");
    let window = |start, ranks, commands| Window { start, ranks, commands };
    let refused = |windows: &[Window]| Windows::new(&org, &timing, 100_000, windows).err();
    assert_eq!(
        refused(&[window(0, 1, 1), window(100_000, 1, 1)]),
        Some(WindowError::BeyondPeriod(1))
    );
    assert_eq!(refused(&[window(0, 0b100, 1)]), Some(WindowError::NoSuchRank(0)));
    assert_eq!(refused(&[window(0, 0, 1)]), Some(WindowError::NoSuchRank(0)));
    assert_eq!(refused(&[window(0, 1, 0)]), Some(WindowError::Empty(0)));
    let close = timing.rfc_ab - 1;
    assert_eq!(
        refused(&[window(0, 3, 1), window(close, 2, 1)]),
        Some(WindowError::Overlap(0))
    );
    assert_eq!(
        refused(&[window(100_000 - close, 1, 1), window(0, 1, 1)]),
        Some(WindowError::Overlap(0))
    );
    assert_eq!(refused(&[window(0, 1, u64::MAX)]), Some(WindowError::Overlap(0)));
    assert!(refused(&[window(0, 1, 1), window(close + 1, 2, 1)]).is_none());
}
