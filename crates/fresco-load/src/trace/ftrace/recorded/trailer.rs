// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is known of a trace when it is over.

use super::CHUNK;
use super::bytes::Bytes;
use super::encoder::Counts;
use super::follow::Dependences;
use super::kind::Kind;
use super::orders::Tickets;
use super::region::Region;
use crate::trace::ftrace::MAX_THREADS;
use crate::trace::ftrace::varint::put;

/// Pages up to the highest address.
const MOST_PAGES: u64 = 1 << 52;

/// How a recording ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ending {
    /// The program ended, with this status.
    Status(u8),
    /// A signal ended the program.
    Signal(u8),
    /// As much as was asked for was recorded, or the user ended it.
    #[default]
    Stopped,
    /// The recorder could not go on.
    Failed,
}

/// Adjacent pages of one kind that a thread touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Range {
    /// Number of the first page of 4 KiB.
    pub first: u64,
    /// Pages.
    pub pages: u64,
    /// What for.
    pub kind: Kind,
}

/// What a thread did, all in all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThreadTotals {
    /// Its number.
    pub thread: u16,
    /// What it did.
    pub counts: Counts,
    /// Its loads that depend on loads.
    pub dependences: Dependences,
    /// What it touched: ascending, disjoint.
    pub ranges: Vec<Range>,
}

/// A section, as the trailer knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Indexed {
    pub tag: u8,
    /// Bytes stored.
    pub stored: u32,
    /// XXH64 of these.
    pub digest: u64,
    /// Thread and accesses of a chunk.
    pub chunk: (u16, u64),
}

/// The trailer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trailer {
    /// How it ended.
    pub ending: Ending,
    /// Of each thread.
    pub threads: Vec<ThreadTotals>,
    /// Orders between them.
    pub orders: Tickets,
    /// What the program marked, by number.
    pub regions: Vec<Region>,
    pub(super) index: Vec<Indexed>,
}

impl Trailer {
    /// The totals of a thread.
    pub fn thread(&self, thread: u16) -> Option<&ThreadTotals> {
        self.threads.iter().find(|totals| totals.thread == thread)
    }

    /// What all threads did.
    pub fn counts(&self) -> Counts {
        let mut all = Counts::default();
        self.threads.iter().for_each(|totals| all.add(&totals.counts));
        all
    }

    /// What loads of all threads depend on.
    pub fn dependences(&self) -> Dependences {
        let mut all = Dependences::default();
        self.threads.iter().for_each(|totals| all.add(&totals.dependences));
        all
    }

    /// Pages that are touched, by kind, in the order of [`Kind::ALL`]; those of several threads once, as what the first of them
    /// has them for.
    pub fn pages_by_kind(&self) -> [u64; 8] {
        let mut pages = [0; Kind::ALL.len()];
        let mut ranges: Vec<Range> = self
            .threads
            .iter()
            .flat_map(|totals| totals.ranges.iter().copied())
            .collect();
        ranges.sort_by_key(|range| range.first);
        let mut end = 0;
        for range in ranges {
            let new = (range.first + range.pages).saturating_sub(range.first.max(end));
            pages[range.kind as usize] += new;
            end = end.max(range.first + range.pages);
        }
        pages
    }

    /// Sections of chunks.
    pub fn chunks(&self) -> usize {
        self.index.iter().filter(|section| section.tag == CHUNK).count()
    }

    /// What is stored of it, in a trace with or without fetches.
    pub(super) fn content(&self, fetches: bool) -> Vec<u8> {
        let mut out = Vec::new();
        let (how, value) = match self.ending {
            Ending::Status(status) => (0, status),
            Ending::Signal(signal) => (1, signal),
            Ending::Stopped => (2, 0),
            Ending::Failed => (3, 0),
        };
        out.extend([how, value]);
        put(&mut out, self.threads.len() as u64);
        for totals in &self.threads {
            let (counts, depend) = (&totals.counts, &totals.dependences);
            put(&mut out, u64::from(totals.thread));
            for value in [counts.runs, counts.instructions, counts.loads, counts.stores] {
                put(&mut out, value);
            }
            if fetches {
                put(&mut out, counts.fetches);
            }
            put(&mut out, depend.loads);
            for value in [depend.any, depend.near, depend.next].into_iter().flatten() {
                put(&mut out, value);
            }
            put(&mut out, totals.ranges.len() as u64);
            let mut end = 0;
            for range in &totals.ranges {
                put(&mut out, range.first - end);
                put(&mut out, range.pages);
                out.push(range.kind as u8);
                end = range.first + range.pages;
            }
        }
        put(&mut out, self.index.len() as u64);
        for section in &self.index {
            out.push(section.tag);
            put(&mut out, u64::from(section.stored));
            out.extend_from_slice(&section.digest.to_le_bytes());
            if section.tag == CHUNK {
                put(&mut out, u64::from(section.chunk.0));
                put(&mut out, section.chunk.1);
            }
        }
        self.orders.put(&mut out);
        Region::put_all(&self.regions, &mut out);
        out
    }

    pub(super) fn parse(content: &[u8], fetches: bool) -> Result<Self, String> {
        let mut bytes = Bytes(content);
        let ending = match [bytes.byte()?, bytes.byte()?] {
            [0, status] => Ending::Status(status),
            [1, signal] => Ending::Signal(signal),
            [2, 0] => Ending::Stopped,
            [3, 0] => Ending::Failed,
            ending => return Err(format!("an end {ending:?}")),
        };
        let mut threads: Vec<ThreadTotals> = Vec::new();
        for _ in 0..bytes.below(u64::from(MAX_THREADS) + 1, "a number of threads")? {
            let totals = totals(&mut bytes, fetches)?;
            if threads.last().is_some_and(|before| before.thread >= totals.thread) {
                return Err("threads out of order".into());
            }
            threads.push(totals);
        }
        let mut index = Vec::new();
        for _ in 0..bytes.below(content.len() as u64, "a number of sections")? {
            let tag = bytes.byte()?;
            let stored = bytes.below(1 << 32, "a length")? as u32;
            let digest = bytes.word()?;
            let chunk = match tag {
                CHUNK => (bytes.below(u64::from(MAX_THREADS), "thread")? as u16, bytes.integer()?),
                _ => (0, 0),
            };
            index.push(Indexed {
                tag,
                stored,
                digest,
                chunk,
            });
        }
        let orders = Tickets::parse(&mut bytes)?;
        let regions = Region::parse_all(&mut bytes)?;
        bytes.finish()?;
        Ok(Self {
            ending,
            threads,
            orders,
            regions,
            index,
        })
    }
}

fn totals(bytes: &mut Bytes<'_>, fetches: bool) -> Result<ThreadTotals, String> {
    let thread = bytes.below(u64::from(MAX_THREADS), "thread")? as u16;
    let counts = Counts {
        runs: bytes.integer()?,
        instructions: bytes.integer()?,
        loads: bytes.below(1 << 62, "a number of loads")?,
        stores: bytes.below(1 << 62, "a number of stores")?,
        fetches: if fetches {
            bytes.below(1 << 50, "a number of fetches")?
        } else {
            0
        },
    };
    let looked_at = bytes.integer()?;
    let mut pair = || -> Result<[u64; 2], String> { Ok([bytes.integer()?, bytes.integer()?]) };
    let dependences = Dependences {
        loads: looked_at,
        any: pair()?,
        near: pair()?,
        next: pair()?,
    };
    let count = bytes.below(bytes.left() as u64, "a number of ranges")?;
    let (mut ranges, mut end) = (Vec::new(), 0);
    for _ in 0..count {
        let first = end + bytes.below(MOST_PAGES - end, "a page")?;
        let pages = bytes.below(MOST_PAGES - first + 1, "a number of pages")?;
        let kind = bytes.byte()?;
        let kind = Kind::of(kind).ok_or_else(|| format!("a kind of memory {kind}"))?;
        if pages == 0 {
            return Err("a range without pages".into());
        }
        end = first + pages;
        ranges.push(Range { first, pages, kind });
    }
    Ok(ThreadTotals {
        thread,
        counts,
        dependences,
        ranges,
    })
}
