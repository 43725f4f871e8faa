// SPDX-License-Identifier: MIT OR Apache-2.0
//! Colors of `--colors`, such as `banks=0-3,llc=1`; the first two bytes are how many there are, less one.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fresco_linux::fuzz::fuzz_asked_colors(data));
