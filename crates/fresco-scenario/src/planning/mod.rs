// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a planner needs of a scenario: tasks with their times, the machine, and what is asked of the plan
//! (docs/plan.md describes it).

mod bandwidth;
mod load;
mod migrating;
mod options;
mod partition;
mod runs;
mod server;
mod task;

pub use options::{AloneWcets, BurstLength, Options};
pub use server::ServerSpec;
pub use task::{PageColors, TaskSpec};

use bandwidth::Asked;

use crate::Source;
use crate::plan::{Method, PageTables, PlannedBandwidth, PlannedFrames, PlannedMachine};
use crate::scenario::assignment::{Assignment, read_with};
use crate::scenario::machine::{self, MachineRead};
use crate::scenario::policy;
use crate::scenario::sweep::Sweep;
use crate::scenario::task::printable;
use crate::scenario::{OF_ALL_POINTS, Task, error_at, of_second};
use fresco_input::{Document, InputError, Table};
use fresco_machine::Machine;
use std::path::Path;

/// The machine of a set that names none: that of the refresh chapters.
const DEFAULT_MACHINE: &str = "ss-rtmc";

/// A task set with its machine, checked: every key is known and in range, every task's times make a task.
///
/// ```
/// let text = r#"
///     name = "one"
///     machine = "ss-rtmc"
///     [[task]]
///     name = "control"
///     period = "8 ms"
///     wcet = "2 ms"
///     memory = "64 KiB"
/// "#;
/// let set = fresco_scenario::TaskSet::parse("one.toml", text, "".as_ref(), &[])?;
/// let control = &set.timing()[0];
/// // Times are nanoseconds; a deadline that is not given is the period.
/// assert_eq!((control.wcet, control.deadline), (2_000_000, 8_000_000));
///
/// // The same file with another value.
/// let changed = fresco_scenario::TaskSet::parse("one.toml", text, "".as_ref(), &["task.0.deadline=6 ms".into()])?;
/// assert_eq!(changed.timing()[0].deadline, 6_000_000);
/// # Ok::<(), fresco_input::InputError>(())
/// ```
#[derive(Clone, Debug)]
pub struct TaskSet {
    /// Short name.
    pub name: String,
    /// The machine.
    pub machine: Machine,
    /// How the machine is named and what is changed in its file.
    pub machine_given: PlannedMachine,
    /// The tasks, in the order of the file.
    pub tasks: Vec<TaskSpec>,
    /// What is asked of the plan.
    pub options: Options,
    /// Budgets of bandwidth under which the tasks run, if there are any.
    pub bandwidth: Option<PlannedBandwidth>,
    /// Who takes pages from the colors.
    pub frames: PlannedFrames,
    /// Where page tables lie.
    pub page_tables: PageTables,
}

impl TaskSet {
    /// Reads the file of a scenario, or the tasks of a plan; `overrides` are `key=value` as `--set` takes them (`plan.method=crs`, `memory.density=8`,
    /// `task.0.wcet="2 ms"`).
    ///
    /// # Errors
    /// The file cannot be read, or anything that [`TaskSet::parse`] finds.
    pub fn load(path: impl AsRef<Path>, overrides: &[String]) -> Result<Self, InputError> {
        Self::of(&Source::read(path)?, overrides)
    }

    /// Reads a scenario's source, or that of the tasks of a plan.
    ///
    /// # Errors
    /// Anything that [`TaskSet::parse`] finds.
    pub fn of(source: &Source, overrides: &[String]) -> Result<Self, InputError> {
        Self::parse(&source.file, &source.text, &source.directory, overrides).map_err(|error| source.told(error))
    }

    /// Reads a text. `file` is the name that errors give, `directory` what relative paths are relative to.
    ///
    /// # Errors
    /// No TOML; keys that are missing, unknown or out of range; times that make no task; no such machine; two tasks of
    /// one name.
    pub fn parse(file: &str, text: &str, directory: &Path, overrides: &[String]) -> Result<Self, InputError> {
        read_with(file, text, overrides, |document, _| {
            let mut document = document.clone();
            let sweep = Sweep::read(&document.root())?;
            let points = sweep.points();
            let [point] = points.as_slice() else {
                let error = document
                    .root()
                    .error_at("sweep", format!("found a sweep of {} points", points.len()));
                let axis = sweep.axes.first().map_or("", |axis| axis.name.as_str());
                return Err(error.allowed("one point: a plan is of one set of tasks").help(format!(
                    "choose one value of each axis, as in --set 'sweep.{axis}=[VALUE]'"
                )));
            };
            let set = |assignment: &Assignment| assignment.apply(&mut document);
            sweep.assignments(point).into_iter().try_for_each(set)?;
            Self::read(&document, directory)
        })
    }

    fn read(document: &Document, directory: &Path) -> Result<Self, InputError> {
        let root = document.root();
        let name = printable(&root, root.opt_text("name")?.unwrap_or("tasks"))?;
        root.opt_text("title")?;
        if root.opt_text("machine")?.is_some_and(fresco_input::is_standard_input) {
            // Who checks the plan has another standard input.
            let error = root.error_at("machine", "found \"-\"");
            let error = error.allowed("a built-in machine, or the path of a machine file");
            return Err(error.help("write the machine into a file, and name that"));
        }
        let MachineRead {
            machine,
            planned: machine_given,
            ..
        } = machine::read(&root, directory, Some(DEFAULT_MACHINE))?;
        let nothing_asked = Document::parse(&root.error("").file, "[plan]")?;
        let plan = match root.opt_table("plan")? {
            Some(table) => table,
            None => nothing_asked.root().table("plan")?,
        };
        let mut options = Options::read(plan, &root, &machine)?;
        if options.method == Some(Method::Partition) {
            if options.alone.is_some() {
                let error = root.error_at("plan.wcet_is", "found \"alone\" in a plan that is a partition");
                return Err(error
                    .allowed("a method that proves deadlines")
                    .help("remove it: a partition proves none, and counts no execution times"));
            }
            migrating::refuse_in_partition(&root, &options)?;
            let given = document.root().opt_table("plan")?;
            let has_cores = given.is_some_and(|plan| plan.has("cores"));
            let cores = has_cores.then_some(options.cores);
            let partition = partition::read(document, directory, cores)?;
            options.cores = partition.cores;
            return Ok(Self {
                name,
                machine: partition.machine,
                machine_given,
                tasks: partition.tasks,
                options,
                bandwidth: partition.bandwidth,
                frames: PlannedFrames::Camc,
                page_tables: PageTables::default(),
            });
        }
        let trace_dir = directory.join(root.opt_text("trace_dir")?.unwrap_or(""));
        let mut tasks: Vec<TaskSpec> = Vec::new();
        let mut places: Vec<InputError> = Vec::new();
        let mut asked = Asked::default();
        for (number, table) in root.array_of_tables("task")?.into_iter().enumerate() {
            let task = Task::read(&table, &machine, None)?;
            asked.add(&task, &table)?;
            for copy in task::copies(&task, &table, number, options.cores, &trace_dir)? {
                if let Some(other) = tasks.iter().position(|other| other.name == copy.name) {
                    let place = of_second(&places[other], &task.name_place, &root);
                    let error = error_at(place, format!("found a second task {:?}", copy.name));
                    return Err(error.allowed("each name once").help("rename one of the two"));
                }
                tasks.push(copy);
                places.push(task.name_place.clone());
            }
            table.finish()?;
        }
        if tasks.is_empty() {
            let error = root.error_at("task", "found no task").allowed("one [[task]] or more");
            return Err(error.help("add a [[task]] with name, period and wcet"));
        }
        let with_core = tasks.iter().filter(|task| task.core.is_some()).count();
        if with_core > 0 && with_core < tasks.len() {
            let error = root.error_at("task", format!("found a core for {with_core} of {} tasks", tasks.len()));
            return Err(error
                .allowed("a core for every task, or for none")
                .help("add core = N to the others, or leave the choice to the planner"));
        }
        // Tasks without a period go where there is room, each by itself.
        let periodic = || tasks.iter().filter(|task| task.timing.is_some());
        let with_color = periodic().filter(|task| task.color.is_some()).count();
        if with_color > 0 && with_color < periodic().count() {
            let found = format!(
                "found a color for {with_color} of {} tasks with a period",
                periodic().count()
            );
            return Err(root
                .error_at("task", found)
                .allowed("a color for every task with a period, or for none")
                .help("add color = 0 or color = 1 to the others, or leave the choice to the planner"));
        }
        migrating::check(&root, &options, with_core)?;
        if root.has("agent") {
            let error = root.error_at("agent", "found a device, of which a plan knows nothing");
            return Err(error
                .allowed("tasks: what a plan promises holds among them")
                .help("remove [[agent]], or simulate the scenario without a plan: fresco sim"));
        }
        if options.high_retention_ns.is_some() && tasks.iter().all(|task| task.wcet_high.is_none()) {
            let found = "found a high mode, but no task of high criticality";
            let table = root.opt_table("plan")?;
            let error = table.map(|plan| plan.error_at("high_retention", found));
            return Err(error
                .unwrap_or_else(|| root.error_at("plan", found))
                .allowed("one task or more with criticality = \"high\"")
                .help("add criticality = \"high\" to tasks that high mode serves, or remove it"));
        }
        if let Some(alone) = &mut options.alone {
            if let Some(task) = tasks.iter().find(|task| task.timing.is_some() && task.lines.is_none()) {
                let error = root.error_at(
                    &format!("task.{}.reads", task.name),
                    "found none, but WCETs measured alone",
                );
                return Err(error
                    .allowed("the lines that a job reads beyond its core's caches at most")
                    .help("add reads, and write_backs if they are fewer; `fresco bound --json` and performance counters know them"));
            }
            let writes = |task: &TaskSpec| task.lines.is_none_or(|lines| lines.write_backs > 0);
            alone.writes = tasks.iter().any(writes);
        }
        load::check(&root, &tasks, &machine, options.cores)?;
        let bandwidth = bandwidth::read(&root, &machine, options.cores, &asked)?;
        migrating::check_budgets(&root, &options, bandwidth.is_some())?;
        let frames = frames(&root)?;
        let page_tables = match root.opt_table("policy")? {
            Some(policy) => policy::page_tables(&policy)?,
            None => PageTables::default(),
        };
        runs::check(&root, &machine, tasks.iter().any(|task| task.timing.is_some()))?;
        let of_runs = OF_ALL_POINTS.iter().chain(runs::KEYS);
        of_runs.for_each(|key| _ = root.has(key));
        root.finish()?;
        Ok(Self {
            name,
            machine,
            machine_given,
            tasks,
            options,
            bandwidth,
            frames,
            page_tables,
        })
    }

    /// The same tasks with devices of another density, the organisation kept: what tRFC alone does (REF-17).
    ///
    /// # Errors
    /// The machine's refresh table has no tRFC for it.
    pub fn at_density(&self, gbit: u32) -> Result<Self, InputError> {
        let mut given = self.machine_given.clone();
        let keys = ["memory.density", "memory.density_scales_refresh_only"];
        given.changes.retain(|(key, _)| !keys.contains(&key.as_str()));
        let values = [gbit.to_string(), "true".to_owned()];
        given.changes.extend(keys.map(str::to_owned).into_iter().zip(values));
        let machine = fresco_machine::load_with(&given.given, &given.changes)?;
        given.digest.clone_from(&machine.text_digest);
        Ok(Self {
            machine,
            machine_given: given,
            ..self.clone()
        })
    }

    /// Time of a copy of the data that a task hands on, under budgets if there are any, in ns; `None` if it hands on none, or
    /// if the time exceeds 64 bits.
    pub fn copy_time(&self, task: usize) -> Option<fresco_rt::Time> {
        let bytes = self.tasks[task].global;
        let alone = (bytes > 0).then(|| self.options.copy.copy_time(bytes)).flatten()?;
        match &self.bandwidth {
            Some(budgets) => budgets.copy_time(bytes, alone, self.machine.core.mhz),
            None => Some(alone),
        }
    }

    /// The tasks that have periods.
    pub fn timing(&self) -> Vec<fresco_rt::Task> {
        self.tasks.iter().filter_map(|task| task.timing.clone()).collect()
    }
}

/// The allocator that the scenario names, if a plan can have it; CAMC's for the others, as a plan colors its tasks itself.
///
/// # Errors
/// Tasks would get pages of other colors.
fn frames(root: &Table<'_>) -> Result<PlannedFrames, InputError> {
    let Some(policy) = root.opt_table("policy")? else {
        return Ok(PlannedFrames::Camc);
    };
    if policy.opt_text("exhaustion")? == Some("spill") {
        let error = policy.error_at("exhaustion", "found \"spill\" in a scenario that is planned");
        return Err(error
            .allowed("\"strict\": in a page of another color a task would meet a refresh, or other tasks")
            .help("remove it, or simulate the scenario without a plan: fresco sim"));
    }
    let asked = policy.opt_text("frames")?;
    let known = PlannedFrames::NAMES.into_iter().find(|(name, _)| Some(*name) == asked);
    Ok(known.map_or(PlannedFrames::Camc, |(_, frames)| frames))
}
