// SPDX-License-Identifier: MIT OR Apache-2.0
//! What commands of other banks cost on what they share: command bus, rank, data bus. All in cycles.

use crate::{Crowd, Dram};
use fresco_dram::{Cycle, Timing};
use fresco_machine::{PagePolicy, Scheduler};

/// The costs, for one crowd.
#[derive(Clone, Debug)]
pub(crate) struct Distances {
    /// Column commands of a line.
    pub bursts: Cycle,
    /// A column command of an older write, or of the write itself, comes at most so long after the one before it, or after it could go.
    pub write_column: Cycle,
    /// While any read can go, the next column command, whoever's it is, comes so long after the one before it at most …
    pub any_column: Cycle,
    /// … and while any write can.
    pub any_write_column: Cycle,
    /// What rows that are closed as nobody wants them cost a request at most; 0 with the open page.
    pub idle_precharge: Cycle,
    /// Rows are closed that nobody wants: what that costs a read that nobody else keeps waiting; 0 with the open page.
    pub idle_before: Cycle,
    /// A row command that could go waits so long at most for younger requests and column commands.
    pub row_command: Cycle,
    /// … a PRE …
    pub precharge: Cycle,
    /// … and so much longer for each PRE …
    pub older_precharge: Cycle,
    /// … and each ACT of another rank.
    pub older_act: Cycle,
    act: Act,
    /// Those that one of the bank itself waits for.
    own_act: Act,
}

/// Activations of a rank.
#[derive(Clone, Copy, Debug)]
struct Act {
    same_group: Cycle,
    other_group: Cycle,
    window: Cycle,
    each: Cycle,
}

/// From the last of the commands that it must follow until a command goes that is the oldest of those that wait. Commands of other groups,
/// which must wait for `other` only, may go before it while it waits for `same`, but not in the cycle in which it could go.
pub(crate) fn after(same: Cycle, other: Cycle) -> Cycle {
    if same > other { same + other - 1 } else { same }
}

/// A command that has begun is not taken back: a column command that could go waits so long at most.
pub(crate) fn begun(t: &Timing) -> Cycle {
    if t.column_bus {
        0
    } else {
        t.act_slots.max(t.pre_slots).max(t.column_slots) - 1
    }
}

impl Distances {
    pub fn new(dram: &Dram<'_>, crowd: &Crowd) -> Self {
        let t = dram.timing;
        let row_slots = t.act_slots.max(t.pre_slots);
        // A column command goes before row commands of the same cycle.
        let begun = begun(t);
        let column_before = if t.column_bus { 0 } else { t.column_slots };
        let row_begun = if t.column_bus { row_slots - 1 } else { begun };
        let bursts = t.bursts_of_line(dram.organisation);
        // A read whose row was opened within the window is still under way: with four of them there is no fifth ACT that it could hold back.
        let fits_the_window = crowd.of_rank <= 4 && !crowd.writes() && t.faw <= t.rcd + t.read_data(dram.organisation);
        let row_command = row_begun + column_before;
        let act = Act {
            same_group: t.rrd_l,
            other_group: t.rrd_s,
            window: if fits_the_window { 0 } else { t.faw },
            each: row_command,
        };
        Self {
            bursts,
            write_column: column(dram, crowd, t.ccd_l_wr),
            any_column: any_column(t, crowd, t.ccd_l, begun),
            any_write_column: any_column(t, crowd, t.ccd_l_wr, begun),
            idle_precharge: match dram.controller.page {
                PagePolicy::Open => 0,
                PagePolicy::Closed | PagePolicy::Adaptive { .. } => row_command + t.ppd.max(t.pre_slots) + row_slots,
            },
            idle_before: match dram.controller.page {
                PagePolicy::Open => 0,
                // A PRE just before its own, and one begun before each of its other commands.
                PagePolicy::Closed | PagePolicy::Adaptive { .. } => 3 * row_command + t.ppd.max(1) - 1,
            },
            row_command,
            precharge: row_command + t.ppd.max(1) - 1,
            older_precharge: t.ppd.max(t.pre_slots) + column_before,
            older_act: t.act_slots + column_before,
            act,
            own_act: Act {
                // Of its group is nobody else, and ACTs of its own bank are further apart.
                same_group: if crowd.of_group == crowd.of_bank {
                    t.rrd_s
                } else {
                    t.rrd_l
                },
                ..act
            },
        }
    }

    /// When the `n`-th ACT (from 1) of those that wait in a rank has gone at the latest, oldest first, in cycles after they could all go if nothing
    /// had been activated before.
    pub fn acts(&self, n: u32) -> Cycle {
        self.act.nth(n)
    }

    /// How much longer the wait of an ACT becomes at most for one older.
    pub fn act_more(&self) -> Cycle {
        self.act.more()
    }

    /// The same as [`acts`](Self::acts) and [`act_more`](Self::act_more) of ACTs that one of the bank itself waits for.
    pub fn own_acts(&self, n: u32) -> Cycle {
        self.own_act.nth(n)
    }

    /// See [`own_acts`](Self::own_acts).
    pub fn own_act_more(&self) -> Cycle {
        self.own_act.more()
    }
}

impl Act {
    fn more(&self) -> Cycle {
        let each = after(self.same_group, self.other_group);
        each.max(self.window.div_ceil(self.back())) + self.each
    }

    /// So many ACTs of older requests lie between two that are four apart, at least.
    fn back(&self) -> Cycle {
        if self.same_group > self.other_group { 2 } else { 4 }
    }

    fn nth(&self, n: u32) -> Cycle {
        let each = after(self.same_group, self.other_group);
        let back = self.back() as usize;
        // The last ACT before the first of them: a younger one may have gone while the group waited.
        let last = if back == 2 { self.same_group - 1 } else { 0 };
        // From here on one cycle more than the cycles after: the last ACT was at -1 at the latest.
        let mut at: Vec<Cycle> = Vec::with_capacity(n as usize);
        for i in 0..n as usize {
            let next_to = if i == 0 { each } else { at[i - 1] + each };
            let fourth = match i.checked_sub(back) {
                Some(before) => at[before] + self.window,
                // Of those before the first, which lie `other_group` apart.
                None => {
                    let older = if back == 2 { 3 - 2 * i as Cycle } else { 3 - i as Cycle };
                    (last + self.window).saturating_sub(older * self.other_group)
                }
            };
            at.push(next_to.max(fourth) + self.each);
        }
        at.last().map_or(0, |at| at - 1)
    }
}

/// See [`Distances::any_column`].
fn any_column(t: &Timing, crowd: &Crowd, same_group: Cycle, begun: Cycle) -> Cycle {
    let across = if crowd.ranks > 1 { t.burst() + t.rtrs } else { 0 };
    after(same_group, t.ccd_s).max(across) + begun
}

/// A column command of an older request, or of the request itself, comes at most so long after the one before it, or after it could go; those within
/// a bank group are `same_group` apart.
pub(crate) fn column(dram: &Dram<'_>, crowd: &Crowd, same_group: Cycle) -> Cycle {
    let t = dram.timing;
    let begun = begun(t);
    let within = after(same_group, t.ccd_s);
    if crowd.ranks == 1 {
        return within + begun;
    }
    let across = t.burst() + t.rtrs;
    match dram.controller.scheduler {
        // In order: nothing goes between.
        Scheduler::Fcfs => same_group.max(across) + begun,
        // Lines of the rank that has the bus go on until it is handed over, again while an older request of it waits for tRCD.
        Scheduler::FrFcfs { hit_cap } => {
            let lines = u64::from(hit_cap.max(1)) * t.bursts_of_line(dram.organisation);
            (lines + 1)
                .saturating_mul(within.max(across) + begun)
                .saturating_add(t.rcd)
        }
    }
}

/// From a column command, of a write if `written`, to the first one of another row of the bank.
pub(crate) fn row_cycle(t: &Timing, written: bool) -> Cycle {
    (until_precharge(t, written) + t.rp).max(t.rc.saturating_sub(t.rcd)) + t.rcd
}

/// From a row command of a bank, or its last column command, until its PRE may go: whatever was read there, or written.
pub(crate) fn until_precharge(t: &Timing, written: bool) -> Cycle {
    let read = t.rtp.max(t.ras.saturating_sub(t.rcd));
    let written = if written { t.cwl + t.burst() + t.wr } else { 0 };
    read.max(written)
}
