// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is inside the compressed frame of Fresco's own trace format.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let _ = fresco_load::trace::fuzz::content(data);
});
