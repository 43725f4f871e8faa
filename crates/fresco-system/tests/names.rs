// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which function is channel, rank, bank group or bank: never a wrong name, on all machines, and where signals are missing.

use fresco_detect::model::{Form, Model};
use fresco_detect::names::{self, Kind, Names};
use fresco_detect::random::Draws;
use fresco_detect::synthetic::{Disturbance, Disturbed};
use fresco_detect::wide::Basis;
use fresco_detect::{Cost, Governor, Probe, Shape, Timer, refresh};
use fresco_dram::gf2::{independent, row_reduce, transpose};
use fresco_dram::{Location, PhysAddr};
use fresco_machine::{Machine, builtin_names, load_with};
use fresco_system::MemoryTimer;

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
    let banks = functions(machine, |place| u64::from(place.bank_in_machine(&machine.memory.organisation)));
    let mut draws = Draws::new(seed);
    let mut mixed = Vec::new();
    while mixed.len() < banks.len() {
        let sum = banks.iter().filter(|_| draws.below(2) == 1).fold(0, |sum, function| sum ^ function);
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
    assert_eq!(row_reduce(&all), row_reduce(&truth[3]), "{what}: a basis of all functions");
}

#[test]
fn explore() {
    let wanted = std::env::var("M").unwrap_or_default();
    let set: Vec<(String, String)> = std::env::var("SET").unwrap_or_default().split_whitespace().map(|p| {
        let (k, v) = p.split_once('=').unwrap();
        (k.to_owned(), v.to_owned())
    }).collect();
    for name in builtin_names().filter(|name| wanted.is_empty() || *name == wanted) {
        let machine = match load_with(name, &set) { Ok(m) => m, Err(e) => { println!("{name}: {e}"); continue } };
        for level in [3.0, 1.0, 0.5, 0.0] {
            let start = std::time::Instant::now();
            let (names, cost) = named(&machine, noise(level), 1);
            let told: Vec<String> = names.verdicts.iter().map(|v| format!("{} {:?}", v.kind, v.functions)).collect();
            println!("{name} {level}: {} {:?} {:.1}s machine {:.1}s, {} accesses", names.is_complete(), told, start.elapsed().as_secs_f64(), cost.seconds, cost.accesses);
            for v in &names.verdicts {
                if let Some(r) = &v.reason { println!("      {}: {r}", v.kind); }
                if std::env::var("V").is_ok() { for n in &v.numbers { println!("         {} {:.3} {:?} {}", n.what, n.value, n.interval, n.n); } }
            }
            check(name, &machine, &names);
        }
    }
}
