// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fresco's own trace format, extension `.ftrace`: what programs do, or what reaches a memory, in a few bytes each. This is version 1;
//! version 2, of whole programs as they were recorded, is [`recorded`].
//!
//! # The file
//!
//! | bytes | content |
//! |---|---|
//! | 8 | magic: `89 46 54 52 41 43 45 0a` (`\x89FTRACE\n`) |
//! | 2 | version, little-endian: 1 |
//! | 2 | flags, little-endian: 1 if addresses in a trace of instructions are physical, else 0; a reader refuses others |
//! | rest | one zstd frame (RFC 8878) with a content checksum and a window of at most 8 MiB; nothing after it |
//!
//! The frame contains the header, the records and the trailer. Integers in it are LEB128: seven bits per byte, the
//! lowest first, the top bit set in all bytes but the last, at most ten bytes and 64 bits.
//!
//! **Header**: program (text), tool that wrote the trace and its version (text), seed (integer), unit of the gaps (one
//! byte: 0 instructions, 1 cycles of the memory controller), number of records expected plus one (integer; 0: unknown
//! when writing began). A text is its length in bytes (integer, at most 255) and as many bytes of UTF-8.
//!
//! **Records**, each beginning with a tag byte:
//!
//! | tag bits | access | mark |
//! |---|---|---|
//! | 0–1 | 0 load, 1 store | 2 |
//! | 2–4 | size: 2^k bytes for k below 7; 7: a byte with the size (1 to 64) follows | 0 begin, 1 pass, 2 end, 3 fork, 4 join |
//! | 5 | a dependence follows | 0 |
//! | 6 | a thread follows; else the thread of the record before, at first 0 | same |
//! | 7 | a gap follows; else 0 | same |
//!
//! What follows the tag, in this order: thread (integer below 1024), size (one byte), gap (integer), dependence (integer,
//! 1 to 2^32 − 1 and not beyond the first access of the thread), and for an access the address: the difference from the
//! address of the thread's access before (at first 0), modulo 2^64 and signed, in zigzag code (0, −1, 1, −2 … become 0,
//! 1, 2, 3 …).
//!
//! The gap of an access or mark is, in instructions, the number of them between the thread's record before and this one
//! that access no memory, below 2^32; in cycles, the time since the arrival of the record before it in the file. The
//! dependence is the distance back, in accesses of the thread, to the load whose value this one needs (see
//! [`crate::Op::dep`]).
//!
//! **Trailer**: the tag byte 3, then the number of records (integer). A file without it, or with another number of
//! records than it says, is damaged.

mod any;
mod bytes;
mod capture;
mod header;
mod reader;
mod record;
pub mod recorded;
#[cfg(test)]
mod tests;
mod varint;
mod writer;

pub use any::TraceReader;
pub use capture::capture;
pub use header::{Addresses, Header, Unit};
pub use record::{MAX_THREADS, Record, What};
pub use writer::TraceWriter;

/// First bytes of a file. The first is no text in any encoding, the last is lost where line ends are converted.
pub(crate) const MAGIC: &[u8; 8] = b"\x89FTRACE\n";
/// Version of the format.
const VERSION: u16 = 1;
/// Flags of a trace with physical addresses.
const PHYSICAL: u16 = 1;
/// Bytes of magic, version and flags.
const PRELUDE: usize = 12;

/// A file with this content in its frame, whatever it is; for tests and fuzzers.
pub(super) fn frame_of(content: &[u8]) -> Vec<u8> {
    let mut file = [&MAGIC[..], &VERSION.to_le_bytes(), &[0, 0]].concat();
    let frame = zstd::encode_all(content, 1);
    file.extend(frame.unwrap_or_default());
    file
}

const LOAD: u8 = 0;
const STORE: u8 = 1;
const MARK: u8 = 2;
const END: u8 = 3;
const EXPLICIT_SIZE: u8 = 7;
const HAS_DEP: u8 = 1 << 5;
const HAS_THREAD: u8 = 1 << 6;
const HAS_GAP: u8 = 1 << 7;
