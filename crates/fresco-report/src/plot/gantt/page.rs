// SPDX-License-Identifier: MIT OR Apache-2.0
//! The sheet of a Gantt chart: it is as high as its lanes.

use super::draw::{self, BAR};
use super::legend::Legend;
use super::marks::{self, RISE};
use super::shape::{Span, shapes};
use super::{Gantt, Lane};
use crate::plot::canvas::{Canvas, Dash, Font, Pixel, Stroke, text_width};
use crate::plot::domain::Domain;
use crate::plot::palette::{GRID, INK, SOFT_INK};
use crate::plot::sheet::Sheet;
use crate::table::wrap;
use crate::{Provenance, ReportError};
use plotters::style::text_anchor::{HPos, VPos};

/// Blank below the bars of a lane.
const BELOW: i32 = 5;
/// Height of a group's heading, and of a lane's name where it stands above the bars.
const GROUP: i32 = 22;
const NAME: i32 = 17;
/// Size of lane names, and the widest column they may take at the left.
const NAME_SIZE: u32 = 12;
const NAMES: i32 = 170;

/// Where a lane is.
struct Place<'g> {
    lane: &'g Lane,
    /// Upper edge of the group's heading, if the lane is the first of its group.
    heading: Option<i32>,
    /// Upper edge of the lane, and where its bars stand.
    top: i32,
    bottom: i32,
}

/// Draws the chart on `sheet`; `time` is its axis.
pub(super) fn draw(
    drawn: &mut String,
    gantt: &Gantt,
    sheet: Sheet,
    time: &Domain,
    provenance: &Provenance,
) -> Result<Vec<Dash>, ReportError> {
    let margin = sheet.margin;
    let inside = sheet.width - 2 * margin;
    let title = lines(&gantt.heading.title, inside, 17);
    let subtitle = lines(&gantt.heading.subtitle, inside, 13);
    let caption = lines(&provenance.caption(), inside, 10);
    let legend = Legend::new(gantt, inside);

    let below_title = margin + 21 * count(&title);
    let legend_top = below_title + 17 * count(&subtitle) + 6;
    let top = legend_top + legend.height() + 8;
    let (places, bottom) = places(gantt, sheet, top);
    let caption_top = bottom + 9 + 14 + 4 + 26;
    let height = caption_top + 13 * count(&caption) + 10;

    let canvas = Canvas::new(drawn, sheet.width as u32, height as u32)?;
    block(&canvas, &title, (margin, margin), 21, Font::new(17, INK).bold())?;
    block(&canvas, &subtitle, (margin, below_title), 17, Font::new(13, SOFT_INK))?;
    block(&canvas, &caption, (margin, caption_top), 13, Font::new(10, SOFT_INK))?;
    legend.draw(&canvas, (margin, legend_top))?;

    let names = if sheet.names_at_end { names_width(gantt) } else { 0 };
    let span = Span {
        from_ns: gantt.from_ns,
        to_ns: gantt.to_ns,
        left: margin + names,
        right: sheet.width - margin - 8,
    };
    axis(&canvas, time, span, (top, bottom))?;
    let keys = gantt.keys();
    for place in &places {
        head(&canvas, place, sheet, names)?;
        let ends = [(span.left, place.bottom), (span.right, place.bottom)];
        canvas.line(&ends, Stroke::solid(GRID, 1))?;
        for shape in shapes(&place.lane.bars, &keys, span) {
            draw::shape(&canvas, &shape, place.bottom)?;
        }
        marks::draw(&canvas, &place.lane.marks, span, place.bottom)?;
    }
    if places.is_empty() {
        let middle = ((span.left + span.right) / 2, (top + bottom) / 2);
        canvas.text(
            "no data",
            middle,
            Font::new(14, SOFT_INK).at(HPos::Center, VPos::Center),
        )?;
    }
    canvas.finish()
}

/// Lanes from `top` down, and where the axis is.
fn places(gantt: &Gantt, sheet: Sheet, top: i32) -> (Vec<Place<'_>>, i32) {
    let mut y = top;
    let mut group = "";
    let mut places = Vec::new();
    for lane in &gantt.lanes {
        let starts = lane.group != group && !lane.group.is_empty();
        let heading = starts.then_some(y);
        y += if starts { GROUP } else { 0 };
        group = &lane.group;
        let named_above = !sheet.names_at_end && !lane.name.is_empty();
        let rise = if lane.marks.is_empty() { 1 } else { RISE + 2 };
        let bottom = y + if named_above { NAME } else { 0 } + rise + BAR;
        places.push(Place {
            lane,
            heading,
            top: y,
            bottom,
        });
        y = bottom + BELOW;
    }
    (places, if gantt.lanes.is_empty() { top + 60 } else { y })
}

/// Heading of the group and name of the lane.
fn head(canvas: &Canvas<'_>, place: &Place<'_>, sheet: Sheet, names: i32) -> Result<(), ReportError> {
    let margin = sheet.margin;
    if let Some(top) = place.heading {
        canvas.text(&place.lane.group, (margin, top + 12), Font::new(12, INK).bold())?;
    }
    let font = Font::new(NAME_SIZE, SOFT_INK);
    if sheet.names_at_end {
        let name = cut(&place.lane.name, names - 10);
        canvas.text(
            &name,
            (margin + names - 8, place.bottom - BAR / 2),
            font.at(HPos::Right, VPos::Center),
        )
    } else if place.lane.name.is_empty() {
        Ok(())
    } else {
        canvas.text(&place.lane.name, (margin, place.top + 8), font)
    }
}

/// Grid, ticks and title of the time axis below the lanes.
fn axis(canvas: &Canvas<'_>, time: &Domain, span: Span, (top, bottom): (i32, i32)) -> Result<(), ReportError> {
    let below = Font::new(12, SOFT_INK).at(HPos::Center, VPos::Top);
    let mut free = i32::MIN;
    for tick in &time.ticks {
        let (x, half) = (
            time.pixel(tick.value, span.left, span.right),
            text_width(&tick.label, 12) / 2,
        );
        canvas.line(&[(x, top), (x, bottom + 5)], Stroke::solid(GRID, 1))?;
        canvas.line(&[(x, bottom), (x, bottom + 5)], Stroke::solid(SOFT_INK, 1))?;
        if x - half >= free {
            canvas.text(&tick.label, (x, bottom + 9), below)?;
            free = x + half + 3;
        }
    }
    let ends = [(span.left, bottom), (span.right, bottom)];
    canvas.line(&ends, Stroke::solid(SOFT_INK, 1))?;
    canvas.text(&time.title, ((span.left + span.right) / 2, bottom + 27), below)
}

/// Width of the column of names, with the blank after it.
fn names_width(gantt: &Gantt) -> i32 {
    let widths = gantt.lanes.iter().map(|lane| text_width(&lane.name, NAME_SIZE));
    widths.max().unwrap_or(0).min(NAMES) + 10
}

/// `name` in at most `width` pixels, its end left out if need be.
fn cut(name: &str, width: i32) -> String {
    if text_width(name, NAME_SIZE) <= width {
        return name.to_owned();
    }
    let mut kept = name.to_owned();
    while !kept.is_empty() && text_width(&kept, NAME_SIZE) + text_width("…", NAME_SIZE) > width {
        kept.pop();
    }
    format!("{}…", kept.trim_end())
}

/// `text` in lines of letters of `size` that fit into `width` pixels.
fn lines(text: &str, width: i32, size: u32) -> Vec<String> {
    if text.is_empty() {
        return Vec::new();
    }
    wrap(
        text,
        usize::try_from(width * 10 / text_width("abcdefgnop", size).max(1)).unwrap_or(1),
    )
}

/// Lines of text from the upper left corner `(left, top)`.
fn block(canvas: &Canvas<'_>, rows: &[String], (left, top): Pixel, pitch: i32, font: Font) -> Result<(), ReportError> {
    for (y, row) in (top..).step_by(pitch as usize).zip(rows) {
        canvas.text(row, (left, y), font.at(HPos::Left, VPos::Top))?;
    }
    Ok(())
}

fn count(rows: &[String]) -> i32 {
    i32::try_from(rows.len()).unwrap_or(i32::MAX / 64)
}
