// SPDX-License-Identifier: MIT OR Apache-2.0
//! From report to HTML text. Everything that is not markup of our own goes through `escape`.

use super::{Block, Entry, HtmlReport, Section};
use crate::escape::escape;
use crate::plot::Svg;
use crate::{Cell, Column, Table, Tone};

const STYLE: &str = include_str!("style.css");

/// From this many sections on, the report starts with a list of them.
const CONTENTS_FROM: usize = 3;

pub(super) fn page(report: &HtmlReport) -> String {
    let mut out = String::new();
    let title = escape(&report.title);
    out.push_str("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    out.push_str("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    let generator = escape(&report.provenance.tool_line());
    out.push_str(&format!(
        "<meta name=\"generator\" content=\"{generator}\">\n<title>{title}</title>\n"
    ));
    out.push_str(&format!(
        "<style>\n{STYLE}{}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n",
        Svg::style()
    ));
    if !report.lead.is_empty() {
        out.push_str(&format!("<p class=\"lead\">{}</p>\n", escape(&report.lead)));
    }
    if report.sections.iter().filter(|section| !section.is_part).count() >= CONTENTS_FROM {
        contents(&mut out, report);
    }
    for (index, section) in report.sections.iter().enumerate() {
        push_section(&mut out, index, section);
    }
    what_was_run(&mut out, report);
    out.push_str("</main>\n</body>\n</html>\n");
    out
}

fn contents(out: &mut String, report: &HtmlReport) {
    out.push_str("<nav aria-label=\"Contents\">\n<ul>\n");
    for (index, section) in report
        .sections
        .iter()
        .enumerate()
        .filter(|(_, section)| !section.is_part)
    {
        out.push_str(&format!(
            "<li><a href=\"#s{}\">{}</a></li>\n",
            index + 1,
            escape(&section.heading)
        ));
    }
    out.push_str("<li><a href=\"#run\">What was run</a></li>\n</ul>\n</nav>\n");
}

fn push_section(out: &mut String, index: usize, section: &Section) {
    let level = if section.is_part { 3 } else { 2 };
    out.push_str(&format!(
        "<section id=\"s{}\">\n<h{level}>{}</h{level}>\n",
        index + 1,
        escape(&section.heading)
    ));
    for block in &section.blocks {
        push_block(out, block);
    }
    out.push_str("</section>\n");
}

fn push_block(out: &mut String, block: &Block) {
    match block {
        Block::Paragraph(text) => out.push_str(&format!("<p>{}</p>\n", escape(text))),
        Block::List(items) => {
            out.push_str("<ul>\n");
            for item in items {
                out.push_str(&format!("<li>{}</li>\n", escape(item)));
            }
            out.push_str("</ul>\n");
        }
        Block::Table(table) => push_table(out, table),
        Block::Figure(figure, caption) => {
            out.push_str("<figure class=\"plot\">\n");
            for (class, text) in [("wide", figure.wide()), ("narrow", figure.narrow())] {
                out.push_str(&format!("<div class=\"{class}\">{}</div>\n", text.trim_end()));
            }
            if !caption.is_empty() {
                out.push_str(&format!("<figcaption>{}</figcaption>\n", escape(caption)));
            }
            out.push_str("</figure>\n");
        }
        Block::Json(name, text) => {
            let (name, text) = (escape(name), escape(text));
            out.push_str(&format!(
                "<details>\n<summary>{name}</summary>\n<pre>{text}</pre>\n</details>\n"
            ));
        }
        Block::Entries(entries) => entries.iter().for_each(|entry| push_entry(out, entry)),
    }
}

fn push_entry(out: &mut String, entry: &Entry) {
    let (word, tone) = &entry.mark;
    let (word, line, aside) = (escape(word), escape(&entry.line), escape(&entry.aside));
    out.push_str(&format!(
        "<details class=\"entry\">\n<summary><b class=\"{}\">{word}</b> <span>{line}",
        tone_class(*tone)
    ));
    if !aside.is_empty() {
        out.push_str(&format!(" <i>{aside}</i>"));
    }
    out.push_str("</span></summary>\n<dl>\n");
    for (name, text) in &entry.facts {
        out.push_str(&format!("<dt>{}</dt><dd>{}</dd>\n", escape(name), escape(text)));
    }
    out.push_str("</dl>\n</details>\n");
}

fn tone_class(tone: Tone) -> &'static str {
    match tone {
        Tone::Good => "good",
        Tone::Bad => "bad",
        Tone::Faint => "faint",
        Tone::Plain => "",
    }
}

fn push_table(out: &mut String, table: &Table) {
    out.push_str("<figure>\n<div class=\"scroll\" tabindex=\"0\">\n<table>\n");
    if !table.title().is_empty() {
        out.push_str(&format!("<caption>{}</caption>\n", escape(table.title())));
    }
    out.push_str("<thead>\n<tr>");
    for column in table.columns() {
        push_heading(out, column);
    }
    out.push_str("</tr>\n</thead>\n<tbody>\n");
    for row in table.rows() {
        out.push_str("<tr>");
        let texts = table.row_texts(row);
        for ((cell, text), column) in row.iter().zip(&texts).zip(table.columns()) {
            let class = class(cell, column, text);
            let class = if class.is_empty() {
                String::new()
            } else {
                format!(" class=\"{class}\"")
            };
            out.push_str(&format!("<td{class}>{}</td>", escape(text)));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table>\n</div>\n</figure>\n");
}

fn push_heading(out: &mut String, column: &Column) {
    let class = if column.numeric { " class=\"num\"" } else { "" };
    out.push_str(&format!("<th scope=\"col\"{class}>{}", escape(&column.name)));
    if !column.unit.is_empty() {
        out.push_str(&format!(" <span class=\"unit\">{}</span>", escape(&column.unit)));
    }
    out.push_str("</th>");
}

/// Text longer than this many characters is wrapped in its cell, instead of squeezed to one word a line on a phone.
const LONG: usize = 32;

fn class(cell: &Cell, column: &Column, text: &str) -> &'static str {
    match cell {
        Cell::Text(_, tone @ (Tone::Good | Tone::Bad | Tone::Faint)) => tone_class(*tone),
        Cell::Text(..) if text.chars().count() > LONG => "long",
        _ if column.numeric => "num",
        _ => "",
    }
}

fn what_was_run(out: &mut String, report: &HtmlReport) {
    out.push_str("<section id=\"run\">\n<h2>What was run</h2>\n<dl>\n");
    for (name, value) in report.provenance.entries() {
        out.push_str(&format!("<dt>{name}</dt><dd>{}</dd>\n", escape(&value)));
    }
    out.push_str("</dl>\n</section>\n");
}
