// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the words mean.
//!
//! The three highest bits of a thread's word say what it is:
//!
//! | | bits 52–60 | 51 | 48–50 | 0–47 | words that follow |
//! |---|---|---|---|---|---|
//! | [`ACCESS`] | number of the instruction in its block | 1: a store | log2 of the size | address | |
//! | [`UPDATE`] | same | 1 | same | address | |
//! | [`ORDER`] | 0 | 0 | 0, or [`AFTER`] | object (16 bits), ticket (32 bits) | |
//! | [`BLOCK`] | 0 | 0 | 0 | number of the block | |
//! | [`SYSCALL`] | 0 | 0 | 0 | its number | six arguments |
//! | [`RETURN`] | 0 | 0 | 0 | number of the system call | its result |
//! | [`BEGIN`] | 0 | 0 | 0 | number of the thread that made it, as the kernel counts | |
//! | [`END`] | 0 | 0 | 0 | 0 | |
//!
//! A block's word comes before the accesses of its instructions. `ORDER` belongs to the access, system call or return
//! before it: of all that is done on one object, tickets say what came first, in numbers without gaps from 0 on. With [`AFTER`] it has no
//! ticket of its own: it came after all those with lower ones. Objects are addresses by [`object`]; different ones may share a number.
//!
//! Words of the stream of definitions: [`DEFINE`] with the number of instructions in bits 32–47 and the block's number
//! below, then its address, then a byte for the length of each instruction, then the instructions' bytes, each list filled up to
//! whole words; [`MAPS`] with a number of bytes, then these, a part of `/proc/self/maps`; [`IMAGE`], then begin and end of the
//! program's code and its entry; [`SKIPPED`] with the number of instructions so far, of which nothing else is told.

/// Mask of a word's kind.
pub const KIND: u64 = 7 << 61;
/// A load or store.
pub const ACCESS: u64 = 0;
/// A load and a store in one.
pub const UPDATE: u64 = 1 << 61;
/// When the event before came, compared with those of other threads.
pub const ORDER: u64 = 2 << 61;
/// In a word of [`ORDER`]: what waits or only looks, and need not be waited for.
pub const AFTER: u64 = 1 << 48;
/// A block runs.
pub const BLOCK: u64 = 3 << 61;
/// A system call begins.
pub const SYSCALL: u64 = 4 << 61;
/// A system call is over.
pub const RETURN: u64 = 5 << 61;
/// The thread begins.
pub const BEGIN: u64 = 6 << 61;
/// The thread is over.
pub const END: u64 = 7 << 61;

/// Definition of a block.
pub const DEFINE: u64 = 1 << 61;
/// A part of the map of memory.
pub const MAPS: u64 = 2 << 61;
/// Where the program's code lies.
pub const IMAGE: u64 = 3 << 61;
/// Instructions that were left out since the program's begin.
pub const SKIPPED: u64 = 4 << 61;

/// Place of the number of an instruction.
pub const INSTRUCTION: u32 = 52;
/// Place of the bit of a store.
pub const STORE: u32 = 51;
/// Place of the size.
pub const SIZE: u32 = 48;
/// An address, or what else stands in the lowest 48 bits.
pub const LOW: u64 = (1 << 48) - 1;
/// Words of the longest event of a thread: a system call with its arguments and its order.
pub const LONGEST: usize = 8;
/// Objects whose order is known.
pub const OBJECTS: usize = 4096;
/// The object of threads that begin.
pub const BIRTHS: usize = OBJECTS - 1;

/// The object of an address: a number below [`BIRTHS`], the same for all of a cache line of 64 bytes.
#[inline]
pub fn object(address: u64) -> usize {
    // Fibonacci hashing: the upper bits of a product with 2^64 / golden ratio.
    ((address >> 6).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52) as usize % BIRTHS
}

/// The word of the order of an event.
#[inline]
pub fn order(object: usize, ticket: u32) -> u64 {
    ORDER | (object as u64) << 32 | u64::from(ticket)
}
