// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a certificate says that it knows, against the scenario.

use crate::memory::{Crowd, Memory};
use crate::nat::{Nat, n};
use crate::read::Read;
use crate::verdict::{flag, named, no_less, number, refused, text};
use crate::{Failure, work};
use fresco_frames::{Coloring, PageTables};
use fresco_machine::{PagePolicy, Queues, Replacement, Scheduler};
use fresco_scenario::budgets::Share;
use fresco_scenario::{Extent, Role, Setup};
use serde_json::{Value, json};

/// What a scenario says of its certificate.
pub struct Scenario<'s> {
    pub(crate) name: &'s str,
    /// Names of its axes.
    pub(crate) axes: Vec<&'s str>,
    /// Value on each axis, and setup, of each point.
    pub(crate) points: Vec<(Vec<&'s str>, &'s Setup)>,
}

impl<'s> Scenario<'s> {
    /// Of a scenario that was read.
    pub fn of(scenario: &'s fresco_scenario::Scenario) -> Self {
        let axes = &scenario.axes;
        let points = scenario.points.iter().map(|point| {
            let values = axes
                .iter()
                .zip(&point.values)
                .map(|(axis, value)| axis.values[*value].as_str());
            (values.collect(), &*point.setup)
        });
        Self {
            name: &scenario.name,
            axes: axes.iter().map(|axis| axis.name.as_str()).collect(),
            points: points.collect(),
        }
    }
}

/// Verifies that a list has these texts.
pub fn check_texts(term: &str, formula: &'static str, claimed: &Value, found: &[&str]) -> Result<(), Failure> {
    is(term, formula, claimed, &json!(found))
}

/// Names of the tasks whose bounds are asked for.
pub fn measured(setup: &Setup) -> Vec<&str> {
    let copies = setup.copies.iter();
    let measured = copies.filter(|copy| setup.tasks[copy.task].role == Role::Measured);
    measured.map(|copy| copy.name.as_str()).collect()
}

/// Verifies that the memory is the scenario's.
pub fn check_memory(setup: &Setup, claimed: Memory) -> Result<(), Failure> {
    let memory = &setup.machine.memory;
    let (t, org, controller) = (&memory.timing, &memory.organisation, &memory.controller);
    let mut found: Vec<(&str, Value)> = t.values().map(|(name, cycles)| (name, json!(cycles))).collect();
    let (queues, places, writes) = match controller.queues {
        Queues::Global { reads, writes } => ("global", reads, writes),
        Queues::PerBank { reads_per_bank, writes } => ("per-bank", reads_per_bank, writes),
        Queues::FrontQueue {
            reads_per_bank, writes, ..
        } => ("front-queue", reads_per_bank, writes),
    };
    let (scheduler, cap) = match controller.scheduler {
        Scheduler::Fcfs => ("fcfs", json!("none")),
        Scheduler::FrFcfs { hit_cap: u32::MAX } => ("fr-fcfs", json!("none")),
        Scheduler::FrFcfs { hit_cap } => ("fr-fcfs", json!(hit_cap)),
    };
    let page = match controller.page {
        PagePolicy::Open => "open",
        PagePolicy::Closed => "closed",
        PagePolicy::Adaptive { .. } => "adaptive",
    };
    found.extend([
        ("act_delay", json!(t.act_delay)),
        ("line_bytes", json!(t.line_bytes)),
        ("transfers", json!(t.clock.transfers())),
        ("rate_mts", json!(t.clock.rate_mts())),
        ("column_bus", json!(u8::from(t.column_bus))),
        ("paired_refresh", json!(u8::from(t.paired_refresh))),
        ("managed", json!(u8::from(!t.management.is_off()))),
        ("channels", json!(org.channels)),
        ("ranks", json!(org.ranks)),
        ("bank_groups", json!(org.bank_groups)),
        ("banks", json!(org.banks)),
        ("bus_bytes", json!(org.bus_bytes)),
        ("scheduler", json!(scheduler)),
        ("hit_cap", cap),
        ("queues", json!(queues)),
        ("places", json!(places)),
        ("writes", json!(writes)),
        ("drain_low", json!(controller.drain_low)),
        ("drain_once", json!(u8::from(controller.drain_once))),
        ("refresh", json!(controller.refresh.name())),
        ("page", json!(page)),
    ]);
    for (name, value) in found {
        is(name, "that of the machine", named(claimed.0, name)?, &value)?;
    }
    Ok(())
}

/// Verifies that the task is bounded among all that may be around any of its banks, and its work by what the scenario has.
pub fn check_task(setup: &Setup, claimed: Memory, task: &Value, reads: &[Read]) -> Result<(), Failure> {
    let name = text(task, "name")?;
    let Some(number) = setup.copies.iter().position(|copy| copy.name == name) else {
        return refused("name", "a task of the scenario", name, "none");
    };
    is(
        "core",
        "that of the scenario",
        named(task, "core")?,
        &json!(setup.copies[number].core),
    )?;
    if setup.dynamic.is_some() {
        return refused("banks", "pages stay where they are", "bounded", "policy.dynamic");
    }
    let senders = senders(setup);
    let own = reach_of(setup, number);
    covered(
        setup,
        &senders,
        &own,
        reads,
        "crowd",
        "those around each bank of the task",
    )?;
    let work = named(task, "work")?;
    if work.is_null() {
        return Ok(());
    }
    check_work(setup, number, work, reads)?;
    check_drains(setup, claimed, &senders, &own, work)
}

/// Verifies that lines which wait for a drain wait for whatever may be read in the nodes that they go to, those of the banks `own`.
fn check_drains(setup: &Setup, claimed: Memory, senders: &[Sender], own: &[u32], work: &Value) -> Result<(), Failure> {
    if flag(work, "by_budgets")? || work::waits(work)? == n(0) {
        return Ok(());
    }
    let reading = senders
        .iter()
        .filter(|sender| sender.0 > 0)
        .flat_map(|sender| &sender.2);
    let beside = |bank: &u32| own.iter().any(|of| node_of(setup, *of) == node_of(setup, *bank));
    let banks: Vec<u32> = reading.filter(|bank| beside(bank)).copied().collect();
    let before = work::before_drains(claimed, work)?;
    covered(
        setup,
        senders,
        &banks,
        &before,
        "before_drains",
        "crowds around each bank that anybody reads",
    )
}

/// Verifies that the crowd around each of these banks is bounded.
fn covered(
    setup: &Setup,
    senders: &[Sender],
    banks: &[u32],
    reads: &[Read],
    term: &str,
    formula: &'static str,
) -> Result<(), Failure> {
    for bank in banks {
        let crowd = around(setup, senders, *bank);
        if !reads.iter().any(|read| read.crowd == crowd) {
            return refused(term, formula, "others", format!("{crowd} at bank {bank}"));
        }
    }
    Ok(())
}

/// Returns true if a core may displace dirty lines.
fn somebody_writes(setup: &Setup) -> bool {
    setup.copies.iter().any(|copy| !setup.program(copy.task).only_reads())
}

/// Who sends: reads under way, writes that wait, banks.
type Sender = (u32, u32, Vec<u32>);

fn senders(setup: &Setup) -> Vec<Sender> {
    let writes = somebody_writes(setup);
    let mshrs = setup.machine.core.mshrs;
    let mut senders = Vec::new();
    for core in 0..setup.machine.cores {
        let of_core = (0..setup.copies.len()).filter(|copy| setup.copies[*copy].core == core);
        let banks: Vec<u32> = of_core.flat_map(|copy| reach_of(setup, copy)).collect();
        senders.push((mshrs, if writes { mshrs.max(8) + 1 } else { 0 }, banks));
    }
    for agent in setup.agents.iter().filter(|agent| agent.enabled) {
        let if_any = |percent: u32| if percent > 0 { agent.in_flight } else { 0 };
        let (reads, writes) = (if_any(100 - agent.write_percent), if_any(agent.write_percent));
        senders.push((reads, writes, banks_of(setup, &agent.coloring)));
    }
    senders
}

/// Node of a bank of the machine.
fn node_of(setup: &Setup, bank: u32) -> usize {
    let org = &setup.machine.memory.organisation;
    (bank / (org.bank_groups * org.banks * org.ranks * org.channels)) as usize
}

/// Page tables that may lie anywhere are read, too.
fn reach_of(setup: &Setup, copy: usize) -> Vec<u32> {
    let walks = setup.machine.core.tlb.is_some() && matches!(setup.frames.page_tables, PageTables::Uncolored);
    banks_of(
        setup,
        if walks {
            &Coloring::Off
        } else {
            &setup.copies[copy].coloring
        },
    )
}

fn banks_of(setup: &Setup, coloring: &Coloring) -> Vec<u32> {
    match coloring {
        Coloring::Explicit {
            banks: Some(colors), ..
        } if setup.frames.policy.is_strict() => colors.iter().flat_map(|color| setup.space.banks(color)).collect(),
        _ => (0..setup.machine.memory.organisation.banks_total()).collect(),
    }
}

fn around(setup: &Setup, senders: &[Sender], bank: u32) -> Crowd {
    let org = &setup.machine.memory.organisation;
    let rank = org.bank_groups * org.banks;
    let channel = rank * org.ranks;
    let node = channel * org.channels;
    let near = |size: u32| {
        senders
            .iter()
            .filter(move |s| s.2.iter().any(|other| other / size == bank / size))
    };
    let reads = |size: u32| near(size).map(|s| n(s.0.into())).fold(n(0), |a, b| a + b);
    let writes = near(node).map(|s| n(s.1.into())).fold(n(0), |a, b| a + b);
    let used = |number: &u32| senders.iter().any(|s| s.2.iter().any(|bank| bank / rank == *number));
    let first = bank / channel * org.ranks;
    let elsewhere = |other: &u32| other / channel == bank / channel && other / rank != bank / rank;
    let leaving = senders
        .iter()
        .filter(|s| s.2.iter().any(elsewhere))
        .map(|s| n(s.0.into()))
        .fold(n(0), |a, b| a + b);
    Crowd {
        reads: reads(channel),
        of_rank: reads(rank),
        of_group: reads(org.banks),
        of_bank: reads(1),
        of_others: leaving.min(reads(channel) - n(1)),
        ranks: n((first..first + org.ranks).filter(used).count() as u128),
        writes,
        front: reads(node) + writes,
    }
}

/// What the bound of work rests on.
fn check_work(setup: &Setup, copy: usize, work: &Value, reads: &[Read]) -> Result<(), Failure> {
    let (machine, this) = (&setup.machine, &setup.copies[copy]);
    apart(setup, copy)?;
    is(
        "mshrs",
        "those of a core",
        named(work, "mshrs")?,
        &json!(machine.core.mshrs),
    )?;
    let topology = &machine.topology;
    let home = topology.node_of_core[this.core as usize] as usize;
    let least = machine.llc.as_ref().map_or(0, |llc| llc.cache.latency) + machine.memory.controller.frontend;
    let far = reach_of(setup, copy).into_iter().map(|bank| {
        let node = node_of(setup, bank);
        topology.hop_latency[home][node] + topology.hop_latency[node][home]
    });
    let ways = far.max().unwrap_or(0) + machine.memory.timing.clock.longest_ps(2);
    no_less(
        "path_ps",
        "to the farthest controller whose banks it may read, and back",
        number(work, "path_ps")?,
        n((least + ways).into()),
    )?;
    let slot = 1_000_000u64.div_ceil(u64::from(machine.core.mhz) * u64::from(machine.core.issue_width));
    no_less("slot_ps", "that of a core", number(work, "slot_ps")?, n(slot.into()))?;
    let latency = machine.llc.as_ref().map_or(0, |llc| llc.cache.latency);
    let hit = latency + slot;
    no_less(
        "hit_ps",
        "of the last-level cache",
        number(work, "hit_ps")?,
        n(hit.into()),
    )?;
    is(
        "has_window",
        "of its core",
        named(work, "has_window")?,
        &json!(machine.core.window > 1),
    )?;
    let budget = |core: u32| {
        let nodes = setup.bandwidth.iter().flat_map(|budgets| &budgets.nodes);
        let mut found = nodes.filter_map(move |node| Some((node, node.cores.iter().position(|of| *of == core)?)));
        found.next()
    };
    let own = setup.bandwidth.as_ref().zip(budget(this.core));
    let own = own.map_or(Value::Null, |(budgets, (node, at))| {
        json!({
            "period_ps": budgets.period,
            "lines": node.settings.reservations[at].lines,
            "count_write_backs": budgets.count_write_backs,
            "interrupt_ps": budgets.interrupt_cycles * 1_000_000 / u64::from(machine.core.mhz),
        })
    });
    is("budget", "that of the scenario", named(work, "budget")?, &own)?;
    if !flag(work, "by_budgets")? {
        return Ok(());
    }
    let holds = |budgets: &fresco_scenario::budgets::Budgets| {
        let counted = budgets.count_write_backs || reads.iter().all(|read| read.crowd.writes == n(0));
        // What is in a window goes on when a budget is used up, and elastic refreshes are owed.
        // So does an access that walks page tables.
        let is_known = machine.core.window == 1
            && machine.core.tlb.is_none()
            && machine.memory.controller.refresh.name() != "elastic";
        counted && is_known && !budgets.reclaim() && setup.agents.iter().all(|agent| !agent.enabled)
    };
    let Some(budgets) = setup.bandwidth.as_ref().filter(|budgets| holds(budgets)) else {
        return refused("by_budgets", "each other core has a budget that holds", true, false);
    };
    // A miss that is under way reads a line, and displaces a dirty one from each of three levels at most.
    let writes = somebody_writes(setup);
    let of_miss = n(if writes { 4 } else { 1 });
    let mut lines = Nat(0);
    for core in (0..machine.cores).filter(|core| *core != this.core) {
        if setup.copies.iter().all(|other| other.core != core) {
            continue;
        }
        match budget(core) {
            Some((node, at)) if matches!(node.settings.share, Share::None) => {
                lines = lines + n(node.settings.reservations[at].lines.into()) + n(machine.core.mshrs.into()) * of_miss;
            }
            _ => {
                return refused(
                    "by_budgets",
                    "each other core has a budget that holds",
                    true,
                    format!("none of core {core}"),
                );
            }
        }
    }
    let others = named(work, "others")?;
    let period = json!(budgets.period);
    is(
        "others.period_ps",
        "that of the scenario",
        named(others, "period_ps")?,
        &period,
    )?;
    no_less(
        "others.lines",
        "budgets of the others, and what is under way",
        number(others, "lines")?,
        lines,
    )
}

/// Nothing but its reads and write-backs may take longer with others: docs/bound.md, "Assumed".
fn apart(setup: &Setup, number: usize) -> Result<(), Failure> {
    let (machine, this) = (&setup.machine, &setup.copies[number]);
    let others: Vec<_> = (0..setup.copies.len())
        .filter(|other| *other != number)
        .map(|other| &setup.copies[other])
        .collect();
    let budgets = setup.bandwidth.as_ref().filter(|budgets| budgets.has(this.core));
    let is_alone = others.is_empty() && setup.agents.iter().all(|agent| !agent.enabled) && budgets.is_none();
    let donates = budgets.is_some_and(fresco_scenario::budgets::Budgets::reclaim);
    let llc = machine.llc.as_ref();
    let beside = |core: u32| llc.is_some_and(|llc| core / llc.cores_per_cache == this.core / llc.cores_per_cache);
    let displaces = |other: &fresco_scenario::Copy| {
        let ways = |task: usize| setup.tasks[task].ways.unwrap_or(u128::MAX);
        beside(other.core)
            && ways(this.task) & ways(other.task) != 0
            && !in_other_sets(setup, &this.coloring, &other.coloring)
    };
    let policy = llc.map(|llc| llc.cache.replacement);
    // Others turn nodes of the tree of a set, make its lines grow old, or choose among policies for all sets.
    let orders = |other: &fresco_scenario::Copy| {
        let by_sets = in_other_sets(setup, &this.coloring, &other.coloring);
        let mask = setup.tasks[this.task].ways.unwrap_or(u128::MAX);
        beside(other.core)
            && match policy {
                None | Some(Replacement::Lru | Replacement::Srrip) => false,
                Some(Replacement::Drrip) => true,
                Some(Replacement::TreePlru) => !by_sets && is_split(mask),
                Some(_) => !by_sets,
            }
    };
    let has_window = machine.core.window > 1;
    let waits_for_registers = llc.is_some_and(|llc| llc.mshrs.is_some())
        && (others.iter().any(|other| beside(other.core)) || !is_alone && has_window);
    let of_time = setup.tasks[this.task].timing.is_none() && matches!(setup.measure, Extent::Time(_));
    let facts = [
        (
            "no other task on its core",
            others.iter().any(|other| other.core == this.core),
        ),
        ("a program of one thread", setup.program(this.task).kind().is_team()),
        ("work, not a time", of_time),
        ("its core donates nothing", donates),
        ("no limits of links", !is_alone && !machine.fabric.is_unlimited()),
        ("no coherence", !is_alone && machine.coherence.is_some()),
        ("no prefetching", !is_alone && !machine.core.prefetch.is_off()),
        ("no miss registers of the last-level cache", waits_for_registers),
        (
            "no walks that wait for each other",
            !is_alone && has_window && machine.core.tlb.is_some(),
        ),
        ("no budget that empties a window", has_window && budgets.is_some()),
        (
            "private caches that the last-level cache leaves alone",
            !is_alone && has_window && llc.is_some_and(|llc| llc.inclusion.name() != "non-inclusive"),
        ),
        (
            "a part of the last-level cache of its own",
            others.iter().any(|other| displaces(other)),
        ),
        (
            "a phase that begins at one operation",
            !is_alone && setup.tasks[this.task].timing.is_none() && moves_its_phase(setup, &others),
        ),
        (
            "its pages before others touch theirs",
            !is_alone && !setup.tasks[this.task].paging.is_at_start(),
        ),
        (
            "an order of replacement of its own",
            others.iter().any(|other| orders(other)),
        ),
    ];
    match facts.into_iter().find(|(_, is_hurt)| *is_hurt) {
        Some((fact, _)) => refused("work", fact, "bounded", "not so"),
        None => Ok(()),
    }
}

/// Returns true if the measured phase begins when others are warm, and the task does not stand still until then.
fn moves_its_phase(setup: &Setup, others: &[&fresco_scenario::Copy]) -> bool {
    let waits_for_nobody = others
        .iter()
        .all(|other| setup.tasks[other.task].role != Role::Measured);
    match setup.warm_up {
        Extent::Operations(count) if count > 0 => false,
        Extent::Time(time) if time > 0 => true,
        Extent::Jobs(_) => true,
        _ => !waits_for_nobody,
    }
}

/// Returns true if a node of a tree over the ways has some of these on both sides, and others as well.
fn is_split(mask: u128) -> bool {
    let node = |size: u32, block: u32| {
        let of = |first: u32, ways: u32| mask >> first & (u128::MAX >> (128 - ways));
        let (left, right) = (of(block * size, size / 2), of(block * size + size / 2, size / 2));
        left != 0 && right != 0 && (left.count_ones() + right.count_ones()) < size
    };
    [2, 4, 8, 16, 32, 64]
        .iter()
        .any(|size| (0..64 / size).any(|block| node(*size, block)))
}

fn in_other_sets(setup: &Setup, a: &Coloring, b: &Coloring) -> bool {
    let colors = |of: &Coloring| match of {
        Coloring::Explicit { llc, .. } | Coloring::Automatic { llc, .. } => llc.clone(),
        Coloring::Off => None,
    };
    let strict = setup.frames.policy.is_strict() && setup.machine.core.tlb.is_none();
    strict
        && colors(a)
            .zip(colors(b))
            .is_some_and(|(a, b)| a.iter().all(|color| !b.iter().any(|other| other == color)))
}

fn is(term: &str, formula: &'static str, claimed: &Value, found: &Value) -> Result<(), Failure> {
    if claimed == found {
        Ok(())
    } else {
        refused(term, formula, claimed, found)
    }
}
