// SPDX-License-Identifier: MIT OR Apache-2.0
//! The recorded part of a run, of a scenario or of a plan, as a Gantt chart.

use super::figures::Figure;
use super::lanes::{self, GanttContent};
use fresco_report::plot::{BarStyle, Gantt, Heading};
use fresco_report::{Provenance, ReportError};

/// The chart of the first `to_ns` nanoseconds.
///
/// # Errors
/// None in practice: spans of a run end after they begin.
pub fn figure(
    name: String,
    title: String,
    subtitle: String,
    content: &GanttContent<'_>,
    to_ns: u64,
    provenance: &Provenance,
) -> Result<Figure, ReportError> {
    let chart = Gantt {
        heading: Heading::new(title, subtitle).described(
            "Jobs of each task on each core, with releases, deadlines and ends; lock windows of colors; refreshes of ranks. \
             A task never runs while a rank that it owns is refreshed, if a plan hides refresh.",
        ),
        from_ns: 0,
        to_ns,
        styles: match content.timeline.locks.is_empty() {
            true => Vec::new(),
            false => vec![(BarStyle::Outline, "locked".to_owned())],
        },
        lanes: lanes::of(content),
    };
    Ok(Figure {
        name,
        svg: chart.to_svg(provenance)?,
        caption: "Arrows up: releases; arrows down: deadlines; T: end of a job; cross: a deadline missed.".to_owned(),
    })
}
