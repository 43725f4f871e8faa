// SPDX-License-Identifier: MIT OR Apache-2.0
//! `map.txt`: what is read is written and read again alike, and has colors that cover its banks.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fresco_dram::fuzz::fuzz_map_txt(data));
