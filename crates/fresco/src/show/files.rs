// SPDX-License-Identifier: MIT OR Apache-2.0
//! A report as a directory: the page, the results, each figure. A report that is there stays whole until the new one is.

use super::figures::Figure;
use crate::failure::Failure;
use fresco_input::InputError;
use fresco_report::HtmlReport;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The page.
pub const PAGE: &str = "index.html";
/// The results.
pub const RESULTS: &str = "results.json";
/// Where files lie until all are written.
const PARTIAL: &str = ".partial";
/// How every figure of ours begins its description; see [`fresco_report::Provenance::sentence`].
const OURS: &str = "[tool: fresco";

/// Makes sure that a report can be written to `directory`, before anything long is run for it.
///
/// # Errors
/// It cannot be created or written to.
pub fn prepare(directory: &Path) -> Result<(), InputError> {
    let partial = directory.join(PARTIAL);
    let made = clear(&partial).and_then(|()| fs::create_dir_all(&partial));
    let made = made.and_then(|()| fs::write(partial.join(PAGE), b""));
    made.and_then(|()| clear(&partial))
        .map_err(|error| unwritable(directory, &error))
}

/// Writes the report into `directory`, the page last. Figures of an earlier report that this one does not have are
/// removed; files that are not ours are left alone.
///
/// # Errors
/// A file cannot be written; nothing has been changed then, unless the disk fails between one file and the next.
pub fn write(directory: &Path, page: &HtmlReport, results: &[u8], figures: &[Figure]) -> Result<(), Failure> {
    let html = page.to_html();
    let mut files: Vec<(String, &[u8])> = Vec::new();
    for figure in figures {
        files.push((format!("{}.svg", figure.name), figure.svg.as_str().as_bytes()));
    }
    files.push((RESULTS.to_owned(), results));
    files.push((PAGE.to_owned(), html.as_bytes()));
    replace(directory, &files).map_err(|error| Failure::Input(unwritable(directory, &error)))
}

fn replace(directory: &Path, files: &[(String, &[u8])]) -> io::Result<()> {
    let partial = directory.join(PARTIAL);
    clear(&partial)?;
    fs::create_dir_all(&partial)?;
    for (name, bytes) in files {
        fs::write(partial.join(name), bytes)?;
    }
    for old in old_figures(directory)? {
        if !files.iter().any(|(name, _)| old.ends_with(name)) {
            fs::remove_file(old)?;
        }
    }
    for (name, _) in files {
        fs::rename(partial.join(name), directory.join(name))?;
    }
    clear(&partial)
}

/// Figures of an earlier report.
fn old_figures(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        let is_figure = path.is_file() && path.extension().is_some_and(|extension| extension == "svg");
        if is_figure && fs::read_to_string(&path).is_ok_and(|text| text.contains(OURS)) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn clear(partial: &Path) -> io::Result<()> {
    match fs::remove_dir_all(partial) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn unwritable(directory: &Path, error: &io::Error) -> InputError {
    InputError::new(
        directory.display().to_string(),
        format!("no report can be written there: {error}"),
    )
    .in_field("--out")
    .allowed("a directory that can be created or written to")
    .cure("name another directory")
}
