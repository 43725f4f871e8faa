// SPDX-License-Identifier: MIT OR Apache-2.0
//! The recorded part of a run, of a scenario or of a plan, as a Gantt chart.

use super::figures::Figure;
use super::lanes::{self, GanttContent, PS};
use fresco_report::plot::{BarStyle, Gantt, Heading, Lane};
use fresco_report::{Provenance, ReportError};

/// What a chart is called.
pub struct Titles {
    /// Name of its file, without ending.
    pub name: String,
    /// Heading.
    pub title: String,
    /// What the run is; which part of it is shown is added.
    pub run: String,
}

/// The chart of the recorded part of a run, or of a `share` of it: 8 is its first eighth. Its time begins with that part. `None` if
/// nothing is recorded.
///
/// # Errors
/// None in practice: spans of a run end after they begin.
pub fn figure(
    titles: Titles,
    content: &GanttContent<'_>,
    share: u64,
    provenance: &Provenance,
) -> Result<Option<Figure>, ReportError> {
    let timeline = content.timeline;
    let (from_ns, length) = (timeline.from_ps / PS, timeline.recorded_ps / PS / share);
    if length == 0 {
        return Ok(None);
    }
    let ms = |ns: u64| ns as f64 / 1e6;
    let part = match from_ns {
        0 => format!("the first {} ms", ms(length)),
        _ => format!("{:.3} ms from the start of the measured phase on", ms(length)),
    };
    let run = match titles.run.is_empty() {
        true => String::new(),
        false => format!("{}, ", titles.run),
    };
    let chart = Gantt {
        heading: Heading::new(titles.title, run + &part).described(
            "Jobs of each task on each core, with releases, deadlines and ends; page faults and stalls; lock windows of colors; \
             refreshes of ranks. A task never runs while a rank that it owns is refreshed, if a plan hides refresh.",
        ),
        from_ns: 0,
        to_ns: length,
        styles: match timeline.locks.is_empty() {
            true => Vec::new(),
            false => vec![(BarStyle::Outline, "locked".to_owned())],
        },
        lanes: since(from_ns, lanes::of(content)),
    };
    let passes = match timeline.passes.is_empty() {
        true => "",
        false => ", or of a pass of a task without jobs",
    };
    let marks = match content.tasks.iter().all(|task| task.jobs.is_empty()) {
        true if timeline.passes.is_empty() => "When cores, refreshes and the operating system were at work.".to_owned(),
        true => "T: end of a pass of a program.".to_owned(),
        false => {
            format!("Arrows up: releases; arrows down: deadlines; T: end of a job{passes}; cross: a deadline missed.")
        }
    };
    let marks = match timeline.mode {
        None => marks,
        Some(_) => marks + " A job without deadline was abandoned when the mode changed.",
    };
    Ok(Some(Figure {
        name: titles.name,
        svg: chart.to_svg(provenance)?,
        caption: marks + &content.left_out(),
    }))
}

/// The lanes with times since `from_ns`; marks before it go.
fn since(from_ns: u64, mut lanes: Vec<Lane>) -> Vec<Lane> {
    for lane in &mut lanes {
        for bar in &mut lane.bars {
            bar.from_ns = bar.from_ns.saturating_sub(from_ns);
            bar.to_ns = bar.to_ns.saturating_sub(from_ns);
        }
        lane.marks.retain(|mark| mark.at_ns >= from_ns);
        lane.marks.iter_mut().for_each(|mark| mark.at_ns -= from_ns);
    }
    lanes
}
