// SPDX-License-Identifier: MIT OR Apache-2.0
//! What all figures share: title, legend, axes, grid, the line that says what was run.

use super::canvas::{Canvas, Dash, Font, Pixel, Stroke, text_width};
use super::domain::Domain;
use super::legend::{self, Entry};
use super::palette::{GRID, INK, SOFT_INK};
use super::sheet::{NARROW, Sheet, WIDE};
use super::svg::{Drawing, Svg};
use crate::table::wrap;
use crate::{Provenance, ReportError};
use plotters::style::text_anchor::{HPos, VPos};

/// Title, subtitle and description of a figure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heading {
    /// What the figure shows.
    pub title: String,
    /// Machine, workload, configuration; may be empty.
    pub subtitle: String,
    /// What a reader should see in it, for those who cannot; goes into the SVG's `<desc>`.
    pub description: String,
}

impl Heading {
    /// A heading without description.
    pub fn new(title: impl Into<String>, subtitle: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            subtitle: subtitle.into(),
            description: String::new(),
        }
    }

    /// The same heading with a description.
    #[must_use]
    pub fn described(mut self, description: impl Into<String>) -> Self {
        self.description = description.into();
        self
    }
}

/// The horizontal axis.
pub(crate) enum Across {
    /// Numbers.
    Values(Domain),
    /// Names at equal distances.
    Names(Vec<String>),
}

/// All that surrounds the data.
pub(crate) struct Frame<'f> {
    pub(crate) heading: &'f Heading,
    pub(crate) x_title: String,
    pub(crate) x: Across,
    pub(crate) y: Domain,
    pub(crate) legend: Vec<Entry>,
    /// Pixels to keep free at the right for the names of series at the ends of their lines. Where the sheet has room for
    /// them, they stand for the legend; 0 if the figure has no such names.
    pub(crate) right: i32,
    /// Pixels between the ends of the horizontal axis and its smallest and largest value.
    pub(crate) inset: i32,
    /// Nothing to show: says so in the middle.
    pub(crate) empty: bool,
}

/// A frame on its canvas: where values fall.
pub(crate) struct Panel<'a> {
    pub(crate) canvas: Canvas<'a>,
    pub(crate) sheet: Sheet,
    pub(crate) x: &'a Across,
    pub(crate) y: &'a Domain,
    pub(crate) inset: i32,
    /// Series are named at the ends of their lines.
    pub(crate) named_at_end: bool,
    pub(crate) left: i32,
    pub(crate) right: i32,
    pub(crate) top: i32,
    pub(crate) bottom: i32,
}

impl Panel<'_> {
    /// Horizontal pixel of a value; of a name's number if the axis has names.
    pub(crate) fn across(&self, value: f64) -> i32 {
        match self.x {
            Across::Values(domain) => domain.pixel(value, self.left + self.inset, self.right - self.inset),
            Across::Names(names) => {
                let share = (value + 0.5) / names.len().max(1) as f64;
                self.left + (share * f64::from(self.right - self.left)).round() as i32
            }
        }
    }

    /// Vertical pixel of a value.
    pub(crate) fn up(&self, value: f64) -> i32 {
        self.y.pixel(value, self.bottom, self.top)
    }

    /// Pixel of a point.
    pub(crate) fn at(&self, x: f64, y: f64) -> Pixel {
        (self.across(x), self.up(y))
    }

    /// Grid, axes and their ticks; the horizontal axis gets its title, from `title_top` down.
    fn axes(&self, x_title: &[String], title_top: i32) -> Result<(), ReportError> {
        let canvas = &self.canvas;
        let soft = Font::new(12, SOFT_INK);
        for tick in &self.y.ticks {
            let y = self.up(tick.value);
            canvas.line(&[(self.left, y), (self.right, y)], Stroke::solid(GRID, 1))?;
            canvas.text(&tick.label, (self.left - 8, y), soft.at(HPos::Right, VPos::Center))?;
        }
        canvas.line(
            &[(self.left, self.bottom), (self.right, self.bottom)],
            Stroke::solid(SOFT_INK, 1),
        )?;
        let below = soft.at(HPos::Center, VPos::Top);
        match self.x {
            Across::Values(domain) => {
                let mut free = i32::MIN;
                for tick in &domain.ticks {
                    let (x, half) = (self.across(tick.value), text_width(&tick.label, 12) / 2);
                    canvas.line(&[(x, self.bottom), (x, self.bottom + 5)], Stroke::solid(SOFT_INK, 1))?;
                    // A long label at an end stays on the sheet.
                    let x = x.min(self.sheet.width - 2 - half).max(2 + half);
                    // A label that would touch the one before is left out.
                    if x - half >= free {
                        canvas.text(&tick.label, (x, self.bottom + 9), below)?;
                        free = x + half + 3;
                    }
                }
            }
            Across::Names(names) => {
                let width = self.right - self.left;
                let room = room_of_name(width, names.len());
                let size = name_size(names, room);
                let font = Font { size, ..below };
                for (index, name) in names.iter().enumerate().step_by(every(width, names.len())) {
                    for (line, part) in name_lines(name, room, size, self.sheet).iter().enumerate() {
                        let y = self.bottom + 9 + 14 * line as i32;
                        canvas.text(part, (self.across(index as f64), y), font)?;
                    }
                }
            }
        }
        // A title wider than the axis is centred on the sheet: its lines are as long as that is wide.
        let middle = (self.left + self.right) / 2;
        for (line, y) in x_title.iter().zip((title_top..).step_by(15)) {
            let is_wide = text_width(line, 12) > self.right - self.left;
            let x = if is_wide { self.sheet.width / 2 } else { middle };
            canvas.text(line, (x, y), below)?;
        }
        Ok(())
    }

    /// The line that bars and ratios start from, where it is not the axis.
    fn base_line(&self) -> Result<(), ReportError> {
        if !self.y.has_base_inside() {
            return Ok(());
        }
        let y = self.up(self.y.base);
        self.canvas
            .line(&[(self.left, y), (self.right, y)], Stroke::solid(SOFT_INK, 1))
    }
}

impl Across {
    /// Lines of text the tick labels take.
    fn lines(&self, width: i32, sheet: Sheet) -> i32 {
        match self {
            Across::Values(_) => 1,
            Across::Names(names) => {
                let room = room_of_name(width, names.len());
                let size = name_size(names, room);
                names
                    .iter()
                    .map(|name| name_lines(name, room, size, sheet).len() as i32)
                    .max()
                    .unwrap_or(1)
            }
        }
    }
}

/// Pixels that a tick label takes at least.
const NARROWEST: i32 = 26;

/// Of `count` names, every how many get a label: all of them unless they are too many.
fn every(width: i32, count: usize) -> usize {
    count
        .div_ceil(usize::try_from(width / NARROWEST).unwrap_or(1).max(1))
        .max(1)
}

/// Pixels for the label of one of `count` names.
fn room_of_name(width: i32, count: usize) -> i32 {
    let each = width / i32::try_from(count.max(1)).unwrap_or(i32::MAX);
    each.max(NARROWEST) - 4
}

/// The words of a name: parts up to a blank, an underscore or a dash.
fn words_of(name: &str) -> Vec<String> {
    let apart = name.replace('_', "_ ").replace('-', "- ");
    apart.split_whitespace().map(str::to_owned).collect()
}

/// The largest size, of those that can be read, in which no word of a name is broken; the largest if there is none.
fn name_size(names: &[String], room: i32) -> u32 {
    const SIZES: [u32; 3] = [12, 11, 10];
    let words: Vec<String> = names.iter().flat_map(|name| words_of(name)).collect();
    let fits = |size: &u32| words.iter().all(|word| text_width(word, *size) <= room);
    SIZES.into_iter().find(fits).unwrap_or(SIZES[0])
}

/// `name` in at most as many lines as the sheet allows: words that fit together, and long ones in even parts.
fn name_lines(name: &str, room: i32, size: u32, sheet: Sheet) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words_of(name) {
        let word = match text_width(&word, size) <= room {
            true => vec![word],
            false => evenly(&word, usize::try_from(room / 7).unwrap_or(1)),
        };
        for part in word {
            let gap = if lines.last().is_some_and(|line| line.ends_with(['_', '-'])) {
                ""
            } else {
                " "
            };
            match lines.last_mut() {
                Some(line) if text_width(&format!("{line}{gap}{part}"), size) <= room => {
                    *line += &format!("{gap}{part}")
                }
                _ => lines.push(part),
            }
        }
    }
    lines.truncate(sheet.name_lines);
    lines
}

/// Letters below which parts of a word say nothing.
const SHORTEST_PART: usize = 3;

/// A word longer than `width` in parts of about the same length: `same bank`, not `sameban k`.
fn evenly(word: &str, width: usize) -> Vec<String> {
    let letters: Vec<char> = word.chars().collect();
    let parts = letters.len().div_ceil(width.max(1)).max(1);
    let each = letters.len().div_ceil(parts).max(1);
    if each < SHORTEST_PART {
        return vec![word.to_owned()];
    }
    letters.chunks(each).map(|part| part.iter().collect()).collect()
}

/// Draws the frame, then the data into it by `body`, on both sheets.
pub(crate) fn figure(
    frame: Frame<'_>,
    provenance: &Provenance,
    body: impl Fn(&Panel<'_>) -> Result<(), ReportError>,
) -> Result<Svg, ReportError> {
    let heading = frame.heading;
    let drawings = [WIDE, NARROW].map(|sheet| {
        let mut drawn = String::new();
        let dashes = draw(&mut drawn, sheet, &frame, provenance, &body)?;
        Ok(Drawing { drawn, dashes })
    });
    let [wide, narrow] = drawings;
    let description = format!("{} [{}]", heading.description, provenance.sentence());
    Ok(Svg::finish(&wide?, &narrow?, &heading.title, description.trim_start()))
}

fn draw<'a>(
    drawn: &'a mut String,
    sheet: Sheet,
    frame: &'a Frame<'_>,
    provenance: &Provenance,
    body: impl Fn(&Panel<'_>) -> Result<(), ReportError>,
) -> Result<Vec<Dash>, ReportError> {
    let (heading, margin) = (frame.heading, sheet.margin);
    let inside = sheet.width - 2 * margin;
    let title = wrap(&heading.title, fitting(inside, 17));
    let subtitle = if heading.subtitle.is_empty() {
        Vec::new()
    } else {
        wrap(&heading.subtitle, fitting(inside, 13))
    };
    let caption = wrap(&provenance.caption(), fitting(inside, 10));
    let (x_title, y_title) = (titled(&frame.x_title, inside), titled(&frame.y.title, inside));
    let named_at_end = sheet.names_at_end && frame.right > 0;
    let legend = if named_at_end {
        Vec::new()
    } else {
        legend::rows(&frame.legend, inside)
    };
    let names = if named_at_end { frame.right } else { 0 };

    let labels = frame
        .y
        .ticks
        .iter()
        .map(|tick| text_width(&tick.label, 12))
        .max()
        .unwrap_or(0);
    let (left, right) = (margin + labels + 10, sheet.width - margin - 8 - names);
    let legend_top = margin + 21 * lines(&title) + 17 * lines(&subtitle) + 6;
    let y_title_top = legend_top + legend::HEIGHT * lines(&legend) + 10;
    let top = y_title_top + 11 + 15 * lines(&y_title);
    let bottom = top + sheet.plot_height;
    let x_title_top = bottom + 9 + 14 * frame.x.lines(right - left, sheet) + 4;
    let caption_top = x_title_top
        + if x_title.is_empty() {
            8
        } else {
            11 + 15 * lines(&x_title)
        };
    let height = caption_top + 13 * lines(&caption) + 10;

    let canvas = Canvas::new(drawn, sheet.width as u32, height as u32)?;
    let below_title = margin + 21 * lines(&title);
    text_block(&canvas, &title, (margin, margin), 21, Font::new(17, INK).bold())?;
    text_block(&canvas, &subtitle, (margin, below_title), 17, Font::new(13, SOFT_INK))?;
    text_block(&canvas, &caption, (margin, caption_top), 13, Font::new(10, SOFT_INK))?;
    legend::draw(&canvas, &legend, (margin, legend_top))?;
    text_block(&canvas, &y_title, (margin, y_title_top), 15, Font::new(12, SOFT_INK))?;
    let panel = Panel {
        canvas,
        sheet,
        x: &frame.x,
        y: &frame.y,
        inset: frame.inset,
        named_at_end,
        left,
        right,
        top,
        bottom,
    };
    panel.axes(&x_title, x_title_top)?;
    if frame.empty {
        let middle = ((left + right) / 2, (top + bottom) / 2);
        panel.canvas.text(
            "no data",
            middle,
            Font::new(14, SOFT_INK).at(HPos::Center, VPos::Center),
        )?;
    } else {
        body(&panel)?;
        panel.base_line()?;
    }
    panel.canvas.finish()
}

/// Lines of text from the upper left corner `(left, top)`.
fn text_block(
    canvas: &Canvas<'_>,
    rows: &[String],
    (left, top): Pixel,
    pitch: i32,
    font: Font,
) -> Result<(), ReportError> {
    let mut y = top;
    for row in rows {
        canvas.text(row, (left, y), font.at(HPos::Left, VPos::Top))?;
        y += pitch;
    }
    Ok(())
}

/// The title of an axis in lines that fit into `width` pixels; none if it has no title.
fn titled(title: &str, width: i32) -> Vec<String> {
    match title.is_empty() {
        true => Vec::new(),
        false => wrap(title, fitting(width, 12)),
    }
}

/// Characters of size `size` that fit into `width` pixels.
fn fitting(width: i32, size: u32) -> usize {
    usize::try_from(width * 10 / text_width("abcdefgnop", size).max(1)).unwrap_or(1)
}

fn lines<T>(rows: &[T]) -> i32 {
    i32::try_from(rows.len()).unwrap_or(i32::MAX / 64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_break_between_words_or_in_even_parts() {
        assert_eq!(name_lines("samebank +3", 42, 12, NARROW), ["same", "bank", "+3"]);
        assert_eq!(
            name_lines("diff_controller alone", 70, 12, WIDE),
            ["diff_", "controller", "alone"]
        );
        assert_eq!(name_lines("refresh-baselines", 56, 12, WIDE), ["refresh-", "baselines"]);
        assert_eq!(name_lines("wl-14", 56, 12, WIDE), ["wl-14"]);
        // No more lines than the sheet has room for.
        assert_eq!(name_lines("a b c d e f g h", 7, 12, WIDE).len(), 3);
        assert_eq!(name_lines("", 35, 12, WIDE).concat(), "");
    }

    #[test]
    fn a_smaller_size_is_taken_where_no_word_need_be_broken_then() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(name_size(&names(&["bpm", "camc"]), 55), 12);
        assert_eq!(name_size(&names(&["bpm", "memguard", "refresh-baselines"]), 55), 10);
        assert_eq!(name_size(&names(&["a_name_of_one_long_incomprehensibility"]), 30), 12);
    }
}
