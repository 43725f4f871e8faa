// SPDX-License-Identifier: MIT OR Apache-2.0
//! A report as PDF: A4, in the fonts that every reader has, with page numbers and an outline; the same report gives the same bytes.
//!
//! Figures stand on the page of the report; here is their caption. Their numbers are in its tables.

mod letters;
mod sheet;
mod table;

use crate::html::{Block, Entry, HtmlReport, Section};
use letters::{Face, lines, written};
use pdf_writer::{Finish, Name, Pdf, Rect, Ref, TextStr};
use sheet::{FONTS, Look, PAPER, Sheets, WIDTH};

/// Size of text.
const SIZE: f32 = 9.0;

/// A heading, and where it stands.
struct Mark {
    text: String,
    page: usize,
    y: f32,
}

/// The whole file; `foot` stands at the foot of each page.
pub(crate) fn of(report: &HtmlReport, foot: &str) -> Vec<u8> {
    let mut sheets = Sheets::new();
    let mut marks = Vec::new();
    text(&mut sheets, 0.0, &report.title, Look::new(Face::Bold, 18.0));
    sheets.skip(6.0);
    if !report.lead.is_empty() {
        text(&mut sheets, 0.0, &report.lead, Look::new(Face::Plain, SIZE + 1.0));
    }
    for section in &report.sections {
        self::section(&mut sheets, section, &mut marks);
    }
    heading(&mut sheets, "What was run", false, &mut marks);
    for (name, value) in report.provenance.entries() {
        text(
            &mut sheets,
            0.0,
            &format!("{name}: {value}"),
            Look::new(Face::Plain, SIZE),
        );
    }
    file(report, sheets.finish(&written(foot)), &marks)
}

fn section(sheets: &mut Sheets, section: &Section, marks: &mut Vec<Mark>) {
    heading(sheets, &section.heading, section.is_part, marks);
    let plain = Look::new(Face::Plain, SIZE);
    for block in &section.blocks {
        match block {
            Block::Paragraph(words) => {
                text(sheets, 0.0, words, plain);
                sheets.skip(4.0);
            }
            Block::List(items) => {
                for item in items {
                    sheets.need(plain.leading());
                    sheets.text(4.0, 0.0, "•", plain);
                    text(sheets, 14.0, item, plain);
                }
                sheets.skip(4.0);
            }
            Block::Table(table) => table::draw(sheets, table),
            Block::Figure(figure, caption) => {
                let look = Look::new(Face::Plain, SIZE);
                text(
                    sheets,
                    0.0,
                    &format!("Figure, in index.html: {}. {caption}", figure.title()),
                    look,
                );
                sheets.skip(4.0);
            }
            Block::Json(name, json) => {
                text(sheets, 0.0, name, Look::new(Face::Bold, SIZE));
                json.lines().for_each(|line| text(sheets, 0.0, line, plain));
            }
            Block::Entries(entries) => entries.iter().for_each(|one| entry(sheets, one)),
        }
    }
}

fn entry(sheets: &mut Sheets, entry: &Entry) {
    let (word, tone) = &entry.mark;
    let look = Look {
        tone: *tone,
        ..Look::new(Face::Bold, SIZE)
    };
    text(sheets, 0.0, &format!("{word}: {} {}", entry.line, entry.aside), look);
    for (name, fact) in &entry.facts {
        text(sheets, 14.0, &format!("{name}: {fact}"), Look::new(Face::Plain, SIZE));
    }
}

/// A heading with some of what follows.
fn heading(sheets: &mut Sheets, words: &str, is_part: bool, marks: &mut Vec<Mark>) {
    let look = Look::new(Face::Bold, if is_part { 11.0 } else { 13.0 });
    sheets.skip(if is_part { 8.0 } else { 14.0 });
    sheets.need(80.0);
    if !is_part {
        let (page, y) = sheets.place();
        marks.push(Mark {
            text: words.to_owned(),
            page,
            y,
        });
    }
    text(sheets, 0.0, words, look);
    sheets.skip(3.0);
}

/// Lines of text from `indent` on.
fn text(sheets: &mut Sheets, indent: f32, words: &str, look: Look) {
    for line in lines(&written(words), look.face, look.size, WIDTH - indent) {
        sheets.need(look.leading());
        sheets.text(indent, 0.0, &line, look);
        sheets.advance(look.leading());
    }
}

/// Puts pages, fonts and outline into a file.
fn file(report: &HtmlReport, pages: Vec<pdf_writer::Content>, marks: &[Mark]) -> Vec<u8> {
    let mut next = 0;
    let mut new = || {
        next += 1;
        Ref::new(next)
    };
    let (catalog, tree, info, outline) = (new(), new(), new(), new());
    let fonts = FONTS.map(|(_, name, base)| (new(), name, base));
    let ids: Vec<(Ref, Ref)> = pages.iter().map(|_| (new(), new())).collect();
    let items: Vec<Ref> = marks.iter().map(|_| new()).collect();
    let mut pdf = Pdf::new();
    {
        let mut catalog = pdf.catalog(catalog);
        catalog.pages(tree).lang(TextStr("en"));
        if !items.is_empty() {
            catalog.outlines(outline);
        }
    }
    pdf.document_info(info)
        .title(TextStr(&report.title))
        .creator(TextStr(&report.provenance.tool_line()));
    pdf.pages(tree)
        .kids(ids.iter().map(|(page, _)| *page))
        .count(i32::try_from(ids.len()).unwrap_or(i32::MAX));
    for (id, _, base) in fonts {
        pdf.type1_font(id)
            .base_font(base)
            .encoding_predefined(Name(b"WinAnsiEncoding"));
    }
    for (content, (page, stream)) in pages.into_iter().zip(&ids) {
        let mut page = pdf.page(*page);
        page.media_box(Rect::new(0.0, 0.0, PAPER.0, PAPER.1))
            .parent(tree)
            .contents(*stream);
        let mut resources = page.resources();
        let mut named = resources.fonts();
        for (id, name, _) in fonts {
            named.pair(name, id);
        }
        named.finish();
        resources.finish();
        page.finish();
        pdf.stream(*stream, &content.finish());
    }
    if let (Some(first), Some(last)) = (items.first(), items.last()) {
        let count = i32::try_from(items.len()).unwrap_or(i32::MAX);
        pdf.outline(outline).first(*first).last(*last).count(count);
    }
    for (number, mark) in marks.iter().enumerate() {
        let mut item = pdf.outline_item(items[number]);
        item.title(TextStr(&mark.text)).parent(outline);
        if let Some(before) = number.checked_sub(1) {
            item.prev(items[before]);
        }
        if let Some(after) = items.get(number + 1) {
            item.next(*after);
        }
        item.dest().page(ids[mark.page].0).xyz(0.0, mark.y, None);
    }
    pdf.finish()
}

#[cfg(test)]
mod tests;
