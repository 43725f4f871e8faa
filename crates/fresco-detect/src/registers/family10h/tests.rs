// SPDX-License-Identifier: MIT OR Apache-2.0
use super::*;
use crate::registers::map_of;
use fresco_dram::{AddressMap, PhysAddr};
use std::collections::BTreeMap;
use std::fmt::Write;

const GIB: u64 = 1 << 30;

/// Registers by function and offset.
#[derive(Clone, Default)]
struct Registers(BTreeMap<(Function, u16), u32>);

impl Registers {
    fn set(&mut self, node: u32, number: u8, offset: u16, value: u32) {
        self.0.insert((function(node, number), offset), value);
    }

    /// As lspci prints them, four bytes a line.
    fn map(&self) -> Result<AddressMap, InputError> {
        let mut text = String::new();
        let mut last = None;
        for ((place, offset), value) in &self.0 {
            if last != Some(place) {
                writeln!(text, "00:{:02x}.{} Host bridge", place.0, place.1).expect("a string takes it");
                last = Some(place);
            }
            let [a, b, c, d] = value.to_le_bytes();
            writeln!(text, "{offset:02x}: {a:02x} {b:02x} {c:02x} {d:02x}").expect("a string takes it");
        }
        map_of(&Dump::parse(&text, "dump.txt")?)
    }
}

/// The memory of the Opteron 6128 (MAP-3, CON-4): four nodes of 4 GiB by range, two channels and two ranks by range,
/// devices of 1 Gb by 8.
fn opteron() -> Registers {
    let mut registers = Registers::default();
    for range in 0..8u16 {
        let used = range < 4;
        let base = u64::from(range) * 4 * GIB;
        let low = |address: u64| (address >> 8) as u32 & 0xffff_0000;
        let number = u32::from(range);
        registers.set(0, 1, 0x40 + 8 * range, if used { low(base) | 3 } else { 0 });
        registers.set(
            0,
            1,
            0x44 + 8 * range,
            if used { low(base + 4 * GIB - 1) | number } else { 0 },
        );
        registers.set(0, 1, 0x140 + 8 * range, 0);
        registers.set(0, 1, 0x144 + 8 * range, 0);
    }
    for node in 0..4 {
        let middle = u64::from(node) * 4 * GIB + 2 * GIB;
        for (number, identity) in [1, 2].into_iter().zip(IDENTITY) {
            registers.set(node, number, 0, identity);
        }
        registers.set(node, 1, 0xf0, 0);
        // The second channel begins in the middle of the node.
        registers.set(node, 2, 0x110, ((middle >> 27) << 11) as u32 | 3);
        registers.set(node, 2, 0x114, ((middle >> 26) << 10) as u32);
        for channel in [0, 0x100] {
            for select in 0..8u16 {
                let base = u64::from(select) * GIB;
                let used = select < 2;
                registers.set(
                    node,
                    2,
                    channel + 0x40 + 4 * select,
                    if used { (base >> 8) as u32 | 1 } else { 0 },
                );
            }
            for pair in 0..4u16 {
                // Bits 13 to 21 and 27 to 29 are the rank's own.
                registers.set(node, 2, channel + 0x60 + 4 * pair, 0x3fe0 | 7 << 19);
            }
            registers.set(node, 2, channel + 0x80, 5);
            registers.set(node, 2, channel + 0x94, 1 << 8);
        }
    }
    registers
}

#[test]
fn the_opterons_memory_has_its_nodes_channels_and_ranks_by_range() {
    let map = opteron().map().expect("a map");
    let org = map.organisation();
    assert_eq!(
        (org.nodes, org.channels, org.ranks, org.banks, org.rows),
        (4, 2, 2, 8, 16384)
    );
    assert_eq!(map.capacity(), 16 * GIB);
    let functions = &map.regions()[0].functions;
    assert_eq!(functions.channel, [1 << 31]);
    assert_eq!(functions.rank, [1 << 30]);
    assert_eq!(functions.bank, [13, 14, 15].map(|bit| 1 << bit));
    assert_eq!(functions.row, (16..30).map(|bit| 1 << bit).collect::<Vec<u64>>());
    assert_eq!(
        map.decode(PhysAddr(9 * GIB))
            .map(|place| (place.node, place.channel, place.rank)),
        Some((2, 0, 1))
    );
}

#[test]
fn interleaved_channels_and_ranks_are_in_the_low_bits() {
    let mut registers = opteron();
    for node in 0..4 {
        registers.set(node, 2, 0x110, 1 << 2);
        for channel in [0, 0x100] {
            // Bit 16 of the channel's address chooses the rank, bit 30 takes its place.
            registers.set(node, 2, channel + 0x44, 1 | 1 << 8);
            for pair in 0..4 {
                registers.set(node, 2, channel + 0x60 + 4 * pair, 0x3fe0 & !(1 << 8) | 15 << 19);
            }
        }
    }
    let functions = registers.map().expect("a map").regions()[0].functions.clone();
    assert_eq!(functions.channel, [1 << 6]);
    assert_eq!(functions.rank, [1 << 17]);
    assert_eq!(functions.bank, [14, 15, 16].map(|bit| 1 << bit));
}

#[test]
fn hashed_channels_read_bits_16_to_20() {
    let mut registers = opteron();
    for node in 0..4 {
        registers.set(node, 2, 0x110, 1 << 2 | 2 << 6);
    }
    let functions = registers.map().expect("a map").regions()[0].functions.clone();
    assert_eq!(functions.channel, [1 << 6 | 0x1f << 16]);
}

/// Nodes by bits 12 and 13 (IntlvEn 3), channels by bit 6.
fn interleaved_nodes() -> Registers {
    let mut registers = opteron();
    for range in 0..4u16 {
        registers.set(0, 1, 0x40 + 8 * range, 3 | 3 << 8);
        let last = ((16 * GIB - 1) >> 8) as u32 & 0xffff_0000;
        registers.set(0, 1, 0x44 + 8 * range, last | u32::from(range) << 8 | u32::from(range));
    }
    for node in 0..4 {
        registers.set(node, 2, 0x110, 1 << 2);
    }
    registers
}

#[test]
fn interleaved_nodes_are_in_bits_12_and_13() {
    // Worked by hand. Taken out are bits 12, 13 and 6, so that what the ranks see as bit k is bit k + 3 of the address from
    // bit 11 on: banks 13 to 15 are address bits 16 to 18, and rank bit 30 is address bit 33.
    let map = interleaved_nodes().map().expect("a map");
    assert_eq!((map.regions().len(), map.regions()[0].node), (1, None));
    let functions = map.regions()[0].functions.clone();
    assert_eq!(functions.node, [1 << 12, 1 << 13]);
    assert_eq!(functions.channel, [1 << 6]);
    assert_eq!(functions.rank, [1 << 33]);
    assert_eq!(functions.bank, [16, 17, 18].map(|bit| 1 << bit));
    let place = map.decode(PhysAddr(0x2_5000_3040)).expect("memory");
    // 0x2_5000_3040 has bits 33, 30, 28, 13, 12 and 6: node 3, channel 1, rank 1; row bits 30 - 19 and 28 - 19.
    assert_eq!((place.node, place.channel, place.rank, place.bank), (3, 1, 1, 0));
    assert_eq!((place.row, place.column), (1 << 11 | 1 << 9, 0));
}

#[test]
fn channels_interleaved_by_pages_follow_the_nodes() {
    let mut registers = interleaved_nodes();
    for node in 0..4 {
        registers.set(node, 2, 0x110, 1 << 2 | 1 << 6);
    }
    let functions = registers.map().expect("a map").regions()[0].functions.clone();
    // Bits 12 and 13 are the node's, so that of the channel is 14.
    assert_eq!(
        (functions.node, functions.channel),
        (vec![1 << 12, 1 << 13], vec![1 << 14])
    );
    assert_eq!(functions.bank, [16, 17, 18].map(|bit| 1 << bit));
    let mut alone = opteron();
    for node in 0..4 {
        alone.set(node, 2, 0x110, 1 << 2 | 1 << 6);
    }
    let functions = alone.map().expect("a map").regions()[0].functions.clone();
    assert_eq!(functions.channel, [1 << 12]);
}

#[test]
fn swizzled_banks_are_xors_with_bits_three_and_six_above() {
    let mut registers = opteron();
    for node in 0..4 {
        for channel in [0, 0x100] {
            registers.set(node, 2, channel + 0x94, 1 << 8 | 1 << 22);
        }
    }
    let map = registers.map().expect("a map");
    let functions = &map.regions()[0].functions;
    let xor = |bits: [u32; 3]| bits.iter().fold(0u64, |mask, bit| mask | 1 << bit);
    assert_eq!(functions.bank, [[13, 16, 19], [14, 17, 20], [15, 18, 21]].map(xor));
    assert_eq!(functions.row, (16..30).map(|bit| 1 << bit).collect::<Vec<u64>>());
    // Bits 13, 16 and 20: bank bit 0 is 1 ^ 1 ^ 0, bank bit 1 is 0 ^ 0 ^ 1.
    let place = map.decode(PhysAddr(0x11_2000)).expect("memory");
    assert_eq!((place.bank, place.row), (2, 1 | 1 << 4));
    // Above interleaved nodes and channels the same bits of the rank are three higher in the address.
    let mut both = interleaved_nodes();
    for node in 0..4 {
        for channel in [0, 0x100] {
            both.set(node, 2, channel + 0x94, 1 << 8 | 1 << 22);
        }
    }
    let functions = both.map().expect("a map").regions()[0].functions.clone();
    assert_eq!(functions.bank, [[16, 19, 22], [17, 20, 23], [18, 21, 24]].map(xor));
}

#[test]
fn interleaves_that_are_half_set_up_are_refused() {
    let last = ((16 * GIB - 1) >> 8) as u32 & 0xffff_0000;
    let cases: [(u32, u8, u16, u32, &str); 4] = [
        (0, 1, 0x44, last | 1 << 8, "of which some are missing"),
        (0, 1, 0x4c, (last - (1 << 16)) | 1 << 8 | 1, "ranges differ"),
        (1, 2, 0x110, 1 | 1 << 2, "channels by range below interleaved nodes"),
        (1, 1, 0xf0, 0xc000_0000 | 3, "holes differ"),
    ];
    for (node, number, offset, value, found) in cases {
        let mut registers = interleaved_nodes();
        registers.set(node, number, offset, value);
        let error = registers.map().expect_err(found).to_string();
        assert!(error.contains(found), "{error}");
    }
    let mut odd = interleaved_nodes();
    for range in 0..4u16 {
        odd.set(0, 1, 0x40 + 8 * range, 3 | 5 << 8);
    }
    let error = odd.map().expect_err("no such interleave").to_string();
    assert!(error.contains("interleaved by the bits 0b101"), "{error}");
    let mut ranks = opteron();
    for channel in [0, 0x100] {
        ranks.set(0, 2, channel + 0x94, 1 << 8 | 1 << 22);
        ranks.set(0, 2, channel + 0x44, 1 | 1 << 8);
        for pair in 0..4 {
            ranks.set(0, 2, channel + 0x60 + 4 * pair, 0x3fe0 & !(1 << 8) | 15 << 19);
        }
    }
    let error = ranks.map().expect_err("which bits").to_string();
    assert!(error.contains("bank swizzling with interleaved ranks"), "{error}");
}

#[test]
fn memory_behind_the_hole_continues_that_before_it() {
    let mut registers = opteron();
    // Node 0 alone, its last GiB moved from 3 GiB to 4 GiB.
    for range in 1..4u16 {
        registers.set(0, 1, 0x40 + 8 * range, 0);
    }
    registers.set(0, 1, 0x44, ((5 * GIB - 1) >> 8) as u32 & 0xffff_0000);
    registers.set(0, 1, 0xf0, 0xc000_0000 | (GIB >> 16) as u32 | 3);
    registers.set(0, 2, 0x110, 1 << 2);
    let map = registers.map().expect("a map");
    assert_eq!(map.regions().len(), 2);
    assert_eq!((map.regions()[1].base, map.regions()[1].offset), (4 * GIB, GIB));
    assert_eq!(map.decode(PhysAddr(3 * GIB)), None);
}

#[test]
fn what_is_not_decoded_is_refused() {
    let cases: [(u32, u8, u16, u32, &str); 6] = [
        (0, 1, 0x40, 3 | 3 << 8, "interleaved nodes whose ranges differ"),
        (1, 2, 0x110, 1 << 4, "ganged channels"),
        (2, 2, 0x94, 1 << 8 | 1 << 22, "bank swizzling on one channel"),
        (3, 2, 0x94, 0, "no DDR3"),
        (0, 2, 0x180, 3, "a bank address mapping that is not decoded"),
        (0, 2, 0x60, 0x3fe0 | 3 << 19, "a chip select whose mask"),
    ];
    for (node, number, offset, value, found) in cases {
        let mut registers = opteron();
        registers.set(node, number, offset, value);
        let error = registers.map().expect_err(found).to_string();
        assert!(error.contains(found), "{error}");
    }
    let mut other = opteron();
    other.set(0, 1, 0, 0x1601_1022);
    assert!(
        other
            .map()
            .expect_err("another family")
            .to_string()
            .contains("no memory controller of a known family")
    );
    let mut missing = opteron();
    missing.0.remove(&(function(2, 2), 0x110));
    assert!(
        missing
            .map()
            .expect_err("a register")
            .to_string()
            .contains("no register 0x110 of 00:1a.2")
    );
}

#[test]
fn registers_with_flipped_bits_are_decoded_or_refused() {
    let draws = &mut crate::random::Draws::new(1);
    let whole = opteron();
    let (mut decoded, mut refused) = (0, 0);
    for _ in 0..400 {
        let mut registers = whole.clone();
        for _ in 0..1 + draws.below(4) {
            let place = *registers
                .0
                .keys()
                .nth(draws.below(whole.0.len() as u64) as usize)
                .expect("one of them");
            *registers.0.get_mut(&place).expect("is there") ^= 1 << draws.below(32);
        }
        match registers.map() {
            Ok(_) => decoded += 1,
            Err(error) => {
                assert!(!error.found.is_empty() && !error.help.is_empty(), "{error}");
                refused += 1;
            }
        }
    }
    assert!(decoded > 20 && refused > 100, "{decoded} decoded, {refused} refused");
}
