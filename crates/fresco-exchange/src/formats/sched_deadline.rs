// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parameters of Linux' SCHED_DEADLINE, by chrt.
//!
//! As of Linux 6.12, kernel/sched/deadline.c, `__checkparam_dl`: runtime ≤ deadline ≤ period, runtime of 1024 ns or more (1 << DL_SCALE), a period
//! from sched_deadline_period_min_us to sched_deadline_period_max_us, 100 us and 2^22 us unless they are changed; `__dl_overflow`: the sum of
//! runtime / period in a root domain, each truncated to 2^-20, up to 95 % of its processors (sched_rt_runtime_us / sched_rt_period_us).
//! Documentation/scheduler/sched-deadline.rst, section 5: a task may run on all processors of its root domain, which a cpuset
//! partition makes smaller.

use super::task_set::{lost_besides, plan_of};
use crate::export::{Draft, ExportOptions, Format, Takes};
use crate::head::Comment;
use crate::shell::{Script, word};
use crate::subject::Subject;
use crate::windows::kind;
use fresco_input::{InputError, format_duration};
use fresco_rt::Time;
use fresco_rt::policy::Policy;
use fresco_scenario::plan::Schedule;
use std::collections::BTreeMap;

const LEAST_RUNTIME_NS: Time = 1 << 10;
const SHORTEST_PERIOD_NS: Time = 100_000;
const LONGEST_PERIOD_NS: Time = (1 << 22) * 1000;
/// Bits of the kernel's fractions (BW_SHIFT).
const BW_SHIFT: u32 = 20;
/// sched_rt_runtime_us / sched_rt_period_us, as the kernel has it.
const LIMIT: u64 = (950_000 << BW_SHIFT) / 1_000_000;
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
        let of = |ns: Time| format_duration(ns.saturating_mul(1000));
        for &number in tasks {
            let task = &subject.tasks[number];
            let Some(times) = &task.times else { continue };
            let refuse = |found: String, allowed: String, help: &str| {
                Err(subject
                    .error(self.name(), format!("found {found} of {}", task.name))
                    .allowed(allowed)
                    .help(help))
            };
            if times.wcet_ns < LEAST_RUNTIME_NS {
                let found = format!("an execution time of {}", of(times.wcet_ns));
                return refuse(
                    found,
                    "1024 ns or more".to_owned(),
                    "raise its wcet: the kernel counts no less",
                );
            }
            if !(SHORTEST_PERIOD_NS..=LONGEST_PERIOD_NS).contains(&times.period_ns) {
                let allowed = format!("{} to {}", of(SHORTEST_PERIOD_NS), of(LONGEST_PERIOD_NS));
                let help =
                    "choose another period; the kernel's limits are kernel.sched_deadline_period_min_us and _max_us";
                return refuse(format!("a period of {}", of(times.period_ns)), allowed, help);
            }
        }
        let processors = if core.is_some() { 1 } else { cores.max(1) };
        let sum = fractions(subject, tasks);
        if sum > u128::from(LIMIT) * u128::from(processors) {
            let place = core.map_or("all cores".to_owned(), |core| format!("core {core}"));
            return Err(subject
                .error(self.name(), format!("found a utilisation of {} on {place}", share(sum)))
                .allowed(format!("{} at most: the kernel admits 95 % of each processor", share(u128::from(LIMIT) * u128::from(processors))))
                .help("spread the tasks over more cores, or raise kernel.sched_rt_runtime_us and write the script by hand"));
        }
        Ok(())
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

/// The sum of runtime / period in 2^-20, each truncated, as the kernel's `to_ratio` does it.
fn fractions(subject: &Subject, tasks: &[usize]) -> u128 {
    let of = |&number: &usize| {
        let times = subject.tasks[number].times.as_ref();
        times.map_or(0, |times| {
            (u128::from(times.wcet_ns) << BW_SHIFT) / u128::from(times.period_ns.max(1))
        })
    };
    tasks.iter().map(of).sum()
}

/// A fraction in 2^-20, in decimals.
fn share(fraction: u128) -> String {
    let millionths = (fraction * 1_000_000) >> BW_SHIFT;
    format!("{}.{:06}", millionths / 1_000_000, millionths % 1_000_000)
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
