// SPDX-License-Identifier: MIT OR Apache-2.0
//! Overrides of a machine file, one `key=value` per line, as `--set` takes them.
#![no_main]

use fresco_input::Document;
use fresco_machine::{Machine, builtin_text};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let machine = builtin_text("opteron-6128").expect("is built in");
    let mut document = Document::parse("fuzz", machine).expect("is TOML");
    let mut overrides = Vec::new();
    for line in text.lines() {
        let _ = document.set(line);
        if let Some((key, value)) = line.split_once('=') {
            overrides.push((key.to_owned(), value.to_owned()));
        }
    }
    let _ = Machine::parse("fuzz", machine, &overrides);
});
