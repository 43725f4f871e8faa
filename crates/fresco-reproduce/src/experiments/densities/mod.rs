// SPDX-License-Identifier: MIT OR Apache-2.0
//! The task sets of tables 4.4 and 5.2 as programs, under each way of refreshing, at each density.

mod plans;
mod rows;
mod short;

pub use short::crs_short;

use crate::{Observer, World};
use fresco_input::InputError;
use fresco_machine::Machine;
use fresco_plan::Plan;
use fresco_report::claims::Row;
use fresco_system::planned::{self, Run};
use rayon::prelude::*;

/// Densities of table 4.1, in Gbit; tests make do with one, and with a part of a run.
const DENSITIES: &[u32] = if cfg!(test) { &[8] } else { &[1, 2, 4, 8, 16, 32, 64] };
/// Length of a run: two retention times.
const HORIZON_NS: u64 = if cfg!(test) { 10_000_000 } else { 128_000_000 };
/// Names of the labels that a row of a run has besides density and method.
const POLICIES: [&str; 3] = ["edf", "rm", "dm"];

/// Densities at which RM and DM are run without refresh and under automatic refresh, too.
const FEW: &[u32] = if cfg!(test) { &[8] } else { &[1, 8, 64] };

/// A run to be made: labels, the plan, and the machine that it runs on.
struct Case {
    density: u32,
    method: &'static str,
    policy: Option<&'static str>,
    plan: Plan,
    machine: Machine,
}

/// Table 4.4 task by task.
pub fn cr_tasks(world: World, observer: &dyn Observer) -> Result<Vec<Row>, InputError> {
    Ok(table_4_4(world, observer)?
        .into_iter()
        .flat_map(|run| run.tasks)
        .collect())
}

/// Table 4.4 as a whole.
pub fn cr_set(world: World, observer: &dyn Observer) -> Result<Vec<Row>, InputError> {
    Ok(table_4_4(world, observer)?.into_iter().map(|run| run.set).collect())
}

/// Table 5.2 task by task.
pub fn crs_tasks(world: World, observer: &dyn Observer) -> Result<Vec<Row>, InputError> {
    Ok(table_5_2(world, observer)?
        .into_iter()
        .flat_map(|run| run.tasks)
        .collect())
}

/// Table 5.2 as a whole.
pub fn crs_set(world: World, observer: &dyn Observer) -> Result<Vec<Row>, InputError> {
    Ok(table_5_2(world, observer)?.into_iter().map(|run| run.set).collect())
}

/// The rows of a run.
#[derive(Clone)]
struct Rows {
    tasks: Vec<Row>,
    set: Row,
}

/// Runs of table 4.4; made once, for both experiments.
fn table_4_4(world: World, observer: &dyn Observer) -> Result<Vec<Rows>, InputError> {
    static MADE: Once = Once::new();
    MADE.get_or_make(world, || {
        let mut cases = Vec::new();
        for &density in DENSITIES {
            for method in ["none", "auto-refresh", "colored-refresh", "fgr-2x", "fgr-4x", "burst"] {
                cases.extend(plans::table_4_4(density, method)?);
            }
        }
        run_all("table 4.4", cases, world, observer)
    })
}

/// Runs of table 5.2; made once, for both experiments.
fn table_5_2(world: World, observer: &dyn Observer) -> Result<Vec<Rows>, InputError> {
    static MADE: Once = Once::new();
    MADE.get_or_make(world, || {
        let mut cases = Vec::new();
        for &density in DENSITIES {
            for policy in POLICIES {
                for method in plans::METHODS_5_2 {
                    let few = ["none", "auto-refresh"].contains(&method) && FEW.contains(&density);
                    let published = method == "crs" || few;
                    if policy == "edf" || published {
                        cases.extend(plans::table_5_2(density, method, policy)?);
                    }
                }
            }
        }
        run_all("table 5.2", cases, world, observer)
    })
}

fn run_all(what: &str, cases: Vec<Case>, world: World, observer: &dyn Observer) -> Result<Vec<Rows>, InputError> {
    let cases: Vec<Case> = cases.into_iter().filter(|case| !case.is_said()).collect();
    let steps = observer.begin(what, cases.len() as u64);
    let made = cases
        .par_iter()
        .map(|case| {
            let run = Run {
                horizon_ns: Some(HORIZON_NS),
                seed: world.seed(),
                record_ns: 0,
                ..Run::default()
            };
            let machine = world.machine(case.machine.clone())?;
            let outcome = planned::outcome(&case.plan, &machine, run)?;
            steps.step();
            let of_density = |&density: &u32| rows::of(case, density, &outcome);
            Ok(case.stands_for().iter().map(of_density).collect::<Vec<Rows>>())
        })
        .collect::<Result<Vec<Vec<Rows>>, InputError>>();
    made.map(|made| made.concat())
}

impl Case {
    /// Without refresh the density changes nothing: the run at the first one is that of all.
    fn stands_for(&self) -> Vec<u32> {
        match (self.method, self.policy) {
            ("none", None | Some("edf")) => DENSITIES.to_vec(),
            ("none", _) => FEW.to_vec(),
            _ => vec![self.density],
        }
    }

    /// Whether its run is that of another case.
    fn is_said(&self) -> bool {
        self.method == "none" && self.density != DENSITIES[0]
    }
}

/// What is made once per world.
struct Once(std::sync::Mutex<Option<(World, Vec<Rows>)>>);

impl Once {
    const fn new() -> Self {
        Self(std::sync::Mutex::new(None))
    }

    fn get_or_make(
        &self,
        world: World,
        make: impl FnOnce() -> Result<Vec<Rows>, InputError>,
    ) -> Result<Vec<Rows>, InputError> {
        let mut made = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some((of_world, rows)) = made.as_ref()
            && *of_world == world
        {
            return Ok(rows.clone());
        }
        let rows = make()?;
        *made = Some((world, rows.clone()));
        Ok(rows)
    }
}
