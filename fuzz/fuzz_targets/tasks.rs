// SPDX-License-Identifier: MIT OR Apache-2.0
//! Files of tasks: an accepted one has a plan, which is sound, or a reason why there is none.
#![no_main]

use fresco_plan::check::Objection;
use fresco_plan::{Method, TaskSet, check, plan};
use std::sync::LazyLock;
use tempfile::TempDir;

/// What relative paths are relative to: nothing is there.
static EMPTY: LazyLock<TempDir> = LazyLock::new(|| tempfile::tempdir().expect("a directory"));
/// Larger sets are read and not planned: the fuzzer is after parsers and sums, not after searches.
const MOST_TASKS: usize = 6;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(mut set) = TaskSet::parse("fuzz.toml", text, EMPTY.path(), &[]) else {
        return;
    };
    assert!(!set.tasks.is_empty() && set.options.periods.0 <= set.options.periods.1);
    if set.tasks.len() > MOST_TASKS {
        return;
    }
    set.options.method = Some(Method::Aligned);
    set.options.attempts = set.options.attempts.min(4);
    match plan(&set) {
        // One that is too long to be verified is not refuted.
        Ok(plan) => match check(&plan, &set.machine) {
            Ok(_) | Err(Objection::Unverifiable(_)) => {}
            Err(objection) => panic!("a plan that is found is sound: {objection}"),
        },
        Err(refusal) => assert!(!refusal.reason.is_empty()),
    }
});
