// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every request is served, and soon: no queue structure, scheduler, threshold or refresh keeps one waiting for ever.
//!
//! DRAM simulators have hung on just this: a read that waits for a write to its line while the write buffer is full,
//! a drain that starts again and again, a refresh that waits for a request which waits for the refresh.

use crate::support::devices;
use crate::support::random::Random;
use fresco_dram::{Cycle, Location, Organisation, Timing, standards};
use fresco_machine::{ControllerConfig, PagePolicy, Queues, RefreshPolicy, Scheduler};
use fresco_memory::{Access, Completion, Controller, Driver, Observer, TraceRequest};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::convert::Infallible;

/// Longest latency of reads, and how many requests were done.
#[derive(Default)]
struct Longest {
    read: Cycle,
    done: u64,
}

impl Observer for Longest {
    fn completed(&mut self, completion: &Completion) {
        self.done += 1;
        if completion.access == Access::Read {
            self.read = self.read.max(completion.done - completion.arrived);
        }
    }
}

/// An upper bound of a read's latency with at most `outstanding` requests under way: all others go first, each with
/// `hit_cap` row hits that overtake it, and a bufferful of writes before each. Each of these takes a row cycle with all
/// recoveries at most; refreshes come on top.
fn bound(config: &ControllerConfig, t: &Timing, outstanding: u64) -> Cycle {
    // A line of two bursts a little longer.
    let line = t.burst() + if t.line_bytes > 0 { t.ccd_l_wr + t.rtrs } else { 0 };
    let row_cycle = t.rc + t.rcd + t.rp_ab + t.cwl + line + t.wr.max(t.wtr_l) + t.rtrs;
    let overtaking = match config.scheduler {
        Scheduler::FrFcfs { hit_cap } => 1 + u64::from(hit_cap),
        Scheduler::Fcfs => 1,
    };
    let writes = config.queues.writes();
    let busy = (outstanding + 1) * (overtaking + u64::from(writes)) * row_cycle;
    let refreshes = busy / (t.refi - t.rfc_ab - t.rp_ab) + 2;
    busy + refreshes * (t.rfc_ab + t.rp_ab + row_cycle)
}

/// Sends requests as fast as they are taken; all must be done, none late.
fn assert_progress(
    config: &ControllerConfig,
    org: &Organisation,
    t: &Timing,
    outstanding: usize,
    requests: Vec<(Access, Location)>,
) -> Longest {
    let mut driver = Driver::new(vec![Controller::new(config, org, t, 0)], outstanding);
    let trace = (0..).zip(&requests).map(|(i, &(access, _))| {
        Ok(TraceRequest {
            cycle: 0,
            address: i,
            access,
        })
    });
    let mut longest = Longest::default();
    // The address is the number of the request; equal places are equal lines.
    let Ok(_) = driver.run::<Infallible>(trace, |i| Ok(requests[i as usize].1), &mut longest);
    assert_eq!(longest.done, requests.len() as u64, "{config:?}");
    let bound = bound(config, t, outstanding as u64);
    assert!(
        longest.read <= bound,
        "{config:?}: {} cycles, bound {bound}",
        longest.read
    );
    longest
}

fn queues() -> impl Strategy<Value = Queues> {
    let size = || prop_oneof![Just(1u32), 2..5u32, Just(32)];
    prop_oneof![
        (size(), size()).prop_map(|(reads, writes)| Queues::Global { reads, writes }),
        (size(), size()).prop_map(|(reads_per_bank, writes)| Queues::PerBank { reads_per_bank, writes }),
        (size(), size(), size()).prop_map(|(front, reads_per_bank, writes)| Queues::FrontQueue {
            front,
            reads_per_bank,
            writes
        }),
    ]
}

fn configurations() -> impl Strategy<Value = ControllerConfig> {
    let scheduler = prop_oneof![
        (0..5u32).prop_map(|hit_cap| Scheduler::FrFcfs { hit_cap }),
        Just(Scheduler::Fcfs)
    ];
    let page = prop_oneof![
        Just(PagePolicy::Open),
        Just(PagePolicy::Closed),
        (0..300u64).prop_map(|idle| PagePolicy::Adaptive { idle })
    ];
    let refresh = prop_oneof![
        Just(RefreshPolicy::None),
        Just(RefreshPolicy::AllBankSimultaneous),
        Just(RefreshPolicy::AllBankIndependent)
    ];
    (queues(), scheduler, page, refresh, 0..100u32, 0..100u32).prop_map(
        |(queues, scheduler, page, refresh, high, low)| {
            let writes = queues.writes();
            let drain_high = 1 + high * (writes - 1) / 99;
            let drain_low = low * (drain_high - 1) / 99;
            ControllerConfig {
                scheduler,
                page,
                queues,
                drain_high,
                drain_low,
                refresh,
                drain_once: false,
                frontend: 0,
            }
        },
    )
}

/// Requests to few banks, rows and columns, some writes.
fn requests(org: &Organisation, t: &Timing, seed: u64, writes: u64, n: usize) -> Vec<(Access, Location)> {
    let mut random = Random::new(seed);
    let banks = random.pick(&[1, 2, u64::from(org.banks)]);
    let rows = random.pick(&[1, 2, 100]);
    let draw = |_| {
        let location = Location {
            rank: random.below(u64::from(org.ranks)) as u32,
            bank: random.below(banks) as u32,
            row: random.below(rows) as u32,
            column: devices::line_columns(org, t) * random.below(2) as u32,
            ..Location::default()
        };
        let access = if random.percent(writes) {
            Access::Write
        } else {
            Access::Read
        };
        (access, location)
    };
    (0..n).map(draw).collect()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 200,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_request_is_served(
        config in configurations(),
        standard in 0..standards::names().count(),
        seed in any::<u64>(),
        writes in 0..101u64,
        outstanding in 1..64usize,
    ) {
        let name = standards::names().nth(standard).expect("one of them");
        let org = devices::organisation(name);
        let t = devices::timing(name, &[]);
        let t = devices::timing(name, &[("refi", 2 * t.rfc_ab + 1000)]);
        assert_progress(&config, &org, &t, outstanding, requests(&org, &t, seed, writes, 1500));
    }
}

fn small(scheduler: Scheduler) -> ControllerConfig {
    ControllerConfig {
        scheduler,
        page: PagePolicy::Open,
        queues: Queues::Global { reads: 8, writes: 8 },
        drain_high: 8,
        drain_low: 0,
        refresh: RefreshPolicy::AllBankSimultaneous,
        drain_once: false,
        frontend: 0,
    }
}

/// A read, a write to the same line, and a write buffer that is always full.
#[test]
fn read_and_write_of_a_line_while_the_buffer_is_full() {
    for name in standards::names() {
        let (org, t) = (devices::organisation(name), devices::timing(name, &[]));
        for scheduler in [
            Scheduler::FrFcfs { hit_cap: 0 },
            Scheduler::FrFcfs { hit_cap: 1 },
            Scheduler::Fcfs,
        ] {
            let mut trace = Vec::new();
            for i in 0..3000u32 {
                let line = Location {
                    bank: i % org.banks,
                    row: i % 5,
                    ..Location::default()
                };
                trace.extend([(Access::Write, line), (Access::Read, line), (Access::Write, line)]);
                trace.extend((0..8).map(|row| (Access::Write, Location { row: 10 + row, ..line })));
            }
            assert_progress(&small(scheduler), &org, &t, 32, trace);
        }
    }
}

/// One read among writes that come faster than they can be written: drains must pause for it.
#[test]
fn a_read_among_endless_writes() {
    for name in standards::names() {
        let (org, t) = (devices::organisation(name), devices::timing(name, &[]));
        for page in [PagePolicy::Open, PagePolicy::Closed] {
            let mut trace = requests(&org, &t, 1, 100, 20_000);
            trace[1000].0 = Access::Read;
            let config = ControllerConfig {
                page,
                ..small(Scheduler::FrFcfs { hit_cap: 4 })
            };
            let longest = assert_progress(&config, &org, &t, 32, trace);
            assert!(longest.read > 0, "{name}: the read reaches the DRAM");
        }
    }
}

/// A due refresh, while the scheduler insists on the order of arrival.
#[test]
fn refresh_and_strict_order() {
    for name in standards::names() {
        let org = devices::organisation(name);
        let t = devices::timing(name, &[]);
        // So close that most requests meet a refresh.
        let t = devices::timing(name, &[("refi", t.rfc_ab + t.rp_ab + 3 * t.rc)]);
        for refresh in [RefreshPolicy::AllBankSimultaneous, RefreshPolicy::AllBankIndependent] {
            let config = ControllerConfig {
                refresh,
                ..small(Scheduler::Fcfs)
            };
            assert_progress(&config, &org, &t, 16, requests(&org, &t, 3, 40, 2000));
        }
    }
}

/// Row hits of one rank have the data bus whenever they want it; single reads of another are served among them all the same.
#[test]
fn reads_of_a_rank_among_streams_in_another() {
    const OUTSTANDING: u64 = 32;
    let hit_cap = 16;
    let config = ControllerConfig {
        queues: Queues::Global { reads: 32, writes: 8 },
        ..small(Scheduler::FrFcfs { hit_cap })
    };
    for name in standards::names() {
        let (org, t) = (devices::organisation(name), devices::timing(name, &[]));
        if org.ranks == 1 {
            continue;
        }
        let line = if t.line_bytes > 0 {
            devices::line_columns(&org, &t)
        } else {
            1
        };
        let stream = |i: u32| Location {
            bank_group: i % org.bank_groups,
            bank: i / org.bank_groups % 2,
            row: i / 4096 % 2,
            column: i / 16 % org.columns / line * line,
            ..Location::default()
        };
        let single = |i: u32| Location {
            rank: 1,
            row: i / 100 % 8,
            ..Location::default()
        };
        let trace = (0..20_000).map(|i| (Access::Read, if i % 100 == 99 { single(i) } else { stream(i) }));
        let longest = assert_progress(&config, &org, &t, OUTSTANDING as usize, trace.collect());
        // Each that is older, and as many as may overtake, in order of age at last; a row cycle, and a refresh of each rank.
        let served = (OUTSTANDING + u64::from(hit_cap)) * t.bursts_of_line(&org) * (t.burst().max(t.ccd_l) + t.rtrs);
        let bound = served + 2 * t.rc + u64::from(org.ranks) * (t.rfc_ab + t.rp_ab + t.rc);
        assert!(longest.read <= bound, "{name}: {} cycles, bound {bound}", longest.read);
    }
}
