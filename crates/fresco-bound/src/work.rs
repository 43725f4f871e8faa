// SPDX-License-Identifier: MIT OR Apache-2.0
//! How long a task's work takes at most: what it did alone, each of its reads replaced by the longest.
//!
//! Work is a job, or the measured phase of a task without jobs. Alone, in the same partition, it took `time`, of which its reads spent `in_memory` in
//! controllers. If a read that takes longer by some time makes the work longer by no more than that, work with others takes at most
//! `time - in_memory + reads * longest`.

use crate::queue::write_buffer;
use crate::{Sources, TaskReads};
use fresco_dram::Ps;
use fresco_frames::Coloring;
use fresco_scenario::{Extent, Setup};
use serde::Serialize;
use std::fmt;

/// What work was alone in its partition, without budgets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Alone {
    /// Time that it had the core, in picoseconds.
    pub time_ps: Ps,
    /// Lines that it read from memory.
    pub reads: u64,
    /// Time of these in controllers, in sum, in picoseconds.
    pub in_memory_ps: Ps,
    /// Lines that it wrote back.
    pub write_backs: u64,
}

/// The longest that work takes, in picoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct WorkBound {
    /// The work alone.
    pub alone: Alone,
    /// All of its reads, each the longest, less what they took alone.
    pub reads_ps: Ps,
    /// Misses that wait until a line that the core displaced has been taken by a controller.
    pub write_backs_ps: Ps,
    /// Periods in which its budget is used up, and interrupts of the regulation.
    pub budgets_ps: Ps,
    /// Everything.
    pub longest_ps: Ps,
}

impl WorkBound {
    /// How many times longer than alone.
    pub fn slowdown(&self) -> f64 {
        self.longest_ps as f64 / self.alone.time_ps.max(1) as f64
    }
}

/// Why nothing follows for a task's work, though its reads may be bounded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// Another core's task shares its part of the last-level cache.
    SharedCache(String),
    /// It shares the miss registers of the last-level cache.
    SharedRegisters,
    /// Another task runs on its core, and displaces its lines from the private caches.
    SharedCore(String),
    /// It is a thread of a program of several.
    Threads,
    /// Links or controllers carry so much at most, which others use up.
    Fabric,
    /// What it prefetches depends on time.
    Prefetch,
    /// Other cores take lines from its caches.
    Coherence,
    /// Its phase is a time, not work.
    Time,
    /// Its core donates what it is not expected to need of its budget.
    Donates,
}

impl Unknown {
    /// The cheapest change after which something follows.
    pub fn way_out(&self) -> &'static str {
        match self {
            Self::SharedCache(_) => "give each of the two LLC colors (llc) or ways of its own",
            Self::SharedRegisters => "remove llc.mshrs, or give the cores a last-level cache each",
            Self::SharedCore(_) => "give each task a core of its own",
            Self::Threads => "bound a program of one thread",
            Self::Fabric => "remove [fabric], or let one core use it",
            Self::Prefetch => "switch prefetchers off (core.prefetch)",
            Self::Coherence => "remove [coherence], if tasks share no lines",
            Self::Donates => "reserve without reclaiming (bandwidth.reclaim = false)",
            Self::Time => "measure passes or operations, not a time",
        }
    }
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SharedCache(other) => write!(f, "{other} displaces its lines from the last-level cache"),
            Self::SharedRegisters => f.write_str("it shares the miss registers of the last-level cache"),
            Self::SharedCore(other) => write!(f, "{other} runs on its core, too, and displaces its lines"),
            Self::Threads => f.write_str("it is a thread of a program of several, which wait for each other"),
            Self::Fabric => f.write_str("links and nodes have limits that others use up"),
            Self::Prefetch => f.write_str("how much it prefetches depends on time"),
            Self::Coherence => f.write_str("other cores may take lines from its caches"),
            Self::Donates => {
                f.write_str("its core donates what it is not expected to need of its budget, and may miss it")
            }
            Self::Time => f.write_str("its measured phase is a time, in which it does less if others disturb it"),
        }
    }
}

impl Sources<'_> {
    /// Returns why nothing follows for the work of a copy, if so.
    pub fn unknown(&self, copy: usize) -> Option<Unknown> {
        let setup = self.setup();
        let machine = &setup.machine;
        let this = &setup.copies[copy];
        let others = || {
            let all = setup.copies.iter().enumerate();
            all.filter(move |(other, _)| *other != copy).map(|(_, other)| other)
        };
        if let Some(other) = others().find(|other| other.core == this.core) {
            return Some(Unknown::SharedCore(other.name.clone()));
        }
        if setup.program(this.task).kind().is_team() {
            return Some(Unknown::Threads);
        }
        if setup.tasks[this.task].timing.is_none() && matches!(setup.measure, Extent::Time(_)) {
            return Some(Unknown::Time);
        }
        if setup
            .bandwidth
            .as_ref()
            .is_some_and(|budgets| budgets.has(this.core) && budgets.reclaim())
        {
            return Some(Unknown::Donates);
        }
        if others().next().is_none() && setup.agents.iter().all(|agent| !agent.enabled) {
            return None;
        }
        if !machine.fabric.is_unlimited() {
            return Some(Unknown::Fabric);
        }
        if machine.coherence.is_some() {
            return Some(Unknown::Coherence);
        }
        if !machine.core.prefetch.is_off() {
            return Some(Unknown::Prefetch);
        }
        let llc = machine.llc.as_ref()?;
        let group = |core: u32| core / llc.cores_per_cache;
        let mut beside = others()
            .filter(|other| group(other.core) == group(this.core))
            .peekable();
        if llc.mshrs.is_some() && beside.peek().is_some() {
            return Some(Unknown::SharedRegisters);
        }
        let ways = |task: usize| setup.tasks[task].ways.unwrap_or_else(|| llc.all_ways());
        let apart = |other: &fresco_scenario::Copy| {
            let tables = machine.core.tlb.is_some();
            ways(this.task) & ways(other.task) == 0 || !tables && are_apart(setup, &this.coloring, &other.coloring)
        };
        let other = beside.find(|other| !apart(other))?;
        Some(Unknown::SharedCache(other.name.clone()))
    }

    /// The longest that work takes whose reads are bounded by `reads`.
    pub fn work(&self, copy: usize, alone: Alone, reads: &TaskReads) -> WorkBound {
        let held = if alone.write_backs > 0 {
            alone
                .reads
                .min(alone.write_backs)
                .saturating_mul(self.longest_hold_ps(copy, reads))
        } else {
            0
        };
        let all_reads = alone.reads.saturating_mul(reads.longest_ps);
        // Reads may overlap, so that together they take longer than the work.
        let reads_ps = all_reads.saturating_sub(alone.in_memory_ps);
        let base = alone.time_ps.saturating_add(reads_ps).saturating_add(held);
        let budgets_ps = self.budgets_ps(copy, &alone, reads, base);
        WorkBound {
            alone,
            reads_ps,
            write_backs_ps: held,
            budgets_ps,
            longest_ps: base.saturating_add(budgets_ps),
        }
    }
}

/// Returns true if the two have no set of the last-level cache in common.
fn are_apart(setup: &Setup, a: &Coloring, b: &Coloring) -> bool {
    let sets = |coloring: &Coloring| match coloring {
        Coloring::Explicit { llc: Some(llc), .. } | Coloring::Automatic { llc: Some(llc), .. } => Some(llc.clone()),
        _ => None,
    };
    setup.frames.policy.is_strict() && matches!((sets(a), sets(b)), (Some(a), Some(b)) if a.is_disjoint(&b))
}

impl Sources<'_> {
    /// The longest that a miss waits until a line that its core displaced before has been taken by a controller, in picoseconds.
    ///
    /// All lines that wait are taken before it. Each drain makes room for so many as lie between the buffer's size and the low watermark; it
    /// comes once the reads have been served that waited when the one before ended.
    fn longest_hold_ps(&self, copy: usize, reads: &TaskReads) -> Ps {
        let machine = &self.setup().machine;
        let controller = &machine.memory.controller;
        let buffer = write_buffer(controller.queues);
        let room = u64::from(buffer - controller.drain_low.min(buffer - 1));
        let drains = u64::from(reads.crowd.waiting_writes).div_ceil(room);
        let clock = &machine.memory.timing.clock;
        let each = clock.to_ps(reads.bound.total().saturating_add(reads.bound.drain));
        let topology = &machine.topology;
        let home = topology.node_of_core[self.setup().copies[copy].core as usize] as usize;
        let node = reads.node as usize;
        let ways = topology.hop_latency[home][node] + topology.hop_latency[node][home];
        // There, to the next edge of the memory's clock, and the answer a cycle later.
        let llc = machine.llc.as_ref().map_or(0, |llc| llc.cache.latency);
        let path = llc + controller.frontend + ways + clock.to_ps(2);
        drains.saturating_mul(each).saturating_add(path)
    }

    /// What the budget of the copy's core adds to work that takes `base` without.
    fn budgets_ps(&self, copy: usize, alone: &Alone, reads: &TaskReads, base: Ps) -> Ps {
        let setup = self.setup();
        let core = setup.copies[copy].core;
        let Some(budgets) = &setup.bandwidth else { return 0 };
        let of_core = budgets.nodes.iter().find_map(|node| {
            let at = node.cores.iter().position(|of| *of == core)?;
            Some(node.settings.reservations[at].lines)
        });
        let Some(lines) = of_core else { return 0 };
        let used = alone.reads
            + if budgets.count_write_backs {
                alone.write_backs
            } else {
                0
            };
        // A period in which the budget is used up costs the rest of it, a period at most.
        let stalled = (used / lines.max(1)).saturating_mul(budgets.period);
        let interrupt = budgets.interrupt_cycles * 1_000_000 / u64::from(setup.machine.core.mhz);
        // The timer's, and one for a budget that is used up; each lets the core first end what is under way.
        let of_period = 2 * (interrupt + reads.longest_ps);
        if of_period >= budgets.period {
            return Ps::MAX;
        }
        // Periods that begin while it runs, and those at its ends: R = work + (R / P + 2) of_period, solved for R.
        let work = u128::from(base.saturating_add(stalled)) + 2 * u128::from(of_period);
        let total = work * u128::from(budgets.period) / u128::from(budgets.period - of_period) + 1;
        Ps::try_from(total).unwrap_or(Ps::MAX).saturating_sub(base)
    }
}
