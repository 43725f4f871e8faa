// SPDX-License-Identifier: MIT OR Apache-2.0
//! What tells whether the files that are there, tables or a report as well, are those of these results: digests of the results and of each file.

use fresco_input::{InputError, write_atomically};
use fresco_load::trace::digest_of_file;
use std::fs;
use std::path::{Path, PathBuf};

/// A file that says of which results others in its directory are: the digest of the results, then a line for each file with its digest and its name.
pub struct Mark {
    directory: PathBuf,
    name: &'static str,
}

impl Mark {
    /// The mark of this name in a directory.
    pub fn of(directory: &Path, name: &'static str) -> Self {
        Self {
            directory: directory.to_owned(),
            name,
        }
    }

    /// Returns true if files of these results were written, and all of them are what they were.
    pub fn holds(&self, content: &str) -> bool {
        let text = fs::read_to_string(self.directory.join(self.name)).unwrap_or_default();
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
        write_atomically(self.directory.join(self.name), text.as_bytes())
    }
}
