// SPDX-License-Identifier: MIT OR Apache-2.0

use crate::metrics::ALL;
use crate::tables::Tables;
use fresco_report::dataset::{DataTable, Kind};
use fresco_system::Axis;
use std::collections::BTreeSet;

const PAGE: &str = include_str!("../../../docs/file-formats.md");
const HEADING: &str = "| metric | unit | of | meaning |\n| --- | --- | --- | --- |\n";

/// The rows of the page's table of metrics, as the code has them.
fn rows() -> String {
    let row = |metric: &crate::metrics::Metric| {
        let of: Vec<&str> = metric.of.iter().map(|subject| subject.name()).collect();
        let (name, unit) = (metric.name, metric.unit);
        format!("| `{name}` | {unit} | {} | {} |\n", of.join(", "), metric.meaning)
    };
    ALL.iter().map(row).collect()
}

#[test]
fn the_page_has_the_metrics_of_the_code() {
    let start = PAGE.find(HEADING).expect("a table of metrics") + HEADING.len();
    let end = start + PAGE[start..].find("\n\n").map_or(PAGE.len() - start, |end| end + 1);
    let end = if PAGE[start..].starts_with('\n') { start } else { end };
    let wanted = rows();
    if std::env::var_os("FRESCO_BLESS").is_some() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/file-formats.md");
        let text = format!("{}{wanted}{}", &PAGE[..start], &PAGE[end..]);
        std::fs::write(page, text).expect("writable");
        return;
    }
    assert_eq!(&PAGE[start..end], wanted, "write it with FRESCO_BLESS=1");
}

#[test]
fn names_and_units_are_clear() {
    let names: BTreeSet<&str> = ALL.iter().map(|metric| metric.name).collect();
    assert_eq!(names.len(), ALL.len(), "each name once");
    let units = ["ns", "count", "ratio", "bytes", "bytes/s", "pJ", "W"];
    for metric in ALL {
        assert!(units.contains(&metric.unit), "{}: {}", metric.name, metric.unit);
        assert!(
            !metric.of.is_empty() && !metric.meaning.contains('|'),
            "{}",
            metric.name
        );
    }
}

fn axis(name: &str, values: &[&str]) -> Axis {
    Axis {
        name: name.to_owned(),
        values: values.iter().map(|value| (*value).to_owned()).collect(),
    }
}

#[test]
fn the_page_explains_every_column() {
    let tables = Tables::new(&[axis("corunners", &["0"])]);
    let section = PAGE
        .split("\n## Tables\n")
        .nth(1)
        .and_then(|rest| rest.split("\n## ").next());
    let section = section.expect("a section on tables");
    let quoted: BTreeSet<&str> = section.split('`').skip(1).step_by(2).collect();
    for table in tables.all() {
        for column in table.columns() {
            let name = match column.name.starts_with("axis.") {
                true => "axis.KEY",
                false => &column.name,
            };
            assert!(quoted.contains(name), "{}: {name}", table.name);
        }
        assert!(quoted.contains(table.name), "{}", table.name);
    }
}

#[test]
fn an_axis_of_numbers_is_a_column_of_numbers() {
    let axes = [
        axis("corunners", &["0", "3"]),
        axis("pace", &["0", "9223372036854775808"]),
        axis("share", &["1", "2"]),
        axis("share", &["0.5"]),
        axis("policy", &["samebank", "1"]),
        axis("corunners", &["1"]),
        axis("limit", &["inf", "1"]),
        axis("mixed", &["1"]),
        axis("mixed", &["one"]),
    ];
    let tables = Tables::new(&axes);
    let table: &DataTable = tables.filled()[0];
    let of = |name: &str| {
        let own = table.columns().iter().filter(|column| column.name == name);
        own.map(|column| column.kind).collect::<Vec<_>>()
    };
    assert_eq!(of("axis.corunners"), [Kind::Integer]);
    for number in ["axis.pace", "axis.share"] {
        assert_eq!(of(number), [Kind::Number], "{number}");
    }
    for text in ["axis.policy", "axis.limit", "axis.mixed"] {
        assert_eq!(of(text), [Kind::Text], "{text}");
    }
    assert_eq!(tables.filled().len(), 1, "empty tables are left out, but for one");
}
