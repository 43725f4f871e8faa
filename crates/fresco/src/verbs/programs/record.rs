// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco programs record`.

use super::session::{Session, Without};
use super::table::table;
use super::tell_damaged;
use crate::failure::{Failure, Outcome, WANTING, tell};
use crate::stop::{STOPPED, Stop};
use crate::{output, progress, provenance};
use fresco_input::InputError;
use fresco_programs::{Entry, Gallery, Recipe, named, packages};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Arguments of `fresco programs record`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Makes the input of each program below DIR/work, records the part that its recipe names into DIR/NAME.ftrace, replays it alone on a
machine, the first half of it to fill the caches, and prints misses of the last-level cache beside those published. What is recorded
already is left as it is, unless its recipe has changed; on another machine it is measured again. All of it takes about half an hour.

Exit status: 0 all are recorded, 1 some are not, for want of packages or because they failed (the others are), 130 Ctrl-C: what was
recorded until then is kept.")]
pub struct Args {
    /// Names of programs, as `fresco programs list` shows them [default: all]
    #[arg(value_name = "RECIPE")]
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

    /// Record two million instructions of each, from near its begin: to see that all is well, not to measure by. What is recorded as a
    /// whole stays
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
    tell_damaged(&before);
    let need = |recipe: &Recipe| need(before.entry(&recipe.name), args, &machine.text_digest);
    let to_record: Vec<&Recipe> = recipes.iter().filter(|recipe| need(recipe) == Need::Record).collect();
    let (there, mut without) = without_packages(&to_record);
    let stop = Stop::on_any_end();
    let session = Session {
        directory: &args.out,
        machine: (&machine, &args.on),
        packages: &there,
        stop: &stop,
        quick: args.quick,
    };
    let lacks = |recipe: &Recipe| without.iter().any(|(name, _)| *name == recipe.name);
    let ready = recipes
        .iter()
        .filter(|recipe| need(recipe) != Need::Nothing && !lacks(recipe));
    let ready: Vec<&Recipe> = ready.collect();
    let bar = progress::bar(ready.len() as u64, "programs");
    bar.enable_steady_tick(Duration::from_secs(1));
    for recipe in ready {
        bar.set_message(recipe.name.clone());
        let made = match before.entry(&recipe.name) {
            Some(entry) if need(recipe) == Need::Measurement => session.measure_again(entry),
            _ => session.record(recipe),
        };
        match made {
            Ok(entry) if entry.sets_up() && !entry.quick => bar.suspend(|| {
                let Entry { name, loads, stores, .. } = &entry;
                tell(&format!(
                    "fresco: {name}: {loads} loads and {stores} stores: the part that was recorded only sets data up; more is to be skipped"
                ));
            }),
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

/// What a program lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Need {
    Nothing,
    /// Its misses were measured on another machine.
    Measurement,
    Record,
}

/// What is to be done for a program of which this is recorded. A quick recording never takes the place of a whole one.
fn need(entry: Option<&Entry>, args: &Args, machine: &str) -> Need {
    let Some(entry) = entry else { return Need::Record };
    let is_kept = args.quick && !entry.quick;
    if !is_kept && (args.again || entry.quick && !args.quick) {
        return Need::Record;
    }
    match &entry.measured {
        Some(measured) if measured.digest == machine => Need::Nothing,
        _ => Need::Measurement,
    }
}

/// Versions of the packages that are there, and the programs that lack some, which is told.
fn without_packages(wanted: &[&Recipe]) -> (BTreeMap<String, String>, Vec<(String, String)>) {
    let Some(there) = packages::installed(wanted.iter().copied()) else {
        tell(
            "fresco: no dpkg-query here, so that nobody knows whether the programs are installed; those that are not will fail",
        );
        return (BTreeMap::new(), Vec::new());
    };
    let missing = wanted.iter().map(|recipe| (recipe, packages::missing(recipe, &there)));
    let lacking: Vec<_> = missing.filter(|(_, missing)| !missing.is_empty()).collect();
    if let Some(command) = packages::command(lacking.iter().flat_map(|(_, missing)| missing)) {
        tell(&format!("fresco: some packages are not installed: {command}"));
    }
    let without = lacking.iter().map(|(recipe, missing)| {
        let reason = format!("not installed: {}", missing.join(", "));
        tell(&format!("fresco: {}: {reason}", recipe.name));
        (recipe.name.clone(), reason)
    });
    let without = without.collect();
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
