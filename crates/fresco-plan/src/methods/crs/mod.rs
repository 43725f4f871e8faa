// SPDX-License-Identifier: MIT OR Apache-2.0
//! The Colored Refresh Server: two servers per core under lock windows, found by search B or given (CRS-1 to CRS-16).

mod copies;
mod executive;
mod proof;
mod servers;

use super::draft::{Draft, PlanContext};
use super::grouping::{Split, by_core, core_of, instances};
use super::locking::{about_burst, locks, planned, windows};
use super::slices::with_switches;
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

pub(super) fn draft(context: &PlanContext<'_>) -> Result<Draft, Refusal> {
    context.periodic()?;
    if context.set.options.executive {
        context.known_instants()?;
    }
    let groups = context.two_groups()?;
    let retention = context.memory.retention_ns;
    // Color 0 is that of the server of higher priority; its lock comes half a retention time later (E18).
    let phases = [retention / 2, 0];
    let locks = locks(context, &phases)?;
    let mut color_of_group = None;
    let mut cores = Vec::new();
    for tasks in by_core(context) {
        let (core, order) = on_core(context, &tasks, &groups, &locks, &cores)?;
        color_of_group.get_or_insert(order);
        cores.push(core);
    }
    let order = color_of_group.unwrap_or([0, 1]);
    let ranks = order.map(|group| groups[group].clone());
    let colors = of_ranks(&context.set.machine, &ranks)?;
    check_memory(context, &cores, &colors)?;
    let mut instances = instances(context, &split_of(&cores));
    for task in cores.iter().flat_map(OnCore::shared) {
        let bytes = context.set.tasks[task].memory;
        instances[task] = vec![vec![bytes, 0], vec![0, bytes]];
    }
    let mut draft = Draft {
        high: None,
        instances,
        instance_of_job: vec![Vec::new(); context.tasks.len()],
        cores: core_of(&all_tasks(&cores), context.tasks.len()),
        bounds: vec![None; context.tasks.len()],
        copies: vec![None; context.tasks.len()],
        schedule: Schedule::Servers {
            locks: planned(&locks),
            cores: cores.iter().map(planned_core).collect(),
        },
        refresh: windows(context, &phases),
        proofs: Vec::new(),
        reasons: vec![about_burst(context)],
        colors,
    };
    for (number, core) in (0u32..).zip(&cores) {
        prove_core(context, number, core, &mut draft)?;
    }
    if context.set.options.executive {
        return with_switches(context, |context| {
            let mut draft = draft.clone();
            tabulate(context, &locks, &cores, &mut draft)?;
            Ok(draft)
        });
    }
    Ok(draft)
}

pub(super) fn refused(error: TopLevelError) -> Refusal {
    Refusal::undecided(format!("{error} (times in ns)"))
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

/// Checks that the memory of each color's tasks fits in the color.
fn check_memory(context: &PlanContext<'_>, cores: &[OnCore], colors: &[crate::plan::Color]) -> Result<(), Refusal> {
    for (color, holds) in colors.iter().enumerate() {
        let tasks = cores
            .iter()
            .flat_map(|core| [core.workloads[color].clone(), core.shared()].concat());
        let used: u128 = tasks.map(|i| u128::from(context.set.tasks[i].memory)).sum();
        if used > u128::from(holds.bytes) {
            return Err(Refusal::load(format!(
                "tasks of color {color} need {used} bytes, and its ranks hold {}",
                holds.bytes
            )));
        }
    }
    Ok(())
}
