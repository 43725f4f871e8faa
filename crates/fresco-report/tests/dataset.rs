// SPDX-License-Identifier: MIT OR Apache-2.0
//! Long tables as CSV and Parquet: both are read back, and hold the same rows.

use fresco_report::dataset::{DataColumn, DataTable, Kind, Value, to_csv, to_parquet};
use fresco_report::{InputFile, Provenance, ReportError};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use proptest::prelude::*;

fn columns() -> Vec<DataColumn> {
    let kinds = [
        ("run", Kind::Text),
        ("point", Kind::Integer),
        ("task", Kind::Text),
        ("count", Kind::Integer),
        ("value", Kind::Number),
        ("missed", Kind::Truth),
    ];
    kinds.map(|(name, kind)| DataColumn::new(name, kind)).to_vec()
}

fn provenance() -> Provenance {
    let mut provenance = Provenance::new("0.1.0", "fresco sim \"a\", b.toml", 7);
    provenance.machine_files = vec![InputFile::new("one", "01"), InputFile::new("two", "02")];
    provenance
}

/// The fields of a CSV file, its names first.
fn read_csv(bytes: &[u8]) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(bytes);
    let rows = reader.records().map(|row| row.expect("as many fields as names"));
    rows.map(|row| row.iter().map(str::to_owned).collect()).collect()
}

/// The same of a Parquet file.
fn read_parquet(bytes: Vec<u8>) -> Vec<Vec<String>> {
    let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).expect("a Parquet file");
    let schema = reader.metadata().file_metadata().schema_descr();
    let names = schema.columns().iter().map(|column| column.name().to_owned()).collect();
    let text = |field: &Field| match field {
        Field::Null => String::new(),
        Field::Str(text) => text.clone(),
        Field::Long(number) => number.to_string(),
        Field::Double(number) => number.to_string(),
        Field::Bool(truth) => truth.to_string(),
        other => panic!("a column of another kind: {other}"),
    };
    let rows = reader.get_row_iter(None).expect("rows").map(|row| row.expect("a row"));
    let rows = rows.map(|row| row.get_column_iter().map(|(_, field)| text(field)).collect());
    std::iter::once(names).chain(rows).collect()
}

#[test]
fn values_are_written_as_they_are_in_both_formats() {
    let mut table = DataTable::new("some", columns());
    table.begin(vec!["a, \"b\"".into(), 0u64.into()]);
    let row = |task: &str, count: Option<u64>, value: f64, missed: Option<bool>| {
        [task.into(), count.into(), Value::finite(value), missed.into()]
    };
    table.push(row("line\nbreak", Some(1), 0.1, Some(true))).expect("a row");
    table.push(row("farbe \u{f6}", None, f64::NAN, None)).expect("a row");
    table.begin(vec!["c".into(), Value::Missing]);
    table.push(row("", Some(u64::MAX), 1e300, Some(false))).expect("a row");
    assert_eq!(table.rows(), 3);
    let found = read_csv(&to_csv(&table).expect("written"));
    let big = 1e300.to_string();
    let wanted = [
        ["run", "point", "task", "count", "value", "missed"],
        ["a, \"b\"", "0", "line\nbreak", "1", "0.1", "true"],
        ["a, \"b\"", "0", "farbe \u{f6}", "", "", ""],
        ["c", "", "", "9223372036854775807", &big, "false"],
    ];
    assert_eq!(found, wanted.map(|row| row.map(str::to_owned).to_vec()));
    let parquet = to_parquet(&table, &provenance()).expect("written");
    assert_eq!(read_parquet(parquet), found);
}

#[test]
fn what_was_run_stands_in_the_metadata() {
    let table = DataTable::new("none", columns());
    let bytes = to_parquet(&table, &provenance()).expect("written");
    assert_eq!(
        bytes,
        to_parquet(&table, &provenance()).expect("written"),
        "the same bytes"
    );
    let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).expect("a Parquet file");
    let file = reader.metadata().file_metadata();
    assert_eq!((file.num_rows(), file.created_by()), (0, Some("fresco 0.1.0")));
    let entries = file.key_value_metadata().expect("metadata");
    let of = |key: &str| {
        let entry = entries.iter().find(|entry| entry.key == key);
        entry
            .and_then(|entry| entry.value.clone())
            .unwrap_or_else(|| panic!("no {key}"))
    };
    assert_eq!(of("fresco.command"), "fresco sim \"a\", b.toml");
    assert_eq!(of("fresco.seed"), "7");
    assert_eq!(of("fresco.machine"), "one (digest 01)\ntwo (digest 02)");
    let whole: Provenance = serde_json::from_str(&of("fresco.provenance")).expect("JSON");
    assert_eq!(whole, provenance());
}

#[test]
fn rows_that_do_not_fit_are_refused_and_not_kept() {
    let mut table = DataTable::new("some", columns());
    table.begin(vec!["a".into(), 0u64.into()]);
    let short = table.push(["task".into()]).expect_err("short");
    assert!(
        matches!(
            short,
            ReportError::RowLength {
                found: 3,
                expected: 6,
                row: 1,
                ..
            }
        ),
        "{short}"
    );
    let kind = table.push(["task".into(), 1u64.into(), 1u64.into(), true.into()]);
    assert!(kind.is_err_and(|error| error.to_string().contains("column value")));
    let infinite = table.push(["task".into(), 1u64.into(), Value::Number(f64::INFINITY), true.into()]);
    assert!(matches!(infinite, Err(ReportError::NotFinite { .. })));
    assert_eq!(table.rows(), 0);
    table
        .push(["task".into(), 1u64.into(), Value::Number(1.0), true.into()])
        .expect("a row");
    assert_eq!(table.rows(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(41), ..ProptestConfig::default() })]

    #[test]
    fn both_formats_hold_the_same_rows(rows in prop::collection::vec(
        ("\\PC{0,6}", any::<Option<u64>>(), any::<f64>(), any::<Option<bool>>(), any::<bool>()), 1..40,
    )) {
        let mut table = DataTable::new("some", columns());
        table.begin(vec!["first".into(), 0u64.into()]);
        for (number, (task, count, value, missed, next)) in rows.iter().enumerate() {
            if *next {
                table.begin(vec![task.as_str().into(), number.into()]);
            }
            let row = [task.as_str().into(), (*count).into(), Value::finite(*value), (*missed).into()];
            prop_assert!(table.push(row).is_ok());
        }
        prop_assert_eq!(table.rows(), rows.len());
        let found = read_csv(&to_csv(&table).expect("written"));
        for (row, (task, _, value, _, _)) in std::iter::zip(&found[1..], &rows) {
            prop_assert_eq!(&row[2], task);
            prop_assert_eq!(row[4].parse().ok(), value.is_finite().then_some(*value));
        }
        let parquet = read_parquet(to_parquet(&table, &provenance()).expect("written"));
        prop_assert_eq!(parquet, found);
    }
}
