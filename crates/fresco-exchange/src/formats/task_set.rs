// SPDX-License-Identifier: MIT OR Apache-2.0
//! What formats of task sets share: times as whole numbers of a unit, and text of XML.

use crate::amount::Unit;
use crate::export::ExportOptions;
use crate::subject::{Subject, Task};
use crate::times::Times;
use fresco_input::InputError;
use fresco_rt::Time;
use fresco_scenario::Plan;

/// The plan of a subject.
///
/// # Errors
/// It is none.
pub fn plan_of<'s>(subject: &'s Subject, format: &str) -> Result<&'s Plan, InputError> {
    subject.plan.as_ref().ok_or_else(|| {
        subject
            .error(format, "found no plan")
            .allowed("a plan: schedules are in plans alone")
            .help("make one: fresco plan SCENARIO --out plan.json")
    })
}

/// A time of a task, and what it is called.
pub type Named = (fn(&Times) -> Time, &'static str);

/// What is lost of tasks, each with its name, where nothing is said of `times`.
fn lost_of<'t>(tasks: impl Iterator<Item = (&'t str, &'t Times)> + Clone, times: &[Named]) -> Vec<String> {
    let named = |(time, what): &Named| {
        let has = tasks.clone().filter(|(_, times)| time(times) > 0);
        let names: Vec<&str> = has.map(|(name, _)| name).collect();
        (!names.is_empty()).then(|| format!("{what} of {}", names.join(", ")))
    };
    times.iter().filter_map(named).collect()
}

/// What a format of tasks that says nothing of `times` loses of rows.
pub fn lost(rows: &[Row<'_>], times: &[Named]) -> Vec<String> {
    lost_of(rows.iter().map(|row| (row.task.name.as_str(), &row.times)), times)
}

/// What schedules say nothing of: when jobs come besides the period, and what they cost besides their execution.
pub const BESIDES: [Named; 5] = [
    (|times| times.jitter_ns, "the jitter"),
    (|times| times.arrival_jitter_ns, "the arrival jitter"),
    (|times| times.min_distance_ns, "the minimum distance"),
    (|times| times.critical_section_ns, "the critical section"),
    (|times| times.cache_reload_ns, "the reload"),
];

/// What a format of schedules loses: [`BESIDES`], and switches.
pub fn lost_besides(subject: &Subject) -> Vec<String> {
    let tasks = subject.tasks.iter();
    let timed = tasks.filter_map(|task| Some((task.name.as_str(), task.times.as_ref()?)));
    [lost_of(timed, &BESIDES), switches(subject)].concat()
}

/// What a switch takes, which no format says; and what was added to execution times.
fn switches(subject: &Subject) -> Vec<String> {
    let Some(plan) = &subject.plan else { return Vec::new() };
    let switch = (plan.context_switch_ns > 0).then(|| format!("what a switch takes, {} ns", plan.context_switch_ns));
    let alone = plan.tasks.iter().any(|task| task.wcet_alone_ns > 0);
    let alone = alone.then(|| "that execution times contain what other cores cost in memory".to_owned());
    switch.into_iter().chain(alone).collect()
}

/// A recurring task in whole numbers of a unit.
#[derive(Debug, PartialEq, Eq)]
pub struct Row<'s> {
    /// The task.
    pub task: &'s Task,
    /// Its times, in the unit, not in ns.
    pub times: Times,
}

/// The tasks that have periods, and what is lost of the others and by rounding: periods, deadlines and minimum distances down, execution
/// times and jitter up, so that what is exported is no easier than what there is.
///
/// # Errors
/// No task has a period.
pub fn rows<'s>(
    subject: &'s Subject,
    format: &str,
    unit: Unit,
    losses: &mut Vec<String>,
) -> Result<Vec<Row<'s>>, InputError> {
    losses.extend(switches(subject));
    let mut rows = Vec::new();
    let mut without = Vec::new();
    for task in &subject.tasks {
        let Some(times) = &task.times else {
            without.push(task.name.as_str());
            continue;
        };
        let mut whole = |what: &str, ns: Time, up: bool| {
            let (down, rest) = (ns / unit.ns(), ns % unit.ns());
            if rest != 0 {
                losses.push(format!(
                    "{what} of {}, {ns} ns, as a whole number of {}",
                    task.name,
                    unit.name()
                ));
            }
            down + Time::from(up && rest != 0)
        };
        rows.push(Row {
            times: Times {
                period_ns: whole("the period", times.period_ns, false).max(1),
                wcet_ns: whole("the execution time", times.wcet_ns, true),
                deadline_ns: whole("the deadline", times.deadline_ns, false).max(1),
                phase_ns: whole("the phase", times.phase_ns, false),
                jitter_ns: whole("the jitter", times.jitter_ns, true),
                arrival_jitter_ns: whole("the arrival jitter", times.arrival_jitter_ns, true),
                min_distance_ns: whole("the minimum distance", times.min_distance_ns, false),
                critical_section_ns: whole("the critical section", times.critical_section_ns, true),
                cache_reload_ns: whole("the reload", times.cache_reload_ns, true),
            },
            task,
        });
    }
    if rows.is_empty() {
        return Err(subject
            .error(format, "found no task with a period")
            .allowed("one or more tasks with period and wcet")
            .help("give the tasks periods"));
    }
    if !without.is_empty() {
        losses.push(format!("{}, without a period", without.join(", ")));
    }
    Ok(rows)
}

/// The unit of the numbers of a format that names none: that of the option, or microseconds.
pub fn unit(options: &ExportOptions) -> Unit {
    options.unit.unwrap_or(Unit::Us)
}

/// Names of rows for which something holds.
pub fn names_of(rows: &[Row<'_>], holds: impl Fn(&Row<'_>) -> bool) -> Option<String> {
    let names: Vec<&str> = rows
        .iter()
        .filter(|row| holds(row))
        .map(|row| row.task.name.as_str())
        .collect();
    (!names.is_empty()).then(|| names.join(", "))
}

/// Text as it stands in XML, in elements and attributes. Characters that XML 1.0 cannot hold become `?`.
pub fn xml_text(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => out.push(' '),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('?'),
            c => out.push(c),
        }
    }
    out
}
