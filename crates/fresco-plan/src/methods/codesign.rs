// SPDX-License-Identifier: MIT OR Apache-2.0
//! The co-design: refresh one bank at a time, all its rows, and keep tasks away from it (COD-1 to COD-11).
//!
//! For periodic tasks this is a cyclic table whose colours are banks and whose frames are tRET / banks long (theory of the
//! cyclic executive, in frame mode): exact, with a guarantee. For batch tasks it is the published scheduler: fair shares in
//! slices as long as a bank's refresh, without any.

use super::colored_refresh::responses;
use super::draft::{Draft, Ground};
use super::grouping::given;
use super::words::time;
use crate::colors::of_banks;
use crate::plan::{Color, Evidence, Proof, RefreshPlan, Schedule};
use crate::refusal::Refusal;
use fresco_machine::RefreshPolicy;
use fresco_rt::Time;
use fresco_rt::executive::{Answer, CoAssign, Cores, DEFAULT_BUDGET, Problem, Rotation, Slicing, Table, first_fit};

pub(super) fn draft(ground: &Ground<'_>) -> Result<Draft, Refusal> {
    let memory = &ground.memory;
    let machine = &ground.set.machine.memory;
    RefreshPolicy::PerBankSequential
        .check(&machine.organisation, &machine.timing)
        .map_err(|error| Refusal::machine(format!("no bank can be refreshed after the other: {error}")))?;
    let colors = of_banks(&ground.set.machine)?;
    let slice = memory.retention_ns / colors.len() as Time;
    match ground.tasks.is_empty() {
        true => fair(ground, colors, slice),
        false => table(ground, colors, slice),
    }
}

fn refresh() -> RefreshPlan {
    RefreshPlan::Controller {
        policy: RefreshPolicy::PerBankSequential.name().to_owned(),
    }
}

/// A cyclic table for periodic tasks.
fn table(ground: &Ground<'_>, colors: Vec<Color>, slice: Time) -> Result<Draft, Refusal> {
    let (set, page) = (ground.set, ground.memory.page_bytes);
    let rotation = Rotation::frames(ground.memory.retention_ns, colors.len())
        .map_err(|error| Refusal::machine(error.to_string()))?;
    let cores = cores(ground, rotation)?;
    let undecided = |error: &dyn std::fmt::Display| Refusal::undecided(error.to_string());
    let problem =
        Problem::new(&ground.tasks, rotation, cores.clone(), Slicing::Anywhere).map_err(|error| undecided(&error))?;
    let question = CoAssign {
        problem: &problem,
        memory: set.tasks.iter().map(|task| task.memory / page).collect(),
        capacity: colors.iter().map(|color| color.bytes / page).collect(),
        instances: vec![1; set.tasks.len()],
        copy_cost: vec![None; set.tasks.len()],
        budget: DEFAULT_BUDGET,
    };
    let (answer, _) = question.solve().map_err(|error| undecided(&error))?;
    let assignment = match answer {
        Answer::Found(assignment) => *assignment,
        Answer::Impossible(reason) => return Err(Refusal::load(format!("{reason} (times in ns)"))),
        Answer::Unknown => return Err(Refusal::undecided("the search gave up, without a verdict")),
    };
    let mut table = assignment.table(&problem);
    let widened = widen(&mut table, &question.memory, &question.capacity);
    Ok(Draft {
        instances: table
            .memory
            .iter()
            .map(|task| {
                task.iter()
                    .map(|units| units.iter().map(|unit| unit * page).collect())
                    .collect()
            })
            .collect(),
        cores: match &cores {
            Cores::Partitioned(core_of) => core_of.iter().map(|&core| Some(core as u32)).collect(),
            Cores::Global(_) => vec![Some(0); set.tasks.len()],
        },
        bounds: responses(ground, &table),
        copies: vec![None; set.tasks.len()],
        proofs: vec![Proof {
            core: None,
            color: None,
            tasks: (0..set.tasks.len()).collect(),
            evidence: Evidence::Table,
        }],
        reasons: vec![
            format!(
                "{} banks, one refreshed in every frame of {}; tasks lie in {} banks on average, for parallelism",
                colors.len(),
                time(slice),
                widened / set.tasks.len().max(1)
            ),
            LIMITS.to_owned(),
        ],
        schedule: Schedule::Table { table, lock_ns: 0 },
        refresh: refresh(),
        colors,
    })
}

/// What the method asks of devices.
const LIMITS: &str = "all rows of one bank before the next: neither DDR3 nor LPDDR specify this order; LPDDR2 fixes the order of the \
                      banks, and where it is free the row counter goes on only after a round of all banks";

fn cores(ground: &Ground<'_>, rotation: Rotation) -> Result<Cores, Refusal> {
    let count = ground.set.options.cores as usize;
    if count == 1 {
        return Ok(Cores::ONE);
    }
    if let Some(given) = given(ground) {
        return Ok(Cores::Partitioned(given));
    }
    match first_fit(&ground.tasks, rotation, count) {
        Ok(Some(core_of)) => Ok(Cores::Partitioned(core_of)),
        Ok(None) => Err(Refusal::load(format!(
            "first fit finds no place on {count} cores for every task"
        ))),
        Err(error) => Err(Refusal::undecided(error.to_string())),
    }
}

/// Spreads the pages of each task over all the banks that its slots happen to avoid, as evenly as room allows (COD-3): more
/// banks give more parallelism. Returns the sum of the tasks' numbers of banks.
fn widen(table: &mut Table, need: &[u64], capacity: &[u64]) -> usize {
    let mut occupied = vec![vec![false; capacity.len()]; need.len()];
    for slot in &table.slots {
        for burst in &table.bursts {
            if slot.start < burst.start + burst.length && burst.start < slot.start + slot.length {
                occupied[slot.task][burst.color] = true;
            }
        }
    }
    let mut left = capacity.to_vec();
    // Room that the assignment found is not given away to others.
    let reserve = |left: &mut Vec<u64>, units: &[u64], back: bool| {
        for (left, &units) in left.iter_mut().zip(units) {
            *left = if back { *left + units } else { *left - units };
        }
    };
    table.memory.iter().for_each(|task| reserve(&mut left, &task[0], false));
    let mut banks = 0;
    for (task, memory) in table.memory.iter_mut().enumerate() {
        reserve(&mut left, &memory[0], true);
        memory[0] = spread(need[task], &left, &occupied[task]);
        reserve(&mut left, &memory[0], false);
        banks += memory[0].iter().filter(|&&units| units > 0).count();
    }
    banks
}

/// `need` units over the colours that are not occupied, as evenly as the room in each allows; the room suffices.
fn spread(need: u64, room: &[u64], occupied: &[bool]) -> Vec<u64> {
    let mut units = vec![0; room.len()];
    let mut rest = need;
    while rest > 0 {
        let open: Vec<usize> = (0..room.len())
            .filter(|&c| !occupied[c] && units[c] < room[c])
            .collect();
        debug_assert!(!open.is_empty(), "what the assignment found is room enough");
        if open.is_empty() {
            break;
        }
        let share = (rest / open.len() as u64).max(1);
        for color in open {
            let more = share.min(room[color] - units[color]).min(rest);
            units[color] += more;
            rest -= more;
        }
    }
    units
}

/// Fair slices for batch tasks: the tasks of a core leave banks of each rank free in turn (COD-11).
fn fair(ground: &Ground<'_>, colors: Vec<Color>, slice: Time) -> Result<Draft, Refusal> {
    let set = ground.set;
    let cores = set.options.cores as usize;
    let banks = ground.memory.banks_per_rank as usize;
    let mut on_core = vec![Vec::new(); cores];
    for (task, spec) in set.tasks.iter().enumerate() {
        let core = spec.core.map_or(task % cores, |core| core as usize);
        on_core[core].push(task);
    }
    let mut instances = vec![Vec::new(); set.tasks.len()];
    let mut reasons = vec![LIMITS.to_owned()];
    let mut left: Vec<u64> = colors
        .iter()
        .map(|color| color.bytes / ground.memory.page_bytes)
        .collect();
    for (core, tasks) in on_core.iter().enumerate().filter(|(_, tasks)| !tasks.is_empty()) {
        let count = tasks.len().min(banks);
        for (number, &task) in tasks.iter().enumerate() {
            // Task n of a core leaves the n-th share of the banks free; with one task alone there is no one to run meanwhile.
            let excluded = |bank: usize| count > 1 && bank * count / banks == number % count;
            let occupied: Vec<bool> = (0..colors.len()).map(|color| excluded(color % banks)).collect();
            let pages = set.tasks[task].memory / ground.memory.page_bytes;
            let room: u64 = (0..left.len()).filter(|&c| !occupied[c]).map(|c| left[c]).sum();
            if room < pages {
                return Err(Refusal::load(format!(
                    "task {} needs {pages} pages, and the banks it may use have {room} left",
                    set.tasks[task].name
                )));
            }
            let units = spread(pages, &left, &occupied);
            left.iter_mut().zip(&units).for_each(|(left, units)| *left -= units);
            instances[task] = vec![units.iter().map(|unit| unit * ground.memory.page_bytes).collect()];
        }
        reasons.push(match tasks.len() {
            1 => format!("core {core} has one task: it meets the refresh of its banks, no other can run meanwhile"),
            n => format!("core {core}: each of {n} tasks leaves a {count}th of the banks of every rank free, in turn"),
        });
    }
    reasons.push("no guarantee: shares are fair, deadlines are not looked at".to_owned());
    Ok(Draft {
        instances,
        cores: (0..set.tasks.len())
            .map(|task| {
                on_core
                    .iter()
                    .position(|tasks| tasks.contains(&task))
                    .map(|core| core as u32)
            })
            .collect(),
        bounds: vec![None; set.tasks.len()],
        copies: vec![None; set.tasks.len()],
        schedule: Schedule::Fair {
            slice_ns: slice,
            candidates: set.options.candidates,
        },
        refresh: refresh(),
        proofs: Vec::new(),
        reasons,
        colors,
    })
}
