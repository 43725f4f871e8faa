// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco attack --work`: the longest that programs of other cores can make a task's work, searched for, beside the bound.

mod arena;
mod replay;
mod show;

pub use replay::replay;

use super::{Args, User, tell_found};
use crate::failure::{Outcome, WANTING};
use crate::progress;
use crate::stop::Stop;
use crate::verbs::bound::Reason;
use arena::Arena;
use fresco_attack::work::{WorkAttack, WorkSearch, WorkStep, search_work};
use fresco_bound::{Sources, Unknown, WorkBound};
use fresco_dram::Ps;
use fresco_input::InputError;
use fresco_report::Provenance;
use fresco_system::results::{Anatomy, RowCounts, TaskResult};
use fresco_system::{RunSpec, Scenario, longest_work};
use serde::{Deserialize, Serialize};
use std::process::ExitCode;

/// Schema of results, and of files for `--replay`.
pub const SCHEMA: &str = "fresco-attack-work/1";

/// Attacks tried on each task unless the user says how many.
const TRIES: u64 = 200;

/// Attacks on the work of tasks of a scenario.
#[derive(Debug, Serialize, Deserialize)]
pub struct WorkAttacks {
    /// Name of the scenario.
    pub scenario: String,
    /// Seed of the runs: of page frames and programs.
    pub run_seed: u64,
    /// One for each task attacked.
    pub tasks: Vec<WorkAttacked>,
}

/// The worst attack on the work of a task.
#[derive(Debug, Serialize, Deserialize)]
pub struct WorkAttacked {
    /// The task, and its core.
    pub name: String,
    pub core: u32,
    /// The longest work seen: a job, or the measured phase.
    pub observed_ps: Ps,
    /// The same beside the scenario's own programs; null if it was not run.
    pub own_ps: Option<Ps>,
    /// The bound, or else why there is none.
    pub bound: Option<Bounded>,
    pub unbounded: Option<Reason>,
    /// What the work was alone, and under the worst attack.
    pub alone: Seen,
    pub worst: Seen,
    /// Who attacks.
    pub attackers: Vec<Attacker>,
    /// What they do.
    pub attack: WorkAttack,
    /// How it was found.
    pub search: WorkSearch,
    /// Attacks tried.
    pub tries: u64,
    /// How it became longer.
    pub steps: Vec<WorkStep>,
}

/// A core that attacks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attacker {
    /// Its number.
    pub core: u32,
    /// Its tasks, in place of any of which it may run.
    pub names: Vec<String>,
    /// Bytes of memory that it has in place of each.
    pub bytes: u64,
    /// Banks of the machine in which that lies, of each.
    pub banks: Vec<String>,
    /// It may store.
    pub stores: bool,
}

/// The bound of a task's work, as `fresco bound` finds it of the work alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bounded {
    /// The sum.
    pub longest_ps: Ps,
    /// What is added to the work alone: by its reads, by lines that it displaces, by budgets.
    pub reads_ps: Ps,
    pub write_backs_ps: Ps,
    pub budgets_ps: Ps,
    /// Others are bounded by their budgets.
    pub by_budgets: bool,
}

/// A task's work in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Seen {
    /// The longest job, or the measured phase.
    pub time_ps: Ps,
    /// Of all its jobs, or of the phase: reads that missed all caches, and lines that left the last cache for memory.
    pub reads: u64,
    pub write_backs: u64,
    /// Where the time of a read went, on average.
    pub anatomy: Anatomy,
    /// What reads found in their banks.
    pub rows: RowCounts,
}

impl Seen {
    fn of(result: &TaskResult) -> Self {
        Self {
            time_ps: longest_work(result),
            reads: result.reads.count,
            write_backs: result.write_backs,
            anatomy: result.reads.anatomy,
            rows: result.reads.rows,
        }
    }
}

impl From<WorkBound> for Bounded {
    fn from(bound: WorkBound) -> Self {
        Self {
            longest_ps: bound.longest_ps,
            reads_ps: bound.reads_ps,
            write_backs_ps: bound.write_backs_ps,
            budgets_ps: bound.budgets_ps,
            by_budgets: bound.by_budgets,
        }
    }
}

impl WorkAttacked {
    /// Of a task that nobody has attacked yet.
    fn new(arena: &Arena<'_>, search: WorkSearch) -> Self {
        let copy = &arena.setup.copies[arena.attacked];
        let (bound, unbounded) = match bounded(arena) {
            Ok(bound) => (Some(bound.into()), None),
            Err(reason) => (None, Some(reason)),
        };
        Self {
            name: copy.name.clone(),
            core: copy.core,
            observed_ps: 0,
            own_ps: None,
            bound,
            unbounded,
            alone: Seen::of(&arena.alone),
            worst: Seen::default(),
            attackers: arena.attackers(),
            attack: WorkAttack { cores: Vec::new() },
            search,
            tries: 0,
            steps: Vec::new(),
        }
    }

    /// The longest work of all, under attack or beside the scenario's own programs.
    fn longest_ps(&self) -> Ps {
        self.observed_ps.max(self.own_ps.unwrap_or(0))
    }

    /// Observed over bound, if there is one.
    fn share(&self) -> Option<f64> {
        let bound = self.bound.as_ref()?;
        Some(self.observed_ps as f64 / bound.longest_ps.max(1) as f64)
    }
}

impl WorkAttacks {
    /// Whether the work of each task has a bound, and none was longer, beside the scenario's own programs neither.
    pub fn status(&self) -> ExitCode {
        let is_within = |task: &WorkAttacked| task.bound.is_some_and(|bound| task.longest_ps() <= bound.longest_ps);
        match self.tasks.iter().all(is_within) {
            true => ExitCode::SUCCESS,
            false => ExitCode::from(WANTING),
        }
    }
}

/// The bound of the attacked work, or why there is none.
fn bounded(arena: &Arena<'_>) -> Result<WorkBound, Reason> {
    let sources = Sources::of(arena.setup);
    let reads = sources
        .reads_of(arena.attacked)
        .map_err(|why| Reason::of(&why, why.way_out()))?;
    let reason = |why: Unknown| Reason::of(&why, why.way_out());
    if let Some(why) = sources.unknown(arena.attacked) {
        return Err(reason(why));
    }
    let works = crate::verbs::bound::works_alone(&arena.alone, &sources, arena.attacked);
    sources.longest_work(arena.attacked, &works, &reads).map_err(reason)
}

/// Attacks.
pub fn run(args: &Args, scenario: &Scenario, provenance: &Provenance, victims: &[usize]) -> Outcome {
    // The first repetition.
    let specs = scenario.runs();
    let spec = &specs[0];
    for &copy in victims {
        arena::check(spec, copy)?;
    }
    let how = WorkSearch {
        tries: args.tries.unwrap_or(TRIES),
        seed: args.seed.unwrap_or(scenario.seed),
    };
    let user = User {
        bar: progress::bar(how.tries * victims.len() as u64, &scenario.name),
        stop: Stop::after_grace("each run that has begun"),
    };
    let mut tasks = Vec::new();
    for &copy in victims {
        if user.stop.is_asked() {
            break;
        }
        tasks.extend(attacked(spec, copy, &how, &user)?);
    }
    user.bar.finish_and_clear();
    let attacks = WorkAttacks {
        scenario: scenario.name.clone(),
        run_seed: spec.seed,
        tasks,
    };
    let stopped = tell_found(
        args,
        (SCHEMA, provenance),
        (&attacks, attacks.tasks.is_empty()),
        user.stop.is_asked(),
        || show::tables(&attacks),
    )?;
    Ok(stopped.unwrap_or_else(|| attacks.status()))
}

/// The worst attack on a copy that is found; `None` if none was tried.
///
/// # Errors
/// What a run finds.
fn attacked(spec: &RunSpec, copy: usize, how: &WorkSearch, user: &User) -> Result<Option<WorkAttacked>, InputError> {
    let given_up = || user.stop.is_given_up();
    let Some(arena) = Arena::new(spec, copy, &given_up)? else {
        return Ok(None);
    };
    let own = arena.beside_own(&given_up)?;
    let play = |attack: &WorkAttack| {
        if user.stop.is_asked() {
            return Ok(None);
        }
        let result = arena.play(attack, &given_up)?;
        Ok::<_, InputError>(result.map(|result| (longest_work(&result), Seen::of(&result))))
    };
    let Some(found) = search_work(&arena.means, how, &play, user)? else {
        return Ok(None);
    };
    Ok(Some(WorkAttacked {
        observed_ps: found.played.time_ps,
        own_ps: own.as_ref().map(longest_work),
        worst: found.played,
        attack: found.attack,
        tries: found.tries,
        steps: found.steps,
        ..WorkAttacked::new(&arena, *how)
    }))
}
