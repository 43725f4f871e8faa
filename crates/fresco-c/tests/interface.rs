// SPDX-License-Identifier: MIT OR Apache-2.0
//! The border itself: layouts, constants, exported symbols, and what each function says of what is wrong.

use crate::built::{C, CPP, crate_dir, program, run, shared_library, succeeded};
use fresco_c::*;
use std::fmt::Write;
use std::mem::offset_of;
use std::process::Command;

macro_rules! layout {
    ($text:ident, $type:ident: $($field:ident)*) => {
        writeln!($text, "{} {}", stringify!($type), size_of::<$type>()).expect("a string");
        $(writeln!($text, "{}.{} {}", stringify!($type), stringify!($field), offset_of!($type, $field)).expect("a string");)*
    };
}

macro_rules! values {
    ($text:ident: $($name:ident)*) => {
        $(writeln!($text, "{} {}", stringify!($name), $name as i64).expect("a string");)*
    };
}

#[test]
fn both_languages_have_the_same_layouts_and_constants() {
    let mut expected = String::new();
    layout!(expected, fresco_options: outstanding flags settings settings_count);
    layout!(expected, fresco_info: capacity line_bytes cycle_ps regions nodes channels ranks bank_groups banks bus_bits line_transfers read_places write_places);
    layout!(expected, fresco_done: tag address arrived at wait_queue wait_bank wait_bus wait_refresh service is_write outcome);
    layout!(expected, fresco_request: cycle address is_write);
    layout!(expected, fresco_stats: reads data_cycles rank_active_cycles act rd ref_ab rfm_sb);
    layout!(expected, fresco_verdict: end commands violations late_rows short_banks clean long_pauses refresh_judged);
    values!(expected: FRESCO_OK FRESCO_FULL FRESCO_NONE FRESCO_ERROR_ARGUMENT FRESCO_ERROR_MACHINE FRESCO_ERROR_ADDRESS FRESCO_ERROR_CYCLE
        FRESCO_ERROR_STATE FRESCO_ERROR_INTERNAL FRESCO_NEVER FRESCO_LAST_CYCLE FRESCO_LONGEST_GAP FRESCO_ALL_CHANNELS FRESCO_CHECK);
    // No padding: all that is copied has been written.
    assert_eq!(
        offset_of!(fresco_options, settings_count) + 8,
        size_of::<fresco_options>()
    );
    assert_eq!(offset_of!(fresco_info, write_places) + 4, size_of::<fresco_info>());
    assert_eq!(offset_of!(fresco_done, outcome) + 4, size_of::<fresco_done>());
    assert_eq!(offset_of!(fresco_stats, rfm_sb) + 8, size_of::<fresco_stats>());
    assert_eq!(
        offset_of!(fresco_verdict, refresh_judged) + 8,
        size_of::<fresco_verdict>()
    );
    for compiler in [&C, &CPP] {
        let mut compiler = compiler.to_vec();
        if compiler[0] == "c++" {
            compiler.extend(["-x", "c++"]);
        }
        let Some(program) = program(&compiler, "tests/programs/layout.c", &[]) else {
            return;
        };
        assert_eq!(run(&program, &[], ""), expected);
    }
}

/// Names and versions that are committed, one a line.
fn symbols() -> Vec<String> {
    let text = std::fs::read_to_string(crate_dir().join("symbols")).expect("it is there");
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .map(str::to_owned)
        .collect()
}

#[test]
fn what_is_exported_is_what_is_declared_and_committed() {
    let header = std::fs::read_to_string(crate_dir().join("include/fresco.h")).expect("it is there");
    let mut declared: Vec<String> = header
        .match_indices('(')
        .filter_map(|(at, _)| {
            let line = header[..at].rsplit('\n').next()?;
            let is_declaration = !line.starts_with([' ', '/', '#', '\t']) && !line.starts_with("typedef");
            let name = line.rsplit([' ', '*']).next()?;
            (is_declaration && name.starts_with("fresco_")).then(|| format!("{name} FRESCO_0.1"))
        })
        .collect();
    declared.sort();
    assert_eq!(declared, symbols());
    let Some(library) = shared_library() else { return };
    let done = Command::new("nm")
        .args(["--dynamic", "--defined-only", "--with-symbol-versions"])
        .arg(library.join("libfresco.so"))
        .output();
    let listed = succeeded("nm", done.expect("it comes with the compiler"));
    let exported: Vec<String> = listed
        .lines()
        .filter_map(|line| line.split(' ').nth(2))
        // The version itself is a symbol, too.
        .filter(|name| name.contains("@@"))
        .map(|name| name.replace("@@", " "))
        .collect();
    assert_eq!(exported, symbols());
    assert_eq!(listed.lines().count(), exported.len() + 1, "{listed}");
    let done = Command::new("readelf")
        .arg("-d")
        .arg(library.join("libfresco.so"))
        .output();
    let dynamic = succeeded("readelf", done.expect("it comes with the compiler"));
    assert!(dynamic.contains("Library soname: [libfresco.so.0]"), "{dynamic}");
}

#[test]
fn versions_agree() {
    let header = std::fs::read_to_string(crate_dir().join("include/fresco.h")).expect("it is there");
    let number = |part: &str| {
        let name = format!("#define FRESCO_VERSION_{part} ");
        header
            .lines()
            .find_map(|line| line.strip_prefix(&name))
            .expect("it is defined")
    };
    let version = [number("MAJOR"), number("MINOR"), number("PATCH")].join(".");
    assert_eq!(version, env!("CARGO_PKG_VERSION"));
}

const WRONG: &str = "cores = 4\nname = \"no machine\"\n";

#[test]
fn what_is_wrong_is_said_and_nothing_breaks() {
    let Some(program) = program(&C, "tests/programs/wrong.c", &[]) else {
        return;
    };
    let file = program.with_extension("toml");
    std::fs::write(&file, WRONG).expect("it is written");
    let said = run(&program, &[&file.display().to_string()], "");
    let said = said.replace(&file.display().to_string(), "FILE");
    let golden = crate_dir().join("tests/wrong.txt");
    if std::env::var_os("FRESCO_BLESS").is_some() {
        std::fs::write(&golden, &said).expect("it is written");
    }
    assert_eq!(said, std::fs::read_to_string(&golden).expect("it is there"));
}
