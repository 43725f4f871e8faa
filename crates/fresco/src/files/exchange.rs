// SPDX-License-Identifier: MIT OR Apache-2.0
//! Files that are put in the place of others all together, or not at all.

use super::owner::Owner;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A directory of our own beside the files to be replaced: what is to be put there, and, while they are exchanged, what
/// was there. It is removed when this is dropped, and nothing else ever is but what others have left whose process was killed.
pub struct Staging {
    directory: PathBuf,
    path: PathBuf,
    _owner: Option<Owner>,
}

/// Ends of the names of such directories.
const STAGED: [&str; 2] = [".fresco-", ".partial"];

/// How to take one step back.
enum Undo {
    /// Put this file in that place.
    Restore(PathBuf, PathBuf),
    /// There was none.
    Remove(PathBuf),
}

impl Staging {
    /// Makes an empty one in `directory`.
    pub fn new(directory: &Path) -> io::Result<Self> {
        clear(directory);
        let mut number = 0;
        let path = loop {
            let [before, after] = STAGED;
            let path = directory.join(format!("{before}{}-{number}{after}", std::process::id()));
            match fs::create_dir(&path) {
                // Somebody else's: left alone.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                made => break made.map(|()| path)?,
            }
        };
        let staging = Self {
            directory: directory.to_owned(),
            _owner: Owner::mark(&path),
            path,
        };
        fs::create_dir(staging.path.join("new"))?;
        fs::create_dir(staging.path.join("old"))?;
        Ok(staging)
    }

    /// Writes a file that is to be put in place.
    pub fn add(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        fs::write(self.path.join("new").join(name), bytes)
    }

    /// Puts the files of these names in place, in this order, and takes away those `removed`. If one step fails all
    /// steps before it are taken back.
    pub fn exchange(self, names: &[&str], removed: &[String]) -> io::Result<()> {
        let mut done = Vec::new();
        let removed = removed.iter().map(|name| (name.as_str(), false));
        let mut steps = removed.chain(names.iter().map(|name| (*name, true)));
        let result = steps.try_for_each(|(name, is_new)| self.step(name, is_new, &mut done));
        if result.is_err() {
            for undo in done.into_iter().rev() {
                // The first error is the one to report.
                let _ = match undo {
                    Undo::Restore(old, place) => fs::rename(old, place),
                    Undo::Remove(place) => fs::remove_file(place),
                };
            }
        }
        result
    }

    fn step(&self, name: &str, is_new: bool, done: &mut Vec<Undo>) -> io::Result<()> {
        let place = self.directory.join(name);
        let old = self.path.join("old").join(name);
        let was_there = place.symlink_metadata().is_ok();
        if was_there {
            // With a second name for the old file its place is never empty; not all file systems have links.
            if !is_new || fs::hard_link(&place, &old).is_err() {
                fs::rename(&place, &old)?;
            }
            done.push(Undo::Restore(old, place.clone()));
        }
        if is_new {
            fs::rename(self.path.join("new").join(name), &place)?;
            if !was_there {
                done.push(Undo::Remove(place));
            }
        }
        Ok(())
    }
}

/// Removes what is left of exchanges whose process was killed, as far as that is certain.
fn clear(directory: &Path) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let (name, path) = (entry.file_name(), entry.path());
        let name = name.to_string_lossy();
        let [before, after] = STAGED;
        let is_ours =
            name.starts_with(before) && name.ends_with(after) && entry.file_type().is_ok_and(|kind| kind.is_dir());
        let Some(_gone) = is_ours.then(|| Owner::gone(&path)).flatten() else {
            continue;
        };
        // Between two steps of its last exchange one file may have been nowhere else.
        for old in fs::read_dir(path.join("old")).into_iter().flatten().flatten() {
            let place = directory.join(old.file_name());
            if path.join("new").join(old.file_name()).exists() && place.symlink_metadata().is_err() {
                let _ = fs::rename(old.path(), place);
            }
        }
        // Whoever cannot remove it leaves it: it is hidden, and in nobody's way.
        let _ = fs::remove_dir_all(path);
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        // It is hidden and of no use: nothing is lost if it stays.
        let _ = fs::remove_dir_all(&self.path);
    }
}
