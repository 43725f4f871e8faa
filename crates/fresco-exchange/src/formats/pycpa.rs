// SPDX-License-Identifier: MIT OR Apache-2.0
//! Event models of pyCPA: a script that builds the system and prints response times; its tasks are JSON, which `fresco sched import` reads.
//!
//! As of IDA-TUBS/pycpa 026f7bd6, pycpa/model.py: `PJdEventModel(P, J, dmin, phi)`, `Task(name, wcet, bcet, scheduling_parameter, deadline)`,
//! `System.bind_resource`, `Resource.bind_task`; pycpa/schedulers.py: `EDFPScheduler` reads `deadline`, `SPPScheduler` takes the lower
//! `scheduling_parameter` first. Numbers are integers of no unit.

use super::task_set::{Row, lost, rows, unit};
use crate::export::{Draft, ExportOptions, Format, Takes};
use crate::head::Comment;
use crate::subject::Subject;
use crate::times::Times;
use fresco_input::InputError;
use fresco_rt::policy::Policy;
use serde::Serialize;
use std::fmt::Write as _;

/// `pycpa`.
pub struct Pycpa;

/// The tasks as JSON.
#[derive(Serialize)]
struct System<'s> {
    name: &'s str,
    unit: &'static str,
    tasks: Vec<Entry<'s>>,
}

#[derive(Serialize)]
#[allow(non_snake_case)]
struct Entry<'s> {
    name: &'s str,
    P: u64,
    J: u64,
    dmin: u64,
    phi: u64,
    wcet: u64,
    deadline: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    core: Option<u32>,
    priority: usize,
}

impl Format for Pycpa {
    fn name(&self) -> &'static str {
        "pycpa"
    }

    fn about(&self) -> &'static str {
        "pyCPA: a Python script with PJd event models that prints response times; its JSON is imported again"
    }

    fn takes(&self) -> Takes {
        Takes::Tasks
    }

    fn comment(&self) -> Comment {
        Comment::Hash
    }

    fn leaves_out(&self) -> &'static str {
        "colors, budgets, schedules, sizes of memory"
    }

    fn draft(&self, subject: &Subject, options: &ExportOptions) -> Result<Draft, InputError> {
        let unit = unit(options);
        let mut losses = Vec::new();
        let rows = rows(subject, self.name(), unit, &mut losses)?;
        losses.extend(lost(
            &rows,
            &[
                (|times| times.jitter_ns, "the release jitter"),
                (|times| times.critical_section_ns, "the critical section"),
                (|times| times.cache_reload_ns, "the reload"),
            ],
        ));
        let ranks = ranks(subject.policy, &rows);
        let tasks = rows
            .iter()
            .zip(&ranks)
            .map(|(row, &priority)| entry(row, priority))
            .collect();
        let system = System {
            name: &subject.name,
            unit: unit.name(),
            tasks,
        };
        let json = serde_json::to_string_pretty(&system).map_err(|error| {
            subject
                .error(self.name(), format!("cannot write it: {error}"))
                .internal()
        })?;
        let scheduler = match subject.policy {
            Policy::Edf => "schedulers.EDFPScheduler()",
            Policy::FixedPriority(_) => "schedulers.SPPScheduler()",
        };
        if let Some(plan) = subject.plan.as_ref().filter(|plan| !plan.migration.is_none()) {
            losses.push(format!(
                "that jobs run on any of {} cores: a resource is one",
                plan.cores
            ));
        }
        let mut notes = vec![
            format!("times are {}", unit.name()),
            "print the tasks as JSON: python3 FILE --json".to_owned(),
        ];
        if subject.tasks.iter().any(|task| task.core.is_none()) {
            notes.push("tasks without a core are on one resource, \"core\"".to_owned());
        }
        let mut body = String::from("import json\nimport sys\n\nTASKS = json.loads(r\"\"\"\n");
        // A raw string ends at three quotes, which JSON never has side by side.
        body.push_str(&json);
        _ = write!(
            body,
            "\n\"\"\")\n{SCRIPT}",
            SCRIPT = SCRIPT.replace("@SCHEDULER@", scheduler)
        );
        Ok(Draft {
            body,
            losses,
            notes,
            companion: None,
        })
    }
}

fn entry<'s>(row: &Row<'s>, priority: usize) -> Entry<'s> {
    let times = &row.times;
    Entry {
        name: &row.task.name,
        P: times.period_ns,
        J: times.arrival_jitter_ns,
        dmin: times.min_distance_ns,
        phi: times.phase_ns,
        wcet: times.wcet_ns,
        deadline: times.deadline_ns,
        core: row.task.core,
        priority,
    }
}

/// Priority of each row, 1 the highest: that of the policy; 0 under EDF.
fn ranks(policy: Policy, rows: &[Row<'_>]) -> Vec<usize> {
    let Policy::FixedPriority(order) = policy else {
        return vec![0; rows.len()];
    };
    // The order knows periods and deadlines alone, which rounding may have brought below the execution time.
    let task = |row: &Row<'_>| {
        let Times {
            period_ns, deadline_ns, ..
        } = row.times;
        fresco_rt::Task::new(&row.task.name, 0, period_ns, 1, deadline_ns).expect("times of a row make a task")
    };
    let tasks: Vec<fresco_rt::Task> = rows.iter().map(task).collect();
    let mut ranks = vec![0; rows.len()];
    for (rank, task) in (1..).zip(order.ranking(&tasks)) {
        ranks[task] = rank;
    }
    ranks
}

const SCRIPT: &str = r#"

def system():
    """The system, for pycpa.analysis."""
    from pycpa import model, schedulers
    s = model.System(TASKS["name"])
    resources = {}
    for entry in TASKS["tasks"]:
        core = "core%s" % entry.get("core", "")
        if core not in resources:
            resources[core] = s.bind_resource(model.Resource(core, @SCHEDULER@))
        task = resources[core].bind_task(model.Task(
            entry["name"], wcet=entry["wcet"], bcet=0, deadline=entry["deadline"],
            scheduling_parameter=entry["priority"]))
        task.in_event_model = model.PJdEventModel(
            P=entry["P"], J=entry["J"], dmin=entry["dmin"], phi=entry["phi"])
        s.constraints.add_wcrt_constraint(task, entry["deadline"])
    return s


def main():
    from pycpa import analysis, options
    options.init_pycpa()
    results = analysis.analyze_system(system())
    for task in sorted(results, key=str):
        print("%s: wcrt=%d %s" % (task.name, results[task].wcrt, TASKS["unit"]))


if __name__ == "__main__":
    if "--json" in sys.argv[1:]:
        print(json.dumps(TASKS, indent=2))
    else:
        main()
"#;
