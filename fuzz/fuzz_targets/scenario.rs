// SPDX-License-Identifier: MIT OR Apache-2.0
//! Scenario files: an accepted one has a run for each repetition of each point.
#![no_main]

use fresco_system::Scenario;
use std::sync::LazyLock;
use tempfile::TempDir;

/// What relative paths are relative to: nothing is there.
static EMPTY: LazyLock<TempDir> = LazyLock::new(|| tempfile::tempdir().expect("a directory"));

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Ok(scenario) = Scenario::parse("fuzz.toml", text, EMPTY.path(), &[]) {
        let runs = scenario.runs();
        assert!(!runs.is_empty() && runs.len() % scenario.repetitions as usize == 0);
    }
});
