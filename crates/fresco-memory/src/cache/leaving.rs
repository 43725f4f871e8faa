// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lines that leave the private levels of a core.

use fresco_dram::PhysAddr;

/// A line that leaves the private levels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Leaving {
    /// Address of its first byte.
    pub line: PhysAddr,
    /// Whether it holds stores that the shared levels have not seen. Clean lines leave only for an exclusive cache.
    pub dirty: bool,
}

impl Leaving {
    /// A line with stores.
    pub fn dirty(line: PhysAddr) -> Self {
        Self { line, dirty: true }
    }
}

/// Lines that left the private levels, oldest first; at most two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeavingLines {
    lines: [Leaving; 2],
    len: usize,
}

impl LeavingLines {
    #[inline]
    pub(super) fn push(&mut self, line: Leaving) {
        self.lines[self.len] = line;
        self.len += 1;
    }

    /// The lines.
    #[inline]
    pub fn as_slice(&self) -> &[Leaving] {
        &self.lines[..self.len]
    }
}
