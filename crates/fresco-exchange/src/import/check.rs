// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether what stands in a file makes tasks of a scenario.

use super::ImportedTask;
use super::raw::{Given, Place, Raw, Source, clipped};
use crate::times::Times;
use fresco_input::{InputError, format_duration};
use fresco_rt::Time;
use fresco_rt::task::MOST_JITTER;
use std::collections::HashMap;

/// Longest period, deadline, phase and execution time of a scenario: 1000 s.
const LONGEST_NS: Time = 1_000_000_000_000;
/// Longest name of a task.
const MOST_CHARACTERS: usize = 60;
/// Most memory of a task that is written down, 2^48 bytes: more than any machine has.
const MOST_BYTES: u64 = 1 << 48;

/// The tasks, checked.
pub fn tasks(source: &Source<'_>, raws: Vec<Raw>) -> Result<Vec<ImportedTask>, InputError> {
    if raws.is_empty() {
        return Err(InputError::new(source.file, "found no task")
            .allowed("one task or more")
            .help("see docs/exchange.md for where tasks stand in this format"));
    }
    let mut seen: HashMap<String, ()> = HashMap::new();
    let mut tasks = Vec::with_capacity(raws.len());
    let with_core = raws.iter().filter(|raw| raw.core.is_some()).count();
    if let Some(raw) = raws.iter().find(|raw| raw.core.is_none()).filter(|_| with_core > 0) {
        return Err(source
            .error(
                &raw.place,
                "core",
                format!("found no core of {}, and others have one", raw.shown()),
            )
            .allowed("a core for every task, or for none")
            .help("add it, or leave the choice to the planner"));
    }
    for raw in raws {
        let name = name(source, &raw)?;
        if seen.insert(name.clone(), ()).is_some() {
            return Err(source
                .error(&raw.place, "name", format!("found a second task {name:?}"))
                .allowed("each name once")
                .help("rename one of the two"));
        }
        let times = times(source, &raw)?;
        if let Some(memory) = raw.memory.as_ref().filter(|memory| memory.value > MOST_BYTES) {
            return Err(source
                .error(&memory.place, &memory.field, format!("found {} bytes", memory.shown))
                .allowed("2^48 bytes at most")
                .help("give the bytes of the task's data"));
        }
        tasks.push(ImportedTask {
            name,
            times,
            core: raw.core.as_ref().map(|core| core.value),
            memory_bytes: raw.memory.as_ref().map(|memory| memory.value),
        });
    }
    Ok(tasks)
}

/// The name, as a scenario takes it.
fn name(source: &Source<'_>, raw: &Raw) -> Result<String, InputError> {
    let allowed = "1 to 60 letters, digits, \"-\", \"_\" and \".\", not only digits";
    let Some(given) = &raw.name else {
        return Err(source
            .error(&raw.place, "name", "found a task without a name")
            .allowed(allowed)
            .help("name it"));
    };
    let name = &given.value;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let fits = !name.is_empty() && name.len() <= MOST_CHARACTERS && name.chars().all(is_plain);
    if fits && name.chars().any(|c| !c.is_ascii_digit()) {
        return Ok(name.clone());
    }
    Err(source
        .error(
            &given.place,
            &given.field,
            format!("found the name {:?}", clipped(name)),
        )
        .allowed(allowed)
        .help("rename the task"))
}

/// Its times, if they make a task.
fn times(source: &Source<'_>, raw: &Raw) -> Result<Times, InputError> {
    let [of_period, of_wcet] = raw.required;
    let missing = |field: &str| {
        source
            .error(&raw.place, field, format!("found no {field} of {}", raw.shown()))
            .allowed("period and execution time of each task")
            .help("add it")
    };
    let period = raw.period.as_ref().ok_or_else(|| missing(of_period))?;
    let wcet = raw.wcet.as_ref().ok_or_else(|| missing(of_wcet))?;
    for given in [
        Some(period),
        Some(wcet),
        raw.deadline.as_ref(),
        raw.phase.as_ref(),
        raw.jitter.as_ref(),
        raw.arrival_jitter.as_ref(),
        raw.min_distance.as_ref(),
        raw.critical_section.as_ref(),
        raw.cache_reload.as_ref(),
    ]
    .into_iter()
    .flatten()
    {
        if given.value > LONGEST_NS {
            return Err(wrong(source, raw, given)
                .allowed("up to 1000 s")
                .help("check the unit: --unit says that of numbers without one"));
        }
    }
    let of = |ns: Time| format_duration(ns.saturating_mul(1000));
    for (given, what) in [(period, "period"), (wcet, "execution time")] {
        if given.value == 0 {
            return Err(wrong(source, raw, given)
                .allowed(format!("a {what} longer than 0"))
                .help("give the task's own; tasks without a period are written into the scenario by hand"));
        }
    }
    let deadline_ns = raw.deadline.as_ref().map_or(period.value, |deadline| deadline.value);
    if let Some(deadline) = raw.deadline.as_ref().filter(|_| deadline_ns > period.value) {
        return Err(wrong(source, raw, deadline)
            .allowed(format!("at most the period, {}", of(period.value)))
            .help("shorten the deadline: a job must end before the next is released"));
    }
    if wcet.value > deadline_ns {
        return Err(wrong(source, raw, wcet)
            .allowed(format!("at most the deadline, {}", of(deadline_ns)))
            .help("shorten the execution time, or lengthen deadline and period"));
    }
    let or_0 = |given: &Option<Given<Time>>| given.as_ref().map_or(0, |given| given.value);
    let min_distance_ns = or_0(&raw.min_distance);
    if let Some(given) = raw.min_distance.as_ref().filter(|_| min_distance_ns > period.value) {
        return Err(wrong(source, raw, given)
            .allowed(format!("at most the period, {}", of(period.value)))
            .help("shorten it: releases that are always so far apart have a longer period"));
    }
    let most = [
        (
            &raw.jitter,
            deadline_ns - wcet.value,
            "what the deadline leaves of the execution time",
        ),
        (
            &raw.arrival_jitter,
            period.value.saturating_mul(MOST_JITTER),
            "1000 periods",
        ),
        (
            &raw.critical_section,
            wcet.value,
            "the execution time, of which it is a part",
        ),
    ];
    for (given, most, what) in most {
        if let Some(given) = given.as_ref().filter(|given| given.value > most) {
            return Err(wrong(source, raw, given)
                .allowed(format!("at most {}, {what}", of(most)))
                .help("shorten it"));
        }
    }
    let arrival_jitter_ns = or_0(&raw.arrival_jitter);
    Ok(Times {
        period_ns: period.value,
        wcet_ns: wcet.value,
        deadline_ns,
        phase_ns: or_0(&raw.phase),
        jitter_ns: or_0(&raw.jitter),
        arrival_jitter_ns,
        // Without arrival jitter the period says more.
        min_distance_ns: if arrival_jitter_ns == 0 { 0 } else { min_distance_ns },
        critical_section_ns: or_0(&raw.critical_section),
        cache_reload_ns: or_0(&raw.cache_reload),
    })
}

/// An error about a value of a task.
fn wrong(source: &Source<'_>, raw: &Raw, given: &Given<Time>) -> InputError {
    source.error(
        &given.place,
        &given.field,
        format!("found {} of {}", given.shown, raw.shown()),
    )
}

/// The place of a task by its number, where lines are not known.
pub fn numbered(list: &str, number: usize, field: &str) -> Place {
    match field {
        "" => Place::Field(format!("{list}[{number}]")),
        _ => Place::Field(format!("{list}[{number}].{field}")),
    }
}
