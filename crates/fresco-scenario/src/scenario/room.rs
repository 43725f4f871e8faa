// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks that the programs fit the memory and their colors.

use super::place::error_at;
use super::{Agent, Setup, recorded};
use crate::allocator;
use fresco_frames::{Boot, ColorSet, Coloring, FrameError, Frames, FramesConfig, TaskId, TaskMemory};
use fresco_input::{InputError, format_size};
use fresco_load::Area;
use fresco_load::trace::ftrace::Addresses;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What the points of a sweep have in common and need not be found out again.
#[derive(Default)]
pub struct Room {
    /// What programs touch, by everything that decides it.
    footprints: BTreeMap<String, Footprint>,
    /// Frames of a machine, or of some of its row domains, by pair of bank and LLC color.
    pairs: BTreeMap<(String, String), Vec<u64>>,
}

/// What a program touches.
#[derive(Clone)]
pub(crate) struct Footprint {
    /// Bytes of all its areas.
    pub bytes: u64,
    /// The same, each area in whole pages.
    in_pages: u64,
    threads: u64,
    /// What its addresses are, if it says so.
    addresses: Option<Addresses>,
    areas: Arc<[Area]>,
}

/// How messages speak of those that ask for memory. Tasks ask first, so that what agents lack may be with tasks.
struct Words {
    data: &'static str,
    more_colors: &'static str,
    less: &'static str,
}

const TASK: Words = Words {
    data: "programs",
    more_colors: "the tasks more colors, make their data smaller",
    less: "make the data of the tasks smaller",
};

const AGENT: Words = Words {
    data: "programs and buffers",
    more_colors: "the agent other or more colors, make its bytes fewer",
    less: "make the bytes of the agent or the data of the tasks fewer",
};

impl Room {
    /// Registers every copy with an allocator of the setup and compares what it needs with what it may have. What this
    /// cannot foresee (memory that is occupied at the start, tasks that share colors in part) the run finds out.
    pub fn check(&mut self, setup: &Setup) -> Result<(), InputError> {
        let config = FramesConfig {
            boot: Boot::Pristine,
            ..setup.frames
        };
        let mut frames = allocator::frames(&setup.machine, &setup.space, config, setup.rows.as_deref(), 0)
            .map_err(|error| InputError::new(setup.machine.name.clone(), format!("found {error}")))?;
        let page = setup.machine.page_bytes;
        let mut needed = 0;
        let mut by_colors: BTreeMap<String, (u64, u64)> = BTreeMap::new();
        for (number, copy) in (0u32..).zip(&setup.copies) {
            let task = &setup.tasks[copy.task];
            let footprint = self.footprint(setup, copy.task)?;
            recorded::check(setup, copy.task, footprint.addresses, &footprint.areas)?;
            if setup.recorded {
                continue;
            }
            let memory = allocator::of_task(setup, copy);
            let registered = frames.register(TaskId(number), memory.clone());
            registered.map_err(|error| refused(setup, number, &error))?;
            // A thread counts for its share.
            let bytes = footprint.in_pages.div_ceil(footprint.threads);
            let pages = bytes.div_ceil(page);
            needed += pages;
            if let Some(limit) = memory.limit.filter(|limit| *limit < pages) {
                let found = format!(
                    "found a program of {} under a limit of {}",
                    format_size(bytes),
                    format_size(limit * page)
                );
                return Err(error_at(&task.size_place, found)
                    .allowed("a limit no smaller than the program")
                    .help("raise memory_limit"));
            }
            let asker = (&TASK, &task.colors_place);
            self.fits_rows(setup, &frames, (task.rows.as_ref(), pages), &mut by_colors, asker)?;
            self.fits_colors(setup, &frames, (&memory, pages), &mut by_colors, asker)?;
            fits_machine(setup, needed, (&TASK, &task.size_place))?;
        }
        for (number, agent) in (setup.copies.len() as u32..).zip(&setup.agents) {
            let memory = agent.memory();
            let registered = frames.register(TaskId(number), memory.clone());
            registered.map_err(|error| refused_to_agent(agent, TaskId(number), &error))?;
            let pages = agent.bytes / page;
            needed += pages;
            let asker = (&AGENT, &agent.colors_place);
            self.fits_rows(setup, &frames, (agent.rows.as_ref(), pages), &mut by_colors, asker)?;
            self.fits_colors(setup, &frames, (&memory, pages), &mut by_colors, asker)?;
            fits_machine(setup, needed, (&AGENT, &agent.size_place))?;
        }
        Ok(())
    }

    /// Compares the pages of all that have some row domains, with so many more, with what these domains have.
    fn fits_rows(
        &mut self,
        setup: &Setup,
        frames: &Frames,
        (rows, pages): (Option<&ColorSet>, u64),
        by_rows: &mut BTreeMap<String, (u64, u64)>,
        (words, place): (&Words, &InputError),
    ) -> Result<(), InputError> {
        if setup.rows.is_none() {
            return Ok(());
        }
        let page = setup.machine.page_bytes;
        let name = row_names(setup, rows);
        let capacity = self.capacity(setup, frames, None, None, rows);
        let together = by_rows.entry(name.clone()).or_insert((0, capacity));
        together.0 += pages;
        if together.0 > capacity {
            let (found, room) = (format_size(together.0 * page), format_size(capacity * page));
            return Err(error_at(
                place,
                format!("found {} of {found} for the memory of {name}", words.data),
            )
            .allowed(format!("{room} at most"))
            .help(match rows {
                Some(_) => format!(
                    "name more domains in rows, make them larger (rows.size), or {}",
                    words.less
                ),
                None => format!("set rows here, name fewer domains elsewhere, or {}", words.less),
            })
            .does_not_fit());
        }
        Ok(())
    }

    /// Compares the pages of all that have some colors, with so many more, with what these colors have, in their row domains if they
    /// have some.
    fn fits_colors(
        &mut self,
        setup: &Setup,
        frames: &Frames,
        (memory, pages): (&TaskMemory, u64),
        by_colors: &mut BTreeMap<String, (u64, u64)>,
        (words, place): (&Words, &InputError),
    ) -> Result<(), InputError> {
        let Coloring::Explicit { banks, llc } = &memory.coloring else {
            return Ok(());
        };
        let page = setup.machine.page_bytes;
        let rows = memory.rows.as_ref();
        let capacity = self.capacity(setup, frames, banks.as_ref(), llc.as_ref(), rows);
        let colors = [
            names("bank", banks.as_ref()),
            names("LLC", llc.as_ref()),
            row_names(setup, rows),
        ]
        .concat();
        let together = by_colors.entry(colors.clone()).or_insert((0, capacity));
        together.0 += pages;
        if setup.frames.policy.is_strict() && setup.dynamic.is_none() && together.0 > capacity {
            let (found, room) = (format_size(together.0 * page), format_size(capacity * page));
            let found = format!("found {} of {found} for the memory of {colors}", words.data);
            return Err(error_at(place, found)
                .allowed(format!("{room} at most"))
                .help(format!(
                    "give {}{}, or set policy.exhaustion = \"spill\"",
                    words.more_colors,
                    match setup.rows {
                        Some(_) => ", change rows or rows.size",
                        None => "",
                    }
                ))
                .does_not_fit());
        }
        Ok(())
    }

    /// What a task's program touches; the program is built once for each set of parameters.
    ///
    /// # Errors
    /// It cannot be built.
    pub(crate) fn footprint(&mut self, setup: &Setup, task: usize) -> Result<Footprint, InputError> {
        let key = format!("{:?} {}", setup.program_key(task), setup.trace_dir().display());
        if let Some(known) = self.footprints.get(&key) {
            return Ok(known.clone());
        }
        let threads = setup.team(task, 0)?;
        let areas = threads[0].footprint();
        let footprint = Footprint {
            addresses: threads[0].addresses(),
            bytes: areas.iter().map(|area| area.bytes).sum(),
            in_pages: areas
                .iter()
                .map(|area| area.bytes.next_multiple_of(setup.machine.page_bytes))
                .sum(),
            threads: threads.len() as u64,
            areas: areas.into(),
        };
        self.footprints.insert(key, footprint.clone());
        Ok(footprint)
    }

    fn capacity(
        &mut self,
        setup: &Setup,
        frames: &Frames,
        banks: Option<&ColorSet>,
        llc: Option<&ColorSet>,
        rows: Option<&ColorSet>,
    ) -> u64 {
        let divided = setup.rows.as_ref().map_or_else(String::new, |divided| {
            let own: Vec<&ColorSet> = divided.parts.iter().map(|part| &part.domains).collect();
            format!("{:?} {own:?} {rows:?}", divided.request)
        });
        let by_pair = self.pairs.entry((setup.machine.text_digest.clone(), divided));
        let by_pair = by_pair.or_insert_with(|| frames.frames_of_pairs(rows));
        let colors = setup.space.llc_colors() as usize;
        let fits = |set: Option<&ColorSet>, color: usize| set.is_none_or(|set| set.contains(color as u32));
        let fitting = by_pair
            .iter()
            .enumerate()
            .filter(|(pair, _)| fits(banks, pair / colors) && fits(llc, pair % colors));
        fitting.map(|(_, frames)| frames).sum()
    }
}

fn names(kind: &str, colors: Option<&ColorSet>) -> String {
    colors.map_or_else(String::new, |colors| format!("[{kind} colors {colors}]"))
}

/// Row domains where the memory is divided, those that nobody names too; else nothing.
fn row_names(setup: &Setup, rows: Option<&ColorSet>) -> String {
    match (&setup.rows, rows) {
        (None, _) => String::new(),
        (Some(_), Some(rows)) => format!("[row domains {rows}]"),
        (Some(_), None) => "[row domains that nobody names]".to_owned(),
    }
}

/// Refuses more pages than the machine has.
fn fits_machine(setup: &Setup, needed: u64, (words, place): (&Words, &InputError)) -> Result<(), InputError> {
    let page = setup.machine.page_bytes;
    let total = setup.machine.memory.organisation.total_bytes();
    if needed * page > total {
        let found = format!("found {} of {} with this one", words.data, format_size(needed * page));
        let allowed = format!("the memory of {}: {}", setup.machine.name, format_size(total));
        return Err(error_at(place, found).allowed(allowed).help(words.less).does_not_fit());
    }
    Ok(())
}

/// What the allocator refused to an agent.
fn refused_to_agent(agent: &Agent, id: TaskId, error: &FrameError) -> InputError {
    let told = allocator::named(error, id, |_| agent.name.clone());
    error_at(
        &agent.colors_place,
        format!("found an agent that cannot have its memory: {told}"),
    )
    .help("change banks, llc, colors, rows or node of the agent")
    .does_not_fit()
}

/// What the allocator refused to a copy, at its task's line.
fn refused(setup: &Setup, copy: u32, error: &FrameError) -> InputError {
    let task = setup.copies[copy as usize].task;
    let found = format!(
        "found a task that cannot have its memory: {}",
        allocator::named(error, TaskId(copy), |id| setup.copies[id.0 as usize].name.clone())
    );
    error_at(&setup.tasks[task].colors_place, found)
        .help("change banks, llc, colors, rows or node of the task")
        .does_not_fit()
}
