// SPDX-License-Identifier: MIT OR Apache-2.0
//! The latency of a lone read is the sum of what it needs, to the cycle: one cycle of pipeline, then PRE, ACT, RD and
//! the burst as far as the row buffer asks for them. On every standard, with every queue structure and scheduler; and
//! the parts that the controller says it waited for are the parts of the formula.

use crate::support::devices;
use crate::support::record::Record;
use fresco_dram::{Cycle, Location, Organisation, Timing, standards};
use fresco_machine::{ControllerConfig, PagePolicy, Queues, RefreshPolicy, Scheduler};
use fresco_memory::{Access, Completion, Controller, Request, RowOutcome, Wait};

/// Between admission and the scheduler's first look.
const PIPELINE: Cycle = 1;

const QUEUES: [Queues; 3] = [
    Queues::Global { reads: 8, writes: 8 },
    Queues::PerBank {
        reads_per_bank: 1,
        writes: 8,
    },
    Queues::FrontQueue {
        front: 1,
        reads_per_bank: 1,
        writes: 8,
    },
];
const SCHEDULERS: [Scheduler; 2] = [Scheduler::FrFcfs { hit_cap: 16 }, Scheduler::Fcfs];

/// One controller that requests are sent to, one at a time.
struct Bench {
    org: Organisation,
    timing: Timing,
    controller: Controller,
    record: Record,
    next_id: u64,
}

impl Bench {
    fn new(config: &ControllerConfig, org: &Organisation, timing: &Timing) -> Self {
        Self {
            org: *org,
            timing: timing.clone(),
            controller: Controller::new(config, org, timing, 0),
            record: Record::new(org, timing, false),
            next_id: 0,
        }
    }

    fn send(&mut self, at: Cycle, access: Access, row: u32) -> Completion {
        let location = Location {
            row,
            ..Location::default()
        };
        let request = Request {
            id: self.next_id,
            source: 0,
            access,
            line: u64::from(row),
            location,
        };
        self.next_id += 1;
        self.controller.run_until(at - 1, &mut self.record);
        self.controller.submit(at, request);
        while self.controller.outstanding() > 0 {
            self.controller
                .run_until(self.controller.next_event(), &mut self.record);
        }
        *self.record.completions.last().expect("the request is done")
    }

    fn read(&mut self, at: Cycle, row: u32) -> Completion {
        self.send(at, Access::Read, row)
    }

    /// RD, or those of the line, and its data.
    fn column(&self) -> Cycle {
        self.timing.read_data(&self.org)
    }
}

/// A bench for every standard, queue structure and scheduler.
fn benches(page: PagePolicy, refresh: RefreshPolicy) -> impl Iterator<Item = Bench> {
    standards::names().flat_map(move |name| {
        let org = Organisation {
            ranks: 1,
            ..devices::organisation(name)
        };
        let timing = devices::timing(name, &[]);
        QUEUES.into_iter().flat_map(move |queues| {
            let timing = timing.clone();
            SCHEDULERS.into_iter().map(move |scheduler| {
                let config = ControllerConfig {
                    scheduler,
                    page,
                    queues,
                    drain_high: 8,
                    drain_low: 0,
                    refresh,
                    drain_once: false,
                    frontend: 0,
                };
                Bench::new(&config, &org, &timing)
            })
        })
    })
}

#[track_caller]
fn assert_read(done: Completion, outcome: RowOutcome, latency: Cycle, wait: Wait) {
    assert_eq!(done.outcome, outcome);
    assert_eq!(done.done - done.arrived, latency);
    assert_eq!(done.wait, wait);
}

#[test]
fn closed_row_open_row_and_conflict() {
    for mut bench in benches(PagePolicy::Open, RefreshPolicy::None) {
        let t = bench.timing.clone();
        let service = |service| Wait {
            service,
            ..Wait::default()
        };

        let closed = PIPELINE + t.rcd + bench.column();
        assert_read(bench.read(1000, 1), RowOutcome::Miss, closed, service(closed));
        let open = PIPELINE + bench.column();
        assert_read(bench.read(2000, 1), RowOutcome::Hit, open, service(open));
        let conflict = PIPELINE + t.rp + t.rcd + bench.column();
        assert_read(bench.read(3000, 2), RowOutcome::Conflict, conflict, service(conflict));
    }
}

/// In clocks of commands: a read that finds its row open, its bank closed, and another row open.
#[test]
fn known_latencies() {
    for (name, known) in [
        ("ddr4-2400", [22, 39, 56]),
        ("lpddr3-1600", [21, 36, 51]),
        ("lpddr3-1866", [23, 40, 57]),
        ("lpddr5-6400", [24, 40, 55]),
        ("lpddr5-6400-8b", [22, 38, 53]),
        ("lpddr5x-8533", [30, 51, 71]),
        ("hbm2-2000", [24, 37, 51]),
        ("hbm2e-3200", [37, 58, 81]),
        ("hbm3-6400", [33, 60, 86]),
    ] {
        let mut benches = benches(PagePolicy::Open, RefreshPolicy::None);
        let mut bench = benches.find(|bench| bench.timing.standard == name).expect("built in");
        let [closed, open, conflict] = [(1000, 1), (2000, 1), (3000, 2)].map(|(at, row)| bench.read(at, row).done - at);
        assert_eq!([open, closed, conflict], known, "{name}");
    }
}

/// With auto-precharge, every read finds its bank closed.
#[test]
fn closed_page() {
    for mut bench in benches(PagePolicy::Closed, RefreshPolicy::None) {
        let closed = PIPELINE + bench.timing.rcd + bench.column();
        for (at, row) in [(1000, 1), (2000, 1), (3000, 2)] {
            let done = bench.read(at, row);
            assert_eq!((done.outcome, done.done - at), (RowOutcome::Miss, closed));
        }
    }
}

/// A row left alone for long enough is closed by the page policy.
#[test]
fn adaptive_page() {
    for mut bench in benches(PagePolicy::Adaptive { idle: 500 }, RefreshPolicy::None) {
        let closed = PIPELINE + bench.timing.rcd + bench.column();
        let open = PIPELINE + bench.column();
        // The second comes before 500 cycles are over, the third after.
        for (at, latency) in [(1000, closed), (1400, open), (2400, closed)] {
            assert_eq!(bench.read(at, 1).done, at + latency);
        }
    }
}

/// A read that comes while its rank is refreshed waits for the rest of tRFC.
#[test]
fn after_a_refresh() {
    for mut bench in benches(PagePolicy::Open, RefreshPolicy::AllBankIndependent) {
        let t = bench.timing.clone();
        let own = t.rcd + bench.column();
        // With all banks closed the command is issued in the cycle in which it is due.
        for (number, late) in [(1, 0), (2, 1), (3, t.rfc_ab / 2), (4, t.rfc_ab - 1)] {
            let refresh = number * t.refi;
            // The row that the last read has opened must be closed first.
            let refresh = if number == 1 { refresh } else { refresh + t.rp_ab };
            let arrives = refresh + late;
            let done = bench.read(arrives, 1);
            let expected = refresh + t.rfc_ab + own;
            assert_eq!((done.outcome, done.done), (RowOutcome::Miss, expected));
            let service = PIPELINE + own;
            let waited = Wait {
                refresh: expected - arrives - service,
                service,
                ..Wait::default()
            };
            assert_eq!(done.wait, waited);
        }
        // Just too late to be held back.
        let refresh = 5 * t.refi + t.rp_ab;
        let arrives = refresh + t.rfc_ab - PIPELINE;
        assert_eq!(bench.read(arrives, 1).done, arrives + PIPELINE + own);
    }
}

/// A read of an open row that comes with the refresh is held back by it.
#[test]
fn refresh_goes_before_a_row_hit() {
    for mut bench in benches(PagePolicy::Open, RefreshPolicy::AllBankIndependent) {
        let t = bench.timing.clone();
        bench.read(t.refi - 1000, 1);
        let done = bench.read(t.refi, 1);
        let expected = t.refi + t.rp_ab + t.rfc_ab + t.rcd + bench.column();
        assert_eq!((done.outcome, done.done), (RowOutcome::Miss, expected));
    }
}

/// A write is done when it is in the buffer, a read of a buffered line one cycle of pipeline later.
#[test]
fn writes_and_forwarding() {
    for mut bench in benches(PagePolicy::Open, RefreshPolicy::None) {
        let done = bench.send(1000, Access::Write, 1);
        assert_eq!(
            (done.outcome, done.done, done.wait),
            (RowOutcome::Buffered, 1000, Wait::default())
        );

        let mut buffered = |at, access| {
            let location = Location {
                row: 7,
                ..Location::default()
            };
            let request = Request {
                id: at,
                source: 0,
                access,
                line: 7,
                location,
            };
            bench.controller.submit(at, request);
        };
        buffered(2000, Access::Write);
        // Its row is being opened.
        buffered(2001, Access::Read);
        bench.controller.run_until(3000, &mut bench.record);
        let done = *bench.record.completions.last().expect("the read is done");
        assert_eq!((done.outcome, done.done), (RowOutcome::Forwarded, 2001 + PIPELINE));
        assert_eq!(
            done.wait,
            Wait {
                service: PIPELINE,
                ..Wait::default()
            }
        );
    }
}
