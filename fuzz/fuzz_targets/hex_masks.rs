// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lists of hexadecimal masks, as `map_txt`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fresco_dram::fuzz::fuzz_hex_masks(data));
