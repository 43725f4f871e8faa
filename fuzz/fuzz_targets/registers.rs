// SPDX-License-Identifier: MIT OR Apache-2.0
//! A dump of PCI configuration space.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fresco_detect::registers::fuzz_dump(data));
