// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tables, JSON documents and the HTML report: golden files, escaping, and what they refuse.

use crate::support::{assert_golden, provenance};
use fresco_report::plot::{Axis, Heading, LineChart, Point, Series};
use fresco_report::{Cell, Column, Document, Entry, HtmlReport, ReportError, Section, Table, Tone};

fn table() -> Table {
    let columns = vec![
        Column::text("policy"),
        Column::number("co-runners", "", 0),
        Column::number("mean latency", "ns", 2),
        Column::number("slowdown", "x", 2),
        Column::text("remark"),
    ];
    let mut table = Table::new("Latency on core 0", columns);
    let rows = [
        (
            "samebank",
            3,
            Some(191.044),
            Some(3.13),
            "all four tasks share bank 0 and wait for each other's rows",
        ),
        ("diffbank", 3, Some(62.8), Some(1.03), "core 0 has bank 0 to itself"),
        ("buddy", 3, None, None, "not run"),
    ];
    for (policy, corunners, latency, slowdown, remark) in rows {
        let tone = if latency.is_none() { Tone::Faint } else { Tone::Plain };
        table
            .push(vec![
                policy.into(),
                Cell::Count(corunners),
                latency.into(),
                slowdown.into(),
                Cell::Text(remark.into(), tone),
            ])
            .unwrap();
    }
    table
}

#[test]
fn tables_match_their_golden_files() {
    let table = table();
    assert_golden("table.txt", &table.to_text_with(100, &provenance()));
    assert_golden("table_narrow.txt", &table.to_text(64));
    assert_golden("table.md", &table.to_markdown_with(&provenance()));
    let document = Document {
        schema: "fresco-example/1",
        provenance: &provenance(),
        data: &table,
    };
    assert_golden(
        "table.json",
        std::str::from_utf8(&document.to_bytes().unwrap()).unwrap(),
    );
}

#[test]
fn narrow_tables_keep_their_width_and_their_words() {
    let text = table().to_text(64);
    assert!(text.lines().all(|line| line.chars().count() <= 64), "{text}");
    let words = |text: &str| text.split_whitespace().filter(|word| !word.starts_with("--")).count();
    assert_eq!(words(&text), words(&table().to_text(1000)));
}

#[test]
fn an_empty_table_says_so() {
    let empty = Table::new("", vec![Column::text("a"), Column::number("b", "ms", 1)]);
    assert_eq!(empty.to_text(80), "a  b [ms]\n-  ------\n(no rows)\n");
    assert_eq!(empty.to_markdown(), "| a | b \\[ms\\] |\n| --- | ---: |\n");
}

#[test]
fn wrong_rows_are_refused_and_leave_the_table_as_it_was() {
    let mut table = table();
    let before = table.clone();
    let short = table.push(vec!["a".into()]);
    assert!(matches!(
        short,
        Err(ReportError::RowLength {
            row: 4,
            found: 1,
            expected: 5,
            ..
        })
    ));
    for bad in [f64::NAN, f64::INFINITY] {
        let row = vec!["a".into(), Cell::Missing, bad.into(), Cell::Missing, Cell::Missing];
        assert!(matches!(table.push(row), Err(ReportError::NotFinite { .. })));
    }
    assert_eq!(table, before);
}

#[test]
fn hostile_text_stays_text() {
    let mut table = Table::new("<b>&|`*_", vec![Column::text("<i>"), Column::text("x")]);
    table
        .push(vec!["</td><script>1</script>".into(), "a|b\n\u{1b}[31m".into()])
        .unwrap();
    let text = table.to_text(80);
    assert!(!text.contains('\u{1b}') && text.lines().count() == 4, "{text}");
    let markdown = table.to_markdown();
    assert!(
        !markdown.contains("<script") && markdown.contains("a\\|b"),
        "{markdown}"
    );
    let report = HtmlReport::new("a<b", "\"lead\" & <more>", provenance());
    let section = Section::new("<h>")
        .paragraph("<p>")
        .list(vec!["<li>".into()])
        .table(table);
    let entry = Entry {
        mark: ("<h>".into(), Tone::Good),
        line: "<script".into(),
        aside: "<more>".into(),
        facts: vec![("<raw>".into(), "<script>".into())],
    };
    let section = section.entries(vec![entry]).json("<raw>", &"</pre><script>").unwrap();
    let html = HtmlReport {
        sections: vec![section],
        ..report
    }
    .to_html();
    for bad in ["<script", "<raw>", "<h>", "<more>", "\u{1b}"] {
        assert!(!html.contains(bad), "{bad}");
    }
    assert!(html.contains("&lt;/pre&gt;&lt;script&gt;"));
}

#[test]
fn the_report_matches_its_golden_file() {
    let heading = Heading::new("Latency on core 0", "Xeon W3530, model").described("Flat with private banks.");
    let mut chart = LineChart::new(
        heading,
        Axis::new("co-runners", ""),
        Axis::new("latency", "ns").from_zero(),
    );
    let series = |name: &str, means: &[f64]| Series {
        name: name.to_owned(),
        points: means
            .iter()
            .enumerate()
            .map(|(x, &y)| Point::new(x as f64, y))
            .collect(),
    };
    chart.series = vec![
        series("samebank", &[61.0, 104.5, 148.2, 191.0]),
        series("diffbank", &[61.0, 61.9, 62.3, 62.8]),
    ];
    let mut report = HtmlReport::new(
        "Private banks against shared banks",
        "With private banks, core 0 does not notice its neighbours; with one bank for all, it waits three times as long.",
        provenance(),
    );
    report.sections = vec![
        Section::new("In one picture").figure(chart.to_svg(&provenance()).unwrap(), "Mean over 20000 reads."),
        Section::new("In numbers")
            .paragraph("Measured after a warm-up of one pass.")
            .table(table()),
        Section::new("Told apart")
            .entries(vec![Entry {
                mark: ("holds".into(), Tone::Good),
                line: "Private banks isolate".into(),
                aside: "paper 1 · here 1.02".into(),
                facts: vec![("where".into(), "table 2".into())],
            }])
            .part(),
        Section::new("Raw data")
            .list(vec!["one item".into()])
            .json("results.json", &table())
            .unwrap(),
    ];
    assert_golden("report.html", &report.to_html());
}

#[test]
fn the_report_needs_nothing_from_elsewhere() {
    let html = HtmlReport::new("t", "", provenance()).to_html();
    assert!(
        !html.contains("src=") && !html.contains("<link") && !html.contains("<script") && !html.contains("@import")
    );
    assert!(html.contains("<h2>What was run</h2>"));
}
