// SPDX-License-Identifier: MIT OR Apache-2.0
//! Long work without the interpreter's lock, which Ctrl-C ends.

use crate::arguments::Whole;
use crate::errors::raised;
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
const MOST_THREADS: u32 = 1024;

/// Refuses more threads than there may be.
pub fn threads(given: Whole) -> PyResult<usize> {
    Ok(given.narrow("threads", 0..=MOST_THREADS)? as usize)
}

/// Runs a scenario: `threads` runs at the same time, one per processor if 0; that changes no result. With `timelines` who ran when is
/// recorded. `command` is what the provenance says was run.
#[pyfunction]
#[pyo3(
    signature = (scenario, command, threads=Whole::Fits(0), timelines=false, progress=None),
    text_signature = "(scenario, command, threads=0, timelines=False, progress=None)"
)]
pub fn simulate(
    py: Python<'_>,
    scenario: &Bound<'_, Scenario>,
    command: String,
    threads: Whole,
    timelines: bool,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Made> {
    let asked = scenario.get();
    let threads = self::threads(threads)?;
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

/// Runs a plan, for `horizon_ns` if it is given, else until everything repeats, within limits; the others are those of sim().
#[pyfunction]
#[pyo3(
    signature = (plan, command, seed=Whole::Fits(1), horizon_ns=None, from_switch_on=false, mode_change_ns=None, progress=None),
    text_signature = "(plan, command, seed=1, horizon_ns=None, from_switch_on=False, mode_change_ns=None, progress=None)"
)]
#[expect(clippy::too_many_arguments, reason = "keywords in Python")]
pub fn simulate_plan(
    py: Python<'_>,
    plan: &Bound<'_, Plan>,
    command: String,
    seed: Whole,
    horizon_ns: Option<Whole>,
    from_switch_on: bool,
    mode_change_ns: Option<Whole>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Made> {
    let asked = plan.get();
    let seed = u64::from(seed.narrow("seed", 0..=u32::MAX)?);
    let time = |name: &str, given: Option<Whole>| given.map(|ns| ns.within(name, 0..=u64::MAX)).transpose();
    let mode_change_ns = time("mode_change_ns", mode_change_ns)?;
    let mut run = planned::Run {
        horizon_ns: time("horizon_ns", horizon_ns)?,
        seed,
        from_switch_on,
        mode_change_ns,
        ..planned::Run::default()
    };
    if let Some(at) = mode_change_ns {
        // What is recorded shows a retention time of high mode, too.
        let begins = planned::high_mode_begins(&asked.inner, at).map_err(raised)?;
        run.record_ns = run
            .record_ns
            .max(begins.saturating_add(asked.inner.memory.retention_ns));
    }
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
