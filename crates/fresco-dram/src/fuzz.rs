// SPDX-License-Identifier: MIT OR Apache-2.0
//! Entry points for fuzzing the text formats: arbitrary bytes in, no panic, and what is accepted must survive being
//! written and read again.

use crate::color::{BitPattern, ColorSpace, format_list, parse_list};
use crate::map::BankMap;
use crate::map::text::{hex_masks, map_txt, palloc};

/// `map.txt`.
pub fn fuzz_map_txt(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Ok(map) = map_txt::parse(text, "fuzz") {
        let again = map_txt::parse(&map_txt::format(map.functions()), "fuzz");
        assert_eq!(again.as_ref().ok(), Some(&map));
        color(&map);
    }
}

/// Lists of hexadecimal masks.
pub fn fuzz_hex_masks(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Ok(map) = hex_masks::parse(text, "fuzz") {
        let again = hex_masks::parse(&hex_masks::format(map.functions()), "fuzz");
        assert_eq!(again.as_ref().ok(), Some(&map));
        color(&map);
    }
}

/// PALLOC masks.
pub fn fuzz_palloc(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Ok((palloc, map)) = palloc::parse(text, "fuzz") {
        assert_eq!(palloc.functions(), map.functions());
        let (again, _) = palloc::parse(&palloc.to_string(), "fuzz").expect("what is written is read");
        assert_eq!(again, palloc);
    }
}

/// Bit patterns; the first byte is the number of bits.
pub fn fuzz_bit_pattern(data: &[u8]) {
    let Some((&count, rest)) = data.split_first() else {
        return;
    };
    let Ok(text) = std::str::from_utf8(rest) else { return };
    let bits: Vec<u32> = (0..u32::from(count) % 65).collect();
    if let Ok(pattern) = BitPattern::parse(text, &bits, "fuzz") {
        assert_eq!(
            BitPattern::parse(&pattern.to_string(), &bits, "fuzz").as_ref().ok(),
            Some(&pattern)
        );
    }
}

/// Lists of colors; the first byte is the number of colors.
pub fn fuzz_color_list(data: &[u8]) {
    let Some((&limit, rest)) = data.split_first() else {
        return;
    };
    let Ok(text) = std::str::from_utf8(rest) else { return };
    if let Ok(list) = parse_list(text, u32::from(limit), "fuzz") {
        assert_eq!(
            parse_list(&format_list(&list), u32::from(limit), "fuzz").ok(),
            Some(list)
        );
    }
}

/// Colors of whatever map a fuzzer has found.
fn color(map: &BankMap) {
    if let Ok(space) = ColorSpace::of_bank_map(map, &[1 << 13, 1 << 63], 12) {
        let last = space.bank_colors() - 1;
        assert_eq!(
            space.banks(last).len(),
            1 << (map.functions().len() as u32 - space.bank_colors().ilog2())
        );
        assert_eq!(space.disjoint(0, last).is_ok(), last != 0);
    }
}
