// SPDX-License-Identifier: MIT OR Apache-2.0
//! The text of a scenario: a file's own, or that of the tasks of a plan, so that whatever takes a scenario takes a plan.

use crate::Plan;
use crate::plan::{Method, PlannedBandwidth, PlannedTask, Schedule, Work};
use crate::scenario::Axis;
use crate::scenario::assignment::read_with;
use crate::scenario::sweep::Sweep;
use fresco_input::{InputError, quoted};
use fresco_rt::policy::Policy;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// A scenario's text, and what is needed to read it.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// The name that errors give.
    pub file: String,
    /// TOML.
    pub text: String,
    /// What relative paths in it are relative to.
    pub directory: PathBuf,
    /// The plan, if the file was one.
    plan: Option<Box<Plan>>,
}

/// Returns true if this is the file of a plan: by its ending, or because it is JSON, which no scenario is.
pub fn is_plan(file: impl AsRef<Path>, text: &str) -> bool {
    file.as_ref().extension().is_some_and(|ending| ending == "json") || text.trim_start().starts_with('{')
}

impl Source {
    /// Reads a scenario's file, or that of a plan. `-` is standard input.
    ///
    /// # Errors
    /// The file cannot be read, or is JSON but no plan.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, InputError> {
        let path = path.as_ref();
        let text = fresco_input::read_file(path)?;
        Self::of_text(
            &fresco_input::file_name(path),
            text,
            path.parent().unwrap_or(Path::new("")),
        )
    }

    /// As [`Source::read`], from a text.
    ///
    /// # Errors
    /// It is JSON but no plan.
    pub fn of_text(file: &str, text: String, directory: &Path) -> Result<Self, InputError> {
        if is_plan(file, &text) {
            return Ok(Self::of_plan(file, Plan::parse(file, &text)?));
        }
        Ok(Self {
            file: file.to_owned(),
            text,
            directory: directory.to_owned(),
            plan: None,
        })
    }

    /// The text with values set in it, `key=value` as [`crate::Scenario::load`] takes them; comments are lost.
    ///
    /// # Errors
    /// It is no TOML; a key that it cannot have, such as one of a task that it has not.
    pub fn with(&self, overrides: &[String]) -> Result<String, InputError> {
        read_with(&self.file, &self.text, overrides, |document, _| Ok(document.to_toml()))
    }

    /// The axes of its `[sweep]`, without reading anything else of it.
    ///
    /// # Errors
    /// It is no TOML; an axis or a variant is wrong.
    pub fn axes(&self) -> Result<Vec<Axis>, InputError> {
        read_with(&self.file, &self.text, &[], |document, _| {
            Ok(Sweep::read(&document.root())?.axes)
        })
    }

    /// Returns true if the file was that of a plan.
    pub fn is_plan(&self) -> bool {
        self.plan.is_some()
    }

    /// The tasks of a plan; its machine is named as seen from the working directory.
    fn of_plan(file: &str, plan: Plan) -> Self {
        Self {
            file: file.to_owned(),
            text: of_plan(&plan),
            directory: PathBuf::new(),
            plan: Some(Box::new(plan)),
        }
    }

    /// An error about the text, as its reader has the file: a plan has neither the lines nor the tables of the scenario that stands for it.
    pub(crate) fn told(&self, error: InputError) -> InputError {
        if self.plan.is_none() || error.file != self.file {
            return error;
        }
        let help = match error.found.as_str() {
            "missing" => format!(
                "add it with --set {}=…, or to the scenario, and plan that anew",
                error.field
            ),
            _ => error.help.replace("[[task]]", "task"),
        };
        error.moved_to(&InputError::new(self.file.clone(), "")).help(help)
    }

    /// The same without the memory and the bandwidth that a plan gives its tasks, for tools that choose them; the text of a
    /// scenario stays as it is.
    #[must_use]
    pub fn unpartitioned(self) -> Self {
        let Some(mut plan) = self.plan else { return self };
        plan.colors.clear();
        plan.bandwidth = None;
        plan.tasks.iter_mut().for_each(|task| task.instances.clear());
        Self::of_plan(&self.file, *plan)
    }
}

/// The scenario of a plan's tasks: what was given to the planner, and the method and the cores that it chose.
fn of_plan(plan: &Plan) -> String {
    let mut text = format!(
        "name = {}\nmachine = {}\n",
        quoted(&plan.name),
        quoted(&plan.machine.given)
    );
    for (key, value) in &plan.machine.changes {
        _ = writeln!(text, "{key} = {value}");
    }
    let named = Policy::NAMES.into_iter().find(|(_, policy)| *policy == plan.policy);
    let policy = named.map_or("edf", |(name, _)| name);
    _ = writeln!(
        text,
        "[plan]\nmethod = {}\npolicy = {}\ncores = {}",
        quoted(plan.method.name()),
        quoted(policy),
        plan.cores
    );
    if !plan.migration.is_none() {
        text.push_str("migration = \"global\"\n");
    }
    if plan.tasks.iter().any(|task| task.wcet_alone_ns > 0) {
        text.push_str("wcet_is = \"alone\"\n");
    }
    if plan.context_switch_ns > 0 {
        _ = writeln!(text, "context_switch = \"{} ns\"", plan.context_switch_ns);
    }
    if let Some(high) = &plan.high {
        _ = writeln!(text, "high_retention = \"{} ns\"", high.retention_ns);
    }
    let is_partition = plan.method == Method::Partition;
    let is_colored = !plan.page_tables.is_uncolored();
    if !plan.frames.is_camc() || is_partition || is_colored {
        text.push_str("[policy]\n");
    }
    if is_colored {
        text.push_str("page_tables = \"colored\"\n");
    }
    if !plan.frames.is_camc() {
        _ = writeln!(text, "frames = {}", quoted(plan.frames.name()));
    }
    if is_partition {
        let frames = if plan.colors.is_empty() { "buddy" } else { "camc" };
        let bandwidth = if plan.bandwidth.is_some() { "memguard" } else { "none" };
        _ = writeln!(text, "frames = {}\nbandwidth = {}", quoted(frames), quoted(bandwidth));
    }
    if let Some(bandwidth) = &plan.bandwidth {
        _ = writeln!(
            text,
            "[bandwidth]\nperiod = \"{} ns\"\ncount_write_backs = {}\ninterrupt = {}",
            bandwidth.period_ns, bandwidth.count_write_backs, bandwidth.interrupt_cycles,
        );
        if !is_partition {
            let reserve: Vec<String> = (0..bandwidth.lines.len())
                .map(|core| reserved(bandwidth, core))
                .collect();
            _ = writeln!(text, "reserve = [{}]", reserve.join(", "));
        }
    }
    // Given servers are for tasks in one color each.
    let served = match &plan.schedule {
        Schedule::Servers { cores, .. } if plan.tasks.iter().all(|task| task.instances.len() == 1) => cores.as_slice(),
        _ => &[],
    };
    if let [core] = served {
        for server in &core.servers {
            _ = writeln!(
                text,
                "[[server]]\nperiod = \"{} ns\"\nbudget = \"{} ns\"",
                server.period_ns, server.budget_ns
            );
        }
    }
    let cored = plan.tasks.iter().all(|task| task.core.is_some());
    for task in &plan.tasks {
        let threads: Vec<&PlannedTask> = match task.team {
            Some(team) => plan.tasks.iter().filter(|other| other.team == Some(team)).collect(),
            None => vec![task],
        };
        if threads.first().is_some_and(|first| first.name != task.name) {
            continue;
        }
        let name = match task.team {
            Some(_) => task.name.strip_suffix(".0").unwrap_or(&task.name),
            None => &task.name,
        };
        _ = writeln!(text, "[[task]]\nname = {}", quoted(name));
        if task.period_ns > 0 {
            let times = [
                ("phase", task.phase_ns),
                ("period", task.period_ns),
                (
                    "wcet",
                    if task.wcet_alone_ns > 0 {
                        task.wcet_alone_ns
                    } else {
                        task.wcet_ns
                    },
                ),
                ("deadline", task.deadline_ns),
            ];
            let seldom = [
                ("arrival_jitter", task.arrival_jitter_ns),
                ("min_distance", task.min_distance_ns),
                ("jitter", task.jitter_ns),
                ("critical_section", task.critical_section_ns),
                ("cache_reload", task.cache_reload_ns),
            ];
            let seldom = seldom.into_iter().filter(|(_, ns)| *ns > 0);
            for (key, ns) in times.into_iter().chain(seldom) {
                _ = writeln!(text, "{key} = \"{ns} ns\"");
            }
        }
        if task.wcet_high_ns > 0 {
            _ = writeln!(text, "criticality = \"high\"\nwcet_high = \"{} ns\"", task.wcet_high_ns);
        }
        if task.wcet_alone_ns > 0 {
            _ = writeln!(text, "reads = {}\nwrite_backs = {}", task.reads, task.write_backs);
        }
        _ = writeln!(
            text,
            "memory = \"{} B\"\nglobal = \"{} B\"",
            task.memory_bytes, task.global_bytes
        );
        let cores: Vec<String> = threads
            .iter()
            .filter_map(|task| task.core.map(|core| core.to_string()))
            .collect();
        match cores.as_slice() {
            [core] if cored => _ = writeln!(text, "core = {core}"),
            cores if cored => _ = writeln!(text, "cores = [{}]", cores.join(", ")),
            _ => {}
        }
        if let (true, [_], Some(color)) = (task.period_ns > 0, served, task.colors_of(0).first()) {
            _ = writeln!(text, "color = {color}");
        }
        if !task.pages.is_at_start() {
            _ = writeln!(text, "pages = \"on-touch\"");
        }
        if is_partition {
            _ = write!(text, "{}", partitioned(plan, task));
        }
        if let Work::Program { name, parameters } = &task.work {
            _ = writeln!(text, "program = {}", quoted(name));
            for line in parameters.lines() {
                _ = writeln!(text, "parameters.{line}");
            }
        }
        if !task.command.is_empty() {
            let words: Vec<String> = task.command.iter().map(|word| quoted(word)).collect();
            _ = writeln!(text, "command = [{}]", words.join(", "));
        }
    }
    text
}

/// The keys that give a task its part of a partition.
fn partitioned(plan: &Plan, task: &PlannedTask) -> String {
    let mut text = String::new();
    let own = task.colors_of(0).first().and_then(|&color| plan.colors.get(color));
    if let Some(color) = own {
        _ = writeln!(text, "banks = {}", quoted(&color.bank_colors));
        if let Some(llc) = &color.llc_colors {
            _ = writeln!(text, "llc = {}", quoted(llc));
        }
    }
    if let (Some(bandwidth), Some(core)) = (&plan.bandwidth, task.core) {
        _ = writeln!(
            text,
            "reserve = {}\nreservation = \"hard\"",
            reserved(bandwidth, core as usize)
        );
    }
    text
}

/// The reservation of a core, rounded up, so that the same lines come of it.
fn reserved(bandwidth: &PlannedBandwidth, core: usize) -> String {
    let lines = bandwidth.lines.get(core).copied().unwrap_or(0);
    let bytes = u128::from(lines) * u128::from(bandwidth.line_bytes) * 1_000_000_000;
    quoted(&format!(
        "{} B/s",
        bytes.div_ceil(u128::from(bandwidth.period_ns.max(1)))
    ))
}
