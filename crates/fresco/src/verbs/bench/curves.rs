// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco bench curves`: the curves that `fresco calibrate` lays a model beside, measured on this machine.

use super::pattern::AccessPattern;
use super::{Args, PROC};
use crate::arguments::integer;
use crate::failure::{Outcome, tell};
use crate::outputs::{self, Outputs};
use crate::stop::{STOPPED, Stop};
use crate::verbs::map::source::size;
use crate::{output, progress, provenance};
use fresco_input::{InputError, format_size, write_atomically};
use fresco_linux::curves::{Measured, Point, Wanted, allowed_cpus, measure};
use fresco_linux::probe::Conditions;
use fresco_linux::proc::available_bytes;
use fresco_report::{Cell, Column, ReportError, Table};
use rustix::io::Errno;
use serde::Serialize;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// Shares of reads that are measured.
const READS: [u32; 4] = [100, 80, 60, 50];

/// Turns of an empty loop after a burst of three lines, from hardly any traffic to as much as there is.
const PAUSES: [u32; 12] = [10_000, 5000, 2500, 1200, 600, 350, 200, 120, 60, 30, 10, 0];

/// How long generators run before a point.
const SETTLE: Duration = Duration::from_millis(30);

/// Load average from which on other work is told.
const MUCH: f64 = 0.5;

/// Options of `fresco bench curves`, which other yardsticks have no use for.
#[derive(Debug, clap::Args)]
pub struct CurvesArgs {
    /// curves: shares of reads in the traffic, in percent [default: 100,80,60,50]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = integer("--reads", 50..=100u32))]
    reads: Vec<u32>,

    /// curves: memory of the chase, e.g. 512MiB: several times the last-level cache [default: 128MiB]
    #[arg(long, value_name = "SIZE")]
    chase_bytes: Option<String>,

    /// curves: memory of each of a generator's two arrays [default: 64MiB]
    #[arg(long, value_name = "SIZE")]
    stream_bytes: Option<String>,

    /// curves: loads of the chase in each point [default: 200000]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = integer("--loads", 1000..=1_000_000_000u64))]
    loads: Option<u64>,

    /// curves: name of this machine in the file [default: here]
    #[arg(long, value_name = "NAME")]
    system: Option<String>,

    /// curves: write them as `fresco calibrate --curves` reads them
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

impl CurvesArgs {
    /// Refuses options that another yardstick would ignore.
    ///
    /// # Errors
    /// The option.
    pub fn check_absent(&self) -> Result<(), InputError> {
        let given = [
            ("--reads", !self.reads.is_empty()),
            ("--chase-bytes", self.chase_bytes.is_some()),
            ("--stream-bytes", self.stream_bytes.is_some()),
            ("--loads", self.loads.is_some()),
            ("--system", self.system.is_some()),
            ("--csv", self.csv.is_some()),
        ];
        match given.into_iter().find(|(_, given)| *given) {
            Some((option, _)) => Err(InputError::new(option, "found it with another yardstick than curves")
                .allowed("fresco bench curves")
                .help(format!("leave out {option}"))),
            None => Ok(()),
        }
    }

    fn bytes(&self, option: &str, given: Option<&String>, default: u64) -> Result<u64, InputError> {
        given.map_or(Ok(default), |text| size(option, text, 1 << 16..=1 << 38))
    }
}

/// Schema `fresco-bench-curves/1`.
#[derive(Serialize)]
struct CurvesReport {
    /// Name of this machine in the file.
    system: String,
    /// Runnable tasks on average over the minute before; `null` if the kernel does not tell.
    load_before: Option<f64>,
    /// It was stopped before all points were measured.
    stopped: bool,
    /// Processor, load, stolen time.
    conditions: Conditions,
    #[serde(flatten)]
    measured: Measured,
}

/// Measures, prints, and writes the file if asked to.
pub fn run(args: &Args) -> Outcome {
    let own = &args.curves;
    refuse_others(args)?;
    Outputs::new().file("--csv", own.csv.as_deref()).check(args.json, &[])?;
    let system = own.system.clone().unwrap_or_else(|| "here".to_owned());
    if system.is_empty() || system.contains([',', '"', '\n', '\r']) {
        let error = InputError::new("--system", format!("found {system:?}"));
        return Err(error
            .allowed("a name without commas, quotes and line breaks")
            .help("write another one")
            .into());
    }
    let reads = if own.reads.is_empty() {
        READS.to_vec()
    } else {
        own.reads.clone()
    };
    let chase_bytes = own.bytes("--chase-bytes", own.chase_bytes.as_ref(), 128 << 20)?;
    let stream_bytes = own.bytes("--stream-bytes", own.stream_bytes.as_ref(), 64 << 20)?;
    check_room(stream_bytes, chase_bytes)?;
    let chase = AccessPattern::record("latency", &format!("bytes = {chase_bytes}"), args.seed.into())
        .map_err(|error| InputError::new("--chase-bytes", error.found.clone()).allowed(error.allowed.clone()))?;
    let stop = Stop::on_any_end();
    let wanted = Wanted {
        chase: &chase.order,
        stream_bytes,
        loads: own.loads.unwrap_or(200_000),
        settle: SETTLE,
        reads: &reads,
        pauses: &PAUSES,
    };
    let before = Conditions::read(Path::new(PROC));
    let bar = progress::bar((reads.len() * (PAUSES.len() + 1)) as u64, "curves");
    let measured = measure(&wanted, |_| {
        bar.inc(1);
        !stop.is_asked()
    });
    bar.finish_and_clear();
    let stopped = stop.is_asked();
    let report = CurvesReport {
        system,
        stopped,
        measured: measured.map_err(|errno| refused(errno, &wanted))?,
        load_before: before.load_average,
        conditions: Conditions::read(Path::new(PROC)).since(&before),
    };
    let written = match &own.csv {
        Some(path) if stopped && path.exists() => {
            tell(&format!("fresco: stopped: {} stays as it was", path.display()));
            Ok(())
        }
        Some(path) => write_atomically(path, csv(&report).as_bytes()).map_err(Into::into),
        None => Ok(()),
    };
    let provenance = provenance::of_this_run(u64::from(args.seed));
    let printed = output::print(args.json, "fresco-bench-curves/1", &provenance, &report, || {
        tables(&report)
    });
    outputs::all([written, printed])?;
    Ok(match stopped {
        true => {
            tell("fresco: stopped early: the points are those that were measured until then");
            ExitCode::from(STOPPED)
        }
        false => ExitCode::SUCCESS,
    })
}

/// Refuses options of other yardsticks.
fn refuse_others(args: &Args) -> Result<(), InputError> {
    args.hrt.check(false, false)?;
    let given = [
        (
            "--set",
            !args.set.is_empty(),
            "give --chase-bytes, --stream-bytes, --loads",
        ),
        (
            "--simulate",
            args.simulate.is_some(),
            "fresco calibrate MACHINE --no-fit makes the experiment on a model",
        ),
        (
            "--repetitions",
            args.repetitions.is_some(),
            "give more --loads, or run it several times",
        ),
        (
            "--svg",
            args.svg.is_some(),
            "fresco calibrate --curves FILE --out DIR draws them",
        ),
    ];
    match given.into_iter().find(|(_, given, _)| *given) {
        Some((option, _, help)) => Err(InputError::new(option, "found it with curves")
            .allowed("other yardsticks")
            .help(help)),
        None => Ok(()),
    }
}

/// Refuses what would have the kernel end this or another program for want of memory.
fn check_room(stream_bytes: u64, chase_bytes: u64) -> Result<(), InputError> {
    let generators = allowed_cpus().map_or(0, |cpus| cpus.len()).saturating_sub(1) as u64;
    let needed = (2 * stream_bytes)
        .saturating_mul(generators)
        .saturating_add(chase_bytes);
    match available_bytes(Path::new(PROC)) {
        Some(available) if needed > available => {
            let found = format!(
                "found {}, and {} for the chase",
                of_generators(stream_bytes, generators),
                format_size(chase_bytes)
            );
            // Whole MiB, as what is available changes from moment to moment.
            let available = format_size(available >> 20 << 20);
            Err(InputError::new("fresco bench curves", found)
                .allowed(format!("{available} together, which are available"))
                .help("give smaller --stream-bytes or --chase-bytes")
                .does_not_fit())
        }
        _ => Ok(()),
    }
}

/// What generators take, each of which loads from one array and stores to another one, in words.
fn of_generators(stream_bytes: u64, generators: u64) -> String {
    let each = format_size(2 * stream_bytes);
    match generators {
        1 => format!("{each} for the generator"),
        _ => format!("{each} for each of {generators} generators"),
    }
}

fn refused(errno: Errno, wanted: &Wanted<'_>) -> InputError {
    match allowed_cpus().map_or(0, |cpus| cpus.len()) {
        0 | 1 => InputError::new("fresco bench curves", "found one processor that may be used")
            .allowed("two or more: one is timed, the others make traffic")
            .help("allow more, as with taskset"),
        cpus => InputError::new("fresco bench curves", format!("found no memory: {errno}"))
            .allowed(format!(
                "{}, and the chase",
                of_generators(wanted.stream_bytes, cpus as u64 - 1)
            ))
            .help("give smaller --stream-bytes or --chase-bytes"),
    }
}

/// What was not as it is on the machines whose curves come with the program.
fn reservations(report: &CurvesReport) -> Vec<String> {
    let measured = &report.measured;
    let mut all = vec![
        "bandwidth is what the generators asked for, a store two lines: no counter of the memory was read, and lines that a cache still \
         had are in it"
            .to_owned(),
    ];
    if report.stopped {
        all.push("stopped early: points are missing, and the last share of reads may have few".to_owned());
    }
    match measured.huge_bytes {
        Some(huge) if huge >= measured.bytes * 9 / 10 => {}
        Some(huge) => all.push(format!(
            "{} of {} are in huge pages: latencies contain misses of the TLB",
            format_size(huge),
            format_size(measured.bytes)
        )),
        None => all
            .push("the kernel does not tell what is in huge pages: latencies may contain misses of the TLB".to_owned()),
    }
    if !measured.not_pinned.is_empty() {
        let cpus: Vec<String> = measured.not_pinned.iter().map(u32::to_string).collect();
        all.push(format!("not kept to their processors: {}", cpus.join(", ")));
    }
    if let Some(load) = report.load_before.filter(|load| *load >= MUCH) {
        all.push(format!("other work: load average {load:.1} before"));
    }
    if report.conditions.virtual_machine {
        all.push("a virtual machine: its neighbors are not seen, and processors may share cores".to_owned());
    }
    all
}

/// As `fresco calibrate` reads it.
fn csv(report: &CurvesReport) -> String {
    let mut text = format!("# {}\n", report.conditions.processor);
    for reservation in reservations(report) {
        let _ = writeln!(text, "# {reservation}");
    }
    text.push_str("system,read_percent,bandwidth_gb_s,latency_ns\n");
    for Point { reads, gb_s, ns, .. } in &report.measured.points {
        let _ = writeln!(text, "{},{reads},{gb_s:.3},{ns:.2}", report.system);
    }
    text
}

fn tables(report: &CurvesReport) -> Result<Vec<Table>, ReportError> {
    let columns = vec![
        Column::number("reads", "%", 0),
        Column::text("pause"),
        Column::number("traffic", "GB/s", 2),
        Column::number("latency", "ns", 1),
    ];
    let mut points = Table::new(format!("Curves of {}", report.conditions.processor), columns);
    for point in &report.measured.points {
        let pause = point.pause.map_or("no traffic".into(), |pause| pause.to_string());
        points.push(vec![
            Cell::Count(point.reads.into()),
            pause.into(),
            point.gb_s.into(),
            point.ns.into(),
        ])?;
    }
    let mut how = Table::new("How it was measured", vec![Column::text("what"), Column::text("found")]);
    let measured = &report.measured;
    let generators = fresco_dram::color::format_list(&measured.generators);
    how.push(vec![
        "processor of the chase".into(),
        measured.chaser.to_string().into(),
    ])?;
    how.push(vec!["processors of the generators".into(), generators.into()])?;
    for reservation in reservations(report) {
        how.push(vec!["not as on the machines of Mess".into(), reservation.into()])?;
    }
    Ok(vec![points, how])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_generator_is_one() {
        assert_eq!(of_generators(64 << 20, 1), "128 MiB for the generator");
        assert_eq!(of_generators(3 << 19, 2), "3 MiB for each of 2 generators");
    }

    #[test]
    fn more_than_there_is_is_refused_in_whole_mebibytes() {
        let error = check_room(64 << 20, 1 << 60).expect_err("no machine has as much");
        assert!(error.found.ends_with(", and 1048576 TiB for the chase"), "{error}");
        assert!(!error.allowed.contains("KiB"), "{error}");
        assert_eq!(error.kind, fresco_input::Kind::DoesNotFit);
    }
}
