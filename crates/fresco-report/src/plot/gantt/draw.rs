// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bars and their labels.

use super::BarStyle;
use super::shape::Shape;
use crate::ReportError;
use crate::plot::canvas::{Canvas, Font, Pixel, Stroke, text_width};
use crate::plot::palette::{INK, PAPER, Paint, SOFT_INK, layer_color};
use plotters::style::text_anchor::{HPos, VPos};

/// Height of a bar, in pixels.
pub(super) const BAR: i32 = 16;
/// Size of labels.
const LABEL: u32 = 10;
/// From this width on, a blank at its right end sets a bar off from the next.
const SET_OFF: i32 = 4;
/// Distance of the lines of a hatching.
const HATCH: i32 = 6;

/// The color of a key's number.
pub(super) fn color(key: Option<usize>) -> Paint {
    key.map_or(SOFT_INK, layer_color)
}

/// Draws the shape, its lower edge at `bottom`.
pub(super) fn shape(canvas: &Canvas<'_>, shape: &Shape<'_>, bottom: i32) -> Result<(), ReportError> {
    let height = ((f64::from(BAR) * shape.height).round() as i32).max(1);
    let set_off = i32::from(shape.right - shape.left >= SET_OFF && shape.height == 1.0);
    let (low, high) = ((shape.left, bottom - height), (shape.right - set_off, bottom));
    filled(canvas, (low, high), color(shape.key), shape.style)?;
    let width = text_width(shape.label, LABEL);
    if shape.label.is_empty() || width + 4 > high.0 - low.0 {
        return Ok(());
    }
    let middle = ((low.0 + high.0) / 2, (low.1 + high.1) / 2);
    let ink = match shape.style {
        BarStyle::Solid => color(shape.key).text_over(),
        BarStyle::Hatched | BarStyle::Outline => INK,
    };
    if shape.style == BarStyle::Hatched {
        let half = (width / 2 + 2, BAR / 2 - 2);
        let clear = (
            (middle.0 - half.0, middle.1 - half.1),
            (middle.0 + half.0, middle.1 + half.1),
        );
        canvas.rectangle(clear.0, clear.1, PAPER.to_rgba())?;
    }
    canvas.text(
        shape.label,
        middle,
        Font::new(LABEL, ink).at(HPos::Center, VPos::Center),
    )
}

/// A rectangle in one of the styles; too narrow for a pattern, it is solid.
pub(super) fn filled(
    canvas: &Canvas<'_>,
    (low, high): (Pixel, Pixel),
    color: Paint,
    style: BarStyle,
) -> Result<(), ReportError> {
    if style == BarStyle::Solid || high.0 - low.0 < 3 {
        return canvas.rectangle(low, high, color.to_rgba());
    }
    canvas.rectangle(low, high, PAPER.to_rgba())?;
    if style == BarStyle::Hatched {
        canvas.line(&hatching(low, high), Stroke::solid(color, 2))?;
    }
    let (right, bottom) = (high.0 - 1, high.1 - 1);
    let border = [low, (right, low.1), (right, bottom), (low.0, bottom), low];
    canvas.line(&border, Stroke::solid(color, 1))
}

/// Lines from lower left to upper right as one line, which goes from one to the next along the border.
fn hatching((left, top): Pixel, (right, bottom): Pixel) -> Vec<Pixel> {
    let (right, bottom) = (right - 1, bottom - 1);
    let height = bottom - top;
    let mut points = Vec::new();
    let starts = (left - height + HATCH..right).step_by(HATCH as usize);
    for (index, start) in starts.enumerate() {
        // Outside, a line ends at the left or right border.
        let low = (start.max(left), bottom - (left - start).max(0));
        let high = ((start + height).min(right), top + (start + height - right).max(0));
        let (first, second, corner) = if index % 2 == 0 {
            (low, high, (left, bottom))
        } else {
            (high, low, (right, top))
        };
        if points
            .last()
            .is_some_and(|last: &Pixel| last.0 != first.0 && last.1 != first.1)
        {
            points.push(corner);
        }
        points.extend([first, second]);
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_a_hatching_stay_inside_and_are_joined_along_the_border() {
        for width in 3..60 {
            let (low, high) = ((100, 10), (100 + width, 10 + BAR));
            let points = hatching(low, high);
            let inside = |&(x, y): &Pixel| (100..100 + width).contains(&x) && (10..10 + BAR).contains(&y);
            assert!(points.iter().all(inside), "{points:?}");
            for pair in points.windows(2) {
                let (dx, dy) = (pair[1].0 - pair[0].0, pair[1].1 - pair[0].1);
                assert!(dx == 0 || dy == 0 || dx == -dy, "{pair:?} in {points:?}");
            }
        }
    }
}
