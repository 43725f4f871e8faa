// SPDX-License-Identifier: MIT OR Apache-2.0
//! Maps that were measured on real machines, and the colors they allow.

use fresco_dram::color::usable_bits;
use fresco_dram::map::{BankMap, text};
use fresco_dram::{ColorSpace, Organisation};
use serde::Deserialize;

#[derive(Deserialize)]
struct Published {
    map: Vec<Map>,
}

#[derive(Deserialize)]
struct Map {
    name: String,
    functions: Vec<Vec<u32>>,
    color_bits: [u32; 4],
}

/// 4 KiB, 16 KiB, 64 KiB, 2 MiB: the orders of `color_bits`.
const PAGE_BITS: [u32; 4] = [12, 14, 16, 21];

impl Map {
    fn masks(&self) -> Vec<u64> {
        self.functions
            .iter()
            .map(|bits| bits.iter().fold(0, |mask, bit| mask | 1 << bit))
            .collect()
    }
}

fn published() -> Vec<Map> {
    let all: Published = toml::from_str(include_str!("fixtures/published-maps.toml")).unwrap();
    assert_eq!(all.map.len(), 15);
    all.map
}

#[test]
fn color_bits_at_four_page_sizes() {
    for map in published() {
        for (page_bits, bits) in PAGE_BITS.into_iter().zip(map.color_bits) {
            assert_eq!(
                usable_bits(&map.masks(), page_bits),
                bits,
                "{} at 2^{page_bits}",
                map.name
            );
            let banks = BankMap::new(map.masks(), 0).unwrap();
            let space = ColorSpace::of_bank_map(&banks, &[], page_bits).unwrap();
            assert_eq!(space.bank_colors(), 1 << bits, "{} at 2^{page_bits}", map.name);
            assert_eq!(space.pairs(), 1 << bits);
        }
    }
}

#[test]
fn colors_divide_the_banks_evenly() {
    for map in published() {
        let banks = BankMap::new(map.masks(), 0).unwrap();
        for page_bits in PAGE_BITS {
            let space = ColorSpace::of_bank_map(&banks, &[], page_bits).unwrap();
            let mut all: Vec<u32> = (0..space.bank_colors()).flat_map(|color| space.banks(color)).collect();
            all.sort_unstable();
            assert_eq!(all, (0..1 << map.functions.len()).collect::<Vec<u32>>(), "{}", map.name);
        }
    }
}

#[test]
fn map_txt_keeps_every_published_map() {
    for map in published() {
        let lines: Vec<String> = map
            .functions
            .iter()
            .map(|bits| bits.iter().map(u32::to_string).collect::<Vec<_>>().join(" "))
            .collect();
        let written = lines.join("\n") + "\n";
        let read = text::map_txt::parse(&written, "map.txt").unwrap();
        assert_eq!(read.functions(), map.masks());
        assert_eq!(text::map_txt::format(read.functions()), written);
    }
}

#[test]
fn completed_maps_color_as_the_partial_ones() {
    for map in published() {
        let partial = BankMap::new(map.masks(), 0).unwrap();
        // As much memory as the highest function asks for, in rows of 8 KiB.
        let top = 64 - map.masks().iter().fold(0, |all, mask| all | mask).leading_zeros();
        let banks = 1 << map.functions.len();
        let rows = 1 << (top.max(29) - 13 - map.functions.len() as u32);
        let org = Organisation {
            nodes: 1,
            channels: 1,
            ranks: 1,
            bank_groups: 1,
            banks,
            rows,
            columns: 1024,
            bus_bytes: 8,
        };
        let complete = partial
            .complete(org)
            .unwrap_or_else(|error| panic!("{}: {error}", map.name));
        let of_partial = ColorSpace::of_bank_map(&partial, &[], 12).unwrap();
        let of_complete = ColorSpace::new(&complete, &[], 12).unwrap();
        assert_eq!(
            of_partial.bank_functions(),
            of_complete.bank_functions(),
            "{}",
            map.name
        );
    }
}

#[test]
fn sums_find_more_colors_than_whole_lines() {
    let maps = published();
    let orin_agx = maps.iter().find(|map| map.name.contains("Orin AGX")).unwrap();
    let whole_lines = orin_agx.masks().iter().filter(|mask| **mask & 0xfff == 0).count();
    assert_eq!((whole_lines, usable_bits(&orin_agx.masks(), 12)), (2, 5));

    // Using every line as if the page had one value of it, as PALLOC's map reader does, makes 128 bins of the Orin
    // Nano's 16 disjoint sets; the others share all their banks with another bin.
    let orin_nano = maps.iter().find(|map| map.name.contains("Orin Nano")).unwrap();
    assert_eq!(orin_nano.functions.len(), 7);
    let banks = BankMap::new(orin_nano.masks(), 0).unwrap();
    let space = ColorSpace::of_bank_map(&banks, &[], 12).unwrap();
    assert_eq!((space.bank_colors(), space.banks(0).len()), (16, 8));
    assert!(space.disjoint(3, 3).is_err());
}
