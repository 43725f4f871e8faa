// SPDX-License-Identifier: MIT OR Apache-2.0
//! How many operations a synthetic job makes: as many as fit its WCET on the idle machine.

use super::{Experiment, Fate, Regulation, Schedule, TaskSpec, Timing, Work};
use crate::engine::Engine;
use fresco_dram::Ps;
use fresco_input::InputError;
use fresco_machine::RefreshPolicy;
use fresco_rt::policy::{Order, Policy};

/// Operations of the first trial.
const FIRST: u64 = 1000;

/// Trials until a number is taken that fits; the second or third does.
const TRIALS: usize = 12;

/// Operations of a job of each synthetic task, 0 for the others.
///
/// A job is run alone, from cold private caches, in the task's first memory, without refresh. From what it takes follows a
/// better number, until a job takes between 99 and 100 % of the time it may: the WCET less the margin. With budgets of bandwidth it
/// has its core's, from the begin of a period on, and may take a period less: others may have used the budget up before it. Where lines
/// written back count, too, it has half of it for those that it fetches.
///
/// # Errors
/// Not a single operation fits the WCET, or the task does not fit its colors.
pub(super) fn operations(experiment: &Experiment) -> Result<Vec<u64>, InputError> {
    let mut found = Vec::new();
    for number in 0..experiment.tasks.len() {
        found.push(match experiment.tasks[number].work {
            Work::Synthetic { .. } => fit(experiment, number, experiment.tasks[number].timing.wcet().unwrap_or(0))?,
            Work::Program { .. } | Work::Registers | Work::Live(_) => 0,
        });
    }
    Ok(found)
}

/// Operations of a job of each synthetic task in high mode, if jobs are longer there; 0 for the others, and without a change of mode.
///
/// # Errors
/// As [`operations`].
pub(super) fn longer_operations(experiment: &Experiment) -> Result<Vec<u64>, InputError> {
    let fates = experiment
        .mode_change
        .iter()
        .flat_map(|change| &change.tasks)
        .enumerate();
    let of = |(number, fate): (usize, &Fate)| match (fate, &experiment.tasks[number]) {
        (Fate::Kept { wcet_ns, .. }, task) if matches!(task.work, Work::Synthetic { .. }) => {
            match task.timing.wcet() < Some(*wcet_ns) {
                true => fit(experiment, number, *wcet_ns),
                false => Ok(0),
            }
        }
        _ => Ok(0),
    };
    fates.map(of).collect()
}

/// As many operations as fit so many nanoseconds.
fn fit(experiment: &Experiment, number: usize, wcet_ns: u64) -> Result<u64, InputError> {
    let task = &experiment.tasks[number];
    let wcet = wcet_ns * 1000;
    let core = (experiment.regulation.as_ref()).filter(|regulation| regulation.budgets.has(task.core));
    let waits = core.map_or(0, |regulation| regulation.budgets.period);
    let may = (wcet - wcet / 1000 * u64::from(experiment.margin_permille)).saturating_sub(waits);
    let alone = alone(experiment, task);
    let (mut operations, mut best) = (FIRST, 0);
    for _ in 0..TRIALS {
        let takes = execution(&alone, operations)?;
        if takes <= may {
            best = best.max(operations);
            if takes >= may - may / 100 {
                break;
            }
        }
        // Half a percent below, so that the next one fits.
        let next = u128::from(operations) * u128::from(may) * 995 / (u128::from(takes.max(1)) * 1000);
        operations = u64::try_from(next).unwrap_or(u64::MAX).clamp(1, 1 << 32);
        if operations == best {
            break;
        }
    }
    if best == 0 {
        return Err(experiment
            .error(format!(
                "found task {:?} whose WCET no access to memory fits",
                task.name
            ))
            .allowed("a WCET of a microsecond or more, and longer than a period of budgets of bandwidth")
            .help("raise the WCET, or shorten the period of budgets"));
    }
    Ok(best)
}

/// The task alone on the idle machine.
fn alone(experiment: &Experiment, task: &TaskSpec) -> Experiment {
    let mut machine = experiment.machine.clone();
    machine.memory.controller.refresh = RefreshPolicy::None;
    let mut task = task.clone();
    // A job from time 0 on, with all the time that it takes.
    task.timing = Timing::Batch;
    task.instances.truncate(1);
    task.instances[0].color = 0;
    task.instance_of_job = Vec::new();
    task.global_bytes = 0;
    task.team = None;
    let schedule = Schedule::Plain {
        policy: Policy::FixedPriority(Order::DeadlineMonotonic),
    };
    Experiment {
        tasks: vec![task],
        horizon_ns: u64::MAX / 1000,
        seed: experiment.seed,
        regulation: experiment.regulation.as_ref().map(of_fetches),
        ..Experiment::new(machine, schedule, experiment.frames)
    }
}

/// Budgets that only fetches use up. Cold caches push nothing out, and in the schedule each line that a job fetches may push out a dirty
/// one: where these count, half of a budget is for fetches.
fn of_fetches(regulation: &Regulation) -> Regulation {
    let mut fetches = regulation.clone();
    if std::mem::take(&mut fetches.budgets.count_write_backs) {
        let settings = fetches.budgets.nodes.iter_mut().map(|node| &mut node.settings);
        let reservations = settings.flat_map(|settings| &mut settings.reservations);
        reservations.for_each(|one| one.lines = (one.lines / 2).max(1));
    }
    fetches
}

/// How long the first job takes with so many operations.
fn execution(alone: &Experiment, operations: u64) -> Result<Ps, InputError> {
    Engine::new(alone, &[operations])?.first_pass()
}
