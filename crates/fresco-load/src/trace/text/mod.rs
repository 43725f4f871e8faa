// SPDX-License-Identifier: MIT OR Apache-2.0
//! Text traces of other simulators.

mod canonical;
mod cpu_lines;
mod lackey_lines;
mod lines;
mod memory_lines;
mod scan;

pub(crate) use canonical::canonical_dramsim3;
pub(crate) use cpu_lines::ramulator_cpu;
pub(crate) use lackey_lines::{LackeyLine, LackeyOperation, is_of_valgrind, lackey};
pub(crate) use lines::Lines;
pub(crate) use memory_lines::{MemoryLine, dramsim3, load_store, ramulator};
pub(crate) use scan::{Field, Scanner};
