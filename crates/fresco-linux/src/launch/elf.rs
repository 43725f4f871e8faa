// SPDX-License-Identifier: MIT OR Apache-2.0
//! What an ELF file says of its loader: by it a library can be put before the program.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileExt;

/// The loader that a program names.
pub(super) enum Loader {
    /// This one.
    Path(String),
    /// The program needs none.
    Absent,
    /// The program is not one of 64 bits of this machine.
    OtherClass,
}

/// Kinds of segments: what is loaded, and the name of the loader.
const LOAD: u64 = 1;
const INTERPRETER: u64 = 3;

/// Returns true if this is a whole shared library for this machine.
pub(super) fn is_loadable(file: &File) -> bool {
    /// `ET_DYN` of elf(5).
    const SHARED: [u8; 2] = [3, 0];
    let mut head = Vec::new();
    file.take(64).read_to_end(&mut head).is_ok()
        && head.starts_with(b"\x7fELF")
        && head.get(16..18) == Some(&SHARED)
        && matches!(loader(file, &head), Some(Loader::Absent | Loader::Path(_)))
}

/// The loader that an ELF file names (`PT_INTERP`); `None` if the file ends before what it names.
pub(super) fn loader(file: &File, head: &[u8]) -> Option<Loader> {
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
    if head.get(4..6)? != [2, 1] || number(head, 18, 2)? != own {
        return Some(Loader::OtherClass);
    }
    let file_bytes = file.metadata().ok()?.len();
    let (table, entry, count) = (number(head, 32, 8)?, number(head, 54, 2)?, number(head, 56, 2)?);
    let mut found = Loader::Absent;
    for index in 0..count {
        let mut header = [0; 56];
        file.read_exact_at(&mut header, table.checked_add(index * entry)?)
            .ok()?;
        let (kind, at, bytes) = (number(&header, 0, 4)?, number(&header, 8, 8)?, number(&header, 32, 8)?);
        if kind == LOAD && at.checked_add(bytes)? > file_bytes {
            return None;
        }
        if kind == INTERPRETER {
            let mut path = vec![0; bytes.min(4096) as usize];
            file.read_exact_at(&mut path, at).ok()?;
            found = Loader::Path(String::from_utf8_lossy(&path).into_owned());
        }
    }
    Some(found)
}
