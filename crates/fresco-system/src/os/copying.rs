// SPDX-License-Identifier: MIT OR Apache-2.0
//! Copying data from one memory of a task to another, line by line (CR-10).

use fresco_dram::PhysAddr;
use std::vec::IntoIter;

/// Instructions of a copy loop for each line, loads and stores left aside.
const LOOP: u32 = 3;

/// A load or a store of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CopyAccess {
    /// First byte of the line.
    pub addr: PhysAddr,
    /// A store.
    pub write: bool,
    /// Instructions before it that access no memory.
    pub gap: u32,
}

/// A copy that goes on: of each line first the load, then the store that needs it.
pub(crate) struct Copying {
    lines: IntoIter<(PhysAddr, PhysAddr)>,
    /// Where the line goes that was loaded last.
    store: Option<PhysAddr>,
}

impl Copying {
    /// Copies lines, each given as where it is and where it goes.
    pub fn new(lines: Vec<(PhysAddr, PhysAddr)>) -> Self {
        Self {
            lines: lines.into_iter(),
            store: None,
        }
    }

    /// Copies further lines after those that are left.
    pub fn append(&mut self, lines: Vec<(PhysAddr, PhysAddr)>) {
        let left = std::mem::take(&mut self.lines);
        self.lines = left.chain(lines).collect::<Vec<_>>().into_iter();
    }

    /// The next access; `None` when all is copied.
    pub fn next(&mut self) -> Option<CopyAccess> {
        if let Some(addr) = self.store.take() {
            return Some(CopyAccess {
                addr,
                write: true,
                gap: 0,
            });
        }
        let (addr, to) = self.lines.next()?;
        self.store = Some(to);
        Some(CopyAccess {
            addr,
            write: false,
            gap: LOOP,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_is_loaded_and_then_stored() {
        let lines = vec![(PhysAddr(0), PhysAddr(4096)), (PhysAddr(64), PhysAddr(4160))];
        let mut copying = Copying::new(lines);
        let accesses: Vec<(u64, bool)> = std::iter::from_fn(|| copying.next().map(|a| (a.addr.0, a.write))).collect();
        assert_eq!(accesses, [(0, false), (4096, true), (64, false), (4160, true)]);
    }
}
