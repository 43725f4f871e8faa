// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco loop`: the programs of a scenario on Linux in a virtual machine, its processors recorded, and replayed on the model of the machine.

mod archive;
mod arguments;
mod closed;
mod console;
pub mod guest;
mod initramfs;
mod memguard;
mod points;
pub mod recordings;

use crate::cli::Cli;
use crate::failure::{Failure, Outcome, tell};
use crate::progress;
use crate::provenance;
use crate::stop::{STOPPED, Stop};
use crate::verbs::record;
use archive::archive;
pub use arguments::Args;
use clap::Parser;
use console::{CONSOLE, early, said};
use fresco_input::{InputError, file_name, is_standard_input, write_atomically};
use fresco_load::trace::digest_of_file;
use fresco_record::machine::{Machine, MachineEnded, Processor, Recorded, Settings, record_machine};
use fresco_scenario::Setup;
use guest::FRESCO;
use points::Guest;
use recordings::{FILE, Ran, Recording, Recordings, SCHEMA, Trace};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

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
    if args.closed {
        return closed::run(args);
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
        emulator: version(&args.qemu),
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

/// The emulator's version, in its own words; nothing if it does not say.
fn version(emulator: &Path) -> String {
    let told = Command::new(emulator).arg("--version").output();
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
        write_atomically(&initramfs, &archive(guest, setup, &self.args.file, &[])?)?;
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
            emulator: self.args.qemu.clone(),
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
                window: 0,
                align: 0,
                below: 0,
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
