// SPDX-License-Identifier: MIT OR Apache-2.0
//! A file that is written bit by bit, and is there whole or not at all.

use fresco_input::{InputError, create_beside};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A file in the making: written beside its place, and put there when it is whole, or else removed.
pub struct WholeFile {
    option: &'static str,
    path: PathBuf,
    partial: PathBuf,
    file: File,
    whole: bool,
}

impl WholeFile {
    /// Begins the file that `option` names. A pipe or device is written as it comes.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn create(option: &'static str, path: &Path) -> Result<Self, InputError> {
        let made = match path.exists() && !path.is_file() {
            true => OpenOptions::new()
                .write(true)
                .open(path)
                .map(|file| (path.to_owned(), path.to_owned(), file)),
            false => create_beside(path),
        };
        let (path, partial, file) = made.map_err(|error| unwritable(option, path, &error))?;
        Ok(Self {
            option,
            path,
            partial,
            file,
            whole: false,
        })
    }

    /// Where it is until it takes its place, for others that write it by its name.
    pub fn partial(&self) -> &Path {
        &self.partial
    }

    /// It is whole: it takes its place.
    ///
    /// # Errors
    /// It cannot, and stays where it is: the error says where.
    pub fn finish(mut self) -> Result<(), InputError> {
        self.whole = true;
        if self.partial == self.path {
            return Ok(());
        }
        std::fs::rename(&self.partial, &self.path).map_err(|error| {
            let help = format!(
                "it is whole, and lies in {}: move it from there",
                self.partial.display()
            );
            unwritable(self.option, &self.path, &error).help(help)
        })
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for WholeFile {
    fn drop(&mut self) {
        if !self.whole && self.partial != self.path {
            // What is left of a failed run is of no use, and nothing can be done if it stays.
            let _ = std::fs::remove_file(&self.partial);
        }
    }
}

/// The error of a file that `option` names.
pub fn unwritable(option: &'static str, path: &Path, error: &io::Error) -> InputError {
    InputError::new(path.display().to_string(), format!("cannot be written: {error}"))
        .in_field(option)
        .allowed("a file in a directory that exists and may be written")
        .help("name another file")
}
