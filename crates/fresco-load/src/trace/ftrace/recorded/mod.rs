// SPDX-License-Identifier: MIT OR Apache-2.0
//! Version 2 of `.ftrace`: what whole programs do, recorded block by block.
//!
//! Blocks of instructions are described once; a run of one costs a bit where it is the expected one, and a bit for each access
//! whose address goes on as expected. Gaps, sizes, directions and dependences follow from the descriptions.
//!
//! # The file
//!
//! | bytes | content |
//! |---|---|
//! | 8 | magic: `89 46 54 52 41 43 45 0a` |
//! | 2 | version, little-endian: 2 |
//! | 2 | flags, little-endian: 1 for a trace with fetches, else 0; a reader refuses others |
//! | ... | sections |
//! | 8 | where the last section, the trailer, begins: bytes from the start of the file, little-endian |
//! | 8 | XXH64 of the trailer as it is stored, little-endian |
//! | 8 | end: `46 54 52 41 43 45 45 4e` (`FTRACEEN`) |
//!
//! A **section** is a tag (one byte), the number of bytes stored (4 bytes, little-endian), the number of bytes of its content (4
//! bytes, little-endian, at most 64 Mi), and as many stored bytes: one zstd frame with a checksum and a window of at most
//! 8 MiB. The first section is the header, the last one the trailer; between them are definitions of blocks and chunks, the former
//! before the first chunk that needs them. Integers are LEB128 as in version 1, differences modulo 2^64 in its zigzag code; a
//! text is its length, at most 255, and its bytes in UTF-8.
//!
//! **Header** (tag 1): program, tool with its version, architecture (`x86-64`, `aarch64`): texts.
//!
//! **Blocks** (tag 2): blocks one after the other to the end of the section. They are numbered from 0 on, over all sections. A block
//! is the difference of its address from that of the block before (in the section; at first 0); its instructions, 1 to 512; the
//! number of its accesses, at most 4096, and these; the number of registers that it changes, and these.
//!
//! - An access: which instruction makes it, as difference from that of the access before, at first from 0; a byte, its size (1
//!   to 64) times two, plus 1 for a store; the source of its address; for a store, the source of its data; 0, or the place
//!   (from 1 on) of an access before it in the block beside which it lies, then its distance from that one.
//! - A register: its number below 64 (one byte), the source of its new value.
//! - A source: the place (from 1 on) of the last load of the block that the value derives from; or 0, and the mask of the registers
//!   at the begin of the block that it derives from.
//!
//! **Chunk** (tag 3): thread, below 1024; runs of blocks, instructions, loads, stores; the lengths of four lists in bytes; the
//! lists. Nothing in a chunk refers to another chunk. The lists are
//!
//! 0. bits, the lowest of a byte first: for each run whether its block is the expected one, then for each of its accesses whether
//!    its address is. The last byte is filled up with zeros.
//! 1. for each block that is not expected: 1 to 3, the first, second or third successor of the block before; else 4 and the block's
//!    number as an integer. 0: no run, but something of the list 3.
//! 2. for each address that is not expected: the difference from the address expected, for an access beside another; else from
//!    the last address of this access.
//! 3. 1: an order, which holds before an access of the next run: its place (from 0 on; the number of accesses: after all), object
//!    (below 4096), ticket (below 2^32 - 1). Of the orders on an object tickets say which came first. 2: the same without a ticket of its own: what
//!    follows came after all orders on the object with lower tickets than this number, and no order comes after it. 3, 4: a region that
//!    the program marks begins or ends before an access of the next run: its place, the number of the region.
//!
//! *Expected* are, in this chunk: of blocks, the one that came when the value H was last what it is now, where H is at first 0, and
//! becomes with each block of number n `(H << 5 ^ (n · 0x9e3779b1 mod 2^32) >> 17) mod 2^15`. Successors of a block are the
//! three different ones that came after it last, the latest first. Of addresses: beside another, that one's plus the distance;
//! else the last one of this access plus the difference between it and the one before that, both at first 0.
//!
//! *Dependences.* Of each thread, and from the begin of each chunk on, it is kept of which load each register's value derives, and of
//! which one the last data stored into each of 4,096 words of eight bytes: place `(address >> 3) mod 4096`, with the word it is of.
//! A source is the load that it names; else the latest one of the registers in its mask. A load depends on the source of its address,
//! or on the load that the data in its word derive from if that is later; a store on the source of its address or of its data,
//! whichever is later. See [`Follower`].
//!
//! *Fetches.* With flag 1 the description of each block ends with where its code lies: the bytes of its instructions, or 0 if that is not known;
//! then, for each line of 64 bytes that they touch but the first, which instruction has the first byte in it, as difference from the
//! one before, at first from 0. Each chunk has a number of fetches after that of its stores, and so has each thread in the trailer. A thread fetches
//! a line when it executes an instruction with a byte in another line than the one fetched last; at the begin of a chunk none was. See
//! [`Fetches`].
//!
//! **Trailer** (tag 4): how the program ended (one byte: 0 by itself, 1 by a signal, 2 the recording was ended, 3 the recorder could
//! not go on) and the status, signal, or 0; the number of threads, and for each, ascending: its number, runs, instructions, loads,
//! stores; the loads that were looked at, and of these those that depend on any before, on one of the 512 accesses before, on the access just before, each of both by registers
//! alone and with stored words; the number of ranges of pages of 4 KiB that it touches, and these, ascending: pages from the end of the
//! range before (at first from page 0), pages of the range, kind of memory (one byte, see [`Kind`]). Then the number of sections before
//! the trailer, and for each: tag, bytes stored, XXH64 of these (8 bytes), and of a chunk its thread and accesses. Then the number of
//! objects that orders are on, and for each, ascending: its number, the number of ranges of tickets that are in the file, and these,
//! ascending: tickets from the end of the range before (at first from 0), tickets of the range. What is in no range was not recorded,
//! and is not waited for. Then the number of regions, at most 256, and for each its name, a text, the number of threads that were in it,
//! and for each, ascending: its number, how often it was in it, instructions and accesses there.

mod bits;
mod block;
mod bytes;
mod changes;
mod coder;
mod decoder;
pub mod dependences;
mod encoder;
mod fetch;
mod file;
mod follow;
mod kind;
mod live;
mod orders;
mod pages;
mod recover;
mod region;
mod runs;
mod section;
mod stream;
#[cfg(test)]
mod tests;
mod thread;
mod trailer;
mod writer;

pub use block::{Block, MOST_INSTRUCTIONS, MOST_SITES, REGISTERS, Site, Source};
pub use changes::Changes;
pub use encoder::{Chunk, Counts, Encoder};
pub use fetch::{CODE_LINE, Code, Fetches};
pub use file::RecordedFile;
pub use follow::{Dependences, Follower, Needed, WINDOW};
pub use kind::Kind;
pub(crate) use live::LIVE;
pub use live::{Fed, Feeder, Live};
pub use orders::Tickets;
pub use recover::{Recovered, Unrecovered, recover};
pub(crate) use region::RegionRecords;
pub use region::{MOST_REGIONS, Region, Visits};
pub use section::About;
pub(crate) use section::sections_of;
pub(crate) use stream::RecordedStream;
pub(crate) use thread::{Between, RecordedThread};
pub use trailer::{Ending, Range, ThreadTotals, Trailer};
pub use writer::RecordedWriter;

/// Version of the format.
pub(crate) const VERSION: u16 = 2;
/// Flags of a trace without fetches, and of one with them.
const FLAGS: [[u8; 2]; 2] = [[0, 0], [1, 0]];

/// Whether a trace with these flags has fetches; `None` for flags that are not known.
pub(super) fn fetches_by(flags: [u8; 2]) -> Option<bool> {
    FLAGS.iter().position(|known| *known == flags).map(|place| place == 1)
}

/// Bytes of the content of a section, at most.
const MOST_CONTENT: usize = 64 << 20;
/// Blocks of a trace, at most.
pub const MOST_BLOCKS: usize = 1 << 24;

/// Last bytes of a file.
const END: &[u8; 8] = b"FTRACEEN";
const HEADER: u8 = 1;
const BLOCKS: u8 = 2;
const CHUNK: u8 = 3;
const TRAILER: u8 = 4;

/// In the list of branches: no run.
const SPECIAL: u8 = 0;
/// In the list of branches: number of block 0.
const BLOCKS_FROM: u64 = 4;
/// In the list of specials.
const ORDER: u8 = 1;
const AFTER: u8 = 2;
const ENTER: u8 = 3;
const LEAVE: u8 = 4;
/// Objects whose order is known.
pub const OBJECTS: u16 = 4096;

/// What a thread does that is no run of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Special {
    /// What follows comes, in the order of all that was done on an object, at this place.
    Order {
        /// Accesses of the next run that come before.
        at: u16,
        /// The object, below [`OBJECTS`].
        object: u16,
        /// Its place.
        ticket: u32,
    },
    /// What follows comes after all orders on an object that have lower tickets.
    After {
        /// Accesses of the next run that come before.
        at: u16,
        /// The object, below [`OBJECTS`].
        object: u16,
        /// The least ticket that need not come before.
        ticket: u32,
    },
    /// A region that the program marks begins or ends.
    Mark {
        /// Accesses of the next run that come before.
        at: u16,
        /// Which region.
        region: u8,
        /// It begins.
        enters: bool,
    },
}

impl Special {
    /// Accesses of the next run that come before.
    pub fn at(&self) -> u16 {
        match self {
            Self::Order { at, .. } | Self::After { at, .. } | Self::Mark { at, .. } => *at,
        }
    }
}
