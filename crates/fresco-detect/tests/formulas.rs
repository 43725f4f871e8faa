// SPDX-License-Identifier: MIT OR Apache-2.0
//! Memories made of formulas whose map must be found, and that of their like with disturbances.

use fresco_detect::synthetic::{Disturbance, Disturbed, Formula, Labels};
use fresco_detect::{Detection, Method, Options, Verdict, detect, detect_until};
use fresco_dram::gf2::row_reduce;

fn run(timer: Formula, disturbance: Disturbance, seed: u64) -> Detection {
    let mut timer = Disturbed::new(timer, disturbance, seed);
    detect(
        &mut timer,
        Options {
            seed,
            method: Method::Solver,
            all: false,
            seconds: f64::INFINITY,
        },
    )
}

const NOISE: Disturbance = Disturbance {
    noise: 3.0,
    interrupts: 0.005,
    interrupt: 3_000.0,
    step: 10.0,
    drift: 0.0,
    drift_period: 0.0,
    line_spread: 0.0,
    prefetch: 0.002,
    labels: Labels::True,
    moves_after: 0.0,
};

/// The functions, if they came out as a map.
fn masks(detection: &Detection) -> Vec<u64> {
    assert_eq!(detection.verdict, Verdict::Map, "{:?}", detection.evidence.failed());
    detection
        .solution
        .as_ref()
        .expect("a map has functions")
        .model
        .masks()
        .expect("a plain map")
}

#[test]
fn an_xor_map_is_found_with_its_rows_and_columns() {
    let functions = [13u32, 14, 15, 16].map(|bit| 1u64 << bit | 1 << (bit + 4));
    let detection = run(Formula::xor(1 << 31, &functions), NOISE, 1);
    assert_eq!(row_reduce(&masks(&detection)), row_reduce(&functions));
    let shape = detection.shape.expect("a plain map has a shape");
    assert_eq!(shape.column_bits, (6..13).collect::<Vec<_>>());
    assert_eq!(shape.rows, (17..31).map(|bit| 1 << bit).collect::<Vec<u128>>());
}

#[test]
fn wide_functions_of_in_page_bits_are_found_beside_slow_lines_and_drift() {
    let functions = [
        0x1_2340,
        1 << 7 | 1 << 14,
        1 << 15 | 1 << 19 | 1 << 29,
        1 << 18 | 1 << 22,
    ];
    let disturbance = Disturbance {
        line_spread: 15.0,
        drift: 0.05,
        drift_period: 7.0,
        ..NOISE
    };
    let detection = run(Formula::xor(1 << 32, &functions), disturbance, 2);
    assert_eq!(row_reduce(&masks(&detection)), row_reduce(&functions));
}

#[test]
fn three_ways_with_hashes_are_found() {
    let detection = run(Formula::modulo_three(3 << 30), NOISE, 3);
    assert_eq!(detection.verdict, Verdict::Map, "{:?}", detection.evidence.failed());
    let shape = detection.shape.expect("rows and columns");
    // Rows are 32 pages of quotients: bits of the quotient from 2^17 bytes on.
    let rows: Vec<u128> = (17..30).map(|bit| 1 << (64 + bit)).collect();
    assert_eq!(shape.rows, rows, "{:?}", detection.no_shape);
    let model = detection.solution.expect("a map").model;
    assert_eq!(model.form.odd.map(|odd| (odd.ways, odd.granule_bits)), Some((3, 12)));
    assert_eq!(model.functions.len(), 5);
}

#[test]
fn an_offset_behind_a_hole_is_found() {
    let functions = [1u64 << 13 | 1 << 17, 1 << 14 | 1 << 28, 1 << 15 | 1 << 31];
    let place = move |address: u64| {
        let normalised = if address >> 32 != 0 {
            address - (1280 << 20)
        } else {
            address
        };
        let bank = functions
            .iter()
            .fold(0, |bank, f| bank << 1 | u64::from((f & normalised).count_ones() & 1));
        (bank, normalised >> 13)
    };
    let detection = run(Formula::new(vec![0..2816 << 20, 4 << 30..6 << 30], place), NOISE, 4);
    assert_eq!(row_reduce(&masks(&detection)), row_reduce(&functions));
    let spans = &detection.solution.as_ref().expect("a map").model.form.spans;
    assert_eq!(spans[1].offset, 1280 << 20);
}

#[test]
fn a_map_that_changes_while_it_is_looked_for_is_unstable() {
    let functions = [13u32, 14, 15].map(|bit| 1u64 << bit | 1 << (bit + 4));
    // After the classes are known, and before the half minute is over.
    let disturbance = Disturbance {
        moves_after: 15.0,
        ..NOISE
    };
    let detection = run(Formula::xor(1 << 31, &functions), disturbance, 5);
    assert_eq!(
        detection.verdict,
        Verdict::Unstable,
        "{:?}",
        detection.evidence.failed()
    );
}

#[test]
fn a_map_behind_shuffled_frames_is_a_signal_and_no_map() {
    let functions = [1u64 << 13 | 1 << 17, 1 << 14 | 1 << 24, 1 << 15];
    for block_bits in [12, 21] {
        let disturbance = Disturbance {
            labels: Labels::Shuffled { block_bits },
            ..NOISE
        };
        let detection = run(Formula::xor(1 << 31, &functions), disturbance, 6);
        assert_eq!(
            detection.verdict,
            Verdict::SignalOnly,
            "{:?}",
            detection.evidence.failed()
        );
    }
}

#[test]
fn lines_that_are_slow_by_themselves_are_no_signal() {
    for line_spread in [10.0, 40.0, 200.0] {
        let timer = Formula::xor(1 << 31, &[1 << 13]).without_conflicts();
        let detection = run(timer, Disturbance { line_spread, ..NOISE }, 7);
        assert_eq!(
            detection.verdict,
            Verdict::NoSignal,
            "{:?}",
            detection.evidence.failed()
        );
    }
}

#[test]
fn a_map_whose_functions_end_inside_a_frame_is_true_whatever_lies_where() {
    let functions = [13u32, 14, 15].map(|bit| 1u64 << bit | 1 << (bit + 4));
    let disturbance = Disturbance {
        labels: Labels::Shuffled { block_bits: 21 },
        ..NOISE
    };
    let detection = run(Formula::xor(1 << 31, &functions), disturbance, 8);
    assert_eq!(row_reduce(&masks(&detection)), row_reduce(&functions));
}

/// The verdict of a bitwise method, and its functions if it has any.
fn bitwise(method: Method, functions: &[u64]) -> (Verdict, Vec<u64>) {
    let mut timer = Disturbed::new(Formula::xor(1 << 31, functions), NOISE, 9);
    let options = Options {
        seed: 9,
        method,
        all: false,
        seconds: f64::INFINITY,
    };
    let detection = detect(&mut timer, options);
    let masks = detection.solution.and_then(|solution| solution.model.masks());
    (detection.verdict, masks.unwrap_or_default())
}

#[test]
fn the_papers_methods_find_maps_of_their_kind_and_no_others() {
    let single = [12u32, 13, 19, 20].map(|bit| 1u64 << bit);
    let twos = [13u32, 14, 15, 16].map(|bit| 1u64 << bit | 1 << (bit + 4));
    let wide = [1 << 13 | 1 << 17 | 1 << 18, 1 << 14];
    assert_eq!(bitwise(Method::List, &single), (Verdict::Map, single.to_vec()));
    assert_eq!(bitwise(Method::Algorithm1, &single), (Verdict::Map, single.to_vec()));
    assert_eq!(bitwise(Method::Algorithm1, &twos), (Verdict::Map, twos.to_vec()));
    assert_eq!(bitwise(Method::List, &twos).0, Verdict::SignalOnly);
    assert_eq!(bitwise(Method::Algorithm1, &wide).0, Verdict::SignalOnly);
}

#[test]
fn what_is_stopped_claims_no_map_that_has_not_predicted_twice() {
    let functions = [1 << 13 | 1 << 17, 1 << 14 | 1 << 18];
    let options = Options {
        seed: 1,
        method: Method::Solver,
        all: false,
        seconds: f64::INFINITY,
    };
    // Stopped at one place after the other where it is asked.
    for places in [0, 1, 3, 10, 30, 100] {
        let asked = std::cell::Cell::new(0);
        let stop = || {
            asked.set(asked.get() + 1);
            asked.get() > places
        };
        let mut timer = Disturbed::new(Formula::xor(1 << 31, &functions), NOISE, 1);
        let found = detect_until(&mut timer, options, &stop);
        assert_eq!(found.stopped, asked.get() > places, "{places}");
        assert!(!found.verdict.has_map() || found.predictions.len() == 2, "{places}");
        if !found.verdict.has_map() {
            let last = found.evidence.checks.last().expect("what stopped it");
            assert!(last.what.contains("somebody stopped it"), "{last:?}");
        }
    }
}
