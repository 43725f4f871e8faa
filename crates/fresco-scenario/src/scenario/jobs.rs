// SPDX-License-Identifier: MIT OR Apache-2.0
//! When the jobs of a periodic task come, and who goes first: `period`, `deadline`, `phase`, `wcet` of a task;
//! `scheduler` and `context_switch` of `[policy]`.

use fresco_dram::Ps;
use fresco_input::{InputError, Table};
use fresco_rt::policy::{Order, Policy};

/// Shortest period: a microsecond, less than a switch costs.
const SHORTEST: Ps = 1_000_000;
/// Longest period and phase: 1000 s.
const LONGEST: Ps = 1_000_000_000_000_000;

/// Reads the timing of a task in whole nanoseconds; `None` for a task without a period.
///
/// # Errors
/// A deadline after the period or before the WCET, a part of a timing without a period, a start with one.
pub(super) fn read(table: &Table<'_>, name: &str) -> Result<Option<fresco_rt::Task>, InputError> {
    let Some(item) = table.opt_item("period") else {
        let Some(key) = ["deadline", "phase", "wcet"].into_iter().find(|key| table.has(key)) else {
            return Ok(None);
        };
        let error = table.error_at(key, "found it at a task without a period");
        return Err(error
            .allowed("deadline, phase and wcet of periodic tasks")
            .help("add period = \"20 ms\", or remove it"));
    };
    if table.has("start") {
        let error = table.error_at("start", "found a start of a task with a period");
        return Err(error
            .allowed("a phase")
            .help("write phase = … instead: it is the release of the first job"));
    }
    let period = item.whole_ns(SHORTEST..=LONGEST)?;
    let opt = |key: &str, least: Ps| {
        table
            .opt_item(key)
            .map(|item| item.whole_ns(least..=LONGEST))
            .transpose()
    };
    let deadline = opt("deadline", 1000)?.unwrap_or(period);
    let wcet = opt("wcet", 1000)?.unwrap_or(deadline);
    let phase = opt("phase", 0)?.unwrap_or(0);
    let task = fresco_rt::Task::new(name, phase, period, wcet, deadline);
    task.map(Some).map_err(|error| {
        table
            .error(format!("found a timing that cannot be: {error}"))
            .allowed("wcet <= deadline <= period")
            .help("shorten the deadline, or lengthen the period")
    })
}

/// Who goes first on a core that has periodic tasks. Others of the core run when no job is ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scheduler {
    /// Among jobs.
    pub policy: Policy,
    /// Time of a switch to another task, in nanoseconds; cold caches come on top.
    pub context_switch_ns: u64,
}

impl Scheduler {
    /// What a switch costs if nothing is said: 3.8 µs, the direct cost that Li, Ding and Shen measured on a 2 GHz Xeon under
    /// Linux 2.6 (Quantifying the cost of context switch, ExpCS 2007); cold caches, the indirect cost, are simulated.
    const CONTEXT_SWITCH_NS: u64 = 3800;

    /// Reads the keys of `[policy]`.
    ///
    /// # Errors
    /// They are there, but no task has a period.
    pub(super) fn read(root: &Table<'_>, periodic: bool) -> Result<Self, InputError> {
        let mut scheduler = Self {
            policy: Policy::FixedPriority(Order::RateMonotonic),
            context_switch_ns: Self::CONTEXT_SWITCH_NS,
        };
        let Some(table) = root.opt_table("policy")? else {
            return Ok(scheduler);
        };
        if let Some(key) = KEYS.into_iter().find(|key| !periodic && table.has(key)) {
            let error = table.error_at(key, "found it in a scenario without periodic tasks");
            return Err(error
                .allowed("a scenario in which a task has a period")
                .help("give a task a period, or remove it"));
        }
        let names = [
            ("rm", Policy::FixedPriority(Order::RateMonotonic)),
            ("dm", Policy::FixedPriority(Order::DeadlineMonotonic)),
            ("edf", Policy::Edf),
        ];
        if let Some(policy) = table.opt_choice("scheduler", &names)? {
            scheduler.policy = policy;
        }
        if let Some(item) = table.opt_item("context_switch") {
            let most = 1_000_000_000;
            let ps = item.duration(0..=most)?;
            scheduler.context_switch_ns = ps / 1000;
        }
        Ok(scheduler)
    }
}

/// The keys of `[policy]` that are read here.
pub(super) const KEYS: [&str; 2] = ["scheduler", "context_switch"];
