// SPDX-License-Identifier: MIT OR Apache-2.0
//! The scenarios and task sets that come with the program.

use crate::{Scenario, Source};
use fresco_input::{Document, InputError, closest, is_standard_input};
use std::path::Path;

macro_rules! built_in {
    ($what:ident, $directory:literal, $doc:literal, $($name:literal),* $(,)?) => {
        #[doc = $doc]
        const $what: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../../../", $directory, "/", $name, ".toml")))),*];
    };
}

built_in![
    SCENARIOS,
    "scenarios",
    "Name and text of each built-in scenario.",
    "first",
    "memguard-isolation",
    "memguard-reclaim",
    "memguard-sharing",
    "memguard-weights",
    "memguard-four",
    "memguard-controllers",
    "palloc-fig4",
    "palloc-fig5",
    "palloc-fig5-xeon",
    "palloc-tab1",
    "palloc-tab2",
    "palloc-tab3",
    "palloc-kernels",
    "palloc-spec",
    "camc-tab2.1",
    "camc-tab2.2",
    "camc-fig2.4",
    "camc-fig2.5",
    "camc-fig2.6",
    "camc-fig2.7",
    "camc-fig2.8",
    "camc-interleave",
    "tint-fig3.10",
    "tint-fig3.11",
    "tint-placements",
    "tint-serial",
    "bpm-banks",
    "bpm-mixes",
    "bpm-eight",
    "bpm-short",
    "bpm-balance",
    "bpm-team",
    "bpm-speed",
    "advise-four",
    "spec-four",
    "recorded",
    "together-realtime",
];

built_in![
    TASK_SETS,
    "tasks",
    "Name and text of each built-in task set.",
    "table-4.4",
    "table-5.2",
    "crs-published",
    "batch",
    "copies-budgets",
    "servers-faults",
    "slices-budgets",
    "threads-aligned",
];

/// All of them: whatever takes a scenario takes a task set.
fn all() -> impl Iterator<Item = &'static (&'static str, &'static str)> {
    SCENARIOS.iter().chain(TASK_SETS)
}

/// The names of the built-in scenarios.
pub fn builtin_names() -> impl Iterator<Item = &'static str> {
    SCENARIOS.iter().map(|(name, _)| *name)
}

/// Name and title of each built-in scenario.
pub fn builtin_titles() -> impl Iterator<Item = (&'static str, String)> {
    SCENARIOS.iter().map(|(name, text)| (*name, title(name, text)))
}

/// Name and title of each built-in task set.
pub fn builtin_task_sets() -> impl Iterator<Item = (&'static str, String)> {
    TASK_SETS.iter().map(|(name, text)| (*name, title(name, text)))
}

fn title(name: &str, text: &str) -> String {
    let document = Document::parse(name, text);
    let title = document.and_then(|document| Ok(document.root().opt_text("title")?.map(str::to_owned)));
    title.ok().flatten().unwrap_or_default()
}

/// The file of a built-in scenario or task set, as text.
///
/// # Errors
/// No scenario has this name; the error lists the known ones.
pub fn builtin_text(name: &str) -> Result<&'static str, InputError> {
    let found = all().find(|(known, _)| *known == name);
    found.map(|(_, text)| *text).ok_or_else(|| {
        let names = || all().map(|(name, _)| *name);
        let help = match closest(name, names()) {
            Some(near) => format!("did you mean {near:?}?"),
            None => {
                "choose one of these, or give the path of a scenario file (with a \"/\" or ending in .toml)".to_owned()
            }
        };
        let error = InputError::new(
            format!("scenario {name}"),
            "found no built-in scenario or task set of this name",
        );
        error.allowed(names().collect::<Vec<_>>().join(", ")).help(help)
    })
}

/// The text of a built-in scenario or task set, with what is needed to read it.
///
/// # Errors
/// No scenario has this name.
pub fn builtin_source(name: &str) -> Result<Source, InputError> {
    let file = format!("built-in scenario {name}");
    Source::of_text(&file, builtin_text(name)?.to_owned(), Path::new(""))
}

/// A built-in scenario; `overrides` are `key=value`, as [`Scenario::parse`] takes them.
///
/// # Errors
/// No scenario has this name; an override that does not fit.
pub fn builtin(name: &str, overrides: &[String]) -> Result<Scenario, InputError> {
    Scenario::of(&builtin_source(name)?, overrides)
}

/// Returns true if this is the path of a scenario file, not the name of a built-in one. What is in the working
/// directory is one too, unless something built in has its name.
pub fn is_path(name_or_path: &str) -> bool {
    name_or_path.contains('/')
        || name_or_path.ends_with(".toml")
        || name_or_path.ends_with(".json")
        || is_standard_input(name_or_path)
        || (Path::new(name_or_path).exists() && builtin_text(name_or_path).is_err())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TaskSet;

    #[test]
    fn every_built_in_scenario_bears_its_name() {
        for (name, _) in SCENARIOS {
            // The recorded streams do not come with the program.
            if !matches!(*name, "spec-four" | "recorded") {
                assert_eq!(builtin(name, &[]).expect(name).name, *name);
            }
        }
    }

    #[test]
    fn every_built_in_task_set_bears_its_name() {
        for (name, text) in TASK_SETS {
            let set = TaskSet::parse(name, text, Path::new(""), &[]).expect(name);
            assert_eq!(set.name, *name);
        }
    }

    #[test]
    fn all_files_are_built_in_each_once() {
        for (directory, known) in [("scenarios", SCENARIOS), ("tasks", TASK_SETS)] {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(directory);
            let files = std::fs::read_dir(path).expect("is there").flatten();
            let files =
                files.filter_map(|file| Some(file.path().file_name()?.to_str()?.strip_suffix(".toml")?.to_owned()));
            let mut files: Vec<String> = files.collect();
            let mut names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
            files.sort();
            names.sort();
            assert_eq!(files, names);
        }
        let names: std::collections::BTreeSet<&str> = all().map(|(name, _)| *name).collect();
        assert_eq!(names.len(), SCENARIOS.len() + TASK_SETS.len());
    }

    #[test]
    fn titles_are_there() {
        assert!(
            builtin_titles()
                .chain(builtin_task_sets())
                .all(|(_, title)| title.len() > 10)
        );
    }

    #[test]
    fn a_wrong_name_gets_its_neighbour() {
        let error = builtin("palloc-fig3", &[]).map(|_| ()).unwrap_err();
        assert!(
            error.help.contains("palloc-fig4") || error.help.contains("palloc-fig5"),
            "{error}"
        );
    }
}
