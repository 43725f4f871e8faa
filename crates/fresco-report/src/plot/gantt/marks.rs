// SPDX-License-Identifier: MIT OR Apache-2.0
//! Arrows, Ts and crosses: releases, deadlines, completions and misses.

use super::draw::BAR;
use super::shape::Span;
use super::{Mark, MarkKind};
use crate::ReportError;
use crate::plot::canvas::{Canvas, Pixel, Stroke};
use crate::plot::palette::{INK, Look, Marker, look};

/// Pixels by which marks rise above the bars.
pub(super) const RISE: i32 = 7;
/// A mark nearer than this, in pixels, to the one before of its kind is left out: so many misses are a row of crosses.
const APART: i32 = 6;

/// All kinds, in the order of the legend, which is that of drawing too: a miss lies on top.
pub(super) const KINDS: [(MarkKind, &str); 4] = [
    (MarkKind::Release, "release"),
    (MarkKind::Deadline, "deadline"),
    (MarkKind::Completion, "completion"),
    (MarkKind::Miss, "missed deadline"),
];

/// Mean distance, in pixels, below which marks are small: large ones would hide the bars.
const CROWDED: i32 = 14;

/// How large a mark is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Size {
    /// Arrows with stems.
    Large,
    /// Heads of arrows.
    Small,
}

/// Draws the marks of a lane whose bars stand on `bottom`.
pub(super) fn draw(canvas: &Canvas<'_>, marks: &[Mark], span: Span, bottom: i32) -> Result<(), ReportError> {
    for (kind, _) in KINDS {
        let places = places(marks, kind, span);
        let wide = places.last().unwrap_or(&0) - places.first().unwrap_or(&0);
        let is_crowded =
            places.len() > 2 && wide < CROWDED * i32::try_from(places.len() - 1).unwrap_or(i32::MAX / CROWDED);
        let size = if is_crowded { Size::Small } else { Size::Large };
        for x in places {
            mark(canvas, kind, size, (x, bottom))?;
        }
    }
    Ok(())
}

/// Where marks of a kind are drawn.
fn places(marks: &[Mark], kind: MarkKind, span: Span) -> Vec<i32> {
    let inside = |mark: &&Mark| mark.kind == kind && (span.from_ns..=span.to_ns).contains(&mark.at_ns);
    let mut places: Vec<i32> = marks
        .iter()
        .filter(inside)
        .map(|mark| span.x(mark.at_ns).round() as i32)
        .collect();
    places.sort_unstable();
    let mut free = i32::MIN;
    places.retain(|x| {
        let is_drawn = *x >= free;
        if is_drawn {
            free = x + APART;
        }
        is_drawn
    });
    places
}

/// One mark; `(x, bottom)` is where it stands.
pub(super) fn mark(canvas: &Canvas<'_>, kind: MarkKind, size: Size, (x, bottom): Pixel) -> Result<(), ReportError> {
    let top = bottom - BAR - RISE;
    let stem = |from, to| match size {
        Size::Large => canvas.line(&[(x, from), (x, to)], Stroke::solid(INK, 1)),
        Size::Small => Ok(()),
    };
    // Half the width of a head, and its height.
    let (half, head) = if size == Size::Large { (3, 6) } else { (2, 4) };
    match kind {
        MarkKind::Release => {
            stem(bottom, top)?;
            let tip = top - 1;
            canvas.polygon(
                &[(x, tip), (x + half, tip + head), (x - half, tip + head)],
                INK.to_rgba(),
            )
        }
        MarkKind::Deadline => {
            stem(bottom, top)?;
            let tip = bottom + 1;
            canvas.polygon(
                &[(x, tip), (x + half, tip - head), (x - half, tip - head)],
                INK.to_rgba(),
            )
        }
        MarkKind::Completion => {
            stem(top + 3, bottom - BAR)?;
            let width = if size == Size::Large { 2 } else { 1 };
            let y = bottom - BAR - RISE + 3;
            canvas.line(&[(x - half - 1, y), (x + half + 1, y)], Stroke::solid(INK, width))
        }
        MarkKind::Miss => {
            let cross = Look {
                marker: Marker::Cross,
                ..look(1)
            };
            canvas.marker((x, bottom - BAR / 2), cross)
        }
    }
}
