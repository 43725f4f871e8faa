// SPDX-License-Identifier: MIT OR Apache-2.0
//! A scan as tables, or as a line of JSON.

use super::Scan;
use fresco_dram::color::format_list;
use fresco_report::{Cell, Column, Document, Provenance, ReportError, Table};

/// One line.
pub fn line(schema: &str, provenance: &Provenance, scan: &Scan) -> Result<Vec<u8>, ReportError> {
    let document = Document {
        schema,
        provenance,
        data: scan,
    };
    document.to_line()
}

pub fn tables(scan: &Scan) -> Result<Vec<Table>, ReportError> {
    let title = match scan.scan {
        1 => "Colors of control groups".to_owned(),
        scan => format!("Colors of control groups, scan {scan}"),
    };
    let mut columns = vec![
        Column::text("group"),
        Column::text("colors"),
        Column::number("pages of these", "", 0),
        Column::number("needs", "", 0),
        Column::number("can spare", "", 0),
    ];
    let has_bandwidth = scan.groups.iter().any(|group| group.bytes_per_s.is_some());
    if has_bandwidth {
        columns.push(Column::number("moves", "MB/s", 0));
    }
    columns.push(Column::text(if scan.is_applied {
        "colors now"
    } else {
        "colors to be"
    }));
    let mut table = Table::new(title, columns);
    for (number, (group, after)) in std::iter::zip(&scan.groups, &scan.decision.colors).enumerate() {
        let pages = group.colors.len() as u64 * scan.color_pages;
        let mut row: Vec<Cell> = vec![
            group.name.as_str().into(),
            format_list(&group.colors).into(),
            Cell::Count(pages),
            Cell::Count(group.required_pages),
            Cell::Number(pages as f64 - group.required_pages as f64),
        ];
        if has_bandwidth {
            row.push(group.bytes_per_s.map(|bytes| bytes as f64 / 1e6).into());
        }
        let mut words = match *after == group.colors {
            true => "the same".to_owned(),
            false => format_list(after),
        };
        if scan.decision.short.contains(&number) {
            words += ", and needs more than there is";
        }
        row.push(words.into());
        table.push(row)?;
    }
    let mut tables = vec![table];
    if scan.decision.put_off > 0 {
        let mut notes = Table::new("", vec![Column::text("note")]);
        notes.push(vec![
            format!("{} more colors are lent in later scans: --limit", scan.decision.put_off).into(),
        ])?;
        tables.push(notes);
    }
    Ok(tables)
}
