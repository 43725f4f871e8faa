// SPDX-License-Identifier: MIT OR Apache-2.0
//! A thread that a trace has nothing of: the threads that it has.

use crate::trace::format::Format;
use crate::trace::ftrace::What;
use crate::trace::records::AnyTrace;
use fresco_input::InputError;
use std::collections::BTreeSet;
use std::path::Path;

/// Threads of which a trace has accesses, as far as it can be read.
pub(super) fn threads_in(path: &Path, format: Option<Format>) -> BTreeSet<u16> {
    let records = AnyTrace::open(path, format).into_iter().flatten().map_while(Result::ok);
    let accesses = records.filter(|record| matches!(record.what, What::Access { .. }));
    accesses.map(|record| record.thread).collect()
}

/// A fault of a thread, with the threads that there are.
pub(super) fn of_others(error: InputError, threads: BTreeSet<u16>) -> InputError {
    let Some(first) = threads.first() else { return error };
    let list: Vec<String> = threads.iter().map(u16::to_string).collect();
    error
        .allowed(format!("a thread that the trace has: {}", list.join(", ")))
        .help(format!(
            "write parameters.thread = {first}; with --on: --set task.NAME.parameters.thread={first}"
        ))
}
