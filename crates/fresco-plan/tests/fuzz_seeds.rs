// SPDX-License-Identifier: MIT OR Apache-2.0
//! Plans that the fuzzer begins with are sound: of one that the checker refuses at its first question nothing further is tried.
//! `FRESCO_BLESS=1` plans their tasks anew.

use fresco_plan::{Plan, TaskSet, check, plan};
use fresco_scenario::Source;
use std::path::{Path, PathBuf};

fn seeds() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds/plan");
    let files = std::fs::read_dir(&directory).expect("there are seeds");
    let mut all: Vec<PathBuf> = files.map(|file| file.expect("readable").path()).collect();
    all.sort_unstable();
    all
}

/// The tasks of a plan planned anew, as a seed has it: on one line, without provenance.
fn anew(name: &str, text: String) -> String {
    let source = Source::of_text(name, text, Path::new("")).unwrap_or_else(|error| panic!("{error}"));
    let set = TaskSet::of(&source, &[]).unwrap_or_else(|error| panic!("{error}"));
    let found = plan(&set).unwrap_or_else(|refusal| panic!("{name}: {refusal}"));
    let data = serde_json::to_string(&found).expect("is data");
    format!("{{\"schema\":\"{}\",\"data\":{data}}}", fresco_plan::plan::SCHEMA)
}

#[test]
fn seeds_of_plans_are_sound() {
    let all = seeds();
    assert!(all.len() >= 11, "{} seeds", all.len());
    let mut kinds = std::collections::BTreeSet::new();
    for path in all {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let mut text = std::fs::read_to_string(&path).expect("readable");
        if std::env::var_os("FRESCO_BLESS").is_some() {
            text = anew(&name, text);
            std::fs::write(&path, &text).expect("writable");
        }
        let found = Plan::parse(&name, &text).unwrap_or_else(|error| panic!("{error}"));
        let machine = fresco_machine::load_with(&found.machine.given, &found.machine.changes);
        let machine = machine.unwrap_or_else(|error| panic!("{error}"));
        if let Err(objection) = check(&found, &machine) {
            panic!("{name}: {objection}; FRESCO_BLESS=1 plans the seeds anew");
        }
        let copies = found.tasks.iter().any(|task| task.instances.len() > 1);
        kinds.insert((
            found.method.name(),
            format!("{:?}", found.policy),
            copies,
            found.high.is_some(),
            !found.migration.is_none(),
        ));
    }
    // Each method that proves deadlines, and what is checked apart: copies, two modes, jobs on any core.
    let methods: std::collections::BTreeSet<_> = kinds.iter().map(|kind| kind.0).collect();
    assert!(methods.len() >= 7, "{kinds:?}");
    assert!(
        kinds.iter().any(|kind| kind.0 == "crs" && kind.2)
            && kinds.iter().any(|kind| kind.3)
            && kinds.iter().any(|kind| kind.4),
        "{kinds:?}"
    );
}
