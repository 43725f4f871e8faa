// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lists of colors such as `0-3,8`; the first byte is how many colors there are.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fresco_dram::fuzz::fuzz_color_list(data));
