// SPDX-License-Identifier: MIT OR Apache-2.0
//! Long work without the interpreter's lock, which Ctrl-C ends.

use crate::errors::{raised, wrong};
use crate::plan::Plan;
use crate::result::Result as Made;
use crate::scenario::Scenario;
use fresco_input::InputError;
use fresco_report::{InputFile, Provenance};
use fresco_show::inputs::{add_files, digest, machine_file};
use fresco_system::results::ScenarioResult;
use fresco_system::{Batch, planned};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// How often signals are looked for, and progress is told.
const LOOK: Duration = Duration::from_millis(50);

/// Does `work` on a thread of its own. This one tells `progress(done, total)` and looks for signals: an exception of either
/// sets the flag that `work` is given, at which it is to come back soon, and is raised then.
pub fn watched<T: Send>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    total: usize,
    done: &AtomicUsize,
    work: impl FnOnce(&AtomicBool) -> T + Send,
) -> PyResult<T> {
    let given_up = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let (tell, mut told) = mpsc::channel();
        let given_up = &given_up;
        scope.spawn(move || {
            // Nobody waits for it any more if this fails.
            let _ = tell.send(work(given_up));
        });
        let mut raised = None;
        loop {
            let told = &mut told;
            match py.detach(move || told.recv_timeout(LOOK)) {
                Ok(result) => return raised.map_or(Ok(result), Err),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    let error = InputError::new("fresco", "a run has ended without a result");
                    return Err(raised.unwrap_or_else(|| crate::errors::raised(error.internal())));
                }
            }
            if raised.is_none() {
                let now = done.load(Ordering::Relaxed);
                let looked = py.check_signals().and_then(|()| match progress {
                    Some(progress) => progress.call1((now, total)).map(drop),
                    None => Ok(()),
                });
                if let Err(error) = looked {
                    given_up.store(true, Ordering::Relaxed);
                    raised = Some(error);
                }
            }
        }
    })
}

/// Most threads, as of `fresco sim --threads`.
const MOST_THREADS: usize = 1024;

/// Refuses more threads than there may be.
pub fn check_threads(threads: usize) -> PyResult<usize> {
    match threads <= MOST_THREADS {
        true => Ok(threads),
        false => Err(wrong(format!(
            "threads: found {threads}\n  allowed: 0 to {MOST_THREADS}"
        ))),
    }
}

/// Runs a scenario: `threads` runs at the same time, one per processor if 0; that changes no result. With `timelines` who ran when is
/// recorded. `command` is what the provenance says was run.
#[pyfunction]
#[pyo3(signature = (scenario, command, threads=0, timelines=false, progress=None))]
pub fn simulate(
    py: Python<'_>,
    scenario: &Bound<'_, Scenario>,
    command: String,
    threads: usize,
    timelines: bool,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Made> {
    let asked = scenario.get();
    let threads = check_threads(threads)?;
    let mut what = asked.inner.clone();
    what.timelines = timelines;
    let done = AtomicUsize::new(0);
    let total = asked.inner.runs().len();
    let made = watched(py, progress.as_ref(), total, &done, |given_up| {
        let is_given_up = || given_up.load(Ordering::Relaxed);
        let batch = Batch {
            threads,
            beside: true,
            progress: &|now| done.store(now.done, Ordering::Relaxed),
            stop: &is_given_up,
            is_given_up: &is_given_up,
            store: None,
        };
        let result = batch.run(&what)?;
        let mut provenance = provenance(command, asked.inner.seed);
        provenance.scenario = Some(InputFile::new(&asked.called, digest(&asked.source.text)));
        add_files(&mut provenance, &asked.inner)?;
        Ok((result, provenance))
    })?;
    result(made, None)
}

/// Runs a plan, for `horizon_ns` if it is given, else until everything repeats, within limits.
#[pyfunction]
#[pyo3(signature = (plan, command, seed=1, horizon_ns=None, progress=None))]
pub fn simulate_plan(
    py: Python<'_>,
    plan: &Bound<'_, Plan>,
    command: String,
    seed: u64,
    horizon_ns: Option<u64>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Made> {
    let asked = plan.get();
    let run = planned::Run {
        horizon_ns,
        seed,
        ..planned::Run::default()
    };
    let made = watched(py, progress.as_ref(), 1, &AtomicUsize::new(0), |given_up| {
        let result = planned::simulate_unless(&asked.inner, &asked.machine, run, &|| given_up.load(Ordering::Relaxed))?;
        let mut provenance = provenance(command, seed);
        let machine = machine_file(&asked.machine, &asked.inner.machine.given);
        provenance.machine_files.push(machine);
        Ok((result, provenance))
    })?;
    result(made, Some(asked.inner.clone()))
}

/// Version, revision, command and seed.
pub fn provenance(command: impl Into<String>, seed: impl Into<Option<u64>>) -> Provenance {
    let mut provenance = Provenance::new(env!("CARGO_PKG_VERSION"), command, seed);
    provenance.revision = option_env!("FRESCO_REVISION").map(str::to_owned);
    provenance
}

/// What came of runs; none comes of those that were given up, for which there is an exception.
fn result(
    made: Result<(Option<ScenarioResult>, Provenance), InputError>,
    plan: Option<fresco_plan::Plan>,
) -> PyResult<Made> {
    match made.map_err(raised)? {
        (Some(result), provenance) => Ok(Made::new(result, plan, provenance)),
        (None, _) => Err(PyKeyboardInterrupt::new_err("stopped before a run was whole")),
    }
}
