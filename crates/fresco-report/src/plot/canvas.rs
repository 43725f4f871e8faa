// SPDX-License-Identifier: MIT OR Apache-2.0
//! The few strokes all figures are made of, on plotters' SVG backend.

use super::palette::{Look, Marker, PAPER, Paint};
use crate::ReportError;
use crate::escape::one_line;
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind, IntoDrawingArea};
use plotters::element::{Circle, PathElement, Polygon, Rectangle, Text};
use plotters::prelude::SVGBackend;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontStyle, IntoFont, RGBAColor, ShapeStyle, TextStyle};
use std::cell::RefCell;

/// A point in pixels, from the upper left corner.
pub(crate) type Pixel = (i32, i32);

/// Lengths of dash and gap in pixels; `None` is a solid line.
pub(crate) type Dash = Option<(i32, i32)>;

/// A line.
#[derive(Clone, Copy)]
pub(crate) struct Stroke {
    pub(crate) color: Paint,
    pub(crate) width: u32,
    pub(crate) dash: Dash,
}

impl Stroke {
    pub(crate) fn solid(color: Paint, width: u32) -> Self {
        Self {
            color,
            width,
            dash: None,
        }
    }
}

/// Text: size in pixels, color, weight, and where its anchor stands.
#[derive(Clone, Copy)]
pub(crate) struct Font {
    pub(crate) size: u32,
    pub(crate) color: Paint,
    pub(crate) bold: bool,
    pub(crate) across: HPos,
    pub(crate) along: VPos,
}

impl Font {
    pub(crate) fn new(size: u32, color: Paint) -> Self {
        Self {
            size,
            color,
            bold: false,
            across: HPos::Left,
            along: VPos::Center,
        }
    }

    pub(crate) fn bold(self) -> Self {
        Self { bold: true, ..self }
    }

    pub(crate) fn at(self, across: HPos, along: VPos) -> Self {
        Self { across, along, ..self }
    }
}

/// About the width of `text` in pixels; the SVG names no font file, so the reader's sans-serif decides. The widths are
/// those of DejaVu Sans, one of the wider faces, in hundredths of the size.
pub(crate) fn text_width(text: &str, size: u32) -> i32 {
    let hundredths = |c: char| match c {
        'i' | 'j' | 'l' | '\'' | '|' => 30,
        ' ' | '.' | ',' | ':' | ';' | '!' | 'f' | 't' | 'I' | '/' | '-' => 36,
        'r' | '(' | ')' | '[' | ']' | 's' | 'c' | '_' => 48,
        'm' | 'w' | 'M' | 'W' | '%' | '@' => 95,
        'A'..='Z' => 70,
        _ => 62,
    };
    let total: u32 = text.chars().map(hundredths).sum();
    i32::try_from((total * size).div_ceil(100)).unwrap_or(i32::MAX)
}

/// A sheet to draw on.
pub(crate) struct Canvas<'a> {
    area: DrawingArea<SVGBackend<'a>, Shift>,
    /// Dash of each polyline drawn so far. plotters can only cut a line into pieces; a dash array is smaller and
    /// smoother, and is added when the figure is finished.
    dashes: RefCell<Vec<Dash>>,
}

impl<'a> Canvas<'a> {
    /// An empty sheet of `width` by `height` pixels that writes into `buffer`.
    pub(crate) fn new(buffer: &'a mut String, width: u32, height: u32) -> Result<Self, ReportError> {
        let area = SVGBackend::with_string(buffer, (width, height)).into_drawing_area();
        area.fill(&PAPER.to_rgba()).map_err(failed)?;
        Ok(Self {
            area,
            dashes: RefCell::default(),
        })
    }

    /// Ends the drawing: the buffer holds a whole SVG afterwards. Gives the dashes of its polylines, in their order.
    pub(crate) fn finish(self) -> Result<Vec<Dash>, ReportError> {
        self.area.present().map_err(failed)?;
        Ok(self.dashes.into_inner())
    }

    pub(crate) fn line(&self, points: &[Pixel], stroke: Stroke) -> Result<(), ReportError> {
        if points.len() < 2 {
            return Ok(());
        }
        let style = ShapeStyle {
            color: stroke.color.to_rgba(),
            filled: false,
            stroke_width: stroke.width,
        };
        self.dashes.borrow_mut().push(stroke.dash);
        self.area
            .draw(&PathElement::new(points.to_vec(), style))
            .map_err(failed)
    }

    /// A filled rectangle; the corners in any order.
    pub(crate) fn rectangle(&self, a: Pixel, b: Pixel, fill: RGBAColor) -> Result<(), ReportError> {
        let (low, high) = ((a.0.min(b.0), a.1.min(b.1)), (a.0.max(b.0), a.1.max(b.1)));
        self.area
            .draw(&Rectangle::new([low, high], fill.filled()))
            .map_err(failed)
    }

    pub(crate) fn polygon(&self, points: &[Pixel], fill: RGBAColor) -> Result<(), ReportError> {
        self.area
            .draw(&Polygon::new(points.to_vec(), fill.filled()))
            .map_err(failed)
    }

    /// `text` at `anchor`, on one line; control characters, which XML forbids, become '?'.
    pub(crate) fn text(&self, text: &str, anchor: Pixel, font: Font) -> Result<(), ReportError> {
        let weight = if font.bold { FontStyle::Bold } else { FontStyle::Normal };
        // plotters writes sizes into the SVG divided by 1.24.
        let color = font.color.to_rgba();
        let style = TextStyle::from(("sans-serif", f64::from(font.size) * 1.24, weight).into_font())
            .color(&color)
            .pos(Pos::new(font.across, font.along));
        self.area
            .draw(&Text::new(one_line(text), anchor, style))
            .map_err(failed)
    }

    /// The marker of a series, ringed in the color of the paper so that it stands out from lines.
    pub(crate) fn marker(&self, (x, y): Pixel, look: Look) -> Result<(), ReportError> {
        for (grow, color) in [(1, PAPER), (0, look.color)] {
            let (r, fill) = (4 + grow, color.to_rgba());
            match look.marker {
                Marker::Circle => self.area.draw(&Circle::new((x, y), r, fill.filled())).map_err(failed)?,
                Marker::Square => self.rectangle((x - r + 1, y - r + 1), (x + r - 1, y + r - 1), fill)?,
                Marker::Triangle => {
                    self.polygon(&[(x, y - r - 1), (x + r + 1, y + r - 1), (x - r - 1, y + r - 1)], fill)?
                }
                Marker::Diamond => {
                    self.polygon(&[(x, y - r - 1), (x + r + 1, y), (x, y + r + 1), (x - r - 1, y)], fill)?
                }
                Marker::Cross => {
                    let stroke = Stroke::solid(color, if grow > 0 { 5 } else { 2 });
                    self.line(&[(x - 4, y - 4), (x + 4, y + 4)], stroke)?;
                    self.line(&[(x - 4, y + 4), (x + 4, y - 4)], stroke)?;
                }
            }
        }
        Ok(())
    }

    /// A vertical error bar with caps.
    pub(crate) fn whisker(&self, x: i32, low: i32, high: i32, cap: i32, stroke: Stroke) -> Result<(), ReportError> {
        self.line(&[(x, low), (x, high)], stroke)?;
        self.line(&[(x - cap, low), (x + cap, low)], stroke)?;
        self.line(&[(x - cap, high), (x + cap, high)], stroke)
    }
}

fn failed<E: std::error::Error + Send + Sync>(error: DrawingAreaErrorKind<E>) -> ReportError {
    ReportError::Drawing(error.to_string())
}
