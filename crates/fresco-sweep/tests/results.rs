// SPDX-License-Identifier: MIT OR Apache-2.0
//! Results are made once, kept, found again, and the same whoever makes them.

use crate::common::{MACHINE, SCENARIO, TOOL, directory, merged, run, sweep};
use fresco_sweep::{Effects, Shard, State, look, merge, summarize};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use std::fs;
use std::path::Path;

fn counts(directory: &Path, out: &Path) -> (u32, u32, u32) {
    let summary = summarize(&sweep(directory), &look(out).expect("a sweep"), Shard::WHOLE);
    (summary.done, summary.failed, summary.missing)
}

/// How often a text is in a column of a table.
pub fn found(table: &[u8], column: &str, text: &str) -> usize {
    let reader = SerializedFileReader::new(parquet_bytes(table)).expect("a table");
    let rows = reader.get_row_iter(None).expect("rows").map(|row| row.expect("a row"));
    let has = |field: &Field| matches!(field, Field::Str(value) if value == text);
    rows.filter(|row| row.get_column_iter().any(|(name, field)| name == column && has(field)))
        .count()
}

pub fn parquet_bytes(table: &[u8]) -> fs::File {
    use std::io::{Seek, Write};
    let mut file = tempfile::tempfile().expect("a file");
    file.write_all(table).and_then(|()| file.rewind()).expect("written");
    file
}

#[test]
fn what_is_there_is_not_run_again_and_what_has_changed_is() {
    let directory = directory();
    let (here, out) = (directory.path(), directory.path().join("out"));
    let all = || run(&sweep(here), &out, Shard::WHOLE, false).expect("runs");
    let first = all();
    assert_eq!((first.total, first.run, first.found, first.failed), (12, 12, 0, 4));
    assert_eq!(counts(here, &out), (8, 4, 0));
    let tables = merged(&sweep(here), &out);
    // Failures at reading are read again, and not stored once more.
    let (second, segments) = (all(), || fs::read_dir(out.join("segments")).expect("there").count());
    assert_eq!((second.run, second.found, second.failed, segments()), (4, 8, 4, 1));
    assert_eq!(merged(&sweep(here), &out), tables);
    // A comment in the machine's file is a change of it.
    fs::write(here.join("small.toml"), format!("# Changed.\n{MACHINE}")).expect("written");
    assert_eq!(counts(here, &out), (0, 4, 8));
    assert_eq!((all().run, segments()), (12, 2));
    // And back: both are kept.
    fs::write(here.join("small.toml"), MACHINE).expect("written");
    assert_eq!((all().run, segments()), (4, 2));
    // One more value: the points of the others stay, whatever their numbers are.
    let longer = crate::common::SWEEP.replace("[0, 1]", "[0, 1]\npolicy.boot = [\"pristine\", \"fresh\"]");
    fs::write(here.join("s.toml"), longer).expect("written");
    assert_eq!(all().total, 24);
    fs::write(
        here.join("s.toml"),
        crate::common::SWEEP.replace("seed = [1, 2]", "seed = [3, 1, 2]"),
    )
    .expect("written");
    let longer = all();
    assert_eq!((longer.total, longer.run, longer.found), (18, 4 + 6, 8));
}

#[test]
fn values_of_axes_stand_in_the_order_of_the_file() {
    let directory = directory();
    let (here, out) = (directory.path(), directory.path().join("out"));
    let text = "scenario = \"./tiny.toml\"\n[grid]\nmemory.controller.page = [\"open\", \"closed\"]\nhow = [\"two\", \"one\"]\n\
                task.noise.parameters.bytes = [\"512 KiB\", \"1 MiB\", \"128 KiB\"]\n\
                [[variant]]\nname = \"one\"\nset.corunners = 0\n[[variant]]\nname = \"two\"\nset.corunners = 1\n";
    fs::write(here.join("s.toml"), text).expect("written");
    let sweep = sweep(here);
    run(&sweep, &out, Shard::WHOLE, false).expect("runs");
    let mut effects = Effects::of(&sweep);
    let index = look(&out).expect("a sweep");
    merge(
        &sweep,
        &index,
        0..sweep.points(),
        (&out, ""),
        &TOOL(),
        Some(&mut effects),
    )
    .expect("merged");
    let all = effects.all(&sweep);
    let order = |axis: &str| -> Vec<&str> {
        let effect = all.iter().find(|effect| effect.axis == axis).expect(axis);
        effect.values.iter().map(|at| at.value.as_str()).collect()
    };
    assert_eq!(order("memory.controller.page"), ["open", "closed"]);
    assert_eq!(order("how"), ["two", "one"]);
    assert_eq!(order("task.noise.parameters.bytes"), ["512 KiB", "1 MiB", "128 KiB"]);
}

#[test]
fn a_scenario_that_changes_while_it_runs_is_noticed() {
    let directory = directory();
    let (here, out) = (directory.path(), directory.path().join("out"));
    let sweep = sweep(here);
    fs::write(here.join("tiny.toml"), format!("# Changed.\n{SCENARIO}")).expect("written");
    let error = run(&sweep, &out, Shard::WHOLE, false).expect_err("it has changed");
    assert!(
        error.to_string().contains("tiny.toml: found another file than before"),
        "{error}"
    );
}

#[test]
fn shards_give_the_tables_of_one_run() {
    let directory = directory();
    let here = directory.path();
    let (whole, parts) = (here.join("whole"), here.join("parts"));
    run(&sweep(here), &whole, Shard::WHOLE, false).expect("runs");
    for number in [5, 0, 7, 3, 1, 2, 6, 4] {
        let ran = run(&sweep(here), &parts, Shard { number, of: 8 }, false).expect("runs");
        assert_eq!(ran.run, ran.total);
    }
    let tables = merged(&sweep(here), &whole);
    assert!(tables == merged(&sweep(here), &parts), "the tables differ");
    assert_eq!(found(&tables[1], "status", "done"), 8);
    assert_eq!(found(&tables[1], "axis.task.chase.parameters.bytes", "4 GiB"), 4);
    // Each of the eight points has a task's latency once; four have a second task.
    assert_eq!(found(&tables[0], "metric", "run_time"), 8 + 4);
}

#[test]
fn two_runners_in_one_directory_share_the_work() {
    let directory = directory();
    let here = directory.path();
    fs::write(
        here.join("s.toml"),
        crate::common::SWEEP.replace("[1, 2]", &format!("{:?}", (0..40).collect::<Vec<_>>())),
    )
    .expect("written");
    let (out, alone) = (here.join("out"), here.join("alone"));
    let both = std::thread::scope(|scope| {
        let start = || scope.spawn(|| run(&sweep(here), &out, Shard::WHOLE, false).expect("runs"));
        let both = [start(), start()];
        both.map(|one| one.join().expect("ends"))
    });
    for ran in both {
        assert_eq!(ran.run + ran.found, 240, "{ran:?}");
    }
    // Points that fail at reading are read by both.
    let run_by_both = both[0].run + both[1].run;
    assert!((240..=240 + 80).contains(&run_by_both), "{both:?}");
    run(&sweep(here), &alone, Shard::WHOLE, false).expect("runs");
    assert!(
        merged(&sweep(here), &out) == merged(&sweep(here), &alone),
        "the tables differ"
    );
}

#[test]
fn what_is_torn_or_spoilt_is_run_again() {
    let directory = directory();
    let (here, out) = (directory.path(), directory.path().join("out"));
    // Two frames.
    for number in [0, 1] {
        run(&sweep(here), &out, Shard { number, of: 2 }, false).expect("runs");
    }
    let tables = merged(&sweep(here), &out);
    let segment = out.join("segments/000001.seg");
    let whole = fs::read(&segment).expect("there");
    // Cut short at any place: the frame is none, the other one stays.
    for length in [0, 1, 47, 48, whole.len() / 2, whole.len() - 1] {
        fs::write(&segment, &whole[..length]).expect("written");
        let summary = summarize(&sweep(here), &look(&out).expect("a sweep"), Shard::WHOLE);
        assert_eq!((summary.missing, summary.torn_bytes), (6, length as u64));
    }
    assert_eq!(run(&sweep(here), &out, Shard::WHOLE, false).expect("runs").found, 4);
    assert!(merged(&sweep(here), &out) == tables, "the tables differ");
    // A bit of the rows has changed on the disk.
    let mut spoilt = whole.clone();
    let last = spoilt.len() - 9;
    spoilt[last] ^= 1;
    fs::remove_file(out.join("segments/000002.seg")).expect("there");
    fs::write(&segment, &spoilt).expect("written");
    let [_, points] = merged(&sweep(here), &out);
    assert_eq!(found(&points, "status", "missing"), 4);
    assert_eq!(run(&sweep(here), &out, Shard::WHOLE, false).expect("runs").found, 4);
    assert!(merged(&sweep(here), &out) == tables, "the tables differ");
}

#[test]
fn failures_are_kept_and_run_again_when_asked_for() {
    let directory = directory();
    let (here, out) = (directory.path(), directory.path().join("out"));
    // Frames run out in the middle of the run, which nothing foresees.
    let scenario = crate::common::SCENARIO.replace(
        "banks = 0\nparameters.bytes = \"64 KiB\"",
        "memory_limit = \"32 KiB\"\nbanks = 0\nparameters.bytes = \"64 KiB\"",
    );
    fs::write(here.join("tiny.toml"), scenario).expect("written");
    fs::write(here.join("s.toml"), "scenario = \"./tiny.toml\"\ngrid.seed = [1, 2]\n").expect("written");
    let run = |retry| run(&sweep(here), &out, Shard::WHOLE, retry).expect("runs");
    assert_eq!(run(false).failed, 2);
    let point = sweep(here).point(0);
    let state = look(&out)
        .expect("a sweep")
        .state(&sweep(here), &point, &sweep(here).inputs());
    let State::Failed(failure) = state else {
        panic!("{state:?}")
    };
    assert!(failure.message.contains("memory"), "{}", failure.message);
    let again = run(false);
    assert_eq!(again.failed, 2);
    if !failure.unread {
        assert_eq!((again.run, run(true).run), (0, 2));
    }
}
