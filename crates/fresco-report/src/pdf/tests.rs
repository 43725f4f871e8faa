// SPDX-License-Identifier: MIT OR Apache-2.0

use super::*;
use crate::{Cell, Column, Provenance, Section, Table, Tone};

/// The texts of each page, read back from the file: streams are not compressed, strings literal or hexadecimal.
fn pages(pdf: &[u8]) -> Vec<Vec<String>> {
    let text: String = pdf.iter().map(|&byte| char::from(byte)).collect();
    let streams = text.split("stream\n").skip(1).step_by(2);
    let page = |stream: &str| {
        let lines = stream.lines().filter_map(|line| line.strip_suffix(" Tj"));
        lines.map(read).collect()
    };
    streams.map(page).collect()
}

fn read(string: &str) -> String {
    if let Some(digits) = string.strip_prefix('<') {
        let digits = digits.trim_end_matches('>');
        let bytes = (0..digits.len() / 2).map(|n| u8::from_str_radix(&digits[2 * n..2 * n + 2], 16).expect("digits"));
        return bytes.map(char::from).collect();
    }
    let inner = &string[1..string.len() - 1];
    let mut out = String::new();
    let mut letters = inner.chars();
    while let Some(letter) = letters.next() {
        out.push(match letter {
            '\\' => letters.next().expect("an escaped letter"),
            letter => letter,
        });
    }
    out
}

fn report(rows: usize) -> HtmlReport {
    let mut table = Table::new(
        "Claims (all)",
        vec![Column::text("about"), Column::number("longest", "ns", 1)],
    );
    for row in 0..rows {
        let name = Cell::Text(format!("task {row}"), Tone::Good);
        table.push(vec![name, Cell::Number(row as f64)]).expect("fits");
    }
    let provenance = Provenance::new("0.1.0", "fresco evidence a.toml", 1);
    let mut report = HtmlReport::new("Evidence", "All holds.", provenance);
    report.sections.push(Section::new("1. Claims").table(table));
    report
        .sections
        .push(Section::new("2. Files").list(vec!["é ≤ ☃ (a\\b)".to_owned()]));
    report
}

#[test]
fn every_page_of_a_table_begins_with_its_headings() {
    let pdf = report(200).to_pdf("digest 0123");
    let pages = pages(&pdf);
    assert!(pages.len() >= 3, "{}", pages.len());
    for (number, page) in pages.iter().enumerate() {
        assert!(page.contains(&"digest 0123".to_owned()), "{page:?}");
        assert!(
            page.contains(&format!("page {} of {}", number + 1, pages.len())),
            "{page:?}"
        );
        if page.iter().any(|text| text.starts_with("task ")) {
            assert!(
                page.contains(&"about".to_owned()) && page.contains(&"longest [ns]".to_owned()),
                "{page:?}"
            );
        }
    }
    let rows: Vec<&String> = pages
        .iter()
        .flatten()
        .filter(|text| text.starts_with("task "))
        .collect();
    let expected: Vec<String> = (0..200).map(|row| format!("task {row}")).collect();
    assert_eq!(rows, expected.iter().collect::<Vec<_>>(), "each row once, in order");
    assert_eq!(pdf, report(200).to_pdf("digest 0123"), "the same bytes");
}

#[test]
fn letters_that_the_fonts_have_not_are_written_otherwise() {
    let all = pages(&report(1).to_pdf("")).concat();
    assert!(all.contains(&"\u{e9} <= \\u{2603} (a\\b)".to_owned()), "{all:?}");
    assert!(all.contains(&"command: fresco evidence a.toml".to_owned()), "{all:?}");
}

/// A row that is longer than a page goes on on the next ones, and nothing of it is lost.
#[test]
fn a_row_longer_than_a_page_is_cut() {
    let words: Vec<String> = (0..6000).map(|number| format!("w{number}")).collect();
    let mut table = Table::new("Long", vec![Column::text("name"), Column::text("words")]);
    table.push(vec!["a".into(), words.join(" ").into()]).expect("fits");
    let mut report = report(1);
    report.sections[0] = Section::new("1").table(table);
    let pages = pages(&report.to_pdf(""));
    let all = pages.concat().join(" ");
    let found: Vec<&str> = all
        .split(' ')
        .filter(|word| word.starts_with('w') && word[1..].parse::<u32>().is_ok())
        .collect();
    assert!(pages.len() > 3);
    assert_eq!(found, words);
}
