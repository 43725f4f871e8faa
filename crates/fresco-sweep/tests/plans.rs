// SPDX-License-Identifier: MIT OR Apache-2.0
//! Points that are planned: what `fresco sim` makes of the same, kept and found again as all results are.

use crate::common::{merged, run};
use crate::results::{found, parquet_bytes};
use fresco_plan::TaskSet;
use fresco_report::dataset::Value;
use fresco_scenario::Source;
use fresco_sweep::{Shard, State, Sweep, look, summarize};
use fresco_system::planned::{self, Run};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use std::fs;
use std::path::Path;

/// Two tasks on one core.
const TASKS: &str = r#"name = "two"
machine = "./own.toml"
[plan]
cores = 1
refresh_jitter = "0 ns"
[[task]]
name = "control"
period = "4 ms"
wcet = "1 ms"
memory = "64 KiB"
[[task]]
name = "radio"
period = "8 ms"
wcet = "1 ms"
memory = "64 KiB"
"#;

/// Six points: with 1 ms both methods have a plan; with 5.9 ms the servers of the first leave no time, by its locks; with 7 ms the tasks have a
/// utilisation above 1, which is told as they are read; there is no plan of them either.
const PLANS: &str = r#"scenario = "./two.toml"
[plan_run]
horizon = "16 ms"
[grid]
plan.method = ["crs", "auto-refresh"]
task.radio.wcet = ["1 ms", "5.99 ms", "7 ms"]
"#;

/// A directory with these.
fn directory() -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    let machine = fresco_machine::builtin_text("ss-rtmc").expect("built in");
    for (name, text) in [("own.toml", machine), ("two.toml", TASKS), ("s.toml", PLANS)] {
        fs::write(directory.path().join(name), text).expect("written");
    }
    directory
}

fn sweep(directory: &Path) -> Sweep {
    Sweep::load(directory.join("s.toml"), &[]).unwrap_or_else(|error| panic!("{error}"))
}

/// The numbers that were observed at a point, in order.
fn observed(table: &[u8], point: i64) -> Vec<f64> {
    let reader = SerializedFileReader::new(parquet_bytes(table)).expect("a table");
    let rows = reader.get_row_iter(None).expect("rows").map(|row| row.expect("a row"));
    let mut values = Vec::new();
    for row in rows {
        let of = |key: &str| {
            row.get_column_iter()
                .find(|(name, _)| *name == key)
                .map(|(_, field)| field.clone())
        };
        let number = match of("point") {
            Some(Field::Int(number)) => i64::from(number),
            Some(Field::UInt(number)) => i64::from(number),
            Some(Field::Long(number)) => number,
            other => panic!("{other:?}"),
        };
        if let (true, Some(Field::Double(value))) = (number == point, of("value")) {
            values.push(value);
        }
    }
    values
}

#[test]
fn a_point_is_planned_and_the_plan_is_simulated() {
    let directory = directory();
    let (here, out) = (directory.path(), directory.path().join("out"));
    let ran = run(&sweep(here), &out, Shard::WHOLE, false).expect("runs");
    assert_eq!((ran.total, ran.run), (6, 6));
    let [observations, points] = merged(&sweep(here), &out);
    let sweep = sweep(here);
    let index = look(&out).expect("a sweep");
    let failure = |number: u32| match index.state(&sweep, &sweep.point(number), &sweep.inputs()) {
        State::Failed(failure) => Some((failure.status, failure.message)),
        State::Done => None,
        State::Missing => panic!("{number} is missing"),
    };
    assert_eq!((failure(0), failure(3)), (None, None));
    let (status, told) = failure(1).expect("there is no plan");
    assert!(
        status == 1 && told.starts_with("two: there is no plan by crs: "),
        "{status}: {told}"
    );
    for number in [2, 5] {
        let (status, told) = failure(number).expect("more than a core");
        assert!(
            status == 1 && told.contains("found a utilisation of 1.125"),
            "{status}: {told}"
        );
    }
    assert_eq!(found(&points, "status", "failed"), ran.failed as usize);
    assert!(found(&observations, "metric", "kept") > 0, "promises are observed");
    // What `fresco sim` does: the same numbers in the same order.
    let overrides = sweep.point(0).set();
    let source = Source::read(here.join("two.toml")).expect("a scenario");
    let set = TaskSet::of(&source, &overrides).expect("tasks");
    let plan = fresco_plan::plan(&set).expect("a plan");
    let made = Run {
        horizon_ns: Some(16_000_000),
        ..Run::default()
    };
    let result = planned::simulate(&plan, &set.machine, made).expect("runs");
    let tables = fresco_tidy::scenarios(&[result]).expect("tables");
    let rows = tables.all()[0].blocks().flat_map(|(_, values)| values);
    let values: Vec<f64> = rows
        .filter_map(|value| match value {
            Value::Number(value) => Some(*value),
            _ => None,
        })
        .collect();
    assert!(values.len() > 50, "{}", values.len());
    assert_eq!(observed(&observations, 0), values);
}

/// What a sweep over these execution times finds before jobs are submitted, and the statuses of its points.
fn statuses(times: &str) -> (Result<(), String>, Vec<Option<u8>>) {
    let directory = directory();
    let (here, out) = (directory.path(), directory.path().join("out"));
    let text =
        format!("scenario = \"./two.toml\"\n[plan_run]\nhorizon = \"16 ms\"\n[grid]\ntask.radio.wcet = {times}\n");
    fs::write(here.join("s.toml"), text).expect("written");
    let sweep = sweep(here);
    run(&sweep, &out, Shard::WHOLE, false).expect("runs");
    let index = look(&out).expect("a sweep");
    let inputs = sweep.inputs();
    let status = |number| match index.state(&sweep, &sweep.point(number), &inputs) {
        State::Failed(failure) => Some(failure.status),
        _ => None,
    };
    let statuses = (0..sweep.points()).map(status).collect();
    (sweep.check().map_err(|error| error.to_string()), statuses)
}

#[test]
fn a_load_that_cannot_be_planned_has_failed_wherever_it_stands() {
    // More than a core, more than its own deadline: both are known as tasks are read.
    assert_eq!(
        statuses(r#"["7 ms", "9 ms", "1 ms"]"#),
        (Ok(()), vec![Some(1), Some(1), None])
    );
    assert_eq!(
        statuses(r#"["1 ms", "9 ms", "7 ms"]"#),
        (Ok(()), vec![None, Some(1), Some(1)])
    );
    // What is no load at all is wrong in the file.
    let (wrong, _) = statuses(r#"["7 mss", "1 ms"]"#);
    assert!(wrong.is_err_and(|told| told.contains("grid.task.radio.wcet")));
}

#[test]
fn whoever_runs_plans_and_however_often_makes_the_same_tables() {
    let directory = directory();
    let here = directory.path();
    let (whole, parts) = (here.join("whole"), here.join("parts"));
    run(&sweep(here), &whole, Shard::WHOLE, false).expect("runs");
    for number in [2, 0, 1] {
        run(&sweep(here), &parts, Shard { number, of: 3 }, false).expect("runs");
    }
    let tables = merged(&sweep(here), &whole);
    assert!(tables == merged(&sweep(here), &parts), "the tables differ");
    // Killed while it wrote: the last frame is not whole.
    let segments = fs::read_dir(whole.join("segments")).expect("there");
    let segment = segments
        .map(|entry| entry.expect("readable").path())
        .next()
        .expect("a segment");
    let bytes = fs::read(&segment).expect("there");
    fs::write(&segment, &bytes[..bytes.len() - 7]).expect("written");
    let missing = || summarize(&sweep(here), &look(&whole).expect("a sweep"), Shard::WHOLE).missing;
    assert!(missing() > 0);
    run(&sweep(here), &whole, Shard::WHOLE, false).expect("runs");
    assert!(
        missing() == 0 && merged(&sweep(here), &whole) == tables,
        "the tables differ"
    );
}

/// The points that a run makes anew, but for those that fail as they are read.
fn run_anew(here: &Path, out: &Path) -> u32 {
    let ran = run(&sweep(here), out, Shard::WHOLE, false).expect("runs");
    ran.run - 2
}

#[test]
fn what_plans_are_made_of_is_part_of_the_address() {
    let directory = directory();
    let (here, out) = (directory.path(), directory.path().join("out"));
    assert_eq!((run_anew(here, &out), run_anew(here, &out)), (4, 0));
    // Another task file, another machine file, another length of the runs.
    fs::write(
        here.join("two.toml"),
        TASKS.replace(
            "period = \"4 ms\"",
            "period = \"4 ms\"
deadline = \"3 ms\"",
        ),
    )
    .expect("written");
    assert_eq!((run_anew(here, &out), run_anew(here, &out)), (4, 0));
    let machine = fresco_machine::builtin_text("ss-rtmc").expect("built in");
    fs::write(here.join("own.toml"), format!("# Changed.\n{machine}")).expect("written");
    assert_eq!(run_anew(here, &out), 4);
    fs::write(here.join("s.toml"), PLANS.replace("16 ms", "8 ms")).expect("written");
    assert_eq!(run_anew(here, &out), 4);
    // And back.
    for (name, text) in [("own.toml", machine), ("two.toml", TASKS), ("s.toml", PLANS)] {
        fs::write(here.join(name), text).expect("written");
    }
    assert_eq!(run_anew(here, &out), 0);
}

#[test]
fn the_seed_of_a_point_is_that_of_its_run() {
    let directory = directory();
    let here = directory.path();
    fs::write(here.join("two.toml"), format!("seed = 7\n{TASKS}")).expect("written");
    let source = Source::read(here.join("two.toml")).expect("a scenario");
    assert_eq!(fresco_sweep::seed(&source, &[]), Ok(7));
    assert_eq!(fresco_sweep::seed(&source, &["seed=9".to_owned()]), Ok(9));
}

#[test]
fn only_points_that_set_a_key_of_plans_are_planned() {
    let text = "scenario = \"table-5.2\"\ngrid.seed = [1]";
    let planned = |text: &str| {
        let sweep = Sweep::parse("s.toml", text, Path::new(""), &[]).unwrap_or_else(|error| panic!("{error}"));
        let all = (0..sweep.points()).map(|number| sweep.is_planned(&sweep.point(number)));
        (all.collect::<Vec<bool>>(), sweep.options(&sweep.point(0)))
    };
    assert_eq!(planned(text), (vec![true], Vec::new()));
    let points = "scenario = \"first\"\nplan_run = { horizon = \"64 ms\", from_switch_on = true }\n[[point]]\nplan.cores = 1\n[[point]]\nseed = 2";
    let options = ["--horizon=64 ms", "--from-switch-on"].map(str::to_owned).to_vec();
    assert_eq!(planned(points), (vec![true, false], options));
}

#[test]
fn the_file_of_a_plan_is_no_scenario_of_a_sweep() {
    let directory = directory();
    let here = directory.path();
    let set = TaskSet::of(&Source::read(here.join("two.toml")).expect("a scenario"), &[]).expect("tasks");
    let plan = fresco_plan::plan(&set).expect("a plan");
    let document = serde_json::json!({ "schema": fresco_plan::plan::SCHEMA, "data": plan });
    fs::write(here.join("plan.json"), document.to_string()).expect("written");
    fs::write(here.join("s.toml"), PLANS.replace("two.toml", "plan.json")).expect("written");
    let error = Sweep::load(here.join("s.toml"), &[]).expect_err("a plan");
    assert!(
        error.to_string().contains("found a plan") && error.line == Some(1),
        "{error}"
    );
}
