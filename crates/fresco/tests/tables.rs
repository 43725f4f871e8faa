// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco sim --csv` and `--parquet`: the same rows in both, and the values of the JSON of the same run.

use crate::common::files::{MACHINE, SWEPT, TASKS, periodic};
use crate::common::{directory_with, first_run, json, refused, stdout};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::Path;

/// A row: its fields by the names of their columns.
type Row = BTreeMap<String, String>;

fn csv_rows(path: &Path) -> Vec<Row> {
    let mut reader = csv::Reader::from_path(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let names: Vec<String> = reader.headers().expect("names").iter().map(str::to_owned).collect();
    let row = |row: csv::StringRecord| names.iter().cloned().zip(row.iter().map(str::to_owned)).collect();
    reader.records().map(|record| row(record.expect("a row"))).collect()
}

fn parquet_rows(path: &Path) -> Vec<Row> {
    let reader = SerializedFileReader::new(File::open(path).expect("is there")).expect("a Parquet file");
    let text = |field: &Field| match field {
        Field::Null => String::new(),
        Field::Str(text) => text.clone(),
        other => other.to_string(),
    };
    let number = |field: &Field| match field {
        // Numbers of CSV have no exponents.
        Field::Double(number) => number.to_string(),
        other => text(other),
    };
    let rows = reader.get_row_iter(None).expect("rows");
    rows.map(|row| {
        let row = row.expect("a row");
        row.get_column_iter()
            .map(|(name, field)| (name.clone(), number(field)))
            .collect()
    })
    .collect()
}

/// The names of the tables of a format, after a comparison of both formats.
fn compared(directory: &Path) -> BTreeSet<String> {
    let names = |ending: &str| {
        let entries = fs::read_dir(directory)
            .expect("readable")
            .map(|entry| entry.expect("an entry").file_name());
        let names = entries.map(|name| name.into_string().expect("UTF-8"));
        names
            .filter_map(|name| Some(name.strip_suffix(ending)?.to_owned()))
            .collect::<BTreeSet<_>>()
    };
    for name in names(".csv") {
        let csv = csv_rows(&directory.join(format!("{name}.csv")));
        let parquet = parquet_rows(&directory.join(format!("{name}.parquet")));
        assert!(
            !csv.is_empty() && csv == parquet,
            "{name}: {} rows, {}",
            csv.len(),
            parquet.len()
        );
    }
    assert_eq!(names(".csv"), names(".parquet"));
    names(".csv")
}

/// The value of a metric; the row is the only one of its kind.
fn value(rows: &[Row], metric: &str, of: &[(&str, &str)]) -> f64 {
    let is_it = |row: &&Row| row["metric"] == metric && of.iter().all(|(column, wanted)| row[*column] == *wanted);
    let found: Vec<&Row> = rows.iter().filter(is_it).collect();
    assert_eq!(found.len(), 1, "{metric} of {of:?}: {found:?}");
    found[0]["value"].parse().expect("a number")
}

fn prepared() -> tempfile::TempDir {
    directory_with(&[
        ("small.toml", MACHINE),
        // Repeated, and with the checker.
        ("s.toml", &format!("repetitions = 2\ncheck = true\n{SWEPT}")),
        ("p.toml", &periodic(0, "")),
        ("t.toml", TASKS),
    ])
}

fn number(value: &Value) -> Read {
    Read(value.as_f64().unwrap_or_else(|| panic!("{value} is no number")))
}

/// A number of a JSON document. The reader of these tests may be off by the last bit.
#[derive(Clone, Copy, Debug)]
struct Read(f64);

impl PartialEq<Read> for f64 {
    fn eq(&self, read: &Read) -> bool {
        (self - read.0).abs() <= self.abs() * f64::EPSILON
    }
}

impl std::ops::Div<f64> for Read {
    type Output = Self;

    fn div(self, by: f64) -> Self {
        Self(self.0 / by)
    }
}

#[test]
fn tables_of_a_scenario_have_the_values_of_its_json() {
    let directory = prepared();
    let document = json(
        &["sim", "s.toml", "--json", "--csv", "d", "--parquet", "d", "--out", "d"],
        directory.path(),
    );
    let out = directory.path().join("d");
    let names = compared(&out);
    assert_eq!(
        Vec::from_iter(&names),
        ["latencies", "observations", "periods", "spans"]
    );
    let rows = csv_rows(&out.join("observations.csv"));
    let scenario = &document["data"]["scenarios"][0];
    for point in scenario["points"].as_array().expect("points") {
        let mut slowdowns = Vec::new();
        for run in point["runs"].as_array().expect("runs") {
            let text = |name: &str| run[name].to_string();
            let (number_of_point, repetition, seed) = (text("point"), text("repetition"), text("seed"));
            let corunners = point["values"][0].as_str().expect("a value");
            let identity = [
                ("scenario", "s"),
                ("machine", "small"),
                ("method", ""),
                ("point", &number_of_point),
                ("axis.corunners", corunners),
                ("repetition", &repetition),
                ("seed", &seed),
            ];
            for task in run["tasks"].as_array().expect("tasks") {
                let name = task["name"].as_str().expect("a name");
                let of = [
                    &identity[..],
                    &[("task", name), ("subject_kind", "task"), ("subject", name)],
                ]
                .concat();
                let of = |metric: &str| value(&rows, metric, &of);
                assert_eq!(of("run_time"), number(&task["run_time_ps"]) / 1000.0);
                assert_eq!(of("instructions_per_cycle"), number(&task["instructions_per_cycle"]));
                assert_eq!(of("read_latency_p99_9"), number(&task["reads"]["latency"]["p99_9_ns"]));
                assert_eq!(of("read_bank"), number(&task["reads"]["anatomy"]["bank_ns"]));
                assert_eq!(of("row_conflicts"), number(&task["reads"]["rows"]["conflicts"]));
                assert_eq!(of("llc_misses"), number(&task["caches"]["llc"]["misses"]));
                assert_eq!(of("allocation_time_max"), number(&task["pages"]["allocation_max_ns"]));
                if name == "chase" && number_of_point == "1" {
                    slowdowns.push(of("slowdown"));
                }
                for pair in task["pages"]["by_bank"].as_array().expect("pairs") {
                    let bank = pair[0].to_string();
                    let of = [
                        &identity[..],
                        &[("task", name), ("subject_kind", "bank"), ("subject", &bank)],
                    ]
                    .concat();
                    assert_eq!(value(&rows, "pages", &of), number(&pair[1]));
                }
                let core = task["core"].to_string();
                let of = [
                    &identity[..],
                    &[("task", ""), ("subject_kind", "core"), ("subject", &core)],
                ]
                .concat();
                let regulation = &task["regulation"];
                assert_eq!(value(&rows, "stalled_time", &of), number(&regulation["stalled_ns"]));
                assert_eq!(value(&rows, "budget_lines_used", &of), number(&regulation["used"]));
            }
            let of = [&identity[..], &[("subject_kind", "controller"), ("subject", "0")]].concat();
            assert_eq!(
                value(&rows, "refreshes", &of),
                number(&run["controllers"][0]["refreshes"])
            );
            let of = [&identity[..], &[("subject_kind", "run"), ("subject", "s")]].concat();
            assert_eq!(
                value(&rows, "commands_checked", &of),
                number(&run["checker"]["commands"])
            );
        }
        if let Some(mean) = point["tasks"][0]["slowdown"]["mean"].as_f64() {
            assert_eq!(slowdowns.iter().sum::<f64>() / slowdowns.len() as f64, Read(mean));
        }
    }
    let lines = |rows: &[Row]| -> u64 {
        rows.iter()
            .map(|row| row["lines"].parse::<u64>().expect("a count"))
            .sum()
    };
    let used = rows.iter().filter(|row| row["metric"] == "budget_lines_used");
    let used: f64 = used.map(|row| row["value"].parse::<f64>().expect("a number")).sum();
    assert!(used > 0.0 && lines(&csv_rows(&out.join("periods.csv"))) as f64 == used);
    let beside: Value =
        serde_json::from_slice(&fs::read(out.join("provenance.json")).expect("is there")).expect("JSON");
    assert_eq!(beside, document["provenance"]);
    let reader =
        SerializedFileReader::new(File::open(out.join("periods.parquet")).expect("is there")).expect("Parquet");
    let entries = reader
        .metadata()
        .file_metadata()
        .key_value_metadata()
        .expect("metadata");
    let entry = entries
        .iter()
        .find(|entry| entry.key == "fresco.provenance")
        .expect("a provenance");
    let within: Value = serde_json::from_str(entry.value.as_deref().expect("a value")).expect("JSON");
    assert_eq!(within, document["provenance"]);
    assert!(
        out.join("index.html").is_file(),
        "a report may be in the same directory"
    );
}

#[test]
fn jobs_and_spans_are_those_of_the_json() {
    let directory = prepared();
    let out = directory.path().join("d");
    let words = ["--json", "--csv", "d", "--parquet", "d"];
    let run = |first: &[&str]| json(&[first, &words[..]].concat(), directory.path());
    let optional = |row: &Row, column: &str, ps: &Value| {
        let wanted = ps.as_f64().map(|ps| ps / 1000.0);
        assert_eq!(row[column].parse().ok(), wanted, "{column}");
    };
    let jobs = |tasks: &Value, of: fn(&Value) -> &Value| {
        let rows = csv_rows(&out.join("jobs.csv"));
        let mut rows = rows.iter();
        for task in tasks.as_array().expect("tasks") {
            for job in of(task).as_array().unwrap_or(&Vec::new()) {
                let row = rows.next().expect("a row for each job");
                assert_eq!(
                    (row["task"].as_str(), &row["job"]),
                    (task["name"].as_str().expect("a name"), &job["job"].to_string())
                );
                for column in ["release", "start", "end", "deadline", "execution"] {
                    optional(row, &format!("{column}_ns"), &job[format!("{column}_ps")]);
                }
                if let (Some(end), Some(deadline)) = (job["end_ps"].as_u64(), job["deadline_ps"].as_u64()) {
                    assert_eq!(row["missed"], (end > deadline).to_string());
                }
            }
        }
        assert_eq!(rows.next(), None);
    };
    let spans = |timeline: &Value| {
        let rows = csv_rows(&out.join("spans.csv"));
        let of = |kind: &str| rows.iter().filter(|row| row["kind"] == kind).collect::<Vec<_>>();
        let handlers = rows.iter().filter(|row| row["kind"].ends_with("handler")).count();
        assert_eq!(
            of("run").len() + handlers,
            timeline["runs"].as_array().expect("runs").len()
        );
        for (kind, list) in [("owner", "owners"), ("lock", "locks"), ("refresh", "refreshes")] {
            let spans = timeline[list].as_array().expect("a list");
            assert_eq!(of(kind).len(), spans.len(), "{kind}");
            for (row, span) in std::iter::zip(of(kind), spans) {
                optional(row, "start_ns", &span["start_ps"]);
                optional(row, "end_ns", &span["end_ps"]);
            }
        }
    };
    let document = run(&["sim", "p.toml"]);
    let names = compared(&out);
    assert!(names.contains("jobs") && names.contains("spans"), "{names:?}");
    let run_of = first_run(&document);
    jobs(&run_of["tasks"], |task| &task["jobs"]["jobs"]);
    spans(&run_of["timeline"]);
    stdout(
        &["plan", "t.toml", "--method", "crs", "--out", "plan.json"],
        directory.path(),
    );
    let document = run(&["sim", "plan.json", "--horizon", "64ms"]);
    compared(&out);
    let result = first_run(&document);
    jobs(&result["tasks"], |task| &task["jobs"]["jobs"]);
    spans(&result["timeline"]);
    let rows = csv_rows(&out.join("observations.csv"));
    assert!(rows.iter().all(|row| row["method"] == "crs" && row["point"] == "0"));
    let of = [("subject_kind", "core"), ("subject", "0")];
    assert_eq!(
        value(&rows, "handler_time", &of),
        number(&result["cores"][0]["handler_ps"]) / 1000.0
    );
    let kept = result["promises"].as_array().expect("promises");
    let rows: Vec<&Row> = rows.iter().filter(|row| row["metric"] == "kept").collect();
    let said: Vec<bool> = rows.iter().map(|row| row["value"] == "1").collect();
    assert_eq!(said, Vec::from_iter(kept.iter().map(|one| one["kept"] == true)));
}

#[test]
fn tables_replace_their_own_files_and_no_others() {
    let directory = prepared();
    let path = |name: &str| directory.path().join(name);
    let text = stdout(&["sim", "p.toml", "--csv", "d"], directory.path());
    assert!(text.contains("tables   d/observations.csv"), "{text}");
    let bytes = fs::read(path("d/observations.csv")).expect("is there");
    fs::write(path("d/mine.csv"), "mine").expect("writable");
    assert!(path("d/jobs.csv").is_file());
    stdout(&["sim", "s.toml", "--csv", "d"], directory.path());
    assert!(!path("d/jobs.csv").exists(), "there are no jobs any more");
    stdout(&["sim", "p.toml", "--csv", "d", "--threads", "2"], directory.path());
    assert_eq!(
        fs::read(path("d/observations.csv")).expect("is there"),
        bytes,
        "the same bytes again"
    );
    assert_eq!(fs::read(path("d/mine.csv")).expect("is there"), b"mine");
    fs::create_dir(path("e")).expect("writable");
    for (option, name) in [
        ("--csv", "provenance.json"),
        ("--csv", "jobs.csv"),
        ("--parquet", "spans.parquet"),
    ] {
        fs::write(path("e").join(name), "mine").expect("writable");
        let told = refused(&["sim", "p.toml", option, "e"], directory.path());
        assert!(
            told.contains(&format!("e/{name}: {option}: found a file that no table has put there")),
            "{told}"
        );
        assert_eq!(fs::read(path("e").join(name)).expect("is there"), b"mine");
        fs::remove_file(path("e").join(name)).expect("is there");
        fs::hard_link(path("p.toml"), path("e").join(name)).expect("a link");
        let told = refused(&["sim", "p.toml", option, "e"], directory.path());
        assert!(told.contains("found the file that is read as"), "{told}");
        fs::remove_file(path("e").join(name)).expect("is there");
    }
    let told = refused(&["sim", "p.toml", "--parquet", "small.toml"], directory.path());
    assert!(told.contains("small.toml: --parquet: found a file"), "{told}");
}
