// SPDX-License-Identifier: MIT OR Apache-2.0
//! Private anonymous memory of our own.

use super::page_bytes;
use crate::proc::{Page, PageMap};
use fresco_dram::FrameNumber;
use rustix::io::Errno;
use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mlock, mmap_anonymous, mprotect, munlock, munmap};
use std::ops::Range;
use std::ptr::{copy_nonoverlapping, null_mut, with_exposed_provenance, with_exposed_provenance_mut};

/// How memory is accessed.
pub use rustix::mm::MprotectFlags as Access;

/// A mapping that goes away with its owner.
#[derive(Debug)]
pub struct Area {
    start: u64,
    bytes: u64,
}

impl Area {
    /// Maps `bytes`, a multiple of the page size, on an address that is a multiple of `align`, a power of two. Pages
    /// are there once they are touched.
    ///
    /// # Errors
    /// No room in the address space.
    pub fn map(bytes: u64, align: u64) -> Result<Self, Errno> {
        let align = align.max(page_bytes());
        let span = bytes.checked_add(align).ok_or(Errno::NOMEM)?;
        let access = ProtFlags::READ | ProtFlags::WRITE;
        let flags = MapFlags::PRIVATE | MapFlags::NORESERVE;
        // SAFETY: the kernel chooses addresses that nothing uses.
        let got = unsafe { mmap_anonymous(null_mut(), span as usize, access, flags)? };
        let got = got.expose_provenance() as u64;
        let start = got.next_multiple_of(align);
        let area = Self { start, bytes };
        for surplus in [got..start, area.end()..got + span] {
            // SAFETY: these pages were mapped above, and no one knows of them.
            unsafe { unmap(surplus) };
        }
        Ok(area)
    }

    /// Maps `bytes`, a multiple of the page size, at `address` if nothing is there, else wherever there is room.
    ///
    /// # Errors
    /// No room in the address space.
    pub fn map_at(address: u64, bytes: u64) -> Result<Self, Errno> {
        let access = ProtFlags::READ | ProtFlags::WRITE;
        let flags = MapFlags::PRIVATE | MapFlags::NORESERVE;
        let hint = with_exposed_provenance_mut(address as usize);
        // SAFETY: the kernel takes the address for a wish, and chooses addresses that nothing uses.
        let got = unsafe { mmap_anonymous(hint, bytes as usize, access, flags)? };
        let start = got.expose_provenance() as u64;
        Ok(Self { start, bytes })
    }

    /// Keeps it from children and out of core dumps.
    ///
    /// # Errors
    /// As of `madvise`.
    pub fn keep_private(&self) -> Result<(), Errno> {
        self.advise(self.range(), Advice::LinuxDontFork)?;
        self.advise(self.range(), Advice::LinuxDontDump)
    }

    /// Its first address.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// The first address after it.
    pub fn end(&self) -> u64 {
        self.start + self.bytes
    }

    /// Its addresses.
    pub fn range(&self) -> Range<u64> {
        self.start..self.end()
    }

    /// Makes all its pages present, in single pages.
    ///
    /// # Errors
    /// No memory left.
    pub fn populate(&self) -> Result<(), Errno> {
        // A kernel without huge pages refuses this advice, which changes nothing.
        let _ = self.advise(self.range(), Advice::LinuxNoHugepage);
        self.populate_as_advised()
    }

    /// Makes all its pages present, in huge pages where the kernel gives some.
    ///
    /// # Errors
    /// No memory left.
    pub fn populate_huge(&self) -> Result<(), Errno> {
        // A kernel without huge pages refuses this advice, and single pages do as well.
        let _ = self.advise(self.range(), Advice::LinuxHugepage);
        self.populate_as_advised()
    }

    fn populate_as_advised(&self) -> Result<(), Errno> {
        loop {
            match self.advise(self.range(), Advice::LinuxPopulateWrite) {
                Err(Errno::INTR | Errno::AGAIN) => {}
                done => return done,
            }
        }
    }

    /// Gives the frames of a part of it back, locked in memory or not; the addresses stay.
    ///
    /// # Errors
    /// As of `madvise`.
    pub fn release(&self, part: Range<u64>) -> Result<(), Errno> {
        match self.advise(part.clone(), Advice::LinuxDontneedLocked) {
            // Kernels before 5.18 know the advice only for memory that is not locked.
            Err(Errno::INVAL) => self.advise(part, Advice::LinuxDontNeed),
            done => done,
        }
    }

    /// Locks a part of it in memory, or unlocks it: pages move only between memory that is locked alike.
    ///
    /// # Errors
    /// As of `mlock`.
    pub fn lock(&self, part: Range<u64>, locked: bool) -> Result<(), Errno> {
        debug_assert!(self.start <= part.start && part.end <= self.end());
        let address = with_exposed_provenance_mut(part.start as usize);
        let bytes = (part.end - part.start) as usize;
        match locked {
            // SAFETY: the range lies within a mapping of our own; its contents do not change.
            true => unsafe { mlock(address, bytes) },
            // SAFETY: as above.
            false => unsafe { munlock(address, bytes) },
        }
    }

    /// Has a part of it accessed as given, which is for writing at least: pages move only between memory that is accessed alike.
    ///
    /// # Errors
    /// As of `mprotect`; there may be no further mapping.
    pub fn access(&self, part: Range<u64>, access: Access) -> Result<(), Errno> {
        debug_assert!(self.start <= part.start && part.end <= self.end());
        let address = with_exposed_provenance_mut(part.start as usize);
        // SAFETY: the range lies within a mapping of our own; who reads it, or uses it as it was, comes after it is as it was.
        unsafe { mprotect(address, (part.end - part.start) as usize, access) }
    }

    fn advise(&self, part: Range<u64>, advice: Advice) -> Result<(), Errno> {
        debug_assert!(self.start <= part.start && part.end <= self.end());
        let address = with_exposed_provenance_mut(part.start as usize);
        // SAFETY: the range lies within a mapping of our own, in which nothing but frames is kept: no advice given
        // here destroys what anyone reads.
        unsafe { madvise(address, (part.end - part.start) as usize, advice) }
    }
}

impl Drop for Area {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and its owner is gone.
        unsafe { unmap(self.range()) };
    }
}

/// Unmaps a range of whole pages; an empty one is none.
///
/// # Safety
/// Nothing uses these addresses any more.
unsafe fn unmap(range: Range<u64>) {
    if !range.is_empty() {
        let address = with_exposed_provenance_mut(range.start as usize);
        // SAFETY: as the caller promises. It can only fail for want of a mapping's record, and then the range stays.
        let _ = unsafe { munmap(address, (range.end - range.start) as usize) };
    }
}

/// Copies a page.
///
/// # Safety
/// Both addresses are those of whole pages that are present; nobody writes the one, nobody uses the other.
pub unsafe fn copy_page(from: u64, to: u64) {
    let from = with_exposed_provenance::<u8>(from as usize);
    let to = with_exposed_provenance_mut::<u8>(to as usize);
    // SAFETY: as the caller promises; different pages do not overlap.
    unsafe { copy_nonoverlapping(from, to, page_bytes() as usize) };
}

/// The frame that the kernel shows wherever memory was read and never written: it belongs to nobody. `None` if frame
/// numbers are hidden.
pub fn zero_frame() -> Option<FrameNumber> {
    let area = Area::map(page_bytes(), page_bytes()).ok()?;
    area.advise(area.range(), Advice::LinuxPopulateRead).ok()?;
    let mut page = [Page(0)];
    PageMap::of_self()
        .ok()?
        .read(area.start() / page_bytes(), &mut page)
        .ok()?;
    page[0].frame()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_area_lies_where_it_is_wished_unless_something_is_there() {
        let page = page_bytes();
        let there = Area::map(4 * page, page).expect("there is room");
        let elsewhere = Area::map_at(there.start(), page).expect("there is room");
        assert!(!there.range().contains(&elsewhere.start()));
        let place = there.start();
        drop(there);
        assert_eq!(Area::map_at(place, page).expect("there is room").start(), place);
    }

    #[test]
    fn an_area_is_aligned_populated_and_released() {
        let page = page_bytes();
        let area = Area::map(4 * page, 1 << 21).expect("there is room");
        assert_eq!(area.start() % (1 << 21), 0);
        area.populate().expect("there is memory");
        let map = PageMap::of_self().expect("readable");
        let present = || {
            let mut pages = [Page(0); 4];
            assert_eq!(map.read(area.start() / page, &mut pages).expect("readable"), 4);
            pages.map(Page::present)
        };
        assert_eq!(present(), [true; 4]);
        area.release(area.start() + page..area.start() + 3 * page)
            .expect("not locked");
        assert_eq!(present(), [true, false, false, true]);
    }
}
