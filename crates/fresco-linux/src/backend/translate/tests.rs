// SPDX-License-Identifier: MIT OR Apache-2.0
#![allow(clippy::single_range_in_vec_init)]

use super::*;
use crate::colors::ColorCounts;
use fresco_dram::ColorSpace;
use fresco_dram::map::BankMap;
use proptest::prelude::*;

fn colors(functions: &[u64], llc: &[u64], offset: u64) -> FrameColors {
    let map = BankMap::new(functions.to_vec(), offset).expect("a map");
    let space = ColorSpace::of_bank_map(&map, llc, 12).expect("colors");
    FrameColors::of_bank_map(&map, &space)
}

fn asked(colors: &FrameColors, text: &str) -> AskedColors {
    AskedColors::parse(text, ColorCounts::of(colors)).expect(text)
}

fn translated(map: &str, colors: &FrameColors, text: &str, memory: &[Range<u64>]) -> Result<Vec<u32>, Mixed> {
    translate(&KernelMap::parse(map).expect(map), colors, &asked(colors, text), memory)
}

const MEMORY: [Range<u64>; 2] = [0x1000..0x9f000, 0x10_0000..0x8000_0000];

#[test]
fn the_same_functions_in_another_order_are_other_numbers() {
    let colors = colors(&[1 << 14 | 1 << 18, 1 << 15 | 1 << 19], &[], 0);
    for (map, text, expected) in [
        ("0x44000,0x88000", "banks=1", vec![1]),
        ("0x88000,0x44000", "banks=1", vec![2]),
        ("0x88000,0x44000", "banks=0,2", vec![0, 1]),
        // Sums: bit 0 is bank bit 0 + bank bit 1, bit 1 is bank bit 1.
        ("0xcc000,0x88000", "banks=2-3", vec![2, 3]),
        ("0xcc000,0x88000", "banks=1", vec![1]),
        ("0xcc000,0x88000", "banks=2", vec![3]),
        // One function more than is asked about.
        ("0x1000,0x44000,0x88000", "banks=1", vec![2, 3]),
        // One that is a sum of the others: half of the numbers have no frame.
        ("0x44000,0x88000,0xcc000", "banks=1", vec![5]),
        // Less than the whole is enough for what is asked.
        ("0x88000", "banks=2-3", vec![1]),
    ] {
        assert_eq!(translated(map, &colors, text, &MEMORY), Ok(expected), "{map} {text}");
    }
}

#[test]
fn a_map_that_mixes_colors_is_refused() {
    let colors = colors(&[1 << 14 | 1 << 18, 1 << 15 | 1 << 19], &[1 << 12], 0);
    for (map, text) in [
        ("0x88000", "banks=1"),
        ("0x4000,0x88000", "banks=1"),
        ("0x44000,0x88000", "llc=0"),
        ("0x44000,0x88000", "banks=1,llc=0"),
    ] {
        assert!(translated(map, &colors, text, &MEMORY).is_err(), "{map} {text}");
    }
    // Memory in which the functions are the same is not mixed.
    assert_eq!(
        translated("0x4000,0x8000", &colors, "banks=1", &[0..1 << 18]),
        Ok(vec![1])
    );
}

#[test]
fn ranges_and_offsets_count() {
    let colors = colors(&[1 << 14, 1 << 32], &[], 1 << 32);
    let memory = [0..1 << 31, 1 << 32..3 << 32];
    // Below 4 GiB no frame has a color, but the kernel has colors for them: those of frames from 8 GiB on.
    assert_eq!(
        translated("0x4000,0x100000000", &colors, "banks=0", &memory),
        Ok(vec![2])
    );
    assert!(translated("0x4000,0x100000000", &colors, "banks=2", &memory).is_err());
    let map = "0x4000,0x100000000@0x100000000-0x300000000:0x100000000";
    assert_eq!(translated(map, &colors, "banks=0,3", &memory), Ok(vec![0, 3]));
    // Without a base the second function is the other way round.
    let map = "0x4000,0x100000000@0x100000000-0x300000000";
    assert_eq!(translated(map, &colors, "banks=0,1", &memory), Ok(vec![2, 3]));
    // A base that is not the map's own shifts what a bit within it says.
    let map = "0x4000,0x100000000@0x100000000-0x300000000:0x800000";
    assert!(translated(map, &colors, "banks=0-1", &memory).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn frame_by_frame_it_is_the_same(
        functions in prop::collection::vec(1u64..1 << 14, 1..4),
        llc in prop::collection::vec(1u64..1 << 14, 0..3),
        kernel in prop::collection::vec(1u64..1 << 14, 1..6),
        same in any::<bool>(),
        offset in 0u64..3,
        base in 0u64..3,
        banks in 1u32..15,
        spans in prop::collection::vec(1u64..3000, 1..4),
    ) {
        let pages = |masks: &[u64]| masks.iter().map(|mask| mask << 12).collect::<Vec<_>>();
        let Ok(map) = BankMap::new(pages(&functions), offset << 22) else { return Ok(()) };
        let Ok(space) = ColorSpace::of_bank_map(&map, &pages(&llc), 12) else { return Ok(()) };
        let colors = FrameColors::of_bank_map(&map, &space);
        let mut kernel = pages(&kernel);
        if same {
            // Mostly a map that fits: random ones hardly ever do.
            kernel.extend(pages(&functions));
        }
        let from = offset.max(base) << 22;
        let map = KernelMap {
            functions: kernel,
            ranges: vec![crate::backend::MapRange { start: from, end: 1 << 40, base: base << 22 }],
        };
        let counts = ColorCounts::of(&colors);
        let list: Vec<u32> = (0..counts.banks).filter(|bank| banks >> (bank % 4) & 1 == 1).collect();
        prop_assume!(!list.is_empty());
        let asked = AskedColors { banks: list, ..AskedColors::all(counts) };
        let mut memory = Vec::new();
        let mut at = 0u64;
        for pages in spans {
            memory.push(at..at + (pages << 12));
            at += (pages + 777) << 12;
        }
        let filter = Filter::new(&colors, &asked);
        let mut expected: Vec<Option<bool>> = vec![None; map.colors()];
        let mut mixed = false;
        for frame in memory.iter().flat_map(|range| range.start >> 12..range.end >> 12) {
            let Some(color) = map.color(frame << 12) else { continue };
            let wanted = filter.wants(FrameNumber(frame));
            mixed |= *expected[color as usize].get_or_insert(wanted) != wanted;
        }
        let wanted = (0..).zip(expected).filter(|(_, verdict)| *verdict == Some(true));
        let wanted: Vec<u32> = wanted.map(|(color, _)| color).collect();
        match translate(&map, &colors, &asked, &memory) {
            Ok(found) => {
                prop_assert!(!mixed);
                prop_assert_eq!(found, wanted);
            }
            Err(_) => prop_assert!(mixed),
        }
    }
}
