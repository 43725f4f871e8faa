// SPDX-License-Identifier: MIT OR Apache-2.0
//! Maps of machines of today against their sources, in the sources' own terms.

use fresco_dram::{Location, PhysAddr};
use fresco_machine::{MemoryConfig, builtin};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;

fn memory(name: &str) -> MemoryConfig {
    builtin(name).unwrap_or_else(|error| panic!("{error}")).memory
}

fn at(memory: &MemoryConfig, address: u64) -> Location {
    memory.map.decode(PhysAddr(address)).expect("is memory")
}

fn bit(address: u64, bit: u32) -> u32 {
    u32::from(address >> bit & 1 == 1)
}

/// ZenHammer's functions of bits 0 to 28 for Zen 2 with two ranks, as its program writes them.
fn zen2(address: u64) -> Location {
    let parity = |mask: u64| (address & mask).count_ones() & 1;
    Location {
        node: 0,
        channel: 0,
        rank: parity(0b1_1111_1111_1110_0000_0000_0000_0000),
        bank_group: parity(0b0_0100_0100_0100_1000_0000_0000_0000) << 1
            | parity(0b0_0010_0010_0000_0100_0000_0000_0000),
        bank: parity(0b1_0001_0001_0000_0011_1111_1100_0000) << 1 | parity(0b0_1000_1000_1001_0000_0000_0000_0000),
        row: u32::try_from(address >> 18).expect("is a row"),
        column: u32::try_from(address >> 3 & 1023).expect("is a column"),
    }
}

#[test]
fn ryzen_is_as_zenhammer_found() {
    let memory = memory("ryzen-3600");
    let mut rng = Pcg64::seed_from_u64(1);
    for _ in 0..2000 {
        let address = rng.random_range(0..1u64 << 29);
        assert_eq!(at(&memory, address), zen2(address), "{address:#x}");
    }
}

/// Linux's translation: each bit that chooses the channel is hashed, then bits 8, 12 and 13 are taken out.
#[test]
fn epyc_hashes_channels_as_linux_undoes_it() {
    let memory = memory("epyc-7742");
    let mut rng = Pcg64::seed_from_u64(2);
    for _ in 0..2000 {
        let address = rng.random_range(0..1u64 << 32);
        let of = |bits: &[u32]| bits.iter().fold(0, |parity, n| parity ^ bit(address, *n));
        let channel = of(&[8, 14, 18, 23, 32]) | of(&[12, 16, 21, 30]) << 1 | of(&[13, 17, 22, 31]) << 2;
        let place = at(&memory, address);
        assert_eq!(place.channel, channel, "{address:#x}");
        let normal = address & 0xff | (address >> 9 & 7) << 8 | (address >> 14) << 11;
        assert_eq!(Location { channel: 0, ..place }, zen2(normal), "{address:#x}");
    }
}

/// `SDRAM_BANKLOW` 1: address = {bank[3:1], row, bank[0], column}.
#[test]
fn raspberry_pi_has_three_bank_bits_on_top() {
    let memory = memory("raspberry-pi-5");
    let bank = |address: u64| {
        let place = at(&memory, address);
        place.rank << 3 | place.bank
    };
    assert_eq!([12, 30, 31, 32].map(|n| bank(1 << n)), [1, 2, 4, 8]);
    assert_eq!((at(&memory, 1 << 13).row, at(&memory, 1 << 29).row), (1, 1 << 16));
}

/// The registers ADDRMAP of U-Boot: an address bit of the controller is a field and its base, of 8 bytes each.
#[test]
fn zcu102_is_as_its_registers_say() {
    let memory = memory("zcu102");
    let at = |controller_bit: u32| at(&memory, 1 << (controller_bit + 3));
    assert_eq!([0, 1, 2, 9].map(|n| at(n).column), [1, 2, 4, 512]);
    assert_eq!([0x08 + 2, 0x08 + 3].map(|n| at(n).bank_group), [1, 2]);
    assert_eq!([0x0a + 2, 0x0a + 3].map(|n| at(n).bank), [1, 2]);
    assert_eq!([0x08 + 6, 0x08 + 17].map(|n| at(n).row), [1, 1 << 11]);
    // MR0; tRFC of 139 clocks of the controller; tREFI of 130 times 32 of them, to which the register counts.
    assert_eq!((memory.timing.cl, memory.timing.rfc_ab), (15, 139 * 2));
    assert!(memory.timing.refi.abs_diff(130 * 32 * 2) < 32 * 2);
}

/// The registers ADDRMAP of U-Boot, of 4 bytes each: no rank bit; the others are a field and its base.
#[test]
fn imx8m_mini_is_as_its_registers_say() {
    let memory = memory("imx8m-mini");
    let at = |controller_bit: u32| at(&memory, 1 << (controller_bit + 2));
    assert_eq!([0, 1, 2, 9].map(|n| at(n).column), [1, 2, 4, 512]);
    assert_eq!([0x08 + 2, 0x08 + 3, 0x08 + 4].map(|n| at(n).bank), [1, 2, 4]);
    assert_eq!([0x07 + 6, 0x07 + 21].map(|n| at(n).row), [1, 1 << 15]);
    // MR2: RL 28 and WL 14. tRFC of 210 clocks of 750 MHz.
    let timing = &memory.timing;
    assert_eq!((timing.cl, timing.cwl), (28, 14));
    assert_eq!(timing.clock.to_ps(timing.rfc_ab), 210 * 4_000_000 / 3_000);
}

/// 204.8 GB/s and 64 GB, as the data sheet says; a line is in one channel, four in turn are too, and the next four are in another one.
#[test]
fn jetson_orin_is_as_its_data_sheet_says() {
    let memory = memory("jetson-orin");
    let org = memory.organisation;
    assert_eq!((org.total_bytes(), org.channels * org.bus_bytes * 8), (64 << 30, 256));
    assert_eq!(memory.timing.clock.to_ps(1), 1_250);
    let channels: Vec<u32> = (0..8).map(|line| at(&memory, line * 64).channel).collect();
    assert_eq!(channels, [0, 0, 0, 0, 1, 1, 1, 1]);
    let each: std::collections::BTreeSet<u32> = (0..16).map(|n| at(&memory, n * 256).channel).collect();
    assert_eq!(each.len(), 16);
}
