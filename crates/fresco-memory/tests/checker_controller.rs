// SPDX-License-Identifier: MIT OR Apache-2.0
//! The controllers before the judge: random traffic with writes on two ranks, every standard, page policy and refresh.

use crate::checker_support::{organisation, timing};
use crate::support::devices;
use fresco_dram::{Generation, Location, Organisation, Timing, standards};
use fresco_machine::{ControllerConfig, PagePolicy, Queues, RefreshPolicy, Scheduler};
use fresco_memory::checker::{Checker, CheckerReport, Options};
use fresco_memory::{Access, Command, Completion, Controller, Request, Sink};

struct Judge(Checker);

impl Sink for Judge {
    fn completed(&mut self, _completion: &Completion) {}

    fn command(&mut self, c: &Command) {
        self.0.observe(&c.into());
    }
}

/// One request every two bursts at most, a third of them writes, half of them to a recent row.
fn run(org: &Organisation, timing: &Timing, page: PagePolicy, refresh: RefreshPolicy, requests: u64) -> CheckerReport {
    let config = ControllerConfig {
        scheduler: Scheduler::FrFcfs { hit_cap: 4 },
        page,
        queues: Queues::Global { reads: 32, writes: 32 },
        drain_high: 24,
        drain_low: 8,
        refresh,
        drain_once: false,
        frontend: 0,
    };
    let options = Options {
        retention: refresh != RefreshPolicy::None,
        ..Options::default()
    };
    let mut judge = Judge(Checker::new(org, timing, options));
    let mut controller = Controller::new(&config, org, timing, 0);
    let mut state = 1u64;
    let mut random = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let (mut at, mut location) = (1, Location::default());
    for id in 0..requests {
        at += random(2 * timing.burst());
        // A lull now and then, so that banks idle into a refresh.
        at += if random(1000) == 0 { random(3 * timing.refi) } else { 0 };
        if random(2) == 0 {
            location = Location {
                node: 0,
                channel: 0,
                rank: random(u64::from(org.ranks)) as u32,
                bank_group: random(u64::from(org.bank_groups)) as u32,
                bank: random(u64::from(org.banks)) as u32,
                row: random(16) as u32,
                column: 0,
            };
        }
        let line = devices::line_columns(org, timing).max(8);
        location.column = line * random(u64::from(org.columns / line)) as u32;
        let access = if random(3) == 0 { Access::Write } else { Access::Read };
        controller.run_until(at - 1, &mut judge);
        controller.submit(
            at,
            Request {
                id,
                source: 0,
                access,
                line: id,
                location,
            },
        );
    }
    controller.set_eager_writes(true);
    while controller.outstanding() > 0 {
        at += timing.refi;
        controller.run_until(at, &mut judge);
    }
    judge.0.finish(at)
}

#[test]
fn controllers_violate_nothing() {
    for name in standards::names() {
        let org = match standards::generation(name).expect("built in") {
            Generation::Ddr4 => organisation(),
            Generation::Lpddr3 | Generation::Lpddr5 | Generation::Hbm2 | Generation::Hbm3 => {
                devices::organisation(name)
            }
            Generation::Ddr5 => Organisation {
                bank_groups: 8,
                banks: 4,
                bus_bytes: 4,
                ..organisation()
            },
            _ => Organisation {
                bank_groups: 1,
                banks: 8,
                ..organisation()
            },
        };
        let timing = timing(name, &[]);
        for page in [PagePolicy::Open, PagePolicy::Closed, PagePolicy::Adaptive { idle: 100 }] {
            for refresh in [
                RefreshPolicy::None,
                RefreshPolicy::AllBankSimultaneous,
                RefreshPolicy::AllBankIndependent,
            ] {
                let report = run(&org, &timing, page, refresh, 5_000);
                assert!(report.is_clean(), "{name} {page:?} {refresh:?}: {report}");
                assert!(report.commands_total() > 5_000);
                assert_eq!(
                    report.retention.postponements, 0,
                    "{name} {page:?} {refresh:?}: {report}"
                );
            }
        }
    }
}
