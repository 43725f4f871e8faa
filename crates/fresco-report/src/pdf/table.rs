// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tables on paper: text wraps in its column, and each page that a table goes on to begins with its headings.

use super::letters::{Face, lines, width, written};
use super::sheet::{HEIGHT, Look, Sheets, WIDTH};
use crate::{Cell, Table, Tone};

/// Size of text in tables.
const SIZE: f32 = 7.5;
/// Between columns.
const GAP: f32 = 8.0;
/// Above and below the text of a row.
const PAD: f32 = 2.0;
/// No column of text is narrower, where there is room for all.
const NARROWEST: f32 = 28.0;

/// A row: the lines of each cell, and their tone.
type Row = Vec<(Vec<String>, Tone)>;

/// Draws a table.
pub(super) fn draw(sheets: &mut Sheets, table: &Table) {
    let plain = Look::new(Face::Plain, SIZE);
    let bold = Look::new(Face::Bold, SIZE);
    let headings: Vec<String> = table.headings().iter().map(|text| written(text)).collect();
    let rows: Vec<Vec<String>> = table
        .rows()
        .iter()
        .map(|row| table.row_texts(row).iter().map(|text| written(text)).collect())
        .collect();
    let widths = widths(&headings, &rows);
    let wrapped = |texts: &[String], face: Face| -> Vec<Vec<String>> {
        let each = texts.iter().zip(&widths);
        each.map(|(text, width)| lines(text, face, SIZE, *width)).collect()
    };
    let head: Row = wrapped(&headings, Face::Bold)
        .into_iter()
        .map(|lines| (lines, Tone::Plain))
        .collect();
    let title = lines(&written(table.title()), Face::Bold, SIZE + 1.0, WIDTH);
    let of_title = Look::new(Face::Bold, SIZE + 1.0);
    sheets.skip(8.0);
    // The title does not stand alone at the end of a page, nor the headings.
    sheets.need(title.len() as f32 * of_title.leading() + height(&head) + 3.0 * plain.leading() + 8.0);
    for line in title.iter().filter(|line| !line.is_empty()) {
        sheets.text(0.0, 0.0, line, of_title);
        sheets.advance(of_title.leading());
    }
    let heading = |sheets: &mut Sheets| {
        put(sheets, table, &widths, &head, 0, usize::MAX, bold);
        sheets.advance(height(&head));
        sheets.rule(0.0, WIDTH, 0.3);
    };
    heading(sheets);
    for (texts, cells) in rows.iter().zip(table.rows()) {
        let tones = cells.iter().map(|cell| match cell {
            Cell::Text(_, tone) => *tone,
            _ => Tone::Plain,
        });
        let row: Row = wrapped(texts, Face::Plain).into_iter().zip(tones).collect();
        let whole = height(&row);
        if whole > sheets.left() && whole <= HEIGHT - height(&head) {
            sheets.break_page();
            heading(sheets);
        }
        // A row longer than a page is cut between lines.
        let count = row.iter().map(|(lines, _)| lines.len()).max().unwrap_or(0);
        let mut first = 0;
        while first < count {
            let room = ((sheets.left() - 2.0 * PAD) / plain.leading()).floor().max(0.0) as usize;
            if room == 0 {
                sheets.break_page();
                heading(sheets);
                continue;
            }
            let here = room.min(count - first);
            put(sheets, table, &widths, &row, first, here, plain);
            sheets.advance(here as f32 * plain.leading() + 2.0 * PAD);
            first += here;
        }
        sheets.rule(0.0, WIDTH, 0.85);
    }
    sheets.skip(8.0);
}

/// Puts `count` lines of a row, from the `first` on, at the current place.
fn put(sheets: &mut Sheets, table: &Table, widths: &[f32], row: &Row, first: usize, count: usize, look: Look) {
    let mut x = 0.0;
    for (((lines, tone), width), column) in row.iter().zip(widths).zip(table.columns()) {
        let look = Look { tone: *tone, ..look };
        for (number, line) in lines.iter().skip(first).take(count).enumerate() {
            let down = PAD + number as f32 * look.leading();
            match column.numeric {
                true => sheets.text_to(x + width, down, line, look),
                false => sheets.text(x, down, line, look),
            }
        }
        x += width + GAP;
    }
}

fn height(row: &Row) -> f32 {
    let lines = row.iter().map(|(lines, _)| lines.len()).max().unwrap_or(0);
    lines as f32 * Look::new(Face::Plain, SIZE).leading() + 2.0 * PAD
}

/// Widths of columns, which together with their gaps fill the width of the text at most: as wide as they want, or where that is too much each
/// its longest word, and of what is left a share by what it wants more.
fn widths(headings: &[String], rows: &[Vec<String>]) -> Vec<f32> {
    let columns = headings.len();
    let room = (WIDTH - GAP * columns.saturating_sub(1) as f32).max(columns as f32);
    let words = |text: &str, face: Face| text.split(' ').map(|word| width(word, face, SIZE)).fold(0.0, f32::max);
    let mut wanted = vec![0.0f32; columns];
    let mut least = vec![0.0f32; columns];
    for column in 0..columns {
        wanted[column] = width(&headings[column], Face::Bold, SIZE);
        least[column] = words(&headings[column], Face::Bold);
        for row in rows {
            wanted[column] = wanted[column].max(width(&row[column], Face::Plain, SIZE));
            least[column] = least[column].max(words(&row[column], Face::Plain));
        }
        // Letters are cut where a word alone would take most of the page.
        least[column] = least[column]
            .min((room / columns as f32).max(room * 0.6))
            .max(NARROWEST.min(wanted[column]));
        wanted[column] = wanted[column].max(least[column]) + 0.5;
    }
    let sum: f32 = wanted.iter().sum();
    if sum <= room {
        return wanted;
    }
    let fixed: f32 = least.iter().sum();
    if fixed >= room {
        return least.iter().map(|width| width * room / fixed).collect();
    }
    // A column does not get more of the rest because it has a sentence of a thousand words.
    let more: Vec<f32> = wanted
        .iter()
        .zip(&least)
        .map(|(wanted, least)| (wanted - least).max(0.0).min(room))
        .collect();
    let all: f32 = more.iter().sum::<f32>().max(1.0);
    least
        .iter()
        .zip(&more)
        .map(|(least, more)| least + (room - fixed) * more / all)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_fill_the_page_at_most() {
        let text = |words: usize| vec!["word"; words].join(" ");
        for rows in [
            vec![vec!["a".to_owned(), "1".to_owned(), "b".to_owned()]],
            vec![vec![text(3), text(300), text(40)]],
            vec![vec!["x".repeat(900), "y".repeat(900), text(1)]],
        ] {
            let headings = ["first", "second", "third"].map(str::to_owned);
            let widths = widths(&headings, &rows);
            let sum: f32 = widths.iter().sum::<f32>() + 2.0 * GAP;
            assert!(
                sum <= WIDTH + 0.1 && widths.iter().all(|width| *width > 10.0),
                "{widths:?}"
            );
        }
    }
}
