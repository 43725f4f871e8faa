// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table of programs.

use crate::parameter::{Kind, Parameter, Values};
use crate::programs::{
    BANDWIDTH, BFS, BLACKSCHOLES, CG, CNT, COMPRESS, FFT, HISTOGRAM, IDLE, IS, KMEANS, LATENCY, LBM, LMS, MATMULT,
    MATMULT_PARALLEL, MODEL, RANDOM, ST, STREAM, STRIDES, STRIDES_PARALLEL, TRAFFIC,
};
use crate::trace::{LIVE, TRACE, TRACE_PARALLEL};
use crate::{Program, passes::Passes};
use fresco_input::{Document, InputError, Table};
use std::fmt;
use std::path::PathBuf;

/// What a program needs to know besides its parameters.
#[derive(Clone, Debug, Default)]
pub struct Setting {
    /// Seed of everything random; two tasks of a scenario get different ones.
    pub seed: u64,
    /// Directory from which relative names of trace files are taken; the working directory if empty.
    pub trace_dir: PathBuf,
}

/// A program that can be built.
pub struct ProgramKind {
    /// Name in a scenario.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub doc: &'static str,
    pub(crate) parameters: &'static [&'static [Parameter]],
    pub(crate) build: Build,
}

/// Builds a program from its parameters.
type BuildOne = fn(&Values, &Setting) -> Result<Box<dyn Program>, InputError>;

/// Builds a team of so many threads, thread 0 first.
type BuildTeam = fn(&Values, &Setting, u32) -> Result<Vec<Box<dyn Program>>, InputError>;

/// What a kind of program is, and how it is built.
pub(crate) enum Build {
    /// It computes, alone.
    Program(BuildOne),
    /// It computes with several threads on the same data.
    Team(BuildTeam),
    /// It draws accesses from published characteristics of another program.
    Model(BuildOne),
}

static PROGRAMS: &[&ProgramKind] = &[
    &STRIDES,
    &LATENCY,
    &BANDWIDTH,
    &STREAM,
    &TRAFFIC,
    &CNT,
    &COMPRESS,
    &LMS,
    &MATMULT,
    &ST,
    &IS,
    &RANDOM,
    &IDLE,
    &TRACE,
    &LIVE,
    &STRIDES_PARALLEL,
    &LBM,
    &CG,
    &BLACKSCHOLES,
    &KMEANS,
    &HISTOGRAM,
    &MATMULT_PARALLEL,
    &FFT,
    &BFS,
    &TRACE_PARALLEL,
    &MODEL,
];

/// All programs, in the order in which they are documented.
pub fn programs() -> &'static [&'static ProgramKind] {
    PROGRAMS
}

/// The program that the key `program` of a task names.
///
/// # Errors
/// No such key, no text, or no such program; the nearest name is given.
pub fn program_of(task: &Table<'_>) -> Result<&'static ProgramKind, InputError> {
    let choices: Vec<(&str, &'static ProgramKind)> = PROGRAMS.iter().map(|kind| (kind.name, *kind)).collect();
    task.choice("program", &choices)
}

impl ProgramKind {
    /// Its parameters, in the order in which they are documented.
    pub fn parameters(&self) -> impl Iterator<Item = &'static Parameter> + use<> {
        self.parameters.iter().copied().flatten()
    }

    /// Returns true if it can run as several threads, built by [`ProgramSpec::build`].
    pub fn is_team(&self) -> bool {
        matches!(self.build, Build::Team(_))
    }

    /// Returns true if it is a statistical model of another program, which computes nothing. Its results are labelled
    /// so.
    pub fn is_model(&self) -> bool {
        matches!(self.build, Build::Model(_))
    }

    /// Reads its parameters from `table`. Other keys are left to the caller, who ends the reading of the table with
    /// [`Table::finish`].
    ///
    /// # Errors
    /// A parameter that is missing, of the wrong kind or out of range.
    pub fn read(&'static self, table: &Table<'_>) -> Result<ProgramSpec, InputError> {
        Ok(ProgramSpec {
            kind: self,
            values: Values::read(self.parameters(), table)?,
        })
    }
}

impl fmt::Debug for ProgramKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for ProgramKind {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for ProgramKind {}

/// A program with its parameters, which are present and within their ranges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramSpec {
    kind: &'static ProgramKind,
    values: Values,
}

impl ProgramSpec {
    /// A program by its name, with parameters in TOML, `bytes = "16 MiB"`.
    ///
    /// # Errors
    /// No such program, an unknown key, and all that [`ProgramKind::read`] finds.
    pub fn parse(name: &str, parameters: &str) -> Result<Self, InputError> {
        let place = format!("parameters of {name}");
        let Some(kind) = PROGRAMS.iter().find(|kind| kind.name == name) else {
            let names: Vec<&str> = PROGRAMS.iter().map(|kind| kind.name).collect();
            return Err(InputError::new(place, "no such program")
                .allowed(names.join(", "))
                .help("choose one of these"));
        };
        let document = Document::parse(&place, parameters)?;
        let table = document.root();
        let spec = kind.read(&table)?;
        table.finish()?;
        Ok(spec)
    }

    /// What kind of program it is.
    pub fn kind(&self) -> &'static ProgramKind {
        self.kind
    }

    /// The same program, which goes over its data again and again if it counts its passes.
    #[must_use]
    pub fn endless(mut self) -> Self {
        self.values.set_number("passes", 0);
        self
    }

    /// The program that it is the statistical model of, if it is one.
    pub fn model_of(&self) -> Option<&'static str> {
        self.kind.is_model().then(|| crate::programs::model_of(&self.values))
    }

    /// The thread of a program that runs meanwhile, if this is what that stands for.
    pub fn live_thread(&self) -> Option<u16> {
        (self.kind == &LIVE).then(|| self.values.number("thread") as u16)
    }

    /// Returns true if it is known to store nothing, so that none of its lines is ever written back.
    pub fn only_reads(&self) -> bool {
        match self.kind.name {
            "latency" | "idle" => true,
            "random" => self.values.number("write_percent") == 0,
            // The choice "read", which is the first.
            "bandwidth" => self.values.number("access") == 0,
            _ => false,
        }
    }

    /// The file that it reads, if it reads one.
    pub fn file(&self) -> Option<&str> {
        let file = self.kind.parameters().find(|parameter| parameter.is_file())?;
        Some(self.values.text(file.name))
    }

    /// Builds one program for each of `threads` threads (1 to [`MOST_THREADS`]), thread 0, the master, first. All
    /// have the same footprint and share their data. At [`Marker::Fork`](crate::Marker::Fork) and
    /// [`Marker::Join`](crate::Marker::Join) a thread's batch ends; it is asked for more when all threads have come so
    /// far.
    ///
    /// # Errors
    /// A number of threads out of range; several threads of a program that is no team; a trace that cannot be read.
    pub fn build(&self, setting: &Setting, threads: u32) -> Result<Vec<Box<dyn Program>>, InputError> {
        let error = |allowed: String, help: &str| {
            let found = format!("found {threads} threads of the program {:?}", self.kind.name);
            Err(self.values.error_of_all(found).allowed(allowed).help(help))
        };
        match self.kind.build {
            _ if !(1..=MOST_THREADS).contains(&threads) => {
                error(format!("1 to {MOST_THREADS}"), "take as many as cores")
            }
            Build::Team(build) => build(&self.values, setting, threads),
            Build::Program(build) | Build::Model(build) if threads == 1 => Ok(vec![build(&self.values, setting)?]),
            _ => {
                let teams = PROGRAMS.iter().filter(|kind| kind.is_team()).map(|kind| kind.name);
                let teams: Vec<&str> = teams.collect();
                error(
                    format!("one thread; several of {}", teams.join(", ")),
                    "take one of these, or several tasks",
                )
            }
        }
    }
}

/// Threads of a team at most.
pub const MOST_THREADS: u32 = 64;

/// Builds a program of one thread by name from parameters in TOML, `bytes = "16 MiB"`.
///
/// # Errors
/// All that [`ProgramSpec::parse`] and [`ProgramSpec::build`] find.
pub fn build(name: &str, parameters: &str, setting: &Setting) -> Result<Box<dyn Program>, InputError> {
    let mut threads = ProgramSpec::parse(name, parameters)?.build(setting, 1)?;
    Ok(threads.pop().expect("as many as were asked for"))
}

/// The parameters of every program that goes over its data again and again.
pub(crate) const PASSES: &[Parameter] = &[
    Parameter {
        name: "warmup",
        kind: Kind::Count {
            min: 0,
            max: MOST_PASSES,
            default: 0,
        },
        doc: "passes before the measured ones",
    },
    Parameter {
        name: "passes",
        kind: Kind::Count {
            min: 0,
            max: MOST_PASSES,
            default: 1,
        },
        doc: "measured passes; 0: again and again without end",
    },
];

const MOST_PASSES: u64 = 1 << 32;

/// The passes that [`PASSES`] describe.
pub(crate) fn passes(values: &Values) -> Passes {
    Passes::new(values.number("warmup"), values.number("passes"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::run;

    /// Parameters that make each program short.
    const SHORT: &[(&str, &str)] = &[
        ("strides", "bytes = '1 MiB'\nwrites = 5000\npasses = 2"),
        ("latency", "bytes = '64 KiB'\nwarmup = 1"),
        ("bandwidth", "access = 'write'\nbytes = '1 MiB'\nstride = 128"),
        ("stream", "kernel = 'scale'\nelements = 3000\npasses = 2"),
        ("cnt", "n = 30"),
        ("compress", "bytes = '3000 B'\nbits = 9\npasses = 2"),
        ("lms", "samples = 100\ntaps = 5"),
        ("matmult", "n = 10\nblock = 4"),
        ("st", "elements = 1000"),
        ("is", "passes = 1"),
        ("random", "accesses = 10000\nbytes = '1 GiB'"),
        ("idle", "passes = 7"),
        ("model", "of = '447.dealII'\naccesses = 5000"),
        ("histogram", "elements = 3000\nbins = 10"),
    ];

    #[test]
    fn every_program_runs_verifies_and_repeats_from_its_seed() {
        for (name, parameters) in SHORT {
            let once = || {
                let program = build(
                    name,
                    parameters,
                    &Setting {
                        seed: 42,
                        ..Setting::default()
                    },
                )
                .expect("is built");
                assert_eq!(program.name(), *name);
                run(program)
            };
            let (first, second) = (once(), once());
            assert_eq!((first.marks().0, first.marks().2), (1, 1), "{name}");
            assert!(first.marks().1 > 0 && first.events == second.events, "{name}");
        }
    }

    #[test]
    fn what_only_reads_stores_nothing() {
        let all = [
            ("latency", "bytes = '64 KiB'\nwarmup = 1", true),
            ("bandwidth", "access = 'read'\nbytes = '1 MiB'", true),
            ("bandwidth", "access = 'write'\nbytes = '1 MiB'", false),
            ("random", "accesses = 10000\nbytes = '1 MiB'", true),
            ("random", "accesses = 10000\nbytes = '1 MiB'\nwrite_percent = 1", false),
            ("idle", "passes = 7", true),
        ];
        for (name, parameters, only_reads) in all {
            assert_eq!(
                ProgramSpec::parse(name, parameters).expect("a program").only_reads(),
                only_reads
            );
            let program = build(name, parameters, &Setting::default()).expect("is built");
            let stores = |event: &crate::Event| matches!(event, crate::Event::Op(op) if op.write);
            assert_eq!(
                !run(program).events.iter().any(stores),
                only_reads,
                "{name} {parameters}"
            );
        }
    }

    #[test]
    fn defaults_lie_within_their_ranges() {
        for kind in programs() {
            let names: Vec<&str> = kind.parameters().map(|parameter| parameter.name).collect();
            assert!(
                (1..names.len()).all(|i| !names[..i].contains(&names[i])),
                "{}: {names:?}",
                kind.name
            );
            for parameter in kind.parameters() {
                if let Kind::Size { min, max, default, .. } | Kind::Count { min, max, default } = parameter.kind {
                    assert!((min..=max).contains(&default), "{}.{}", kind.name, parameter.name);
                }
            }
        }
        assert!(build("idle", "", &Setting::default()).is_ok());
    }

    #[test]
    fn faults_name_field_range_and_cure() {
        let fault = |name, parameters| {
            build(name, parameters, &Setting::default())
                .err()
                .expect("a fault")
                .to_string()
        };
        assert_eq!(
            fault("strides", "step = 100"),
            "parameters of strides:1: step: found 100 B\n  allowed: 64 B to 1 MiB, a multiple of 64 B\n  help: write 64 B"
        );
        assert!(fault("latency", "\nbytes = '2 GiB'").starts_with("parameters of latency:2: bytes: found the text"));
        assert!(fault("stream", "kernel = 'tirad'").contains("did you mean \"triad\"?"));
        assert!(fault("stream", "elments = 5").contains("did you mean \"elements\"?"));
        assert!(fault("lbm", "init = 'paralel'").contains("did you mean \"parallel\"?"));
        assert!(fault("cg", "serial = 101").contains("allowed: an integer from 0 to 100"));
        assert!(fault("model", "of = '470.lmb'").contains("did you mean \"470.lbm\"?"));
        assert!(fault("lantency", "").contains("allowed: strides, latency"));
        assert!(fault("random", "write_percent = 101").contains("allowed: an integer from 0 to 100"));
    }
}
