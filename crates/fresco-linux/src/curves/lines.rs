// SPDX-License-Identifier: MIT OR Apache-2.0
//! Memory of our own, in huge pages where the kernel gives some.

use crate::sys::Area;
use rustix::io::Errno;
use std::ptr::with_exposed_provenance_mut;

/// Bytes of a huge page, which memory is aligned to.
const HUGE: u64 = 2 << 20;

/// A mapping that only its owner knows.
pub struct Lines {
    area: Area,
}

impl Lines {
    /// Takes `bytes`, rounded up to huge pages, all present and zero.
    ///
    /// # Errors
    /// No memory left.
    pub fn take(bytes: u64) -> Result<Self, Errno> {
        let area = Area::map(bytes.max(1).next_multiple_of(HUGE), HUGE)?;
        area.populate_huge()?;
        Ok(Self { area })
    }

    /// Its size.
    pub fn bytes(&self) -> u64 {
        self.area.end() - self.area.start()
    }

    /// Its contents, in words of four bytes.
    pub fn words(&mut self) -> &mut [u32] {
        let start = with_exposed_provenance_mut::<u32>(self.area.start() as usize);
        // SAFETY: the area is mapped for reading and writing while it lives, aligned to a page, zero at first, and no one else knows
        // of it; it is borrowed as long as the slice.
        unsafe { std::slice::from_raw_parts_mut(start, (self.bytes() / 4) as usize) }
    }
}

/// Bytes of this process in huge pages; `None` if the kernel does not tell.
pub fn huge_bytes() -> Option<u64> {
    of_rollup(&std::fs::read_to_string("/proc/self/smaps_rollup").ok()?)
}

fn of_rollup(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("AnonHugePages:"))?;
    let kib: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(kib << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_whole_huge_pages_of_zeros() {
        let mut lines = Lines::take(3).expect("there is memory");
        assert_eq!(lines.bytes(), HUGE);
        assert!(lines.words().iter().all(|word| *word == 0));
        lines.words()[77] = 5;
        assert_eq!(lines.words()[77], 5);
    }

    #[test]
    fn huge_pages_are_read_from_the_kernels_sum() {
        let text = "5581-7ffd ---p 00000000 00:00 0    [rollup]\nRss:         4096 kB\nAnonHugePages:      2048 kB\n";
        assert_eq!(of_rollup(text), Some(2 << 20));
        assert_eq!(of_rollup("Rss: 4 kB\n"), None);
    }
}
