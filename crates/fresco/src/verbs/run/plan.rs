// SPDX-License-Identifier: MIT OR Apache-2.0
//! What `fresco run` would do.

use super::regulated::Regulated;
use super::room::{self, Room};
use crate::verbs::live::CAVEAT;
use fresco_dram::FrameNumber;
use fresco_dram::color::format_list;
use fresco_input::format_size;
use fresco_linux::backend::Chosen;
use fresco_linux::colors::{Request, WhenFull};
use fresco_linux::launch::Program;
use fresco_linux::proc::PROC;
use fresco_linux::proc::ram_ranges;
use fresco_linux::regulator::Regulation;
use fresco_linux::resctrl::Limits;
use fresco_report::{Column, ReportError, Table};
use serde::Serialize;
use std::path::Path;

/// What would be done.
#[derive(Debug, Serialize)]
pub struct RunPlan {
    program: String,
    path: String,
    cpus: Option<String>,
    nodes: Option<String>,
    /// Limits beside the colors, or without.
    limits: Limits,
    /// What holds them.
    regulated: Option<Regulated>,
    /// Why it could not be done.
    missing: Vec<String>,
    /// Left out where no colors are asked for.
    #[serde(flatten)]
    colors: Option<ColorPlan>,
}

/// What would be done for colors.
#[derive(Debug, Serialize)]
struct ColorPlan {
    map: String,
    asked: String,
    threads: Vec<String>,
    when_full: WhenFull,
    backend: String,
    #[serde(skip)]
    strict_end: &'static str,
    /// Bytes of this machine's memory in frames of these colors; `null` where the kernel does not tell.
    memory_bytes: Option<u64>,
    /// All of it.
    of_bytes: Option<u64>,
    pool_bytes: u64,
    search_bytes: Option<u64>,
    /// What of this machine's memory the map does not know, if that is most of it.
    outside: Option<String>,
    covered: &'static str,
    not_covered: &'static str,
    caveat: &'static str,
}

impl RunPlan {
    /// Looks at what there is, and changes nothing.
    pub fn new(request: &Request, program: &Program, chosen: &Chosen, regulation: &Result<Regulation, String>) -> Self {
        let probed = chosen.missing();
        let missing = probed
            .into_iter()
            .chain(room::refusal(request, chosen.backend))
            .chain(chosen.without_means());
        let (cpus, nodes) = (request.cpus.as_deref(), request.nodes.as_deref());
        let mut plan = Self::without_colors(program, &request.limits, cpus, nodes, regulation);
        plan.missing = missing.chain(plan.missing).collect();
        plan.colors = Some(ColorPlan::new(request, chosen));
        plan
    }

    /// The same for a program that has limits alone.
    pub fn without_colors(
        program: &Program,
        limits: &Limits,
        cpus: Option<&[u32]>,
        nodes: Option<&[u32]>,
        regulation: &Result<Regulation, String>,
    ) -> Self {
        Self {
            program: program.name.to_string_lossy().into_owned(),
            path: program.path.display().to_string(),
            cpus: cpus.map(format_list),
            nodes: nodes.map(format_list),
            limits: limits.clone(),
            regulated: regulation.as_ref().ok().and_then(Regulated::new),
            missing: regulation.as_ref().err().cloned().into_iter().collect(),
            colors: None,
        }
    }

    /// Returns true if nothing that the run takes is missing.
    pub fn can_be_done(&self) -> bool {
        self.missing.is_empty()
    }

    /// One table of it.
    pub fn tables(&self) -> Result<Vec<Table>, ReportError> {
        let title = format!("What would be done for {}", self.program);
        let mut table = Table::new(title, vec![Column::text("what"), Column::text("value")]);
        let mut rows = vec![("program", self.path.clone())];
        rows.extend(self.colors.iter().flat_map(ColorPlan::rows));
        rows.extend(self.cpus.clone().map(|cpus| ("processors", cpus)));
        rows.extend(self.nodes.clone().map(|nodes| ("nodes", nodes)));
        let colors = self.colors.as_ref();
        if let Some(threads) = colors
            .map(|colors| &colors.threads)
            .filter(|threads| !threads.is_empty())
        {
            rows.push(("colors of threads", threads.join("; ")));
        }
        if !self.limits.is_none() {
            rows.push(("limits", self.limits.to_string()));
        }
        rows.extend(self.regulated.iter().flat_map(Regulated::rows));
        rows.extend(
            colors
                .and_then(|colors| colors.outside.clone())
                .map(|words| ("attention", words)),
        );
        rows.extend(self.missing.iter().cloned().map(|reason| ("cannot be done", reason)));
        rows.extend(colors.map(|colors| ("note", colors.caveat.to_owned())));
        for (what, value) in rows {
            table.push(vec![what.into(), value.into()])?;
        }
        Ok(vec![table])
    }
}

impl ColorPlan {
    fn new(request: &Request, chosen: &Chosen) -> Self {
        let ram = ram_ranges(Path::new(PROC));
        let page_bytes = 1u64 << request.colors.page_bits();
        Self {
            map: request.map.clone(),
            asked: request.asked.to_string(),
            threads: request.thread_colors.iter().map(ToString::to_string).collect(),
            when_full: request.when_full,
            backend: chosen.words(0),
            strict_end: chosen.backend.provider().when_full(),
            memory_bytes: frames(request, u64::MAX).map(|frames| frames * page_bytes),
            of_bytes: ram.map(|ranges| ranges.iter().map(|range| range.end - range.start).sum()),
            pool_bytes: request.pool_bytes,
            search_bytes: request.search_bytes,
            outside: Room::of(request)
                .filter(|room| room.is_mostly_outside())
                .map(|room| room.words(&request.map)),
            covered: chosen.backend.provider().covered(),
            not_covered: chosen.backend.provider().not_covered(),
            caveat: CAVEAT,
        }
    }

    fn rows(&self) -> Vec<(&'static str, String)> {
        let memory = match (self.memory_bytes, self.of_bytes) {
            (Some(memory), Some(all)) => format!("{} of {}", format_size(memory), format_size(all)),
            _ => "not told: the kernel shows where memory lies to root only".to_owned(),
        };
        let full = match self.when_full {
            WhenFull::Spill => "other frames are taken, and counted",
            WhenFull::Strict => self.strict_end,
        };
        vec![
            ("map", self.map.clone()),
            ("colors", self.asked.clone()),
            ("frames of these", memory),
            ("when they run out", full.to_owned()),
            ("back end", self.backend.clone()),
            ("covered", self.covered.to_owned()),
            ("not covered", self.not_covered.to_owned()),
        ]
    }
}

/// Frames of this machine with the colors asked for, counted up to `enough`; `None` where the kernel does not tell
/// where its memory lies.
pub fn frames(request: &Request, enough: u64) -> Option<u64> {
    let filter = request.filter();
    let bits = request.colors.page_bits();
    let frames = ram_ranges(Path::new(PROC))?
        .into_iter()
        .flat_map(|range| range.start.div_ceil(1 << bits)..range.end >> bits);
    let wanted = frames.filter(|&frame| filter.wants(FrameNumber(frame)));
    Some(wanted.take(usize::try_from(enough).unwrap_or(usize::MAX)).count() as u64)
}
