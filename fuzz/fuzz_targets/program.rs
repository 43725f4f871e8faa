// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parameters of programs: the first line names the program, the others are its table in TOML. An accepted program
//! begins to run.
#![no_main]

use fresco_load::{Batch, Setting, build};

/// Programs with more data, in bytes, are built but not run: the fuzzer is after parsers.
const LARGEST: u64 = 16 << 20;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (name, parameters) = text.split_once('\n').unwrap_or((text, ""));
    let setting = Setting {
        seed: 1,
        ..Setting::default()
    };
    // A program that replays a trace would open any file that the fuzzer names.
    if name == "trace" {
        return;
    }
    if let Ok(mut program) = build(name, parameters, &setting) {
        let bytes: u64 = program.footprint().iter().map(|area| area.bytes).sum();
        if bytes <= LARGEST {
            program.next(&mut Batch::new()).expect("reads no file");
            program.verify().expect("computes what it should");
        }
    }
});
