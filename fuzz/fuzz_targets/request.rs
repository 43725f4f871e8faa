// SPDX-License-Identifier: MIT OR Apache-2.0
//! What another process has in its environment and its mappings.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fresco_linux::fuzz::fuzz_request(data));
