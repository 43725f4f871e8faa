// SPDX-License-Identifier: MIT OR Apache-2.0
//! One record of a trace.

use crate::{Event, Marker, Op};
use fresco_dram::VirtAddr;

/// Threads of one trace, at most.
pub const MAX_THREADS: u16 = 1024;

/// Something a thread did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// Which thread, below [`MAX_THREADS`].
    pub thread: u16,
    /// Instructions without memory access since the thread's record before this one, below 2^32; or cycles since the
    /// record before this one. Which of them the header says.
    pub gap: u64,
    /// What it did.
    pub what: What,
}

/// What a thread did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A load or store; the fields as in [`crate::Op`].
    Access {
        /// First byte accessed.
        addr: u64,
        /// Bytes accessed, 1 to 64.
        size: u8,
        /// A store.
        write: bool,
        /// Distance back, in accesses of the thread, to the load that this one needs; 0: none.
        dep: u32,
    },
    /// A mark.
    Mark(Marker),
}

impl Record {
    /// The event of a program that does this, if the gap is in instructions.
    #[inline]
    pub fn event(&self) -> Event {
        let gap = self.gap.min(u32::MAX.into()) as u32;
        match self.what {
            What::Access { addr, size, write, dep } => Event::Op(Op {
                addr: VirtAddr(addr),
                gap,
                dep,
                size,
                write,
            }),
            What::Mark(marker) => Event::Mark { marker, gap },
        }
    }

    /// What is wrong with the record, if `accesses` of its thread come before it.
    pub(super) fn fault(&self, accesses: u64) -> Option<&'static str> {
        match self.what {
            _ if self.thread >= MAX_THREADS => Some("thread numbers lie below 1024"),
            What::Access { size, .. } if !(1..=64).contains(&size) => Some("an access has 1 to 64 bytes"),
            What::Access { dep, .. } if u64::from(dep) > accesses => Some("a dependence on an access before the first"),
            _ => None,
        }
    }
}

/// What both ends must know of a thread to code its next record.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Thread {
    /// Address of its last access.
    pub addr: u64,
    /// Accesses so far.
    pub accesses: u64,
}

/// The state that both ends share, thread by thread.
#[derive(Clone, Debug, Default)]
pub(super) struct Threads {
    threads: Vec<Thread>,
    /// Thread of the record before.
    pub current: u16,
}

impl Threads {
    /// The state of `thread`, which is below [`MAX_THREADS`].
    pub fn of(&mut self, thread: u16) -> &mut Thread {
        let index = usize::from(thread);
        if index >= self.threads.len() {
            self.threads.resize(index + 1, Thread::default());
        }
        &mut self.threads[index]
    }
}
