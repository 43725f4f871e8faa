// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bars too narrow and too close to be seen one by one: the share of time that they take.

use super::BarStyle;
use super::shape::{Shape, Span};
use std::collections::BTreeMap;

/// Pixels that share one height. Wider columns would blur where bars begin, narrower ones show how the period of the bars
/// beats with that of the pixels.
const WIDTH: i32 = 4;
/// Heights are multiples of this share of the lane, so that neighbours merge.
const STEPS: f64 = 14.0;

/// Pixels covered, by column and key.
pub(super) struct Columns {
    span: Span,
    covered: BTreeMap<i32, BTreeMap<Option<usize>, f64>>,
}

impl Columns {
    pub(super) fn new(span: Span) -> Self {
        Self {
            span,
            covered: BTreeMap::new(),
        }
    }

    /// Adds a bar from pixel `from` to pixel `to`, narrower than a column.
    pub(super) fn add(&mut self, from: f64, to: f64, key: Option<usize>) {
        let column = |x: f64| ((x - f64::from(self.span.left)) / f64::from(WIDTH)).floor() as i32;
        let (first, last) = (column(from), column(to));
        // In one column, the first part is empty.
        let border = f64::from(self.span.left + last * WIDTH).clamp(from, to);
        for (column, pixels) in [(first, border - from), (last, to - border)] {
            *self.covered.entry(column).or_default().entry(key).or_default() += pixels;
        }
    }

    /// The columns as shapes, merged where neighbours are alike. Each has the color of the key that takes most of it.
    pub(super) fn shapes<'b>(self) -> Vec<Shape<'b>> {
        let mut shapes: Vec<Shape<'b>> = Vec::new();
        for (column, keys) in &self.covered {
            let left = self.span.left + column * WIDTH;
            let right = (left + WIDTH).min(self.span.right);
            if right <= left {
                continue;
            }
            let share = keys.values().sum::<f64>() / f64::from(right - left);
            let height = ((share * STEPS).round().max(1.0) / STEPS).min(1.0);
            let most = keys.iter().max_by(|a, b| a.1.total_cmp(b.1)).and_then(|(key, _)| *key);
            match shapes.last_mut() {
                Some(last) if last.right == left && last.key == most && last.height == height => last.right = right,
                _ => shapes.push(Shape {
                    left,
                    right,
                    key: most,
                    style: BarStyle::Solid,
                    height,
                    label: "",
                }),
            }
        }
        shapes
    }
}
