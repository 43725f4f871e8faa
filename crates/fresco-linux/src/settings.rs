// SPDX-License-Identifier: MIT OR Apache-2.0
//! Folders and files in which the kernel is told what to do. In tests they are plain ones, which lack what the kernel makes.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

/// Writes a line as the kernel takes it; a plain file keeps all lines.
pub(crate) fn append(path: &Path, line: &str) -> io::Result<()> {
    let mut file = fs::OpenOptions::new().append(true).create(true).open(path)?;
    file.write_all(line.as_bytes())
}

/// Sets a value; a plain file keeps the last.
pub(crate) fn set(path: &Path, value: &str) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    // In one piece: the kernel reads each write by itself.
    let mut file = options.write(true).create(true).truncate(true).open(path)?;
    file.write_all(format!("{value}\n").as_bytes())
}

/// What a file says, trimmed; empty where there is none.
pub(crate) fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_default().trim().to_owned()
}

/// Removes a folder and what the kernel has made in it. One that is in use stays.
pub(crate) fn remove_folder(folder: &Path) {
    if let Err(error) = fs::remove_dir(folder)
        && error.kind() == io::ErrorKind::DirectoryNotEmpty
    {
        // One that is not the kernel's: there it has plain files. The kernel's own files cannot be removed.
        let _ = fs::remove_dir_all(folder);
    }
}

/// Folders in a folder, in the order of their names.
pub(crate) fn folders(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<_> = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    found.sort();
    found
}
