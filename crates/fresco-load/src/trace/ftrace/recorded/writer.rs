// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes a trace section by section.

use super::block::Block;
use super::encoder::{Chunk, Counts};
use super::orders::Tickets;
use super::region::Region;
use super::section::{About, Packer, digest};
use super::trailer::{Ending, Indexed, ThreadTotals, Trailer};
use super::{BLOCKS, CHUNK, END, FLAGS, HEADER, TRAILER, VERSION};
use crate::trace::ftrace::MAGIC;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Bytes of descriptions of blocks after which a section ends.
const BLOCKS_CONTENT: usize = 1 << 20;

/// A trace that is being written.
pub struct RecordedWriter<W: Write> {
    out: W,
    packer: Packer,
    index: Vec<Indexed>,
    /// Bytes written.
    offset: u64,
    counts: BTreeMap<u16, Counts>,
    orders: Tickets,
    regions: Vec<Region>,
    fetches: bool,
}

impl<W: Write> RecordedWriter<W> {
    /// Begins a trace in `out`.
    ///
    /// # Errors
    /// `out` fails.
    pub fn new(mut out: W, about: &About) -> io::Result<Self> {
        out.write_all(MAGIC)?;
        out.write_all(&VERSION.to_le_bytes())?;
        out.write_all(&FLAGS[usize::from(about.fetches)])?;
        let mut writer = Self {
            out,
            packer: Packer::new()?,
            index: Vec::new(),
            offset: 12,
            counts: BTreeMap::new(),
            orders: Tickets::default(),
            regions: Vec::new(),
            fetches: about.fetches,
        };
        writer.section(HEADER, &about.content(), (0, 0))?;
        Ok(writer)
    }

    fn section(&mut self, tag: u8, content: &[u8], chunk: (u16, u64)) -> io::Result<u64> {
        let stored = self.packer.pack(tag, content)?;
        stored.write(&mut self.out)?;
        let digest = digest(&stored.bytes);
        self.offset += (super::section::PRELUDE + stored.bytes.len()) as u64;
        self.index.push(Indexed {
            tag,
            stored: stored.bytes.len() as u32,
            digest,
            chunk,
        });
        Ok(digest)
    }

    /// Defines blocks, which have the numbers after those defined before.
    ///
    /// # Errors
    /// The output fails.
    pub fn blocks<'a>(&mut self, blocks: impl IntoIterator<Item = &'a Block>) -> io::Result<()> {
        let (mut content, mut before) = (Vec::new(), 0);
        for block in blocks {
            block.put(before, self.fetches, &mut content);
            before = block.address;
            if content.len() >= BLOCKS_CONTENT {
                self.section(BLOCKS, &content, (0, 0))?;
                content.clear();
                before = 0;
            }
        }
        if !content.is_empty() {
            self.section(BLOCKS, &content, (0, 0))?;
        }
        Ok(())
    }

    /// Appends a chunk; the blocks in it must be defined by then.
    ///
    /// # Errors
    /// The output fails.
    pub fn chunk(&mut self, chunk: &Chunk) -> io::Result<()> {
        let orders = chunk.orders().map_err(io::Error::other)?;
        self.section(
            CHUNK,
            &chunk.content(self.fetches),
            (chunk.thread, chunk.counts.accesses()),
        )?;
        self.counts.entry(chunk.thread).or_default().add(&chunk.counts);
        for (object, ticket) in orders {
            self.orders.insert(object, ticket);
        }
        Ok(())
    }

    /// Says what the numbers of marked regions stand for, and who was there; at most [`MOST_REGIONS`](super::MOST_REGIONS).
    pub fn regions(&mut self, regions: Vec<Region>) {
        self.regions = regions;
    }

    /// Bytes of all sections so far. Where one could not be written the trace can be ended, once what is behind these is cut off.
    pub fn bytes(&self) -> u64 {
        self.offset
    }

    /// Sections so far.
    pub fn sections(&self) -> usize {
        self.index.len()
    }

    /// The output.
    pub fn out(&mut self) -> &mut W {
        &mut self.out
    }

    /// Ends the trace and gives the output back. The counts of the threads are those that were written; dependences and ranges are
    /// the caller's.
    ///
    /// # Errors
    /// The output fails.
    pub fn finish(mut self, ending: Ending, threads: Vec<ThreadTotals>) -> io::Result<(W, Trailer)> {
        let mut threads: BTreeMap<u16, ThreadTotals> =
            threads.into_iter().map(|totals| (totals.thread, totals)).collect();
        for (thread, counts) in &self.counts {
            let totals = threads.entry(*thread).or_default();
            (totals.thread, totals.counts) = (*thread, *counts);
        }
        let trailer = Trailer {
            ending,
            threads: threads.into_values().collect(),
            orders: std::mem::take(&mut self.orders),
            regions: std::mem::take(&mut self.regions),
            index: self.index.clone(),
        };
        let offset = self.offset;
        let digest = self.section(TRAILER, &trailer.content(self.fetches), (0, 0))?;
        self.out.write_all(&offset.to_le_bytes())?;
        self.out.write_all(&digest.to_le_bytes())?;
        self.out.write_all(END)?;
        self.out.flush()?;
        Ok((self.out, trailer))
    }
}
