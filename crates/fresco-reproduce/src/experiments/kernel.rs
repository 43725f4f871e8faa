// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows of the kernel's record: what pages cost on Linux with the patches of `kernel/`.

use crate::kernel_record::Record;
use fresco_report::claims::Row;

/// Page faults, by which colors of how many a task has.
pub fn faults(record: &Record) -> Vec<Row> {
    let row = |one: &crate::kernel_record::Fault| {
        Row::new()
            .label("setting", &one.setting)
            .value("fault_insn", one.fault as f64)
            .value("recycled_insn", one.recycled as f64)
            .value("unmap_insn", one.unmap as f64)
            .value("longest_insn", one.longest as f64)
    };
    record.faults.iter().map(row).collect()
}

/// PALLOC's table I (PAL-9): page allocations without the fault around them, by size.
pub fn allocations(record: &Record) -> Vec<Row> {
    let row = |one: &crate::kernel_record::Allocation| {
        Row::new()
            .label("policy", one.policy)
            .label("size_mib", one.size_mib)
            .value("mean_insn", one.mean as f64)
            .value("longest_insn", one.longest as f64)
    };
    record.allocations.iter().map(row).collect()
}

/// Starts of programs, without and with pages allocated ahead (CAMC-25).
pub fn starts(record: &Record) -> Vec<Row> {
    let row = |one: &crate::kernel_record::Start| {
        Row::new()
            .label("policy", one.policy)
            .label("colors", one.colors)
            .value("exec_insn", one.exec as f64)
            .value("first_insn", one.first as f64)
            .value("again_insn", one.again as f64)
            .value("longest_insn", one.longest as f64)
    };
    record.starts.iter().map(row).collect()
}
