// SPDX-License-Identifier: MIT OR Apache-2.0
//! How long a phase lasts.

use fresco_dram::Ps;
use fresco_input::{InputError, Table};
use serde::{Deserialize, Serialize};

/// Length of the warm-up or of the measured phase, for each measured task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Extent {
    /// Passes of the program over its data. A program without passes has one: its whole course.
    Passes(u64),
    /// Loads and stores.
    Operations(u64),
    /// Simulated time, in picoseconds.
    Time(Ps),
    /// Jobs of each periodic task; only where tasks are periodic.
    Jobs(u64),
}

/// Longest phases: far above what anyone waits for, and small enough that nothing overflows.
const MOST_PASSES: u64 = 1_000_000;
const MOST_OPERATIONS: u64 = 1_000_000_000_000;
const MOST_JOBS: u64 = 1_000_000;
const LONGEST: Ps = 1_000 * 1_000_000_000_000;

impl Extent {
    /// Reads the table `key`, which has exactly one of `passes`, `operations` and `time`. `least` is 0 for a phase that
    /// may be left out, else 1. Without the table, `default` passes.
    pub fn read(root: &Table<'_>, key: &str, least: u64, default: u64) -> Result<Self, InputError> {
        let Some(table) = root.opt_table(key)? else {
            return Ok(Self::Passes(default));
        };
        let passes = table.opt_integer("passes", least..=MOST_PASSES)?.map(Self::Passes);
        let operations = table
            .opt_integer("operations", least..=MOST_OPERATIONS)?
            .map(Self::Operations);
        let time = table.opt_duration("time", least..=LONGEST)?.map(Self::Time);
        let mut given = [passes, operations, time].into_iter().flatten();
        let (none, several) = (
            table.error("found none of the three"),
            table.error("found more than one of the three"),
        );
        // A key that is misspelt is none of them.
        table.finish()?;
        let found = match (given.next(), given.next()) {
            (Some(extent), None) => Ok(extent),
            (None, _) => Err(none),
            (Some(_), Some(_)) => Err(several),
        };
        found.map_err(|error| {
            let allowed = error.allowed("one of passes = 2, operations = 100000, time = \"1 ms\"");
            allowed.help("say how long the phase lasts in one unit")
        })
    }

    /// The same for periodic tasks, with `jobs` or `time`. Without the table, `default` jobs.
    pub fn read_periodic(root: &Table<'_>, key: &str, least: u64, default: u64) -> Result<Self, InputError> {
        let Some(table) = root.opt_table(key)? else {
            return Ok(Self::Jobs(default));
        };
        let jobs = table.opt_integer("jobs", least..=MOST_JOBS)?.map(Self::Jobs);
        let time = table.opt_duration("time", least..=LONGEST)?.map(Self::Time);
        let wrong = |found: &str| {
            let error = table.error(format!("found {found}"));
            let allowed = error.allowed("jobs = 1000 of each periodic task, or time = \"20 s\"");
            allowed.help("periodic tasks have jobs: say how many, or how long it takes")
        };
        if let Some(key) = ["passes", "operations"].into_iter().find(|key| table.has(key)) {
            return Err(wrong(&format!("{key}, with periodic tasks")));
        }
        let (neither, both) = (wrong("neither of jobs and time"), wrong("both of jobs and time"));
        table.finish()?;
        match (jobs, time) {
            (Some(extent), None) | (None, Some(extent)) => Ok(extent),
            (None, None) => Err(neither),
            (Some(_), Some(_)) => Err(both),
        }
    }

    /// Reads the table `fill`: loads and stores of each task that fill caches before anything takes time; 0 without it.
    pub(crate) fn read_fill(root: &Table<'_>, periodic: bool) -> Result<u64, InputError> {
        let Some(table) = root.opt_table("fill")? else {
            return Ok(0);
        };
        if periodic {
            let error = table.error("found the table, with periodic tasks");
            let allowed = error.allowed("fill where each task has its core alone");
            return Err(allowed.help("warm up by jobs or time"));
        }
        let operations = table.opt_integer("operations", 0..=MOST_OPERATIONS)?;
        let missing = || table.error("found no operations").allowed("operations = 1000000");
        let operations =
            operations.ok_or_else(|| missing().help("say how many loads and stores of each task fill caches"))?;
        // A program is within a pass then, which would count as a whole one.
        if operations > 0 && matches!(Self::read(root, "warm_up", 0, 1)?, Self::Passes(1..)) {
            let error = table.error("found a warm-up in passes after it");
            let allowed = error.allowed("warm_up.operations, warm_up.time, or warm_up.passes = 0");
            return Err(allowed.help("say how many loads and stores, or how much time, the warm-up takes"));
        }
        table.finish()?;
        Ok(operations)
    }

    /// Returns true if it has no length.
    pub fn is_empty(self) -> bool {
        matches!(
            self,
            Self::Passes(0) | Self::Operations(0) | Self::Time(0) | Self::Jobs(0)
        )
    }
}
