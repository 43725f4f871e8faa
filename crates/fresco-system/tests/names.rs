// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which function is channel, rank, bank group or bank: never a wrong name, on all machines, and where signals are missing.

use fresco_detect::model::{Form, Model, Odd};
use fresco_detect::names::{self, Kind, Names};
use fresco_detect::random::Draws;
use fresco_detect::synthetic::{Disturbance, Disturbed, Formula};
use fresco_detect::wide::Basis;
use fresco_detect::{Cost, Governor, Load, Probe, Shape, Stream, Timer, refresh};
use fresco_dram::gf2::{independent, row_reduce, transpose};
use fresco_dram::{Location, PhysAddr};
use fresco_machine::{Machine, builtin_names, load_with};
use fresco_system::MemoryTimer;
use std::ops::Range;

/// Lines looked at until one shows its refreshes, as a detection does.
const REFRESH_LINES: usize = 4;

/// A core at work elsewhere, a coarse clock, interrupts, and now and then a line in a cache.
fn noise(noise: f64) -> Disturbance {
    Disturbance {
        noise,
        prefetch: 0.001,
        ..Disturbance::of_a_quiet_machine()
    }
}

/// The functions over address bits of one property of a place, from what each bit changes.
fn functions(machine: &Machine, number: impl Fn(&Location) -> u64) -> Vec<u64> {
    let map = &machine.memory.map;
    let at = |address: u64| number(&map.decode(PhysAddr(address)).expect("an address of the machine"));
    let bits = map.capacity().trailing_zeros();
    let columns: Vec<u64> = (0..bits).map(|bit| at(1 << bit) ^ at(0)).collect();
    independent(transpose(&columns, 60))
}

/// The functions up to each kind, the outermost first: what the names have to make.
fn truth(machine: &Machine) -> [Vec<u64>; 4] {
    let org = machine.memory.organisation;
    let channel = |place: &Location| u64::from(place.node * org.channels + place.channel);
    let rank = |place: &Location| channel(place) << 8 | u64::from(place.rank);
    let group = |place: &Location| rank(place) << 8 | u64::from(place.bank_group);
    let bank = |place: &Location| u64::from(place.bank_in_machine(&org));
    [
        functions(machine, channel),
        functions(machine, rank),
        functions(machine, group),
        functions(machine, bank),
    ]
}

/// The map as a detection knows it: sums of the functions, in no order.
fn model(machine: &Machine, timer: &MemoryTimer, seed: u64) -> (Model, Shape) {
    let banks = functions(machine, |place| {
        u64::from(place.bank_in_machine(&machine.memory.organisation))
    });
    let mut draws = Draws::new(seed);
    let mut mixed = Vec::new();
    while mixed.len() < banks.len() {
        let sum = banks
            .iter()
            .filter(|_| draws.below(2) == 1)
            .fold(0, |sum, function| sum ^ function);
        let longer: Vec<u64> = mixed.iter().copied().chain([sum]).collect();
        if row_reduce(&longer).len() == longer.len() {
            mixed = longer;
        }
    }
    let rows = functions(machine, |place| {
        u64::from(place.bank_in_machine(&machine.memory.organisation)) << 30 | u64::from(place.row)
    });
    // Lines differ in bits of the memory's addresses from 6 on.
    let lines = u128::from((machine.memory.map.capacity() - 1) & !63);
    let rows = Basis::of(rows.into_iter().map(|row| u128::from(row) & lines));
    let shape = Shape {
        columns: rows.annihilator(lines),
        rows: Vec::new(),
        column_bits: Vec::new(),
    };
    let model = Model {
        form: Form::plain(timer.ranges()),
        functions: mixed.into_iter().map(u128::from).collect(),
    };
    (model, shape)
}

/// Names the functions of a machine, given its map.
fn named(machine: &Machine, disturbance: Disturbance, seed: u64) -> (Names, Cost) {
    let timer = MemoryTimer::new(machine);
    let (model, shape) = model(machine, &timer, seed);
    let mut timer = Disturbed::new(timer, disturbance, seed);
    let mut probe = Probe::new(Governor::new(&mut timer), seed);
    let refresh = (0..REFRESH_LINES).find_map(|_| {
        let line = probe.line();
        refresh::find(&mut probe.governor, line)
    });
    let names = names::find(&mut probe, &model, Some(&shape), refresh.as_ref());
    (names, probe.governor.cost())
}

/// Fails if any name is wrong: the functions up to each kind that is told are those of the machine.
fn check(what: &str, machine: &Machine, names: &Names) {
    let truth = truth(machine);
    let mut found: Vec<u64> = Vec::new();
    for (kind, truth) in Kind::ALL.into_iter().zip(&truth) {
        let verdict = &names.verdicts[kind as usize];
        let own: Vec<u64> = names.of(kind).map(|f| u64::try_from(f).expect("a plain map")).collect();
        if !verdict.told {
            assert!(own.is_empty(), "{what}: {kind} is named and not told");
            assert!(verdict.reason.is_some(), "{what}: {kind} has no reason");
            continue;
        }
        found.extend(&own);
        assert_eq!(row_reduce(&found), row_reduce(truth), "{what}: {kind}: {names:#?}");
        assert_eq!(verdict.functions, Some(own.len() as u64), "{what}: {kind}");
    }
    let all: Vec<u64> = names.functions.iter().map(|named| named.function as u64).collect();
    assert_eq!(
        row_reduce(&all),
        row_reduce(&truth[3]),
        "{what}: a basis of all functions"
    );
}

/// Loads of 130 ns, and each rank refreshed for 380 of each 3,904 ns: pairs of two ranks meet one refresh or the other most of the time.
const SHORT_OF_RANKS: &str = "raspberry-pi-5";

/// LPDDR5 and HBM2, whose lines are two bursts: nothing is claimed of their names.
const LINES_OF_BURSTS: [&str; 3] = ["grace-72", "jetson-orin", "xeon-max-9480"];

/// Levels of noise in ns: of every other machine the one end, of those between the other end; all with `FRESCO_LEVELS=all`, as `make soak`
/// has them.
fn levels(name: &str) -> Vec<f64> {
    if std::env::var("FRESCO_LEVELS").is_ok_and(|levels| levels == "all") {
        return vec![3.0, 1.0, 0.5, 0.0];
    }
    let number = builtin_names()
        .position(|other| other == name)
        .expect("a built-in machine");
    vec![if number.is_multiple_of(2) { 3.0 } else { 0.0 }]
}

/// The machine as its file says without what was fitted to curves, with some keys changed.
fn with(name: &str, set: &[(&str, &str)]) -> Machine {
    let set: Vec<(String, String)> = [("calibration", "false")]
        .iter()
        .chain(set)
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect();
    load_with(name, &set).expect("a machine")
}

/// Names of a machine at all levels of noise, none of them wrong.
fn at_all_levels(name: &str, set: &[(&str, &str)]) -> Vec<Names> {
    let machine = with(name, set);
    let at = |level: f64| {
        let (names, cost) = named(&machine, noise(level), 1);
        let what = format!("{name} {set:?}, noise {level}");
        let told = names
            .verdicts
            .iter()
            .map(|verdict| format!("{} {:?}", verdict.kind, verdict.functions));
        println!("{what}: {} {cost:?}", told.collect::<Vec<_>>().join(", "));
        check(&what, &machine, &names);
        names
    };
    levels(name).into_iter().map(at).collect()
}

/// Why a kind is not told.
fn reason(names: &Names, kind: Kind) -> &str {
    let verdict = &names.verdicts[kind as usize];
    assert!(!verdict.told, "{kind} is told: {names:#?}");
    verdict.reason.as_deref().expect("a reason")
}

#[test]
fn all_functions_of_every_claimed_machine_but_one_are_named() {
    // Elsewhere differences of addresses are none of banks.
    let is_linear = |name: &&str| with(name, &[]).memory.organisation.channels.is_power_of_two();
    let is_claimed = |name: &&str| !LINES_OF_BURSTS.contains(name);
    for name in builtin_names().filter(is_linear).filter(is_claimed) {
        for (names, level) in at_all_levels(name, &[]).iter().zip(levels(name)) {
            if name == SHORT_OF_RANKS {
                let reason = reason(names, Kind::Rank);
                assert!(reason.contains("too many refreshes"), "noise {level}: {names:#?}");
                continue;
            }
            assert!(names.is_complete(), "{name}, noise {level}: {names:#?}");
        }
    }
}

#[test]
fn ranks_show_by_the_turn_of_the_bus_where_refreshes_do_not_part_them() {
    for refresh in ["none", "all-bank-simultaneous", "burst"] {
        let set = [("memory.controller.refresh", refresh)];
        for machine in ["xeon-e3-1220v5", "i7-860", "core2-q8400"] {
            for names in at_all_levels(machine, &set) {
                assert!(names.is_complete(), "{machine}, {refresh}: {names:#?}");
            }
        }
    }
}

#[test]
fn refreshes_that_are_moved_about_give_no_wrong_name() {
    // DDR4 alone splits refreshes on the fly.
    at_all_levels("xeon-e3-1220v5", &[("memory.controller.refresh", "adaptive")]);
    for machine in ["xeon-e3-1220v5", "i5-6200u", "ss-rtmc"] {
        at_all_levels(machine, &[("memory.controller.refresh", "elastic")]);
    }
}

#[test]
fn banks_that_are_refreshed_one_by_one_are_no_ranks() {
    for refresh in ["per-bank", "per-bank-out-of-order"] {
        let set = [("memory.controller.refresh", refresh)];
        for machine in ["raspberry-pi-4", "jetson-nano"] {
            for names in at_all_levels(machine, &set) {
                assert!(
                    reason(&names, Kind::Rank).contains("fewer than four banks"),
                    "{machine}: {names:#?}"
                );
            }
        }
    }
    at_all_levels("jetson-nano", &[("memory.controller.refresh", "per-bank-sequential")]);
}

#[test]
fn ranks_are_not_told_from_banks_that_are_refreshed_together_if_the_bus_needs_no_turn() {
    let set = [("memory.timing.rtrs", "0")];
    for names in at_all_levels("i7-860", &set) {
        assert!(
            reason(&names, Kind::Rank).contains("the bus needs no turn"),
            "{names:#?}"
        );
        assert_eq!(names.of(Kind::Channel).count(), 1);
        // What is left may be any of the inner kinds.
        let unnamed = names
            .functions
            .iter()
            .find(|named| named.kind.is_none())
            .expect("not named");
        assert_eq!(unnamed.may_be, [Kind::Rank, Kind::BankGroup, Kind::Bank]);
    }
}

#[test]
fn the_same_bank_of_all_groups_is_no_rank_although_it_is_refreshed_at_once() {
    // Half a burst on half a bus, so that a line is still one burst.
    let ddr5 = [
        ("memory.standard", "ddr5-4800"),
        ("memory.organisation.bus_bytes", "4"),
        ("memory.density", "16 Gb"),
        ("memory.density_scales_refresh_only", "true"),
    ];
    let same_bank = [&ddr5[..], &[("memory.controller.refresh", "same-bank")]].concat();
    for names in at_all_levels("xeon-e3-1220v5", &same_bank) {
        reason(&names, Kind::Rank);
    }
    at_all_levels("xeon-e3-1220v5", &ddr5);
}

#[test]
fn groups_that_are_a_clock_apart_are_groups_or_not_told() {
    for set in [
        &[("memory.timing.ccd_l", "5")][..],
        &[
            ("memory.timing.ccd_l", "5"),
            ("memory.controller.refresh", "all-bank-simultaneous"),
        ],
    ] {
        at_all_levels("ddr4-2400-bench", set);
    }
    // Groups that cannot be seen.
    for refresh in ["all-bank-independent", "none"] {
        let set = [
            ("memory.timing.ccd_l", "4"),
            ("memory.timing.rrd_l", "4"),
            ("memory.controller.refresh", refresh),
        ];
        for names in at_all_levels("ddr4-2400-bench", &set) {
            assert_eq!(names.of(Kind::Rank).count(), 1, "{refresh}");
            assert!(reason(&names, Kind::BankGroup).contains("no groups show"), "{names:#?}");
        }
    }
}

#[test]
fn closed_pages_hide_what_refreshes_do_not_show() {
    for refresh in ["none", "all-bank-simultaneous", "all-bank-independent"] {
        for machine in ["i7-860", "raspberry-pi-4", "xeon-e3-1220v5"] {
            at_all_levels(
                machine,
                &[
                    ("memory.controller.page", "closed"),
                    ("memory.controller.refresh", refresh),
                ],
            );
        }
    }
}

/// A memory with any map, its functions summed at random: other seeds, other sums.
#[test]
fn other_seeds_give_no_wrong_name() {
    for seed in 2..5 {
        for name in ["xeon-e3-1220v5", "opteron-6128-interleaved", "i7-860", "jetson-nano"] {
            let machine = with(name, &[]);
            let (names, _) = named(&machine, noise(3.0), seed);
            check(&format!("{name}, seed {seed}"), &machine, &names);
        }
    }
}

/// A processor that waits for a line before it asks for the next one: no read overlaps another.
struct InOrder(MemoryTimer);

impl Timer for InOrder {
    fn ranges(&self) -> &[Range<u64>] {
        self.0.ranges()
    }
    fn pair(&mut self, a: u64, b: u64, rounds: u32) -> f64 {
        (0..rounds)
            .map(|_| self.0.pair(a, a, 1) + if a == b { 0.0 } else { self.0.pair(b, b, 1) })
            .sum()
    }
    fn streams(&mut self, streams: &[Stream<'_>], accesses: u32) -> f64 {
        self.0.streams(streams, accesses)
    }
    fn series(&mut self, line: u64, accesses: u32) -> Vec<Load> {
        self.0.series(line, accesses)
    }
    fn wait(&mut self, nanoseconds: f64) {
        self.0.wait(nanoseconds);
    }
    fn now(&self) -> f64 {
        self.0.now()
    }
}

#[test]
fn a_processor_without_overlapping_reads_tells_nothing() {
    let machine = with("i7-860", &[]);
    let timer = MemoryTimer::new(&machine);
    let (model, shape) = model(&machine, &timer, 1);
    let mut timer = Disturbed::new(InOrder(timer), noise(1.0), 1);
    let mut probe = Probe::new(Governor::new(&mut timer), 1);
    let names = names::find(&mut probe, &model, Some(&shape), None);
    check("in order", &machine, &names);
    assert!(
        reason(&names, Kind::Channel).contains("waits for the first"),
        "{names:#?}"
    );
    assert_eq!(reason(&names, Kind::Bank), "the channel is not told");
    // The functions are as they were.
    let functions: Vec<u128> = names.functions.iter().map(|named| named.function).collect();
    assert_eq!(functions, model.functions);
}

#[test]
fn channels_that_go_round_an_odd_number_are_not_told() {
    let mut timer = Disturbed::new(Formula::modulo_three(3 << 30), noise(1.0), 1);
    let mut model = Model {
        form: Form::plain(timer.ranges()),
        functions: vec![1 << 6, 1 << 17],
    };
    model.form.odd = Some(Odd {
        ways: 3,
        granule_bits: 12,
    });
    let mut probe = Probe::new(Governor::new(&mut timer), 1);
    let names = names::find(&mut probe, &model, None, None);
    assert!(reason(&names, Kind::Channel).contains("odd number"), "{names:#?}");
}

#[test]
fn without_a_row_nothing_is_told() {
    let machine = with("i7-860", &[]);
    let timer = MemoryTimer::new(&machine);
    let (model, _) = model(&machine, &timer, 1);
    let mut timer = Disturbed::new(timer, noise(1.0), 1);
    let mut probe = Probe::new(Governor::new(&mut timer), 1);
    let names = names::find(&mut probe, &model, None, None);
    assert_eq!(reason(&names, Kind::Channel), "no two lines of one row are known");
}
