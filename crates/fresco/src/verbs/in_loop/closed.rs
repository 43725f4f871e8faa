// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco loop --closed`: each run of the scenario has a virtual machine that is booted for it, and runs in turn with the model.

use super::archive::archive;
use super::arguments::Args;
use super::console::{CONSOLE, early, said, word};
use super::guest::FRESCO;
use super::memguard::{self, Kept};
use super::points::{self, Guest};
use super::{prepare, recordings, tool, version};
use crate::arguments::duration;
use crate::failure::{Outcome, tell};
use crate::output;
use crate::progress;
use crate::provenance;
use crate::shown::Results;
use crate::simulate::{Subject, provenance_of};
use crate::stop::{STOPPED, Stop};
use crate::verbs::record;
use fresco_input::{InputError, file_name, write_atomically};
use fresco_load::trace::digest_of_file;
use fresco_record::machine::{ClosedMachine, Feed, Machine, MachineEnded, Settings};
use fresco_scenario::Setup;
use fresco_show::table::Tasks;
use fresco_system::bandwidth::Told;
use fresco_system::results::RunResult;
use fresco_system::{InLoop, RunSpec};
use serde::Serialize;
use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

/// The file that says how long programs took.
const FILE: &str = "closed.json";
/// Its schema.
const SCHEMA: &str = "fresco-closed/1";
/// What model and machine may begin at multiples of, in ps: before that time moves on by 10 us and more, and a program waits for the next one.
const ALIGN_PS: RangeInclusive<u64> = 1_000_000_000..=100_000_000_000_000;
/// How long a machine whose run is over may take to say how its programs ended.
const LAST_WORDS: Duration = Duration::from_secs(10);

/// What [`FILE`] has.
#[derive(Serialize)]
struct Closed {
    schema: &'static str,
    tool: String,
    command: String,
    scenario: String,
    digest: String,
    kernel: String,
    kernel_digest: String,
    emulator: String,
    memory_mib: u32,
    skip: u64,
    window: u64,
    align_ns: u64,
    runs: Vec<OneRun>,
}

/// A run.
#[derive(Serialize)]
struct OneRun {
    point: usize,
    /// Values of the axes.
    values: Vec<String>,
    repetition: u32,
    tasks: Vec<OneTask>,
    /// What MemGuard's module did to processors with budgets, if it kept them.
    memguard: Vec<Kept>,
}

/// What came of a task.
#[derive(Serialize)]
struct OneTask {
    name: String,
    cpu: u32,
    /// How its program ended, if it did.
    ended: Option<String>,
    /// From its begin to its end by the clock of the virtual machine.
    guest_ns: Option<u64>,
    /// Its phase on the model, or how much of the run it had if it is in the background.
    model_ns: u64,
    instructions: u64,
}

/// Boots, runs, and shows what came of it.
pub fn run(args: &Args) -> Outcome {
    memguard::check(&args.memguard)?;
    let align_ns = match &args.align {
        Some(text) => duration("--align", text, ALIGN_PS)? / 1000,
        None => 0,
    };
    let (asked, _) = recordings::read(&args.scenario, &args.set)?;
    let guests: Vec<Guest> = asked
        .points
        .iter()
        .map(|point| {
            let mut guest = points::guest(&point.setup, &points::ran(&point.setup)?, args.memory, args.colors_by)?;
            guest.programs.timed = true;
            guest.programs.align_ns = align_ns;
            if !args.memguard.is_empty() {
                guest.programs.memguard = memguard::of(&point.setup, &args.memguard)?;
            }
            Ok(guest)
        })
        .collect::<Result<_, crate::failure::Failure>>()?;
    let (mut scenario, file) = recordings::read(&args.scenario, &args.set)?;
    scenario.run_meanwhile()?;
    if !args.memguard.is_empty() && guests.iter().all(|guest| guest.programs.memguard.is_none()) {
        return Err(InputError::new("--memguard", "found a scenario without budgets")
            .allowed("a scenario with policy.bandwidth = \"memguard\", whose budgets the module keeps")
            .help("--set policy.bandwidth=memguard, and reserve of its tasks; or omit --memguard")
            .into());
    }
    prepare(&args.out)?;
    let plugin = match record::plugin() {
        Ok(plugin) => plugin,
        Err(failure) => return record::of_failure(&failure),
    };
    let mut all = Closed {
        schema: SCHEMA,
        tool: tool(),
        command: provenance::of_this_run(None).command,
        scenario: file.name.clone(),
        digest: file.digest.clone(),
        kernel: file_name(&args.kernel),
        kernel_digest: digest_of_file(&args.kernel)?,
        emulator: version(&args.qemu),
        memory_mib: args.memory,
        skip: args.skip,
        window: args.window,
        align_ns,
        runs: Vec::new(),
    };
    let stop = Stop::on_any_end();
    let specs = scenario.runs();
    let mut results = Vec::new();
    for (number, spec) in specs.iter().enumerate() {
        let directory = match specs.len() {
            1 => args.out.clone(),
            _ => args.out.join((number + 1).to_string()),
        };
        let one = One {
            args,
            plugin: &plugin,
            directory: &directory,
            what: format!("run {} of {}", number + 1, specs.len()),
            stop: &stop,
        };
        // Colors are those of the scenario as it stands.
        let setup = &asked.points[spec.point_number].setup;
        let Some(made) = one.run(&guests[spec.point_number], setup, spec)? else {
            tell("fresco loop: stopped; there are results of no run");
            return Ok(ExitCode::from(STOPPED));
        };
        let axes = scenario.axes.iter().zip(&spec.point.values);
        let run = OneRun {
            point: spec.point_number,
            values: axes.map(|(axis, value)| axis.values[*value].clone()).collect(),
            repetition: spec.repetition,
            tasks: made.tasks,
            memguard: made.memguard,
        };
        told(&run);
        all.runs.push(run);
        results.push(made.result);
    }
    let json = serde_json::to_vec_pretty(&all).map_err(|error| InputError::new(FILE, error.to_string()).internal())?;
    write_atomically(args.out.join(FILE), &json)?;
    let results = Results {
        scenarios: vec![InLoop::results(&scenario, results)],
    };
    show(args, &Subject::Scenario(Box::new(scenario), file), &results)
}

fn show(args: &Args, subject: &Subject, results: &Results) -> Outcome {
    let provenance = provenance_of(&[subject], &results.scenarios)?;
    match args.json {
        true => output::write(results.json(&provenance)?)?,
        false => output::write_text(&results.text(Tasks::Measured, None, &provenance)?)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// How long each program took.
fn told(run: &OneRun) {
    let point = match run.values.is_empty() {
        true => String::new(),
        false => format!("{}: ", run.values.join(", ")),
    };
    for task in &run.tasks {
        let model = format!("{:.3} ms on the model", task.model_ns as f64 / 1e6);
        let guest = match (&task.ended, task.guest_ns) {
            (Some(ended), Some(ns)) => format!("{ended} after {:.3} ms by its own clock, ", ns as f64 / 1e6),
            _ => String::new(),
        };
        tell(&format!(
            "fresco loop: {point}{}: {guest}{model}, {} instructions",
            task.name, task.instructions
        ));
    }
    for kept in &run.memguard {
        tell(&format!("fresco loop: {point}{}", kept.told()));
    }
}

/// What came of a run.
struct Made {
    result: RunResult,
    tasks: Vec<OneTask>,
    memguard: Vec<Kept>,
}

/// One run.
struct One<'a> {
    args: &'a Args,
    plugin: &'a Path,
    directory: &'a Path,
    what: String,
    stop: &'a Stop,
}

impl One<'_> {
    /// Makes it; `None` if it was stopped.
    fn run(&self, guest: &Guest, setup: &Setup, spec: &RunSpec) -> Result<Option<Made>, crate::failure::Failure> {
        let place = |error: std::io::Error| InputError::new("--out", format!("{}: {error}", self.directory.display()));
        fs::create_dir_all(self.directory).map_err(place)?;
        let console = self.directory.join(CONSOLE);
        let machine = self.machine(guest, setup, &console)?;
        let numbers: Vec<u32> = guest.programs.programs.iter().map(|program| program.cpu).collect();
        let clock = Arc::new(AtomicU64::new(0));
        let stop = self.stop.clone();
        let cores = setup.machine.topology.node_of_core.len();
        let told = guest.programs.memguard.as_ref().map(|_| Told::new(cores));
        let feed = told
            .clone()
            .map(|told| Feed::new(&numbers, move |core| told.lines(core)));
        let feed = feed
            .transpose()
            .map_err(|failure| InputError::new("fresco loop", failure.what))?;
        let bar = progress::waiting(&self.what);
        let booted = ClosedMachine::start(&machine, numbers.clone(), Arc::clone(&clock), feed, move || {
            stop.is_asked()
        })
        .map_err(|failure| InputError::new("fresco loop", failure.what));
        let began = booted.and_then(|booted| Ok((booted.begin()?, booted)));
        let _ = fs::remove_file(&machine.initramfs);
        let (began, booted) = began?;
        match began {
            MachineEnded::Asked => return Ok(None),
            MachineEnded::Early => return Err(early(&console, &said(&console)).into()),
            MachineEnded::Enough => {}
        }
        let programs = (0..numbers.len()).map(|processor| booted.program(processor)).collect();
        let result = InLoop { programs, clock, told }.run(spec, &|| self.stop.is_asked());
        let executed: Vec<(u64, bool)> = (0..numbers.len()).map(|processor| booted.executed(processor)).collect();
        let names: Vec<&String> = guest.programs.programs.iter().map(|program| &program.name).collect();
        let over: Vec<&String> = names
            .iter()
            .zip(&executed)
            .filter(|(_, of)| of.1)
            .map(|(name, _)| *name)
            .collect();
        if self.stop.is_asked() {
            return Ok(None);
        }
        booted.finish(LAST_WORDS, || {
            let said = said(&console);
            let is_said = |name: &&String| said.iter().any(|line| word(line, name, "took").is_some());
            result.is_ok() && !over.iter().all(is_said)
        });
        bar.finish_and_clear();
        let Some(result) = result? else { return Ok(None) };
        let said = said(&console);
        let tasks = guest.programs.programs.iter().zip(&executed).enumerate();
        let tasks = tasks.map(|(copy, (program, (instructions, _)))| OneTask {
            name: program.name.clone(),
            cpu: program.cpu,
            ended: said
                .iter()
                .find_map(|line| word(line, &program.name, "ended"))
                .map(str::to_owned),
            guest_ns: said
                .iter()
                .find_map(|line| word(line, &program.name, "took")?.strip_suffix(" ns")?.parse().ok()),
            model_ns: result.tasks[copy].run_time_ps / 1000,
            instructions: *instructions,
        });
        let tasks = tasks.collect();
        let memguard = match guest.programs.memguard {
            Some(_) => memguard::kept(setup, &said),
            None => Vec::new(),
        };
        Ok(Some(Made {
            result,
            tasks,
            memguard,
        }))
    }

    fn machine(&self, guest: &Guest, setup: &Setup, console: &Path) -> Result<Machine, InputError> {
        let modules = guest
            .programs
            .memguard
            .as_ref()
            .map_or(&[][..], |_| &self.args.memguard);
        let initramfs: PathBuf = self.directory.join("initramfs");
        write_atomically(&initramfs, &archive(guest, setup, &self.args.file, modules)?)?;
        Ok(Machine {
            emulator: self.args.qemu.clone(),
            plugin: self.plugin.to_owned(),
            kernel: self.args.kernel.clone(),
            initramfs,
            append: format!("quiet rdinit={FRESCO} -- loop-guest"),
            memory_mib: self.args.memory,
            cpus: guest.cpus,
            console: console.to_owned(),
            settings: Settings {
                skip: self.args.skip,
                instructions: u64::MAX,
                processors: guest.programs.programs.len() as u32,
                window: self.args.window,
                align: guest.programs.align_ns,
                below: 0,
            },
            tool: tool(),
        })
    }
}
