// SPDX-License-Identifier: MIT OR Apache-2.0
//! Box plot: extremes, quartiles, median and mean side by side (MET-4).

use super::axis::Axis;
use super::canvas::Stroke;
use super::domain::Domain;
use super::palette::{INK, Look, Marker, PAPER, look};
use super::panel::{Across, Frame, Heading, Panel, figure};
use super::svg::Svg;
use crate::{Provenance, ReportError};

/// Five numbers, and the mean, of one configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct BoxStats {
    /// Name under the box.
    pub name: String,
    /// Lowest value: end of the lower whisker.
    pub min: f64,
    /// First quartile.
    pub q1: f64,
    /// Median.
    pub median: f64,
    /// Third quartile.
    pub q3: f64,
    /// Highest value: end of the upper whisker.
    pub max: f64,
    /// Mean, drawn as a diamond.
    pub mean: Option<f64>,
}

impl BoxStats {
    /// The numbers of `samples`; quartiles interpolate linearly between neighbours (Hyndman and Fan's type 7).
    /// `None` without samples.
    pub fn of_samples(name: impl Into<String>, samples: &[f64]) -> Option<Self> {
        let mut sorted = samples.to_vec();
        sorted.sort_by(f64::total_cmp);
        let quantile = |share: f64| {
            let place = share * (sorted.len() - 1) as f64;
            let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
            below + (above - below) * place.fract()
        };
        let (min, max) = (*sorted.first()?, *sorted.last()?);
        Some(Self {
            name: name.into(),
            min,
            q1: quantile(0.25),
            median: quantile(0.5),
            q3: quantile(0.75),
            max,
            mean: Some(sorted.iter().sum::<f64>() / sorted.len() as f64),
        })
    }

    fn numbers(&self) -> [f64; 5] {
        [self.min, self.q1, self.median, self.q3, self.max]
    }
}

/// Boxes side by side.
#[derive(Clone, Debug, PartialEq)]
pub struct BoxPlot {
    /// Title and the like.
    pub heading: Heading,
    /// What the boxes are: "policy".
    pub boxes_label: String,
    /// Measured quantity.
    pub y: Axis,
    /// Boxes.
    pub boxes: Vec<BoxStats>,
}

impl BoxPlot {
    /// Draws the chart.
    ///
    /// # Errors
    /// A number is NaN, infinite or not positive on a logarithmic axis, or a box's five numbers are out of order.
    pub fn to_svg(&self, provenance: &Provenance) -> Result<Svg, ReportError> {
        for one in &self.boxes {
            if one.numbers().windows(2).any(|pair| pair[0] > pair[1]) {
                let why = "minimum, quartiles and maximum are out of order".to_owned();
                return Err(ReportError::Inconsistent {
                    what: one.name.clone(),
                    why,
                });
            }
        }
        let values = self
            .boxes
            .iter()
            .flat_map(|one| one.numbers().into_iter().chain(one.mean));
        let frame = Frame {
            heading: &self.heading,
            x_title: self.boxes_label.clone(),
            x: Across::Names(self.boxes.iter().map(|one| one.name.clone()).collect()),
            y: Domain::around(&self.y, values, 5)?,
            legend: Vec::new(),
            right: 0,
            inset: 0,
            empty: self.boxes.is_empty(),
        };
        figure(frame, provenance, |panel| self.draw(panel))
    }

    fn draw(&self, panel: &Panel<'_>) -> Result<(), ReportError> {
        let count = i32::try_from(self.boxes.len().max(1)).unwrap_or(i32::MAX);
        let half = ((panel.right - panel.left) / count / 3).clamp(2, 36);
        for (index, one) in self.boxes.iter().enumerate() {
            let color = look(index).color;
            let x = panel.across(index as f64);
            let [min, q1, median, q3, max] = one.numbers().map(|value| panel.up(value));
            panel.canvas.whisker(x, min, max, half / 2, Stroke::solid(INK, 1))?;
            // Paper first: the whisker must not shine through.
            panel
                .canvas
                .rectangle((x - half, q1), (x + half, q3), PAPER.to_rgba())?;
            panel
                .canvas
                .rectangle((x - half, q1), (x + half, q3), color.mix(0.35))?;
            let outline = [
                (x - half, q1),
                (x + half, q1),
                (x + half, q3),
                (x - half, q3),
                (x - half, q1),
            ];
            panel.canvas.line(&outline, Stroke::solid(color, 1))?;
            panel
                .canvas
                .line(&[(x - half, median), (x + half, median)], Stroke::solid(INK, 2))?;
            if let Some(mean) = one.mean {
                panel.canvas.marker(
                    (x, panel.up(mean)),
                    Look {
                        color: INK,
                        dash: None,
                        marker: Marker::Diamond,
                    },
                )?;
            }
        }
        Ok(())
    }
}
