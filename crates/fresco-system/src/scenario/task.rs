// SPDX-License-Identifier: MIT OR Apache-2.0
//! `[[task]]`: a program, the cores its copies run on, the memory it gets.

use fresco_dram::{ColorSpace, Ps};
use fresco_frames::{ColorSet, Coloring, Policy};
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

/// When pages get their frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paging {
    /// All when the task starts, in ascending order of addresses: as a program does that sets its data up first.
    AtStart,
    /// Each when it is touched first.
    OnTouch,
}

/// One `[[task]]`; its copies are alike.
pub(crate) struct Task {
    pub name: String,
    pub program: &'static ProgramKind,
    /// A core for each copy.
    pub cores: Vec<u32>,
    pub role: Role,
    pub start: Ps,
    pub paging: Paging,
    /// Node that its memory comes from first; `None` for that of the core.
    pub node: Option<u32>,
    pub coloring: Coloring,
    /// Most frames it may hold.
    pub limit: Option<u64>,
    /// Its place, for errors.
    pub place: InputError,
}

/// Latest start: a second.
const LATEST_START: Ps = 1_000_000_000_000;

impl Task {
    /// Reads everything but the program's parameters.
    pub fn read(table: &Table<'_>, machine: &Machine, space: &ColorSpace, policy: &Policy) -> Result<Self, InputError> {
        let name = table.item("name")?;
        check_name(&name)?;
        let program = fresco_load::program(&table.item("program")?)?;
        let roles = [("measured", Role::Measured), ("background", Role::Background)];
        let paging = [("at-start", Paging::AtStart), ("on-touch", Paging::OnTouch)];
        let most = machine.memory.organisation.total_bytes();
        let task = Self {
            name: name.text()?.to_owned(),
            program,
            cores: cores(table, machine)?,
            role: table.opt_choice("role", &roles)?.unwrap_or(Role::Measured),
            start: table.opt_duration("start", 0..=LATEST_START)?.unwrap_or(0),
            paging: table.opt_choice("pages", &paging)?.unwrap_or(Paging::AtStart),
            node: table.opt_integer("node", 0..=machine.topology.nodes() - 1)?,
            coloring: coloring(table, space, policy)?,
            limit: table
                .opt_size("memory_limit", machine.page_bytes..=most)?
                .map(|bytes| bytes / machine.page_bytes),
            place: table.error(""),
        };
        // The program's parameters are read when it is built.
        table.has("parameters");
        Ok(task)
    }

    /// Does it ask for LLC colours?
    pub fn has_llc_colors(&self) -> bool {
        matches!(
            &self.coloring,
            Coloring::Explicit { llc: Some(_), .. } | Coloring::Automatic { llc: Some(_), .. }
        )
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

/// Names appear in dotted keys.
fn check_name(item: &Item<'_>) -> Result<(), InputError> {
    let name = item.text()?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
    let number = name.bytes().all(|byte| byte.is_ascii_digit());
    if !name.is_empty() && name.len() <= 60 && name.bytes().all(plain) && !number {
        return Ok(());
    }
    let error = item.error(format!("found the name {name:?}"));
    let allowed = "1 to 60 letters, digits, \"-\" and \"_\", not only digits";
    Err(error
        .allowed(allowed)
        .cure("choose a name that can stand in task.NAME.key"))
}

/// `core = 0`, or `cores = "1-3"` with `copies` for fewer of them.
fn cores(table: &Table<'_>, machine: &Machine) -> Result<Vec<u32>, InputError> {
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
                .cure("say on which core the task runs"));
        }
    };
    if let Some(copies) = table.opt_integer("copies", 0..=cores.len() as u32)? {
        cores.truncate(copies as usize);
    }
    Ok(cores)
}

/// `banks`, `llc` and `colors`, as far as the policy knows them.
fn coloring(table: &Table<'_>, space: &ColorSpace, policy: &Policy) -> Result<Coloring, InputError> {
    if *policy == Policy::Buddy {
        let Some(key) = ["banks", "llc", "colors"].into_iter().find(|key| table.has(key)) else {
            return Ok(Coloring::Off);
        };
        let error = table
            .error_at(key, "found colours under the policy \"buddy\"")
            .allowed("no colours");
        return Err(error.cure("choose policy.frames = \"palloc\" or \"camc\", or remove the colours"));
    }
    let set = |key, kind, colors| {
        table
            .opt_item(key)
            .map(|item| color_set(&item, kind, colors))
            .transpose()
    };
    let banks = set("banks", "bank", space.bank_colors())?;
    let llc = set("llc", "LLC", space.llc_colors())?;
    let Policy::Camc(_) = policy else {
        return Ok(match (banks, llc) {
            (None, None) => Coloring::Off,
            (banks, llc) => Coloring::Explicit { banks, llc },
        });
    };
    let count = table.opt_integer("colors", 0..=space.bank_colors())?;
    match (banks, count) {
        (Some(_), Some(_)) => Err(table
            .error_at("colors", "found both banks and colors")
            .allowed("banks = \"0-3\" (these), or colors = 4 (so many of the allocator's choice)")
            .cure("remove one of the two")),
        (banks @ Some(_), None) => Ok(Coloring::Explicit { banks, llc }),
        (None, Some(0)) => Ok(Coloring::Off),
        // CAMC-6: one colour by default.
        (None, colors) => Ok(Coloring::Automatic {
            colors: colors.unwrap_or(1),
            llc,
        }),
    }
}

/// `3`, `"0-3,8"`, `[0, 8]`, or the bit pattern `"[00XX]"` of PALLOC (MAP-7, PAL-10).
fn color_set(item: &Item<'_>, kind: &str, colors: u32) -> Result<ColorSet, InputError> {
    let there_are = match colors {
        1 => format!("{kind} colour 0 only: this machine has one"),
        _ => format!("{kind} colours 0 to {} of this machine, such as \"0-3,8\"", colors - 1),
    };
    let pattern = item
        .text()
        .ok()
        .and_then(|text| text.strip_prefix('[')?.strip_suffix(']'));
    let Some(pattern) = pattern else {
        let numbers = item
            .numbers(0..=colors - 1)
            .map_err(|error| error.allowed(there_are.clone()))?;
        if numbers.is_empty() {
            let error = item.error("found no colour").allowed(there_are);
            return Err(error.cure("name a colour, or remove the key for all of them"));
        }
        return Ok(numbers.into_iter().collect());
    };
    let bits = colors.trailing_zeros();
    let set = ColorSet::from_bit_pattern(pattern)
        .ok()
        .filter(|_| pattern.len() == bits as usize);
    set.filter(|_| colors.is_power_of_two()).ok_or_else(|| {
        let allowed = match colors.is_power_of_two() && bits > 0 {
            true => format!("a pattern of {bits} of the characters 0, 1 and X, or {there_are}"),
            false => there_are,
        };
        item.error(format!("found the pattern [{pattern}]"))
            .allowed(allowed)
            .cure("one character per colour bit")
    })
}
