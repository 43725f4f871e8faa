// SPDX-License-Identifier: MIT OR Apache-2.0
//! `[[task]]`: a program, the cores its copies run on, the memory it gets.

use super::policy::Chosen;
use super::{coloring, jobs, placement};
use fresco_dram::{ColorSpace, Ps};
use fresco_frames::{Coloring, Placement};
use fresco_input::{InputError, Item, Table};
use fresco_load::ProgramKind;
use fresco_machine::Machine;
use serde::Serialize;

/// What a task is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Its measured phase ends the run.
    Measured,
    /// It runs again and again until the measured tasks are done.
    Background,
}

/// When the pages of a task get their frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Paging {
    /// All when the task starts, in ascending order of addresses: as a program does that sets its data up first.
    #[default]
    AtStart,
    /// Each when it is touched first, at the cost of a page fault.
    OnTouch,
}

/// One `[[task]]`; its copies are alike.
pub struct Task {
    pub name: String,
    pub program: &'static ProgramKind,
    /// A core for each copy.
    pub cores: Vec<u32>,
    pub role: Role,
    pub start: Ps,
    /// When its jobs come; `None` for a task that runs on and on.
    pub timing: Option<fresco_rt::Task>,
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
    /// Bandwidth that each copy asks for.
    pub bandwidth: super::bandwidth::Asked,
    /// Its place, for errors.
    pub place: InputError,
}

/// Latest start: a second.
const LATEST_START: Ps = 1_000_000_000_000;

impl Task {
    /// Reads everything but the program's parameters.
    pub fn read(table: &Table<'_>, machine: &Machine, space: &ColorSpace, policy: &Chosen) -> Result<Self, InputError> {
        let name = table.item("name", A_NAME)?;
        check_name(&name)?;
        let program = fresco_load::program_of(table)?;
        let roles = [("measured", Role::Measured), ("background", Role::Background)];
        let paging = [("at-start", Paging::AtStart), ("on-touch", Paging::OnTouch)];
        let most = machine.memory.organisation.total_bytes();
        let (cores, listed) = cores(table, machine)?;
        let mut task = Self {
            name: name.text()?.to_owned(),
            program,
            cores,
            role: table.opt_choice("role", &roles)?.unwrap_or(Role::Measured),
            start: table.opt_duration("start", 0..=LATEST_START)?.unwrap_or(0),
            timing: jobs::read(table, name.text()?)?,
            // Who touches a page of a team first decides its colors (TINT-19).
            paging: table.opt_choice("pages", &paging)?.unwrap_or(match program.is_team() {
                true => Paging::OnTouch,
                false => Paging::AtStart,
            }),
            node: table.opt_integer("node", 0..=machine.topology.nodes() - 1)?,
            colorings: coloring::read(table, space, policy, listed)?,
            placement: Placement::Local,
            shared: Vec::new(),
            limit: table
                .opt_size("memory_limit", machine.page_bytes..=most)?
                .map(|bytes| bytes / machine.page_bytes),
            bandwidth: super::bandwidth::Asked::read(table)?,
            place: table.error("").in_field(format!("task.{}", name.text()?)),
        };
        let uncolored = task.colorings.iter().all(|coloring| *coloring == Coloring::Off);
        task.placement = placement::read(table, machine.topology.nodes(), uncolored)?;
        // The program's parameters are read when it is built.
        table.has("parameters");
        Ok(task)
    }

    /// Does it ask for LLC colors?
    pub fn has_llc_colors(&self) -> bool {
        let asks = |coloring: &Coloring| match coloring {
            Coloring::Off => false,
            Coloring::Explicit { llc, .. } | Coloring::Automatic { llc, .. } => llc.is_some(),
        };
        self.colorings.iter().any(asks)
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

const A_NAME: &str = "1 to 60 letters, digits, \"-\" and \"_\", not only digits";

/// Names appear in dotted keys.
fn check_name(item: &Item<'_>) -> Result<(), InputError> {
    let name = item.text()?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
    let number = name.bytes().all(|byte| byte.is_ascii_digit());
    if !name.is_empty() && name.len() <= 60 && name.bytes().all(plain) && !number {
        return Ok(());
    }
    let error = item.error(format!("found the name {name:?}"));
    Err(error
        .allowed(A_NAME)
        .help("choose a name that can stand in task.NAME.key"))
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
                .help("say on which core the task runs"));
        }
    };
    let listed = cores.len();
    if let Some(copies) = table.opt_integer("copies", 0..=listed as u32)? {
        cores.truncate(copies as usize);
    }
    Ok((cores, listed))
}
