// SPDX-License-Identifier: MIT OR Apache-2.0
//! Machine files: the map of an accepted machine is one to one, and its pages have colors, whose banks hold their lines.
#![no_main]

use fresco_dram::{ColorSpace, FrameNumber, PhysAddr};
use fresco_machine::Machine;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(machine) = Machine::parse("fuzz", text, &[]) else {
        return;
    };
    let map = &machine.memory.map;
    let transfer = u64::from(map.organisation().bus_bytes);
    for region in map.regions() {
        for address in [
            region.base,
            region.base + region.size / 2 / transfer * transfer,
            region.end() - transfer,
        ] {
            let place = map.decode(PhysAddr(address)).expect("lies in a region");
            assert_eq!(map.encode(&place), PhysAddr(address));
        }
    }
    let llc = machine.llc.as_ref().map_or_else(Vec::new, |llc| llc.set_functions());
    if let Ok(space) = ColorSpace::new(map, &llc, machine.page_bytes.trailing_zeros()) {
        assert!(space.pairs() >= u64::from(space.bank_colors().max(space.llc_colors())));
        for region in map.regions() {
            for address in [region.base, region.base + region.size / 2 / transfer * transfer, region.end() - transfer] {
                let bank = map.decode(PhysAddr(address)).expect("lies in a region").bank_in_machine(map.organisation());
                let color = space.bank_color(FrameNumber(address >> space.page_bits()));
                assert!(space.banks(color).contains(&bank), "{address:#x}");
            }
        }
    }
});
