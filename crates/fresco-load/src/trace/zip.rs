// SPDX-License-Identifier: MIT OR Apache-2.0
//! The one file in a zip archive, read from begin to end without the directory at its end, so that a pipe will do.

use flate2::Crc;
use flate2::bufread::DeflateDecoder;
use std::io::{self, BufRead, BufReader, Error, ErrorKind, Read, Take};

/// First bytes of a file in an archive (APPNOTE.TXT, 4.3.7).
pub(super) const ZIP: &[u8] = b"PK\x03\x04";
/// First bytes of the directory at the end (4.3.12).
const DIRECTORY: &[u8] = b"PK\x01\x02";
/// Bytes that may stand before what is known of a file only when it has been written (4.3.9).
const DESCRIPTOR: &[u8] = b"PK\x07\x08";
/// Bytes before the name of a file.
const HEADER: usize = 30;

type Raw = BufReader<Box<dyn Read + Send>>;

enum Content {
    Stored(Take<Raw>),
    Deflated(DeflateDecoder<Raw>),
}

/// The content of the file.
pub(super) struct ZipReader {
    content: Content,
    crc: Crc,
    /// What the sum must be, if it stands before the content.
    said: Option<u32>,
    over: bool,
}

impl ZipReader {
    /// Reads what is before the content.
    ///
    /// # Errors
    /// The archive cannot be read, or is of a kind that is not read here.
    pub fn new(reader: Box<dyn Read + Send>) -> io::Result<Self> {
        let mut raw = BufReader::new(reader);
        let mut header = [0; HEADER];
        raw.read_exact(&mut header)?;
        let short = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
        let word = |at: usize| u32::from(short(at)) | u32::from(short(at + 2)) << 16;
        let (flags, method) = (short(6), short(8));
        let more = u64::from(short(26)) + u64::from(short(28));
        let skipped = io::copy(&mut raw.by_ref().take(more), &mut io::sink())?;
        let follows = flags & 1 << 3 != 0;
        let content = match method {
            _ if skipped < more => return Err(ErrorKind::UnexpectedEof.into()),
            _ if flags & 1 != 0 => return Err(unfit("the file in the zip archive is encrypted")),
            0 if follows || word(18) == u32::MAX => {
                return Err(unfit("the zip archive does not say how long its file is"));
            }
            0 => Content::Stored(raw.take(u64::from(word(18)))),
            8 => Content::Deflated(DeflateDecoder::new(raw)),
            _ => return Err(unfit("the zip archive is compressed by another method than deflate")),
        };
        Ok(Self {
            content,
            crc: Crc::new(),
            said: (!follows).then_some(word(14)),
            over: false,
        })
    }

    /// Checks the sum, and that this was the only file.
    fn end(&mut self) -> io::Result<()> {
        let raw = match &mut self.content {
            Content::Stored(taken) if taken.limit() > 0 => return Err(ErrorKind::UnexpectedEof.into()),
            Content::Stored(taken) => taken.get_mut(),
            Content::Deflated(decoder) => decoder.get_mut(),
        };
        let mut rest = Vec::new();
        let mut behind = |count: u64| -> io::Result<()> {
            match raw.by_ref().take(count).read_to_end(&mut rest)? {
                read if (read as u64) < count => Err(ErrorKind::UnexpectedEof.into()),
                _ => Ok(()),
            }
        };
        behind(4)?;
        let mut at = 0;
        let said = match self.said {
            Some(said) => said,
            None => {
                // The sum and two lengths of 4 or 8 bytes, and then what is next.
                behind(24)?;
                at = if rest.starts_with(DESCRIPTOR) { 4 } else { 0 };
                let said = u32::from_le_bytes([rest[at], rest[at + 1], rest[at + 2], rest[at + 3]]);
                let next = |at: usize| rest[at..].starts_with(ZIP) || rest[at..].starts_with(DIRECTORY);
                at += if next(at + 12) { 12 } else { 20 };
                said
            }
        };
        if said != self.crc.sum() {
            return Err(Error::new(ErrorKind::InvalidData, "another sum than the archive says"));
        }
        match &rest[at..] {
            rest if rest.starts_with(ZIP) => Err(unfit("the zip archive holds more than one file")),
            rest if rest.starts_with(DIRECTORY) => Ok(()),
            _ => Err(Error::new(ErrorKind::InvalidData, "no directory after the file")),
        }
    }
}

/// The archive may be sound, and is none of those read here.
fn unfit(what: &'static str) -> Error {
    Error::new(ErrorKind::Unsupported, what)
}

impl Read for ZipReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.over || buffer.is_empty() {
            return Ok(0);
        }
        let read = match &mut self.content {
            Content::Stored(taken) => taken.read(buffer)?,
            Content::Deflated(decoder) => match decoder.read(buffer) {
                Err(error) if error.kind() == ErrorKind::InvalidInput && is_at_end(decoder.get_mut()) => {
                    return Err(ErrorKind::UnexpectedEof.into());
                }
                read => read?,
            },
        };
        self.crc.update(&buffer[..read]);
        if read == 0 {
            self.over = true;
            self.end()?;
        }
        Ok(read)
    }
}

fn is_at_end(raw: &mut Raw) -> bool {
    raw.fill_buf().is_ok_and(<[u8]>::is_empty)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Cursor, Write};

    /// An archive as `zip` makes it: with what is known of the file before or after its content.
    fn archive(files: &[&str], deflated: bool, follows: bool) -> Vec<u8> {
        let mut out = Vec::new();
        for text in files {
            let content = if deflated {
                let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
                encoder.write_all(text.as_bytes()).expect("memory");
                encoder.finish().expect("memory")
            } else {
                text.as_bytes().to_vec()
            };
            let mut crc = Crc::new();
            crc.update(text.as_bytes());
            let about = [crc.sum(), content.len() as u32, text.len() as u32]
                .map(u32::to_le_bytes)
                .concat();
            out.extend_from_slice(ZIP);
            out.extend([
                20,
                0,
                if follows { 8 } else { 0 },
                0,
                if deflated { 8 } else { 0 },
                0,
                0,
                0,
                0,
                0,
            ]);
            out.extend(if follows { vec![0; 12] } else { about.clone() });
            out.extend([5, 0, 3, 0]);
            out.extend(b"a.txt\0\0\0");
            out.extend(&content);
            if follows {
                out.extend_from_slice(DESCRIPTOR);
                out.extend(about);
            }
        }
        out.extend_from_slice(DIRECTORY);
        out.extend([0; 40]);
        out
    }

    fn text(bytes: &[u8]) -> Result<String, String> {
        let mut text = String::new();
        let reader = ZipReader::new(Box::new(Cursor::new(bytes.to_vec()))).map_err(|error| error.to_string())?;
        let mut reader = reader;
        reader.read_to_string(&mut text).map_err(|error| error.to_string())?;
        Ok(text)
    }

    #[test]
    fn one_file_is_read() {
        let long = "0x40 READ 7\n".repeat(10_000);
        for (deflated, follows) in [(false, false), (true, false), (true, true)] {
            for plain in ["", "1", long.as_str()] {
                assert_eq!(text(&archive(&[plain], deflated, follows)).as_deref(), Ok(plain));
            }
        }
    }

    #[test]
    fn what_is_not_read_is_told() {
        let told = |bytes: &[u8]| text(bytes).expect_err("is refused");
        assert!(told(&archive(&["a", "b"], true, false)).contains("more than one file"));
        assert!(told(&archive(&["a", "b"], true, true)).contains("more than one file"));
        assert!(told(&archive(&["a"], false, true)).contains("does not say how long"));
        let whole = archive(&["some text"], true, false);
        for (at, value, expected) in [(6, 1, "encrypted"), (8, 14, "another method"), (14, 0, "another sum")] {
            let mut wrong = whole.clone();
            wrong[at] = value;
            assert!(told(&wrong).contains(expected), "{expected}");
        }
        let long = archive(&["0x40 READ 7\n".repeat(10_000).as_str()], true, false);
        for length in [10, 35, 60, long.len() - 45] {
            let mut reader = match ZipReader::new(Box::new(Cursor::new(long[..length].to_vec()))) {
                Ok(reader) => reader,
                Err(error) => {
                    assert_eq!(error.kind(), ErrorKind::UnexpectedEof, "{length}");
                    continue;
                }
            };
            let error = io::copy(&mut reader, &mut io::sink()).expect_err("is truncated");
            assert_eq!(error.kind(), ErrorKind::UnexpectedEof, "{length}");
        }
    }
}
