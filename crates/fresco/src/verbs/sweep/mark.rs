// SPDX-License-Identifier: MIT OR Apache-2.0
//! What tells whether the tables and the report that are there are those of these results: digests of the results and of each file.

use fresco_input::{InputError, write_atomically};
use fresco_load::trace::digest_of_file;
use std::fs;
use std::path::{Path, PathBuf};

/// The file: the digest of the results, then a line for each file with its digest and its name.
const MERGED: &str = ".fresco-merged";

/// The mark of a directory.
pub struct Mark {
    directory: PathBuf,
}

impl Mark {
    /// Of this directory.
    pub fn of(directory: &Path) -> Self {
        Self {
            directory: directory.to_owned(),
        }
    }

    /// Returns true if tables and report of these results were written, and all their files are what they were.
    pub fn holds(&self, content: &str) -> bool {
        let text = fs::read_to_string(self.directory.join(MERGED)).unwrap_or_default();
        let mut lines = text.lines();
        let is_of = lines.next() == Some(content);
        let mut files = lines.peekable();
        let is_whole = |line: &str| {
            line.split_once(' ').is_some_and(|(digest, name)| {
                digest_of_file(&self.directory.join(name)).is_ok_and(|found| found == digest)
            })
        };
        is_of && files.peek().is_some() && files.all(is_whole)
    }

    /// Says that these files are of these results.
    ///
    /// # Errors
    /// One cannot be read, or the mark not be written.
    pub fn set(&self, content: &str, files: impl Iterator<Item = String>) -> Result<(), InputError> {
        let mut text = format!("{content}\n");
        for name in files {
            text.push_str(&format!("{} {name}\n", digest_of_file(&self.directory.join(&name))?));
        }
        write_atomically(self.directory.join(MERGED), text.as_bytes())
    }
}
