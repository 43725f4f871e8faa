// SPDX-License-Identifier: MIT OR Apache-2.0
//! Frames of virtual pages: `/proc/PID/pagemap`, eight bytes per page.

use crate::sys::{first_present, page_bytes};
use fresco_dram::FrameNumber;
use rustix::io::Errno;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Bytes of an entry.
const ENTRY: usize = 8;

/// An entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page(pub u64);

impl Page {
    /// Returns true if it is in memory.
    pub fn present(self) -> bool {
        self.0 >> 63 & 1 == 1
    }

    /// Returns true if it is in swap space.
    pub fn swapped(self) -> bool {
        self.0 >> 62 & 1 == 1
    }

    /// Returns true if it is mapped here and nowhere else.
    pub fn exclusive(self) -> bool {
        self.0 >> 56 & 1 == 1
    }

    /// Returns true if it is of a file, or shared memory.
    pub fn of_file(self) -> bool {
        self.0 >> 61 & 1 == 1
    }

    /// Its frame; `None` if it is not in memory, or if the kernel hides frame numbers from the reader.
    pub fn frame(self) -> Option<FrameNumber> {
        let number = self.0 & ((1 << 55) - 1);
        (self.present() && number != 0).then_some(FrameNumber(number))
    }
}

/// The open `pagemap` of a process. What may be seen through it is decided when it is opened.
#[derive(Debug)]
pub struct PageMap {
    file: File,
}

impl PageMap {
    /// Opens the file at `path`.
    ///
    /// # Errors
    /// As of opening a file.
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self {
            file: File::open(path)?,
        })
    }

    /// Opens that of the calling process.
    ///
    /// # Errors
    /// As of opening a file.
    pub fn of_self() -> io::Result<Self> {
        Self::open(Path::new("/proc/self/pagemap"))
    }

    /// The first pages of a range of addresses that are in memory, side by side and at most `most`; an empty range at the
    /// end if there are none. A kernel that does not tell has them all looked at.
    pub fn first_present(&self, range: Range<u64>, most: u64) -> Range<u64> {
        let end = range.end.min(range.start.saturating_add(most * page_bytes()));
        first_present(&self.file, range.clone(), most).unwrap_or(range.start..end)
    }

    /// Reads the entries of the pages from number `first` on into `pages`; returns how many there are. None, where the
    /// address space ends or is gone with its process.
    ///
    /// # Errors
    /// As of reading a file.
    pub fn read(&self, first: u64, pages: &mut [Page]) -> io::Result<usize> {
        let mut done = 0;
        let mut bytes = [0; ENTRY * 512];
        while done < pages.len() {
            let wanted = (pages.len() - done).min(bytes.len() / ENTRY);
            let offset = (first + done as u64) * ENTRY as u64;
            let read = match self.file.read_at(&mut bytes[..wanted * ENTRY], offset) {
                Err(error) if error.raw_os_error() == Some(Errno::INTR.raw_os_error()) => continue,
                result => result? / ENTRY,
            };
            if read == 0 {
                break;
            }
            let entries = bytes.chunks_exact(ENTRY).take(read);
            for (page, entry) in pages[done..].iter_mut().zip(entries) {
                *page = Page(u64::from_ne_bytes(entry.try_into().unwrap_or_default()));
            }
            done += read;
        }
        Ok(done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::Area;

    #[test]
    fn bits_of_an_entry() {
        let page = Page(1 << 63 | 1 << 56 | 0x1234);
        assert!(page.present() && page.exclusive() && !page.swapped());
        assert_eq!(page.frame(), Some(FrameNumber(0x1234)));
        assert_eq!(Page(1 << 63).frame(), None, "hidden");
        assert_eq!(Page(1 << 62 | 0x77).frame(), None, "the number is that of a swap entry");
    }

    #[test]
    fn own_memory_is_read_and_the_end_is_no_error() {
        let map = PageMap::of_self().expect("every process may open its own");
        let data = vec![1u8; 3 * 4096];
        let mut pages = [Page(0); 3];
        assert_eq!(map.read(data.as_ptr() as u64 / 4096, &mut pages).expect("readable"), 3);
        assert!(pages.iter().all(|page| page.present()));
        assert_eq!(map.read(1 << 50, &mut pages).unwrap_or(0), 0);
    }

    #[test]
    fn pages_in_memory_are_found_among_many_that_are_not() {
        // A huge page would have more of them.
        rustix::thread::disable_transparent_huge_pages(true).expect("always allowed");
        let page = page_bytes();
        let area = Area::map(1 << 30, page).expect("addresses cost nothing");
        let map = PageMap::of_self().expect("readable");
        assert!(map.first_present(area.range(), 512).is_empty());
        let touched = area.start() + (1 << 29);
        for offset in [0, 1, 2, 9] {
            let address = std::ptr::with_exposed_provenance_mut::<u8>((touched + offset * page) as usize);
            // SAFETY: within the area, which is ours.
            unsafe { address.write(1) };
        }
        assert_eq!(map.first_present(area.range(), 512), touched..touched + 3 * page);
        assert_eq!(map.first_present(area.range(), 2), touched..touched + 2 * page);
        let after = touched + 3 * page..area.end();
        assert_eq!(map.first_present(after, 512), touched + 9 * page..touched + 10 * page);
    }
}
