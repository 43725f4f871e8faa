// SPDX-License-Identifier: MIT OR Apache-2.0
//! Refresh schemes that the controller does not come with, behind its interface: bank by bank, the same bank of every
//! group, and refreshes due in heaps. Exact, clean, and in time.

use crate::support::random::Random;
use crate::support::record::Record;
use crate::support::script::drive;
use crate::support::traffic::Traffic;
use crate::support::{devices, variety};
use fresco_dram::{CommandKind, Cycle, NEVER, Organisation, Timing};
use fresco_machine::{ControllerConfig, RefreshPolicy};
use fresco_memory::controller::refresh::{Load, Refresh, RefreshEngine};
use fresco_memory::{Controller, Stepping};

/// Refreshes at given cycles.
struct Scheduled {
    /// Latest first.
    due: Vec<(Cycle, Refresh)>,
}

impl Scheduled {
    fn new(mut due: Vec<(Cycle, Refresh)>) -> Self {
        due.sort_by_key(|&(at, _)| std::cmp::Reverse(at));
        Self { due }
    }
}

impl RefreshEngine for Scheduled {
    fn next_due(&self) -> Cycle {
        self.due.last().map_or(NEVER, |&(at, _)| at)
    }

    fn take_due(&mut self, now: Cycle, _load: &Load<'_>) -> Option<Refresh> {
        (self.next_due() <= now)
            .then(|| self.due.pop().map(|(_, refresh)| refresh))
            .flatten()
    }
}

/// REFpb to every bank of every rank in turn, one bank of a rank every tREFI / banks.
fn bank_by_bank(org: &Organisation, timing: &Timing, until: Cycle) -> Vec<(Cycle, Refresh)> {
    let banks = org.banks_per_rank();
    let each = timing.refi / u64::from(banks);
    let mut due = Vec::new();
    for i in 0..until / each {
        for rank in 0..org.ranks {
            let refresh = Refresh {
                rank,
                kind: CommandKind::RefPb,
                banks: 1 << (i % u64::from(banks)),
                cycles: timing.rfc_pb,
            };
            due.push(((i + 1) * each, refresh));
        }
    }
    due
}

/// REFsb to every bank number of every rank in turn: two sweeps in a tREFI, as one is worth half a REFab.
fn same_bank(org: &Organisation, timing: &Timing, until: Cycle) -> Vec<(Cycle, Refresh)> {
    let each = timing.refi / u64::from(2 * org.banks);
    let mut due = Vec::new();
    for i in 0..until / each {
        let bank = i % u64::from(org.banks);
        for rank in 0..org.ranks {
            let groups = 0..org.bank_groups;
            let refresh = Refresh {
                rank,
                kind: CommandKind::RefSb,
                banks: groups.fold(0, |banks, group| banks | 1 << (u64::from(group * org.banks) + bank)),
                cycles: timing.rfc_sb,
            };
            due.push(((i + 1) * each, refresh));
        }
    }
    due
}

/// Refreshes of all kinds, many at the same time, of the same banks too.
fn heaps(org: &Organisation, timing: &Timing, until: Cycle) -> Vec<(Cycle, Refresh)> {
    let mut random = Random::new(5);
    let all = u64::MAX >> (64 - org.banks_per_rank());
    let mut due = Vec::new();
    let mut at = 0;
    while at < until {
        at += random.below(timing.refi);
        for _ in 0..random.below(5) {
            let rank = random.below(u64::from(org.ranks)) as u32;
            let (kind, banks, cycles) = match random.below(3) {
                0 => (CommandKind::RefAb, all, timing.rfc_ab),
                _ => (
                    CommandKind::RefPb,
                    1 << random.below(u64::from(org.banks_per_rank())),
                    timing.rfc_pb,
                ),
            };
            due.push((
                at,
                Refresh {
                    rank,
                    kind,
                    banks,
                    cycles,
                },
            ));
        }
    }
    due
}

type Scheme = fn(&Organisation, &Timing, Cycle) -> Vec<(Cycle, Refresh)>;

fn run(config: &ControllerConfig, org: &Organisation, timing: &Timing, stepping: Stepping, scheme: Scheme) -> Record {
    let mut traffic = Traffic::new(11, org, timing);
    let requests: Vec<_> = (0..400).map(|_| traffic.draw()).collect();
    let until = requests.last().map_or(0, |&(at, _)| at) + 20 * timing.refi;
    let mut controller = Controller::new(config, org, timing, 0);
    controller.set_stepping(stepping);
    controller.set_refresh(vec![Box::new(Scheduled::new(scheme(org, timing, until)))]);
    let (record, end) = drive(controller, Record::new(org, timing, true), timing, requests.into_iter());
    assert!(end < until, "the schedule lasts for the run");
    record
}

fn exact_and_clean(name: &str, scheme: Scheme, kind: CommandKind, pro_rata: bool) {
    let org = devices::organisation(name);
    let timing = devices::timing(name, &[]);
    let timing = devices::timing(name, &[("refi", timing.rfc_ab + 4000)]);
    for mut config in variety::configurations(6).step_by(3) {
        config.refresh = RefreshPolicy::None;
        let jumping = run(&config, &org, &timing, Stepping::Events, scheme);
        let stepping = run(&config, &org, &timing, Stepping::EveryCycle, scheme);
        assert_eq!(jumping.commands, stepping.commands, "{config:?}");
        assert_eq!(jumping.completions, stepping.completions, "{config:?}");
        assert_eq!(jumping.completions.len(), 400, "{config:?}");
        assert!(jumping.commands.iter().any(|c| c.kind == kind), "{config:?}");
        let end = jumping.commands.last().map_or(0, |c| c.cycle);
        let report = jumping.verdict(end);
        assert_eq!(report.violations_total(), 0, "{config:?}: {report}");
        assert!(!pro_rata || report.is_clean(), "{config:?}: {report}");
    }
}

#[test]
fn lpddr4_bank_by_bank() {
    exact_and_clean("lpddr4-3200", bank_by_bank, CommandKind::RefPb, true);
}

#[test]
fn ddr5_same_bank() {
    exact_and_clean("ddr5-4800", same_bank, CommandKind::RefSb, true);
}

#[test]
fn lpddr4_in_heaps() {
    exact_and_clean("lpddr4-3200", heaps, CommandKind::RefPb, false);
}
