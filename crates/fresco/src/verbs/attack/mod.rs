// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco attack`: the worst that others can do to the reads or the work of a task, searched for, beside the bound.

mod file;
mod replay;
mod show;
mod work;

use crate::failure::{Failure, Outcome, WANTING, tell};
use crate::output;
use crate::outputs::{self, Outputs};
use crate::progress;
use crate::scenarios;
use crate::simulate;
use crate::stop::{STOPPED, Stop};
use file::File;
use fresco_attack::{Attack, Attacker, Observer, Search, Target, Worst};
use fresco_bound::ReadBound;
use fresco_dram::Cycle;
use fresco_input::{InputError, write_atomically};
use fresco_report::{Document, Provenance, ReportError, Table};
use fresco_scenario::Setup;
use fresco_system::{Role, Scenario};
use indicatif::ProgressBar;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `fresco attack`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Cores and devices of the scenario become attackers: within what the machine lets them have under way, and in the banks that the scenario gives them, they \
send what makes a read of the task take longest in its controller; the task itself does, too. The search changes and crosses what was worst. \
With --work a job or the measured phase of the task is made longest, through the whole machine (caches, miss registers, links, buffers, controllers), by programs in place of \
the tasks on other cores, in memory of the same colors. The attacked task keeps its own program.
The same seed finds the same attack. docs/bound.md says what attackers can do.
Exit status: 0 nothing was longer than its bound, 1 something was, there is no bound, or a replay took another time than its file says, 2 wrong input; 130 Ctrl-C, the worst by then is printed.

Examples:
  fresco attack first --set 'sweep.banks=[\"private\"]' --set 'sweep.corunners=[2]'
  fresco attack my.toml --task control --tries 20000 --out worst.json
  fresco attack my.toml --task control --work --tries 500 --out worst.json
  fresco attack my.toml --replay worst.json")]
pub struct Args {
    /// Scenario: the name of a built-in one, or a file; a plan stands for its tasks
    #[arg(value_name = "SCENARIO")]
    scenario: String,

    /// Set a key of the scenario (repeatable), as fresco sim does
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,

    /// Attack the work of the task (a job, or its measured phase) by programs on the other cores, not its reads
    #[arg(long, conflicts_with = "cycles")]
    work: bool,

    /// The task that is attacked [default: each measured one in turn]
    #[arg(long, value_name = "NAME")]
    task: Option<String>,

    /// Attacks tried on each task [default: 2000; with --work 200, a run each]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    tries: Option<u64>,

    /// Length of an attack, in cycles of the memory clock
    #[arg(long, value_name = "CYCLES", default_value_t = DEFAULT_CYCLES, value_parser = clap::value_parser!(u64).range(CYCLES))]
    cycles: u64,

    /// Seed of the search [default: the scenario's]
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,

    /// Write the worst attacks there, as JSON that --replay takes
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Play the attacks of this file once more, and show the DRAM commands while the longest read waits, or where the time of the work goes
    #[arg(long, value_name = "FILE", conflicts_with_all = ["work", "task", "tries", "seed", "out", "cycles"])]
    replay: Option<PathBuf>,

    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
}

/// Attacks tried on each task unless the user says how many.
const TRIES: u64 = 2_000;

/// Length of an attack unless it is given, in cycles.
pub const DEFAULT_CYCLES: Cycle = 20_000;
/// Lengths of an attack, in cycles.
const CYCLES: RangeInclusive<Cycle> = 100..=100_000_000;

/// Schema of results, and of files for `--replay`.
pub const SCHEMA: &str = "fresco-attack/2";

/// Attacks on tasks of a scenario.
#[derive(Debug, Serialize, Deserialize)]
pub struct Attacks {
    /// Name of the scenario.
    pub scenario: String,
    /// One for each task attacked.
    pub tasks: Vec<Attacked>,
}

/// The worst attack on a task.
#[derive(Debug, Serialize, Deserialize)]
pub struct Attacked {
    /// The task.
    pub name: String,
    /// Node and channel of the controller in which its reads may take longest.
    pub node: u32,
    pub channel: u32,
    /// The bound of its reads, in cycles of the memory clock; null without one.
    pub bound: Option<ReadBound>,
    /// Its sum, and the longest read seen, in picoseconds.
    pub bound_ps: Option<u64>,
    pub observed_ps: u64,
    /// Who attacks: the task's own core among them.
    pub attackers: Vec<Attacker>,
    /// Which of them is the task's.
    pub victim: usize,
    /// What they do.
    pub attack: Attack,
    /// How it was found.
    pub search: Search,
    /// The longest read of the task.
    pub worst: Worst,
    /// Attacks tried, and reads of all in them.
    pub tries: u64,
    pub reads: u64,
    /// After so many tries so many cycles.
    pub steps: Vec<fresco_attack::Step>,
}

/// The user, who sees a bar and may press Ctrl-C.
pub struct User {
    pub bar: ProgressBar,
    pub stop: Stop,
}

impl Observer for User {
    fn tried(&self, attacks: u64) {
        self.bar.inc(attacks);
    }

    fn is_stopped(&self) -> bool {
        self.stop.is_asked()
    }
}

/// Attacks.
pub fn run(args: &Args) -> Outcome {
    let (scenario, file) = scenarios::load(&args.scenario, &args.set)?;
    let setup = only_point(&scenario, &args.scenario)?;
    let outputs = Outputs::new().file("--out", args.out.as_deref());
    let inputs = simulate::files_read(&args.scenario, &scenario);
    outputs.check(args.json, &inputs.iter().map(PathBuf::as_path).collect::<Vec<_>>())?;
    let mut provenance = crate::provenance::of_this_run(Some(args.seed.unwrap_or(scenario.seed)));
    provenance.scenario = Some(file);
    simulate::add_files(&mut provenance, &scenario)?;
    if let Some(path) = &args.replay {
        let file = File::read(path, &[SCHEMA, work::SCHEMA])?;
        if file.schema == work::SCHEMA {
            return work::replay(args, &file, &scenario, &provenance);
        }
        let replayed = replay::replayed(&file, &scenario.name, setup)?;
        let attacks = &replayed.attacks;
        output::print(args.json, SCHEMA, &provenance, attacks, || {
            show::replays(setup, attacks, &replayed.played)
        })?;
        return Ok(replay_status(replayed.is_as_written, attacks.status()));
    }
    let victims = victims(setup, args)?;
    if args.work {
        return work::run(args, &scenario, &provenance, &victims);
    }
    let tries = args.tries.unwrap_or(TRIES);
    let user = User {
        bar: progress::bar(tries * victims.len() as u64, &scenario.name),
        stop: Stop::after("the present generation of attacks"),
    };
    let how = Search {
        tries,
        cycles: args.cycles,
        seed: args.seed.unwrap_or(scenario.seed),
    };
    let tasks = victims
        .into_iter()
        .filter_map(|copy| attacked(setup, copy, &how, &user))
        .collect();
    user.bar.finish_and_clear();
    let attacks = Attacks {
        scenario: scenario.name.clone(),
        tasks,
    }
    .told(setup);
    let stopped = tell_found(
        args,
        (SCHEMA, &provenance),
        (&attacks, attacks.tasks.is_empty()),
        user.stop.is_asked(),
        || show::tables(setup, &attacks),
    )?;
    Ok(stopped.unwrap_or_else(|| attacks.status()))
}

/// Writes and prints what a search found, the worst by then if it was stopped; the exit status of that.
fn tell_found<T: Serialize>(
    args: &Args,
    (schema, provenance): (&str, &Provenance),
    (attacks, is_empty): (&T, bool),
    is_stopped: bool,
    tables: impl FnOnce() -> Result<Vec<Table>, ReportError>,
) -> Result<Option<ExitCode>, Failure> {
    if is_stopped && is_empty {
        tell("fresco: stopped before the first attacks were tried: there is no result");
        return Ok(Some(ExitCode::from(STOPPED)));
    }
    let document = Document {
        schema,
        provenance,
        data: attacks,
    };
    let written = match &args.out {
        Some(out) if !is_empty => write_atomically(out, &document.to_bytes()?).map_err(Failure::from),
        _ => Ok(()),
    };
    output::print(args.json, schema, provenance, attacks, tables)?;
    outputs::all([written])?;
    if is_stopped {
        tell("fresco: stopped before all attacks were tried: worse ones may exist");
        return Ok(Some(ExitCode::from(STOPPED)));
    }
    Ok(None)
}

/// What a replay ends with whose attacks end with `status`: one that took another time than when it was written is no replay of it.
fn replay_status(is_as_written: bool, status: ExitCode) -> ExitCode {
    match is_as_written {
        true => status,
        false => ExitCode::from(WANTING),
    }
}

/// The one point of a scenario without a sweep; `file` is how the user named it.
///
/// # Errors
/// There is a sweep.
pub fn only_point<'s>(scenario: &'s Scenario, file: &str) -> Result<&'s Setup, InputError> {
    let [point] = scenario.points.as_slice() else {
        let axes: Vec<&str> = scenario.axes.iter().map(|axis| axis.name.as_str()).collect();
        return Err(InputError::new(file, format!("found a sweep over {}", axes.join(", ")))
            .in_field("sweep")
            .allowed("one point")
            .help(format!(
                "choose one: --set 'sweep.{}=[…]'",
                axes.first().unwrap_or(&"sweep")
            )));
    };
    Ok(&point.setup)
}

/// The copies that are attacked.
fn victims(setup: &Setup, args: &Args) -> Result<Vec<usize>, InputError> {
    let copies = || setup.copies.iter().enumerate();
    let Some(name) = &args.task else {
        let measured = copies().filter(|(_, copy)| setup.tasks[copy.task].role == Role::Measured);
        return Ok(measured.map(|(number, _)| number).collect());
    };
    match copies().find(|(_, copy)| copy.name == *name) {
        Some((number, _)) => Ok(vec![number]),
        None => {
            let names: Vec<&str> = setup.copies.iter().map(|copy| copy.name.as_str()).collect();
            Err(InputError::new(format!("--task {name}"), "found no such task").allowed(names.join(", ")))
        }
    }
}

/// The worst attack on a copy that is found; `None` if none was tried.
pub fn attacked(setup: &Setup, copy: usize, how: &Search, user: &User) -> Option<Attacked> {
    let target = Target::of(setup, copy)?;
    let found = target.attack(setup, how, user)?;
    Some(Attacked {
        attack: found.attack,
        worst: found.worst,
        tries: found.tries,
        reads: found.reads,
        steps: found.steps,
        ..Attacked::new(target, *how)
    })
}

impl Attacked {
    /// Of a target that nobody has attacked yet.
    fn new(target: Target, search: Search) -> Self {
        Self {
            name: target.name,
            node: target.node,
            channel: target.channel,
            bound: target.reads.as_ref().map(|reads| reads.bound),
            bound_ps: target.reads.as_ref().map(|reads| reads.longest_ps),
            observed_ps: 0,
            attackers: target.attackers,
            victim: target.victim,
            attack: Attack {
                cores: Vec::new(),
                round: 0,
                seed: 0,
            },
            search,
            worst: Worst::default(),
            tries: 1,
            reads: 0,
            steps: Vec::new(),
        }
    }
}

impl Attacks {
    /// With the longest reads in picoseconds.
    pub fn told(mut self, setup: &Setup) -> Self {
        for task in &mut self.tasks {
            task.observed_ps = setup.machine.memory.timing.clock.to_ps(task.worst.cycles);
        }
        self
    }

    /// Whether each read has a bound, and none was longer.
    fn status(&self) -> ExitCode {
        let wanting = |task: &Attacked| task.bound_ps.is_none_or(|bound| task.observed_ps > bound);
        match self.tasks.iter().any(wanting) {
            true => ExitCode::from(WANTING),
            false => ExitCode::SUCCESS,
        }
    }
}
