// SPDX-License-Identifier: MIT OR Apache-2.0
//! Jobs on a core: they come, the first of them whose color has the core runs, and is over, or not in time.

use super::conduct::{Arrivals, Conduct};
use super::gate::{Gate, Grant};
use super::plan::{Ns, Order, Plan, Schedule, Task};
use super::refresh::Busy;
use super::{Harm, Piece, Seen, bit};

/// A job that waits or runs.
struct Job {
    task: usize,
    number: u64,
    release: Ns,
    /// It is ready from here on.
    ready: Ns,
    deadline: Ns,
    left: Ns,
    /// It has run already.
    begun: bool,
    /// How much of it is a copy, which comes first.
    copy: Ns,
    /// In whose time it runs.
    color: u64,
    /// Ranks that it touches, and those that it copies from.
    ranks: u64,
    from: u64,
}

/// A core changes from one job to another: nothing preempts that.
#[derive(Default)]
struct Switch {
    /// The job that runs, or will.
    to: Option<(usize, u64)>,
    left: Ns,
}

/// When the jobs of a task come.
struct Coming {
    at: Ns,
    /// When it would come without jitter.
    nominal: i64,
    number: u64,
    sporadic: bool,
    /// Instants at which time of its color ends.
    ends: Vec<Ns>,
}

/// Runs the tasks of a core for as many steps as the conduct has, or until everything has come twice as planned.
///
/// # Errors
/// The first harm.
pub fn run(plan: &Plan, core: usize, conduct: &Conduct, seen: &mut Seen) -> Result<(), Harm> {
    let own: Vec<usize> = (0..plan.tasks.len())
        .filter(|&task| plan.tasks[task].core == Some(core))
        .collect();
    let Some(mut gate) = Gate::of(plan, conduct, core) else {
        return Ok(());
    };
    if own.is_empty() {
        return Ok(());
    }
    let rule = Rule::of(plan, conduct);
    let time: Vec<u64> = (0..plan.tasks.len()).map(|task| listed(plan, core, task)).collect();
    let mut coming: Vec<(usize, Coming)> = first(plan, core, &own, conduct);
    let behind: Vec<usize> = own
        .iter()
        .copied()
        .filter(|&task| plan.tasks[task].period_ns == 0)
        .collect();
    let mut busy: Vec<Busy> = (0..plan.colors.len())
        .filter_map(|color| Busy::of(plan, conduct, plan.ranks_of(color)))
        .collect();
    let mut ready: Vec<Job> = Vec::new();
    let mut switch = Switch::default();
    let (mut now, mut grant) = (0, gate.step());
    let mut steps = 0;
    let end = horizon(plan, &own);
    while steps < conduct.steps && now < end {
        steps += 1;
        while grant.end <= now {
            grant = gate.step();
        }
        let mut next = Ns::MAX;
        for (task, coming) in &mut coming {
            while coming.at <= now {
                ready.push(released(plan, *task, coming, conduct, &time));
            }
            next = next.min(coming.at);
        }
        let soon = ready.iter().map(|job| job.ready).filter(|&at| at > now);
        let until = grant.end.min(next).min(soon.min().unwrap_or(Ns::MAX));
        if switch.left > 0 {
            let until = match grant.colors {
                0 => until,
                _ => until.min(now + switch.left),
            };
            switch.left -= if grant.colors == 0 { 0 } else { until - now };
            late(plan, &ready, until)?;
            now = until;
            continue;
        }
        let first = ready
            .iter()
            .enumerate()
            .filter(|(_, job)| job.color & grant.colors != 0 && job.ready <= now)
            .min_by(|(_, a), (_, b)| {
                let (one, other) = ((a.task, a.deadline, a.release), (b.task, b.deadline, b.release));
                rule.key(one).cmp(&rule.key(other))
            });
        let Some((place, _)) = first else {
            for &task in &behind {
                if time[task] & plan.colors_of(task, 0) & grant.colors != 0 {
                    meets(plan, &mut busy, task, plan.touched(task, 0), (now, until))?;
                }
            }
            late(plan, &ready, until)?;
            now = until;
            continue;
        };
        let job = &mut ready[place];
        if switch.to != Some((job.task, job.number)) {
            job.left += if job.begun {
                plan.tasks[job.task].cache_reload_ns
            } else {
                0
            };
            job.begun = true;
            switch = Switch {
                to: Some((job.task, job.number)),
                left: plan.context_switch_ns,
            };
            continue;
        }
        let part = if job.copy > 0 { job.copy } else { job.left };
        let until = until.min(now + part);
        let touched = if job.copy > 0 { job.ranks | job.from } else { job.ranks };
        meets(plan, &mut busy, job.task, touched, (now, until))?;
        seen.piece(core, job.task, job.number, now, until);
        job.left -= until - now;
        job.copy = job.copy.saturating_sub(until - now);
        if job.left == 0 {
            let job = ready.swap_remove(place);
            over(plan, &job, until, seen)?;
            switch.to = None;
        }
        late(plan, &ready, until)?;
        now = until;
    }
    Ok(())
}

impl Seen {
    /// Keeps a piece, together with the one that it continues.
    pub fn piece(&mut self, core: usize, task: usize, job: u64, start: Ns, end: Ns) {
        if let Some(last) = self.pieces.last_mut()
            && (last.core, last.task, last.job, last.end) == (core, task, job, start)
        {
            last.end = end;
        } else if self.pieces.len() < self.keep {
            self.pieces.push(Piece {
                core,
                task,
                job,
                start,
                end,
            });
        }
    }
}

/// Known phases repeat: two turns, if they are short.
fn horizon(plan: &Plan, own: &[usize]) -> Ns {
    let known = own.iter().all(|&task| plan.sporadic(task) != Some(true));
    let gcd = |mut a: Ns, mut b: Ns| {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let base = match &plan.schedule {
        Schedule::Locked { locks } | Schedule::Servers { locks, .. } => locks.period_ns,
        _ => plan.memory.retention_ns.max(1),
    };
    let cycle = |task: &Task| {
        task.period_ns
            .max(1)
            .checked_mul((task.instance_of_job.len() as Ns).max(1))
    };
    let turn = own.iter().try_fold(base, |turn, &task| {
        let period = cycle(&plan.tasks[task])?;
        (turn / gcd(turn, period))
            .checked_mul(period)
            .filter(|&turn| turn < 1 << 55)
    });
    let phase = own.iter().map(|&task| plan.tasks[task].phase_ns).max().unwrap_or(0);
    turn.filter(|_| known).map_or(Ns::MAX, |turn| 2 * turn + phase)
}

/// Bits of the colors in whose time a task runs on a core: where it is listed, if there are lists.
fn listed(plan: &Plan, core: usize, task: usize) -> u64 {
    let of_list = |lists: Vec<(usize, &Vec<usize>)>| {
        let own = lists.into_iter().filter(|(_, tasks)| tasks.contains(&task));
        own.fold(0, |all, (color, _)| all | bit(color))
    };
    match &plan.schedule {
        Schedule::Servers { cores, .. } => of_list(
            cores[core]
                .servers
                .iter()
                .map(|server| (server.color, &server.tasks))
                .collect(),
        ),
        Schedule::Slots { cores, .. } => of_list(cores[core].tasks.iter().enumerate().collect()),
        _ => u64::MAX,
    }
}

/// Which of two ready jobs goes first.
struct Rule {
    by_deadline: bool,
    /// The place of each task in the order of equal deadlines, or of priorities.
    ranks: Vec<usize>,
}

impl Rule {
    fn of(plan: &Plan, conduct: &Conduct) -> Self {
        let order = plan.order().unwrap_or(Order::Edf);
        let key = |task: &usize| {
            let Task {
                name,
                period_ns,
                deadline_ns,
                ..
            } = &plan.tasks[*task];
            match order {
                Order::Rate => (*period_ns, *deadline_ns, name.as_str()),
                Order::Edf | Order::Deadline => (*deadline_ns, *period_ns, name.as_str()),
            }
        };
        let mut ranking: Vec<usize> = (0..plan.tasks.len()).collect();
        ranking.sort_by_key(key);
        let by_deadline = order == Order::Edf;
        let any_order = (0..plan.tasks.len()).all(|task| plan.sporadic(task) != Some(false));
        if by_deadline && any_order && conduct.reversed_ties {
            ranking.reverse();
        }
        let mut ranks = vec![0; ranking.len()];
        for (rank, task) in ranking.into_iter().enumerate() {
            ranks[task] = rank;
        }
        Self { by_deadline, ranks }
    }

    /// What jobs are sorted by: of `(task, deadline, release)` the smallest goes first.
    fn key(&self, (task, deadline, release): (usize, Ns, Ns)) -> (Ns, usize, Ns) {
        (if self.by_deadline { deadline } else { 0 }, self.ranks[task], release)
    }
}

/// When the first jobs come.
fn first(plan: &Plan, core: usize, own: &[usize], conduct: &Conduct) -> Vec<(usize, Coming)> {
    let together = conduct.below(64, [6, core as u64, 0]);
    let ends_of = |task: usize| {
        let color = plan.colors_of(task, 0).trailing_zeros() as usize;
        Gate::of(plan, conduct, core).map_or(Vec::new(), |gate| gate.ends(color, 64))
    };
    let with_period = own.iter().copied().filter(|&task| plan.tasks[task].period_ns > 0);
    with_period
        .map(|task| {
            let sporadic = plan.sporadic(task) == Some(true) && conduct.arrivals != Arrivals::Planned;
            let ends = if sporadic { ends_of(task) } else { Vec::new() };
            let phase = plan.tasks[task].phase_ns;
            let some = |number: u64| ends.get(number as usize % ends.len().max(1)).copied().unwrap_or(phase);
            let at = match conduct.arrivals {
                _ if !sporadic => phase,
                Arrivals::Planned => phase,
                Arrivals::Together => some(together),
                Arrivals::Apart => some(conduct.below(16, [7, task as u64, 0])),
                Arrivals::Random => conduct.below(plan.tasks[task].period_ns, [8, task as u64, 0]),
            };
            // The first of a burst comes as late as it may.
            let coming = Coming {
                at,
                nominal: at as i64 - plan.tasks[task].arrival_jitter_ns as i64,
                number: 0,
                sporadic,
                ends,
            };
            (task, coming)
        })
        .collect()
}

/// The job that comes now; the next one is put off.
fn released(plan: &Plan, number: usize, coming: &mut Coming, conduct: &Conduct, time: &[u64]) -> Job {
    let (task, job, release) = (&plan.tasks[number], coming.number, coming.at);
    let cycle = task.instance_of_job.len();
    let instance = |job: u64| {
        if cycle == 0 {
            0
        } else {
            task.instance_of_job[(job % cycle as u64) as usize]
        }
    };
    let source = instance(job + (cycle as u64).max(1) - 1);
    let copies = source != instance(job);
    let copy = task.copy_ns.filter(|_| copies).unwrap_or(0);
    coming.number += 1;
    let mut pause = 0;
    let place = [9, number as u64, job];
    if coming.sporadic && conduct.arrivals == Arrivals::Random && conduct.below(2, place) == 1 {
        pause = conduct.below(task.period_ns, [10, place[1], job]);
    }
    coming.nominal += (task.period_ns + pause) as i64;
    let late = match conduct.arrivals {
        Arrivals::Planned | Arrivals::Together | Arrivals::Apart => 0,
        Arrivals::Random => conduct.below(task.arrival_jitter_ns + 1, [11, place[1], job]),
    };
    let distance = match task.arrival_jitter_ns {
        0 => task.period_ns,
        _ => task.min_distance_ns.max(1),
    };
    let nominal = coming.nominal + if task.arrival_jitter_ns == 0 { 0 } else { late as i64 };
    coming.at = (release + distance).max(nominal.max(0) as Ns);
    if coming.sporadic && conduct.arrivals == Arrivals::Apart && conduct.below(4, place) == 3 {
        let known = coming.ends.iter().copied().find(|&at| at >= coming.at);
        let moved = known.unwrap_or(coming.at) - coming.at;
        (coming.at, coming.nominal) = (coming.at + moved, coming.nominal + moved as i64);
    }
    let ready = match conduct.below(3, [12, place[1], job]) {
        0 => 0,
        1 => task.jitter_ns,
        _ => conduct.below(task.jitter_ns + 1, [13, place[1], job]),
    };
    Job {
        task: number,
        number: job,
        release,
        ready: release + ready,
        begun: false,
        deadline: release + task.deadline_ns,
        left: conduct.work(task.wcet_ns, number, job) + copy,
        copy,
        color: plan.colors_of(number, instance(job)) & time[number],
        ranks: plan.touched(number, instance(job)),
        from: plan.touched(number, source),
    }
}

/// A job is over: harm if it is late, where its task is promised anything.
fn over(plan: &Plan, job: &Job, at: Ns, seen: &mut Seen) -> Result<(), Harm> {
    if plan.sporadic(job.task).is_none() {
        return Ok(());
    }
    judged(plan, job.task, job.number, job.release, at, seen)
}

/// Judges the end of a job.
pub fn judged(plan: &Plan, task: usize, job: u64, release: Ns, at: Ns, seen: &mut Seen) -> Result<(), Harm> {
    let (response, planned) = (at - release, &plan.tasks[task]);
    if response > planned.deadline_ns {
        return Err(missed(planned, job, release));
    }
    if planned.response_bound_ns.is_none_or(|bound| response > bound) {
        return Err(Harm::Bound {
            task: planned.name.clone(),
            job,
            response,
            bound: planned.response_bound_ns,
        });
    }
    seen.jobs += 1;
    seen.worst[task] = seen.worst[task].max(response);
    Ok(())
}

/// A job that is not over at its deadline.
pub fn missed(task: &Task, job: u64, release: Ns) -> Harm {
    Harm::Miss {
        task: task.name.clone(),
        job,
        deadline: release + task.deadline_ns,
    }
}

/// Jobs that are not over in time.
fn late(plan: &Plan, ready: &[Job], now: Ns) -> Result<(), Harm> {
    let late = ready
        .iter()
        .find(|job| job.deadline < now && plan.sporadic(job.task).is_some());
    late.map_or(Ok(()), |job| {
        Err(missed(&plan.tasks[job.task], job.number, job.release))
    })
}

/// Whether a task that touches `touched` runs while a part of that is refreshed.
pub fn meets(plan: &Plan, busy: &mut [Busy], task: usize, touched: u64, (from, to): (Ns, Ns)) -> Result<(), Harm> {
    for busy in busy.iter_mut().filter(|busy| busy.ranks & touched != 0) {
        if let Some(at) = busy.meets(from, to) {
            return Err(Harm::Met {
                task: plan.tasks[task].name.clone(),
                at,
            });
        }
    }
    Ok(())
}

/// The spans of a core up to a time: for worked examples.
pub fn grants(plan: &Plan, conduct: &Conduct, core: usize, until: Ns) -> Vec<Grant> {
    let mut all = Vec::new();
    let Some(mut gate) = Gate::of(plan, conduct, core) else {
        return all;
    };
    loop {
        let grant = gate.step();
        if grant.start >= until {
            return all;
        }
        all.push(grant);
    }
}
