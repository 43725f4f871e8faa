// SPDX-License-Identifier: MIT OR Apache-2.0
//! A trace file as a stream of bytes, decompressed on the way if it is compressed.

use super::zip::{ZIP, ZipReader};
use flate2::read::MultiGzDecoder;
use fresco_input::InputError;
use liblzma::bufread::XzDecoder;
use liblzma::stream::{CONCATENATED, Stream};
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
/// First bytes of an xz stream (The .xz File Format, 2.1.1.1).
const XZ: &[u8] = &[0xfd, b'7', b'z', b'X', b'Z', 0];
/// Memory that an xz stream may want, in bytes: twice what `xz -9` does. A stream may ask for 4 GiB.
const XZ_MEMORY: u64 = 128 << 20;
/// Bytes looked at to tell what a stream is: an instruction of a ChampSim trace.
const HEAD: usize = 64;

/// A stream whose first bytes are known but not consumed.
pub(crate) struct Input {
    /// Name for errors.
    pub name: String,
    head: Vec<u8>,
    rest: Box<dyn Read + Send>,
}

impl Input {
    /// Opens a file and looks through its compression: gzip, zstd, xz, zip.
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
        } else if is(XZ) {
            let stream = Stream::new_stream_decoder(XZ_MEMORY, CONCATENATED).map_err(std::io::Error::from);
            let stream = stream.map_err(|error| unreadable(name, &error))?;
            Box::new(XzDecoder::new_stream(BufReader::new(raw.into_read()), stream))
        } else if is(ZIP) {
            let reader = ZipReader::new(Box::new(raw.into_read()));
            Box::new(reader.map_err(|error| unreadable(name, &error))?)
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

    /// The first bytes, at most 64.
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
    if error.kind() == ErrorKind::Unsupported {
        return InputError::new(name, error.to_string())
            .allowed("gzip, zstd, xz, or a zip archive of one file")
            .help("unpack it, and name what is in it");
    }
    if let Some(liblzma::stream::Error::MemLimit) = error.get_ref().and_then(|inner| inner.downcast_ref()) {
        return InputError::new(name, "its xz stream wants more memory than may be given to it")
            .allowed("what xz -9 makes, and twice that: 128 MiB")
            .help("compress it again, with xz -9 or less");
    }
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

    fn xz(text: &str, level: u32) -> Vec<u8> {
        let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), level);
        encoder.write_all(text.as_bytes()).expect("memory");
        encoder.finish().expect("memory")
    }

    #[test]
    fn an_xz_stream_that_wants_too_much_memory_is_refused() {
        let mut options = liblzma::stream::LzmaOptions::new_preset(0).expect("a preset");
        options.dict_size(512 << 20);
        let mut filters = liblzma::stream::Filters::new();
        filters.lzma2(&options);
        let stream = Stream::new_stream_encoder(&filters, liblzma::stream::Check::Crc32).expect("a stream");
        let mut encoder = liblzma::write::XzEncoder::new_stream(Vec::new(), stream);
        encoder.write_all(b"0x40 R\n").expect("memory");
        let error = text(encoder.finish().expect("memory")).expect_err("wants 512 MiB");
        assert!(error.found.contains("wants more memory"), "{error}");
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
            assert_eq!(text(xz(plain, 6)).as_deref(), Ok(plain));
        }
        for pack in [gzip, |text: &str| xz(text, 9)] {
            let two_members = [pack("a\n"), pack("b\n")].concat();
            assert_eq!(text(two_members).as_deref(), Ok("a\nb\n"));
        }
    }

    #[test]
    fn a_truncated_file_is_told() {
        let long = "0x40 READ 7\n".repeat(10_000);
        for whole in [
            gzip(&long),
            zstd::encode_all(long.as_bytes(), 3).expect("memory"),
            xz(&long, 6),
        ] {
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
