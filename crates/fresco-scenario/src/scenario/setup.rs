// SPDX-License-Identifier: MIT OR Apache-2.0
//! One point of a sweep, resolved: machine, policy, phases, tasks.

use super::Agent;
use super::Dynamic;
use super::bandwidth;
use super::dynamic;
use super::extent::Extent;
use super::jobs::Scheduler;
use super::place::{error_at, of_second};
use super::policy;
use super::recorded;
use super::rows::{self, Rows};
use super::task::{Role, Task};
use super::{MachineUsed, TraceUsed};
use crate::budgets::Budgets;
use crate::plan::PlannedMachine;
use fresco_dram::{ColorSpace, Ps};
use fresco_frames::{Coloring, FramesConfig, ListsBy};
use fresco_input::{Document, InputError, Table};
use fresco_load::{Program, ProgramSpec, Setting};
use fresco_machine::Machine;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Jobs of each periodic task that are measured if nothing is said.
const JOBS: u64 = 10;

/// Lengths of a timeline, in picoseconds: 1 us to 1000 s.
pub(crate) const TIMELINES: RangeInclusive<Ps> = 1_000_000..=1_000_000_000_000_000;

/// Everything a run needs, except its seed.
pub struct Setup {
    /// The machine, with the values of `[memory]`.
    pub machine: Machine,
    /// How the machine is named, and what is changed in its file.
    pub machine_given: PlannedMachine,
    /// The machine's file, unless it is built in.
    machine_path: Option<PathBuf>,
    /// Its colors.
    pub space: Arc<ColorSpace>,
    /// How page frames are chosen.
    pub frames: FramesConfig,
    /// Page frames are those of recorded processors, and none are allocated.
    pub recorded: bool,
    /// Row domains, if tasks or agents name some.
    pub rows: Option<Arc<Rows>>,
    /// Colors are divided anew while programs run.
    pub dynamic: Option<Dynamic>,
    /// Budgets of bandwidth, if cores are regulated.
    pub bandwidth: Option<Budgets>,
    /// Loads and stores of each task that fill caches before, in no time.
    pub fill: u64,
    /// What runs before anything is measured.
    pub warm_up: Extent,
    /// What is measured.
    pub measure: Extent,
    /// Among the periodic tasks of a core.
    pub scheduler: Scheduler,
    /// Judge every DRAM command by the independent checker.
    pub check: bool,
    /// Length of the part of each run whose timeline is kept, in picoseconds; `None` if the scenario does not say.
    pub timeline: Option<Ps>,
    /// The tasks, in the order of the file.
    pub tasks: Vec<Task>,
    /// The copies that run, in the order of the file.
    pub copies: Vec<Copy>,
    /// Devices beside the cores, in the order of the file.
    pub agents: Vec<Agent>,
    trace_dir: PathBuf,
    /// What it was read from, for tools that change scenarios.
    pub(super) document: Document,
}

/// One copy of a task on its core.
pub struct Copy {
    /// Index into the tasks.
    pub task: usize,
    /// Unique name.
    pub name: String,
    /// Number of its core.
    pub core: u32,
    /// The colors of its memory.
    pub coloring: Coloring,
    /// The colors are a share that the policy worked out.
    pub shared: bool,
}

impl Setup {
    /// Reads a scenario's document. `directory` is that of its file.
    pub fn read(document: Document, directory: &Path) -> Result<Self, InputError> {
        let root = document.root();
        let super::machine::MachineRead { machine, path, planned } = super::machine::read(&root, directory, None)?;
        let space = machine
            .colors()
            .map_err(|error| root.error_at("machine", format!("found a machine without colors: {error}")))?;
        let policy = policy::read(&root, machine.core.mhz)?;
        if policy.recorded {
            recorded::refuse_asking(&root)?;
        }
        let tables = root.array_of_tables("task")?;
        let rows = rows::Asked::read(&root, &machine)?;
        let mut tasks = Vec::new();
        for table in tables {
            let mut task = Task::read(&table, &machine, Some((&space, &policy)))?;
            task.rows = rows.of(&table)?;
            tasks.push(task);
            table.finish()?;
        }
        let agents = Agent::read_all(&root, &machine, (&space, &policy), &rows)?;
        let rows = rows.divide(&root, &machine, &tasks, &agents)?;
        let of_agents = agents.iter().map(|agent| &agent.coloring);
        policy
            .sharing
            .share_out(&root, &mut tasks, of_agents, &machine, &space)?;
        let mut frames = policy.frames;
        let of_tasks = tasks.iter().flat_map(|task| &task.colorings);
        if of_tasks.chain(agents.iter().map(|agent| &agent.coloring)).any(has_llc) {
            frames.lists = ListsBy::BankAndLlc;
        }
        let background = tasks.iter().filter(|task| task.role == Role::Background);
        let most = background.map(|task| task.cores.len() as u32).sum();
        let corunners = root.opt_integer("corunners", 0..=most).map_err(|error| {
            let allowed = format!("0 to {most}: so many copies of background tasks there are");
            error
                .allowed(allowed)
                .help("start fewer, or add background tasks, or cores to them")
        })?;
        let copies = copies(&root, &tasks, corunners)?;
        if let Some(agent) = agents
            .iter()
            .find(|agent| copies.iter().any(|copy| copy.name == agent.name))
        {
            let error = error_at(&agent.place, format!("found a task {:?}, too", agent.name));
            return Err(error
                .allowed("names of their own for agents")
                .help("rename one of the two"));
        }
        let dynamic = dynamic::resolve(&root, policy.interval, &policy.sharing, &machine, &space, &copies)?;
        if let (Some(_), Some(_), Some(policy)) = (&rows, &dynamic, root.opt_table("policy")?) {
            return Err(rows::refuse_dynamic(&policy.error_at("dynamic", "")));
        }
        let periodic = tasks.iter().any(|task| task.timing.is_some());
        let extent = if periodic { Extent::read_periodic } else { Extent::read };
        let mut budgets = bandwidth::read(&root, &machine, &tasks, &copies)?;
        if agents.iter().any(|agent| agent.enabled) {
            // No budget holds a device back.
            let nodes = budgets.iter_mut().flat_map(|budgets| &mut budgets.nodes);
            nodes.for_each(|node| node.is_guaranteed = false);
        }
        let setup = Self {
            bandwidth: budgets,
            space: Arc::new(space),
            frames,
            recorded: policy.recorded,
            rows,
            dynamic,
            fill: Extent::read_fill(&root, periodic)?,
            warm_up: extent(&root, "warm_up", 0, 1)?,
            measure: extent(&root, "measure", 1, if periodic { JOBS } else { 1 })?,
            scheduler: Scheduler::read(&root, periodic)?,
            check: root.opt_boolean("check")?.unwrap_or(false),
            timeline: root.opt_duration("timeline", TIMELINES)?,
            trace_dir: directory.join(root.opt_text("trace_dir")?.unwrap_or("")),
            machine,
            machine_given: planned,
            machine_path: path,
            tasks,
            copies,
            agents,
            document: document.clone(),
        };
        super::OF_ALL_POINTS
            .iter()
            .chain(OF_PLANS)
            .for_each(|key| _ = root.has(key));
        root.finish()?;
        Ok(setup)
    }

    /// The machine, as a report names it.
    pub fn machine_used(&self) -> MachineUsed {
        MachineUsed {
            name: self.machine.name.clone(),
            path: self.machine_path.clone(),
            digest: self.machine.text_digest.clone(),
        }
    }

    /// The traces that tasks replay.
    pub fn traces(&self) -> Vec<TraceUsed> {
        let used = |program: &ProgramSpec| {
            program.file().map(|name| TraceUsed {
                name: name.to_owned(),
                path: self.trace_dir.join(name),
                is_together: program.kind().is_team(),
            })
        };
        let programs = self.tasks.iter().filter_map(|task| task.program.as_ref());
        programs.filter_map(used).collect()
    }

    /// Everything that decides a task's program, except its seed.
    pub(super) fn program_key(&self, task: usize) -> (u32, &ProgramSpec) {
        (self.threads(task), self.program(task))
    }

    /// Threads of a task's program: one for each of its copies if it is a team, else one alone.
    fn threads(&self, task: usize) -> u32 {
        match self.program(task).kind().is_team() {
            true => self.copies.iter().filter(|copy| copy.task == task).count() as u32,
            false => 1,
        }
    }

    /// What a task runs.
    pub fn program(&self, task: usize) -> &ProgramSpec {
        let program = self.tasks[task].program.as_ref();
        program.expect("no task without a program is set up")
    }

    /// Returns true if there are periodic tasks, which share cores.
    pub fn is_periodic(&self) -> bool {
        self.tasks.iter().any(|task| task.timing.is_some())
    }

    /// Directory of traces.
    pub fn trace_dir(&self) -> &Path {
        &self.trace_dir
    }

    /// Bytes of a line: what one request moves.
    pub fn line_bytes(&self) -> u64 {
        self.machine
            .memory
            .timing
            .bytes_of_line(&self.machine.memory.organisation)
    }

    /// Builds the threads of a task: one for each of its copies if its program is a team, else one alone.
    pub fn team(&self, task: usize, seed: u64) -> Result<Vec<Box<dyn Program>>, InputError> {
        let setting = Setting {
            seed,
            trace_dir: self.trace_dir.clone(),
        };
        self.program(task).build(&setting, self.threads(task))
    }
}

/// Tables that say what is asked of a plan: a run of the tasks as they stand does not heed them.
const OF_PLANS: &[&str] = &["plan", "server"];

/// Returns true if LLC colors are asked for.
fn has_llc(coloring: &Coloring) -> bool {
    match coloring {
        Coloring::Off => false,
        Coloring::Explicit { llc, .. } | Coloring::Automatic { llc, .. } => llc.is_some(),
    }
}

/// Every copy that runs: of the background ones only the first `corunners`.
fn copies(root: &Table<'_>, tasks: &[Task], corunners: Option<u32>) -> Result<Vec<Copy>, InputError> {
    let mut left = corunners.unwrap_or(u32::MAX);
    let mut copies: Vec<Copy> = Vec::new();
    for (number, task) in tasks.iter().enumerate() {
        if let Some(other) = tasks[..number].iter().find(|other| other.name == task.name) {
            let found = format!("found a second task {:?}", other.name);
            let error = match of_second(&other.name_place, &task.name_place, root) {
                second if second.file == root.error("").file => error_at(&task.place, found),
                set => error_at(set, found),
            };
            return Err(error.allowed("each name once").help("rename one of the two"));
        }
        for (copy, core) in task.cores.iter().enumerate() {
            if task.role == Role::Background {
                match left.checked_sub(1) {
                    Some(fewer) => left = fewer,
                    None => continue,
                }
            }
            let beside = |other: &&Copy| other.core == *core && tasks[other.task].timing.is_none();
            if let Some(other) = copies.iter().find(beside).filter(|_| task.timing.is_none()) {
                let found = format!("found core {core}, on which {} runs already", other.name);
                let error = error_at(&task.place, found);
                let help = "give each task a core of its own, or a period";
                return Err(error
                    .allowed("one task without a period per core, which it never gives up but to periodic ones")
                    .help(help));
            }
            copies.push(Copy {
                task: number,
                name: task.copy_name(copy),
                core: *core,
                coloring: task.colorings[copy].clone(),
                shared: task.shared.get(copy).copied().unwrap_or(false),
            });
        }
    }
    if tasks.is_empty() {
        let error = root
            .error("found no task")
            .in_field("task")
            .allowed("one [[task]] or more");
        return Err(error.help("add a [[task]] with name, program and core"));
    }
    let is_measured = |copy: &Copy| tasks[copy.task].role == Role::Measured;
    if let Some(task) = tasks
        .iter()
        .find(|task| task.role == Role::Measured && task.cores.is_empty())
        && !copies.iter().any(is_measured)
    {
        let error = error_at(
            &task.place,
            format!("found 0 copies of {:?}, and no other measured task", task.name),
        );
        return Err(error
            .allowed("one copy or more of a measured task")
            .help("raise copies, or omit it: each listed core has a copy then"));
    }
    if !copies.iter().any(is_measured) {
        let error = root
            .error("found no measured task")
            .in_field("task")
            .allowed("one task or more with role = \"measured\"");
        return Err(error.help("omit the role of a task: measured is the default"));
    }
    Ok(copies)
}
