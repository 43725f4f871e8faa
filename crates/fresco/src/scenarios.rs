// SPDX-License-Identifier: MIT OR Apache-2.0
//! The scenarios that come with the program, and finding a scenario by name or by path.

use fresco_input::{InputError, closest, file_name, is_standard_input, read_file};
use fresco_report::InputFile;
use fresco_scenario::Source;
use fresco_system::Scenario;
use std::path::Path;

macro_rules! scenarios {
    ($($name:literal),* $(,)?) => {
        /// Name and text of each built-in scenario.
        const SCENARIOS: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../../../scenarios/", $name, ".toml")))),*];
    };
}

scenarios![
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
    "palloc-tab2",
    "palloc-tab3",
    "palloc-spec",
    "camc-tab2.1",
    "camc-tab2.2",
    "camc-fig2.4",
    "camc-fig2.5",
    "camc-fig2.6",
    "camc-fig2.7",
    "camc-fig2.8",
    "tint-fig3.10",
    "tint-fig3.11",
    "tint-placements",
    "tint-serial",
    "bpm-banks",
    "bpm-mixes",
    "bpm-short",
    "bpm-balance",
    "bpm-team",
    "bpm-speed",
    "advise-four",
    "spec-four",
];

/// The names of the built-in scenarios.
pub fn names() -> impl Iterator<Item = &'static str> {
    SCENARIOS.iter().map(|(name, _)| *name)
}

/// Name and title of each built-in scenario.
pub fn titles() -> impl Iterator<Item = (&'static str, String)> {
    SCENARIOS.iter().map(|(name, text)| (*name, title(name, text)))
}

fn title(name: &str, text: &str) -> String {
    let document = fresco_input::Document::parse(name, text);
    let title = document.and_then(|document| Ok(document.root().opt_text("title")?.map(str::to_owned)));
    title.ok().flatten().unwrap_or_default()
}

/// A scenario by the name of a built-in one, or by the path of a file (of a plan: its tasks), with what a report says about the
/// file. A path has a `/` or ends in `.toml` or `.json`; `-` is standard input. `overrides` are `key=value`, as [`Scenario::load`] takes them.
///
/// # Errors
/// No such scenario or file; anything that [`Scenario::parse`] finds.
pub fn load(name_or_path: &str, overrides: &[String]) -> Result<(Scenario, InputFile), InputError> {
    let (source, file) = source(name_or_path)?;
    let scenario = Scenario::parse(&source.file, &source.text, &source.directory, overrides)?;
    Ok((scenario, file))
}

/// The text of a scenario by name or path as [`load`] takes it, with what a report says about the file.
///
/// # Errors
/// No such scenario or file; JSON that is no plan.
pub fn source(name_or_path: &str) -> Result<(Source, InputFile), InputError> {
    let (file, text, directory) = match is_path(name_or_path) {
        true => {
            let directory = Path::new(name_or_path).parent().unwrap_or(Path::new(""));
            (file_name(name_or_path), read_file(name_or_path)?, directory)
        }
        false => {
            let text = builtin_text(name_or_path)?.to_owned();
            (format!("built-in scenario {name_or_path}"), text, Path::new(""))
        }
    };
    let input = InputFile::new(file_name(name_or_path), crate::provenance::digest(&text));
    Ok((Source::of_text(&file, text, directory)?, input))
}

/// Is this the path of a scenario file, not the name of a built-in one?
pub fn is_path(name_or_path: &str) -> bool {
    name_or_path.contains('/')
        || name_or_path.ends_with(".toml")
        || name_or_path.ends_with(".json")
        || is_standard_input(name_or_path)
}

/// The file of a built-in scenario.
///
/// # Errors
/// No scenario has this name; the error lists the known ones.
pub fn builtin_text(name: &str) -> Result<&'static str, InputError> {
    let found = SCENARIOS.iter().find(|(known, _)| *known == name);
    found.map(|(_, text)| *text).ok_or_else(|| {
        let help = match closest(name, names()) {
            Some(near) => format!("did you mean {near:?}?"),
            None => {
                "choose one of these, or give the path of a scenario file (with a \"/\" or ending in .toml)".to_owned()
            }
        };
        let error = InputError::new(format!("scenario {name}"), "found no built-in scenario of this name");
        error.allowed(names().collect::<Vec<_>>().join(", ")).help(help)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_scenario_bears_its_name() {
        for (name, _) in SCENARIOS {
            // The recorded streams do not come with the program.
            if *name != "spec-four" {
                assert_eq!(load(name, &[]).expect(name).0.name, *name);
            }
        }
    }

    #[test]
    fn titles_are_there() {
        assert!(titles().all(|(_, title)| title.len() > 10));
    }

    #[test]
    fn a_wrong_name_gets_its_neighbour() {
        let error = load("palloc-fig3", &[]).map(|_| ()).unwrap_err();
        assert!(
            error.help.contains("palloc-fig4") || error.help.contains("palloc-fig5"),
            "{error}"
        );
    }
}
