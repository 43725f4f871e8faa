// SPDX-License-Identifier: MIT OR Apache-2.0
//! How long a task's work takes at most: what it did alone, each of its reads replaced by the longest.
//!
//! Work is a job, or the measured phase of a task without jobs. Alone, in the same partition, it took `time`, of which its reads spent `in_memory` in
//! controllers. If a read that takes longer by some time makes the work longer by no more than that, work with others takes at most
//! `time - in_memory + reads * longest`.
//!
//! Of reads that overlap that is too much. What a core does, it does when the latest of some earlier events has come, and reads also when a miss register
//! is free. Follow what was waited for last, from the end of the work back to its begin: alone, too, each read on this path was sent when the one before
//! it had ended, so that no more than a chain of reads is on it. While the path waits for a register, all are in use. So work with others takes at most
//! `time + chain * (longest - shortest)` and the time for which all registers are in use by reads beside the path (Graham: Bounds on Multiprocessing
//! Timing Anomalies, SIAM Journal on Applied Mathematics 17(2), 1969, whose machines are the registers here).
//!
//! Cores with a window make their accesses in an order that others change. Where that decides which lines a last-level cache has, its hits, and reads that
//! joined others, are taken for reads as well. These are on the way to a controller for as long as nothing of them was before.

use crate::crowd::{displaced_lines, write_back_entries};
use crate::traffic::Costs;
use crate::{Crowd, Dram, ReadBound, Sources, TaskReads, Unbounded, Unknown};
use fresco_dram::Ps;
use fresco_machine::{CoreConfig, Machine, RefreshPolicy};
use serde::Serialize;

/// What work was alone in its partition, without budgets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Alone {
    /// Time that it had the core, in picoseconds.
    pub time_ps: Ps,
    /// Lines that it read from memory, and those that it may read.
    pub reads: u64,
    /// Lines of these that alone were hits of the last-level cache, or joined other reads, and may be read if accesses come in another order.
    pub hits: u64,
    /// Time of these in controllers, in sum, in picoseconds.
    pub in_memory_ps: Ps,
    /// The most of these of which each was sent when the data of the one before had arrived.
    pub chain: u64,
    /// The least time that one of these was in a controller, in picoseconds; 0 if some were not.
    pub shortest_ps: Ps,
    /// Hits of the last-level cache, whether they are among these or not.
    pub cached: u64,
    /// Lines that it wrote back, or may write back in another order, and those of its core that may wait when it begins.
    pub write_backs: u64,
}

/// The longest that work takes, in picoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct WorkBound {
    /// The work alone.
    pub alone: Alone,
    /// All of its reads, each the longest, less what they took alone.
    pub reads_ps: Ps,
    /// Waits until lines that the core displaced have been taken by a controller.
    pub write_backs_ps: Ps,
    /// The longest of these waits; 0 without any.
    pub hold_ps: Ps,
    /// Edges of the clocks of memory and core, which reads and hits may meet a cycle later.
    pub edges_ps: Ps,
    /// Periods in which its budget is used up, and interrupts of the regulation.
    pub budgets_ps: Ps,
    /// Others are bounded by what their budgets let them move, not by what they may have under way.
    pub by_budgets: bool,
    /// Everything.
    pub longest_ps: Ps,
}

impl Alone {
    /// How often the core waits for displaced lines, counted in longest waits.
    ///
    /// Whenever it waits all entries of its write-back buffer are taken. Within the longest wait from then on all these lines leave. So of waits that lie further
    /// apart each has lines of its own.
    fn holds(&self, core: &CoreConfig) -> u64 {
        self.write_backs / u64::from(write_back_entries(core.mshrs))
    }

    /// What edges of clocks add: a read may reach its controller, and its data the core, a cycle later than alone, and the data of a hit a slot.
    fn edges_ps(&self, machine: &Machine) -> Ps {
        let slot = slot_ps(machine);
        let of_read = machine.memory.timing.clock.longest_ps(1).saturating_add(slot);
        let of_reads = self.chain.saturating_mul(of_read);
        of_reads.saturating_add(self.cached.saturating_mul(slot))
    }

    /// What reads add that take `longest_ps` each at most, and `path_ps` on the way.
    fn delay_ps(&self, machine: &Machine, longest_ps: Ps, path_ps: Ps) -> Ps {
        let ways = |hits: u64| hits.saturating_mul(path_ps);
        let of_chain = self.chain.saturating_mul(longest_ps.saturating_sub(self.shortest_ps));
        let of_chain = of_chain.saturating_add(ways(self.hits.min(self.chain)));
        if machine.core.window == 1 {
            let of_each = self.reads.saturating_mul(longest_ps).saturating_sub(self.in_memory_ps);
            return of_chain.min(of_each.saturating_add(ways(self.hits)));
        }
        // Time in which all miss registers are in use, those of the chain apart.
        let each = longest_ps.saturating_add(path_ps);
        let reads = self.reads.saturating_mul(each);
        let hits = self.cached.saturating_mul(hit_ps(machine));
        let all = reads.saturating_add(hits);
        let in_use = |all: Ps| all.div_ceil(u64::from(machine.core.mshrs));
        let others = all.saturating_sub(self.chain.saturating_mul(each));
        in_use(all).max(of_chain.saturating_add(in_use(others)))
    }
}

impl WorkBound {
    /// How many times longer than alone.
    pub fn slowdown(&self) -> f64 {
        self.longest_ps as f64 / self.alone.time_ps.max(1) as f64
    }
}

impl Sources<'_> {
    /// The longest that any of the work of a copy takes, all jobs or the one phase, whose reads are bounded by `reads`.
    ///
    /// # Errors
    /// Why there is no bound.
    pub fn longest_work(&self, copy: usize, all: &[Alone], reads: &TaskReads) -> Result<WorkBound, Unknown> {
        // The same for all jobs.
        let path = self.path_ps(copy);
        let hold = self.hold(copy, all, path);
        let works: Vec<WorkBound> = all
            .iter()
            .map(|alone| self.work_held(copy, *alone, (reads, path), hold))
            .collect::<Result<_, _>>()?;
        match works.into_iter().max_by_key(|work| work.longest_ps) {
            None => Err(Unknown::NotSeen),
            Some(work) if work.longest_ps == Ps::MAX => Err(Unknown::Interrupts),
            Some(work) => Ok(work),
        }
    }

    /// The longest that work takes whose reads are bounded by `reads`.
    ///
    /// # Errors
    /// Why there is no bound: its displaced lines wait for reads of others that have none.
    pub fn work(&self, copy: usize, alone: Alone, reads: &TaskReads) -> Result<WorkBound, Unknown> {
        let path = self.path_ps(copy);
        self.work_held(copy, alone, (reads, path), self.hold(copy, &[alone], path))
    }

    /// The longest that the core of a copy waits for lines that it displaced, if any of its work has some.
    fn hold(&self, copy: usize, all: &[Alone], path: Ps) -> Result<Ps, Unbounded> {
        let core = &self.setup().machine.core;
        if all.iter().all(|alone| alone.holds(core) == 0) {
            return Ok(0);
        }
        let before = self.before_drains(copy)?;
        Ok(longest_hold_ps(&self.setup().machine, &before, path))
    }

    fn work_held(
        &self,
        copy: usize,
        alone: Alone,
        (reads, path): (&TaskReads, Ps),
        hold: Result<Ps, Unbounded>,
    ) -> Result<WorkBound, Unknown> {
        let machine = &self.setup().machine;
        let hold = if alone.holds(&machine.core) == 0 { Ok(0) } else { hold };
        let by_budgets = |alone: &Alone| self.delay_by_budgets_ps(copy, alone, reads);
        let others = beside(machine, alone, (reads, path), hold, by_budgets).map_err(Unknown::Drains)?;
        let budgets_ps = self.budgets_ps(copy, &others.alone, reads, others.longest_ps);
        Ok(WorkBound {
            budgets_ps,
            longest_ps: others.longest_ps.saturating_add(budgets_ps),
            ..others
        })
    }

    /// Lines that a core has displaced and no controller has taken, at most.
    pub fn displaced_lines(&self) -> u64 {
        displaced_lines(self.setup().machine.core.mshrs).into()
    }

    /// From a copy's core to the farthest controller whose banks it may read, and back.
    pub(crate) fn path_ps(&self, copy: usize) -> Ps {
        let machine = &self.setup().machine;
        let topology = &machine.topology;
        let home = topology.node_of_core[self.setup().copies[copy].core as usize] as usize;
        let ways = self.nodes_of(copy).into_iter().map(|node| {
            let node = node as usize;
            topology.hop_latency[home][node] + topology.hop_latency[node][home]
        });
        path_ps(machine, ways.max().unwrap_or(0))
    }
}

/// The slot of a core in which it executes an instruction, rounded up to a picosecond.
pub(crate) fn slot_ps(machine: &Machine) -> Ps {
    let core = &machine.core;
    1_000_000u64.div_ceil(u64::from(core.mhz) * u64::from(core.issue_width))
}

/// How long a hit of the last-level cache takes at most.
pub(crate) fn hit_ps(machine: &Machine) -> Ps {
    let latency = machine.llc.as_ref().map_or(0, |llc| llc.cache.latency);
    latency + slot_ps(machine)
}

/// There, `ways` over links, to the next edge of the memory's clock, and the answer a cycle later.
pub(crate) fn path_ps(machine: &Machine, ways: Ps) -> Ps {
    let llc = machine.llc.as_ref().map_or(0, |llc| llc.cache.latency);
    llc + machine.memory.controller.frontend + ways + machine.memory.timing.clock.longest_ps(2)
}

/// The longest that work takes beside others, its own budget apart; its reads are bounded so, and take so long on the way. `hold` is the longest wait for a displaced line, `by_budgets` the delay by all that
/// others may move, if they have budgets.
///
/// # Errors
/// Why displaced lines wait without a bound, where no budgets bound the work.
pub(crate) fn beside(
    machine: &Machine,
    alone: Alone,
    (reads, path_ps): (&TaskReads, Ps),
    hold: Result<Ps, Unbounded>,
    by_budgets: impl FnOnce(&Alone) -> Option<Ps>,
) -> Result<WorkBound, Unbounded> {
    // It may begin and end at other edges of the core's clock.
    let cycle = 1_000_000u64.div_ceil(u64::from(machine.core.mhz));
    let alone = Alone {
        time_ps: alone.time_ps + cycle,
        ..alone
    };
    let edges_ps = alone.edges_ps(machine);
    let held = hold.map(|hold| alone.holds(&machine.core).saturating_mul(hold));
    let reads_ps = alone.delay_ps(machine, reads.longest_ps, path_ps);
    // What others may move at all costs less, or what they may have under way before each read.
    if let Some(delay) = by_budgets(&alone)
        && !held.is_ok_and(|held| reads_ps.saturating_add(held) <= delay)
    {
        return Ok(WorkBound {
            alone,
            reads_ps: delay,
            write_backs_ps: 0,
            hold_ps: 0,
            edges_ps,
            budgets_ps: 0,
            by_budgets: true,
            longest_ps: alone.time_ps.saturating_add(delay).saturating_add(edges_ps),
        });
    }
    let held = held?;
    let besides = held.saturating_add(edges_ps);
    let reads_ps = reads_ps.min(by_time_ps(machine, &alone, (reads, path_ps), besides).unwrap_or(Ps::MAX));
    Ok(WorkBound {
        alone,
        reads_ps,
        write_backs_ps: held,
        hold_ps: hold?,
        edges_ps,
        budgets_ps: 0,
        by_budgets: false,
        longest_ps: alone
            .time_ps
            .saturating_add(reads_ps)
            .saturating_add(held)
            .saturating_add(edges_ps),
    })
}

/// What reads add if refreshes are counted by time, not by reads; `None` if these take all of it.
///
/// A refresh delays all reads that are under way at once, so that the work is longer by what one of them is; and there is one in each interval.
fn by_time_ps(machine: &Machine, alone: &Alone, (reads, path_ps): (&TaskReads, Ps), besides: Ps) -> Option<Ps> {
    // Elastic refreshes are owed, and caught up in any interval.
    if machine.memory.controller.refresh == RefreshPolicy::Elastic {
        return None;
    }
    let clock = &machine.memory.timing.clock;
    let (every, each) = Costs::of_task(&Dram::of(machine), reads, machine.core.mshrs).refresh?;
    let (every, each) = (clock.to_ps(every), clock.longest_ps(each));
    let without = |bound: &ReadBound| clock.longest_ps(bound.total() - bound.refresh);
    let longest = reads.all.iter().map(|(_, bound)| without(bound)).max()?;
    let besides = alone.time_ps.saturating_add(besides);
    // The whole takes R = base + (R / every + 2) each at most.
    let base = u128::from(besides.saturating_add(alone.delay_ps(machine, longest, path_ps)));
    let left = every.checked_sub(each).filter(|left| *left > 0)?;
    let whole = (base + 2 * u128::from(each)) * u128::from(every) / u128::from(left) + 1;
    Ps::try_from(whole).ok().map(|whole| whole - besides)
}

/// The longest that a line which waits in a write-back buffer waits until a controller has taken it and its core knows, in picoseconds.
///
/// All lines that wait are taken before it. Each drain makes room for so many as lie between the buffer's size and the low watermark; it
/// comes once the reads have been served that waited when the one before ended, whoever's: `before` are all that there may be, with their bounds.
pub(crate) fn longest_hold_ps(machine: &Machine, before: &[(Crowd, ReadBound)], path_ps: Ps) -> Ps {
    let controller = &machine.memory.controller;
    let buffer = controller.queues.writes();
    let room = u64::from(buffer - controller.drain_low.min(buffer - 1));
    let clock = &machine.memory.timing.clock;
    let drains = before.iter().map(|(crowd, bound)| {
        let each = clock.longest_ps(bound.total().saturating_add(bound.drain));
        u64::from(crowd.waiting_writes).div_ceil(room).saturating_mul(each)
    });
    drains.max().unwrap_or(0).saturating_add(path_ps)
}
