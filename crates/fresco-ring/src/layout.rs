// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where everything lies in the shared memory.

use crate::event::OBJECTS;
use crate::turn::Turn;
use rustix::fd::AsFd;
use rustix::mm::{MapFlags, ProtFlags, mmap};
use std::io;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, AtomicU64};

/// First word of the memory; changes with the layout, so that a library of another version is refused.
pub const MAGIC: u64 = u64::from_le_bytes(*b"frring\0\x03");
/// Threads at a time.
pub const THREADS: usize = 1024;
/// The stream of definitions: one slot beyond those of threads.
pub const DEFINITIONS: usize = THREADS;
/// Segments: more than there can be threads, so that one is always under way to the reader.
pub const SEGMENTS: usize = 1152;
/// Words of a segment.
pub const WORDS: usize = 4096;
/// Bytes of all.
pub const BYTES: usize = size_of::<Ring>();

/// Nobody's.
pub const FREE: u32 = 0;
/// Being taken.
pub const TAKEN: u32 = 1;
/// Being filled.
pub const OWNED: u32 = 2;
/// To be read.
pub const FULL: u32 = 3;

/// What both sides say to all processes of the program.
#[repr(C)]
pub struct Front {
    /// [`MAGIC`].
    pub magic: AtomicU64,
    /// Process number of the reader: without it nobody makes room any more.
    pub reader: AtomicU32,
    /// Nothing is to be recorded any more: what is written goes nowhere.
    pub closed: AtomicU32,
    /// The program has ended itself: all is written that is to be recorded.
    pub enough: AtomicU32,
    /// Processes that the program made are to end.
    pub over: AtomicU32,
}

/// The shared memory. All zero it is empty.
#[repr(C)]
pub struct Ring {
    /// What concerns all processes.
    pub front: Front,
    /// Changes when a segment becomes full; waited for by the reader.
    pub filled: AtomicU32,
    /// Changes when a segment becomes free; waited for by threads.
    pub freed: AtomicU32,
    /// Threads that wait for a free segment.
    pub waiting: AtomicU32,
    /// Streams begun.
    pub streams: AtomicU32,
    /// Whose turn it is, in a closed loop.
    pub turn: Turn,
    /// Tickets given out by object.
    pub tickets: [AtomicU32; OBJECTS],
    /// Of each thread, and of the definitions.
    pub slots: [Slot; THREADS + 1],
    /// State of each segment.
    pub states: [AtomicU32; SEGMENTS],
    /// Whose each segment is.
    pub heads: [Head; SEGMENTS],
    /// The words; the last segment is nobody's, and takes what is not to be recorded any more.
    pub segments: [[AtomicU64; WORDS]; SEGMENTS + 1],
}

/// Where a thread writes.
#[repr(C, align(64))]
pub struct Slot {
    /// Index of the next word, counted over all segments.
    pub next: AtomicU64,
    /// Index at which the segment is taken for full.
    pub end: AtomicU64,
    /// Segments that the stream has taken so far.
    pub taken: AtomicU64,
    /// Number of the stream; no two threads have the same one.
    pub stream: AtomicU32,
    /// What the kernel wakes at the thread's end; 0: nothing.
    pub woken: AtomicU64,
}

/// Whose a segment is.
#[repr(C)]
pub struct Head {
    /// The stream.
    pub stream: AtomicU32,
    /// The slot, which says how far it is filled.
    pub slot: AtomicU32,
    /// Segments of the stream before this one.
    pub number: AtomicU64,
    /// Words, once it is full.
    pub length: AtomicU64,
}

/// Maps the front of the shared memory once more, to be read.
///
/// # Errors
/// What the kernel says.
pub fn map_front(file: impl AsFd) -> io::Result<NonNull<Front>> {
    // SAFETY: as below.
    let map = unsafe {
        mmap(
            std::ptr::null_mut(),
            size_of::<Front>(),
            ProtFlags::READ,
            MapFlags::SHARED,
            file,
            0,
        )
    }?;
    NonNull::new(map.cast()).ok_or_else(|| io::ErrorKind::OutOfMemory.into())
}

/// Maps the shared memory of a file of [`BYTES`] bytes.
///
/// # Errors
/// What the kernel says.
pub fn map(file: impl AsFd) -> io::Result<NonNull<Ring>> {
    // SAFETY: a new mapping, where the kernel puts it.
    let map = unsafe {
        mmap(
            std::ptr::null_mut(),
            BYTES,
            ProtFlags::READ | ProtFlags::WRITE,
            MapFlags::SHARED,
            file,
            0,
        )
    }?;
    NonNull::new(map.cast()).ok_or_else(|| io::ErrorKind::OutOfMemory.into())
}
