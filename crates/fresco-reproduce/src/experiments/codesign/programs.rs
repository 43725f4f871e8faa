// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the tasks of the mixes execute: models, or in their place recordings.
//!
//! Of several tasks with one recording, each begins at another place of it, the k-th of n after k/n of its loads and stores: on the two
//! cores and slice by slice they would else do the same at the same time, in frames that lie alike.
//!
//! A model misses from its first access on. A recorded program has to find its data in the caches first, so that nothing is counted for
//! two rounds of the banks. In each a task has a core for a quarter of 2 ms or more. A program that only misses has changed each of the 16,384 lines
//! of its core's cache within the first round; one that hardly misses makes some two million accesses in a round, and three million are
//! what fills the caches in the experiments of other systems. Whole rounds, for in each all tasks get the same slices. What is measured
//! is one round, as of models.

use super::super::refresh::{MODELS, Model, misses_alone, models};
use super::mixes;
use super::spec::{Scheme, Spec};
use super::{Made, OF_MODELS};
use crate::{Observer, World};
use fresco_input::{InputError, quoted};
use fresco_load::ProgramSpec;
use fresco_load::trace::ftrace::recorded::RecordedFile;
use fresco_report::claims::Row;
use fresco_system::experiment::Work;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Memory of a model at most, in millions of bytes: beside caches of 1 MB, more of it changes nothing but the time to set up.
const FOOTPRINT_MB: u64 = 64;
/// Rounds of the banks before anything is counted: caches are full then, and what was written comes out of them.
pub(super) const ROUNDS: u64 = 2;
/// Loads and stores of a recorded program alone: to fill the caches, and measured.
const ALONE: (u64, u64) = (3_000_000, 1_000_000);

/// What the tasks execute.
#[derive(Clone, Copy)]
pub enum Programs<'a> {
    /// The models of all programs.
    Models,
    /// Recordings, of the mixes that can be made of them.
    Recorded(&'a Recorded),
}

/// Recordings of programs of the mixes.
#[derive(Debug, Default)]
pub struct Recorded {
    /// By the names of the models.
    traces: BTreeMap<&'static str, Trace>,
    made: Mutex<Made>,
}

/// One of them.
#[derive(Clone, Debug)]
struct Trace {
    file: PathBuf,
    thread: u16,
    /// Loads and stores of the thread.
    accesses: u64,
}

impl Recorded {
    /// The programs that the mixes consist of, as recipes call them.
    pub fn wanted() -> impl Iterator<Item = &'static str> {
        MODELS.iter().map(|model| model.of)
    }

    /// In place of the program that recipes call `of`, this thread of a recording runs.
    ///
    /// # Errors
    /// The trace cannot be read, or lacks the thread.
    pub fn add(&mut self, of: &str, file: &Path, thread: u16) -> Result<(), InputError> {
        let recorded = RecordedFile::open(file)?;
        let totals = recorded.trailer().thread(thread);
        let accesses = totals.map_or(0, |totals| totals.counts.accesses());
        if accesses == 0 {
            return Err(
                InputError::new(file.display().to_string(), format!("has no access of thread {thread}"))
                    .help("record it again: fresco programs record --again"),
            );
        }
        for model in MODELS.iter().filter(|model| model.of == of) {
            let trace = Trace {
                file: file.to_owned(),
                thread,
                accesses,
            };
            self.traces.insert(model.program, trace);
        }
        Ok(())
    }

    /// Returns true if no mix can be made of them.
    pub fn is_empty(&self) -> bool {
        Programs::Recorded(self).workloads().is_empty()
    }

    /// What differs from the runs of models, as results tell it.
    pub fn set() -> Vec<String> {
        vec![
            format!("warm_up={{rounds={ROUNDS}}}"),
            "task.parameters.skip=k/n of the accesses, for the k-th of n tasks with one recording".to_owned(),
        ]
    }
}

impl Trace {
    /// Parameters of the program that replays it, the `copy`th of `copies`.
    fn parameters(&self, copy: u64, copies: u64) -> String {
        let Self { file, thread, accesses } = self;
        let file = quoted(&file.to_string_lossy());
        format!("file = {file}\nthread = {thread}\nskip = {}", accesses * copy / copies)
    }
}

impl Programs<'_> {
    /// Numbers of the mixes that can be made of them.
    pub(super) fn workloads(self) -> Vec<u32> {
        mixes::WORKLOADS.filter(|workload| self.has(*workload)).collect()
    }

    /// Returns true if this mix can be made of them.
    pub(super) fn has(self, workload: u32) -> bool {
        mixes::tasks(workload, 8).is_ok_and(|models| match self {
            Self::Models => true,
            Self::Recorded(recorded) => models.iter().all(|model| recorded.traces.contains_key(model.program)),
        })
    }

    /// Returns true if a run is made. Those of recordings take longer than those of models: only those are made of two cores, and at 16 and
    /// 24 Gb of schemes whose gain is published there.
    pub(super) fn takes(self, spec: &Spec) -> bool {
        let usual = [Scheme::NoRefresh, Scheme::AllBank, Scheme::PerBank, Scheme::CODESIGN];
        match self {
            Self::Models => true,
            Self::Recorded(_) => {
                spec.cores == 2 && spec.dimms == 1 && (spec.gbit == 32 || usual.contains(&spec.scheme))
            }
        }
    }

    /// Names of the tasks of a mix, and what they do.
    ///
    /// # Errors
    /// None in practice: parameters are sound.
    pub(super) fn tasks(self, workload: u32, count: usize) -> Result<Vec<(&'static str, Work)>, InputError> {
        let models = mixes::tasks(workload, count)?;
        let of = |number: usize| -> Result<(&'static str, Work), InputError> {
            let model = models[number];
            let copies = |tasks: &[&Model]| tasks.iter().filter(|other| other.program == model.program).count() as u64;
            let work = match self {
                Self::Models => {
                    let model = Model {
                        footprint_mb: model.footprint_mb.min(FOOTPRINT_MB),
                        ..*model
                    };
                    Work::program("random", &model.parameters())?
                }
                Self::Recorded(recorded) => {
                    let trace = recorded.traces.get(model.program);
                    let trace =
                        trace.ok_or_else(|| InputError::new("the mixes", format!("found no {}", model.program)))?;
                    let parameters = trace.parameters(copies(&models[..number]), copies(&models));
                    Work::Program {
                        program: ProgramSpec::parse("trace", &parameters)?,
                        trace_dir: PathBuf::new(),
                    }
                }
            };
            Ok((model.program, work))
        };
        (0..models.len()).map(of).collect()
    }
}

impl<'a> Programs<'a> {
    /// The runs that have been made of them.
    pub(super) fn made(self) -> &'a Mutex<Made> {
        match self {
            Self::Models => &OF_MODELS,
            Self::Recorded(recorded) => &recorded.made,
        }
    }
}

/// Each program alone: misses, and of models the footprint, which a part of an execution does not show.
///
/// # Errors
/// A trace is damaged.
pub fn alone(programs: Programs<'_>, world: World, observer: &dyn Observer) -> Result<Vec<Row>, InputError> {
    let Programs::Recorded(recorded) = programs else {
        return models(world.seed());
    };
    let steps = observer.begin("co-design, programs alone", recorded.traces.len() as u64);
    let of = |(program, trace): (&&str, &Trace)| {
        let misses = misses_alone("trace", &trace.parameters(0, 1), ALONE, world.seed())?;
        steps.step();
        Ok(Row::new().label("program", *program).value("mpki", misses))
    };
    recorded.traces.iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::super::outcomes;
    use super::super::spec::Banks;
    use super::*;
    use crate::Unobserved;
    use crate::testing::{LOADS, Stopped, THREAD, gallery};

    /// WL-2 is povray alone.
    fn povray() -> (Recorded, tempfile::TempDir) {
        let (gallery, directory) = gallery("povray");
        let mut recorded = Recorded::default();
        let file = gallery.trace_of(gallery.stand_in("453.povray").expect("there"));
        recorded.add("453.povray", &file, THREAD).expect("sound");
        (recorded, directory)
    }

    #[test]
    fn tasks_with_one_recording_begin_at_different_places_of_it() {
        let (recorded, _directory) = povray();
        let programs = Programs::Recorded(&recorded);
        let tasks = programs.tasks(2, 4).expect("recorded");
        let works: Vec<Work> = tasks
            .into_iter()
            .map(|(program, work)| {
                assert_eq!(program, "povray");
                work
            })
            .collect();
        let file = quoted(&recorded.traces["povray"].file.to_string_lossy());
        for (copy, work) in works.iter().enumerate() {
            let skip = LOADS * copy as u64 / 4;
            let parameters = format!("file = {file}\nthread = {THREAD}\nskip = {skip}");
            let program = ProgramSpec::parse("trace", &parameters).expect("sound");
            assert!(
                matches!(work, Work::Program { program: found, .. } if *found == program),
                "{work:?}"
            );
        }
        assert!(programs.tasks(4, 8).is_err(), "h264ref is not recorded");
        assert!(programs.has(2) && !programs.has(1) && !programs.has(4) && Programs::Models.has(9));
    }

    #[test]
    fn runs_are_counted_once_caches_are_warm() {
        let (recorded, _directory) = povray();
        let programs = Programs::Recorded(&recorded);
        let specs = [Scheme::AllBank, Scheme::CODESIGN].map(|scheme| Spec::usual(2, 32, scheme));
        let experiment = super::super::setup::experiment(&specs[1], programs, World::default()).expect("an experiment");
        // Two rounds of 2 ms, then one.
        assert_eq!(
            (experiment.count_from_ns, experiment.horizon_ns),
            (3_993_600, 5_990_400)
        );
        let made = outcomes(
            "test",
            programs,
            World::default(),
            &specs.into_iter().collect(),
            &Unobserved,
        )
        .expect("runs");
        let [all_bank, codesign] = specs.map(|spec| made[&spec]);
        // It only loads: nothing that one task leaves in the caches is written back while another one runs.
        assert!(
            all_bank.interfered > 500 && codesign.interfered == 0,
            "{all_bank:?} {codesign:?}"
        );
        assert!(
            all_bank.ipc < codesign.ipc && codesign.reads > 1000,
            "{all_bank:?} {codesign:?}"
        );
        let again = outcomes(
            "test",
            programs,
            World::default(),
            &specs.into_iter().collect(),
            &Stopped,
        )
        .expect("made already");
        assert_eq!(again.len(), 2);
        let more = [Spec::usual(2, 16, Scheme::AllBank)];
        let stopped = outcomes(
            "test",
            programs,
            World::default(),
            &more.into_iter().collect(),
            &Stopped,
        )
        .expect("stopped");
        assert!(stopped.is_empty());
    }

    #[test]
    fn fewer_runs_are_made_of_recordings() {
        let (recorded, _directory) = povray();
        let programs = Programs::Recorded(&recorded);
        let at = |gbit, scheme| Spec::usual(2, gbit, scheme);
        assert!(programs.takes(&at(32, Scheme::Adaptive)) && programs.takes(&at(16, Scheme::PerBank)));
        assert!(!programs.takes(&at(16, Scheme::OutOfOrder)));
        let four = Spec {
            cores: 4,
            banks: Banks::Hard,
            ..at(32, Scheme::CODESIGN)
        };
        assert!(!programs.takes(&four) && Programs::Models.takes(&four));
    }
}
