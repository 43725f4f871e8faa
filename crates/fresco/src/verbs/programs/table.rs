// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was recorded and measured, as a table.

use fresco_programs::Gallery;
use fresco_report::{Cell, Column, ReportError, Table};

/// A line for each recording.
///
/// # Errors
/// None in practice: the numbers are finite.
pub fn table(gallery: &Gallery, machine: &str) -> Result<Table, ReportError> {
    let mut table = Table::new(
        format!(
            "Recorded programs; misses of the last-level cache in 1000 instructions alone on {machine}, and as published"
        ),
        vec![
            Column::text("name"),
            Column::text("stands for"),
            Column::number("instructions", "M", 1),
            Column::number("accesses", "M", 1),
            Column::number("bytes", "per access", 3),
            Column::number("touched", "MiB", 1),
            Column::number("need a load", "%", 1),
            Column::number("misses", "", 2),
            Column::number("IPC", "", 2),
            Column::text("published"),
        ],
    );
    for (recipe, entry) in gallery.entries() {
        let accesses = entry.loads + entry.stores;
        let measured = entry.measured.as_ref().filter(|measured| measured.machine == machine);
        let published: Vec<String> = recipe.published.iter().map(|one| one.text()).collect();
        table.push(vec![
            match entry.quick {
                true => format!("{} (quick)", entry.name).into(),
                false => entry.name.as_str().into(),
            },
            entry.stands_for.as_str().into(),
            Cell::Number(entry.instructions as f64 / 1e6),
            Cell::Number(accesses as f64 / 1e6),
            Cell::Number(entry.bytes as f64 / accesses.max(1) as f64),
            Cell::Number(entry.pages as f64 / 256.0),
            entry.dependent_percent.into(),
            measured.map(|measured| measured.misses).into(),
            measured.map(|measured| measured.ipc).into(),
            match published.is_empty() {
                true => "not published here".into(),
                false => published.join(", ").into(),
            },
        ])?;
    }
    Ok(table)
}
