// SPDX-License-Identifier: MIT OR Apache-2.0
//! The memory system as cores see it.

use super::beside::{Beside, Sent};
use super::blocking::{Blocking, Refused};
use super::coherence::Directory;
use super::command_log::CommandLog;
use super::fabric::{Fabric, Passing};
use super::order::Order;
use super::pending::{Key, Pending, Waiter};
use super::plan::Watch;
use super::sample::{RequestId, Service};
use super::stats::{CoreStats, Lines};
use super::time::Next;
use super::upward::Upward;
use super::write_backs::WriteBacks;
use crate::cache::{Cache, Leaving};
use crate::controller::Controller;
use crate::interconnect::Interconnect;
use crate::request::{Access, Request};
use fresco_dram::{AddressMap, Clock, Cycle, PhysAddr, Ps};
use fresco_machine::{Inclusion, Machine};

/// Last-level caches, interconnect and controllers of a machine.
///
/// # Time
/// The caller goes through time in order: it asks [`next_event`](Self::next_event), runs to that time or an earlier
/// one of its own with [`run_until`](Self::run_until), and then makes its calls for that time. No call may be earlier
/// than the time run to. Results do not depend on how the time is cut into runs.
///
/// Inside, controllers run ahead of the cores by the time that any request takes to reach them, up to but without the
/// cycle in which a request made now could arrive. So one run covers many of their cycles.
///
/// # Last-level cache
/// One per `cores_per_cache` consecutive cores; without one,
/// every read goes to memory. A miss takes its place in the cache at the time of the access, and the dirty line that
/// makes room leaves for memory then, through the core's write-back buffer. A line that finds no room in it waits, and its core
/// [stands still](Self::take_standing) until it has.
/// Reads of a line that is under way to the same cache (or, without one, to the same core) join it.
/// What an inclusive or exclusive one does to the private levels is told by [`take_upward`](Self::take_upward).
///
/// A cache with a number of miss registers (`LlcConfig::mshrs`) has one taken for each line from the access that misses to the data
/// at the core. While all are taken it refuses every access, hits and lines written back too, as gem5's classic cache does
/// (`Blocked_NoMSHRs`, `src/mem/cache/base.cc`): they wait in order of arrival, whosever they are.
pub struct MemorySystem {
    pub(super) caches: Vec<Cache>,
    pub(super) cores_per_cache: u32,
    pub(super) llc_latency: Ps,
    pub(super) line_mask: u64,
    map: AddressMap,
    pub(super) interconnect: Interconnect,
    /// Limits on the way to the controllers, if the machine has any.
    pub(super) fabric: Option<Fabric>,
    /// One per node.
    pub(super) controllers: Vec<Controller>,
    pub(super) next: Next,
    pub(super) clock: Clock,
    /// From an access to its arrival at a controller, the interconnect left aside: cache lookup, and part of the
    /// frontend. Controllers are run this far ahead.
    pub(super) outbound: Ps,
    /// Part of the frontend latency on the way back.
    pub(super) frontend_back: Ps,
    pub(super) pending: Pending,
    /// Devices are numbered from here on where cores are meant, and their groups after those of the cores.
    pub(super) first_agent: u32,
    pub(super) write_backs: WriteBacks,
    pub(super) blocking: Blocking,
    /// The fabric has limits, a last-level cache may refuse accesses, or controllers have a thread of their own.
    pub(super) is_limited: bool,
    /// Controllers on a thread of their own, if they have one.
    pub(super) beside: Option<Beside>,
    pub(super) inclusion: Inclusion,
    /// If private caches are kept coherent.
    pub(super) directory: Option<Directory>,
    /// What the private caches have not been told.
    pub(super) upward: Vec<Upward>,
    pub(super) next_id: u64,
    /// The time run to.
    pub(super) now: Ps,
    pub(super) cores: Vec<CoreStats>,
    /// By core.
    pub(super) lines: Vec<Lines>,
    pub(super) counted_from: Cycle,
    /// DRAM commands, if anybody wants them.
    pub(super) log: Option<CommandLog>,
    /// What a plan of refreshes is judged by, if it is.
    pub(super) watch: Option<Watch>,
    /// What depends on the order of accesses, if anybody wants to know.
    pub(super) order: Option<Box<Order>>,
}

impl MemorySystem {
    /// The shared part of a checked machine, with empty caches and queues, at time 0.
    pub fn new(machine: &Machine) -> Self {
        Self::with_agents(machine, &[])
    }

    /// The same with devices that move lines beside the cores ([`transfer`](Self::transfer)): the node of each.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn with_agents(machine: &Machine, nodes: &[u32]) -> Self {
        let memory = &machine.memory;
        let cores = u16::try_from(machine.cores).expect("a machine has fewer than 65,536 cores");
        let (caches, cores_per_cache, llc_latency) = match &machine.llc {
            Some(llc) => {
                let sources = llc.cores_per_cache as u16;
                let cache = match llc.hashed_slices {
                    Some(slices) => Cache::hashed(&llc.cache, slices, sources),
                    None => Cache::new(&llc.cache, &llc.slice_functions, sources),
                };
                let caches = vec![cache; usize::from(cores.div_ceil(sources))];
                (caches, llc.cores_per_cache, llc.cache.latency)
            }
            None => (Vec::new(), 1, 0),
        };
        let organisation = &memory.organisation;
        let line = memory.timing.bytes_of_line(organisation);
        let controller = |node| Controller::new(&memory.controller, organisation, &memory.timing, node);
        let clock = memory.timing.clock;
        let frontend_there = memory.controller.frontend / 2;
        let groups = usize::from(cores.div_ceil(cores_per_cache as u16));
        let mut system = Self {
            caches,
            cores_per_cache,
            llc_latency,
            line_mask: !(line - 1),
            map: memory.map.clone(),
            interconnect: Interconnect::new(&machine.topology, nodes),
            fabric: Fabric::new(machine, cores_per_cache, line, nodes),
            controllers: (0..organisation.nodes).map(controller).collect(),
            next: Next::default(),
            clock,
            outbound: llc_latency + frontend_there,
            frontend_back: memory.controller.frontend - frontend_there,
            pending: Pending::new(groups + nodes.len()),
            first_agent: u32::from(cores),
            write_backs: WriteBacks::new(usize::from(cores), machine.core.mshrs),
            blocking: Blocking::new(machine.llc.as_ref().and_then(|llc| llc.mshrs), groups),
            is_limited: false,
            beside: None,
            inclusion: machine.inclusion(),
            directory: Directory::of(machine),
            upward: Vec::new(),
            next_id: 0,
            now: 0,
            cores: vec![CoreStats::default(); usize::from(cores)],
            lines: vec![Lines::default(); usize::from(cores)],
            counted_from: 0,
            log: None,
            watch: None,
            order: None,
        };
        system.is_limited = system.fabric.is_some() || system.blocking.may_refuse();
        system.find_next();
        system
    }

    /// Looks for the line of `addr`, which `core` accessed at time `at` and missed in its private caches. `for_write`
    /// says that the access is a store; the line still leaves here clean, and comes back dirty with
    /// [`write_back`](Self::write_back).
    ///
    /// # Panics
    /// If no memory is at `addr`.
    pub fn read(&mut self, at: Ps, core: u32, addr: PhysAddr, for_write: bool) -> Service {
        debug_assert!(at >= self.now, "time {at} has been run, it is {}", self.now);
        let line = PhysAddr(addr.0 & self.line_mask);
        let stats = &mut self.cores[core as usize];
        stats.reads += 1;
        stats.reads_for_write += u64::from(for_write);
        let id = RequestId(self.next_id);
        let waiter = Waiter { id, core, since: at };
        if self.is_blocked(core) {
            let group = core / self.cores_per_cache;
            self.blocking.refuse(group, Refused::Read { waiter, line });
        } else if let Some(at) = self.look_up(at, line, waiter) {
            return Service::Done { at };
        }
        self.next_id += 1;
        Service::Pending(id)
    }

    /// The last-level cache accepts a read at `at`. Returns when the data are there if it has them; else they come from memory.
    #[inline(always)]
    pub(super) fn look_up(&mut self, at: Ps, line: PhysAddr, waiter: Waiter) -> Option<Ps> {
        let core = waiter.core;
        let group = core / self.cores_per_cache;
        let key = Key { group, line };
        if self.pending.join(key, waiter) {
            self.cores[core as usize].merged += 1;
            self.joined(at, core, line);
            return None;
        }
        let Some(victim) = self.look_in_cache(at, core, line) else {
            return Some(at + self.llc_latency);
        };
        let victim = victim.filter(|victim| victim.dirty);
        self.lines[core as usize].read += 1;
        let slot = self.pending.insert(key, waiter);
        if at > waiter.since {
            self.pending.sent(slot, at);
        }
        self.send(at, core, line, Access::Read, slot);
        if let Some(victim) = victim {
            self.send_write(at, core, victim.line);
        }
        None
    }

    /// A dirty line leaves the private caches of `core` at time `at`. The last-level cache takes it without fetching
    /// it; its own dirty line that makes room, or without such a cache the line itself, is written to memory.
    ///
    /// # Panics
    /// If no memory is at `line`.
    pub fn write_back(&mut self, at: Ps, core: u32, line: PhysAddr) {
        self.leave(at, core, Leaving::dirty(line));
    }

    /// The same for a line that may be clean: an exclusive cache takes it too.
    ///
    /// # Panics
    /// If no memory is at the line.
    pub fn leave(&mut self, at: Ps, core: u32, leaving: Leaving) {
        debug_assert!(at >= self.now, "time {at} has been run, it is {}", self.now);
        let Leaving { line, dirty } = leaving;
        let line = PhysAddr(line.0 & self.line_mask);
        let leaving = Leaving { line, dirty };
        self.cores[core as usize].write_backs += u64::from(dirty);
        if self.is_blocked(core) {
            let group = core / self.cores_per_cache;
            self.blocking.refuse(group, Refused::Leaving { core, leaving });
        } else {
            self.take_in(at, core, leaving);
        }
    }

    /// The last-level cache accepts a line from above at `at`.
    #[inline]
    pub(super) fn take_in(&mut self, at: Ps, core: u32, leaving: Leaving) {
        let Leaving { line, dirty } = leaving;
        if dirty && let Some(order) = &mut self.order {
            order.dirty();
        }
        let line = match self.cache_of(core) {
            (Some(cache), member) => {
                let Some(victim) = cache.fill(line, dirty, member) else {
                    return;
                };
                self.tell_evicted(at, core, victim);
                victim.dirty.then_some(victim.line)
            }
            (None, _) => Some(line),
        };
        if let Some(line) = line {
            self.send_write(at, core, line);
        }
    }

    /// From now on lines that `core` brings into its last-level cache come into these ways alone ([`Cache::set_ways`]).
    ///
    /// # Panics
    /// If it has no such cache, or that has no such ways.
    pub fn set_ways(&mut self, core: u32, ways: u128) {
        let (cache, member) = self.cache_of(core);
        cache
            .expect("ways are those of a last-level cache")
            .set_ways(member, ways);
    }

    /// Gives the line of `addr` its place in the last-level cache of `core`, as [`read`](Self::read) does, in no time: nothing is fetched, and
    /// what makes room is written nowhere. Counters that are of interest begin afterwards.
    pub fn fill(&mut self, core: u32, addr: PhysAddr) {
        self.look_in_cache(0, core, PhysAddr(addr.0 & self.line_mask));
    }

    /// The same for a line that leaves the private caches, as [`leave`](Self::leave) does.
    pub fn fill_leaving(&mut self, core: u32, leaving: Leaving) {
        if leaving.dirty
            && let Some(order) = &mut self.order
        {
            order.dirty();
        }
        let (line, (cache, member)) = (PhysAddr(leaving.line.0 & self.line_mask), self.cache_of(core));
        if let Some(victim) = cache.and_then(|cache| cache.fill(line, leaving.dirty, member)) {
            self.tell_evicted(0, core, victim);
        }
    }

    /// The last-level cache of a core, if there is one, and which of its sources the core is.
    #[inline]
    pub(super) fn cache_of(&mut self, core: u32) -> (Option<&mut Cache>, u16) {
        let (group, member) = (core / self.cores_per_cache, (core % self.cores_per_cache) as u16);
        (self.caches.get_mut(group as usize), member)
    }

    /// Sends a dirty line on its way to memory.
    pub(super) fn send_write(&mut self, at: Ps, core: u32, line: PhysAddr) {
        self.lines[core as usize].written += 1;
        if let Some(watch) = &mut self.watch {
            watch.sent.push((at, core, line));
        }
        if self.write_backs.leave(core, line) {
            self.send(at, core, line, Access::Write, 0);
        }
    }

    /// Sends a request for `line` on its way to memory.
    pub(super) fn send(&mut self, at: Ps, core: u32, line: PhysAddr, access: Access, slot: u32) {
        debug_assert!(at >= self.now, "sent at {at}, it is {}", self.now);
        let location = self.map.decode(line).expect("an address of a frame lies in memory");
        let passing = Passing {
            core,
            line,
            access,
            slot,
            location,
        };
        match &mut self.fabric {
            None => self.submit(at, &passing),
            Some(fabric) => {
                fabric.wait(at, passing);
                self.pass_fabric(at);
            }
        }
    }

    /// What the limits of the fabric let pass up to and including `until` goes on.
    #[cold]
    pub(super) fn pass_fabric(&mut self, until: Ps) {
        while let Some((at, passing)) = self.fabric.as_mut().and_then(|fabric| fabric.pass(until)) {
            debug_assert!(at >= self.now, "{passing:?} passes at {at}, it is {}", self.now);
            if passing.access == Access::Read || passing.core >= self.first_agent {
                self.pending.sent(passing.slot, at);
            }
            self.submit(at, &passing);
        }
    }

    /// Hands a request to the controller, which it leaves for at `at`.
    #[inline(always)]
    fn submit(&mut self, at: Ps, passing: &Passing) {
        let &Passing {
            core,
            line,
            access,
            slot,
            location,
        } = passing;
        let route = self.interconnect.route(core, location.node);
        let arrival = self.clock.cycle_at_or_after(at + self.outbound + route.there);
        let request = Request {
            id: u64::from(slot),
            source: core as u16,
            access,
            line: line.0,
            location,
        };
        if let Some(beside) = &mut self.beside
            && beside.is_away()
        {
            let node = location.node;
            return beside.keep(Sent { node, arrival, request });
        }
        self.controllers[location.node as usize].submit(arrival, request);
        if arrival < self.next.cycle {
            self.next = self.at_cycle(arrival);
        }
    }
}
