// SPDX-License-Identifier: MIT OR Apache-2.0
//! The Colored Refresh Server: two servers per core under lock windows, found by search B or given (CRS-1 to CRS-16).

mod copies;
mod executive;
mod proof;
mod servers;

use super::draft::{Draft, Ground};
use super::grouping::{Split, by_core, core_of, instances};
use super::locking::{about_burst, locks, planned, windows};
use crate::colors::of_ranks;
use crate::plan::{CoreServers, PlannedServer, Schedule};
use crate::refusal::Refusal;
use executive::tabulate;
use fresco_rt::copies::InstanceTable;
use fresco_rt::toplevel::{TopLevel, TopLevelError};
use proof::prove_core;
use servers::on_core;

/// The servers of a core: numbers of the tasks of server 0 and 1, and of those with an instance in each.
pub(super) struct OnCore {
    pub workloads: [Vec<usize>; 2],
    pub copied: Vec<(usize, InstanceTable)>,
    pub top: TopLevel,
}

impl OnCore {
    fn without_copies(workloads: [Vec<usize>; 2], top: TopLevel) -> Self {
        let copied = Vec::new();
        Self { workloads, copied, top }
    }

    /// Numbers of the copied tasks.
    fn shared(&self) -> Vec<usize> {
        self.copied.iter().map(|(task, _)| *task).collect()
    }
}

pub(super) fn draft(ground: &Ground<'_>) -> Result<Draft, Refusal> {
    ground.periodic()?;
    let groups = ground.two_groups()?;
    let retention = ground.memory.retention_ns;
    // Colour 0 is that of the server of higher priority; its lock comes half a retention time later (E18).
    let phases = [retention / 2, 0];
    let locks = locks(ground, &phases)?;
    let mut color_of_group = None;
    let mut cores = Vec::new();
    for tasks in by_core(ground) {
        let (core, order) = on_core(ground, &tasks, &groups, &locks, &cores)?;
        color_of_group.get_or_insert(order);
        cores.push(core);
    }
    let order = color_of_group.unwrap_or([0, 1]);
    let ranks = order.map(|group| groups[group].clone());
    let colors = of_ranks(&ground.set.machine, &ranks)?;
    check_memory(ground, &cores, &colors)?;
    let mut instances = instances(ground, &split_of(&cores));
    for task in cores.iter().flat_map(OnCore::shared) {
        let bytes = ground.set.tasks[task].memory;
        instances[task] = vec![vec![bytes, 0], vec![0, bytes]];
    }
    let mut draft = Draft {
        instances,
        instance_of_job: vec![Vec::new(); ground.tasks.len()],
        cores: core_of(&all_tasks(&cores), ground.tasks.len()),
        bounds: vec![None; ground.tasks.len()],
        copies: vec![None; ground.tasks.len()],
        schedule: Schedule::Servers {
            locks: planned(&locks),
            cores: cores.iter().map(planned_core).collect(),
        },
        refresh: windows(ground, &phases),
        proofs: Vec::new(),
        reasons: vec![about_burst(ground)],
        colors,
    };
    for (number, core) in (0u32..).zip(&cores) {
        prove_core(ground, number, core, &mut draft)?;
    }
    if ground.set.options.executive {
        tabulate(ground, &locks, &cores, &mut draft)?;
    }
    Ok(draft)
}

pub(super) fn refused(error: TopLevelError) -> Refusal {
    Refusal::undecided(error.to_string())
}

fn planned_core(core: &OnCore) -> CoreServers {
    let server = |color: usize| PlannedServer {
        color,
        period_ns: core.top.servers()[color].period(),
        budget_ns: core.top.servers()[color].budget(),
        tasks: [core.workloads[color].clone(), core.shared()].concat(),
    };
    CoreServers {
        servers: vec![server(0), server(1)],
    }
}

fn all_tasks(cores: &[OnCore]) -> Vec<Vec<usize>> {
    cores
        .iter()
        .map(|core| [core.workloads.concat(), core.shared()].concat())
        .collect()
}

fn split_of(cores: &[OnCore]) -> Split {
    cores.iter().map(|core| core.workloads.clone()).collect()
}

/// Does the memory of each colour's tasks fit it?
fn check_memory(ground: &Ground<'_>, cores: &[OnCore], colors: &[crate::plan::Color]) -> Result<(), Refusal> {
    for (color, holds) in colors.iter().enumerate() {
        let tasks = cores
            .iter()
            .flat_map(|core| [core.workloads[color].clone(), core.shared()].concat());
        let used: u128 = tasks.map(|i| u128::from(ground.set.tasks[i].memory)).sum();
        if used > u128::from(holds.bytes) {
            return Err(Refusal::load(format!(
                "tasks of colour {color} need {used} bytes, and its ranks hold {}",
                holds.bytes
            )));
        }
    }
    Ok(())
}
