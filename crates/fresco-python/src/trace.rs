// SPDX-License-Identifier: MIT OR Apache-2.0
//! Address traces as arrays.

use crate::arguments::Whole;
use crate::errors::{fault, raised};
use fresco_load::trace::MemoryTrace;
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use std::path::PathBuf;

/// What `trace_requests` returns: cycles, addresses, writes.
type Arrays<'py> = (
    Bound<'py, PyArray1<u64>>,
    Bound<'py, PyArray1<u64>>,
    Bound<'py, PyArray1<bool>>,
);

/// The requests of an address trace, in any of the formats that `fresco memory` reads: three arrays (cycles, addresses in bytes,
/// writes), as Memory.run takes them. Cycles are 0 throughout where the trace has no times. With `limit` only so many.
#[pyfunction]
#[pyo3(signature = (path, limit=None))]
pub fn trace_requests<'py>(py: Python<'py>, path: PathBuf, limit: Option<Whole>) -> PyResult<Arrays<'py>> {
    let limit = limit.map(|most| most.within("limit", 0..=u64::MAX)).transpose()?;
    let most = limit.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX));
    let (mut cycles, mut addresses, mut writes) = (Vec::new(), Vec::new(), Vec::new());
    let mut trace = py.detach(|| MemoryTrace::open(&path, None)).map_err(raised)?;
    while cycles.len() < most {
        let read = py.detach(|| {
            for _ in 0..(most - cycles.len()).min(1 << 16) {
                let Some(record) = trace.next_record()? else {
                    return Ok(true);
                };
                cycles.push(record.arrival);
                addresses.push(record.addr.0);
                writes.push(record.write);
            }
            Ok(false)
        });
        py.check_signals()?;
        if read.map_err(raised)? {
            break;
        }
    }
    if cycles.is_empty() && most > 0 {
        return Err(fault("path", format!("{}: found no request", path.display()), "", ""));
    }
    Ok((
        cycles.into_pyarray(py),
        addresses.into_pyarray(py),
        writes.into_pyarray(py),
    ))
}
