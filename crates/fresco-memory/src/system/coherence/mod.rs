// SPDX-License-Identifier: MIT OR Apache-2.0
//! MESI among the private caches of all cores, by an exact directory.
//!
//! The directory is no table: what it knows is looked up in the caches themselves, so that it is right whatever they displace. A request changes
//! all states when it is sent; its data come later. With `L`, the latency of the last-level cache (0 without one), `T`, that of a transfer
//! ([`fresco_machine::Coherence::transfer`]), and `W`, the way to the node of another core and back,
//!
//! ```text
//! a line that another core has modified or exclusive:   L + T + W, and if that core waits for it, no earlier than T + W after it
//! a store to a shared line, an upgrade:                 L, and T + W of the farthest copy if there is one
//! a store that misses, while others share the line:     the later of its data, and L + T + W
//! all else:                                             as without coherence
//! ```
//!
//! A dirty line that another core reads is written to the last-level cache if both share that, and it is not exclusive, and else to memory: there
//! is no owned state. Where several last-level caches are, a line that is dirty in one is in no other, and is served by that one as by a core.

mod check;
mod others;

use super::MemorySystem;
use super::sample::{RequestId, Service};
use crate::cache::{Leaving, Left, LineState, PrivateCaches};
use fresco_dram::{PhysAddr, Ps};
use fresco_machine::{Inclusion, Machine};
use others::Others;

/// What a core asks for a line for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To execute it: it is shared then, whoever has it.
    Code,
    /// To read it.
    Load,
    /// To store to it.
    Store,
    /// To store to it, of which it has a copy that it shares.
    Upgrade,
}

/// A request of a core for a line.
#[derive(Clone, Copy, Debug)]
pub struct Demand {
    /// When.
    pub at: Ps,
    /// Whose.
    pub core: u32,
    /// A byte of the line.
    pub line: PhysAddr,
    /// What for.
    pub purpose: Purpose,
    /// The operation that asked first is a store: what [`MemorySystem::read`] is told.
    pub for_write: bool,
    /// No operation has asked.
    pub is_prefetch: bool,
}

/// When a request is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// At this time.
    At(Ps),
    /// When the data of this read are there, but no earlier than this.
    Memory {
        /// The read.
        id: RequestId,
        /// When all other copies are invalidated; 0 if there were none.
        not_before: Ps,
    },
    /// When a core has got a line that it waits for (the line that is asked for), or from this time on if that is later, and so much later than that.
    After {
        /// That core.
        of: u32,
        /// The earliest time.
        from: Ps,
        /// What is added.
        extra: Ps,
    },
}

/// When a line that a core has been granted is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// It does not wait for it.
    Here,
    /// At this time.
    At(Ps),
    /// That is not known yet.
    Unknown,
}

/// The cores above the shared levels.
pub trait Above {
    /// The private caches of a core.
    fn caches(&mut self, core: u32) -> &mut PrivateCaches;

    /// When the line that a core has asked for before the present request is there.
    fn arrival(&mut self, core: u32, line: PhysAddr) -> Arrival;
}

/// What coherence needs of a machine.
#[derive(Clone, Debug)]
pub(super) struct Directory {
    transfer: Ps,
    node_of_core: Vec<u32>,
}

impl Directory {
    /// Of a checked machine; `None` without coherence.
    pub fn of(machine: &Machine) -> Option<Self> {
        machine.coherence.map(|coherence| Self {
            transfer: coherence.transfer,
            node_of_core: machine.topology.node_of_core.clone(),
        })
    }
}

impl MemorySystem {
    /// A core asks for a line that its private caches miss, or share and it stores to. States of all caches change at once.
    ///
    /// # Panics
    /// If no memory is at the line, or the machine has no coherence.
    pub fn ask(&mut self, demand: &Demand, above: &mut impl Above) -> Answer {
        let line = PhysAddr(demand.line.0 & self.line_mask);
        let demand = Demand { line, ..*demand };
        match demand.purpose {
            Purpose::Code | Purpose::Load => self.ask_to_read(&demand, above),
            Purpose::Store | Purpose::Upgrade => self.ask_to_store(&demand, above),
        }
    }

    fn ask_to_read(&mut self, demand: &Demand, above: &mut impl Above) -> Answer {
        let &Demand { at, core, line, .. } = demand;
        let others = self.others(core, line, above);
        if !others.serve() {
            let service = self.read_shared(demand);
            let caches = above.caches(core);
            match others.is_any() || demand.purpose == Purpose::Code {
                true => caches.grant_shared(line),
                false => self.granted(at, core, line, above),
            }
            return answer(service, 0);
        }
        let answer = self.served_by(demand, &others, above);
        let mut dirty = false;
        if let Some(owner) = others.owner {
            let caches = above.caches(owner);
            let is_here = caches.state(line) != LineState::Invalid;
            dirty |= is_here && caches.share(line);
            dirty |= caches.take_in_transit(line) == Some(true);
            caches.count_coherence(|counts| counts.write_backs += u64::from(dirty));
            self.write_for(at, core, owner, line, dirty);
        }
        self.clean_elsewhere(at, core, line, dirty, above);
        self.bring_in(at, core, line);
        above.caches(core).grant_shared(line);
        answer
    }

    fn ask_to_store(&mut self, demand: &Demand, above: &mut impl Above) -> Answer {
        let &Demand { at, core, line, .. } = demand;
        let others = self.others(core, line, above);
        let has_copy = demand.purpose == Purpose::Upgrade && above.caches(core).state(line) != LineState::Invalid;
        let granted = match others.is_any() {
            true => at + self.llc_latency + self.transfer_time() + others.way,
            false => at + self.llc_latency,
        };
        let answer = if has_copy {
            above.caches(core).count_coherence(|counts| counts.upgrades += 1);
            match above.arrival(core, line) {
                Arrival::Here => Answer::At(granted),
                Arrival::At(data) => Answer::At(granted.max(data)),
                Arrival::Unknown => Answer::After {
                    of: core,
                    from: granted,
                    extra: 0,
                },
            }
        } else if others.serve() {
            self.served_by(demand, &others, above)
        } else {
            let not_before = if others.is_any() { granted } else { 0 };
            answer(self.read_shared(demand), not_before)
        };
        self.invalidate_others(&others, core, line, above);
        if has_copy || others.serve() {
            self.drop_superseded(core, line);
        }
        if others.serve() && !has_copy {
            self.bring_in(at, core, line);
        }
        self.granted(at, core, line, above);
        if demand.purpose == Purpose::Upgrade {
            self.store(at, core, line, above);
        }
        answer
    }

    /// A core that has no copy gets the line from another one, or from another last-level cache.
    fn served_by(&mut self, demand: &Demand, others: &Others, above: &mut impl Above) -> Answer {
        let &Demand { at, core, line, .. } = demand;
        let stats = &mut self.cores[core as usize];
        if demand.is_prefetch {
            stats.prefetches += 1;
        } else {
            stats.reads += 1;
            stats.reads_for_write += u64::from(demand.for_write);
        }
        above.caches(core).count_coherence(|counts| counts.transfers += 1);
        let (asked, extra) = (at + self.llc_latency, self.transfer_time() + others.way);
        let Some(of) = others.owner else {
            return Answer::At(asked + extra);
        };
        match above.arrival(of, line) {
            Arrival::Here => Answer::At(asked + extra),
            Arrival::At(data) => Answer::At(asked.max(data) + extra),
            Arrival::Unknown => Answer::After { of, from: asked, extra },
        }
    }

    /// The shared levels are asked, as without coherence.
    fn read_shared(&mut self, demand: &Demand) -> Service {
        match demand.is_prefetch {
            true => self.prefetch(demand.at, demand.core, demand.line),
            false => self.read(demand.at, demand.core, demand.line, demand.for_write),
        }
    }

    /// A line is a core's alone. What left before that, and did not go, goes.
    fn granted(&mut self, at: Ps, core: u32, line: PhysAddr, above: &mut impl Above) {
        let caches = above.caches(core);
        caches.grant(line);
        if let Some(owed) = caches.settle(line) {
            self.leave(at, core, owed);
        }
    }

    /// An upgraded line holds stores. If the core has lost it since it asked, the line takes its place again.
    fn store(&mut self, at: Ps, core: u32, line: PhysAddr, above: &mut impl Above) {
        let caches = above.caches(core);
        if caches.make_dirty(line) {
            return;
        }
        // Code alone had it, or nothing.
        caches.drop_line(line);
        let out = caches.fill(line, true);
        caches.leave_coherently(out);
        for leaving in out.as_slice() {
            self.leave_coherent(at, core, *leaving, above);
        }
    }

    /// As [`leave`](Self::leave), where private caches are coherent: a line that another core has taken over on its way goes nowhere.
    ///
    /// # Panics
    /// If no memory is at the line.
    pub fn leave_coherent(&mut self, at: Ps, core: u32, leaving: Leaving, above: &mut impl Above) {
        match above.caches(core).left(leaving) {
            Left::Goes => self.leave(at, core, leaving),
            Left::Taken => {}
            Left::Early if !self.others(core, leaving.line, above).is_any() => self.leave(at, core, leaving),
            Left::Early if leaving.dirty => above.caches(core).owe(leaving),
            Left::Early => {}
        }
    }

    /// A line that a core gets from another one passes its last-level cache.
    fn bring_in(&mut self, at: Ps, core: u32, line: PhysAddr) {
        if self.has_inner_cache() {
            let dirty = false;
            self.take_in(at, core, Leaving { line, dirty });
        }
    }

    /// A line of `owner`, dirty or not, is read by `core`.
    fn write_for(&mut self, at: Ps, core: u32, owner: u32, line: PhysAddr, dirty: bool) {
        if !dirty {
            return;
        }
        self.cores[owner as usize].write_backs += 1;
        if self.has_inner_cache() && owner / self.cores_per_cache == core / self.cores_per_cache {
            self.take_in(at, core, Leaving::dirty(line));
        } else {
            self.write_through(at, core, owner, line);
        }
    }

    /// No other last-level cache has a dirty copy any more. It is written to memory, unless a core's `newer` one has been.
    fn clean_elsewhere(&mut self, at: Ps, core: u32, line: PhysAddr, newer: bool, above: &mut impl Above) {
        let own = core / self.cores_per_cache;
        for group in 0..self.caches.len() as u32 {
            if group == own || !self.caches[group as usize].make_clean(line) || newer {
                continue;
            }
            let first = group * self.cores_per_cache;
            let owner = self.owner(first, line).unwrap_or(first);
            above.caches(owner).count_coherence(|counts| counts.write_backs += 1);
            self.write_through(at, core, owner, line);
        }
    }

    /// There is a last-level cache, and lines that cores have are in it, too.
    fn has_inner_cache(&self) -> bool {
        !self.caches.is_empty() && self.inclusion != Inclusion::Exclusive
    }

    fn transfer_time(&self) -> Ps {
        self.directory().transfer
    }

    fn directory(&self) -> &Directory {
        self.directory.as_ref().expect("the machine has coherence")
    }
}

fn answer(service: Service, not_before: Ps) -> Answer {
    match service {
        Service::Done { at } => Answer::At(at.max(not_before)),
        Service::Pending(id) => Answer::Memory { id, not_before },
    }
}
