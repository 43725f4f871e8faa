// SPDX-License-Identifier: MIT OR Apache-2.0
//! The Colored Refresh Server: two servers per core under lock windows, found by search B or given (CRS-1 to CRS-16).

mod copies;
mod executive;

use super::draft::{Draft, Ground};
use super::grouping::{Split, core_of, given, instances, take};
use super::locking::{about_burst, locks, planned, windows};
use super::prove::{Proved, prove};
use super::words::time;
use crate::colors::of_ranks;
use crate::plan::{CoreServers, Evidence, PlannedServer, Proof, Schedule};
use crate::refusal::Refusal;
use copies::{prove_with_copies, with_copies};
use executive::tabulate;
use fresco_rt::copies::InstanceTable;
use fresco_rt::search::{Found, Space, partition, rest_of_table};
use fresco_rt::simulation::{Dispatch, Simulation};
use fresco_rt::toplevel::{Locks, Server, TopLevel, TopLevelError, server_tables};
use fresco_rt::{Task, Time};

/// The servers of a core: numbers of the tasks of server 0 and 1, and of those with an instance in each.
pub(super) struct OnCore {
    pub workloads: [Vec<usize>; 2],
    pub copied: Vec<(usize, InstanceTable)>,
    pub top: TopLevel,
}

impl OnCore {
    fn without_copies(workloads: [Vec<usize>; 2], top: TopLevel) -> Self {
        let copied = Vec::new();
        Self { workloads, copied, top }
    }

    /// Numbers of the copied tasks.
    fn shared(&self) -> Vec<usize> {
        self.copied.iter().map(|(task, _)| *task).collect()
    }
}

pub(super) fn draft(ground: &Ground<'_>) -> Result<Draft, Refusal> {
    ground.periodic()?;
    let groups = ground.two_groups()?;
    let retention = ground.memory.retention_ns;
    // Colour 0 is that of the server of higher priority; its lock comes half a retention time later (E18).
    let phases = [retention / 2, 0];
    let locks = locks(ground, &phases)?;
    let mut color_of_group = None;
    let mut cores = Vec::new();
    for tasks in by_core(ground) {
        let (core, order) = on_core(ground, &tasks, &groups, &locks, &cores)?;
        color_of_group.get_or_insert(order);
        cores.push(core);
    }
    let order = color_of_group.unwrap_or([0, 1]);
    let ranks = order.map(|group| groups[group].clone());
    let colors = of_ranks(&ground.set.machine, &ranks)?;
    check_memory(ground, &cores, &colors)?;
    let mut instances = instances(ground, &split_of(&cores));
    for task in cores.iter().flat_map(OnCore::shared) {
        let bytes = ground.set.tasks[task].memory;
        instances[task] = vec![vec![bytes, 0], vec![0, bytes]];
    }
    let mut draft = Draft {
        instances,
        instance_of_job: vec![Vec::new(); ground.tasks.len()],
        cores: core_of(&all_tasks(&cores), ground.tasks.len()),
        bounds: vec![None; ground.tasks.len()],
        copies: vec![None; ground.tasks.len()],
        schedule: Schedule::Servers {
            locks: planned(&locks),
            cores: cores.iter().map(planned_core).collect(),
        },
        refresh: windows(ground, &phases),
        proofs: Vec::new(),
        reasons: vec![about_burst(ground)],
        colors,
    };
    for (number, core) in (0u32..).zip(&cores) {
        prove_core(ground, number, core, &mut draft)?;
    }
    if ground.set.options.executive {
        tabulate(ground, &locks, &cores, &mut draft)?;
    }
    Ok(draft)
}

/// Numbers of the tasks of each core: as given, or heaviest first to the least loaded.
pub(super) fn by_core(ground: &Ground<'_>) -> Vec<Vec<usize>> {
    let mut cores = vec![Vec::new(); ground.set.options.cores as usize];
    match given(ground) {
        Some(given) => given
            .into_iter()
            .enumerate()
            .for_each(|(task, core)| cores[core].push(task)),
        None => {
            // Parts per 2^32 of a core, rounded up.
            let load = |&i: &usize| {
                let task = &ground.tasks[i];
                (u128::from(task.wcet) << 32).div_ceil(u128::from(task.period))
            };
            let mut order: Vec<usize> = (0..ground.tasks.len()).collect();
            order.sort_by_key(|i| (std::cmp::Reverse(load(i)), *i));
            for task in order {
                let least = cores.iter_mut().min_by_key(|core| core.iter().map(load).sum::<u128>());
                least.expect("there are cores").push(task);
            }
            cores.iter_mut().for_each(|core| core.sort_unstable());
        }
    }
    cores
}

/// Servers for the tasks of a core, and the group of ranks of each colour.
fn on_core(
    ground: &Ground<'_>,
    tasks: &[usize],
    groups: &[Vec<u32>; 2],
    locks: &Locks,
    others: &[OnCore],
) -> Result<(OnCore, [usize; 2]), Refusal> {
    let options = &ground.set.options;
    let (shortest, longest) = options.periods;
    let space = Space::new(locks.clone(), shortest, longest);
    let of = |workloads: &[Vec<usize>; 2], found: Found| {
        let workloads = found.order.map(|workload| workloads[workload].clone());
        let top = found.top;
        (OnCore::without_copies(workloads, top), found.order)
    };
    let fixed = ground.given_colors()?;
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
        let sets = [ground.pick(&workloads[0]), ground.pick(&workloads[1])];
        let found = rest_of_table([&sets[0], &sets[1]], options.policy, &space, true).map_err(refused)?;
        let found = found.ok_or_else(|| none_found(ground, tasks, locks))?;
        return Ok(of(&workloads, found));
    }
    let mut need = ground.need(tasks, groups);
    take(ground, &mut need.capacity, &split_of(others));
    let own = ground.pick(tasks);
    let found = partition(&own, Some(&need), options.policy, &space, options.attempts).map_err(refused)?;
    let found = match found {
        Some(found) => found,
        None if options.instances > 1 => {
            let copied = with_copies(ground, tasks, &need, &space)?;
            return copied.ok_or_else(|| none_found(ground, tasks, locks));
        }
        None => return Err(none_found(ground, tasks, locks)),
    };
    let global = found
        .workloads
        .map(|indices| indices.iter().map(|&i| tasks[i]).collect::<Vec<_>>());
    Ok(of(&global, found.found))
}

fn split(tasks: &[usize], color: &[usize]) -> [Vec<usize>; 2] {
    [0, 1].map(|wanted| tasks.iter().copied().filter(|&i| color[i] == wanted).collect())
}

/// Why no servers are found, as far as it can be said simply.
fn none_found(ground: &Ground<'_>, tasks: &[usize], locks: &Locks) -> Refusal {
    let own = ground.pick(tasks);
    let window = locks.window_length(0).min(locks.window_length(1));
    let impatient: Vec<&Task> = own.iter().filter(|task| task.deadline - task.wcet < window).collect();
    if let Some(task) = impatient.first() {
        return Refusal::load(format!(
            "a colour is locked for {}, and a job of task {} can wait for {} at most (deadline {}, execution {}): whichever colour it \
             has, a job released with a lock misses{}",
            time(window),
            task.name,
            time(task.deadline - task.wcet),
            time(task.deadline),
            time(task.wcet),
            match ground.set.options.instances {
                1 => "; a copy in the other colour may help (plan.instances = 2), or shorter locks",
                _ => ", and copies in the other colour do not help either",
            }
        ));
    }
    let (shortest, longest) = ground.set.options.periods;
    Refusal::load(format!(
        "no servers with periods from {} to {} that divide {} serve the tasks (utilisation {:.4}) beside locks of {}",
        time(shortest),
        time(longest),
        time(locks.retention()),
        super::words::utilization(&own),
        time(window)
    ))
}

pub(super) fn refused(error: TopLevelError) -> Refusal {
    Refusal::undecided(error.to_string())
}

/// Deadlines by the slot tables of both servers (T3), else by a run with these phases.
fn prove_core(ground: &Ground<'_>, number: u32, core: &OnCore, draft: &mut Draft) -> Result<(), Refusal> {
    let policy = ground.set.options.policy;
    if !core.copied.is_empty() {
        return prove_with_copies(ground, number, core, draft);
    }
    let (tables, idle) = server_tables(&core.top).map_err(refused)?;
    let sets = [ground.pick(&core.workloads[0]), ground.pick(&core.workloads[1])];
    let mut parts: Vec<(usize, Proved)> = Vec::new();
    let mut failure = None;
    for color in (0..2).filter(|&color| !sets[color].is_empty()) {
        let server = core.top.servers()[color];
        let whose = format!(
            "server {} ({} in {})",
            color,
            time(server.budget()),
            time(server.period())
        );
        match prove(&sets[color], policy, &tables[color].slots, &whose) {
            Ok(proved) => parts.push((color, proved)),
            Err(refusal) => failure = failure.or(Some(refusal)),
        }
    }
    let servers = core
        .top
        .servers()
        .map(|s| format!("{} in {}", time(s.budget()), time(s.period())));
    draft.reasons.push(format!(
        "core {number}: server 0 has {}, server 1 {}; in every {} the core idles for {}, and ends locks with {} and {} unhidden",
        servers[0],
        servers[1],
        time(core.top.repeat().map_err(refused)?),
        time(idle),
        time(tables[0].unhidden),
        time(tables[1].unhidden)
    ));
    if let Some(refusal) = failure {
        let (jobs, worst) = run(core, &sets, ground).map_err(|_| refusal.clone())?;
        draft.reasons.push(format!(
            "core {number}: deadlines hold for these phases only; for sporadic arrivals, {refusal}"
        ));
        let counted = core.workloads.concat();
        counted
            .iter()
            .zip(worst)
            .for_each(|(&i, response)| draft.bounds[i] = response);
        let evidence = Evidence::Run { jobs };
        draft.proofs.push(Proof {
            core: Some(number),
            color: None,
            tasks: counted,
            evidence,
        });
        return Ok(());
    }
    for (color, proved) in parts {
        let tasks = core.workloads[color].clone();
        tasks
            .iter()
            .zip(&proved.bounds)
            .for_each(|(&i, &bound)| draft.bounds[i] = Some(bound));
        draft.proofs.push(Proof {
            core: Some(number),
            color: Some(color),
            tasks,
            evidence: proved.evidence,
        });
    }
    Ok(())
}

/// Jobs done and worst responses of an exact run; the error is a miss, or no repetition.
fn run(core: &OnCore, sets: &[Vec<Task>; 2], ground: &Ground<'_>) -> Result<(u64, Vec<Option<Time>>), ()> {
    let dispatch = Dispatch::Idling(core.top.servers().to_vec());
    let workloads = vec![sets[0].as_slice(), sets[1].as_slice()];
    let simulation = Simulation::new(workloads, ground.set.options.policy, dispatch, Some(core.top.locks()));
    let outcome = simulation
        .and_then(|simulation| simulation.run_exact())
        .map_err(|_| ())?;
    match outcome.misses == 0 && outcome.converged {
        true => Ok((outcome.jobs_done, outcome.worst_response)),
        false => Err(()),
    }
}

fn planned_core(core: &OnCore) -> CoreServers {
    let server = |color: usize| PlannedServer {
        color,
        period_ns: core.top.servers()[color].period(),
        budget_ns: core.top.servers()[color].budget(),
        tasks: [core.workloads[color].clone(), core.shared()].concat(),
    };
    CoreServers {
        servers: vec![server(0), server(1)],
    }
}

fn all_tasks(cores: &[OnCore]) -> Vec<Vec<usize>> {
    cores
        .iter()
        .map(|core| [core.workloads.concat(), core.shared()].concat())
        .collect()
}

fn split_of(cores: &[OnCore]) -> Split {
    cores.iter().map(|core| core.workloads.clone()).collect()
}

/// Does the memory of each colour's tasks fit it?
fn check_memory(ground: &Ground<'_>, cores: &[OnCore], colors: &[crate::plan::Color]) -> Result<(), Refusal> {
    for (color, holds) in colors.iter().enumerate() {
        let tasks = cores
            .iter()
            .flat_map(|core| [core.workloads[color].clone(), core.shared()].concat());
        let used: u128 = tasks.map(|i| u128::from(ground.set.tasks[i].memory)).sum();
        if used > u128::from(holds.bytes) {
            return Err(Refusal::load(format!(
                "tasks of colour {color} need {used} bytes, and its ranks hold {}",
                holds.bytes
            )));
        }
    }
    Ok(())
}
