// SPDX-License-Identifier: MIT OR Apache-2.0
//! `core.threads`: simultaneous multithreading, where each thread of a core has an equal share of what is the core's.
//!
//! On Intel's processors the reorder buffer is divided so while both threads run, and the front end takes turns (Intel 64
//! and IA-32 Optimization Reference Manual, Hyper-Threading Technology). Threads compete for private caches and fill
//! buffers; here these are divided as well, so that what a thread has does not depend on the other one.

use crate::Machine;
use fresco_input::{InputError, Table};

/// Cores, and threads of all cores together.
pub(super) const MOST_CORES: u32 = 1024;

/// Makes each thread a core with its share: of slots, window and misses, of the private caches by ways. A last-level cache
/// and a node have the threads of their cores.
///
/// # Errors
/// Something cannot be divided.
pub(super) fn share(root: &Table<'_>, machine: &mut Machine) -> Result<(), InputError> {
    let threads = machine.core.threads;
    let cores = machine.cores * threads;
    if cores > MOST_CORES {
        let found = format!("found {} cores of {threads} threads", machine.cores);
        return Err(root
            .error_at("cores", found)
            .allowed(format!("at most {MOST_CORES} threads of all cores"))
            .help("write fewer cores, or fewer core.threads"));
    }
    machine.cores = cores;
    let (table, core) = (root.table("core")?, &mut machine.core);
    divide(&table, "issue_width", &mut core.issue_width, threads)?;
    divide(&table, "window", &mut core.window, threads)?;
    divide(&table, "mshrs", &mut core.mshrs, threads)?;
    if let Some(tlb) = &mut core.tlb {
        super::tlb::share(&table, tlb, threads)?;
    }
    let caches = [
        ("l1", &mut machine.l1),
        ("l1i", &mut machine.l1i),
        ("l2", &mut machine.l2),
    ];
    for (key, cache) in caches {
        if let Some(cache) = cache {
            divide(&root.table(key)?, "ways", &mut cache.ways, threads)?;
            cache.size /= u64::from(threads);
        }
    }
    if let Some(llc) = &mut machine.llc {
        llc.cores_per_cache *= threads;
    }
    let nodes = std::mem::take(&mut machine.topology.node_of_core).into_iter();
    machine.topology.node_of_core = nodes
        .flat_map(|node| std::iter::repeat_n(node, threads as usize))
        .collect();
    Ok(())
}

pub(super) fn divide(table: &Table<'_>, key: &str, value: &mut u32, threads: u32) -> Result<(), InputError> {
    if !value.is_multiple_of(threads) {
        let error = table.error_at(key, format!("found {value}, which {threads} threads cannot share"));
        return Err(error
            .allowed(format!("a multiple of core.threads, which is {threads}"))
            .help("correct one of them"));
    }
    *value /= threads;
    Ok(())
}
