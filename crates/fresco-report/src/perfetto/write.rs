// SPDX-License-Identifier: MIT OR Apache-2.0
//! The file, event by event: what is written is never held as a whole.

use super::check::in_order;
use super::json::{self, Ids};
use super::{Thread, Trace};
use crate::{Provenance, ReportError};
use serde_json::json;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, Write};

/// Writes `trace` to `out`: names first, then all events in order of time.
///
/// # Errors
/// Of the events: a value that is not finite, a time beyond 52 days, spans of one thread that overlap without one holding
/// the other; as [`io::ErrorKind::InvalidData`] with the [`ReportError`] inside, and before anything is written. Else those
/// of `out`.
pub fn write_trace(trace: &Trace, provenance: &Provenance, out: &mut impl Write) -> io::Result<()> {
    let threads = numbered(trace);
    let orders = threads.iter().map(|(_, thread)| in_order(thread));
    let orders: Vec<Vec<usize>> = orders.collect::<Result<_, _>>().map_err(invalid)?;

    let provenance = json::text(&json!(provenance)).map_err(invalid)?;
    write!(
        out,
        "{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"provenance\":{provenance}}},\"traceEvents\":["
    )?;
    let mut lines = Lines { out, is_first: true };
    names(trace, &mut lines)?;

    // The next event of each thread, by time; at one time by thread.
    let mut next = vec![0; threads.len()];
    let at = |thread: usize, place: usize| Some(threads[thread].1.events[*orders[thread].get(place)?].at_ns);
    let mut heads: BinaryHeap<Reverse<(u64, usize)>> = (0..threads.len())
        .filter_map(|thread| Some(Reverse((at(thread, 0)?, thread))))
        .collect();
    while let Some(Reverse((_, thread))) = heads.pop() {
        let (ids, of) = threads[thread];
        let event = &of.events[orders[thread][next[thread]]];
        lines.put(&json::event(event, ids).map_err(invalid)?)?;
        next[thread] += 1;
        heads.extend(at(thread, next[thread]).map(|time| Reverse((time, thread))));
    }
    writeln!(out, "\n]}}")
}

/// Threads with their numbers: processes from 1, threads after the last process, as a thread that has the number of its
/// process is taken for its main thread.
fn numbered(trace: &Trace) -> Vec<(Ids, &Thread)> {
    let threads = trace.processes.iter().enumerate();
    let threads = threads.flat_map(|(index, process)| process.threads.iter().map(move |thread| (index + 1, thread)));
    let tids = trace.processes.len() + 1..;
    tids.zip(threads)
        .map(|(tid, (pid, thread))| (Ids { pid, tid }, thread))
        .collect()
}

/// Names of processes and threads, and the order in which they stand.
fn names<W: Write>(trace: &Trace, lines: &mut Lines<'_, W>) -> io::Result<()> {
    let mut put = |name: &str, ids, key: &str, value| {
        let line = json::text(&json::metadata(name, ids, key, value)).map_err(invalid)?;
        lines.put(&line)
    };
    for (index, process) in trace.processes.iter().enumerate() {
        let ids = Ids { pid: index + 1, tid: 0 };
        put("process_name", ids, "name", json!(process.name))?;
        put("process_sort_index", ids, "sort_index", json!(index))?;
    }
    for (ids, thread) in numbered(trace) {
        put("thread_name", ids, "name", json!(thread.name))?;
        put("thread_sort_index", ids, "sort_index", json!(ids.tid))?;
    }
    Ok(())
}

/// Elements of a JSON list, one per line.
struct Lines<'w, W: Write> {
    out: &'w mut W,
    is_first: bool,
}

impl<W: Write> Lines<'_, W> {
    fn put(&mut self, line: &str) -> io::Result<()> {
        let comma = if self.is_first { "" } else { "," };
        self.is_first = false;
        write!(self.out, "{comma}\n{line}")
    }
}

fn invalid(error: ReportError) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}
