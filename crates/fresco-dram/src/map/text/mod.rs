// SPDX-License-Identifier: MIT OR Apache-2.0
//! The text formats in which bank maps are passed around: `map.txt`, PALLOC masks, lists of hexadecimal masks;
//! and whole maps for other simulators.
//!
//! Readers take the text and the name of its file; every fault is an [`InputError`] with the line and the help.

pub mod hex_masks;
pub mod map_txt;
pub mod palloc;
pub mod simulators;
#[cfg(test)]
mod tests;

use super::{BankMap, MapError, xor_text};
use fresco_input::InputError;

/// A line of a text file, without its comment: number counted from 1, and content. Blank lines are left out.
#[derive(Clone, Copy)]
struct Line<'a> {
    number: u32,
    content: &'a str,
}

fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    text.lines()
        .enumerate()
        .map(|(index, line)| {
            let content = line.split_once('#').map_or(line, |(before, _)| before).trim_ascii();
            Line {
                number: index as u32 + 1,
                content,
            }
        })
        .filter(|line| !line.content.is_empty())
}

/// One parity function and the line it came from.
struct Function {
    line: u32,
    mask: u64,
}

/// Makes a map of the functions of a file, and refuses an empty file and dependent functions by line.
fn bank_map(functions: &[Function], file: &str) -> Result<BankMap, InputError> {
    if functions.is_empty() {
        return Err(InputError::new(file, "no function")
            .allowed("at least one function")
            .help("write one line per bank bit"));
    }
    BankMap::new(functions.iter().map(|function| function.mask).collect(), 0).map_err(|error| {
        let MapError::DependentSelectors { function, sum_of } = error else {
            return error.into_input(file, "");
        };
        let Function { line, mask } = functions[function];
        let lines: Vec<String> = sum_of.iter().map(|&other| functions[other].line.to_string()).collect();
        let found = match lines.as_slice() {
            [] => "a function without bits".to_owned(),
            [only] => format!("the function {} again, as in line {only}", xor_text(mask)),
            _ => format!(
                "the function {}, which is the XOR of lines {}",
                xor_text(mask),
                lines.join(", ")
            ),
        };
        InputError::new(file, found)
            .at_line(line)
            .allowed("functions none of which is the XOR of others")
            .help("remove the line: it tells no banks apart that the others do not")
    })
}

/// A decimal physical address bit number, `0..=63`.
fn bit_number(token: &str, file: &str, line: u32) -> Result<u32, InputError> {
    let fault = |help: &str| {
        Err(InputError::new(file, format!("`{}`", shown(token)))
            .at_line(line)
            .allowed("decimal physical address bit numbers 0 to 63, separated by blanks")
            .help(help))
    };
    if token.bytes().all(|byte| byte.is_ascii_digit()) {
        return match token.parse::<u32>() {
            Ok(bit) if bit < 64 => Ok(bit),
            _ => fault("physical addresses have 64 bits; bit 0 is the least significant"),
        };
    }
    let unsigned = token.trim_start_matches(['-', '+']);
    if unsigned.len() < token.len() && unsigned.bytes().all(|byte| byte.is_ascii_digit()) {
        fault("write bit numbers without a sign")
    } else if is_hexadecimal(token) {
        fault("write bit numbers in decimal; read a file of hexadecimal masks as hex masks")
    } else if token.contains([',', ';', '^']) {
        fault("separate the bits of a function by blanks, and functions by lines")
    } else {
        fault("write one parity function per line, as decimal bit numbers")
    }
}

fn is_hexadecimal(token: &str) -> bool {
    let digits = token
        .strip_prefix("0x")
        .or_else(|| token.strip_prefix("0X"))
        .unwrap_or(token);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// A hexadecimal mask `0x…` of at most 64 bits, not zero.
fn hex_mask(token: &str, file: &str, line: u32) -> Result<u64, InputError> {
    let fault = |found: String, help: &str| {
        Err(InputError::new(file, found)
            .at_line(line)
            .allowed("a hexadecimal mask of physical address bits, 0x1 to 0xffffffffffffffff")
            .help(help))
    };
    let Some(digits) = token.strip_prefix("0x").or_else(|| token.strip_prefix("0X")) else {
        return fault(format!("`{}`", shown(token)), "begin the mask with 0x");
    };
    if !is_hexadecimal(token) {
        return fault(format!("`{}`", shown(token)), "use the digits 0 to 9 and a to f only");
    }
    match u64::from_str_radix(digits, 16) {
        Ok(0) => fault("a mask of zero".into(), "set the bits that the function reads"),
        Ok(mask) => Ok(mask),
        Err(_) => fault(
            format!("`{}`", shown(token)),
            "physical addresses have 64 bits: at most 16 digits",
        ),
    }
}

/// The start of a token, short enough for an error message.
fn shown(token: &str) -> String {
    const MOST: usize = 40;
    if token.chars().count() <= MOST {
        token.escape_debug().to_string()
    } else {
        let start: String = token.chars().take(MOST).collect();
        format!("{}…", start.escape_debug())
    }
}
