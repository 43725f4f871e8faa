// SPDX-License-Identifier: MIT OR Apache-2.0
//! No text makes a reader panic.

use fresco_dram::fuzz::{fuzz_bit_pattern, fuzz_color_list, fuzz_hex_masks, fuzz_map_txt, fuzz_palloc};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn every_reader(data: &[u8]) {
    fuzz_map_txt(data);
    fuzz_hex_masks(data);
    fuzz_palloc(data);
    fuzz_bit_pattern(data);
    fuzz_color_list(data);
}

/// The same cases on every run.
fn same_cases() -> ProptestConfig {
    ProptestConfig {
        cases: 1000,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..Default::default()
    }
}

proptest! {
    #![proptest_config(same_cases())]

    #[test]
    fn bytes(data: Vec<u8>) {
        every_reader(&data);
    }

    #[test]
    fn unicode(text in "\\PC{0,60}") {
        every_reader(text.as_bytes());
    }

    #[test]
    fn nearly_right(text in "([0-9]{1,2}|0x[0-9a-f]{1,17}|xor|-|,|\\[|\\]|X|#| |\n){0,40}") {
        every_reader(text.as_bytes());
    }

    #[test]
    fn nearly_map_txt(lines in proptest::collection::vec(proptest::collection::vec(0u32..65, 1..4), 0..30)) {
        let line = |bits: &Vec<u32>| bits.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
        every_reader(lines.iter().map(line).collect::<Vec<_>>().join("\n").as_bytes());
    }

    #[test]
    fn nearly_palloc(mask: u64, pairs in proptest::collection::vec((0u32..64, 0u32..64), 0..4)) {
        let lines: String = pairs.iter().map(|(a, b)| format!("xor {a} {b}\n")).collect();
        every_reader(format!("{mask:#x}\n{lines}").as_bytes());
    }
}
