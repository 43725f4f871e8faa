// SPDX-License-Identifier: MIT OR Apache-2.0
//! What `fresco bench` reports, alike for a model and for this machine.

use super::Sample;
use super::jobs::Jobs;
use fresco_linux::probe::Conditions;
use fresco_report::plot::{Axis, CdfChart, Distribution, Heading, Svg};
use fresco_report::{Column, Provenance, ReportError, Table};
use fresco_system::results::Spread;
use serde::Serialize;

/// Everything `fresco bench` reports: schema `fresco-bench/1`.
#[derive(Debug, Serialize)]
pub struct BenchReport {
    /// The yardstick.
    pub yardstick: &'static str,
    /// Name of the machine.
    pub machine: String,
    /// It is a model.
    pub simulated: bool,
    /// The program, and its parameters in TOML.
    pub program: &'static str,
    /// Parameters that are not the program's own.
    pub parameters: String,
    /// Loads or stores of a pass.
    pub accesses: u64,
    /// Bytes of the lines that a pass touches.
    pub bytes: u64,
    /// How addresses come about on a machine; `null` for a model.
    pub addresses: Option<&'static str>,
    /// One of each repetition.
    pub samples: Vec<Sample>,
    /// Time of a pass over its accesses, in nanoseconds.
    pub access_time_ns: Spread,
    /// Bytes of a pass over its time, in bytes per second.
    pub bandwidth_bytes_per_s: Spread,
    /// Jobs of a periodic task.
    pub jobs: Option<Jobs>,
    /// What else went on on a machine.
    pub conditions: Option<Conditions>,
}

impl BenchReport {
    /// Sums the samples up.
    pub fn summed(mut self) -> Self {
        let accesses = self.samples.iter().map(Sample::access_ns);
        self.access_time_ns = Spread::of(accesses);
        let bandwidths = self
            .samples
            .iter()
            .map(|sample| self.bytes as f64 / sample.pass_ns * 1e9);
        self.bandwidth_bytes_per_s = Spread::of(bandwidths);
        self
    }

    fn title(&self) -> String {
        let simulated = if self.simulated { " (simulated)" } else { "" };
        format!("{} of {}{simulated}", self.yardstick, self.machine)
    }

    /// For people.
    pub fn tables(&self) -> Result<Vec<Table>, ReportError> {
        let mut columns = vec![Column::text("what"), Column::text("unit")];
        columns.extend(["mean", "min", "max", "deviation"].map(|name| Column::number(name, "", 3)));
        columns.push(Column::number("n", "", 0));
        let mut table = Table::new(self.title(), columns);
        let mut row = |what: &str, unit: &str, spread: &Spread, scale: f64| {
            let Spread {
                count,
                mean,
                min,
                max,
                stddev,
            } = *spread;
            let numbers = [mean, min, max, stddev].map(|value| (value * scale).into());
            let mut cells = vec![what.into(), unit.into()];
            cells.extend(numbers);
            cells.push(count.into());
            table.push(cells)
        };
        match &self.jobs {
            None => {
                row("time of an access", "ns", &self.access_time_ns, 1.0)?;
                row("bandwidth", "MB/s", &self.bandwidth_bytes_per_s, 1e-6)?;
            }
            Some(jobs) => {
                let spread = |value: &dyn Fn(&super::jobs::Job) -> u64| {
                    Spread::of(jobs.jobs.iter().map(|job| value(job) as f64))
                };
                row("release to end", "us", &spread(&|job| job.response_ns()), 1e-3)?;
                row(
                    "release to start",
                    "us",
                    &spread(&|job| job.start_ns - job.release_ns),
                    1e-3,
                )?;
            }
        }
        let mut more = Table::new("What was measured", vec![Column::text("what"), Column::text("found")]);
        let mut note = |what: &str, text: String| more.push(vec![what.into(), text.into()]);
        let parameters = self.parameters.trim().replace('\n', ", ");
        note("program", format!("{} {parameters}", self.program).trim().to_owned())?;
        note(
            "a pass",
            format!("{} accesses, {} KiB of lines", self.accesses, self.bytes >> 10),
        )?;
        if let Some(jobs) = &self.jobs {
            note(
                "deadlines",
                format!(
                    "{} of {} missed, of {} us every {} us",
                    jobs.misses,
                    jobs.released,
                    jobs.deadline_ns / 1000,
                    jobs.period_ns / 1000
                ),
            )?;
        }
        if let Some(how) = self.addresses {
            note("addresses", how.to_owned())?;
        }
        if let Some(conditions) = &self.conditions {
            let number = |value: Option<f64>, scale: f64| {
                value.map_or_else(|| "unknown".to_owned(), |value| format!("{:.2}", value * scale))
            };
            let kind = if conditions.virtual_machine {
                "a virtual machine, "
            } else {
                ""
            };
            let (load, stolen) = (number(conditions.load_average, 1.0), number(conditions.stolen, 100.0));
            note(
                "conditions",
                format!("{kind}load average {load}, {stolen} % of the time stolen"),
            )?;
        }
        Ok(vec![table, more])
    }

    /// The distribution: of access times, or of response times.
    pub fn figure(&self, provenance: &Provenance) -> Result<Svg, ReportError> {
        let (name, unit, samples): (_, _, Vec<f64>) = match &self.jobs {
            None => (
                "time of an access",
                "ns",
                self.samples.iter().map(Sample::access_ns).collect(),
            ),
            Some(jobs) => {
                let responses = jobs.jobs.iter().map(|job| job.response_ns() as f64 / 1e3);
                ("release to end", "us", responses.collect())
            }
        };
        let subtitle = match &self.jobs {
            None => format!("{} passes of {} accesses", samples.len(), self.accesses),
            Some(jobs) => format!("{} of {} deadlines missed", jobs.misses, jobs.released),
        };
        let chart = CdfChart {
            heading: Heading::new(self.title(), subtitle),
            x: Axis::new(name, unit),
            y_label: if self.jobs.is_some() {
                "share of jobs"
            } else {
                "share of passes"
            }
            .to_owned(),
            distributions: vec![Distribution::of_samples(self.yardstick, &samples)?],
        };
        chart.to_svg(provenance)
    }
}
