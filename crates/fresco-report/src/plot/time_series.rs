// SPDX-License-Identifier: MIT OR Apache-2.0
//! A quantity over time, of any length.

use super::axis::{Axis, Domain};
use super::canvas::{Pixel, Stroke};
use super::legend::{Entry, Sample};
use super::palette::{Look, look};
use super::panel::{Across, Frame, Heading, Panel, figure};
use super::svg::Svg;
use crate::{Provenance, ReportError};
use std::collections::BTreeMap;

/// Samples of one quantity.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// Name, as the legend shows it.
    pub name: String,
    /// Time and value, in rising order of time.
    pub samples: Vec<(f64, f64)>,
}

/// Traces over time. Where several samples fall on one column of pixels, the column shows all from the lowest to the
/// highest, so that no peak is lost and a million samples stay a small file.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeSeries {
    /// Title and the like.
    pub heading: Heading,
    /// Time.
    pub time: Axis,
    /// Sampled quantity.
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
            if trace.samples.windows(2).any(|pair| pair[0].0 > pair[1].0) {
                let why = "time runs backwards".to_owned();
                return Err(ReportError::Inconsistent {
                    what: trace.name.clone(),
                    why,
                });
            }
        }
        let samples = || self.traces.iter().flat_map(|trace| &trace.samples);
        let entries = self.traces.iter().enumerate().map(|(index, trace)| Entry {
            name: trace.name.clone(),
            look: solid(index),
            sample: Sample::Line,
        });
        let frame = Frame {
            heading: &self.heading,
            x_title: self.time.title(),
            x: Across::Values(Domain::tight(&self.time, samples().map(|sample| sample.0), 8)?),
            y_title: self.y.title(),
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
        for (index, trace) in self.traces.iter().enumerate() {
            let pixels = columns(panel, &trace.samples);
            panel.canvas.line(&pixels, Stroke::solid(solid(index).colour, 1))?;
        }
        for (index, trace) in self.traces.iter().enumerate() {
            let mut next = panel.left + MARKED_EVERY * (2 * index as i32 + 1) / (2 * self.traces.len() as i32);
            if trace.samples.len() == 1 {
                next = panel.left;
            }
            for (x, y) in columns(panel, &trace.samples) {
                if x >= next {
                    panel.canvas.marker((x, y), solid(index))?;
                    next += MARKED_EVERY;
                }
            }
        }
        Ok(())
    }
}

/// Distance in pixels of the markers that tell traces apart without colour.
const MARKED_EVERY: i32 = 110;

/// Traces are solid: dashes would vanish in their noise.
fn solid(index: usize) -> Look {
    Look {
        dash: None,
        ..look(index)
    }
}

/// At most four points per column of pixels: the first, the highest, the lowest and the last sample.
fn columns(panel: &Panel<'_>, samples: &[(f64, f64)]) -> Vec<Pixel> {
    let mut columns: BTreeMap<i32, [i32; 4]> = BTreeMap::new();
    for &(time, value) in samples {
        let (x, y) = panel.at(time, value);
        let [_, high, low, last] = columns.entry(x).or_insert([y; 4]);
        (*high, *low, *last) = ((*high).min(y), (*low).max(y), y);
    }
    let mut pixels: Vec<Pixel> = columns.iter().flat_map(|(&x, column)| column.map(|y| (x, y))).collect();
    pixels.dedup();
    pixels
}
