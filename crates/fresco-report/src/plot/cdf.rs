// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cumulative distribution: which share of the accesses was at most this slow.

use super::axis::Axis;
use super::canvas::{Font, Pixel, Stroke};
use super::domain::Domain;
use super::legend::{Entry, Sample};
use super::palette::{SOFT_INK, look};
use super::panel::{Across, Frame, Heading, Panel, figure};
use super::svg::Svg;
use crate::error::finite;
use crate::{Provenance, ReportError};
use plotters::style::text_anchor::{HPos, VPos};

/// A distribution as steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Distribution {
    name: String,
    /// Value, and the share (0 to 1) of observations that are at most this value; both never falling.
    steps: Vec<(f64, f64)>,
}

impl Distribution {
    /// The distribution of `samples`; none at all is allowed.
    ///
    /// # Errors
    /// A sample is NaN or infinite.
    pub fn of_samples(name: impl Into<String>, samples: &[f64]) -> Result<Self, ReportError> {
        let name = name.into();
        let counts = samples.iter().map(|&sample| Ok((finite(&name, sample)?, 1)));
        let counts: Vec<(f64, u64)> = counts.collect::<Result<_, ReportError>>()?;
        Self::of_counts(name, counts)
    }

    /// The distribution of a histogram: each value (or upper edge of a bucket) with the number of observations.
    ///
    /// # Errors
    /// A value is NaN or infinite.
    pub fn of_counts(name: impl Into<String>, counts: Vec<(f64, u64)>) -> Result<Self, ReportError> {
        let name = name.into();
        let mut counts = counts;
        for (value, _) in &counts {
            finite(&name, *value)?;
        }
        counts.retain(|(_, count)| *count > 0);
        counts.sort_by(|a, b| a.0.total_cmp(&b.0));
        let total: u128 = counts.iter().map(|(_, count)| u128::from(*count)).sum();
        let mut steps: Vec<(f64, f64)> = Vec::with_capacity(counts.len());
        let mut seen = 0u128;
        for (value, count) in counts {
            seen += u128::from(count);
            let share = seen as f64 / total as f64;
            match steps.last_mut() {
                Some(last) if last.0 == value => last.1 = share,
                _ => steps.push((value, share)),
            }
        }
        Ok(Self { name, steps })
    }

    /// Value and cumulative share of each step.
    pub fn steps(&self) -> &[(f64, f64)] {
        &self.steps
    }
}

/// Cumulative distributions over one axis, usually latency, best logarithmic.
#[derive(Clone, Debug, PartialEq)]
pub struct CdfChart {
    /// Title and the like.
    pub heading: Heading,
    /// The measured quantity.
    pub x: Axis,
    /// What is counted: "share of reads".
    pub y_label: String,
    /// Distributions.
    pub distributions: Vec<Distribution>,
}

impl CdfChart {
    /// Draws the chart; the median and the 99th percentile of each distribution are marked.
    ///
    /// # Errors
    /// A value is not positive on a logarithmic axis, or the values lie too far apart.
    pub fn to_svg(&self, provenance: &Provenance) -> Result<Svg, ReportError> {
        let values = || {
            self.distributions
                .iter()
                .flat_map(|one| one.steps.iter().map(|step| step.0))
        };
        let entries = self.distributions.iter().enumerate().map(|(index, one)| Entry {
            name: one.name.clone(),
            look: look(index),
            sample: Sample::Line,
        });
        let x = Domain::around(&self.x, values(), 7)?;
        let share = Axis::new(&self.y_label, "").from_zero();
        let frame = Frame {
            heading: &self.heading,
            x_title: x.title.clone(),
            x: Across::Values(x),
            y: Domain::around(&share, [0.0, 1.0].into_iter(), 5)?,
            legend: entries.collect(),
            right: 0,
            inset: 0,
            empty: values().next().is_none(),
        };
        figure(frame, provenance, |panel| self.draw(panel))
    }

    fn draw(&self, panel: &Panel<'_>) -> Result<(), ReportError> {
        for (level, name) in [(0.5, "median"), (0.99, "p99")] {
            let y = panel.up(level);
            let stroke = Stroke {
                color: SOFT_INK,
                width: 1,
                dash: Some((2, 4)),
            };
            panel.canvas.line(&[(panel.left, y), (panel.right, y)], stroke)?;
            let font = Font::new(11, SOFT_INK).at(HPos::Right, VPos::Top);
            panel.canvas.text(name, (panel.right - 4, y + 3), font)?;
        }
        for (index, one) in self.distributions.iter().enumerate() {
            let look = look(index);
            let Some(first) = one.steps.first() else { continue };
            let mut pixels: Vec<Pixel> = vec![(panel.across(first.0), panel.bottom)];
            for &(value, share) in &one.steps {
                let (x, y) = panel.at(value, share);
                let before = pixels.last().map_or(y, |last| last.1);
                pixels.extend([(x, before), (x, y)]);
            }
            pixels.dedup();
            panel.canvas.line(
                &pixels,
                Stroke {
                    color: look.color,
                    width: 2,
                    dash: look.dash,
                },
            )?;
            for level in [0.5, 0.99] {
                if let Some(step) = one.steps.iter().find(|step| step.1 >= level) {
                    panel.canvas.marker(panel.at(step.0, level), look)?;
                }
            }
        }
        Ok(())
    }
}
