// SPDX-License-Identifier: MIT OR Apache-2.0
//! Traces of requests in every format, compressed or not; arrivals never go backwards.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    if let Ok(records) = fresco_load::trace::fuzz::requests(data) {
        assert!(records.windows(2).all(|pair| pair[0].arrival <= pair[1].arrival));
    }
});
