// SPDX-License-Identifier: MIT OR Apache-2.0
//! Keys that say how a run of the scenario is made: a plan does not depend on them, yet what is wrong with them is told.

use crate::scenario::extent::Extent;
use crate::scenario::setup::TIMELINES;
use crate::scenario::{MOST_REPETITIONS, policy};
use fresco_input::{InputError, Table};
use fresco_machine::Machine;

/// Those that only a run has; `trace_dir` and `seed` are read where they are needed.
pub(super) const KEYS: &[&str] = &[
    "policy",
    "rows",
    "corunners",
    "fill",
    "warm_up",
    "measure",
    "check",
    "timeline",
    "trace_dir",
];

/// Reads all of them, as a run would; `periodic` if tasks have periods.
///
/// # Errors
/// Values and keys that a run would refuse, too.
pub(super) fn check(root: &Table<'_>, machine: &Machine, periodic: bool) -> Result<(), InputError> {
    policy::read(root, machine.core.mhz)?;
    let extent = if periodic { Extent::read_periodic } else { Extent::read };
    Extent::read_fill(root, periodic)?;
    extent(root, "warm_up", 0, 1)?;
    extent(root, "measure", 1, 1)?;
    root.opt_boolean("check")?;
    root.opt_duration("timeline", TIMELINES)?;
    root.opt_integer("corunners", 0..=u32::MAX)?;
    root.opt_integer("repetitions", 1..=MOST_REPETITIONS)?;
    root.opt_integer("seed", 0..=u64::from(u32::MAX))?;
    Ok(())
}
