// SPDX-License-Identifier: MIT OR Apache-2.0
//! The program `trace`: does again what a trace says, as often as asked.

use super::cpu::{CpuTrace, no_access};
use super::format::Format;
use super::ftrace::recorded::{Between, RecordedFile, RecordedThread};
use super::ftrace::{Addresses, MAX_THREADS};
use super::input::Input;
use super::survey::{Digest, Survey};
use crate::parameter::{Kind, Parameter};
use crate::registry::{Build, ProgramKind};
use crate::{Area, Batch, Event, Marker, Program};
use absent::{of_others, threads_in};
use fresco_input::InputError;
use start::Start;
use std::path::PathBuf;

/// Formats that can be replayed, as in [`TRACE`]'s parameter.
const FORMATS: [Option<Format>; 7] = [
    None,
    Some(Format::Fresco),
    Some(Format::RamulatorCpu),
    Some(Format::LoadStore),
    Some(Format::Lackey),
    Some(Format::ChampSim),
    Some(Format::DrMemtrace),
];

/// How often a trace is replayed.
pub(super) const PASSES: &[Parameter] = &[Parameter {
    name: "passes",
    kind: Kind::Count {
        min: 0,
        max: 1 << 32,
        default: 1,
    },
    doc: "how often the trace is replayed; 0: again and again without end",
}];

/// Entry in the table of programs.
pub(crate) static TRACE: ProgramKind = ProgramKind {
    name: "trace",
    doc: "replays a processor trace: Fresco's own, Ramulator's, load-store, lackey's, ChampSim's or drmemtrace's",
    parameters: &[
        &[
            Parameter {
                name: "file",
                kind: Kind::File,
                doc: "the trace, plain or compressed; a relative name starts from the directory of traces",
            },
            Parameter {
                name: "format",
                kind: Kind::Choice(&[
                    "auto",
                    "fresco",
                    "ramulator-cpu",
                    "load-store",
                    "lackey",
                    "champsim",
                    "drmemtrace",
                ]),
                doc: "its format; auto finds it out",
            },
            Parameter {
                name: "thread",
                kind: Kind::Count {
                    min: 0,
                    max: MAX_THREADS as u64 - 1,
                    default: 0,
                },
                doc: "the thread to replay, of a trace of several",
            },
            Parameter {
                name: "skip",
                kind: Kind::Count {
                    min: 0,
                    max: 1 << 40,
                    default: 0,
                },
                doc: "loads and stores that the first pass leaves out",
            },
        ],
        PASSES,
    ],
    build: Build::Program(|values, setting| {
        let path = setting.trace_dir.join(values.text("file"));
        let fault = |found: &str| values.error("file", format!("{}: {found}", path.display()));
        match std::fs::metadata(&path) {
            Ok(about) if about.is_file() => {}
            Ok(_) => {
                return Err(fault("is no regular file")
                    .allowed("a file: a trace is read once for its extent, and again for each pass")
                    .help("save it as a file first"));
            }
            Err(error) => return Err(fault(&error.to_string()).help("check the name and the directory of traces")),
        }
        let format = FORMATS[values.number("format") as usize];
        let mut replay = Replay::new(path, format, values.number("thread") as u16, values.number("passes"))?;
        let skip = values.number("skip");
        let all = replay.survey.digest.accesses;
        if skip >= all {
            let found = format!("found {skip}, and {} has {all} loads and stores", replay.path.display());
            return Err(values
                .error("skip", found)
                .allowed(format!("0 to {}", all - 1))
                .help("leave out less than all of it"));
        }
        replay.leave_out(skip);
        Ok(Box::new(replay))
    }),
};

/// What a pass reads.
enum Pass {
    /// A trace of version 2: only the thread's own part of the file.
    Recorded(Box<RecordedThread>),
    /// Any other.
    Events(CpuTrace),
}

/// The running replay. A pass is the whole trace.
///
/// A trace of Fresco's own format that marks its measured phase keeps its marks: begin in the first pass only, end in
/// the last only; without pass marks of its own a pass ends where it marks the end, or at its end. Any other trace is measured from its
/// first event, with a pass mark at its end.
pub(super) struct Replay {
    path: PathBuf,
    format: Option<Format>,
    thread: u16,
    survey: Survey,
    /// What its addresses are, if it says so.
    addresses: Option<Addresses>,
    /// Passes to make; 0 for ever.
    passes: u64,
    /// Passes made.
    done: u64,
    /// The pass that is being made, or, of a recorded trace, the one that is to be.
    trace: Option<Pass>,
    /// Whether the pass has begun.
    under_way: bool,
    /// What it has done so far.
    digest: Digest,
    /// Instructions before marks that were left out.
    gap: u32,
    /// What of the first pass is left out.
    start: Start,
    /// Whether the end of this pass is marked.
    passed: bool,
    ended: bool,
}

impl Replay {
    fn new(path: PathBuf, format: Option<Format>, thread: u16, passes: u64) -> Result<Self, InputError> {
        let name = path.display().to_string();
        let recorded = matches!(format, None | Some(Format::Fresco)) && RecordedFile::is(&path)?;
        let (survey, trace, addresses) = if recorded {
            let file = RecordedFile::open(&path)?;
            let threads = || file.trailer().threads.iter().map(|totals| totals.thread).collect();
            let totals = file.trailer().thread(thread);
            let totals = totals.ok_or_else(|| of_others(no_access(&name, thread), threads()))?;
            let survey = Survey::of_totals(totals, &[totals], &name)?;
            let thread = RecordedThread::new(file, thread, Between::Nothing);
            (survey, Some(thread), Some(Addresses::Virtual))
        } else {
            let trace = CpuTrace::new(Input::open(&path)?, format, thread)?;
            let addresses = trace.addresses();
            (Survey::of(trace, &name)?, None, addresses)
        };
        if survey.digest.accesses == 0 {
            return Err(of_others(no_access(&name, thread), threads_in(&path, format)));
        }
        Ok(Self {
            addresses,
            ..Self::of(path, format, thread, survey, passes, trace)
        })
    }

    /// One of the threads of a recorded program that are replayed together; they share the areas of `survey`.
    pub(super) fn member(path: PathBuf, file: RecordedFile, thread: u16, survey: Survey, passes: u64) -> Self {
        let trace = RecordedThread::new(file, thread, Between::Orders);
        Self::of(path, Some(Format::Fresco), thread, survey, passes, Some(trace))
    }

    fn of(
        path: PathBuf,
        format: Option<Format>,
        thread: u16,
        survey: Survey,
        passes: u64,
        trace: Option<RecordedThread>,
    ) -> Self {
        Self {
            path,
            format,
            thread,
            survey,
            addresses: Some(Addresses::Virtual),
            passes,
            done: 0,
            trace: trace.map(|thread| Pass::Recorded(Box::new(thread))),
            under_way: false,
            digest: Digest::NONE,
            gap: 0,
            start: Start::default(),
            passed: false,
            ended: false,
        }
    }

    /// Leaves out so many accesses of the first pass, fewer than there are. Whole chunks are not even read.
    fn leave_out(&mut self, accesses: u64) {
        let skipped = match &mut self.trace {
            Some(Pass::Recorded(thread)) => thread.skip(accesses),
            _ => 0,
        };
        self.start = Start::after(accesses, skipped);
    }

    fn over(&self) -> bool {
        self.passes > 0 && self.done == self.passes
    }

    /// Returns true if this pass is the last one.
    fn is_last(&self) -> bool {
        self.done + 1 == self.passes
    }

    /// Passes an event of the trace on, or leaves it out.
    fn deliver(&mut self, event: Event, out: &mut Batch) {
        match event {
            Event::Op(op) => {
                self.digest.add(&op);
                let Some(mut op) = self.start.keep(op) else {
                    self.gap = 0;
                    return;
                };
                op.gap = op.gap.saturating_add(std::mem::take(&mut self.gap));
                out.push(Event::Op(op));
            }
            Event::Order { order, gap } => {
                let gap = gap.saturating_add(std::mem::take(&mut self.gap));
                out.push(Event::Order { order, gap });
            }
            Event::Fetch { line, gap } => {
                let gap = gap.saturating_add(std::mem::take(&mut self.gap));
                out.push(Event::Fetch { line, gap });
            }
            Event::Mark { marker, gap } => {
                let mut gap = gap.saturating_add(std::mem::take(&mut self.gap));
                if marker == Marker::End && self.survey.begins {
                    self.gap = gap;
                    self.end_of_pass(out);
                    gap = std::mem::take(&mut self.gap);
                }
                let stays = match marker {
                    Marker::Begin => self.done == 0,
                    Marker::Pass => true,
                    Marker::End => self.is_last() && !self.ended,
                    // One thread is replayed alone: it waits for nobody.
                    Marker::Fork | Marker::Join => false,
                };
                if stays && self.survey.begins {
                    self.ended |= marker == Marker::End;
                    out.push(Event::Mark { marker, gap });
                } else {
                    self.gap = gap;
                }
            }
        }
    }

    /// Marks the end of a pass, unless the trace itself does or it is marked already.
    fn end_of_pass(&mut self, out: &mut Batch) {
        if !self.survey.has_passes && !self.passed {
            self.passed = true;
            out.push(Event::Mark {
                marker: Marker::Pass,
                gap: std::mem::take(&mut self.gap),
            });
        }
    }

    /// Appends events of a recorded thread until there are enough; false at its end. They pass unchanged: it has no marks, and the
    /// trace vouches for them.
    fn append(&mut self, thread: &mut RecordedThread, out: &mut Batch) -> Result<bool, InputError> {
        debug_assert!(!self.survey.begins && self.gap == 0);
        let before = out.events().len();
        let more = thread.fill(out)?;
        self.digest = Digest::counted(thread.accesses());
        self.start.filter(out.buffer(), before);
        Ok(more)
    }

    /// Ends a pass. A trace that has changed since it was surveyed is not what the footprint was computed for.
    fn finish_pass(&mut self, out: &mut Batch) -> Result<(), InputError> {
        if self.digest != self.survey.digest {
            let name = self.path.display().to_string();
            return Err(
                InputError::new(name, "has changed while it was being replayed").help("leave it alone meanwhile")
            );
        }
        self.end_of_pass(out);
        if self.is_last() && !self.ended {
            out.push(Event::Mark {
                marker: Marker::End,
                gap: std::mem::take(&mut self.gap),
            });
        }
        self.done = self.done.wrapping_add(1);
        (self.under_way, self.passed, self.digest, self.start) = (false, false, Digest::NONE, Start::default());
        Ok(())
    }
}

impl Program for Replay {
    fn name(&self) -> &str {
        TRACE.name
    }

    fn footprint(&self) -> Vec<Area> {
        self.survey.areas.clone()
    }

    fn addresses(&self) -> Option<Addresses> {
        self.addresses
    }

    fn next(&mut self, out: &mut Batch) -> Result<bool, InputError> {
        if self.over() {
            return Ok(false);
        }
        while !out.is_full() && !self.over() {
            if !self.under_way {
                self.under_way = true;
                if self.done == 0 && !self.survey.begins {
                    out.push(Event::Mark {
                        marker: Marker::Begin,
                        gap: 0,
                    });
                }
            }
            let mut trace = match self.trace.take() {
                Some(trace) => trace,
                None => Pass::Events(CpuTrace::new(Input::open(&self.path)?, self.format, self.thread)?),
            };
            let more = match &mut trace {
                Pass::Recorded(thread) => self.append(thread, out)?,
                Pass::Events(trace) => loop {
                    match trace.next()? {
                        Some(event) => self.deliver(event, out),
                        None => break false,
                    }
                    if out.is_full() {
                        break true;
                    }
                },
            };
            if more {
                self.trace = Some(trace);
            } else {
                self.finish_pass(out)?;
                // The trailer is not read again, and the file is the same whatever its name is given to meanwhile.
                self.trace = match trace {
                    Pass::Recorded(thread) => Some(Pass::Recorded(Box::new(thread.again(self.thread)))),
                    Pass::Events(_) => None,
                };
            }
        }
        Ok(true)
    }

    /// So far this pass has done no more than the survey found; whole passes are compared when they end.
    fn verify(&self) -> Result<(), String> {
        let (done, all) = (self.digest.accesses, self.survey.digest.accesses);
        if done <= all {
            Ok(())
        } else {
            Err(format!("{done} accesses in a pass of {all}"))
        }
    }
}

mod absent;
mod start;
#[cfg(test)]
mod tests;
