// SPDX-License-Identifier: MIT OR Apache-2.0
//! The side that reads: the recorder.

use crate::guest::{wait, wake};
use crate::layout::{self, BYTES, DEFINITIONS, FREE, FULL, MAGIC, OWNED, Ring, SEGMENTS, WORDS};
use crate::turn::Turn;
use rustix::fs::{MemfdFlags, ftruncate, memfd_create};
use rustix::mm::munmap;
use rustix::process::{Resource, getrlimit};
use std::collections::BTreeMap;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::PathBuf;
use std::ptr::NonNull;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::time::Duration;

/// The shared memory, as the recorder sees it.
pub struct Host {
    ring: NonNull<Ring>,
    file: OwnedFd,
    /// Words of each segment that have been read.
    read: Vec<usize>,
    /// By stream: which of its segments comes next.
    due: BTreeMap<u32, u64>,
}

// SAFETY: everything in the memory is atomic.
unsafe impl Send for Host {}

/// Words of one stream, in the order in which they were written.
#[derive(Clone, Copy, Debug)]
pub struct Taken<'a> {
    /// The stream.
    pub stream: u32,
    /// Returns true for the stream of definitions.
    pub definitions: bool,
    /// What it wrote.
    pub words: &'a [u64],
}

impl Host {
    /// New shared memory, empty.
    ///
    /// # Errors
    /// There is no memory for it.
    pub fn new() -> io::Result<Self> {
        // The kernel ends a process that makes a longer file than it may, even in memory.
        if let Some(limit) = getrlimit(Resource::Fsize).current
            && limit < BYTES as u64
        {
            let found = format!("files of this process may have {limit} bytes (ulimit -f), and {BYTES} are needed");
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, found));
        }
        let file = memfd_create("fresco-record", MemfdFlags::CLOEXEC)?;
        ftruncate(&file, BYTES as u64)?;
        let ring = layout::map(&file)?;
        let host = Self {
            ring,
            file,
            read: vec![0; SEGMENTS],
            due: BTreeMap::new(),
        };
        host.ring().front.reader.store(std::process::id(), Relaxed);
        host.ring().front.magic.store(MAGIC, Release);
        Ok(host)
    }

    #[cfg(test)]
    pub(crate) fn memory(&self) -> NonNull<Ring> {
        self.ring
    }

    fn ring(&self) -> &Ring {
        // SAFETY: mapped until it is dropped, and all zero is a value of it.
        unsafe { self.ring.as_ref() }
    }

    pub(crate) fn turn(&self) -> &Turn {
        &self.ring().turn
    }

    /// The file under which the emulator finds it, as long as this process lives.
    pub fn path(&self) -> PathBuf {
        format!("/proc/{}/fd/{}", std::process::id(), self.file.as_raw_fd()).into()
    }

    /// Tells the program's threads to write nothing any more; those that wait go on.
    pub fn close(&self) {
        let ring = self.ring();
        ring.front.closed.store(1, Release);
        ring.freed.fetch_add(1, Release);
        wake(&ring.freed);
    }

    /// Returns true if the program has ended itself because all is written that is to be recorded.
    pub fn has_enough(&self) -> bool {
        self.ring().front.enough.load(Acquire) != 0
    }

    /// Tells the processes that the program made to end, each with its next system call: one that forks without end is gone before it is
    /// found.
    pub fn end_children(&self) {
        self.ring().front.over.store(1, Release);
    }

    /// Waits until a segment is full, for so long at most, unless one was since `seen`, the result of [`Host::filled`].
    pub fn wait(&self, seen: u32, most: Duration) {
        wait(&self.ring().filled, seen, most);
    }

    /// Changes when a segment becomes full.
    pub fn filled(&self) -> u32 {
        self.ring().filled.load(Acquire)
    }

    /// Gives the full segments that are there to `take`, each stream's in its order, and frees them. Returns how many.
    pub fn take_full(&mut self, mut take: impl FnMut(&mut Self, Taken<'_>)) -> usize {
        let mut count = 0;
        for segment in 0..SEGMENTS {
            if self.ring().states[segment].load(Acquire) == FULL {
                count += self.take_stream_from(segment, &mut take);
            }
        }
        count
    }

    /// Takes a full segment if it is its stream's turn; the ones that follow it are looked at again later.
    fn take_stream_from(&mut self, segment: usize, take: &mut impl FnMut(&mut Self, Taken<'_>)) -> usize {
        let head = &self.ring().heads[segment];
        let (stream, number) = (head.stream.load(Relaxed), head.number.load(Relaxed));
        if *self.due.entry(stream).or_default() != number {
            return 0;
        }
        self.take(segment, take);
        self.due.insert(stream, number + 1);
        self.read[segment] = 0;
        let ring = self.ring();
        ring.states[segment].store(FREE, Release);
        ring.freed.fetch_add(1, Release);
        if ring.waiting.load(Acquire) > 0 {
            wake(&ring.freed);
        }
        1
    }

    /// Gives what is new in a segment to `take`.
    fn take(&mut self, segment: usize, take: &mut impl FnMut(&mut Self, Taken<'_>)) {
        let length = self.length(segment);
        let from = self.read[segment];
        if length <= from {
            return;
        }
        self.read[segment] = length;
        let head = &self.ring().heads[segment];
        let (stream, definitions) = (
            head.stream.load(Relaxed),
            head.slot.load(Relaxed) as usize == DEFINITIONS,
        );
        let first = self.ring().segments[segment].as_ptr().cast::<u64>();
        // SAFETY: the segment is mapped; words below its length are written once, before the length was, and are not
        // written again before the segment is free.
        let words = unsafe { std::slice::from_raw_parts(first.add(from), length - from) };
        take(
            self,
            Taken {
                stream,
                definitions,
                words,
            },
        );
    }

    /// Words of a segment that can be read.
    fn length(&self, segment: usize) -> usize {
        let ring = self.ring();
        let head = &ring.heads[segment];
        let slot = &ring.slots[(head.slot.load(Relaxed) as usize).min(DEFINITIONS)];
        let (first, next) = ((segment * WORDS) as u64, slot.next.load(Acquire));
        let length = match ring.states[segment].load(Acquire) {
            FULL => head.length.load(Acquire),
            // Its owner may have gone to another segment since: then it is full, and found so the next time.
            OWNED if slot.stream.load(Relaxed) == head.stream.load(Relaxed) => next.wrapping_sub(first),
            _ => 0,
        };
        // A slot that points into another segment says nothing of this one; nothing in the memory is believed.
        if length <= WORDS as u64 { length as usize } else { 0 }
    }

    /// Gives what there is of the definitions to `take`, full segments or not. Those stay for [`Host::take_full`] to free.
    pub fn take_definitions(&mut self, mut take: impl FnMut(Taken<'_>)) {
        self.take_written(|slot| slot == DEFINITIONS, &mut |_, taken| take(taken));
    }

    /// Gives all that is left to `take`: for when the program is over.
    pub fn take_rest(&mut self, mut take: impl FnMut(&mut Self, Taken<'_>)) {
        while self.take_full(&mut take) > 0 {}
        self.take_written(|_| true, &mut take);
    }

    fn take_written(&mut self, of: impl Fn(usize) -> bool, take: &mut impl FnMut(&mut Self, Taken<'_>)) {
        let ring = self.ring();
        let mut segments: Vec<(u32, u64, usize)> = Vec::new();
        for (segment, state) in ring.states.iter().enumerate() {
            let head = &ring.heads[segment];
            if matches!(state.load(Acquire), OWNED | FULL) && of(head.slot.load(Relaxed) as usize) {
                segments.push((head.stream.load(Relaxed), head.number.load(Relaxed), segment));
            }
        }
        segments.sort_unstable();
        for (_, _, segment) in segments {
            self.take(segment, take);
        }
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.close();
        // A reader that ends in order is not missed: processes that the program made live on.
        self.ring().front.reader.store(0, Relaxed);
        // SAFETY: our own mapping; nothing borrows it.
        let _ = unsafe { munmap(self.ring.as_ptr().cast(), BYTES) };
    }
}
