// SPDX-License-Identifier: MIT OR Apache-2.0
//! Pages of a process by mapping and by color.

use super::publish::{and, process};
use crate::openmetrics::{BANDWIDTH, HOLDS, Labels, Samples, VERIFIED, VERIFIED_COLOR, VERIFIED_INSIDE};
use crate::verbs::live::CAVEAT;
use fresco_input::InputError;
use fresco_linux::backend::Backend;
use fresco_linux::census::{Tally, census};
use fresco_linux::colors::{Request, WhenFull};
use fresco_linux::memguard;
use fresco_linux::proc::PROC;
use fresco_linux::proc::{Kind, Process};
use fresco_linux::resctrl::{Abilities, Limits, Tree};
use fresco_report::{Cell, Column, ReportError, Table};
use serde::Serialize;
use std::path::Path;

/// What `fresco verify` reports.
#[derive(Debug, Serialize)]
pub struct VerifyReport {
    pid: u32,
    program: String,
    /// The map.
    map: String,
    /// The colors.
    asked: String,
    when_full: WhenFull,
    /// What was to give it its frames; `null` of a process that was not started by `fresco run`.
    backend: Option<Backend>,
    /// Whether these colors were named on the command line, and not asked for by the process.
    #[serde(skip)]
    named: bool,
    /// Limits asked for beside the colors.
    limits_asked: Limits,
    /// Those of the class that the process is in; `null` where there are no classes.
    limits_applied: Option<Limits>,
    /// Which mappings are judged.
    judged: &'static str,
    /// Their pages.
    total: Counts,
    mappings: Vec<MappingView>,
    /// Memory of threads with colors of their own, which is judged by these.
    threads: Vec<ThreadView>,
    /// Pages judged, by bank color.
    bank_colors: Vec<ColorView>,
    /// Pages judged, by LLC color.
    llc_colors: Vec<ColorView>,
    caveat: &'static str,
}

/// Pages in memory.
#[derive(Debug, Serialize)]
struct Counts {
    pages: u64,
    inside: u64,
    outside: u64,
    /// Where the map has no memory.
    off_the_map: u64,
    swapped: u64,
    /// Inside of all.
    share: Option<f64>,
}

#[derive(Debug, Serialize)]
struct MappingView {
    start: String,
    end: String,
    access: String,
    kind: &'static str,
    name: String,
    #[serde(flatten)]
    counts: Counts,
}

#[derive(Debug, Serialize)]
struct ThreadView {
    asked: String,
    #[serde(flatten)]
    counts: Counts,
}

#[derive(Debug, Serialize)]
struct ColorView {
    color: u32,
    asked: bool,
    pages: u64,
}

impl Counts {
    fn of(tally: &Tally) -> Self {
        Self {
            pages: tally.present,
            inside: tally.inside,
            outside: tally.outside,
            off_the_map: tally.unmapped,
            swapped: tally.swapped,
            share: tally.share(),
        }
    }

    /// Pages inside and outside the colors, those without a known color, and the share inside.
    fn columns() -> Vec<Column> {
        let mut columns: Vec<Column> = ["pages", "inside", "outside", "no color known"]
            .map(|name| Column::number(name, "", 0))
            .into();
        columns.push(Column::number("inside", "%", 3));
        columns
    }

    fn cells(&self) -> [Cell; 5] {
        [
            Cell::Count(self.pages),
            Cell::Count(self.inside),
            Cell::Count(self.outside),
            Cell::Count(self.off_the_map),
            self.share.map(|share| share * 100.0).into(),
        ]
    }

    /// Where the pages are, in a line.
    fn words(&self) -> String {
        let Some(share) = self.share else {
            return "no pages".to_owned();
        };
        let mut words = format!("{} of {} pages, {:.3} %", self.inside, self.pages, share * 100.0);
        if self.outside > 0 {
            words += &format!("; {} have other colors", self.outside);
        }
        if self.off_the_map > 0 {
            words += &format!(
                "; of {} no color is known: the map has no memory there",
                self.off_the_map
            );
        }
        words
    }
}

impl VerifyReport {
    /// Looks at the process; `own` says that it was started with this very request, not judged by one that was named.
    pub fn of(process: &Process, request: &Request, own: bool) -> Result<Self, InputError> {
        let census = census(process, request, own)?;
        let backend = request.backend;
        let (total, judged) = backend.provider().judged(&census);
        let counted = census.mappings;
        let mappings = counted.iter().filter(|(_, tally)| tally.present + tally.swapped > 0);
        let colors = |pages: &[u64], asked: &[u32]| {
            let view = |(color, &pages): (u32, &u64)| ColorView {
                color,
                asked: asked.binary_search(&color).is_ok(),
                pages,
            };
            (0..).zip(pages).map(view).collect()
        };
        Ok(Self {
            pid: process.pid,
            program: process.name(),
            map: request.map.clone(),
            asked: request.asked.to_string(),
            when_full: request.when_full,
            limits_asked: request.limits.clone(),
            limits_applied: limits_applied(process.pid),
            backend: (own || process.request().is_some()).then_some(backend),
            named: !own,
            judged,
            mappings: mappings
                .map(|(mapping, tally)| MappingView {
                    start: format!("{:#x}", mapping.start),
                    end: format!("{:#x}", mapping.end),
                    access: mapping.access.clone(),
                    kind: mapping.kind.name(),
                    name: mapping.name.clone(),
                    counts: Counts::of(tally),
                })
                .collect(),
            threads: census
                .threads
                .iter()
                .map(|(asked, tally)| ThreadView {
                    asked: asked.clone(),
                    counts: Counts::of(tally),
                })
                .collect(),
            bank_colors: colors(&total.banks, &request.asked.banks),
            llc_colors: colors(&total.llc, &request.asked.llc),
            total: Counts::of(&total),
            caveat: CAVEAT,
        })
    }

    /// Returns true if at least this share of the pages judged has the colors asked for, and the process has its
    /// limits.
    pub fn holds(&self, least: f64) -> bool {
        within(&self.limits_asked, self.limits_applied.as_ref()) && self.total.share.is_none_or(|share| share >= least)
    }

    /// The same as metrics; `holds` as [`Self::holds`].
    pub fn samples(&self, least: f64) -> Samples {
        let own = || process(None, self.pid, &self.program);
        let mut samples = Samples::default();
        for (place, pages) in [
            ("inside", self.total.inside),
            ("outside", self.total.outside),
            ("off the map", self.total.off_the_map),
            ("swapped", self.total.swapped),
        ] {
            samples.add(VERIFIED, and(own(), "place", place), pages as f64);
        }
        if let Some(share) = self.total.share {
            samples.add(VERIFIED_INSIDE, own(), share);
        }
        for (kind, views) in [("bank", &self.bank_colors), ("llc", &self.llc_colors)] {
            for view in views.iter().filter(|view| view.asked || view.pages > 0) {
                let mut labels = and(own(), "kind", kind);
                labels.extend([("color", view.color.to_string()), ("requested", view.asked.to_string())]);
                samples.add(VERIFIED_COLOR, labels, view.pages as f64);
            }
        }
        bandwidth(&mut samples, own, &self.limits_asked, self.limits_applied.as_ref());
        samples.add(HOLDS, own(), f64::from(u8::from(self.holds(least))));
        samples
    }

    /// Requested against applied, then mappings, then colors; the summary alone, where no page has a color asked for.
    pub fn tables(&self, all: bool) -> Result<Vec<Table>, ReportError> {
        if self.total.inside == 0 && !all {
            return Ok(vec![self.summary()?]);
        }
        let mut tables = vec![self.summary()?, self.mappings(all)?];
        if !self.threads.is_empty() {
            tables.push(self.threads()?);
        }
        tables.push(self.colors()?);
        Ok(tables)
    }

    fn summary(&self) -> Result<Table, ReportError> {
        let title = format!("Colors of process {} ({})", self.pid, self.program);
        let mut table = Table::new(title, vec![Column::text("what"), Column::text("value")]);
        let applied = self.limits_applied.as_ref();
        let limits = (!self.limits_asked.is_none() || applied.is_some_and(|limits| !limits.is_none())).then(|| {
            let applied = applied.map_or("no resctrl, no memguard".to_owned(), Limits::to_string);
            (
                "limits",
                format!("requested: {}; applied: {applied}", self.limits_asked),
            )
        });
        let rows = [
            ("map", self.map.clone()),
            (
                if self.named {
                    "colors of the command line"
                } else {
                    "requested"
                },
                self.asked.clone(),
            ),
            (
                "back end",
                self.backend
                    .map_or("none: it was not started by fresco run", Backend::name)
                    .to_owned(),
            ),
            ("judged", self.judged.to_owned()),
            ("applied", self.total.words()),
            ("note", self.caveat.to_owned()),
        ];
        for (what, value) in rows.into_iter().chain(limits) {
            table.push(vec![what.into(), value.into()])?;
        }
        Ok(table)
    }

    fn mappings(&self, all: bool) -> Result<Table, ReportError> {
        let mut columns: Vec<Column> = ["from", "kind", "name"].map(Column::text).into();
        columns.extend(Counts::columns());
        let mut table = Table::new("Pages in memory by mapping", columns);
        for view in self
            .mappings
            .iter()
            .filter(|view| all || view.kind != Kind::File.name())
        {
            let mut row: Vec<Cell> = vec![view.start.clone().into(), view.kind.into(), view.name.clone().into()];
            row.extend(view.counts.cells());
            table.push(row)?;
        }
        Ok(table)
    }

    fn threads(&self) -> Result<Table, ReportError> {
        let mut columns = vec![Column::text("requested")];
        columns.extend(Counts::columns());
        let mut table = Table::new("Pages of threads with colors of their own", columns);
        for view in &self.threads {
            let mut row: Vec<Cell> = vec![view.asked.clone().into()];
            row.extend(view.counts.cells());
            table.push(row)?;
        }
        Ok(table)
    }

    fn colors(&self) -> Result<Table, ReportError> {
        let columns = vec![
            Column::text("color"),
            Column::text(if self.named { "named" } else { "requested" }),
            Column::number("pages", "", 0),
        ];
        let mut table = Table::new("Pages judged by color", columns);
        for (kind, views) in [("bank", &self.bank_colors), ("llc", &self.llc_colors)] {
            for view in views.iter().filter(|view| view.pages > 0) {
                let asked = if view.asked { "yes" } else { "no" };
                table.push(vec![
                    format!("{kind} {}", view.color).into(),
                    asked.into(),
                    Cell::Count(view.pages),
                ])?;
            }
            let others = views.iter().filter(|view| view.asked && view.pages == 0).count();
            if others > 0 {
                table.push(vec![
                    format!("{kind}, {others} others").into(),
                    "yes".into(),
                    Cell::Count(0),
                ])?;
            }
        }
        Ok(table)
    }
}

/// Limits of the class that a process is in, and the budget of its cgroup; `None` where there is neither resctrl nor memguard.
pub fn limits_applied(pid: u32) -> Option<Limits> {
    let class = Tree::find().ok().and_then(|tree| {
        let class = tree.class_of(pid)?;
        Some(Abilities::of(&tree, Path::new(PROC)).limits_of(&tree.schemata(&class)))
    });
    let Ok(memguard) = memguard::Tree::find() else {
        return class;
    };
    let mut limits = class.unwrap_or_default();
    let budget = memguard.budget_of_process(pid).map(memguard::Budget::bytes_per_s);
    limits.bytes_per_s = limits.bytes_per_s.into_iter().chain(budget).min();
    Some(limits)
}

/// Adds the limits of bandwidth that there are.
pub fn bandwidth(samples: &mut Samples, own: impl Fn() -> Labels, asked: &Limits, applied: Option<&Limits>) {
    let applied = applied.and_then(|limits| limits.bytes_per_s);
    for (which, limit) in [("requested", asked.bytes_per_s), ("applied", applied)] {
        if let Some(bytes) = limit {
            samples.add(BANDWIDTH, and(own(), "which", which), bytes as f64);
        }
    }
}

/// Returns true if these are the limits asked for. Less bandwidth is as good: hardware rounds, and bandwidth is divided
/// among caches.
pub fn within(asked: &Limits, applied: Option<&Limits>) -> bool {
    let ways = applied.and_then(|limits| limits.ways.as_ref());
    let bandwidth = applied.and_then(|limits| limits.bytes_per_s);
    let less = |asked: u64| bandwidth.is_some_and(|bytes| bytes <= asked);
    (asked.ways.is_none() || asked.ways.as_ref() == ways) && asked.bytes_per_s.is_none_or(less)
}
