// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco map detect`: the address map of a memory, from evidence.

mod disturbance;
mod figure;
mod registers;
mod report;
mod simulated;
mod tables;
#[cfg(test)]
mod tests;
mod write;

use crate::arguments::{choice, integer, key_value};
use crate::failure::{Outcome, tell};
use crate::{output, provenance};
use disturbance::DisturbanceArgs;
use fresco_detect::synthetic::Disturbed;
use fresco_detect::{Method, Options, detect};
use fresco_input::{InputError, refuse_overwriting, write_atomically};
use fresco_machine::load_with;
use report::Report;
use simulated::Simulated;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Where a map comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Timing.
    Timing(Method),
    /// The registers of the memory controllers.
    Registers,
}

/// The methods by name.
const METHODS: [(&str, Way); 4] = [
    ("solver", Way::Timing(Method::Solver)),
    ("algorithm1", Way::Timing(Method::Algorithm1)),
    ("list", Way::Timing(Method::List)),
    ("registers", Way::Registers),
];

/// Arguments of `fresco map detect`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Methods:
  solver       any XORs of address bits, offsets behind holes, interleaves over 3, 5 or 7
  algorithm1   bit by bit: single bits and XORs of two
  list         two chases, the second shifted by one bit: single bits below 8 MiB
  registers    no timing: decodes a dump of PCI configuration space (AMD family 10h)

Exit status: 0 MAP, 10 SIGNAL-ONLY, 11 NO-SIGNAL, 12 UNSTABLE, 13 NO-BENEFIT (a map, and nothing to gain from it),
2 wrong input. Only 0 and 13 write a map.

Examples:
  fresco map detect --simulate i5-6200u --out detected
  fresco map detect --method registers --dump dump.txt")]
pub struct Args {
    /// Probe the simulated memory of a built-in machine, or of the machine file at this path
    #[arg(long, value_name = "NAME|PATH")]
    simulate: Option<String>,

    /// Override a key of the machine file (repeatable)
    #[arg(long, value_name = "KEY=VALUE", value_parser = key_value, requires = "simulate")]
    set: Vec<(String, String)>,

    /// Where functions come from; those from timing have to predict what was not measured
    #[arg(long, value_name = "METHOD", default_value = "solver", value_parser = choice("--method", &METHODS))]
    method: Way,

    /// With --method registers: what `lspci -xxxx` prints as root
    #[arg(long, value_name = "FILE", conflicts_with_all = ["simulate", "out", "svg"])]
    dump: Option<PathBuf>,

    /// Seed of all random choices
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true, value_parser = integer("--seed", 0..=u32::MAX))]
    seed: u32,

    /// Leave out refresh times, queues and what colouring gains
    #[arg(long)]
    quick: bool,

    #[command(flatten)]
    disturbance: DisturbanceArgs,

    /// Write map.txt and map.toml into this directory, if there is a map
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Write the latencies of pairs of lines as a figure
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,

    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
}

/// Detects, reports, and writes what can be defended.
pub fn run(args: &Args) -> Outcome {
    let method = match (args.method, &args.dump, &args.simulate) {
        (Way::Registers, dump, None) => return registers::run(dump.as_deref(), args.json),
        (Way::Timing(method), None, _) => method,
        _ => return Err(mixed().into()),
    };
    let Some(name) = &args.simulate else {
        return Err(no_memory().into());
    };
    let machine = load_with(name, &args.set)?;
    let disturbance = args.disturbance.read()?;
    if let Some(path) = &args.svg {
        refuse_overwriting("--svg", path, [Path::new(name)])?;
    }
    let mut timer = Disturbed::new(Simulated::new(&machine), disturbance, u64::from(args.seed));
    let options = Options {
        seed: u64::from(args.seed),
        method,
        all: !args.quick,
    };
    let found = detect(&mut timer, options);
    let mut provenance = provenance::of_this_run(u64::from(args.seed));
    provenance.machine_files = vec![provenance::machine_file(&machine, name)];
    let report = Report::new(&machine.name, &found);
    if let Some(path) = &args.svg {
        match figure::contrasts(&report, &found, &provenance)? {
            Some(svg) => write_atomically(path, svg.as_str().as_bytes()).map_err(|error| error.in_field("--svg"))?,
            None => tell("map detect: no figure was written, as no pair of lines stood out"),
        }
    }
    if let Some(directory) = &args.out {
        match found.verdict.has_map() {
            true => write::map(directory, &report, &found, &provenance)?,
            false => tell(&format!("map detect: no map was written: {}", found.verdict)),
        }
    }
    output::print(args.json, "fresco-map-detect/1", &provenance, &report, || {
        report.tables()
    })?;
    Ok(ExitCode::from(found.verdict.status()))
}

/// Timing and registers do not go together.
fn mixed() -> InputError {
    InputError::new("command line", "found both a memory to time and registers to decode")
        .allowed("--simulate MACHINE with a method of timing, or --method registers with --dump FILE")
        .cure("leave one of them out")
}

/// What can be probed today.
fn no_memory() -> InputError {
    InputError::new("command line", "found no memory to probe")
        .allowed(
            "--simulate MACHINE: the memory of a machine file, or --method registers --dump FILE; this version does not time \
             the machine it runs on",
        )
        .cure(
            "name a machine (`fresco machine list`), or take the map of a known one: `fresco map show --machine NAME`",
        )
}
