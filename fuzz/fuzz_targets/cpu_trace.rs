// SPDX-License-Identifier: MIT OR Apache-2.0
//! Traces of programs, compressed or not.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let _ = fresco_load::trace::fuzz::processor(data);
});
