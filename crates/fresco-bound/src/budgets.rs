// SPDX-License-Identifier: MIT OR Apache-2.0
//! What budgets of bandwidth mean for work: those of the others bound what these move, its own makes it wait.

use crate::traffic::Costs;
use crate::{Alone, Dram, Sources, TaskReads};
use fresco_dram::Ps;
use fresco_machine::{Machine, RefreshPolicy};
use fresco_scenario::budgets::Share;
use std::collections::BTreeSet;

impl Sources<'_> {
    /// The budget of the copy's core, in lines of each period.
    pub(crate) fn own_lines(&self, copy: usize) -> Option<u64> {
        let setup = self.setup();
        let core = setup.copies[copy].core;
        setup.bandwidth.as_ref()?.nodes.iter().find_map(|node| {
            let at = node.cores.iter().position(|of| *of == core)?;
            Some(node.settings.reservations[at].lines)
        })
    }

    /// What an interrupt of the regulation takes.
    pub(crate) fn interrupt_ps(&self) -> Ps {
        let setup = self.setup();
        let cycles = setup.bandwidth.as_ref().map_or(0, |budgets| budgets.interrupt_cycles);
        cycles * 1_000_000 / u64::from(setup.machine.core.mhz)
    }

    /// What the budget of the copy's core adds to work that takes `base` without.
    pub(crate) fn budgets_ps(&self, copy: usize, alone: &Alone, reads: &TaskReads, base: Ps) -> Ps {
        let setup = self.setup();
        let Some((budgets, lines)) = setup.bandwidth.as_ref().zip(self.own_lines(copy)) else {
            return 0;
        };
        let used = alone.reads
            + if budgets.count_write_backs {
                alone.write_backs
            } else {
                0
            };
        // A period in which the budget is used up costs the rest of it, a period at most. Of the first one what the core did before may have used all but a line.
        let stalled = (used / lines.max(1) + 1).saturating_mul(budgets.period);
        let interrupt = self.interrupt_ps();
        // The timer's, and one for a budget that is used up; each lets the core first end what is under way.
        let of_period = 2 * (interrupt + reads.longest_ps);
        let work = base.saturating_add(stalled);
        let interrupts = interrupts_ps(work, of_period, budgets.period);
        stalled.saturating_add(interrupts)
    }

    /// Lines that all other cores may move in each period: their budgets, and what is under way when one is used up. `None` if a core has no budget,
    /// or goes on beyond it.
    pub(crate) fn lines_of_others(&self, copy: usize) -> Option<u64> {
        let setup = self.setup();
        let own = setup.copies[copy].core;
        let others: BTreeSet<u32> = setup
            .copies
            .iter()
            .map(|copy| copy.core)
            .filter(|core| *core != own)
            .collect();
        let of_core = |core: u32| {
            setup.bandwidth.as_ref()?.nodes.iter().find_map(|node| {
                let at = node.cores.iter().position(|of| *of == core)?;
                matches!(node.settings.share, Share::None).then(|| node.settings.reservations[at].lines)
            })
        };
        let mut lines = 0u64;
        for core in others {
            lines += of_core(core)? + lines_under_way(&setup.machine, self.somebody_writes());
        }
        Some(lines)
    }

    /// What all lines that others may move by their budgets add to work; `None` if somebody has no budget that holds, or there is no end to it.
    pub(crate) fn delay_by_budgets_ps(&self, copy: usize, alone: &Alone, reads: &TaskReads) -> Option<Ps> {
        let setup = self.setup();
        let machine = &setup.machine;
        let budgets = setup.bandwidth.as_ref()?;
        let writes = reads.all.iter().any(|(crowd, _)| crowd.waiting_writes > 0);
        let is_held = budgets.count_write_backs || !writes;
        if !is_held || budgets.reclaim() || setup.agents.iter().any(|agent| agent.enabled) {
            return None;
        }
        delay_ps(machine, alone, reads, self.lines_of_others(copy)?, budgets.period)
    }
}

/// Lines that the misses of a core move at most which are under way when its budget is used up, if `writes` says that somebody writes: each reads one, and
/// each of three levels of caches may displace a dirty one for it.
pub fn lines_under_way(machine: &Machine, writes: bool) -> u64 {
    u64::from(machine.core.mshrs) * if writes { 4 } else { 1 }
}

/// What `lines` that others may move in each period add to work; `None` if there is no end to it.
///
/// A core that is out of order goes on with what is in its window when its budget is used up, one miss after the other: what it moves is not known. Nor is what an
/// access moves that walks page tables first.
pub(crate) fn delay_ps(machine: &Machine, alone: &Alone, reads: &TaskReads, lines: u64, period: Ps) -> Option<Ps> {
    if machine.core.window > 1
        || machine.core.tlb.is_some()
        || machine.memory.controller.refresh == RefreshPolicy::Elastic
    {
        return None;
    }
    let writes = reads.all.iter().any(|(crowd, _)| crowd.waiting_writes > 0);
    let clock = &machine.memory.timing.clock;
    let costs = Costs::of_task(&Dram::of(machine), reads, machine.core.mshrs);
    let line = clock.longest_ps(if writes {
        costs.read.max(costs.write)
    } else {
        costs.read
    });
    let turns = if writes { clock.longest_ps(costs.turns) } else { 0 };
    // Alone a read may have found its row open, or its line in the write buffer.
    let service = clock.longest_ps(costs.service);
    let own_read = clock.longest_ps(costs.own_read) + service.saturating_sub(alone.shortest_ps);
    // Its own displaced lines, and those that wait when it begins, may be written while it waits.
    let written = if writes {
        alone.write_backs.saturating_add(costs.waiting)
    } else {
        0
    };
    let own = alone
        .reads
        .saturating_mul(own_read)
        .saturating_add(written.saturating_mul(clock.longest_ps(costs.write)));
    let mut delay = own;
    for _ in 0..1000 {
        let time = alone.time_ps.saturating_add(delay);
        let moved = (time / period + 2).saturating_mul(lines);
        let refreshes = costs.refresh.map_or(0, |(every, each)| {
            (delay / clock.to_ps(every).max(1) + 1).saturating_mul(clock.longest_ps(each))
        });
        let next = own
            .saturating_add(moved.saturating_mul(line))
            .saturating_add(moved.saturating_add(written).min(alone.reads).saturating_mul(turns))
            .saturating_add(refreshes);
        if next == delay {
            return Some(delay);
        }
        if next > LONGEST {
            return None;
        }
        delay = next;
    }
    None
}

/// What interrupts add to work that takes `base` without, if each period has `of_period` of them.
///
/// Periods that begin while it runs, and those at its ends: R = base + (R / P + 2) of_period, solved for R.
pub(crate) fn interrupts_ps(base: Ps, of_period: Ps, period: Ps) -> Ps {
    if of_period >= period {
        return Ps::MAX;
    }
    let work = u128::from(base) + 2 * u128::from(of_period);
    let total = work * u128::from(period) / u128::from(period - of_period) + 1;
    Ps::try_from(total).unwrap_or(Ps::MAX).saturating_sub(base)
}

/// Longer delays are none that anybody waits for: a hundred seconds.
const LONGEST: Ps = 100_000_000_000_000;
