// SPDX-License-Identifier: MIT OR Apache-2.0
//! A judge of plans: executes a plan's JSON as docs/plan.md and docs/file-formats.md describe it, in whole nanoseconds, and tells what
//! goes wrong. It shares no code with planner, checker and simulation, and looks at nothing that they look at: it has no proofs, only
//! what happens in one run after the other, each under another choice of what the plan leaves open ([`Conduct`]).
//!
//! A core has the memory to itself: what tasks of other cores cost is contained in WCETs (docs/plan.md, methods).
#![allow(dead_code)] // the soak runs a part of it

pub mod conduct;
pub mod draws;
#[cfg(test)]
mod faults;
pub mod gate;
pub mod jobs;
pub mod plan;
pub mod ranks;
pub mod reasons;
pub mod refresh;
pub mod soak;
pub mod spoil;
pub mod supply;
pub mod table;
#[cfg(test)]
mod worked;

use conduct::{Arrivals, Conduct, Late, Work};
use plan::{Ns, Plan, Schedule};
use serde_json::Value;

/// What a plan must not let happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Harm {
    /// Nobody could execute it.
    Senseless(String),
    /// A job that is not over at its deadline.
    Miss { task: String, job: u64, deadline: Ns },
    /// A response that is longer than the plan says.
    Bound {
        task: String,
        job: u64,
        response: Ns,
        bound: Option<Ns>,
    },
    /// A task that runs while memory that it owns is refreshed.
    Met { task: String, at: Ns },
    /// Rows that wait longer than the retention time, from one refresh to the next, if there is one.
    Row { rank: u32, from: i64, to: Option<i64> },
    /// A color that holds more than there is, or pages that lie elsewhere.
    Memory(String),
}

impl Harm {
    /// The kind of harm.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Senseless(_) => "senseless",
            Self::Miss { .. } => "miss",
            Self::Bound { .. } => "bound",
            Self::Met { .. } => "met",
            Self::Row { .. } => "row",
            Self::Memory(_) => "memory",
        }
    }
}

/// A job, or a part of it, on a core.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    pub core: usize,
    pub task: usize,
    pub job: u64,
    pub start: Ns,
    pub end: Ns,
}

/// What was executed.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// Jobs that were over in time.
    pub jobs: u64,
    /// Longest response of each task.
    pub worst: Vec<Ns>,
    /// The first pieces, if they were asked for.
    pub pieces: Vec<Piece>,
    /// How many pieces to keep.
    pub keep: usize,
}

/// A bit of a set.
pub fn bit(number: usize) -> u64 {
    1u64.checked_shl(number as u32).unwrap_or(0)
}

/// Runs a plan once.
///
/// # Errors
/// The first harm.
pub fn run(plan: &Plan, conduct: &Conduct, seen: &mut Seen) -> Result<(), Harm> {
    seen.worst.resize(plan.tasks.len(), 0);
    match &plan.schedule {
        Schedule::Fair {} => Ok(()),
        Schedule::Table { table, lock_ns } => table::run(plan, table, *lock_ns, conduct, seen),
        _ => (0..plan.cores as usize).try_for_each(|core| jobs::run(plan, core, conduct, seen)),
    }
}

/// Runs of a plan under what differs most, and some at random: `more` of these.
pub fn conducts(plan: &Plan, seed: u64, steps: u64, more: u64) -> Vec<Conduct> {
    let of = |number: u64, arrivals, work, late| Conduct {
        seed: conduct::mixed(seed ^ number << 32),
        arrivals,
        work,
        late,
        reversed_ties: number % 2 == 1,
        steps,
    };
    let mut all = vec![of(0, Arrivals::Planned, Work::Full, Late::Alternate(true))];
    let sporadic = (0..plan.tasks.len()).any(|task| plan.sporadic(task) == Some(true));
    for number in 1..=more {
        let late = [Late::Random, Late::Always, Late::Alternate(false), Late::Never][number as usize % 4];
        let work = [Work::Full, Work::Random][number as usize % 3 / 2];
        let arrivals = match sporadic {
            true => [Arrivals::Random, Arrivals::Together, Arrivals::Apart][number as usize % 3],
            false => Arrivals::Planned,
        };
        // Full work is what is worst, with known phases too: it has been run.
        let work = if sporadic { work } else { Work::Random };
        all.push(of(number, arrivals, work, late));
    }
    all
}

/// Judges a plan: its memory, every row, and the jobs under some [`conducts`].
///
/// # Errors
/// The first harm found.
pub fn judge(json: &Value, seed: u64, steps: u64, more: u64) -> Result<Seen, Harm> {
    let plan = Plan::read(json).map_err(Harm::Senseless)?;
    if let Some(harm) = ranks::held(&plan) {
        return Err(harm);
    }
    let conducts = conducts(&plan, seed, steps, more);
    let mut seen = Seen::default();
    for conduct in &conducts {
        run(&plan, conduct, &mut seen)?;
    }
    let late = |late| Conduct { late, ..conducts[0] };
    for conduct in [late(Late::AfterFirst), late(Late::Alternate(true)), late(Late::Random)] {
        if let Some(harm) = refresh::rows(&plan, &conduct, 5) {
            return Err(harm);
        }
        if plan.refresh_jitter_ns == 0 {
            break;
        }
    }
    Ok(seen)
}
