// SPDX-License-Identifier: MIT OR Apache-2.0
//! A yardstick on the model of a machine: a scenario of one task, which `fresco sim` could run as well.

use super::jobs::{Job, Jobs};
use super::yardstick::Chosen;
use super::{Args, Sample};
use crate::simulate::{Simulated, Subject, provenance_of, simulate};
use crate::stop::Stop;
use fresco_input::{InputError, quoted};
use fresco_report::{InputFile, Provenance};
use fresco_system::Scenario;
use std::path::Path;
use std::time::Duration;

/// What the model measured.
pub struct Modelled {
    /// Name of the machine.
    pub machine: String,
    /// One of each repetition.
    pub samples: Vec<Sample>,
    /// The jobs of a periodic task.
    pub jobs: Option<Jobs>,
    /// What was run.
    pub provenance: Provenance,
}

/// The text of the scenario.
pub fn scenario(machine: &str, args: &Args, chosen: &Chosen, period: Option<(Duration, Duration)>) -> String {
    let (phases, times) = match period {
        None => (
            "[warm_up]\npasses = 1\n\n[measure]\npasses = 1\n".to_owned(),
            String::new(),
        ),
        Some((period, deadline)) => (
            format!("[warm_up]\njobs = 1\n\n[measure]\njobs = {}\n", args.hrt.jobs()),
            format!(
                "period = \"{} ns\"\ndeadline = \"{} ns\"\n",
                period.as_nanos(),
                deadline.as_nanos()
            ),
        ),
    };
    let repetitions = if period.is_some() { 1 } else { args.repetitions() };
    format!(
        "name = \"bench\"\nmachine = {}\nseed = {}\nrepetitions = {repetitions}\n\n{phases}\n[[task]]\nname = \"yardstick\"\n\
         program = {:?}\ncore = 0\n{times}\n[task.parameters]\n{}",
        quoted(machine),
        args.seed,
        chosen.program,
        chosen.parameters
    )
}

/// A scenario is repeated so often at most.
const MOST_REPETITIONS: u32 = 1000;

/// Runs it; what was asked to stop has the repetitions up to there.
///
/// # Errors
/// What reading the scenario finds: no such machine, a program that does not fit its memory.
pub fn run(
    machine: &str,
    args: &Args,
    chosen: &Chosen,
    period: Option<(Duration, Duration)>,
    stop: &Stop,
) -> Result<Modelled, InputError> {
    if args.repetitions() > MOST_REPETITIONS {
        return Err(
            InputError::new("--repetitions", format!("found {}", args.repetitions()))
                .allowed(format!("up to {MOST_REPETITIONS} with --simulate"))
                .help("repeat less often"),
        );
    }
    // Told of as the user named it, not as the scenario does.
    fresco_machine::load(machine)?;
    let text = scenario(machine, args, chosen, period);
    let scenario = Scenario::parse("the scenario of fresco bench", &text, Path::new(""), &[])?;
    let file = InputFile::new("the scenario of fresco bench", crate::provenance::digest(&text));
    let subjects = [Subject::Scenario(Box::new(scenario), file)];
    let Simulated {
        subjects,
        results,
        faults,
        ..
    } = simulate(&subjects, 0, stop);
    if let Some(fault) = faults.into_iter().next() {
        return Err(fault);
    }
    let provenance = provenance_of(&subjects, &results)?;
    let mut modelled = Modelled {
        machine: machine.to_owned(),
        samples: Vec::new(),
        jobs: None,
        provenance,
    };
    for point in results.iter().flat_map(|result| &result.points) {
        modelled.machine.clone_from(&point.machine);
        for (number, run) in (0u64..).zip(&point.runs) {
            let Some(task) = run.tasks.first() else { continue };
            match &task.jobs {
                None => modelled.samples.push(Sample {
                    seed: u64::from(args.seed) + number,
                    pass_ns: task.run_time_ps as f64 / 1e3,
                    accesses: task.operations,
                }),
                Some(jobs) => {
                    // The job of the warm-up comes first.
                    let counted = jobs.jobs.iter().skip(1).take(jobs.released as usize);
                    let origin = counted.clone().map(|job| job.release_ps).min().unwrap_or(0);
                    let ns = |ps: u64| ps.saturating_sub(origin) / 1000;
                    let ended = counted.filter_map(|job| {
                        Some(Job {
                            release_ns: ns(job.release_ps),
                            start_ns: ns(job.start_ps?),
                            end_ns: ns(job.end_ps?),
                        })
                    });
                    modelled.jobs = Some(Jobs::new(
                        jobs.period_ns,
                        jobs.deadline_ns,
                        jobs.released,
                        ended.collect(),
                    ));
                }
            }
        }
    }
    Ok(modelled)
}
