// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parameters of Linux' SCHED_DEADLINE, by chrt.
//!
//! Documentation/scheduler/sched-deadline.rst, section 5: a task may run on all processors of its root domain, which a cpuset
//! partition makes smaller.

use super::task_set::{lost_besides, plan_of};
use crate::execution::{LIMIT, fraction, misfit, share};
use crate::export::{Draft, ExportOptions, Format, Takes};
use crate::head::Comment;
use crate::shell::{Script, word};
use crate::subject::Subject;
use crate::times::Times;
use crate::windows::kind;
use fresco_input::InputError;
use fresco_rt::policy::Policy;
use fresco_scenario::plan::Schedule;
use std::collections::BTreeMap;

const CGROUP: &str = "/sys/fs/cgroup";

/// `sched-deadline`.
pub struct SchedDeadline;

impl Format for SchedDeadline {
    fn name(&self) -> &'static str {
        "sched-deadline"
    }

    fn about(&self) -> &'static str {
        "Linux 6.12 SCHED_DEADLINE: runtime, deadline and period of each task, by chrt (shell script)"
    }

    fn takes(&self) -> Takes {
        Takes::Schedule
    }

    fn comment(&self) -> Comment {
        Comment::Shell
    }

    fn leaves_out(&self) -> &'static str {
        "colors, budgets of bandwidth, what is refreshed when"
    }

    fn draft(&self, subject: &Subject, _options: &ExportOptions) -> Result<Draft, InputError> {
        let plan = plan_of(subject, self.name())?;
        let mut by_core: BTreeMap<Option<u32>, Vec<usize>> = BTreeMap::new();
        let mut losses = Vec::new();
        let (mut without, mut phases) = (Vec::new(), Vec::new());
        for (number, task) in subject.tasks.iter().enumerate() {
            match &task.times {
                None => without.push(task.name.as_str()),
                Some(times) => {
                    if times.phase_ns > 0 {
                        phases.push(task.name.as_str());
                    }
                    by_core.entry(task.core).or_default().push(number);
                }
            }
        }
        if by_core.is_empty() {
            return Err(subject
                .error(self.name(), "found no task with a period")
                .allowed("one or more tasks with period and wcet")
                .help("give the tasks periods"));
        }
        if !matches!(plan.schedule, Schedule::Priorities) {
            losses.push(format!(
                "that the schedule is {}: the kernel runs the earliest deadline at any time, also while memory of the task is refreshed",
                kind(&plan.schedule)
            ));
        }
        if plan.policy != Policy::Edf {
            losses.push("fixed priorities: the kernel goes by deadlines".to_owned());
        }
        if !phases.is_empty() {
            losses.push(format!("the phase of {}", phases.join(", ")));
        }
        losses.extend(lost_besides(subject));
        let mut script = Script::new();
        for (core, tasks) in &by_core {
            self.check(subject, *core, tasks, plan.cores)?;
            script.section(&self.sum(subject, *core, tasks));
            let group = core.map(|core| format!("{CGROUP}/core{core}"));
            if let (Some(core), Some(group)) = (core, &group) {
                script.line(&format!("echo +cpuset > {CGROUP}/cgroup.subtree_control"));
                script.directory(group);
                script.write(&core.to_string(), &format!("{group}/cpuset.cpus"));
                script.write("root", &format!("{group}/cpuset.cpus.partition"));
            }
            for &number in tasks {
                script.line(&start(subject, number, group.as_deref()));
            }
        }
        let mut notes = vec![
            "runtime is the execution time of the plan: a job that takes longer waits for its next period".to_owned(),
            "times are nanoseconds".to_owned(),
        ];
        if !without.is_empty() {
            notes.push(format!(
                "{} without a period: under SCHED_OTHER, behind all these",
                without.join(", ")
            ));
        }
        Ok(Draft {
            body: script.text(),
            losses,
            notes,
            companion: None,
        })
    }
}

impl SchedDeadline {
    /// Refuses what the kernel would.
    fn check(&self, subject: &Subject, core: Option<u32>, tasks: &[usize], cores: u32) -> Result<(), InputError> {
        let timed = tasks.iter().filter_map(|&number| {
            let task = &subject.tasks[number];
            Some((task.name.as_str(), task.times.as_ref()?))
        });
        let timed: Vec<(&str, &Times)> = timed.collect();
        let processors = if core.is_some() { 1 } else { cores.max(1) };
        let place = core.map_or("all cores".to_owned(), |core| format!("core {core}"));
        match misfit(&timed, processors, &place) {
            Some(misfit) => Err(misfit.into_input(&subject.file, &format!("--to {}", self.name()))),
            None => Ok(()),
        }
    }

    /// The utilisation of a core beside what the kernel admits.
    fn sum(&self, subject: &Subject, core: Option<u32>, tasks: &[usize]) -> String {
        let place = core.map_or("All cores".to_owned(), |core| format!("Core {core}"));
        format!(
            "{place}: {} of a processor; the kernel admits {} of each",
            share(fractions(subject, tasks)),
            share(u128::from(LIMIT))
        )
    }
}

/// The sum of runtime / period in 2^-20, each truncated.
fn fractions(subject: &Subject, tasks: &[usize]) -> u128 {
    let times = tasks.iter().filter_map(|&number| subject.tasks[number].times.as_ref());
    times.map(fraction).sum()
}

/// How a task gets its parameters: at its start, if the plan names its program; else a process that runs.
fn start(subject: &Subject, number: usize, group: Option<&str>) -> String {
    let task = &subject.tasks[number];
    let times = task.times.unwrap_or_default();
    let chrt = format!(
        "chrt --deadline --sched-runtime {} --sched-deadline {} --sched-period {}",
        times.wcet_ns, times.deadline_ns, times.period_ns
    );
    match task.command.is_empty() {
        true => {
            let upper = |c: char| {
                if c.is_ascii_alphanumeric() {
                    c.to_ascii_uppercase()
                } else {
                    '_'
                }
            };
            let plain = |name: &str| name.chars().map(upper).collect::<String>();
            // Names that differ in other characters alone are told apart by their number.
            let name = plain(&task.name);
            let same = subject.tasks.iter().filter(|other| plain(&other.name) == name).count();
            let name = if same > 1 { format!("{name}_{number}") } else { name };
            let process = format!("\"${{PID_{name}:?process of {}}}\"", name.to_lowercase());
            let enter = group.map_or(String::new(), |group| {
                format!("echo {process} > {group}/cgroup.procs && ")
            });
            format!("{enter}{chrt} --pid 0 {process}")
        }
        false => {
            let words: Vec<String> = task.command.iter().map(|part| word(part)).collect();
            let enter = group.map_or(String::new(), |group| format!("echo $$ > {group}/cgroup.procs && "));
            format!(
                "sh -c {} sh {} &",
                word(&format!("{enter}exec {chrt} 0 \"$@\"")),
                words.join(" ")
            )
        }
    }
}
