// SPDX-License-Identifier: MIT OR Apache-2.0
//! Text traces of other simulators.

mod canonical;
mod cpu_lines;
mod lackey_lines;
mod lines;
mod memory_lines;
mod perf_lines;
mod scan;
mod view_lines;

pub(crate) use canonical::canonical_dramsim3;
pub(crate) use cpu_lines::ramulator_cpu;
pub(crate) use lackey_lines::{LackeyLine, LackeyOperation, is_of_valgrind, lackey};
pub(crate) use lines::Lines;
pub(crate) use memory_lines::{MemoryLine, dramsim3, load_store, ramulator};
pub(crate) use perf_lines::{is_perf_sample, perf};
pub(crate) use scan::{Field, Scanner};
pub(crate) use view_lines::{ViewRecord, is_of_view, is_view_record, view};
