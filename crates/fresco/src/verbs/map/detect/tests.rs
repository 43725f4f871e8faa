// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every shipped machine's map, from the timing of its simulated memory alone.

use fresco_detect::synthetic::{Disturbance, Disturbed};
use fresco_detect::{Detection, LINE_BITS, Method, Options, Verdict, detect};
use fresco_dram::PhysAddr;
use fresco_dram::gf2::row_reduce;
use fresco_machine::{Machine, builtin, builtin_names, builtin_text};
use fresco_system::MemoryTimer;

/// A core at work elsewhere, a coarse clock, interrupts.
pub(in crate::verbs::map) const NOISE: Disturbance = Disturbance {
    noise: 3.0,
    interrupts: 0.002,
    interrupt: 3_000.0,
    step: 10.0,
    drift: 0.0,
    drift_period: 0.0,
    line_spread: 0.0,
    prefetch: 0.001,
    labels: fresco_detect::synthetic::Labels::True,
    moves_after: 0.0,
};

fn run(machine: &Machine, disturbance: Disturbance, all: bool) -> Detection {
    let mut timer = Disturbed::new(MemoryTimer::new(machine), disturbance, 1);
    let options = Options {
        seed: 1,
        method: Method::Solver,
        all,
        seconds: f64::INFINITY,
    };
    detect(&mut timer, options)
}

/// The functions over address bits of one property of a place, from what each bit changes, in a linear map.
fn functions(machine: &Machine, number: impl Fn(&fresco_dram::Location) -> u64) -> Vec<u64> {
    let map = &machine.memory.map;
    let at = |address: u64| number(&map.decode(PhysAddr(address)).expect("an address of the machine"));
    let bits = map.capacity().trailing_zeros();
    let columns: Vec<u64> = (0..bits).map(|bit| at(1 << bit) ^ at(0)).collect();
    fresco_dram::gf2::transpose(&columns, 60)
}

/// What timing can see of the map: banks, and rows with banks.
fn truth(machine: &Machine) -> (Vec<u64>, Vec<u64>) {
    let org = machine.memory.organisation;
    let banks = functions(machine, |place| u64::from(place.bank_in_machine(&org)));
    let rows = functions(machine, |place| {
        u64::from(place.bank_in_machine(&org)) << 30 | u64::from(place.row)
    });
    (row_reduce(&banks), row_reduce(&rows))
}

#[test]
fn the_map_of_every_shipped_machine_is_found_from_timing() {
    // Where nothing disturbs, what other lines of a rank take longer stands out as well. One level of each machine; all with
    // `FRESCO_LEVELS=all`, as `make soak` has them.
    let levels = [3.0, 1.0, 0.5, 0.0];
    let all = std::env::var("FRESCO_LEVELS").is_ok_and(|levels| levels == "all");
    for (number, name) in linear_names().enumerate() {
        for (_, noise) in (0..)
            .zip(levels)
            .filter(|(level, _)| all || number % levels.len() == *level)
        {
            is_found(name, Disturbance { noise, ..NOISE });
        }
    }
}

/// Built-in machines whose channels are a power of two.
pub(in crate::verbs::map) fn linear_names() -> impl Iterator<Item = &'static str> {
    let channels = |name: &&str| builtin(name).expect("a built-in machine").memory.organisation.channels;
    builtin_names().filter(move |name| channels(name).is_power_of_two())
}

/// Six channels of 256 bytes in turn: three ways, and whatever is found puts lines where the machine does.
#[test]
fn channels_that_are_no_power_of_two_are_found_or_told() {
    for name in builtin_names().filter(|name| !linear_names().any(|linear| linear == *name)) {
        let machine = builtin(name).expect("a built-in machine");
        let found = run(&machine, NOISE, false);
        let failed = found.evidence.failed();
        assert_eq!(found.verdict, Verdict::Map, "{name}: {failed:?}");
        let model = found.solution.expect("a map has functions").model;
        assert_eq!(model.form.odd.map(|odd| odd.ways), Some(3), "{name}");
        assert!(model.masks().is_none(), "{name}: map.txt would be wrong");
        let org = machine.memory.organisation;
        assert_eq!(model.banks(), f64::from(org.banks_total()), "{name}");
        let bank = |line: u64| {
            machine
                .memory
                .map
                .decode(PhysAddr(line))
                .map(|place| place.bank_in_machine(&org))
        };
        let end = machine.memory.map.capacity();
        // Lines near each other and far apart: Weyl sequences of the golden ratio.
        for n in 0..40_000u64 {
            let a = (n.wrapping_mul(0x9e37_79b9_7f4a_7c15) % end) & !63;
            let b = (a + 64 * (1 + n % 5_000)).min(end - 64);
            assert_eq!(model.same_bank(a, b), bank(a) == bank(b), "{name}: {a:#x} and {b:#x}");
        }
    }
}

fn is_found(name: &str, disturbance: Disturbance) {
    let noise = disturbance.noise;
    let machine = builtin(name).expect("a built-in machine");
    let found = run(&machine, disturbance, false);
    let failed = found.evidence.failed();
    assert_eq!(found.verdict, Verdict::Map, "{name}, noise {noise}: {failed:?}");
    let model = found.solution.expect("a map has functions").model;
    let masks = model.masks().expect("a plain map");
    let (banks, rows) = truth(&machine);
    assert_eq!(row_reduce(&masks), banks, "{name}, noise {noise}");
    let shape = found.shape.expect("a plain map has rows and columns");
    let plain = |row: &u128| u64::try_from(*row).expect("a plain map");
    let both: Vec<u64> = masks.iter().copied().chain(shape.rows.iter().map(plain)).collect();
    assert_eq!(row_reduce(&both), rows, "{name}, noise {noise}: rows {:?}", shape.rows);
    assert!(shape.column_bits.iter().all(|bit| *bit >= LINE_BITS), "{name}");
}

#[test]
fn refreshes_queues_and_gains_are_those_of_the_machine() {
    use fresco_detect::queues::Kind::{OneQueue, PerBankOrReordering};
    for (name, queues) in [
        // One queue whose open rows overtake, and a queue per bank, look alike (MAP-18).
        ("jetson-nano", PerBankOrReordering),
        ("xeon-w3530", PerBankOrReordering),
        ("ddr4-2400-bench", PerBankOrReordering),
        // In order of arrival; or a first-in-first-out queue before those of the banks.
        ("p4080", OneQueue),
        ("ss-rtmc", OneQueue),
        ("opteron-6128", OneQueue),
    ] {
        let machine = builtin(name).expect("a built-in machine");
        let found = run(&machine, NOISE, true);
        let timing = &machine.memory.timing;
        let refi = timing.clock.to_ps(timing.refi) as f64 / 1000.0;
        let refresh = found.refresh.expect("machines refresh their memory");
        assert!(
            (refresh.period / refi - 1.0).abs() < 1e-5,
            "{name}: {refresh:?}, not {refi}"
        );
        assert_eq!(
            found.queues.map(|queues| queues.kind),
            Some(queues),
            "{name}: {:?}",
            found.queues
        );
        let gain = found
            .benefit
            .and_then(|benefit| benefit.pages)
            .expect("pages with banks of their own");
        assert!(gain.low > 1.02, "{name}: {gain:?}");
        let names = found.names.expect("names were asked for");
        assert!(names.is_complete(), "{name}: {names:#?}");
    }
}

/// The functions up to each kind, the outermost first.
fn functions_by_kind(machine: &Machine) -> [Vec<u64>; 4] {
    let org = machine.memory.organisation;
    let up_to = |kinds: usize| {
        let found = functions(machine, |place| {
            let parts = [place.channel, place.rank, place.bank_group, place.bank];
            parts
                .iter()
                .take(kinds)
                .fold(u64::from(place.node), |all, part| all << 8 | u64::from(*part))
        });
        row_reduce(&found)
    };
    assert_eq!(org.nodes, 1);
    [up_to(1), up_to(2), up_to(3), up_to(4)]
}

#[test]
fn a_named_map_is_one_of_a_machine_file() {
    for name in ["i5-6200u", "xeon-e3-1220v5"] {
        let machine = builtin(name).expect("a built-in machine");
        let found = run(&machine, NOISE, true);
        let emitted = super::names::for_machine_file(&found);
        let (map, counts) = emitted.split_once("\n[memory.organisation]\n").expect("both");
        let file = builtin_text(name).expect("a built-in machine");
        let begin = file.find("[memory.map]").expect("a map");
        let end = begin + file[begin + 1..].find("\n[").expect("more tables");
        let file = format!("{}{map}{}", &file[..begin], &file[end..]);
        let again = Machine::parse("found.toml", &file, &[]).expect("a machine");
        assert_eq!(functions_by_kind(&again), functions_by_kind(&machine), "{name}: {map}");
        let org = machine.memory.organisation;
        let told = [
            ("channels", org.channels),
            ("ranks", org.ranks),
            ("bank_groups", org.bank_groups),
            ("banks", org.banks),
            ("rows", org.rows),
        ];
        let expected: Vec<String> = told.iter().map(|(key, count)| format!("{key} = {count}")).collect();
        assert_eq!(counts.lines().collect::<Vec<_>>(), expected, "{name}");
    }
}
