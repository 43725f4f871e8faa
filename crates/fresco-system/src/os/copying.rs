// SPDX-License-Identifier: MIT OR Apache-2.0
//! Copying data from one memory of a task to another, line by line (CR-10).

use fresco_dram::{PhysAddr, VirtAddr};
use std::vec::IntoIter;

/// Instructions of a copy loop for each line, loads and stores left aside.
const LOOP: u32 = 3;

/// Where a line goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CopyTo {
    /// To this place.
    Frame(PhysAddr),
    /// To the page of the memory in use, which may have no frame yet.
    Page(VirtAddr),
}

/// A load or a store of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CopyAccess {
    /// A load of the line that begins here, after so many instructions that access no memory.
    Load(PhysAddr, u32),
    /// The store of the line loaded last.
    Store(CopyTo),
}

/// A copy that goes on: of each line first the load, then the store that needs it.
pub(crate) struct Copying {
    lines: IntoIter<(PhysAddr, CopyTo)>,
    /// Where the line goes that was loaded last.
    store: Option<CopyTo>,
}

impl Copying {
    /// Copies lines, each given as where it is and where it goes.
    pub fn new(lines: Vec<(PhysAddr, CopyTo)>) -> Self {
        Self {
            lines: lines.into_iter(),
            store: None,
        }
    }

    /// Copies further lines after those that are left.
    pub fn append(&mut self, lines: Vec<(PhysAddr, CopyTo)>) {
        let left = std::mem::take(&mut self.lines);
        self.lines = left.chain(lines).collect::<Vec<_>>().into_iter();
    }

    /// The next access; `None` when all is copied.
    pub fn next(&mut self) -> Option<CopyAccess> {
        if let Some(to) = self.store.take() {
            return Some(CopyAccess::Store(to));
        }
        let (addr, to) = self.lines.next()?;
        self.store = Some(to);
        Some(CopyAccess::Load(addr, LOOP))
    }

    /// The page of the last store has no frame: it comes once more.
    pub fn again(&mut self, to: CopyTo) {
        self.store = Some(to);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_is_loaded_and_then_stored() {
        let (here, there) = (CopyTo::Frame(PhysAddr(4096)), CopyTo::Page(VirtAddr(4160)));
        let mut copying = Copying::new(vec![(PhysAddr(0), here), (PhysAddr(64), there)]);
        assert_eq!(copying.next(), Some(CopyAccess::Load(PhysAddr(0), LOOP)));
        assert_eq!(copying.next(), Some(CopyAccess::Store(here)));
        assert_eq!(copying.next(), Some(CopyAccess::Load(PhysAddr(64), LOOP)));
        assert_eq!(copying.next(), Some(CopyAccess::Store(there)));
        copying.again(there);
        assert_eq!(copying.next(), Some(CopyAccess::Store(there)));
        assert_eq!(copying.next(), None);
    }
}
