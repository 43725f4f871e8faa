// SPDX-License-Identifier: MIT OR Apache-2.0
//! Stacked bars: of what parts a quantity is made, one bar per configuration.

use super::axis::Axis;
use super::canvas::{Font, Stroke, text_width};
use super::domain::Domain;
use super::legend::{Entry, Sample};
use super::palette::{INK, Look, PAPER, layer_color, look};
use super::panel::{Across, Frame, Heading, Panel, figure};
use super::svg::Svg;
use crate::number::fixed;
use crate::{Provenance, ReportError};
use plotters::style::text_anchor::{HPos, VPos};

/// One part of every bar.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// Name, as the legend shows it.
    pub name: String,
    /// Its share of each bar, in the unit of the axis; never negative.
    pub values: Vec<f64>,
}

/// Bars made of layers, the first at the bottom. The vertical axis is linear and starts at zero.
#[derive(Clone, Debug, PartialEq)]
pub struct StackedChart {
    /// Title and the like.
    pub heading: Heading,
    /// What the bars are: "policy".
    pub bars_label: String,
    /// Names of the bars.
    pub bars: Vec<String>,
    /// The quantity.
    pub y: Axis,
    /// Parts, from the bottom up; each has the color of its place. A part that no bar has is not in the legend.
    pub layers: Vec<Layer>,
}

/// Layers thinner than this, in pixels, bear no number.
const THIN: i32 = 14;
/// Layers no thicker than this have no border, which would leave nothing of them.
const THINNEST: i32 = 2;

impl StackedChart {
    /// Draws the chart; the height of each bar stands above it, that of each layer in it if there is room.
    ///
    /// # Errors
    /// A value is NaN, infinite or negative, or a layer has not one value per bar.
    pub fn to_svg(&self, provenance: &Provenance) -> Result<Svg, ReportError> {
        self.check()?;
        // Parts of a whole: their lengths are seen from 0.
        let axis = self.y.clone().from_zero().of_bars();
        let totals = (0..self.bars.len()).map(|bar| self.total(bar));
        let entry = |(index, layer): (usize, &Layer)| Entry {
            name: layer.name.clone(),
            look: layer_look(index),
            sample: Sample::Block,
        };
        let is_seen = |(_, layer): &(usize, &Layer)| layer.values.iter().any(|value| *value > 0.0);
        let frame = Frame {
            heading: &self.heading,
            x_title: self.bars_label.clone(),
            x: Across::Names(self.bars.clone()),
            y: Domain::around(&axis, totals, 5)?,
            legend: self.layers.iter().enumerate().filter(is_seen).map(entry).collect(),
            right: 0,
            inset: 0,
            empty: self.bars.is_empty() || self.layers.is_empty(),
        };
        figure(frame, provenance, |panel| self.draw(panel))
    }

    fn total(&self, bar: usize) -> f64 {
        self.layers.iter().map(|layer| layer.values[bar]).sum()
    }

    fn check(&self) -> Result<(), ReportError> {
        for layer in &self.layers {
            let wrong = |why: String| {
                Err(ReportError::Inconsistent {
                    what: layer.name.clone(),
                    why,
                })
            };
            if layer.values.len() != self.bars.len() {
                return wrong(format!("{} values for {} bars", layer.values.len(), self.bars.len()));
            }
            // A NaN passes here and is refused by the axis.
            if let Some(value) = layer.values.iter().find(|value| **value < 0.0) {
                return wrong(format!("{value} is negative"));
            }
        }
        Ok(())
    }

    fn draw(&self, panel: &Panel<'_>) -> Result<(), ReportError> {
        let pitch = (panel.right - panel.left) / i32::try_from(self.bars.len().max(1)).unwrap_or(i32::MAX);
        let half = (pitch * 3 / 8).clamp(2, 42);
        let highest = (0..self.bars.len()).map(|bar| self.total(bar)).fold(0.0, f64::max);
        let decimals = match self.y.unit.is_empty() {
            // Counts.
            true => 0,
            false => usize::try_from(2 - highest.max(1e-9).log10().floor() as i32).unwrap_or(0),
        };
        for bar in 0..self.bars.len() {
            let middle = panel.across(bar as f64);
            let mut below = 0.0;
            for (index, layer) in self.layers.iter().enumerate() {
                let above = below + layer.values[bar];
                let (bottom, top) = (panel.up(below), panel.up(above));
                below = above;
                if top == bottom {
                    continue;
                }
                let color = layer_look(index).color;
                panel
                    .canvas
                    .rectangle((middle - half, bottom), (middle + half, top), color.to_rgba())?;
                // Layers are told apart by their border too, where colors are hard to see.
                if bottom < panel.bottom && bottom - top > THINNEST {
                    let border = [(middle - half, bottom), (middle + half, bottom)];
                    panel.canvas.line(&border, Stroke::solid(PAPER, 1))?;
                }
                let text = fixed(layer.values[bar], decimals);
                if bottom - top >= THIN && text_width(&text, 11) <= 2 * half {
                    let font = Font::new(11, color.text_over()).at(HPos::Center, VPos::Center);
                    panel.canvas.text(&text, (middle, (top + bottom) / 2), font)?;
                }
            }
            let text = fixed(below, decimals);
            if text_width(&text, 12) <= pitch {
                let font = Font::new(12, INK).bold().at(HPos::Center, VPos::Bottom);
                panel.canvas.text(&text, (middle, panel.up(below) - 3), font)?;
            }
        }
        Ok(())
    }
}

fn layer_look(index: usize) -> Look {
    Look {
        color: layer_color(index),
        ..look(index)
    }
}
