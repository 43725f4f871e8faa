// SPDX-License-Identifier: MIT OR Apache-2.0
//! The tables: their columns, and how rows are added.

use crate::metrics::{Metric, Subject};
use fresco_report::ReportError;
use fresco_report::dataset::{DataColumn, DataTable, Kind, Value};
use fresco_system::Axis;
use fresco_system::experiment::JobRecord;
use fresco_system::results::Latency;

/// The table that is always there.
pub const OBSERVATIONS: &str = "observations";
/// Names of all tables, which are those of their files without ending.
pub const NAMES: [&str; 5] = [OBSERVATIONS, "jobs", "spans", "latencies", "periods"];

const OBSERVATION: [(&str, Kind); 6] = [
    ("task", Kind::Text),
    ("subject_kind", Kind::Text),
    ("subject", Kind::Text),
    ("metric", Kind::Text),
    ("unit", Kind::Text),
    ("value", Kind::Number),
];
const JOB: [(&str, Kind); 14] = [
    ("task", Kind::Text),
    ("core", Kind::Integer),
    ("job", Kind::Integer),
    ("instance", Kind::Integer),
    ("release_ns", Kind::Number),
    ("start_ns", Kind::Number),
    ("end_ns", Kind::Number),
    ("response_ns", Kind::Number),
    ("deadline_ns", Kind::Number),
    ("execution_ns", Kind::Number),
    ("preemptions", Kind::Integer),
    ("missed", Kind::Truth),
    ("met_refresh_reads", Kind::Integer),
    ("refresh_wait_ns", Kind::Number),
];
const SPAN: [(&str, Kind); 13] = [
    ("kind", Kind::Text),
    ("core", Kind::Integer),
    ("task", Kind::Text),
    ("job", Kind::Integer),
    ("color", Kind::Integer),
    ("channel", Kind::Integer),
    ("rank", Kind::Integer),
    ("commands", Kind::Integer),
    ("start_ns", Kind::Number),
    ("end_ns", Kind::Number),
    ("from_color", Kind::Integer),
    ("to_color", Kind::Integer),
    ("pages", Kind::Integer),
];
const LATENCY: [(&str, Kind); 4] = [
    ("task", Kind::Text),
    ("quantity", Kind::Text),
    ("up_to_ns", Kind::Number),
    ("count", Kind::Integer),
];
const PERIOD: [(&str, Kind); 5] = [
    ("core", Kind::Integer),
    ("period", Kind::Integer),
    ("start_ns", Kind::Number),
    ("lines", Kind::Integer),
    ("bandwidth_bytes_per_s", Kind::Number),
];

/// Which run it is.
pub struct Identity<'r> {
    /// Name of the scenario or plan.
    pub scenario: &'r str,
    /// Name of the machine.
    pub machine: &'r str,
    /// Method of the plan.
    pub method: Option<&'static str>,
    /// Number of the point in the sweep, from 0.
    pub point: usize,
    /// Name and value on each axis, as written.
    pub axes: Vec<(&'r str, &'r str)>,
    /// Number of the repetition, from 0.
    pub repetition: u32,
    /// Seed of page frames and programs.
    pub seed: u64,
}

/// What is observed.
pub struct Observed {
    /// The task, if it is one or belongs to one.
    pub task: Value,
    /// What it is.
    pub kind: Subject,
    /// Its name or number.
    pub name: Value,
}

impl Observed {
    /// A task.
    pub fn task(name: &str) -> Self {
        let name = Value::from(name);
        Self {
            task: name.clone(),
            kind: Subject::Task,
            name,
        }
    }

    /// What belongs to no task.
    pub fn other(kind: Subject, name: impl ToString) -> Self {
        Self {
            task: Value::Missing,
            kind,
            name: name.to_string().as_str().into(),
        }
    }
}

/// What a span of time is of; what it does not have is missing.
#[derive(Clone, Debug, Default)]
pub struct SpanOf {
    /// What it is.
    pub kind: &'static str,
    /// The core.
    pub core: Value,
    /// Name of the task.
    pub task: Value,
    /// Number of the job.
    pub job: Value,
    /// Color of a plan.
    pub color: Value,
    /// Channel, numbered through the nodes.
    pub channel: Value,
    /// Rank of the channel.
    pub rank: Value,
    /// Refresh commands.
    pub commands: Value,
    /// Bank color that pages leave.
    pub from_color: Value,
    /// Bank color that pages get.
    pub to_color: Value,
    /// Pages.
    pub pages: Value,
}

impl SpanOf {
    /// Something of this kind.
    pub fn new(kind: &'static str) -> Self {
        Self {
            kind,
            ..Self::default()
        }
    }
}

/// All tables of a call of `fresco sim`.
#[derive(Debug)]
pub struct Tables {
    axes: Vec<DataColumn>,
    observations: DataTable,
    jobs: DataTable,
    spans: DataTable,
    latencies: DataTable,
    periods: DataTable,
}

impl Tables {
    /// Tables without rows, of scenarios with these axes. An axis whose values are all whole numbers is a column of these, and one whose values
    /// are all numbers a column of numbers.
    pub fn new<'a>(axes: impl IntoIterator<Item = &'a Axis>) -> Self {
        let mut columns: Vec<DataColumn> = Vec::new();
        for axis in axes {
            let name = format!("axis.{}", axis.name);
            let kind = Kind::of_texts(axis.values.iter().map(AsRef::as_ref));
            match columns.iter_mut().find(|column| column.name == name) {
                Some(column) => column.kind = column.kind.or(kind),
                None => columns.push(DataColumn::new(name, kind)),
            }
        }
        let table = |name, own: &[(&str, Kind)]| {
            let run = [
                ("scenario", Kind::Text),
                ("machine", Kind::Text),
                ("method", Kind::Text),
                ("point", Kind::Integer),
            ];
            let seed = [("repetition", Kind::Integer), ("seed", Kind::Integer)];
            let plain = |(name, kind): &(&str, Kind)| DataColumn::new(*name, *kind);
            let all = run.iter().map(plain).chain(columns.iter().cloned());
            DataTable::new(name, all.chain(seed.iter().chain(own).map(plain)).collect())
        };
        Self {
            observations: table(NAMES[0], &OBSERVATION),
            jobs: table(NAMES[1], &JOB),
            spans: table(NAMES[2], &SPAN),
            latencies: table(NAMES[3], &LATENCY),
            periods: table(NAMES[4], &PERIOD),
            axes: columns,
        }
    }

    /// What follows is of this run.
    pub fn begin(&mut self, run: &Identity<'_>) {
        let mut shared = vec![
            run.scenario.into(),
            run.machine.into(),
            run.method.map_or(Value::Missing, Value::Name),
            run.point.into(),
        ];
        shared.extend(self.axes.iter().map(|column| {
            let own = run
                .axes
                .iter()
                .find(|(name, _)| column.name.strip_prefix("axis.") == Some(name));
            own.map_or(Value::Missing, |(_, text)| Value::parse(text, column.kind))
        }));
        shared.extend([run.repetition.into(), run.seed.into()]);
        for table in [
            &mut self.observations,
            &mut self.jobs,
            &mut self.spans,
            &mut self.latencies,
            &mut self.periods,
        ] {
            table.begin(shared.clone());
        }
    }

    /// Adds what was observed; numbers that are none are left out.
    ///
    /// # Errors
    /// None in practice: rows have the columns of their table.
    pub fn observe(
        &mut self,
        on: &Observed,
        values: impl IntoIterator<Item = (Metric, f64)>,
    ) -> Result<(), ReportError> {
        for (metric, value) in values {
            debug_assert!(metric.of.contains(&on.kind), "{} of a {:?}", metric.name, on.kind);
            if value.is_finite() {
                self.observations.push([
                    on.task.clone(),
                    Value::Name(on.kind.name()),
                    on.name.clone(),
                    Value::Name(metric.name),
                    Value::Name(metric.unit),
                    Value::Number(value),
                ])?;
            }
        }
        Ok(())
    }

    /// Adds the jobs of a task in a run that ended at `horizon_ps`.
    ///
    /// # Errors
    /// As [`Self::observe`].
    pub fn jobs(&mut self, task: &str, core: u32, jobs: &[JobRecord], horizon_ps: u64) -> Result<(), ReportError> {
        let task = Value::from(task);
        for job in jobs {
            let optional = |time: Option<u64>| time.map_or(Value::Missing, ns);
            self.jobs.push([
                task.clone(),
                core.into(),
                job.job.into(),
                job.instance.into(),
                ns(job.release_ps),
                optional(job.start_ps),
                optional(job.end_ps),
                optional(job.response_ps()),
                optional(job.deadline_ps),
                ns(job.execution_ps),
                job.preemptions.into(),
                // A deadline after the end of the run, or of a job abandoned before, has neither been met nor missed.
                match (job.deadline_ps, job.end_ps) {
                    _ if job.is_abandoned() => Value::Missing,
                    (Some(deadline), None) if deadline > horizon_ps => Value::Missing,
                    (None, _) => Value::Missing,
                    _ => job.is_missed(horizon_ps).into(),
                },
                job.met_refresh_reads.into(),
                ns(job.refresh_wait_ps),
            ])?;
        }
        Ok(())
    }

    /// Adds a span of time; an instant begins and ends at the same time.
    ///
    /// # Errors
    /// As [`Self::observe`].
    pub fn span(&mut self, of: SpanOf, start_ps: u64, end_ps: u64) -> Result<(), ReportError> {
        self.spans.push([
            Value::Name(of.kind),
            of.core,
            of.task,
            of.job,
            of.color,
            of.channel,
            of.rank,
            of.commands,
            ns(start_ps),
            ns(end_ps),
            of.from_color,
            of.to_color,
            of.pages,
        ])
    }

    /// Adds a distribution.
    ///
    /// # Errors
    /// As [`Self::observe`].
    pub fn latencies(&mut self, task: &str, quantity: &'static str, of: &Latency) -> Result<(), ReportError> {
        let task = Value::from(task);
        of.histogram.iter().try_for_each(|bucket| {
            let row = [
                task.clone(),
                Value::Name(quantity),
                Value::finite(bucket.up_to_ns),
                bucket.count.into(),
            ];
            self.latencies.push(row)
        })
    }

    /// Adds a period of a core's budget.
    ///
    /// # Errors
    /// As [`Self::observe`].
    pub fn period(
        &mut self,
        core: u32,
        number: usize,
        start_ps: u64,
        lines: u64,
        rate: f64,
    ) -> Result<(), ReportError> {
        let row = [
            core.into(),
            number.into(),
            ns(start_ps),
            lines.into(),
            Value::finite(rate),
        ];
        self.periods.push(row)
    }

    /// Columns before those of an axis: scenario, machine, method, point. Repetition and seed follow them. What a table says of the run
    /// stands in the values that its rows share.
    pub const BEFORE_AXES: usize = 4;

    /// All tables.
    pub fn all(&self) -> [&DataTable; 5] {
        [
            &self.observations,
            &self.jobs,
            &self.spans,
            &self.latencies,
            &self.periods,
        ]
    }

    /// The tables that have rows, and the observations.
    pub fn filled(&self) -> Vec<&DataTable> {
        let is_shown = |table: &&DataTable| table.name == OBSERVATIONS || table.rows() > 0;
        self.all().into_iter().filter(is_shown).collect()
    }
}

/// A time in picoseconds as nanoseconds.
fn ns(ps: u64) -> Value {
    Value::Number(ps as f64 / 1000.0)
}
