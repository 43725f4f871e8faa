// SPDX-License-Identifier: MIT OR Apache-2.0
//! When ranks are refreshed, and whether every row is in time.

use super::conduct::Conduct;
use super::plan::{Plan, Refresh, Window};
use super::{Harm, bit};

/// A run of refresh commands: when it begins, when it ends, and how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    pub start: i64,
    pub end: i64,
    pub commands: u64,
}

/// The runs of some windows of a plan, one after the other, from any turn of their period on.
pub struct Runs<'p> {
    plan: &'p Plan,
    conduct: &'p Conduct,
    period: i64,
    /// By start, each with its number in the plan.
    windows: Vec<(usize, &'p Window)>,
    turn: i64,
    next: usize,
    free: i64,
}

impl<'p> Runs<'p> {
    /// Those that refresh any of `ranks`; `None` without windows.
    pub fn of(plan: &'p Plan, conduct: &'p Conduct, ranks: u64, from_turn: i64) -> Option<Self> {
        let Refresh::Windows { period_ns, windows } = &plan.refresh else {
            return None;
        };
        let mut own: Vec<_> = windows
            .iter()
            .enumerate()
            .filter(|(_, window)| window.commands > 0 && plan.ranks_of(window.color) & ranks != 0)
            .collect();
        own.sort_by_key(|(_, window)| window.start_ns);
        if own.is_empty() {
            return None;
        }
        Some(Self {
            plan,
            conduct,
            period: *period_ns as i64,
            windows: own,
            turn: from_turn,
            next: 0,
            free: i64::MIN,
        })
    }

    /// The next run. A rank that is busy begins when it is free.
    pub fn step(&mut self) -> Run {
        let (number, window) = self.windows[self.next];
        let planned = self.turn * self.period + window.start_ns as i64;
        let start = (planned + self.conduct.lateness(self.plan, number, planned)).max(self.free);
        let end = start + (window.commands * self.plan.memory.trfc_ns) as i64;
        self.free = end;
        self.next += 1;
        if self.next == self.windows.len() {
            (self.next, self.turn) = (0, self.turn + 1);
        }
        Run {
            start,
            end,
            commands: window.commands,
        }
    }
}

/// Whether the memory of `ranks` is refreshed at times that are asked for in their order.
pub struct Busy<'p> {
    runs: Runs<'p>,
    now: Run,
    pub ranks: u64,
}

impl<'p> Busy<'p> {
    pub fn of(plan: &'p Plan, conduct: &'p Conduct, ranks: u64) -> Option<Self> {
        // A window of the turn before may reach into the first.
        let mut runs = Runs::of(plan, conduct, ranks, -2)?;
        Some(Self {
            now: runs.step(),
            runs,
            ranks,
        })
    }

    /// The first instant of `[from, to)` at which it is.
    pub fn meets(&mut self, from: u64, to: u64) -> Option<u64> {
        let (from, to) = (from as i64, to as i64);
        while self.now.end <= from {
            self.now = self.runs.step();
        }
        (self.now.start < to).then_some(self.now.start.max(from) as u64)
    }
}

/// Looks at every row of every rank, from a retention time of ordinary refresh before the plan is switched on, for `turns` retention
/// times after. A device counts its commands, and each refreshes the rows that come next.
pub fn rows(plan: &Plan, conduct: &Conduct, turns: u64) -> Option<Harm> {
    let Refresh::Windows { windows, .. } = &plan.refresh else {
        return None;
    };
    let (retention, bins) = (plan.memory.retention_ns as i64, plan.memory.commands as i64);
    let mut seen = Vec::new();
    for rank in 0..plan.memory.ranks {
        // Ranks of the same windows are refreshed alike.
        let own: Vec<usize> = (0..windows.len())
            .filter(|&number| plan.ranks_of(windows[number].color) & bit(rank as usize) != 0)
            .collect();
        if seen.contains(&own) {
            continue;
        }
        let Some(mut runs) = Runs::of(plan, conduct, bit(rank as usize), 0) else {
            return Some(Harm::Row {
                rank,
                from: 0,
                to: None,
            });
        };
        seen.push(own);
        let mut run = runs.step();
        let mut last: Vec<i64> = vec![-retention; bins as usize];
        let mut count = 0;
        let mut command = |at: i64| {
            let row = &mut last[(count % bins) as usize];
            let waited = at - *row;
            let before = std::mem::replace(row, at);
            count += 1;
            (waited > retention).then_some(Harm::Row {
                rank,
                from: before,
                to: Some(at),
            })
        };
        // The rank is refreshed as usual until its first window begins. One refresh that would not be over by then comes earlier.
        let trfc = plan.memory.trfc_ns as i64;
        let usual = (0..).map(|i: i64| (i128::from(i) * i128::from(retention) / i128::from(bins)) as i64 - retention);
        for at in usual.take_while(|&at| at < run.start) {
            if let Some(harm) = command(at.min(run.start - trfc)) {
                return Some(harm);
            }
        }
        let end = turns as i64 * retention;
        while run.start < end {
            for k in 0..run.commands as i64 {
                if let Some(harm) = command(run.start + k * trfc) {
                    return Some(harm);
                }
            }
            run = runs.step();
        }
        // Rows that nobody refreshes any more.
        if let Some(&row) = last.iter().min()
            && end - row > retention
        {
            return Some(Harm::Row {
                rank,
                from: row,
                to: None,
            });
        }
    }
    None
}
