// SPDX-License-Identifier: MIT OR Apache-2.0
//! The memory of a machine, step by step or by arrays.

use crate::arrays::{flags, numbers};
use crate::data::as_python;
use crate::errors::{FrescoError, wrong};
use crate::machine::Machine;
use fresco_dram::{CommandKind, LONGEST_GAP};
use fresco_memory::embedded::{Done, Limit, Memory as Core, Options, SendError};
use fresco_memory::{Access, TraceRequest};
use numpy::{PyUntypedArrayMethods, ToPyArray};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::num::NonZeroU32;

/// A request that is done.
#[pyclass(frozen, get_all, module = "fresco_dram")]
pub struct Completion {
    /// The caller's name for it.
    tag: u64,
    /// Its address in bytes.
    address: u64,
    /// True for a write.
    write: bool,
    /// The cycle in which it arrived.
    arrived: u64,
    /// The cycle in which it is done.
    at: u64,
}

#[pymethods]
impl Completion {
    fn __repr__(&self) -> String {
        let (kind, address) = (if self.write { "write" } else { "read" }, self.address);
        format!(
            "<fresco_dram.Completion of {kind} {} at {address:#x}: cycle {} to {}>",
            self.tag, self.arrived, self.at
        )
    }
}

impl From<&Done> for Completion {
    fn from(done: &Done) -> Self {
        Self {
            tag: done.tag,
            address: done.address,
            write: done.access == Access::Write,
            arrived: done.arrived,
            at: done.at,
        }
    }
}

/// The memory of a machine without cores and caches: requests in, completions out. Times are cycles of its command clock, of
/// `clock_ns` nanoseconds each.
///
/// `limit` is how many requests that send() sends may be under way; if omitted, as many as the controllers' queues hold. With `check` each DRAM
/// command is judged by the independent checker (see verdict()).
#[pyclass(module = "fresco_dram")]
pub struct Memory {
    core: Core,
    done: Vec<Done>,
}

/// Requests given to the core at a time, and cycles that time is moved on by at once: between them signals are looked for.
const PIECE: usize = 1 << 16;
const STEP: u64 = 1 << 26;

fn access(write: bool) -> Access {
    match write {
        true => Access::Write,
        false => Access::Read,
    }
}

fn unsent(error: SendError) -> PyErr {
    wrong(error.to_string())
}

#[pymethods]
impl Memory {
    #[new]
    #[pyo3(signature = (machine, *, limit=None, check=false))]
    fn new(machine: &Bound<'_, Machine>, limit: Option<u32>, check: bool) -> PyResult<Self> {
        let limit = match limit.map(NonZeroU32::new) {
            None => Limit::Queues,
            Some(Some(most)) => Limit::Outstanding(most),
            Some(None) => {
                return Err(wrong(
                    "limit: found 0\n  allowed: 1 or more, or None for what the queues hold",
                ));
            }
        };
        let options = Options {
            limit,
            check,
            ..Options::default()
        };
        Ok(Self {
            core: Core::new(&machine.get().inner, options),
            done: Vec::new(),
        })
    }

    /// All that happens before this cycle has happened.
    #[getter]
    fn now(&self) -> u64 {
        self.core.now()
    }

    /// Length of a cycle in ns.
    #[getter]
    fn clock_ns(&self) -> f64 {
        self.core.clock().period_ps() / 1000.0
    }

    /// Bytes that a request moves.
    #[getter]
    fn line_bytes(&self) -> u64 {
        self.core.line_bytes()
    }

    /// Requests that were sent and are not done.
    #[getter]
    fn outstanding(&self) -> usize {
        self.core.outstanding()
    }

    /// The next cycle in which something may be done or room may come; None if nothing will ever happen.
    #[getter]
    fn next_event(&self) -> Option<u64> {
        self.core.next_event()
    }

    /// Sends a request in the present cycle. Returns False if there is no room for it now: send it again after time went on.
    /// `tag` is the caller's name for it.
    ///
    /// Raises FrescoError where there is no memory at the address (in bytes).
    #[pyo3(signature = (address, write=false, tag=0))]
    fn send(&mut self, address: u64, write: bool, tag: u64) -> PyResult<bool> {
        match self.core.send(address, access(write), tag) {
            Ok(()) => Ok(true),
            Err(SendError::Full) => Ok(false),
            Err(error) => Err(unsent(error)),
        }
    }

    /// Moves time on to a cycle. Returns what is done by then, in order. After Ctrl-C what was done is gone, and time stands before the cycle.
    fn tick_to(&mut self, py: Python<'_>, cycle: u64) -> PyResult<Vec<Completion>> {
        if cycle > Core::LAST {
            return Err(unsent(SendError::Late { cycle }));
        }
        let (core, done) = (&mut self.core, &mut self.done);
        done.clear();
        loop {
            let next = cycle.min(core.now().saturating_add(STEP));
            py.detach(|| core.advance(next, |one| done.push(*one)));
            if next >= cycle {
                break;
            }
            py.check_signals()?;
        }
        Ok(self.done.iter().map(Completion::from).collect())
    }

    /// Moves time on until something is done, but not beyond cycle `until`. Returns it, or None if nothing is done by then.
    fn next_done(&mut self, py: Python<'_>, until: u64) -> PyResult<Option<Completion>> {
        if until > Core::LAST {
            return Err(unsent(SendError::Late { cycle: until }));
        }
        let core = &mut self.core;
        loop {
            let next = until.min(core.now().saturating_add(STEP));
            let done = py.detach(|| core.next_done(next));
            if done.is_some() || next >= until {
                return Ok(done.as_ref().map(Completion::from));
            }
            py.check_signals()?;
        }
    }

    /// Waits for all that is outstanding, write buffers included. Returns what is done, in order.
    fn drain(&mut self, py: Python<'_>) -> Vec<Completion> {
        let (core, done) = (&mut self.core, &mut self.done);
        done.clear();
        py.detach(|| core.drain(|one| done.push(*one)));
        self.done.iter().map(Completion::from).collect()
    }

    /// Sends requests in order, in a cycle at most as many as the machine has channels, each in its cycle or as soon after as fewer than
    /// `outstanding` are under way, and waits for the last: what `fresco memory` does with a trace. A `limit` of the memory does not count here.
    ///
    /// `cycles`, `addresses` (in bytes) and `writes` are arrays of one length, of whole numbers and of bool. Returns the cycle in which each request
    /// is done, an array of uint64; with `arrivals` a pair of arrays, of the cycles in which they arrived and are done, whose difference is their
    /// latency. The time is then that of the last data. What was under way before is done by then, and told to nobody. After Ctrl-C or a
    /// wrong request, one more than 2**34 cycles behind the one before included, the memory is drained, and has what was sent.
    #[pyo3(signature = (cycles, addresses, writes, *, outstanding=32, arrivals=false))]
    fn run<'py>(
        &mut self,
        py: Python<'py>,
        cycles: &Bound<'py, PyAny>,
        addresses: &Bound<'py, PyAny>,
        writes: &Bound<'py, PyAny>,
        outstanding: usize,
        arrivals: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (cycles, addresses) = (numbers("cycles", cycles)?, numbers("addresses", addresses)?);
        let writes = flags("writes", writes)?;
        let (all, others) = (cycles.len(), [addresses.len(), writes.len()]);
        if others != [all; 2] {
            return Err(wrong(format!(
                "found {all} cycles, {} addresses and {} writes\n  allowed: arrays of one length",
                others[0], others[1]
            )));
        }
        if outstanding == 0 {
            return Err(wrong("outstanding: found 0\n  allowed: 1 or more"));
        }
        let (cycles, addresses, writes) = (cycles.as_array(), addresses.as_array(), writes.as_array());
        let requests = cycles.iter().zip(&addresses).zip(&writes);
        let mut requests = requests.map(|((&cycle, &address), &write)| TraceRequest {
            cycle,
            address,
            access: access(write),
        });
        let mut requests = requests.by_ref().peekable();
        let mut ends = vec![0u64; all];
        let mut arrived = vec![0u64; if arrivals { all } else { 0 }];
        let core = &mut self.core;
        let mut replay = py.detach(|| core.begin_replay(outstanding, &mut ends, &mut arrived));
        let mut piece = Vec::with_capacity(PIECE.min(all));
        let mut sent = Ok(());
        while sent.is_ok() && replay.sent() < all {
            let reach = replay.now().saturating_add(STEP);
            // Those that are too late or too far off are the core's to refuse.
            let far = replay.now().saturating_add(LONGEST_GAP).min(Core::LAST);
            let near = std::iter::from_fn(|| requests.next_if(|next| next.cycle <= reach || next.cycle > far));
            piece.clear();
            piece.extend(near.take(PIECE));
            let moved = py.detach(|| match piece.is_empty() {
                true => {
                    replay.advance(reach);
                    Ok(())
                }
                false => replay.send(&piece),
            });
            sent = match moved {
                Err((number, error)) => Err(wrong(format!("request {number}: {error}"))),
                Ok(()) => py.check_signals(),
            };
        }
        py.detach(|| replay.finish());
        sent?;
        let ends = ends.to_pyarray(py);
        match arrivals {
            true => (arrived.to_pyarray(py), ends).into_bound_py_any(py),
            false => Ok(ends.into_any()),
        }
    }

    /// What each channel counted since the beginning or reset_stats(): a list of dicts; "commands" counts each kind of DRAM command.
    fn stats<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let channels = PyList::empty(py);
        for stats in self.core.stats() {
            let counts = as_python(py, &stats)?;
            let commands = PyDict::new(py);
            for kind in CommandKind::ALL {
                commands.set_item(kind.name(), stats.command(kind))?;
            }
            counts.set_item("commands", commands)?;
            channels.append(counts)?;
        }
        Ok(channels)
    }

    /// Counts from here on.
    fn reset_stats(&mut self) {
        self.core.reset_stats();
    }

    /// What the checker of DRAM commands says of all commands so far: None if all are allowed and every row was refreshed in time, else
    /// its report. Raises FrescoError if the memory was made without check=True.
    fn verdict(&mut self) -> PyResult<Option<String>> {
        match self.core.verdict() {
            None => Err(FrescoError::new_err(
                "the checker is off: make the memory with check=True",
            )),
            Some(report) if report.is_clean() => Ok(None),
            Some(report) => Ok(Some(report.to_string())),
        }
    }
}
