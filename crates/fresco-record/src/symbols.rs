// SPDX-License-Identifier: MIT OR Apache-2.0
//! Functions of a program by their names: the symbols of its ELF file.

use crate::{Failure, Why};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Sections of symbols: SHT_SYMTAB, SHT_DYNSYM.
const TABLES: [u32; 2] = [2, 11];
/// The type of a symbol that is a function: STT_FUNC, STT_GNU_IFUNC.
const FUNCTIONS: [u8; 2] = [2, 10];
/// A segment that is loaded, and that it is executed: PT_LOAD, PF_X.
const LOAD: u32 = 1;
const EXECUTED: u32 = 1;
/// Names that are proposed.
const PROPOSED: usize = 5;

/// How far a function lies behind the begin of the program's code.
///
/// # Errors
/// The file cannot be read, or has no such function; names that are alike are told.
pub fn address(program: &Path, name: &OsStr) -> Result<u64, Failure> {
    let unable = |what: String| Failure {
        why: Why::Symbol,
        what: format!("{}: {what}", program.display()),
    };
    let bytes = std::fs::read(program).map_err(|error| unable(error.to_string()))?;
    let elf = Elf(&bytes);
    let code = elf.code().ok_or_else(|| unable("no code in it".into()))?;
    let functions = elf.functions().unwrap_or_default();
    if let Some((_, address)) = functions.iter().find(|(other, _)| *other == name.as_bytes()) {
        return Ok(address.wrapping_sub(code));
    }
    let wanted = name.to_string_lossy();
    if functions.is_empty() {
        return Err(unable(format!(
            "no function {wanted}: it has no symbols; link it without -s, or do not strip it"
        )));
    }
    let mut names: Vec<String> = functions
        .iter()
        .map(|(name, _)| String::from_utf8_lossy(name).into_owned())
        .collect();
    names.sort_unstable();
    names.dedup();
    let near = fresco_input::closest(&wanted, names.iter().map(String::as_str)).map(str::to_owned);
    // Names of C++ and Rust have their words in them.
    let within = names.iter().filter(|name| name.contains(&*wanted)).cloned();
    let mut proposed: Vec<String> = near.into_iter().chain(within).take(PROPOSED).collect();
    proposed.dedup();
    let help = match proposed.is_empty() {
        true => format!("{} others; `nm` lists them", names.len()),
        false => format!("near: {}", proposed.join(", ")),
    };
    Err(unable(format!("no function {wanted}; {help}")))
}

/// An ELF file of 64 bits, little-endian.
struct Elf<'a>(&'a [u8]);

impl<'a> Elf<'a> {
    fn number<const N: usize>(&self, at: u64) -> Option<[u8; N]> {
        let at = usize::try_from(at).ok()?;
        self.0.get(at..)?.first_chunk().copied()
    }

    fn half(&self, at: u64) -> Option<u64> {
        Some(u16::from_le_bytes(self.number(at)?).into())
    }

    fn word(&self, at: u64) -> Option<u32> {
        Some(u32::from_le_bytes(self.number(at)?))
    }

    fn long(&self, at: u64) -> Option<u64> {
        Some(u64::from_le_bytes(self.number(at)?))
    }

    /// Lowest address of what is executed, as the emulator counts it.
    fn code(&self) -> Option<u64> {
        let (table, size, count) = (self.long(32)?, self.half(54)?, self.half(56)?);
        let segments = (0..count).filter_map(|number| table.checked_add(number * size));
        let executed =
            |at: &u64| self.word(*at) == Some(LOAD) && self.word(at + 4).is_some_and(|flags| flags & EXECUTED != 0);
        segments.filter(executed).filter_map(|at| self.long(at + 16)).min()
    }

    /// Functions that are defined, with their addresses.
    fn functions(&self) -> Option<Vec<(&'a [u8], u64)>> {
        let (table, size, count) = (self.long(40)?, self.half(58)?, self.half(60)?);
        let section = |number: u64| table.checked_add(number.checked_mul(size)?);
        let mut functions = Vec::new();
        for at in (0..count).filter_map(section) {
            if !self.word(at + 4).is_some_and(|kind| TABLES.contains(&kind)) {
                continue;
            }
            let (begin, bytes, names) = (self.long(at + 24)?, self.long(at + 32)?, self.word(at + 40)?);
            let names = self.long(section(names.into())? + 24)?;
            for symbol in (0..bytes / 24).filter_map(|number| begin.checked_add(number * 24)) {
                let kind = self.number::<1>(symbol + 4)?[0] & 15;
                if !FUNCTIONS.contains(&kind) || self.half(symbol + 6)? == 0 {
                    continue;
                }
                let name = names.checked_add(self.word(symbol)?.into())?;
                let name = self.0.get(usize::try_from(name).ok()?..)?;
                let end = name.iter().position(|byte| *byte == 0)?;
                functions.push((&name[..end], self.long(symbol + 8)?));
            }
        }
        Some(functions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_program_has_functions_and_no_damage_panics() {
        let bytes = std::fs::read(std::env::current_exe().expect("this program")).expect("readable");
        let elf = Elf(&bytes);
        let code = elf.code().expect("code");
        let functions = elf.functions().expect("symbols");
        assert!(
            functions
                .iter()
                .any(|(name, address)| *name == b"main" && *address > code)
        );
        let head = &bytes[..4096];
        for place in 0..64 {
            for value in [0, 1, 0x7f, 0xff] {
                let mut damaged = head.to_vec();
                damaged[place] = value;
                let _ = (Elf(&damaged).code(), Elf(&damaged).functions());
            }
        }
    }
}
