// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco trace sample`: a few intervals of a recorded program that stand for all of it.

use super::sampled::{Sample, Sampled, tables};
use super::writing::{Reading, Writing};
use crate::arguments::{count, integer};
use crate::failure::{Outcome, tell};
use crate::outputs::Outputs;
use crate::stop::{STOPPED, Stop};
use crate::{output, progress, provenance};
use fresco_input::InputError;
use fresco_load::Marker;
use fresco_load::trace::ftrace::recorded::RecordedFile;
use fresco_load::trace::ftrace::{Header, MAX_THREADS, Record, What};
use fresco_load::trace::{AnyTrace, Chosen, Export, Format, Intervals, Replayed, shortened};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Arguments of `fresco trace sample`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Cuts what one thread did into intervals, takes those for alike in which the same blocks of instructions run equally often, and writes one of each
kind, with its weight: the share of all instructions that it stands for. A rate per instruction of the whole is about the sum of weight times that
of each. What the choice and the begin with cold caches cost is said by cache size. docs/record.md says more.

Examples:
  fresco trace sample xz.ftrace -o part.ftrace --sample 10x1M
  fresco sim --on xeon-w3530 ./part-3.ftrace --set 'warm_up={passes=1}' --set 'measure={passes=1}'")]
pub struct Args {
    /// A trace of fresco record
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Write the intervals here, as NAME-1.ftrace and so on; files that are there are replaced
    #[arg(short, long, value_name = "NAME.ftrace")]
    output: PathBuf,

    /// So many intervals at most, of so many instructions each
    #[arg(long, value_name = "COUNTxLENGTH", value_parser = sample)]
    sample: (usize, u64),

    /// Put so many intervals before each, as a pass of their own, in which caches fill
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = integer("--warm-up", 0..=1000u32))]
    warm_up: u32,

    /// Of this thread; if omitted, the first
    #[arg(long, value_name = "N", value_parser = integer("--thread", 0..=MAX_THREADS - 1))]
    thread: Option<u16>,

    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
}

/// Intervals at most: each is a file.
const MOST: usize = 1000;

fn sample(word: &str) -> Result<(usize, u64), InputError> {
    let error = || {
        InputError::new("--sample", format!("found {word:?}"))
            .allowed(format!(
                "COUNTxLENGTH, of 1 to {MOST} intervals, each of 1000 instructions or more"
            ))
            .help("write it as 10x1M")
    };
    let (intervals, length) = word.split_once('x').ok_or_else(error)?;
    let intervals: usize = intervals.trim().parse().map_err(|_| error())?;
    let length = count(length.trim()).map_err(|_| error())?;
    match (1..=MOST).contains(&intervals) && length >= 1000 {
        true => Ok((intervals, length)),
        false => Err(error()),
    }
}

/// The name of interval `number`, from 1 on.
fn name(path: &Path, number: usize) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.strip_suffix(".ftrace").unwrap_or(&name);
    path.with_file_name(format!("{stem}-{number}.ftrace"))
}

/// Samples it.
pub fn run(args: &Args) -> Outcome {
    let (most, length) = args.sample;
    let shown = args.file.display().to_string();
    if !RecordedFile::is(&args.file)? {
        return Err(InputError::new(shown, "does not say which blocks of instructions run")
            .allowed("a trace of version 2, which fresco record writes")
            .help("take a part with fresco trace cut")
            .into());
    }
    let mut file = RecordedFile::open(&args.file)?;
    let threads: Vec<u16> = file.trailer().threads.iter().map(|totals| totals.thread).collect();
    let thread = args.thread.or(threads.first().copied()).unwrap_or(0);
    if !threads.contains(&thread) {
        return Err(super::writing::no_access(&args.file, thread).into());
    }
    if threads.len() > 1 && args.thread.is_none() {
        tell(&format!(
            "fresco trace sample: of {} threads, {thread} is taken: --thread",
            threads.len()
        ));
    }
    let stop = Stop::on_any_end();
    let totals = file.trailer().threads.iter().find(|totals| totals.thread == thread);
    let bar = progress::bar(totals.map_or(0, |totals| totals.counts.instructions), "instructions");
    let intervals = Intervals::of(&mut file, thread, length, || {
        bar.inc(length);
        !stop.is_asked()
    })?;
    bar.finish_and_clear();
    let chosen = intervals.choose(most);
    if stop.is_asked() || chosen.is_empty() {
        tell("fresco trace sample: nothing is written");
        return Ok(ExitCode::from(STOPPED));
    }
    let paths: Vec<PathBuf> = (1..=chosen.len()).map(|number| name(&args.output, number)).collect();
    let mut outputs = Outputs::new();
    for path in &paths {
        outputs = outputs.file("--output", Some(path));
    }
    outputs.check(false, &[&args.file])?;
    let mut sampled = Vec::new();
    for (number, (path, chosen)) in paths.iter().zip(&chosen).enumerate() {
        let header = Header {
            program: shortened(&format!(
                "interval {} of {}, weight {:.4}, of {}",
                number + 1,
                paths.len(),
                chosen.weight,
                file.about().program
            )),
            tool: concat!("fresco ", env!("CARGO_PKG_VERSION")).to_owned(),
            ..Header::default()
        };
        sampled.push(Part::begin(path, &header, &intervals, *chosen, args.warm_up as usize)?);
    }
    if !copy(&args.file, thread, &mut sampled, &stop)? {
        tell("fresco trace sample: stopped; nothing is written");
        return Ok(ExitCode::from(STOPPED));
    }
    let mut parts = Vec::new();
    for part in sampled {
        parts.push(part.finish(&intervals)?);
    }
    let data = Sample::new(shown, thread, &intervals, parts);
    let schema = "fresco-trace-sample/1";
    output::print(args.json, schema, &provenance::of_this_run(None), &data, || {
        tables(&data)
    })?;
    Ok(ExitCode::SUCCESS)
}

/// An interval that is being written.
struct Part {
    path: PathBuf,
    writing: Writing,
    chosen: Chosen,
    /// Numbers of accesses: where what is written begins, where it is measured, where it ends.
    from: u64,
    begin: u64,
    end: u64,
    replayed: Replayed,
}

impl Part {
    fn begin(
        path: &Path,
        header: &Header,
        intervals: &Intervals,
        chosen: Chosen,
        warm_up: usize,
    ) -> Result<Self, InputError> {
        let export = Export {
            format: Format::Fresco,
            thread: None,
            instructions_per_cycle: 1,
        };
        let interval = &intervals.all[chosen.interval];
        Ok(Self {
            path: path.to_owned(),
            writing: Writing::begin(path, &export, header)?,
            chosen,
            from: intervals.all[chosen.interval.saturating_sub(warm_up)].first_access,
            begin: interval.first_access,
            end: interval.first_access + interval.accesses,
            replayed: Replayed::default(),
        })
    }

    /// Access `number` of the thread.
    fn access(&mut self, number: u64, record: &Record) -> Result<(), InputError> {
        if !(self.from..self.end).contains(&number) {
            return Ok(());
        }
        let mut record = Record { thread: 0, ..*record };
        if number == self.from {
            self.mark(Marker::Begin)?;
        }
        if number == self.begin {
            self.replayed.begin();
            self.mark(Marker::Pass)?;
        }
        if let What::Access { addr, size, dep, .. } = &mut record.what {
            self.replayed.access(*addr, *size);
            if u64::from(*dep) > number - self.from {
                *dep = 0;
            }
        }
        self.writing.push(&record)
    }

    fn mark(&mut self, marker: Marker) -> Result<(), InputError> {
        self.writing.push(&Record {
            thread: 0,
            gap: 0,
            what: What::Mark(marker),
        })
    }

    /// The interval is over: a pass, after that of the warm-up.
    fn finish(mut self, intervals: &Intervals) -> Result<Sampled, InputError> {
        self.mark(Marker::Pass)?;
        let interval = intervals.all[self.chosen.interval];
        self.writing.finish("sample", &[])?;
        Ok(Sampled {
            file: self.path.display().to_string(),
            weight: self.chosen.weight,
            interval,
            replayed: self.replayed.misses,
        })
    }
}

/// Hands what the thread did to all parts; false if the user has asked for an end.
fn copy(path: &Path, thread: u16, parts: &mut [Part], stop: &Stop) -> Result<bool, InputError> {
    let mut trace = AnyTrace::open(path, Some(Format::Fresco))?;
    let mut reading = Reading::new(path);
    let (mut number, end) = (0, parts.iter().map(|part| part.end).max().unwrap_or(0));
    while number < end
        && let Some(record) = trace.next_record()?
    {
        if record.thread == thread && matches!(record.what, What::Access { .. }) {
            for part in parts.iter_mut() {
                part.access(number, &record)?;
            }
            number += 1;
        }
        if !reading.goes_on(&trace, stop) {
            return Ok(false);
        }
    }
    Ok(!stop.is_asked())
}
