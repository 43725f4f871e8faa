// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why nothing follows for the work of a task.

use crate::{Sources, Unbounded};
use fresco_frames::Coloring;
use fresco_machine::Inclusion;
use fresco_scenario::budgets::Budgets;
use fresco_scenario::{Extent, Role, Setup};
use std::fmt;

/// Why nothing follows for a task's work, though its reads may be bounded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// Another core's task shares its part of the last-level cache.
    SharedCache(String),
    /// Which of its lines are displaced depends on others, who share the order of replacement of this policy.
    SharedOrder(&'static str),
    /// Which of its lines its core's caches keep depends on others, who displace them from a last-level cache of this kind, or change the order of accesses
    /// to it.
    Order(Inclusion),
    /// The last-level cache has miss registers, which it shares, or for which accesses of a core with a window wait.
    Registers,
    /// Walks of page tables wait for each other in a core with a window.
    Walks,
    /// Each interrupt of its budget empties the window of its core.
    Window,
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
    /// Where its measured phase begins depends on how fast others are.
    Phase,
    /// Which frames it gets depends on who touches memory first.
    Touch,
    /// Its core donates what it is not expected to need of its budget.
    Donates,
    /// Interrupts of its budget take longer than the period.
    Interrupts,
    /// It did not end a job alone.
    NotSeen,
    /// Lines that its core displaces wait for a drain, and that for reads of others that have no bound.
    Drains(Unbounded),
}

impl Unknown {
    /// The cheapest change after which something follows.
    pub fn way_out(&self) -> &'static str {
        match self {
            Self::SharedCache(_) => "give each of the two LLC colors (llc) or ways of its own",
            Self::SharedOrder(_) => {
                "give it LLC colors (llc), or with tree-plru ways that are a half of the cache, a quarter and so on; or set llc.replacement to lru"
            }
            Self::Order(_) => "make llc.inclusion non-inclusive",
            Self::Registers => "remove llc.mshrs",
            Self::Walks => "remove core.tlb, or take cores in order (core.kind)",
            Self::Window => "give its core no budget, or take cores in order (core.kind)",
            Self::SharedCore(_) => "give each task a core of its own",
            Self::Threads => "bound a program of one thread",
            Self::Fabric => "remove [fabric], or let one core use it",
            Self::Prefetch => "switch prefetchers off (core.prefetch)",
            Self::Coherence => "remove [coherence], if tasks share no lines",
            Self::Interrupts => "choose a longer bandwidth.period",
            Self::NotSeen => "measure more jobs or a longer time",
            Self::Donates => "reserve without reclaiming (bandwidth.reclaim = false)",
            Self::Drains(unbounded) => unbounded.way_out(),
            Self::Phase => "warm up by operations (warm_up.operations)",
            Self::Touch => "let it have its pages when it starts (pages = \"at-start\")",
            Self::Time => "measure passes or operations, not a time",
        }
    }
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SharedCache(other) => write!(f, "{other} displaces its lines from the last-level cache"),
            Self::SharedOrder(policy) => write!(
                f,
                "which of its lines the last-level cache displaces depends on others, with {policy} and these ways or colors"
            ),
            Self::Order(kind) => write!(
                f,
                "others decide, with the {} last-level cache, which lines its core's caches keep",
                kind.name()
            ),
            Self::Registers => {
                f.write_str("others decide which of its accesses wait for miss registers of the last-level cache")
            }
            Self::Walks => f.write_str("others decide in which order its core walks page tables"),
            Self::Window => {
                f.write_str("interrupts of its budget empty the window of its core: what is lost is not known")
            }
            Self::SharedCore(other) => write!(f, "{other} runs on its core, too, and displaces its lines"),
            Self::Threads => f.write_str("it is a thread of a program of several, which wait for each other"),
            Self::Fabric => f.write_str("links and nodes have limits that others use up"),
            Self::Prefetch => f.write_str("how much it prefetches depends on time"),
            Self::Coherence => f.write_str("other cores may take lines from its caches"),
            Self::Donates => {
                f.write_str("its core donates what it is not expected to need of its budget, and may miss it")
            }
            Self::Interrupts => f.write_str(
                "interrupts of its budget, each of which first lets the longest read end, take longer than the period",
            ),
            Self::Phase => {
                f.write_str("its measured phase begins elsewhere in its program if others are slower or faster")
            }
            Self::Touch => f.write_str("which frames it gets depends on when others touch theirs (on-touch)"),
            Self::NotSeen => f.write_str("none of its jobs ended alone"),
            Self::Drains(unbounded) => write!(
                f,
                "lines that it displaces are written once older reads of others have been served, which have no bound: {unbounded}"
            ),
            Self::Time => f.write_str("its measured phase is a time, in which it does less if others disturb it"),
        }
    }
}

impl Sources<'_> {
    /// Returns true if something besides a copy's program and its memory decides when it goes on: others, or a budget of its own.
    fn is_disturbed(&self, copy: usize) -> bool {
        let setup = self.setup();
        let is_regulated = |budgets: &Budgets| budgets.has(setup.copies[copy].core);
        setup.copies.len() > 1
            || setup.agents.iter().any(|agent| agent.enabled)
            || setup.bandwidth.as_ref().is_some_and(is_regulated)
    }

    /// Returns true if the accesses of a copy may come to the last-level cache in another order than alone: cores with a window make them when they
    /// have what these need.
    pub fn may_reorder(&self, copy: usize) -> bool {
        self.setup().machine.core.window > 1 && self.is_disturbed(copy)
    }

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
        if !self.is_disturbed(copy) {
            return None;
        }
        if setup.tasks[this.task].timing.is_none() && !begins_at_the_same_operation(setup, copy) {
            return Some(Unknown::Phase);
        }
        if !setup.tasks[this.task].paging.is_at_start() {
            return Some(Unknown::Touch);
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
        if machine.core.window > 1 && machine.core.tlb.is_some() {
            return Some(Unknown::Walks);
        }
        if machine.core.window > 1 && setup.bandwidth.as_ref().is_some_and(|budgets| budgets.has(this.core)) {
            return Some(Unknown::Window);
        }
        let llc = machine.llc.as_ref()?;
        if machine.core.window > 1 && llc.inclusion != Inclusion::NonInclusive {
            return Some(Unknown::Order(llc.inclusion));
        }
        let group = |core: u32| core / llc.cores_per_cache;
        let mut beside = others()
            .filter(|other| group(other.core) == group(this.core))
            .peekable();
        if llc.mshrs.is_some() && (beside.peek().is_some() || machine.core.window > 1) {
            return Some(Unknown::Registers);
        }
        let ways = |task: usize| setup.tasks[task].ways.unwrap_or_else(|| llc.all_ways());
        let in_other_ways = |other: &fresco_scenario::Copy| ways(this.task) & ways(other.task) == 0;
        let in_other_sets = |other: &fresco_scenario::Copy| {
            machine.core.tlb.is_none() && are_apart(setup, &this.coloring, &other.coloring)
        };
        let policy = llc.cache.replacement;
        beside.find_map(|other| match (in_other_ways(other), in_other_sets(other)) {
            (false, false) => Some(Unknown::SharedCache(other.name.clone())),
            (_, true) if policy.is_of_each_set() => None,
            (true, _) if policy.is_of_ways(ways(this.task)) => None,
            _ => Some(Unknown::SharedOrder(policy.name())),
        })
    }
}

/// Returns true if the measured phase of a copy begins at the same operation whatever others do: a task that is warm after so many operations waits for
/// the others, one that is warm after passes goes on until all are.
fn begins_at_the_same_operation(setup: &Setup, copy: usize) -> bool {
    let is_measured = |other: &fresco_scenario::Copy| setup.tasks[other.task].role == Role::Measured;
    let mut others = setup.copies.iter().enumerate().filter(|(other, _)| *other != copy);
    match setup.warm_up {
        Extent::Operations(1..) => true,
        Extent::Operations(0) | Extent::Passes(_) => !others.any(|(_, other)| is_measured(other)),
        Extent::Time(time) => time == 0 && !others.any(|(_, other)| is_measured(other)),
        Extent::Jobs(_) => false,
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
