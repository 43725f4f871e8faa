// SPDX-License-Identifier: MIT OR Apache-2.0
//! How long a task's work takes at most: what it did alone, each of its reads replaced by the longest.
//!
//! Work is a job, or the measured phase of a task without jobs. Alone, in the same partition, it took `time`, of which its reads spent `in_memory` in
//! controllers. If a read that takes longer by some time makes the work longer by no more than that, work with others takes at most
//! `time - in_memory + reads * longest`.
//!
//! Of reads that overlap that is too much. If what begins when others have ended begins later by no more than the latest of these, a read is late by as much
//! as `longest - shortest` for each read of the longest chain up to it, in which each was sent when the one before had ended. So no work takes longer than
//! `time + chain * (longest - shortest)`.

use crate::crowd::write_back_entries;
use crate::traffic::Costs;
use crate::{Crowd, Dram, ReadBound, Sources, TaskReads, Unbounded, Unknown};
use fresco_dram::Ps;
use fresco_machine::{Machine, RefreshPolicy};
use serde::Serialize;

/// What work was alone in its partition, without budgets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Alone {
    /// Time that it had the core, in picoseconds.
    pub time_ps: Ps,
    /// Lines that it read from memory.
    pub reads: u64,
    /// Time of these in controllers, in sum, in picoseconds.
    pub in_memory_ps: Ps,
    /// The most of these of which each was sent when the data of the one before had arrived.
    pub chain: u64,
    /// The least time that one of these was in a controller, in picoseconds.
    pub shortest_ps: Ps,
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
    /// The longest of these waits; 0 without any.
    pub hold_ps: Ps,
    /// Periods in which its budget is used up, and interrupts of the regulation.
    pub budgets_ps: Ps,
    /// Others are bounded by what their budgets let them move, not by what they may have under way.
    pub by_budgets: bool,
    /// Everything.
    pub longest_ps: Ps,
}

impl Alone {
    /// How often misses wait, one or several at once, for displaced lines of their core, which has so many miss registers.
    ///
    /// When a miss begins to wait all entries of the write-back buffer are taken. The longest wait later all these lines have left, so that the next miss
    /// waits for as many that have been displaced since.
    fn holds(&self, mshrs: u32) -> u64 {
        let fills = self.write_backs / u64::from(write_back_entries(mshrs)) + 1;
        fills.min(self.chain).min(self.write_backs)
    }

    /// What reads add that take `longest_ps` each at most.
    fn delay_ps(&self, longest_ps: Ps) -> Ps {
        let of_each = self.reads.saturating_mul(longest_ps).saturating_sub(self.in_memory_ps);
        of_each.min(self.chain.saturating_mul(longest_ps.saturating_sub(self.shortest_ps)))
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
        let hold = self.hold(copy, all, reads);
        let works: Vec<WorkBound> = all
            .iter()
            .map(|alone| self.work_held(copy, *alone, reads, hold))
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
        self.work_held(copy, alone, reads, self.hold(copy, &[alone], reads))
    }

    /// The longest that a miss of a copy waits for displaced lines of its core, if any of its work has some.
    fn hold(&self, copy: usize, all: &[Alone], reads: &TaskReads) -> Result<Ps, Unbounded> {
        if all.iter().all(|alone| alone.write_backs == 0) {
            return Ok(0);
        }
        let before = self.before_drains(copy)?;
        let path = self.path_ps(copy, reads);
        Ok(longest_hold_ps(&self.setup().machine, &before, path))
    }

    fn work_held(
        &self,
        copy: usize,
        alone: Alone,
        reads: &TaskReads,
        hold: Result<Ps, Unbounded>,
    ) -> Result<WorkBound, Unknown> {
        let machine = &self.setup().machine;
        let hold = if alone.write_backs == 0 { Ok(0) } else { hold };
        let by_budgets = |alone: &Alone| self.delay_by_budgets_ps(copy, alone, reads);
        let others = beside(machine, alone, reads, hold, by_budgets).map_err(Unknown::Drains)?;
        let budgets_ps = self.budgets_ps(copy, &others.alone, reads, others.longest_ps);
        Ok(WorkBound {
            budgets_ps,
            longest_ps: others.longest_ps.saturating_add(budgets_ps),
            ..others
        })
    }

    /// From a copy's core to the controller of `reads` and back.
    pub(crate) fn path_ps(&self, copy: usize, reads: &TaskReads) -> Ps {
        let machine = &self.setup().machine;
        let topology = &machine.topology;
        let home = topology.node_of_core[self.setup().copies[copy].core as usize] as usize;
        let node = reads.node as usize;
        path_ps(
            machine,
            topology.hop_latency[home][node] + topology.hop_latency[node][home],
        )
    }
}

/// There, `ways` over links, to the next edge of the memory's clock, and the answer a cycle later.
pub(crate) fn path_ps(machine: &Machine, ways: Ps) -> Ps {
    let llc = machine.llc.as_ref().map_or(0, |llc| llc.cache.latency);
    llc + machine.memory.controller.frontend + ways + machine.memory.timing.clock.longest_ps(2)
}

/// The longest that work takes beside others, its own budget apart; `hold` is the longest wait for a displaced line, `by_budgets` the delay by all that
/// others may move, if they have budgets.
///
/// # Errors
/// Why displaced lines wait without a bound, where no budgets bound the work.
pub(crate) fn beside(
    machine: &Machine,
    alone: Alone,
    reads: &TaskReads,
    hold: Result<Ps, Unbounded>,
    by_budgets: impl FnOnce(&Alone) -> Option<Ps>,
) -> Result<WorkBound, Unbounded> {
    // It may begin and end at other edges of the core's clock.
    let cycle = 1_000_000u64.div_ceil(u64::from(machine.core.mhz));
    let alone = Alone {
        time_ps: alone.time_ps + cycle,
        ..alone
    };
    let held = hold.map(|hold| alone.holds(machine.core.mshrs).saturating_mul(hold));
    let reads_ps = alone.delay_ps(reads.longest_ps);
    // What others may move at all costs less, or what they may have under way before each read.
    if let Some(delay) = by_budgets(&alone)
        && !held.is_ok_and(|held| reads_ps.saturating_add(held) <= delay)
    {
        return Ok(WorkBound {
            alone,
            reads_ps: delay,
            write_backs_ps: 0,
            hold_ps: 0,
            budgets_ps: 0,
            by_budgets: true,
            longest_ps: alone.time_ps.saturating_add(delay),
        });
    }
    let held = held?;
    let reads_ps = reads_ps.min(by_time_ps(machine, &alone, reads, held).unwrap_or(Ps::MAX));
    Ok(WorkBound {
        alone,
        reads_ps,
        write_backs_ps: held,
        hold_ps: hold?,
        budgets_ps: 0,
        by_budgets: false,
        longest_ps: alone.time_ps.saturating_add(reads_ps).saturating_add(held),
    })
}

/// What reads add if refreshes are counted by time, not by reads; `None` if these take all of it.
///
/// A refresh delays all reads that are under way at once, so that the work is longer by what one of them is; and there is one in each interval.
fn by_time_ps(machine: &Machine, alone: &Alone, reads: &TaskReads, held: Ps) -> Option<Ps> {
    // Elastic refreshes are owed, and caught up in any interval.
    if machine.memory.controller.refresh == RefreshPolicy::Elastic {
        return None;
    }
    let clock = &machine.memory.timing.clock;
    let (every, each) = Costs::of_task(&Dram::of(machine), reads, machine.core.mshrs).refresh?;
    let (every, each) = (clock.to_ps(every), clock.longest_ps(each));
    let without = |bound: &ReadBound| clock.longest_ps(bound.total() - bound.refresh);
    let longest = reads.all.iter().map(|(_, bound)| without(bound)).max()?;
    let besides = alone.time_ps.saturating_add(held);
    // The whole takes R = base + (R / every + 2) each at most.
    let base = u128::from(besides.saturating_add(alone.delay_ps(longest)));
    let left = every.checked_sub(each).filter(|left| *left > 0)?;
    let whole = (base + 2 * u128::from(each)) * u128::from(every) / u128::from(left) + 1;
    Ps::try_from(whole).ok().map(|whole| whole - besides)
}

/// The longest that a miss waits until a line that its core displaced before has been taken by a controller, in picoseconds.
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
