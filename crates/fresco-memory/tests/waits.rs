// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the time of a read goes: the parts add up to its latency, and each part appears where its cause is.

use crate::support::record::Record;
use crate::support::traffic::Traffic;
use crate::support::{devices, script, variety};
use fresco_dram::{CommandKind, Cycle, Location, Organisation, standards};
use fresco_machine::{ControllerConfig, PagePolicy, Queues, RefreshPolicy, Scheduler};
use fresco_memory::controller::refresh::{Load, Refresh, RefreshEngine};
use fresco_memory::{Access, Completion, Controller, Request, Stepping, Wait};

fn total(wait: &Wait) -> Cycle {
    wait.queue + wait.bank + wait.bus + wait.refresh + wait.service
}

#[test]
fn the_parts_add_up() {
    for name in standards::names() {
        let org = devices::organisation(name);
        let t = devices::timing(name, &[]);
        let t = devices::timing(name, &[("refi", t.rfc_ab + 1000)]);
        for config in variety::configurations(8) {
            let mut traffic = Traffic::new(4, &org, &t);
            let requests = (0..500).map(|_| traffic.draw());
            let (record, _) = script::run(&config, &org, &t, Stepping::Events, requests);
            for done in &record.completions {
                assert_eq!(
                    total(&done.wait),
                    done.done - done.arrived,
                    "{name} {config:?} {done:?}"
                );
            }
        }
    }
}

/// One refresh, if any.
struct Once(Option<(Cycle, Refresh)>);

impl RefreshEngine for Once {
    fn next_due(&self) -> Cycle {
        self.0.map_or(fresco_dram::NEVER, |(at, _)| at)
    }

    fn take_due(&mut self, _now: Cycle, _load: &Load<'_>) -> Option<Refresh> {
        self.0.take().map(|(_, refresh)| refresh)
    }
}

const START: Cycle = 5000;

/// A bench DDR4 with row 1 of banks 0 to 3 of group 0 open: the reads that are sent to it from [`START`] on, by number.
fn play(reads: &[(Cycle, u32, u32)], refresh: Option<(Cycle, Refresh)>) -> Vec<Completion> {
    let (org, t) = device();
    let config = ControllerConfig {
        scheduler: Scheduler::FrFcfs { hit_cap: 16 },
        page: PagePolicy::Open,
        queues: Queues::Global { reads: 2, writes: 8 },
        drain_high: 8,
        drain_low: 2,
        refresh: RefreshPolicy::None,
        drain_once: false,
        frontend: 0,
    };
    let mut controller = Controller::new(&config, &org, &t, 0);
    controller.set_refresh(vec![Box::new(Once(refresh))]);
    let opening = (0..4).map(|bank| (1000 * Cycle::from(bank), bank, 1));
    for (id, (at, bank, row)) in (0..).zip(opening.chain(reads.iter().copied())) {
        let location = Location {
            bank,
            row,
            ..Location::default()
        };
        controller.submit(
            at,
            Request {
                id,
                source: 0,
                access: Access::Read,
                line: id,
                location,
            },
        );
    }
    let mut record = Record::new(&org, &t, false);
    controller.run_until(START + 5000, &mut record);
    let mut done = record.completions.split_off(4);
    done.sort_by_key(|c| c.id);
    assert_eq!(done.len(), reads.len());
    done
}

fn device() -> (Organisation, fresco_dram::Timing) {
    let name = "ddr4-2400";
    (devices::organisation(name), devices::timing(name, &[]))
}

#[test]
fn a_lone_hit_only_has_service() {
    let (_, t) = device();
    let service = 1 + t.cl + t.burst();
    assert_eq!(
        play(&[(START, 0, 1)], None)[0].wait,
        Wait {
            service,
            ..Wait::default()
        }
    );
}

/// A second row of the bank waits until the first can be closed.
#[test]
fn a_conflict_with_a_busy_bank_waits_for_the_bank() {
    let (_, t) = device();
    let second = play(&[(START, 0, 2), (START, 0, 3)], None)[1];
    // PRE and ACT for row 2, then tRAS (longer than tRCD + tRTP) before row 3's PRE.
    let bank = t.rp + t.ras.max(t.rcd + t.rtp);
    let service = 1 + t.rp + t.rcd + t.cl + t.burst();
    assert_eq!(
        second.wait,
        Wait {
            bank,
            service,
            ..Wait::default()
        }
    );
}

/// A second hit of the bank group waits for tCCD_L.
#[test]
fn a_hit_behind_a_hit_waits_for_the_bus() {
    let (_, t) = device();
    let second = play(&[(START, 0, 1), (START, 1, 1)], None)[1];
    assert_eq!(
        second.wait,
        Wait {
            bus: t.ccd_l,
            service: 1 + t.cl + t.burst(),
            ..Wait::default()
        }
    );
}

/// A third read finds the two places of the queue taken, and gets the first one's when that is served.
#[test]
fn a_full_queue_is_waited_for() {
    let (_, t) = device();
    let third = play(&[(START, 0, 1), (START, 1, 1), (START, 2, 1)], None)[2];
    // Admitted with the first RD, one cycle after START; the second RD goes before it.
    let bus = 2 * t.ccd_l - 1;
    assert_eq!(
        third.wait,
        Wait {
            queue: 1,
            bus,
            service: 1 + t.cl + t.burst(),
            ..Wait::default()
        }
    );
}

/// Of two hits that are ready in the same cycle the younger is not chosen: the command bus takes one at a time.
#[test]
fn a_ready_command_that_is_not_chosen_waits_in_the_queue() {
    let (org, t) = device();
    let config = variety::configurations(0).next().expect("a configuration");
    let config = ControllerConfig {
        queues: Queues::Global { reads: 8, writes: 8 },
        ..config
    };
    let mut controller = Controller::new(&config, &org, &t, 0);
    // Two closed banks of different ranks share no constraint on ACT but the command bus.
    for rank in [0, 1] {
        let location = Location {
            rank,
            row: 1,
            ..Location::default()
        };
        let id = u64::from(rank);
        controller.submit(
            START,
            Request {
                id,
                source: 0,
                access: Access::Read,
                line: id,
                location,
            },
        );
    }
    let mut record = Record::new(&org, &t, false);
    controller.run_until(START + 500, &mut record);
    assert_eq!(record.completions[0].wait.queue, 0);
    // One cycle for the other's ACT; its RD then waits for the data bus.
    assert_eq!(record.completions[1].wait.queue, 1);
    assert_eq!(record.completions[1].wait.bus, t.burst() + t.rtrs - 1);
}

/// A read that comes just before a refresh is due and has not begun waits for PREA, tRP and tRFC.
#[test]
fn a_refresh_is_waited_for() {
    let (org, t) = device();
    let banks = u64::MAX >> (64 - org.banks_per_rank());
    let refresh = Refresh {
        rank: 0,
        kind: CommandKind::RefAb,
        banks,
        cycles: t.rfc_ab,
    };
    let read = play(&[(START, 0, 1)], Some((START + 1, refresh)))[0];
    let expected = Wait {
        refresh: t.rp_ab + t.rfc_ab,
        service: 1 + t.rcd + t.cl + t.burst(),
        ..Wait::default()
    };
    assert_eq!(read.wait, expected);
}
