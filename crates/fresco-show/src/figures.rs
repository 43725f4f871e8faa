// SPDX-License-Identifier: MIT OR Apache-2.0
//! The figures of a scenario.

use super::lines::Quantity;
use super::subject::measured;
use super::sweep::Sweep;
use super::{anatomy, bars, cdf, lines};
use fresco_report::plot::Svg;
use fresco_report::{Provenance, ReportError};
use fresco_system::Extent;

/// A figure of a report.
pub struct Figure {
    /// The name that its file gets, without `.svg`.
    pub name: String,
    /// The drawing.
    pub svg: Svg,
    /// The line under it.
    pub caption: String,
}

const RUN_TIME: Quantity = Quantity {
    label: "run time",
    unit: "ms",
    value: |subject| Some(subject.run_time_ms()),
};
/// For phases of a fixed time, in which a slow task does less.
const ACCESS_TIME: Quantity = Quantity {
    label: "time per access",
    unit: "ns",
    value: |subject| Some(subject.access_ns()),
};
const READ_LATENCY: Quantity = Quantity {
    label: "mean latency of memory reads",
    unit: "ns",
    value: |subject| subject.read_ns(),
};
const SLOWDOWN: Quantity = Quantity {
    label: "slowdown",
    unit: "x",
    value: |subject| subject.slowdown(),
};

/// Time and latency against the horizontal axis, or as bars; distribution of latencies; where the time went.
///
/// # Errors
/// None in practice: results hold no numbers that none of the figures can show.
pub fn of(sweep: &Sweep<'_>, provenance: &Provenance) -> Result<Vec<Figure>, ReportError> {
    let mut figures = Collected {
        scenario: &sweep.result.scenario,
        figures: Vec::new(),
    };
    let fixed_time = sweep
        .result
        .points
        .iter()
        .any(|point| matches!(point.measure, Extent::Time(_)));
    let time = if fixed_time { ACCESS_TIME } else { RUN_TIME };
    let (spread, pooled) = match sweep.result.repetitions {
        1 => ("", ""),
        _ => (
            "Means of the repetitions; whiskers: the smallest and largest of them.",
            "All reads of all repetitions.",
        ),
    };
    if sweep.across.is_none() {
        let with_slowdown = sweep.result.points.iter().any(|point| point.baseline.is_some());
        let quantity = if with_slowdown { SLOWDOWN } else { time };
        figures.add(quantity.label, "", bars::chart(sweep, &quantity, provenance)?, spread);
        figures.add("latency", "", bars::chart(sweep, &READ_LATENCY, provenance)?, spread);
    }
    if sweep.result.axes.is_empty() && measured(sweep.result).len() > 1 {
        let figure = cdf::by_task(sweep, provenance)?;
        figures.add(
            "distribution",
            "",
            figure,
            "Reads that missed all caches; of the first eight tasks.",
        );
        return Ok(figures.figures);
    }
    for task in measured(sweep.result) {
        for panel in sweep.panels() {
            let what = format!("{} {task}", sweep.panel_name(&panel));
            for (name, quantity) in [("time", &time), ("latency", &READ_LATENCY)] {
                if let Some(lines) = lines::chart(sweep, &panel, &task, quantity, provenance)? {
                    let caption = [spread, &lines.note].join(" ");
                    figures.add(name, &what, Some(lines.svg), caption.trim());
                }
            }
            let figure = anatomy::chart(sweep, &panel, &task, provenance)?;
            figures.add("anatomy", &what, figure, pooled);
            let figure = cdf::chart(sweep, &panel, &task, provenance)?;
            figures.add("distribution", &what, figure, pooled);
        }
    }
    Ok(figures.figures)
}

struct Collected<'s> {
    scenario: &'s str,
    figures: Vec<Figure>,
}

impl Collected<'_> {
    /// Takes a figure in, under a name that is no other's: `palloc-fig4-latency-foreground`.
    fn add(&mut self, name: &str, what: &str, svg: Option<Svg>, caption: &str) {
        let Some(svg) = svg else { return };
        self.figures.push(Figure {
            name: file_name(&[self.scenario, name, what]),
            svg,
            caption: caption.to_owned(),
        });
    }
}

/// Longest name of a figure: room for a number and an ending in what file systems take.
const LONGEST: usize = 200;

/// A name of a file without ending, of these words: `palloc-fig4-latency-foreground`. It is always a name within a directory, whatever
/// the words are: those of a plan's file are anybody's.
pub fn file_name(words: &[&str]) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || ".-_".contains(c);
    let words = words.join(" ");
    let words = words.split(|c: char| !plain(c)).filter(|word| !word.is_empty());
    let mut name = words.collect::<Vec<_>>().join("-");
    // ASCII alone.
    name.truncate(LONGEST);
    name
}
