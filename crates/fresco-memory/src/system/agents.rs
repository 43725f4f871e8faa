// SPDX-License-Identifier: MIT OR Apache-2.0
//! Devices that move lines beside the cores: DMA engines, network cards, GPUs.
//!
//! A line of a device takes the way of a core's miss: the time in which the last-level cache is looked up, the frontend, the limits of its
//! node, the controller. No cache has it, and none takes it in. Unlike those of cores, writes are known by name too: a device has them
//! under way until a controller has taken them.

use super::MemorySystem;
use super::pending::{Key, Waiter};
use super::sample::RequestId;
use crate::request::Access;
use fresco_dram::{PhysAddr, Ps};

impl MemorySystem {
    /// A device reads or writes the line of `addr` at time `at`. One [`Done`](super::Done) with the name that is returned, of core
    /// `cores + agent`, tells when its data are there, or when it is known that a controller has taken it into its write buffer. Two
    /// reads of a line are two reads.
    ///
    /// # Panics
    /// If no memory is at `addr`, or there is no such device.
    pub fn transfer(&mut self, at: Ps, agent: u32, addr: PhysAddr, access: Access) -> RequestId {
        debug_assert!(at >= self.now, "time {at} has been run, it is {}", self.now);
        let line = PhysAddr(addr.0 & self.line_mask);
        let core = self.first_agent + agent;
        let id = RequestId(self.next_id);
        self.next_id += 1;
        let waiter = Waiter { id, core, since: at };
        // Nobody joins it: in its group it has its own name in place of the line's.
        let key = Key {
            group: self.blocking.caches() + agent,
            line: PhysAddr(id.0 * self.line_bytes()),
        };
        let slot = self.pending.insert(key, waiter);
        self.send(at, core, line, access, slot);
        id
    }

    fn line_bytes(&self) -> u64 {
        !self.line_mask + 1
    }
}
