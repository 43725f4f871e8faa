// SPDX-License-Identifier: MIT OR Apache-2.0
//! Wrong map files.

use crate::bad_input::case::Case;

const SHOW: [&str; 3] = ["map", "show", "map.txt"];
const COLORS: [&str; 3] = ["map", "colors", "map.txt"];

fn of(name: &'static str, content: impl Into<Vec<u8>>) -> Case {
    Case::new(name, &COLORS).file("map.txt", content)
}

/// A map that is said to be of this format.
fn as_format(name: &'static str, format: &'static str, content: &str) -> Case {
    Case::new(name, &[&SHOW[..], &["--format", format]].concat()).file("map.txt", content)
}

pub fn cases() -> Vec<Case> {
    let many: String = (0..21).map(|bit| format!("{}\n", bit + 12)).collect();
    let endless: String = (0..80).map(|bit| format!("{}\n", bit % 64)).collect();
    vec![
        Case::new("missing map", &COLORS).told("map.txt: cannot read it"),
        Case::new("directory for a map", &["map", "colors", "directory"]).told("directory: found a directory"),
        of("empty map", "").told("map.txt: no function"),
        of("only comments", "# nothing\n\n").told("map.txt: no function"),
        of("map that is no text", b"14 18\n15 \xff\n").told("map.txt:2: found the byte 0xff"),
        of("map that is an image", b"\x89PNG\r\n\x1a\n\0\0").told("map.txt:1: "),
        of("bit that does not exist", "14 18\n# two\n15 64\n").told_at("map.txt", "15 64"),
        of("huge bit", "14 99999999999999999999\n").told_at("map.txt", "14 99"),
        of("negative bit", "14 18\n-15 19\n").told_at("map.txt", "-15"),
        of("bit twice in a function", "14 18 14\n").told_at("map.txt", "14 18 14"),
        of("bits joined by carets", "14^18\n").told_at("map.txt", "14^18"),
        of("bits joined by commas", "14,18\n").told_at("map.txt", "14,18"),
        of("words", "bank0 = 14 18\n").told_at("map.txt", "bank0"),
        of("function that depends on others", "13 17\n14 18\n13 14 17 18\n").told_at("map.txt", "13 14 17 18"),
        of("more banks than there can be", many.as_str()).told("map.txt: "),
        of("more functions than address bits", endless.as_str()).told("map.txt:65: "),
        of("mask after decimal bits", "14 18\n0x88000\n").told_at("map.txt", "0x88000"),
        of("decimal bits after a mask", "0x44000\n15 19\n").told_at("map.txt", "15 19"),
        of("PALLOC partner outside the mask", "0x1e000\nxor 17 13\n").told_at("map.txt", "xor 17 13"),
        of("PALLOC bit with two partners", "0x1e000\nxor 13 17\nxor 13 18\n").told_at("map.txt", "xor 13 18"),
        of("PALLOC bit with itself", "0x1e000\nxor 13 13\n").told_at("map.txt", "xor 13 13"),
        of("PALLOC mask of zero", "0x0\n").told_at("map.txt", "0x0"),
        of("PALLOC mask of 68 bits", "0x10000000000000000\n").told_at("map.txt", "0x1"),
        of("PALLOC functions that are alike", "0x6000\nxor 13 14\nxor 14 13\n").told_at("map.txt", "xor 14 13"),
        as_format("decimal bits read as masks", "hex", "14 18\n").told_at("map.txt", "14 18"),
        as_format("decimal bits read as PALLOC's", "palloc", "14 18\n").told_at("map.txt", "14 18"),
        as_format("masks read as decimal bits", "map.txt", "0x44000\n0x88000\n").told_at("map.txt", "0x44000"),
        as_format("mask that is the XOR of others", "hex", "0x44000\n0x88000\n0xcc000\n").told_at("map.txt", "0xcc000"),
        as_format("mask of zero", "hex", "0x44000\n0x0\n").told_at("map.txt", "0x0\n"),
        Case::new(
            "hash that PALLOC cannot say",
            &[&SHOW[..], &["--to", "palloc"]].concat(),
        )
        .file("map.txt", "14 18\n13 15 17\n")
        .told("map.txt: --to palloc: function 1"),
        Case::new(
            "nodes by range that a map file cannot say",
            &["map", "show", "--machine", "opteron-6128", "--to", "hex"],
        )
        .told("opteron-6128: --to hex: "),
    ]
}
