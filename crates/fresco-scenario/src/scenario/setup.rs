// SPDX-License-Identifier: MIT OR Apache-2.0
//! One point of a sweep, resolved: machine, policy, phases, tasks.

use super::Dynamic;
use super::bandwidth;
use super::dynamic;
use super::extent::Extent;
use super::jobs::Scheduler;
use super::place::error_at;
use super::policy;
use super::task::{Role, Task};
use super::{MachineUsed, TraceUsed};
use crate::budgets::Budgets;
use fresco_dram::ColorSpace;
use fresco_frames::{Coloring, Config, ListsBy};
use fresco_input::{Document, InputError, Table};
use fresco_load::{Program, ProgramKind, Setting};
use fresco_machine::Machine;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Jobs of each periodic task that are measured if nothing is said.
const JOBS: u64 = 10;

/// Everything a run needs, except its seed.
pub struct Setup {
    /// The machine, with the values of `[memory]`.
    pub machine: Machine,
    /// The machine's file, unless it is built in.
    machine_path: Option<PathBuf>,
    /// Its colors.
    pub space: Arc<ColorSpace>,
    /// How page frames are chosen.
    pub frames: Config,
    /// Colors are divided anew while programs run.
    pub dynamic: Option<Dynamic>,
    /// Budgets of bandwidth, if cores are regulated.
    pub bandwidth: Option<Budgets>,
    /// What runs before anything is measured.
    pub warm_up: Extent,
    /// What is measured.
    pub measure: Extent,
    /// Among the periodic tasks of a core.
    pub scheduler: Scheduler,
    /// Judge every DRAM command by the independent checker.
    pub check: bool,
    /// The tasks, in the order of the file.
    pub tasks: Vec<Task>,
    /// The copies that run, in the order of the file.
    pub copies: Vec<Copy>,
    trace_dir: PathBuf,
    /// What the programs' parameters are read from.
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
    pub fn read(mut document: Document, directory: &Path) -> Result<Self, InputError> {
        run_programs_without_end(&mut document)?;
        let root = document.root();
        let super::machine::MachineRead { machine, path, .. } = super::machine::read(&root, directory, None)?;
        let page_bits = machine.page_bytes.trailing_zeros();
        let llc = machine.llc.as_ref().map(|llc| llc.set_functions()).unwrap_or_default();
        let space = ColorSpace::new(&machine.memory.map, &llc, page_bits)
            .map_err(|error| root.error_at("machine", format!("found a machine without colors: {error}")))?;
        let policy = policy::read(&root, machine.core.mhz)?;
        let tables = root.array_of_tables("task")?;
        let mut tasks = Vec::new();
        for table in tables {
            tasks.push(Task::read(&table, &machine, Some((&space, &policy)))?);
            table.finish()?;
        }
        policy.sharing.share_out(&root, &mut tasks, &machine, &space)?;
        let mut frames = policy.frames;
        if tasks.iter().any(Task::has_llc_colors) {
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
        let dynamic = dynamic::resolve(&root, policy.interval, &policy.sharing, &machine, &space, &copies)?;
        let periodic = tasks.iter().any(|task| task.timing.is_some());
        let extent = if periodic { Extent::read_periodic } else { Extent::read };
        let setup = Self {
            bandwidth: bandwidth::read(&root, &machine, &tasks, &copies)?,
            space: Arc::new(space),
            frames,
            dynamic,
            warm_up: extent(&root, "warm_up", 0, 1)?,
            measure: extent(&root, "measure", 1, if periodic { JOBS } else { 1 })?,
            scheduler: Scheduler::read(&root, periodic)?,
            check: root.opt_boolean("check")?.unwrap_or(false),
            trace_dir: directory.join(root.opt_text("trace_dir")?.unwrap_or("")),
            machine,
            machine_path: path,
            tasks,
            copies,
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
        let tables = self.document.root().array_of_tables("task").unwrap_or_default();
        let file = |table: &Table<'_>| {
            let program = super::task::program(table).ok()??;
            let parameters = table.opt_table("parameters").ok()??;
            let names_a_file = program.parameters().find(|parameter| parameter.is_file())?;
            let name = parameters.text(names_a_file.name).ok()?;
            Some(TraceUsed {
                name: name.to_owned(),
                path: self.trace_dir.join(name),
            })
        };
        tables.iter().filter_map(file).collect()
    }

    /// Everything that decides a task's program, except its seed.
    pub fn program_key(&self, task: usize) -> String {
        let tables = self.document.root().array_of_tables("task").unwrap_or_default();
        let parameters = tables.get(task).and_then(|table| table.opt_item("parameters"));
        let parameters = parameters.map_or_else(String::new, |item| item.to_toml());
        let program = self.program(task);
        let threads = if program.is_team() { self.copies_of(task) } else { 1 };
        format!("{} {threads} {} {parameters}", program.name, self.trace_dir.display())
    }

    /// What a task runs.
    pub fn program(&self, task: usize) -> &'static ProgramKind {
        self.tasks[task].program.expect("no task without a program is set up")
    }

    /// Are there periodic tasks? Then cores are shared.
    pub fn is_periodic(&self) -> bool {
        self.tasks.iter().any(|task| task.timing.is_some())
    }

    /// Directory of traces.
    pub fn trace_dir(&self) -> &Path {
        &self.trace_dir
    }

    /// The parameters of a task's program as lines of TOML, without those that say how long it runs.
    ///
    /// # Errors
    /// None: what is wrong was found before.
    pub fn parameters(&self, task: usize) -> Result<String, InputError> {
        parameters(&self.document.root().array_of_tables("task")?[task])
    }

    fn copies_of(&self, task: usize) -> u32 {
        self.copies.iter().filter(|copy| copy.task == task).count() as u32
    }

    /// Bytes of a line: what one burst moves.
    pub fn line_bytes(&self) -> u64 {
        self.machine.memory.timing.burst_length * u64::from(self.machine.memory.organisation.bus_bytes)
    }

    /// Builds the threads of a task: one for each of its copies if its program is a team, else one alone.
    pub fn team(&self, task: usize, seed: u64) -> Result<Vec<Box<dyn Program>>, InputError> {
        let setting = Setting {
            seed,
            trace_dir: self.trace_dir.clone(),
        };
        let kind = self.program(task);
        let threads = if kind.is_team() { self.copies_of(task) } else { 1 };
        build(
            &self.document.root().array_of_tables("task")?[task],
            kind,
            &setting,
            threads,
        )
    }
}

/// Tables that say what is asked of a plan: a run of the tasks as they stand does not heed them.
const OF_PLANS: &[&str] = &["plan", "server"];

/// Parameters that say how long a program runs, which a scenario says otherwise.
const LENGTHS: [&str; 2] = ["passes", "warmup"];

/// Builds the threads of a task's program.
pub(crate) fn build(
    task: &Table<'_>,
    kind: &ProgramKind,
    setting: &Setting,
    threads: u32,
) -> Result<Vec<Box<dyn Program>>, InputError> {
    match task.opt_table("parameters")? {
        Some(table) => {
            refuse_unknown(&table, kind)?;
            kind.build_team(&table, setting, threads)
        }
        None => kind.build_team(&Document::parse(&task.error("").file, "")?.root(), setting, threads),
    }
}

/// As [`Setup::parameters`], from the task's table.
pub(crate) fn parameters(task: &Table<'_>) -> Result<String, InputError> {
    let Some(table) = task.opt_table("parameters")? else {
        return Ok(String::new());
    };
    let mut lines = String::new();
    for key in table.keys().filter(|key| !LENGTHS.contains(key)) {
        lines += &format!("{key} = {}\n", table.item(key, "")?.to_toml());
    }
    Ok(lines)
}

/// Refuses keys that are none of the program's parameters, and names those that a scenario may set.
fn refuse_unknown(parameters: &Table<'_>, program: &ProgramKind) -> Result<(), InputError> {
    let names: Vec<&str> = program.parameters().map(|parameter| parameter.name).collect();
    let Some(key) = parameters.keys().find(|key| !names.contains(key)) else {
        return Ok(());
    };
    let allowed: Vec<&str> = names.into_iter().filter(|name| !LENGTHS.contains(name)).collect();
    let help = match fresco_input::closest(key, allowed.iter().copied()) {
        Some(near) => format!("did you mean {near:?}?"),
        None => format!("remove it; fresco sim --programs explains those of {}", program.name),
    };
    let error = parameters.error_at(key, format!("found no parameter of {}", program.name));
    Err(error.allowed(allowed.join(", ")).help(help))
}

/// How long a program runs is said by `[warm_up]` and `[measure]`: programs that count their passes run without end.
pub(crate) fn run_programs_without_end(document: &mut Document) -> Result<(), InputError> {
    let mut endless = Vec::new();
    for (number, table) in document.root().array_of_tables("task")?.iter().enumerate() {
        let Some(program) = super::task::program(table)? else {
            continue;
        };
        let parameters = table.opt_table("parameters")?;
        for parameter in program.parameters().filter(|p| LENGTHS.contains(&p.name)) {
            if let Some(table) = parameters.as_ref().filter(|table| table.has(parameter.name)) {
                let error = table.error_at(parameter.name, "found a length of the program's own");
                let allowed = "[warm_up] and [measure] of the scenario, which hold for all tasks";
                return Err(error
                    .allowed(allowed)
                    .help("remove it, and write [measure] passes = … instead"));
            }
            if parameter.name == "passes" {
                endless.push(format!("task.{number}.parameters.passes"));
            }
        }
    }
    endless.iter().try_for_each(|key| document.set_value(key, "0"))
}

/// Every copy that runs: of the background ones only the first `corunners`.
fn copies(root: &Table<'_>, tasks: &[Task], corunners: Option<u32>) -> Result<Vec<Copy>, InputError> {
    let mut left = corunners.unwrap_or(u32::MAX);
    let mut copies: Vec<Copy> = Vec::new();
    for (number, task) in tasks.iter().enumerate() {
        if let Some(other) = tasks[..number].iter().find(|other| other.name == task.name) {
            let error = error_at(&task.place, format!("found a second task {:?}", other.name));
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
                    .allowed("one task without a period per core, beside periodic ones")
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
