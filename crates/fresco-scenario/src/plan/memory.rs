// SPDX-License-Identifier: MIT OR Apache-2.0
//! What planning needs to know of a machine's memory: ranks, retention, the length of a refresh. In nanoseconds.

use super::{Color, Plan, PlannedTask, RefreshPlan, Work};
use fresco_dram::{Cycle, Location, Organisation, PhysAddr, Timing};
use fresco_machine::{Machine, PagePolicy};
use fresco_rt::Time;
use fresco_rt::refresh::stall;
use serde::{Deserialize, Serialize};

/// Picoseconds in a nanosecond.
const PS_PER_NS: u64 = 1000;

/// The memory of a machine, as far as refresh is concerned. Ranks of the same number of all channels count as one:
/// they are refreshed at the same time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RankMemory {
    /// Density of a device, in Gbit.
    pub density_gbit: u32,
    /// Standard and speed grade.
    pub standard: String,
    /// K: ranks of a channel.
    pub ranks: u32,
    /// Banks of a rank.
    pub banks_per_rank: u32,
    /// Bytes in the ranks of one number, over all channels.
    pub rank_bytes: u64,
    /// Page size, in bytes.
    pub page_bytes: u64,
    /// tRET: no row may wait longer; rounded down.
    pub retention_ns: Time,
    /// REFab that refresh all rows of a rank: 8192, or a multiple in the fine-granularity modes.
    pub commands: Time,
    /// tRFC of a REFab; rounded up.
    pub trfc_ns: Time,
    /// tRFC of a REFpb; `None` where there is no such command.
    pub trfc_bank_ns: Option<Time>,
    /// REFpb that refresh all rows of a bank.
    pub bank_commands: Time,
    /// From the time at which a refresh is due until it begins, at most, in picoseconds: what a begun access still needs, tRP, and
    /// the commands of all ranks.
    pub close_ps: u64,
    /// tRCD, in picoseconds: what each row that was open and would have been hit costs after a refresh (E35).
    pub open_row_ps: u64,
    /// Rows that may be open in all ranks and channels: one in each bank, or, under the closed page, the one that is in use.
    pub open_rows: u64,
    /// Of these, those in which one page may lie; all of them where page tables are walked, whose rows are open beside the page's.
    pub page_rows: u64,
    /// Longest time between two REFab of a rank that the standard allows: so many may be postponed, and one.
    pub longest_gap_ns: Time,
}

impl RankMemory {
    /// That of a machine.
    pub fn of(machine: &Machine) -> Self {
        let (timing, org) = (&machine.memory.timing, &machine.memory.organisation);
        let up = |cycles: Cycle| timing.clock.to_ps(cycles).div_ceil(PS_PER_NS);
        let down = |cycles: Cycle| timing.clock.to_ps(cycles) / PS_PER_NS;
        let open_rows = match machine.memory.controller.page {
            PagePolicy::Closed => 1,
            PagePolicy::Open | PagePolicy::Adaptive { .. } => {
                u64::from(org.nodes) * u64::from(org.channels) * u64::from(org.banks_per_channel())
            }
        };
        Self {
            density_gbit: machine.memory.device.density_gbit,
            standard: timing.standard.clone(),
            ranks: org.ranks,
            banks_per_rank: org.banks_per_rank(),
            rank_bytes: org.total_bytes() / u64::from(org.ranks),
            page_bytes: machine.page_bytes,
            retention_ns: down(timing.refw),
            commands: timing.refreshes,
            trfc_ns: up(timing.rfc_ab),
            trfc_bank_ns: (timing.rfc_pb > 0).then(|| up(timing.rfc_pb)),
            bank_commands: timing.bank_refreshes,
            close_ps: timing.clock.to_ps(closing(timing, org)),
            open_row_ps: timing.clock.to_ps(timing.rcd),
            open_rows,
            page_rows: match machine.core.tlb {
                Some(_) => open_rows,
                None => open_rows.min(banks_of_page(machine)),
            },
            longest_gap_ns: longest_gap(timing),
        }
    }

    /// What a refresh of all ranks takes from a core on which these tasks run, at most (E35).
    pub fn stall_ns<'t>(&self, tasks: impl IntoIterator<Item = (u64, &'t Work)>) -> Time {
        stall(self.trfc_ns, self.close_ps, self.open_row_ps, self.rows_of(tasks))
    }

    /// Rows that tasks, given by bytes and work, may keep open. What a program names as its memory may begin many pages in part: it
    /// counts as all of them.
    fn rows_of<'t>(&self, tasks: impl IntoIterator<Item = (u64, &'t Work)>) -> u64 {
        let rows = |(bytes, work): (u64, &Work)| match work {
            Work::Synthetic => bytes.div_ceil(self.page_bytes.max(1)).saturating_mul(self.page_rows),
            Work::Program { .. } => self.open_rows,
        };
        let all = tasks.into_iter().map(rows).fold(0, u64::saturating_add);
        all.min(self.open_rows)
    }

    /// δ: all REFab of a rank back to back.
    pub fn burst_ns(&self) -> Time {
        self.commands.saturating_mul(self.trfc_ns)
    }
}

/// (postponable + 1) tREFI, with tREFI as the exact part of the retention time.
fn longest_gap(timing: &Timing) -> Time {
    let retention = u128::from(timing.clock.to_ps(timing.refw)) * u128::from(timing.postponable + 1);
    let gap = retention / u128::from(timing.refreshes.max(1)) / u128::from(PS_PER_NS);
    Time::try_from(gap).unwrap_or(Time::MAX)
}

impl Plan {
    /// What it takes the tasks of a core, at most, to open their rows again after a refresh of their color that a window hides (E35); 0
    /// where no row stays open, or where the controller refreshes by itself.
    pub fn reopening_ns(&self) -> Time {
        let memory = &self.memory;
        if memory.open_rows <= 1 || !matches!(self.refresh, RefreshPlan::Windows { .. }) {
            return 0;
        }
        let of_color = |(number, color): (usize, &Color)| {
            let inside = |task: &&PlannedTask| task.instances.iter().any(|bytes| bytes.get(number) > Some(&0));
            let tasks = self.tasks.iter().filter(inside);
            let rows = memory.rows_of(tasks.map(|task| (task.memory_bytes, &task.work)));
            let there = memory.open_rows / u64::from(memory.ranks.max(1)) * color.ranks.len() as u64;
            rows.min(there)
        };
        let rows = self.colors.iter().enumerate().map(of_color).max().unwrap_or(0);
        stall(0, 0, memory.open_row_ps, rows)
    }

    /// What the proofs count on of the rows that hidden refreshes close; `None` if they close none.
    pub fn about_reopening(&self) -> Option<String> {
        let cost = self.reopening_ns();
        (cost > 0).then(|| {
            format!(
                "WCETs contain the rows that a job has to open again after refreshes of its color, which close them: up to {cost} ns for \
                 the tasks of a color after each of its bursts or segments (E35)"
            )
        })
    }
}

/// Cycles from the time at which refreshes of all ranks are due until the last of them begins. A begun request ends first: PRE may have
/// been its last command, then come ACT and its column command, and the time from there to PRE. Requests before it take their
/// time with or without refresh. Then each rank has a PREA, tRP, and its REFab.
fn closing(timing: &Timing, org: &Organisation) -> Cycle {
    let read = timing.rcd + (timing.bursts_of_line(org) - 1) * timing.ccd_l + timing.rtp;
    let write = timing.rcd + timing.write_data(org) + timing.wr;
    let begun = timing.rp + timing.ras.max(read).max(write);
    begun + timing.rp_ab.max(timing.rp) + 2 * u64::from(org.ranks) * timing.pre_slots
}

/// Banks in which the lines of one page lie. Maps are linear but for odd numbers of channels: any page has as many, or no more than it
/// has lines.
fn banks_of_page(machine: &Machine) -> u64 {
    let (map, org) = (&machine.memory.map, &machine.memory.organisation);
    let line = machine.memory.timing.bytes_of_line(org).max(1);
    let lines = machine.page_bytes / line;
    if org.odd_ways() > 1 {
        return lines;
    }
    let first = map.regions().first().map_or(0, |region| region.base);
    let place = |line_number: u64| map.decode(PhysAddr(first + line_number * line));
    let mut banks: Vec<_> = (0..lines).filter_map(place).map(|at| bank(org, &at)).collect();
    banks.sort_unstable();
    banks.dedup();
    banks.len() as u64
}

/// The bank of a place, told apart from all others.
fn bank(org: &Organisation, at: &Location) -> (u32, u32, u32, u32) {
    (at.node, at.channel, at.rank, at.bank_group * org.banks + at.bank)
}
