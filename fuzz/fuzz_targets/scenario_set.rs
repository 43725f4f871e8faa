// SPDX-License-Identifier: MIT OR Apache-2.0
//! Overrides of a scenario, one `key=value` per line, as `--set` takes them.
#![no_main]

use fresco_system::Scenario;
use std::sync::LazyLock;
use tempfile::TempDir;

const SCENARIO: &str = include_str!("../seeds/scenario/small.toml");

/// What relative paths are relative to: nothing is there.
static EMPTY: LazyLock<TempDir> = LazyLock::new(|| tempfile::tempdir().expect("a directory"));

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let overrides: Vec<String> = text.lines().map(str::to_owned).collect();
    let _ = Scenario::parse("fuzz.toml", SCENARIO, EMPTY.path(), &overrides);
});
