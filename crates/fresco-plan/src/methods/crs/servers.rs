// SPDX-License-Identifier: MIT OR Apache-2.0
//! Servers for the tasks of a core: given, or for given colors, or found together with a partition, or with copies (CRS-11).

use super::super::draft::PlanContext;
use super::super::grouping::take;
use super::super::repeat::hyperperiod;
use super::super::words::{time, utilization};
use super::copies::{OF_KNOWN_JOBS, OF_MANY_TASKS, undecided, with_copies};
use super::{OnCore, refused, split_of};
use crate::refusal::Refusal;
use fresco_rt::copies::partition_for_phases;
use fresco_rt::search::{Found, MemoryNeed, Partition, Sought, Space, partition, rest_of_table};
use fresco_rt::toplevel::{Locks, Server, TopLevel};
use fresco_rt::{Attempts, Task};

/// Servers for the tasks of a core, and the group of ranks of each color.
pub(super) fn on_core(
    context: &PlanContext<'_>,
    tasks: &[usize],
    groups: &[Vec<u32>; 2],
    locks: &Locks,
    others: &[OnCore],
) -> Result<(OnCore, [usize; 2]), Refusal> {
    let options = &context.set.options;
    let (shortest, longest) = options.periods;
    let space = Space::new(locks.clone(), shortest, longest).costing(context.slice);
    let of = |workloads: &[Vec<usize>; 2], found: Found| {
        let workloads = found.order.map(|workload| workloads[workload].clone());
        let top = found.top;
        (OnCore::without_copies(workloads, top), found.order)
    };
    let fixed = context.given_colors();
    if !options.servers.is_empty() {
        let Some(color) = fixed.filter(|_| options.cores == 1) else {
            return Err(Refusal::form(
                "servers are given; every task needs a color (that of its server), and there is one core",
            ));
        };
        let workloads = split(tasks, &color);
        let server = |i: usize| {
            let spec = options.servers[i];
            Server::new(spec.period_ns, spec.budget_ns).map_err(|error| Refusal::form(error.to_string()))
        };
        let top = TopLevel::new([server(0)?, server(1)?], locks.clone()).map_err(refused)?;
        return Ok((OnCore::without_copies(workloads, top), [0, 1]));
    }
    if let Some(color) = fixed {
        let workloads = split(tasks, &color);
        let sets = [context.pick(&workloads[0]), context.pick(&workloads[1])];
        let found = rest_of_table([&sets[0], &sets[1]], options.policy, &space, true).map_err(refused)?;
        let found = found.ok_or_else(|| none_found(context, tasks, locks))?;
        return Ok(of(&workloads, found));
    }
    let mut need = context.need(tasks, groups);
    take(context, &mut need.capacity, &split_of(others));
    let own = context.pick(tasks);
    let found = partition(&own, Some(&need), options.policy, &space, context.attempts()).map_err(refused)?;
    let found = match found {
        Sought::Found(found) => found,
        without => match for_phases(context, &own, &need, &space, without)? {
            Sought::Found(Known::Servers(found)) => found,
            Sought::Found(Known::ToCopy(tried)) => {
                return match with_copies(context, tasks, &need, &space)? {
                    Sought::Found(copied) => Ok(copied),
                    Sought::Nowhere if tried == 0 => Err(none_found(context, tasks, locks)),
                    Sought::Nowhere => Err(open(context, tasks, locks, tried)),
                    Sought::Open(more) => Err(open(context, tasks, locks, tried.saturating_add(more))),
                };
            }
            Sought::Nowhere => return Err(none_found(context, tasks, locks)),
            Sought::Open(tried) => return Err(open(context, tasks, locks, tried)),
        },
    };
    let global = found
        .workloads
        .map(|indices| indices.iter().map(|&i| tasks[i]).collect::<Vec<_>>());
    Ok(of(&global, found.found))
}

fn split(tasks: &[usize], color: &[usize]) -> [Vec<usize>; 2] {
    [0, 1].map(|wanted| tasks.iter().copied().filter(|&i| color[i] == wanted).collect())
}

/// What is left where no servers are found for sporadic tasks.
enum Known {
    /// Servers for the phases of the tasks.
    Servers(Partition),
    /// None after so many partitions that are not all; copies may help.
    ToCopy(usize),
}

/// Servers for the phases of the tasks, `without` whose knowledge none were found; or whether copies are to be tried.
fn for_phases(
    context: &PlanContext<'_>,
    own: &[Task],
    need: &MemoryNeed,
    space: &Space,
    without: Sought<Partition>,
) -> Result<Sought<Known>, Refusal> {
    let options = &context.set.options;
    let mut tried = match without {
        Sought::Open(tried) => tried,
        _ => 0,
    };
    let is_known = context.known_instants_without_switches().is_ok();
    let repeats = hyperperiod(own, space.locks().retention());
    if let (true, true, Err(why)) = (is_known, options.instances > 1, &repeats) {
        let words = format!("no servers are found without copies; with copies, {why}");
        return Err(Refusal::undecided(words));
    }
    if is_known && repeats.is_ok() {
        let all = context.attempts();
        let most = all.most.min(if own.len() > 8 { OF_MANY_TASKS } else { OF_KNOWN_JOBS });
        let found = partition_for_phases(own, Some(need), options.policy, space, Attempts { most, ..all });
        match found.map_err(undecided)? {
            Sought::Found(found) => return Ok(Sought::Found(Known::Servers(found))),
            Sought::Open(more) => tried = tried.saturating_add(more),
            Sought::Nowhere => {}
        }
        if options.instances > 1 {
            return Ok(Sought::Found(Known::ToCopy(tried)));
        }
    }
    Ok(match tried {
        0 => Sought::Nowhere,
        tried => Sought::Open(tried),
    })
}

/// No servers are found, and others were not looked for.
fn open(context: &PlanContext<'_>, tasks: &[usize], locks: &Locks, tried: usize) -> Refusal {
    Refusal::open(tried, none_found(context, tasks, locks))
}

/// Why no servers are found, as far as it can be said simply.
fn none_found(context: &PlanContext<'_>, tasks: &[usize], locks: &Locks) -> Refusal {
    let own = context.pick(tasks);
    let window = locks.window_length(0).min(locks.window_length(1));
    let impatient: Vec<&Task> = own.iter().filter(|task| task.deadline - task.wcet < window).collect();
    if let Some(task) = impatient.first() {
        return Refusal::load(format!(
            "a color is locked for {}, and a job of task {} can wait for {} at most (deadline {}, execution {}): whichever color it \
             has, a job released with a lock misses{}",
            time(window),
            task.name,
            time(task.deadline - task.wcet),
            time(task.deadline),
            time(task.wcet),
            match (context.set.options.instances, context.set.options.executive) {
                (1, true) =>
                    "; shorter locks may help, or another plan.policy with a copy in the other color (plan.instances = 2)",
                (1, false) => "; a copy in the other color may help (plan.instances = 2), or shorter locks",
                _ => ", and copies in the other color do not help either",
            }
        ));
    }
    let (shortest, longest) = context.set.options.periods;
    Refusal::load(format!(
        "no servers with periods from {} to {} that divide {} serve the tasks (utilisation {:.4}) beside locks of {}",
        time(shortest),
        time(longest),
        time(locks.retention()),
        utilization(&own),
        time(window)
    ))
}
