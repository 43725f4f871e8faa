// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finding a scenario or a task set by name or by path.

use crate::provenance::digest;
pub use fresco_scenario::is_path;

use fresco_input::{InputError, file_name, read_file};
use fresco_report::InputFile;
use fresco_scenario::{Source, builtin_source};
use fresco_system::Scenario;
use std::path::Path;

/// A scenario by the name of a built-in one, or by the path of a file (of a plan: its tasks), with what a report says about the
/// file. A path has a `/` or ends in `.toml` or `.json`; `-` is standard input. `overrides` are `key=value`, as [`Scenario::load`] takes them.
///
/// # Errors
/// No such scenario or file; anything that [`Scenario::parse`] finds.
pub fn load(name_or_path: &str, overrides: &[String]) -> Result<(Scenario, InputFile), InputError> {
    let (source, file) = source(name_or_path)?;
    Ok((Scenario::of(&source, overrides)?, file))
}

/// The text of a scenario, a task set or a plan by name or path, and the name that errors give it.
///
/// # Errors
/// No such scenario or file.
pub fn text(name_or_path: &Path) -> Result<(String, String), InputError> {
    match built_in(name_or_path) {
        Some(name) => builtin_source(name).map(|source| (source.file, source.text)),
        None => Ok((file_name(name_or_path), read_file(name_or_path)?)),
    }
}

/// The name of something built in, if it is no path.
pub fn built_in(name_or_path: &Path) -> Option<&str> {
    name_or_path.to_str().filter(|word| !is_path(word))
}

/// The text of a scenario by name or path as [`load`] takes it, with what a report says about the file.
///
/// # Errors
/// No such scenario or file; JSON that is no plan.
pub fn source(name_or_path: &str) -> Result<(Source, InputFile), InputError> {
    let path = Path::new(name_or_path);
    let (file, text) = text(path)?;
    let digest = digest(&text);
    let source = Source::of_text(&file, text, path.parent().unwrap_or(Path::new("")))?;
    Ok((source, InputFile::new(file_name(path), digest)))
}

/// Names and titles, a line each.
pub fn list(titles: Vec<(&str, String)>) -> String {
    let width = titles.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let line = |(name, title): &(&str, String)| format!("{name:<width$}  {title}\n");
    titles.iter().map(line).collect()
}

/// The scenario that programs on a command line stand for (`--on`).
///
/// # Errors
/// None in practice: what is wrong with its text is told when it is read.
pub fn of_comparison(text: String) -> Result<(Source, InputFile), InputError> {
    const NAME: &str = "the scenario of --on";
    let file = InputFile::new(NAME, digest(&text));
    Ok((Source::of_text(NAME, text, Path::new(""))?, file))
}
