// SPDX-License-Identifier: MIT OR Apache-2.0
use super::testing::{address_in, cases, maps, organisations, within_way};
use super::*;
use crate::gf2::row_reduce;
use crate::{Location, Organisation, PhysAddr};
use proptest::prelude::*;

/// 1 GiB: two channels of two ranks with eight banks, 8-byte bus.
const ORG: Organisation = Organisation {
    nodes: 1,
    channels: 2,
    ranks: 2,
    bank_groups: 1,
    banks: 8,
    rows: 4096,
    columns: 1024,
    bus_bytes: 8,
};

fn bits(range: std::ops::Range<u32>) -> Vec<u64> {
    range.map(|bit| 1 << bit).collect()
}

/// Column, channel (bit 13), rank, bank, row, from the bottom.
fn plain() -> Functions {
    Functions {
        column: bits(3..13),
        channel: bits(13..14),
        rank: bits(14..15),
        bank: bits(15..18),
        row: bits(18..30),
        ..Functions::default()
    }
}

fn region(functions: Functions) -> Region {
    Region {
        base: 0,
        size: 1 << 30,
        offset: 0,
        node: None,
        functions,
    }
}

fn refusal(regions: Vec<Region>) -> MapError {
    AddressMap::new(ORG, regions).expect_err("must be refused")
}

#[test]
fn plain_map_by_hand() {
    let map = AddressMap::new(ORG, vec![region(plain())]).unwrap();
    let address = 5 << 18 | 6 << 15 | 1 << 14 | 1 << 13 | 77 << 3 | 2;
    let location = Location {
        node: 0,
        channel: 1,
        rank: 1,
        bank_group: 0,
        bank: 6,
        row: 5,
        column: 77,
    };
    assert_eq!(map.decode(PhysAddr(address)), Some(location));
    assert_eq!(map.encode(&location), PhysAddr(address & !7));
    assert_eq!(map.decode(PhysAddr(1 << 30)), None);
    assert_eq!(map.capacity(), 1 << 30);
}

#[test]
fn xor_map_by_hand() {
    let mut functions = plain();
    functions.bank = vec![1 << 15 | 1 << 18, 1 << 16 | 1 << 19, 1 << 17 | 1 << 20 | 1 << 29];
    let map = AddressMap::new(ORG, vec![region(functions)]).unwrap();
    let location = map.decode(PhysAddr(1 << 29 | 0b011 << 18 | 0b101 << 15)).unwrap();
    assert_eq!((location.bank, location.row), (0b101 ^ 0b011 ^ 0b100, 1 << 11 | 0b011));
}

#[test]
fn remapped_hole_continues_behind_it() {
    // 768 MiB below the hole, the last quarter from 4 GiB on.
    let low = Region {
        size: 3 << 28,
        ..region(plain())
    };
    let high = Region {
        base: 4 << 30,
        size: 1 << 28,
        offset: (4 << 30) - (3 << 28),
        ..region(plain())
    };
    let map = AddressMap::new(ORG, vec![high, low]).unwrap();
    let whole = AddressMap::new(ORG, vec![region(plain())]).unwrap();
    assert_eq!(
        map.decode(PhysAddr((4 << 30) + 4242)),
        whole.decode(PhysAddr((3 << 28) + 4242))
    );
    assert_eq!(map.decode(PhysAddr(3 << 28)), None);
    let last = whole.decode(PhysAddr((1 << 30) - 8)).unwrap();
    assert_eq!(map.encode(&last), PhysAddr((4 << 30) + (1 << 28) - 8));
}

#[test]
fn dependent_functions_are_named() {
    let mut functions = plain();
    functions.rank = vec![1 << 13 | 1 << 15];
    functions.bank[2] = 1 << 13 | 1 << 14 | 1 << 17;
    functions.row[0] = 1 << 14 | 1 << 15;
    // bank bit 0 = 15, so rank + channel = 15 as well.
    let error = refusal(vec![region(functions)]);
    let text = error.to_string();
    assert!(matches!(error, MapError::Singular { .. }), "{text}");
    assert!(text.contains("is the XOR of"), "{text}");
    assert!(text.contains("no function reads address bit 18"), "{text}");

    let mut functions = plain();
    functions.row[11] = 1 << 31;
    let text = refusal(vec![region(functions)]).to_string();
    assert!(
        text.contains("row bit 11 is constant; no function reads address bit 29"),
        "{text}"
    );
}

#[test]
fn malformed_regions_are_refused() {
    let whole = region(plain());
    assert_eq!(refusal(vec![]), MapError::NoRegions);
    assert_eq!(
        refusal(vec![Region {
            size: 0,
            ..whole.clone()
        }]),
        MapError::BadRange { region: 0 }
    );
    assert_eq!(
        refusal(vec![Region {
            base: u64::MAX - 7,
            ..whole.clone()
        }]),
        MapError::BadRange { region: 0 }
    );
    assert_eq!(
        refusal(vec![Region {
            base: 4,
            ..whole.clone()
        }]),
        MapError::SplitTransfer {
            region: 0,
            bus_bytes: 8
        }
    );
    assert_eq!(
        refusal(vec![Region {
            offset: 8,
            ..whole.clone()
        }]),
        MapError::OffsetAboveBase { region: 0 }
    );
    assert_eq!(
        refusal(vec![whole.clone(), whole.clone()]),
        MapError::Overlap { first: 0, second: 1 }
    );
    assert_eq!(
        refusal(vec![Region {
            size: 1 << 29,
            ..whole.clone()
        }]),
        MapError::SizeMismatch {
            node: None,
            found: 1 << 29,
            needed: 1 << 30
        }
    );
    let unaligned = Region {
        base: 1 << 29,
        ..whole.clone()
    };
    assert!(matches!(
        refusal(vec![unaligned]),
        MapError::NotOneBlock { node: None, .. }
    ));
    let half = |base, offset| Region {
        base,
        offset,
        size: 1 << 29,
        ..whole.clone()
    };
    let text = refusal(vec![half(0, 0), half(1 << 31, 0)]).to_string();
    assert!(text.contains("leave a hole at normalised address 0x20000000"), "{text}");
    let text = refusal(vec![half(0, 0), half(1 << 31, 1 << 31)]).to_string();
    assert!(text.contains("overlap at normalised address 0x0"), "{text}");
    let mut other = half(1 << 29, 0);
    other.functions.bank.swap(0, 1);
    assert_eq!(
        refusal(vec![half(0, 0), other]),
        MapError::DifferentFunctions { first: 0, second: 1 }
    );
}

#[test]
fn malformed_functions_are_refused() {
    let mut functions = plain();
    functions.bank.pop();
    let count = MapError::FunctionCount {
        region: 0,
        field: Field::Bank,
        found: 2,
        needed: 3,
    };
    assert_eq!(refusal(vec![region(functions)]), count);
    let mut functions = plain();
    functions.channel = vec![1 << 13 | 1 << 2];
    let name = FunctionName {
        field: Field::Channel,
        bit: 0,
    };
    let below = MapError::BelowBus {
        region: 0,
        name,
        mask: 1 << 13 | 1 << 2,
        bus_bits: 3,
    };
    assert_eq!(refusal(vec![region(functions)]), below);
}

#[test]
fn nodes_are_fixed_by_range_or_by_function_not_both() {
    let org = Organisation { nodes: 2, ..ORG };
    let node = |node: u32| Region {
        base: u64::from(node) << 30,
        node: Some(node),
        ..region(plain())
    };
    let map = AddressMap::new(org, vec![node(0), node(1)]).unwrap();
    assert_eq!(map.decode(PhysAddr(1 << 30)).unwrap().node, 1);
    let fault = |regions: Vec<Region>| AddressMap::new(org, regions).expect_err("must be refused").to_string();
    assert!(fault(vec![node(0), Region { node: None, ..node(1) }]).contains("others do not"));
    assert!(fault(vec![node(0), node(2)]).contains("node 2 does not exist"));
    assert!(fault(vec![node(0)]).contains("of node 1 hold 0 bytes"));
    let mut both = node(1);
    both.functions.node = vec![1 << 30];
    assert!(fault(vec![node(0), both]).contains("also has functions"));
}

#[test]
fn counts_that_parity_cannot_number_are_refused() {
    let fault = |org| AddressMap::new(org, vec![region(plain())]).expect_err("must be refused");
    let three = MapError::NotPowerOfTwo {
        what: "rank".into(),
        count: 3,
    };
    assert_eq!(fault(Organisation { ranks: 3, ..ORG }), three);
    assert!(matches!(
        fault(Organisation { bus_bytes: 0, ..ORG }),
        MapError::NotPowerOfTwo { count: 0, .. }
    ));
    let huge = Organisation {
        rows: 1 << 31,
        columns: 1 << 31,
        ..ORG
    };
    assert_eq!(fault(huge), MapError::TooLarge { bits: 70 });
    let banks = Organisation {
        banks: 1 << 31,
        ranks: 1 << 31,
        ..ORG
    };
    assert_eq!(fault(banks), MapError::TooManyBanks { bits: 63 });
}

/// Channels of 256 MiB: column, rank (bit 13), `channel`, bank, row within the way, from the bottom.
fn dealt(channels: u32, channel: Vec<u64>, granule_bits: u32) -> AddressMap {
    let bit = 14 + channel.len() as u32;
    let functions = Functions {
        granule_bits: Some(granule_bits),
        column: bits(3..13),
        rank: bits(13..14),
        channel,
        bank: bits(bit..bit + 3),
        row: bits(bit + 3..bit + 3 + 11),
        ..Functions::default()
    };
    let org = Organisation {
        channels,
        rows: 2048,
        ..ORG
    };
    let size = org.total_bytes();
    let whole = Region {
        size,
        ..region(functions)
    };
    AddressMap::new(org, vec![whole]).unwrap()
}

#[test]
fn three_channels_by_hand() {
    let map = dealt(3, vec![], 8);
    assert_eq!(map.capacity(), 3 << 28);
    // Lines of granules 0, 1, 2 and 3 of 256 bytes: the fourth is the second of channel 0, columns from 32 on.
    let of = |address: u64| {
        let place = map.decode(PhysAddr(address)).unwrap();
        (place.channel, place.rank, place.bank, place.row, place.column)
    };
    assert_eq!(of(0x000), (0, 0, 0, 0, 0));
    assert_eq!(of(0x108), (1, 0, 0, 0, 1));
    assert_eq!(of(0x2f8), (2, 0, 0, 0, 31));
    assert_eq!(of(0x300), (0, 0, 0, 0, 32));
    // 3 x 2^13 bytes fill a row of each channel; then comes rank 1, and after as much again bank 1.
    assert_eq!(of(0x6000), (0, 1, 0, 0, 0));
    assert_eq!(of(0xc000 + 0x100), (1, 0, 1, 0, 0));
    // The last line of all: 2^28 - 8 within way 2.
    assert_eq!(of((3 << 28) - 8), (2, 1, 7, 2047, 1023));
    assert_eq!(map.decode(PhysAddr(3 << 28)), None);
    let place = Location {
        channel: 2,
        rank: 1,
        bank: 5,
        row: 9,
        column: 33,
        ..Location::default()
    };
    // Within the way 9 << 17 | 5 << 14 | 1 << 13 | 33 << 3 = 0x136108: granule 0x1361 of 256 bytes and 8 bytes.
    assert_eq!(map.encode(&place), PhysAddr(((0x1361 * 3 + 2) << 8) + 8));
}

#[test]
fn six_and_twelve_channels_by_hand() {
    // Two channels in each of three ways, by bit 8 of the 512 bytes of a granule: six channels of 256 bytes in turn. Bits
    // 13 and 8 change places, so that columns have bit 13.
    let mut functions = dealt(6, bits(14..15), 9).regions()[0].functions.clone();
    functions.channel = vec![1 << 8];
    functions.column = [bits(3..8), bits(9..13), bits(14..15)].concat();
    let org = Organisation {
        channels: 6,
        rows: 2048,
        ..ORG
    };
    let whole = Region {
        size: 6 << 28,
        ..region(functions)
    };
    let six = AddressMap::new(org, vec![whole]).unwrap();
    let channel = |map: &AddressMap, address: u64| map.decode(PhysAddr(address)).unwrap().channel;
    let turn: Vec<u32> = (0..14).map(|granule| channel(&six, granule * 256)).collect();
    assert_eq!(turn, [0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 0, 1]);
    assert_eq!(six.decode(PhysAddr(6 * 256)).unwrap().column, 32);

    // Four channels in each of three ways, by hashes of bits 14^17 and 15^20 within the way; pages go round the ways.
    let twelve = dealt(12, vec![1 << 14 | 1 << 17, 1 << 15 | 1 << 20], 12);
    assert_eq!(twelve.capacity(), 12 << 28);
    let of_pages: Vec<u32> = (0..4).map(|page| channel(&twelve, page << 12)).collect();
    assert_eq!(of_pages, [0, 4, 8, 0]);
    // Page 3 x 0x1b + 2 is page 0x1b of way 2: bits 12, 13, 15 and 16.
    assert_eq!(channel(&twelve, (3 * 0x1b + 2) << 12), 2 * 4 + 0b10);
    // Bit 17 within the way flips the lower channel bit.
    assert_eq!(channel(&twelve, (3 * 0x3b + 2) << 12), 2 * 4 + 0b11);
}

#[test]
fn dealt_memory_may_lie_behind_a_hole_and_in_nodes() {
    let whole = dealt(3, vec![], 8);
    let functions = whole.regions()[0].functions.clone();
    let org = Organisation {
        nodes: 2,
        ..*whole.organisation()
    };
    // Node 0: 512 MiB below the hole, the rest from 4 GiB on; node 1 behind it.
    let part = |base: u64, size: u64, offset: u64, node: u32| Region {
        base,
        size,
        offset,
        node: Some(node),
        functions: functions.clone(),
    };
    let rest = (3 << 28) - (1 << 29);
    let high = part(4 << 30, rest, (4 << 30) - (1 << 29), 0);
    let second = part(3 << 33, 3 << 28, 0, 1);
    let map = AddressMap::new(org, vec![part(0, 1 << 29, 0, 0), high, second.clone()]).unwrap();
    let plain = |address: u64| whole.decode(PhysAddr(address)).unwrap();
    assert_eq!(map.decode(PhysAddr((4 << 30) + 4242)), Some(plain((1 << 29) + 4242)));
    let on_node_1 = map.decode(PhysAddr((3 << 33) + 4242)).unwrap();
    assert_eq!(on_node_1, Location { node: 1, ..plain(4242) });
    assert_eq!(map.encode(&on_node_1), PhysAddr((3 << 33) + 4240));
    // 2^33 is no multiple of 3 x 2^28: granules would not begin with way 0.
    let error = AddressMap::new(
        org,
        vec![
            part(0, 3 << 28, 0, 0),
            Region {
                base: 1 << 33,
                ..second
            },
        ],
    );
    assert!(
        matches!(error, Err(MapError::NotOneBlock { node: Some(1), .. })),
        "{error:?}"
    );
}

#[test]
fn channels_are_dealt_exactly_where_they_are_no_power_of_two() {
    let map = dealt(3, vec![], 8);
    let fault = |org: Organisation, change: &dyn Fn(&mut Region)| {
        let mut region = map.regions()[0].clone();
        change(&mut region);
        AddressMap::new(org, vec![region])
            .expect_err("must be refused")
            .to_string()
    };
    let org = *map.organisation();
    let granule = |bits: Option<u32>| move |region: &mut Region| region.functions.granule_bits = bits;
    let text = fault(org, &granule(None));
    assert!(
        text.contains("nothing says by which granule 3 channels are dealt"),
        "{text}"
    );
    for bits in [2, 29] {
        let text = fault(org, &granule(Some(bits)));
        assert!(text.contains("bytes, where it has 2^3 to 2^28"), "{text}");
    }
    let power = Organisation { channels: 1, ..org };
    let text = fault(power, &|region| region.size = 1 << 28);
    assert!(
        text.contains("a granule, but parity functions choose among 1 channels"),
        "{text}"
    );
    let nodes = Organisation { nodes: 2, ..org };
    let text = fault(nodes, &|region| {
        region.size *= 2;
        region.functions.node = vec![1 << 28];
    });
    assert!(text.contains("functions select the node"), "{text}");
    let banks = BankMap::new(bits(13..17), 0).unwrap();
    let error = banks.complete(org).expect_err("must be refused");
    assert!(matches!(error, MapError::NotPowerOfTwo { count: 3, .. }), "{error}");
}

#[test]
fn completed_map_has_the_bank_functions_and_plausible_rows() {
    // Sandy Bridge: permutation of bits 14 to 17 with 18 to 21; here over one channel of 1 GiB.
    let banks = text::map_txt::parse("14 18\n15 19\n16 20\n17 21", "f").unwrap();
    let org = Organisation {
        channels: 1,
        ranks: 2,
        rows: 1 << 13,
        ..ORG
    };
    let map = banks.complete(org).unwrap();
    let functions = &map.regions()[0].functions;
    assert_eq!(functions.bank, [0x44000, 0x88000, 0x110000]);
    assert_eq!(functions.rank, [0x220000]);
    assert_eq!(functions.column, bits(3..13));
    assert_eq!(functions.row, [bits(13..14), bits(18..30)].concat());
    let fault = |org| banks.complete(org).expect_err("must be refused").to_string();
    assert!(fault(ORG).contains("4 functions for an organisation of 2^5 banks"));
    assert!(fault(Organisation { rows: 1, ..org }).contains("reads bit 17"));
}

#[test]
fn partial_map_subtracts_its_offset() {
    let map = BankMap::new(vec![1 << 28, 1 << 29], 3 << 28).unwrap();
    assert_eq!(map.bank(0), None);
    assert_eq!(map.bank(3 << 28), Some(0));
    assert_eq!(map.bank(4 << 28), Some(1));
    assert_eq!(map.bank(5 << 28), Some(2));
    let org = Organisation {
        channels: 1,
        ranks: 1,
        banks: 4,
        rows: 1 << 15,
        ..ORG
    };
    let complete = map.complete(org).unwrap();
    assert_eq!(complete.decode(PhysAddr(5 << 28)).unwrap().bank, 2);
    assert_eq!(complete.decode(PhysAddr(0)), None);
    assert_eq!(BankMap::new(bits(0..21), 0), Err(MapError::TooManyBanks { bits: 21 }));
    assert_eq!(BankMap::new(vec![1], 1 << 63), Err(MapError::BadRange { region: 0 }));
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn decode_and_encode_are_inverse(map in maps(organisations(), 0), seed: u64) {
        let org = *map.organisation();
        let address = address_in(&map, seed);
        let location = map.decode(PhysAddr(address)).expect("memory");
        for field in Field::ALL {
            prop_assert!(field.of(&location) < field.count(&org));
        }
        prop_assert_eq!(map.encode(&location).0, address - address % u64::from(org.bus_bytes));
        prop_assert_eq!(map.decode(map.encode(&location)), Some(location));
    }

    #[test]
    fn every_location_has_an_address(map in maps(organisations(), 0), values: [u32; 7]) {
        let org = *map.organisation();
        let mut location = Location::default();
        for (field, value) in Field::ALL.into_iter().zip(values) {
            field.set(&mut location, value % field.count(&org));
        }
        prop_assert_eq!(map.decode(map.encode(&location)), Some(location));
    }

    #[test]
    fn decode_is_the_parity_of_each_function(map in maps(organisations(), 0), seed: u64) {
        let address = address_in(&map, seed);
        let region = map.regions().iter().find(|r| (r.base..r.end()).contains(&address)).unwrap();
        let location = map.decode(PhysAddr(address)).unwrap();
        let (way, within) = within_way(&map, region, address);
        for field in Field::ALL {
            let value = crate::gf2::apply(region.functions.get(field), within) as u32;
            let above = match field {
                Field::Node => region.node.unwrap_or(0),
                Field::Channel => way << field.width(map.organisation()),
                _ => 0,
            };
            prop_assert_eq!(field.of(&location), value | above);
        }
    }

    #[test]
    fn completion_keeps_the_banks(org in organisations(), masks in proptest::collection::vec(any::<u64>(), 16)) {
        let total = org.total_bytes().trailing_zeros();
        let bus = org.bus_bytes.trailing_zeros();
        let usable = crate::gf2::low_mask(total) & !crate::gf2::low_mask(bus);
        let masks = crate::gf2::independent(masks.into_iter().map(|mask| mask & usable));
        let needed = org.banks_total().trailing_zeros() as usize;
        prop_assume!(masks.len() >= needed);
        let banks = BankMap::new(masks[..needed].to_vec(), 0).unwrap();
        let map = banks.complete(org).unwrap();
        for address in (0..org.total_bytes()).step_by((org.total_bytes() / 64).max(1) as usize) {
            let location = map.decode(PhysAddr(address)).unwrap();
            prop_assert_eq!(u64::from(location.bank_in_machine(&org)), banks.bank(address).unwrap());
        }
        let all: Vec<u64> = Field::ALL.iter().flat_map(|f| map.regions()[0].functions.get(*f)).copied().collect();
        prop_assert_eq!(row_reduce(&all).len() as u32, total - bus);
    }
}
