// SPDX-License-Identifier: MIT OR Apache-2.0
//! Turns what a program does into events: counts operations for the dependence distances, collects instructions.

use crate::{Batch, Event, Marker, Op};
use fresco_dram::VirtAddr;

/// Overhead of one iteration round a loop: advance the induction variable, compare, branch. The programs count scalar
/// instructions as a compiler emits them for the plain loop of the original, without unrolling or vectors.
pub(crate) const LOOP: u32 = 3;

/// Where a value came from: the load that brought it, or no load at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Source(u64);

impl Source {
    /// A constant, a register that no load feeds.
    pub const NONE: Self = Self(0);

    /// The source of a value computed from two: the later load in program order.
    pub fn and(self, other: Self) -> Self {
        self.max(other)
    }
}

/// What must be remembered between two chunks of a program.
#[derive(Clone, Debug, Default)]
pub(crate) struct ExecutionState {
    /// Memory operations so far.
    operations: u64,
    /// Instructions since the last event that no event carries yet.
    gap: u32,
}

impl ExecutionState {
    /// Goes on recording into `out`.
    pub fn record<'a>(&'a mut self, out: &'a mut Batch) -> Recorder<'a> {
        Recorder { execution: self, out }
    }
}

/// A program's execution while a chunk of it runs.
pub(crate) struct Recorder<'a> {
    execution: &'a mut ExecutionState,
    out: &'a mut Batch,
}

impl Recorder<'_> {
    /// `instructions` that access no memory.
    #[inline]
    pub fn work(&mut self, instructions: u32) {
        self.execution.gap = self.execution.gap.saturating_add(instructions);
    }

    /// A load whose address comes from `address`; the result is the source of the value loaded.
    #[inline]
    pub fn load(&mut self, addr: VirtAddr, size: u8, address: Source) -> Source {
        self.access(addr, size, address, false);
        Source(self.execution.operations)
    }

    /// A store whose address or data comes from `source`.
    #[inline]
    pub fn store(&mut self, addr: VirtAddr, size: u8, source: Source) {
        self.access(addr, size, source, true);
    }

    #[inline]
    fn access(&mut self, addr: VirtAddr, size: u8, source: Source, write: bool) {
        self.execution.operations += 1;
        let dep = match source {
            Source::NONE => 0,
            // A distance beyond 32 bits is beyond any window: no core waits for it.
            Source(load) => u32::try_from(self.execution.operations - load).unwrap_or(0),
        };
        let gap = std::mem::take(&mut self.execution.gap);
        self.out.push(Event::Op(Op {
            addr,
            gap,
            dep,
            size,
            write,
        }));
    }

    /// A mark.
    pub fn mark(&mut self, marker: Marker) {
        let gap = std::mem::take(&mut self.execution.gap);
        self.out.push(Event::Mark { marker, gap });
    }

    /// Returns true if the program should stop here and go on in the next call.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.out.is_full()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_count_operations_and_survive_the_end_of_a_batch() {
        let (mut execution, mut batch) = (ExecutionState::default(), Batch::new());
        let mut recorder = execution.record(&mut batch);
        let first = recorder.load(VirtAddr(0), 8, Source::NONE);
        let second = recorder.load(VirtAddr(64), 8, first);
        batch.clear();
        let mut recorder = execution.record(&mut batch);
        recorder.work(5);
        recorder.mark(Marker::Pass);
        recorder.work(2);
        recorder.store(VirtAddr(128), 4, first.and(second));
        recorder.store(VirtAddr(192), 4, first);
        let op = |addr, gap, dep| {
            Event::Op(Op {
                addr: VirtAddr(addr),
                gap,
                dep,
                size: 4,
                write: true,
            })
        };
        assert_eq!(
            batch.events(),
            [
                Event::Mark {
                    marker: Marker::Pass,
                    gap: 5
                },
                op(128, 2, 1),
                op(192, 0, 3)
            ]
        );
    }
}
