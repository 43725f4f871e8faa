// SPDX-License-Identifier: MIT OR Apache-2.0
//! What would execute a plan's schedule, as `--dry-run` shows it.

use super::schedule::Schedule;
use crate::verbs::live::planned::PlannedPrograms;
use fresco_dram::color::format_list;
use fresco_exchange::execution::Execution;
use fresco_report::{Column, ReportError, Table};
use serde::Serialize;

/// Slots that a table of text shows.
const MOST_SLOTS: usize = 200;

/// What would be applied.
#[derive(Debug, Serialize)]
pub struct ScheduleView<'p> {
    /// `table`, `deadline`, `fifo` or `none`.
    executor: &'static str,
    /// Why nothing executes it, or why what was asked for cannot.
    reason: Option<String>,
    /// Where fresco-scheduler is.
    scheduler: Option<String>,
    /// Slots repeat after it.
    frame_ns: Option<u64>,
    slots: Vec<SlotView>,
    parameters: Vec<ParametersView<'p>>,
    /// In words.
    #[serde(skip)]
    pub words: String,
}

#[derive(Debug, Serialize)]
struct SlotView {
    cpu: u32,
    start_ns: u64,
    length_ns: u64,
    task: String,
    ends: bool,
    /// Colors whose tasks do not run in it.
    shut: Vec<u32>,
}

/// What the kernel is told of a task.
#[derive(Debug, Serialize)]
struct ParametersView<'p> {
    task: &'p str,
    /// Name of slots that it shares with others.
    slots: Option<String>,
    /// Among those that share slots, 0 first.
    rank: Option<u32>,
    priority: Option<u32>,
    runtime_ns: Option<u64>,
    deadline_ns: Option<u64>,
    period_ns: Option<u64>,
    /// Of the first arrival.
    phase_ns: Option<u64>,
}

/// Of each task of which the kernel is told something.
fn told<'p, T: Copy>(all: &[Option<T>], view: impl Fn(usize, T) -> ParametersView<'p>) -> Vec<ParametersView<'p>> {
    let all = all.iter().enumerate();
    all.filter_map(|(number, told)| told.map(|told| view(number, told)))
        .collect()
}

impl<'p> ScheduleView<'p> {
    /// Of what was chosen.
    pub fn new(planned: &'p PlannedPrograms, schedule: &Schedule) -> Self {
        let mut view = Self {
            executor: schedule.executor.map_or("none", |executor| executor.name()),
            reason: schedule.reason.clone(),
            scheduler: schedule.scheduler.as_ref().map(|file| file.display().to_string()),
            frame_ns: None,
            slots: Vec::new(),
            parameters: Vec::new(),
            words: schedule.words(),
        };
        let named = |number: usize| ParametersView {
            task: &planned.programs[number].task,
            slots: None,
            rank: None,
            priority: None,
            runtime_ns: None,
            deadline_ns: None,
            period_ns: None,
            phase_ns: None,
        };
        match &schedule.execution {
            None => {}
            Some(Execution::Table(table)) => {
                view.frame_ns = Some(table.frame_ns);
                view.slots = table
                    .slots
                    .iter()
                    .map(|slot| SlotView {
                        cpu: slot.core,
                        start_ns: slot.start_ns,
                        length_ns: slot.length_ns,
                        task: slot.task.clone(),
                        ends: slot.ends,
                        shut: slot.shut.clone(),
                    })
                    .collect();
                view.parameters = (0..planned.programs.len())
                    .filter_map(|number| {
                        let named = named(number);
                        let member = table.members.iter().find(|member| member.task == named.task)?;
                        Some(ParametersView {
                            slots: Some(member.slots.clone()),
                            rank: Some(member.rank),
                            deadline_ns: Some(member.deadline_ns),
                            period_ns: Some(member.period_ns),
                            phase_ns: Some(member.phase_ns),
                            ..named
                        })
                    })
                    .collect();
            }
            Some(Execution::Deadlines(all)) => {
                view.parameters = told(all, |number, deadline| ParametersView {
                    runtime_ns: Some(deadline.runtime_ns),
                    deadline_ns: Some(deadline.deadline_ns),
                    period_ns: Some(deadline.period_ns),
                    ..named(number)
                });
            }
            Some(Execution::Priorities(all)) => {
                view.parameters = told(all, |number, priority| ParametersView {
                    priority: Some(priority),
                    ..named(number)
                });
            }
        }
        view
    }

    /// Slots and parameters; none where nothing is applied.
    pub fn tables(&self) -> Result<Vec<Table>, ReportError> {
        let mut tables = Vec::new();
        if !self.slots.is_empty() {
            tables.push(self.slots()?);
        }
        if self.parameters.iter().any(|task| task.slots.is_some()) {
            tables.push(self.shared()?);
        } else if !self.parameters.is_empty() {
            tables.push(self.parameters()?);
        }
        Ok(tables)
    }

    /// What decides between tasks that share slots.
    fn shared(&self) -> Result<Table, ReportError> {
        let mut columns = vec![
            Column::text("task"),
            Column::text("slots"),
            Column::number("rank", "", 0),
        ];
        columns.extend(["deadline", "period", "phase"].map(|name| Column::number(name, "ns", 0)));
        let mut table = Table::new("Tasks that share slots", columns);
        for task in &self.parameters {
            table.push(vec![
                task.task.into(),
                task.slots.as_deref().unwrap_or_default().into(),
                task.rank.map(u64::from).into(),
                task.deadline_ns.into(),
                task.period_ns.into(),
                task.phase_ns.into(),
            ])?;
        }
        Ok(table)
    }

    fn parameters(&self) -> Result<Table, ReportError> {
        let mut columns = vec![Column::text("task")];
        columns.extend(
            ["priority", "runtime", "deadline", "period"]
                .map(|name| Column::number(name, if name == "priority" { "" } else { "ns" }, 0)),
        );
        let mut table = Table::new("What the kernel is told of each task", columns);
        for task in &self.parameters {
            table.push(vec![
                task.task.into(),
                task.priority.map(u64::from).into(),
                task.runtime_ns.into(),
                task.deadline_ns.into(),
                task.period_ns.into(),
            ])?;
        }
        Ok(table)
    }

    fn slots(&self) -> Result<Table, ReportError> {
        let title = match self.slots.len().saturating_sub(MOST_SLOTS) {
            0 => "Slots of a frame".to_owned(),
            more => format!("The first {MOST_SLOTS} slots of a frame; --json shows {more} more"),
        };
        let columns = vec![
            Column::number("processor", "", 0),
            Column::number("start", "ns", 0),
            Column::number("length", "ns", 0),
            Column::text("task"),
            Column::text("a job"),
            Column::text("not"),
        ];
        let mut table = Table::new(title, columns);
        for slot in self.slots.iter().take(MOST_SLOTS) {
            table.push(vec![
                u64::from(slot.cpu).into(),
                slot.start_ns.into(),
                slot.length_ns.into(),
                slot.task.as_str().into(),
                if slot.ends { "ends" } else { "may go on" }.into(),
                shut(&slot.shut).into(),
            ])?;
        }
        Ok(table)
    }
}

/// Colors that a slot is shut for, in words.
fn shut(colors: &[u32]) -> String {
    match colors.is_empty() {
        true => "-".to_owned(),
        false => format!("color {}", format_list(colors)),
    }
}
