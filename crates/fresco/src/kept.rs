// SPDX-License-Identifier: MIT OR Apache-2.0
//! Results of runs that were made before, on disk: `fresco/results` under `XDG_CACHE_HOME`, or under `~/.cache`.
//!
//! Each version of the program has a directory, named by the digest of its executable, and each result a file there: a line with the key, one
//! with the digest of what follows, the result. What was damaged or changed counts as missing. Files are written beside their place and moved there, so that programs that run at the same time do not disturb each other.

use crate::failure::tell;
use fresco_input::write_atomically;
use fresco_load::trace::digest_of_file;
use fresco_system::Store;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

/// Versions of the program whose results are kept: the others' go when a further one begins.
const VERSIONS: usize = 3;

/// Where this version of the program keeps results.
pub struct Kept {
    directory: PathBuf,
    /// What was there before is not looked at.
    anew: bool,
    /// Files that were looked for, and whether they were written since: experiments share runs.
    asked: Mutex<HashMap<PathBuf, bool>>,
    found: AtomicUsize,
    missing: AtomicUsize,
    /// It was told that one could not be kept.
    told: AtomicBool,
}

impl Kept {
    /// The place; results that are there are made anew if asked for. `None` if there is no directory that can be written to, or the executable
    /// cannot be read: then nothing is kept.
    pub fn open(anew: bool) -> Option<Self> {
        let all = cache_directory()?.join("fresco").join("results");
        let version = digest_of_file(&std::env::current_exe().ok()?).ok()?;
        let directory = all.join(version);
        fs::create_dir_all(&directory).ok()?;
        // Those that are used stay.
        let used = fs::File::open(&directory).and_then(|file| file.set_modified(SystemTime::now()));
        used.ok()?;
        forget_old(&all);
        Some(Self::of(directory, anew))
    }

    fn of(directory: PathBuf, anew: bool) -> Self {
        Self {
            directory,
            anew,
            asked: Mutex::default(),
            found: AtomicUsize::new(0),
            missing: AtomicUsize::new(0),
            told: AtomicBool::new(false),
        }
    }

    /// How many of the results that were looked for were there before, and how many that is in all, each counted once.
    pub fn found(&self) -> (usize, usize) {
        let found = self.found.load(Ordering::Relaxed);
        (found, found + self.missing.load(Ordering::Relaxed))
    }

    fn path(&self, key: &str) -> PathBuf {
        self.directory.join(fresco_machine::digest(key, &[]))
    }

    fn asked(&self) -> MutexGuard<'_, HashMap<PathBuf, bool>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(&self, key: &str, path: &Path) -> Option<Vec<u8>> {
        // A pipe would be waited for.
        if !fs::metadata(path).ok()?.is_file() {
            return None;
        }
        let file = fs::read_to_string(path).ok()?;
        let (digest, value) = file.strip_prefix(key)?.strip_prefix('\n')?.split_once('\n')?;
        (digest == fresco_machine::digest(value, &[])).then(|| value.as_bytes().to_vec())
    }
}

impl Store for Kept {
    fn get(&self, key: &str) -> Option<Vec<u8>> {
        let path = self.path(key);
        let before = self.asked().get(&path).copied();
        let is_hidden = self.anew && before != Some(true);
        let value = if is_hidden { None } else { self.read(key, &path) };
        if before.is_none() {
            self.asked().insert(path, false);
            let counter = if value.is_some() { &self.found } else { &self.missing };
            counter.fetch_add(1, Ordering::Relaxed);
        }
        value
    }

    fn put(&self, key: &str, value: &[u8]) {
        let Ok(text) = std::str::from_utf8(value) else {
            return;
        };
        let file = format!("{key}\n{}\n{text}", fresco_machine::digest(text, &[]));
        let path = self.path(key);
        match write_atomically(&path, file.as_bytes()) {
            Ok(()) => {
                self.asked().insert(path, true);
            }
            Err(error) if !self.told.swap(true, Ordering::Relaxed) => tell(&format!(
                "fresco: results are not kept, and will be made again: {error}"
            )),
            Err(_) => {}
        }
    }
}

/// The user's directory for what can be made again (XDG Base Directory Specification).
fn cache_directory() -> Option<PathBuf> {
    let set = |name: &str| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")))
}

/// Removes the results of all versions but those that were used last.
fn forget_old(all: &Path) {
    let entries = fs::read_dir(all).into_iter().flatten().flatten();
    let mut versions: Vec<(SystemTime, PathBuf)> = entries
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    versions.sort();
    for (_, path) in versions.iter().rev().skip(VERSIONS) {
        let _ = fs::remove_dir_all(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(directory: &Path, anew: bool) -> Kept {
        Kept::of(directory.to_owned(), anew)
    }

    #[test]
    fn what_was_put_is_found_under_its_whole_key_alone() {
        let directory = tempfile::tempdir().expect("a directory");
        let store = kept(directory.path(), false);
        assert_eq!(store.get("a run"), None);
        store.put("a run", b"its\nresult");
        assert_eq!(store.get("a run").as_deref(), Some(&b"its\nresult"[..]));
        assert_eq!(store.found(), (0, 1), "another experiment of this call wanted it, too");
        let later = kept(directory.path(), false);
        assert!(later.get("a run").is_some() && later.get("a run").is_some());
        assert_eq!(later.found(), (1, 1));
        // Another key whose digest is the same, and a file that was cut short.
        fs::rename(store.path("a run"), store.path("another")).expect("moved");
        assert_eq!(store.get("another"), None);
        fs::write(store.path("a run"), "a r").expect("written");
        assert_eq!(store.get("a run"), None);
    }

    #[test]
    fn what_was_changed_is_missing() {
        let directory = tempfile::tempdir().expect("a directory");
        let store = kept(directory.path(), false);
        store.put("a run", b"{\"ns\":2.0}");
        let path = store.path("a run");
        let file = fs::read_to_string(&path).expect("read");
        for changed in [
            file.replace("2.0", "7.0"),
            file[..file.len() - 1].to_owned(),
            file.clone() + "0",
            String::new(),
        ] {
            fs::write(&path, changed).expect("written");
            assert_eq!(store.get("a run"), None);
        }
        fs::write(&path, file).expect("written");
        assert!(store.get("a run").is_some());
        assert_eq!(store.found(), (0, 0), "all this call made itself");
        // A directory in its place.
        fs::remove_file(&path).expect("removed");
        fs::create_dir(&path).expect("made");
        store.put("a run", b"{}");
        assert_eq!(store.get("a run"), None);
    }

    #[test]
    fn anew_looks_at_nothing_and_replaces() {
        let directory = tempfile::tempdir().expect("a directory");
        kept(directory.path(), false).put("a run", b"old");
        let anew = kept(directory.path(), true);
        assert_eq!(anew.get("a run"), None);
        anew.put("a run", b"new");
        assert_eq!(anew.get("a run").as_deref(), Some(&b"new"[..]), "made in this call");
        assert_eq!(kept(directory.path(), false).get("a run").as_deref(), Some(&b"new"[..]));
    }

    #[test]
    fn the_versions_used_last_stay() {
        let all = tempfile::tempdir().expect("a directory");
        for (name, seconds) in [("first", 10), ("second", 40), ("third", 20), ("fourth", 30)] {
            let path = all.path().join(name);
            fs::create_dir(&path).expect("made");
            let file = fs::File::open(&path).expect("opened");
            file.set_modified(SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(seconds))
                .expect("set");
        }
        forget_old(all.path());
        let mut left: Vec<_> = fs::read_dir(all.path())
            .expect("read")
            .map(|entry| entry.expect("read").file_name())
            .collect();
        left.sort();
        assert_eq!(left, ["fourth", "second", "third"]);
    }
}
