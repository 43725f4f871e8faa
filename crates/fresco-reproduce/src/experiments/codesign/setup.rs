// SPDX-License-Identifier: MIT OR Apache-2.0
//! From what is varied to an experiment.

use super::Programs;
use super::programs::ROUNDS;
use super::spec::{Banks, Scheme, Spec};
use crate::World;
use fresco_dram::ColorSpace;
use fresco_frames::{Codesign, ColorSet, Coloring, FramesConfig, Partition, Policy};
use fresco_input::InputError;
use fresco_machine::{Machine, RefreshPolicy, load_with};
use fresco_system::experiment::fair::{FairSchedule, Variant};
use fresco_system::experiment::{Experiment, Instance, Schedule, TaskSpec, Timing};

/// Refresh commands in a retention time instead of 8192: the round of the banks and the slices are shorter by this
/// factor, tREFI and tRFC are not.
const SHORTER: u64 = 32;
/// Rows of a bank: enough for all tasks of any set-up.
const ROWS: u32 = 32_768;
/// How much shorter refreshes of a half and of a quarter of the rows are, in hundredths (section 6.3).
const FINER: [(u32, u64); 2] = [(2, 135), (4, 163)];

/// The machine of a run.
///
/// # Errors
/// There is no time for the refreshes (CON-20).
pub(super) fn machine(spec: &Spec) -> Result<Machine, InputError> {
    let policy = spec.scheme.policy();
    let set = |key: &str, value: String| (key.to_owned(), value);
    let mut overrides = variant(spec).overrides();
    overrides.retain(|(key, _)| key != "memory.controller.refresh");
    overrides.extend([
        set("memory.density", spec.gbit.to_string()),
        set("memory.density_scales_refresh_only", "true".to_owned()),
        set("memory.organisation.rows", ROWS.to_string()),
        set("memory.hot", spec.hot.to_string()),
        set("memory.controller.refresh", format!("{:?}", policy.name())),
    ]);
    let mut machine = load_with("gem5-2core", &overrides)?;
    let timing = &mut machine.memory.timing;
    let shorter = |cycles: u64, divisor: u32| {
        let percent = FINER
            .iter()
            .find(|(mode, _)| *mode == divisor)
            .map_or(100, |&(_, percent)| percent);
        (cycles * 100).div_ceil(percent)
    };
    match spec.scheme {
        Scheme::Finer(divisor) => {
            timing.rfc_ab = shorter(timing.rfc_ab, divisor);
            timing.refi /= u64::from(divisor);
            timing.refreshes *= u64::from(divisor);
        }
        Scheme::Adaptive => {
            timing.rfc_ab4 = shorter(timing.rfc_ab, 4);
            machine.memory.controller.refresh = RefreshPolicy::Adaptive;
        }
        _ => {}
    }
    timing.refreshes /= SHORTER;
    timing.bank_refreshes /= SHORTER;
    // Some room, as a window of full length has it: no interval is shortened.
    timing.refw = timing.refi * (timing.refreshes + 16);
    Ok(machine)
}

fn variant(spec: &Spec) -> Variant {
    Variant {
        cores: spec.cores,
        tasks_per_core: spec.tasks_per_core,
        dimms: spec.dimms,
    }
}

/// The experiment of a run: one round of the banks, after those that fill the caches.
///
/// # Errors
/// There is no time for the refreshes.
pub(super) fn experiment(spec: &Spec, programs: Programs<'_>, world: World) -> Result<Experiment, InputError> {
    let machine = world.machine(machine(spec)?)?;
    let tasks = programs.tasks(spec.workload, (spec.cores * spec.tasks_per_core) as usize)?;
    let tasks = (0u32..).zip(tasks).map(|(task, (program, work))| {
        // As a round-robin balancer deals them out.
        let (core, number) = (task % spec.cores, task / spec.cores);
        let instance = Instance::new(0, coloring(spec, &machine, core, number)?);
        Ok(TaskSpec::new(
            format!("{program}-{task}"),
            core,
            Timing::Batch,
            work,
            instance,
        ))
    });
    let tasks = tasks.collect::<Result<Vec<TaskSpec>, InputError>>()?;
    let timing = &machine.memory.timing;
    let round_ns = timing.clock.to_ps(timing.refi * timing.refreshes) / 1000;
    let partition = match spec.banks {
        Banks::Hard => Partition::Hard,
        _ => Partition::Soft,
    };
    let schedule = Schedule::Fair(match spec.scheme {
        Scheme::Codesign(eta_thresh) => FairSchedule {
            eta_thresh,
            ..FairSchedule::refresh_aware()
        },
        _ => FairSchedule::blind(),
    });
    let frames = FramesConfig::pristine(match spec.banks {
        Banks::All => Policy::Buddy,
        _ => Policy::Codesign(Codesign { partition }),
    });
    Ok(Experiment {
        tasks,
        horizon_ns: (ROUNDS + 1) * round_ns,
        count_from_ns: ROUNDS * round_ns,
        seed: world.seed(),
        ..Experiment::new(machine, schedule, frames)
    })
}

/// Where the `number`th task of a core has its pages.
fn coloring(spec: &Spec, machine: &Machine, core: u32, number: u32) -> Result<Coloring, InputError> {
    let banks = machine.memory.organisation.banks_per_rank();
    let own: Box<dyn Fn(u32) -> bool> = match spec.banks {
        Banks::All => return Ok(Coloring::Off),
        Banks::Published => return Ok(explicit(variant(spec).banks(machine, number)?)),
        Banks::Few(few) => {
            // Each core begins elsewhere, so that tasks that run at the same time seldom share all their banks.
            let first = number * banks / spec.tasks_per_core + core * banks / spec.cores;
            Box::new(move |bank| (bank + 2 * banks - first % banks) % banks < few)
        }
        Banks::Hard => {
            let all = spec.cores * spec.tasks_per_core;
            let task = number * spec.cores + core;
            Box::new(move |bank| bank * all / banks == task)
        }
    };
    let space = colors(machine)?;
    let in_own = |color: &u32| space.banks(*color).iter().all(|bank| own(bank % banks));
    Ok(explicit((0..space.bank_colors()).filter(in_own).collect()))
}

/// The bank colors of a machine without a shared cache.
///
/// # Errors
/// Bank bits lie inside a page.
pub(super) fn colors(machine: &Machine) -> Result<ColorSpace, InputError> {
    ColorSpace::new(&machine.memory.map, &[], machine.page_bytes.trailing_zeros())
        .map_err(|error| InputError::new(machine.name.clone(), error.to_string()))
}

fn explicit(banks: ColorSet) -> Coloring {
    Coloring::Explicit {
        banks: Some(banks),
        llc: None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::outcomes;
    use super::*;
    use std::collections::BTreeSet;

    /// Bank colors of the tasks of a core.
    fn masks(spec: Spec, core: u32) -> Vec<ColorSet> {
        let machine = machine(&spec).expect("a machine");
        let mask = |number| match coloring(&spec, &machine, core, number).expect("colors") {
            Coloring::Explicit { banks: Some(banks), .. } => banks,
            other => panic!("{other:?}"),
        };
        (0..spec.tasks_per_core).map(mask).collect()
    }

    #[test]
    fn banks_are_those_of_the_paper() {
        let of = |banks| Spec {
            banks,
            ..Spec::usual(1, 32, Scheme::CODESIGN)
        };
        for (banks, of_16) in [
            (Banks::Published, 12),
            (Banks::Few(4), 8),
            (Banks::Few(2), 4),
            (Banks::Hard, 2),
        ] {
            for core in 0..2 {
                let masks = masks(of(banks), core);
                assert!(masks.iter().all(|mask| mask.len() == of_16), "{banks:?}: {masks:?}");
                // Each bank is left free by a task of the core (COD-11).
                let free = |bank: &u32| masks.iter().any(|mask| !mask.contains(*bank));
                assert!((0..16).all(|bank| free(&bank)), "{banks:?}");
            }
        }
        let hard: Vec<u32> = (0..2)
            .flat_map(|core| masks(of(Banks::Hard), core))
            .flat_map(|mask| mask.iter().collect::<Vec<_>>())
            .collect();
        assert_eq!(
            hard.iter().collect::<BTreeSet<_>>().len(),
            hard.len(),
            "no bank is shared"
        );
    }

    /// CON-20.
    #[test]
    fn what_does_not_fit() {
        let of = |gbit, hot, dimms| Spec {
            hot,
            dimms,
            ..Spec::usual(1, gbit, Scheme::CODESIGN)
        };
        assert!(of(32, false, 1).fits() && of(16, true, 1).fits());
        assert!(!of(24, true, 1).fits() && !of(32, true, 1).fits() && !of(32, false, 2).fits());
    }

    /// WL-2 has few accesses.
    #[test]
    fn only_the_co_design_meets_no_refresh() {
        let specs = [Scheme::NoRefresh, Scheme::AllBank, Scheme::PerBank, Scheme::CODESIGN];
        let specs = specs.map(|scheme| Spec::usual(2, 32, scheme));
        let made = outcomes(
            "test",
            Programs::Models,
            World::default(),
            &specs.into_iter().collect(),
            &crate::Unobserved,
        )
        .expect("runs");
        let interfered = specs.map(|spec| made[&spec].interfered);
        assert!(interfered[1] > 500 && interfered[2] > 500, "{interfered:?}");
        assert_eq!((interfered[0], interfered[3]), (0, 0));
        let ipc = specs.map(|spec| made[&spec].ipc);
        assert!(ipc[0] >= ipc[3] && ipc[3] > ipc[2] && ipc[2] > ipc[1], "{ipc:?}");
    }
}
