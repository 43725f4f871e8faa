// SPDX-License-Identifier: MIT OR Apache-2.0
//! The decompressed bytes of a trace, one by one, and how far into the file they go.

use super::varint;
use crate::trace::input::MAX_WINDOW_LOG;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};

/// Decompressed bytes held at a time.
const BUFFER: usize = 32 * 1024;

/// Counts the bytes that go through.
struct Counted<R> {
    reader: R,
    count: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        self.count += read as u64;
        Ok(read)
    }
}

/// The content of the frame.
pub(super) struct Bytes {
    frame: zstd::Decoder<'static, BufReader<Counted<Box<dyn Read + Send>>>>,
    buffer: Box<[u8]>,
    at: usize,
    end: usize,
}

/// Why the next bytes are not what they should be.
#[derive(Debug)]
pub(super) enum Broken {
    /// The stream cannot be read on.
    Io(io::Error),
    /// The content ends.
    Early,
    /// An integer of more than 64 bits.
    Integer,
}

impl Bytes {
    /// The frame that begins in `reader`, `offset` bytes into the file.
    pub fn new(reader: Box<dyn Read + Send>, offset: u64) -> io::Result<Self> {
        let counted = BufReader::with_capacity(BUFFER, Counted { reader, count: offset });
        let mut frame = zstd::Decoder::with_buffer(counted)?.single_frame();
        frame.window_log_max(MAX_WINDOW_LOG)?;
        Ok(Self {
            frame,
            buffer: vec![0; BUFFER].into_boxed_slice(),
            at: 0,
            end: 0,
        })
    }

    /// The next byte.
    #[inline]
    pub fn byte(&mut self) -> Result<u8, Broken> {
        if self.at == self.end {
            self.fill()?;
        }
        let byte = self.buffer[self.at];
        self.at += 1;
        Ok(byte)
    }

    /// The next integer.
    #[inline]
    pub fn integer(&mut self) -> Result<u64, Broken> {
        varint::read(|| self.byte(), || Broken::Integer)
    }

    #[cold]
    fn fill(&mut self) -> Result<(), Broken> {
        (self.at, self.end) = (0, 0);
        self.end = loop {
            match self.frame.read(&mut self.buffer) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                result => break result.map_err(Broken::Io)?,
            }
        };
        if self.end == 0 { Err(Broken::Early) } else { Ok(()) }
    }

    /// Returns true if everything has been read: no content is left, and nothing follows the frame. A wrong checksum is
    /// an error.
    pub fn is_over(&mut self) -> Result<bool, Broken> {
        if self.at < self.end {
            return Ok(false);
        }
        match self.fill() {
            Ok(()) => Ok(false),
            Err(Broken::Early) => self
                .frame
                .get_mut()
                .fill_buf()
                .map(<[u8]>::is_empty)
                .map_err(Broken::Io),
            Err(broken) => Err(broken),
        }
    }

    /// Bytes of the file that have been consumed, in steps of what the decompressor takes at a time.
    pub fn offset(&self) -> u64 {
        let buffered = self.frame.get_ref();
        buffered.get_ref().count - buffered.buffer().len() as u64
    }
}
