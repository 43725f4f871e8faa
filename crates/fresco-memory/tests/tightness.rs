// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every constraint is as tight in the controller as in the standard: a scene in which it alone decides, the command
//! issued in the first cycle that it allows, and the checker's word that one cycle earlier would have violated this
//! constraint and no other.

use crate::support::devices;
use crate::support::record::Record;
use crate::tightness_cases::{START, Scene, scenes};
use fresco_dram::{CommandKind, Cycle, NEVER, Organisation, Prac, Rfm, Timing};
use fresco_machine::{ControllerConfig, Queues, RefreshPolicy, Scheduler};
use fresco_memory::checker::{Checker, CommandRecord, Constraint, Options};
use fresco_memory::controller::refresh::{Load, Refresh, RefreshEngine};
use fresco_memory::{Controller, Request};
use std::collections::BTreeSet;

/// Refreshes at given cycles, in order.
struct Given(Vec<(Cycle, Refresh)>);

impl RefreshEngine for Given {
    fn next_due(&self) -> Cycle {
        self.0.first().map_or(NEVER, |&(at, _)| at)
    }

    fn take_due(&mut self, now: Cycle, _load: &Load<'_>) -> Option<Refresh> {
        (self.next_due() <= now).then(|| self.0.remove(0).1)
    }
}

/// The commands of a scene.
fn play(scene: &Scene, org: &Organisation, timing: &Timing) -> Vec<CommandRecord> {
    let config = ControllerConfig {
        scheduler: Scheduler::FrFcfs { hit_cap: 16 },
        page: scene.page,
        queues: Queues::Global { reads: 32, writes: 32 },
        drain_high: 32,
        drain_low: 0,
        refresh: RefreshPolicy::None,
        drain_once: false,
        frontend: 0,
    };
    let mut controller = Controller::new(&config, org, timing, 0);
    controller.set_refresh(vec![Box::new(Given(scene.refreshes.clone()))]);
    let mut record = Record::new(org, timing, false);
    for (id, wanted) in (0..).zip(&scene.requests) {
        let (line, location) = (id, wanted.location());
        controller.submit(
            wanted.at,
            Request {
                id,
                source: 0,
                access: wanted.access,
                line,
                location,
            },
        );
    }
    let end = START + 4 * timing.rfc_ab + 5000;
    controller.run_until(end, &mut record);
    assert_eq!(
        (controller.outstanding(), record.completions.len()),
        (0, scene.requests.len())
    );
    let commands = std::mem::take(&mut record.commands);
    let report = record.verdict(end);
    assert!(report.is_clean(), "{report}");
    commands.iter().map(Into::into).collect()
}

/// Index of the command of this kind and number, from [`START`] on.
fn find(commands: &[CommandRecord], (kind, number): (CommandKind, usize)) -> usize {
    let mut matching = (0..commands.len()).filter(|&i| commands[i].kind == kind && commands[i].cycle >= START);
    matching
        .nth(number)
        .unwrap_or_else(|| panic!("{kind:?} number {number} in {commands:?}"))
}

/// The rules that the commands up to `last` break if that one is issued a cycle earlier.
fn broken_if_earlier(org: &Organisation, timing: &Timing, commands: &[CommandRecord], last: usize) -> Vec<Constraint> {
    let options = Options {
        retention: false,
        ..Options::default()
    };
    let mut checker = Checker::new(org, timing, options);
    commands[..last].iter().for_each(|c| checker.observe(c));
    checker.observe(&CommandRecord {
        cycle: commands[last].cycle - 1,
        ..commands[last]
    });
    let report = checker.finish(0);
    report.violations.iter().map(|v| v.constraint).collect()
}

/// The constraints that a standard has to show.
fn expected(org: &Organisation, timing: &Timing) -> BTreeSet<Constraint> {
    use Constraint as C;
    let mut all = BTreeSet::from([
        C::Rcd,
        C::Rp,
        C::RpAb,
        C::Ras,
        C::Rc,
        C::RrdL,
        C::Faw,
        C::CcdL,
        C::CcdLWr,
        C::WtrL,
        C::Rtp,
        C::Wr,
        C::Rtw,
        C::Rtrs,
        C::CommandBus,
        C::Ppd,
        C::RfcAb,
    ]);
    if org.bank_groups > 1 {
        all.extend([C::RrdS, C::CcdS, C::WtrS]);
    }
    if timing.rfc_ab4 > 0 {
        all.insert(C::RfcAb4);
    }
    if !timing.management.is_off() {
        all.extend([C::RfmAb, C::RfmSb]);
    }
    let bank_refreshes = [(timing.rfc_pb, C::RfcPb), (timing.rfc_sb, C::RfcSb)];
    for (_, own) in bank_refreshes.into_iter().filter(|&(cycles, _)| cycles > 0) {
        all.extend([own, C::RefreshToAct, C::RefreshToRefresh]);
    }
    all
}

/// A burst for each request: with two of a line, one constraint hides another (`lines_of_bursts.rs` has those of lines).
fn by_bursts(timing: Timing) -> Timing {
    Timing {
        line_bytes: 0,
        ..timing
    }
}

#[test]
fn every_constraint_of_every_standard_is_tight() {
    for name in fresco_dram::standards::names() {
        every_constraint_is_tight(name, |replaced| devices::timing(name, replaced));
    }
}

#[test]
fn refresh_management_is_tight() {
    let rfm = Rfm {
        raaimt: 80,
        raammt: 240,
        per_refresh: 80,
        same_bank: false,
    };
    let prac = Prac {
        threshold: 512,
        level: 1,
    };
    for name in ["ddr5-4800", "ddr5-5600", "ddr5-6400"] {
        for prac in [None, Some(prac)] {
            every_constraint_is_tight(name, |replaced| devices::managed(name, replaced, Some(rfm), prac));
        }
    }
}

fn every_constraint_is_tight(name: &str, device: impl Fn(&[(&str, Cycle)]) -> Timing) {
    let org = devices::organisation(name);
    let standard = by_bursts(device(&[]));
    let mut shown = BTreeSet::new();
    for (number, scene) in scenes(&org, &standard).iter().enumerate() {
        let what = format!("{name}, scene {number}, {}", scene.constraint.name());
        let timing = by_bursts(device(&scene.replaced));
        let commands = play(scene, &org, &timing);
        let (earlier, later) = (find(&commands, scene.earlier), find(&commands, scene.later));
        let distance = commands[later].cycle - commands[earlier].cycle;
        assert_eq!(distance, (scene.distance)(&timing), "{what}: {commands:?}");
        let broken = broken_if_earlier(&org, &timing, &commands, later);
        assert_eq!(broken, [scene.constraint], "{what}: {commands:?}");
        shown.insert(scene.constraint);
    }
    assert_eq!(shown, expected(&org, &standard), "{name}");
}
