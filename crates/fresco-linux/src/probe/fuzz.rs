// SPDX-License-Identifier: MIT OR Apache-2.0
//! Entry points for fuzzing: arbitrary bytes in, no panic, and what is accepted is written and read again alike.

use super::ProvedMap;
use super::firmware::{MemoryDevice, parse_memory_reg};

/// A structure of the firmware's table of memory modules, and a property of a device tree whose numbers of cells are the
/// first two bytes.
pub fn fuzz_firmware(data: &[u8]) {
    if let Some(device) = MemoryDevice::parse(data) {
        assert!(!device.to_string().contains('\n'));
    }
    let [address, size, reg @ ..] = data else { return };
    if let Some(ranges) = parse_memory_reg(reg, u32::from(*address), u32::from(*size)) {
        assert!(ranges.iter().all(|range| range.start < range.end));
    }
}

/// The file of a proved map.
pub fn fuzz_proved_map(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(proved) = ProvedMap::parse(text, "map.json") else {
        return;
    };
    assert_eq!(ProvedMap::parse(&proved.to_text(), "map.json").as_ref(), Ok(&proved));
    if let Ok(map) = proved.map("map.json") {
        assert!(!map.functions().contains(&0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MODULE: &[u8] = include_bytes!("../../../../fuzz/seeds/firmware/module");

    proptest! {
        #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn spoilt_tables_are_read_or_left_out(at in 0..MODULE.len(), byte: u8, end in 0..MODULE.len()) {
            let mut bytes = MODULE.to_vec();
            bytes[at] = byte;
            fuzz_firmware(&bytes);
            fuzz_firmware(&bytes[..end]);
        }
    }

    #[test]
    fn the_seeds_are_what_they_stand_for() {
        assert!(MemoryDevice::parse(MODULE).is_some());
        let map = include_str!("../../../../fuzz/seeds/proved_map/map.json");
        assert!(ProvedMap::parse(map, "map.json").is_ok());
        fuzz_proved_map(map.as_bytes());
    }
}
