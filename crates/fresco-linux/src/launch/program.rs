// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finding a program as a shell does, and finding out whether a library can be put before it.

use crate::backend::Backend;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// A program that can be started with coloured memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// As the user named it.
    pub name: OsString,
    /// Where it is.
    pub path: PathBuf,
}

/// Why it cannot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgramError {
    /// There is none of this name.
    NotFound,
    /// It may not be executed, or read.
    NotExecutable(String),
    /// No library can be put before it.
    Unsuited(&'static str),
}

impl ProgramError {
    /// The exit status that a shell has for it; 125 where a shell would have run it.
    pub fn status(&self) -> u8 {
        match self {
            Self::NotFound => 127,
            Self::NotExecutable(_) => 126,
            Self::Unsuited(_) => 125,
        }
    }
}

impl fmt::Display for ProgramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound => f.write_str("no such program"),
            Self::NotExecutable(reason) => f.write_str(reason),
            Self::Unsuited(reason) => f.write_str(reason),
        }
    }
}

impl Program {
    /// Looks for `name`, in the directories of `search` (the value of `PATH`) unless it has a slash. Any program will
    /// do for a kernel that colours; before others a library has to be put.
    ///
    /// # Errors
    /// [`ProgramError`].
    pub fn find(name: &OsStr, search: &OsStr, backend: Backend) -> Result<Self, ProgramError> {
        let mut denied = None;
        let candidates: Vec<PathBuf> = match name.as_bytes().contains(&b'/') {
            true => vec![PathBuf::from(name)],
            false if name.is_empty() => Vec::new(),
            false => std::env::split_paths(search)
                .map(|directory| directory.join(name))
                .collect(),
        };
        for path in candidates {
            match executable(&path) {
                Ok(()) => {
                    suited(&path, 0, backend)?;
                    let name = name.to_owned();
                    return Ok(Self { name, path });
                }
                // As a shell: one that may not be executed is remembered, the search goes on.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => denied = denied.or(Some(error)),
            }
        }
        Err(denied.map_or(ProgramError::NotFound, |error| {
            ProgramError::NotExecutable(error.to_string())
        }))
    }
}

fn executable(path: &Path) -> io::Result<()> {
    let about = match std::fs::metadata(path) {
        Err(error) if error.raw_os_error() == Some(libc::ENOTDIR) => Err(io::ErrorKind::NotFound.into()),
        about => about,
    }?;
    match about.is_file() && about.permissions().mode() & 0o111 != 0 {
        true => Ok(()),
        false if about.is_dir() => Err(io::Error::other("is a directory")),
        false => Err(io::Error::from_raw_os_error(libc::EACCES)),
    }
}

/// Refuses programs into which the loader would not put a library: they would run without colours.
fn suited(path: &Path, depth: u32, backend: Backend) -> Result<(), ProgramError> {
    let denied = |error: io::Error| ProgramError::NotExecutable(error.to_string());
    let about = std::fs::metadata(path).map_err(denied)?;
    let kernel = backend == Backend::Kernel;
    if !kernel && about.permissions().mode() & 0o6000 != 0 && !rustix::process::geteuid().is_root() {
        return Err(ProgramError::Unsuited(
            "has privileges of its own (set-user-ID): no library can be put before it",
        ));
    }
    let mut file = match File::open(path) {
        // What may be executed need not be readable.
        Err(error) if kernel && error.kind() == io::ErrorKind::PermissionDenied => return Ok(()),
        file => file.map_err(denied)?,
    };
    let mut head = Vec::new();
    file.by_ref().take(4096).read_to_end(&mut head).map_err(denied)?;
    if let Some(line) = head.strip_prefix(b"#!") {
        let words = line.split(|&byte| byte == b'\n').next().unwrap_or_default();
        let mut words = words
            .split(|byte| b" \t\r".contains(byte))
            .filter(|word| !word.is_empty());
        let interpreter = words.next().unwrap_or_default();
        // A kernel follows four.
        return match depth < 4 && !interpreter.is_empty() {
            true => suited(Path::new(OsStr::from_bytes(interpreter)), depth + 1, backend),
            false => Err(ProgramError::NotExecutable("has no interpreter".to_owned())),
        };
    }
    if !head.starts_with(b"\x7fELF") {
        // A shell would run it as a script of its own; execve does not.
        return Err(ProgramError::NotExecutable(
            "is neither a program nor a script with #!".to_owned(),
        ));
    }
    if kernel {
        return Ok(());
    }
    match loader(&file, &head) {
        Some(Loader::OtherClass) => Err(ProgramError::Unsuited("is not a 64-bit program of this machine")),
        Some(Loader::Path(loader)) if loader.contains("musl") => {
            Err(ProgramError::Unsuited("uses musl; the library needs the GNU C library"))
        }
        Some(Loader::Path(_)) => Ok(()),
        None => Err(ProgramError::Unsuited(
            "is linked statically: no library can be put before it, so its memory cannot be coloured",
        )),
    }
}

enum Loader {
    Path(String),
    OtherClass,
}

/// The loader that an ELF file names (`PT_INTERP`).
fn loader(file: &File, head: &[u8]) -> Option<Loader> {
    let number = |bytes: &[u8], at: usize, size: usize| -> Option<u64> {
        let bytes = bytes.get(at..at + size)?;
        Some(
            bytes
                .iter()
                .rev()
                .fold(0, |number, &byte| number << 8 | u64::from(byte)),
        )
    };
    // 64 bits, little-endian, and the machine of this very program.
    let own: u64 = if cfg!(target_arch = "x86_64") { 62 } else { 183 };
    if head.get(4..6) != Some(&[2, 1]) || number(head, 18, 2) != Some(own) {
        return Some(Loader::OtherClass);
    }
    let (table, entry, count) = (number(head, 32, 8)?, number(head, 54, 2)?, number(head, 56, 2)?);
    for index in 0..count {
        let mut header = [0; 56];
        file.read_exact_at(&mut header, table.checked_add(index * entry)?)
            .ok()?;
        if number(&header, 0, 4) == Some(3) {
            let mut path = vec![0; number(&header, 32, 8)?.min(4096) as usize];
            file.read_exact_at(&mut path, number(&header, 8, 8)?).ok()?;
            return Some(Loader::Path(String::from_utf8_lossy(&path).into_owned()));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn search() -> OsString {
        OsString::from("/nowhere:/bin:/usr/bin")
    }

    fn file(name: &str, content: &[u8], mode: u32) -> PathBuf {
        let path = std::env::temp_dir().join(format!("fresco-program-{}-{name}", std::process::id()));
        fs::write(&path, content).expect("writable");
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("ours");
        path
    }

    #[test]
    fn programs_are_found_as_a_shell_finds_them() {
        let shell = Program::find(OsStr::new("sh"), &search(), Backend::Stock).expect("every machine has a shell");
        assert_eq!(shell.name, "sh");
        assert!(shell.path.ends_with("sh"));
        assert!(Program::find(OsStr::new("/bin/sh"), OsStr::new(""), Backend::Stock).is_ok());
        for (name, status) in [
            ("no-such-program", 127),
            ("", 127),
            ("/bin", 126),
            ("/etc/passwd", 126),
            ("/etc/passwd/x", 127),
        ] {
            let error = Program::find(OsStr::new(name), &search(), Backend::Stock).expect_err(name);
            assert_eq!(error.status(), status, "{name}: {error}");
        }
    }

    #[test]
    fn programs_that_load_no_library_are_refused() {
        for (name, content, status) in [
            ("script", b"#!/bin/sh\n".as_slice(), 0),
            ("lost", b"#! /no/such/interpreter -x\n", 126),
            ("empty", b"#!\n", 126),
            ("text", b"echo\n", 126),
            ("cut", b"\x7fELF\x02\x01", 125),
            ("short", b"\x7fELF\x01\x01\x01", 125),
        ] {
            let path = file(name, content, 0o755);
            let found = Program::find(path.as_os_str(), &search(), Backend::Stock);
            fs::remove_file(&path).expect("ours");
            assert_eq!(found.map_or_else(|error| error.status(), |_| 0), status, "{name}");
        }
        // A static program: an ELF header without a table of segments.
        let mut content = vec![0u8; 64];
        content[..6].copy_from_slice(b"\x7fELF\x02\x01");
        content[18] = if cfg!(target_arch = "x86_64") { 62 } else { 183 };
        let path = file("static", &content, 0o755);
        let found = Program::find(path.as_os_str(), &search(), Backend::Stock);
        let by_kernel = Program::find(path.as_os_str(), &search(), Backend::Kernel);
        fs::remove_file(&path).expect("ours");
        assert!(found.expect_err("no loader").to_string().contains("statically"));
        assert!(by_kernel.is_ok(), "the kernel needs no library");
    }
}
