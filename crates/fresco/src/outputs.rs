// SPDX-License-Identifier: MIT OR Apache-2.0
//! Files that a verb writes beside its result: found out before anything long is run whether they can be written, and
//! a file that cannot be written after all costs no result.

use crate::failure::Failure;
use fresco_input::{InputError, check_writable, refuse_overwriting, same_file};
use std::path::{Path, PathBuf};

/// The files that options name.
#[derive(Debug, Default)]
pub struct Outputs {
    named: Vec<Named>,
}

/// What one option names.
#[derive(Debug)]
struct Named {
    option: &'static str,
    /// A directory, which is made if it does not exist.
    directory: Option<PathBuf>,
    files: Vec<PathBuf>,
}

impl Outputs {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// A file that `option` names, if it is given.
    pub fn file(mut self, option: &'static str, path: Option<&Path>) -> Self {
        self.named.extend(path.map(|path| Named {
            option,
            directory: None,
            files: vec![path.to_owned()],
        }));
        self
    }

    /// A directory that `option` names, if it is given, and the files in it.
    pub fn directory(mut self, option: &'static str, path: Option<&Path>, files: &[&str]) -> Self {
        self.named.extend(path.map(|path| Named {
            option,
            directory: Some(path.to_owned()),
            files: files.iter().map(|file| path.join(file)).collect(),
        }));
        self
    }

    /// Makes sure that all can be written, that none is another, one of the files that are read, or where the result goes.
    ///
    /// # Errors
    /// The first that is not so.
    pub fn check(&self, json: bool, inputs: &[&Path]) -> Result<(), InputError> {
        for (number, named) in self.named.iter().enumerate() {
            let option = named.option;
            for path in &named.files {
                refuse_overwriting(option, path, inputs.iter().copied())?;
                refuse_standard_output(option, path, json)?;
            }
            for earlier in &self.named[..number] {
                named.refuse(earlier)?;
            }
            if let Some(directory) = &named.directory {
                check_directory(directory).map_err(|error| error.in_field(option))?;
            }
            // Files in a directory that is still to be made can be written if that can be made.
            if named.directory.as_ref().is_none_or(|directory| directory.is_dir()) {
                let mut files = named.files.iter();
                files.try_for_each(|path| check_writable(path).map_err(|error| error.in_field(option)))?;
            }
        }
        Ok(())
    }
}

impl Named {
    fn places(&self) -> impl Iterator<Item = &PathBuf> {
        self.directory.iter().chain(&self.files)
    }

    /// Refuses what another option names.
    fn refuse(&self, other: &Self) -> Result<(), InputError> {
        let is_same = |one: &Path, other: &Path| {
            !is_nothing(one) && (same_file(one, other) || settled(one).is_some_and(|one| settled(other) == Some(one)))
        };
        let twice = self
            .files
            .iter()
            .find(|path| other.places().any(|other| is_same(path, other)))
            .or_else(|| {
                let own = self.directory.as_ref()?;
                other.files.iter().find(|file| is_same(file, own))
            });
        let Some(path) = twice else { return Ok(()) };
        let found = format!("found the same as with {}", other.option);
        Err(InputError::new(path.display().to_string(), found)
            .in_field(self.option)
            .allowed("a file of its own")
            .help("name another file"))
    }
}

/// Takes everything, and keeps nothing.
fn is_nothing(path: &Path) -> bool {
    same_file(path, Path::new("/dev/null"))
}

/// The path without links, as far as it exists.
fn settled(path: &Path) -> Option<PathBuf> {
    let path = std::path::absolute(path).ok()?;
    let there = path.ancestors().find(|part| part.exists())?;
    let rest = path.strip_prefix(there).ok()?;
    Some(there.canonicalize().ok()?.join(rest))
}

/// A file may not be mixed with a JSON document, nor replace the file that standard output goes to; `-` is that one, where
/// the result goes.
///
/// # Errors
/// It is standard output.
pub fn refuse_standard_output(option: &str, path: &Path, json: bool) -> Result<(), InputError> {
    let shared = same_file(path, Path::new("/dev/stdout")) && !is_nothing(path);
    let dash = path.as_os_str() == "-";
    if !dash && (!shared || !(json || path.is_file())) {
        return Ok(());
    }
    let found = "found standard output, where the result goes";
    Err(InputError::new(path.display().to_string(), found)
        .in_field(option)
        .allowed("a file of its own")
        .help(if dash {
            "name another file; ./- is a file of that name"
        } else {
            "name another file"
        }))
}

/// Checks that files can be put in a directory, or that it can be made.
fn check_directory(directory: &Path) -> Result<(), InputError> {
    let name = directory.display().to_string();
    let path = std::path::absolute(directory).unwrap_or_else(|_| directory.to_owned());
    let there = path.ancestors().find(|part| part.symlink_metadata().is_ok());
    match there {
        Some(there) if there.is_dir() => check_writable(there.join(".fresco")).map_err(|error| {
            let found = match there == path {
                true => error.found.clone(),
                false => format!("cannot make it in {}: {}", there.display(), error.found),
            };
            InputError::new(name, found)
                .allowed("a directory that files can be written to, or that can be made")
                .help("name another one")
        }),
        _ => Err(InputError::new(name, "found a file where a directory belongs")
            .allowed("a directory, which is made if it does not exist")
            .help("name another one")),
    }
}

/// All that was to be done has been tried: the first failure is the outcome, the others are told.
pub fn all(done: impl IntoIterator<Item = Result<(), Failure>>) -> Result<(), Failure> {
    let mut failures = done.into_iter().filter_map(Result::err);
    let Some(first) = failures.next() else { return Ok(()) };
    failures.for_each(|failure| {
        failure.report();
    });
    Err(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn outputs_that_are_one_are_found_under_all_their_names() {
        let home = tempfile::tempdir().expect("a directory");
        let path = |name: &str| home.path().join(name);
        fs::create_dir(path("there")).expect("writable");
        std::os::unix::fs::symlink("there", path("link")).expect("a link");
        for (directory, file, clash) in [
            ("new", "new/map.txt", true),
            ("new", "./new/map.toml", true),
            ("there", "link/map.txt", true),
            ("link", "there/map.toml", true),
            ("new", "new", true),
            ("there", "there/figure.svg", false),
            ("there", "map.txt", false),
        ] {
            let (directory, file) = (path(directory), path(file));
            let outputs = Outputs::new()
                .directory("--out", Some(&directory), &["map.txt", "map.toml"])
                .file("--svg", Some(&file));
            let found = outputs.check(false, &[]).map_err(|error| error.to_string());
            let clashes = found
                .as_ref()
                .is_err_and(|error| error.contains("the same as with --out"));
            assert_eq!(clashes, clash, "{}: {found:?}", file.display());
            assert_eq!(found.is_err(), clash, "{found:?}");
        }
        assert!(!path("new").exists(), "looking changes nothing");
        assert_eq!(fs::read_dir(path("there")).expect("readable").count(), 0);
    }

    #[test]
    fn what_cannot_be_written_is_found_out_before() {
        let home = tempfile::tempdir().expect("a directory");
        let path = |name: &str| home.path().join(name);
        fs::write(path("file"), "old").expect("writable");
        let refused = |outputs: Outputs| outputs.check(false, &[]).expect_err("unwritable").to_string();
        let file = |name: &str| refused(Outputs::new().file("--svg", Some(&path(name))));
        assert!(
            file("no/x.svg").contains("make the directory first"),
            "{}",
            file("no/x.svg")
        );
        assert!(file("").contains("found a directory"), "{}", file(""));
        let directory = |name: &str| refused(Outputs::new().directory("--out", Some(&path(name)), &["map.txt"]));
        for name in ["file", "file/below"] {
            assert!(
                directory(name).contains("found a file where a directory belongs"),
                "{}",
                directory(name)
            );
        }
        fs::create_dir_all(path("full/map.txt")).expect("writable");
        assert!(directory("full").contains("found a directory"), "{}", directory("full"));
        let input = path("file");
        let outputs = Outputs::new().file("--svg", Some(&input));
        assert!(outputs.check(false, &[&input]).is_err() && outputs.check(false, &[]).is_ok());
        assert_eq!(fs::read(&input).expect("still there"), b"old");
    }
}
