// SPDX-License-Identifier: MIT OR Apache-2.0
//! `[[task]]`: a program, the cores its copies run on, the memory it gets.

use super::place::asked_at;
use super::policy::Chosen;
use super::{coloring, jobs, placement, program, ways};
use fresco_dram::{ColorSpace, Ps};
use fresco_frames::{ColorSet, Coloring, Placement};
use fresco_input::{InputError, Table};
use fresco_load::ProgramSpec;
use fresco_machine::Machine;
use serde::{Deserialize, Serialize};

/// What a task is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Its measured phase ends the run.
    Measured,
    /// It runs again and again until the measured tasks are done.
    Background,
}

/// When the pages of a task get their frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Paging {
    /// All when the task starts, in ascending order of addresses: as a program does that sets its data up first.
    #[default]
    AtStart,
    /// Each when it is touched first, at the cost of a page fault.
    OnTouch,
}

impl Paging {
    /// Every way with its name in files.
    pub const NAMES: [(&'static str, Self); 2] = [("at-start", Self::AtStart), ("on-touch", Self::OnTouch)];

    /// Returns true if all pages are there before the task begins.
    pub fn is_at_start(&self) -> bool {
        *self == Self::AtStart
    }
}

/// Lines that a job moves beyond its core's own caches at most, as a plan counts them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobLines {
    /// Lines read.
    pub reads: u64,
    /// Lines written back.
    pub write_backs: u64,
}

impl JobLines {
    /// Reads `reads` and `write_backs`: if omitted as many lines are written back as are read.
    fn read(table: &Table<'_>) -> Result<Option<Self>, InputError> {
        const MOST: u64 = 1 << 40;
        let reads = table.opt_integer("reads", 0..=MOST)?;
        match (reads, table.opt_integer("write_backs", 0..=MOST)?) {
            (Some(reads), write_backs) => Ok(Some(Self {
                reads,
                write_backs: write_backs.unwrap_or(reads),
            })),
            (None, None) => Ok(None),
            (None, Some(_)) => {
                let error = table.error_at("write_backs", "found write_backs without reads");
                Err(error
                    .allowed("the lines that a job reads and writes back")
                    .help("add reads = …, the lines that a job reads from memory at most"))
            }
        }
    }
}

/// One `[[task]]`; its copies are alike.
#[derive(Clone)]
pub struct Task {
    /// Unique name.
    pub name: String,
    /// What it runs; `None` only where a plan is asked for.
    pub program: Option<ProgramSpec>,
    /// A core for each copy.
    pub cores: Vec<u32>,
    /// Measured or background.
    pub role: Role,
    /// How long after the others it begins, in picoseconds.
    pub start: Ps,
    /// When its jobs come; `None` for a task that runs on and on.
    pub timing: Option<fresco_rt::Task>,
    /// What a job takes in high mode at most, in ns; `None` if the task is dropped there. Heeded by plans.
    pub wcet_high: Option<fresco_rt::Time>,
    /// When its pages get their frames.
    pub paging: Paging,
    /// Node that its memory comes from first; `None` for that of the core.
    pub node: Option<u32>,
    /// Nodes that its memory comes from if it has no colors.
    pub placement: Placement,
    /// Colors of each copy.
    pub colorings: Vec<Coloring>,
    /// Which of its copies have a share of the colors; none if the policy shares none out.
    pub shared: Vec<bool>,
    /// Most frames it may hold.
    pub limit: Option<u64>,
    /// Row domains that its memory lies in; `None` for those that nobody names.
    pub rows: Option<ColorSet>,
    /// Cycles in a thousand instructions in which its core goes on with none, for reasons that its accesses do not show; `None` for those of
    /// its program.
    pub stalls: Option<u32>,
    /// Ways of the last-level cache that its lines come into, bit n for way n; `None` for all.
    pub ways: Option<u128>,
    /// Bandwidth that each copy asks for.
    pub bandwidth: super::bandwidth::Asked,
    /// Memory of one instance as a plan counts it, in bytes, whole pages; `None` if nothing is said.
    pub bytes: Option<u64>,
    /// Data that one job leaves to the next, in bytes; heeded by plans.
    pub global: u64,
    /// Lines that a job moves at most; heeded by plans.
    pub lines: Option<JobLines>,
    /// The refresh color that a plan must give it; `None` to have it chosen.
    pub color: Option<usize>,
    /// The program that it is on a real machine, with its arguments; empty if none is named.
    pub command: Vec<String>,
    /// Its place, for errors.
    pub place: InputError,
    /// That of its name.
    pub name_place: InputError,
    /// Where the size of its memory is set: by the command line, the sweep or a variant, else its place.
    pub size_place: InputError,
    /// The same of its size or colors.
    pub colors_place: InputError,
}

/// Memory of a task of which nothing is said, where a plan counts it.
pub(crate) const DEFAULT_MEMORY: u64 = 64 << 10;

/// Latest start: a second.
const LATEST_START: Ps = 1_000_000_000_000;

/// [`Task::stalls`] at most: an instruction in a hundred cycles.
pub const MOST_STALLS: u32 = 100_000;

impl Task {
    /// Reads one table; the caller finishes it. `colors` are those of the machine and the policy that chooses among
    /// them; `None` where a plan chooses cores and memory.
    pub(crate) fn read(
        table: &Table<'_>,
        machine: &Machine,
        colors: Option<(&ColorSpace, &Chosen)>,
    ) -> Result<Self, InputError> {
        let name = match colors {
            Some(_) => plain_name(table)?,
            None => printable(table, table.text("name")?)?,
        };
        let program = program::read(table, colors.is_some())?;
        let is_team = program.as_ref().is_some_and(|program| program.kind().is_team());
        let roles = [("measured", Role::Measured), ("background", Role::Background)];
        let most = machine.memory.organisation.total_bytes();
        let (cores, listed) = match (table.has("core") || table.has("cores"), colors) {
            (false, None) => (Vec::new(), 0),
            _ => cores(table, machine)?,
        };
        // What a plan decides is not asked for, so that it is not among the keys that an error names.
        let is_run = colors.is_some();
        if !is_run {
            refuse_chosen(table)?;
        }
        let bytes = table
            .opt_size("memory", 1..=most)
            .map_err(|error| match table.text("memory") {
                Ok(word) if placement::is_kind(word) => error.help(format!("write placement = {word:?}")),
                _ => error,
            })?;
        let bytes = bytes.map(|bytes| bytes.next_multiple_of(machine.page_bytes).min(most));
        let mut task = Self {
            program,
            cores,
            role: table.opt_choice("role", &roles)?.unwrap_or(Role::Measured),
            start: match is_run {
                true => table.opt_duration("start", 0..=LATEST_START)?.unwrap_or(0),
                false => 0,
            },
            timing: jobs::read(table, &name, colors.is_none())?,
            wcet_high: None,
            // Who touches a page of a team first decides its colors (TINT-19).
            paging: table.opt_choice("pages", &Paging::NAMES)?.unwrap_or(match is_team {
                true => Paging::OnTouch,
                false => Paging::AtStart,
            }),
            node: match is_run {
                true => table.opt_integer("node", 0..=machine.topology.nodes() - 1)?,
                false => None,
            },
            colorings: match colors {
                Some((space, policy)) => coloring::read(table, space, policy, listed)?,
                None => vec![Coloring::Off; listed],
            },
            placement: Placement::Local,
            shared: Vec::new(),
            limit: match is_run {
                true => table.opt_size("memory_limit", machine.page_bytes..=most)?,
                false => None,
            }
            .map(|bytes| bytes / machine.page_bytes),
            // They are counted where the machine's memory is divided.
            rows: None,
            stalls: table.opt_integer("stalls", 0..=MOST_STALLS)?,
            ways: match is_run {
                true => ways::read(table, machine)?,
                false => None,
            },
            bandwidth: super::bandwidth::Asked::read(table, is_run)?,
            bytes,
            global: table
                .opt_size("global", 0..=bytes.unwrap_or(DEFAULT_MEMORY))?
                .unwrap_or(0),
            lines: JobLines::read(table)?,
            color: table.opt_integer("color", 0..=1u32)?.map(|color| color as usize),
            command: command(table)?,
            size_place: memory_place(table, &name, &SIZE)?,
            colors_place: memory_place(table, &name, &[&SIZE[..], &COLORS].concat())?,
            place: table.error("").in_field(format!("task.{name}")),
            name_place: table.error_at("name", ""),
            name,
        };
        task.wcet_high = jobs::wcet_high(table, task.timing.as_ref())?;
        if is_run {
            let uncolored = task.colorings.iter().all(|coloring| *coloring == Coloring::Off);
            task.placement = placement::read(table, machine.topology.nodes(), uncolored)?;
        }
        Ok(task)
    }

    /// The name of one of its copies: that of the task if it is the only one.
    pub fn copy_name(&self, copy: usize) -> String {
        if self.cores.len() == 1 {
            self.name.clone()
        } else {
            format!("{}.{copy}", self.name)
        }
    }
}

/// Keys that decide the size of a task's memory, besides its parameters.
const SIZE: [&str; 2] = ["program", "memory_limit"];

/// Keys that decide its colors.
const COLORS: [&str; 6] = ["banks", "banks_each", "llc", "colors", "rows", "node"];

/// Where the memory of a task is asked for: by a parameter, else by one of `keys`.
fn memory_place(table: &Table<'_>, name: &str, keys: &[&str]) -> Result<InputError, InputError> {
    let name = || format!("task.{name}");
    if table.has("parameters") {
        let parameters = table.table("parameters")?;
        let place = asked_at(&parameters, name(), &parameters.keys().collect::<Vec<_>>());
        if place.file != table.error("").file {
            return Ok(place);
        }
    }
    Ok(asked_at(table, name(), keys))
}

const A_NAME: &str = "1 to 60 letters, digits, \"-\", \"_\" and \".\", not only digits";

/// A name that can stand in a key, a table and the name of a file.
pub(super) fn plain_name(table: &Table<'_>) -> Result<String, InputError> {
    let item = table.item("name", A_NAME)?;
    let name = item.text_like("^[A-Za-z0-9_.-]{1,60}$")?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    let number = name.bytes().all(|byte| byte.is_ascii_digit());
    if !name.is_empty() && name.len() <= 60 && name.bytes().all(plain) && !number {
        return Ok(name.to_owned());
    }
    let error = item.error(format!("found the name {name:?}"));
    Err(error
        .allowed(A_NAME)
        .help("choose a name that can stand in task.NAME.key"))
}

/// A name that can be shown: that of a task, or of a set of tasks.
///
/// # Errors
/// It is empty, too long, or has control characters.
pub(crate) fn printable(table: &Table<'_>, name: &str) -> Result<String, InputError> {
    if name.is_empty() || name.len() > 60 || name.contains(char::is_control) {
        let error = table.error_at("name", format!("found the name {name:?}"));
        return Err(error
            .allowed("1 to 60 printable characters")
            .help("choose another name"));
    }
    Ok(name.to_owned())
}

/// `command`: a program that can be named, and its arguments.
fn command(table: &Table<'_>) -> Result<Vec<String>, InputError> {
    let words = table.texts("command")?;
    let wrong = table.has("command") && words.first().is_none_or(String::is_empty);
    if wrong || words.iter().any(|word| word.contains('\0')) {
        return Err(table
            .error_at("command", "found no program")
            .allowed("a program and its arguments, [\"./control\", \"--fast\"]")
            .help("name the program, or leave out the key"));
    }
    Ok(words)
}

/// Keys that say what a plan decides, or that a plan does not promise to heed.
const CHOSEN_BY_PLANS: [&str; 12] = [
    "banks",
    "banks_each",
    "llc",
    "colors",
    "rows",
    "placement",
    "nodes",
    "node",
    "memory_limit",
    "start",
    "ways",
    "weight",
];

/// Those of them that a plan by partition keeps.
const PARTITION: [&str; 4] = ["banks", "banks_each", "llc", "weight"];

/// Refuses what a plan would not heed.
fn refuse_chosen(table: &Table<'_>) -> Result<(), InputError> {
    let Some(key) = table.keys().find(|key| CHOSEN_BY_PLANS.contains(key)) else {
        return Ok(());
    };
    let error = table.error_at(key, format!("found {key} of a task that is planned"));
    let help = match PARTITION.contains(&key) {
        true => "remove it, or plan what the scenario itself gives: plan.method = \"partition\"",
        false => "remove it, or simulate the scenario without a plan: fresco sim",
    };
    Err(error
        .allowed("tasks whose memory the plan decides: core, color and reserve may be given")
        .help(help))
}

/// `core = 0`, or `cores = "1-3"` with `copies` for fewer of them. The cores that have a copy, and how many are listed.
fn cores(table: &Table<'_>, machine: &Machine) -> Result<(Vec<u32>, usize), InputError> {
    let last = machine.cores - 1;
    let one = table.opt_integer("core", 0..=last)?;
    let many = table.opt_numbers("cores", 0..=last)?;
    let mut cores = match (one, many) {
        (Some(core), None) => vec![core],
        (None, Some(cores)) => cores,
        (one, _) => {
            let found = if one.is_some() {
                "found both core and cores"
            } else {
                "found neither core nor cores"
            };
            let allowed = format!("core = 0, or cores = \"0-{last}\" for a copy on each");
            return Err(table
                .error(found)
                .allowed(allowed)
                .help("say on which core the task runs, or have a plan choose: fresco plan"));
        }
    };
    let listed = cores.len();
    if let Some(copies) = table.opt_integer("copies", 0..=listed as u32)? {
        cores.truncate(copies as usize);
    }
    Ok((cores, listed))
}
