// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sections of Fresco's own trace format, version 2.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let _ = fresco_load::trace::fuzz::recorded(data);
});
