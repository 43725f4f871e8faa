// SPDX-License-Identifier: MIT OR Apache-2.0
//! Files that are written together to a directory: a report with its page, results and figures, or tables. Those that are
//! there stay whole until the new ones are.

mod exchange;
mod owner;

use crate::failure::Failure;
use exchange::Staging;
use fresco_input::{InputError, refuse_overwriting};
use fresco_report::HtmlReport;
use fresco_show::figures::Figure;
use fresco_show::timelines::TRACE;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The page.
pub const PAGE: &str = "index.html";
/// The results.
pub const RESULTS: &str = "results.json";
/// The names of the report's files, one to a line: what the next report may take away.
const MANIFEST: &str = ".fresco-report";

/// Files that an option writes together.
#[derive(Debug)]
pub struct FileSet {
    /// The option that names the directory.
    pub option: &'static str,
    /// What the files are together.
    pub what: &'static str,
    /// The file that lists them.
    pub manifest: &'static str,
    /// Files that there may be each time.
    pub names: &'static [&'static str],
    /// Returns true for the name of a file that goes when there is no new one.
    pub goes: fn(&str) -> bool,
}

/// A report.
const REPORT: FileSet = FileSet {
    option: "--out",
    what: "report",
    manifest: MANIFEST,
    names: &[PAGE, RESULTS],
    goes: |name| name.ends_with(".svg") || name == TRACE,
};

/// A directory that a report will be written to, or another set of files.
pub struct ReportDirectory {
    set: &'static FileSet,
    /// What the results are, such as `fresco-sim`; empty of files that are not results.
    kind: &'static str,
    directory: PathBuf,
    /// The files that the run reads.
    inputs: Vec<PathBuf>,
    /// It and those above it that did not exist before, the deepest first.
    made: Vec<PathBuf>,
}

/// What was made for a report that was never written is taken away.
impl Drop for ReportDirectory {
    fn drop(&mut self) {
        // Directories that hold something stay.
        self.made.iter().for_each(|directory| _ = fs::remove_dir(directory));
    }
}

impl ReportDirectory {
    /// Makes sure that a report can be written to `directory`, before anything long is run for it. `kind` is its schema without the
    /// number; `inputs` are the files that the run reads.
    ///
    /// # Errors
    /// It cannot be created or written to; the page or the results would replace an input, a directory, a file that
    /// no report has put there, or a report of another kind.
    pub fn prepare(kind: &'static str, directory: &Path, inputs: Vec<PathBuf>) -> Result<Self, InputError> {
        Self::of_kind(kind, &REPORT, directory, inputs)
    }

    /// As [`Self::prepare`], for another set of files.
    ///
    /// # Errors
    /// As [`Self::prepare`].
    pub fn prepare_for(set: &'static FileSet, directory: &Path, inputs: Vec<PathBuf>) -> Result<Self, InputError> {
        Self::of_kind("", set, directory, inputs)
    }

    fn of_kind(
        kind: &'static str,
        set: &'static FileSet,
        directory: &Path,
        inputs: Vec<PathBuf>,
    ) -> Result<Self, InputError> {
        let made = directory
            .ancestors()
            .take_while(|above| !above.as_os_str().is_empty() && !above.exists());
        let report = Self {
            set,
            kind,
            directory: directory.to_owned(),
            inputs,
            made: made.map(Path::to_owned).collect(),
        };
        if directory.exists() && !directory.is_dir() {
            return Err(InputError::new(directory.display().to_string(), "found a file")
                .in_field(set.option)
                .allowed("a directory, which is made if it does not exist")
                .help("name another directory"));
        }
        let made = fs::create_dir_all(directory).and_then(|()| Staging::new(directory));
        made.and_then(|staging| staging.add(set.manifest, b""))
            .map_err(|error| report.unwritable(&error))?;
        let own = report.own_files();
        for name in set.names.iter().chain([&set.manifest]) {
            report.check(name, &own)?;
        }
        match report.other_kind() {
            Some(other) => Err(
                InputError::new(directory.display().to_string(), format!("found a report of {other}"))
                    .in_field(set.option)
                    .allowed(format!("an empty directory, or one with a report of {kind}"))
                    .help("name another directory, or remove that report"),
            ),
            None => Ok(report),
        }
    }

    /// Writes the report, the page last. Figures of the report that was there which this one does not have are
    /// removed; all other files are left alone.
    ///
    /// # Errors
    /// A file cannot be written; nothing has been changed then.
    pub fn write(&self, page: &HtmlReport, results: &[u8], figures: &[Figure]) -> Result<(), Failure> {
        self.write_with(page, results, figures, Vec::new())
    }

    /// As [`Self::write`], with more files: names and contents.
    ///
    /// # Errors
    /// As [`Self::write`].
    pub fn write_with(
        &self,
        page: &HtmlReport,
        results: &[u8],
        figures: &[Figure],
        more: Vec<(String, Vec<u8>)>,
    ) -> Result<(), Failure> {
        let mut files = more;
        for figure in figures {
            debug_assert!(!figure.name.contains('/'), "{}", figure.name);
            files.push((format!("{}.svg", figure.name), figure.svg.as_str().as_bytes().to_vec()));
        }
        files.push((RESULTS.to_owned(), results.to_vec()));
        files.push((PAGE.to_owned(), page.to_html().into_bytes()));
        self.replace(files)
    }

    /// Writes these files, of these names and contents, the last one last. Those of the set that were there and go are removed.
    ///
    /// # Errors
    /// A file cannot be written; nothing has been changed then.
    pub fn replace(&self, mut files: Vec<(String, Vec<u8>)>) -> Result<(), Failure> {
        let names = files.iter().map(|(name, _)| name.as_str());
        let title = self.set.title();
        let manifest = std::iter::once(title.as_str())
            .chain(names)
            .collect::<Vec<_>>()
            .join("\n")
            + "\n";
        files.insert(0, (self.set.manifest.to_owned(), manifest.into_bytes()));
        let own = self.own_files();
        for (name, _) in &files {
            self.check(name, &own)?;
        }
        let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
        debug_assert!(
            (1..names.len()).all(|n| !names[..n].contains(&names[n])),
            "each file of a report has a name of its own: {names:?}"
        );
        let stale: Vec<String> = own
            .into_iter()
            .filter(|old| self.goes(old) && !names.contains(&old.as_str()))
            .collect();
        let written = Staging::new(&self.directory).and_then(|staging| {
            files.iter().try_for_each(|(name, bytes)| staging.add(name, bytes))?;
            staging.exchange(&names, &stale)
        });
        written.map_err(|error| Failure::Input(self.unwritable(&error)))
    }

    /// Refuses a name where no file can be put. What is not among `own` no report has put there: it is somebody's own,
    /// whatever its name.
    fn check(&self, name: &str, own: &[String]) -> Result<(), InputError> {
        let path = self.directory.join(name);
        let (option, what) = (self.set.option, self.set.what);
        refuse_overwriting(option, &path, self.inputs.iter().map(PathBuf::as_path))?;
        let (found, allowed) = match path.symlink_metadata() {
            Ok(there) if there.is_dir() => (
                "found a directory".to_owned(),
                format!("a file or nothing, where the {what} has a file"),
            ),
            Ok(_) if !own.iter().any(|own| own == name) => (
                format!("found a file that no {what} has put there"),
                format!("nothing, or a file of the {what} that is there, where the {what} has a file"),
            ),
            _ => return Ok(()),
        };
        Err(InputError::new(path.display().to_string(), found)
            .in_field(option)
            .allowed(allowed)
            .help(format!("move it away, or name another directory for the {what}")))
    }

    /// Of the results that are there the kind, if it is not that of the results to come.
    fn other_kind(&self) -> Option<String> {
        let mut first = String::new();
        let file = fs::File::open(self.directory.join(RESULTS)).ok()?;
        // It is the first that they say.
        file.take(100).read_to_string(&mut first).ok()?;
        let (_, schema) = first.split_once("\"schema\": \"")?;
        let (kind, _) = schema.split_once('/')?;
        (!self.kind.is_empty() && kind != self.kind).then(|| kind.to_owned())
    }

    /// The names of the files of the report that is there; none without one.
    fn own_files(&self) -> Vec<String> {
        let manifest = self.set.manifest;
        let text = fs::read_to_string(self.directory.join(manifest)).unwrap_or_default();
        let mut lines = text.lines();
        if lines.next() != Some(&self.set.title()) {
            return Vec::new();
        }
        std::iter::once(manifest).chain(lines).map(str::to_owned).collect()
    }

    /// Returns true for the name of a file in the directory, such as a figure, that goes with the report that it belongs to.
    fn goes(&self, name: &str) -> bool {
        let plain = (self.set.goes)(name) && !name.contains(['/', '\\']);
        plain && self.directory.join(name).is_file()
    }

    fn unwritable(&self, error: &io::Error) -> InputError {
        let is_full = matches!(
            error.kind(),
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
        );
        let (allowed, help) = match is_full {
            true => (
                format!("room for the {}", self.set.what),
                "make room and run it again, or name another directory",
            ),
            false => (
                "a directory that can be created or written to".to_owned(),
                "name another directory",
            ),
        };
        InputError::new(
            self.directory.display().to_string(),
            format!("no {} can be written there: {error}", self.set.what),
        )
        .in_field(self.set.option)
        .allowed(allowed)
        .help(help)
    }
}

impl FileSet {
    /// First line of the manifest.
    fn title(&self) -> String {
        format!("Files of this {}; the next one written here replaces them.", self.what)
    }
}

#[cfg(test)]
mod tests;
