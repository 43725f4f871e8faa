// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco map` as a user runs it, on maps whose colors are known.

use crate::common::{directory_with, fresco, fresco_with, json, refused, stdout};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// The bank functions of a Core i5-6200U, as drama-pp publishes them.
const I5_6200U: &str = "14 18\n15 19\n16 20\n17 21\n8 9 12 13 14 15\n";

fn colors(arguments: &[&str], directory: &Path) -> Value {
    let mut command = vec!["map", "colors", "--json"];
    command.extend(arguments);
    json(&command, directory)["data"].clone()
}

fn numbers(value: &Value) -> Vec<u64> {
    let list = value.as_array().expect("a list");
    list.iter().map(|number| number.as_u64().expect("a number")).collect()
}

#[test]
fn larger_pages_leave_fewer_colors_of_a_published_map() {
    let directory = directory_with(&[("map.txt", I5_6200U)]);
    for (page, expected) in [("4K", 16), ("16K", 16), ("64K", 4), ("2M", 1)] {
        let data = colors(&["map.txt", "--page", page], directory.path());
        assert_eq!(data["banks"], 32);
        assert_eq!(data["bank_colors"], expected, "{page}");
        let banks: Vec<u64> = data["colors"]
            .as_array()
            .expect("a list")
            .iter()
            .flat_map(|color| numbers(&color["banks"]))
            .collect();
        let mut sorted = banks.clone();
        sorted.sort_unstable();
        assert_eq!(
            sorted,
            (0..32).collect::<Vec<u64>>(),
            "{page}: every bank belongs to one color"
        );
    }
    let data = colors(&["map.txt"], directory.path());
    assert_eq!(data["lost"][0]["bits"], serde_json::json!([8, 9, 12, 13, 14, 15]));
    assert_eq!(data["lost"][0]["inside"], serde_json::json!([8, 9]));
    assert_eq!(data["parts"][0]["functions"][1]["mask"], "0x88000");
}

#[test]
fn the_result_says_what_was_run() {
    let directory = directory_with(&[("map.txt", I5_6200U)]);
    let found = json(&["map", "colors", "map.txt", "--json"], directory.path());
    assert_eq!(found["schema"], "fresco-map-colors/1");
    assert_eq!(found["provenance"]["command"], "fresco map colors map.txt --json");
    assert_eq!(found["provenance"]["inputs"][0]["name"], "map.txt");
    let text = stdout(&["map", "colors", "--machine", "xeon-w3530"], directory.path());
    assert!(text.contains("\nmachine  xeon-w3530 (digest "), "{text}");
}

#[test]
fn overlapping_bits_make_pairs_impossible() {
    // CON-5: bank bits 15, 16, 18 and LLC colors of bits 12 to 16 share two bits, on each of the four nodes.
    let directory = directory_with(&[("bits.txt", "15\n16\n18\n")]);
    let data = colors(&["--machine", "opteron-6128-interleaved"], directory.path());
    assert_eq!((&data["bank_colors"], &data["llc_colors"]), (&32.into(), &32.into()));
    assert_eq!(data["pairs"], 4 * 64);
    // The same by a bare file and the cache's index bits.
    let bare = colors(&["bits.txt", "--llc", "6-16"], directory.path());
    assert_eq!((&bare["bank_colors"], &bare["pairs"]), (&8.into(), &64.into()));
    assert_eq!(bare["shared"].as_array().map(Vec::len), Some(2));
    assert_eq!(numbers(&bare["colors"][1]["llc_colors"]), (8..16).collect::<Vec<u64>>());
}

#[test]
fn patterns_select_what_the_paper_says() {
    // MAP-7 and PAL-10: [00XX] over bits 20, 19, 13, 12 is four banks, [XX00] four that partition the cache as well.
    let directory = directory_with(&[]);
    let select = |pattern: &str| -> Vec<u64> {
        let arguments = ["--machine", "xeon-w3530", "--pattern", pattern, "--bits", "20,19,13,12"];
        let data = colors(&arguments, directory.path());
        let listed = data["colors"].as_array().expect("a list").iter();
        listed.map(|color| color["color"].as_u64().expect("a number")).collect()
    };
    assert_eq!(select("[00XX]"), [0, 1, 2, 3]);
    assert_eq!(select("[XX00]"), [0, 4, 8, 12]);
    assert_eq!(select("[1111]"), [15]);
}

#[test]
fn disjoint_colors_are_proven_and_shared_banks_named() {
    let directory = directory_with(&[]);
    let prove = |a: &str, b: &str| {
        fresco(
            &["map", "colors", "--machine", "xeon-w3530", "--json", "--disjoint", a, b],
            directory.path(),
        )
    };
    let data = |done: &std::process::Output| -> Value {
        let document: Value = serde_json::from_slice(&done.stdout).expect("JSON");
        document["data"]["disjoint"].clone()
    };
    let apart = prove("0", "8");
    assert_eq!(apart.status.code(), Some(0));
    assert_eq!(data(&apart)["disjoint"], true);
    assert_eq!(
        data(&apart)["reasons"][0]["reason"],
        "rank bit 0 = 20 is 0 in one and 1 in the other"
    );
    let shared = prove("0-3", "3,7");
    assert_eq!(shared.status.code(), Some(1));
    assert_eq!(data(&shared)["disjoint"], false);
    assert_eq!(numbers(&data(&shared)["shared_banks"]), [3]);
}

#[test]
fn banks_of_a_color_have_their_places() {
    let directory = directory_with(&[]);
    let data = colors(
        &["--machine", "opteron-6128-interleaved", "--banks", "9"],
        directory.path(),
    );
    let places = data["places"].as_array().expect("a list");
    let of = |key: &str| -> Vec<u64> {
        places
            .iter()
            .map(|place| place[key].as_u64().expect("a number"))
            .collect()
    };
    assert_eq!(of("node"), [1; 4]);
    assert_eq!(of("bank"), [1; 4]);
    assert_eq!((of("channel"), of("rank")), (vec![0, 0, 1, 1], vec![0, 1, 0, 1]));
    assert_eq!(of("number"), numbers(&data["colors"][0]["banks"]));
}

#[test]
fn formats_convert_into_each_other() {
    let directory = directory_with(&[("sandy.txt", "14 18\n15 19\n16 20\n17 21\n")]);
    let to = |file: &str, format: &str| stdout(&["map", "show", file, "--to", format], directory.path());
    for format in ["palloc", "hex", "map.txt"] {
        let text = to("sandy.txt", format);
        fs::write(directory.path().join("converted"), &text).expect("is writable");
        assert_eq!(
            to("converted", "map.txt"),
            "14 18\n15 19\n16 20\n17 21\n",
            "by way of {format}"
        );
    }
    assert_eq!(
        to("sandy.txt", "palloc"),
        "0x3c000\nxor 14 18\nxor 15 19\nxor 16 20\nxor 17 21\n"
    );
    assert_eq!(to("sandy.txt", "hex"), "0x44000\n0x88000\n0x110000\n0x220000\n");
}

#[test]
fn the_functions_of_machines_are_written_least_significant_bank_bit_first() {
    let directory = directory_with(&[]);
    let show = |arguments: &[&str]| {
        let mut command = vec!["map", "show", "--machine"];
        command.extend(arguments);
        stdout(&command, directory.path())
    };
    // MAP-9: bank bits 13 to 15, rank 21 and 22, channel 6, which pages cannot choose.
    assert_eq!(show(&["i7-860", "--to", "map.txt"]), "13\n14\n15\n21\n22\n6\n");
    assert_eq!(show(&["i7-860", "--to", "palloc", "--usable"]), "0x60e000\n");
    assert_eq!(
        show(&["opteron-6128", "--node", "2", "--to", "map.txt"]),
        "15\n16\n18\n30\n31\n"
    );
}

#[test]
fn what_a_format_cannot_say_is_refused_with_the_reason() {
    let directory = directory_with(&[("hash.txt", I5_6200U)]);
    let refuse = |arguments: &[&str]| refused(&[&["map", "show"], arguments].concat(), directory.path());
    let told = refuse(&["hash.txt", "--to", "palloc"]);
    assert!(
        told.contains("function 4 (8^9^12^13^14^15) has no PALLOC form: a PALLOC function has one bit or two"),
        "{told}"
    );
    let told = refuse(&["--machine", "opteron-6128", "--to", "hex"]);
    assert!(told.contains("4 nodes are told apart by address range"), "{told}");
    let told = refuse(&[
        "--machine",
        "jetson-nano",
        "--to",
        "map.txt",
        "--usable",
        "--page",
        "2M",
    ]);
    assert!(told.contains("there is no function to write"), "{told}");
}

#[test]
fn addresses_are_decoded_and_encoded_back() {
    let directory = directory_with(&[]);
    let decode = |arguments: &[&str]| {
        let command = [&["map", "decode", "--machine", "opteron-6128", "--json"], arguments].concat();
        json(&command, directory.path())["data"]["places"].clone()
    };
    // Node 1 by range, channel bit 31, bank bits 15, 16, 18 (MAP-3), column bits 3 to 12, row bits 13 up.
    let place = &decode(&["0x180048008"])[0];
    let field = |name: &str| place[name].as_u64();
    assert_eq!(
        ["node", "channel", "rank", "bank", "row", "column"].map(field),
        [1, 1, 0, 5, 0, 1].map(Some)
    );
    assert_eq!(field("bank_number"), Some((2 + 1) * 16 + 5));
    assert_eq!(
        field("color"),
        field("bank_number"),
        "every bank has a color of its own"
    );
    let back = decode(&["--encode", "node=1,channel=1,bank=5,column=1"]);
    assert_eq!(back[0]["address"], 0x1_8004_8008_u64);
    let both = decode(&["0", "--encode", "row=7"]);
    assert_eq!(both.as_array().map(Vec::len), Some(2));
}

#[test]
fn addresses_come_from_standard_input_too() {
    let directory = directory_with(&[("map.txt", "14 18\n15 19\n")]);
    let command = ["map", "decode", "map.txt", "0x4000", "-", "--json"];
    let done = fresco_with(&command, directory.path(), b"# two\n0x40000\n\n 32768 # decimal\n");
    let found: Value = serde_json::from_slice(&done.stdout).expect("JSON");
    let places = found["data"]["places"].as_array().expect("a list");
    let banks: Vec<&Value> = places.iter().map(|place| &place["bank_number"]).collect();
    assert_eq!(banks, [1, 1, 2]);
    assert_eq!(places[0].get("row"), None, "rows are not known");
}

#[test]
fn one_bad_address_costs_the_good_ones_nothing() {
    let directory = directory_with(&[("map.txt", "14 18\n15 19\n")]);
    let input = b"\xef\xbb\xbf0x4000\n\xff\xfe\n0xffffffffffffffff\n 0x8000\n";
    for (words, addresses) in [
        (&["map.txt", "0x1000", "1f40", "0x2000"][..], &[0x1000, 0x2000][..]),
        (&["map.txt", "0x1000", "-", "x"], &[0x1000, 0x4000, 0x8000]),
        (&["--machine", "xeon-w3530", "0x100000000", "0x1000"], &[0x1000]),
        (
            &["--machine", "xeon-w3530", "--encode", "bank=9", "--encode", "bank=1"],
            &[0x1000],
        ),
    ] {
        let command = [&["map", "decode", "--json"], words].concat();
        let done = fresco_with(&command, directory.path(), input);
        let told = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(2), "{words:?}: {told}");
        let found: Value = serde_json::from_slice(&done.stdout).expect("JSON");
        let places = found["data"]["places"].as_array().expect("a list");
        let found: Vec<u64> = places.iter().filter_map(|place| place["address"].as_u64()).collect();
        assert_eq!(found, addresses, "{words:?}");
        let bad = if words.contains(&"-") { 3 } else { 1 };
        assert_eq!(told.matches("fresco: ").count(), bad, "{told}");
    }
    // A file of something else is told of once or twice, not a thousand times.
    let noise = "x\n".repeat(5000);
    let done = fresco_with(&["map", "decode", "map.txt", "-"], directory.path(), noise.as_bytes());
    let told = String::from_utf8_lossy(&done.stderr);
    assert!(
        told.ends_with("fresco: and 4990 more that are no addresses\n"),
        "{told}"
    );
    assert!(done.stdout.is_empty());
}

#[test]
fn an_offset_is_subtracted_first() {
    let directory = directory_with(&[("map.txt", "29\n")]);
    let bank = |offset: &str| {
        let command = ["map", "decode", "map.txt", "0x130000000", "--offset", offset, "--json"];
        json(&command, directory.path())["data"]["places"][0]["bank_number"].clone()
    };
    assert_eq!(bank("0"), 1);
    assert_eq!(bank("256 MiB"), 1);
    assert_eq!(bank("0x20000000"), 0);
}

#[test]
fn people_get_tables() {
    let directory = directory_with(&[("map.txt", I5_6200U)]);
    let text = stdout(&["map", "show", "map.txt"], directory.path());
    assert!(
        text.contains("bank      32  14^18, 15^19, 16^20, 17^21, 8^9^12^13^14^15"),
        "{text}"
    );
    let text = stdout(&["map", "colors", "map.txt", "--banks", "3"], directory.path());
    assert!(text.contains("17^21=0 16^20=0 15^19=1 14^18=1"), "{text}");
    let text = stdout(
        &["map", "decode", "--machine", "xeon-w3530", "0x3000"],
        directory.path(),
    );
    assert!(text.starts_with("Places by the map of xeon-w3530\naddress"), "{text}");
}

#[test]
fn a_mask_that_would_be_read_as_another_map_is_told_of() {
    let directory = directory_with(&[("one", "14 18 22\n"), ("bit", "14\n"), ("two", "14 18\n15 19\n")]);
    for (map, warned) in [("one", true), ("bit", false), ("two", false)] {
        let done = fresco(&["map", "convert", map, "--to", "hex"], directory.path());
        let told = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(0), "{told}");
        assert_eq!(told.contains("read it with --format hex"), warned, "{map}: {told}");
        fs::write(directory.path().join("hex"), &done.stdout).expect("is writable");
        let again = ["map", "convert", "hex", "--format", "hex", "--to", "map.txt"];
        let back = stdout(&again, directory.path());
        assert_eq!(back, fs::read_to_string(directory.path().join(map)).expect("there"));
    }
}

#[test]
fn domains_have_rows_of_their_own() {
    let directory = directory_with(&[]);
    let found = json(
        &[
            "map",
            "domains",
            "--machine",
            "i5-6200u",
            "--page",
            "2MiB",
            "--domain",
            "0,1",
            "--json",
        ],
        directory.path(),
    );
    assert_eq!(found["schema"], "fresco-map-domains/1");
    let data = &found["data"];
    // 256 KiB a row of all banks; a page of 2 MiB has eight of them, and one such page is the guard.
    assert_eq!(
        (&data["row_bytes"], &data["page_rows"]),
        (&(256 << 10).into(), &8.into())
    );
    assert_eq!(data["domains"][1]["guard_rows"], 8);
    assert_eq!(data["guard_bytes"], 127 * (2u64 << 20));
    let ranges = serde_json::json!([
        { "domain": 0, "first": "0x0", "last": "0x3ffffff", "bytes": 64 << 20 },
        { "domain": 1, "first": "0x4200000", "last": "0x7ffffff", "bytes": 62 << 20 },
    ]);
    assert_eq!(data["ranges"], ranges);
    let text = stdout(
        &["map", "domains", "--machine", "opteron-6128", "--list"],
        directory.path(),
    );
    for wanted in [
        "domains                 256",
        "guards",
        "not protected",
        "    64     1          0       255",
    ] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
}

#[test]
fn domains_that_cannot_be_are_refused() {
    let directory = directory_with(&[("map.txt", I5_6200U)]);
    for (arguments, wanted) in [
        (&["--machine", "xeon-5218"] as &[&str], "6 channels are no power of two"),
        (
            &["--machine", "xeon-w3530", "--size", "1KiB"],
            "128 KiB (one row of each bank)",
        ),
        (&["--machine", "xeon-w3530", "--mirrored"], "found it for ddr3-1333"),
        (
            &["--machine", "xeon-w3530", "--blocks", "3"],
            "a power of two up to 32768",
        ),
        (
            &["--machine", "xeon-w3530", "--size", "64MiB", "--blocks", "512"],
            "and 512 stay empty",
        ),
        (&["--machine", "xeon-w3530", "--domain", "64"], "`64` does not exist"),
    ] {
        let told = refused(&[&["map", "domains"], arguments].concat(), directory.path());
        assert!(told.contains(wanted), "{wanted}: {told}");
    }
}
