// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco trace merge`: several traces as threads of one.

use super::writing::{Reading, Writing};
use crate::failure::{Outcome, tell};
use crate::outputs::Outputs;
use crate::stop::Stop;
use fresco_input::{InputError, file_name};
use fresco_load::trace::ftrace::{Header, MAX_THREADS, Record, Unit, What};
use fresco_load::trace::{AnyTrace, Export, Format, Lost};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Arguments of `fresco trace merge`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The first thread of each trace gets the trace's place on the command line, from 0 on; further threads the numbers after that. They stand in
the file by the instructions that they have done; requests with times, by these. parameters.thread of the program `trace` chooses the thread that
is replayed.

Example:
  fresco trace merge a.ftrace b.champsim.xz -o both.ftrace")]
pub struct Args {
    /// Two traces or more, of any format, plain or compressed
    #[arg(value_name = "FILE", required = true, num_args = 2..)]
    files: Vec<PathBuf>,

    /// Write the trace here, in Fresco's own format; a file that is there is replaced once the new one is whole
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

/// One of the traces, and how far it is.
struct Input<'a> {
    path: &'a Path,
    trace: AnyTrace,
    /// Its next record.
    next: Option<Record>,
    /// Instructions of each of its threads; cycles, as those of thread 0.
    done: BTreeMap<u16, u64>,
    unit: Unit,
}

impl<'a> Input<'a> {
    fn open(path: &'a Path) -> Result<Self, InputError> {
        let mut trace = AnyTrace::open(path, None)?;
        trace.format().check_whole(&file_name(path))?;
        let next = trace.next_record()?;
        Ok(Self {
            path,
            unit: trace.header().unit,
            trace,
            next,
            done: BTreeMap::new(),
        })
    }

    fn key(&self, record: &Record) -> u16 {
        match self.unit {
            Unit::Instructions => record.thread,
            Unit::Cycles => 0,
        }
    }

    /// When its next record happens.
    fn time(&self) -> Option<u64> {
        let record = self.next.as_ref()?;
        let done = self.done.get(&self.key(record)).copied().unwrap_or(0);
        Some(done.saturating_add(record.gap))
    }

    /// Takes the next record.
    fn take(&mut self) -> Result<Option<Record>, InputError> {
        let (Some(record), Some(time)) = (self.next, self.time()) else {
            return Ok(None);
        };
        let access = self.unit == Unit::Instructions && matches!(record.what, What::Access { .. });
        self.done
            .insert(self.key(&record), time.saturating_add(u64::from(access)));
        self.next = self.trace.next_record()?;
        Ok(Some(record))
    }
}

/// Merges them.
pub fn run(args: &Args) -> Outcome {
    let paths: Vec<&Path> = args.files.iter().map(PathBuf::as_path).collect();
    Outputs::new()
        .file("--output", Some(&args.output))
        .check(false, &paths)?;
    let mut inputs = paths
        .iter()
        .map(|path| Input::open(path))
        .collect::<Result<Vec<_>, _>>()?;
    let unit = inputs[0].unit;
    if let Some(other) = inputs.iter().find(|input| input.unit != unit) {
        return Err(InputError::new(
            file_name(other.path),
            format!(
                "counts {}, and {} {}",
                name(other.unit),
                file_name(paths[0]),
                name(unit)
            ),
        )
        .allowed("traces that all count instructions, or all cycles")
        .help("merge traces of one kind")
        .into());
    }
    let addresses = inputs[0].trace.header().addresses;
    let differs = |input: &&Input<'_>| unit == Unit::Instructions && input.trace.header().addresses != addresses;
    if let Some(other) = inputs.iter().find(differs) {
        let (first, kind) = (file_name(paths[0]), other.trace.header().addresses.name());
        let found = format!("has {kind} addresses, and {first} {} ones", addresses.name());
        return Err(InputError::new(file_name(other.path), found)
            .allowed("traces whose addresses are all virtual, or all physical")
            .help("merge traces of one kind")
            .into());
    }
    let header = Header {
        program: "merged".to_owned(),
        tool: concat!("fresco ", env!("CARGO_PKG_VERSION")).to_owned(),
        unit,
        addresses,
        ..Header::default()
    };
    let export = Export {
        format: Format::Fresco,
        thread: None,
        instructions_per_cycle: 1,
    };
    let stop = Stop::on_any_end();
    let mut writing = Writing::begin(&args.output, &export, &header)?;
    // The first thread of each trace has the number of the trace; others follow as they appear.
    let first = inputs.iter().enumerate();
    let mut threads: BTreeMap<(usize, u16), u16> = first
        .map(|(number, input)| ((number, input.next.map_or(0, |record| record.thread)), number as u16))
        .collect();
    let mut reading = Reading::new(Path::new(""));
    let mut before = 0;
    // At equal times the trace that was named first comes first.
    while let Some((_, number)) = earliest(&inputs) {
        let input = &mut inputs[number];
        let time = input.time().unwrap_or(0);
        let Some(mut record) = input.take()? else { break };
        let next = threads.len();
        record.thread = match threads.get(&(number, record.thread)) {
            Some(thread) => *thread,
            None if next < usize::from(MAX_THREADS) => {
                threads.insert((number, record.thread), next as u16);
                next as u16
            }
            None => {
                return Err(input
                    .trace
                    .error_here(format!("a thread beyond the {MAX_THREADS} of a trace"))
                    .allowed(format!("{MAX_THREADS} threads in all traces together"))
                    .help("merge fewer traces")
                    .into());
            }
        };
        if unit == Unit::Cycles {
            record.gap = time - before;
            before = time;
        }
        writing.push(&record)?;
        if !reading.goes_on(&input.trace, &stop) {
            return Ok(writing.stopped());
        }
    }
    if stop.is_asked() {
        return Ok(writing.stopped());
    }
    drop(reading);
    let mut lost: Vec<Lost> = Vec::new();
    for part in inputs.iter().flat_map(|input| input.trace.lost()) {
        match lost.iter_mut().find(|lost| lost.what == part.what) {
            Some(lost) => lost.count += part.count,
            None => lost.push(part),
        }
    }
    writing.finish("merge", &lost)?;
    let mut named: Vec<_> = threads.iter().collect();
    named.sort_by_key(|(_, to)| **to);
    for ((number, from), to) in named {
        tell(&format!(
            "fresco trace merge: thread {to}: thread {from} of {}",
            file_name(paths[*number])
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// The trace whose next record comes first, and when.
fn earliest(inputs: &[Input]) -> Option<(u64, usize)> {
    let times = inputs.iter().enumerate();
    times.filter_map(|(number, input)| Some((input.time()?, number))).min()
}

fn name(unit: Unit) -> &'static str {
    match unit {
        Unit::Instructions => "instructions",
        Unit::Cycles => "cycles",
    }
}
