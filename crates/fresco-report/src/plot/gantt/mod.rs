// SPDX-License-Identifier: MIT OR Apache-2.0
//! Gantt charts: what ran where and when, with releases, deadlines, completions and misses.

mod density;
mod draw;
mod legend;
mod marks;
mod page;
mod shape;

use super::axis::Axis;
use super::domain::Domain;
use super::panel::Heading;
use super::sheet::{NARROW, WIDE};
use super::svg::{Drawing, Svg};
use crate::{Provenance, ReportError};
use std::collections::BTreeMap;

/// How a bar is filled. What that means is said in [`Gantt::styles`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum BarStyle {
    /// Filled.
    #[default]
    Solid,
    /// Diagonal lines.
    Hatched,
    /// Only the border.
    Outline,
}

/// A stretch of time: a job that runs, a server that supplies, a refresh that blocks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GanttBar {
    /// Start, in nanoseconds.
    pub from_ns: u64,
    /// End, in nanoseconds, not before the start.
    pub to_ns: u64,
    /// Text inside the bar, left out where the bar is too short for it; may be empty.
    pub label: String,
    /// What the bar is, as the legend names it: bars with one key have one color. Empty: grey and not in the legend.
    pub key: String,
    /// How it is filled.
    pub style: BarStyle,
}

/// What happens at an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MarkKind {
    /// A job is released: an arrow upwards.
    Release,
    /// A deadline: an arrow downwards.
    Deadline,
    /// A job is complete: a T.
    Completion,
    /// A deadline is missed: a cross.
    Miss,
}

/// An instant on a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// When, in nanoseconds.
    pub at_ns: u64,
    /// What.
    pub kind: MarkKind,
}

/// One line of the chart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lane {
    /// Heading above this lane and its neighbours with the same heading, such as `core 0`; empty for none.
    pub group: String,
    /// Name at its left, on phones above it.
    pub name: String,
    /// Bars in any order; of bars that overlap, the later start lies on top.
    pub bars: Vec<GanttBar>,
    /// Marks in any order.
    pub marks: Vec<Mark>,
}

/// Lanes over time. A bar that is wide enough is drawn as it is. Bars narrower than a pixel that stand close together are
/// drawn as one, as high as the share of time they take, so that thousands of them stay readable and a small file; one
/// that stands alone is a line of full height. Where marks of a kind are too close, some are left out, but never all. Colors
/// come back after eight keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gantt {
    /// Title and the like.
    pub heading: Heading,
    /// Start of the window shown, in nanoseconds.
    pub from_ns: u64,
    /// End of the window shown, after its start. Bars are cut at its ends; marks outside are not shown.
    pub to_ns: u64,
    /// What the styles other than solid mean, for the legend.
    pub styles: Vec<(BarStyle, String)>,
    /// From the top down.
    pub lanes: Vec<Lane>,
}

impl Gantt {
    /// Draws the chart.
    ///
    /// # Errors
    /// The window is empty, or a bar ends before it starts.
    pub fn to_svg(&self, provenance: &Provenance) -> Result<Svg, ReportError> {
        self.check()?;
        let unit = Unit::of(self.to_ns - self.from_ns);
        let axis = Axis::new("time", unit.name);
        let drawings = [(WIDE, 10), (NARROW, 5)].map(|(sheet, ticks)| {
            let [from, to] = [self.from_ns, self.to_ns].map(|ns| ns as f64 / unit.ns);
            let time = Domain::between(&axis, from, to, ticks)?;
            let mut drawn = String::new();
            let dashes = page::draw(&mut drawn, self, sheet, &time, provenance)?;
            Ok(Drawing { drawn, dashes })
        });
        let [wide, narrow] = drawings;
        let description = format!("{} [{}]", self.heading.description, provenance.sentence());
        Ok(Svg::finish(
            &wide?,
            &narrow?,
            &self.heading.title,
            description.trim_start(),
        ))
    }

    /// Number of each key, in the order in which lanes first use them.
    fn keys(&self) -> BTreeMap<&str, usize> {
        let mut keys = BTreeMap::new();
        for bar in self.lanes.iter().flat_map(|lane| &lane.bars) {
            let next = keys.len();
            if !bar.key.is_empty() {
                keys.entry(bar.key.as_str()).or_insert(next);
            }
        }
        keys
    }

    fn check(&self) -> Result<(), ReportError> {
        let wrong = |what: &str, why: String| {
            let what = what.to_owned();
            Err(ReportError::Inconsistent { what, why })
        };
        if self.to_ns <= self.from_ns {
            let why = format!("the window ends at {} ns and starts at {} ns", self.to_ns, self.from_ns);
            return wrong(&self.heading.title, why);
        }
        for lane in &self.lanes {
            if let Some(bar) = lane.bars.iter().find(|bar| bar.to_ns < bar.from_ns) {
                let why = format!("a bar ends at {} ns and starts at {} ns", bar.to_ns, bar.from_ns);
                return wrong(&lane.name, why);
            }
        }
        Ok(())
    }
}

/// The unit that keeps the numbers of a time axis short.
struct Unit {
    name: &'static str,
    ns: f64,
}

impl Unit {
    /// The largest unit of which the window has at least two.
    fn of(span_ns: u64) -> Self {
        let units = [("s", 1e9), ("ms", 1e6), ("us", 1e3)];
        let fits = |unit: &&(&str, f64)| span_ns as f64 >= 2.0 * unit.1;
        let (name, ns) = units.iter().find(fits).copied().unwrap_or(("ns", 1.0));
        Self { name, ns }
    }
}
