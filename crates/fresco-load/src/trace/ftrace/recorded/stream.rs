// SPDX-License-Identifier: MIT OR Apache-2.0
//! A trace that is read from its begin to its end, from wherever it comes.

use super::block::Block;
use super::decoder::{Decoder, Step};
use super::encoder::{Chunk, Counts};
use super::fetch::Fetches;
use super::file::{define, error};
use super::follow::Follower;
use super::kind::Kind;
use super::section::{About, Fault, Stored, Unpacker, digest};
use super::thread::Gaps;
use super::trailer::{Indexed, Trailer};
use super::{BLOCKS, CHUNK, END, HEADER, Special, TRAILER};
use crate::trace::ftrace::{Record, What};
use crate::trace::records::{AFTER_LAST, FETCHES, Lost};
use fresco_input::InputError;
use std::collections::{BTreeMap, VecDeque};
use std::io::{self, ErrorKind, Read};

/// The records of a trace, chunk by chunk.
pub(crate) struct RecordedStream {
    name: String,
    input: Box<dyn Read + Send>,
    about: About,
    unpacker: Unpacker,
    blocks: Vec<Block>,
    decoder: Decoder,
    follower: Follower,
    fetches: Fetches,
    /// Lines fetched in the present chunk, and in those before.
    fetched: (u64, u64),
    gaps: BTreeMap<u16, Gaps>,
    counts: BTreeMap<u16, Counts>,
    /// Thread of the present chunk.
    thread: Option<u16>,
    addresses: Vec<u64>,
    ready: VecDeque<Record>,
    seen: Vec<Indexed>,
    offset: u64,
    /// Orders between threads.
    orders: u64,
    /// Begins and ends of regions.
    marks: u64,
    /// What is known of the whole, once all of it was read.
    trailer: Option<Trailer>,
}

impl RecordedStream {
    /// Reads the header from what comes after magic, version and flags, which say whether the trace has fetches.
    pub fn new(name: &str, fetches: bool, input: Box<dyn Read + Send>) -> Result<Self, InputError> {
        let unpacker = Unpacker::new().map_err(|fault| error(name, fault.into()))?;
        let mut this = Self {
            name: name.to_owned(),
            input,
            about: About {
                fetches,
                ..About::default()
            },
            unpacker,
            blocks: Vec::new(),
            decoder: Decoder::new(),
            follower: Follower::default(),
            fetches: Fetches::default(),
            fetched: (0, 0),
            gaps: BTreeMap::new(),
            counts: BTreeMap::new(),
            thread: None,
            addresses: Vec::new(),
            ready: VecDeque::new(),
            seen: Vec::new(),
            offset: 12,
            orders: 0,
            marks: 0,
            trailer: None,
        };
        this.header().map_err(|fault| error(name, fault))?;
        Ok(this)
    }

    fn header(&mut self) -> Result<(), Fault> {
        let (stored, content) = self.section()?;
        if stored.tag != HEADER {
            return Err(Fault::Damaged("no header".into()));
        }
        self.about = About::parse(&content, self.about.fetches)?;
        self.note(&stored, (0, 0));
        Ok(())
    }

    pub fn about(&self) -> &About {
        &self.about
    }

    /// What is known of the whole, once all of it was read and proved sound.
    pub fn trailer(&self) -> Option<&Trailer> {
        self.trailer.as_ref()
    }

    /// What is in no record, so far.
    pub fn lost(&self) -> Vec<Lost> {
        let left = self.gaps.values().map(Gaps::left).sum();
        let lost = [
            (self.orders, "orders between threads"),
            (
                self.marks,
                "marks of regions (`fresco trace cut --region` takes them out)",
            ),
            (self.trailer.as_ref().map_or(0, known_pages), "pages' kinds of memory"),
            (left, AFTER_LAST),
            (self.fetched.0 + self.fetched.1, FETCHES),
        ];
        lost.map(|(count, what)| Lost { count, what }).to_vec()
    }

    fn section(&mut self) -> Result<(Stored, Vec<u8>), Fault> {
        let stored = Stored::read(&mut self.input)?;
        let content = self.unpacker.unpack(&stored)?;
        Ok((stored, content))
    }

    fn note(&mut self, stored: &Stored, chunk: (u16, u64)) {
        self.offset += (super::section::PRELUDE + stored.bytes.len()) as u64;
        self.seen.push(Indexed {
            tag: stored.tag,
            stored: stored.bytes.len() as u32,
            digest: digest(&stored.bytes),
            chunk,
        });
    }

    /// The next record; `None` after the last, when the whole file has proved sound.
    ///
    /// # Errors
    /// The file is truncated or damaged.
    #[inline]
    pub fn next_record(&mut self) -> Result<Option<Record>, InputError> {
        loop {
            if let Some(record) = self.ready.pop_front() {
                return Ok(Some(record));
            }
            if self.trailer.is_some() {
                return Ok(None);
            }
            self.advance().map_err(|fault| {
                let fault = match fault {
                    Fault::Damaged(found) => Fault::Damaged(format!("{found}, after byte {}", self.offset)),
                    fault => fault,
                };
                error(&self.name, fault)
            })?;
        }
    }

    fn advance(&mut self) -> Result<(), Fault> {
        let Some(thread) = self.thread else {
            return self.next_section();
        };
        match self.decoder.next(&self.blocks, &mut self.addresses)? {
            Some(Step::Run(number)) => self.run(thread, number),
            // What comes after others refers to one of their orders, and is counted there.
            Some(Step::Special(Special::Order { .. })) => self.orders += 1,
            Some(Step::Special(Special::After { .. })) => {}
            Some(Step::Special(Special::Mark { .. })) => self.marks += 1,
            None => {
                let mut done = *self.decoder.done();
                done.loads -= done.stores;
                done.fetches = std::mem::take(&mut self.fetched.0);
                self.fetched.1 += done.fetches;
                self.counts.entry(thread).or_default().add(&done);
                self.thread = None;
            }
        }
        Ok(())
    }

    fn next_section(&mut self) -> Result<(), Fault> {
        let (stored, content) = self.section()?;
        match stored.tag {
            BLOCKS => {
                define(&content, self.about.fetches, &mut self.blocks)?;
                self.note(&stored, (0, 0));
            }
            CHUNK => {
                let chunk = Chunk::parse(&content, self.about.fetches)?;
                self.note(&stored, (chunk.thread, chunk.counts.accesses()));
                self.thread = Some(chunk.thread);
                self.decoder.begin(chunk);
                self.follower.begin();
                self.fetches.begin();
            }
            TRAILER => self.end(&stored, &content)?,
            tag => {
                return Err(Fault::Damaged(format!(
                    "a section with the tag {tag} where none belongs"
                )));
            }
        }
        Ok(())
    }

    fn run(&mut self, thread: u16, number: u32) {
        let block = &self.blocks[number as usize];
        self.fetches.run(block, |_, _| self.fetched.0 += 1);
        let gaps = self.gaps.entry(thread).or_default();
        let (addresses, ready) = (&self.addresses, &mut self.ready);
        self.follower.run(block, addresses, |site, addr, needed| {
            let what = What::Access {
                addr,
                size: site.size,
                write: site.write,
                dep: needed.by_all,
            };
            ready.push_back(Record {
                thread,
                gap: u64::from(gaps.before(site.instruction)),
                what,
            });
        });
        gaps.leave(block);
    }

    /// Checks the trailer, and that nothing follows but the end.
    fn end(&mut self, stored: &Stored, content: &[u8]) -> Result<(), Fault> {
        let trailer = Trailer::parse(content, self.about.fetches)?;
        let counts = self.counts.iter().filter(|(_, counts)| **counts != Counts::default());
        let said = trailer.threads.iter().map(|totals| (&totals.thread, &totals.counts));
        if trailer.index != self.seen || !counts.eq(said.filter(|(_, counts)| **counts != Counts::default())) {
            return Err(Fault::Damaged("another content than its trailer says".into()));
        }
        let expected = [
            &self.offset.to_le_bytes()[..],
            &digest(&stored.bytes).to_le_bytes(),
            END,
        ]
        .concat();
        let mut footer = Vec::new();
        self.input
            .by_ref()
            .take(expected.len() as u64 + 1)
            .read_to_end(&mut footer)?;
        if footer.len() < expected.len() {
            return Err(Fault::Io(io::Error::from(ErrorKind::UnexpectedEof)));
        }
        if footer != expected {
            return Err(Fault::Damaged("another end than it should, or more after it".into()));
        }
        self.trailer = Some(trailer);
        Ok(())
    }
}

/// Pages of which it is known what they are for.
fn known_pages(trailer: &Trailer) -> u64 {
    let pages = trailer.pages_by_kind().into_iter().zip(Kind::ALL);
    pages
        .filter(|(_, kind)| *kind != Kind::Other)
        .map(|(pages, _)| pages)
        .sum()
}
