// SPDX-License-Identifier: MIT OR Apache-2.0
//! How long jobs take beside other cores of which nothing is known but how many there are: what a plan has to count with, which chooses colors and
//! cores itself.

use crate::budgets::{delay_ps, interrupts_ps};
use crate::crowd::displaced_lines;
use crate::work::{beside, longest_hold_ps, path_ps};
use crate::{Alone, Crowd, Dram, TaskReads, Unbounded, Unknown, WorkBound, read};
use fresco_dram::Ps;
use fresco_machine::{Inclusion, LlcConfig, Machine};

/// Budgets of bandwidth that hold, for all cores.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    /// Length of a period, in picoseconds.
    pub period_ps: Ps,
    /// Lines that the cores beside a job's own may move in a period.
    pub lines_of_others: u64,
    /// What an interrupt of the regulation takes, in picoseconds.
    pub interrupt_ps: Ps,
}

/// Cores that run tasks at once, with memory in any bank.
#[derive(Clone, Debug)]
pub struct Together<'m> {
    machine: &'m Machine,
    reads: TaskReads,
    /// The longest that a read takes if no other core sends any.
    own_ps: Ps,
    /// A read beyond the private caches may have been a hit of the last-level cache alone, and be none beside others.
    may_hit: bool,
    held: Option<Held>,
}

impl<'m> Together<'m> {
    /// So many cores of a machine; `writes` if anybody writes.
    ///
    /// # Errors
    /// Why a read has no bound.
    pub fn new(machine: &'m Machine, cores: u32, writes: bool, held: Option<Held>) -> Result<Self, Unbounded> {
        let misses = machine.core.mshrs;
        let dram = Dram::of(machine);
        let crowd = |cores: u32| {
            let reads = cores * misses;
            let waiting = match writes {
                true => cores * displaced_lines(misses),
                false => 0,
            };
            Crowd {
                reads,
                of_rank: reads,
                of_group: reads,
                of_bank: reads,
                of_other_ranks: if machine.memory.organisation.ranks > 1 {
                    reads
                } else {
                    0
                },
                ranks: machine.memory.organisation.ranks,
                waiting_writes: waiting,
                front: reads + waiting,
            }
        };
        let own_ps = machine.memory.timing.clock.longest_ps(read(&dram, &crowd(1))?.total());
        let crowd = crowd(cores);
        let bound = read(&dram, &crowd)?;
        let reads = TaskReads {
            node: 0,
            channel: 0,
            crowd,
            bound,
            longest_ps: machine.memory.timing.clock.longest_ps(bound.total()),
            all: vec![(crowd, bound)],
        };
        let may_hit = machine.llc.is_some();
        Ok(Self {
            machine,
            reads,
            own_ps,
            may_hit,
            held,
        })
    }

    /// Returns why nothing follows for work on the machine beside others, if so; `has_budgets` if cores have budgets of bandwidth.
    pub fn unknown(machine: &Machine, has_budgets: bool) -> Option<Unknown> {
        let llc = machine.llc.as_ref();
        let registers = llc.is_some_and(|llc| llc.mshrs.is_some());
        // Lines leave private caches when others displace them from an inclusive one below, and in the order in which a core with a window makes accesses.
        let decides = |llc: &&LlcConfig| match llc.inclusion {
            Inclusion::NonInclusive => false,
            Inclusion::Inclusive => llc.cores_per_cache > 1 || machine.core.window > 1,
            Inclusion::Exclusive => machine.core.window > 1,
        };
        match machine {
            _ if llc.filter(decides).is_some() => Some(Unknown::Order(machine.inclusion())),
            _ if !machine.fabric.is_unlimited() => Some(Unknown::Fabric),
            _ if machine.coherence.is_some() => Some(Unknown::Coherence),
            _ if !machine.core.prefetch.is_off() => Some(Unknown::Prefetch),
            _ if registers => Some(Unknown::Registers),
            _ if machine.core.window > 1 && machine.core.tlb.is_some() => Some(Unknown::Walks),
            _ if machine.core.window > 1 && has_budgets => Some(Unknown::Window),
            _ => None,
        }
    }

    /// The longest that a read takes in its controller, in picoseconds.
    pub fn read_ps(&self) -> Ps {
        self.reads.longest_ps
    }

    /// The longest that a job takes which took `time_ps` alone and sent at most so many reads and displaced lines beyond its private caches.
    ///
    /// Alone, each read was in its controller for as long as its data take at least. Where others displace lines from its last-level cache, or may change the order in which
    /// its accesses come there, each may have been a hit, and takes the way to the controller besides. Its own budget is in its time alone; interrupts of the regulation let its longest
    /// read end first.
    pub fn job(&self, time_ps: Ps, reads: u64, write_backs: u64) -> WorkBound {
        let memory = &self.machine.memory;
        let topology = &self.machine.topology;
        let hops = topology.hop_latency.iter().flatten().copied().max().unwrap_or(0);
        let path = path_ps(self.machine, 2 * hops);
        let least = memory.timing.clock.to_ps(memory.timing.read_data(&memory.organisation));
        let hits = if self.may_hit { reads } else { 0 };
        let least = if self.may_hit { 0 } else { least };
        // Of jobs before it on its core.
        let left = match self.reads.crowd.waiting_writes {
            0 => 0,
            _ => displaced_lines(self.machine.core.mshrs).into(),
        };
        let alone = Alone {
            time_ps,
            reads,
            hits,
            cached: hits,
            in_memory_ps: reads.saturating_mul(least),
            // Nothing is known of how they overlap.
            chain: reads,
            shortest_ps: least,
            write_backs: write_backs + left,
        };
        let by_budgets = |alone: &Alone| {
            let held = self.held?;
            let delay = delay_ps(self.machine, alone, &self.reads, held.lines_of_others, held.period_ps)?;
            // What was a hit is read, too.
            Some(delay.saturating_add(hits.saturating_mul(self.own_ps.saturating_add(path))))
        };
        // Reads of all cores are alike.
        let hold = longest_hold_ps(self.machine, &self.reads.all, path);
        let others = beside(self.machine, alone, (&self.reads, path), Ok(hold), by_budgets)
            .expect("the wait for a line has a bound");
        let budgets_ps = self.held.map_or(0, |held| {
            let of_period = (held.interrupt_ps.saturating_add(self.reads.longest_ps)).saturating_mul(2);
            interrupts_ps(others.longest_ps, of_period, held.period_ps)
        });
        WorkBound {
            budgets_ps,
            longest_ps: others.longest_ps.saturating_add(budgets_ps),
            ..others
        }
    }
}
