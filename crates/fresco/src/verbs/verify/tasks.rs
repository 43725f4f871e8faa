// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco verify PLAN`: requested against applied, for all live processes of all tasks.

use super::publish::{Published, and, process};
use super::report::{bandwidth, limits_applied, within};
use crate::failure::{Outcome, WANTING};
use crate::openmetrics::{HIDDEN, HOLDS, RUNNING, Samples, VERIFIED, VERIFIED_INSIDE};
use crate::output;
use crate::stop::STOPPED;
use crate::verbs::live::planned::{PlannedProgram, PlannedPrograms};
use crate::verbs::live::{CAVEAT, Seen};
use fresco_dram::color::format_list;
use fresco_input::InputError;
use fresco_linux::census::census;
use fresco_linux::colors::Request;
use fresco_linux::proc::Process;
use fresco_linux::resctrl::Limits;
use fresco_linux::schedule::{Asked, Ext};
use fresco_report::{Cell, Column, ReportError, Table};
use serde::Serialize;
use std::process::ExitCode;

/// All tasks.
#[derive(Debug, Serialize)]
struct TasksReport {
    plan: String,
    tasks: Vec<TaskView>,
    /// Whether any task runs, and all is as requested of those that do.
    holds: bool,
    /// Processes that may not be looked at.
    not_looked_at: u64,
    /// What is to be said of them.
    #[serde(skip)]
    note: Option<String>,
    caveat: &'static str,
}

/// A process of a task; or a task without one.
#[derive(Debug, Serialize)]
struct TaskView {
    task: String,
    /// `null` if the task has no live process.
    pid: Option<u32>,
    program: String,
    asked: String,
    pages: u64,
    inside: u64,
    /// Inside of all; `null` of none.
    share: Option<f64>,
    cpus_asked: Option<String>,
    cpus_applied: Option<String>,
    limits_asked: Limits,
    limits_applied: Option<Limits>,
    /// What it was started with: a policy of the kernel and its parameters, or slots; `null` of none.
    schedule_asked: Option<String>,
    /// How it is scheduled; `null` if it does not run.
    schedule_applied: Option<String>,
    /// Whether all is as requested; `null` if it does not run.
    holds: Option<bool>,
}

/// Looks at them all: once, or each so many seconds until none is left, and then the last look counts. The status is 1
/// if something that was requested is not so, or no task runs.
pub fn run(planned: &PlannedPrograms, least: f64, watch: Option<u32>, json: bool, published: &Published) -> Outcome {
    let mut report = TasksReport::of(planned, least)?;
    loop {
        published.put(|| report.samples())?;
        output::print(json, "fresco-verify-plan/1", &planned.provenance, &report, || {
            report.tables()
        })?;
        let Some(seconds) = watch.filter(|_| report.is_live()) else {
            break;
        };
        if published.wait(seconds, || report.samples()) {
            return Ok(ExitCode::from(STOPPED));
        }
        let next = TasksReport::of(planned, least)?;
        if !next.is_live() {
            break;
        }
        report = next;
    }
    Ok(ExitCode::from(if report.holds { 0 } else { WANTING }))
}

impl TaskView {
    /// A task that does not run: nothing is requested that is not so.
    fn absent(program: &PlannedProgram) -> Self {
        Self {
            task: program.task.clone(),
            pid: None,
            program: program.command.first().cloned().unwrap_or_default(),
            asked: program.request.asked.to_string(),
            pages: 0,
            inside: 0,
            share: None,
            cpus_asked: program.request.cpus.as_deref().map(format_list),
            cpus_applied: None,
            limits_asked: program.request.limits.clone(),
            limits_applied: None,
            schedule_asked: None,
            schedule_applied: None,
            holds: None,
        }
    }

    /// `request` is what the process was started with: processors may have been named otherwise than now.
    fn of(program: &PlannedProgram, process: &Process, request: &Request, least: f64) -> Result<Self, InputError> {
        let provider = request.backend.provider();
        let total = census(process, request, true)?.tally(|kind| provider.covers(kind));
        let cpus = process.cpus();
        let limits = limits_applied(process.pid);
        let placed = request.cpus.as_ref().is_none_or(|asked| *asked == cpus);
        let (scheduled, in_time) = Asked::held(request.schedule.as_ref(), &Ext::find(), process.pid);
        let colored = total.share().is_none_or(|share| share >= least);
        Ok(Self {
            pid: Some(process.pid),
            program: process.name(),
            pages: total.present,
            inside: total.inside,
            share: total.share(),
            cpus_asked: request.cpus.as_deref().map(format_list),
            cpus_applied: Some(format_list(&cpus)),
            limits_asked: request.limits.clone(),
            schedule_asked: request.schedule.as_ref().map(Asked::words),
            schedule_applied: Some(scheduled),
            holds: Some(placed && colored && in_time && within(&request.limits, limits.as_ref())),
            limits_applied: limits,
            ..Self::absent(program)
        })
    }
}

impl TasksReport {
    /// Looks once.
    fn of(planned: &PlannedPrograms, least: f64) -> Result<Self, InputError> {
        let seen = Seen::now()?;
        let alive = &seen.asked;
        let mut tasks = Vec::new();
        for program in &planned.programs {
            let before = tasks.len();
            let found = alive.iter().filter(|(_, request)| request.task == program.request.task);
            for (process, request) in found {
                let view = TaskView::of(program, process, request, least);
                // One that has ended meanwhile is not there any more, whatever was still seen of it.
                if !process.has_no_memory() {
                    tasks.push(view?);
                }
            }
            if tasks.len() == before {
                tasks.push(TaskView::absent(program));
            }
        }
        let is_live = tasks.iter().any(|task| task.pid.is_some());
        Ok(Self {
            plan: planned.name.clone(),
            holds: is_live && tasks.iter().all(|task| task.holds != Some(false)),
            tasks,
            not_looked_at: seen.hidden,
            note: seen.note(),
            caveat: CAVEAT,
        })
    }

    /// The same as metrics.
    fn samples(&self) -> Samples {
        let mut samples = Samples::default();
        let mut names: Vec<&str> = self.tasks.iter().map(|task| task.task.as_str()).collect();
        names.dedup();
        for name in names {
            let live = self.tasks.iter().filter(|task| task.task == name && task.pid.is_some());
            samples.add(RUNNING, vec![("task", name.to_owned())], live.count() as f64);
        }
        for (task, pid) in self.tasks.iter().filter_map(|task| Some((task, task.pid?))) {
            let own = || process(Some(&task.task), pid, &task.program);
            for (place, pages) in [("inside", task.inside), ("outside", task.pages - task.inside)] {
                samples.add(VERIFIED, and(own(), "place", place), pages as f64);
            }
            if let Some(share) = task.share {
                samples.add(VERIFIED_INSIDE, own(), share);
            }
            bandwidth(&mut samples, own, &task.limits_asked, task.limits_applied.as_ref());
            if let Some(holds) = task.holds {
                samples.add(HOLDS, own(), f64::from(u8::from(holds)));
            }
        }
        samples.add(HIDDEN, Vec::new(), self.not_looked_at as f64);
        samples
    }

    /// Returns true if any task runs.
    fn is_live(&self) -> bool {
        self.tasks.iter().any(|task| task.pid.is_some())
    }

    /// The tasks, and a word about processes that may not be looked at where one of them was not found.
    fn tables(&self) -> Result<Vec<Table>, ReportError> {
        let mut tables = vec![self.table()?];
        let all_found = self.tasks.iter().all(|task| task.pid.is_some());
        if let Some(note) = self.note.as_ref().filter(|_| !all_found) {
            let mut notes = Table::new("", vec![Column::text("note")]);
            notes.push(vec![note.clone().into()])?;
            tables.push(notes);
        }
        Ok(tables)
    }

    fn table(&self) -> Result<Table, ReportError> {
        let mut columns = vec![
            Column::text("task"),
            Column::number("PID", "", 0),
            Column::text("program"),
            Column::text("colors requested"),
            Column::number("pages", "", 0),
            Column::number("inside", "%", 3),
        ];
        columns.extend(["processors", "limits", "schedule", "as requested"].map(Column::text));
        let mut table = Table::new(format!("Tasks of the plan {}", self.plan), columns);
        for task in &self.tasks {
            let any = |list: &Option<String>| list.clone().unwrap_or_else(|| "any".to_owned());
            let applied = task
                .limits_applied
                .as_ref()
                .map_or("none".to_owned(), Limits::to_string);
            let verdict = match task.holds {
                None => "not running",
                Some(true) => "yes",
                Some(false) => "no",
            };
            table.push(vec![
                task.task.clone().into(),
                task.pid.map(u64::from).into(),
                task.program.clone().into(),
                task.asked.clone().into(),
                Cell::Count(task.pages),
                task.share.map(|share| share * 100.0).into(),
                format!("{}, has {}", any(&task.cpus_asked), any(&task.cpus_applied)).into(),
                format!("{}, has {applied}", task.limits_asked).into(),
                match (&task.schedule_asked, &task.schedule_applied) {
                    (_, None) => "none".to_owned(),
                    (None, Some(applied)) => format!("none, has {applied}"),
                    (Some(asked), Some(applied)) => format!("{asked}, has {applied}"),
                }
                .into(),
                verdict.into(),
            ])?;
        }
        Ok(table)
    }
}
