// SPDX-License-Identifier: MIT OR Apache-2.0
//! The legend above the plot, wrapped into rows.

use super::canvas::{Canvas, Font, Pixel, Stroke, text_width};
use super::palette::{INK, Look};
use crate::ReportError;

/// Height of one row in pixels.
pub(crate) const HEIGHT: i32 = 20;
/// Text size.
const SIZE: u32 = 12;
/// Width of the drawn sample, with the blank after it.
const SAMPLE: i32 = 34;
/// Blank between two entries.
const GAP: i32 = 18;

/// What stands before an entry's name.
#[derive(Clone, Copy)]
pub(crate) enum Sample {
    /// A piece of the line with its marker.
    Line,
    /// A piece of the line.
    Plain,
    /// The marker.
    Marker,
    /// A filled square.
    Block,
}

/// One series in the legend.
#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) look: Look,
    pub(crate) sample: Sample,
}

/// The entries split into rows no wider than `width` pixels.
pub(crate) fn rows(entries: &[Entry], width: i32) -> Vec<Vec<Entry>> {
    let mut rows: Vec<Vec<Entry>> = Vec::new();
    let mut used = 0;
    for entry in entries {
        let needed = SAMPLE + text_width(&entry.name, SIZE) + GAP;
        match rows.last_mut() {
            Some(row) if used + needed - GAP <= width => {
                row.push(entry.clone());
                used += needed;
            }
            _ => {
                rows.push(vec![entry.clone()]);
                used = needed;
            }
        }
    }
    rows
}

/// Draws the rows from the upper left corner `(left, top)`.
pub(crate) fn draw(canvas: &Canvas<'_>, rows: &[Vec<Entry>], (left, top): Pixel) -> Result<(), ReportError> {
    let mut y = top + HEIGHT / 2;
    for row in rows {
        let mut x = left;
        for entry in row {
            sample(canvas, entry, (x, y))?;
            canvas.text(&entry.name, (x + SAMPLE, y), Font::new(SIZE, INK))?;
            x += SAMPLE + text_width(&entry.name, SIZE) + GAP;
        }
        y += HEIGHT;
    }
    Ok(())
}

fn sample(canvas: &Canvas<'_>, entry: &Entry, (x, y): Pixel) -> Result<(), ReportError> {
    let Look { color, dash, .. } = entry.look;
    match entry.sample {
        Sample::Block => canvas.rectangle((x + 10, y - 6), (x + 24, y + 6), color.to_rgba()),
        Sample::Plain => canvas.line(&[(x, y), (x + 26, y)], Stroke { color, width: 2, dash }),
        Sample::Marker => canvas.marker((x + 13, y), entry.look),
        Sample::Line => {
            canvas.line(&[(x, y), (x + 26, y)], Stroke { color, width: 2, dash })?;
            canvas.marker((x + 13, y), entry.look)
        }
    }
}
