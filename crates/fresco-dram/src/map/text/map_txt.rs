// SPDX-License-Identifier: MIT OR Apache-2.0
//! `map.txt`, the format of drama-pp that PALLOC and IsolBench read: one function per line, as decimal bit numbers
//! separated by blanks; the order of the lines is the order of the bits of the bank number.
//!
//! Comments (`#` to the end of the line) are read, but never written: PALLOC's reader does not know them.

use super::{BankMap, Function, bank_map, bit_number, lines};
use crate::gf2::bits_of;
use fresco_input::InputError;

/// Reads a `map.txt`.
///
/// # Errors
/// A token that is no decimal number of 0 to 63, a bit named twice in a line, no function at all, a function that is
/// the XOR of lines before it.
pub fn parse(text: &str, file: &str) -> Result<BankMap, InputError> {
    let mut functions = Vec::new();
    for line in lines(text) {
        let mut mask = 0;
        for token in line.content.split_ascii_whitespace() {
            let bit = bit_number(token, file, line.number)?;
            if mask >> bit & 1 == 1 {
                return Err(InputError::new(file, format!("bit {bit} twice"))
                    .at_line(line.number)
                    .allowed("each bit once per line")
                    .help("a bit that is XORed twice cancels out: name it once, or leave it out"));
            }
            mask |= 1 << bit;
        }
        functions.push(Function {
            line: line.number,
            mask,
        });
        // More than 64 functions are dependent, whatever follows: stop reading where that is certain.
        if functions.len() > 64 {
            break;
        }
    }
    bank_map(&functions, file)
}

/// Writes functions as `map.txt`.
///
/// Page-coloring kernels apply the lines to the address of the page, so for them give the *usable* functions of a
/// color space ([`crate::ColorSpace::bank_functions`]), not those of the bank map.
pub fn format(functions: &[u64]) -> String {
    let mut text = String::new();
    for &mask in functions {
        let bits: Vec<String> = bits_of(mask).map(|bit| bit.to_string()).collect();
        text.push_str(&bits.join(" "));
        text.push('\n');
    }
    text
}
