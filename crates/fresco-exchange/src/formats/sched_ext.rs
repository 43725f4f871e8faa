// SPDX-License-Identifier: MIT OR Apache-2.0
//! A plan's windows as the table of slots that the scheduler of `kernel/schedulers` runs on Linux.

use super::task_set::{lost_besides, plan_of};
use crate::export::{Draft, ExportOptions, Format, Takes};
use crate::head::Comment;
use crate::subject::Subject;
use crate::windows::{Frame, Owner, Window, frame, kind};
use fresco_input::{InputError, quoted};
use fresco_rt::Time;
use fresco_scenario::Plan;
use fresco_scenario::plan::PlannedTask;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// What `kernel/schedulers/src/table.rs` accepts: of a frame, as the kernel ends a scheduler that leaves a task waiting for 30 s, ...
const LONGEST_FRAME_NS: Time = 15_000_000_000;
/// ... of a slot, as a switch takes some microseconds, ...
const SHORTEST_SLOT_NS: Time = 10_000;
/// ... and the part of a core that has no slots, for kernel threads and everything that is in no table.
const FREE: Time = 100;
const MOST_CORES: u32 = 64;

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
            return Err(self
                .refuse(subject, format!("a schedule that is {}", kind(&plan.schedule)))
                .allowed("one with windows that repeat: a table")
                .help("plan by --method colored-refresh"));
        };
        self.check(subject, plan, &frame)?;
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
            body: table(plan, &frame),
            companion: None,
            losses,
            notes,
        })
    }
}

impl SchedExt {
    fn refuse(&self, subject: &Subject, found: String) -> InputError {
        subject.error(self.name(), format!("found {found}"))
    }

    /// Refuses what the scheduler would.
    fn check(&self, subject: &Subject, plan: &Plan, frame: &Frame) -> Result<(), InputError> {
        if frame.length_ns > LONGEST_FRAME_NS {
            return Err(self
                .refuse(subject, format!("a table of {} ns", frame.length_ns))
                .allowed(format!(
                    "{LONGEST_FRAME_NS} ns: the kernel ends a scheduler that leaves a task waiting for 30 s"
                ))
                .help("plan with periods that have a shorter hyperperiod"));
        }
        if plan.cores > MOST_CORES {
            return Err(self
                .refuse(subject, format!("a plan for {} cores", plan.cores))
                .allowed(format!("{MOST_CORES}")));
        }
        if let Some(window) = frame.windows.iter().find(|window| window.length_ns < SHORTEST_SLOT_NS) {
            return Err(self
                .refuse(
                    subject,
                    format!("a window of {} ns on core {}", window.length_ns, window.core),
                )
                .allowed(format!(
                    "{SHORTEST_SLOT_NS} ns or more: a switch takes some microseconds"
                ))
                .help("plan with fewer preemptions"));
        }
        for core in 0..plan.cores {
            let of_core = frame.windows.iter().filter(|window| window.core == core);
            let taken = of_core.fold(0, |sum: Time, window| sum.saturating_add(window.length_ns));
            let free = frame.length_ns.saturating_sub(taken);
            if free.saturating_mul(FREE) < frame.length_ns {
                return Err(self
                    .refuse(
                        subject,
                        format!("{free} ns of {} without a window on core {core}", frame.length_ns),
                    )
                    .allowed("a hundredth or more: kernel threads run there, and everything that is in no table")
                    .help("plan by --method colored-refresh, which makes a table, or leave more of the core free"));
            }
        }
        Ok(())
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

/// The table.
fn table(plan: &Plan, frame: &Frame) -> String {
    let mut last = BTreeMap::new();
    for (number, window) in frame.windows.iter().enumerate() {
        if let Owner::Job { task, job, .. } = window.owner {
            last.insert((task, job), number);
        }
    }
    let mut names: Vec<String> = Vec::new();
    let mut slots = String::new();
    for (number, window) in frame.windows.iter().enumerate() {
        let name = name(plan, window);
        let ends = match window.owner {
            Owner::Job { task, job, .. } => last.get(&(task, job)) == Some(&number),
            Owner::Color(_) => false,
        };
        _ = writeln!(
            slots,
            "  {{ core = {}, start_ns = {}, length_ns = {}, task = {}{} }},",
            window.core,
            window.start_ns,
            window.length_ns,
            quoted(&name),
            if ends { "" } else { ", ends = false" }
        );
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let mut text = format!(
        "format = \"fresco-table/1\"\nframe_ns = {}\ntask = [\n",
        frame.length_ns
    );
    for name in names {
        _ = writeln!(text, "  {{ name = {} }},", quoted(&name));
    }
    _ = write!(text, "]\nslot = [\n{slots}]\n");
    text
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
