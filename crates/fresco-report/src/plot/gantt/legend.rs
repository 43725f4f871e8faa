// SPDX-License-Identifier: MIT OR Apache-2.0
//! What colors, fillings and marks mean.

use super::draw::{self, BAR};
use super::marks::{self, KINDS, RISE, Size};
use super::{BarStyle, Gantt, MarkKind};
use crate::ReportError;
use crate::plot::canvas::{Canvas, Font, Pixel, text_width};
use crate::plot::palette::INK;

/// Height of one row, in pixels: a mark and a blank.
pub(super) const HEIGHT: i32 = BAR + RISE + 5;
/// Text size.
const SIZE: u32 = 12;
/// Width of a sample with the blank after it, and the blank between entries.
const SAMPLE: i32 = 26;
const GAP: i32 = 16;

/// What an entry shows.
#[derive(Clone, Copy)]
enum Sample {
    Bar(Option<usize>, BarStyle),
    Mark(MarkKind),
}

/// Entries by rows.
pub(super) struct Legend<'g> {
    rows: Vec<Vec<(Sample, &'g str)>>,
}

impl<'g> Legend<'g> {
    /// Keys, styles and marks that the chart has, in rows no wider than `width` pixels.
    pub(super) fn new(gantt: &'g Gantt, width: i32) -> Self {
        let mut keys: Vec<(&str, usize)> = gantt.keys().into_iter().collect();
        keys.sort_by_key(|key| key.1);
        let keys = keys
            .into_iter()
            .map(|(name, key)| (Sample::Bar(Some(key), BarStyle::Solid), name));
        let styles = gantt
            .styles
            .iter()
            .map(|(style, name)| (Sample::Bar(None, *style), name.as_str()));
        let has = |kind| {
            gantt
                .lanes
                .iter()
                .flat_map(|lane| &lane.marks)
                .any(|mark| mark.kind == kind)
        };
        let marks = KINDS.into_iter().filter(|(kind, _)| has(*kind));
        let entries = keys
            .chain(styles)
            .chain(marks.map(|(kind, name)| (Sample::Mark(kind), name)));

        let mut rows: Vec<Vec<(Sample, &str)>> = Vec::new();
        let mut used = 0;
        for entry in entries {
            let needed = SAMPLE + text_width(entry.1, SIZE) + GAP;
            match rows.last_mut() {
                Some(row) if used + needed - GAP <= width => row.push(entry),
                _ => {
                    rows.push(vec![entry]);
                    used = 0;
                }
            }
            used += needed;
        }
        Self { rows }
    }

    /// Height in pixels.
    pub(super) fn height(&self) -> i32 {
        HEIGHT * i32::try_from(self.rows.len()).unwrap_or(i32::MAX / HEIGHT)
    }

    /// Draws the rows from the upper left corner.
    pub(super) fn draw(&self, canvas: &Canvas<'_>, (left, top): Pixel) -> Result<(), ReportError> {
        let mut bottom = top + HEIGHT - 4;
        for row in &self.rows {
            let mut x = left;
            for (sample, name) in row {
                match *sample {
                    Sample::Bar(key, style) => {
                        let block = ((x, bottom - BAR + 2), (x + 18, bottom - 2));
                        draw::filled(canvas, block, draw::color(key), style)?;
                    }
                    Sample::Mark(kind) => marks::mark(canvas, kind, Size::Large, (x + 9, bottom))?,
                }
                canvas.text(name, (x + SAMPLE, bottom - BAR / 2), Font::new(SIZE, INK))?;
                x += SAMPLE + text_width(name, SIZE) + GAP;
            }
            bottom += HEIGHT;
        }
        Ok(())
    }
}
