// SPDX-License-Identifier: MIT OR Apache-2.0
//! A table as plain text, ASCII but for what the cells hold.

use super::Table;
use crate::Provenance;
use crate::escape::one_line;

/// Blanks between columns.
const GAP: usize = 2;
/// A column of text is never made narrower than this, in characters.
const NARROWEST: usize = 12;

impl Table {
    /// The table as text: title, headings, a rule, the rows. If it is wider than `width` characters, headings and
    /// cells of text are wrapped; numbers are never broken, so a narrow terminal may still overflow.
    pub fn to_text(&self, width: usize) -> String {
        let headings = self.headings();
        let rows: Vec<Vec<String>> = self.rows.iter().map(|row| self.row_texts(row)).collect();
        let widths = self.fit(&headings, &rows, width);
        let mut out = String::new();
        if !self.title.is_empty() {
            out.push_str(&one_line(&self.title));
            out.push('\n');
        }
        self.write_row(&mut out, &headings, &widths);
        let rule: Vec<String> = widths.iter().map(|&column| "-".repeat(column)).collect();
        self.write_row(&mut out, &rule, &widths);
        for row in &rows {
            self.write_row(&mut out, row, &widths);
        }
        if rows.is_empty() {
            out.push_str("(no rows)\n");
        }
        out
    }

    /// [`Table::to_text`] with what was run underneath.
    pub fn to_text_with(&self, width: usize, provenance: &Provenance) -> String {
        let mut out = self.to_text(width);
        out.push('\n');
        for (name, value) in provenance.entries() {
            out.push_str(&format!("{name:<9}{}\n", one_line(&value)));
        }
        out
    }

    /// Widths of the columns: as wide as their longest cell, the widest cut down until `width` is kept. Headings are
    /// wrapped before cells of text; a column is never narrower than its numbers and the words of its heading.
    fn fit(&self, headings: &[String], rows: &[Vec<String>], width: usize) -> Vec<usize> {
        let longest = |index: usize| rows.iter().map(|row| length(&row[index])).max().unwrap_or(0);
        let (mut widths, mut unwrapped, mut narrowest) = (Vec::new(), Vec::new(), Vec::new());
        for (index, (heading, column)) in headings.iter().zip(&self.columns).enumerate() {
            let word = heading.split_whitespace().map(length).max().unwrap_or(0);
            let cells = longest(index);
            widths.push(length(heading).max(cells));
            unwrapped.push(word.max(cells));
            narrowest.push(word.max(if column.numeric { cells } else { cells.min(NARROWEST) }));
        }
        let width = width.saturating_sub(GAP * widths.len().saturating_sub(1));
        cut(&mut widths, &unwrapped, width);
        cut(&mut widths, &narrowest, width);
        widths
    }

    /// One row of the table, on as many lines as its longest wrapped cell needs.
    fn write_row(&self, out: &mut String, cells: &[String], widths: &[usize]) {
        let wrapped: Vec<Vec<String>> = cells
            .iter()
            .zip(widths)
            .map(|(cell, &width)| wrap(cell, width))
            .collect();
        let lines = wrapped.iter().map(Vec::len).max().unwrap_or(0);
        for line in 0..lines {
            let mut text = String::new();
            for (index, ((cell, &width), column)) in wrapped.iter().zip(widths).zip(&self.columns).enumerate() {
                let part = cell.get(line).map_or("", String::as_str);
                let blanks = " ".repeat(width.saturating_sub(length(part)));
                if index > 0 {
                    text.push_str(&" ".repeat(GAP));
                }
                if column.numeric {
                    text.push_str(&blanks);
                    text.push_str(part);
                } else {
                    text.push_str(part);
                    text.push_str(&blanks);
                }
            }
            out.push_str(text.trim_end());
            out.push('\n');
        }
    }
}

/// Makes the widest of `widths` narrower until they sum up to `width`, none below its floor. One character at a time:
/// tables are small.
fn cut(widths: &mut [usize], floors: &[usize], width: usize) {
    while widths.iter().sum::<usize>() > width {
        let cuttable = widths
            .iter_mut()
            .zip(floors)
            .filter(|(column, floor)| **column > **floor);
        match cuttable.max_by_key(|(column, _)| **column) {
            Some((column, _)) => *column -= 1,
            None => break,
        }
    }
}

fn length(text: &str) -> usize {
    text.chars().count()
}

/// `text` in lines of at most `width` characters, broken at blanks where there are any, and inside long words.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in text.split_whitespace() {
        let mut word: Vec<char> = word.chars().collect();
        if used > 0 && used + 1 + word.len() > width {
            lines.push(String::new());
            used = 0;
        }
        let mut line = lines.pop().unwrap_or_default();
        if used > 0 {
            line.push(' ');
            used += 1;
        }
        while word.len() > width {
            let rest = word.split_off(break_point(&word, width));
            lines.push(word.into_iter().collect());
            word = rest;
        }
        used += word.len();
        line.extend(word);
        lines.push(line);
    }
    lines
}

/// Where to break a word longer than `width`: after a dash, dot or the like if there is one, else at the width.
fn break_point(word: &[char], width: usize) -> usize {
    let joint = word[..width]
        .iter()
        .rposition(|c| matches!(c, '-' | '_' | '.' | '/' | ',' | '='));
    joint.map_or(width, |joint| joint + 1)
}
