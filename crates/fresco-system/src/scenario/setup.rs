// SPDX-License-Identifier: MIT OR Apache-2.0
//! One point of a sweep, resolved: machine, policy, phases, tasks.

use super::assignment::Assignment;
use super::extent::Extent;
use super::place::{error_at, moved};
use super::policy;
use super::task::{Role, Task};
use fresco_dram::ColorSpace;
use fresco_frames::{Coloring, Config, ListsBy};
use fresco_input::{Document, InputError, Table};
use fresco_load::{Program, Setting};
use fresco_machine::Machine;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Everything a run needs, except its seed.
pub(crate) struct Setup {
    pub machine: Machine,
    pub space: Arc<ColorSpace>,
    pub frames: Config,
    pub warm_up: Extent,
    pub measure: Extent,
    /// Judge every DRAM command by the independent checker.
    pub check: bool,
    pub tasks: Vec<Task>,
    /// The copies that run, in the order of the file.
    pub copies: Vec<Copy>,
    trace_dir: PathBuf,
    /// What the programs' parameters are read from.
    document: Document,
}

/// One copy of a task on its core.
pub(crate) struct Copy {
    /// Index into the tasks.
    pub task: usize,
    pub name: String,
    pub core: u32,
    pub coloring: Coloring,
}

impl Setup {
    /// Reads a scenario's document. `directory` is that of its file.
    pub fn read(mut document: Document, directory: &Path) -> Result<Self, InputError> {
        run_programs_without_end(&mut document)?;
        let root = document.root();
        let machine = read_machine(&root, directory)?;
        let page_bits = machine.page_bytes.trailing_zeros();
        let llc = machine.llc.as_ref().map(|llc| llc.set_functions()).unwrap_or_default();
        let space = ColorSpace::new(&machine.memory.map, &llc, page_bits)
            .map_err(|error| root.error_at("machine", format!("found a machine without colours: {error}")))?;
        let mut frames = policy::read(&root, machine.core.mhz)?;
        let tables = root.array_of_tables("task")?;
        let mut tasks = Vec::new();
        for table in tables {
            tasks.push(Task::read(&table, &machine, &space, &frames.policy)?);
            table.finish()?;
        }
        if tasks.iter().any(Task::has_llc_colors) {
            frames.lists = ListsBy::BankAndLlc;
        }
        let corunners = root.opt_integer("corunners", 0..=1023u32)?;
        let copies = copies(&root, &tasks, corunners)?;
        let setup = Self {
            space: Arc::new(space),
            frames,
            warm_up: Extent::read(&root, "warm_up", 0, 1)?,
            measure: Extent::read(&root, "measure", 1, 1)?,
            check: root.opt_boolean("check")?.unwrap_or(false),
            trace_dir: directory.join(root.opt_text("trace_dir")?.unwrap_or("")),
            machine,
            tasks,
            copies,
            document: document.clone(),
        };
        for key in super::OF_ALL_POINTS {
            root.has(key);
        }
        root.finish()?;
        Ok(setup)
    }

    /// Everything that decides a task's program, except its seed.
    pub fn program_key(&self, task: usize) -> String {
        let tables = self.document.root().array_of_tables("task").unwrap_or_default();
        let parameters = tables.get(task).and_then(|table| table.opt_item("parameters"));
        let parameters = parameters.map_or_else(String::new, |item| item.to_toml());
        format!(
            "{} {} {parameters}",
            self.tasks[task].program.name,
            self.trace_dir.display()
        )
    }

    /// Builds the program of a task.
    pub fn program(&self, task: usize, seed: u64) -> Result<Box<dyn Program>, InputError> {
        let setting = Setting {
            seed,
            trace_dir: self.trace_dir.clone(),
        };
        let kind = self.tasks[task].program;
        let root = self.document.root();
        let tables = root.array_of_tables("task")?;
        match tables[task].opt_table("parameters")? {
            Some(table) => {
                let program = kind.build(&table, &setting)?;
                table.finish()?;
                Ok(program)
            }
            None => {
                let place = self.tasks[task].place.file.clone();
                kind.build(&Document::parse(&place, "")?.root(), &setting)
            }
        }
    }
}

/// How long a program runs is said by `[warm_up]` and `[measure]`: programs that count their passes run without end.
fn run_programs_without_end(document: &mut Document) -> Result<(), InputError> {
    let mut endless = Vec::new();
    for (number, table) in document.root().array_of_tables("task")?.iter().enumerate() {
        let program = fresco_load::program(&table.item("program")?)?;
        let parameters = table.opt_table("parameters")?;
        for parameter in program.parameters().filter(|p| ["passes", "warmup"].contains(&p.name)) {
            if let Some(table) = parameters.as_ref().filter(|table| table.has(parameter.name)) {
                let error = table.error_at(parameter.name, "found a length of the program's own");
                let allowed = "[warm_up] and [measure] of the scenario, which hold for all tasks";
                return Err(error
                    .allowed(allowed)
                    .cure("remove it, and write [measure] passes = … instead"));
            }
            if parameter.name == "passes" {
                endless.push(format!("task.{number}.parameters.passes"));
            }
        }
    }
    endless.iter().try_for_each(|key| document.set_value(key, "0"))
}

/// `machine`, with the values of `[memory]` in place of its file's.
fn read_machine(root: &Table<'_>, directory: &Path) -> Result<Machine, InputError> {
    let name = root.text("machine")?;
    let is_path = name.contains('/') || name.ends_with(".toml");
    let path = if is_path {
        directory.join(name).display().to_string()
    } else {
        name.to_owned()
    };
    let assignments = match root.opt_table("memory")? {
        Some(table) => Assignment::all_in(&table, "memory", "[memory]")?,
        None => Vec::new(),
    };
    let overrides: Vec<_> = assignments.iter().map(|a| (a.key.clone(), a.value.clone())).collect();
    fresco_machine::load_with(&path, &overrides)
        .map_err(|error| {
            assignments
                .iter()
                .fold(error, |error, assignment| assignment.relocate(error))
        })
        .map_err(|error| match error.file.starts_with("machine ") {
            // The scenario's line is of more use than the name that stands there.
            true => moved(&error, &root.error_at("machine", ""), error.found.clone()),
            false => error,
        })
}

/// Every copy that runs: of the background ones only the first `corunners`.
fn copies(root: &Table<'_>, tasks: &[Task], corunners: Option<u32>) -> Result<Vec<Copy>, InputError> {
    let mut left = corunners.unwrap_or(u32::MAX);
    let mut copies: Vec<Copy> = Vec::new();
    for (number, task) in tasks.iter().enumerate() {
        if let Some(other) = tasks[..number].iter().find(|other| other.name == task.name) {
            let error = error_at(&task.place, format!("found a second task {:?}", other.name));
            return Err(error.allowed("each name once").cure("rename one of the two"));
        }
        for (copy, core) in task.cores.iter().enumerate() {
            if task.role == Role::Background {
                match left.checked_sub(1) {
                    Some(fewer) => left = fewer,
                    None => continue,
                }
            }
            if let Some(other) = copies.iter().find(|other| other.core == *core) {
                let found = format!("found core {core}, on which {} runs already", other.name);
                let error = error_at(&task.place, found);
                let cure = "give each task a core of its own: tasks are pinned, and cores are not shared yet";
                return Err(error.allowed("one task per core").cure(cure));
            }
            copies.push(Copy {
                task: number,
                name: task.copy_name(copy),
                core: *core,
                coloring: task.colorings[copy].clone(),
            });
        }
    }
    if tasks.is_empty() {
        let error = root
            .error("found no task")
            .in_field("task")
            .allowed("one [[task]] or more");
        return Err(error.cure("add a [[task]] with name, program and core"));
    }
    if !copies.iter().any(|copy| tasks[copy.task].role == Role::Measured) {
        let error = root
            .error("found no measured task")
            .in_field("task")
            .allowed("one task or more with role = \"measured\"");
        return Err(error.cure("leave the role of a task away: measured is the default"));
    }
    if let Some(wanted) = corunners.filter(|_| left > 0 && left != u32::MAX) {
        let there_are = wanted - left;
        let error = root.error_at("corunners", format!("found {wanted} co-runners"));
        let allowed = format!("0 to {there_are}: so many copies of background tasks there are");
        return Err(error.allowed(allowed).cure("add background tasks, or cores to them"));
    }
    Ok(copies)
}
