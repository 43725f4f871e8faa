// SPDX-License-Identifier: MIT OR Apache-2.0
//! The first file system of a virtual machine: programs of this machine with the libraries that they need, as a cpio archive (newc, the
//! format that Linux unpacks: Documentation/driver-api/early-userspace/buffer-format.rst).

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

const DIRECTORY: u32 = 0o040_755;
const FILE: u32 = 0o100_000;
/// A device of characters that everybody may use.
const DEVICE: u32 = 0o020_666;
/// Numbers of /dev/console: Documentation/admin-guide/devices.txt.
const CONSOLE: (u32, u32) = (5, 1);
const NULL: (u32, u32) = (1, 3);

/// An archive in the making.
pub struct Initramfs {
    bytes: Vec<u8>,
    entries: u32,
    there: BTreeSet<PathBuf>,
}

impl Initramfs {
    /// One with places for what the kernel mounts, and a console.
    pub fn new() -> Self {
        let mut archive = Self {
            bytes: Vec::new(),
            entries: 0,
            there: BTreeSet::new(),
        };
        for place in ["dev", "proc", "sys", "tmp", "run", "loop"] {
            archive.directories(&Path::new(place).join("x"));
        }
        archive.entry("dev/console", DEVICE, CONSOLE, &[]);
        archive.entry("dev/null", DEVICE, NULL, &[]);
        archive
    }

    /// A file with this content.
    pub fn file(&mut self, place: &Path, mode: u32, content: &[u8]) {
        let place = place.strip_prefix("/").unwrap_or(place);
        if self.there.contains(place) {
            return;
        }
        self.directories(place);
        self.there.insert(place.to_owned());
        self.entry(&place.to_string_lossy(), FILE | mode, (0, 0), content);
    }

    /// A file of this machine, at the same place, or all files of a directory; of a link what it points to, unless that is a directory.
    ///
    /// # Errors
    /// One cannot be read.
    pub fn copy(&mut self, path: &Path) -> io::Result<()> {
        if path.is_dir() {
            let mut inside: Vec<PathBuf> = fs::read_dir(path)?
                .map(|entry| Ok(entry?.path()))
                .collect::<io::Result<_>>()?;
            // Two recordings of the same are the same.
            inside.sort();
            // A link to a directory may lead back.
            let copied = |path: &&PathBuf| path.is_file() || (path.is_dir() && !path.is_symlink());
            return inside.iter().filter(copied).try_for_each(|path| self.copy(path));
        }
        let mode = fs::metadata(path)?.permissions().mode() & 0o777;
        self.file(path, mode, &fs::read(path)?);
        Ok(())
    }

    /// What a program needs to be loaded, at the same places; nothing of a program without libraries.
    ///
    /// # Errors
    /// One cannot be read.
    pub fn libraries(&mut self, program: &Path) -> io::Result<()> {
        // It prints `NAME => PATH (ADDRESS)`, and `PATH (ADDRESS)` of what loads them; of a static program it fails.
        let told = Command::new("ldd").arg(program).output()?;
        for line in String::from_utf8_lossy(&told.stdout).lines() {
            let words = line.split_whitespace();
            if let Some(path) = words.map(Path::new).find(|word| word.is_absolute()) {
                self.copy(path)?;
            }
        }
        Ok(())
    }

    /// The archive.
    pub fn finish(mut self) -> Vec<u8> {
        self.entry("TRAILER!!!", 0, (0, 0), &[]);
        self.bytes
    }

    fn directories(&mut self, place: &Path) {
        let above: Vec<&Path> = place
            .ancestors()
            .skip(1)
            .filter(|place| place.parent().is_some())
            .collect();
        for place in above.into_iter().rev() {
            if self.there.insert(place.to_owned()) {
                self.entry(&place.to_string_lossy(), DIRECTORY, (0, 0), &[]);
            }
        }
    }

    fn entry(&mut self, name: &str, mode: u32, (major, minor): (u32, u32), content: &[u8]) {
        self.entries += 1;
        let (length, name_length) = (content.len() as u32, name.len() as u32 + 1);
        let fields = [
            self.entries,
            mode,
            0,
            0,
            1,
            0,
            length,
            0,
            0,
            major,
            minor,
            name_length,
            0,
        ];
        self.bytes.extend_from_slice(b"070701");
        for field in fields {
            self.bytes.extend_from_slice(format!("{field:08x}").as_bytes());
        }
        self.bytes.extend_from_slice(name.as_bytes());
        self.bytes.push(0);
        self.fill();
        self.bytes.extend_from_slice(content);
        self.fill();
    }

    /// Up to a multiple of four bytes.
    fn fill(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_archive_is_one_that_cpio_reads() {
        let mut archive = Initramfs::new();
        archive.file(Path::new("/a/b/c"), 0o644, b"hello");
        archive.file(Path::new("/a/b/c"), 0o644, b"again");
        let bytes = archive.finish();
        let text = String::from_utf8_lossy(&bytes);
        assert_eq!(text.matches("070701").count(), 6 + 2 + 2 + 1 + 1, "{text}");
        assert!(text.starts_with("070701000000010000"));
        assert!(
            text.contains("a/b/c\0") && text.contains(concat!("hello\0\0\0", "070701")),
            "{text}"
        );
        assert_eq!(bytes.len() % 4, 0);
    }
}
