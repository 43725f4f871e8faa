// SPDX-License-Identifier: MIT OR Apache-2.0
//! Compresses what is written, as the name of the file says.

use flate2::write::GzEncoder;
use liblzma::write::XzEncoder;
use std::io::{self, Write};

/// Level of xz. Of traces higher ones make hardly less: of ChampSim's for `ls` 6 makes 13 % more, and takes 20 times as long.
const XZ_LEVEL: u32 = 1;
/// Level of zstd: its default. Its window lies below what every reader takes.
const ZSTD_LEVEL: i32 = 3;

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// Not at all.
    Plain,
    /// gzip: `.gz`.
    Gzip,
    /// zstd: `.zst`.
    Zstd,
    /// xz: `.xz`.
    Xz,
}

impl Packing {
    /// What the ending of a name says, and the name without it.
    pub fn of_name(name: &str) -> (Self, &str) {
        let endings = [(".gz", Self::Gzip), (".zst", Self::Zstd), (".xz", Self::Xz)];
        let found = endings
            .into_iter()
            .find_map(|(ending, packing)| Some((packing, name.strip_suffix(ending)?)));
        found.unwrap_or((Self::Plain, name))
    }
}

/// A stream that is being compressed.
pub struct Packed<W: Write>(Kind<W>);

enum Kind<W: Write> {
    Plain(W),
    Gzip(GzEncoder<W>),
    Zstd(zstd::Encoder<'static, W>),
    Xz(XzEncoder<W>),
}

impl<W: Write> Packed<W> {
    /// Begins a stream in `out`.
    ///
    /// # Errors
    /// `out` fails.
    pub fn new(out: W, packing: Packing) -> io::Result<Self> {
        Ok(Self(match packing {
            Packing::Plain => Kind::Plain(out),
            Packing::Gzip => Kind::Gzip(GzEncoder::new(out, flate2::Compression::default())),
            Packing::Zstd => {
                let mut encoder = zstd::Encoder::new(out, ZSTD_LEVEL)?;
                encoder.include_checksum(true)?;
                Kind::Zstd(encoder)
            }
            Packing::Xz => Kind::Xz(XzEncoder::new(out, XZ_LEVEL)),
        }))
    }

    /// Ends the stream and gives the output back.
    ///
    /// # Errors
    /// The output fails.
    pub fn finish(self) -> io::Result<W> {
        let mut out = match self.0 {
            Kind::Plain(out) => out,
            Kind::Gzip(encoder) => encoder.finish()?,
            Kind::Zstd(encoder) => encoder.finish()?,
            Kind::Xz(encoder) => encoder.finish()?,
        };
        out.flush()?;
        Ok(out)
    }
}

impl<W: Write> Write for Packed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.0 {
            Kind::Plain(out) => out.write(bytes),
            Kind::Gzip(encoder) => encoder.write(bytes),
            Kind::Zstd(encoder) => encoder.write(bytes),
            Kind::Xz(encoder) => encoder.write(bytes),
        }
    }

    /// Does nothing: what is held back is written when the stream ends.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::input::Input;
    use std::io::{Cursor, Read};

    #[test]
    fn what_is_compressed_is_read_back() {
        let text = "LD 0x40\n".repeat(50_000);
        for name in ["a.trace", "a.trace.gz", "a.trace.zst", "a.trace.xz"] {
            let (packing, stem) = Packing::of_name(name);
            assert_eq!(stem, "a.trace");
            let mut packed = Packed::new(Vec::new(), packing).expect("memory");
            packed.write_all(text.as_bytes()).expect("memory");
            let bytes = packed.finish().expect("memory");
            assert_eq!(bytes.len() < 1000, packing != Packing::Plain, "{name}");
            let mut read = String::new();
            let input = Input::new("t", Cursor::new(bytes)).expect("readable");
            input.into_read().read_to_string(&mut read).expect("sound");
            assert_eq!(read, text);
        }
    }
}
