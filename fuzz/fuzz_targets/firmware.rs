// SPDX-License-Identifier: MIT OR Apache-2.0
//! What firmware tells of memory modules, and a device tree of memory.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fresco_linux::probe::fuzz::fuzz_firmware(data));
