// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finding a scenario by name or by path.

use fresco_input::{InputError, file_name, is_standard_input, read_file};
use fresco_report::InputFile;
use fresco_scenario::{Source, builtin, builtin_text};
use fresco_system::Scenario;

/// A scenario by the name of a built-in one, or by the path of a file (of a plan: its tasks), with what a report says about the
/// file. A path has a `/` or ends in `.toml` or `.json`; `-` is standard input. `overrides` are `key=value`, as [`Scenario::load`] takes them.
///
/// # Errors
/// No such scenario or file; anything that [`Scenario::parse`] finds.
pub fn load(name_or_path: &str, overrides: &[String]) -> Result<(Scenario, InputFile), InputError> {
    let (text, scenario) = if is_path(name_or_path) {
        let (text, source) = (read_file(name_or_path)?, Source::read(name_or_path)?);
        let scenario = Scenario::parse(&source.file, &source.text, &source.directory, overrides)?;
        (text, scenario)
    } else {
        let text = builtin_text(name_or_path)?.to_owned();
        (text, builtin(name_or_path, overrides)?)
    };
    let file = InputFile::new(file_name(name_or_path), crate::provenance::digest(&text));
    Ok((scenario, file))
}

/// Returns true if this is the path of a scenario file, not the name of a built-in one.
pub fn is_path(name_or_path: &str) -> bool {
    name_or_path.contains('/')
        || name_or_path.ends_with(".toml")
        || name_or_path.ends_with(".json")
        || is_standard_input(name_or_path)
}
