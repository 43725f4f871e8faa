// SPDX-License-Identifier: MIT OR Apache-2.0
//! The side that writes: within the emulator, on the threads of the program.

use crate::event::LONGEST;
use crate::layout::{self, BYTES, DEFINITIONS, FREE, FULL, Front, MAGIC, OWNED, Ring, SEGMENTS, Slot, TAKEN, WORDS};
use crate::turn::Turn;
use rustix::fs::{Mode, OFlags, fstat, open};
use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous};
use std::io;
use std::path::Path;
use std::ptr::NonNull;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::time::Duration;

/// How long a thread sleeps before it looks whether the reader is still there.
const PATIENCE: Duration = Duration::from_millis(100);

/// The shared memory, as the emulator sees it. Copies are of the same memory.
#[derive(Clone, Copy)]
pub struct Guest {
    ring: NonNull<Ring>,
    /// The front of it, which a forked child keeps.
    front: NonNull<Front>,
}

// SAFETY: everything in it is atomic.
unsafe impl Send for Guest {}
// SAFETY: as above.
unsafe impl Sync for Guest {}

impl Guest {
    /// Maps the memory that the reader offers as the file `path`, for ever.
    ///
    /// # Errors
    /// It cannot be opened or mapped, or is none of this version.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = open(path, OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?;
        let foreign = || io::Error::new(io::ErrorKind::InvalidData, "no memory of a recorder of this version");
        if fstat(&file)?.st_size as u64 != BYTES as u64 {
            return Err(foreign());
        }
        let guest = Self {
            ring: layout::map(&file)?,
            front: layout::map_front(&file)?,
        };
        match guest.ring().front.magic.load(Acquire) == MAGIC {
            true => Ok(guest),
            false => Err(foreign()),
        }
    }

    /// Over memory that is mapped already.
    ///
    /// # Safety
    /// `ring` stays mapped.
    #[cfg(test)]
    pub(crate) unsafe fn over(ring: NonNull<Ring>) -> Self {
        Self {
            ring,
            front: ring.cast(),
        }
    }

    #[inline(always)]
    fn ring(&self) -> &Ring {
        // SAFETY: mapped for ever, and all zero is a value of it.
        unsafe { self.ring.as_ref() }
    }

    pub(crate) fn turn(&self) -> &Turn {
        &self.ring().turn
    }

    #[inline(always)]
    fn front(&self) -> &Front {
        // SAFETY: as above.
        unsafe { self.front.as_ref() }
    }

    /// Returns true if there is a reader, or it has ended in order, as far as this process can see: it cannot out of a namespace of its own.
    pub fn sees_reader(&self) -> bool {
        let reader = self.front().reader.load(Relaxed);
        // The null signal: is there such a process? SAFETY: no memory is involved.
        let found = unsafe { libc::kill(reader as libc::pid_t, 0) } == 0;
        reader == 0 || found || io::Error::last_os_error().raw_os_error() != Some(libc::ESRCH)
    }

    /// Returns true if the reader wants the processes to end that the program made. It still says so to a child that has [detached]
    /// itself.
    ///
    /// [detached]: Guest::detach
    pub fn is_over(&self) -> bool {
        self.front().over.load(Relaxed) != 0
    }

    /// Says that all is written that is to be recorded, before the program ends itself.
    pub fn enough(&self) {
        self.ring().front.enough.store(1, Release);
    }

    /// Returns true if nothing is recorded any more.
    pub fn is_closed(&self) -> bool {
        self.ring().front.closed.load(Relaxed) != 0
    }

    /// Puts memory of its own in the place of the shared one: to be called in a child that was forked, which has the parent's
    /// slots and would write into the parent's segments.
    ///
    /// # Errors
    /// There is no memory. The child must not go on then.
    ///
    /// # Safety
    /// No other thread of this process may write.
    pub unsafe fn detach(&self) -> io::Result<()> {
        // SAFETY: over our own mapping, of the same length.
        unsafe {
            mmap_anonymous(
                self.ring.as_ptr().cast(),
                BYTES,
                ProtFlags::READ | ProtFlags::WRITE,
                MapFlags::PRIVATE | MapFlags::FIXED | MapFlags::NORESERVE,
            )
        }?;
        self.ring().front.closed.store(1, Relaxed);
        Ok(())
    }

    /// Begins the stream of `slot`, a number up to [`DEFINITIONS`]; `woken` is what the kernel wakes at the thread's end.
    pub fn begin(&self, slot: usize, woken: u64) {
        let (ring, slot) = (self.ring(), self.slot(slot));
        slot.next.store(0, Relaxed);
        slot.end.store(0, Relaxed);
        slot.taken.store(0, Relaxed);
        slot.woken.store(woken, Relaxed);
        slot.stream.store(ring.streams.fetch_add(1, Relaxed), Relaxed);
    }

    /// Ends the stream of `slot`: what it has written can be read.
    pub fn end(&self, slot: usize) {
        let slot = self.slot(slot);
        self.release(slot);
        slot.next.store(0, Relaxed);
        slot.end.store(0, Relaxed);
    }

    /// What the kernel wakes at the end of the thread in `slot`.
    pub fn woken(&self, slot: usize) -> u64 {
        self.slot(slot).woken.load(Relaxed)
    }

    #[inline(always)]
    fn slot(&self, slot: usize) -> &Slot {
        &self.ring().slots[slot.min(DEFINITIONS)]
    }

    /// Appends a word to the stream of `slot`. Only one thread at a time may write to a slot; others see no harm but mixed
    /// words.
    #[inline(always)]
    pub fn push(&self, slot: usize, word: u64) {
        if !self.push_into_segment(slot, word) {
            self.push_all(slot, &[word]);
        }
    }

    /// [`push`](Self::push) if the segment of the slot has room; returns false, and appends nothing, if it has none.
    #[inline(always)]
    pub fn push_into_segment(&self, slot: usize, word: u64) -> bool {
        let slot = self.slot(slot);
        let next = slot.next.load(Relaxed);
        if next >= slot.end.load(Relaxed) {
            return false;
        }
        self.word(next).store(word, Relaxed);
        slot.next.store(next + 1, Release);
        true
    }

    /// Appends `words`, at most half a segment, which are read together.
    pub fn push_all(&self, slot: usize, words: &[u64]) {
        let slot = self.slot(slot);
        let mut next = slot.next.load(Relaxed);
        let room = slot.end.load(Relaxed) + LONGEST as u64;
        if next >= slot.end.load(Relaxed) || next + words.len() as u64 > room {
            next = self.exchange(slot, LONGEST);
        }
        for (at, word) in (next..).zip(words) {
            self.word(at).store(*word, Relaxed);
        }
        slot.next.store(next + words.len() as u64, Release);
    }

    /// The next ticket of an object.
    #[inline]
    pub fn ticket(&self, object: usize) -> u32 {
        self.ring().tickets[object].fetch_add(1, AcqRel)
    }

    /// How many tickets of an object were given out.
    #[inline]
    pub fn tickets(&self, object: usize) -> u32 {
        self.ring().tickets[object].load(Acquire)
    }

    #[inline(always)]
    fn word(&self, index: u64) -> &std::sync::atomic::AtomicU64 {
        let index = index as usize;
        debug_assert!(index < (SEGMENTS + 1) * WORDS);
        // SAFETY: indices come from `exchange`, and go up to the end of their segment only.
        unsafe {
            &*self
                .ring()
                .segments
                .as_ptr()
                .cast::<std::sync::atomic::AtomicU64>()
                .add(index)
        }
    }

    /// Lets the reader have the segment of a slot.
    fn release(&self, slot: &Slot) {
        let ring = self.ring();
        let end = slot.end.load(Relaxed);
        let segment = end.saturating_sub(1) as usize / WORDS;
        if end == 0 || segment == SEGMENTS {
            return;
        }
        let length = slot.next.load(Relaxed) - (segment * WORDS) as u64;
        ring.heads[segment].length.store(length, Relaxed);
        ring.states[segment].store(FULL, Release);
        ring.filled.fetch_add(1, Release);
        wake(&ring.filled);
    }

    /// Gives the segment of a slot to the reader and takes another one; `spare` words stay free at its end. The index of its
    /// first word.
    #[cold]
    #[inline(never)]
    fn exchange(&self, slot: &Slot, spare: usize) -> u64 {
        self.release(slot);
        let segment = self.take(slot);
        let first = (segment * WORDS) as u64;
        slot.next.store(first, Release);
        slot.end.store(first + (WORDS - spare) as u64, Release);
        first
    }

    /// A free segment; the one that nobody reads, if nothing is recorded any more.
    fn take(&self, slot: &Slot) -> usize {
        let ring = self.ring();
        loop {
            if ring.front.closed.load(Acquire) != 0 {
                return SEGMENTS;
            }
            let freed = ring.freed.load(Acquire);
            // The lowest first: what was read a moment ago is in the caches.
            for (segment, state) in ring.states.iter().enumerate() {
                if state.load(Relaxed) != FREE || state.compare_exchange(FREE, TAKEN, Acquire, Relaxed).is_err() {
                    continue;
                }
                let head = &ring.heads[segment];
                head.stream.store(slot.stream.load(Relaxed), Relaxed);
                let index = (std::ptr::from_ref(slot) as usize - ring.slots.as_ptr() as usize) / size_of::<Slot>();
                head.slot.store(index as u32, Relaxed);
                head.number.store(slot.taken.fetch_add(1, Relaxed), Relaxed);
                head.length.store(0, Relaxed);
                state.store(OWNED, Release);
                return segment;
            }
            ring.waiting.fetch_add(1, AcqRel);
            wait(&ring.freed, freed, PATIENCE);
            ring.waiting.fetch_sub(1, AcqRel);
            if !self.sees_reader() {
                ring.front.closed.store(1, Release);
            }
        }
    }
}

/// Sleeps while `word` is `value`, for so long at most.
pub(crate) fn wait(word: &std::sync::atomic::AtomicU32, value: u32, most: Duration) {
    let timeout = libc::timespec {
        tv_sec: most.as_secs() as libc::time_t,
        tv_nsec: most.subsec_nanos().into(),
    };
    // SAFETY: the word is mapped, the time lives as long as the call. Woken for nothing is no harm.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            libc::FUTEX_WAIT,
            value,
            &raw const timeout,
        );
    }
}

/// Wakes all that wait for a change of `word`.
pub(crate) fn wake(word: &std::sync::atomic::AtomicU32) {
    // SAFETY: the word is mapped.
    unsafe {
        libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, i32::MAX);
    }
}
