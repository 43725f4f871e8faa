// SPDX-License-Identifier: MIT OR Apache-2.0
//! Data at a virtual address: an array whose every access is both done and recorded.

use crate::Area;
use crate::recorder::{Recorder, Source};
use fresco_dram::VirtAddr;

/// An array of a program.
#[derive(Clone, Debug)]
pub(crate) struct Traced<T> {
    base: u64,
    stride: u64,
    /// The values themselves, to set up and to check them without an event.
    pub data: Vec<T>,
}

impl<T: Copy> Traced<T> {
    /// Bytes that one access moves.
    const SIZE: u8 = size_of::<T>() as u8;

    /// Loads element `i`, the index of which comes from `index`.
    #[inline]
    pub fn get(&self, i: usize, index: Source, recorder: &mut Recorder<'_>) -> (T, Source) {
        let value = self.data[i];
        (value, recorder.load(self.at(i), Self::SIZE, index))
    }

    /// Stores element `i`; `source` is where the index and the value come from.
    #[inline]
    pub fn set(&mut self, i: usize, value: T, source: Source, recorder: &mut Recorder<'_>) {
        self.data[i] = value;
        recorder.store(self.at(i), Self::SIZE, source);
    }

    /// Address of element `i`.
    #[inline]
    pub fn at(&self, i: usize) -> VirtAddr {
        VirtAddr(self.base + i as u64 * self.stride)
    }

    /// The array's piece of the address space.
    pub fn area(&self, name: &str) -> Area {
        Area {
            name: name.to_owned(),
            base: VirtAddr(self.base),
            bytes: self.data.len() as u64 * self.stride,
        }
    }
}

/// Hands out virtual addresses, each area from a page boundary of its own, one after the other from 256 MiB up (below
/// lie the program text and the null page of a real process).
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    next: u64,
}

impl Layout {
    const PAGE: u64 = 4096;

    /// An empty address space.
    pub fn new() -> Self {
        Self { next: 0x1000_0000 }
    }

    /// An array whose elements lie side by side.
    pub fn array<T: Copy>(&mut self, data: Vec<T>) -> Traced<T> {
        self.spread(data, size_of::<T>() as u64)
    }

    /// An array with `stride` bytes from element to element, of which only the value itself is kept and accessed.
    pub fn spread<T: Copy>(&mut self, data: Vec<T>, stride: u64) -> Traced<T> {
        debug_assert!(stride >= size_of::<T>() as u64, "elements overlap");
        let base = self.reserve(data.len() as u64 * stride);
        Traced { base, stride, data }
    }

    /// `bytes` without data.
    pub fn reserve(&mut self, bytes: u64) -> u64 {
        let base = self.next;
        self.next += bytes.div_ceil(Self::PAGE) * Self::PAGE;
        base
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::ExecutionState;
    use crate::{Batch, Event, Op};

    #[test]
    fn an_access_is_done_and_recorded() {
        let mut layout = Layout::new();
        let mut a = layout.array(vec![0u32; 1025]);
        let b = layout.spread(vec![7u16; 2], 64);
        let (mut execution, mut batch) = (ExecutionState::default(), Batch::new());
        let mut recorder = execution.record(&mut batch);
        let (seven, source) = b.get(1, Source::NONE, &mut recorder);
        a.set(3, u32::from(seven), source, &mut recorder);
        assert_eq!(a.data[3], 7);
        let load = Op {
            addr: VirtAddr(0x1000_2040),
            gap: 0,
            dep: 0,
            size: 2,
            write: false,
        };
        let store = Op {
            addr: VirtAddr(0x1000_000c),
            gap: 0,
            dep: 1,
            size: 4,
            write: true,
        };
        assert_eq!(batch.events(), [Event::Op(load), Event::Op(store)]);
        assert_eq!(
            b.area("b"),
            Area {
                name: "b".into(),
                base: VirtAddr(0x1000_2000),
                bytes: 128
            }
        );
    }
}
