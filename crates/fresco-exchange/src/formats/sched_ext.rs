// SPDX-License-Identifier: MIT OR Apache-2.0
//! A plan's windows as the table of slots that the scheduler of `kernel/schedulers` runs on Linux.

use super::task_set::{lost_besides, plan_of};
use crate::execution::{Execution, Executor, Misfit, SlotTable, execution};
use crate::export::{Draft, ExportOptions, Format, Takes};
use crate::head::Comment;
use crate::subject::Subject;
use crate::windows::{Frame, Owner, Window, frame, kind};
use fresco_input::InputError;
use fresco_scenario::Plan;
use fresco_scenario::plan::{PlannedTask, Schedule};

/// `sched-ext`.
pub struct SchedExt;

impl Format for SchedExt {
    fn name(&self) -> &'static str {
        "sched-ext"
    }

    fn about(&self) -> &'static str {
        "Linux with sched_ext: the table of slots that the scheduler of kernel/schedulers runs (TOML)"
    }

    fn takes(&self) -> Takes {
        Takes::Schedule
    }

    fn comment(&self) -> Comment {
        Comment::Hash
    }

    fn leaves_out(&self) -> &'static str {
        "what is refreshed when, handlers of locks, colors, budgets; processes and cgroups of tasks, which fresco-scheduler is told"
    }

    fn draft(&self, subject: &Subject, _options: &ExportOptions) -> Result<Draft, InputError> {
        let plan = plan_of(subject, self.name())?;
        let Some(frame) = frame(plan) else {
            if let Schedule::Servers { .. } | Schedule::Locked { .. } = plan.schedule {
                return self.shared(subject, plan);
            }
            return Err(self
                .refuse(subject, format!("a schedule that is {}", kind(&plan.schedule)))
                .allowed("one with windows that repeat: a table, servers or lock windows")
                .help("plan by --method colored-refresh"));
        };
        let table = SlotTable::new(plan, &frame, |window, _| name(plan, window));
        if let Some(misfit) = table.misfit(plan.cores) {
            return Err(misfit.into_input(&subject.file, &format!("--to {}", self.name())));
        }
        let mut losses = lost_besides(subject);
        if plan.tasks.iter().any(|task| task.instances.len() > 1) {
            losses.push("which instance of its memory a job runs on".to_owned());
        }
        let mut notes = vec![
            "each task runs in its slots, and nowhere else; without --phase frames begin at multiples of their length"
                .to_owned(),
        ];
        if frame
            .windows
            .iter()
            .any(|window| matches!(window.owner, Owner::Color(_)))
        {
            losses.push("the order of tasks within a slot, which is that in which they become ready".to_owned());
            notes.extend(colors(plan, &frame));
        }
        Ok(Draft {
            body: table.to_toml(|_| None),
            companion: None,
            losses,
            notes,
        })
    }
}

impl SchedExt {
    /// Slots that tasks share, with what decides which of them runs.
    fn shared(&self, subject: &Subject, plan: &Plan) -> Result<Draft, InputError> {
        let refused = |misfit: Misfit| misfit.into_input(&subject.file, &format!("--to {}", self.name()));
        let Execution::Table(table) = execution(plan, Executor::Table).map_err(refused)? else {
            return Err(self.refuse(subject, format!("a schedule that is {}", kind(&plan.schedule))));
        };
        Ok(Draft {
            body: table.to_toml(|_| None),
            companion: None,
            losses: lost_besides(subject),
            notes: vec![
                "of tasks that share slots the first by deadline or rank runs; without --phase frames begin at multiples of their length"
                    .to_owned(),
            ],
        })
    }

    fn refuse(&self, subject: &Subject, found: String) -> InputError {
        subject.error(self.name(), format!("found {found}"))
    }
}

/// What the owner of a window is called.
fn name(plan: &Plan, window: &Window) -> String {
    match window.owner {
        Owner::Job { task, .. } => match plan.tasks.get(task) {
            Some(task) => task.name.clone(),
            None => format!("task{task}"),
        },
        Owner::Color(color) => format!("core{}-color{color}", window.core),
    }
}

/// Which tasks the slots of a color are for.
fn colors(plan: &Plan, frame: &Frame) -> Vec<String> {
    let of = |window: &Window| match window.owner {
        Owner::Job { .. } => None,
        Owner::Color(color) => Some((name(plan, window), window.core, color)),
    };
    frame
        .windows
        .iter()
        .filter_map(of)
        .map(|(name, core, color)| {
            let is_of = |task: &&PlannedTask| task.core == Some(core) && task.colors_of(0).contains(&color);
            let names: Vec<&str> = plan.tasks.iter().filter(is_of).map(|task| task.name.as_str()).collect();
            format!(
                "tasks of {name}: {}",
                if names.is_empty() {
                    "none".to_owned()
                } else {
                    names.join(", ")
                }
            )
        })
        .collect()
}
