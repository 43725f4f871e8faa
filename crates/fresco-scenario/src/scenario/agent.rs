// SPDX-License-Identifier: MIT OR Apache-2.0
//! `[[agent]]`: a device that is no core and moves lines to and from memory, such as a DMA engine, a network card or a GPU.

use super::coloring;
use super::place::asked_at;
use super::policy::Chosen;
use super::rows;
use super::sharing::Sharing;
use super::task::plain_name;
use fresco_dram::{ColorSpace, Ps};
use fresco_frames::{ColorSet, Coloring, Placement, Policy, TaskMemory};
use fresco_input::{InputError, Table, format_size};
use fresco_machine::Machine;

/// Which lines of its buffer a device moves one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// All in ascending order, again and again.
    Stream,
    /// Each burst begins at a multiple of its length, drawn anew.
    Random,
    /// Bursts so many bytes apart; a pass ends with the buffer, and the next one begins a burst later.
    Stride(u64),
}

/// A device.
#[derive(Clone, Debug)]
pub struct Agent {
    /// Unique name, among tasks too.
    pub name: String,
    /// It moves lines; else it has its buffer and does nothing.
    pub enabled: bool,
    /// Bytes per second that it moves while it is active; `None` for as much as it can.
    pub rate: Option<u64>,
    /// Which lines.
    pub pattern: Pattern,
    /// Bursts that are written, in a hundred.
    pub write_percent: u32,
    /// Lines that are due at once.
    pub burst: u32,
    /// Lines that it may have under way: read and not there, written and not taken by a controller.
    pub in_flight: u32,
    /// Its buffer, in bytes: whole pages.
    pub bytes: u64,
    /// How long after the programs it begins, in picoseconds.
    pub start: Ps,
    /// For how long it is active, and then not, in turn, in picoseconds; `None` for always.
    pub phases: Option<(Ps, Ps)>,
    /// The node that it is attached to, whose memory it gets first.
    pub node: u32,
    /// Colors of its buffer.
    pub coloring: Coloring,
    /// Row domains that its buffer lies in; `None` for those that nobody names.
    pub rows: Option<ColorSet>,
    /// Its place, for errors.
    pub place: InputError,
    /// Where the size of its buffer is set: by the command line, the sweep or a variant, else its place.
    pub size_place: InputError,
    /// The same of its size or colors.
    pub colors_place: InputError,
}

/// Bytes per second: from a line in a blink to more than any device moves.
const RATES: std::ops::RangeInclusive<u64> = 1_000..=10_000_000_000_000;
/// Lines of a burst, and under way.
const MOST_LINES: u32 = 4096;
/// Longest delay and phases, in picoseconds: a second.
const LONGEST: Ps = 1_000_000_000_000;
/// Shortest phases, in picoseconds.
const SHORTEST: Ps = 1_000_000;

impl Agent {
    /// A device on node 0 that streams through a buffer, reading all of it as fast as it can with 16 lines under way.
    pub fn new(name: impl Into<String>, bytes: u64) -> Self {
        let name = name.into();
        Self {
            enabled: true,
            rate: None,
            pattern: Pattern::Stream,
            write_percent: 0,
            burst: 1,
            in_flight: 16,
            bytes,
            start: 0,
            phases: None,
            node: 0,
            coloring: Coloring::Off,
            rows: None,
            place: InputError::new(format!("agent.{name}"), ""),
            size_place: InputError::new(format!("agent.{name}"), ""),
            colors_place: InputError::new(format!("agent.{name}"), ""),
            name,
        }
    }

    /// Reads all `[[agent]]`s of a scenario.
    ///
    /// # Errors
    /// Keys that are missing, unknown or out of range; colors that the policy does not know.
    pub(crate) fn read_all(
        root: &Table<'_>,
        machine: &Machine,
        colors: (&ColorSpace, &Chosen),
        rows: &rows::Asked,
    ) -> Result<Vec<Self>, InputError> {
        let mut agents: Vec<Self> = Vec::new();
        for table in root.array_of_tables("agent")? {
            let mut agent = Self::read(&table, machine, colors)?;
            agent.rows = rows.of(&table)?;
            if agents.iter().any(|other| other.name == agent.name) {
                let error = table.error_at("name", format!("found a second agent {:?}", agent.name));
                return Err(error.allowed("each name once").help("rename one of the two"));
            }
            table.finish()?;
            agents.push(agent);
        }
        Ok(agents)
    }

    fn read(table: &Table<'_>, machine: &Machine, (space, policy): (&ColorSpace, &Chosen)) -> Result<Self, InputError> {
        let name = plain_name(table)?;
        let most = machine.memory.organisation.total_bytes();
        let line = machine.memory.timing.bytes_of_line(&machine.memory.organisation);
        let bytes = table.item("bytes", "a size, such as \"1 MiB\"")?.size(1..=most)?;
        let bytes = bytes.next_multiple_of(machine.page_bytes);
        let burst = table.opt_integer("burst", 1..=MOST_LINES)?.unwrap_or(1);
        if u64::from(burst) * line > bytes {
            let error = table.error_at("burst", format!("found {burst} lines"));
            return Err(error
                .allowed(format!("bursts no longer than the buffer of {}", format_size(bytes)))
                .help("shorten the burst, or raise bytes"));
        }
        let agent = Self {
            enabled: table.opt_boolean("enabled")?.unwrap_or(true),
            rate: table.opt_item("rate").map(|item| item.bandwidth(RATES)).transpose()?,
            pattern: pattern(table, line, bytes)?,
            write_percent: table.opt_integer("write_percent", 0..=100u32)?.unwrap_or(0),
            burst,
            in_flight: table.opt_integer("in_flight", 1..=MOST_LINES)?.unwrap_or(16),
            start: table.opt_duration("start", 0..=LONGEST)?.unwrap_or(0),
            phases: phases(table)?,
            node: table
                .opt_integer("node", 0..=machine.topology.nodes() - 1)?
                .unwrap_or(0),
            coloring: match ["banks", "llc", "colors"].iter().any(|key| table.has(key)) {
                true => coloring::read(table, space, policy, 1)?.swap_remove(0),
                false => Coloring::Off,
            },
            size_place: asked_at(table, format!("agent.{name}"), &["bytes"]),
            colors_place: asked_at(
                table,
                format!("agent.{name}"),
                &["bytes", "banks", "llc", "colors", "rows", "node"],
            ),
            place: table.error("").in_field(format!("agent.{name}")),
            ..Self::new(name, bytes)
        };
        let chooses =
            matches!(policy.frames.policy, Policy::Buddy | Policy::Camc(_)) || policy.sharing != Sharing::None;
        if table.has("colors") && !chooses {
            let error = table.error_at("colors", "found a number of colors under a policy that chooses none");
            return Err(error
                .allowed("banks and llc, which name the colors of the buffer")
                .help("name them, or set policy.frames = \"camc\""));
        }
        if agent.coloring != Coloring::Off && policy.interval.is_some() {
            let error = table.error("found colors under a policy that divides them anew");
            return Err(error
                .allowed("a buffer without colors: the pages of a device do not move")
                .help("remove the colors, or policy.dynamic"));
        }
        Ok(agent)
    }

    /// What it asks of the allocator.
    pub fn memory(&self) -> TaskMemory {
        TaskMemory {
            home_node: self.node,
            placement: Placement::Local,
            coloring: self.coloring.clone(),
            limit: None,
            rows: self.rows.clone(),
        }
    }
}

/// `pattern`, and `stride` where it asks for one.
fn pattern(table: &Table<'_>, line: u64, bytes: u64) -> Result<Pattern, InputError> {
    let names = [
        ("stream", Pattern::Stream),
        ("random", Pattern::Random),
        ("stride", Pattern::Stride(0)),
    ];
    let pattern = table.opt_choice("pattern", &names)?.unwrap_or(Pattern::Stream);
    let Pattern::Stride(_) = pattern else {
        return Ok(pattern);
    };
    let stride = table.item("stride", "a size, such as \"4 KiB\"")?.size(line..=bytes)?;
    if stride % line > 0 {
        let error = table.error_at("stride", format!("found {}", format_size(stride)));
        return Err(error
            .allowed(format!("a multiple of the line of {line} bytes"))
            .help("choose one"));
    }
    Ok(Pattern::Stride(stride))
}

/// `active` and `pause`, both or none.
fn phases(table: &Table<'_>) -> Result<Option<(Ps, Ps)>, InputError> {
    let active = table.opt_duration("active", SHORTEST..=LONGEST)?;
    let pause = table.opt_duration("pause", SHORTEST..=LONGEST)?;
    match (active, pause) {
        (Some(active), Some(pause)) => Ok(Some((active, pause))),
        (None, None) => Ok(None),
        (active, _) => {
            let (found, missing) = if active.is_some() {
                ("active", "pause")
            } else {
                ("pause", "active")
            };
            let error = table.error_at(found, format!("found no {missing}"));
            Err(error
                .allowed("both active and pause, or neither: always active")
                .help(format!("add {missing}, such as {missing} = \"1 ms\"")))
        }
    }
}
