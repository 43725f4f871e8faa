// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco run PLAN`: the tasks of a plan as programs, each where the plan has it.

use super::limits::{self, Wanted as Regulator};
use super::regulated::{self, Regulated};
use super::schedule::Schedule;
use super::schedule_view::ScheduleView;
use super::{UNABLE, plan, room, search_path, started};
use crate::failure::{Outcome, tell};
use crate::output;
use crate::verbs::live::CAVEAT;
use crate::verbs::live::planned::{PlannedProgram, PlannedPrograms};
use fresco_dram::color::format_list;
use fresco_linux::backend::{Backend, Chosen, Wanted};
use fresco_linux::launch::{self, Means, Program, ProgramError};
use fresco_linux::regulator::{Regulation, Trees, Wishes};
use fresco_linux::schedule::NotReady;
use fresco_report::{Column, ReportError, Table};
use serde::Serialize;
use std::ffi::OsStr;
use std::process::ExitCode;

/// What would be done.
#[derive(Debug, Serialize)]
struct View<'p> {
    plan: &'p str,
    tasks: Vec<TaskView<'p>>,
    schedule: ScheduleView<'p>,
    backend: String,
    covered: &'static str,
    not_covered: &'static str,
    applied: &'static str,
    not_applied: &'static str,
    caveat: &'static str,
    /// Why the schedule that was asked for cannot be executed: it is the schedule's reason.
    #[serde(skip)]
    cannot: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    attention: Option<String>,
}

#[derive(Debug, Serialize)]
struct TaskView<'p> {
    task: &'p str,
    command: &'p [String],
    colors: String,
    cpus: Option<String>,
    nodes: Option<String>,
    limits: String,
    regulated: Option<Regulated>,
    missing: Option<String>,
}

/// Says what would be done; the status is that of doing it where that is refused.
pub fn show(
    planned: &PlannedPrograms,
    wanted: Wanted,
    regulator: Regulator,
    schedule: &Schedule,
    json: bool,
) -> Outcome {
    let chosen = choose(planned, wanted);
    let regulations = regulations(planned, regulator);
    let programs = || planned.programs.iter().zip(&regulations);
    let refusals: Vec<Option<(u8, String)>> = programs()
        .map(|(program, regulation)| refusal(program, regulation, &chosen))
        .collect();
    let refused = refusals.iter().flatten().map(|(status, _)| *status).next();
    let status = refused.or(schedule.refusal().map(|_| UNABLE)).unwrap_or(0);
    let tasks = programs()
        .zip(refusals)
        .map(|((program, regulation), refusal)| TaskView {
            task: &program.task,
            command: &program.command,
            colors: program.request.asked.to_string(),
            cpus: program.request.cpus.as_deref().map(format_list),
            nodes: program.request.nodes.as_deref().map(format_list),
            limits: program.request.limits.to_string(),
            regulated: regulation.as_ref().ok().and_then(Regulated::new),
            missing: refusal.map(|(_, reason)| reason),
        });
    let view = View {
        plan: &planned.name,
        tasks: tasks.collect(),
        backend: match chosen.passed_over() {
            Some(refusal) => format!("{}, not the kernel's coloring: {refusal}", chosen.backend.name()),
            None => chosen.backend.name().to_owned(),
        },
        covered: chosen.backend.provider().covered(),
        not_covered: chosen.backend.provider().not_covered(),
        applied: schedule.applied(),
        not_applied: schedule.not_applied(),
        schedule: ScheduleView::new(planned, schedule),
        cannot: schedule.refusal().map(str::to_owned),
        caveat: CAVEAT,
        attention: attention(planned, &chosen),
    };
    output::print(json, "fresco-run-plan/1", &planned.provenance, &view, || view.tables())?;
    Ok(ExitCode::from(status))
}

impl View<'_> {
    fn tables(&self) -> Result<Vec<Table>, ReportError> {
        let columns = [
            "task",
            "program",
            "colors",
            "processors",
            "nodes",
            "limits",
            "cannot be done",
        ];
        let title = format!("What would be done for the plan {}", self.plan);
        let mut table = Table::new(title, columns.map(Column::text).into());
        for task in &self.tasks {
            let any = |list: &Option<String>| list.clone().unwrap_or_else(|| "any".to_owned());
            table.push(vec![
                task.task.into(),
                task.command.join(" ").into(),
                task.colors.clone().into(),
                any(&task.cpus).into(),
                any(&task.nodes).into(),
                match &task.regulated {
                    Some(regulated) => format!("{}; {}", task.limits, regulated.words()),
                    None => task.limits.clone(),
                }
                .into(),
                task.missing.clone().unwrap_or_default().into(),
            ])?;
        }
        let mut notes = Table::new(
            "What a plan is on this machine",
            ["what", "value"].map(Column::text).into(),
        );
        let refused = self.cannot.as_deref().map(|reason| ("cannot be done", reason));
        let rows = [
            ("schedule", &*self.schedule.words),
            ("back end", &*self.backend),
            ("covered", self.covered),
            ("not covered", self.not_covered),
            ("applied", self.applied),
            ("not applied", self.not_applied),
            ("note", self.caveat),
        ];
        for (what, value) in rows.into_iter().chain(refused) {
            notes.push(vec![what.into(), value.into()])?;
        }
        if let Some(words) = &self.attention {
            notes.push(vec!["attention".into(), words.as_str().into()])?;
        }
        let times = self.schedule.tables()?;
        Ok([vec![table], times, vec![notes]].concat())
    }
}

/// The file that a task's command names.
fn found(program: &PlannedProgram, backend: Backend) -> Result<Program, ProgramError> {
    Program::find(
        OsStr::new(&program.command[0]),
        &search_path(),
        backend.provider().needs_loader(),
    )
}

/// Why a task cannot be had here, and the exit status that says so.
fn refusal(program: &PlannedProgram, regulation: &Result<Regulation, String>, chosen: &Chosen) -> Option<(u8, String)> {
    let absent = |given: &Option<Vec<u32>>, online: Vec<u32>, what: &str| {
        let lost = given.iter().flatten().find(|number| !online.contains(number))?;
        Some(format!("{what} {lost} is not online"))
    };
    if let Err(error) = found(program, chosen.backend) {
        return Some((error.status(), format!("{}: {error}", program.command[0])));
    }
    absent(&program.request.cpus, launch::online_cpus(), "processor")
        .or_else(|| absent(&program.request.nodes, launch::online_nodes(), "node"))
        .or_else(|| regulation.as_ref().err().cloned())
        .or_else(|| chosen.missing())
        .or_else(|| chosen.without_means())
        .or_else(|| match plan::frames(&program.request, 1) {
            Some(0) => Some("this machine's memory has no frame of these colors".to_owned()),
            _ => None,
        })
        .map(|reason| (UNABLE, reason))
}

/// The map is that of the plan's machine, for all tasks.
fn attention(planned: &PlannedPrograms, chosen: &Chosen) -> Option<String> {
    room::attention(&planned.programs.first()?.request, chosen.backend)
}

/// What holds the limits of each task, or why nothing can.
fn regulations(planned: &PlannedPrograms, regulator: Regulator) -> Vec<Result<Regulation, String>> {
    let trees = Trees::find();
    let wishes = |program: &PlannedProgram| Wishes {
        limits: program.request.limits.clone(),
        reserve: None,
        regulator: regulator.only(),
        cpus: program.request.cpus.clone(),
    };
    let programs = planned.programs.iter();
    programs
        .map(|program| limits::regulation(&wishes(program), &trees))
        .collect()
}

/// The back end of all tasks.
fn choose(planned: &PlannedPrograms, wanted: Wanted) -> Chosen {
    Chosen::new(wanted, planned.programs.iter().map(|program| &program.request))
}

/// Starts all tasks and waits for them. The status is 0 if all of theirs are, else that of the first that failed, as a
/// shell has it.
pub fn run(planned: &PlannedPrograms, wanted: Wanted, regulator: Regulator, schedule: &Schedule) -> Outcome {
    let chosen = choose(planned, wanted);
    let regulations = regulations(planned, regulator);
    if let Some(refusal) = chosen.passed_over() {
        tell(&format!("fresco run: with the stock back end: {refusal}"));
    }
    if let Some(words) = attention(planned, &chosen) {
        tell(&format!("fresco run: {words}"));
    }
    if let Some(words) = schedule.told() {
        tell(&format!("fresco run: schedule: {words}"));
    }
    let mut programs = Vec::new();
    for (program, regulation) in planned.programs.iter().zip(&regulations) {
        if let Some((status, reason)) = refusal(program, regulation, &chosen) {
            tell(&format!("fresco run: task {}: {reason}", program.task));
            return Ok(ExitCode::from(status));
        }
        match found(program, chosen.backend) {
            Ok(path) => programs.push(path),
            Err(error) => {
                tell(&format!(
                    "fresco run: task {}: {}: {error}",
                    program.task, program.command[0]
                ));
                return Ok(ExitCode::from(error.status()));
            }
        }
    }
    if let Some(refusal) = schedule.refusal() {
        tell(&format!("fresco run: {refusal}"));
        return Ok(ExitCode::from(UNABLE));
    }
    let means: Result<Vec<Box<dyn Means>>, String> = (0..programs.len()).map(|number| chosen.means(number)).collect();
    let started = means
        .map_err(NotReady::Failed)
        .and_then(|means| started::start(planned, &regulations, &programs, &means, schedule));
    match started {
        Ok(started) => {
            if let Some(words) = regulations.iter().flatten().find_map(regulated::attention) {
                tell(&format!("fresco run: {words}"));
            }
            Ok(started::wait(planned, started))
        }
        Err(NotReady::Failed(reason)) => {
            tell(&format!("fresco run: {reason}"));
            Ok(ExitCode::from(UNABLE))
        }
        // As where tasks run.
        Err(NotReady::Told(signal)) => Ok(ExitCode::from(u8::try_from(128 + signal).unwrap_or(UNABLE))),
    }
}
