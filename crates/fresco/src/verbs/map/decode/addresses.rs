// SPDX-License-Identifier: MIT OR Apache-2.0
//! Addresses from the command line and from standard input.

use fresco_input::{InputError, decode};
use std::io::{Read, stdin};

/// Most that is read from standard input, in bytes: some ten million addresses.
const MOST_INPUT: u64 = 256 << 20;

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

/// The addresses of the words, in their order; `-` stands for those on standard input.
pub fn read(words: &[String]) -> Result<Vec<Asked>, InputError> {
    let mut asked = Vec::new();
    for word in words {
        if word == "-" {
            read_stream(&mut asked)?;
        } else {
            asked.push(address("command line", None, word)?);
        }
    }
    Ok(asked)
}

fn read_stream(asked: &mut Vec<Asked>) -> Result<(), InputError> {
    const NAME: &str = "standard input";
    let mut bytes = Vec::new();
    stdin()
        .lock()
        .take(MOST_INPUT + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| {
            InputError::new(NAME, format!("cannot be read: {error}")).cure("check what is at the other end of the pipe")
        })?;
    if bytes.len() as u64 > MOST_INPUT {
        return Err(InputError::new(NAME, "found more than 256 MiB")
            .allowed("a list of addresses")
            .cure("decode it in parts"));
    }
    for (line, text) in (1..).zip(decode(NAME, bytes)?.lines()) {
        let text = text.split('#').next().unwrap_or("").trim_ascii();
        if !text.is_empty() {
            asked.push(address(NAME, Some(line), text)?);
        }
    }
    Ok(())
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
                .cure("write one number per address, hexadecimal ones with 0x"))
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
