// SPDX-License-Identifier: MIT OR Apache-2.0
//! A trace file as a stream of bytes, decompressed on the way if it is compressed.

use flate2::read::MultiGzDecoder;
use fresco_input::InputError;
use std::fs::File;
use std::io::{BufReader, Chain, Cursor, ErrorKind, Read};
use std::path::Path;

/// First bytes of a gzip member (RFC 1952).
const GZIP: &[u8] = &[0x1f, 0x8b];
/// First bytes of a zstd frame (RFC 8878).
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
/// Largest zstd window accepted, as a power of two: 8 MiB, the least that RFC 8878 asks every decoder to support. A
/// frame may ask for terabytes.
pub(crate) const MAX_WINDOW_LOG: u32 = 23;
/// Bytes looked at to tell what a stream is.
const HEAD: usize = 8;

/// A stream whose first bytes are known but not consumed.
pub(crate) struct Input {
    /// Name for errors.
    pub name: String,
    head: Vec<u8>,
    rest: Box<dyn Read + Send>,
}

impl Input {
    /// Opens a file and looks through gzip or zstd compression.
    pub fn open(path: &Path) -> Result<Self, InputError> {
        Self::new(&path.display().to_string(), Self::file(path)?)
    }

    /// Opens a file to be read as a trace.
    pub fn file(path: &Path) -> Result<File, InputError> {
        let error = |found: String| {
            let error = InputError::new(path.display().to_string(), found);
            error.allowed("a trace file").help("check the path")
        };
        let file = File::open(path).map_err(|fault| error(format!("cannot be opened: {fault}")))?;
        match file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
            true => Err(error("is a directory".to_owned())),
            false => Ok(file),
        }
    }

    /// Looks through the compression of any stream.
    pub fn new(name: &str, reader: impl Read + Send + 'static) -> Result<Self, InputError> {
        let raw = Self::peek(name, Box::new(reader))?;
        let is = |magic: &[u8]| raw.head.starts_with(magic);
        let plain: Box<dyn Read + Send> = if is(GZIP) {
            Box::new(MultiGzDecoder::new(BufReader::new(raw.into_read())))
        } else if is(ZSTD) {
            let decoder = zstd::Decoder::new(raw.into_read()).and_then(|mut decoder| {
                decoder.window_log_max(MAX_WINDOW_LOG)?;
                Ok(decoder)
            });
            Box::new(decoder.map_err(|error| unreadable(name, &error))?)
        } else {
            return Ok(raw);
        };
        Self::peek(name, plain)
    }

    fn peek(name: &str, mut reader: Box<dyn Read + Send>) -> Result<Self, InputError> {
        let mut head = Vec::with_capacity(HEAD);
        let limited = reader.by_ref().take(HEAD as u64).read_to_end(&mut head);
        limited.map_err(|error| unreadable(name, &error))?;
        Ok(Self {
            name: name.to_owned(),
            head,
            rest: reader,
        })
    }

    /// The first bytes, at most eight.
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// The stream from the byte number `skip` on, one of those in [`Input::head`].
    pub fn into_read_from(self, skip: usize) -> Box<dyn Read + Send> {
        let mut read = self.into_read();
        read.get_mut().0.set_position(skip as u64);
        Box::new(read)
    }

    /// The whole stream from its first byte.
    pub fn into_read(self) -> Chain<Cursor<Vec<u8>>, Box<dyn Read + Send>> {
        Cursor::new(self.head).chain(self.rest)
    }
}

/// The error of a stream that cannot be read on.
pub(crate) fn unreadable(name: &str, error: &std::io::Error) -> InputError {
    let (found, help) = match error.kind() {
        ErrorKind::UnexpectedEof => (
            "the compressed data end early: the file is truncated",
            "copy or write it again",
        ),
        ErrorKind::InvalidInput | ErrorKind::InvalidData | ErrorKind::Other => {
            ("the compressed data are damaged", "copy or write it again")
        }
        _ => ("cannot be read", "check the file"),
    };
    InputError::new(name, format!("{found} ({error})")).help(help)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn text(bytes: Vec<u8>) -> Result<String, InputError> {
        let mut text = String::new();
        let input = Input::new("t", Cursor::new(bytes))?;
        input
            .into_read()
            .read_to_string(&mut text)
            .map_err(|error| unreadable("t", &error))?;
        Ok(text)
    }

    fn gzip(text: &str) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text.as_bytes()).expect("memory");
        encoder.finish().expect("memory")
    }

    #[test]
    fn compression_is_looked_through() {
        let long = "0x40 READ 7\n".repeat(10_000);
        for plain in ["", "1", long.as_str()] {
            assert_eq!(text(plain.into()).as_deref(), Ok(plain));
            assert_eq!(text(gzip(plain)).as_deref(), Ok(plain));
            assert_eq!(
                text(zstd::encode_all(plain.as_bytes(), 3).expect("memory")).as_deref(),
                Ok(plain)
            );
        }
        let two_members = [gzip("a\n"), gzip("b\n")].concat();
        assert_eq!(text(two_members).as_deref(), Ok("a\nb\n"));
    }

    #[test]
    fn a_truncated_file_is_told() {
        let long = "0x40 READ 7\n".repeat(10_000);
        for whole in [gzip(&long), zstd::encode_all(long.as_bytes(), 3).expect("memory")] {
            let error = text(whole[..whole.len() - 9].to_vec()).expect_err("is truncated");
            assert!(error.found.contains("truncated"), "{error}");
        }
    }

    #[test]
    fn a_missing_file_and_a_directory_are_told() {
        assert!(
            Input::open(Path::new("/no/such/trace.gz"))
                .err()
                .expect("a fault")
                .found
                .contains("cannot be opened")
        );
        assert_eq!(
            Input::open(Path::new("/")).err().expect("a fault").found,
            "is a directory"
        );
    }
}
