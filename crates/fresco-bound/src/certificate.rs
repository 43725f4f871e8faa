// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bounds with all that they were made from, for a checker that knows nothing of this crate: schema `fresco-bound-certificate/3`.

use crate::columns::Columns;
use crate::distances::Distances;
use crate::read::AloneInBank;
use crate::traffic::Costs;
use crate::work::{hit_ps, slot_ps};
use crate::{Alone, Crowd, Dram, ReadBound, Sources, TaskReads, WorkBound, queue, refresh};
use fresco_dram::{Cycle, Ps};
use fresco_machine::{PagePolicy, Queues, Scheduler};
use serde::Serialize;
use std::collections::BTreeMap;

/// Bounds at one point of a sweep.
#[derive(Clone, Debug, Serialize)]
pub struct Certificate {
    /// Its value on each axis.
    pub values: Vec<String>,
    /// Timing, organisation and policies, by name.
    pub memory: BTreeMap<&'static str, Input>,
    /// Tasks whose reads are bounded.
    pub tasks: Vec<CertifiedTask>,
}

/// A number, or the name of a policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Input {
    /// A number; 0 or 1 for no or yes.
    Number(u64),
    /// A name; `none` for no number.
    Word(&'static str),
}

/// A task.
#[derive(Clone, Debug, Serialize)]
pub struct CertifiedTask {
    /// Its name.
    name: String,
    /// Its core.
    core: u32,
    /// One for each different crowd around banks that it may read.
    bounds: Vec<CertifiedRead>,
    /// The longest of these, in picoseconds.
    longest_ps: Ps,
    /// Its work; `None` without a bound.
    work: Option<CertifiedWork>,
}

/// The bound of a read.
#[derive(Clone, Debug, Serialize)]
pub struct CertifiedRead {
    crowd: Crowd,
    terms: ReadBound,
    /// j: how many rows are opened before that of a read alone in its bank.
    open: u32,
    refreshes: Option<Refreshes>,
    longest: Cycle,
}

/// The witness of a bound that refreshes are part of.
#[derive(Clone, Copy, Debug, Serialize)]
struct Refreshes {
    /// What one costs, in cycles.
    each: Cycle,
    /// How many are met.
    met: u64,
}

/// The bound of a task's work.
#[derive(Clone, Debug, Serialize)]
struct CertifiedWork {
    alone: Alone,
    /// Reads that its core has under way at most.
    mshrs: u32,
    /// To the farthest controller and back.
    path_ps: Ps,
    /// Of its core.
    slot_ps: Ps,
    /// The longest that a hit of the last-level cache takes.
    hit_ps: Ps,
    /// Its core has a window: accesses that have what they need go on before older ones.
    has_window: bool,
    budget: Option<Budget>,
    others: Option<Others>,
    costs: CertifiedCosts,
    /// All reads that a drain may wait for, whoever's; none where the core waits for no displaced line.
    before_drains: Vec<CertifiedRead>,
    hold_ps: Ps,
    reads_ps: Ps,
    write_backs_ps: Ps,
    edges_ps: Ps,
    budgets_ps: Ps,
    by_budgets: bool,
    longest_ps: Ps,
}

/// Of its core.
#[derive(Clone, Copy, Debug, Serialize)]
struct Budget {
    period_ps: Ps,
    lines: u64,
    count_write_backs: bool,
    interrupt_ps: Ps,
}

/// Of all other cores.
#[derive(Clone, Copy, Debug, Serialize)]
struct Others {
    period_ps: Ps,
    /// In each period.
    lines: u64,
}

/// Of lines, in cycles; interval and cost of refreshes are 0 without.
#[derive(Clone, Copy, Debug, Serialize)]
struct CertifiedCosts {
    own_read: Cycle,
    service: Cycle,
    /// Lines.
    waiting: u64,
    read: Cycle,
    write: Cycle,
    turns: Cycle,
    interval: Cycle,
    refresh: Cycle,
}

/// What bounds are made from, of a memory.
pub fn certified_memory(dram: &Dram<'_>) -> BTreeMap<&'static str, Input> {
    let (t, org, controller) = (dram.timing, dram.organisation, dram.controller);
    let mut memory: BTreeMap<_, _> = t.values().map(|(name, value)| (name, Input::Number(value))).collect();
    let (scheduler, cap) = match controller.scheduler {
        Scheduler::Fcfs => ("fcfs", Input::Word("none")),
        Scheduler::FrFcfs { hit_cap: u32::MAX } => ("fr-fcfs", Input::Word("none")),
        Scheduler::FrFcfs { hit_cap } => ("fr-fcfs", Input::Number(hit_cap.into())),
    };
    let (queues, places) = match controller.queues {
        Queues::Global { reads, .. } => ("global", reads),
        Queues::PerBank { reads_per_bank, .. } => ("per-bank", reads_per_bank),
        Queues::FrontQueue { reads_per_bank, .. } => ("front-queue", reads_per_bank),
    };
    let page = match controller.page {
        PagePolicy::Open => "open",
        PagePolicy::Closed => "closed",
        PagePolicy::Adaptive { .. } => "adaptive",
    };
    memory.extend([
        ("scheduler", Input::Word(scheduler)),
        ("hit_cap", cap),
        ("queues", Input::Word(queues)),
        ("refresh", Input::Word(controller.refresh.name())),
        ("page", Input::Word(page)),
    ]);
    let numbers = [
        ("act_delay", t.act_delay),
        ("line_bytes", t.line_bytes.into()),
        ("transfers", t.clock.transfers().into()),
        ("rate_mts", t.clock.rate_mts().into()),
        ("column_bus", t.column_bus.into()),
        ("paired_refresh", t.paired_refresh.into()),
        ("managed", (!t.management.is_off()).into()),
        ("channels", org.channels.into()),
        ("ranks", org.ranks.into()),
        ("bank_groups", org.bank_groups.into()),
        ("banks", org.banks.into()),
        ("bus_bytes", org.bus_bytes.into()),
        ("places", places.into()),
        ("writes", controller.queues.writes().into()),
        ("drain_low", controller.drain_low.into()),
        ("drain_once", controller.drain_once.into()),
    ];
    memory.extend(numbers.map(|(name, value)| (name, Input::Number(value))));
    memory
}

/// The bound of a read, with its witnesses.
pub fn certified_read(dram: &Dram<'_>, crowd: &Crowd, bound: &ReadBound) -> CertifiedRead {
    let crowd = crowd.checked();
    let inside = queue::inside(dram, &crowd);
    let d = Distances::new(dram, &inside);
    let refreshes = refresh::met(dram, &inside, &d, bound.total());
    CertifiedRead {
        crowd,
        terms: *bound,
        open: match dram.controller.scheduler {
            Scheduler::FrFcfs { .. } if inside.of_bank == 1 && inside.reads > 1 => {
                let columns = Columns::of(dram, &inside, inside == crowd);
                AloneInBank::of(dram, &inside, &d, &columns, inside == crowd).opened
            }
            _ => 0,
        },
        refreshes: refreshes.map(|(met, each)| Refreshes { each, met }),
        longest: bound.total(),
    }
}

impl Sources<'_> {
    /// What is certified of a copy whose reads, and perhaps work, are bounded so.
    pub fn certified(&self, copy: usize, reads: &TaskReads, work: Option<&WorkBound>) -> CertifiedTask {
        let dram = Dram::of(&self.setup().machine);
        let bounds = reads
            .all
            .iter()
            .map(|(crowd, bound)| certified_read(&dram, crowd, bound));
        let this = &self.setup().copies[copy];
        CertifiedTask {
            name: this.name.clone(),
            core: this.core,
            bounds: bounds.collect(),
            longest_ps: reads.longest_ps,
            work: work.map(|work| self.certified_work(copy, reads, work)),
        }
    }

    fn certified_work(&self, copy: usize, reads: &TaskReads, work: &WorkBound) -> CertifiedWork {
        let machine = &self.setup().machine;
        let dram = Dram::of(machine);
        let costs = Costs::of_task(&dram, reads, machine.core.mshrs);
        let before_drains = match work.hold_ps {
            0 => Vec::new(),
            _ => self.before_drains(copy).expect("the wait for a line has a bound"),
        };
        let (interval, refresh) = costs.refresh.unwrap_or_default();
        let budgets = self.setup().bandwidth.as_ref();
        let budget = budgets.zip(self.own_lines(copy)).map(|(budgets, lines)| Budget {
            period_ps: budgets.period,
            lines,
            count_write_backs: budgets.count_write_backs,
            interrupt_ps: self.interrupt_ps(),
        });
        let others = budgets.zip(self.lines_of_others(copy)).map(|(budgets, lines)| Others {
            period_ps: budgets.period,
            lines,
        });
        CertifiedWork {
            alone: work.alone,
            mshrs: machine.core.mshrs,
            path_ps: self.path_ps(copy),
            slot_ps: slot_ps(machine),
            hit_ps: hit_ps(machine),
            has_window: machine.core.window > 1,
            budget,
            others: others.filter(|_| work.by_budgets),
            costs: CertifiedCosts {
                own_read: costs.own_read,
                service: costs.service,
                waiting: costs.waiting,
                read: costs.read,
                write: costs.write,
                turns: costs.turns,
                interval,
                refresh,
            },
            before_drains: before_drains
                .iter()
                .map(|(crowd, bound)| certified_read(&dram, crowd, bound))
                .collect(),
            hold_ps: work.hold_ps,
            reads_ps: work.reads_ps,
            write_backs_ps: work.write_backs_ps,
            edges_ps: work.edges_ps,
            budgets_ps: work.budgets_ps,
            by_budgets: work.by_budgets,
            longest_ps: work.longest_ps,
        }
    }
}
