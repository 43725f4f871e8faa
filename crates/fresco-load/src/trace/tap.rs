// SPDX-License-Identifier: MIT OR Apache-2.0
//! The digest of a trace, taken from its bytes as they are read: of the file as it lies there, compressed or not.

use fresco_input::InputError;
use std::fs::File;
use std::hash::Hasher;
use std::io::{self, Read};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use twox_hash::XxHash64;

/// A reader that remembers the digest of what went through it. Clones are handles of the same stream.
#[derive(Clone)]
pub(super) struct Tap(Arc<Mutex<Stream>>);

struct Stream {
    reader: Box<dyn Read + Send>,
    /// XXH64 with seed 0: a digest that costs nothing beside the reading of a trace of gigabytes.
    digest: XxHash64,
    length: u64,
}

impl Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.reader.read(buffer)?;
        self.digest.write(&buffer[..length]);
        self.length += length as u64;
        Ok(length)
    }
}

impl Tap {
    /// Taps a stream at its beginning.
    pub fn new(reader: impl Read + Send + 'static) -> Self {
        Self(Arc::new(Mutex::new(Stream {
            reader: Box::new(reader),
            digest: XxHash64::with_seed(0),
            length: 0,
        })))
    }

    fn stream(&self) -> MutexGuard<'_, Stream> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes that have gone through.
    pub fn length(&self) -> u64 {
        self.stream().length
    }

    /// The digest of the whole stream, in 16 hexadecimal digits; what is left of it is read.
    pub fn digest(&self) -> io::Result<String> {
        let mut stream = self.stream();
        let mut buffer = vec![0; 1 << 16];
        loop {
            match stream.read(&mut buffer) {
                Ok(0) => return Ok(format!("{:016x}", stream.digest.finish())),
                Err(error) if error.kind() != io::ErrorKind::Interrupted => return Err(error),
                _ => {}
            }
        }
    }
}

impl Read for Tap {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream().read(buffer)
    }
}

/// The digest of a trace file: XXH64 of its bytes, in 16 hexadecimal digits.
///
/// # Errors
/// The file cannot be read.
pub fn digest_of_file(path: &Path) -> Result<String, InputError> {
    let digest = File::open(path).and_then(|file| Tap::new(file).digest());
    digest.map_err(|error| {
        let name = path.display().to_string();
        InputError::new(name, format!("cannot be read: {error}")).help("check the path and the file")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of xxHash's own tests: files have this digest in them, whoever computes it.
    #[test]
    fn published_values() {
        let of = |bytes: &'static [u8]| Tap::new(bytes).digest().expect("memory");
        assert_eq!(of(b""), "ef46db3751d8e999");
        assert_eq!(of(b"a"), "d24ec4f1a98c6e5b");
        assert_eq!(of(b"abc"), "44bc2cf5ad770999");
        assert_eq!(of(b"Nobody inspects the spammish repetition"), "fbcea83c8a378bf1");
    }

    #[test]
    fn the_digest_is_that_of_the_whole_stream_however_much_was_read() {
        let bytes: Vec<u8> = (0..100_000u32).flat_map(u32::to_le_bytes).collect();
        let whole = XxHash64::oneshot(0, &bytes);
        for read in [0, 1, 70_000, bytes.len()] {
            let mut tap = Tap::new(io::Cursor::new(bytes.clone()));
            let mut part = vec![0; read];
            tap.clone().read_exact(&mut part).expect("is there");
            assert_eq!(part, bytes[..read]);
            assert_eq!(tap.digest().expect("memory"), format!("{:016x}", whole));
            assert_eq!(tap.read(&mut [0; 8]).expect("memory"), 0, "all of it was read");
        }
    }
}
