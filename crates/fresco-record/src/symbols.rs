// SPDX-License-Identifier: MIT OR Apache-2.0
//! Functions of a program by their names: the symbols of its ELF file.

use crate::{Failure, Why};
use elf::abi::{PF_X, PT_LOAD, STT_FUNC, STT_GNU_IFUNC};
use elf::endian::AnyEndian;
use elf::symbol::Symbol;
use elf::{ElfBytes, ParseError};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

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
    let (code, functions) = parsed(&bytes).map_err(|error| unable(format!("no ELF file that can be read: {error}")))?;
    let code = code.ok_or_else(|| unable("no code in it".into()))?;
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

/// Names of functions, each with its address.
type Functions<'a> = Vec<(&'a [u8], u64)>;

/// The lowest address of what is executed, as the emulator counts it, and the functions that are defined.
fn parsed(bytes: &[u8]) -> Result<(Option<u64>, Functions<'_>), ParseError> {
    let elf = ElfBytes::<AnyEndian>::minimal_parse(bytes)?;
    let segments = elf.segments().into_iter().flatten();
    let code = segments.filter(|segment| segment.p_type == PT_LOAD && segment.p_flags & PF_X != 0);
    let code = code.map(|segment| segment.p_vaddr).min();
    let mut functions = Vec::new();
    for (symbols, names) in [elf.symbol_table()?, elf.dynamic_symbol_table()?].into_iter().flatten() {
        let is_function = |symbol: &Symbol| [STT_FUNC, STT_GNU_IFUNC].contains(&symbol.st_symtype());
        for symbol in symbols
            .iter()
            .filter(|symbol| is_function(symbol) && !symbol.is_undefined())
        {
            functions.push((names.get_raw(symbol.st_name as usize)?, symbol.st_value));
        }
    }
    Ok((code, functions))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_program_has_functions_and_no_damage_panics() {
        let bytes = std::fs::read(std::env::current_exe().expect("this program")).expect("readable");
        let (code, functions) = parsed(&bytes).expect("an ELF file");
        let code = code.expect("code");
        assert!(
            functions
                .iter()
                .any(|(name, address)| *name == b"main" && *address > code)
        );
        for place in 0..57 {
            for width in [1, 8] {
                let mut damaged = bytes[..4096].to_vec();
                damaged[place..place + width].fill(0xff);
                let _ = parsed(&damaged);
            }
        }
    }
}
