// SPDX-License-Identifier: MIT OR Apache-2.0
//! What colors, dashes and markers stand for. Series differ in all three, so that they can be told apart without
//! color. What color each is, on light and on dark paper, says [`super::scheme`].

use super::canvas::Dash;
use plotters::style::RGBAColor;

/// A color by its part in a figure. plotters takes it for a dark blue, its number in the last byte, from which a
/// finished figure gets its class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Paint(pub(super) u8);

impl Paint {
    /// As plotters takes it.
    pub(crate) fn to_rgba(self) -> RGBAColor {
        self.mix(1.0)
    }

    /// The same with `alpha` from 0, which cannot be seen, to 1.
    pub(crate) fn mix(self, alpha: f64) -> RGBAColor {
        RGBAColor(0, 0, self.0, alpha)
    }

    /// Text inside an area of this color.
    pub(crate) fn text_over(self) -> Self {
        Self(self.0 + TEXT_OVER)
    }
}

/// Background of a figure.
pub(crate) const PAPER: Paint = Paint(0);
/// Titles, names, whiskers.
pub(crate) const INK: Paint = Paint(1);
/// Axes, subtitles, tick labels, captions.
pub(crate) const SOFT_INK: Paint = Paint(2);
/// Grid lines.
pub(crate) const GRID: Paint = Paint(3);
/// Six colors of series and layers.
const COLORS: u8 = 4;
/// Two greys.
const GREYS: u8 = 10;
/// Number of paints that fill areas; from here on those of text inside them.
pub(super) const TEXT_OVER: u8 = 12;

const DASHES: [Dash; 5] = [None, Some((9, 4)), Some((3, 3)), Some((14, 4)), Some((6, 6))];

const MARKERS: [Marker; 5] = [
    Marker::Circle,
    Marker::Square,
    Marker::Triangle,
    Marker::Diamond,
    Marker::Cross,
];

/// Shape drawn at a data point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Marker {
    Circle,
    Square,
    Triangle,
    Diamond,
    Cross,
}

/// How a series looks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    pub(crate) color: Paint,
    pub(crate) dash: Dash,
    pub(crate) marker: Marker,
}

/// The look of a line to compare with.
pub(crate) const REFERENCE: Look = Look {
    color: SOFT_INK,
    dash: Some((2, 4)),
    marker: Marker::Cross,
};

/// The look of series number `index`: one of the six colors or ink. Five and seven have no common factor: 35 series
/// before a look returns.
pub(crate) fn look(index: usize) -> Look {
    Look {
        color: match index % 7 {
            6 => INK,
            index => Paint(COLORS + index as u8),
        },
        dash: DASHES[index % DASHES.len()],
        marker: MARKERS[index % MARKERS.len()],
    }
}

/// The color of layer number `index` of a stack, whose layers differ in color alone: as [`look`], but grey instead of
/// ink, which would drown its neighbours, and another grey before any color returns.
pub(crate) fn layer_color(index: usize) -> Paint {
    debug_assert_eq!(COLORS + 6, GREYS);
    Paint(COLORS + (index % 8) as u8)
}
