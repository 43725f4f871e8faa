// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco loop`: the programs of a scenario on Linux in a virtual machine, its processors recorded, and replayed on the model of the machine.

mod console;
pub mod guest;
mod initramfs;
mod points;
pub mod recordings;

use crate::arguments::{count, integer, one_at_least};
use crate::cli::Cli;
use crate::failure::{Failure, Outcome, tell};
use crate::progress;
use crate::provenance;
use crate::stop::{STOPPED, Stop};
use crate::verbs::record;
use clap::Parser;
use console::{CONSOLE, early, said};
use fresco_input::{InputError, file_name, is_standard_input, write_atomically};
use fresco_load::trace::digest_of_file;
use fresco_record::machine::{MOST_MIB, Machine, MachineEnded, Processor, Recorded, Settings, record_machine};
use fresco_scenario::Setup;
use guest::{FRESCO, PROGRAMS};
use initramfs::Initramfs;
use points::Guest;
use recordings::{ColorsBy, FILE, Ran, Recording, Recordings, SCHEMA, Trace};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Arguments of `fresco loop`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Each task has a command, a program of this machine, which runs on Linux under QEMU (Debian's package qemu-system-x86), on the processor
of its core and in pages of its colors, beside the other tasks. What each processor loads and stores, kernel and all, goes into a trace
by physical address. Then the scenario is run on the model of its machine with these traces as programs, as `fresco sim SCENARIO
--recorded DIR` does it again. Tasks with colors need a kernel with page coloring (kernel/README.md); others any that has a
console at ttyS0.

Examples:
  fresco loop pair.toml --kernel bzImage --out recorded
  fresco loop pair.toml --kernel bzImage --out recorded --skip 20M --instructions 5M --file data.txt
  fresco sim pair.toml --recorded recorded --out report")]
pub struct Args {
    /// Scenario whose tasks have commands
    #[arg(value_name = "SCENARIO")]
    scenario: String,

    /// The kernel that is booted
    #[arg(long, value_name = "FILE")]
    kernel: PathBuf,

    /// Write the recordings there; a directory that is new or empty
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// A file of this machine that programs read, or a directory of files, at the same place in the virtual machine (repeatable)
    #[arg(long, value_name = "FILE")]
    file: Vec<PathBuf>,

    /// Leave out so many instructions of each processor after its program begins, such as 20M
    #[arg(long, value_name = "N", default_value = "0", value_parser = count)]
    skip: u64,

    /// Record so many instructions of each processor, such as 5M
    #[arg(long, value_name = "N", default_value = "10M", value_parser = one_at_least)]
    instructions: u64,

    /// Memory of the virtual machine, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 1024, value_parser = integer("--memory", 256..=MOST_MIB))]
    memory: u32,

    /// How programs get their colors in the virtual machine
    #[arg(long, value_name = "WAY", default_value = "run")]
    colors_by: ColorsBy,

    /// Set a key of the scenario (repeatable)
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,

    /// Record, and replay nothing
    #[arg(long)]
    record_only: bool,

    /// Print JSON instead of tables
    #[arg(long, conflicts_with = "record_only")]
    json: bool,
}

/// Records, and replays.
pub fn run(args: &Args) -> Outcome {
    if is_standard_input(&args.scenario) {
        return Err(InputError::new("SCENARIO", "found -, which can be read only once")
            .allowed("a file, or the name of a built-in scenario: it is read again for the replay")
            .help("save it as a file first")
            .into());
    }
    if Path::new(&args.scenario).extension().is_some_and(|kind| kind == "json") {
        return Err(InputError::new(
            &args.scenario,
            "found a file whose name ends in .json, as those of plans do",
        )
        .allowed("a scenario in TOML, or the name of a built-in one")
        .help("name the scenario that the plan was made from, without its periods")
        .into());
    }
    let (scenario, file) = recordings::read(&args.scenario, &args.set)?;
    prepare(&args.out)?;
    let mut wanted: Vec<(BTreeMap<String, Ran>, &Setup)> = Vec::new();
    for point in &scenario.points {
        let ran = points::ran(&point.setup)?;
        if wanted.iter().all(|(known, _)| *known != ran) {
            wanted.push((ran, &point.setup));
        }
    }
    // What is wrong with one is told before any is recorded.
    let guests: Vec<Guest> = wanted
        .iter()
        .map(|(ran, setup)| points::guest(setup, ran, args.memory, args.colors_by))
        .collect::<Result<_, _>>()?;
    let plugin = match record::plugin() {
        Ok(plugin) => plugin,
        Err(failure) => return record::of_failure(&failure),
    };
    let mut all = Recordings {
        schema: SCHEMA.to_owned(),
        tool: tool(),
        command: provenance::of_this_run(None).command,
        scenario: file.name.clone(),
        digest: file.digest.clone(),
        kernel: file_name(&args.kernel),
        kernel_digest: digest_of_file(&args.kernel)?,
        emulator: emulator(),
        colors_by: args.colors_by,
        memory_mib: args.memory,
        skip: args.skip,
        instructions: args.instructions,
        recordings: Vec::new(),
    };
    let stop = Stop::on_any_end();
    let (several, count) = (guests.len() > 1, guests.len());
    for (number, (guest, (ran, setup))) in guests.iter().zip(wanted).enumerate() {
        let directory = match several {
            true => args.out.join((number + 1).to_string()),
            false => args.out.clone(),
        };
        let one = One {
            args,
            plugin: &plugin,
            directory: &directory,
            what: format!("recording {} of {count}", number + 1),
        };
        match one.record(guest, setup, ran, &stop)? {
            Some(recording) => all.recordings.push(recording),
            None => return Ok(ExitCode::from(STOPPED)),
        }
        let json =
            serde_json::to_vec_pretty(&all).map_err(|error| InputError::new(FILE, error.to_string()).internal())?;
        write_atomically(args.out.join(FILE), &json)?;
    }
    told(&all);
    if args.record_only {
        return Ok(ExitCode::SUCCESS);
    }
    replay(args)
}

/// Simulates the scenario with what was recorded.
fn replay(args: &Args) -> Outcome {
    let mut words: Vec<OsString> = vec![
        "fresco".into(),
        "sim".into(),
        (&args.scenario).into(),
        "--recorded".into(),
    ];
    words.push(args.out.clone().into());
    for set in &args.set {
        words.extend(["--set".into(), set.into()]);
    }
    if args.json {
        words.push("--json".into());
    }
    match Cli::try_parse_from(words) {
        Ok(cli) => cli.verb.run(),
        Err(error) => Err(InputError::new("fresco sim", error.to_string()).internal().into()),
    }
}

/// A directory that is there and has no recordings. What the machine of an earlier try has said may be in it.
fn prepare(directory: &Path) -> Result<(), InputError> {
    let fault = |found: String| InputError::new("--out", format!("{}: {found}", directory.display()));
    fs::create_dir_all(directory).map_err(|error| fault(error.to_string()))?;
    match is_without_recordings(directory) {
        Ok(true) => Ok(()),
        Ok(false) => Err(fault("is not empty".to_owned())
            .allowed("a directory that is new or empty: recordings take their time, and are not replaced")
            .help("name another one, or remove it")),
        Err(error) => Err(fault(error.to_string())),
    }
}

/// Returns true if nothing is in it but consoles, or directories with nothing else.
fn is_without_recordings(directory: &Path) -> std::io::Result<bool> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let is_spare = match entry.file_type()?.is_dir() {
            true => is_without_recordings(&entry.path())?,
            false => entry.file_name() == CONSOLE,
        };
        if !is_spare {
            return Ok(false);
        }
    }
    Ok(true)
}

fn tool() -> String {
    concat!("fresco ", env!("CARGO_PKG_VERSION")).to_owned()
}

/// The emulator's version, in its own words.
fn emulator() -> String {
    let told = Command::new("qemu-system-x86_64").arg("--version").output();
    let told = told.map(|told| String::from_utf8_lossy(&told.stdout).into_owned());
    told.ok()
        .and_then(|text| text.lines().next().map(str::to_owned))
        .unwrap_or_default()
}

/// One recording.
struct One<'a> {
    args: &'a Args,
    plugin: &'a Path,
    directory: &'a Path,
    what: String,
}

impl One<'_> {
    /// Records it; `None` if it was stopped.
    fn record(
        &self,
        guest: &Guest,
        setup: &Setup,
        ran: BTreeMap<String, Ran>,
        stop: &Stop,
    ) -> Result<Option<Recording>, Failure> {
        let place = |error: std::io::Error| InputError::new("--out", format!("{}: {error}", self.directory.display()));
        fs::create_dir_all(self.directory).map_err(place)?;
        let [initramfs, console] = ["initramfs", CONSOLE].map(|name| self.directory.join(name));
        write_atomically(&initramfs, &archive(guest, setup, &self.args.file)?)?;
        let processors: Vec<Processor> = guest
            .programs
            .programs
            .iter()
            .map(|program| Processor {
                number: program.cpu,
                // As it was typed, whatever the path.
                program: ran[&program.name].command.join(" "),
                trace: self.directory.join(file_of(&program.name)),
            })
            .collect();
        let machine = Machine {
            plugin: self.plugin.to_owned(),
            kernel: self.args.kernel.clone(),
            initramfs: initramfs.clone(),
            append: format!("quiet rdinit={FRESCO} -- loop-guest"),
            memory_mib: self.args.memory,
            cpus: guest.cpus,
            console: console.clone(),
            settings: Settings {
                skip: self.args.skip,
                instructions: self.args.instructions,
                processors: processors.len() as u32,
            },
            tool: tool(),
        };
        let bar = progress::bar(self.args.instructions * processors.len() as u64, &self.what);
        let recorded = record_machine(&machine, &processors, &mut |done| bar.set_position(done), &|| {
            stop.is_asked()
        });
        bar.finish_and_clear();
        let _ = fs::remove_file(&initramfs);
        // A trace that is not whole is none.
        let discard = || {
            for processor in &processors {
                let _ = fs::remove_file(&processor.trace);
            }
        };
        let (recorded, ended) = recorded.map_err(|failure| {
            discard();
            InputError::new("fresco loop", failure.what)
        })?;
        let said = said(&console);
        if ended == MachineEnded::Asked {
            discard();
            tell("fresco loop: stopped; recordings that were whole by then stay");
            return Ok(None);
        }
        if ended == MachineEnded::Early || recorded.iter().any(|recorded| recorded.accesses == 0) {
            discard();
            return Err(early(&console, &said).into());
        }
        let trace = |(processor, recorded): (&Processor, &Recorded)| {
            let name = &guest
                .programs
                .programs
                .iter()
                .find(|program| program.cpu == processor.number)?
                .name;
            let trace = Trace {
                file: relative(&self.args.out, &processor.trace),
                instructions: recorded.instructions,
                accesses: recorded.accesses,
                ended: said
                    .iter()
                    .find_map(|line| Some(line.strip_prefix(name)?.strip_prefix(" ended: ")?.to_owned())),
            };
            Some((name.clone(), trace))
        };
        Ok(Some(Recording {
            ran,
            traces: processors.iter().zip(&recorded).filter_map(trace).collect(),
        }))
    }
}

/// The first file system of the virtual machine.
fn archive(guest: &Guest, setup: &Setup, files: &[PathBuf]) -> Result<Vec<u8>, InputError> {
    let unreadable = |path: &Path| {
        let path = path.display().to_string();
        move |error: std::io::Error| {
            InputError::new(path.clone(), error.to_string()).help("check the name and whether it may be read")
        }
    };
    let mut archive = Initramfs::new();
    // By its process: the file may have been replaced since.
    let own = PathBuf::from(format!("/proc/{}/exe", std::process::id()));
    archive.file(Path::new(FRESCO), 0o755, &stripped(&own).map_err(unreadable(&own))?);
    for program in guest.files.iter().chain([&own]) {
        archive.libraries(program).map_err(unreadable(program))?;
    }
    for file in guest.files.iter().chain(files) {
        let file = std::path::absolute(file).map_err(unreadable(file))?;
        archive.copy(&file).map_err(unreadable(&file))?;
    }
    if let Some(machine) = points::machine_file(setup) {
        let text = fs::read(&machine).map_err(unreadable(&machine))?;
        archive.file(Path::new(points::MACHINE), 0o644, &text);
    }
    let programs =
        serde_json::to_vec(&guest.programs).map_err(|error| InputError::new(PROGRAMS, error.to_string()).internal())?;
    archive.file(Path::new(PROGRAMS), 0o644, &programs);
    Ok(archive.finish())
}

/// A program without what debuggers need, where there is a tool for that: it is most of a program.
fn stripped(program: &Path) -> std::io::Result<Vec<u8>> {
    let aside = std::env::temp_dir().join(format!("fresco-loop-{}", std::process::id()));
    let done = Command::new("strip").arg("-o").arg(&aside).arg(program).output();
    let content = match done {
        Ok(done) if done.status.success() => fs::read(&aside),
        _ => fs::read(program),
    };
    let _ = fs::remove_file(&aside);
    content
}

fn file_of(task: &str) -> String {
    format!("{task}.ftrace")
}

fn relative(directory: &Path, path: &Path) -> String {
    path.strip_prefix(directory)
        .unwrap_or(path)
        .to_string_lossy()
        .into_owned()
}

/// What was recorded.
fn told(all: &Recordings) {
    for recording in &all.recordings {
        for (task, trace) in &recording.traces {
            let colors = recording.ran[task].colors.as_deref().unwrap_or("no colors");
            let ended = trace
                .ended
                .as_ref()
                .map_or_else(String::new, |ended| format!("; ended: {ended}"));
            tell(&format!(
                "fresco loop: {}: {task}, {colors}: {} instructions, {} loads and stores{ended}",
                trace.file, trace.instructions, trace.accesses
            ));
        }
    }
}
