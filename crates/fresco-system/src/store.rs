// SPDX-License-Identifier: MIT OR Apache-2.0
//! Results of runs that were made before, so that what is the same is not run again.
//!
//! A run is what its experiment says, to the last field, and the files that it reads: this text is its key, whole, so that no two runs can
//! be taken for each other. Which program made it is for the store to know ([`Store`]).

use crate::RunSpec;
use crate::experiment::{Experiment, Work};
use crate::results::{Distribution, ReadRecorder, RunResult};
use fresco_load::trace::digest_of_file;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Keeps values by keys, for one version of the program: what another one would compute is none of its values.
pub trait Store: Sync {
    /// The value that was put there last under exactly this key; `None` if there is none (any more).
    fn get(&self, key: &str) -> Option<Vec<u8>>;

    /// Keeps a value. Where that fails it will be computed again, and nothing else is lost.
    fn put(&self, key: &str, value: &[u8]);
}

/// A store, and the digests of the files that runs read: each file is read once.
pub(crate) struct Kept<'s> {
    store: &'s dyn Store,
    digests: BTreeMap<PathBuf, String>,
}

/// A run as it is kept.
#[derive(Serialize, Deserialize)]
struct Stored {
    run: RunResult,
    /// By task.
    hidden: Vec<Hidden>,
}

/// What results do not show of a task: what they are summed up from.
#[derive(Serialize, Deserialize)]
struct Hidden {
    reads: ReadRecorder,
    responses: Option<Distribution>,
}

impl<'s> Kept<'s> {
    /// For runs that read these files. One that cannot be read is for the run to tell.
    pub fn new(store: &'s dyn Store, files: impl Iterator<Item = PathBuf>) -> Self {
        let digests = files.filter_map(|file| digest_of_file(&file).ok().map(|digest| (file, digest)));
        Self {
            store,
            digests: digests.collect(),
        }
    }

    /// The key of a run; `None` if it reads what is gone afterwards, or a file that cannot be read.
    pub fn key(&self, spec: &RunSpec, experiment: &Experiment) -> Option<String> {
        let mut files = Vec::new();
        for task in &experiment.tasks {
            match &task.work {
                Work::Program { program, trace_dir } => {
                    if let Some(file) = program.file() {
                        files.push(self.digests.get(&Path::new(trace_dir).join(file))?);
                    }
                }
                Work::Live(_) => return None,
                Work::Synthetic { .. } | Work::Registers => {}
            }
        }
        // The warm-up says which jobs count.
        Some(format!("run {experiment:?} {:?} {files:?}", spec.point.setup.warm_up))
    }

    /// The result of a run that was made before.
    pub fn get(&self, key: &str, spec: &RunSpec) -> Option<RunResult> {
        let stored: Stored = serde_json::from_slice(&self.store.get(key)?).ok()?;
        let mut run = RunResult {
            point: spec.point_number,
            repetition: spec.repetition,
            ..stored.run
        };
        for (task, hidden) in std::iter::zip(&mut run.tasks, stored.hidden) {
            task.recorder = hidden.reads;
            if let (Some(jobs), Some(responses)) = (&mut task.jobs, hidden.responses) {
                jobs.responses = responses;
            }
        }
        Some(run)
    }

    /// Keeps the result of a run.
    pub fn put(&self, key: &str, run: &RunResult) {
        let hidden = run.tasks.iter().map(|task| Hidden {
            reads: task.recorder.clone(),
            responses: task.jobs.as_ref().map(|jobs| jobs.responses.clone()),
        });
        let stored = Stored {
            run: run.clone(),
            hidden: hidden.collect(),
        };
        if let Ok(bytes) = serde_json::to_vec(&stored) {
            self.store.put(key, &bytes);
        }
    }
}
