// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is to be run: the program's file, and what runs it.

use crate::decode::Architecture;
use crate::{Failure, Why};
use rustix::fs::{Access, access};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// A program that can be recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Its file.
    pub path: PathBuf,
    /// Its architecture.
    pub architecture: Architecture,
    /// Its name, as it was typed.
    pub name: OsString,
    /// Arguments that come before its own: those of a script's interpreter, and the script.
    pub before: Vec<OsString>,
}

/// Bytes of the first line of a script that Linux looks at.
const SHEBANG: usize = 256;
/// Interpreters of interpreters that Linux follows.
const DEPTH: usize = 4;

impl Program {
    /// Finds a program as a shell does, and looks through scripts to what interprets them.
    ///
    /// # Errors
    /// It is not found, cannot be executed, or is no program that can be recorded.
    pub fn find(name: &OsStr, search: &OsStr) -> Result<Self, Failure> {
        let mut path = locate(name, search)?;
        let (mut shown, mut before) = (name.to_owned(), Vec::new());
        for _ in 0..=DEPTH {
            let head = head(&path)?;
            let Some(line) = head.strip_prefix(b"#!") else {
                let architecture = architecture(&head).map_err(|found| cannot_execute(&path, &found))?;
                check_whole(&path, &head)?;
                return Ok(Self {
                    path: std::fs::canonicalize(&path).unwrap_or(path),
                    architecture,
                    name: shown,
                    before,
                });
            };
            let end = line.iter().position(|byte| *byte == b'\n').unwrap_or(line.len());
            let line = line[..end].trim_ascii();
            let split = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
            let (interpreter, argument) = (&line[..split], line[split..].trim_ascii());
            before.insert(0, path.into_os_string());
            if !argument.is_empty() {
                before.insert(0, OsString::from_vec(argument.to_vec()));
            }
            shown = OsString::from_vec(interpreter.to_vec());
            path = PathBuf::from(&shown);
        }
        Err(Failure {
            why: Why::CannotExecute,
            what: format!("{}: interpreters without end", name.to_string_lossy()),
        })
    }
}

fn locate(name: &OsStr, search: &OsStr) -> Result<PathBuf, Failure> {
    let candidates: Vec<PathBuf> = match name.as_bytes().contains(&b'/') {
        true => vec![PathBuf::from(name)],
        false if name.is_empty() => Vec::new(),
        false => std::env::split_paths(search)
            .map(|directory| directory.join(name))
            .collect(),
    };
    // As a shell: one that may not be executed is remembered, the search goes on.
    let mut denied = None;
    for path in candidates {
        let why = match (path.is_file(), path.is_dir()) {
            (true, _) if access(&path, Access::EXEC_OK).is_ok() => return Ok(path),
            (_, true) => "is a directory",
            (false, _) if !path.exists() => continue,
            _ => "cannot be executed",
        };
        denied = denied.or(Some((path, why)));
    }
    Err(match denied {
        Some((path, why)) => cannot_execute(&path, why),
        None => Failure {
            why: Why::NotFound,
            what: format!("{}: not found", name.to_string_lossy()),
        },
    })
}

fn cannot_execute(path: &Path, why: &str) -> Failure {
    Failure {
        why: Why::CannotExecute,
        what: format!("{}: {why}", path.display()),
    }
}

/// Refuses an ELF file of 64 bits, which begins with `head`, that ends before what it names: the emulator would crash.
fn check_whole(path: &Path, head: &[u8]) -> Result<(), Failure> {
    let damaged = || cannot_execute(path, "is damaged: an ELF file that ends before what its headers name");
    let unreadable = |error: std::io::Error| cannot_execute(path, &error.to_string());
    let file = File::open(path).map_err(unreadable)?;
    let bytes = file.metadata().map_err(unreadable)?.len();
    let short = |bytes: &[u8], at: usize| {
        let word = bytes.get(at..at + 2)?;
        Some(u64::from(u16::from_le_bytes([word[0], word[1]])))
    };
    let long = |bytes: &[u8], at: usize| Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
    // Of the table of what is loaded: its place, the size of an entry and their number.
    let table = (|| Some((long(head, 32)?, short(head, 54)?, short(head, 56)?)))();
    let (place, size, count) = table.ok_or_else(damaged)?;
    for number in 0..count {
        let mut entry = [0; 56];
        let at = place.saturating_add(number * size);
        file.read_exact_at(&mut entry, at).map_err(|_| damaged())?;
        // PT_LOAD: place and length in the file.
        let (Some(offset), Some(length)) = (long(&entry, 8), long(&entry, 32)) else {
            return Err(damaged());
        };
        // Of what is all zero nothing is in the file, wherever it would begin.
        if entry[..4] == [1, 0, 0, 0] && length > 0 && offset.saturating_add(length) > bytes {
            return Err(damaged());
        }
    }
    Ok(())
}

fn head(path: &Path) -> Result<Vec<u8>, Failure> {
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(SHEBANG as u64).read_to_end(&mut head));
    match read {
        Ok(_) => Ok(head),
        Err(error) => Err(Failure {
            why: if error.kind() == std::io::ErrorKind::NotFound {
                Why::NotFound
            } else {
                Why::CannotExecute
            },
            what: format!("{}: {error}", path.display()),
        }),
    }
}

/// The architecture in the head of an ELF file.
fn architecture(head: &[u8]) -> Result<Architecture, String> {
    // ELF, 64 bits, little-endian; then, at 18, the machine: EM_X86_64, EM_AARCH64.
    let machine = head.get(18..20).map(|bytes| u16::from_le_bytes([bytes[0], bytes[1]]));
    match (head.starts_with(b"\x7fELF\x02\x01"), machine) {
        (true, Some(62)) => Ok(Architecture::X86),
        (true, Some(183)) => Ok(Architecture::Arm),
        (true, Some(machine)) => Err(format!(
            "a program for another machine (ELF number {machine}): x86-64 and aarch64 are recorded"
        )),
        _ if head.starts_with(b"\x7fELF") => {
            Err("a program of 32 bits, or with the highest byte first: x86-64 and aarch64 are recorded".into())
        }
        _ => Err("neither a program (ELF) nor a script that names its interpreter (#!)".into()),
    }
}
