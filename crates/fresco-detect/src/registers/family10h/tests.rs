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
        (0, 1, 0x40, 3 | 3 << 8, "interleaved nodes"),
        (1, 2, 0x110, 1 << 4, "ganged channels"),
        (2, 2, 0x94, 1 << 8 | 1 << 22, "bank swizzling"),
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
                assert!(!error.found.is_empty() && !error.cure.is_empty(), "{error}");
                refused += 1;
            }
        }
    }
    assert!(decoded > 20 && refused > 100, "{decoded} decoded, {refused} refused");
}
