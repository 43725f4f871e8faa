// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco verify`: checks that a live process got the colors that were asked for.

mod publish;
mod records;
mod report;
mod tasks;

pub use report::within;

use super::live::{ColorArgs, planned};
use crate::arguments::{integer, number};
use crate::failure::{Outcome, WANTING};
use crate::openmetrics;
use crate::stop::STOPPED;
use crate::{output, provenance};
use fresco_input::InputError;
use fresco_linux::colors::Request;
use fresco_linux::proc::PROC;
use fresco_linux::proc::Process;
use publish::Published;
use report::VerifyReport;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Arguments of `fresco verify`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
What was asked for is read from the record that the process keeps, or else from its environment; --map or --machine and
--colors judge any process by other colors. A kernel with page coloring tells the colors of a thread to nobody else,
so its processes, too, are known by what they were asked to run with. Frame numbers are seen by root only, and not in most containers.

Exit status: 1 if less than --least of the pages judged have the colors asked for, or the limits or the schedule do not hold. With
--records: 1 if slots are missed, begin early, begin or end later than --late, are overrun, or were not recorded.

Examples:
  fresco verify 4711
  fresco verify 4711 --json
  fresco verify 4711 --watch 2
  fresco verify plan.json --watch 15 --openmetrics /var/lib/prometheus/node-exporter/fresco-plan.prom > /dev/null
  fresco verify plan.json
  fresco verify plan.json --watch 2
  fresco verify plan.json --records slots.jsonl --after 1s --late 200us
  fresco verify 1 --machine opteron-6128 --colors banks=0-31 --least 0")]
pub struct Args {
    /// The process; or a plan, PLAN.json or - for standard input, for all processes of its tasks
    #[arg(value_name = "PID|PLAN", value_parser = target)]
    target: Target,

    #[command(flatten)]
    colors: ColorArgs,

    /// Per cent of the pages judged that have to have the colors asked for
    #[arg(long, value_name = "PERCENT", default_value = "99.9", allow_negative_numbers = true, value_parser = number("--least", 0.0..=100.0, "99.9"))]
    least: f64,

    /// Look again each so many seconds until the process, or the last of a plan, ends
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = integer("--watch", 1..=86400u32))]
    watch: Option<u32>,

    /// Each look as OpenMetrics text, too: into FILE, or with --watch at unix:PATH or tcp:ADDRESS:PORT for who asks by HTTP
    #[arg(long, value_name = "FILE|SOCKET", value_parser = openmetrics::target)]
    openmetrics: Option<openmetrics::Target>,

    /// Judge recorded slots of a plan's table, as `fresco run PLAN --records FILE` writes them, in place of live processes
    #[arg(long, value_name = "FILE", conflicts_with_all = ["watch", "all", "least", "openmetrics"])]
    records: Option<PathBuf>,

    /// With --records: how much later than planned a slot may begin and end
    #[arg(long, value_name = "TIME", default_value = "100us", requires = "records")]
    late: String,

    /// With --records: leave out slots that began within so much after the first one, while programs were starting
    #[arg(long, value_name = "TIME", requires = "records")]
    after: Option<String>,

    /// With --records: the processors of the plan's cores, as `fresco run --cpus` was told, such as 2-3
    #[arg(long, value_name = "CPUS", requires = "records")]
    cpus: Option<String>,

    /// Every mapping with pages in memory, also those of files, and where no page has a color asked for
    #[arg(long)]
    all: bool,

    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
}

/// What is looked at.
#[derive(Clone, Debug)]
enum Target {
    Process(u32),
    Plan(PathBuf),
}

fn target(word: &str) -> Result<Target, InputError> {
    if word == "-" || word.ends_with(".json") {
        return Ok(Target::Plan(PathBuf::from(word)));
    }
    let number = integer("PID", 1..=u32::MAX)(word).map(Target::Process);
    number.map_err(|error| match word.bytes().all(|byte| byte.is_ascii_digit()) {
        true => error,
        false => error
            .allowed(
                "the number of a process, 1 to 4294967295; a plan: a file ending in .json, or - for standard input",
            )
            .help("write a whole number, in digits, or the name of the plan; look with `fresco ps`"),
    })
}

/// Looks at the process, once or until it ends; or at all of a plan.
pub fn run(args: &Args) -> Outcome {
    let pid = match &args.target {
        Target::Process(_) if args.records.is_some() => {
            return Err(InputError::new("--records", "found it with a process")
                .allowed("--records with a plan, whose slots are recorded")
                .help("name the plan, or leave out --records")
                .into());
        }
        Target::Process(pid) => *pid,
        Target::Plan(path) => return run_plan(args, path),
    };
    let process = Process::find(Path::new(PROC), pid)?;
    let own = !args.colors.names_a_map();
    let (request, provenance) = match args.colors.names_a_map() {
        true => {
            let (source, colors, asked) = args.colors.load()?;
            let mut request = Request::new(source.name.clone(), colors, asked);
            // What places its pages is not a question of the map.
            request.backend = process.request().map(|own| own.backend).unwrap_or_default();
            (request, source.provenance())
        }
        false => (own_request(&process, args)?, provenance::of_this_run(None)),
    };
    let least = args.least / 100.0;
    let published = Published::open(args)?;
    let mut report = VerifyReport::of(&process, &request, own)?;
    loop {
        published.put(|| report.samples(least))?;
        output::print(args.json, "fresco-verify/1", &provenance, &report, || {
            report.tables(args.all)
        })?;
        let Some(seconds) = args.watch else { break };
        if published.wait(seconds, || report.samples(least)) {
            return Ok(ExitCode::from(STOPPED));
        }
        match VerifyReport::of(&process, &request, own) {
            Ok(next) => report = next,
            // It has ended: the last look counts.
            Err(_) if Process::find(Path::new(PROC), pid).is_err() => break,
            Err(error) => return Err(error.into()),
        }
    }
    match report.holds(least) {
        true => Ok(ExitCode::SUCCESS),
        false => Ok(ExitCode::from(WANTING)),
    }
}

/// All processes of a plan, once or until the last has ended.
fn run_plan(args: &Args, path: &Path) -> Outcome {
    let named = args.colors.given();
    if let Some(option) = named.or(args.all.then_some("--all")) {
        return Err(InputError::new(option, "found it with a plan")
            .allowed("--watch, --least and --json with a plan, which names map and colors")
            .help(format!("leave out {option}"))
            .into());
    }
    if let Some(file) = &args.records {
        let options = records::Options {
            late: &args.late,
            after: args.after.as_deref(),
            cpus: args.cpus.as_deref(),
        };
        return records::run(path, file, &options, args.json);
    }
    let planned = planned::load(path, None)?;
    let published = Published::open(args)?;
    tasks::run(&planned, args.least / 100.0, args.watch, args.json, &published)
}

/// What the process was started with.
fn own_request(process: &Process, args: &Args) -> Result<Request, InputError> {
    if let Some(colors) = &args.colors.colors {
        return Err(InputError::new("--colors", format!("found {colors} without a map"))
            .allowed("--colors with --map or --machine")
            .help("name the map whose colors are meant"));
    }
    process.tells()?;
    process.request().ok_or_else(|| {
        InputError::new("PID", format!("found no colors asked for by process {}", process.pid))
            .allowed("a process started by `fresco run`")
            .help("name the map and the colors to judge it by: --machine or --map, --colors")
    })
}
