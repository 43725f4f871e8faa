// SPDX-License-Identifier: MIT OR Apache-2.0
//! A plan as constants of C: a header with types and numbers, and a source file with the tables, for dispatchers and refresh timers.

use crate::export::{Draft, ExportOptions, Format, Takes};
use crate::formats::c_text::{TYPES, string};
use crate::formats::task_set::{lost_besides, plan_of};
use crate::head::Comment;
use crate::subject::Subject;
use crate::windows::{self, Owner};
use fresco_dram::color::format_list;
use fresco_input::InputError;
use fresco_rt::Time;
use fresco_rt::policy::Policy;
use fresco_scenario::Plan;
use fresco_scenario::plan::{RefreshPlan, Schedule};
use std::fmt::Write as _;

/// `c-table`.
pub struct CTable;

impl Format for CTable {
    fn name(&self) -> &'static str {
        "c-table"
    }

    fn about(&self) -> &'static str {
        "C99: tasks, windows, servers, locks and refreshes as const tables, in a source file and its header"
    }

    fn takes(&self) -> Takes {
        Takes::Schedule
    }

    fn comment(&self) -> Comment {
        Comment::C
    }

    fn leaves_out(&self) -> &'static str {
        "proofs and reasons, sizes of memory and page colors, budgets of bandwidth, programs"
    }

    fn draft(&self, subject: &Subject, options: &ExportOptions) -> Result<Draft, InputError> {
        let plan = plan_of(subject, self.name())?;
        let stem = options.stem.as_deref().unwrap_or("schedule");
        let tables = Tables::of(plan);
        let mut losses = Vec::new();
        let copies = plan.tasks.iter().filter(|task| task.instances.len() > 1);
        let copies: Vec<&str> = copies.map(|task| task.name.as_str()).collect();
        if !copies.is_empty() && !matches!(plan.schedule, Schedule::Table { .. }) {
            losses.push(format!("which job runs on which instance of {}", copies.join(", ")));
        }
        Ok(Draft {
            body: tables.source(stem),
            companion: Some(("h", tables.header(plan))),
            losses: [losses, lost_besides(subject)].concat(),
            notes: vec![format!(
                "times are nanoseconds; the schedule is {}",
                windows::kind(&plan.schedule)
            )],
        })
    }
}

/// The rows of a table of C.
struct Array {
    /// What it is called, and its type, without `fresco_`.
    name: &'static str,
    kind: &'static str,
    /// Name of the constant with its length, without `FRESCO_`.
    count: &'static str,
    rows: Vec<String>,
    /// A row of a table that is empty, as C has no arrays of length 0.
    nothing: &'static str,
}

/// All tables of a plan.
struct Tables {
    arrays: Vec<Array>,
}

const NONE: &str = "FRESCO_NONE";

impl Tables {
    fn of(plan: &Plan) -> Self {
        Self {
            arrays: vec![
                tasks(plan),
                colors(plan),
                windows(plan),
                servers(plan),
                locks(plan),
                refreshes(plan),
            ],
        }
    }

    fn header(&self, plan: &Plan) -> String {
        let mut text = String::from(
            "\n#ifndef FRESCO_SCHEDULE_H\n#define FRESCO_SCHEDULE_H\n\n#include <stdint.h>\n\n\
             /* No task, color or core. */\n#define FRESCO_NONE UINT32_MAX\n\n",
        );
        let (lock_period, lock, unlock) = match &plan.schedule {
            Schedule::Locked { locks } | Schedule::Servers { locks, .. } => {
                (locks.period_ns, locks.lock_ns, locks.unlock_ns)
            }
            Schedule::Slots { handler_ns, .. } => (0, *handler_ns, 0),
            Schedule::Table { table, lock_ns } => (table.length, *lock_ns, 0),
            Schedule::Priorities | Schedule::Fair { .. } => (0, 0, 0),
        };
        let refresh_period = match &plan.refresh {
            RefreshPlan::Windows { period_ns, .. } => *period_ns,
            RefreshPlan::Controller { .. } => 0,
        };
        let (slice, candidates) = match plan.schedule {
            Schedule::Fair { slice_ns, candidates } => (slice_ns, candidates),
            _ => (0, 0),
        };
        let frame = windows::frame(plan).map_or(0, |frame| frame.length_ns);
        for (comment, name, value) in [
            ("Cores that the plan uses.", "CORES", Time::from(plan.cores)),
            (
                "1: the first ready jobs run, one on each core, and a job that was stopped goes on on any; 0: jobs keep the cores of tasks or windows.",
                "MIGRATES",
                Time::from(!plan.migration.is_none()),
            ),
            ("Windows repeat after it; 0 without windows.", "FRAME_NS", frame),
            ("Locks repeat after it; 0 without locks.", "LOCK_PERIOD_NS", lock_period),
            (
                "Time in which a core locks a color, at the start of its lock or slot.",
                "LOCK_NS",
                lock,
            ),
            (
                "Time in which a core unlocks a color, at the end of its lock.",
                "UNLOCK_NS",
                unlock,
            ),
            (
                "Refreshes repeat after it; 0 if the controller refreshes by itself.",
                "REFRESH_PERIOD_NS",
                refresh_period,
            ),
            (
                "Refreshes may begin so late, but for the first of each color.",
                "REFRESH_JITTER_NS",
                plan.refresh_jitter_ns,
            ),
            ("Length of a time slice of fair shares; 0 without.", "SLICE_NS", slice),
        ] {
            _ = writeln!(text, "/* {comment} */\n#define FRESCO_{name} UINT64_C({value})");
        }
        _ = writeln!(
            text,
            "/* Candidates that fair shares look at. */\n#define FRESCO_CANDIDATES UINT32_C({candidates})"
        );
        let policy = Policy::NAMES.into_iter().find(|(_, policy)| *policy == plan.policy);
        _ = writeln!(
            text,
            "/* Order of ready tasks. */\n#define FRESCO_POLICY \"{}\"\n",
            policy.map_or("edf", |(name, _)| name)
        );
        text.push_str(TYPES);
        for array in &self.arrays {
            _ = writeln!(
                text,
                "\n#define FRESCO_{} {}u\nextern const struct fresco_{} fresco_{}[{}];",
                array.count,
                array.rows.len(),
                array.kind,
                array.name,
                array.rows.len().max(1)
            );
        }
        text.push_str("\n#endif\n");
        text
    }

    fn source(&self, stem: &str) -> String {
        let mut text = format!("\n#include \"{stem}.h\"\n");
        for array in &self.arrays {
            let rows = match array.rows.is_empty() {
                true => format!("\t{{ {} }},\n", array.nothing),
                false => array.rows.iter().map(|row| format!("\t{{ {row} }},\n")).collect(),
            };
            _ = write!(
                text,
                "\nconst struct fresco_{} fresco_{}[] = {{\n{rows}}};\ntypedef char fresco_{}_fit[sizeof(fresco_{}) == {}u * sizeof(struct fresco_{}) ? 1 : -1];\n",
                array.kind,
                array.name,
                array.name,
                array.name,
                array.rows.len().max(1),
                array.kind
            );
        }
        text.push_str("\ntypedef char fresco_time_fits[sizeof(uint64_t) == 8 && sizeof(uint32_t) == 4 ? 1 : -1];\n");
        text
    }
}

fn time(ns: Time) -> String {
    format!("UINT64_C({ns})")
}

fn number(value: Option<usize>) -> String {
    value.map_or_else(|| NONE.to_owned(), |value| format!("UINT32_C({value})"))
}

fn tasks(plan: &Plan) -> Array {
    let rows = plan.tasks.iter().map(|task| {
        let color = task.colors_of(0).first().copied();
        [
            string(&task.name),
            time(task.phase_ns),
            time(task.period_ns),
            time(task.wcet_ns),
            time(task.deadline_ns),
            number(task.core.map(|core| core as usize)),
            number(color),
        ]
        .join(", ")
    });
    Array {
        name: "tasks",
        kind: "task",
        count: "TASKS",
        rows: rows.collect(),
        nothing: "\"\", 0, 0, 0, 0, 0, 0",
    }
}

fn colors(plan: &Plan) -> Array {
    let rows = plan.colors.iter().map(|color| {
        [
            string(&format_list(&color.ranks)),
            number(color.bank.map(|bank| bank as usize)),
            string(&color.bank_colors),
        ]
        .join(", ")
    });
    Array {
        name: "colors",
        kind: "color",
        count: "COLORS",
        rows: rows.collect(),
        nothing: "\"\", 0, \"\"",
    }
}

fn windows(plan: &Plan) -> Array {
    let frame = windows::frame(plan);
    let rows = frame.iter().flat_map(|frame| &frame.windows).map(|window| {
        let (task, job, instance, color) = match window.owner {
            Owner::Job {
                task, job, instance, ..
            } => (Some(task), job, instance, None),
            Owner::Color(color) => (None, 0, 0, Some(color)),
        };
        [
            time(window.start_ns),
            time(window.length_ns),
            number(Some(window.core as usize)),
            number(task),
            format!("UINT32_C({job})"),
            number(Some(instance)),
            number(color),
        ]
        .join(", ")
    });
    Array {
        name: "windows",
        kind: "window",
        count: "WINDOWS",
        rows: rows.collect(),
        nothing: "0, 0, 0, 0, 0, 0, 0",
    }
}

fn servers(plan: &Plan) -> Array {
    let cores: &[_] = match &plan.schedule {
        Schedule::Servers { cores, .. } => cores,
        _ => &[],
    };
    let rows = cores.iter().enumerate().flat_map(|(core, servers)| {
        servers.servers.iter().map(move |server| {
            [
                number(Some(core)),
                number(Some(server.color)),
                time(server.period_ns),
                time(server.budget_ns),
            ]
            .join(", ")
        })
    });
    Array {
        name: "servers",
        kind: "server",
        count: "SERVERS",
        rows: rows.collect(),
        nothing: "0, 0, 0, 0",
    }
}

fn locks(plan: &Plan) -> Array {
    let of: Vec<(Time, Time, usize)> = match &plan.schedule {
        Schedule::Locked { locks } | Schedule::Servers { locks, .. } => {
            let each = locks.phase_ns.iter().zip(&locks.burst_ns).enumerate();
            each.map(|(color, (&phase, &burst))| {
                let length = locks.lock_ns.saturating_add(burst).saturating_add(locks.unlock_ns);
                (phase, length, color)
            })
            .collect()
        }
        Schedule::Table { table, .. } => {
            let bursts = table.bursts.iter();
            bursts.map(|burst| (burst.start, burst.length, burst.color)).collect()
        }
        _ => Vec::new(),
    };
    let row = |(start, length, color): (Time, Time, usize)| [time(start), time(length), number(Some(color))].join(", ");
    Array {
        name: "locks",
        kind: "lock",
        count: "LOCKS",
        rows: of.into_iter().map(row).collect(),
        nothing: "0, 0, 0",
    }
}

fn refreshes(plan: &Plan) -> Array {
    let windows: &[_] = match &plan.refresh {
        RefreshPlan::Windows { windows, .. } => windows,
        RefreshPlan::Controller { .. } => &[],
    };
    let rows = windows
        .iter()
        .map(|window| [time(window.start_ns), time(window.commands), number(Some(window.color))].join(", "));
    Array {
        name: "refreshes",
        kind: "refresh",
        count: "REFRESHES",
        rows: rows.collect(),
        nothing: "0, 0, 0",
    }
}
