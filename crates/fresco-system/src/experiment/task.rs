// SPDX-License-Identifier: MIT OR Apache-2.0
//! The tasks of an experiment.

use super::{Experiment, Paging};
use crate::Role;
use fresco_dram::Ps;
use fresco_frames::{Coloring, TaskMemory};
use fresco_input::InputError;
use fresco_load::{Program, ProgramSpec, Setting};
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// A task: when its jobs come, what they do, and in which memory.
#[derive(Clone, Debug)]
pub struct TaskSpec {
    /// Unique name.
    pub name: String,
    /// Measured, or in the background; only the measured phases of measured tasks end a run of [`super::Phases`].
    pub role: Role,
    /// When its jobs come.
    pub timing: Timing,
    /// The core it is pinned to; a table decides by itself.
    pub core: u32,
    /// What a job does.
    pub work: Work,
    /// Its memories, one or more. All have the same contents but for the data that change.
    pub instances: Vec<Instance>,
    /// Job `k` uses the instance at place `k` modulo the length; empty: the first one. A table decides by itself.
    pub instance_of_job: Vec<usize>,
    /// Bytes at the start of its memory that a job hands to the next: a job on another instance than the one before begins
    /// by copying them (CR-10). 0 if jobs are independent.
    pub global_bytes: u64,
    /// When its pages get their frames.
    pub paging: Paging,
    /// The number of the program of several threads that it is a thread of. The threads of one program follow each other, the
    /// master first; they share one memory and have the same work.
    pub team: Option<usize>,
    /// How long after the others a task without a period begins, in picoseconds.
    pub start: Ps,
    /// Cycles in a thousand instructions for which its core does nothing; `None` for those of its program
    /// ([`fresco_load::Program::stalls`]).
    pub stalls: Option<u32>,
    /// Ways of the last-level cache that its lines come into, bit n for way n; `None` for all.
    pub ways: Option<u128>,
    /// By how much earlier than they are due its jobs are ordered, in nanoseconds, up to a change of mode: virtual deadlines.
    pub earlier_ns: u64,
    /// Where it is described, for errors.
    pub place: Option<InputError>,
}

/// When the jobs of a task come.
#[derive(Clone, Debug)]
pub enum Timing {
    /// Every period, each with a deadline; times in nanoseconds.
    Periodic(fresco_rt::Task),
    /// One job from time 0 or its start on that never ends: a task that computes as long as it gets the processor.
    Batch,
}

/// What a job does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Work {
    /// One pass of a program of [`fresco_load::programs`].
    Program {
        /// Its name.
        program: ProgramSpec,
        /// Directory of its trace, if it replays one.
        trace_dir: PathBuf,
    },
    /// Accesses to random lines, [`Work::GAP`] instructions apart: so many that a job on the idle machine, alone, with cold private caches, without refresh,
    /// takes at most the WCET less [`Experiment::margin_permille`]. The engine finds their number by running such a job.
    Synthetic {
        /// Memory it accesses.
        bytes: u64,
        /// Stores among a hundred accesses.
        write_percent: u32,
    },
    /// Instructions without memory access, for exactly the WCET.
    Registers,
    /// What a program does that runs meanwhile; one pass.
    Live(Once),
}

/// A program that can be had once.
#[derive(Clone)]
pub struct Once(Arc<Mutex<Option<Box<dyn Program>>>>);

impl Once {
    /// This one.
    pub fn new(program: Box<dyn Program>) -> Self {
        Self(Arc::new(Mutex::new(Some(program))))
    }

    fn take(&self) -> Option<Box<dyn Program>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl fmt::Debug for Once {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Once")
    }
}

impl PartialEq for Once {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Once {}

/// A memory of a task.
#[derive(Clone, Debug)]
pub struct Instance {
    /// Its color as the schedule counts colors.
    pub color: usize,
    /// Which page frames it gets.
    pub coloring: Coloring,
    /// What else it asks of the allocator; the colors are those of `coloring` all the same. `None`: memory of the node
    /// of its core first, without limit.
    pub memory: Option<TaskMemory>,
}

impl Work {
    /// Instructions without memory access before each access of synthetic work: the usual rate of programs that miss their
    /// caches often, a few misses per thousand instructions.
    pub const GAP: u32 = 200;

    /// The name of its program; `synthetic`, `registers` or `live` where it is none of them.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Program { program, .. } => program.kind().name,
            Self::Synthetic { .. } => "synthetic",
            Self::Registers => "registers",
            Self::Live(_) => "live",
        }
    }

    /// A program by its name, with parameters in TOML, that reads no trace.
    ///
    /// # Errors
    /// As [`ProgramSpec::parse`].
    pub fn program(name: &str, parameters: &str) -> Result<Self, InputError> {
        Ok(Self::Program {
            program: ProgramSpec::parse(name, parameters)?,
            trace_dir: PathBuf::new(),
        })
    }
}

impl Timing {
    /// Times of a periodic task, in nanoseconds.
    pub fn periodic(&self) -> Option<&fresco_rt::Task> {
        match self {
            Self::Periodic(task) => Some(task),
            Self::Batch => None,
        }
    }

    /// WCET in nanoseconds, if there is one.
    pub fn wcet(&self) -> Option<u64> {
        self.periodic().map(|task| task.wcet)
    }
}

impl Instance {
    /// A memory of a color of the schedule, on the node of its core first, without limit.
    pub fn new(color: usize, coloring: Coloring) -> Self {
        Self {
            color,
            coloring,
            memory: None,
        }
    }
}

impl TaskSpec {
    /// A task with one memory, all of it mapped when the task starts, whose jobs hand nothing on.
    pub fn new(name: impl Into<String>, core: u32, timing: Timing, work: Work, instance: Instance) -> Self {
        Self {
            name: name.into(),
            role: Role::Measured,
            timing,
            core,
            work,
            instances: vec![instance],
            instance_of_job: Vec::new(),
            global_bytes: 0,
            paging: Paging::AtStart,
            team: None,
            start: 0,
            stalls: None,
            ways: None,
            earlier_ns: 0,
            place: None,
        }
    }

    /// The instance of job `k`, where no table decides.
    pub fn instance_of(&self, job: u64) -> usize {
        match self.instance_of_job.len() as u64 {
            0 => 0,
            length => self.instance_of_job[(job % length) as usize],
        }
    }

    /// Its program, one for each of so many threads; `operations` are those of a synthetic job.
    pub(crate) fn programs(
        &self,
        experiment: &Experiment,
        operations: u64,
        seed: u64,
        threads: u32,
    ) -> Result<Vec<Box<dyn Program>>, InputError> {
        let built = |program: ProgramSpec, trace_dir: &PathBuf| {
            let setting = Setting {
                seed,
                trace_dir: trace_dir.clone(),
            };
            program.endless().build(&setting, threads)
        };
        let internal = |name: &str, parameters: &str| built(ProgramSpec::parse(name, parameters)?, &PathBuf::new());
        match &self.work {
            Work::Program { program, trace_dir } => built(program.clone(), trace_dir),
            Work::Synthetic { bytes, write_percent } => {
                let parameters = format!(
                    "bytes = '{bytes} B'\naccesses = {operations}\nwrite_percent = {write_percent}\ngap = {}",
                    Work::GAP
                );
                internal("random", &parameters)
            }
            Work::Registers => {
                let core = &experiment.machine.core;
                let per_us = u64::from(core.mhz) * u64::from(core.issue_width);
                let instructions = self.timing.wcet().unwrap_or(1_000_000).saturating_mul(per_us) / 1000;
                internal("idle", &format!("instructions = {instructions}"))
            }
            Work::Live(once) => once.take().map(|program| vec![program]).ok_or_else(|| {
                let found = format!("found task {:?} a second time", self.name);
                experiment
                    .error(found)
                    .allowed("a program that runs meanwhile once")
                    .internal()
            }),
        }
    }

    pub(crate) fn check(&self, experiment: &Experiment, number: usize) -> Result<(), InputError> {
        let error = |found: String| experiment.error(format!("found task {:?} {found}", self.name));
        if experiment.tasks[..number].iter().any(|other| other.name == self.name) {
            return Err(error("twice".to_owned())
                .allowed("each name once")
                .help("rename one of the two"));
        }
        if self.core >= experiment.machine.cores {
            return Err(error(format!("on core {}", self.core))
                .allowed(format!("cores 0 to {}", experiment.machine.cores - 1))
                .help("plan for the machine that it is run on"));
        }
        if self.instances.is_empty() {
            return Err(error("without memory".to_owned())
                .allowed("one instance or more")
                .help("give it an instance"));
        }
        let most = self.instances.len();
        if let Some(instance) = self.instance_of_job.iter().find(|instance| **instance >= most) {
            return Err(error(format!("with a job on instance {instance}"))
                .allowed(format!("instances 0 to {}", most - 1))
                .help("number the instances from 0"));
        }
        if let Some(team) = self.team {
            let before = experiment.tasks[..number]
                .iter()
                .rposition(|other| other.team == Some(team));
            let same = before.is_none_or(|before| before + 1 == number && experiment.tasks[before].work == self.work);
            if !same || most > 1 || !matches!(self.work, Work::Program { .. }) {
                return Err(error("as a thread of a program that is none".to_owned())
                    .allowed("threads one after the other, with the same program and one memory")
                    .help("give each program of several threads a number of its own"));
            }
        }
        let latest = self.timing.periodic().map_or(0, |timing| timing.deadline - 1);
        if self.earlier_ns > latest {
            return Err(
                error(format!("ordered by {} ns earlier than it is due", self.earlier_ns))
                    .allowed(format!("up to {latest} ns"))
                    .help("give it a virtual deadline after its release"),
            );
        }
        if self.timing.wcet().is_none() && matches!(self.work, Work::Synthetic { .. }) {
            return Err(error("with work for a WCET, and no WCET".to_owned())
                .allowed("a program for a batch task")
                .help("use the program random"));
        }
        Ok(())
    }
}
