// SPDX-License-Identifier: MIT OR Apache-2.0
//! Traces of any format, compressed or not, written in each format.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let _ = fresco_load::trace::fuzz::converted(data);
});
