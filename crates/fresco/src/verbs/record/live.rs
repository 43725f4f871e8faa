// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco record --live`: a program is simulated while it runs, without a file.

use super::{Args, UNWRITTEN, of_failure, options, status};
use crate::failure::{Failure, Outcome, tell};
use crate::files::ReportDirectory;
use crate::progress;
use crate::shown::Results;
use crate::simulate::{Subject, provenance_of};
use crate::stop::Stop;
use crate::{output, scenarios};
use fresco_load::trace::ftrace::recorded::Live;
use fresco_record::{Ended, LiveRecording, descendants, record_live};
use fresco_scenario::Comparison;
use fresco_show::table::Tasks;
use fresco_system::{LiveRun, Scenario};
use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::ExitCode;

/// What is simulated meanwhile.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Write no trace: simulate the program on a machine while it runs
    #[arg(long, requires = "on", conflicts_with = "output")]
    live: bool,

    /// With --live, the machine: a built-in one, or the path of a machine file
    #[arg(long, value_name = "MACHINE", requires = "live")]
    on: Option<String>,

    /// With --live, the policy, as `fresco sim --on` has them with --policies; one, for the program runs once
    #[arg(long, value_name = "NAME", default_value = "buddy", requires = "live")]
    policy: String,

    /// With --live, a program in the background (repeatable), on so many cores
    #[arg(long, value_name = "PROGRAM[,COPIES]", requires = "live")]
    beside: Vec<String>,

    /// With --live, set a key of the scenario (repeatable), e.g. seed=2 or memory.controller.page=closed
    #[arg(long, value_name = "KEY=VALUE", requires = "live")]
    set: Vec<String>,

    /// With --live, print JSON on standard output; what the program writes there goes to standard error
    #[arg(long, requires = "live")]
    json: bool,

    /// With --live, write a report there, as `fresco sim` does
    #[arg(long, value_name = "DIR", requires = "live")]
    out: Option<PathBuf>,
}

impl Options {
    /// The machine, if there is `--live`.
    pub fn machine(&self) -> Option<&str> {
        self.on.as_deref().filter(|_| self.live)
    }
}

/// Runs the program and simulates it. All that can be wrong with the simulation is told before it starts.
pub fn run(args: &Args, machine: &str, name: &OsStr) -> Outcome {
    let live = &args.live;
    let comparison = Comparison {
        machine,
        measured: &[],
        beside: &live.beside,
        policies: std::slice::from_ref(&live.policy),
        is_together: true,
    };
    let (source, file) = scenarios::of_comparison(comparison.to_text_of_live(&name.to_string_lossy())?)?;
    let mut scenario = Scenario::of(&source, &live.set)?;
    scenario.timelines = live.out.is_some();
    let simulation = &LiveRun::new(&scenario)?;
    let subject = Subject::Scenario(Box::new(scenario), file);
    let directory = live.out.as_deref();
    let directory = directory.map(|directory| ReportDirectory::prepare("fresco-sim", directory, subject.files()));
    let directory = directory.transpose()?;
    if live.json {
        output::check_open()?;
    }
    let mut options = match options(args) {
        Ok(options) => options,
        Err(failure) => return of_failure(&failure),
    };
    options.output_aside = live.json;
    let stop = Stop::on_any_end();
    let asked = stop.clone();
    let (feeder, program) = Live::new(simulation.thread(), move || asked.is_asked());
    let bar = progress::beside_a_program("fresco record", !args.quiet);
    descendants::adopt();
    let (recorded, simulated) = std::thread::scope(|scope| {
        let simulated = scope.spawn(move || simulation.run(Box::new(program)));
        let recorded = record_live(&options, feeder, &mut |done| bar.set_position(done), &|| {
            stop.is_asked()
        });
        if !matches!(&recorded, Ok(recording) if matches!(recording.ended, Ended::Program(_))) {
            descendants::kill_all();
        }
        (recorded, simulated.join())
    });
    bar.finish_and_clear();
    let simulated = simulated.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    let mut recording = match recorded {
        Ok(recording) => recording,
        Err(failure) => return of_failure(&failure),
    };
    if stop.is_asked() {
        // Perhaps after the program's own end, while the rest of it was simulated.
        recording.ended = Ended::Asked;
    }
    told(&recording, simulation.thread(), simulated.is_ok());
    if recording.ended == Ended::Enough && simulated.is_ok() && !args.quiet {
        tell("fresco record: as much is simulated as was asked for; the program was ended");
    }
    let status = status(&recording.ended);
    if recording.nothing {
        return Ok(match status == ExitCode::SUCCESS {
            true => ExitCode::from(UNWRITTEN),
            false => status,
        });
    }
    let results = Results {
        scenarios: vec![simulated?],
    };
    show(live, directory.as_ref(), &subject, &results)?;
    Ok(status)
}

/// Prints the results and writes the report.
fn show(
    live: &Options,
    directory: Option<&ReportDirectory>,
    subject: &Subject,
    results: &Results,
) -> Result<(), Failure> {
    let provenance = provenance_of(&[subject], &results.scenarios)?;
    // A report that cannot be written does not cost the results: they are printed first.
    let written = results.write(directory, &[], &provenance);
    if live.json {
        output::write(results.json(&provenance)?)?;
    } else {
        let report = live.out.as_deref().filter(|_| written.is_ok());
        tell(results.text(Tasks::Measured, report, &provenance)?.trim_end());
    }
    written
}

/// What is not in the results, on standard error; none if the simulation could not go on.
fn told(recording: &LiveRecording, thread: u16, are_there: bool) {
    let say = |text: String| tell(&format!("fresco record: {text}"));
    if recording.nothing {
        say("nothing is simulated: the program ended before the part that was to be".into());
    }
    let all: u64 = recording.threads.values().map(|counts| counts.instructions).sum();
    if let (2.., Some(of_thread)) = (recording.threads.len(), recording.threads.get(&thread)) {
        let share = 100.0 * of_thread.instructions as f64 / all.max(1) as f64;
        say(format!(
            "the program has {} threads, of which thread {thread} is simulated, {share:.1} % of the instructions; --set \
             task.NAME.parameters.thread=N takes another",
            recording.threads.len()
        ));
    }
    match recording.children {
        0 => {}
        1 => say("a process that the program made is not simulated".into()),
        count => say(format!("{count} processes that the program made are not simulated")),
    }
    if recording.executed {
        say("the program let another one take its place (exec): from there on nothing is simulated".into());
    }
    match &recording.ended {
        Ended::Program(_) => {}
        Ended::Enough if are_there => {}
        Ended::Enough => say("the program was ended: the simulation cannot go on".into()),
        Ended::Asked => say("stopped by a signal".into()),
        Ended::Failed(reason) | Ended::Full(reason) => say(format!(
            "{reason}; what was simulated until then is whole; the program was ended"
        )),
    }
}
