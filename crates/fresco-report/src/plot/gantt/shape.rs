// SPDX-License-Identifier: MIT OR Apache-2.0
//! From bars to what is drawn of them: rectangles of their own, lines, or shares of time.

use super::density::Columns;
use super::{BarStyle, GanttBar};
use std::collections::BTreeMap;

/// Bars narrower than this, in pixels, are lines or shares.
const NARROW: f64 = 1.0;
/// Pixels to both neighbours from which a narrow bar is a line of its own.
const ALONE: f64 = 3.0;

/// Where times fall: pixels from `left` to `right`.
#[derive(Clone, Copy)]
pub(super) struct Span {
    pub(super) from_ns: u64,
    pub(super) to_ns: u64,
    pub(super) left: i32,
    pub(super) right: i32,
}

impl Span {
    /// Horizontal place of an instant, not rounded, clamped to the window.
    pub(super) fn x(&self, ns: u64) -> f64 {
        let inside = ns.clamp(self.from_ns, self.to_ns) - self.from_ns;
        let share = inside as f64 / (self.to_ns - self.from_ns) as f64;
        f64::from(self.left) + share * f64::from(self.right - self.left)
    }
}

/// Something to fill, from one pixel column up to another.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Shape<'b> {
    pub(super) left: i32,
    /// Above `left`.
    pub(super) right: i32,
    /// Number of its key; `None` is grey.
    pub(super) key: Option<usize>,
    pub(super) style: BarStyle,
    /// Share of the lane's height.
    pub(super) height: f64,
    pub(super) label: &'b str,
}

/// A bar within the window, in pixels.
struct Placed<'b> {
    bar: &'b GanttBar,
    from: f64,
    to: f64,
}

impl Placed<'_> {
    fn is_narrow(&self) -> bool {
        self.to - self.from < NARROW
    }
}

/// What to draw of `bars`, in the order of drawing. At most one shape per bar, and at most about one per pixel.
pub(super) fn shapes<'b>(bars: &'b [GanttBar], keys: &BTreeMap<&str, usize>, span: Span) -> Vec<Shape<'b>> {
    let mut placed: Vec<Placed<'b>> = bars
        .iter()
        .filter(|bar| bar.from_ns < span.to_ns && bar.to_ns > span.from_ns)
        .map(|bar| Placed {
            bar,
            from: span.x(bar.from_ns),
            to: span.x(bar.to_ns),
        })
        .collect();
    placed.sort_by_key(|placed| (placed.bar.from_ns, std::cmp::Reverse(placed.bar.to_ns)));

    let key = |placed: &Placed<'_>| keys.get(placed.bar.key.as_str()).copied();
    let mut columns = Columns::new(span);
    let mut shapes = Vec::new();
    for (index, this) in placed.iter().enumerate() {
        let own = |left: f64, right: f64, style| Shape {
            left: left.round() as i32,
            right: (right.round() as i32).max(left.round() as i32 + 1),
            key: key(this),
            style,
            height: 1.0,
            label: &this.bar.label,
        };
        if !this.is_narrow() {
            shapes.push(own(this.from, this.to, this.bar.style));
            continue;
        }
        let before = index.checked_sub(1).and_then(|index| placed.get(index));
        let after = placed.get(index + 1);
        let close = before.is_some_and(|other| other.is_narrow() && this.from - other.to < ALONE)
            || after.is_some_and(|other| other.is_narrow() && other.from - this.to < ALONE);
        if close {
            columns.add(this.from, this.to, key(this));
        } else {
            shapes.push(own(this.from, this.from, BarStyle::Solid));
        }
    }
    shapes.extend(columns.shapes());
    shapes
}
