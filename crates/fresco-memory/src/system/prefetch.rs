// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lines that a core asks for before it needs them.

use super::MemorySystem;
use super::pending::Waiter;
use super::sample::{RequestId, Service};
use fresco_dram::{PhysAddr, Ps};

impl MemorySystem {
    /// As [`read`](Self::read), for a prefetch of `core`; its cache must not be [blocked](Self::is_blocked). It differs in one count alone.
    ///
    /// # Panics
    /// If no memory is at `addr`.
    pub fn prefetch(&mut self, at: Ps, core: u32, addr: PhysAddr) -> Service {
        debug_assert!(!self.is_blocked(core), "a prefetch does not wait for a miss register");
        self.cores[core as usize].prefetches += 1;
        let line = PhysAddr(addr.0 & self.line_mask);
        let id = RequestId(self.next_id);
        let waiter = Waiter { id, core, since: at };
        if let Some(at) = self.look_up(at, line, waiter) {
            return Service::Done { at };
        }
        self.next_id += 1;
        Service::Pending(id)
    }
}
