// SPDX-License-Identifier: MIT OR Apache-2.0
//! Task sets of SchedCAT.
//!
//! As of brandenburg/schedcat 53247845, schedcat/model/serialize.py: `<taskset>` of `<task>` with `period`, `wcet`, and, where they are
//! there, `id`, `deadline` (if it is not the period) and `partition`. Numbers are of no unit; `id` is a number if it reads as one.

use super::task_set::{BESIDES, lost, names_of, rows, unit, xml_text};
use crate::export::{Draft, ExportOptions, Format, Takes};
use crate::head::Comment;
use crate::subject::Subject;
use fresco_input::InputError;
use std::fmt::Write as _;

/// `schedcat`.
pub struct Schedcat;

impl Format for Schedcat {
    fn name(&self) -> &'static str {
        "schedcat"
    }

    fn about(&self) -> &'static str {
        "SchedCAT XML: <taskset> with period, wcet, deadline and partition of each task"
    }

    fn takes(&self) -> Takes {
        Takes::Tasks
    }

    fn comment(&self) -> Comment {
        Comment::Xml
    }

    fn leaves_out(&self) -> &'static str {
        "colors, budgets, schedules, order of ready tasks, sizes of memory"
    }

    fn draft(&self, subject: &Subject, options: &ExportOptions) -> Result<Draft, InputError> {
        let unit = unit(options);
        let mut losses = Vec::new();
        let rows = rows(subject, self.name(), unit, &mut losses)?;
        losses.extend(lost(&rows, &BESIDES));
        let mut told = |names: Option<String>, what: &str| {
            losses.extend(names.map(|names| format!("{what} of {names}")));
        };
        told(names_of(&rows, |row| row.times.phase_ns > 0), "the phase");
        let is_number = |name: &str| name.replace('_', "").parse::<f64>().is_ok();
        told(
            names_of(&rows, |row| is_number(&row.task.name)),
            "that it is a name, and no number, what is read",
        );
        let mut body = String::from("<taskset>\n");
        for row in &rows {
            _ = write!(
                body,
                "  <task id=\"{}\" period=\"{}\" wcet=\"{}\"",
                xml_text(&row.task.name),
                row.times.period_ns,
                row.times.wcet_ns
            );
            if row.times.deadline_ns != row.times.period_ns {
                _ = write!(body, " deadline=\"{}\"", row.times.deadline_ns);
            }
            if let Some(core) = row.task.core {
                _ = write!(body, " partition=\"{core}\"");
            }
            body.push_str("/>\n");
        }
        body.push_str("</taskset>\n");
        Ok(Draft {
            body,
            losses,
            notes: vec![format!("times are {}", unit.name())],
            companion: None,
        })
    }
}
