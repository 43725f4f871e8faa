// SPDX-License-Identifier: MIT OR Apache-2.0
//! Grouped bars with whiskers: a quantity for each program or size, one bar per policy.

use super::axis::Axis;
use super::canvas::{Font, Stroke, text_width};
use super::domain::Domain;
use super::legend::{Entry, Sample};
use super::line::Reference;
use super::palette::{INK, SOFT_INK, look};
use super::panel::{Across, Frame, Heading, Panel, figure};
use super::svg::Svg;
use crate::number::fixed;
use crate::{Provenance, ReportError};
use plotters::style::text_anchor::{HPos, VPos};

/// One bar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bar {
    /// Height, usually a mean.
    pub value: f64,
    /// Lowest and highest value observed, drawn as a whisker.
    pub spread: Option<(f64, f64)>,
}

/// The bars of one series, one per group.
#[derive(Clone, Debug, PartialEq)]
pub struct BarSeries {
    /// Name, as the legend shows it.
    pub name: String,
    /// One bar per group of the chart, `None` where nothing was measured.
    pub bars: Vec<Option<Bar>>,
}

/// Grouped bars. The vertical axis is linear, and bars start at 0, so that a bar's length is its value; those of a ratio
/// ([`super::Start::One`]) start at 1.
#[derive(Clone, Debug, PartialEq)]
pub struct BarChart {
    /// Title and the like.
    pub heading: Heading,
    /// What the groups are: "program".
    pub groups_label: String,
    /// Names of the groups.
    pub groups: Vec<String>,
    /// Measured quantity.
    pub y: Axis,
    /// Series.
    pub series: Vec<BarSeries>,
    /// Value to compare with, if any.
    pub reference: Option<Reference>,
}

/// Pixels of a bar whose value is where bars start.
const THINNEST: i32 = 2;

impl BarChart {
    /// Draws the chart.
    ///
    /// # Errors
    /// A value is NaN or infinite, a spread does not hold its value, or a series has not one bar per group.
    pub fn to_svg(&self, provenance: &Provenance) -> Result<Svg, ReportError> {
        self.check()?;
        let axis = self.y.of_bars();
        let bars = || self.series.iter().flat_map(|series| series.bars.iter().flatten());
        let values = bars().flat_map(|bar| {
            let (low, high) = bar.spread.unwrap_or((bar.value, bar.value));
            [bar.value, low, high]
        });
        let values = values.chain(self.reference.iter().map(|reference| reference.value));
        let frame = Frame {
            heading: &self.heading,
            x_title: self.groups_label.clone(),
            x: Across::Names(self.groups.clone()),
            y: Domain::around(&axis, values, 5)?,
            legend: self.legend(),
            right: 0,
            inset: 0,
            empty: bars().next().is_none(),
        };
        figure(frame, provenance, |panel| self.draw(panel))
    }

    /// One series needs no legend: the title says what it is.
    fn legend(&self) -> Vec<Entry> {
        let entry = |(index, series): (usize, &BarSeries)| Entry {
            name: series.name.clone(),
            look: look(index),
            sample: Sample::Block,
        };
        let shown = if self.series.len() < 2 { 0 } else { self.series.len() };
        let entries = self.series.iter().enumerate().take(shown).map(entry);
        entries.chain(self.reference.iter().map(Reference::entry)).collect()
    }

    /// Digits after the point of the numbers above the bars: three significant ones for the highest bar.
    fn decimals(&self) -> usize {
        let values = self
            .series
            .iter()
            .flat_map(|series| series.bars.iter().flatten())
            .map(|bar| bar.value.abs());
        let highest = values.fold(0.0, f64::max);
        if highest > 0.0 {
            usize::try_from(2 - highest.log10().floor() as i32).unwrap_or(0)
        } else {
            0
        }
    }

    fn check(&self) -> Result<(), ReportError> {
        for series in &self.series {
            let wrong = |why: String| {
                Err(ReportError::Inconsistent {
                    what: series.name.clone(),
                    why,
                })
            };
            if series.bars.len() != self.groups.len() {
                return wrong(format!("{} bars for {} groups", series.bars.len(), self.groups.len()));
            }
            for bar in series.bars.iter().flatten() {
                let outside = |&(low, high): &(f64, f64)| low > bar.value || bar.value > high;
                if let Some((low, high)) = bar.spread.filter(outside) {
                    return wrong(format!("{} is outside its spread {low} to {high}", bar.value));
                }
            }
        }
        Ok(())
    }

    fn draw(&self, panel: &Panel<'_>) -> Result<(), ReportError> {
        let group_width = (panel.right - panel.left) / i32::try_from(self.groups.len().max(1)).unwrap_or(i32::MAX);
        let count = i32::try_from(self.series.len().max(1)).unwrap_or(i32::MAX);
        let pitch = ((group_width - 10).max(count) / count).clamp(1, 72);
        let base = panel.up(panel.y.base);
        let decimals = self.decimals();
        for (number, series) in self.series.iter().enumerate() {
            for (group, bar) in series.bars.iter().enumerate() {
                let left = panel.across(group as f64) - pitch * count / 2 + pitch * number as i32;
                let right = (left + pitch - (pitch / 8).max(1)).max(left + 1);
                let Some(bar) = bar else {
                    if text_width("n/a", 11) <= pitch + 2 {
                        let font = Font::new(11, SOFT_INK).at(HPos::Center, VPos::Bottom);
                        panel.canvas.text("n/a", ((left + right) / 2, base - 2), font)?;
                    }
                    continue;
                };
                // A bar without length is seen all the same: it was measured.
                let top = match panel.up(bar.value) {
                    top if top == base => base - THINNEST,
                    top => top,
                };
                panel
                    .canvas
                    .rectangle((left, base), (right, top), look(number).color.to_rgba())?;
                let mut above = top.min(base);
                if let Some((low, high)) = bar.spread {
                    let cap = (pitch / 5).clamp(1, 5);
                    panel.canvas.whisker(
                        (left + right) / 2,
                        panel.up(low),
                        panel.up(high),
                        cap,
                        Stroke::solid(INK, 1),
                    )?;
                    above = above.min(panel.up(high));
                }
                let text = fixed(bar.value, decimals);
                if text_width(&text, 11) <= pitch + 2 {
                    let font = Font::new(11, SOFT_INK).at(HPos::Center, VPos::Bottom);
                    panel.canvas.text(&text, ((left + right) / 2, above - 2), font)?;
                }
            }
        }
        match &self.reference {
            Some(reference) => reference.draw(panel),
            None => Ok(()),
        }
    }
}
