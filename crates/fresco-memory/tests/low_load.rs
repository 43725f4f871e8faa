// SPDX-License-Identifier: MIT OR Apache-2.0
//! Little traffic has latencies that can be computed without a controller: a replay by closed formulas, and the queue
//! with Poisson arrivals and one service time (M/D/1).

use crate::support::devices;
use crate::support::random::Random;
use crate::traces::{Trace, machine, run};
use fresco_dram::{Cycle, Location, Organisation, PhysAddr, Timing, standards};
use fresco_machine::{ControllerConfig, PagePolicy, Queues, RefreshPolicy, Scheduler};
use fresco_memory::{Access, Completion, Controller, Request, Sink};

/// The mean latency of reads that never meet one another, on staggered all-bank refresh: what the row buffer asks for,
/// and the rest of a refresh that is under way. `latency` is that of the sum of its arguments' commands.
fn replay(org: &Organisation, t: &Timing, reads: impl Iterator<Item = (Cycle, Location)>) -> (f64, [u64; 3]) {
    let mut open: Vec<Option<u32>> = vec![None; org.banks_per_channel() as usize];
    // Refreshes of each rank that are over.
    let mut refreshed = vec![0; org.ranks as usize];
    let (mut sum, mut count, mut outcomes) = (0, 0, [0; 3]);
    for (at, location) in reads {
        let rank = location.rank as usize;
        let first = t.refi * (rank as u64 + 1) / u64::from(org.ranks);
        let due = (at + 1).checked_sub(first).map_or(0, |since| since / t.refi + 1);
        let banks = rank * org.banks_per_rank() as usize..(rank + 1) * org.banks_per_rank() as usize;
        let mut start = at + 1;
        if due > refreshed[rank] {
            refreshed[rank] = due;
            let last = first + (due - 1) * t.refi;
            let precharge = if open[banks.clone()].iter().any(Option::is_some) {
                t.rp_ab
            } else {
                0
            };
            start = start.max(last + precharge + t.rfc_ab);
            open[banks].fill(None);
        }
        let row = &mut open[location.bank_in_channel(org) as usize];
        let (outcome, commands) = match *row {
            Some(row) if row == location.row => (0, 0),
            None => (1, t.rcd),
            Some(_) => (2, t.rp + t.rcd),
        };
        *row = Some(location.row);
        outcomes[outcome] += 1;
        sum += start + commands + t.read_data(org) - at;
        count += 1;
    }
    (sum as f64 / f64::from(count), outcomes)
}

fn within(percent: f64, found: f64, expected: f64) -> bool {
    (found - expected).abs() <= expected * percent / 100.0
}

/// The sparse trace of the comparison of simulators: its reference, without queueing, says 50.943 cycles and 4, 153,029
/// and 46,967 hits, misses and conflicts.
#[test]
fn sparse_trace() {
    const READS: u64 = 200_000;
    let machine = machine();
    let outcome = run(&machine, Trace::Sparse, READS);
    let stats = &outcome.stats;
    assert_eq!(
        [stats.row_hits, stats.row_misses, stats.row_conflicts],
        [4, 153_029, 46_967]
    );
    assert_eq!(outcome.latencies.count, READS);
    assert_eq!(outcome.latencies.sum, 10_188_724, "a mean of 50.94362 cycles");

    let memory = &machine.memory;
    let reads = Trace::Sparse.requests(READS).map(|read| {
        let Ok(read) = read;
        (
            read.cycle,
            memory
                .map
                .decode(PhysAddr(read.address))
                .expect("an address of the machine"),
        )
    });
    let (mean, outcomes) = replay(&memory.organisation, &memory.timing, reads);
    assert_eq!(outcomes, [4, 153_029, 46_967]);
    let found = outcome.latencies.sum as f64 / READS as f64;
    assert!(within(0.1, found, mean), "{found} cycles, replay {mean}");
}

/// Sums the latencies of reads.
#[derive(Default)]
struct Sum {
    latency: u64,
    count: u32,
}

impl Sink for Sum {
    fn completed(&mut self, completion: &Completion) {
        self.latency += completion.done - completion.arrived;
        self.count += 1;
    }
}

impl Sum {
    fn mean(&self) -> f64 {
        self.latency as f64 / f64::from(self.count)
    }
}

/// The mean latency of reads that a controller is given.
fn simulate(
    config: &ControllerConfig,
    org: &Organisation,
    t: &Timing,
    reads: impl Iterator<Item = (Cycle, Location)>,
) -> f64 {
    let mut controller = Controller::new(config, org, t, 0);
    let mut sum = Sum::default();
    for (id, (at, location)) in (0..).zip(reads) {
        controller.run_until(at.saturating_sub(1), &mut sum);
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
    while controller.outstanding() > 0 {
        controller.run_until(controller.next_event(), &mut sum);
    }
    sum.mean()
}

fn config(page: PagePolicy, refresh: RefreshPolicy) -> ControllerConfig {
    ControllerConfig {
        scheduler: Scheduler::FrFcfs { hit_cap: 16 },
        page,
        // As good as without end: M/D/1 knows no full queue.
        queues: Queues::Global {
            reads: 10_000,
            writes: 32,
        },
        drain_high: 24,
        drain_low: 8,
        refresh,
        drain_once: false,
        frontend: 0,
    }
}

/// At one to two percent of the bus, queueing adds less than 5 percent to what the replay says, on every standard.
#[test]
fn low_load_is_the_replay() {
    for name in standards::names() {
        let (org, t) = (devices::organisation(name), devices::timing(name, &[]));
        let mut random = Random::new(2);
        let reads: Vec<(Cycle, Location)> = (0..20_000)
            .map(|i| {
                let location = Location {
                    rank: random.below(u64::from(org.ranks)) as u32,
                    bank_group: random.below(u64::from(org.bank_groups)) as u32,
                    bank: random.below(u64::from(org.banks)) as u32,
                    row: random.below(3) as u32,
                    ..Location::default()
                };
                (400 * i + random.below(400), location)
            })
            .collect();
        let (expected, _) = replay(&org, &t, reads.iter().copied());
        let config = config(PagePolicy::Open, RefreshPolicy::AllBankIndependent);
        let found = simulate(&config, &org, &t, reads.into_iter());
        assert!(
            within(5.0, found, expected),
            "{name}: {found} cycles, replay {expected}"
        );
    }
}

/// One bank, a row for each read, rows closed at once: a server that takes tRC for each customer. Customers come at
/// random; the mean wait is rho S / (2 (1 - rho)) (Pollaczek and Khinchine, with constant service time S at utilisation
/// rho).
#[test]
fn one_bank_is_a_queue_with_constant_service_time() {
    const READS: u64 = 200_000;
    for name in ["ddr2-800", "ddr4-2400", "ddr5-4800", "lpddr4-3200", "lpddr5-6400-8b"] {
        let org = devices::organisation(name);
        // The next ACT waits for tRC alone.
        let t = devices::timing(name, &[]);
        assert!(t.rc >= t.rcd + t.rtp + t.rp, "{name}");
        let own = (1 + t.rcd + t.cl + t.burst()) as f64;
        for tenths in [1u8, 3, 5, 7] {
            let rho = f64::from(tenths) / 10.0;
            let service = t.rc as f64;
            let mut random = Random::new(tenths.into());
            let mut arrival = 0.0;
            let reads = (0..READS).map(|i| {
                arrival -= random.unit().ln() * service / rho;
                let row = (i % u64::from(org.rows)) as u32;
                (
                    arrival as Cycle,
                    Location {
                        row,
                        ..Location::default()
                    },
                )
            });
            let config = config(PagePolicy::Closed, RefreshPolicy::None);
            let wait = simulate(&config, &org, &t, reads) - own;
            let expected = rho * service / (2.0 * (1.0 - rho));
            assert!(
                within(5.0, wait, expected),
                "{name} at {rho}: {wait} cycles, theory {expected}"
            );
        }
    }
}
