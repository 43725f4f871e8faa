// SPDX-License-Identifier: MIT OR Apache-2.0
use super::palloc::PallocMap;
use super::*;
use crate::map::testing::cases;
use proptest::prelude::*;

fn fault(result: Result<BankMap, InputError>) -> (Option<u32>, String) {
    let error = result.expect_err("must be refused");
    assert_eq!(error.file, "f");
    assert!(!error.help.is_empty() && !error.allowed.is_empty(), "no help: {error}");
    (error.line, error.found.clone())
}

#[test]
fn map_txt_keeps_order_and_tolerates_comments() {
    let map = map_txt::parse("# i5-2520M\n14 18\n\t15  19 # second\r\n\n16 20\n17 21", "f").unwrap();
    assert_eq!(map.functions(), [0x44000, 0x88000, 0x110000, 0x220000]);
    assert_eq!(map_txt::format(map.functions()), "14 18\n15 19\n16 20\n17 21\n");
}

#[test]
fn bad_map_txt_is_refused_by_line() {
    for (text, line, found) in [
        ("", None, "no function"),
        ("# only\n\n", None, "no function"),
        ("14 18\n64", Some(2), "`64`"),
        ("14 99999999999999999999999", Some(1), "`99999999999999999999999`"),
        ("14 14", Some(1), "bit 14 twice"),
        ("14 18\n\n-15", Some(3), "`-15`"),
        ("+14", Some(1), "`+14`"),
        ("0x44000", Some(1), "`0x44000`"),
        ("14^18", Some(1), "`14^18`"),
        ("14,18", Some(1), "`14,18`"),
        ("1e1", Some(1), "`1e1`"),
        ("vierzehn", Some(1), "`vierzehn`"),
        ("१४", Some(1), "`१४`"),
        ("14\n14", Some(2), "the function 14 again, as in line 1"),
        (
            "13 14\n14 15\n# x\n13 15",
            Some(4),
            "the function 13^15, which is the XOR of lines 1, 2",
        ),
    ] {
        assert_eq!(fault(map_txt::parse(text, "f")), (line, found.to_owned()), "{text:?}");
    }
}

#[test]
fn more_lines_than_address_bits_are_refused() {
    let text: String = (0..64).chain([0]).map(|bit| format!("{bit}\n")).collect();
    assert_eq!(
        fault(map_txt::parse(&text, "f")),
        (Some(65), "the function 0 again, as in line 1".into())
    );
}

#[test]
fn palloc_mask_of_the_xeon() {
    // MAP-7: bank bits 12, 13, 19, 20.
    let (palloc, map) = palloc::parse("0x183000\n", "f").unwrap();
    assert_eq!(map.functions(), [1 << 12, 1 << 13, 1 << 19, 1 << 20]);
    assert_eq!(palloc.to_string(), "0x183000\n");
}

#[test]
fn palloc_xor_pairs_of_the_i3() {
    // MAP-13: 13^17, 14^18, 15^19, 16^20.
    let text = "0x1e000\nxor 13 17\nxor 14 18\nxor 15 19\nxor 16 20\n";
    let (palloc, map) = palloc::parse(text, "f").unwrap();
    assert_eq!(map.functions(), [0x22000, 0x44000, 0x88000, 0x110000]);
    assert_eq!(palloc.to_string(), text);
    assert_eq!(PallocMap::from_functions(map.functions()), Ok(palloc));
}

#[test]
fn bad_palloc_maps_are_refused_by_line() {
    for (text, line, found) in [
        ("", None, "no mask"),
        ("183000", Some(1), "`183000`"),
        ("0x", Some(1), "`0x`"),
        ("0x0", Some(1), "a mask of zero"),
        ("0xg", Some(1), "`0xg`"),
        ("0x-1", Some(1), "`0x-1`"),
        ("0x10000000000000000", Some(1), "`0x10000000000000000`"),
        ("0x1e000\nxor 13", Some(2), "`xor 13`"),
        ("0x1e000\nxor 13 17 18", Some(2), "`xor 13 17 18`"),
        ("0x1e000\nflush", Some(2), "`flush`"),
        ("0x1e000\nxor 13 13", Some(2), "bit 13 XORed with itself"),
        (
            "0x1e000\nxor 17 13",
            Some(2),
            "bit 17, which is not in the mask 0x1e000",
        ),
        ("0x1e000\nxor 13 17\nxor 13 18", Some(3), "a second partner of bit 13"),
        ("0x1e000\nxor 13 70", Some(2), "`70`"),
        (
            "0x6000\nxor 13 14\nxor 14 13",
            Some(3),
            "the function 13^14 again, as in line 2",
        ),
    ] {
        assert_eq!(
            fault(palloc::parse(text, "f").map(|(_, map)| map)),
            (line, found.to_owned()),
            "{text:?}"
        );
    }
}

#[test]
fn functions_without_palloc_form_are_refused() {
    let reason = |functions: &[u64]| PallocMap::from_functions(functions).unwrap_err().to_string();
    assert!(reason(&[0x7000]).contains("one bit or two"));
    assert!(reason(&[1 << 12, 1 << 6 | 1 << 13]).contains("inside the page"));
    assert!(reason(&[1 << 20, 1 << 12]).contains("ascending"));
    // 13^17 and 14^16 in the order 17, then 16 upwards: first bits 13 and 14 are ascending.
    assert!(PallocMap::from_functions(&[0x22000, 0x14000]).is_ok());
    // The lower bit is taken already, the higher one keeps the order.
    let map = PallocMap::from_functions(&[1 << 13, 1 << 12 | 1 << 17]).unwrap();
    assert_eq!((map.mask(), map.xor()), (1 << 13 | 1 << 17, &[(17, 12)][..]));
}

#[test]
fn hex_masks_of_both_cases() {
    let map = hex_masks::parse("0x44000\n0X88000 # second\n0x110000", "f").unwrap();
    assert_eq!(map.functions(), [0x44000, 0x88000, 0x110000]);
    assert_eq!(hex_masks::format(map.functions()), "0x44000\n0x88000\n0x110000\n");
    for (text, line, found) in [
        ("", None, "no function"),
        ("14 18", Some(1), "`18` after the mask"),
        ("0x1\n0x0", Some(2), "a mask of zero"),
        (
            "0x1\n0x2\n0x3",
            Some(3),
            "the function 0^1, which is the XOR of lines 1, 2",
        ),
        ("0x0x1", Some(1), "`0x0x1`"),
        ("-0x1", Some(1), "`-0x1`"),
    ] {
        assert_eq!(fault(hex_masks::parse(text, "f")), (line, found.to_owned()), "{text:?}");
    }
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn what_is_written_is_read_again(masks in proptest::collection::vec(1..u64::MAX, 1..20)) {
        let masks = crate::gf2::independent(masks);
        prop_assert_eq!(map_txt::parse(&map_txt::format(&masks), "f").unwrap().functions().to_vec(), masks.clone());
        prop_assert_eq!(hex_masks::parse(&hex_masks::format(&masks), "f").unwrap().functions().to_vec(), masks.clone());
    }

    #[test]
    fn palloc_form_means_the_same(pairs in proptest::collection::vec((12u32..40, 12u32..40), 1..8)) {
        let functions = crate::gf2::independent(pairs.iter().map(|(a, b)| 1 << a | 1 << b));
        if let Ok(map) = PallocMap::from_functions(&functions) {
            prop_assert_eq!(map.functions(), &functions[..]);
            let (read, bank_map) = palloc::parse(&map.to_string(), "f").unwrap();
            prop_assert_eq!(read, map);
            prop_assert_eq!(bank_map.functions(), functions);
        }
    }
}
