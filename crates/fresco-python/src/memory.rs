// SPDX-License-Identifier: MIT OR Apache-2.0
//! The memory of a machine, step by step or by arrays.

use crate::arguments::Whole;
use crate::arrays::{flags, numbers};
use crate::data::as_python;
use crate::errors::fault;
use crate::machine::Machine;
use fresco_dram::{CommandKind, LONGEST_GAP};
use fresco_memory::Access;
use fresco_memory::embedded::{Done, Limit, Memory as Core, Options, SendError};
use numpy::IntoPyArray;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::num::NonZeroU32;
use std::sync::{Mutex, MutexGuard, TryLockError};

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
///
/// A memory is for one thread at a time: while one runs or waits, another one's calls raise FrescoError.
#[pyclass(frozen, module = "fresco_dram")]
pub struct Memory {
    inner: Mutex<Inner>,
}

struct Inner {
    core: Core,
    done: Vec<Done>,
}

impl Memory {
    /// The memory, unless another thread has it.
    #[inline]
    fn own(&self) -> PyResult<MutexGuard<'_, Inner>> {
        match self.inner.try_lock() {
            Ok(inner) => Ok(inner),
            Err(TryLockError::Poisoned(inner)) => Ok(inner.into_inner()),
            Err(TryLockError::WouldBlock) => Err(fault(
                "",
                "this memory is running in another thread",
                "one thread at a time",
                "wait for it, or make a Memory for each thread",
            )),
        }
    }
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

/// Why a request cannot be sent.
fn unsent(error: SendError) -> PyErr {
    refused("", error)
}

/// The same of a request in arrays, with `before` its place.
fn refused(before: &str, error: SendError) -> PyErr {
    let of = |argument: &str| match before {
        "" => argument.to_owned(),
        before => format!("{before}: {argument}"),
    };
    match error {
        SendError::NoMemory { address } => {
            let found = format!("found address {address:#x}, where the machine has no memory");
            fault(
                of("address"),
                found,
                "",
                "decode() and regions of the machine's map tell where there is memory",
            )
        }
        SendError::Late { cycle } => fault(
            of("cycle"),
            format!("found {cycle}"),
            format!("up to {}", Core::LAST),
            "",
        ),
        SendError::Far { cycle, from } => fault(
            of("cycle"),
            format!("found {cycle}, where time stands at {from}"),
            format!("at most {LONGEST_GAP} cycles from one request to the next"),
            "shorten the pause, or move time on before",
        ),
        SendError::Full => fault(of("request"), error.to_string(), "", ""),
    }
}

#[pymethods]
impl Memory {
    #[new]
    #[pyo3(signature = (machine, *, limit=None, check=false))]
    fn new(machine: &Bound<'_, Machine>, limit: Option<Whole>, check: bool) -> PyResult<Self> {
        let limit = limit.map(|most| most.narrow("limit", 1..=u32::MAX)).transpose()?;
        let limit = limit
            .and_then(NonZeroU32::new)
            .map_or(Limit::Queues, Limit::Outstanding);
        let options = Options {
            limit,
            check,
            ..Options::default()
        };
        let inner = Inner {
            core: Core::new(&machine.get().inner, options),
            done: Vec::new(),
        };
        Ok(Self {
            inner: Mutex::new(inner),
        })
    }

    /// All that happens before this cycle has happened.
    #[getter]
    fn now(&self) -> PyResult<u64> {
        Ok(self.own()?.core.now())
    }

    /// Length of a cycle in ns.
    #[getter]
    fn clock_ns(&self) -> PyResult<f64> {
        Ok(self.own()?.core.clock().period_ps() / 1000.0)
    }

    /// Bytes that a request moves.
    #[getter]
    fn line_bytes(&self) -> PyResult<u64> {
        Ok(self.own()?.core.line_bytes())
    }

    /// Requests that were sent and are not done.
    #[getter]
    fn outstanding(&self) -> PyResult<usize> {
        Ok(self.own()?.core.outstanding())
    }

    /// The next cycle in which something may be done or room may come; None if nothing will ever happen.
    #[getter]
    fn next_event(&self) -> PyResult<Option<u64>> {
        Ok(self.own()?.core.next_event())
    }

    /// Sends a request in the present cycle. Returns False if there is no room for it now: send it again after time went on.
    /// `tag` is the caller's name for it.
    ///
    /// Raises FrescoError where there is no memory at the address (in bytes).
    #[pyo3(
        signature = (address, write=false, tag=Whole::Fits(0)),
        text_signature = "($self, address, write=False, tag=0)"
    )]
    fn send(&self, address: Whole, write: bool, tag: Whole) -> PyResult<bool> {
        let address = address.within("address", 0..=u64::MAX)?;
        let tag = tag.within("tag", 0..=u64::MAX)?;
        match self.own()?.core.send(address, access(write), tag) {
            Ok(()) => Ok(true),
            Err(SendError::Full) => Ok(false),
            Err(error) => Err(unsent(error)),
        }
    }

    /// Moves time on to a cycle. Returns what is done by then, in order. After Ctrl-C what was done is gone, and time stands before the cycle.
    fn tick_to(&self, py: Python<'_>, cycle: Whole) -> PyResult<Vec<Completion>> {
        let cycle = cycle.within("cycle", 0..=Core::LAST)?;
        let mut own = self.own()?;
        let Inner { core, done } = &mut *own;
        done.clear();
        loop {
            let next = cycle.min(core.now().saturating_add(STEP));
            py.detach(|| core.advance(next, |one| done.push(*one)));
            if next >= cycle {
                break;
            }
            py.check_signals()?;
        }
        Ok(done.iter().map(Completion::from).collect())
    }

    /// Moves time on until something is done, but not beyond cycle `until`. Returns it, or None if nothing is done by then.
    fn next_done(&self, py: Python<'_>, until: Whole) -> PyResult<Option<Completion>> {
        let until = until.within("until", 0..=Core::LAST)?;
        let mut own = self.own()?;
        let core = &mut own.core;
        loop {
            let next = until.min(core.now().saturating_add(STEP));
            let done = py.detach(|| core.next_done(next));
            if done.is_some() || next >= until {
                return Ok(done.as_ref().map(Completion::from));
            }
            py.check_signals()?;
        }
    }

    /// Ends: waits for all that is outstanding, and empties the write buffers. Returns what is done, in order.
    ///
    /// Buffered writes are written at once, not when the controller would choose to, and get in the way of reads that still wait: ends may be others
    /// than those that next_done() tells of the same requests. For requests that go on as they would, wait by next_done() or tick_to().
    fn drain(&self, py: Python<'_>) -> PyResult<Vec<Completion>> {
        let mut own = self.own()?;
        let Inner { core, done } = &mut *own;
        done.clear();
        py.detach(|| core.drain(|one| done.push(*one)));
        Ok(done.iter().map(Completion::from).collect())
    }

    /// Sends requests in order, in a cycle at most as many as the machine has channels, each in its cycle or as soon after as fewer than
    /// `outstanding` are under way, and waits for the last: what `fresco memory` does with a trace. A `limit` of the memory does not count here.
    ///
    /// `cycles`, `addresses` (in bytes) and `writes` are arrays of one length, of whole numbers and of bool, which are copied at the beginning. Returns the
    /// cycle in which each request is done, an array of uint64; with `arrivals` a pair of arrays, of the cycles in which they arrived and are
    /// done, whose difference is their latency. When the last request is sent the write buffers are emptied, as by drain(). The time is then that of
    /// the last data. What was under way before is done by then, and told to nobody. After Ctrl-C or a wrong request, one more than 2**34 cycles
    /// behind the one before included, the memory is drained, and has what was sent.
    #[pyo3(
        signature = (cycles, addresses, writes, *, outstanding=Whole::Fits(32), arrivals=false),
        text_signature = "($self, cycles, addresses, writes, *, outstanding=32, arrivals=False)"
    )]
    fn run<'py>(
        &self,
        py: Python<'py>,
        cycles: &Bound<'py, PyAny>,
        addresses: &Bound<'py, PyAny>,
        writes: &Bound<'py, PyAny>,
        outstanding: Whole,
        arrivals: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (cycles, addresses) = (numbers("cycles", cycles)?, numbers("addresses", addresses)?);
        let writes = flags("writes", writes)?;
        let (all, others) = (cycles.len(), [addresses.len(), writes.len()]);
        if others != [all; 2] {
            let found = format!("found {all} cycles, {} addresses and {} writes", others[0], others[1]);
            return Err(fault("", found, "arrays of one length", ""));
        }
        let outstanding = outstanding.within("outstanding", 1..=u64::MAX)?;
        let outstanding = usize::try_from(outstanding).unwrap_or(usize::MAX);
        let mut own = self.own()?;
        let mut ends = vec![0u64; all];
        let mut arrived = vec![0u64; if arrivals { all } else { 0 }];
        let core = &mut own.core;
        let mut replay = py.detach(|| core.begin_replay(outstanding, &mut ends, &mut arrived));
        let mut sent = Ok(());
        while sent.is_ok() && replay.sent() < all {
            let reach = replay.now().saturating_add(STEP);
            // Those that are too late or too far off are the core's to refuse.
            let far = replay.now().saturating_add(LONGEST_GAP).min(Core::LAST);
            let rest = replay.sent()..all.min(replay.sent() + PIECE);
            let near = cycles[rest.clone()]
                .iter()
                .take_while(|&&cycle| cycle <= reach || cycle > far);
            let next = rest.start..rest.start + near.count();
            let moved = py.detach(|| match next.is_empty() {
                true => {
                    replay.advance(reach);
                    Ok(())
                }
                false => replay.send_arrays(&cycles[next.clone()], &addresses[next.clone()], &writes[next]),
            });
            sent = match moved {
                Err((number, error)) => Err(refused(&format!("request {number}"), error)),
                Ok(()) => py.check_signals(),
            };
        }
        py.detach(|| replay.finish());
        sent?;
        let ends = ends.into_pyarray(py);
        match arrivals {
            true => (arrived.into_pyarray(py), ends).into_bound_py_any(py),
            false => Ok(ends.into_any()),
        }
    }

    /// What each channel counted since the beginning or reset_stats(): a list of dicts; "commands" counts each kind of DRAM command.
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let channels = PyList::empty(py);
        for stats in self.own()?.core.stats() {
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
    fn reset_stats(&self) -> PyResult<()> {
        self.own()?.core.reset_stats();
        Ok(())
    }

    /// What the checker of DRAM commands says of all commands so far: None if all are allowed and every row was refreshed in time, else
    /// its report. Raises FrescoError if the memory was made without check=True.
    fn verdict(&self) -> PyResult<Option<String>> {
        match self.own()?.core.verdict() {
            None => Err(fault(
                "check",
                "the checker is off",
                "",
                "make the memory with check=True",
            )),
            Some(report) if report.is_clean() => Ok(None),
            Some(report) => Ok(Some(report.to_string())),
        }
    }
}
