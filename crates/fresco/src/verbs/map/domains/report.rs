// SPDX-License-Identifier: MIT OR Apache-2.0
//! Row domains as data and as tables.

use crate::verbs::map::source::SourceView;
use fresco_dram::domains::RowDomains;
use fresco_input::format_size;
use fresco_report::{Cell, Column, ReportError, Table};
use serde::Serialize;

/// What no division of rows by itself protects.
const OUTSIDE: [&str; 3] = [
    "the kernel, page tables and buffers of devices, unless they lie in a domain of their own",
    "pages that are in two domains' use: shared memory, shared libraries, merged pages",
    "tasks of one domain from each other",
];

/// What `fresco map domains` reports.
#[derive(Debug, Serialize)]
pub struct DomainsReport {
    source: SourceView,
    /// Rows of a bank.
    rows: u32,
    /// One row of each bank of a node, or of the machine.
    row_bytes: u64,
    /// The most rows of a bank that a page lies in.
    page_rows: u32,
    /// Rows of each bank that stay empty between two domains, at least.
    blast: u32,
    /// What the guards hold for.
    assumed: Vec<String>,
    /// What they do not protect.
    outside: [&'static str; 3],
    /// Memory of all domains without guards.
    usable_bytes: u64,
    /// Memory between domains.
    guard_bytes: u64,
    /// Memory behind the last whole domain.
    rest_bytes: u64,
    domains: Vec<Domain>,
    /// Addresses of the domains asked for, ascending within each node.
    ranges: Vec<Range>,
}

#[derive(Debug, Serialize)]
struct Domain {
    domain: u32,
    /// The node, where ranges of addresses decide it.
    node: Option<u32>,
    /// The first and the last row, guards and all.
    first_row: u32,
    last_row: u32,
    guard_rows: u32,
    usable_bytes: u64,
}

#[derive(Debug, Serialize)]
struct Range {
    domain: u32,
    first: String,
    last: String,
    bytes: u64,
}

impl DomainsReport {
    /// The numbers of all domains, and the addresses of those `wanted`.
    pub fn new(source: SourceView, domains: &RowDomains, wanted: &[u32]) -> Self {
        let each = domains.domains_each();
        let rows_each = domains.rows_each();
        let mut listed = Vec::new();
        let mut ranges = Vec::new();
        for (number, part) in (0u32..).zip(domains.parts()) {
            let first_domain = number * each;
            for (domain, rows) in (0u32..).zip(part.rows_of_each(each)) {
                listed.push(Domain {
                    domain: first_domain + domain,
                    node: part.node,
                    first_row: domain * rows_each,
                    last_row: (domain + 1) * rows_each - 1,
                    guard_rows: rows_each - rows,
                    usable_bytes: u64::from(rows) * part.row_bytes,
                });
            }
            if wanted.iter().any(|domain| domain / each == number) {
                let of_part = domains.ranges(part);
                let of_part = of_part.filter(|range| wanted.contains(&(first_domain + range.domain)));
                ranges.extend(of_part.map(|range| Range {
                    domain: first_domain + range.domain,
                    first: format!("{:#x}", range.first),
                    last: format!("{:#x}", range.end - 1),
                    bytes: range.end - range.first,
                }));
            }
        }
        let request = domains.request();
        let row_bytes = domains.parts()[0].row_bytes;
        let parts = domains.parts().len() as u64;
        let guard_rows: u64 = listed.iter().map(|domain| u64::from(domain.guard_rows)).sum();
        Self {
            source,
            rows: domains.rows(),
            row_bytes,
            page_rows: domains.parts().iter().map(|part| part.page_rows).max().unwrap_or(1),
            blast: request.blast,
            assumed: vec![
                format!("rows that are hammered disturb those at most {} away", request.blast),
                format!("rows lie {}", request.remaps),
                "no row has been replaced by a spare one that lies near another domain".to_owned(),
                "the machine file's map is that of the machine".to_owned(),
            ],
            outside: OUTSIDE,
            usable_bytes: listed.iter().map(|domain| domain.usable_bytes).sum(),
            guard_bytes: guard_rows * row_bytes,
            rest_bytes: u64::from(domains.rows() - each * rows_each) * row_bytes * parts,
            domains: listed,
            ranges,
        }
    }

    /// The numbers, then what was asked for.
    pub fn tables(&self, name: &str, list: bool) -> Result<Vec<Table>, ReportError> {
        let mut tables = vec![self.numbers(name)?, self.limits()?];
        if list {
            tables.push(self.list()?);
        }
        if !self.ranges.is_empty() {
            tables.push(self.addresses()?);
        }
        Ok(tables)
    }

    fn numbers(&self, name: &str) -> Result<Table, ReportError> {
        let columns = vec![Column::text("quantity"), Column::text("value")];
        let mut table = Table::new(format!("Row domains of {name}"), columns);
        let mut row = |name: &str, value: String| table.push(vec![name.into(), value.into()]);
        let rows = |count: u32| match count {
            1 => "1 row".to_owned(),
            _ => format!("{count} rows"),
        };
        row("domains", self.domains.len().to_string())?;
        if let Some(first) = self.domains.first() {
            let each = first.last_row - first.first_row + 1;
            let bytes = format_size(u64::from(each) * self.row_bytes);
            row("each, with its guards", format!("{bytes}: {} of each bank", rows(each)))?;
        }
        let least = self.domains.iter().map(|domain| domain.usable_bytes).min();
        row("smallest, without them", format_size(least.unwrap_or(0)))?;
        row(
            "a page lies in",
            format!("{} of each of its banks", rows(self.page_rows)),
        )?;
        let divided = self.usable_bytes + self.guard_bytes;
        let percent = 100.0 * self.guard_bytes as f64 / divided as f64;
        row(
            "guards",
            format!("{}, {percent:.2} % of the domains", format_size(self.guard_bytes)),
        )?;
        if self.rest_bytes > 0 {
            row("behind the last domain", format_size(self.rest_bytes))?;
        }
        Ok(table)
    }

    fn limits(&self) -> Result<Table, ReportError> {
        let mut table = Table::new("What this rests on", ["", "statement"].map(Column::text).to_vec());
        for assumed in &self.assumed {
            table.push(vec!["assumed".into(), assumed.clone().into()])?;
        }
        for outside in self.outside {
            table.push(vec!["not protected".into(), outside.into()])?;
        }
        Ok(table)
    }

    fn list(&self) -> Result<Table, ReportError> {
        let mut columns = ["domain", "node", "first row", "last row", "guard rows"]
            .map(|name| Column::number(name, "", 0))
            .to_vec();
        columns.push(Column::text("usable"));
        let mut table = Table::new("Domains", columns);
        for domain in &self.domains {
            table.push(vec![
                Cell::Count(domain.domain.into()),
                domain.node.map(u64::from).into(),
                Cell::Count(domain.first_row.into()),
                Cell::Count(domain.last_row.into()),
                Cell::Count(domain.guard_rows.into()),
                format_size(domain.usable_bytes).into(),
            ])?;
        }
        Ok(table)
    }

    fn addresses(&self) -> Result<Table, ReportError> {
        let mut columns = vec![Column::number("domain", "", 0)];
        columns.extend(["first address", "last address", "size"].map(Column::text));
        let mut table = Table::new("Physical addresses", columns);
        for range in &self.ranges {
            table.push(vec![
                Cell::Count(range.domain.into()),
                range.first.clone().into(),
                range.last.clone().into(),
                format_size(range.bytes).into(),
            ])?;
        }
        Ok(table)
    }
}
