// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco machine list`.

use crate::failure::{Failure, Outcome};
use crate::{output, provenance};
use fresco_machine::{Machine, builtin, builtin_names};
use fresco_report::{Cell, Column, ReportError, Table};
use serde::Serialize;
use std::process::ExitCode;

/// Arguments of `fresco machine list`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

/// One machine in short.
#[derive(Debug, Serialize)]
struct Line {
    name: String,
    title: String,
    cores: u32,
    nodes: u32,
    /// Standard and speed grade of the DRAM.
    standard: String,
    capacity_bytes: u64,
    page_bytes: u64,
    /// Colors of pages of this size.
    bank_colors: u32,
    llc_colors: u32,
    /// Pairs of both that exist.
    pairs: u64,
    digest: String,
}

/// Lists the built-in machines.
pub fn run(args: &Args) -> Outcome {
    let machines: Vec<Machine> = builtin_names().map(builtin).collect::<Result<_, _>>()?;
    let lines: Vec<Line> = machines.iter().map(Line::new).collect::<Result<_, Failure>>()?;
    let mut provenance = provenance::of_this_run(None);
    if args.json {
        provenance.machine_files = machines
            .iter()
            .map(|machine| provenance::machine_file(machine, &machine.name))
            .collect();
    }
    output::print(args.json, "fresco-machine-list/1", &provenance, &lines, || {
        Ok(vec![table(&lines)?])
    })?;
    Ok(ExitCode::SUCCESS)
}

impl Line {
    fn new(machine: &Machine) -> Result<Self, Failure> {
        let space = machine
            .colors()
            .map_err(|error| error.into_input(machine.name.clone(), "colors"))?;
        Ok(Self {
            name: machine.name.clone(),
            title: machine.title.clone(),
            cores: machine.cores,
            nodes: machine.topology.nodes(),
            standard: machine.memory.timing.standard.clone(),
            capacity_bytes: machine.memory.map.capacity(),
            page_bytes: machine.page_bytes,
            bank_colors: space.bank_colors(),
            llc_colors: space.llc_colors(),
            pairs: space.pairs(),
            digest: machine.text_digest.clone(),
        })
    }
}

/// What fits in a line of 100 characters; the nodes, one of nearly all, are in the JSON and in what is shown of a machine.
fn table(lines: &[Line]) -> Result<Table, ReportError> {
    let whole = lines.iter().all(|line| line.capacity_bytes.is_multiple_of(1 << 30));
    let mut table = Table::new(
        "Built-in machines; colors of banks and of the last-level cache at the page size, pairs of them that exist",
        vec![
            Column::text("name"),
            Column::text("what"),
            Column::number("cores", "", 0),
            Column::text("DRAM"),
            Column::number("GiB", "", if whole { 0 } else { 2 }),
            Column::number("banks", "", 0),
            Column::number("LLC", "", 0),
            Column::number("pairs", "", 0),
        ],
    );
    for line in lines {
        table.push(vec![
            line.name.as_str().into(),
            product(&line.title).into(),
            Cell::Count(line.cores.into()),
            line.standard.as_str().into(),
            Cell::Number(line.capacity_bytes as f64 / f64::from(1 << 30)),
            Cell::Count(line.bank_colors.into()),
            Cell::Count(line.llc_colors.into()),
            Cell::Count(line.pairs),
        ])?;
    }
    Ok(table)
}

/// The start of a title, up to what follows a comma, a bracket or "with": the product, without the numbers that have
/// columns of their own.
fn product(title: &str) -> &str {
    let ends = [title.find([',', '(']), title.find(" with ")];
    let end = ends.into_iter().flatten().min().unwrap_or(title.len());
    title[..end].trim_end()
}

#[cfg(test)]
mod tests {
    use super::product;

    #[test]
    fn a_product_is_the_start_of_the_title() {
        assert_eq!(product("Intel Xeon W3530 (Nehalem), 4 cores"), "Intel Xeon W3530");
        assert_eq!(product("SimpleScalar with RTMemController, one core"), "SimpleScalar");
        assert_eq!(product("A machine"), "A machine");
    }
}
