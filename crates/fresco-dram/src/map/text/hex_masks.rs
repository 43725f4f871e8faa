// SPDX-License-Identifier: MIT OR Apache-2.0
//! One hexadecimal mask per line, as the row-hammer tools (TRRespass, Blacksmith) keep their bank functions.

use super::{BankMap, Function, bank_map, hex_mask, lines, shown};
use fresco_input::InputError;

/// Reads one mask per line (`0x2040`); `#` starts a comment. The order of the lines is the order of the bank bits.
///
/// # Errors
/// A line that is not one mask of `0x` and 1 to 16 digits, a mask of zero, no mask at all, a mask that is the XOR of
/// lines before it.
pub fn parse(text: &str, file: &str) -> Result<BankMap, InputError> {
    let mut functions = Vec::new();
    for line in lines(text) {
        if let Some((_, more)) = line.content.split_once(|c: char| c.is_ascii_whitespace()) {
            return Err(
                InputError::new(file, format!("`{}` after the mask", shown(more.trim_ascii())))
                    .at_line(line.number)
                    .allowed("one mask per line")
                    .help("write each function in a line of its own"),
            );
        }
        functions.push(Function {
            line: line.number,
            mask: hex_mask(line.content, file, line.number)?,
        });
        if functions.len() > 64 {
            break;
        }
    }
    bank_map(&functions, file)
}

/// Writes one mask per line.
pub fn format(functions: &[u64]) -> String {
    functions.iter().map(|mask| format!("{mask:#x}\n")).collect()
}
