// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is to be run: the program's file, and what runs it.

use crate::decode::Architecture;
use crate::{Failure, Why};
use rustix::fs::{Access, access};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
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
                let architecture = architecture(&head).map_err(|found| Failure {
                    why: Why::CannotExecute,
                    what: format!("{}: {found}", path.display()),
                })?;
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
    let not_found = || Failure {
        why: Why::NotFound,
        what: format!("{}: not found", name.to_string_lossy()),
    };
    let fits = |path: &Path| path.is_file() && access(path, Access::EXEC_OK).is_ok();
    if name.as_bytes().contains(&b'/') {
        let path = PathBuf::from(name);
        return match (path.exists(), fits(&path)) {
            (false, _) => Err(not_found()),
            (true, true) => Ok(path),
            (true, false) => Err(Failure {
                why: Why::CannotExecute,
                what: format!("{}: cannot be executed", path.display()),
            }),
        };
    }
    let found = std::env::split_paths(search)
        .map(|directory| directory.join(name))
        .find(|path| fits(path));
    found.filter(|_| !name.is_empty()).ok_or_else(not_found)
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
