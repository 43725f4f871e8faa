// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether what the checker says of a plan that it refuses is true: each kind of fact recomputed from the plan's JSON.

use super::gate::Gate;
use super::plan::{Ns, Plan, Refresh, Schedule};
use super::supply::Supply;
use super::{Seen, bit, conduct::Conduct, ranks};
use serde_json::Value;

/// A plan, the sound one that it was made from, and the cores of its machine.
pub struct Case<'a> {
    pub json: &'a Value,
    pub sound: &'a Value,
    pub cores: u64,
}

/// Numbers in a text.
fn numbers(text: &str) -> Vec<u64> {
    let parts = text
        .split(|c: char| !c.is_ascii_digit())
        .filter(|part| !part.is_empty());
    parts.filter_map(|part| part.parse().ok()).collect()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or(0)
}

/// Whether the fact is true. `None`: nobody has said how to find out.
pub fn holds(case: &Case, place: &str, fact: &str) -> Option<bool> {
    let plan = Plan::read(case.json).ok()?;
    let begins = |start: &str| place.starts_with(start);
    match () {
        () if begins("proofs[") => of_proof(case, &plan, place, fact),
        () if begins("tasks[") => of_task(&plan, place, fact),
        () if begins("colors[") => of_color(case, &plan, place, fact),
        () if begins("schedule.table") => of_table(case, &plan, place, fact),
        () if begins("refresh") => of_refresh(&plan, place, fact),
        () if begins("schedule") => of_schedule(&plan, place, fact),
        () if place == "tasks" && fact == "there is none" => Some(plan.tasks.is_empty()),
        () if place == "cores" => {
            let found = numbers(fact);
            Some(plan.cores == found[0] && case.cores == found[1] && plan.cores > case.cores)
        }
        () => None,
    }
}

fn of_color(case: &Case, plan: &Plan, place: &str, fact: &str) -> Option<bool> {
    let (own, found) = (*numbers(place).first()? as usize, numbers(fact));
    let truth = ranks::truth(&Plan::read(case.sound).ok()?);
    let banks = |color: usize| ranks::list(&plan.colors[color].bank_colors).unwrap_or_default();
    if fact.contains("which another color has too") {
        let all: Vec<u64> = (0..plan.colors.len()).flat_map(banks).collect();
        return Some(all.iter().filter(|&&bank| bank == found[0]).count() > 1);
    }
    if fact.contains("whose pages lie in rank") {
        let there = truth.get(&found[0])? & bit(found[1] as usize) != 0;
        return Some(there && plan.ranks_of(own) & bit(found[1] as usize) == 0 && banks(own).contains(&found[0]));
    }
    if fact.contains("its bank colors have") {
        let (first, sound) = (
            &list(&case.sound["colors"])[0],
            ranks::list(case.sound["colors"][0]["bank_colors"].as_str()?)?,
        );
        let each = number(&first["bytes"]) / sound.len() as u64;
        return Some(
            plan.colors[own].bytes == found[0] && found[0] > found[1] && found[1] == each * banks(own).len() as u64,
        );
    }
    if fact == "holds no bytes" {
        return Some(plan.colors[own].bytes == 0);
    }
    if fact == "names a rank twice" {
        let ranks = &plan.colors[own].ranks;
        return Some((1..ranks.len()).any(|k| ranks[..k].contains(&ranks[k])));
    }
    None
}

fn of_task(plan: &Plan, place: &str, fact: &str) -> Option<bool> {
    let own = *numbers(place).first()? as usize;
    let (task, found) = (&plan.tasks[own], numbers(fact));
    if fact.starts_with("its times make no task") {
        let (wcet, deadline, period) = (task.wcet_ns, task.deadline_ns, task.period_ns);
        return Some(!(1 <= wcet && wcet <= deadline && deadline <= period));
    }
    if fact.starts_with("its response bound of") {
        return Some(task.response_bound_ns == Some(found[0]) && task.deadline_ns == found[1] && found[0] > found[1]);
    }
    if place.ends_with(".work") {
        return Some(!task.memory_bytes.is_multiple_of(64));
    }
    if place.ends_with(".global_bytes") {
        return Some(task.global_bytes == found[0] && task.memory_bytes == found[1] && found[0] > found[1]);
    }
    if place.ends_with(".copy_ns") && fact.contains("the data buses need") {
        return Some(task.copy_ns == Some(found[0]) && found[0] < found[1] && task.global_bytes == found[2]);
    }
    if place.ends_with(".instance_of_job") {
        let Schedule::Servers { locks, .. } = &plan.schedule else {
            return None;
        };
        if fact.contains("do not last for whole retention times") {
            return Some(
                !(task.period_ns * found[0]).is_multiple_of(locks.period_ns)
                    && task.instance_of_job.len() as u64 == found[0],
            );
        }
        if fact.contains("copies in a window in which color") {
            let (job, color) = (found[0], found[1] as usize);
            let cycle = task.instance_of_job.len() as u64;
            let at = |job: u64| task.instance_of_job[(job % cycle) as usize];
            let copies = at(job) != at(job + cycle - 1);
            let owned = (plan.colors_of(own, at(job)) | plan.colors_of(own, at(job + cycle - 1))) & bit(color) != 0;
            let from = (task.phase_ns + job * task.period_ns) % locks.period_ns;
            let locked = (0..3).map(|turn| turn * locks.period_ns + locks.phase_ns[color]);
            let long = locks.lock_ns + locks.burst_ns[color] + locks.unlock_ns;
            let mut met = locked.filter(|&start| start < from + task.deadline_ns && from < start + long);
            return Some(copies && owned && met.next().is_some());
        }
    }
    let times_listed = |color: Option<usize>| match &plan.schedule {
        Schedule::Servers { cores, .. } => {
            let all = cores
                .iter()
                .flat_map(|core| &core.servers)
                .filter(|server| color.is_none_or(|color| server.color == color));
            all.flat_map(|server| &server.tasks)
                .filter(|&&task| task == own)
                .count()
        }
        Schedule::Slots { cores, .. } => {
            let all = cores.iter().flat_map(|core| core.tasks.iter().enumerate());
            all.filter(|&(number, _)| color.is_none_or(|color| number == color))
                .flat_map(|(_, tasks)| tasks)
                .filter(|&&task| task == own)
                .count()
        }
        _ => 0,
    };
    match fact {
        "there is another task of this name" => Some(plan.tasks[..own].iter().any(|other| other.name == task.name)),
        "nothing proves its deadline" => Some(plan.sporadic(own).is_none() && task.period_ns > 0),
        "runs in two places" => Some((0..plan.colors.len()).any(|color| times_listed(Some(color)) > 1)),
        _ if fact.starts_with("its instances do not list bytes for each of") => {
            let complete = task.instances.iter().all(|bytes| bytes.len() == plan.colors.len());
            Some(!complete || plan.colors.is_empty() != task.instances.is_empty())
        }
        "runs nowhere" => Some(times_listed(None) == 0),
        "names instances that it does not have" => {
            Some(task.instance_of_job.iter().any(|&k| k >= task.instances.len()))
        }
        _ if fact.contains("a color is locked without regard to the others") => {
            Some((0..task.instances.len()).any(|instance| plan.colors_of(own, instance).count_ones() > 1))
        }
        _ if fact.starts_with("runs on core") => Some(task.core != Some(found[0] as usize)),
        _ if fact.starts_with("runs with") => {
            let with: Vec<usize> = (0..plan.colors.len())
                .filter(|&color| times_listed(Some(color)) > 0)
                .collect();
            let has = (0..task.instances.len()).fold(0, |all, instance| all | plan.colors_of(own, instance));
            Some(with.iter().fold(0, |all, &color| all | bit(color)) != has)
        }
        _ if fact.contains("no time to copy") => {
            Some(task.instances.len() > 1 && task.global_bytes > 0 && task.copy_ns.unwrap_or(0) == 0)
        }
        _ if fact.contains("jobs that say which is theirs") || fact.contains("nothing says which a job uses") => {
            Some(task.instances.len() as u64 == found[0] && (found[0] > 1) == task.instance_of_job.is_empty())
        }
        "is bound to no core; only a table chooses one for each job" => Some(task.core.is_none()),
        _ if fact.contains("lists instances by job, which this schedule does not heed") => {
            Some(!matches!(plan.schedule, Schedule::Servers { .. }) && !task.instance_of_job.is_empty())
        }
        _ if place.contains(".instances[") => {
            let instance = &task.instances[numbers(place)[numbers(place).len() - 1] as usize];
            Some(instance.iter().sum::<u64>() == found[0] && task.memory_bytes == found[1] && found[0] < found[1])
        }
        _ => None,
    }
}

fn of_proof(case: &Case, plan: &Plan, place: &str, fact: &str) -> Option<bool> {
    let k = *numbers(place).first()? as usize;
    let (proof, json) = (&plan.proofs[k], &case.json["proofs"][k]);
    let named = |name: &str| plan.tasks.iter().position(|task| task.name == name);
    let word = |number: usize| fact.split(' ').nth(number).map(|word| word.trim_end_matches(','));
    let color = json["color"].as_u64().map(|color| color as usize);
    let core = json["core"].as_u64().map(|core| core as usize);
    let shares = |task: usize| match (&plan.schedule, color) {
        _ if proof.evidence.kind == "table" => true,
        (Schedule::Servers { cores, .. }, Some(color)) => {
            let own = core
                .and_then(|core| cores.get(core))
                .map_or(&[][..], |core| &core.servers);
            own.iter()
                .any(|server| server.color == color && server.tasks.contains(&task))
        }
        (Schedule::Slots { cores, .. }, Some(color)) => core
            .and_then(|core| cores.get(core))
            .and_then(|core| core.tasks.get(color))
            .is_some_and(|tasks| tasks.contains(&task)),
        _ => plan.tasks[task].core == core,
    };
    if fact.starts_with("leaves out") {
        let task = named(word(2)?)?;
        return Some(!proof.tasks.contains(&task) && shares(task));
    }
    if fact.starts_with("speaks of") {
        let task = named(word(2)?)?;
        return Some(proof.tasks.contains(&task) && !shares(task));
    }
    if fact.contains("does not run on core") {
        return Some(
            plan.tasks[named(word(0)?)?].core != core && core == numbers(fact).last().map(|&core| core as usize),
        );
    }
    if fact.ends_with("is proved twice") {
        let task = named(word(0)?)?;
        return Some(
            plan.proofs
                .iter()
                .flat_map(|proof| &proof.tasks)
                .filter(|&&other| other == task)
                .count()
                > 1,
        );
    }
    if fact.starts_with("there is no task") {
        return Some(numbers(fact)[0] as usize >= plan.tasks.len());
    }
    if fact.contains("has no period, and is promised nothing") {
        return Some(plan.tasks[named(word(0)?)?].period_ns == 0);
    }
    if fact == "names tasks out of order" {
        return Some(!proof.tasks.iter().copied().eq(0..plan.tasks.len()));
    }
    if fact == "names no core" {
        return Some(core.is_none());
    }
    if fact.contains("is bounded by") {
        let task = named(word(3)?)?;
        let given = numbers(fact.split("the proof gives").nth(1)?)[0];
        let least = plan.tasks[task].response_bound_ns.is_none_or(|bound| bound < given);
        return Some(least && given == granted(plan, json, proof, task)?);
    }
    certificate(plan, json, proof, fact)
}

/// The response that a proof grants a task.
fn granted(plan: &Plan, json: &Value, proof: &super::plan::Proof, task: usize) -> Option<Ns> {
    match proof.evidence.kind.as_str() {
        "demand" => Some(plan.tasks[task].deadline_ns),
        "responses" => {
            let place = proof.tasks.iter().position(|&other| other == task)?;
            json["evidence"]["responses"][place].as_u64()
        }
        "run" => {
            let mut plan = plan.clone();
            for task in &mut plan.tasks {
                task.response_bound_ns = Some(task.deadline_ns);
            }
            // To its end: the worst job may be the last one.
            let whole = Conduct {
                steps: u64::MAX,
                ..Conduct::PLANNED
            };
            let mut seen = Seen::default();
            super::run(&plan, &whole, &mut seen).ok()?;
            Some(seen.worst[task])
        }
        _ => {
            let Schedule::Table { table, .. } = &plan.schedule else {
                return None;
            };
            let own = table.slots.iter().filter(|slot| slot.task == task);
            let response = |slot: &super::plan::Slot| {
                let release = (plan.tasks[task].phase_ns + slot.job * plan.tasks[task].period_ns) % table.length;
                (slot.start + table.length - release) % table.length + slot.length
            };
            own.map(response).max()
        }
    }
}

/// What certificates of demand and responses say, with the judge's own bound of supply.
fn certificate(plan: &Plan, json: &Value, proof: &super::plan::Proof, fact: &str) -> Option<bool> {
    let tasks: Vec<_> = proof.tasks.iter().map(|&task| &plan.tasks[task]).collect();
    let (evidence, found) = (&json["evidence"], numbers(fact));
    let supply = Supply::of(plan, json)?;
    let demand = |t: Ns| -> u128 {
        let of = |task: &&super::plan::Task| {
            if t < task.deadline_ns {
                0
            } else {
                u128::from((t - task.deadline_ns) / task.period_ns + 1) * u128::from(task.wcet_ns)
            }
        };
        tasks.iter().map(of).sum()
    };
    let due = |from: Ns, to: Ns| {
        tasks.iter().any(|task| {
            let since = from.saturating_sub(task.deadline_ns).div_ceil(task.period_ns);
            task.deadline_ns + since * task.period_ns < to
        })
    };
    let steps: Vec<(Ns, Ns)> = list(&evidence["steps"])
        .iter()
        .map(|step| (number(&step["t"]), number(&step["reached"])))
        .collect();
    let horizon = number(&evidence["horizon"]);
    if fact.starts_with("a deadline above") {
        let place = steps.iter().position(|step| step.0 == found[0])?;
        let uncovered = if place == 0 { horizon + 1 } else { steps[place - 1].1 };
        let (t, reached) = steps[place];
        return Some(t >= uncovered || reached > t || due(t + 1, uncovered));
    }
    if fact.starts_with("the demand of an interval of") {
        let (t, reached) = *steps.iter().find(|step| step.0 == found[0])?;
        return Some(u128::from(supply.least(reached)) < demand(t));
    }
    if fact.starts_with("deadlines below") {
        let last = steps.last().map_or(horizon + 1, |step| step.1);
        return Some(last == found[0] && due(0, last));
    }
    if fact.starts_with("the horizon does not bound") {
        let rate = supply.rate();
        let (mut busy, mut lag) = (0.0, supply.lag());
        for task in &tasks {
            let (wcet, period) = (task.wcet_ns as f64, task.period_ns as f64);
            busy += wcet / period;
            lag += wcet / period * (period - task.deadline_ns as f64);
        }
        // A hair's breadth is left to rounding.
        return Some((horizon as f64) * (rate - busy) < lag * (1.0 + 1e-9) + 2.0 + tasks.len() as f64);
    }
    let responses: Vec<Ns> = list(&evidence["responses"]).iter().map(number).collect();
    let ranking: Vec<usize> = list(&evidence["ranking"])
        .iter()
        .map(|rank| number(rank) as usize)
        .collect();
    if fact.starts_with("the ranking or the responses do not fit") {
        let mut sorted = ranking.clone();
        sorted.sort_unstable();
        return Some(!sorted.iter().copied().eq(0..tasks.len()) || responses.len() != tasks.len());
    }
    if fact.contains("is not served within its deadline") {
        let own = tasks
            .iter()
            .position(|task| fact.starts_with(&format!("{} is", task.name)))?;
        let before = ranking.iter().position(|&task| task == own)?;
        let higher = ranking[..before]
            .iter()
            .map(|&task| u128::from(responses[own].div_ceil(tasks[task].period_ns)) * u128::from(tasks[task].wcet_ns));
        let needed = u128::from(tasks[own].wcet_ns) + higher.sum::<u128>();
        return Some(responses[own] > tasks[own].deadline_ns || u128::from(supply.least(responses[own])) < needed);
    }
    if fact.contains("counts with other priorities") {
        let order = plan.order().ok()?;
        let key = |task: usize| match order {
            super::plan::Order::Rate => (tasks[task].period_ns, tasks[task].deadline_ns, &tasks[task].name),
            _ => (tasks[task].deadline_ns, tasks[task].period_ns, &tasks[task].name),
        };
        return Some(ranking.windows(2).any(|pair| key(pair[0]) > key(pair[1])));
    }
    None
}

/// Whether a color may be refreshed at a time, as the windows have it.
fn refreshed(plan: &Plan, color: usize, at: Ns) -> bool {
    let Refresh::Windows { period_ns, windows } = &plan.refresh else {
        return false;
    };
    windows.iter().filter(|window| window.color == color).any(|window| {
        let long = window.commands * plan.memory.trfc_ns + plan.refresh_jitter_ns;
        let since = (at % period_ns + period_ns - window.start_ns % period_ns) % period_ns;
        since < long
    })
}

fn of_refresh(plan: &Plan, place: &str, fact: &str) -> Option<bool> {
    let found = numbers(fact);
    let Refresh::Windows { period_ns, windows } = &plan.refresh else {
        return None;
    };
    if place == "refresh.period_ns" {
        return Some(
            *period_ns == found[0] && plan.memory.retention_ns == found[1] && !(1..=found[1]).contains(&found[0]),
        );
    }
    if fact.contains("is refreshed at") {
        let (color, at) = (found[0] as usize, found[1]);
        let allowed = match &plan.schedule {
            Schedule::Table { table, lock_ns } => table.bursts.iter().any(|burst| {
                burst.color == color
                    && (burst.start + lock_ns..burst.start + burst.length).contains(&(at % table.length))
            }),
            Schedule::Locked { locks } | Schedule::Servers { locks, .. } => {
                let from = locks.phase_ns[color] + locks.lock_ns;
                (from..from + locks.burst_ns[color]).contains(&(at % locks.period_ns))
            }
            Schedule::Slots {
                period_ns,
                handler_ns,
                cores,
            } => {
                let (border, within) = (cores[*found.last()? as usize].border_ns, at % period_ns);
                match color {
                    1 => (*handler_ns..border).contains(&within),
                    _ => (border + handler_ns..*period_ns).contains(&within),
                }
            }
            _ => return None,
        };
        return Some(refreshed(plan, color, at) && !allowed);
    }
    if fact.contains("begins before the previous one ended") {
        let color = *numbers(place).first()? as usize;
        let mut own: Vec<(Ns, Ns)> = Vec::new();
        for turn in 0..2 {
            let of_color = windows.iter().filter(|window| window.color == color);
            own.extend(of_color.map(|window| {
                (
                    turn * period_ns + window.start_ns,
                    window.commands * plan.memory.trfc_ns,
                )
            }));
        }
        own.sort_unstable();
        return Some(own.windows(2).any(|pair| pair[0].0 + pair[0].1 > pair[1].0));
    }
    if fact.contains("and not again until") {
        return Some(found[2] - found[1] > plan.memory.retention_ns);
    }
    None
}

fn of_table(case: &Case, plan: &Plan, place: &str, fact: &str) -> Option<bool> {
    let Schedule::Table { table, lock_ns } = &plan.schedule else {
        return None;
    };
    let (found, json) = (numbers(fact), &case.json["schedule"]["table"]);
    let which = numbers(place).first().map(|&number| number as usize);
    let starts = |color: usize| {
        let mut all: Vec<(Ns, Ns)> = table
            .bursts
            .iter()
            .filter(|burst| burst.color == color)
            .map(|burst| (burst.start, burst.start + burst.length))
            .collect();
        all.sort_unstable();
        if let Some(&(start, end)) = all.first() {
            all.push((start + table.length, end + table.length));
        }
        all
    };
    let core_of = |slot: &Value| {
        (
            number(&slot["core"]),
            number(&slot["start"]),
            number(&slot["start"]) + number(&slot["length"]),
        )
    };
    if place.contains(".bursts[") {
        let burst = &table.bursts[which?];
        return match fact {
            "is of a color that does not exist" => Some(burst.color >= plan.colors.len()),
            "is empty, or leaves the table" => Some(burst.length == 0 || burst.start + burst.length > table.length),
            _ if fact.starts_with("is shorter than the handler") => Some(burst.length < *lock_ns),
            _ => None,
        };
    }
    if place.contains(".slots[") {
        let slot = &table.slots[which?];
        let (from, to) = (slot.start, slot.start + slot.length);
        let task = &plan.tasks[slot.task];
        if fact.contains("blocked meanwhile") {
            let over = |burst: &&super::plan::Burst| burst.start < to && from < burst.start + burst.length;
            let blocked = table.bursts.iter().find(over).map(|burst| burst.color as u64);
            return Some(json["slots"][which?]["blocked"].as_u64() != blocked);
        }
        return match fact {
            "is empty, or leaves the table" => Some(slot.length == 0 || to > table.length),
            _ if fact.contains("by the handler of a lock") => {
                let at = found[0];
                Some(
                    (from..to).contains(&at)
                        && table
                            .bursts
                            .iter()
                            .any(|burst| (burst.start..burst.start + lock_ns).contains(&at)),
                )
            }
            _ if fact.contains("is bound to core") || fact.contains("runs on core") => {
                Some(task.core.is_some_and(|core| core != slot.core))
            }
            _ if fact.contains("is refreshed") => {
                let (at, color) = (found[found.len() - 2], found[found.len() - 1] as usize);
                let owned = (0..task.instances.len()).fold(0, |all, k| all | plan.colors_of(slot.task, k));
                let own = match task.copy_ns {
                    Some(_) => owned,
                    None => plan.colors_of(slot.task, slot.instance),
                };
                Some((from..to).contains(&at) && refreshed(plan, color, at) && own & bit(color) != 0)
            }
            _ => None,
        };
    }
    if place.ends_with(".length") {
        let Refresh::Windows { period_ns, .. } = &plan.refresh else {
            return None;
        };
        return Some(table.length == found[0] && *period_ns == found[1] && !table.length.is_multiple_of(*period_ns));
    }
    if place.ends_with(".cores") {
        return Some(number(&json["cores"]) == found[0] && plan.cores == found[1] && found[0] > found[1]);
    }
    if fact.contains("waits from") {
        let gap = starts(found[0] as usize)
            .windows(2)
            .any(|pair| (pair[0].0, pair[1].0) == (found[1], found[2]));
        return Some(gap && found[2] - found[1] > plan.memory.retention_ns);
    }
    if let Some(name) = fact.strip_suffix(": period does not divide the table") {
        let task = plan.tasks.iter().find(|task| task.name == name)?;
        return Some(!table.length.is_multiple_of(task.period_ns));
    }
    if let Some(words) = fact.strip_suffix(" changes its instance within a job") {
        let task = plan
            .tasks
            .iter()
            .position(|task| Some(task.name.as_str()) == words.split(' ').next_back())?;
        let own = || table.slots.iter().filter(|slot| slot.task == task);
        return Some(own().any(|slot| own().any(|other| slot.job == other.job && slot.instance != other.instance)));
    }
    if fact.starts_with("two bursts of color") {
        return Some(starts(found[0] as usize).windows(2).any(|pair| pair[0].1 > pair[1].0));
    }
    if fact.contains("other costs of copies") {
        let costs: Vec<Option<u64>> = list(&json["copy_cost"]).iter().map(Value::as_u64).collect();
        return Some(!costs.into_iter().eq(plan.tasks.iter().map(|task| task.copy_ns)));
    }
    if fact.contains("with other memory") {
        let pages = |bytes: &u64| Value::from(bytes / plan.memory.page_bytes);
        let of_task = |task: &super::plan::Task| {
            Value::from(
                task.instances
                    .iter()
                    .map(|bytes| Value::from(bytes.iter().map(pages).collect::<Vec<_>>()))
                    .collect::<Vec<_>>(),
            )
        };
        let own: Vec<Value> = plan.tasks.iter().map(of_task).collect();
        return Some(json["memory"] != Value::from(own));
    }
    if fact.ends_with("no such core or task") {
        return Some(found[1] >= number(&json["cores"]));
    }
    if fact.ends_with("the core is busy") {
        let own: Vec<_> = list(&json["slots"])
            .iter()
            .map(core_of)
            .filter(|slot| slot.0 == found[1])
            .collect();
        let at = own.iter().filter(|slot| slot.1 == found[0]);
        return Some(
            at.clone().count() > 1
                || own.iter().any(|other| {
                    at.clone()
                        .any(|slot| other != slot && other.1 < slot.2 && slot.1 < other.2)
                }),
        );
    }
    if fact.contains("not in the order of their starts") {
        let own: Vec<_> = list(&json["slots"])
            .iter()
            .map(core_of)
            .filter(|slot| slot.0 == found[1])
            .collect();
        return Some(!own.is_sorted());
    }
    if fact.contains("runs on two cores")
        || fact.contains("gets")
        || fact.contains("meets the refresh of color")
        || fact.contains("runs outside its window")
    {
        return of_jobs(plan, fact);
    }
    None
}

/// What is said of a job of a table that the judge saw served in time all the same: its slots are longer than it takes.
fn of_jobs(plan: &Plan, fact: &str) -> Option<bool> {
    let Schedule::Table { table, .. } = &plan.schedule else {
        return None;
    };
    let words: Vec<&str> = fact.split([' ', ':']).filter(|word| !word.is_empty()).collect();
    let named = |name: &&str| plan.tasks.iter().position(|task| task.name == *name);
    let task = words.iter().find_map(named)?;
    let (own, found) = (&plan.tasks[task], numbers(fact));
    if fact.contains("runs outside its window") {
        let slot = table
            .slots
            .iter()
            .find(|slot| slot.task == task && slot.start == found[0] && slot.core as u64 == found[1])?;
        let release = (own.phase_ns + slot.job * own.period_ns) % table.length;
        return Some((slot.start + table.length - release) % table.length + slot.length > own.deadline_ns);
    }
    if fact.contains("meets the refresh of color") {
        let (job, at, color) = (found[found.len() - 3], found[found.len() - 2], *found.last()? as usize);
        let slot = table
            .slots
            .iter()
            .find(|slot| (slot.task, slot.job, slot.start) == (task, job, at))?;
        return Some(table.bursts.iter().any(|burst| {
            burst.color == color && burst.start < slot.start + slot.length && slot.start < burst.start + burst.length
        }));
    }
    None
}

fn of_schedule(plan: &Plan, place: &str, fact: &str) -> Option<bool> {
    let found = numbers(fact);
    let locks = match &plan.schedule {
        Schedule::Locked { locks } | Schedule::Servers { locks, .. } => Some(locks),
        _ => None,
    };
    if fact.starts_with("the windows of colors") {
        let locks = locks?;
        let end = |color: usize| locks.phase_ns[color] + locks.lock_ns + locks.burst_ns[color] + locks.unlock_ns;
        let (one, two) = (found[0] as usize, found[1] as usize);
        return Some(locks.phase_ns[one] < end(two) && locks.phase_ns[two] < end(one));
    }
    if fact.contains("reads and writes under way when a color is locked") {
        let handler = match (&plan.schedule, locks) {
            (_, Some(locks)) => locks.lock_ns,
            (Schedule::Slots { handler_ns, .. }, _) => *handler_ns,
            (Schedule::Table { lock_ns, .. }, _) => *lock_ns,
            _ => return None,
        };
        return Some(handler == found[0] && found[0] < found[1]);
    }
    if fact.starts_with("serves color") {
        let Schedule::Servers { cores, .. } = &plan.schedule else {
            return None;
        };
        let own = &cores[*numbers(place).first()? as usize].servers;
        return Some(own.iter().filter(|server| server.color as u64 == found[0]).count() > 1);
    }
    if fact.contains("while their memory is refreshed") {
        let (core, color, at) = (*numbers(place).first()? as usize, found[0] as usize, found[1]);
        let mut gate = Gate::of(plan, &Conduct::PLANNED, core)?;
        let mut grant = gate.step();
        while grant.end <= at {
            grant = gate.step();
        }
        return Some(grant.colors & bit(color) != 0 && refreshed(plan, color, at));
    }
    None
}
