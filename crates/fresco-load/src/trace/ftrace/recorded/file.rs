// SPDX-License-Identifier: MIT OR Apache-2.0
//! A trace in a file, read from any place.

use super::block::Block;
use super::bytes::Bytes;
use super::encoder::Chunk;
use super::section::{About, Fault, PRELUDE, Stored, Unpacker, digest};
use super::trailer::{Indexed, Trailer};
use super::{BLOCKS, CHUNK, END, HEADER, MOST_BLOCKS, TRAILER, VERSION, fetches_by};
use crate::trace::ftrace::MAGIC;
use crate::trace::input::{Input, unreadable};
use fresco_input::InputError;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Bytes before the first section.
const PRELUDE_OF_FILE: u64 = 12;
/// Bytes after the trailer.
const FOOTER: u64 = 24;

/// An open trace: what its trailer says, and any of its sections.
pub struct RecordedFile {
    name: String,
    file: File,
    about: About,
    trailer: Trailer,
    /// Where each section of the index begins.
    offsets: Vec<u64>,
    unpacker: Unpacker,
    blocks: Vec<Block>,
    /// Sections of the index whose blocks have been read.
    defined: usize,
}

impl RecordedFile {
    /// Returns true if the file begins as a trace of this version.
    ///
    /// # Errors
    /// It cannot be opened.
    pub fn is(path: &Path) -> Result<bool, InputError> {
        let file = Input::file(path)?;
        let mut head = [0; 10];
        let read = file.read_exact_at(&mut head, 0);
        Ok(read.is_ok() && head[..8] == *MAGIC && head[8..] == VERSION.to_le_bytes())
    }

    /// Opens a trace and reads its trailer.
    ///
    /// # Errors
    /// It cannot be read, is no trace of this version, or is truncated or damaged.
    pub fn open(path: &Path) -> Result<Self, InputError> {
        let name = path.display().to_string();
        let file = Input::file(path)?;
        Self::new(&name, file).map_err(|fault| error(&name, fault))
    }

    fn new(name: &str, file: File) -> Result<Self, Fault> {
        let length = file.metadata()?.len();
        let mut head = [0; PRELUDE_OF_FILE as usize];
        file.read_exact_at(&mut head, 0)?;
        let [.., low, high, a, b] = head;
        let is_known = head[..8] == *MAGIC && u16::from_le_bytes([low, high]) == VERSION;
        let Some(fetches) = fetches_by([a, b]).filter(|_| is_known) else {
            return Err(Fault::Damaged(format!("the first bytes {head:02x?}")));
        };
        let mut footer = [0; FOOTER as usize];
        let begin = length
            .checked_sub(FOOTER)
            .ok_or(io::Error::from(ErrorKind::UnexpectedEof))?;
        file.read_exact_at(&mut footer, begin)?;
        let mut words = Bytes(&footer);
        let (offset, said) = (words.word()?, words.word()?);
        if words.0 != END || offset < PRELUDE_OF_FILE || offset >= begin {
            return Err(Fault::Io(ErrorKind::UnexpectedEof.into()));
        }
        let mut unpacker = Unpacker::new()?;
        let stored = read(&file, offset, begin)?;
        if stored.tag != TRAILER || digest(&stored.bytes) != said {
            return Err(Fault::Damaged("a trailer that is not the one of its end".into()));
        }
        let trailer = Trailer::parse(&unpacker.unpack(&stored)?, fetches)?;
        let (mut offsets, mut next) = (Vec::with_capacity(trailer.index.len()), PRELUDE_OF_FILE);
        for section in &trailer.index {
            offsets.push(next);
            next += PRELUDE as u64 + u64::from(section.stored);
        }
        if next != offset {
            return Err(Fault::Damaged(format!(
                "sections up to byte {next}, and a trailer at {offset}"
            )));
        }
        let mut this = Self {
            name: name.to_owned(),
            file,
            about: About::default(),
            trailer,
            offsets,
            unpacker,
            blocks: Vec::new(),
            defined: 0,
        };
        match this.trailer.index.first() {
            Some(section) if section.tag == HEADER => this.about = About::parse(&this.section(0)?, fetches)?,
            _ => return Err(Fault::Damaged("no header".into())),
        }
        Ok(this)
    }

    /// Its name, for errors.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it says about itself.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// What is known of it as a whole.
    pub fn trailer(&self) -> &Trailer {
        &self.trailer
    }

    /// Bytes of the file.
    ///
    /// # Errors
    /// The file cannot be asked.
    pub fn bytes(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    /// Sections of chunks of a thread, as numbers in the index.
    pub(super) fn chunks_of(&self, thread: u16) -> Vec<usize> {
        let index = self.trailer.index.iter().enumerate();
        let of = index.filter(|(_, section)| section.tag == CHUNK && section.chunk.0 == thread);
        of.map(|(number, _)| number).collect()
    }

    /// The content of a section of the index, which is as the trailer says.
    fn section(&mut self, number: usize) -> Result<Vec<u8>, Fault> {
        let Indexed {
            tag,
            stored,
            digest: said,
            ..
        } = self.trailer.index[number];
        let offset = self.offsets[number];
        let section = read(&self.file, offset, offset + PRELUDE as u64 + u64::from(stored))?;
        if section.tag != tag || digest(&section.bytes) != said {
            return Err(Fault::Damaged(format!(
                "another section {number} than its trailer says"
            )));
        }
        self.unpacker.unpack(&section)
    }

    /// The chunk in section `number`; blocks that are defined before it are known then.
    pub(super) fn chunk(&mut self, number: usize) -> Result<Chunk, InputError> {
        self.try_chunk(number).map_err(|fault| self.error(number, fault))
    }

    fn try_chunk(&mut self, number: usize) -> Result<Chunk, Fault> {
        for section in self.defined..number {
            if self.trailer.index[section].tag == BLOCKS {
                let content = self.section(section)?;
                define(&content, self.about.fetches, &mut self.blocks)?;
            }
        }
        self.defined = self.defined.max(number);
        let content = self.section(number)?;
        let chunk = Chunk::parse(&content, self.about.fetches)?;
        if (chunk.thread, chunk.counts.accesses()) != self.trailer.index[number].chunk {
            return Err(Fault::Damaged(
                "a chunk of another thread or length than its trailer says".into(),
            ));
        }
        Ok(chunk)
    }

    /// Blocks that are known so far.
    pub(super) fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// An error in section `number`.
    #[cold]
    pub(super) fn error(&self, number: usize, fault: impl Into<Fault>) -> InputError {
        let offset = self.offsets.get(number).copied().unwrap_or(0);
        let fault = match fault.into() {
            Fault::Damaged(found) => Fault::Damaged(format!("{found}, in section {number} at byte {offset}")),
            fault => fault,
        };
        error(&self.name, fault)
    }
}

/// Adds the blocks of a section.
pub(super) fn define(content: &[u8], fetches: bool, blocks: &mut Vec<Block>) -> Result<(), String> {
    let (mut bytes, mut before) = (Bytes(content), 0);
    while bytes.left() > 0 {
        let block = Block::get(before, fetches, &mut bytes)?;
        before = block.address;
        blocks.push(block);
        if blocks.len() > MOST_BLOCKS {
            return Err(format!("more than {MOST_BLOCKS} blocks"));
        }
    }
    Ok(())
}

/// The section at `offset`, which goes up to `end`.
fn read(file: &File, offset: u64, end: u64) -> Result<Stored, Fault> {
    let mut prelude = [0; PRELUDE];
    file.read_exact_at(&mut prelude, offset)?;
    let (tag, stored, content) = Stored::prelude(prelude)?;
    if offset + PRELUDE as u64 + u64::from(stored) != end {
        return Err(Fault::Damaged(format!("a section of {stored} bytes at byte {offset}")));
    }
    let mut bytes = vec![0; stored as usize];
    file.read_exact_at(&mut bytes, offset + PRELUDE as u64)?;
    Ok(Stored { tag, content, bytes })
}

/// The error of a file.
#[cold]
pub(super) fn error(name: &str, fault: Fault) -> InputError {
    match fault {
        Fault::Io(fault) if fault.kind() == ErrorKind::UnexpectedEof => {
            InputError::new(name, "ends without its trailer: truncated").help("copy or record it again")
        }
        Fault::Io(fault) => unreadable(name, &fault),
        Fault::Damaged(found) => InputError::new(name, format!("holds {found}"))
            .allowed("a sound trace in Fresco's own format, version 2")
            .help("the file is damaged: copy or record it again"),
    }
}
