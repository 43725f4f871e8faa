// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tasks of a plan that were started: all or none, and with them what runs them by a table; and how they end.

use super::UNABLE;
use super::schedule::Schedule;
use crate::failure::{WANTING, tell};
use crate::verbs::live::planned::PlannedPrograms;
use fresco_linux::launch::{self, Means, Program};
use fresco_linux::regulator::{Place, Places, Regulation, make};
use fresco_linux::schedule::{Groups, LastWords, NotReady, Ready, end_scheduler};
use fresco_linux::sys::Signals;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitCode, ExitStatus};

/// What was started.
#[derive(Debug)]
pub struct Started {
    /// The tasks, and behind them the scheduler, if there is one.
    children: Vec<Child>,
    scheduler: Option<Ready>,
    groups: Option<Groups>,
    signals: Signals,
}

/// Starts all tasks, or none; before them what runs them by a table. This process is, one after the other, where each task is to be: children begin there.
pub fn start(
    planned: &PlannedPrograms,
    regulations: &[Result<Regulation, String>],
    found: &[Program],
    means: &[Box<dyn Means>],
    schedule: &Schedule,
) -> Result<Started, NotReady> {
    let everywhere = launch::online_cpus();
    let (places, _held) = places(planned, regulations).map_err(NotReady::Failed)?;
    let place_of = |core: Option<u32>| places.get(&core?);
    let groups = schedule
        .groups(planned, |core| place_of(core)?.cgroup().cloned())
        .map_err(NotReady::Failed)?;
    // After the keeper of places, which outlives this process.
    let signals = launch::go_on_guarded().map_err(|error| NotReady::Failed(error.to_string()))?;
    launch::adopt_orphans();
    let own = std::process::id();
    let undo = || groups.iter().for_each(Groups::remove);
    let mut scheduler = schedule.load(planned, groups.as_ref(), &signals).inspect_err(|_| {
        launch::end_started();
        undo();
    })?;
    let mut children: Vec<Child> = Vec::new();
    for (number, ((program, path), means)) in planned.programs.iter().zip(found).zip(means).enumerate() {
        let mut request = program.request.clone();
        request.schedule = schedule.asked(number, groups.as_ref());
        let entry = schedule.entry(number, groups.as_ref());
        let request = &request;
        let placed = || {
            launch::bind_cpus(request.cpus.as_deref().unwrap_or(&everywhere)).map_err(|error| error.to_string())?;
            if let Some(nodes) = &request.nodes {
                launch::bind_nodes(nodes).map_err(|error| error.to_string())?;
            }
            if let Some(place) = program.core.and_then(|core| places.get(&core)) {
                place.enter(own).map_err(|refusal| refusal.to_string())?;
            }
            let arguments: Vec<OsString> = program.command[1..].iter().map(OsString::from).collect();
            launch::start_program(path, &arguments, request, &**means, &signals, entry.as_ref())
                .map_err(|error| error.to_string())
        };
        match placed() {
            Ok(child) => {
                // It was born there; trees that are not the kernel's have to be told.
                if let Some(place) = program.core.and_then(|core| places.get(&core)) {
                    let _ = place.enter(child.id());
                }
                children.push(child);
            }
            Err(reason) => {
                let scheduler = scheduler.as_mut().map(|scheduler| &mut scheduler.child);
                for child in children.iter_mut().chain(scheduler) {
                    // Ours, and not waited for yet.
                    let _ = child.kill();
                    let _ = child.wait();
                }
                undo();
                return Err(NotReady::Failed(format!("task {}: {reason}", program.task)));
            }
        }
    }
    if let Some(place) = places.values().next() {
        // This process does nothing more; where it waits matters to no one.
        let _ = place.leave(own);
    }
    Ok(Started {
        children,
        scheduler,
        groups,
        signals,
    })
}

/// A place for each core with a budget, which all its tasks share (MG-1).
fn places(
    planned: &PlannedPrograms,
    regulations: &[Result<Regulation, String>],
) -> Result<(BTreeMap<u32, Place>, Places), String> {
    let limited = planned
        .programs
        .iter()
        .zip(regulations)
        .filter(|(program, _)| !program.request.limits.is_none());
    let by_core: BTreeMap<u32, &Regulation> = limited
        .filter_map(|(program, regulation)| Some((program.core?, regulation.as_ref().ok()?)))
        .collect();
    let all: Vec<Regulation> = by_core.values().map(|regulation| (*regulation).clone()).collect();
    let tells = planned.programs.iter().any(|program| program.request.stats);
    let names: Vec<String> = by_core.keys().map(|core| format!("core {core}")).collect();
    let made = make(&all, std::process::id(), tells.then_some(&names[..]));
    let made = made.map_err(|refusal| format!("--bandwidth of the plan: {refusal}"))?;
    Ok((by_core.into_keys().zip(made.all.iter().cloned()).collect(), made))
}

/// Waits for all tasks; told to end, it ends them with all that they have started, and the scheduler. A scheduler that ends before them is
/// told of, and makes the status 1 if all of theirs are 0.
pub fn wait(planned: &PlannedPrograms, started: Started) -> ExitCode {
    let Started {
        mut children,
        scheduler,
        groups,
        signals,
    } = started;
    let awaited = children.len();
    let mut words = None;
    if let Some(scheduler) = scheduler {
        let (child, told) = scheduler.divided();
        children.push(child);
        words = Some(told);
    }
    let mut codes = vec![0; awaited];
    let mut lost = false;
    let signal = launch::tend(&mut children, awaited, &signals, |place, status| {
        let how = |status: std::io::Result<ExitStatus>| {
            status.map_or_else(|error| error.to_string(), |status| status.to_string())
        };
        let Some(code_of) = codes.get_mut(place) else {
            lost = true;
            let said = words.take().map_or_else(String::new, LastWords::line);
            let said = if said.is_empty() { how(status) } else { said };
            tell(&format!(
                "fresco run: the scheduler has ended before the tasks: {said}; Linux's own schedules them from here on"
            ));
            return;
        };
        *code_of = status.as_ref().map_or(i32::from(UNABLE), |status| code(*status));
        if *code_of != 0 {
            tell(&format!(
                "fresco run: task {}: {}",
                planned.programs[place].task,
                how(status)
            ));
        }
    });
    if let Some(words) = words
        && let Some(complaint) = end_scheduler(&mut children[awaited], words)
    {
        lost |= signal.is_none();
        tell(&format!("fresco run: the scheduler: {complaint}"));
    }
    groups.iter().for_each(Groups::remove);
    let first = codes.into_iter().find(|&code| code != 0);
    let status = signal
        .map(|signal| 128 + signal)
        .or(first)
        .unwrap_or(if lost { i32::from(WANTING) } else { 0 });
    ExitCode::from(u8::try_from(status).unwrap_or(UNABLE))
}

/// As a shell has it: 128 and the number of the signal.
fn code(status: ExitStatus) -> i32 {
    status
        .code()
        .unwrap_or_else(|| 128 + status.signal().unwrap_or_default())
}
