// SPDX-License-Identifier: MIT OR Apache-2.0
//! On which processors a program runs, and from which nodes its memory comes.

use crate::sys::bind_memory;
use fresco_dram::color::parse_list;
use rustix::io::Errno;
use rustix::thread::{CpuSet, sched_setaffinity};

/// The processors that work, ascending.
pub fn online_cpus() -> Vec<u32> {
    list("/sys/devices/system/cpu/online")
}

/// The nodes that there are, ascending; node 0 where the kernel knows none.
pub fn online_nodes() -> Vec<u32> {
    match list("/sys/devices/system/node/online") {
        nodes if nodes.is_empty() => vec![0],
        nodes => nodes,
    }
}

fn list(path: &str) -> Vec<u32> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    parse_list(text.trim(), 1 << 16, path).unwrap_or_default()
}

/// Keeps this process, and what it becomes, to these processors.
///
/// # Errors
/// None of them may be used.
pub fn bind_cpus(cpus: &[u32]) -> Result<(), Errno> {
    let mut set = CpuSet::new();
    for &cpu in cpus {
        if cpu as usize >= CpuSet::MAX_CPU {
            return Err(Errno::INVAL);
        }
        set.set(cpu as usize);
    }
    sched_setaffinity(None, &set)
}

/// Takes the memory of this process, and of what it becomes, from these nodes.
///
/// # Errors
/// None of them may be used; or the kernel knows no nodes, and others than node 0 are asked for.
pub fn bind_nodes(nodes: &[u32]) -> Result<(), Errno> {
    match bind_memory(nodes) {
        Err(Errno::NOSYS) if nodes == [0] => Ok(()),
        result => result,
    }
}
