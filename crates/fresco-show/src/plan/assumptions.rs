// SPDX-License-Identifier: MIT OR Apache-2.0
//! Under which assumptions a plan's promises hold.

use fresco_input::{format_size, spell_duration};
use fresco_plan::Plan;
use fresco_plan::plan::{LockTimes, PlannedTask, RefreshPlan, Schedule};

/// Whose deadlines are proved, and the assumptions, in sentences; only those that the plan makes.
pub(super) fn of(plan: &Plan) -> Vec<String> {
    [vec![deadlines(plan)], assumed(plan)].concat()
}

/// The assumptions alone.
pub fn assumed(plan: &Plan) -> Vec<String> {
    let mut all = Vec::new();
    if !plan.proofs.is_empty() {
        all.push(execution(plan));
        all.extend(plan.about_reopening().map(|text| text + "."));
    }
    all.extend(releases(plan));
    if !plan.proofs.is_empty() {
        all.extend(besides(plan));
    }
    all.extend(modes(plan));
    all.extend(handlers(plan));
    all.push(memory(plan));
    if matches!(plan.refresh, RefreshPlan::Windows { .. }) {
        all.push(commands(plan));
        all.push(match plan.refresh_jitter_ns {
            0 => "Refreshes begin exactly when the plan says.".to_owned(),
            jitter => format!(
                "The refreshes of a burst or segment begin at most {} late.",
                time(jitter)
            ),
        });
        all.push(
            "Nothing but these tasks uses memory while it is refreshed: the kernel, page tables without the tasks' colors \
             and DMA buffers lie in a rank with ordinary refresh, which the model leaves out."
                .to_owned(),
        );
    }
    all
}

fn time(ns: u64) -> String {
    spell_duration(ns.saturating_mul(1000))
}

/// Whose deadlines are proved.
pub fn deadlines(plan: &Plan) -> String {
    let proved = |number: usize| plan.proofs.iter().any(|proof| proof.tasks.contains(&number));
    let without: Vec<String> = plan
        .tasks
        .iter()
        .enumerate()
        .filter(|(number, _)| !proved(*number))
        .map(|(_, task)| task.name.clone())
        .collect();
    match (without.len(), plan.proofs.is_empty()) {
        (0, _) if plan.high.is_some() => "The deadlines of all tasks are proved in low mode, and those of tasks of high criticality whenever the mode \
                                          changes; fresco check verifies the proofs without trusting the planner."
            .to_owned(),
        (0, _) => {
            "The deadlines of all tasks are proved; fresco check verifies the proofs without trusting the planner."
                .to_owned()
        }
        (_, true) => "No deadline is promised: this method proves none.".to_owned(),
        _ => format!("No deadline is promised to {}.", crate::words::list(&without)),
    }
}

fn execution(plan: &Plan) -> String {
    let mut text = match plan.high {
        None => "No job takes longer than its WCET, counted without refresh",
        Some(_) => "No job takes longer than its WCET of the mode, counted without refresh",
    }
    .to_owned();
    if let Some(lines) = alone(plan) {
        text.push_str(&format!(
            ": alone on the machine no longer than given ({lines}), with no more reads and write-backs whatever others displace; what other cores \
             cost in memory is added to it"
        ));
    } else if plan.bandwidth.is_some() {
        text.push_str(", but under its core's budget of bandwidth, the time included for which the core stands still");
    } else if plan.cores > 1 {
        text.push_str(
            ", but with what tasks of other cores cost it in the memory: the plan hides refresh, not contention",
        );
    }
    text + "."
}

/// What each job measured alone takes and moves at most; `None` if WCETs contain what others cost.
fn alone(plan: &Plan) -> Option<String> {
    let tasks = plan.tasks.iter().filter(|task| task.wcet_alone_ns > 0);
    let told = tasks.map(|task| {
        format!(
            "{} {}, {} lines read, {} written back",
            task.name,
            time(task.wcet_alone_ns),
            task.reads,
            task.write_backs
        )
    });
    let told: Vec<String> = told.collect();
    (!told.is_empty()).then(|| told.join("; "))
}

/// Bursts, late jobs, critical sections, reloads and switches, as far as there are any.
fn besides(plan: &Plan) -> Vec<String> {
    let of = |what: &dyn Fn(&PlannedTask) -> Option<String>| {
        let told: Vec<String> = plan.tasks.iter().filter_map(what).collect();
        (!told.is_empty()).then(|| told.join("; "))
    };
    let named = |task: &PlannedTask, ns: u64| (ns > 0).then(|| format!("{} {}", task.name, time(ns)));
    let bursts = of(&|task| {
        (task.arrival_jitter_ns > 0).then(|| {
            format!(
                "{} up to {} after multiples of {}, {} apart or more",
                task.name,
                time(task.arrival_jitter_ns),
                time(task.period_ns),
                time(task.min_distance_ns)
            )
        })
    });
    let switch = (plan.context_switch_ns > 0).then(|| time(plan.context_switch_ns));
    [
        bursts.map(|told| format!("Jobs of tasks with bursts arrive: {told}.")),
        of(&|task| named(task, task.jitter_ns))
            .map(|told| format!("Jobs are ready no later after they arrive, in the order of arrival, than: {told}.")),
        of(&|task| named(task, task.critical_section_ns)).map(|told| {
            format!(
                "Tasks of a core and color wait for each other by the stack resource policy, a priority ceiling or sections without preemption, for no \
                 longer than: {told}. Tasks of different cores or colors do not."
            )
        }),
        of(&|task| named(task, task.cache_reload_ns))
            .map(|told| format!("A preemption makes a job no longer than by: {told}.")),
        switch.map(|told| format!("A switch to another task takes at most {told}.")),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// What begins high mode, and how early.
fn modes(plan: &Plan) -> Vec<String> {
    let Some(high) = &plan.high else { return Vec::new() };
    let every = plan.memory.retention_ns;
    let heat = (high.retention_ns < every).then(|| {
        format!(
            "Rows keep their data for {} until {} after heat was announced, and for {} from then on.",
            time(every),
            time(every + high.settled_ns),
            time(high.retention_ns)
        )
    });
    let mode = "High mode begins at the instant at which a job of high criticality has run for its WCET of low mode and is not done, on all cores at once; \
                jobs of the other tasks are abandoned then, and no more are released.";
    std::iter::once(mode.to_owned()).chain(heat).collect()
}

/// When jobs come, as the proofs count on.
fn releases(plan: &Plan) -> Option<String> {
    if plan.proofs.is_empty() {
        return None;
    }
    let text = match plan.proofs.iter().all(|proof| proof.evidence.is_sporadic()) {
        true if plan.tasks.iter().any(|task| task.arrival_jitter_ns > 0) => {
            "Two jobs of a task arrive a period apart or more, but for tasks with bursts."
        }
        true => "Two jobs of a task come a period apart or more.",
        false => {
            "Jobs come at the phases and periods of the plan, exactly; where the proof says \u{201c}sporadic too\u{201d}, a \
             period apart or more."
        }
    };
    Some(text.to_owned())
}

/// What the schedule's own handlers may take.
fn handlers(plan: &Plan) -> Option<String> {
    let locks = |locks: &LockTimes| {
        format!(
            "Locking a color, its dirty lines written back, takes at most {}, unlocking it {}.",
            time(locks.lock_ns),
            time(locks.unlock_ns)
        )
    };
    match &plan.schedule {
        Schedule::Locked { locks: times } | Schedule::Servers { locks: times, .. } => Some(locks(times)),
        Schedule::Slots { handler_ns, .. } => Some(format!(
            "The handler before each slot, which writes dirty lines of the color to be locked back, takes at most {}.",
            time(*handler_ns)
        )),
        Schedule::Table { lock_ns, .. } => Some(format!(
            "Locking a color before its burst, its dirty lines written back, takes at most {}.",
            time(*lock_ns)
        )),
        Schedule::Priorities | Schedule::Fair { .. } => None,
    }
}

fn memory(plan: &Plan) -> String {
    let memory = &plan.memory;
    format!(
        "The machine is {} with its memory as planned: {}, {} Gb, {} of {} each, a refresh command of {}, every row \
         refreshed within {}.",
        plan.machine.name,
        memory.standard,
        memory.density_gbit,
        match memory.ranks {
            1 => "1 rank".to_owned(),
            ranks => format!("{ranks} ranks"),
        },
        format_size(memory.rank_bytes),
        time(memory.trfc_ns),
        time(memory.retention_ns)
    )
}

/// Refresh by software.
fn commands(plan: &Plan) -> String {
    format!(
        "Software decides when memory is refreshed, which little hardware allows, and the devices stand gaps between two \
         refresh commands of a rank longer than the {} of their standard, as long as every row is in time.",
        time(plan.memory.longest_gap_ns)
    )
}

#[cfg(test)]
mod tests {
    use super::time;

    #[test]
    fn times_keep_all_digits() {
        let said = [0, 999, 1000, 19_280, 70_312, 64_000_000, 2_000_000_001].map(time);
        let right = [
            "0 ns",
            "999 ns",
            "1 us",
            "19.28 us",
            "70.312 us",
            "64 ms",
            "2.000000001 s",
        ];
        assert_eq!(said, right);
    }
}
