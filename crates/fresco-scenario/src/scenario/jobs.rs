// SPDX-License-Identifier: MIT OR Apache-2.0
//! When the jobs of a periodic task come, and who goes first: `period`, `deadline`, `phase`, `wcet`, jitters, critical sections and reloads of a
//! task; `scheduler` and `context_switch` of `[policy]`.

use fresco_dram::Ps;
use fresco_input::{InputError, Kind, Table};
use fresco_rt::policy::{Order, Policy};
use fresco_rt::{Task, TaskError, Time};

/// Shortest period of a simulated task: a microsecond, less than a switch costs.
const SHORTEST: Ps = 1_000_000;
/// Longest period, phase, deadline and WCET: 1000 s.
const LONGEST: Ps = 1_000_000_000_000_000;

/// Keys of a task that make sense with a period alone.
const OF_PERIODIC: [&str; 10] = [
    "phase",
    "wcet",
    "deadline",
    "jitter",
    "arrival_jitter",
    "min_distance",
    "critical_section",
    "cache_reload",
    "criticality",
    "wcet_high",
];

/// Reads the times of a task in whole nanoseconds; `None` for a task without a period. The WCET, if omitted, is the
/// deadline, except where a plan is asked for: a plan needs it.
///
/// # Errors
/// A deadline after the period or before the WCET, a part of the times without a period, a start with one.
pub(super) fn read(table: &Table<'_>, name: &str, planned: bool) -> Result<Option<Task>, InputError> {
    let Some(item) = table.opt_item("period") else {
        let Some(key) = OF_PERIODIC.into_iter().find(|key| table.has(key)) else {
            return Ok(None);
        };
        let error = table.error_at(key, format!("found a {key} without a period"));
        return Err(error
            .allowed("period, wcet, deadline, phase, jitters, critical_section, cache_reload, criticality and wcet_high of a periodic task; none of them of another")
            .help("add period = \"20 ms\", or remove it"));
    };
    if table.has("start") {
        let error = table.error_at("start", "found a start of a task with a period");
        return Err(error
            .allowed("a phase")
            .help("write phase = … instead: it is the release of the first job"));
    }
    let period = item.whole_ns(if planned { 0 } else { SHORTEST }..=LONGEST)?;
    let opt = |key: &str| table.opt_whole_ns(key, 0..=LONGEST);
    let (phase, wcet, deadline) = (opt("phase")?, opt("wcet")?, opt("deadline")?.unwrap_or(period));
    let wcet = match wcet {
        None if planned => table
            .item("wcet", "a time such as \"3 ms\", longer than 0")?
            .whole_ns(1..=LONGEST)?,
        wcet => wcet.unwrap_or(deadline),
    };
    let task = Task::new(name, phase.unwrap_or(0), period, wcet, deadline);
    let (jitter, distance) = (opt("arrival_jitter")?, opt("min_distance")?);
    let (late, section) = (opt("jitter")?, opt("critical_section")?);
    let reload = opt("cache_reload")?.unwrap_or(0);
    let task = task
        .and_then(|task| task.arriving(jitter.unwrap_or(0), distance.unwrap_or(0)))
        .and_then(|task| task.ready_late(late.unwrap_or(0)))
        .and_then(|task| task.blocking(section.unwrap_or(0)))
        .map_err(|error| impossible(table, error))?;
    if task.arrival_jitter == 0 && distance.is_some_and(|distance| distance < period) {
        let error = table.error_at(
            "min_distance",
            "found a least distance of arrivals that are a period apart",
        );
        return Err(error
            .allowed("min_distance beside arrival_jitter")
            .help("add arrival_jitter = \"…\", or remove it"));
    }
    Ok(Some(task.reloading(reload)))
}

/// What a job of a task takes at most in high mode, if its `criticality` is high: `wcet_high`, or as much as in low mode.
///
/// # Errors
/// Less than in low mode, more than the deadline, or a `wcet_high` of a task that is dropped in high mode.
pub(super) fn wcet_high(table: &Table<'_>, task: Option<&Task>) -> Result<Option<Time>, InputError> {
    let is_high = table
        .opt_choice("criticality", &[("low", false), ("high", true)])?
        .unwrap_or(false);
    let given = table.opt_item("wcet_high");
    let (Some(task), true) = (task, is_high) else {
        return match given {
            None => Ok(None),
            Some(item) => Err(item
                .error("found what a job takes in high mode, where the task is dropped")
                .allowed("wcet_high beside criticality = \"high\"")
                .help("add criticality = \"high\", or remove it")),
        };
    };
    let Some(item) = given else {
        return Ok(Some(task.wcet));
    };
    let found = item.whole_ns(0..=LONGEST)?;
    let ns = |time: Time| fresco_input::format_duration(time.saturating_mul(1000));
    match (task.wcet..=task.deadline).contains(&found) {
        true => Ok(Some(found)),
        false => Err(item
            .error(format!("found {}", ns(found)))
            .allowed(format!(
                "{}, the WCET, to {}, the deadline",
                ns(task.wcet),
                ns(task.deadline)
            ))
            .help("give the longest execution time of a job in high mode; wcet is that which is believed in low mode")),
    }
}

/// The error of impossible times, at the key that is wrong.
fn impossible(table: &Table<'_>, error: TaskError) -> InputError {
    let kind = match error {
        TaskError::WcetBeyondDeadline(..) => Kind::Infeasible,
        _ => Kind::Input,
    };
    let ns = |time: Time| fresco_input::format_duration(time.saturating_mul(1000));
    let (key, found, allowed, help) = match error {
        TaskError::ZeroPeriod => (
            "period",
            "found 0".to_owned(),
            "longer than 0".to_owned(),
            "give the task a period",
        ),
        TaskError::ZeroWcet => (
            "wcet",
            "found 0".to_owned(),
            "longer than 0".to_owned(),
            "give the longest execution time of a job",
        ),
        TaskError::DeadlineBeyondPeriod(deadline, period) => (
            "deadline",
            format!("found {}, beyond the period", ns(deadline)),
            format!("at most the period, {}", ns(period)),
            "shorten the deadline: a job must end before the next is released",
        ),
        TaskError::WcetBeyondDeadline(wcet, deadline) => (
            "wcet",
            format!("found {}, a utilisation over 1", ns(wcet)),
            format!("at most the deadline, {}", ns(deadline)),
            "shorten the execution time, or lengthen deadline and period",
        ),
        TaskError::ArrivalJitter(jitter, most) => (
            "arrival_jitter",
            format!("found {}", ns(jitter)),
            format!("at most {}, {} periods", ns(most), fresco_rt::task::MOST_JITTER),
            "describe longer bursts by a task for each stream that makes them up",
        ),
        TaskError::DistanceBeyondPeriod(distance, period) => (
            "min_distance",
            format!("found {}, beyond the period", ns(distance)),
            format!("at most the period, {}", ns(period)),
            "lengthen the period: arrivals cannot be more frequent than their least distance",
        ),
        TaskError::ReleaseJitter(jitter, most) => (
            "jitter",
            format!("found {}", ns(jitter)),
            format!("at most {}, what the deadline leaves of the execution time", ns(most)),
            "shorten the jitter, or lengthen the deadline: it counts from the arrival of a job",
        ),
        TaskError::SectionBeyondWcet(section, wcet) => (
            "critical_section",
            format!("found {}", ns(section)),
            format!("at most wcet, {}, of which it is a part", ns(wcet)),
            "shorten it, or lengthen wcet",
        ),
    };
    table.error_at(key, found).allowed(allowed).help(help).of_kind(kind)
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

    /// `scheduler` of `[policy]`.
    ///
    /// # Errors
    /// There is no such order of jobs.
    pub(crate) fn policy(table: &Table<'_>) -> Result<Option<Policy>, InputError> {
        table.opt_choice("scheduler", &Policy::NAMES)
    }

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
        if let Some(policy) = Self::policy(&table)? {
            scheduler.policy = policy;
        }
        if let Some(ps) = table.opt_duration("context_switch", 0..=1_000_000_000)? {
            scheduler.context_switch_ns = ps / 1000;
        }
        Ok(scheduler)
    }
}

/// The keys of `[policy]` that are read here.
pub(super) const KEYS: [&str; 2] = ["scheduler", "context_switch"];
