// SPDX-License-Identifier: MIT OR Apache-2.0
//! Patterns such as `[00XX]`; the first byte is over how many address bits.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fresco_dram::fuzz::fuzz_bit_pattern(data));
