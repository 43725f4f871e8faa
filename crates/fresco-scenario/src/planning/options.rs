// SPDX-License-Identifier: MIT OR Apache-2.0
//! `[plan]`: method, policy, cores, overheads, and limits of the searches.

use super::server::ServerSpec;
use crate::plan::{Draining, Method, Migration, RankMemory};
use crate::scenario::jobs::Scheduler;
use fresco_input::{InputError, Table};
use fresco_machine::Machine;
use fresco_rt::Time;
use fresco_rt::executive::Bandwidth;
use fresco_rt::policy::Policy;

/// How long a color's burst is (CON-12, E1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BurstLength {
    /// All the commands that each rank needs.
    Standard,
    /// Commands / ranks, as the dissertation counts: refreshes only a part of the rows.
    AsPublished,
    /// Spread so that at most 8 fall in any 32 tRFC (LPDDR2's tREFBW).
    Lpddr2,
}

/// WCETs that were measured with no other core at work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AloneWcets {
    /// A task of the plan may write.
    pub writes: bool,
}

/// What is asked of a plan.
#[derive(Clone, Debug)]
pub struct Options {
    /// The method; `None` for the best that there is.
    pub method: Option<Method>,
    /// Order of ready tasks.
    pub policy: Policy,
    /// Whether servers run cyclic executives instead (CRS-8); the policy is then EDF.
    pub executive: bool,
    /// Whether jobs may change their cores.
    pub migration: Migration,
    /// Cores to use.
    pub cores: u32,
    /// Ranks of each color, where methods have two (CRS-1); halves if not given.
    pub colors: Option<Vec<Vec<u32>>>,
    /// Length of bursts.
    pub burst: BurstLength,
    /// e_rl of a lock window, with everything that it does.
    pub lock_ns: Time,
    /// e_ru.
    pub unlock_ns: Time,
    /// Cost of the handler at the start of an aligned slot.
    pub handler_ns: Time,
    /// The refreshes of a burst or segment may begin so much later than planned.
    pub refresh_jitter_ns: Time,
    /// What a switch to another task takes; 0 if WCETs contain their switches.
    pub context_switch_ns: Time,
    /// Retention time of high mode, of which that of the machine is a multiple; `None` for the same.
    pub high_retention_ns: Option<Time>,
    /// WCETs were measured alone: what tasks of other cores cost in memory is added. `None` if they contain it.
    pub alone: Option<AloneWcets>,
    /// Most instances of a task; 1 forbids copy tasks.
    pub instances: u32,
    /// How fast data are copied between instances.
    pub copy: Bandwidth,
    /// Shortest and longest period of servers and frames.
    pub periods: (Time, Time),
    /// Whether the gap between refresh commands must stay within what the standard lets a controller postpone.
    pub within_postponing: bool,
    /// Whether a color is out of bounds for its whole frame, as the published tables count, or only while its burst lasts (F9).
    pub whole_frames: bool,
    /// Most partitions tried by a search.
    pub attempts: usize,
    /// η of the fair scheduler (COD-7).
    pub candidates: u32,
    /// Servers to be analysed as they are; none to have them found.
    pub servers: Vec<ServerSpec>,
}

/// Cost of a handler's own instructions.
const HANDLER_NS: Time = 2_000;
/// Shortest and longest period of servers and frames, unless told otherwise.
const SHORTEST_NS: Time = 100_000;
const LONGEST_NS: Time = 64_000_000;
/// Partitions tried, unless told otherwise: a second's work for twenty tasks.
const ATTEMPTS: u32 = 2000;
/// More candidates than a core has tasks: all are looked at.
const MOST_CANDIDATES: u32 = 1024;
/// Longest overhead: a millisecond.
const MOST_OVERHEAD_PS: u64 = 1_000_000_000;
/// Longest period: a second.
const MOST_PERIOD_PS: u64 = 1_000_000_000_000;

impl Options {
    /// Reads `[plan]` and `[[server]]`; `plan` is the table, or an empty one in its place.
    pub(super) fn read(plan: Table<'_>, root: &Table<'_>, machine: &Machine) -> Result<Self, InputError> {
        let duration = |key: &str, most: u64, default: Time| match plan.opt_item(key) {
            Some(item) => item.whole_ns(0..=most),
            None => Ok(default),
        };
        let context_switch_ns = duration("context_switch", MOST_OVERHEAD_PS, 0)?;
        // A handler waits for a switch that is under way.
        let handler = default_handler(machine) + context_switch_ns;
        let method = method(&plan)?;
        let (policy, executive) = policy(&plan, root)?;
        let read = Self {
            method,
            policy,
            executive,
            migration: plan.opt_choice("migration", &Migration::NAMES)?.unwrap_or_default(),
            cores: plan.opt_integer("cores", 1..=machine.cores)?.unwrap_or(machine.cores),
            colors: colors(&plan, machine)?,
            burst: plan.opt_choice("burst", &BURSTS)?.unwrap_or(BurstLength::Standard),
            lock_ns: duration("lock", MOST_OVERHEAD_PS, handler)?,
            unlock_ns: duration("unlock", MOST_OVERHEAD_PS, HANDLER_NS)?,
            handler_ns: duration("handler", MOST_OVERHEAD_PS, handler)?,
            refresh_jitter_ns: duration("refresh_jitter", MOST_OVERHEAD_PS, default_jitter(machine))?,
            context_switch_ns,
            high_retention_ns: high_retention(&plan, machine)?,
            alone: plan.opt_choice("wcet_is", &WCETS)?.flatten(),
            instances: plan.opt_integer("instances", 1..=8u32)?.unwrap_or(2),
            copy: copy(&plan, machine)?,
            periods: periods(&plan)?,
            within_postponing: plan.opt_boolean("within_postponing")?.unwrap_or(false),
            whole_frames: plan.opt_boolean("whole_frames")?.unwrap_or(false),
            attempts: plan.opt_integer("attempts", 1..=1_000_000u32)?.unwrap_or(ATTEMPTS) as usize,
            candidates: plan
                .opt_integer("candidates", 1..=MOST_CANDIDATES)?
                .unwrap_or(MOST_CANDIDATES),
            servers: ServerSpec::read_all(root)?,
        };
        plan.finish()?;
        Ok(read)
    }
}

/// `high_retention`: the retention time of a hot device, a whole part of that of the machine.
fn high_retention(plan: &Table<'_>, machine: &Machine) -> Result<Option<Time>, InputError> {
    let Some(item) = plan.opt_item("high_retention") else {
        return Ok(None);
    };
    let all = RankMemory::of(machine).retention_ns;
    let found = item.whole_ns(0..=MOST_PERIOD_PS)?;
    match found > 0 && all.is_multiple_of(found) {
        true => Ok(Some(found)),
        false => Err(item
            .error(format!("found {}", fresco_input::spell_duration(found * 1000)))
            .allowed(format!(
                "a whole part of {}, the retention time of {}",
                fresco_input::format_duration(all * 1000),
                machine.name
            ))
            .help("give half of it for a device above 85 C, or omit it where heat does not change the mode")),
    }
}

/// What WCETs contain; who writes is known when the tasks are.
const WCETS: [(&str, Option<AloneWcets>); 2] = [("complete", None), ("alone", Some(AloneWcets { writes: true }))];

/// Names of the lengths of a burst.
const BURSTS: [(&str, BurstLength); 3] = [
    ("standard", BurstLength::Standard),
    ("as-published", BurstLength::AsPublished),
    ("lpddr2", BurstLength::Lpddr2),
];

/// What the handler of a lock costs if nothing is said: its instructions, and writing back all the lines of the color
/// that the caches can hold, each with a change of rank on the bus (RLIM-7), or what is under way in any case.
fn default_handler(machine: &Machine) -> Time {
    let timing = &machine.memory.timing;
    let line = timing.bytes_of_line(&machine.memory.organisation);
    let private = [&machine.l1, &machine.l2].into_iter().flatten().map(|cache| cache.size);
    let shared = machine.llc.iter().map(|llc| llc.cache.size);
    let lines = private.chain(shared).sum::<u64>() / line.max(1);
    let on_bus = timing.line_on_bus(&machine.memory.organisation);
    let each = timing.clock.to_ps(on_bus + timing.rtrs);
    let lines = lines.saturating_mul(each).div_ceil(1000);
    HANDLER_NS + lines.max(Draining::of(machine, machine.cores).requests_ns)
}

/// How late the refreshes of a burst or segment may begin if nothing is said: a refresh interval, as much as a controller keeps back for
/// bursts of its own (docs/model.md, `burst`). It is the order of the worst interrupt latencies of real-time kernels.
fn default_jitter(machine: &Machine) -> Time {
    let timing = &machine.memory.timing;
    timing.clock.to_ps(timing.refi) / 1000
}

fn method(plan: &Table<'_>) -> Result<Option<Method>, InputError> {
    let mut choices = vec![("auto", None)];
    choices.extend(Method::NAMES.map(|(name, method)| (name, Some(method))));
    Ok(plan.opt_choice("method", &choices)?.flatten())
}

/// The policy, and whether servers run executives. If omitted, the policy is that of `policy.scheduler`, or EDF.
fn policy(plan: &Table<'_>, root: &Table<'_>) -> Result<(Policy, bool), InputError> {
    let mut choices: Vec<_> = Policy::NAMES.map(|(name, policy)| (name, (policy, false))).into();
    choices.push(("executive", (Policy::Edf, true)));
    if let Some(chosen) = plan.opt_choice("policy", &choices)? {
        return Ok(chosen);
    }
    let of_runs = root.opt_table("policy")?;
    let scheduler = of_runs.map(|table| Scheduler::policy(&table)).transpose()?.flatten();
    Ok((scheduler.unwrap_or(Policy::Edf), false))
}

/// `shortest_period` and `longest_period`, at least a nanosecond, in this order.
fn periods(plan: &Table<'_>) -> Result<(Time, Time), InputError> {
    let period = |key: &str, default: Time| match plan.opt_item(key) {
        Some(item) => item.whole_ns(1000..=MOST_PERIOD_PS),
        None => Ok(default),
    };
    let shortest = period("shortest_period", SHORTEST_NS)?;
    let longest = period("longest_period", LONGEST_NS.max(shortest))?;
    if longest < shortest {
        let ns = |time: Time| fresco_input::format_duration(time * 1000);
        let error = plan.error_at("longest_period", format!("found {}", ns(longest)));
        return Err(error
            .allowed(format!("at least plan.shortest_period, {}", ns(shortest)))
            .help("raise it, or lower plan.shortest_period"));
    }
    Ok((shortest, longest))
}

/// `copy_mb_per_s`: bytes copied per microsecond, at most what the data buses carry, as each line passes them twice. If not given,
/// each line is fetched and written with a row of its own.
fn copy(plan: &Table<'_>, machine: &Machine) -> Result<Bandwidth, InputError> {
    let (timing, org) = (&machine.memory.timing, &machine.memory.organisation);
    let line = timing.bytes_of_line(org);
    if let Some(item) = plan.opt_item("copy_mb_per_s") {
        let buses = u64::from(org.nodes) * u64::from(org.channels);
        let most = buses * line * 1_000_000 / timing.clock.to_ps(2 * timing.line_on_bus(org)).max(1);
        let rate = item.integer(1..=u32::MAX)?;
        if u64::from(rate) > most {
            return Err(item
                .error(format!("found {rate} MB/s"))
                .allowed(format!(
                    "up to {most} MB/s, as each line passes the data buses of {} twice",
                    machine.name
                ))
                .help("give what was measured, or omit it: then each line has a row to open"));
        }
        return Ok(Bandwidth::Copied(u64::from(rate) * 1_000_000));
    }
    let each = timing.clock.to_ps(2 * (timing.rp + timing.rcd + timing.read_data(org)));
    let rate = u128::from(line) * 1_000_000_000_000 / u128::from(each.max(1));
    Ok(Bandwidth::Copied(u64::try_from(rate).unwrap_or(u64::MAX)))
}

/// `colors = ["0-3", "4-7"]`: the ranks of each color, each rank in one.
fn colors(plan: &Table<'_>, machine: &Machine) -> Result<Option<Vec<Vec<u32>>>, InputError> {
    let Some(item) = plan.opt_item("colors") else {
        return Ok(None);
    };
    let ranks = machine.memory.organisation.ranks;
    let allowed = format!(
        "two lists that share out the ranks 0-{}, as [\"0-3\", \"4-7\"]",
        ranks - 1
    );
    let bad = |found: String| {
        item.error(found)
            .allowed(allowed.clone())
            .help("give each rank to one of the colors")
    };
    let mut groups = Vec::new();
    for entry in item.list()? {
        groups.push(entry.numbers(0..=ranks - 1).map_err(|error| bad(error.found.clone()))?);
    }
    let mut all: Vec<u32> = groups.concat();
    all.sort_unstable();
    if groups.len() != 2 || !all.iter().copied().eq(0..ranks) {
        return Err(bad(format!("found {}", item.describe())));
    }
    Ok(Some(groups))
}
