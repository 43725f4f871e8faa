// SPDX-License-Identifier: MIT OR Apache-2.0
//! Initialisation of a team's data: who stores first decides whose memory a page lies in (TINT-19).

use crate::recorder::{LOOP, Recorder, Source};
use crate::traced::Traced;
use fresco_dram::VirtAddr;

/// An array to be initialised, element by element.
#[derive(Clone, Debug)]
pub(crate) struct Fill {
    first: u64,
    stride: u64,
    size: u8,
    /// Thread t has the elements from bound t up to bound t + 1.
    bounds: Vec<usize>,
}

impl<T: Copy> Traced<T> {
    /// Initialisation of this array; the threads' parts are groups of `group` elements between `bounds`.
    pub fn fill(&self, bounds: &[usize], group: usize) -> Fill {
        Fill {
            first: self.at(0).0,
            stride: self.at(1).0 - self.at(0).0,
            size: size_of::<T>() as u8,
            bounds: bounds.iter().map(|bound| bound * group).collect(),
        }
    }
}

impl Fill {
    /// The same for the master alone.
    pub fn by_master(mut self) -> Self {
        let elements = self.bounds.last().copied().unwrap_or(0);
        self.bounds[1..].fill(elements);
        self
    }
}

/// How far a thread has come with its parts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Filling {
    array: usize,
    element: usize,
}

impl Filling {
    /// Stores the next element of the thread's parts. False, with nothing stored, when there is none.
    pub fn step(&mut self, fills: &[Fill], thread: usize, recorder: &mut Recorder<'_>) -> bool {
        while let Some(fill) = fills.get(self.array) {
            let element = self.element + fill.bounds[thread];
            if element < fill.bounds[thread + 1] {
                recorder.store(
                    VirtAddr(fill.first + element as u64 * fill.stride),
                    fill.size,
                    Source::NONE,
                );
                recorder.work(LOOP);
                self.element += 1;
                return true;
            }
            (self.array, self.element) = (self.array + 1, 0);
        }
        false
    }
}
