// SPDX-License-Identifier: MIT OR Apache-2.0
//! Colours, dashes and markers. Series differ in all three, so that they can be told apart without colour.

use super::canvas::Dash;
use plotters::style::RGBColor;

/// Okabe and Ito, "Color Universal Design" (2008), in an order that keeps neighbours far apart; their yellow is left
/// out, as it cannot be seen on white.
const COLOURS: [RGBColor; 7] = [
    RGBColor(0x00, 0x72, 0xB2),
    RGBColor(0xD5, 0x5E, 0x00),
    RGBColor(0x00, 0x9E, 0x73),
    RGBColor(0xCC, 0x79, 0xA7),
    RGBColor(0xE6, 0x9F, 0x00),
    RGBColor(0x56, 0xB4, 0xE9),
    RGBColor(0x00, 0x00, 0x00),
];

const DASHES: [Dash; 5] = [None, Some((9, 4)), Some((3, 3)), Some((14, 4)), Some((6, 6))];

const MARKERS: [Marker; 5] = [
    Marker::Circle,
    Marker::Square,
    Marker::Triangle,
    Marker::Diamond,
    Marker::Cross,
];

/// Text and axes.
pub(crate) const INK: RGBColor = RGBColor(0x22, 0x22, 0x22);
/// Subtitles, tick labels, captions; still 4.5:1 against white.
pub(crate) const SOFT_INK: RGBColor = RGBColor(0x59, 0x59, 0x59);
/// Grid lines.
pub(crate) const GRID: RGBColor = RGBColor(0xE2, 0xE2, 0xE2);
/// Background of a figure, the same in dark mode: the colours are chosen for it.
pub(crate) const PAPER: RGBColor = RGBColor(0xFF, 0xFF, 0xFF);

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
    pub(crate) colour: RGBColor,
    pub(crate) dash: Dash,
    pub(crate) marker: Marker,
}

/// The look of a line to compare with.
pub(crate) const REFERENCE: Look = Look {
    colour: SOFT_INK,
    dash: Some((2, 4)),
    marker: Marker::Cross,
};

/// The look of series number `index`. Five and seven have no common factor: 35 series before a look returns.
pub(crate) fn look(index: usize) -> Look {
    Look {
        colour: COLOURS[index % COLOURS.len()],
        dash: DASHES[index % DASHES.len()],
        marker: MARKERS[index % MARKERS.len()],
    }
}

/// The colour of layer number `index` of a stack, whose layers differ in colour alone: as [`look`], but grey instead of
/// black, which would drown its neighbours, and a lighter grey before any colour returns.
pub(crate) fn layer_colour(index: usize) -> RGBColor {
    match index % 8 {
        6 => RGBColor(0x6E, 0x6E, 0x6E),
        7 => RGBColor(0xB8, 0xB8, 0xB8),
        index => COLOURS[index],
    }
}
