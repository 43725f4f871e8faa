// SPDX-License-Identifier: MIT OR Apache-2.0
//! The example of figure 9: four tasks, two cores, four banks.

use super::setup::colors;
use crate::{Observer, World};
use fresco_frames::{Codesign, ColorSet, Coloring, FramesConfig, Policy};
use fresco_input::InputError;
use fresco_machine::load_with;
use fresco_memory::controller::refresh::BankTurns;
use fresco_report::claims::Row;
use fresco_system::experiment::fair::place;
use fresco_system::experiment::{
    Activity, Experiment, FairSchedule, Instance, RunOutcome, Schedule, TaskSpec, Timing, Work, run,
};
use rayon::prelude::*;

/// Name in rows, policy of the machine, and whether the scheduler heeds refresh.
const SCHEMES: [(&str, &str, bool); 3] = [
    ("all-bank", "all-bank-independent", false),
    ("per-bank", "per-bank", false),
    ("codesign", "per-bank-sequential", true),
];
/// Banks of T0 to T3.
const BANKS: [[u32; 2]; 4] = [[0, 2], [1, 3], [0, 2], [1, 3]];
/// Windows of the example: the turns of banks 0 to 3 of rank 0.
const WINDOWS: u64 = 4;
/// What a task does: all accesses go to memory, and one waits for four.
const PROGRAM: &str = "bytes = '32 MiB'\nwrite_percent = 20\ngap = 29";

/// The example under each scheme.
pub fn example(world: World, observer: &dyn Observer) -> Result<Vec<Row>, InputError> {
    // Only the co-design's rows have accesses by window: those of a longer run less those of a shorter one.
    let mut wanted: Vec<(usize, u64)> = (0..SCHEMES.len()).map(|scheme| (scheme, WINDOWS)).collect();
    wanted.extend((1..WINDOWS).map(|windows| (SCHEMES.len() - 1, windows)));
    let steps = observer.begin("co-design, example", wanted.len() as u64);
    let made: Result<Vec<(Experiment, RunOutcome)>, InputError> = wanted
        .par_iter()
        .map(|&(scheme, windows)| {
            let experiment = experiment(SCHEMES[scheme], windows, world)?;
            let result = run(&experiment)?;
            steps.step();
            Ok((experiment, result))
        })
        .collect();
    let made = made?;
    let mut rows = Vec::new();
    for (&(name, ..), (experiment, result)) in SCHEMES.iter().zip(&made) {
        let both = 100.0 * result.all_cores_wait_ps as f64 / (experiment.horizon_ns as f64 * 1000.0);
        let row = Row::new().label("refresh", name).label("window", "all");
        rows.push(
            row.value("both_stalled_pct", both)
                .value("interfered_reads", interfered(result) as f64),
        );
        let shorter = if name == "codesign" {
            &made[SCHEMES.len()..]
        } else {
            &[]
        };
        for window in 0..WINDOWS {
            rows.push(of_window(name, window, experiment, result, shorter));
        }
    }
    Ok(rows)
}

fn interfered(result: &RunOutcome) -> u64 {
    result.tasks.iter().map(|task| task.met_refresh.reads).sum()
}

/// Who runs in a window, and which bank is refreshed if it is one bank all the time.
fn of_window(
    name: &str,
    window: u64,
    experiment: &Experiment,
    result: &RunOutcome,
    shorter: &[(Experiment, RunOutcome)],
) -> Row {
    let memory = &experiment.machine.memory;
    let turn = BankTurns::new(&memory.organisation, &memory.timing).turn(window);
    let (start, end) = (
        memory.timing.clock.to_ps(turn.start),
        memory.timing.clock.to_ps(turn.end),
    );
    let mut row = Row::new()
        .label("refresh", name)
        .label("window", format!("{}-{}", 4 * window, 4 * window + 4));
    for task in 0..BANKS.len() {
        // Switches take a little of the next window.
        let runs = result.timeline.runs.iter().any(|span| {
            let own = matches!(span.activity, Activity::Run { task: of, .. } if of == task);
            own && span.end_ps.min(end).saturating_sub(span.start_ps.max(start)) > (end - start) / 100
        });
        row = row.value(format!("runs_t{task}"), f64::from(u8::from(runs)));
    }
    if name != "codesign" {
        return row;
    }
    // Windows up to this one, and up to the one before.
    let up_to = |windows: u64| match windows {
        0 => 0,
        WINDOWS => interfered(result),
        _ => shorter
            .get(windows as usize - 1)
            .map_or(0, |(_, result)| interfered(result)),
    };
    row.value("bank", f64::from(turn.bank)).value(
        "interfered_reads",
        up_to(window + 1).saturating_sub(up_to(window)) as f64,
    )
}

fn experiment((_, policy, heeds): (&str, &str, bool), windows: u64, world: World) -> Result<Experiment, InputError> {
    let set = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    let machine = load_with(
        "gem5-2core",
        &[
            set("memory.density", "32"),
            set("memory.density_scales_refresh_only", "true"),
            set("memory.organisation.rows", "32768"),
            set("memory.controller.refresh", &format!("{policy:?}")),
        ],
    )?;
    let space = colors(&machine)?;
    let banks_per_rank = machine.memory.organisation.banks_per_rank();
    let masks = BANKS.map(|own| -> ColorSet {
        let inside = |color: &u32| {
            space
                .banks(*color)
                .iter()
                .all(|bank| own.contains(&(bank % banks_per_rank)))
        };
        (0..space.bank_colors()).filter(inside).collect()
    });
    let cores = place(&masks, machine.cores, space.bank_colors());
    let tasks = masks.into_iter().zip(cores).enumerate().map(|(number, (mask, core))| {
        let work = Work::program("random", PROGRAM).expect("takes these parameters");
        let coloring = Coloring::Explicit {
            banks: Some(mask),
            llc: None,
        };
        let instance = Instance::new(0, coloring);
        TaskSpec::new(format!("T{number}"), core, Timing::Batch, work, instance)
    });
    let memory = &machine.memory;
    let last = BankTurns::new(&memory.organisation, &memory.timing).turn(windows - 1);
    let horizon_ns = memory.timing.clock.to_ps(last.end) / 1000;
    let schedule = Schedule::Fair(match heeds {
        true => FairSchedule::refresh_aware(),
        false => FairSchedule::blind(),
    });
    Ok(Experiment {
        tasks: tasks.collect(),
        horizon_ns,
        seed: world.seed(),
        record_ns: horizon_ns,
        ..Experiment::new(
            machine,
            schedule,
            FramesConfig::pristine(Policy::Codesign(Codesign::default())),
        )
    })
}
