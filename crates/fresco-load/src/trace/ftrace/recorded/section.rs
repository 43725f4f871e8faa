// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sections: their framing, and the one that says what the trace is of.

use super::bytes::Bytes;
use super::{BLOCKS, CHUNK, END, FLAGS, HEADER, MOST_CONTENT, TRAILER, VERSION};
use crate::trace::ftrace::MAGIC;
use crate::trace::ftrace::header::MAX_TEXT;
use crate::trace::ftrace::varint::put;
use crate::trace::input::MAX_WINDOW_LOG;
use std::io::{self, ErrorKind, Read, Write};
use twox_hash::XxHash64;
use zstd::zstd_safe::{CParameter, DParameter};

/// Level of compression: most of what can be gained, at some 200 MB/s.
const LEVEL: i32 = 1;
/// Window of the frames: 1 MiB, so that a reader needs little memory.
const WINDOW_LOG: u32 = 20;
/// Bytes before what is stored.
pub(super) const PRELUDE: usize = 9;

/// What a trace says about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// The program, with its arguments; at most 255 bytes.
    pub program: String,
    /// The tool that wrote the trace, and its version; at most 255 bytes.
    pub tool: String,
    /// The program's architecture: `x86-64` or `aarch64`.
    pub architecture: String,
    /// Where the code of its blocks lies is known; said by the flags of the file.
    pub fetches: bool,
}

impl About {
    pub(super) fn content(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for text in [&self.program, &self.tool, &self.architecture] {
            let end = (0..=text.len().min(MAX_TEXT))
                .rev()
                .find(|at| text.is_char_boundary(*at));
            let text = &text[..end.unwrap_or(0)];
            put(&mut out, text.len() as u64);
            out.extend_from_slice(text.as_bytes());
        }
        out
    }

    pub(super) fn parse(content: &[u8], fetches: bool) -> Result<Self, String> {
        let mut bytes = Bytes(content);
        let about = Self {
            program: bytes.text(MAX_TEXT)?,
            tool: bytes.text(MAX_TEXT)?,
            architecture: bytes.text(MAX_TEXT)?,
            fetches,
        };
        bytes.finish().map(|()| about)
    }
}

/// A section as it is stored.
#[derive(Clone, Debug)]
pub(super) struct Stored {
    pub tag: u8,
    /// Bytes of its content.
    pub content: u32,
    /// The frame.
    pub bytes: Vec<u8>,
}

/// XXH64 of bytes, with seed 0.
pub(super) fn digest(bytes: &[u8]) -> u64 {
    XxHash64::oneshot(0, bytes)
}

/// Compresses sections.
pub(super) struct Packer(zstd::bulk::Compressor<'static>);

impl Packer {
    pub fn new() -> io::Result<Self> {
        let mut compressor = zstd::bulk::Compressor::new(LEVEL)?;
        compressor.set_parameter(CParameter::WindowLog(WINDOW_LOG))?;
        compressor.include_checksum(true)?;
        Ok(Self(compressor))
    }

    pub fn pack(&mut self, tag: u8, content: &[u8]) -> io::Result<Stored> {
        if content.len() > MOST_CONTENT {
            let found = format!(
                "a section of {} bytes; at most {MOST_CONTENT} are allowed",
                content.len()
            );
            return Err(io::Error::new(ErrorKind::InvalidInput, found));
        }
        Ok(Stored {
            tag,
            content: content.len() as u32,
            bytes: self.0.compress(content)?,
        })
    }
}

impl Stored {
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(&[self.tag])?;
        out.write_all(&(self.bytes.len() as u32).to_le_bytes())?;
        out.write_all(&self.content.to_le_bytes())?;
        out.write_all(&self.bytes)
    }

    /// The tag, and how many bytes are stored.
    pub fn prelude(prelude: [u8; PRELUDE]) -> Result<(u8, u32, u32), String> {
        let [tag, a, b, c, d, e, f, g, h] = prelude;
        let (stored, content) = (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]));
        if !matches!(tag, HEADER | BLOCKS | CHUNK | TRAILER) {
            return Err(format!("a section with the tag {tag}"));
        }
        // zstd may make what cannot be compressed longer by little.
        if content as usize > MOST_CONTENT || stored as usize > MOST_CONTENT + MOST_CONTENT / 128 {
            return Err(format!("a section of {content} bytes, {stored} stored"));
        }
        Ok((tag, stored, content))
    }

    /// Reads the next one.
    pub fn read(input: &mut impl Read) -> Result<Self, Fault> {
        let mut prelude = [0; PRELUDE];
        input.read_exact(&mut prelude)?;
        let (tag, stored, content) = Self::prelude(prelude)?;
        let mut bytes = Vec::new();
        input.by_ref().take(u64::from(stored)).read_to_end(&mut bytes)?;
        if bytes.len() < stored as usize {
            return Err(Fault::Io(ErrorKind::UnexpectedEof.into()));
        }
        Ok(Self { tag, content, bytes })
    }
}

/// Decompresses sections.
pub(super) struct Unpacker(zstd::bulk::Decompressor<'static>);

impl Unpacker {
    pub fn new() -> io::Result<Self> {
        let mut decompressor = zstd::bulk::Decompressor::new()?;
        decompressor.set_parameter(DParameter::WindowLogMax(MAX_WINDOW_LOG))?;
        Ok(Self(decompressor))
    }

    pub fn unpack(&mut self, stored: &Stored) -> Result<Vec<u8>, Fault> {
        let content = self.0.decompress(&stored.bytes, stored.content as usize);
        let content = content.map_err(|error| Fault::Damaged(format!("what cannot be decompressed ({error})")))?;
        match content.len() == stored.content as usize {
            true => Ok(content),
            false => Err(Fault::Damaged(format!("{} bytes of {}", content.len(), stored.content))),
        }
    }
}

/// What is wrong with a file.
#[derive(Debug)]
pub(super) enum Fault {
    /// It cannot be read on, or ends.
    Io(io::Error),
    /// It holds what it should not.
    Damaged(String),
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<String> for Fault {
    fn from(found: String) -> Self {
        Self::Damaged(found)
    }
}

/// A file with sections of these contents, whatever they are, and an end, with or without fetches; for tests and fuzzers.
pub(crate) fn sections_of(mut data: &[u8], fetches: bool) -> Vec<u8> {
    let mut file = [&MAGIC[..], &VERSION.to_le_bytes(), &FLAGS[usize::from(fetches)]].concat();
    let Ok(mut packer) = Packer::new() else { return file };
    let mut last = (file.len(), 0);
    while let [tag, low, high, rest @ ..] = data {
        let length = usize::from(u16::from_le_bytes([*low, *high])).min(rest.len());
        let (content, more) = rest.split_at(length);
        data = more;
        if let Ok(stored) = packer.pack(*tag, content) {
            last = (file.len(), digest(&stored.bytes));
            let _ = stored.write(&mut file);
        }
    }
    file.extend_from_slice(&(last.0 as u64).to_le_bytes());
    file.extend_from_slice(&last.1.to_le_bytes());
    file.extend_from_slice(END);
    file
}
