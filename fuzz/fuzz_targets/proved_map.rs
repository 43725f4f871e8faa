// SPDX-License-Identifier: MIT OR Apache-2.0
//! The file of a map that was proved.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fresco_linux::probe::fuzz::fuzz_proved_map(data));
