// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco ps`: the processes that were asked to run with colors.

use super::live::{CAVEAT, Seen};
use crate::failure::Outcome;
use crate::{output, provenance};
use fresco_linux::backend::Backend;
use fresco_linux::census::census;
use fresco_linux::colors::{Request, WhenFull};
use fresco_linux::proc::Process;
use fresco_report::{Cell, Column, ReportError, Table};
use serde::Serialize;
use std::process::ExitCode;

/// Arguments of `fresco ps`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Pages are those that the back end covers: heap and anonymous memory, or, of the kernel's, all anonymous memory. They are counted where frame numbers may be seen;
`fresco verify PID` says more about one process. Processes that may not be looked at are counted: those of other users, or with more
privileges than the one who asks.")]
pub struct Args {
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

/// What `fresco ps` reports.
#[derive(Debug, Serialize)]
struct PsReport {
    processes: Vec<View>,
    /// Processes that may not be looked at.
    not_looked_at: u64,
    /// What is to be said of them.
    #[serde(skip)]
    note: Option<String>,
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
    /// Share of them with the colors asked for.
    share: Option<f64>,
}

/// Lists them.
pub fn run(args: &Args) -> Outcome {
    let seen = Seen::now()?;
    let views = seen.asked.iter().map(|(process, request)| View::of(process, request));
    let report = PsReport {
        processes: views.collect(),
        not_looked_at: seen.hidden,
        note: seen.note(),
        caveat: CAVEAT,
    };
    output::print(
        args.json,
        "fresco-ps/1",
        &provenance::of_this_run(None),
        &report,
        || report.tables(),
    )?;
    Ok(ExitCode::SUCCESS)
}

impl View {
    fn of(process: &Process, request: &Request) -> Self {
        let census = census(process, request, true).ok();
        let provider = request.backend.provider();
        let covered = census.as_ref().map(|census| census.tally(|kind| provider.covers(kind)));
        let state = provider.state(process, census.as_ref());
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

impl PsReport {
    /// The processes, and a word about those that are not among them.
    fn tables(&self) -> Result<Vec<Table>, ReportError> {
        let mut tables = Vec::new();
        let mut notes = Table::new("", vec![Column::text("note")]);
        match (self.processes.is_empty(), &self.note) {
            (false, _) => tables.push(self.table()?),
            (true, None) => notes.push(vec!["No process has colored memory.".into()])?,
            (true, Some(_)) => notes.push(vec!["No process that may be looked at has colored memory.".into()])?,
        }
        if let Some(note) = &self.note {
            notes.push(vec![note.clone().into()])?;
        }
        if self.processes.is_empty() || self.note.is_some() {
            tables.push(notes);
        }
        Ok(tables)
    }

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
        let mut table = Table::new("Processes with colored memory", columns);
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
