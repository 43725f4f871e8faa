// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lines of a trace of DRAM commands, as the timing checker reads them: a record is written as it is read.
#![no_main]

use fresco_memory::checker::parse_line;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    for (number, line) in (1..).zip(text.lines()) {
        if let Ok(Some(record)) = parse_line("fuzz", number, line) {
            assert_eq!(parse_line("fuzz", number, &record.to_string()), Ok(Some(record)));
        }
    }
});
