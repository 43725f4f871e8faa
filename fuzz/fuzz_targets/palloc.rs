// SPDX-License-Identifier: MIT OR Apache-2.0
//! PALLOC's masks and `xor` lines.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fresco_dram::fuzz::fuzz_palloc(data));
