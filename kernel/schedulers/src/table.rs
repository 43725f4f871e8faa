// SPDX-License-Identifier: GPL-2.0-only
//! The file of a table: who runs when on which CPU, in a frame that repeats.

use crate::fault::Fault;
use crate::members::{self, Member, Order, Row};
use serde::Deserialize;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// What the file says of itself.
const FORMAT: &str = "fresco-table/1";
/// The kernel ends a scheduler that leaves a task waiting for 30 s, the most that it allows.
const LONGEST_FRAME_NS: u64 = 15_000_000_000;
/// A switch takes some microseconds.
const SHORTEST_SLOT_NS: u64 = 10_000;
/// Kernel threads, and whoever is in no table, have at least so much of a CPU that has slots: a hundredth.
const FREE: u64 = 100;
/// As the BPF programs have room for.
const MOST_CORES: u32 = 64;
const MOST_TASKS: usize = 1024;
const MOST_SEGMENTS: usize = 1 << 16;
/// As order.h has it.
pub const COLORS: u32 = 2;
/// Of a file.
const MOST_BYTES: u64 = 64 << 20;

/// Whose the slots are.
pub const NOBODY: u32 = u32::MAX;

/// A table that was checked.
#[derive(Debug)]
pub struct Table {
    /// Slots repeat after it.
    pub frame_ns: u64,
    /// The tasks.
    pub tasks: Vec<Task>,
    /// Whose slots each of them runs in.
    pub members: Vec<Member>,
    /// Names of slots: of a task, or of tasks that share them.
    pub owners: Vec<String>,
    /// The segments of each core, from core 0 to the last one that has slots.
    pub cores: Vec<Vec<Segment>>,
}

/// Who runs in slots: the processes of a cgroup and those below it, or all threads of a process.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// How slots name it.
    pub name: String,
    /// Path of a cgroup of version 2, as in /proc/PID/cgroup.
    pub cgroup: Option<String>,
    /// A process.
    pub pid: Option<u32>,
}

/// Time of a core: it lasts until the next one begins, the last one to the end of the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Within the frame.
    pub begin_ns: u64,
    /// Number of the owner, or [`NOBODY`].
    pub owner: u32,
    /// The last slot of a job.
    pub ends: bool,
    /// A bit for each color whose tasks do not run in it.
    pub shut: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: String,
    frame_ns: u64,
    order: Option<Order>,
    task: Vec<Row>,
    slot: Vec<Slot>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Slot {
    core: u32,
    start_ns: u64,
    length_ns: u64,
    task: String,
    #[serde(default = "yes")]
    ends: bool,
    #[serde(default)]
    shut: Vec<u32>,
}

fn yes() -> bool {
    true
}

/// Reads a table.
///
/// # Errors
/// The file cannot be read, or what is in it is no table that can be run.
pub fn read(path: &Path) -> Result<Table, Fault> {
    parse(&text(path)?, &path.display().to_string())
}

/// Reads a file of 64 MiB at most.
///
/// # Errors
/// It is larger, or cannot be read.
pub fn text(path: &Path) -> Result<String, Fault> {
    let place = path.display().to_string();
    let unreadable = |why: std::io::Error| Fault::input(&place, format!("cannot be read: {why}"));
    let bytes = std::fs::metadata(path).map_err(unreadable)?.len();
    if bytes > MOST_BYTES {
        return Err(Fault::input(&place, format!("found {bytes} bytes")).allowed("64 MiB"));
    }
    std::fs::read_to_string(path).map_err(unreadable)
}

/// What a text says.
///
/// # Errors
/// As [`read`].
pub fn parse(text: &str, place: &str) -> Result<Table, Fault> {
    let file: File = toml::from_str(text).map_err(|why| {
        let line = why
            .span()
            .map_or(0, |span| text[..span.start].matches('\n').count() + 1);
        Fault::input(
            format!("{place}:{line}"),
            format!("found no table: {}", why.message().replace('\n', " ")),
        )
        .help("`fresco export plan.json --to sched-ext --out table.toml` writes one")
    })?;
    if file.format != FORMAT {
        return Err(
            Fault::input(format!("{place}: format"), format!("found {:?}", file.format))
                .allowed(format!("{FORMAT:?}"))
                .help("export the plan anew, or use the fresco-scheduler of the version that wrote it"),
        );
    }
    if !(SHORTEST_SLOT_NS..=LONGEST_FRAME_NS).contains(&file.frame_ns) {
        return Err(
            Fault::input(format!("{place}: frame_ns"), format!("found {}", file.frame_ns))
                .allowed(format!("{SHORTEST_SLOT_NS} to {LONGEST_FRAME_NS}"))
                .help("the kernel ends a scheduler that leaves a task waiting for 30 s: plan with shorter periods"),
        );
    }
    check_names(&file.task, place)?;
    let owners = members::owners(&file.task);
    let members = members::of(&file.task, file.order, &owners, place)?;
    let numbers: HashMap<&str, u32> = owners.iter().map(String::as_str).zip(0..).collect();
    let mut slots = Vec::new();
    for (row, slot) in (1..).zip(&file.slot) {
        slots.push(check(slot, row, &numbers, file.frame_ns, place)?);
    }
    slots.sort_by_key(|(core, segment, _)| (*core, segment.begin_ns));
    let cores = slots.last().map_or(0, |slot| slot.0 + 1);
    if cores == 0 {
        return Err(Fault::input(format!("{place}: slot"), "found no slot").allowed("one or more"));
    }
    let cores: Vec<_> = (0..cores)
        .map(|core| {
            let of_core: Vec<_> = slots.iter().filter(|slot| slot.0 == core).collect();
            segments(&of_core, core, file.frame_ns, place)
        })
        .collect::<Result<_, _>>()?;
    let all: usize = cores.iter().map(Vec::len).sum();
    if all > MOST_SEGMENTS {
        return Err(Fault::input(
            format!("{place}: slot"),
            format!("found {all} slots and gaps between them"),
        )
        .allowed(format!("{MOST_SEGMENTS}"))
        .help("plan with periods that have a shorter hyperperiod"));
    }
    Ok(Table {
        frame_ns: file.frame_ns,
        tasks: file.task.iter().map(Row::task).collect(),
        members,
        owners,
        cores,
    })
}

fn check_names(tasks: &[Row], place: &str) -> Result<(), Fault> {
    if tasks.len() > MOST_TASKS {
        return Err(
            Fault::input(format!("{place}: task"), format!("found {} tasks", tasks.len()))
                .allowed(format!("{MOST_TASKS}")),
        );
    }
    let mut names = HashSet::new();
    for task in tasks {
        let field = format!("{place}: task {:?}", task.name);
        if task.name.is_empty() || !names.insert(task.name.as_str()) {
            return Err(
                Fault::input(field, "found an empty name, or one that is there twice").allowed("a name of its own")
            );
        }
        if task.cgroup.is_some() && task.pid.is_some() {
            return Err(Fault::input(field, "found cgroup and pid").allowed("one of them"));
        }
    }
    Ok(())
}

/// A slot of a core, and its end.
type Checked = (u32, Segment, u64);

fn check(slot: &Slot, row: usize, numbers: &HashMap<&str, u32>, frame_ns: u64, place: &str) -> Result<Checked, Fault> {
    let fault =
        |key: &str, found: String| Fault::input(format!("{place}: slot {row}: {key}"), format!("found {found}"));
    let Some(&owner) = numbers.get(slot.task.as_str()) else {
        return Err(
            fault("task", format!("{:?}", slot.task)).allowed("the name of a task, or of slots that tasks share")
        );
    };
    if let Some(color) = slot.shut.iter().find(|color| **color >= COLORS) {
        return Err(fault("shut", color.to_string()).allowed(format!("colors 0 to {}", COLORS - 1)));
    }
    let segment = Segment {
        begin_ns: slot.start_ns,
        owner,
        ends: slot.ends,
        shut: slot.shut.iter().fold(0, |shut, color| shut | 1 << color),
    };
    if slot.core >= MOST_CORES {
        return Err(fault("core", slot.core.to_string()).allowed(format!("0 to {}", MOST_CORES - 1)));
    }
    let end = slot.start_ns.checked_add(slot.length_ns).filter(|end| *end <= frame_ns);
    match end {
        Some(end) if slot.length_ns >= SHORTEST_SLOT_NS => Ok((slot.core, segment, end)),
        Some(_) => Err(fault("length_ns", slot.length_ns.to_string())
            .allowed(format!("{SHORTEST_SLOT_NS} or more"))
            .help("a switch takes some microseconds: plan with fewer preemptions")),
        None => Err(fault("length_ns", format!("{} from {}", slot.length_ns, slot.start_ns))
            .allowed(format!("an end within the frame of {frame_ns} ns"))),
    }
}

/// The segments of a core, with those of nobody between slots.
fn segments(slots: &[&Checked], core: u32, frame_ns: u64, place: &str) -> Result<Vec<Segment>, Fault> {
    let free = |begin_ns| Segment {
        begin_ns,
        owner: NOBODY,
        ends: false,
        shut: 0,
    };
    let (mut segments, mut at, mut gaps) = (Vec::new(), 0, 0);
    for &&(_, slot, end) in slots {
        let begin_ns = slot.begin_ns;
        if begin_ns < at {
            return Err(Fault::input(
                format!("{place}: slot"),
                format!("found one on core {core} from {begin_ns} ns, where another lasts until {at} ns"),
            )
            .allowed("slots of a core one after the other"));
        }
        if begin_ns > at {
            segments.push(free(at));
            gaps += begin_ns - at;
        }
        segments.push(slot);
        at = end;
    }
    if at < frame_ns {
        segments.push(free(at));
        gaps += frame_ns - at;
    }
    if gaps * FREE < frame_ns {
        return Err(Fault::input(
            format!("{place}: slot"),
            format!("found {gaps} ns of {frame_ns} without a slot on core {core}"),
        )
        .allowed(format!(
            "at least a hundredth of the frame, {} ns",
            frame_ns.div_ceil(FREE)
        ))
        .help(
            "kernel threads and everything that is in no table run there; without it the kernel ends the scheduler",
        ));
    }
    Ok(segments)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(slots: &str) -> Result<Table, Fault> {
        let head =
            "format = \"fresco-table/1\"\nframe_ns = 1000000\ntask = [{ name = \"a\" }, { name = \"b\", pid = 7 }]\n";
        parse(&format!("{head}slot = [{slots}]\n"), "t.toml")
    }

    fn refused(slots: &str) -> String {
        table(slots).expect_err("no table").to_string()
    }

    #[test]
    fn segments_tile_the_frame() {
        let table = table(
            "{ core = 1, start_ns = 500000, length_ns = 100000, task = \"b\" }, \
             { core = 1, start_ns = 0, length_ns = 500000, task = \"a\", ends = false }, \
             { core = 0, start_ns = 10000, length_ns = 10000, task = \"a\" }",
        )
        .expect("a table");
        let of = |core: usize| -> Vec<_> {
            table.cores[core]
                .iter()
                .map(|s| (s.begin_ns, s.owner, s.ends))
                .collect()
        };
        assert_eq!(of(0), [(0, NOBODY, false), (10000, 0, true), (20000, NOBODY, false)]);
        assert_eq!(of(1), [(0, 0, false), (500_000, 1, true), (600_000, NOBODY, false)]);
    }

    /// Fresco's own tests compare the file with what it exports.
    #[test]
    fn what_is_exported_is_read() {
        let table = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/two.toml")).expect("a table");
        let names: Vec<&str> = table.tasks.iter().map(|task| task.name.as_str()).collect();
        assert_eq!(names, ["control", "the \"eye\""]);
        let ends = table.cores[0]
            .iter()
            .filter(|segment| segment.owner == 0 && segment.ends);
        // One end for each job of the first task.
        assert_eq!(ends.count() as u64, table.frame_ns / 8_000_000);
        assert!(table.cores[0].iter().any(|segment| segment.owner == 1 && !segment.ends));
    }

    #[test]
    fn what_cannot_run_is_told() {
        for (slots, told) in [
            (
                "{ core = 0, start_ns = 0, length_ns = 20000, task = \"c\" }",
                "t.toml: slot 1: task: found \"c\"",
            ),
            (
                "{ core = 64, start_ns = 0, length_ns = 20000, task = \"a\" }",
                "slot 1: core: found 64\n  allowed: 0 to 63",
            ),
            (
                "{ core = 0, start_ns = 0, length_ns = 9999, task = \"a\" }",
                "length_ns: found 9999",
            ),
            (
                "{ core = 0, start_ns = 990001, length_ns = 10000, task = \"a\" }",
                "an end within the frame",
            ),
            (
                "{ core = 0, start_ns = 18446744073709551615, length_ns = 10000, task = \"a\" }",
                "an end within the frame",
            ),
            (
                "{ core = 0, start_ns = 9223372036854775807, length_ns = 9223372036854775807, task = \"a\" }",
                "an end within the frame",
            ),
            (
                "{ core = 0, start_ns = 0, length_ns = 20000, task = \"a\" }, { core = 0, start_ns = 19999, length_ns = 20000, task = \"b\" }",
                "found one on core 0 from 19999 ns, where another lasts until 20000 ns",
            ),
            (
                "{ core = 0, start_ns = 0, length_ns = 990001, task = \"a\" }",
                "found 9999 ns of 1000000 without a slot on core 0",
            ),
            ("", "found no slot"),
            ("{ core = 0 }", "t.toml:4: found no table: missing field `start_ns`"),
        ] {
            let said = refused(slots);
            assert!(said.contains(told), "{slots}: {said}");
        }
        let of = |text: &str| parse(text, "t.toml").expect_err("no table").to_string();
        assert!(
            of("format = \"fresco-table/2\"\nframe_ns = 1\ntask = []\nslot = []")
                .contains("format: found \"fresco-table/2\"")
        );
        assert!(
            of("format = \"fresco-table/1\"\nframe_ns = 9999\ntask = []\nslot = []").contains("frame_ns: found 9999")
        );
        let twice =
            "format = \"fresco-table/1\"\nframe_ns = 10000\ntask = [{ name = \"a\" }, { name = \"a\" }]\nslot = []";
        assert!(of(twice).contains("task \"a\": found an empty name, or one that is there twice"));
    }
}
