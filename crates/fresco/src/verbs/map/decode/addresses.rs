// SPDX-License-Identifier: MIT OR Apache-2.0
//! Addresses from the command line and from standard input.

use fresco_input::{InputError, file_name, is_standard_input, take_standard_input};
use std::io::Read;

/// Most that is read from standard input, in bytes: some ten million addresses.
const MOST_INPUT: u64 = 256 << 20;

/// What some editors put before a text in UTF-8.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// An address, and where it was asked for.
#[derive(Debug)]
pub struct Asked {
    /// The physical address.
    pub address: u64,
    /// The word or the stream, for errors.
    pub place: String,
    /// Its line in the stream.
    pub line: Option<u32>,
}

impl Asked {
    /// An error about it.
    pub fn error(&self, found: String) -> InputError {
        let error = InputError::new(self.place.clone(), found);
        match self.line {
            Some(line) => error.at_line(line),
            None => error,
        }
    }
}

/// The addresses of the words, in their order; `-` stands for those on standard input. What is no address is an error of
/// its own, and costs the others nothing; so is a standard input that cannot be read.
pub fn read(words: &[String]) -> Vec<Result<Asked, InputError>> {
    let of_word = |word: &String| match is_standard_input(word) {
        true => of_stream().unwrap_or_else(|error| vec![Err(error)]),
        false => vec![address("command line", None, word)],
    };
    words.iter().flat_map(of_word).collect()
}

fn of_stream() -> Result<Vec<Result<Asked, InputError>>, InputError> {
    let name = file_name("-");
    let mut bytes = Vec::new();
    let read = take_standard_input()?.take(MOST_INPUT + 1).read_to_end(&mut bytes);
    read.map_err(|error| {
        InputError::new(&name, format!("cannot be read: {error}")).help("check what is at the other end of the pipe")
    })?;
    if bytes.len() as u64 > MOST_INPUT {
        return Err(InputError::new(name, "found more than 256 MiB")
            .allowed("a list of addresses")
            .help("decode it in parts"));
    }
    let text = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&bytes);
    let lines = (1..).zip(text.split(|byte| *byte == b'\n'));
    let words = lines.filter_map(|(line, text)| {
        let word = text.split(|byte| *byte == b'#').next()?.trim_ascii();
        (!word.is_empty()).then(|| address(&name, Some(line), &String::from_utf8_lossy(word)))
    });
    Ok(words.collect())
}

fn address(place: &str, line: Option<u32>, word: &str) -> Result<Asked, InputError> {
    let mut asked = Asked {
        address: 0,
        place: place.to_owned(),
        line,
    };
    match number(word) {
        Some(address) => {
            asked.address = address;
            Ok(asked)
        }
        None => {
            let shown: String = word.chars().take(40).collect();
            Err(asked
                .error(format!("found {shown:?}"))
                .allowed("a physical address of at most 64 bits, in bytes: 8000 or 0x1f40")
                .help("write one number per address, hexadecimal ones with 0x"))
        }
    }
}

/// A number of 64 bits: decimal, or hexadecimal behind `0x`.
pub fn number(word: &str) -> Option<u64> {
    let (digits, radix) = match word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")) {
        Some(digits) => (digits, 16),
        None => (word, 10),
    };
    // Rust would take a sign here.
    let plain = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    u64::from_str_radix(digits, radix).ok().filter(|_| plain)
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_are_decimal_or_marked() {
        assert_eq!(number("8000"), Some(8000));
        assert_eq!(number("0x1F40"), Some(8000));
        assert_eq!(number("0xffffffffffffffff"), Some(u64::MAX));
        for word in [
            "",
            "0x",
            "1f40",
            "-1",
            "+1",
            "0x+1",
            "0x10000000000000000",
            "4 K",
            "1_000",
        ] {
            assert_eq!(number(word), None, "{word}");
        }
    }
}
