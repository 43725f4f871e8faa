// SPDX-License-Identifier: MIT OR Apache-2.0
//! Histogram: how often each range of values came up.

use super::axis::Axis;
use super::canvas::{Pixel, Stroke};
use super::domain::Domain;
use super::legend::{Entry, Sample};
use super::palette::look;
use super::panel::{Across, Frame, Heading, Panel, figure};
use super::svg::Svg;
use crate::{Provenance, ReportError};

/// Observations in the range from `low` (included) to `high` (excluded).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bin {
    /// Lower edge.
    pub low: f64,
    /// Upper edge.
    pub high: f64,
    /// Number of observations.
    pub count: u64,
}

/// The bins of one series.
#[derive(Clone, Debug, PartialEq)]
pub struct BinSeries {
    /// Name, as the legend shows it.
    pub name: String,
    /// Bins in rising order, not overlapping; gaps count as empty.
    pub bins: Vec<Bin>,
}

/// Histograms over one axis, drawn over each other as pale areas with an outline.
#[derive(Clone, Debug, PartialEq)]
pub struct HistogramChart {
    /// Title and the like.
    pub heading: Heading,
    /// The measured quantity.
    pub x: Axis,
    /// What is counted: "reads".
    pub y_label: String,
    /// Series.
    pub series: Vec<BinSeries>,
}

impl HistogramChart {
    /// Draws the chart.
    ///
    /// # Errors
    /// An edge is NaN, infinite or not positive on a logarithmic axis; or the bins of a series overlap.
    pub fn to_svg(&self, provenance: &Provenance) -> Result<Svg, ReportError> {
        for series in &self.series {
            let ordered = series.bins.windows(2).all(|pair| pair[0].high <= pair[1].low);
            if !ordered || series.bins.iter().any(|bin| bin.low >= bin.high) {
                let why = "bins overlap, have no width or are out of order".to_owned();
                return Err(ReportError::Inconsistent {
                    what: series.name.clone(),
                    why,
                });
            }
        }
        let bins = || self.series.iter().flat_map(|series| &series.bins);
        let count_axis = Axis::new(&self.y_label, "").from_zero();
        let x = Domain::around(&self.x, bins().flat_map(|bin| [bin.low, bin.high]), 7)?;
        let entries = self.series.iter().enumerate().map(|(index, series)| Entry {
            name: series.name.clone(),
            look: look(index),
            sample: Sample::Plain,
        });
        let frame = Frame {
            heading: &self.heading,
            x_title: x.title.clone(),
            x: Across::Values(x),
            y: Domain::around(&count_axis, bins().map(|bin| bin.count as f64), 5)?,
            legend: if self.series.len() < 2 {
                Vec::new()
            } else {
                entries.collect()
            },
            right: 0,
            inset: 0,
            empty: bins().next().is_none(),
        };
        figure(frame, provenance, |panel| self.draw(panel))
    }

    fn draw(&self, panel: &Panel<'_>) -> Result<(), ReportError> {
        for (index, series) in self.series.iter().enumerate() {
            let look = look(index);
            let outline = outline(panel, &series.bins);
            panel.canvas.polygon(&outline, look.color.mix(0.18))?;
            panel.canvas.line(
                &outline,
                Stroke {
                    color: look.color,
                    width: 2,
                    dash: look.dash,
                },
            )?;
        }
        Ok(())
    }
}

/// The upper edge of the bins, from the axis and back to it wherever there is a gap.
fn outline(panel: &Panel<'_>, bins: &[Bin]) -> Vec<Pixel> {
    let mut pixels: Vec<Pixel> = Vec::new();
    let mut end: Option<f64> = None;
    for bin in bins {
        let (left, right, top) = (
            panel.across(bin.low),
            panel.across(bin.high),
            panel.up(bin.count as f64),
        );
        if end != Some(bin.low) {
            pixels.extend(end.map(|end| (panel.across(end), panel.bottom)));
            pixels.push((left, panel.bottom));
        }
        pixels.extend([(left, top), (right, top)]);
        end = Some(bin.high);
    }
    pixels.extend(end.map(|end| (panel.across(end), panel.bottom)));
    pixels.dedup();
    pixels
}
