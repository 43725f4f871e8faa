// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a command line of `fresco sim` names: scenarios as they stand, and plans.

use super::{Args, on};
use crate::failure::Failure;
use crate::simulate::Subject;
use crate::verbs::in_loop::recordings;
use crate::{plans, scenarios};
use fresco_input::{Document, InputError, file_name, quoted};
use fresco_plan::Plan;
use fresco_scenario::is_plan;
use fresco_system::planned::{Run, high_mode_begins};
use std::path::Path;

/// What a word of the command line stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A scenario that is simulated as it stands.
    Scenario,
    /// A scenario that is planned first.
    Planned,
    /// The file of a plan.
    Plan,
}

/// Reads what is to be simulated, in the order of the command line.
///
/// # Errors
/// What reading a scenario or a plan finds; a scenario of which there is no plan; two of one name; options that change nothing.
pub(super) fn load(args: &Args) -> Result<Vec<Subject>, Failure> {
    refuse_two_values(args)?;
    if let Some(comparison) = args.on_machine.comparison(&args.scenarios, &args.policies) {
        return Ok(vec![on::load(args, comparison)?]);
    }
    let kinds: Vec<Kind> = args
        .scenarios
        .iter()
        .map(|name| kind(name, &args.set))
        .collect::<Result<_, _>>()?;
    refuse_what_changes_nothing(args, &kinds)?;
    let all = overrides(args)?;
    let run = Run {
        horizon_ns: args
            .horizon
            .as_deref()
            .map(|text| time("--horizon", text))
            .transpose()?,
        from_switch_on: args.from_switch_on,
        mode_change_ns: args
            .mode_change
            .as_deref()
            .map(|text| time("--mode-change", text))
            .transpose()?,
        ..Run::default()
    };
    let recorded = args
        .timeline
        .as_deref()
        .map(|text| time("--timeline", text))
        .transpose()?;
    let run = Run {
        seed: args.seed.map_or(run.seed, u64::from),
        record_ns: recorded.unwrap_or(run.record_ns),
        ..run
    };
    let mut subjects: Vec<Subject> = Vec::new();
    for (name, kind) in args.scenarios.iter().zip(kinds) {
        let overrides = match kind {
            Kind::Plan => &args.set,
            Kind::Planned | Kind::Scenario => &all,
        };
        let subject = if kind == Kind::Scenario {
            let (mut scenario, file) = match &args.recorded {
                Some(directory) => recordings::load(name, overrides, directory)?,
                None => scenarios::load(name, overrides)?,
            };
            scenario.timelines = timelines(args);
            Subject::Scenario(Box::new(scenario), file)
        } else {
            let plan = plans::load(Path::new(name), overrides)?;
            let run = match kind {
                Kind::Planned => Run {
                    seed: plans::seed(Path::new(name), overrides)?,
                    ..run
                },
                _ => run,
            };
            let run = match (run.mode_change_ns, recorded) {
                (Some(at), None) => showing_high_mode(&plan.plan, run, at)?,
                _ => run,
            };
            Subject::Plan(Box::new(plan), run)
        };
        if let Some(other) = subjects.iter().position(|other| other.name() == subject.name()) {
            return Err(twins(name, &args.scenarios[other], subject.name()).into());
        }
        subjects.push(subject);
    }
    Ok(subjects)
}

/// The same run, of which a report shows a retention time of high mode, too.
///
/// # Errors
/// The plan has no high mode.
fn showing_high_mode(plan: &Plan, run: Run, at_ns: u64) -> Result<Run, InputError> {
    let end = high_mode_begins(plan, at_ns)?.saturating_add(plan.memory.retention_ns);
    Ok(Run {
        record_ns: run.record_ns.max(end),
        ..run
    })
}

/// `--set`, and the options that stand for keys of a scenario.
///
/// # Errors
/// A directory that is not UTF-8.
pub(super) fn overrides(args: &Args) -> Result<Vec<String>, InputError> {
    let trace_dir = args.trace_dir.as_deref().map(trace_dir).transpose()?;
    let seed = args.seed.map(|seed| format!("seed={seed}"));
    let timeline = args
        .timeline
        .as_deref()
        .map(|time| format!("timeline={}", quoted(time)));
    Ok(args
        .set
        .iter()
        .cloned()
        .chain(trace_dir)
        .chain(seed)
        .chain(timeline)
        .collect())
}

/// Returns true if something that shows who ran when is written.
pub(super) fn timelines(args: &Args) -> bool {
    args.out.is_some() || args.tables.are_wanted()
}

/// What a word stands for: a scenario is planned if its file or `set` has `plan`.
fn kind(name: &str, set: &[String]) -> Result<Kind, InputError> {
    let of_plan = set.iter().find(|word| table_of(word) == "plan");
    let (_, text) = scenarios::text(Path::new(name))?;
    Ok(if is_plan(name, &text) {
        Kind::Plan
    } else if of_plan.is_some() || asks_for_a_plan(name, &text) {
        Kind::Planned
    } else {
        Kind::Scenario
    })
}

/// The table at the top of the file that a `--set` is about.
fn table_of(set: &str) -> &str {
    set.split(['.', '=']).next().unwrap_or_default().trim()
}

/// Returns true if a scenario has `[plan]`. What is wrong with its text is told when it is read.
pub fn asks_for_a_plan(file: &str, text: &str) -> bool {
    Document::parse(file, text).is_ok_and(|document| document.root().has("plan"))
}

fn refuse_what_changes_nothing(args: &Args, kinds: &[Kind]) -> Result<(), InputError> {
    if kinds.iter().all(|kind| *kind == Kind::Scenario) {
        if let Some(word) = args.set.iter().find(|word| table_of(word) == "server") {
            return Err(
                InputError::new(format!("--set {word}"), "found a key that only plans heed")
                    .allowed("it with a scenario that has [plan]")
                    .help("omit it, or add --set plan.method=crs"),
            );
        }
        let options = [
            ("--horizon", args.horizon.is_some()),
            ("--from-switch-on", args.from_switch_on),
            ("--mode-change", args.mode_change.is_some()),
        ];
        refuse_options("a scenario", "plans", &options)?;
    }
    if kinds.iter().all(|kind| *kind == Kind::Plan) {
        let options = [
            ("--trace-dir", args.trace_dir.is_some()),
            ("--recorded", args.recorded.is_some()),
        ];
        refuse_options("a plan", "scenarios", &options)?;
    }
    Ok(())
}

/// Refuses an option that was given; each comes with whether it was.
pub(super) fn refuse_options(found: &str, suits: &str, options: &[(&str, bool)]) -> Result<(), InputError> {
    match options.iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((option, _)) => Err(InputError::new(*option, format!("found it with {found}"))
            .allowed(format!("it with {suits}"))
            .help("omit it")),
    }
}

/// An option and the `--set` of the key that it stands for would be two values for one thing.
pub(super) fn refuse_two_values(args: &Args) -> Result<(), InputError> {
    let options = [
        (args.seed.is_some(), "--seed", "seed"),
        (args.timeline.is_some(), "--timeline", "timeline"),
        (args.trace_dir.is_some(), "--trace-dir", "trace_dir"),
        (args.on_machine.is_given(), "--on", "machine"),
    ];
    for (given, option, key) in options {
        let is_key = |text: &&String| text.split_once('=').is_some_and(|(name, _)| name.trim() == key);
        if let Some(text) = args.set.iter().find(is_key).filter(|_| given) {
            let error = InputError::new(
                format!("--set {text}"),
                format!("found a second value, beside {option}"),
            );
            return Err(error
                .in_field(key)
                .allowed(format!("{option}, or --set {key}=…"))
                .help("omit one of them"));
        }
    }
    Ok(())
}

/// The override that `--trace-dir` stands for.
fn trace_dir(directory: &Path) -> Result<String, InputError> {
    // A scenario's paths are relative to its file, an option's to the working directory.
    let path = std::path::absolute(directory).unwrap_or_else(|_| directory.to_owned());
    let path = path.to_str().ok_or_else(|| {
        InputError::new("--trace-dir", "found a path that is not UTF-8")
            .allowed("a path in UTF-8")
            .help("rename the directory, or link to it")
    })?;
    Ok(format!("trace_dir={}", quoted(path)))
}

/// Two of one name would share file names in the report and rows of the tables.
fn twins(second: &str, first: &str, name: &str) -> InputError {
    let found = format!("found a second scenario of the name {name:?}, after {first}");
    InputError::new(file_name(second), found)
        .in_field("name")
        .allowed("each name once")
        .help("give it once, or change the name in one of the files: --set holds for all of them")
}

/// Longest run: 100 s.
const LONGEST_PS: u64 = 100_000_000_000_000;

/// A length of time, in ns.
fn time(option: &str, text: &str) -> Result<u64, InputError> {
    let document = Document::parse(option, &format!("time = {}", quoted(text)))?;
    let read = document.root().duration("time", 1_000_000..=LONGEST_PS);
    let ps = read.map_err(|error| {
        InputError::new(option, format!("found {text:?}"))
            .allowed(error.allowed.clone())
            .help("write a time such as '640 ms'")
    })?;
    Ok(ps / 1000)
}
