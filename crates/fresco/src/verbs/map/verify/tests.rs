// SPDX-License-Identifier: MIT OR Apache-2.0
//! Right maps are confirmed and wrong ones are caught, on the simulated memory of every machine.

use super::claim::Claim;
use crate::verbs::map::detect::tests::{NOISE, linear_names};
use fresco_detect::synthetic::{Disturbance, Disturbed};
use fresco_detect::{Judge, Judgement};
use fresco_dram::gf2::{row_reduce, transpose};
use fresco_dram::map::BankMap;
use fresco_dram::{AddressMap, PhysAddr};
use fresco_machine::builtin;
use fresco_system::MemoryTimer;

/// Bank functions of a machine, from what each bit changes, in a linear map.
fn functions(map: &AddressMap) -> Vec<u64> {
    let bank = |address: u64| {
        let place = map.decode(PhysAddr(address)).expect("an address of the machine");
        u64::from(place.bank_in_machine(map.organisation()))
    };
    let bits = map.capacity().trailing_zeros();
    let columns: Vec<u64> = (0..bits).map(|bit| bank(1 << bit) ^ bank(0)).collect();
    row_reduce(&transpose(&columns, 20))
}

/// The functions with two address bits exchanged, such that they are other functions.
fn exchanged(functions: &[u64], bits: u32) -> Vec<u64> {
    let swap = |a: u32, b: u32| -> Vec<u64> {
        let one = |mask: &u64| {
            let differ = (mask >> a ^ mask >> b) & 1;
            mask ^ (differ << a | differ << b)
        };
        functions.iter().map(one).collect()
    };
    let pairs = (6..bits).flat_map(|a| (a + 1..bits).map(move |b| (a, b)));
    let mut swapped = pairs.map(|(a, b)| row_reduce(&swap(a, b)));
    swapped
        .find(|swapped| swapped != functions)
        .expect("some exchange changes a map")
}

#[test]
fn wrong_maps_are_caught_on_every_machine() {
    for name in linear_names() {
        let machine = builtin(name).expect("a built-in machine");
        let map = &machine.memory.map;
        let right = functions(map);
        let bits = map.capacity().trailing_zeros();
        let one_more = (6..bits).map(|bit| [right.as_slice(), &[1 << bit]].concat());
        let mut one_more = one_more.filter(|more| row_reduce(more).len() > right.len());
        let wrong = [
            ("two bits exchanged", exchanged(&right, bits)),
            ("a function missing", right[1..].to_vec()),
            (
                "a function too many",
                one_more.next().expect("not all bits select banks"),
            ),
        ];
        let mut timer = Disturbed::new(MemoryTimer::new(&machine), NOISE, 1);
        let mut judge = Judge::new(&mut timer, 1, f64::INFINITY);
        let (whole, _) = judge.judge(&Claim::Whole(map), 0.7, None);
        assert_eq!(whole, Judgement::Confirmed, "{name}: {:?}", judge.evidence.failed());
        for (what, functions) in wrong {
            let claim = BankMap::new(functions, 0).expect("independent functions");
            let (judgement, outcomes) = judge.judge(&Claim::Functions(&claim), 0.5, None);
            assert_eq!(judgement, Judgement::Wrong, "{name}, {what}: {outcomes:?}");
            // Caught by pairs that were not as predicted, not for want of pairs.
            let outcome = &outcomes[0];
            assert!(
                outcome.same.value().min(outcome.different.value()) < 0.95,
                "{name}, {what}: {outcome:?}"
            );
        }
    }
}

/// The map of a machine whose channels are no power of two, and those of machines that deal other granules or channels.
#[test]
fn maps_with_three_ways_are_judged_as_others() {
    let machine = |set: &[(&str, &str)]| {
        let owned: Vec<(String, String)> = set.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        fresco_machine::load_with("xeon-5218", &owned).expect("a built-in machine")
    };
    let right = machine(&[]);
    let mut timer = Disturbed::new(MemoryTimer::new(&right), NOISE, 1);
    let mut judge = Judge::new(&mut timer, 1, f64::INFINITY);
    let (whole, _) = judge.judge(&Claim::Whole(&right.memory.map), 0.7, None);
    assert_eq!(whole, Judgement::Confirmed, "{:?}", judge.evidence.failed());
    for other in [("memory.map.granule", "1 KiB"), ("memory.map.channel", "[[8, 19]]")] {
        let wrong = machine(&[other]);
        let (judgement, outcomes) = judge.judge(&Claim::Whole(&wrong.memory.map), 0.5, None);
        assert_eq!(judgement, Judgement::Wrong, "{other:?}: {outcomes:?}");
    }
}

#[test]
fn a_memory_without_signal_has_no_judgement() {
    let machine = builtin("xeon-w3530").expect("a built-in machine");
    let noise = Disturbance { noise: 400.0, ..NOISE };
    let mut timer = Disturbed::new(MemoryTimer::new(&machine), noise, 1);
    let mut judge = Judge::new(&mut timer, 1, f64::INFINITY);
    let (judgement, outcomes) = judge.judge(&Claim::Whole(&machine.memory.map), 1.0, None);
    assert_eq!((judgement, outcomes.len()), (Judgement::NoSignal, 0));
    assert!(judge.evidence.failed().is_some());
}
