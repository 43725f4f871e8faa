// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco ps`: the processes that were asked to run with colours.

use super::live::{CAVEAT, PROC};
use crate::failure::Outcome;
use crate::{output, provenance};
use fresco_linux::backend::Backend;
use fresco_linux::census::census;
use fresco_linux::colors::{Request, WhenFull};
use fresco_linux::proc::{Process, processes};
use fresco_report::{Cell, Column, ReportError, Table};
use serde::Serialize;
use std::path::Path;
use std::process::ExitCode;

/// Arguments of `fresco ps`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Pages are those that the back end covers: heap and anonymous memory, or, of the kernel's, all anonymous memory. They are counted where frame numbers may be seen;
`fresco verify PID` says more about one process. Processes whose environment may not be read are not shown.")]
pub struct Args {
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

/// What `fresco ps` reports.
#[derive(Debug, Serialize)]
struct Report {
    processes: Vec<View>,
    caveat: &'static str,
}

#[derive(Debug, Serialize)]
struct View {
    pid: u32,
    program: String,
    map: String,
    asked: String,
    when_full: WhenFull,
    /// What gives it its frames.
    backend: Backend,
    /// What came of it.
    state: &'static str,
    /// Pages in memory that are covered; `null` where frame numbers are hidden.
    pages: Option<u64>,
    /// Share of them with the colours asked for.
    share: Option<f64>,
}

/// Lists them.
pub fn run(args: &Args) -> Outcome {
    let views = processes(Path::new(PROC))?
        .iter()
        .filter_map(|process| Some(View::of(process, &process.request()?)))
        .collect();
    let report = Report {
        processes: views,
        caveat: CAVEAT,
    };
    output::print(
        args.json,
        "fresco-ps/1",
        &provenance::of_this_run(None),
        &report,
        || Ok(vec![report.table()?]),
    )?;
    Ok(ExitCode::SUCCESS)
}

impl View {
    fn of(process: &Process, request: &Request) -> Self {
        let census = census(process, request, true).ok();
        let covered = census.as_ref().map(|census| census.judged(request.backend));
        let state = match (request.backend, &census) {
            (Backend::Stock, _) if !process.has_library() => "library not loaded",
            (_, None) => "cannot be seen",
            (Backend::Stock, Some(census)) if census.is_collecting() => "collecting its pool",
            (Backend::Stock, Some(census)) if !census.has_covered() => "not covered yet",
            (Backend::Stock, Some(_)) => "covered",
            (Backend::Kernel, Some(_)) => "covered by the kernel",
        };
        Self {
            pid: process.pid,
            program: process.name(),
            map: request.map.clone(),
            asked: request.asked.to_string(),
            when_full: request.when_full,
            state,
            backend: request.backend,
            pages: covered.as_ref().map(|total| total.present),
            share: covered.and_then(|total| total.share()),
        }
    }
}

impl Report {
    fn table(&self) -> Result<Table, ReportError> {
        let columns = vec![
            Column::number("PID", "", 0),
            Column::text("program"),
            Column::text("map"),
            Column::text("requested"),
            Column::text("state"),
            Column::number("pages", "", 0),
            Column::number("inside", "%", 3),
        ];
        let mut table = Table::new("Processes with coloured memory", columns);
        for view in &self.processes {
            table.push(vec![
                Cell::Count(view.pid.into()),
                view.program.clone().into(),
                view.map.clone().into(),
                view.asked.clone().into(),
                view.state.into(),
                view.pages.into(),
                view.share.map(|share| share * 100.0).into(),
            ])?;
        }
        Ok(table)
    }
}
