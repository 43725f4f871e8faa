// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is sound of a recording that nobody could end.

use super::block::Block;
use super::decoder::{Decoder, Step};
use super::encoder::Chunk;
use super::file::{define, error};
use super::follow::{Dependences, Follower};
use super::pages::Pages;
use super::section::{About, Fault, PRELUDE, Stored, Unpacker};
use super::{
    BLOCKS, CHUNK, Ending, Fetches, HEADER, Kind, Range, RecordedWriter, ThreadTotals, Trailer, VERSION, fetches_by,
};
use crate::trace::ftrace::MAGIC;
use fresco_input::InputError;
use std::collections::BTreeMap;
use std::io::{Read, Write};

/// What was taken out of it.
pub struct Recovered<W> {
    /// Where it was written to.
    pub out: W,
    /// What it says at its end.
    pub trailer: Trailer,
    /// Bytes of the recording that are in it.
    pub kept: u64,
}

/// Why there is nothing.
pub enum Unrecovered {
    /// The recording cannot be read, or is none.
    Input(InputError),
    /// The output fails.
    Output(std::io::Error),
}

impl From<std::io::Error> for Unrecovered {
    fn from(error: std::io::Error) -> Self {
        Self::Output(error)
    }
}

/// A thread as far as it is known.
#[derive(Default)]
struct Thread {
    dependences: Dependences,
    pages: Pages,
}

struct Recovery<W: Write> {
    writer: RecordedWriter<W>,
    blocks: Vec<Block>,
    threads: BTreeMap<u16, Thread>,
    decoder: Decoder,
    follower: Follower,
    addresses: Vec<u64>,
    fetches: bool,
}

/// Reads the sections of a recording that has no end, up to the first that is not whole, and writes them with an end to `out`; `name` is for
/// errors. What pages are for, and the names of regions, would have stood at its end.
///
/// # Errors
/// It cannot be read, is no recording, has an end already, or has no sound section of accesses; or `out` fails.
pub fn recover<W: Write>(name: &str, mut input: impl Read, out: W) -> Result<Recovered<W>, Unrecovered> {
    let refused = |found: &str| InputError::new(name, found);
    let mut head = [0; 12];
    let read = input.read_exact(&mut head);
    let is_known = read.is_ok() && head[..8] == *MAGIC && head[8..10] == VERSION.to_le_bytes();
    let Some(fetches) = fetches_by([head[10], head[11]]).filter(|_| is_known) else {
        let refused = refused("is no recording").allowed("a trace in Fresco's own format, version 2, without its end");
        return Err(Unrecovered::Input(
            refused.help("name the file that a recording left behind"),
        ));
    };
    let damaged = |fault: Fault| Unrecovered::Input(error(name, fault));
    let mut unpacker = Unpacker::new().map_err(|fault| damaged(fault.into()))?;
    let first = Stored::read(&mut input).map_err(damaged)?;
    let content = unpacker.unpack(&first).map_err(damaged)?;
    if first.tag != HEADER {
        return Err(damaged(Fault::Damaged("no header".into())));
    }
    let about = About::parse(&content, fetches).map_err(|found| damaged(found.into()))?;
    let mut kept = 12 + (PRELUDE + first.bytes.len()) as u64;
    let mut recovery = Recovery {
        writer: RecordedWriter::new(out, &about)?,
        blocks: Vec::new(),
        threads: BTreeMap::new(),
        decoder: Decoder::new(),
        follower: Follower::default(),
        addresses: Vec::new(),
        fetches,
    };
    // What cannot be read, unpacked or decoded is where it ends.
    while let Ok(stored) = Stored::read(&mut input) {
        let Ok(content) = unpacker.unpack(&stored) else { break };
        match stored.tag {
            BLOCKS if recovery.blocks(&content)? => {}
            CHUNK if recovery.chunk(&content)? => {}
            BLOCKS | CHUNK => break,
            HEADER => break,
            _ => {
                let refused = refused("has its end: it is whole").help("use it as it is");
                return Err(Unrecovered::Input(refused));
            }
        }
        kept += (PRELUDE + stored.bytes.len()) as u64;
    }
    if recovery.threads.is_empty() {
        let refused = refused("holds no access that is whole").help("record it again");
        return Err(Unrecovered::Input(refused));
    }
    let (out, trailer) = recovery.finish()?;
    Ok(Recovered { out, trailer, kept })
}

impl<W: Write> Recovery<W> {
    /// False if it is damaged.
    fn blocks(&mut self, content: &[u8]) -> Result<bool, Unrecovered> {
        let before = self.blocks.len();
        let sound = define(content, self.fetches, &mut self.blocks).is_ok();
        if !sound {
            self.blocks.truncate(before);
        }
        self.writer.blocks(&self.blocks[before..])?;
        Ok(sound)
    }

    /// False if it is damaged.
    fn chunk(&mut self, content: &[u8]) -> Result<bool, Unrecovered> {
        let Ok(chunk) = Chunk::parse(content, self.fetches) else {
            return Ok(false);
        };
        let mut found = Dependences::default();
        let mut pages = Vec::new();
        self.decoder.begin(chunk.clone());
        self.follower.begin();
        let mut lines = Fetches::default();
        loop {
            let number = match self.decoder.next(&self.blocks, &mut self.addresses) {
                Ok(Some(Step::Run(number))) => number,
                Ok(Some(Step::Special(_))) => continue,
                Ok(None) => break,
                Err(_) => return Ok(false),
            };
            let block = &self.blocks[number as usize];
            let addresses = &self.addresses;
            lines.run(block, |_, line| {
                if pages.last() != Some(&(line >> 12)) {
                    pages.push(line >> 12);
                }
            });
            self.follower.run(block, addresses, |site, address, needed| {
                if !site.write {
                    found.count(needed);
                }
                let last = address.wrapping_add(u64::from(site.size) - 1);
                for page in [address >> 12, last >> 12] {
                    if pages.last() != Some(&page) {
                        pages.push(page);
                    }
                }
            });
        }
        let of = self.threads.entry(chunk.thread).or_default();
        of.dependences.add(&found);
        pages.into_iter().for_each(|page| _ = of.pages.touch(page));
        self.writer.chunk(&chunk)?;
        Ok(true)
    }

    fn finish(self) -> Result<(W, Trailer), Unrecovered> {
        let totals = self.threads.into_iter().map(|(thread, mut of)| {
            let mut pages: Vec<u64> = of.pages.fresh().collect();
            pages.sort_unstable();
            let mut ranges: Vec<Range> = Vec::new();
            for page in pages {
                match ranges.last_mut() {
                    Some(range) if range.first + range.pages == page => range.pages += 1,
                    _ => ranges.push(Range {
                        first: page,
                        pages: 1,
                        kind: Kind::Other,
                    }),
                }
            }
            ThreadTotals {
                thread,
                dependences: of.dependences,
                ranges,
                ..ThreadTotals::default()
            }
        });
        Ok(self.writer.finish(Ending::Failed, totals.collect())?)
    }
}
