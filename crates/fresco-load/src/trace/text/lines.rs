// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lines of a text trace, out of one buffer that never grows.

use super::scan::FieldFault;
use crate::trace::input::{Input, unreadable};
use fresco_input::InputError;
use std::io::{ErrorKind, Read};

/// Bytes read at a time.
const BUFFER: usize = 64 * 1024;
/// Longest line accepted, in bytes. The longest that a format allows has some 70.
const MAX_LINE: usize = 4096;

/// What some editors put before a text in UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A reader of lines.
pub(crate) struct Lines {
    name: String,
    reader: Box<dyn Read + Send>,
    buffer: Box<[u8]>,
    /// What is read and not yet handed out.
    start: usize,
    end: usize,
    at_end: bool,
    /// Where the line handed out last begins.
    last: usize,
    /// Number of the line handed out last, from 1.
    line: u64,
}

impl Lines {
    /// Lines of `input`, from the first.
    pub fn new(input: Input) -> Self {
        let name = input.name.clone();
        let skip = match input.head().starts_with(BYTE_ORDER_MARK) {
            true => BYTE_ORDER_MARK.len(),
            false => 0,
        };
        let buffer = vec![0; BUFFER].into_boxed_slice();
        Self {
            name,
            reader: input.into_read_from(skip),
            buffer,
            start: 0,
            end: 0,
            at_end: false,
            last: 0,
            line: 0,
        }
    }

    /// The next line that is neither blank nor a comment (`#` first), without its end; `None` at the end of the file.
    ///
    /// # Errors
    /// A line that is too long, a stream that cannot be read.
    #[inline]
    pub fn next(&mut self) -> Result<Option<&[u8]>, InputError> {
        let (from, to) = loop {
            let from = self.start;
            let to = match memchr::memchr(b'\n', &self.buffer[from..self.end]) {
                Some(length) => {
                    self.start = from + length + 1;
                    from + length
                }
                None if !self.at_end => {
                    self.fill()?;
                    continue;
                }
                None if from == self.end => return Ok(None),
                None => {
                    self.start = self.end;
                    self.end
                }
            };
            self.line += 1;
            if !is_blank(&self.buffer[from..to]) {
                break (from, to);
            }
        };
        if to - from > MAX_LINE {
            return Err(self.too_long());
        }
        self.last = from;
        let to = if self.buffer[to - 1] == b'\r' { to - 1 } else { to };
        Ok(Some(&self.buffer[from..to]))
    }

    /// What is read and not yet handed out; it begins with a line and may end within one.
    #[inline]
    pub fn buffered(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Counts the next line, of this length with its end, as handed out.
    #[inline]
    pub fn skip_line(&mut self, length: usize) {
        debug_assert_eq!(self.buffer[self.start + length - 1], b'\n');
        self.last = self.start;
        self.start += length;
        self.line += 1;
    }

    /// Hands the last line out again: the next call of [`Lines::next`] returns it. Once after each line.
    pub fn unread(&mut self) {
        self.start = self.last;
        self.line -= 1;
    }

    /// Moves the unfinished line to the front and reads more behind it.
    #[cold]
    fn fill(&mut self) -> Result<(), InputError> {
        if self.end - self.start > MAX_LINE {
            self.line += 1;
            return Err(self.too_long());
        }
        self.buffer.copy_within(self.start..self.end, 0);
        (self.start, self.end) = (0, self.end - self.start);
        let read = loop {
            match self.reader.read(&mut self.buffer[self.end..]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                result => break result,
            }
        };
        let read = read.map_err(|error| unreadable(&self.name, &error).at_line(self.line_number()))?;
        self.at_end = read == 0;
        self.end += read;
        Ok(())
    }

    #[cold]
    fn too_long(&self) -> InputError {
        let found = format!("a line of more than {MAX_LINE} bytes");
        self.error(found)
            .allowed("lines of text")
            .help("check that this is a text trace")
    }

    fn line_number(&self) -> u32 {
        u32::try_from(self.line).unwrap_or(u32::MAX)
    }

    /// An error at the line handed out last.
    #[cold]
    pub fn error(&self, found: impl Into<String>) -> InputError {
        InputError::new(&self.name, found).at_line(self.line_number())
    }

    /// The error of a field of the line handed out last.
    #[cold]
    pub fn field_error(&self, fault: FieldFault) -> InputError {
        self.error(fault.found)
            .in_field(fault.field)
            .allowed(fault.allowed)
            .help(fault.help)
    }
}

/// Returns true if a line holds nothing but blanks or a comment.
#[inline]
fn is_blank(line: &[u8]) -> bool {
    match line.first() {
        Some(byte) if byte.is_ascii_alphanumeric() => false,
        _ => matches!(line.trim_ascii_start().first(), None | Some(b'#')),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn lines(text: impl Into<Vec<u8>>) -> Lines {
        Lines::new(Input::new("t", Cursor::new(text.into())).expect("is readable"))
    }

    fn all(text: &str) -> Vec<(u64, String)> {
        let (mut lines, mut all) = (lines(text), Vec::new());
        while let Some(line) = lines.next().expect("is text") {
            let line = String::from_utf8_lossy(line).into_owned();
            all.push((lines.line, line));
        }
        all
    }

    #[test]
    fn blanks_comments_and_line_ends() {
        let expected = [(2, "a b".to_owned()), (5, " c".to_owned()), (6, "d".to_owned())];
        assert_eq!(all("\na b\r\n  # note\n \t\n c\nd"), expected);
        assert_eq!(all("\u{feff}a\nb"), [(1, "a".to_owned()), (2, "b".to_owned())]);
        assert_eq!(all(""), []);
        assert_eq!(all("\n\r\n"), []);
    }

    #[test]
    fn lines_across_buffers() {
        let text: String = (0..50_000).map(|i| format!("{i}\n")).collect();
        assert!(text.len() > 3 * BUFFER);
        assert!(
            all(&text)
                .into_iter()
                .map(|(_, line)| line)
                .eq((0..50_000).map(|i| i.to_string()))
        );
    }

    #[test]
    fn a_line_can_be_had_again() {
        let mut lines = lines("\n\na\nb");
        for expected in [b"a", b"b"] {
            assert_eq!(lines.next(), Ok(Some(&expected[..])));
            let line = lines.line;
            lines.unread();
            assert_eq!(lines.next(), Ok(Some(&expected[..])));
            assert_eq!(lines.line, line);
        }
        assert_eq!(lines.next(), Ok(None));
    }

    #[test]
    fn endless_lines_are_refused() {
        for length in [MAX_LINE + 1, BUFFER + 1, 10 * BUFFER] {
            let mut lines = lines(format!("ok\n{}", "x".repeat(length)));
            assert_eq!(lines.next(), Ok(Some(&b"ok"[..])));
            let error = lines.next().expect_err("is too long");
            assert_eq!(
                (error.line, error.found.as_str()),
                (Some(2), "a line of more than 4096 bytes")
            );
        }
    }
}
