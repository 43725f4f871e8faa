// SPDX-License-Identifier: MIT OR Apache-2.0
//! The tasks of a scenario with the memory and the bandwidth that it gives them: what a plan by
//! [`Method::Partition`](crate::plan::Method::Partition) is made of.

use super::TaskSpec;
use super::task::{PageColors, refuse_core, team, timing, work};
use crate::budgets::{Budgets, Share};
use crate::plan::PlannedBandwidth;
use crate::scenario::room::Room;
use crate::scenario::{Copy, Setup};
use fresco_dram::ColorSpace;
use fresco_frames::{ColorSet, Coloring};
use fresco_input::{Document, InputError, Table};
use fresco_machine::Machine;
use std::path::Path;

/// What is read.
pub(super) struct Partition {
    pub machine: Machine,
    pub tasks: Vec<TaskSpec>,
    pub cores: u32,
    pub bandwidth: Option<PlannedBandwidth>,
}

/// Keys of a task that a plan has no place for.
const NOT_PLANNED: [&str; 8] = [
    "placement",
    "nodes",
    "node",
    "memory_limit",
    "start",
    "color",
    "ways",
    "rows",
];

/// Reads the scenario as a run does. `cores` are those that the plan may use; `None` for as many as its tasks need.
///
/// # Errors
/// Anything that would stop a run of it; what a plan has no place for: colors that are chosen or moved while tasks run,
/// budgets that are lent, threads of one program with other colors; colors for some tasks and none for others.
pub(super) fn read(document: &Document, directory: &Path, cores: Option<u32>) -> Result<Partition, InputError> {
    let setup = Setup::read(document.clone(), directory)?;
    let mut room = Room::default();
    room.check(&setup)?;
    let root = document.root();
    if setup.dynamic.is_some() {
        let error = root.error_at("policy.dynamic", "found colors that are divided anew while tasks run");
        return Err(error
            .allowed("colors that stay")
            .help("remove policy.dynamic, or simulate the scenario without a plan: fresco sim"));
    }
    let tables = root.array_of_tables("task")?;
    for (task, table) in std::iter::zip(&setup.tasks, &tables) {
        if let Some(key) = table.keys().find(|key| NOT_PLANNED.contains(key)) {
            let error = table.error_at(key, format!("found {key} of a task that is planned"));
            return Err(error
                .allowed("program, cores, times, memory, banks, llc and reserve")
                .help("remove it, or simulate the scenario without a plan: fresco sim"));
        }
        refuse_core(task, table, cores.unwrap_or(setup.machine.cores))?;
    }
    let of_thread = |copy: &Copy| std::iter::zip(&setup.tasks, &tables).nth(copy.task);
    for pair in setup.copies.windows(2).filter(|pair| pair[0].task == pair[1].task) {
        let (task, table) = of_thread(&pair[0]).expect("a copy is of a task");
        if team(task, table, pair[0].task)?.is_some() && pair[0].coloring != pair[1].coloring {
            let error = table.error(format!(
                "found other colors of {} than of {}",
                pair[1].name, pair[0].name
            ));
            return Err(error
                .allowed("the same colors for all threads of a program: which of them touches a page first nobody knows beforehand")
                .help("name the banks of the task, or simulate the scenario without a plan: fresco sim"));
        }
    }
    let is_colored = setup.copies.iter().any(|copy| copy.coloring != Coloring::Off);
    let mut tasks = Vec::new();
    for copy in &setup.copies {
        let (task, table) = (&setup.tasks[copy.task], &tables[copy.task]);
        let touched = room.footprint(&setup, copy.task)?.bytes;
        let memory = task.bytes.unwrap_or(touched.next_multiple_of(setup.machine.page_bytes));
        tasks.push(TaskSpec {
            name: copy.name.clone(),
            timing: timing(task, &copy.name),
            wcet_high: task.wcet_high,
            memory,
            global: task.global,
            lines: task.lines,
            core: Some(copy.core),
            color: None,
            colors: is_colored.then(|| colors(copy, &setup.space, table)).transpose()?,
            work: work(task, table, (touched, memory), setup.trace_dir())?,
            stalls: task.stalls,
            pages: task.paging,
            team: team(task, table, copy.task)?,
            command: task.command.clone(),
        });
    }
    let needed = setup.copies.iter().map(|copy| copy.core + 1).max().unwrap_or(1);
    let cores = cores.unwrap_or(needed);
    let budgets = setup.bandwidth.as_ref().map(|budgets| bandwidth(budgets, cores, &root));
    Ok(Partition {
        bandwidth: budgets.transpose()?,
        machine: setup.machine,
        tasks,
        cores,
    })
}

/// The colors of a copy.
///
/// # Errors
/// It has none, or such as the allocator chooses in a run.
fn colors(copy: &Copy, space: &ColorSpace, table: &Table<'_>) -> Result<PageColors, InputError> {
    let numbers = |set: &ColorSet| set.iter().collect::<Vec<u32>>();
    match &copy.coloring {
        Coloring::Explicit { banks, llc } => Ok(PageColors {
            banks: banks
                .as_ref()
                .map_or_else(|| (0..space.bank_colors()).collect(), numbers),
            llc: llc.as_ref().map(numbers),
        }),
        Coloring::Off | Coloring::Automatic { .. } => Err(table
            .error(format!("found no banks of {}, and other tasks have some", copy.name))
            .allowed("banks for every task, or colors for none")
            .help("name its banks: those that no other task has, if it needs none of its own")),
    }
}

/// Budgets as a plan has them: nobody lends any, and a core without tasks has none.
fn bandwidth(budgets: &Budgets, cores: u32, root: &Table<'_>) -> Result<PlannedBandwidth, InputError> {
    let is_lent = budgets.nodes.iter().any(|node| node.settings.share != Share::None);
    if budgets.reclaim() || is_lent {
        let error = root.error_at("bandwidth", "found budgets that cores lend or share");
        return Err(error
            .allowed("the budget of each core: neither reclaim nor share")
            .help("remove them, or simulate the scenario without a plan: fresco sim"));
    }
    if !budgets.period.is_multiple_of(1000) {
        let error = root.error_at(
            "bandwidth.period",
            format!("found {}", fresco_input::spell_duration(budgets.period)),
        );
        return Err(error
            .allowed("whole nanoseconds")
            .help("round it up: plans are exact in nanoseconds"));
    }
    let mut lines = vec![0; cores as usize];
    for node in &budgets.nodes {
        for (core, reservation) in std::iter::zip(&node.cores, &node.settings.reservations) {
            lines[*core as usize] = reservation.lines;
        }
    }
    Ok(PlannedBandwidth {
        period_ns: budgets.period / 1000,
        count_write_backs: budgets.count_write_backs,
        interrupt_cycles: budgets.interrupt_cycles,
        line_bytes: budgets.guaranteed.line_bytes,
        lines,
    })
}
