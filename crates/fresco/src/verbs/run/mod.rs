// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco run`: an unmodified program, its memory in frames of the colors asked for.

mod backend;
mod limits;
mod plain;
mod plan;
mod regulated;
mod room;
mod schedule;
mod schedule_view;
mod started;
mod tasks;

use super::live::{ColorArgs, planned};
use crate::failure::{Failure, Outcome, tell};
use crate::output;
use fresco_dram::color::parse_list;
use fresco_input::{InputError, closest};
use fresco_linux::backend::{Chosen, Wanted};
use fresco_linux::colors::{AskedColors, ColorCounts, Request, WhenFull};
use fresco_linux::launch::{self, Means, Program, ProgramError};
use fresco_linux::pager::MOST_SETS;
use fresco_linux::regulator::{Places, Regulation, Trees, Wishes};
use limits::LimitArgs;
use plan::RunPlan;
use schedule::ScheduleArgs;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::ExitCode;

/// Exit status where this machine, or the program, lacks what it takes; as `env` has it for faults of its own.
const UNABLE: u8 = 125;

/// Processors and nodes that the kernel's sets of them have room for.
const MOST_NUMBERS: u32 = 1024;

/// Arguments of `fresco run`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The command becomes the program: its exit status, its signals and its process number are the program's. Before that,
126 and 127 are those of a shell (it cannot be executed, it is not found), 125 says that this machine or the program
lacks what it takes, 2 that the input is wrong.

--bandwidth needs resctrl (Intel RDT, AMD QoS, Arm MPAM) or the kernel module memguard (kernel/memguard/README.md), --reserve
the latter, --ways the former; where these are not there they are refused. With one of these options colors may be left out.

On a kernel with page coloring (kernel/README.md) whose map tells these colors apart, everything that the program takes
is covered; on others the heap (malloc and its family) and private anonymous mappings, of the program and of the
programs that it starts. --dry-run says which, and docs/run.md how and when.

Examples:
  fresco run --machine opteron-6128 --colors banks=0-31 -- xz -9 data
  fresco run --map map.txt --llc 6-16 --colors banks=0-3,llc=0-7 --strict --cpus 2-3 -- ./control
  fresco run --machine i7-860 --colors llc=0-3 --dry-run -- python3 train.py
  fresco run --bandwidth 500M -- ./video
  fresco run plan.json
  fresco run --schedule table --records slots.jsonl plan.json
  fresco run scenario.toml")]
pub struct Args {
    #[command(flatten)]
    colors: ColorArgs,

    /// Take memory from these NUMA nodes only, such as 0 or 0,2
    #[arg(long, value_name = "NODES")]
    node: Option<String>,

    /// Run on these processors only, such as 0-3,8
    #[arg(long, value_name = "CPUS")]
    cpus: Option<String>,

    /// Colors of the threads, in turn from the first thread on, such as 'banks=0-3;banks=4-7'
    #[arg(long, value_name = "COLORS;COLORS")]
    thread_colors: Option<String>,

    #[command(flatten)]
    limits: LimitArgs,

    #[command(flatten)]
    schedule: ScheduleArgs,

    /// Let allocations fail when frames of these colors run out, instead of taking others
    #[arg(long)]
    strict: bool,

    /// Collect frames for so much memory before the program starts, such as 256M
    #[arg(long, value_name = "SIZE")]
    pool: Option<String>,

    /// Let a search for frames hold so much memory [default: half of what is available]
    #[arg(long, value_name = "SIZE")]
    search: Option<String>,

    /// What places the pages: the kernel's page coloring (kernel), a library on any kernel (stock), or the first of
    /// these that there is (auto)
    #[arg(long, default_value = "auto", value_parser = backend::wanted())]
    backend: Wanted,

    /// Tell on standard error what was placed: a line at the end of each program, and a total; with --stats=details
    /// also what it took
    #[arg(long, value_name = "WHAT", num_args = 0..=1, require_equals = true, default_missing_value = "pages")]
    stats: Option<Told>,

    /// Say what would be done, and do nothing
    #[arg(short = 'n', long)]
    dry_run: bool,

    /// With --dry-run: print JSON instead of tables
    #[arg(long)]
    json: bool,

    /// The program and its arguments; or a plan, PLAN.json or - for standard input, or a scenario, which is planned, alone:
    /// each of its tasks where it has it
    #[arg(
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "PROGRAM",
        value_hint = clap::ValueHint::CommandWithArguments
    )]
    command: Vec<OsString>,
}

/// What is told at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Told {
    /// Pages.
    Pages,
    /// What it took, too.
    Details,
}

/// Becomes the program.
pub fn run(args: &Args) -> Outcome {
    refuse_misspelt(&args.command)?;
    if args.json && !args.dry_run {
        return Err(InputError::new("--json", "found it without --dry-run")
            .allowed("--json with --dry-run: what a program prints is its own")
            .help("add --dry-run, or leave out --json")
            .into());
    }
    let cpus = numbers("--cpus", args.cpus.as_deref(), &launch::online_cpus())?;
    if !is_program(args)
        && let Some(plan) = planned::plan_of(&args.command)?
    {
        return run_plan(args, plan, cpus.as_deref());
    }
    args.schedule.check_without_plan()?;
    args.limits.check_regulator()?;
    let wishes = args.limits.wishes(cpus.as_deref())?;
    if !wishes.is_none() && args.colors.given().is_none() && args.thread_colors.is_none() {
        return plain::run(args, &wishes);
    }
    let (source, colors, asked) = args.colors.load()?;
    let threads = thread_colors(args.thread_colors.as_deref(), ColorCounts::of(&colors))?;
    if args.colors.colors.is_none() && threads.is_empty() {
        return Err(InputError::new("command line", "found no colors")
            .allowed("--colors banks=LIST, llc=LIST or both")
            .help("name them; `fresco map colors` shows which there are")
            .into());
    }
    // What no thread owns may have the colors of any, unless others are named.
    let asked = match args.colors.colors.is_none() {
        true => AskedColors::all_of(&threads),
        false => asked,
    };
    let mut request = Request::new(source.name.clone(), colors, asked);
    request.thread_colors = threads;
    request.stats = args.stats.is_some();
    request.details = args.stats == Some(Told::Details);
    request.limits = wishes.limits.clone();
    if args.strict {
        request.when_full = WhenFull::Strict;
    }
    request.pool_bytes = bytes("--pool", args.pool.as_deref())?.unwrap_or(0);
    request.search_bytes = bytes("--search", args.search.as_deref())?;
    request.nodes = numbers("--node", args.node.as_deref(), &launch::online_nodes())?;
    request.cpus = cpus;
    room::check_pool(&request)?;
    let Some((name, arguments)) = args.command.split_first() else {
        return Err(InputError::new("command line", "found no program").into());
    };
    let wanted = backend::of(args.backend, &request)?;
    let chosen = Chosen::new(wanted, std::iter::once(&request));
    request.backend = chosen.backend;
    let program = match Program::find(name, &search_path(), chosen.backend.provider().needs_loader()) {
        Ok(program) => program,
        Err(error) => return Ok(not_found(name, &error)),
    };
    let regulation = limits::regulation(&wishes, &Trees::find());
    if args.dry_run {
        let plan = RunPlan::new(&request, &program, &chosen, &regulation);
        output::print(args.json, "fresco-run/1", &source.provenance(), &plan, || plan.tables())?;
        return Ok(ExitCode::from(if plan.can_be_done() { 0 } else { UNABLE }));
    }
    if let Some(refusal) = chosen.passed_over() {
        tell(&format!("fresco run: with the stock back end: {refusal}"));
    }
    match prepared(&request, &chosen, &program, &wishes, regulation) {
        Err(reason) => {
            tell(&format!("fresco run: {reason}"));
            Ok(ExitCode::from(UNABLE))
        }
        Ok((means, _places)) => {
            let error = launch::become_program(&program, arguments, &request, &*means);
            tell(&format!("fresco run: {}: {error}", program.path.display()));
            Ok(ExitCode::from(126))
        }
    }
}

/// Says that there is no such program; the exit status says it as well.
fn not_found(name: &OsStr, error: &ProgramError) -> ExitCode {
    tell(&format!("fresco run: {}: {error}", name.to_string_lossy()));
    ExitCode::from(error.status())
}

/// Returns true if the first word, which may look like a plan, is a program that colors are named for.
fn is_program(args: &Args) -> bool {
    let colored = args.colors.colors.is_some() || args.thread_colors.is_some();
    let program = |name| Program::find(name, &search_path(), false);
    colored && args.command.first().is_some_and(|name| program(name).is_ok())
}

/// What begins with a hyphen where the program belongs is an option that there is not.
fn refuse_misspelt(command: &[OsString]) -> Result<(), InputError> {
    let Some(word) = command.first().map(|word| word.to_string_lossy()) else {
        return Ok(());
    };
    // A hyphen alone is a plan on standard input.
    if !word.starts_with('-') || word == "-" {
        return Ok(());
    }
    let known = <Args as clap::Args>::augment_args(clap::Command::new("run"));
    let options: Vec<String> = known
        .get_arguments()
        .filter_map(|argument| Some(format!("--{}", argument.get_long()?)))
        .collect();
    let option = word.split('=').next().unwrap_or_default();
    Err(InputError::new(option, "found it where the program belongs")
        .allowed("the options of `fresco run --help`, then a program and its own options")
        .help(match closest(option, options.iter().map(String::as_str)) {
            Some(near) => format!("did you mean {near}?"),
            None => format!("leave out {option}; a program of this name is ./{option}"),
        }))
}

/// Where programs are looked for.
fn search_path() -> OsString {
    std::env::var_os("PATH").unwrap_or_else(|| OsString::from("/bin:/usr/bin"))
}

/// The colors of each thread in turn.
fn thread_colors(text: Option<&str>, counts: ColorCounts) -> Result<Vec<AskedColors>, InputError> {
    let Some(text) = text else { return Ok(Vec::new()) };
    let read = |(number, set)| {
        AskedColors::parse(set, counts).map_err(|error| {
            let found = format!("set {number}, {set:?}: {}", error.found);
            InputError::new("--thread-colors", found)
                .allowed(error.allowed.clone())
                .help(error.help.clone())
        })
    };
    let sets: Vec<_> = (1..).zip(text.split(';')).map(read).collect::<Result<_, _>>()?;
    let empty = text.split(';').any(str::is_empty);
    match sets.len() < MOST_SETS && !empty {
        true => Ok(sets),
        false => Err(InputError::new("--thread-colors", format!("found {} sets", sets.len()))
            .allowed(format!("1 to {}, none of them empty", MOST_SETS - 1))
            .help("write banks=0-3;banks=4-7: threads take them in turn")),
    }
}

/// A plan: all its tasks, or what would be done for them.
fn run_plan(args: &Args, path: &Path, cpus: Option<&[u32]>) -> Outcome {
    let limits = args.limits.given();
    let colors = args.colors.given();
    let given = [
        (colors.unwrap_or_default(), colors.is_some()),
        ("--thread-colors", args.thread_colors.is_some()),
        ("--strict", args.strict),
        ("--node", args.node.is_some()),
        ("--pool", args.pool.is_some()),
        ("--search", args.search.is_some()),
        (limits.unwrap_or_default(), limits.is_some()),
    ];
    if let Some((option, _)) = given.into_iter().find(|(_, given)| *given) {
        return Err(InputError::new(option, "found it with a plan")
            .allowed("--cpus, --backend, --regulator, --schedule, --records, --stats, --dry-run and --json with a plan, which says the rest")
            .help(format!("leave out {option}"))
            .into());
    }
    let mut planned = planned::load(path, cpus)?;
    for program in &mut planned.programs {
        program.request.stats = args.stats.is_some();
        program.request.details = args.stats == Some(Told::Details);
    }
    let backend = planned
        .programs
        .first()
        .map(|program| backend::of(args.backend, &program.request));
    let backend = backend.transpose()?.unwrap_or(args.backend);
    let schedule = args.schedule.choose(&planned, path, cpus)?;
    match args.dry_run {
        true => tasks::show(&planned, backend, args.limits.regulator, &schedule, args.json),
        false => tasks::run(&planned, backend, args.limits.regulator, &schedule),
    }
}

/// Does all that has to be done before; gives the means, or the reason why there are none.
fn prepared(
    request: &Request,
    chosen: &Chosen,
    program: &Program,
    wishes: &Wishes,
    regulation: Result<Regulation, String>,
) -> Result<(Box<dyn Means>, Places), String> {
    if let Some(reason) = chosen.missing() {
        return Err(format!("memory cannot be colored here: {reason}"));
    }
    if let Some(reason) = room::refusal(request, chosen.backend) {
        return Err(reason);
    }
    if let Some(words) = room::attention(request, chosen.backend) {
        tell(&format!("fresco run: {words}"));
    }
    let means = chosen.means(0)?;
    let name = request.stats.then(|| program.name.to_string_lossy().into_owned());
    let places = placed(wishes, request.nodes.as_deref(), regulation, name)?;
    Ok((means, places))
}

/// Puts this process on its processors and nodes, and where its limits hold. With a `name` what memguard counts is told.
fn placed(
    wishes: &Wishes,
    nodes: Option<&[u32]>,
    regulation: Result<Regulation, String>,
    name: Option<String>,
) -> Result<Places, String> {
    let regulation = regulation?;
    if let Some(cpus) = &wishes.cpus {
        launch::bind_cpus(cpus).map_err(|error| format!("--cpus: {error}"))?;
    }
    if let Some(nodes) = nodes {
        launch::bind_nodes(nodes).map_err(|error| format!("--node: {error}"))?;
    }
    let places =
        limits::enter(&regulation, name).map_err(|refusal| format!("{}: {refusal}", limits::options(wishes)))?;
    if let Some(words) = regulated::attention(&regulation) {
        tell(&format!("fresco run: {words}"));
    }
    Ok(places)
}

/// A list of numbers that are `online`.
fn numbers(option: &str, text: Option<&str>, online: &[u32]) -> Result<Option<Vec<u32>>, InputError> {
    let Some(text) = text else { return Ok(None) };
    let list = parse_list(text, MOST_NUMBERS, option)?;
    match list.iter().find(|number| !online.contains(number)) {
        None => Ok(Some(list)),
        Some(number) => Err(InputError::new(option, format!("found {number}, which is not online"))
            .allowed(fresco_dram::color::format_list(online))
            .help("choose among these")),
    }
}

/// A size in bytes.
fn bytes(option: &'static str, text: Option<&str>) -> Result<Option<u64>, Failure> {
    let read = |text| super::map::source::size(option, text, 0..=1 << 50);
    Ok(text.map(read).transpose()?)
}
