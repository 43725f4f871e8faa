// SPDX-License-Identifier: MIT OR Apache-2.0
//! The heap of this library's own code. The pager must never touch memory that it has to page itself, so nothing of
//! this comes from the functions in `malloc.rs`. Where the kernel maps no more, as under a limit that the program has used
//! up, it comes from what is left of the store in `early.rs`: the pager goes on.

use crate::spare;
use fresco_linux::pool::OWN_HEAP;
use rustix::io::Errno;
use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};
use std::alloc::{GlobalAlloc, Layout};
use std::cell::UnsafeCell;
use std::ptr::{null_mut, with_exposed_provenance_mut};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Blocks are 16, 32, ... 2048 bytes; larger ones are mappings.
const CLASSES: usize = 8;
const SMALLEST: usize = 16;
/// Bytes taken at a time for small blocks.
const CHUNK: usize = 64 << 10;

#[global_allocator]
static HEAP: Heap = Heap {
    locked: AtomicBool::new(false),
    parts: UnsafeCell::new(Parts {
        free: [null_mut(); CLASSES],
        chunk: null_mut(),
        left: 0,
    }),
};

struct Heap {
    locked: AtomicBool,
    parts: UnsafeCell<Parts>,
}

/// Free blocks by size, each with the address of the next in its first word; and the rest of the last chunk.
struct Parts {
    free: [*mut u8; CLASSES],
    chunk: *mut u8,
    left: usize,
}

// SAFETY: the parts are used under the lock.
unsafe impl Sync for Heap {}

/// In a child: another thread of the parent may have been at work here. What it had is left alone.
///
/// # Safety
/// The process has one thread.
pub unsafe fn reset() {
    // SAFETY: no other thread is there.
    let parts = unsafe { &mut *HEAP.parts.get() };
    *parts = Parts {
        free: [null_mut(); CLASSES],
        chunk: null_mut(),
        left: 0,
    };
    HEAP.locked.store(false, Ordering::Release);
}

impl Heap {
    fn with<T>(&self, work: impl FnOnce(&mut Parts) -> T) -> T {
        while self.locked.swap(true, Ordering::Acquire) {
            std::thread::yield_now();
        }
        // SAFETY: the lock is held.
        let result = work(unsafe { &mut *self.parts.get() });
        self.locked.store(false, Ordering::Release);
        result
    }
}

/// The size class of a layout; `None` for mappings.
fn class(layout: &Layout) -> Option<usize> {
    let bytes = layout.size().max(layout.align()).max(SMALLEST).next_power_of_two();
    let class = (bytes / SMALLEST).ilog2() as usize;
    (class < CLASSES).then_some(class)
}

/// Where the next mapping may lie.
static NEXT: AtomicU64 = AtomicU64::new(OWN_HEAP.start);
/// Places tried: there is much room, and a sanitizer may have taken it all.
const TRIES: usize = 16;

fn map(bytes: usize) -> *mut u8 {
    let room = bytes.next_multiple_of(CHUNK) as u64;
    for _ in 0..TRIES {
        let start = NEXT.fetch_add(room, Ordering::Relaxed);
        if start + room > OWN_HEAP.end {
            NEXT.store(OWN_HEAP.start, Ordering::Relaxed);
            continue;
        }
        match map_at(start, bytes, MapFlags::FIXED_NOREPLACE) {
            Err(Errno::EXIST) => {}
            result => return result.unwrap_or(null_mut()),
        }
    }
    map_at(0, bytes, MapFlags::empty()).unwrap_or(null_mut())
}

fn map_at(start: u64, bytes: usize, fixed: MapFlags) -> Result<*mut u8, Errno> {
    let access = ProtFlags::READ | ProtFlags::WRITE;
    let start = with_exposed_provenance_mut(start as usize);
    // SAFETY: addresses that nothing uses, or, where the kernel does not choose them, none are taken.
    unsafe { mmap_anonymous(start, bytes, access, MapFlags::PRIVATE | fixed) }.map(|start| start.cast())
}

fn map_or_spare(bytes: usize) -> *mut u8 {
    let start = map(bytes);
    match start.is_null() {
        true => spare::take(bytes),
        false => start,
    }
}

// SAFETY: blocks are as large as their class or mapping, aligned to it, and given out once until they are freed.
// Mappings are aligned to pages, which no layout here exceeds.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let Some(class) = class(&layout) else {
            return match layout.align() <= rustix::param::page_size() {
                true => map_or_spare(layout.size()),
                false => null_mut(),
            };
        };
        self.with(|parts| {
            let head = parts.free[class];
            if !head.is_null() {
                // SAFETY: a free block has the next in its first word.
                parts.free[class] = unsafe { head.cast::<*mut u8>().read() };
                return head;
            }
            let bytes = SMALLEST << class;
            // Blocks begin at multiples of their size.
            let skip = parts.chunk.addr().wrapping_neg() % bytes;
            if parts.left < skip + bytes {
                let chunk = map_or_spare(CHUNK);
                if chunk.is_null() {
                    return null_mut();
                }
                (parts.chunk, parts.left) = (chunk, CHUNK - bytes);
                parts.chunk = parts.chunk.wrapping_add(bytes);
                return chunk;
            }
            let block = parts.chunk.wrapping_add(skip);
            parts.chunk = block.wrapping_add(bytes);
            parts.left -= skip + bytes;
            block
        })
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        match class(&layout) {
            Some(class) => self.with(|parts| {
                // SAFETY: the block is free, and large enough for a word.
                unsafe { block.cast::<*mut u8>().write(parts.free[class]) };
                parts.free[class] = block;
            }),
            None if spare::has(block) => spare::put_back(block, layout.size()),
            None => {
                // SAFETY: the mapping was made by `alloc`; failing, it stays.
                let _ = unsafe { munmap(block.cast(), layout.size()) };
            }
        }
    }
}
