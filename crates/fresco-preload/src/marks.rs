// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which addresses are those of blocks in use: a bit for each 16 bytes of the heap. By it `free` and `realloc` know a
//! block that was freed before, and an address that never was a block's. mimalloc takes both for blocks, and spins or
//! hands memory out twice; its own checks lengthen each block, and miss blocks freed by two threads.

use crate::{map, state, threads};
use fresco_linux::colors::WhenFull;
use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};

/// log2 of the least distance of two blocks, in bytes: no block is smaller.
const GRANULE_BITS: u32 = 4;
/// Bytes of the smallest block.
pub const SMALLEST: usize = 1 << GRANULE_BITS;
/// log2 of the bytes of heap that a leaf is for.
const LEAF_SPAN_BITS: u32 = 23;
/// log2 of the leaves of a branch, and of the branches: addresses of programs have 47 bits.
const INDEX_BITS: u32 = 12;
const WORDS: usize = 1 << (LEAF_SPAN_BITS - GRANULE_BITS - u64::BITS.ilog2());
/// Leaves mapped at a time.
const LEAVES: usize = 16;

/// Bits of a stretch of heap. It lies in memory with the program's colors, as it is read with the heap.
struct Leaf([AtomicU64; WORDS]);
/// The leaves of a longer stretch.
struct Branch([AtomicPtr<Leaf>; 1 << INDEX_BITS]);

static TREE: [AtomicPtr<Branch>; 1 << INDEX_BITS] = [const { AtomicPtr::new(null_mut()) }; 1 << INDEX_BITS];
/// Address of the next leaf that is mapped and not in use, and in the bits below a page how many follow it.
static SPARE: AtomicUsize = AtomicUsize::new(0);

/// Marks a block as in use; false without memory for the mark.
#[inline]
pub fn put(block: *const c_void) -> bool {
    let Some((word, bit)) = find(block).or_else(|| grow(block)) else {
        return false;
    };
    word.fetch_or(bit, Ordering::Relaxed);
    true
}

/// Takes the mark from a block; false if it had none.
#[inline]
pub fn take(block: *const c_void) -> bool {
    find(block).is_some_and(|(word, bit)| word.fetch_and(!bit, Ordering::Relaxed) & bit != 0)
}

/// Returns true if the block has a mark.
pub fn has(block: *const c_void) -> bool {
    find(block).is_some_and(|(word, bit)| word.load(Ordering::Relaxed) & bit != 0)
}

/// The word and the bit of an address; `None` where no block ever was.
#[inline]
fn find(block: *const c_void) -> Option<(&'static AtomicU64, u64)> {
    let address = block.addr();
    let (branch, leaf) = indices(address)?;
    let branch = TREE[branch].load(Ordering::Acquire);
    // SAFETY: branches stay, once they are in the tree.
    let leaf = unsafe { branch.as_ref() }?.0[leaf].load(Ordering::Acquire);
    let granule = address >> GRANULE_BITS;
    // SAFETY: so do leaves.
    let word = unsafe { leaf.as_ref() }?.0.get(granule / 64 % WORDS)?;
    Some((word, 1 << (granule % 64)))
}

/// Places in the tree and in a branch; `None` of what cannot be a block's address.
#[inline]
fn indices(address: usize) -> Option<(usize, usize)> {
    let leaf = address >> LEAF_SPAN_BITS;
    let branch = leaf >> INDEX_BITS;
    (address.is_multiple_of(SMALLEST) && branch < TREE.len()).then_some((branch, leaf % (1 << INDEX_BITS)))
}

/// The same for an address whose leaf there may not be yet.
#[cold]
fn grow(block: *const c_void) -> Option<(&'static AtomicU64, u64)> {
    let (branch, leaf) = indices(block.addr())?;
    let slot = &TREE[branch];
    if slot.load(Ordering::Acquire).is_null() {
        let new = map_branch()?;
        if put_in(slot, new).is_err() {
            // SAFETY: another thread was faster; nobody knows of this one.
            let _ = unsafe { munmap(new.cast(), size_of::<Branch>()) };
        }
    }
    // SAFETY: branches stay, once they are in the tree.
    let slot = unsafe { slot.load(Ordering::Acquire).as_ref() }?.0.get(leaf)?;
    if slot.load(Ordering::Acquire).is_null() {
        // What another thread was faster with is lost, and was never touched.
        let _ = put_in(slot, map_leaf()?);
    }
    find(block)
}

fn put_in<T>(slot: &AtomicPtr<T>, new: *mut T) -> Result<*mut T, *mut T> {
    slot.compare_exchange(null_mut(), new, Ordering::AcqRel, Ordering::Acquire)
}

/// A branch, of which hardly anything is ever touched: like the data of this library it is the kernel's to place.
fn map_branch() -> Option<*mut Branch> {
    let access = ProtFlags::READ | ProtFlags::WRITE;
    let flags = MapFlags::PRIVATE | MapFlags::NORESERVE;
    // SAFETY: the kernel chooses addresses that nothing uses; zero is an empty branch.
    let got = unsafe { mmap_anonymous(null_mut(), size_of::<Branch>(), access, flags) };
    got.ok().map(<*mut c_void>::cast)
}

/// A leaf of the calling thread's colors. Those of the process are mapped many at a time, but for where frames are
/// promised to all that is mapped.
fn map_leaf() -> Option<*mut Leaf> {
    let strict = || state::shared().is_some_and(|shared| shared.request.when_full == WhenFull::Strict);
    if threads::set() != 0 || strict() {
        return map_leaves(1);
    }
    let page = rustix::param::page_size();
    let mut spare = SPARE.load(Ordering::Acquire);
    while spare != 0 {
        let (leaf, left) = (spare / page * page, spare % page);
        let next = if left == 0 {
            0
        } else {
            leaf + size_of::<Leaf>() + left - 1
        };
        match SPARE.compare_exchange(spare, next, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => return Some(std::ptr::with_exposed_provenance_mut(leaf)),
            Err(other) => spare = other,
        }
    }
    let leaf = map_leaves(LEAVES)?;
    let rest = leaf.expose_provenance() + size_of::<Leaf>() + LEAVES - 2;
    // If another thread has mapped some as well, these are lost, and were never touched.
    let _ = SPARE.compare_exchange(0, rest, Ordering::AcqRel, Ordering::Relaxed);
    Some(leaf)
}

fn map_leaves(count: usize) -> Option<*mut Leaf> {
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: this library's own function, whose memory is watched; the kernel chooses addresses that nothing uses.
    let got = unsafe { map::mmap(null_mut(), count * size_of::<Leaf>(), access, flags, -1, 0) };
    (got != libc::MAP_FAILED).then(|| got.cast())
}
