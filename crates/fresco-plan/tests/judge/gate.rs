// SPDX-License-Identifier: MIT OR Apache-2.0
//! When a core is whose: in which colors jobs may run on it, span after span.

use super::bit;
use super::conduct::Conduct;
use super::plan::{Locks, Ns, Plan, Schedule};

/// A span in which the same colors may run; the spans of a core leave no gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grant {
    pub start: Ns,
    pub end: Ns,
    /// A bit for each color that may run; of memory without colors bit 0.
    pub colors: u64,
}

/// The spans of a core, from time 0 on.
pub enum Gate<'p> {
    /// Spans that repeat.
    Cycle {
        grants: Vec<Grant>,
        length: Ns,
        next: usize,
        base: Ns,
    },
    /// Servers in the time that locks leave.
    Servers(Box<ServerGate<'p>>),
    /// All of the time but for refreshes of all ranks.
    Refreshed {
        plan: &'p Plan,
        conduct: &'p Conduct,
        cost: Ns,
        offset: Ns,
        number: u64,
        now: Ns,
        stalled: bool,
    },
}

/// A server's rules and what it has.
struct Budget {
    color: usize,
    period: Ns,
    budget: Ns,
    left: Ns,
    renewed: Ns,
}

pub struct ServerGate<'p> {
    under: Gate<'p>,
    span: Grant,
    now: Ns,
    servers: Vec<Budget>,
}

impl<'p> Gate<'p> {
    /// The spans of a core; `None` for schedules that have none.
    pub fn of(plan: &'p Plan, conduct: &'p Conduct, core: usize) -> Option<Self> {
        match &plan.schedule {
            Schedule::Priorities => Some(Self::Refreshed {
                plan,
                conduct,
                cost: stall(plan, core),
                offset: match conduct.seed {
                    0 => 0,
                    _ => conduct.below(plan.memory.retention_ns / plan.memory.commands.max(1) + 1, [4, 0, 0]),
                },
                number: 0,
                now: 0,
                stalled: false,
            }),
            Schedule::Locked { locks } => Some(Self::cycle(under_locks(locks), locks.period_ns)),
            Schedule::Servers { locks, cores } => {
                let servers = cores[core].servers.iter().map(|server| Budget {
                    color: server.color,
                    period: server.period_ns,
                    budget: server.budget_ns,
                    left: server.budget_ns,
                    renewed: server.period_ns,
                });
                let mut under = Self::cycle(under_locks(locks), locks.period_ns);
                Some(Self::Servers(Box::new(ServerGate {
                    span: under.step(),
                    under,
                    now: 0,
                    servers: servers.collect(),
                })))
            }
            Schedule::Slots {
                period_ns,
                handler_ns,
                cores,
            } => {
                let border = cores[core].border_ns;
                let parts = [(*handler_ns, 0), (border, 1), (border + handler_ns, 0), (*period_ns, 2)];
                let mut grants = Vec::new();
                let mut start = 0;
                for (end, colors) in parts {
                    if start < end {
                        grants.push(Grant { start, end, colors });
                    }
                    start = start.max(end);
                }
                Some(Self::cycle(grants, *period_ns))
            }
            Schedule::Table { .. } | Schedule::Fair {} => None,
        }
    }

    fn cycle(grants: Vec<Grant>, length: Ns) -> Self {
        Self::Cycle {
            grants,
            length,
            next: 0,
            base: 0,
        }
    }

    /// The next span.
    pub fn step(&mut self) -> Grant {
        match self {
            Self::Cycle {
                grants,
                length,
                next,
                base,
            } => {
                let Grant { start, end, colors } = grants[*next];
                let grant = Grant {
                    start: *base + start,
                    end: *base + end,
                    colors,
                };
                *next += 1;
                if *next == grants.len() {
                    (*next, *base) = (0, *base + *length);
                }
                grant
            }
            Self::Servers(gate) => gate.step(),
            Self::Refreshed {
                plan,
                conduct,
                cost,
                offset,
                number,
                now,
                stalled,
            } => {
                let due = |number: u64| {
                    let exact = u128::from(number) * u128::from(plan.memory.retention_ns)
                        / u128::from(plan.memory.commands.max(1));
                    exact as Ns + *offset
                };
                let end = match *stalled {
                    false => due(*number).max(*now),
                    // No refresh costs more than the most.
                    true if conduct.seed != 0 && conduct.below(4, [5, *number, 0]) == 3 => {
                        *now + plan.memory.trfc_ns.min(*cost)
                    }
                    true => *now + *cost,
                };
                let grant = Grant {
                    start: *now,
                    end,
                    colors: if *stalled { 0 } else { u64::MAX },
                };
                if *stalled {
                    *number += 1;
                }
                (*now, *stalled) = (end, !*stalled);
                grant
            }
        }
    }

    /// Instants at which time of a color ends, up to `most` of them, among the first spans.
    pub fn ends(mut self, color: usize, most: usize) -> Vec<Ns> {
        let mut ends = Vec::new();
        let mut before = false;
        for _ in 0..8 * most {
            let grant = self.step();
            let open = grant.colors & bit(color) != 0;
            if before && !open {
                ends.push(grant.start);
            }
            if grant.start < grant.end {
                before = open;
            }
            if ends.len() == most {
                break;
            }
        }
        ends
    }
}

impl ServerGate<'_> {
    /// The first server with a budget whose color is not locked has the core, and uses its budget up whether it has work or not.
    fn step(&mut self) -> Grant {
        while self.now == self.span.end {
            self.span = self.under.step();
        }
        let start = self.now;
        let mut end = self.span.end;
        for server in &mut self.servers {
            if server.renewed == start {
                (server.left, server.renewed) = (server.budget, start + server.period);
            }
            end = end.min(server.renewed);
        }
        let open = |server: &&mut Budget| server.left > 0 && self.span.colors & bit(server.color) != 0;
        let colors = match self.servers.iter_mut().find(open) {
            None => 0,
            Some(server) => {
                end = end.min(start + server.left);
                server.left -= end - start;
                bit(server.color)
            }
        };
        self.now = end;
        Grant { start, end, colors }
    }
}

/// The colors that are not locked, over a period of the locks; none while a lock or unlock task has the cores.
fn under_locks(locks: &Locks) -> Vec<Grant> {
    let mut cuts = vec![0, locks.period_ns];
    let mut handlers = Vec::new();
    let mut locked = Vec::new();
    for (color, (&phase, &burst)) in locks.phase_ns.iter().zip(&locks.burst_ns).enumerate() {
        let refreshed = phase + locks.lock_ns;
        let over = refreshed + burst;
        cuts.extend([phase, refreshed, over, over + locks.unlock_ns]);
        handlers.extend([(phase, refreshed), (over, over + locks.unlock_ns)]);
        locked.push((phase, over + locks.unlock_ns, bit(color)));
    }
    cuts.sort_unstable();
    cuts.dedup();
    let all = (0..locks.phase_ns.len()).fold(0, |all, color| all | bit(color));
    let spans = cuts.windows(2).map(|cut| {
        let inside = |start: Ns, end: Ns| start <= cut[0] && cut[0] < end;
        let mut colors = all;
        for &(start, end, color) in &locked {
            if inside(start, end) {
                colors &= !color;
            }
        }
        if handlers.iter().any(|&(start, end)| inside(start, end)) {
            colors = 0;
        }
        Grant {
            start: cut[0],
            end: cut[1],
            colors,
        }
    });
    spans.collect()
}

/// What a refresh of all ranks takes from a core, at most (docs/theory.md, what a refresh costs).
pub fn stall(plan: &Plan, core: usize) -> Ns {
    let memory = &plan.memory;
    // Tasks without a period open their rows in time that nobody waits for.
    let own = plan
        .tasks
        .iter()
        .filter(|task| task.core == Some(core) && task.period_ns > 0);
    let rows: u128 = own
        .map(|task| match task.work.as_str() {
            Some("synthetic") => {
                u128::from(task.memory_bytes.div_ceil(memory.page_bytes.max(1))) * u128::from(memory.page_rows)
            }
            _ => u128::from(memory.open_rows),
        })
        .sum();
    let rows = rows.min(u128::from(memory.open_rows));
    let beyond = u128::from(memory.close_ps) + rows * u128::from(memory.open_row_ps);
    memory.trfc_ns + beyond.div_ceil(1000) as Ns
}
