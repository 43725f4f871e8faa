// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco programs record`.

use super::session::{Session, Without};
use super::table::table;
use crate::failure::{Failure, Outcome, WANTING, tell};
use crate::stop::{STOPPED, Stop};
use crate::{output, progress, provenance};
use fresco_input::InputError;
use fresco_programs::{Entry, Gallery, Recipe, named, packages};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Arguments of `fresco programs record`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Makes the input of each program below DIR/work, records the part that its recipe names into DIR/NAME.ftrace, replays it alone on a
machine, the first half of it to fill the caches, and prints misses of the last-level cache beside those published. What is recorded
already is left as it is, unless its recipe has changed. All of it takes about half an hour; lbm, the longest, some minutes.

Exit status: 0 all are recorded, 1 some are not, for want of packages or because they failed (the others are), 130 Ctrl-C: what was
recorded until then is kept.")]
pub struct Args {
    /// Names of programs, as `fresco programs list` shows them [default: all]
    #[arg(value_name = "NAME")]
    names: Vec<String>,

    /// The directory for recordings and inputs
    #[arg(long, value_name = "DIR", default_value = "out/programs")]
    out: PathBuf,

    /// The machine on which misses are measured: a built-in one, or a file
    #[arg(long, value_name = "MACHINE", default_value = "xeon-w3530")]
    on: String,

    /// Record again what is recorded already
    #[arg(long)]
    again: bool,

    /// Record two million instructions of each, from near its begin: to see that all is well, not to measure by
    #[arg(long)]
    quick: bool,

    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

/// What `--json` prints: schema `fresco-programs/1`.
#[derive(Debug, Serialize)]
struct Recorded<'a> {
    /// All that is recorded in the directory, in the order of the recipes.
    programs: Vec<&'a Entry>,
    /// Those that were asked for and are not, with the reason.
    without: &'a [(String, String)],
}

/// Records.
pub fn run(args: &Args) -> Outcome {
    let mut recipes = named(&args.names)?;
    if args.quick {
        recipes = recipes.into_iter().map(Recipe::quick).collect();
    }
    let machine = fresco_machine::load(&args.on)?;
    std::fs::create_dir_all(&args.out).map_err(|error| {
        InputError::new(args.out.display().to_string(), format!("cannot be made: {error}"))
            .help("name a directory that can be written")
    })?;
    let before = Gallery::read(&args.out)?;
    let is_there = |recipe: &&Recipe| {
        let entry = before
            .entry(&recipe.name)
            .filter(|entry| !args.again && entry.quick == args.quick);
        let measured = entry.and_then(|entry| entry.measured.as_ref());
        measured.is_some_and(|measured| measured.digest == machine.text_digest)
    };
    let wanted: Vec<&Recipe> = recipes.iter().filter(|recipe| !is_there(recipe)).collect();
    let (there, mut without) = without_packages(&wanted);
    let stop = Stop::on_any_end();
    let session = Session {
        directory: &args.out,
        machine: (&machine, &args.on),
        packages: &there,
        stop: &stop,
        quick: args.quick,
    };
    let ready: Vec<&&Recipe> = wanted
        .iter()
        .filter(|recipe| !without.iter().any(|(name, _)| *name == recipe.name))
        .collect();
    let bar = progress::bar(ready.len() as u64, "programs");
    bar.enable_steady_tick(Duration::from_secs(1));
    for recipe in ready {
        bar.set_message(recipe.name.clone());
        match session.record(recipe) {
            Ok(_) => {}
            Err(Without::Stopped) => break,
            Err(Without::Failed(reason)) => {
                bar.suspend(|| tell(&format!("fresco: {}: {reason}", recipe.name)));
                without.push((recipe.name.clone(), reason));
            }
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    show(args, &machine.name, &without)?;
    Ok(if stop.is_asked() {
        tell("fresco: stopped; what was recorded until then is kept");
        ExitCode::from(STOPPED)
    } else if without.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(WANTING)
    })
}

/// Versions of the packages that are there, and the programs that lack some, which is told.
fn without_packages(wanted: &[&Recipe]) -> (BTreeMap<String, String>, Vec<(String, String)>) {
    let names: BTreeSet<&str> = wanted
        .iter()
        .flat_map(|recipe| &recipe.packages)
        .map(String::as_str)
        .collect();
    let Some(there) = packages::installed(&names.iter().copied().collect::<Vec<_>>()) else {
        tell(
            "fresco: no dpkg-query here, so that nobody knows whether the programs are installed; those that are not will fail",
        );
        return (BTreeMap::new(), Vec::new());
    };
    let missing: Vec<&str> = names.into_iter().filter(|name| !there.contains_key(*name)).collect();
    if !missing.is_empty() {
        tell(&format!(
            "fresco: some packages are not installed: {}",
            packages::command(&missing)
        ));
    }
    let mut without = Vec::new();
    for recipe in wanted {
        let lacking: Vec<&str> = recipe
            .packages
            .iter()
            .map(String::as_str)
            .filter(|name| missing.contains(name))
            .collect();
        if !lacking.is_empty() {
            let reason = format!("not installed: {}", lacking.join(", "));
            tell(&format!("fresco: {}: {reason}", recipe.name));
            without.push((recipe.name.clone(), reason));
        }
    }
    (there, without)
}

fn show(args: &Args, machine: &str, without: &[(String, String)]) -> Result<(), Failure> {
    let gallery = Gallery::read(&args.out)?;
    let data = Recorded {
        programs: gallery.entries().map(|(_, entry)| entry).collect(),
        without,
    };
    output::print(
        args.json,
        "fresco-programs/1",
        &provenance::of_this_run(None),
        &data,
        || Ok(vec![table(&gallery, machine)?]),
    )
}
