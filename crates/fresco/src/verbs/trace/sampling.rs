// SPDX-License-Identifier: MIT OR Apache-2.0
//! Intervals of a recorded program that stand for all of it: chosen and written.

use super::sampled::{Sample, Sampled};
use super::words::grouped;
use super::writing::{Reading, Writing, no_access};
use crate::arguments::count;
use crate::failure::tell;
use crate::outputs::Outputs;
use crate::progress;
use crate::stop::Stop;
use fresco_input::InputError;
use fresco_load::Marker;
use fresco_load::trace::ftrace::recorded::RecordedFile;
use fresco_load::trace::ftrace::{Header, Record, What};
use fresco_load::trace::{AnyTrace, Chosen, Export, Format, Intervals, Replayed, shortened};
use indicatif::ProgressBar;
use std::path::{Path, PathBuf};

/// Intervals at most: each is a file.
const MOST: usize = 1000;

/// How many intervals, and of how many instructions each: the value of `--sample`.
///
/// # Errors
/// It is none.
pub fn intervals(word: &str) -> Result<(usize, u64), InputError> {
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

/// The name of interval `number`, from 1 on, of those that `path` names.
pub fn name(path: &Path, number: usize) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.strip_suffix(".ftrace").unwrap_or(&name);
    path.with_file_name(format!("{stem}-{number}.ftrace"))
}

/// How a recording is sampled.
pub struct Sampling {
    /// Who tells of it, on standard error.
    pub who: &'static str,
    /// So many at most, of so many instructions each.
    pub intervals: (usize, u64),
    /// Intervals before each, in which caches fill.
    pub warm_up: u32,
    /// Of this thread; if omitted, the first that does anything.
    pub thread: Option<u16>,
    /// Faults alone are told.
    pub quiet: bool,
}

impl Sampling {
    /// Chooses intervals of the recording in `path`, which is `shown` to the user, and writes them as the parts of `output`; `None`, and
    /// nothing is written, if the user has asked for an end.
    ///
    /// # Errors
    /// The recording is none, is damaged or has no such thread; a part cannot be written.
    pub fn run(&self, path: &Path, shown: &str, output: &Path, stop: &Stop) -> Result<Option<Sample>, InputError> {
        let (most, length) = self.intervals;
        if !RecordedFile::is(path)? {
            return Err(InputError::new(shown, "does not say which blocks of instructions run")
                .allowed("a trace of version 2, which fresco record writes")
                .help("take a part with fresco trace cut"));
        }
        let mut file = RecordedFile::open(path)?;
        let thread = self.thread_of(&file, shown)?;
        let totals = file
            .trailer()
            .thread(thread)
            .map(|totals| totals.counts)
            .unwrap_or_default();
        let bar = match self.quiet {
            true => ProgressBar::hidden(),
            false => progress::bar(totals.instructions, "instructions"),
        };
        let intervals = Intervals::of(&mut file, thread, length, || {
            bar.inc(length);
            !stop.is_asked()
        })?;
        bar.finish_and_clear();
        if stop.is_asked() {
            return Ok(None);
        }
        let chosen = intervals.choose(most);
        let paths: Vec<PathBuf> = (1..=chosen.len()).map(|number| name(output, number)).collect();
        let mut outputs = Outputs::new();
        for part in &paths {
            outputs = outputs.file("--output", Some(part));
        }
        outputs.check(false, &[path])?;
        let mut parts = Vec::new();
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
            parts.push(Part::begin(path, &header, &intervals, *chosen, self.warm_up as usize)?);
        }
        if !copy(path, thread, &mut parts, self.quiet, stop)? {
            return Ok(None);
        }
        let who = (!self.quiet).then_some(self.who);
        let parts = parts.into_iter().map(|part| part.finish(&intervals, who));
        let parts = parts.collect::<Result<Vec<_>, _>>()?;
        if totals.fetches > 0 && !self.quiet {
            let fetches = grouped(totals.fetches);
            tell(&format!(
                "{}: no part holds its share of the {fetches} instruction fetches",
                self.who
            ));
        }
        Ok(Some(Sample::new(shown.to_owned(), thread, &intervals, parts)))
    }

    /// The thread that is sampled.
    fn thread_of(&self, file: &RecordedFile, shown: &str) -> Result<u16, InputError> {
        let threads = file.trailer().threads.iter().filter(|totals| totals.counts.runs > 0);
        let threads: Vec<u16> = threads.map(|totals| totals.thread).collect();
        let thread = self.thread.or(threads.first().copied()).unwrap_or(0);
        if !threads.contains(&thread) {
            return Err(no_access(Path::new(shown), thread));
        }
        if threads.len() > 1 && self.thread.is_none() && !self.quiet {
            tell(&format!(
                "{}: of {} threads, {thread} is taken: --thread",
                self.who,
                threads.len()
            ));
        }
        Ok(thread)
    }
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
    fn finish(mut self, intervals: &Intervals, who: Option<&str>) -> Result<Sampled, InputError> {
        self.mark(Marker::Pass)?;
        let interval = intervals.all[self.chosen.interval];
        self.writing.finish_as(who, &[])?;
        Ok(Sampled {
            file: self.path.display().to_string(),
            weight: self.chosen.weight,
            interval,
            replayed: self.replayed.misses,
        })
    }
}

/// Hands what the thread did to all parts; false if the user has asked for an end.
fn copy(path: &Path, thread: u16, parts: &mut [Part], quiet: bool, stop: &Stop) -> Result<bool, InputError> {
    let mut trace = AnyTrace::open(path, Some(Format::Fresco))?;
    let mut reading = match quiet {
        true => Reading::unseen(),
        false => Reading::new(path),
    };
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
