// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is in a trace, for people.

use super::{Info, Region};
use crate::verbs::trace::{words, working_set};
use fresco_load::trace::Format;
use fresco_report::{Column, ReportError, Table};

/// The tables of it; a recorded program says `lines` of itself.
pub fn tables(info: &Info, lines: &[String]) -> Result<Vec<Table>, ReportError> {
    let mut about = Table::new(info.file.clone(), vec![Column::text("property"), Column::text("value")]);
    let version = info
        .version
        .map_or(String::new(), |version| format!(", version {version}"));
    let mut row = |name: &str, value: &str| about.push(vec![name.into(), value.into()]);
    row("format", &format!("{}{version}", info.format))?;
    if info.format == Format::Perf.name() {
        row("samples", "one access in many: what is seldom accessed is missing")?;
    }
    for (name, value) in [
        ("program", &info.program),
        ("tool", &info.tool),
        ("architecture", &info.architecture),
        ("addresses", &info.addresses.map(str::to_owned)),
    ] {
        if let Some(value) = value {
            row(name, value)?;
        }
    }
    if let Some(orders) = info.orders.as_ref().filter(|_| info.threads.len() > 1) {
        let (recorded, outside) = (words::grouped(orders.recorded), words::grouped(orders.outside));
        row(
            "orders",
            &format!("{recorded} between threads; {outside} outside of the recording"),
        )?;
    }
    match lines {
        [] => {
            let each = info.bytes as f64 / (info.loads + info.stores).max(1) as f64;
            row(
                "bytes",
                &format!("{}, {each:.2} per access", words::grouped(info.bytes)),
            )?;
            row("touched", &words::size(info.pages * words::PAGE))?;
        }
        lines => {
            for (name, line) in ["counts", "bytes", "memory", "dependences", "", ""].iter().zip(lines) {
                row(name, line)?;
            }
        }
    }
    let number = |name: &str| Column::number(name, "", 0);
    let mut columns = vec![
        number("thread"),
        number("instructions"),
        number("loads"),
        number("stores"),
        Column::text("touched"),
    ];
    if info.fetches.is_some() {
        columns.insert(4, number("fetches"));
    }
    let mut threads = Table::new("threads", columns);
    for thread in &info.threads {
        let mut row = vec![
            u64::from(thread.thread).into(),
            thread.instructions.into(),
            thread.loads.into(),
            thread.stores.into(),
            words::size(thread.pages * words::PAGE).into(),
        ];
        if info.fetches.is_some() {
            row.insert(4, thread.fetches.into());
        }
        threads.push(row)?;
    }
    let mut tables = vec![about, threads];
    if !info.regions.is_empty() {
        tables.push(table_of_regions(&info.regions)?);
    }
    if let Some(caches) = &info.working_set {
        tables.push(working_set::table(caches, "accesses to lines")?);
    }
    if let Some(caches) = &info.working_set_of_code {
        tables.push(working_set::table(caches, "fetches of lines of code")?);
    }
    Ok(tables)
}

fn table_of_regions(regions: &[Region]) -> Result<Table, ReportError> {
    let number = |name: &str| Column::number(name, "", 0);
    let mut table = Table::new(
        "regions",
        vec![
            Column::text("region"),
            number("thread"),
            number("times"),
            number("instructions"),
            number("accesses"),
        ],
    );
    for region in regions {
        table.push(vec![
            region.region.as_str().into(),
            u64::from(region.thread).into(),
            region.times.into(),
            region.instructions.into(),
            region.accesses.into(),
        ])?;
    }
    Ok(table)
}
