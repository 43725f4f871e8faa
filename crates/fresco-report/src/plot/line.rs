// SPDX-License-Identifier: MIT OR Apache-2.0
//! Line chart: a quantity against a swept parameter, with its spread. Every measured point has a marker.

use super::axis::Axis;
use super::canvas::{Font, Pixel, Stroke, text_width};
use super::domain::Domain;
use super::legend::{Entry, Sample};
use super::palette::{GRID, INK, Look, REFERENCE, look};
use super::panel::{Across, Frame, Heading, Panel, figure};
use super::svg::Svg;
use crate::{Provenance, ReportError};

/// One measured point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Swept parameter.
    pub x: f64,
    /// Measured value, usually a mean.
    pub y: f64,
    /// Lowest and highest value observed, if the spread is known.
    pub spread: Option<(f64, f64)>,
}

impl Point {
    /// A point without spread.
    pub fn new(x: f64, y: f64) -> Self {
        Self { x, y, spread: None }
    }

    /// A point whose observations lay between `low` and `high`.
    pub fn with_spread(x: f64, y: f64, low: f64, high: f64) -> Self {
        Self {
            x,
            y,
            spread: Some((low, high)),
        }
    }
}

/// A named line.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Name, as the legend shows it.
    pub name: String,
    /// Points, in any order.
    pub points: Vec<Point>,
}

/// How spreads are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SpreadStyle {
    /// Error bars at their place, with caps that are wider from series to series, so that none hides another.
    #[default]
    Bars,
    /// A pale band.
    Band,
}

/// A horizontal line to compare with, such as the time of a single run.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// Name.
    pub name: String,
    /// Value.
    pub value: f64,
}

impl Reference {
    pub(crate) fn draw(&self, panel: &Panel<'_>) -> Result<(), ReportError> {
        let y = panel.up(self.value);
        let stroke = Stroke {
            color: REFERENCE.color,
            width: 1,
            dash: REFERENCE.dash,
        };
        panel.canvas.line(&[(panel.left, y), (panel.right, y)], stroke)
    }

    pub(crate) fn entry(&self) -> Entry {
        Entry {
            name: self.name.clone(),
            look: REFERENCE,
            sample: Sample::Plain,
        }
    }
}

/// What x is, and what lies between two points of a series.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Between {
    /// A swept parameter: its values are ticks, and points are joined in their order, but not across a value at which another
    /// series has a point and this one has none.
    #[default]
    Swept,
    /// Measured, as y is, and nothing between two points: there are but markers.
    Nothing,
    /// Measured, as y is, along a curve: all points are joined in the order of x.
    Curve,
}

/// Lines over a swept parameter, or over another measured quantity.
#[derive(Clone, Debug, PartialEq)]
pub struct LineChart {
    /// Title and the like.
    pub heading: Heading,
    /// Swept parameter.
    pub x: Axis,
    /// Measured quantity.
    pub y: Axis,
    /// Lines.
    pub series: Vec<Series>,
    /// Drawing of spreads.
    pub spread: SpreadStyle,
    /// Value to compare with, if any.
    pub reference: Option<Reference>,
    /// What x is, and what lies between points.
    pub between: Between,
}

/// Series up to this many are named at the end of their lines; more go into a legend.
const NAMED_AT_END: usize = 6;
/// Pixels that the first and the last points keep from the ends of the axis: their markers touch no tick label.
const INSET: i32 = 14;
/// Pixels from the end of the axis to the samples of series, and to their names.
const SAMPLE_AT: i32 = 26;
const NAME_AT: i32 = 36;
/// Widths of caps before the first comes again.
const CAPS: usize = 4;

impl LineChart {
    /// A chart without series, with error bars and no reference, whose points are joined.
    pub fn new(heading: Heading, x: Axis, y: Axis) -> Self {
        Self {
            heading,
            x,
            y,
            series: Vec::new(),
            spread: SpreadStyle::Bars,
            reference: None,
            between: Between::Swept,
        }
    }

    /// Draws the chart.
    ///
    /// # Errors
    /// A value is NaN, infinite or not positive on a logarithmic axis, or a spread does not hold its value.
    pub fn to_svg(&self, provenance: &Provenance) -> Result<Svg, ReportError> {
        self.check()?;
        let points = || self.series.iter().flat_map(|series| &series.points);
        let values = points().flat_map(|point| {
            let (low, high) = point.spread.unwrap_or((point.y, point.y));
            [point.y, low, high]
        });
        let values = values.chain(self.reference.iter().map(|reference| reference.value));
        let at_end = self.between != Between::Nothing && self.series.len() <= NAMED_AT_END;
        let names = self
            .series
            .iter()
            .map(|series| &series.name)
            .chain(self.reference.iter().map(|one| &one.name));
        let widest = names.map(|name| text_width(name, 12)).max().unwrap_or(0);
        let entries = self.series.iter().enumerate().map(|(index, series)| Entry {
            name: series.name.clone(),
            look: look(index),
            sample: match self.between {
                Between::Nothing => Sample::Marker,
                Between::Swept | Between::Curve => Sample::Line,
            },
        });
        let entries = entries.chain(self.reference.iter().map(Reference::entry));
        let xs = points().map(|point| point.x);
        let x = match self.between {
            Between::Swept => Domain::swept(&self.x, xs)?,
            Between::Nothing | Between::Curve => Domain::around(&self.x, xs, 9)?,
        };
        let frame = Frame {
            heading: &self.heading,
            x_title: x.title.clone(),
            x: Across::Values(x),
            y: Domain::around(&self.y, values, 5)?,
            legend: entries.collect(),
            right: if at_end { widest.min(220) + NAME_AT + 8 } else { 0 },
            inset: INSET,
            empty: points().next().is_none(),
        };
        figure(frame, provenance, |panel| self.draw(panel))
    }

    fn check(&self) -> Result<(), ReportError> {
        for series in &self.series {
            for point in &series.points {
                // A NaN passes here and is refused by the axis.
                let outside = |&(low, high): &(f64, f64)| low > point.y || point.y > high;
                if let Some((low, high)) = point.spread.filter(outside) {
                    let why = format!("{} at {} is outside its spread {low} to {high}", point.y, point.x);
                    return Err(ReportError::Inconsistent {
                        what: series.name.clone(),
                        why,
                    });
                }
            }
        }
        Ok(())
    }

    fn draw(&self, panel: &Panel<'_>) -> Result<(), ReportError> {
        let mut ends = Vec::new();
        if let Some(reference) = &self.reference {
            reference.draw(panel)?;
            ends.push(((panel.right, panel.up(reference.value)), reference.name.as_str(), None));
        }
        for (index, series) in self.series.iter().enumerate() {
            let points = self.draw_series(panel, index, series)?;
            ends.extend(points.last().map(|&end| (end, series.name.as_str(), Some(look(index)))));
        }
        if panel.named_at_end {
            name_ends(panel, ends)
        } else {
            Ok(())
        }
    }

    /// Draws one series; returns the pixels of its points.
    fn draw_series(&self, panel: &Panel<'_>, index: usize, series: &Series) -> Result<Vec<Pixel>, ReportError> {
        let look = look(index);
        let mut points = series.points.clone();
        points.sort_by(|a, b| a.x.total_cmp(&b.x));
        let bars = self.spread == SpreadStyle::Bars && self.series.iter().any(|one| one.points.iter().any(has_spread));
        let pixels: Vec<Pixel> = points.iter().map(|point| panel.at(point.x, point.y)).collect();
        let spreads = points
            .iter()
            .zip(&pixels)
            .filter_map(|(point, pixel)| Some((pixel.0, point.spread?)));
        if bars {
            let cap = 5 + 2 * i32::try_from(index % CAPS).unwrap_or(0);
            for (x, (low, high)) in spreads {
                panel
                    .canvas
                    .whisker(x, panel.up(low), panel.up(high), cap, Stroke::solid(look.color, 1))?;
            }
        } else {
            let spreads: Vec<_> = spreads.collect();
            let upper = spreads.iter().map(|&(x, (_, high))| (x, panel.up(high)));
            let lower = spreads.iter().rev().map(|&(x, (low, _))| (x, panel.up(low)));
            let outline: Vec<Pixel> = upper.chain(lower).collect();
            if outline.len() > 2 {
                panel.canvas.polygon(&outline, look.color.mix(0.16))?;
            }
        }
        let stroke = Stroke {
            color: look.color,
            width: 2,
            dash: look.dash,
        };
        let mut rest = pixels.as_slice();
        for stretch in self.stretches(&points) {
            let (line, after) = rest.split_at(stretch);
            panel.canvas.line(line, stroke)?;
            rest = after;
        }
        for &pixel in &pixels {
            panel.canvas.marker(pixel, look)?;
        }
        Ok(pixels)
    }

    /// How many of a series' points, which are in order of x, each line has.
    fn stretches(&self, points: &[Point]) -> Vec<usize> {
        let others = || {
            self.series
                .iter()
                .flat_map(|series| &series.points)
                .map(|point| point.x)
        };
        let is_joined = |one: &Point, next: &Point| match self.between {
            Between::Swept => !others().any(|x| one.x < x && x < next.x),
            Between::Nothing => false,
            Between::Curve => true,
        };
        points.chunk_by(is_joined).map(<[Point]>::len).collect()
    }
}

fn has_spread(point: &Point) -> bool {
    point.spread.is_some()
}

/// End of a line, its name, and its look if it is no reference.
type End<'n> = (Pixel, &'n str, Option<Look>);

/// Names the lines at the right, moved apart where they would overlap; a thin line leads to each name, and its marker stands
/// before it: lines that end in one point are told apart too.
fn name_ends(panel: &Panel<'_>, ends: Vec<End<'_>>) -> Result<(), ReportError> {
    const APART: i32 = 16;
    let mut labels: Vec<(i32, End<'_>)> = ends.into_iter().map(|end| (end.0.1, end)).collect();
    labels.sort_by_key(|label| label.0);
    for index in 1..labels.len() {
        labels[index].0 = labels[index].0.max(labels[index - 1].0 + APART);
    }
    // Pushed below the axis: move the lowest up and its neighbours with it.
    let mut limit = panel.bottom;
    for label in labels.iter_mut().rev() {
        label.0 = label.0.min(limit);
        limit = label.0 - APART;
    }
    let x = panel.right + SAMPLE_AT;
    for (y, (end, name, look)) in labels {
        panel
            .canvas
            .line(&[(end.0 + 7, end.1), (x - 9, y)], Stroke::solid(GRID, 1))?;
        match look {
            Some(look) => panel.canvas.marker((x, y), look)?,
            None => panel.canvas.line(
                &[(x - 7, y), (x + 7, y)],
                Stroke {
                    color: REFERENCE.color,
                    width: 1,
                    dash: REFERENCE.dash,
                },
            )?,
        }
        panel
            .canvas
            .text(name, (panel.right + NAME_AT, y), Font::new(12, INK))?;
    }
    Ok(())
}
