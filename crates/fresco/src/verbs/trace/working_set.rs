// SPDX-License-Identifier: MIT OR Apache-2.0
//! How often caches miss by their size, for people and for programs.

use super::words;
use fresco_input::InputError;
use fresco_load::trace::ftrace::recorded::{CODE_LINE, RecordedFile, WINDOW};
use fresco_load::trace::ftrace::{Record, What};
use fresco_load::trace::{Cache, LINE, WorkingSet};
use fresco_report::{Column, ReportError, Table};
use serde::Serialize;
use std::path::Path;

/// What caches would do.
#[derive(Debug, Serialize)]
pub struct Caches {
    line_bytes: u64,
    /// Lines that were accessed.
    lines: u64,
    /// Accesses that may be under way.
    window: u32,
    caches: Vec<Row>,
}

/// What one of them would do.
#[derive(Debug, Serialize)]
struct Row {
    bytes: u64,
    misses: u64,
    per_kilo_instruction: Option<f64>,
    together: Option<f64>,
}

impl Caches {
    /// What they did with so many instructions.
    pub fn new(set: &WorkingSet, instructions: Option<u64>) -> Self {
        let caches = set.caches();
        let least = caches.last().map_or(0, |cache| cache.misses);
        // Those that are larger than the first one that does as well as the largest say nothing more.
        let useful = caches
            .iter()
            .position(|cache| cache.misses == least)
            .map_or(0, |at| at + 1);
        let row = |cache: &Cache| Row {
            bytes: cache.bytes,
            misses: cache.misses,
            per_kilo_instruction: instructions
                .filter(|count| *count > 0)
                .map(|count| cache.misses as f64 * 1000.0 / count as f64),
            together: cache.together.filter(|_| set.has_dependences()),
        };
        Self {
            line_bytes: LINE,
            lines: set.lines(),
            window: WINDOW,
            caches: caches[..useful].iter().map(row).collect(),
        }
    }
}

/// What the threads of a recorded program fetch.
///
/// # Errors
/// The file is damaged, or cannot be read.
pub fn of_code(path: &Path) -> Result<WorkingSet, InputError> {
    let mut file = RecordedFile::open(path)?;
    let mut set = WorkingSet::default();
    let threads: Vec<u16> = file.trailer().threads.iter().map(|totals| totals.thread).collect();
    for thread in threads {
        file.each_fetch(thread, |line| {
            let what = What::Access {
                addr: line,
                size: CODE_LINE as u8,
                write: false,
                dep: 0,
            };
            set.push(&Record { thread, gap: 0, what });
        })?;
    }
    Ok(set)
}

/// The table of so many `what`.
pub fn table(set: &Caches, what: &str) -> Result<Table, ReportError> {
    let mut table = Table::new(
        format!("misses of caches, of {} {what}", words::grouped(set.lines)),
        vec![
            Column::text("cache"),
            Column::number("misses", "", 0),
            Column::number("share", "%", 2),
            Column::number("per 1000 instructions", "", 2),
            Column::number("together", "", 1),
        ],
    );
    for row in &set.caches {
        table.push(vec![
            words::size(row.bytes).into(),
            row.misses.into(),
            (row.misses as f64 * 100.0 / set.lines.max(1) as f64).into(),
            row.per_kilo_instruction.into(),
            row.together.into(),
        ])?;
    }
    Ok(table)
}
