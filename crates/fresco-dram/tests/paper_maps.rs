// SPDX-License-Identifier: MIT OR Apache-2.0
//! The address maps that the papers give, with what follows from them. Bits the papers leave open (rows, columns,
//! memory size) are filled in; no expected number depends on them.

use fresco_dram::color::{BitPattern, SelectError};
use fresco_dram::map::{Field, text};
use fresco_dram::{AddressMap, ColorSpace, FrameNumber, Functions, Organisation, PhysAddr, Region};

fn bits(bits: impl IntoIterator<Item = u32>) -> Vec<u64> {
    bits.into_iter().map(|bit| 1 << bit).collect()
}

/// The set-index functions of a cache indexed by a run of plain bits.
fn index(first: u32, last: u32) -> Vec<u64> {
    bits(first..=last)
}

fn single_node(org: Organisation, functions: Functions) -> AddressMap {
    AddressMap::new(
        org,
        vec![Region {
            base: 0,
            size: org.total_bytes(),
            offset: 0,
            node: None,
            functions,
        }],
    )
    .unwrap()
}

/// MAP-3: Opteron 6128, four nodes by address range, two channels, two ranks, eight banks; bank bits 15, 16, 18.
fn opteron(channel: u32, rank: u32) -> AddressMap {
    let org = Organisation {
        nodes: 4,
        channels: 2,
        ranks: 2,
        bank_groups: 1,
        banks: 8,
        rows: 1 << 14,
        columns: 1 << 10,
        bus_bytes: 8,
    };
    let taken = [channel, rank, 15, 16, 18];
    let rest: Vec<u32> = (3..32).filter(|bit| !taken.contains(bit)).collect();
    let functions = Functions {
        channel: bits([channel]),
        rank: bits([rank]),
        bank: bits([15, 16, 18]),
        row: bits(rest[10..].iter().copied()),
        column: bits(rest[..10].iter().copied()),
        ..Functions::default()
    };
    let regions = (0..4)
        .map(|node| Region {
            base: u64::from(node) << 32,
            size: 1 << 32,
            offset: 0,
            node: Some(node),
            functions: functions.clone(),
        })
        .collect();
    AddressMap::new(org, regions).unwrap()
}

/// MAP-3: LLC color bits 12 to 16.
fn opteron_colors(map: &AddressMap) -> ColorSpace {
    ColorSpace::new(map, &index(6, 16), 12).unwrap()
}

#[test]
fn opteron_as_printed_has_32_colors() {
    // CON-4: rank bit 7 and channel bit 6 lie inside the page.
    let map = opteron(6, 7);
    let space = opteron_colors(&map);
    assert_eq!((space.bank_colors(), space.llc_colors()), (32, 32));
    assert_eq!(space.name(11), "node1 ch* rank* bank3");
    assert_eq!(space.describe(11), "node 1 by range, 18=0 16=1 15=1");
    // Node 1 starts at bank 32; the color has its bank 3 on both ranks of both channels.
    assert_eq!(space.banks(11), [32 + 3, 32 + 8 + 3, 32 + 16 + 3, 32 + 24 + 3]);
    for (field, text) in [
        (
            Field::Rank,
            "pages of 2^12 bytes cannot choose rank 0: rank bit 0 (7) reads bit 7 inside the page",
        ),
        (
            Field::Channel,
            "pages of 2^12 bytes cannot choose channel 0: channel bit 0 (6) reads bit 6 inside the page",
        ),
    ] {
        assert_eq!(space.select_field(field, 0).unwrap_err().to_string(), text);
    }
    assert_eq!(
        space.select_field(Field::Node, 2).unwrap(),
        (16..24).collect::<Vec<u32>>()
    );
    assert_eq!(space.select_field(Field::Bank, 5).unwrap(), [5, 13, 21, 29]);
}

#[test]
fn opteron_pairs_with_the_cache() {
    // CON-5: of 256 (bank, LLC) combinations 64 exist. Bits 15 and 16 belong to both.
    let space = opteron_colors(&opteron(6, 7));
    let of_node_0 = (0..8).map(|bank| space.llc_colors_of(bank).len()).sum::<usize>();
    assert_eq!(of_node_0, 64);
    assert_eq!(space.pairs(), 4 * 64);
    assert_eq!(space.overlap(), [1 << 15, 1 << 16]);
    // LLC color 0b11000 has bits 15 and 16 set: banks 3 and 7 of each node, nothing else.
    assert_eq!(space.bank_colors_of(0b11000), [3, 7, 11, 15, 19, 23, 27, 31]);
    assert!(!space.pair_exists(0, 0b11000));
    assert_eq!(
        space.existing_pairs(&[0, 3], &[0b00000, 0b11000]),
        [(0, 0), (3, 0b11000)]
    );
}

#[test]
fn opteron_without_interleave_has_128_dense_colors() {
    // CON-3: the color is ((node·NC + channel)·NR + rank)·NB + bank, 0 to 127; CON-5: 16 pairs of 64 per node.
    let map = opteron(29, 30);
    let space = opteron_colors(&map);
    let org = map.organisation();
    assert_eq!(space.bank_colors(), 128);
    let mut seen = [false; 128];
    for frame in (0..4u64 << 20).step_by(4) {
        let location = map.decode(PhysAddr(frame << 12)).unwrap();
        let color = space.bank_color(FrameNumber(frame));
        let dense = ((location.node * 2 + location.channel) * 2 + location.rank) * 8 + location.bank;
        assert_eq!(color, dense);
        assert_eq!(color, location.bank_in_machine(org));
        assert_eq!(space.node_of_color(color), location.node);
        seen[color as usize] = true;
    }
    assert_eq!(seen, [true; 128]);
    assert_eq!(space.name(43), "node1 ch0 rank1 bank3");
    assert_eq!(space.banks(43), [43]);
    assert_eq!(space.pairs(), 4 * 4 * 64);
    let proof = space.disjoint(43, 43 + 32).unwrap();
    assert_eq!(proof.to_string(), "one lies on node 1, the other on node 2");
}

#[test]
fn opteron_with_large_pages_keeps_only_nodes() {
    let map = opteron(6, 7);
    let space = ColorSpace::new(&map, &index(6, 16), 21).unwrap();
    assert_eq!((space.bank_colors(), space.llc_colors()), (4, 1));
    assert_eq!(space.name(2), "node2 ch* rank* bank*");
    assert_eq!(space.describe(2), "node 2 by range");
    let by_pages: Vec<u32> = [12, 14, 16, 17]
        .iter()
        .map(|&p| ColorSpace::new(&map, &[], p).unwrap().bank_colors())
        .collect();
    assert_eq!(by_pages, [32, 32, 16, 8]);
}

/// MAP-7: Xeon W3530, bank bits 20, 19, 13, 12; L3 set index bits 6 to 18.
fn xeon() -> ColorSpace {
    let org = Organisation {
        nodes: 1,
        channels: 1,
        ranks: 2,
        bank_groups: 1,
        banks: 8,
        rows: 1 << 15,
        columns: 1 << 10,
        bus_bytes: 8,
    };
    let functions = Functions {
        rank: bits([20]),
        bank: bits([12, 13, 19]),
        row: bits((15..19).chain(21..32)),
        column: bits((3..12).chain([14])),
        ..Functions::default()
    };
    ColorSpace::new(&single_node(org, functions), &index(6, 18), 12).unwrap()
}

const XEON_BITS: [u32; 4] = [20, 19, 13, 12];

fn pattern(space: &ColorSpace, text: &str) -> Vec<u32> {
    let colors = BitPattern::parse(text, &XEON_BITS, "--banks")
        .unwrap()
        .colors(space)
        .unwrap();
    let back = BitPattern::of_colors(space, &XEON_BITS, &colors).unwrap();
    assert_eq!(back.to_string(), text);
    colors
}

#[test]
fn xeon_bank_patterns() {
    let space = xeon();
    assert_eq!((space.bank_colors(), space.llc_colors()), (16, 128));
    // PAL-10: the four partitions of PB, and the growing sets.
    assert_eq!(pattern(&space, "[00XX]"), [0, 1, 2, 3]);
    assert_eq!(pattern(&space, "[01XX]"), [4, 5, 6, 7]);
    assert_eq!(pattern(&space, "[10XX]"), [8, 9, 10, 11]);
    assert_eq!(pattern(&space, "[11XX]"), [12, 13, 14, 15]);
    assert_eq!(pattern(&space, "[0XXX]").len(), 8);
    assert_eq!(pattern(&space, "[XXXX]").len(), 16);
    assert_eq!(pattern(&space, "[000X]"), [0, 1]);
    assert_eq!(space.describe(6), "20=0 19=1 13=1 12=0");
    assert_eq!(
        BitPattern::of_colors(&space, &XEON_BITS, &[0, 3]),
        None,
        "no pattern is 00 or 11"
    );
    assert_eq!(
        text::palloc::PallocMap::from_functions(space.bank_functions().unwrap())
            .unwrap()
            .mask(),
        0x183000
    );
}

#[test]
fn xeon_patterns_that_partition_the_cache() {
    let space = xeon();
    // MAP-7: bits 13 and 12 belong to banks and cache, so 2^9 of 2^11 pairs exist.
    assert_eq!(space.overlap(), [1 << 12, 1 << 13]);
    assert_eq!(space.pairs(), 512);
    let caches = |text: &str| {
        let mut llc: Vec<u32> = pattern(&space, text)
            .iter()
            .flat_map(|&color| space.llc_colors_of(color))
            .collect();
        llc.sort_unstable();
        llc.dedup();
        llc
    };
    // PB leaves the whole cache to everyone; PB+PC gives each a quarter of it (PAL-12).
    assert_eq!(caches("[00XX]").len(), 128);
    let quarters: Vec<Vec<u32>> = ["[XX00]", "[XX01]", "[XX10]", "[XX11]"].map(caches).to_vec();
    assert!(quarters.iter().all(|quarter| quarter.len() == 32));
    let mut all = quarters.concat();
    all.sort_unstable();
    assert_eq!(all, (0..128).collect::<Vec<u32>>(), "the quarters share nothing");
}

#[test]
fn bad_patterns_are_refused() {
    let space = xeon();
    for (text, help) in [
        ("00XX", "square brackets"),
        ("[00XX", "square brackets"),
        ("[00X]", "each of the 4 bits"),
        ("[00XXX]", "each of the 4 bits"),
        ("[]", "each of the 4 bits"),
        ("[02XX]", "use 0, 1, and X"),
        ("[00X\u{0}]", "use 0, 1, and X"),
    ] {
        let error = BitPattern::parse(text, &XEON_BITS, "--banks").expect_err(text);
        assert!(error.help.contains(help), "{text}: {error}");
        assert!(error.allowed.contains("20, 19, 13, 12"), "{error}");
    }
    for bits in [[20, 19, 19, 12], [20, 19, 64, 12]] {
        let error = BitPattern::parse("[00XX]", &bits, "--banks").unwrap_err();
        assert_eq!(error.found, format!("address bit {} in the list", bits[2]));
    }
    // Bit 6 lies inside the page, bit 21 is a row bit.
    let by = |bits: &[u32]| BitPattern::parse("[0]", bits, "--banks").unwrap().colors(&space);
    assert!(matches!(by(&[6]), Err(SelectError::InsidePage { .. })));
    assert!(matches!(by(&[21]), Err(SelectError::NotABankFunction { .. })));
}

/// MAP-9: i7-860, 8 GiB, 64 banks; bank color bits 13 to 15, 21, 22.
fn i7(channel: u32) -> AddressMap {
    let org = Organisation {
        nodes: 1,
        channels: 2,
        ranks: 4,
        bank_groups: 1,
        banks: 8,
        rows: 1 << 14,
        columns: 1 << 10,
        bus_bytes: 8,
    };
    let taken = [channel, 13, 14, 15, 21, 22];
    let rest: Vec<u32> = (3..33).filter(|bit| !taken.contains(bit)).collect();
    let functions = Functions {
        channel: bits([channel]),
        rank: bits([21, 22]),
        bank: bits([13, 14, 15]),
        row: bits(rest[10..].iter().copied()),
        column: bits(rest[..10].iter().copied()),
        ..Functions::default()
    };
    single_node(org, functions)
}

#[test]
fn i7_bundles_two_banks_per_color() {
    let map = i7(6);
    // 8 MiB, 16 ways, 64-byte lines: set index bits 6 to 18.
    let space = ColorSpace::new(&map, &index(6, 18), 12).unwrap();
    assert_eq!((space.bank_colors(), map.organisation().banks_total()), (32, 64));
    assert!((0..32).all(|color| space.banks(color).len() == 2));
    assert_eq!(space.name(9), "ch* rank1 bank1");
    // The three O-bits give eight groups of cache colors that go with eight groups of bank colors.
    assert_eq!(space.overlap(), bits([13, 14, 15]));
    assert_eq!(space.bank_colors_of(0).len(), 4);
    assert!(matches!(
        space.select_field(Field::Channel, 0),
        Err(SelectError::InsidePage { .. })
    ));
}

#[test]
fn i7_with_the_channel_bit_moved_up_has_64_colors() {
    // BPM-5: the firmware moves the channel bit from 6 to 32.
    let space = ColorSpace::new(&i7(32), &[], 12).unwrap();
    assert_eq!(space.bank_colors(), 64);
    assert_eq!(
        space.select_field(Field::Channel, 1).unwrap(),
        (32..64).collect::<Vec<u32>>()
    );
}

#[test]
fn simplescalar_ranks_are_bits_15_to_17() {
    // MAP-10: eight ranks.
    let org = Organisation {
        nodes: 1,
        channels: 1,
        ranks: 8,
        bank_groups: 1,
        banks: 8,
        rows: 1 << 13,
        columns: 1 << 10,
        bus_bytes: 8,
    };
    let functions = Functions {
        rank: bits([15, 16, 17]),
        bank: bits([18, 19, 20]),
        row: bits([13, 14].into_iter().chain(21..32)),
        column: bits(3..13),
        ..Functions::default()
    };
    let map = single_node(org, functions);
    let space = ColorSpace::new(&map, &[], 12).unwrap();
    for rank in 0..8 {
        assert_eq!(map.decode(PhysAddr(u64::from(rank) << 15)).unwrap().rank, rank);
        assert_eq!(
            space.select_field(Field::Rank, rank).unwrap(),
            (8 * rank..8 * rank + 8).collect::<Vec<u32>>()
        );
    }
    assert_eq!(space.name(0b101_110), "rank5 bank6");
}
