// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fields of one line, read digit by digit in one go; words are put together only where something is wrong.

/// What is wrong with a field; becomes an [`fresco_input::InputError`] with the file and line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FieldFault {
    pub field: &'static str,
    pub found: String,
    pub allowed: &'static str,
    pub help: &'static str,
}

/// The result of reading a field. The fault is boxed: it is rare, and the way of the good result stays short.
pub(crate) type Field<T> = Result<T, Box<FieldFault>>;

/// Reads fields from left to right.
pub(crate) struct Scanner<'a> {
    line: &'a [u8],
    /// What is not read yet.
    rest: &'a [u8],
}

/// Value of a hexadecimal digit, 0xff for every other byte.
pub(super) static HEX: [u8; 256] = {
    let mut table = [0xff; 256];
    let mut digit = 0;
    while digit < 16 {
        table[b"0123456789abcdef"[digit] as usize] = digit as u8;
        table[b"0123456789ABCDEF"[digit] as usize] = digit as u8;
        digit += 1;
    }
    table
};

/// Digits that certainly fit 64 bits.
const SAFE_DECIMALS: usize = 19;

impl<'a> Scanner<'a> {
    /// The fields of `line`, which contains no line end.
    pub fn new(line: &'a [u8]) -> Self {
        Self { line, rest: line }
    }

    #[inline]
    fn skip_blanks(&mut self) {
        while let [b' ' | b'\t', rest @ ..] = self.rest {
            self.rest = rest;
        }
    }

    /// Returns true if there is another field.
    #[inline]
    pub fn has_more(&mut self) -> bool {
        self.skip_blanks();
        !self.rest.is_empty()
    }

    /// A number of 64 bits in base 16, with or without `0x`.
    #[inline]
    pub fn hex(&mut self, field: &'static str) -> Field<u64> {
        self.skip_blanks();
        let start = self.rest;
        let mut rest = start;
        if let [b'0', b'x' | b'X', digits @ ..] = rest {
            rest = digits;
        }
        let digits = rest.len();
        let (mut value, mut excess) = (0u64, 0);
        while let [byte, after @ ..] = rest {
            let digit = HEX[usize::from(*byte)];
            if digit == 0xff {
                break;
            }
            excess |= value >> 60;
            value = value << 4 | u64::from(digit);
            rest = after;
        }
        if rest.len() == digits || excess != 0 || !at_boundary(rest) {
            return Err(self.number_fault(start, rest, field, "a hexadecimal number of at most 64 bits, 0x1f40"));
        }
        self.rest = rest;
        Ok(value)
    }

    /// A number of 64 bits in base 10.
    #[inline]
    pub fn decimal(&mut self, field: &'static str) -> Field<u64> {
        self.skip_blanks();
        let start = self.rest;
        let mut rest = start;
        let mut value = 0u64;
        while let [byte @ b'0'..=b'9', after @ ..] = rest {
            value = value.wrapping_mul(10).wrapping_add(u64::from(byte - b'0'));
            rest = after;
        }
        let digits = &start[..start.len() - rest.len()];
        let fits = digits.len() <= SAFE_DECIMALS || fits_decimal(digits);
        if digits.is_empty() || !fits || !at_boundary(rest) {
            return Err(self.number_fault(start, rest, field, "a decimal number of at most 64 bits"));
        }
        self.rest = rest;
        Ok(value)
    }

    /// A number of 64 bits: in base 16 if it begins with `0x`, else in base 10.
    #[inline]
    pub fn number(&mut self, field: &'static str) -> Field<u64> {
        self.skip_blanks();
        match self.rest {
            [b'0', b'x' | b'X', ..] => self.hex(field),
            _ => self.decimal(field),
        }
    }

    /// The next field as it stands; empty at the end of the line.
    #[inline]
    pub fn word(&mut self) -> &'a [u8] {
        self.skip_blanks();
        let start = self.rest;
        while !at_boundary(self.rest) {
            self.rest = &self.rest[1..];
        }
        &start[..start.len() - self.rest.len()]
    }

    /// Nothing may follow.
    #[inline]
    pub fn end(&mut self) -> Field<()> {
        if !self.has_more() {
            return Ok(());
        }
        Err(self.fault(
            self.rest,
            "",
            "nothing more on this line",
            "remove it, or name the format of the trace",
        ))
    }

    /// The fault of the word at the beginning of `start`.
    #[cold]
    fn fault(&self, start: &[u8], field: &'static str, allowed: &'static str, help: &'static str) -> Box<FieldFault> {
        let (found, help) = match std::str::from_utf8(Scanner::new(start).word()) {
            Ok("") => (
                "missing".to_owned(),
                "the line is incomplete: the file may be truncated",
            ),
            Ok(text) if text.contains(char::is_control) => ("binary data".to_owned(), NOT_TEXT),
            Ok(text) => (format!("found {:?}", shorten(text)), help),
            Err(_) => ("not UTF-8 text".to_owned(), NOT_TEXT),
        };
        Box::new(FieldFault {
            field,
            found,
            allowed,
            help,
        })
    }

    /// The fault of a number that was read from `start` up to `rest`.
    #[cold]
    fn number_fault(&self, start: &[u8], rest: &[u8], field: &'static str, allowed: &'static str) -> Box<FieldFault> {
        let help = match start.first() {
            Some(b'-') => "write a number that is not negative",
            _ if start.len() - rest.len() > 16 && at_boundary(rest) => "write a number below 2^64",
            _ => "write the number in digits alone",
        };
        self.fault(start, field, allowed, help)
    }

    /// The fault of the first field of the line, which is a number out of range.
    #[cold]
    pub fn range_fault(&self, field: &'static str, allowed: &'static str) -> Box<FieldFault> {
        self.fault(
            self.line,
            field,
            allowed,
            "correct the number, or name the format of the trace",
        )
    }

    /// The fault of the word read last, which is none of those allowed.
    #[cold]
    pub fn word_fault(&self, word: &[u8], field: &'static str, allowed: &'static str) -> Box<FieldFault> {
        let start = &self.line[self.line.len() - self.rest.len() - word.len()..];
        self.fault(
            start,
            field,
            allowed,
            "write one of these, or name the format of the trace",
        )
    }
}

const NOT_TEXT: &str = "check that this is a text trace";

/// Returns true if a field ends here.
#[inline]
fn at_boundary(rest: &[u8]) -> bool {
    matches!(rest, [] | [b' ' | b'\t', ..])
}

/// Returns true if a number of many digits fits in 64 bits.
#[cold]
fn fits_decimal(digits: &[u8]) -> bool {
    let add = |value: u64, digit: &u8| value.checked_mul(10)?.checked_add(u64::from(digit - b'0'));
    digits.iter().try_fold(0u64, add).is_some()
}

/// At most 40 characters of what stands in a file.
fn shorten(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn hex(text: &str) -> Result<u64, String> {
        Scanner::new(text.as_bytes())
            .hex("address")
            .map_err(|fault| fault.found)
    }

    fn decimal(text: &str) -> Result<u64, (String, &'static str)> {
        Scanner::new(text.as_bytes())
            .decimal("cycle")
            .map_err(|fault| (fault.found, fault.help))
    }

    #[test]
    fn numbers_at_the_limits() {
        assert_eq!(hex("0xffffffffffffffff"), Ok(u64::MAX));
        assert_eq!(hex("0x0000000000000000000001"), Ok(1));
        assert!(hex("0x10000000000000000").is_err());
        assert_eq!(decimal("18446744073709551615"), Ok(u64::MAX));
        assert_eq!(decimal("00018446744073709551615"), Ok(u64::MAX));
        assert_eq!(
            decimal("18446744073709551616").expect_err("is too large").1,
            "write a number below 2^64"
        );
        assert!(decimal("184467440737095516150").is_err());
        assert!(decimal(&"9".repeat(300)).is_err());
    }

    #[test]
    fn what_is_no_number() {
        assert_eq!(hex(""), Err("missing".into()));
        assert_eq!(hex("0x"), Err("found \"0x\"".into()));
        assert_eq!(hex("0x12g4 R"), Err("found \"0x12g4\"".into()));
        assert_eq!(
            decimal("-5").expect_err("is negative").1,
            "write a number that is not negative"
        );
        assert_eq!(decimal("1.5").expect_err("is no integer").0, "found \"1.5\"");
        let bytes = [b'1', 0xff, 0xfe];
        let fault = Scanner::new(&bytes).decimal("cycle").expect_err("is not UTF-8");
        assert_eq!(fault.found, "not UTF-8 text");
    }

    proptest! {
        #![proptest_config(crate::testing::cases(512))]

        #[test]
        fn numbers_are_read_as_written(value: u64, blanks in "[ \t]{0,3}") {
            prop_assert_eq!(hex(&format!("{blanks}{value:#x}{blanks}")), Ok(value));
            prop_assert_eq!(hex(&format!("{value:X} x")), Ok(value));
            prop_assert_eq!(decimal(&format!("{blanks}{value}{blanks}")), Ok(value));
        }

        #[test]
        fn any_bytes_are_a_number_or_a_fault(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            for read in [Scanner::hex, Scanner::decimal, Scanner::number] {
                let mut scanner = Scanner::new(&bytes);
                let _ = read(&mut scanner, "field");
                let _ = scanner.word();
                let _ = scanner.end();
            }
        }
    }
}
