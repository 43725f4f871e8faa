// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ways and bandwidth as classes of Linux' resctrl.
//!
//! As of Linux 6.17, Documentation/filesystems/resctrl.rst: `L3:ID=MASK;…` for cache capacity, ids those of
//! /sys/devices/system/cpu/cpu*/cache/index*/id; `MB:ID=VALUE`, in MiB/s where it is mounted with `mba_MBps`, which the kernel
//! holds by comparing and correcting once a second (`update_mba_bw`); `cpus_list` and `tasks` of a class.

use super::way_colors::mask;
use crate::export::{Draft, ExportOptions, Format, Takes};
use crate::head::Comment;
use crate::shell::{Script, directories};
use crate::subject::{Subject, Task};
use fresco_dram::color::format_list;
use fresco_input::InputError;
use std::collections::{BTreeMap, BTreeSet};

const ROOT: &str = "/sys/fs/resctrl";

/// `resctrl`.
pub struct Resctrl;

/// Tasks with the same limits.
struct Class {
    name: String,
    tasks: Vec<usize>,
    ways: Option<Vec<u32>>,
    /// The core whose budget they have.
    budget_of: Option<u32>,
}

impl Format for Resctrl {
    fn name(&self) -> &'static str {
        "resctrl"
    }

    fn about(&self) -> &'static str {
        "Linux 6.17 resctrl: a class with schemata for each set of ways and each core's budget (shell script)"
    }

    fn takes(&self) -> Takes {
        Takes::Partition
    }

    fn comment(&self) -> Comment {
        Comment::Shell
    }

    fn leaves_out(&self) -> &'static str {
        "times of tasks, schedules, sizes of memory"
    }

    fn draft(&self, subject: &Subject, _options: &ExportOptions) -> Result<Draft, InputError> {
        let machine = &subject.machine;
        let classes = classes(subject);
        let llc = machine.llc.as_ref().filter(|_| !classes.is_empty());
        let Some(llc) = llc else {
            return Err(subject
                .error(
                    self.name(),
                    "found neither ways of the last-level cache nor budgets of bandwidth",
                )
                .allowed("tasks with ways, or [bandwidth] with reservations")
                .help("give tasks ways = \"0-3\" or reserve = \"500 MB/s\"; colors are for --to cgroup"));
        };
        let level = if machine.l2.is_some() { "L3" } else { "L2" };
        let cache_of = |core: u32| core / llc.cores_per_cache.max(1);
        let caches = machine.cores.div_ceil(llc.cores_per_cache.max(1));
        let mut script = Script::new();
        let mut draft = Draft::default();
        if classes.iter().any(|class| class.budget_of.is_some()) {
            draft
                .notes
                .push("mounted with mba_MBps: mount -t resctrl resctrl -o mba_MBps /sys/fs/resctrl".to_owned());
            draft.losses.extend(of_budgets(subject));
        }
        if subject.tasks.iter().any(|task| task.colors.is_some()) {
            draft
                .losses
                .push("colors of banks and cache, which --to cgroup carries".to_owned());
        }
        let mut taken: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        for class in &classes {
            let path = format!("{ROOT}/{}", class.name);
            let tasks = || class.tasks.iter().map(|&task| &subject.tasks[task]);
            let names: Vec<&str> = tasks().map(|task| task.name.as_str()).collect();
            let cores: BTreeSet<u32> = tasks().filter_map(|task| task.core).collect();
            let domains: BTreeSet<u32> = match cores.is_empty() {
                true => (0..caches).collect(),
                false => cores.iter().map(|&core| cache_of(core)).collect(),
            };
            script.section(&format!("{}: tasks {}", class.name, names.join(", ")));
            script.directory(&path);
            if let Some(ways) = &class.ways {
                let mask = mask(ways);
                let each: Vec<String> = domains.iter().map(|domain| format!("{domain}={mask:x}")).collect();
                script.write(&format!("{level}:{}", each.join(";")), &format!("{path}/schemata"));
                domains
                    .iter()
                    .for_each(|&domain| taken.entry(domain).or_default().extend(ways));
            }
            if let (Some(core), Some(budgets)) = (class.budget_of, &subject.budgets) {
                let value = budgets.mib_per_s(core as usize);
                if value == 0 {
                    return Err(subject
                        .error(self.name(), format!("found a budget of core {core} below 1 MiB/s"))
                        .allowed("1 MiB/s or more")
                        .help("raise reserve of its tasks"));
                }
                script.write(&format!("MB:{}={value}", cache_of(core)), &format!("{path}/schemata"));
            }
            let own = |task: &Task| task.core.is_some_and(|core| cores.contains(&core));
            let others = subject
                .tasks
                .iter()
                .enumerate()
                .any(|(number, task)| own(task) && !class.tasks.contains(&number));
            let all_bound = tasks().all(|task| task.core.is_some());
            match all_bound && !others {
                true => {
                    let list: Vec<u32> = cores.into_iter().collect();
                    script.write(&format_list(&list), &format!("{path}/cpus_list"));
                }
                false => script.line(&format!("# processes of {}: echo PID > {path}/tasks", names.join(", "))),
            }
        }
        rest(&mut script, &mut draft, level, llc.cache.ways, &taken);
        draft.body = script.text();
        Ok(draft)
    }
}

/// The classes, in the order of their first task.
fn classes(subject: &Subject) -> Vec<Class> {
    let mut classes: Vec<Class> = Vec::new();
    for (number, task) in subject.tasks.iter().enumerate() {
        let has_budget = |core: &u32| {
            let budgets = subject.budgets.as_ref();
            budgets.is_some_and(|budgets| budgets.lines.get(*core as usize).is_some_and(|&lines| lines > 0))
        };
        let budget_of = task.core.filter(has_budget);
        if task.ways.is_none() && budget_of.is_none() {
            continue;
        }
        let same = classes
            .iter_mut()
            .find(|class| class.ways == task.ways && class.budget_of == budget_of);
        match same {
            Some(class) => class.tasks.push(number),
            None => classes.push(Class {
                name: task.name.clone(),
                tasks: vec![number],
                ways: task.ways.clone(),
                budget_of,
            }),
        }
    }
    let names = directories(classes.iter().map(|class| class.name.as_str()));
    for (class, name) in classes.iter_mut().zip(names) {
        class.name = name;
    }
    classes
}

/// What becomes of budgets.
fn of_budgets(subject: &Subject) -> Vec<String> {
    let Some(budgets) = &subject.budgets else {
        return Vec::new();
    };
    let mut losses = vec![format!(
        "that budgets hold in each period of {}: the kernel compares once a second, and corrects",
        fresco_input::format_duration(budgets.period_ns.saturating_mul(1000))
    )];
    if budgets.lent {
        losses.push("budgets that cores lend or share".to_owned());
    }
    losses
}

/// Others are kept out of ways that classes have, as far as ways side by side are left.
fn rest(script: &mut Script, draft: &mut Draft, level: &str, all: u32, taken: &BTreeMap<u32, BTreeSet<u32>>) {
    let mut each = Vec::new();
    for (domain, ways) in taken {
        let left: Vec<u32> = (0..all).filter(|way| !ways.contains(way)).collect();
        let (first, last) = (left.first().copied(), left.last().copied());
        match (first, last) {
            (Some(first), Some(last)) if (last - first + 1) as usize == left.len() => {
                each.push(format!("{domain}={:x}", mask(&left)));
            }
            _ => draft.notes.push(format!(
                "the first class still fills all ways of cache {domain}: {}",
                match left.is_empty() {
                    true => "the classes leave none",
                    false => "those left are not side by side",
                }
            )),
        }
    }
    if !each.is_empty() {
        script.section("All others");
        script.write(&format!("{level}:{}", each.join(";")), &format!("{ROOT}/schemata"));
    }
}
