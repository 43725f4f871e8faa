// SPDX-License-Identifier: MIT OR Apache-2.0
//! A quantity over time, of any length, as steps.

use super::axis::Axis;
use super::canvas::{Pixel, Stroke};
use super::domain::Domain;
use super::legend::{Entry, Sample};
use super::palette::{Look, look};
use super::panel::{Across, Frame, Heading, Panel, figure};
use super::svg::Svg;
use crate::{Provenance, ReportError};
use std::collections::BTreeMap;

/// Values of one quantity.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// Name, as the legend shows it.
    pub name: String,
    /// Start and value of each span, in rising order of time: a value holds until the next.
    pub samples: Vec<(f64, f64)>,
    /// End of the last span, not before its start.
    pub end: f64,
}

/// Traces over time, as steps: nothing is drawn that was not measured. Where several samples fall on one column of pixels, the column shows all from the lowest to the
/// highest, so that no peak is lost and a million samples stay a small file.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeSeries {
    /// Title and the like.
    pub heading: Heading,
    /// Time.
    pub time: Axis,
    /// Measured quantity.
    pub y: Axis,
    /// Traces.
    pub traces: Vec<Trace>,
}

impl TimeSeries {
    /// Draws the chart.
    ///
    /// # Errors
    /// A sample is NaN, infinite or not positive on a logarithmic axis, or time runs backwards.
    pub fn to_svg(&self, provenance: &Provenance) -> Result<Svg, ReportError> {
        for trace in &self.traces {
            let starts = trace.samples.iter().map(|sample| sample.0);
            if !starts
                .chain((!trace.samples.is_empty()).then_some(trace.end))
                .is_sorted()
            {
                let why = "time runs backwards".to_owned();
                return Err(ReportError::Inconsistent {
                    what: trace.name.clone(),
                    why,
                });
            }
        }
        let samples = || self.traces.iter().flat_map(|trace| &trace.samples);
        let starts = samples().map(|sample| sample.0);
        let ends = self.traces.iter().filter(|trace| !trace.samples.is_empty());
        let ends = ends.map(|trace| trace.end);
        let (from, to) = starts
            .chain(ends)
            .fold(None, |range: Option<(f64, f64)>, time| {
                Some(range.map_or((time, time), |(from, to)| (from.min(time), to.max(time))))
            })
            .unwrap_or((0.0, 1.0));
        let entries = self.traces.iter().enumerate().map(|(index, trace)| Entry {
            name: trace.name.clone(),
            look: solid(index),
            sample: Sample::Line,
        });
        let frame = Frame {
            heading: &self.heading,
            x_title: self.time.title(),
            x: Across::Values(Domain::between(&self.time, from, to, 8)?),
            y: Domain::around(&self.y, samples().map(|sample| sample.1), 5)?,
            legend: if self.traces.len() < 2 {
                Vec::new()
            } else {
                entries.collect()
            },
            right: 0,
            inset: 0,
            empty: samples().next().is_none(),
        };
        figure(frame, provenance, |panel| self.draw(panel))
    }

    fn draw(&self, panel: &Panel<'_>) -> Result<(), ReportError> {
        let width = usize::try_from(panel.right - panel.left).unwrap_or(0);
        let has_room = |trace: &Trace| trace.samples.len() <= width / MARKER;
        for (index, trace) in self.traces.iter().enumerate() {
            let stroke = Stroke::solid(solid(index).color, if has_room(trace) { 2 } else { 1 });
            panel.canvas.line(&steps(panel, trace), stroke)?;
        }
        for (index, trace) in self.traces.iter().enumerate() {
            let (first, every) = match has_room(trace) {
                true => (0, 0),
                false => (
                    MARKED_EVERY * (2 * index as i32 + 1) / (2 * self.traces.len() as i32),
                    MARKED_EVERY,
                ),
            };
            let mut next = panel.left + first;
            let ends = trace.samples.iter().skip(1).map(|next| next.0).chain([trace.end]);
            for (&(start, value), end) in trace.samples.iter().zip(ends) {
                let middle = panel.at(start / 2.0 + end / 2.0, value);
                if middle.0 >= next {
                    panel.canvas.marker(middle, solid(index))?;
                    next = middle.0 + every;
                }
            }
        }
        Ok(())
    }
}

/// Pixels that each span has at least where all spans get markers.
const MARKER: usize = 16;
/// Distance in pixels of the markers that tell traces of more spans apart without color.
const MARKED_EVERY: i32 = 110;

/// Traces are solid: dashes would vanish in their noise.
fn solid(index: usize) -> Look {
    Look {
        dash: None,
        ..look(index)
    }
}

/// The trace as steps, at most four points per column of pixels: the value held so far, the highest, the lowest and the
/// last.
fn steps(panel: &Panel<'_>, trace: &Trace) -> Vec<Pixel> {
    let mut columns: BTreeMap<i32, [i32; 3]> = BTreeMap::new();
    for &(time, value) in &trace.samples {
        let (x, y) = panel.at(time, value);
        let [high, low, last] = columns.entry(x).or_insert([y; 3]);
        (*high, *low, *last) = ((*high).min(y), (*low).max(y), y);
    }
    let mut pixels: Vec<Pixel> = Vec::with_capacity(4 * columns.len() + 1);
    for (x, column) in columns {
        pixels.extend(pixels.last().map(|held| (x, held.1)));
        pixels.extend(column.map(|y| (x, y)));
    }
    pixels.extend(pixels.last().map(|held| (panel.across(trace.end), held.1)));
    pixels.dedup();
    pixels
}
