// SPDX-License-Identifier: MIT OR Apache-2.0
use super::*;
use crate::map::testing::{cases, maps, small_organisations, within_way};
use crate::map::{BankMap, Field, Functions, Region};
use crate::{AddressMap, FrameNumber, Organisation, PhysAddr};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// A machine whose rank and channel are interleaved inside the page, whose bank is hashed, of two nodes by function.
const ORG: Organisation = Organisation {
    nodes: 2,
    channels: 2,
    ranks: 2,
    bank_groups: 1,
    banks: 8,
    rows: 4096,
    columns: 1024,
    bus_bytes: 8,
};

fn bits(bits: impl IntoIterator<Item = u32>) -> Vec<u64> {
    bits.into_iter().map(|bit| 1 << bit).collect()
}

fn interleaved() -> AddressMap {
    let functions = Functions {
        node: bits([30]),
        channel: bits([6]),
        rank: bits([7]),
        bank: vec![1 << 13 | 1 << 17, 1 << 14 | 1 << 18, 1 << 15 | 1 << 6],
        row: bits(16..28),
        column: bits([3, 4, 5, 8, 9, 10, 11, 12, 28, 29]),
        ..Functions::default()
    };
    AddressMap::new(
        ORG,
        vec![Region {
            base: 0,
            size: 1 << 31,
            offset: 0,
            node: None,
            functions,
        }],
    )
    .unwrap()
}

fn space() -> ColorSpace {
    ColorSpace::new(&interleaved(), &bits(6..17), 12).unwrap()
}

#[test]
fn sums_that_cancel_in_page_bits_survive() {
    let space = space();
    // Lost: channel bit 6, rank bit 7. Bank bit 2 reads bit 6 as well, but bank bit 2 ^ channel = 15 survives.
    assert_eq!(space.bank_colors(), 16);
    assert_eq!(
        space.bank_functions(),
        Some(&[1 << 13 | 1 << 17, 1 << 14 | 1 << 18, 1 << 15, 1 << 30][..])
    );
    let lost: Vec<String> = space.lost_functions(0).iter().map(ToString::to_string).collect();
    assert_eq!(
        lost,
        [
            "bank bit 2 (6^15) reads bit 6 inside the page",
            "rank bit 0 (7) reads bit 7 inside the page",
            "channel bit 0 (6) reads bit 6 inside the page"
        ]
    );
    assert_eq!(space.color_bits(0)[2].to_string(), "bank bit 2 ^ channel bit 0 (15)");
}

#[test]
fn names_tell_colors_apart() {
    let space = space();
    assert_eq!(
        space.name(0),
        "node0 ch* rank* bank{0,4} [bank bit 2 ^ channel bit 0 = 0]"
    );
    assert_eq!(
        space.name(13),
        "node1 ch* rank* bank{1,5} [bank bit 2 ^ channel bit 0 = 1]"
    );
    assert_eq!(space.describe(13), "30=1 15=1 14^18=0 13^17=1");
    let names: BTreeSet<String> = (0..16).map(|color| space.name(color)).collect();
    assert_eq!(names.len(), 16);
    let whole = ColorSpace::new(&interleaved(), &[], 31).unwrap();
    assert_eq!(
        (whole.bank_colors(), whole.name(0).as_str()),
        (1, "node* ch* rank* bank*")
    );
    assert_eq!(whole.describe(0), "the only color");
}

#[test]
fn in_page_fields_are_refused_with_what_survives() {
    let space = space();
    assert_eq!(
        space.select_field(Field::Node, 1).unwrap(),
        [8, 9, 10, 11, 12, 13, 14, 15]
    );
    let refusal = space.select_field(Field::Rank, 1).unwrap_err();
    let text = "pages of 2^12 bytes cannot choose rank 1: rank bit 0 (7) reads bit 7 inside the page";
    assert_eq!(refusal.to_string(), text);
    let input = refusal.into_input("--colors");
    assert!(input.allowed.contains("bank bit 2 ^ channel bit 0 (15)"), "{input}");
    assert!(
        space
            .select_field(Field::Bank, 3)
            .unwrap_err()
            .to_string()
            .contains("bank bit 2 (6^15)")
    );
    assert_eq!(
        space.select_field(Field::Node, 2).unwrap_err().to_string(),
        "node 2 of 2"
    );
    assert_eq!(
        space.select_field(Field::Row, 2).unwrap_err(),
        SelectError::NotASelector { field: Field::Row }
    );
    assert_eq!(space.select_field(Field::BankGroup, 0).unwrap().len(), 16);

    let constraint = |mask| space.select(&[Constraint { mask, value: true }]);
    assert_eq!(constraint(1 << 15).unwrap(), [4, 5, 6, 7, 12, 13, 14, 15]);
    assert!(matches!(
        constraint(1 << 6 | 1 << 15),
        Err(SelectError::InsidePage { .. })
    ));
    assert_eq!(constraint(1 << 13).unwrap_err().to_string(), "13 selects no bank");
    assert_eq!(constraint(1 << 15 | 1 << 30).unwrap(), [4, 5, 6, 7, 8, 9, 10, 11]);
}

#[test]
fn disjointness_is_proven_or_refused() {
    let space = space();
    let proof = space.disjoint(1, 3).unwrap();
    assert_eq!(proof.to_string(), "bank bit 1 = 14^18 is 0 in one and 1 in the other");
    let Err(shared) = space.disjoint(5, 5) else {
        panic!("a color meets itself")
    };
    assert_eq!(shared.banks, space.banks(5));
    assert_eq!(shared.banks.len(), 4);
    assert_eq!(space.disjoint_sets(&[0, 1], &[2, 3]), Ok(()));
    assert_eq!(
        space.disjoint_sets(&[0, 1], &[1, 2]),
        Err(SharedBanks { banks: space.banks(1) })
    );
}

#[test]
fn overlap_of_banks_and_cache() {
    // The cache reads 6 to 16, so bank bit 2 ^ channel bit 0 = 15 is shared; the hashed ones reach above it.
    assert_eq!(space().overlap(), [1 << 15]);
    let space = ColorSpace::new(&interleaved(), &bits(6..19), 12).unwrap();
    assert_eq!(space.overlap(), [1 << 15, 1 << 13 | 1 << 17, 1 << 14 | 1 << 18]);
    assert_eq!(space.llc_colors(), 128);
    assert_eq!(space.llc_colors_of(4).len(), 16);
    assert_eq!(space.bank_colors_of(0), [0, 8]);
    // LLC color 1 is bit 12, which no bank reads; LLC color 2 is bit 13, which flips bank bit 0.
    assert_eq!(space.existing_pairs(&[0, 1], &[0, 1, 2]), [(0, 0), (0, 1), (1, 2)]);
}

#[test]
fn unaligned_regions_and_huge_spaces_are_refused() {
    let error = ColorSpace::new(&interleaved(), &[], 32).unwrap_err();
    assert_eq!(
        error,
        ColorError::Unaligned {
            what: "size",
            value: 1 << 31,
            page_bits: 32
        }
    );
    assert_eq!(
        ColorSpace::new(&interleaved(), &[], 64).unwrap_err(),
        ColorError::PageBits { page_bits: 64 }
    );
    let map = BankMap::new(bits(12..32), 0).unwrap();
    let error = ColorSpace::of_bank_map(&map, &bits(20..25), 12).unwrap_err();
    assert_eq!(
        error,
        ColorError::TooManyColors {
            bank: 1 << 20,
            llc: 32,
            most: 1 << 24
        }
    );
    // Every address bit of a byte-grained page is an LLC color bit.
    let error = ColorSpace::of_bank_map(&BankMap::new(vec![1], 0).unwrap(), &bits(0..64), 0).unwrap_err();
    assert_eq!(
        error,
        ColorError::TooManyColors {
            bank: 2,
            llc: 1 << 63,
            most: 1 << 24
        }
    );
    assert_eq!(ColorSpace::of_bank_map(&map, &[], 30).unwrap().bank_colors(), 4);
}

#[test]
fn useless_cache_functions_make_no_colors() {
    let map = interleaved();
    // Beyond the memory, twice the same, the sum of others, zero.
    let functions = [1 << 40, 1 << 20, 1 << 20 | 1 << 45, 1 << 21, 1 << 20 | 1 << 21, 0];
    let space = ColorSpace::new(&map, &functions, 12).unwrap();
    assert_eq!(space.llc_functions(), [1 << 20, 1 << 21]);
    let many = vec![1 << 20; 1000];
    assert_eq!(ColorSpace::new(&map, &many, 12).unwrap().llc_colors(), 2);
}

#[test]
fn partial_map_with_offset() {
    let map = BankMap::new(vec![1 << 13 | 1 << 30, 1 << 5 | 1 << 14, 1 << 5 | 1 << 15], 3 << 28).unwrap();
    let space = ColorSpace::of_bank_map(&map, &bits(6..16), 12).unwrap();
    assert_eq!(
        space.bank_functions(),
        Some(&[1 << 13 | 1 << 30, 1 << 14 | 1 << 15][..])
    );
    assert_eq!(space.try_bank_color(FrameNumber(0)), None);
    assert_eq!(space.bank_color(FrameNumber(3 << 16)), 0);
    // 7 << 28 behind the offset is 4 << 28 = 1 << 30.
    assert_eq!(space.bank_color(FrameNumber(7 << 16)), 1);
    assert_eq!(space.banks(2), [2, 4]);
    assert_eq!((space.name(3).as_str(), space.node_of_color(3)), ("bank{3,5}", 0));
    assert_eq!(space.overlap(), [1 << 14 | 1 << 15]);
    assert_eq!(space.try_bank_color(FrameNumber(u64::MAX)), None);
}

#[test]
fn offset_that_carries_separates_bank_and_cache_bits() {
    // Bit 30 behind the offset is not the physical bit 30, which the cache reads.
    let offset = 3 << 28;
    let map = BankMap::new(vec![1 << 13 | 1 << 30, 1 << 14 | 1 << 15], offset).unwrap();
    let space = ColorSpace::of_bank_map(&map, &[bits(6..16), bits([30])].concat(), 12).unwrap();
    assert_eq!(space.overlap(), [1 << 14 | 1 << 15]);
    let frames = (offset >> 12..(offset + (1 << 32)) >> 12).map(FrameNumber);
    let pairs: BTreeSet<(u32, u32)> = frames
        .map(|frame| (space.bank_color(frame), space.llc_color(frame)))
        .collect();
    assert_eq!((space.pairs(), pairs.len()), (64, 64));
    assert!(pairs.iter().all(|&(bank, llc)| space.pair_exists(bank, llc)));
}

/// What a walk over every address of a machine finds.
#[derive(Default)]
struct Walked {
    banks: BTreeMap<u32, BTreeSet<u32>>,
    pairs: BTreeSet<(u32, u32)>,
}

fn walk(map: &AddressMap, space: &ColorSpace) -> Result<Walked, TestCaseError> {
    let org = map.organisation();
    let mut walked = Walked::default();
    for region in map.regions() {
        for frame in region.base >> space.page_bits()..region.end() >> space.page_bits() {
            let first = frame << space.page_bits();
            let banks: BTreeSet<u32> = (first..first + (1 << space.page_bits()))
                .step_by(org.bus_bytes as usize)
                .map(|address| map.decode(PhysAddr(address)).unwrap().bank_in_machine(org))
                .collect();
            let frame = FrameNumber(frame);
            let color = space.bank_color(frame);
            let known = walked.banks.entry(color).or_insert_with(|| banks.clone());
            let granule_bits = region.functions.granule_bits.unwrap_or(u32::MAX);
            if granule_bits >= space.page_bits() {
                prop_assert_eq!(&banks, &*known, "every page of a color touches all of its banks");
            } else {
                known.extend(banks);
            }
            walked.pairs.insert((color, space.llc_color(frame)));
        }
    }
    Ok(walked)
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn colors_are_what_a_walk_over_all_addresses_finds(
        (page_bits, map) in (2u32..8).prop_flat_map(|bits| (Just(bits), maps(small_organisations(), bits))),
        llc in proptest::collection::vec(prop_oneof![0u64..1 << 14, 0u64..1 << 8], 0..6),
    ) {
        let aligned = |r: &Region| (r.base | r.size | r.offset).is_multiple_of(1 << page_bits);
        let Ok(space) = ColorSpace::new(&map, &llc, page_bits) else {
            prop_assert!(!map.regions().iter().all(aligned), "only unaligned regions are refused");
            return Ok(());
        };
        let walked = walk(&map, &space)?;
        let colors: Vec<u32> = walked.banks.keys().copied().collect();
        prop_assert_eq!(&colors, &(0..space.bank_colors()).collect::<Vec<_>>(), "dense, and all exist");
        let org = map.organisation();
        let mut all_banks = BTreeSet::new();
        for (&color, banks) in &walked.banks {
            prop_assert_eq!(&space.banks(color), &banks.iter().copied().collect::<Vec<_>>());
            let lowest_node = banks.first().unwrap() / (org.banks_total() / org.nodes);
            prop_assert_eq!(space.node_of_color(color), lowest_node);
            for bank in banks {
                prop_assert!(all_banks.insert(*bank), "bank {} has two colors", bank);
            }
        }
        prop_assert_eq!(all_banks.len() as u32, org.banks_total());
        prop_assert_eq!(space.pairs(), walked.pairs.len() as u64);
        for color in colors {
            for llc in 0..space.llc_colors() {
                prop_assert_eq!(space.pair_exists(color, llc), walked.pairs.contains(&(color, llc)));
            }
        }
    }

    #[test]
    fn frames_are_counted_as_a_walk_over_them_finds(
        map in maps(small_organisations(), 4),
        llc in proptest::collection::vec(prop_oneof![0u64..1 << 14, 0u64..1 << 8], 0..6),
        cut: [u16; 2],
    ) {
        let Ok(space) = ColorSpace::new(&map, &llc, 4) else {
            // Regions that are not aligned to pages.
            return Ok(());
        };
        let end = map.regions().iter().map(|region| region.base + region.size).max().unwrap_or(0) >> 4;
        let [first, last] = [cut[0].min(cut[1]), cut[0].max(cut[1])].map(|cut| u64::from(cut) % (end + 2));
        let (first, frames) = (first.min(last), first.abs_diff(last));
        let mut walked = vec![0u64; space.bank_colors() as usize * space.llc_colors() as usize];
        for frame in (first..first + frames).map(FrameNumber) {
            if let Some(bank) = space.try_bank_color(frame) {
                walked[(bank * space.llc_colors() + space.llc_color(frame)) as usize] += 1;
            }
        }
        prop_assert_eq!(space.frames_of_pairs(FrameNumber(first), frames), walked);
    }

    #[test]
    fn what_banks_and_cache_share_is_decided_by_both(
        map in maps(small_organisations(), 4),
        llc in proptest::collection::vec(prop_oneof![0u64..1 << 14, 0u64..1 << 8], 0..6),
    ) {
        let Ok(space) = ColorSpace::new(&map, &llc, 4) else { return Ok(()) };
        for function in space.overlap() {
            let mut of_color = vec![None; space.bank_colors() as usize];
            for frame in map.regions().iter().flat_map(|r| r.base >> 4..r.end() >> 4) {
                let value = gf2::parity(function & frame << 4);
                let bank = space.bank_color(FrameNumber(frame)) as usize;
                prop_assert_eq!(*of_color[bank].get_or_insert(value), value);
            }
        }
    }

    #[test]
    fn number_of_colors_is_the_rank_formula(
        (page_bits, map) in (2u32..10).prop_flat_map(|bits| (Just(bits), maps(small_organisations(), bits))),
    ) {
        if let Ok(space) = ColorSpace::new(&map, &[], page_bits) {
            let parts: Vec<ColorPart> = space.parts().collect();
            let expected: u32 = parts.iter().map(|part| {
                let region = map.regions().iter().find(|region| region.node == part.node).unwrap();
                let masks: Vec<u64> = region.functions.selectors().map(|(_, mask)| mask).collect();
                part.ways << usable_bits(&masks, page_bits)
            }).sum();
            prop_assert_eq!(space.bank_colors(), expected);
        }
    }

    #[test]
    fn above_the_page_the_color_is_the_bank_number(map in maps(small_organisations(), 0)) {
        // MAP-4 as CON-3 reads it, by pages of one transfer, which no function reaches into.
        let org = map.organisation();
        let page_bits = org.bus_bytes.trailing_zeros();
        let space = ColorSpace::new(&map, &[], page_bits).unwrap();
        prop_assert_eq!(space.bank_colors(), org.banks_total());
        for region in map.regions() {
            for address in (region.base..region.end()).step_by(org.bus_bytes as usize) {
                let location = map.decode(PhysAddr(address)).unwrap();
                let color = space.bank_color(FrameNumber(address >> page_bits));
                prop_assert_eq!(color, location.bank_in_machine(org));
                prop_assert_eq!(space.banks(color), [color]);
                prop_assert_eq!(space.node_of_color(color), location.node);
            }
        }
    }

    #[test]
    fn proofs_hold(map in maps(small_organisations(), 4), seeds: [u32; 2]) {
        let Ok(space) = ColorSpace::new(&map, &[], 4) else { return Ok(()) };
        let [a, b] = seeds.map(|seed| seed % space.bank_colors());
        let (of_a, of_b): (BTreeSet<u32>, BTreeSet<u32>) =
            (space.banks(a).into_iter().collect(), space.banks(b).into_iter().collect());
        match space.disjoint(a, b) {
            Ok(_) => prop_assert!(of_a.is_disjoint(&of_b)),
            Err(shared) => prop_assert_eq!(shared.banks.into_iter().collect::<BTreeSet<u32>>(), of_a),
        }
        if let Ok(Separation::Parity { function, values, .. }) = space.disjoint(a, b) {
            for region in map.regions() {
                for frame in region.base >> 4..region.end() >> 4 {
                    let color = space.bank_color(FrameNumber(frame));
                    let value = gf2::parity(function & within_way(&map, region, frame << 4).1) == 1;
                    for (of, expected) in [(a, values[0]), (b, values[1])] {
                        prop_assert!(color != of || value == expected);
                    }
                }
            }
        }
    }

    #[test]
    fn names_are_unique(map in maps(small_organisations(), 4)) {
        let Ok(space) = ColorSpace::new(&map, &[], 4) else { return Ok(()) };
        let names: BTreeSet<String> = (0..space.bank_colors()).map(|color| space.name(color)).collect();
        prop_assert_eq!(names.len() as u32, space.bank_colors());
        let described: BTreeSet<String> = (0..space.bank_colors()).map(|color| space.describe(color)).collect();
        prop_assert_eq!(described.len() as u32, space.bank_colors());
    }

    #[test]
    fn selected_fields_are_what_the_banks_have(map in maps(small_organisations(), 4), value in 0u32..4) {
        let Ok(space) = ColorSpace::new(&map, &[], 4) else { return Ok(()) };
        let org = map.organisation();
        for field in Field::SELECTORS {
            let of_bank = |bank: &u32| {
                let place = map_place(org, *bank);
                place[Field::SELECTORS.iter().position(|f| *f == field).unwrap()]
            };
            let expected: Vec<u32> = (0..space.bank_colors())
                .filter(|&color| space.banks(color).iter().all(|bank| of_bank(bank) == value))
                .collect();
            match space.select_field(field, value) {
                Ok(colors) => prop_assert_eq!(colors, expected),
                Err(SelectError::NoSuch { count, .. }) => prop_assert!(value >= count),
                Err(_) => prop_assert!(
                    (0..space.bank_colors()).any(|color| {
                        space.banks(color).iter().map(of_bank).collect::<BTreeSet<u32>>().len() > 1
                    }),
                    "refused although no color mixes values"
                ),
            }
        }
    }
}

/// Bank, bank group, rank, channel and node of a bank number.
fn map_place(org: &Organisation, bank: u32) -> [u32; 5] {
    let mut rest = bank;
    Field::SELECTORS.map(|field| {
        let value = rest % field.count(org);
        rest /= field.count(org);
        value
    })
}

/// Three channels of 1 MiB: column (3 to 12), bank (13 to 15) and row within the way.
fn dealt(granule_bits: u32) -> AddressMap {
    let org = Organisation {
        nodes: 1,
        channels: 3,
        ranks: 1,
        rows: 16,
        ..ORG
    };
    let functions = Functions {
        granule_bits: Some(granule_bits),
        bank: bits(13..16),
        row: bits(16..20),
        column: bits(3..13),
        ..Functions::default()
    };
    let region = Region {
        base: 0,
        size: 3 << 20,
        offset: 0,
        node: None,
        functions,
    };
    AddressMap::new(org, vec![region]).unwrap()
}

#[test]
fn pages_choose_a_channel_where_a_granule_has_whole_pages() {
    // Pages go round the channels; every second of a channel's is in the next bank.
    let space = ColorSpace::new(&dealt(12), &bits(6..15), 12).unwrap();
    let color = |frame: u64| space.bank_color(FrameNumber(frame));
    assert_eq!(space.bank_colors(), 24);
    assert_eq!([0, 1, 2, 3, 5, 6, 7].map(color), [0, 8, 16, 0, 16, 1, 9]);
    assert_eq!(
        (space.name(17).as_str(), space.describe(17).as_str(), space.banks(17)),
        ("ch2 bank1", "way 2, within the way 15=0 14=0 13=1", vec![17])
    );
    assert_eq!(
        space.select_field(Field::Channel, 1).unwrap(),
        (8..16).collect::<Vec<_>>()
    );
    assert_eq!(
        space.select_field(Field::Channel, 3).unwrap_err().to_string(),
        "channel 3 of 3"
    );
    assert_eq!(space.select_field(Field::Bank, 2).unwrap(), [2, 10, 18]);
    assert_eq!(
        space.disjoint(1, 9).unwrap().to_string(),
        "one lies in way 0 of the channels, the other in way 1"
    );
    assert_eq!(space.bank_functions(), None);
    // Pages 0 and 3, 48 and 51 ... are channel 0, bank 0; the LLC color is the page number modulo 8. These two colors
    // differ by 0b011, those of channel 1 (1 and 4) by 0b101, of channel 2 (2 and 5) by 0b111: no sum of bits is the same.
    assert_eq!(space.llc_colors_of(0), [0, 3]);
    assert_eq!((space.pairs(), space.overlap()), (48, vec![]));
    let of_color_0 = &space.frames_of_pairs(FrameNumber(0), 768)[..8];
    assert_eq!(of_color_0, [16, 0, 0, 16, 0, 0, 0, 0]);
}

#[test]
fn pages_choose_a_bank_but_no_channel_where_granules_are_smaller() {
    let space = ColorSpace::new(&dealt(8), &bits(6..15), 12).unwrap();
    let color = |frame: u64| space.bank_color(FrameNumber(frame));
    // Three pages in a row are 4 KiB of each channel, six are one bank of each.
    assert_eq!(space.bank_colors(), 8);
    assert_eq!([0, 2, 3, 5, 6, 12, 47, 48].map(color), [0, 0, 0, 0, 1, 2, 7, 0]);
    assert_eq!((space.name(1).as_str(), space.banks(1)), ("ch* bank1", vec![1, 9, 17]));
    assert_eq!(space.describe(1), "within the way 15=0 14=0 13=1");
    assert_eq!(
        space.select_field(Field::Channel, 1).unwrap_err().to_string(),
        "pages of 2^12 bytes cannot choose channel 1: granules of 2^8 bytes are dealt over 3 ways of the channels, so \
         that one page lies on several"
    );
    assert_eq!(space.select_field(Field::Bank, 2).unwrap(), [2]);
    assert_eq!(
        space.frames_of_pairs(FrameNumber(0), 768)[..8],
        [16, 16, 16, 16, 16, 16, 0, 0]
    );
    // The first six pages are in bank 0, with LLC colors 0 to 5; the cache begins anew after eight.
    assert_eq!(
        space.frames_of_pairs(FrameNumber(0), 6)[..9],
        [1, 1, 1, 1, 1, 1, 0, 0, 0]
    );
}

#[test]
fn granules_of_several_pages_leave_plain_bits_to_both() {
    let space = ColorSpace::new(&dealt(14), &bits(6..15), 12).unwrap();
    let color = |frame: u64| space.bank_color(FrameNumber(frame));
    assert_eq!([0, 1, 2, 3, 4, 8, 12].map(color), [0, 0, 1, 1, 8, 16, 2]);
    // Bit 13 is within the granule. Bit 14 is the lowest of 3 q + w, thus that of q, which banks read, or its opposite.
    assert_eq!(space.overlap(), [1 << 13, 1 << 14]);
    assert_eq!(
        (space.llc_colors_of(1), space.llc_colors_of(9)),
        (vec![2, 3], vec![6, 7])
    );
}

#[test]
fn pairs_of_dealt_memory_take_no_walk_and_are_bounded() {
    let many = Functions {
        granule_bits: Some(12),
        bank: bits(13..25),
        row: bits(25..37),
        column: bits(3..13),
        ..Functions::default()
    };
    let org = Organisation {
        channels: 3,
        nodes: 1,
        ranks: 1,
        banks: 1 << 12,
        ..ORG
    };
    let region = Region {
        base: 0,
        size: 3 << 37,
        offset: 0,
        node: None,
        functions: many,
    };
    let map = AddressMap::new(org, vec![region]).unwrap();
    // Bits 13 to 24 within the way are the bank. Those from 26 up of the address are of 3 q, whose higher digits are free.
    let space = ColorSpace::new(&map, &bits(26..32), 12).unwrap();
    assert_eq!(space.pairs(), 3 << 18, "all of them");
    let error = ColorSpace::new(&map, &bits(20..30), 12).unwrap_err();
    assert_eq!(
        error,
        ColorError::TooManyColors {
            bank: 3 << 12,
            llc: 1 << 10,
            most: 1 << 20
        }
    );
}
