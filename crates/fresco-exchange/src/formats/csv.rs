// SPDX-License-Identifier: MIT OR Apache-2.0
//! Task sets as CSV: a line for each task, the unit of times in the names of the columns.

use super::task_set::rows;
use crate::amount::Unit;
use crate::export::{Draft, ExportOptions, Format, Takes};
use crate::head::Comment;
use crate::subject::Subject;
use fresco_input::InputError;

/// `csv`.
pub struct Csv;

impl Format for Csv {
    fn name(&self) -> &'static str {
        "csv"
    }

    fn about(&self) -> &'static str {
        "CSV: a line for each task, times in columns named with their unit"
    }

    fn takes(&self) -> Takes {
        Takes::Tasks
    }

    fn comment(&self) -> Comment {
        Comment::Hash
    }

    fn leaves_out(&self) -> &'static str {
        "colors, budgets, schedules, order of ready tasks"
    }

    fn draft(&self, subject: &Subject, options: &ExportOptions) -> Result<Draft, InputError> {
        let unit = options.unit.unwrap_or(Unit::Ns);
        let mut losses = Vec::new();
        let rows = rows(subject, self.name(), unit, &mut losses)?;
        let mut writer = csv::Writer::from_writer(Vec::new());
        let times = [
            "period",
            "wcet",
            "deadline",
            "phase",
            "jitter",
            "arrival_jitter",
            "min_distance",
            "critical_section",
            "cache_reload",
        ];
        let mut header = vec!["name".to_owned()];
        header.extend(times.map(|column| format!("{column}_{}", unit.name())));
        header.extend(["core".to_owned(), "memory".to_owned()]);
        let fault = |error: csv::Error| {
            subject
                .error(self.name(), format!("cannot write it: {error}"))
                .internal()
        };
        writer.write_record(&header).map_err(fault)?;
        for row in &rows {
            let of = &row.times;
            let mut record = vec![row.task.name.clone()];
            record.extend(
                [
                    of.period_ns,
                    of.wcet_ns,
                    of.deadline_ns,
                    of.phase_ns,
                    of.jitter_ns,
                    of.arrival_jitter_ns,
                    of.min_distance_ns,
                    of.critical_section_ns,
                    of.cache_reload_ns,
                ]
                .map(|value| value.to_string()),
            );
            record.push(row.task.core.map_or(String::new(), |core| core.to_string()));
            record.push(row.task.memory_bytes.map_or(String::new(), |bytes| bytes.to_string()));
            writer.write_record(&record).map_err(fault)?;
        }
        let bytes = writer.into_inner().map_err(|error| {
            subject
                .error(self.name(), format!("cannot write it: {error}"))
                .internal()
        })?;
        Ok(Draft {
            body: String::from_utf8_lossy(&bytes).into_owned(),
            losses,
            notes: vec!["memory is in bytes".to_owned()],
            companion: None,
        })
    }
}
