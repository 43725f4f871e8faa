// SPDX-License-Identifier: MIT OR Apache-2.0
//! Row domains: who has which, how large they are, and how near their rows came, a row for each part at each point.

use super::sweep::Sweep;
use fresco_input::format_size;
use fresco_report::{Cell, Column, ReportError, Table};

/// What the columns are, and what they do not say.
pub const NOTE: &str = "Row domains: memory of the domains that the same tasks and agents name, without guards; blast: rows at this distance or less may \
    be disturbed; nearest: the least distance, in rows of a bank, between pages in use that must be apart, as found afterwards by a judge that shares no \
    code with the allocator (dash: no bank has both). What nobody names is shared by all others, page tables and the kernel's frames among them. Not \
    protected: tasks of one domain from each other, memory that tasks of several share, rows that a device replaced by spare ones.";

/// The table of a sweep; `None` where nobody names row domains.
///
/// # Errors
/// None in practice: results hold no numbers that are none.
pub fn table(sweep: &Sweep<'_>) -> Result<Option<Table>, ReportError> {
    let result = sweep.result;
    if result.points.iter().all(|point| point.row_domains.is_none()) {
        return Ok(None);
    }
    let mut columns = sweep.columns();
    columns.extend(["rows", "named by", "memory", "each, with guards"].map(Column::text));
    columns.extend(["blast", "nearest"].map(|name| Column::number(name, "", 0)));
    let mut table = Table::new(format!("{}: row domains", result.scenario), columns);
    for point in &result.points {
        let Some(domains) = &point.row_domains else { continue };
        let nearest = point.runs.iter().filter_map(|run| run.rows_apart?.nearest).min();
        for part in &domains.parts {
            let mut cells = sweep.cells(point);
            let users = match part.users.is_empty() {
                true => "nobody".to_owned(),
                false => part.users.join(", "),
            };
            cells.extend([
                part.rows.as_str().into(),
                users.into(),
                format_size(part.bytes).into(),
                format_size(domains.domain_bytes).into(),
                Cell::Count(domains.blast.into()),
                nearest.map(u64::from).into(),
            ]);
            table.push(cells)?;
        }
    }
    Ok(Some(table))
}
