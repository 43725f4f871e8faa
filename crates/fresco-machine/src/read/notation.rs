// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parity functions as machine files write them.
//!
//! A list, least significant function first. Each element is one function or several: an integer is that address bit; a
//! list of integers is the XOR of those bits; a text such as `"15-16,18"` is one function for each of its bits. Instead
//! of the list, one such text may stand alone.

use fresco_input::{InputError, Item};

/// Physical addresses have at most 52 bits (x86-64, ARMv8-A with LPA).
pub(super) const TOP_BIT: u32 = 51;
/// More functions than an address has bits cannot be independent.
const MOST: usize = TOP_BIT as usize + 1;

/// The masks of the functions of one field.
pub(super) fn functions(item: &Item<'_>) -> Result<Vec<u64>, InputError> {
    let mut masks = Vec::new();
    if item.is_text() {
        masks.extend(item.numbers(0..=TOP_BIT)?.into_iter().map(|bit| 1u64 << bit));
        return Ok(masks);
    }
    let form = |error: InputError| error.allowed("a list: bits (6), XORs of bits ([13, 17]), ranges (\"18-33\")");
    let elements = item
        .list()
        .map_err(|error| form(error).help("put the functions between square brackets"))?;
    for element in elements {
        let bits = match element.is_text() || element.is_list() {
            true => element.numbers(0..=TOP_BIT)?,
            false => vec![
                element
                    .integer(0..=TOP_BIT)
                    .map_err(|error| error.help("write a bit number, a list of bits, or a range in quotes"))?,
            ],
        };
        if element.is_list() {
            if bits.is_empty() {
                return Err(form(element.error("found an XOR of no bits")).help("name the bits, or remove it"));
            }
            masks.push(bits.iter().fold(0, |mask, bit| mask | 1u64 << bit));
        } else {
            masks.extend(bits.into_iter().map(|bit| 1u64 << bit));
        }
        if masks.len() > MOST {
            return Err(item
                .error(format!("found more than {MOST} functions"))
                .allowed("one for each address bit")
                .help("remove some"));
        }
    }
    Ok(masks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fresco_input::Document;

    fn read(text: &str) -> Result<Vec<u64>, String> {
        let doc = Document::parse("f.toml", &format!("f = {text}")).expect("is TOML");
        let masks = functions(&doc.root().item("f", "").expect("is there"));
        masks.map_err(|error| error.to_string())
    }

    #[test]
    fn bits_xors_and_ranges() {
        assert_eq!(read("[6]"), Ok(vec![1 << 6]));
        assert_eq!(
            read("[[13, 17], [14, 18]]"),
            Ok(vec![1 << 13 | 1 << 17, 1 << 14 | 1 << 18])
        );
        assert_eq!(read("[\"15-16,18\"]"), Ok(vec![1 << 15, 1 << 16, 1 << 18]));
        assert_eq!(read("\"3-5\""), Ok(vec![8, 16, 32]));
        assert_eq!(
            read("[7, \"9-10\", [8, 14]]"),
            Ok(vec![1 << 7, 1 << 9, 1 << 10, 1 << 8 | 1 << 14])
        );
        assert_eq!(read("[]"), Ok(vec![]));
    }

    #[test]
    fn what_is_no_function_is_refused() {
        for (text, part) in [
            ("7", "found the integer 7"),
            ("[52]", "an integer from 0 to 51"),
            ("[[]]", "f.0: found an XOR of no bits"),
            ("[[13, 13]]", "found 13 twice"),
            ("[true]", "f.0: found true"),
            ("\"5-3\"", "found \"5-3\""),
            ("[\"0-51\", 1]", "more than 52 functions"),
        ] {
            let error = read(text).expect_err("is refused");
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
