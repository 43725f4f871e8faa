// SPDX-License-Identifier: MIT OR Apache-2.0
//! The folder: made beside its place, with the digest of each file, and moved there when it is whole.

use super::JSON;
use super::copies::Kept;
use super::facts::SCHEMA;
use fresco_input::{InputError, check_writable};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Digests of all other files, as `sha256sum -c` takes them.
pub const SUMS: &str = "SHA256SUMS";

/// SHA-256 in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A place where a folder can be put.
pub struct Place {
    /// As the user named it.
    name: String,
    /// The same, with links followed if it is there.
    path: PathBuf,
}

impl Place {
    /// Makes sure before anything long is run that the folder can be put there, and that what is there may go: nothing, or what Fresco made
    /// and nobody has changed. `read` are the files that the evidence is made of.
    ///
    /// # Errors
    /// It is a file, or a folder with other files or with files that were changed, or it holds an input; it cannot be written.
    pub fn prepare(out: &Path, read: &[PathBuf]) -> Result<Self, InputError> {
        let name = out.display().to_string();
        let wrong = |found: String| {
            InputError::new(name.clone(), found)
                .in_field("--out")
                .allowed("a folder that is not there, an empty one, or one of evidence as Fresco wrote it")
                .help("name another folder, or move this one away")
        };
        let path = match out.canonicalize() {
            Ok(path) => path,
            Err(_) => std::path::absolute(out).map_err(|error| wrong(format!("found no path: {error}")))?,
        };
        if path.symlink_metadata().is_ok() && !path.is_dir() {
            return Err(wrong("found a file".to_owned()));
        }
        if path.file_name().is_none() {
            return Err(wrong("found the root of the file system".to_owned()));
        }
        for input in read {
            if input.canonicalize().is_ok_and(|input| input.starts_with(&path)) {
                return Err(wrong(format!("found {} in it, which is read", input.display())));
            }
        }
        if path.is_dir() {
            check_ours(&path).map_err(wrong)?;
        }
        let parents = path.ancestors().skip(1);
        match parents.into_iter().find(|parent| parent.symlink_metadata().is_ok()) {
            Some(parent) if parent.is_dir() => check_writable(parent.join(".fresco"))
                .map_err(|error| wrong(format!("cannot make it in {}: {}", parent.display(), error.found)))?,
            Some(parent) => return Err(wrong(format!("found {}, which is a file", parent.display()))),
            None => {}
        }
        Ok(Self { name, path })
    }

    /// An empty directory beside the place.
    fn stage(&self) -> io::Result<PathBuf> {
        let parent = self.path.parent().unwrap_or(Path::new("/"));
        fs::create_dir_all(parent)?;
        let name = self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for number in 0u32.. {
            let staged = parent.join(format!(".{name}-{}-{number}.partial", std::process::id()));
            match fs::create_dir(&staged) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                made => return made.map(|()| staged),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Writes all files and their digests, and puts the folder in its place.
    ///
    /// # Errors
    /// A file cannot be written, or what was in its place has been changed meanwhile; what was there is there as it was.
    pub fn write(&self, files: &[Kept]) -> Result<(), InputError> {
        if self.path.is_dir()
            && let Err(found) = check_ours(&self.path)
        {
            return Err(InputError::new(self.name.clone(), found)
                .in_field("--out")
                .allowed("what was there before")
                .help("try again"));
        }
        let staged = self.stage().map_err(|error| self.unwritable(&error))?;
        let written = fill(&staged, files).and_then(|()| exchange(&staged, &self.path));
        // The old folder, or what could not be written: hidden, and of no use.
        let _ = fs::remove_dir_all(&staged);
        written.map_err(|error| self.unwritable(&error))
    }

    fn unwritable(&self, error: &io::Error) -> InputError {
        InputError::new(self.name.clone(), format!("no evidence can be written there: {error}"))
            .in_field("--out")
            .allowed("a folder that can be made or replaced")
            .help("name another folder")
    }
}

fn fill(staged: &Path, files: &[Kept]) -> io::Result<()> {
    let mut sums = String::new();
    for file in files {
        let path = staged.join(&file.path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, &file.bytes)?;
        sums += &line(&sha256(&file.bytes), &file.path);
    }
    fs::write(staged.join(SUMS), sums)
}

/// A line of the list: names with a backslash or the end of a line are written as `sha256sum` does.
fn line(digest: &str, path: &str) -> String {
    let escaped = path.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r");
    let mark = if escaped == path { "" } else { "\\" };
    format!("{mark}{digest}  {escaped}\n")
}

/// Puts `staged` in the place of `path`, and what was there in the place of `staged`.
fn exchange(staged: &Path, path: &Path) -> io::Result<()> {
    if path.symlink_metadata().is_err() {
        return fs::rename(staged, path);
    }
    if renameat_with(CWD, staged, CWD, path, RenameFlags::EXCHANGE).is_ok() {
        return Ok(());
    }
    // Not all file systems exchange in one step.
    let aside = staged.with_extension("old");
    fs::rename(path, &aside)?;
    match fs::rename(staged, path) {
        Ok(()) => fs::rename(&aside, staged),
        Err(error) => {
            fs::rename(&aside, path)?;
            Err(error)
        }
    }
}

/// Makes sure that a folder is empty, or evidence that Fresco wrote and nobody has changed.
///
/// # Errors
/// What stands against it.
fn check_ours(path: &Path) -> Result<(), String> {
    let found = files_of(path).map_err(|error| format!("cannot look into it: {error}"))?;
    if found.is_empty() {
        return Ok(());
    }
    let first = found.keys().next().cloned().unwrap_or_default();
    let json = found.get(JSON).and_then(|path| fs::read(path).ok());
    let schema = json.and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
    let is_evidence = schema.is_some_and(|document| document["schema"] == SCHEMA);
    let sums = found
        .get(SUMS)
        .and_then(|path| fs::read_to_string(path).ok())
        .filter(|_| is_evidence);
    let Some(sums) = sums else {
        return Err(format!("found {first}, and no evidence of Fresco"));
    };
    let listed: Vec<&str> = sums.lines().collect();
    for (name, path) in found.iter().filter(|(name, _)| *name != SUMS) {
        let bytes = fs::read(path).map_err(|error| format!("cannot read {name}: {error}"))?;
        let own = line(&sha256(&bytes), name);
        if !listed.contains(&own.trim_end()) {
            let is_listed = listed.iter().any(|line| line.ends_with(&format!("  {name}")));
            return Err(match is_listed {
                true => format!("found {name} changed since it was written: its digest is not that in {SUMS}"),
                false => format!("found {name}, which Fresco has not written"),
            });
        }
    }
    Ok(())
}

/// All files below a directory, by path in it.
fn files_of(path: &Path) -> io::Result<BTreeMap<String, PathBuf>> {
    let mut found = BTreeMap::new();
    let mut left = vec![PathBuf::new()];
    while let Some(directory) = left.pop() {
        for entry in fs::read_dir(path.join(&directory))? {
            let entry = entry?;
            let name = directory.join(entry.file_name());
            match entry.file_type()?.is_dir() {
                true => left.push(name),
                false => {
                    found.insert(name.display().to_string(), entry.path());
                }
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(path: &str, text: &str) -> Kept {
        Kept {
            path: path.to_owned(),
            bytes: text.as_bytes().to_vec(),
            what: String::new(),
            command: None,
        }
    }

    fn evidence(text: &str) -> Vec<Kept> {
        vec![
            kept("inputs/s.toml", text),
            kept(JSON, &format!("{{\"schema\": \"{SCHEMA}\"}}")),
        ]
    }

    #[test]
    fn the_digest_of_three_letters() {
        // FIPS 180-4, example of SHA-256.
        let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256(b"abc"), digest);
        assert_eq!(line(digest, "a"), format!("{digest}  a\n"));
        assert_eq!(line("0", "a\nb"), "\\0  a\\nb\n");
    }

    #[test]
    fn own_folders_are_replaced_and_others_are_not() {
        let home = tempfile::tempdir().expect("a directory");
        let out = home.path().join("deep/e");
        let write = |text: &str| Place::prepare(&out, &[]).and_then(|place| place.write(&evidence(text)));
        write("first").expect("is written");
        write("second").expect("replaces its own");
        let text = || fs::read_to_string(out.join("inputs/s.toml")).expect("there");
        assert_eq!(text(), "second");
        fs::write(out.join("notes"), "mine").expect("writable");
        let told = |result: Result<(), InputError>| result.expect_err("is refused").to_string();
        assert!(told(write("third")).contains("found notes, which Fresco has not written"));
        fs::remove_file(out.join("notes")).expect("there");
        fs::write(out.join("inputs/s.toml"), "spoilt").expect("writable");
        assert!(told(write("third")).contains("found inputs/s.toml changed since it was written"));
        assert_eq!(text(), "spoilt");
        fs::remove_file(out.join(SUMS)).expect("there");
        assert!(told(write("third")).contains("and no evidence of Fresco"));
        let left: Vec<_> = fs::read_dir(home.path().join("deep")).expect("there").collect();
        assert_eq!(left.len(), 1, "nothing is left beside");
    }

    #[test]
    fn what_is_read_is_not_replaced() {
        let home = tempfile::tempdir().expect("a directory");
        let out = home.path().join("e");
        let place = Place::prepare(&out, &[]).expect("nothing is there");
        place.write(&evidence("first")).expect("is written");
        let told = Place::prepare(&out, &[out.join("inputs/s.toml")])
            .map(drop)
            .expect_err("is read");
        assert!(told.to_string().contains("which is read"), "{told}");
        let told = Place::prepare(&out.join(JSON), &[]).map(drop).expect_err("is a file");
        assert!(told.to_string().contains("found a file"), "{told}");
    }

    #[test]
    fn a_failure_leaves_what_was_there() {
        let home = tempfile::tempdir().expect("a directory");
        let out = home.path().join("e");
        let place = Place::prepare(&out, &[]).expect("nothing is there");
        place.write(&evidence("first")).expect("is written");
        // A file in the way of a directory.
        let mut files = evidence("second");
        files.push(kept("inputs/s.toml/x", "x"));
        place.write(&files).expect_err("cannot be written");
        assert_eq!(fs::read_to_string(out.join("inputs/s.toml")).expect("there"), "first");
        assert_eq!(fs::read_dir(home.path()).expect("there").count(), 1);
    }
}
