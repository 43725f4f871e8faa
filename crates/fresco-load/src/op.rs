// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a program tells the simulator: its loads and stores, and the marks between them.

use fresco_dram::VirtAddr;

/// One load or store, in program order. It is itself one instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Op {
    /// First byte accessed.
    pub addr: VirtAddr,
    /// Instructions that access no memory, between the event before this one and this one.
    pub gap: u32,
    /// Distance back, in memory operations, to the load whose value this one needs for its address or (a store) its
    /// data: 1 is the operation just before. 0 where it needs none. An operation that needs several loads names the
    /// last of them in program order.
    pub dep: u32,
    /// Bytes accessed, 1 to 64. The access does not cross a 64-byte line unless a trace says so.
    pub size: u8,
    /// A store.
    pub write: bool,
}

/// A point in a program that a measurement may refer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marker {
    /// The phase that the original benchmark times begins. Exactly once.
    Begin,
    /// One pass (iteration, repetition) over the data is over.
    Pass,
    /// The timed phase is over. At most once; never if the program runs without end.
    End,
    /// End of a serial section of a team (BEN-7): the master, thread 0, has executed it, the others come here at once.
    /// Every thread waits until all are here. A lone program goes on.
    Fork,
    /// End of a parallel section of a team: every thread waits until all are here (BEN-7). A lone program goes on.
    Join,
}

/// One thing in a program's execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A load or store.
    Op(Op),
    /// A mark.
    Mark {
        /// Which.
        marker: Marker,
        /// Instructions that access no memory, between the event before this one and this one.
        gap: u32,
    },
    /// The line of code at `line` is fetched, for the instruction after the gap. It is neither a memory operation nor an instruction.
    Fetch {
        /// First byte of a line of 64 bytes.
        line: VirtAddr,
        /// Instructions that access no memory, between the event before this one and this one.
        gap: u32,
    },
    /// A thread meets what other threads of its program do.
    Order {
        /// What.
        order: Order,
        /// Instructions that access no memory, between the event before this one and this one.
        gap: u32,
    },
}

/// A place in the order of all that the threads of a program do on an object: a lock, a barrier, the end of a thread. A thread that comes
/// here goes on when all lower places of the object are passed in this pass over the data. Each place is some thread's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    /// The object.
    pub object: u16,
    /// The place, from 0 on.
    pub place: u32,
    /// The place is the thread's own, and is passed when it goes on; otherwise it only waits for the lower ones.
    pub is_own: bool,
}

/// A reusable buffer of events. It never grows beyond [`Batch::CAPACITY`] by more than one chunk of a program.
#[derive(Clone, Debug)]
pub struct Batch {
    events: Vec<Event>,
    /// Events at which it is full.
    capacity: usize,
}

impl Batch {
    /// Events that a program appends in one call, about: it stops at the first place it can stop at after so many.
    pub const CAPACITY: usize = 4096;

    /// An empty buffer.
    pub fn new() -> Self {
        Self {
            events: Vec::with_capacity(Self::CAPACITY + 256),
            capacity: Self::CAPACITY,
        }
    }

    /// Changes how many events are appended in one call; at least 1.
    #[cfg(test)]
    pub(crate) fn limit(&mut self, capacity: usize) {
        self.capacity = capacity;
    }

    /// Empties it and keeps its memory.
    pub fn clear(&mut self) {
        self.events.clear();
    }

    /// The events, in program order.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The events, for who appends several at once.
    pub(crate) fn buffer(&mut self) -> &mut Vec<Event> {
        &mut self.events
    }

    /// How many events there is room for until it is full.
    pub(crate) fn room(&self) -> usize {
        self.capacity.saturating_sub(self.events.len())
    }

    /// Returns true if the program has appended what it should in one call.
    pub fn is_full(&self) -> bool {
        self.events.len() >= self.capacity
    }

    /// Appends an event.
    #[inline]
    pub fn push(&mut self, event: Event) {
        self.events.push(event);
    }
}

impl Default for Batch {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_no_larger_than_an_operation() {
        assert_eq!(size_of::<Event>(), size_of::<Op>());
    }
}
