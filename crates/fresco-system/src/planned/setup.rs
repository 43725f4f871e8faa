// SPDX-License-Identifier: MIT OR Apache-2.0
//! From a plan to the experiment that runs it.

use super::{Run, budgets, modes};
use crate::experiment::fair::FairSchedule;
use crate::experiment::{self, CoreSlots, Experiment, Instance, RefreshPlan, RefreshWindow, TaskSpec, Timing, Work};
use fresco_dram::color::parse_list;
use fresco_frames::{ColorSet, Coloring, CostModel, FramesConfig, ListsBy, Policy};
use fresco_input::InputError;
use fresco_machine::{Machine, RefreshPolicy};
use fresco_rt::supply::SlotTable;
use fresco_rt::time::lcm_all;
use fresco_rt::toplevel::{Locks, Server};
use fresco_scenario::MOST_STALLS;
use fresco_scenario::plan::{self, Color, LockTimes, Method, Plan, PlannedTask, Schedule};

/// Shortest and longest run unless told otherwise: two retention times and ten.
const SHORTEST: u64 = 2;
const LONGEST: u64 = 10;
/// Longest phase, period or deadline of a task: a thousand seconds, as in files of tasks.
const LONGEST_TIME_NS: u64 = 1_000_000_000_000;
/// Stores among a hundred accesses of a task without a program.
const WRITE_PERCENT: u32 = 25;

/// The experiment of a plan.
///
/// # Errors
/// A plan that names no schedule the machine could run: `fresco check` says more.
pub(super) fn of(plan: &Plan, machine: &Machine, run: Run) -> Result<Experiment, InputError> {
    let mut machine = machine.clone();
    // Cores that the plan leaves alone do nothing.
    machine.cores = plan.cores;
    machine.topology.node_of_core.truncate(plan.cores as usize);
    let refresh = refresh(plan, &plan.refresh, &mut machine)?;
    let change = run.mode_change_ns;
    let mode_change = change.map(|at| modes::change(plan, &mut machine, at)).transpose()?;
    let tasks = plan.tasks.iter().map(|task| spec(plan, task));
    let mut frames = match plan.colors.is_empty() {
        true => FramesConfig {
            cost: CostModel::at(machine.core.mhz),
            ..FramesConfig::pristine(Policy::Buddy)
        },
        false => plan.frames.config(&machine),
    };
    frames.page_tables = plan.page_tables;
    if plan.colors.iter().any(|color| color.llc_colors.is_some()) {
        frames.lists = ListsBy::BankAndLlc;
    }
    Ok(Experiment {
        refresh,
        in_rhythm: !run.from_switch_on,
        refresh_jitter_ns: plan.refresh_jitter_ns,
        context_switch_ns: plan.context_switch_ns,
        color_ranks: plan.colors.iter().map(ranks).collect(),
        tasks: tasks.collect::<Result<_, _>>()?,
        horizon_ns: run.horizon_ns.unwrap_or_else(|| {
            let begins = mode_change.as_ref().map_or(0, |change| change.begins_ns);
            horizon(plan).max(begins.saturating_add(SHORTEST.saturating_mul(plan.memory.retention_ns)))
        }),
        migrates: !plan.migration.is_none(),
        seed: run.seed,
        check: run.check,
        record_ns: run.record_ns,
        regulation: plan
            .bandwidth
            .as_ref()
            .map(|bandwidth| budgets::of(bandwidth, &machine)),
        mode_change,
        ..Experiment::new(machine, schedule(plan, &plan.schedule)?, frames)
    })
}

pub(super) fn unsound(plan: &Plan, found: impl Into<String>) -> InputError {
    InputError::new(format!("plan {}", plan.name), found).help("see what `fresco check` says of the plan")
}

/// A bit for each rank of a color.
fn ranks(color: &Color) -> u64 {
    color
        .ranks
        .iter()
        .filter(|&&rank| rank < 64)
        .fold(0, |mask, rank| mask | 1 << rank)
}

/// The refresh of a plan, or of its high mode. A policy of the controller is put into the machine.
pub(super) fn refresh(
    plan: &Plan,
    refresh: &plan::RefreshPlan,
    machine: &mut Machine,
) -> Result<RefreshPlan, InputError> {
    match refresh {
        plan::RefreshPlan::Controller { policy } => {
            let known = RefreshPolicy::NAMES.into_iter().find(|(name, _)| name == policy);
            let (_, policy) = known.ok_or_else(|| unsound(plan, format!("found the refresh policy {policy:?}")))?;
            machine.memory.controller.refresh = policy;
            Ok(RefreshPlan::Machine)
        }
        plan::RefreshPlan::Windows { period_ns, windows } => {
            let window = |window: &plan::RefreshWindow| {
                let color = plan.colors.get(window.color);
                let color = color.ok_or_else(|| unsound(plan, "found a refresh of a color that does not exist"))?;
                Ok(RefreshWindow {
                    start_ns: window.start_ns,
                    ranks: ranks(color),
                    commands: window.commands,
                })
            };
            Ok(RefreshPlan::Windows {
                period_ns: *period_ns,
                windows: windows.iter().map(window).collect::<Result<_, InputError>>()?,
            })
        }
    }
}

fn spec(plan: &Plan, task: &PlannedTask) -> Result<TaskSpec, InputError> {
    let copy = task.copy_ns.unwrap_or(0);
    let times = [task.phase_ns, task.period_ns, task.wcet_ns, task.deadline_ns, copy];
    let times = times
        .into_iter()
        .chain([plan.context_switch_ns, task.min_distance_ns, task.wcet_high_ns]);
    let most_jitter = fresco_rt::task::MOST_JITTER;
    if [task.arrival_jitter_ns, task.jitter_ns]
        .into_iter()
        .any(|jitter| jitter > LONGEST_TIME_NS * most_jitter)
    {
        return Err(unsound(plan, format!("found jitter of {} beyond all use", task.name)));
    }
    if { times }.any(|time| time > LONGEST_TIME_NS) {
        return Err(unsound(plan, format!("found times of {} beyond all use", task.name)).allowed("up to 1000 s"));
    }
    if let Some(stalls) = task.stalls.filter(|stalls| *stalls > MOST_STALLS) {
        return Err(
            unsound(plan, format!("found {} with {stalls} cycles of stalls", task.name))
                .allowed(format!("up to {MOST_STALLS}")),
        );
    }
    let timing = match (task.timing(), task.period_ns) {
        // What a job is made to take is what it takes alone.
        (Some(timing), _) => Timing::Periodic(fresco_rt::Task {
            wcet: if task.wcet_alone_ns > 0 {
                task.wcet_alone_ns
            } else {
                timing.wcet
            },
            ..timing
        }),
        (None, 0) => Timing::Batch,
        (None, _) => return Err(unsound(plan, format!("found times of {} that make no task", task.name))),
    };
    let instances = match task.instances.len() {
        0 => vec![Instance::new(0, Coloring::Off)],
        count => (0..count)
            .map(|number| instance(plan, task, number))
            .collect::<Result<_, _>>()?,
    };
    Ok(TaskSpec {
        instances,
        instance_of_job: task.instance_of_job.clone(),
        stalls: task.stalls,
        paging: task.pages,
        team: task.team,
        earlier_ns: task.deadline_ns.saturating_sub(task.low_deadline_ns()),
        global_bytes: task.copy_ns.map_or(0, |_| task.global_bytes),
        ..TaskSpec::new(
            task.name.clone(),
            task.core.unwrap_or(0),
            timing,
            work(task)?,
            Instance::new(0, Coloring::Off),
        )
    })
}

/// Pages of an instance may lie in any bank color of any color that it has memory in, and in the LLC colors of the first.
fn instance(plan: &Plan, task: &PlannedTask, number: usize) -> Result<Instance, InputError> {
    let colors = task.colors_of(number);
    let Some(&first) = colors.first() else {
        // No job runs on it.
        return Ok(Instance::new(0, Coloring::Off));
    };
    let numbers = |list: &str| parse_list(list, u32::MAX, "colors").map_err(|error| unsound(plan, error.found.clone()));
    let mut banks = ColorSet::new();
    for color in colors {
        let Some(held) = plan.colors.get(color) else {
            return Err(unsound(
                plan,
                format!("found memory of {} in a color that does not exist", task.name),
            ));
        };
        for bank in numbers(&held.bank_colors)? {
            banks.insert(bank);
        }
    }
    let llc = plan.colors[first].llc_colors.as_deref().map(numbers).transpose()?;
    let coloring = Coloring::Explicit {
        banks: Some(banks),
        llc: llc.map(ColorSet::from_iter),
    };
    Ok(Instance::new(first, coloring))
}

fn work(task: &PlannedTask) -> Result<Work, InputError> {
    match &task.work {
        plan::Work::Program { name, parameters } => Work::program(name, parameters),
        plan::Work::Synthetic if task.period_ns == 0 => Work::program(
            "random",
            &format!("bytes = '{} B'\nwrite_percent = {WRITE_PERCENT}", task.memory_bytes),
        ),
        plan::Work::Synthetic => Ok(Work::Synthetic {
            bytes: task.memory_bytes,
            write_percent: WRITE_PERCENT,
        }),
    }
}

/// The schedule of a plan, or of its high mode.
pub(super) fn schedule(plan: &Plan, schedule: &Schedule) -> Result<experiment::Schedule, InputError> {
    let policy = plan.policy;
    Ok(match schedule {
        Schedule::Priorities => experiment::Schedule::Plain { policy },
        Schedule::Locked { locks } if plan.method == Method::Burst => experiment::Schedule::Burst {
            locks: locks_of(plan, locks)?,
            policy,
        },
        Schedule::Locked { locks } => experiment::Schedule::Flat {
            locks: locks_of(plan, locks)?,
            policy,
        },
        Schedule::Servers { locks, cores } => experiment::Schedule::Servers {
            cores: cores.iter().map(|core| servers(plan, core)).collect::<Result<_, _>>()?,
            idling: true,
            locks: locks_of(plan, locks)?,
            policy,
        },
        Schedule::Slots {
            period_ns,
            handler_ns,
            cores,
        } => experiment::Schedule::Slots {
            cores: cores
                .iter()
                .map(|core| slots(plan, *period_ns, *handler_ns, core.border_ns))
                .collect::<Result<_, _>>()?,
            policy,
        },
        Schedule::Table { table, lock_ns } => experiment::Schedule::Table {
            table: table.clone(),
            lock_ns: *lock_ns,
        },
        Schedule::Fair { candidates, .. } => experiment::Schedule::Fair(FairSchedule {
            eta_thresh: *candidates,
            best_effort: true,
            guard_ns: FairSchedule::GUARD_NS,
        }),
    })
}

fn locks_of(plan: &Plan, locks: &LockTimes) -> Result<Locks, InputError> {
    locks
        .locks()
        .map_err(|error| unsound(plan, format!("found locks that cannot be: {error}")))
}

/// Servers by color, which is their order of priority.
fn servers(plan: &Plan, core: &plan::CoreServers) -> Result<Vec<Server>, InputError> {
    let in_order = core
        .servers
        .iter()
        .enumerate()
        .all(|(number, server)| server.color == number);
    if !in_order || core.servers.len() != plan.colors.len() {
        return Err(unsound(plan, "found servers that are not one for each color, in order"));
    }
    let servers: Result<Vec<Server>, _> = core.servers.iter().map(plan::PlannedServer::server).collect();
    servers.map_err(|error| unsound(plan, format!("found a server that cannot be: {error}")))
}

fn slots(plan: &Plan, period: u64, handler: u64, border: u64) -> Result<CoreSlots, InputError> {
    let table = |start: u64, end: u64| {
        let slot = if start < end { vec![(start, end)] } else { Vec::new() };
        SlotTable::new(period, &slot).map_err(|error| unsound(plan, format!("found slots that cannot be: {error}")))
    };
    Ok(CoreSlots {
        slots: vec![table(handler, border)?, table(border.saturating_add(handler), period)?],
        handler_ns: handler,
    })
}

/// A run in which everything repeats, but not shorter than two retention times nor longer than ten.
fn horizon(plan: &Plan) -> u64 {
    let retention = plan.memory.retention_ns;
    let periods = plan.tasks.iter().map(|task| task.period_ns.max(1)).chain([retention]);
    let repeat = lcm_all(periods).unwrap_or(u64::MAX);
    let phase = plan.tasks.iter().map(|task| task.phase_ns).max().unwrap_or(0);
    repeat
        .saturating_add(phase)
        .clamp(SHORTEST.saturating_mul(retention), LONGEST.saturating_mul(retention))
}
