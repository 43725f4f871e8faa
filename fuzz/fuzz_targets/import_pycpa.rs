// SPDX-License-Identifier: MIT OR Apache-2.0
//! Event models of pyCPA, JSON or CSV: what is read makes tasks, and a scenario that a planner reads alike or finds too much for its machine.
#![no_main]

use fresco_exchange::{ImportOptions, Importer, Times, Unit, import};
use fresco_scenario::TaskSet;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let options = ImportOptions { unit: Some(Unit::Us) };
    let Ok(imported) = import(Importer::Pycpa, "fuzz", text, &options) else {
        return;
    };
    assert!(!imported.tasks.is_empty());
    for task in &imported.tasks {
        let Times { period_ns, wcet_ns, deadline_ns, .. } = task.times;
        assert!(0 < wcet_ns && wcet_ns <= deadline_ns && deadline_ns <= period_ns);
    }
    let scenario = imported.to_scenario(Some("zcu102"));
    if let Ok(set) = TaskSet::parse("fuzz.toml", &scenario, "".as_ref(), &[]) {
        let planned: Vec<_> = set.tasks.iter().map(|task| task.timing.as_ref().map(Times::of)).collect();
        assert!(planned.into_iter().eq(imported.tasks.iter().map(|task| Some(task.times))));
    }
});
