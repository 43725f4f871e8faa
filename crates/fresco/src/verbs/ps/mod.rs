// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco ps`: the processes that were asked to run with colors.

use super::live::{CAVEAT, Seen};
use crate::arguments::integer;
use crate::failure::Outcome;
use crate::openmetrics::{COLORING, COVERED, HIDDEN, INSIDE, Samples, Target, target};
use crate::stop::Stop;
use crate::{output, provenance};
use fresco_input::InputError;
use fresco_linux::backend::Backend;
use fresco_linux::census::census;
use fresco_linux::colors::{Request, WhenFull};
use fresco_linux::proc::Process;
use fresco_report::{Cell, Column, ReportError, Table};
use serde::Serialize;
use std::process::ExitCode;
use std::time::Duration;

/// Arguments of `fresco ps`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
With --openmetrics nothing is printed: into FILE, which node_exporter's textfile collector reads if it ends in .prom, metrics are written once, or each
so many seconds with --watch; at a socket GET /metrics is answered, by a new look each time, until Ctrl-C or SIGTERM. docs/run.md names the metrics.
Pages are those that the back end covers: heap and anonymous memory, or, of the kernel's, all anonymous memory. They are counted where frame numbers may be seen;
`fresco verify PID` says more about one process. Processes that may not be looked at are counted: those of other users, or with more
privileges than the one who asks.

Examples:
  fresco ps
  fresco ps --openmetrics /var/lib/prometheus/node-exporter/fresco.prom --watch 15
  fresco ps --openmetrics tcp:127.0.0.1:9101")]
pub struct Args {
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,

    /// OpenMetrics text into FILE, or at unix:PATH or tcp:ADDRESS:PORT for who asks by HTTP
    #[arg(long, value_name = "FILE|SOCKET", value_parser = target, conflicts_with = "json")]
    openmetrics: Option<Target>,

    /// With --openmetrics FILE: write it anew each so many seconds, until Ctrl-C
    #[arg(long, value_name = "SECONDS", requires = "openmetrics", allow_negative_numbers = true, value_parser = integer("--watch", 1..=86400u32))]
    watch: Option<u32>,
}

impl Args {
    /// Returns true if the processes go to standard output, not to whom metrics are for.
    pub fn prints(&self) -> bool {
        self.openmetrics.is_none()
    }
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
    if let Some(target) = &args.openmetrics {
        return publish(target, args.watch);
    }
    let report = PsReport::now()?;
    output::print(
        args.json,
        "fresco-ps/1",
        &provenance::of_this_run(None),
        &report,
        || report.tables(),
    )?;
    Ok(ExitCode::SUCCESS)
}

/// Writes metrics once or again and again, or answers who asks for them.
fn publish(target: &Target, watch: Option<u32>) -> Outcome {
    if target.is_socket() && watch.is_some() {
        return Err(InputError::new("--watch", "found it with a socket")
            .allowed("--watch with a file")
            .help("leave it out: whoever asks at the socket gets a new look")
            .into());
    }
    let place = target.open()?;
    let look = || PsReport::now().map(|report| report.samples().text());
    if !target.is_socket() {
        place.put(&look()?)?;
        if watch.is_none() {
            return Ok(ExitCode::SUCCESS);
        }
    }
    let stop = Stop::on_any_end();
    while !stop.is_asked() {
        place.wait(watch.map(|seconds| Duration::from_secs(seconds.into())), &stop, look)?;
        if !stop.is_asked() {
            place.put(&look()?)?;
        }
    }
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
    /// Looks at all processes.
    fn now() -> Result<Self, InputError> {
        let seen = Seen::now()?;
        let views = seen.asked.iter().filter_map(|(process, request)| {
            let view = View::of(process, request);
            // One that has ended meanwhile is not there any more.
            (!process.has_no_memory()).then_some(view)
        });
        Ok(Self {
            processes: views.collect(),
            not_looked_at: seen.hidden,
            note: seen.note(),
            caveat: CAVEAT,
        })
    }

    /// The same as metrics. Where frame numbers are hidden pages have none.
    fn samples(&self) -> Samples {
        let mut samples = Samples::default();
        for view in &self.processes {
            let own = || vec![("pid", view.pid.to_string()), ("program", view.program.clone())];
            let mut coloring = own();
            coloring.extend([
                ("map", view.map.clone()),
                ("colors", view.asked.clone()),
                ("backend", view.backend.name().to_owned()),
                ("state", view.state.to_owned()),
            ]);
            samples.add(COLORING, coloring, 1.0);
            if let Some(pages) = view.pages {
                samples.add(COVERED, own(), pages as f64);
            }
            if let Some(share) = view.share {
                samples.add(INSIDE, own(), share);
            }
        }
        samples.add(HIDDEN, Vec::new(), self.not_looked_at as f64);
        samples
    }

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
