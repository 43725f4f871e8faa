// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco plan`: schedules tasks and refresh together, or says why it cannot be done.

mod comparison;
mod published;

use crate::arguments::choice;
use crate::failure::{Failure, Outcome, WANTING, tell};
use crate::outputs::{self, Outputs};
use crate::progress;
use crate::stop::{STOPPED, Stop};
use crate::waiting::{self, time_limit, watched};
use crate::{output, plans, scenarios};
use comparison::Comparison;
use fresco_input::{InputError, write_atomically};
use fresco_plan::plan::SCHEMA;
use fresco_plan::refusal::Kind;
use fresco_plan::{Method, TaskSet};
use fresco_report::Provenance;
use fresco_scenario::builtin_task_sets;
use fresco_show::plan::tables::tables;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// Arguments of `fresco plan`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
docs/plan.md describes what a plan needs of a scenario, and every method. Without --method the best one is chosen that has a plan.
Ctrl-C ends it with what is decided by then; so does --time-limit, with which what is found depends on the machine.
Exit status: 0 there is a plan (with --compare: by some method), 1 there is none, or it is not decided, 2 wrong input, 4 there is
one, but it is too large to be verified (fresco check) or read, and is not written, 130 Ctrl-C.

Examples:
  fresco plan --list
  fresco plan table-5.2
  fresco plan table-5.2 --method crs --set memory.density=8 --set memory.density_scales_refresh_only=true
  fresco plan table-5.2 --out plan.json && fresco check plan.json && fresco sim plan.json
  fresco plan table-4.4 --compare --time-limit '20 s'
  fresco plan crs-published --as-published")]
pub struct Args {
    /// Task set or scenario whose tasks are planned: the name of a built-in one or a file; or a plan, whose tasks are planned anew
    #[arg(value_name = "SCENARIO", required_unless_present = "list")]
    tasks: Option<PathBuf>,

    /// List the built-in task sets
    #[arg(long, exclusive = true)]
    list: bool,

    /// auto-refresh, burst, colored-refresh, crs, aligned, flat, codesign, partition, or auto: the best that has a plan
    #[arg(long, value_name = "METHOD", value_parser = choice("--method", &METHODS))]
    method: Option<Asked>,

    /// Set a key of the file (repeatable), e.g. plan.policy=rm, memory.density=8, task.0.wcet='2 ms'
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,

    /// Lay all methods side by side, at each density
    #[arg(long, conflicts_with_all = ["method", "out"])]
    compare: bool,

    /// Densities to compare, in Gb
    #[arg(long, value_name = "LIST", default_value = "1,2,4,8,16,32,64", requires = "compare")]
    density: String,

    /// Give up what is not decided within so long; methods after another have equal parts of what is left
    #[arg(long, value_name = "TIME", value_parser = time_limit)]
    time_limit: Option<Duration>,

    /// What the papers' own formulas say of the servers of the plan, beside what holds; each is marked with its errata
    #[arg(long, conflicts_with = "compare")]
    as_published: bool,

    /// Write the plan there, as JSON
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
}

/// A method asked for; none for the best that has a plan.
#[derive(Clone, Copy, Debug)]
pub struct Asked(pub Option<Method>);

/// Methods by name, and `auto`.
pub const METHODS: [(&str, Asked); Method::NAMES.len() + 1] = {
    let mut all = [("auto", Asked(None)); Method::NAMES.len() + 1];
    let mut number = 0;
    while number < Method::NAMES.len() {
        let (name, method) = Method::NAMES[number];
        all[number + 1] = (name, Asked(Some(method)));
        number += 1;
    }
    all
};

/// Plans, and shows the plan.
pub fn run(args: &Args) -> Outcome {
    let Some(tasks) = &args.tasks else {
        output::write_text(&scenarios::list(builtin_task_sets().collect()))?;
        return Ok(ExitCode::SUCCESS);
    };
    let mut changes = args.set.clone();
    if let Some(Asked(method)) = args.method {
        changes.push(format!("plan.method={}", method.map_or("auto", Method::name)));
    }
    let set = plans::task_set(tasks, &changes)?;
    let provenance = plans::provenance(tasks, &set.machine, &set.machine_given)?;
    if args.compare {
        return compare(args, &set, &provenance);
    }
    if let Some(out) = &args.out {
        let inputs = plans::inputs(tasks, &set.machine_given);
        let inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
        Outputs::new().file("--out", Some(out)).check(args.json, &inputs)?;
    }
    let stop = Stop::on_any_end();
    let plan = match waiting::plan(&set, args.time_limit, &stop) {
        Err(refusal) if refusal.kind == Kind::Stopped && stop.is_asked() => {
            tell(&format!("fresco: {}: {refusal}", set.name));
            return Ok(ExitCode::from(STOPPED));
        }
        made => made.map_err(|refusal| plans::refused(tasks, &set, &refusal))?,
    };
    plans::verify(&plan, &set.machine)?;
    let document = match args.json || args.out.is_some() {
        true => plans::document(&plan, &provenance)?,
        false => Vec::new(),
    };
    let written = match &args.out {
        Some(out) => write_atomically(out, &document).map_err(Failure::from),
        None => Ok(()),
    };
    let printed = match args.as_published {
        true => {
            let found = published::of(&set, &plan)?;
            output::print(args.json, "fresco-plan-published/1", &provenance, &found, || {
                published::tables(&found)
            })
        }
        false if args.json => output::write(&document),
        false => output::print(false, SCHEMA, &provenance, &plan, || tables(&plan)),
    };
    outputs::all([written, printed])?;
    Ok(ExitCode::SUCCESS)
}

fn compare(args: &Args, set: &TaskSet, provenance: &Provenance) -> Outcome {
    let densities = densities(&args.density)?;
    let all = densities.len() * Method::of_refresh().count();
    let bar = progress::bar(all as u64, &set.name);
    let stop = Stop::on_any_end();
    let found = watched(&bar, &set.name, args.time_limit, &stop, |watch| {
        fresco_plan::compare(set, &densities, watch, || bar.inc(1))
    });
    let comparison = Comparison::new(set, &densities, &found?);
    if stop.is_asked() {
        let made = comparison.made();
        tell(&format!("fresco: stopped after {made} of {all} plans"));
    }
    output::print(args.json, "fresco-plan-comparison/1", provenance, &comparison, || {
        comparison.tables()
    })?;
    Ok(match comparison.any() {
        _ if stop.is_asked() => ExitCode::from(STOPPED),
        true => ExitCode::SUCCESS,
        false => ExitCode::from(WANTING),
    })
}

/// `1,2,8`, ascending or not.
pub fn densities(text: &str) -> Result<Vec<u32>, InputError> {
    let bad = |word: &str| {
        InputError::new("--density", format!("found {word:?}"))
            .allowed("numbers from 1 to 64, separated by commas")
            .help("write them as in 1,8,64")
    };
    let number = |word: &str| match word.trim().parse::<u32>() {
        Ok(gbit) if fresco_dram::density::DENSITIES_GBIT.contains(&gbit) => Ok(gbit),
        _ => Err(bad(word)),
    };
    text.split(',').map(number).collect()
}
