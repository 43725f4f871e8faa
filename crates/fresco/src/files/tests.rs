// SPDX-License-Identifier: MIT OR Apache-2.0

use super::*;
use std::collections::BTreeMap;

/// Every file below `directory` with its content; directories end in `/`.
fn content(directory: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(directory).expect("readable") {
        let path = entry.expect("readable").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        match path.is_dir() {
            true => found.insert(format!("{name}/"), String::new()),
            false => found.insert(name, fs::read_to_string(&path).expect("a text")),
        };
    }
    found
}

fn report(directory: &Path) -> ReportDirectory {
    ReportDirectory::prepare("fresco-sim", directory, Vec::new()).expect("is writable")
}

fn files(version: &str, figures: &[&str]) -> Vec<(String, Vec<u8>)> {
    let names = figures.iter().copied().chain([RESULTS, PAGE]);
    names
        .map(|name| (name.to_owned(), version.as_bytes().to_vec()))
        .collect()
}

#[test]
fn a_new_report_replaces_the_old_one_and_nothing_else() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str| directory.path().join(name);
    fs::create_dir(path(".partial")).expect("writable");
    // Drawn by us, kept by the user under a name of his own.
    fs::write(path("mine.svg"), "<svg>[tool: fresco 0.1.0]</svg>").expect("writable");
    let report = report(directory.path());
    report.replace(files("first", &["a.svg", "b.svg"])).expect("is written");
    report
        .replace(files("second", &["b.svg", "c.svg"]))
        .expect("is written");
    let mut found = content(directory.path());
    let manifest = found.remove(MANIFEST).expect("a manifest");
    assert_eq!(
        manifest,
        format!("{}\nb.svg\nc.svg\n{RESULTS}\n{PAGE}\n", REPORT.title())
    );
    let names: Vec<&str> = found.keys().map(String::as_str).collect();
    assert_eq!(names, [".partial/", "b.svg", "c.svg", PAGE, "mine.svg", RESULTS]);
    assert!(
        ["b.svg", "c.svg", PAGE, RESULTS]
            .iter()
            .all(|name| found[*name] == "second")
    );
}

#[test]
fn what_a_killed_process_has_left_is_removed_and_nothing_else() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str| directory.path().join(name);
    let host = owner::host().expect("Linux");
    let left = |name: &str, host: Option<&str>| {
        for part in ["new", "old"] {
            fs::create_dir_all(path(name).join(part)).expect("writable");
        }
        host.iter()
            .for_each(|host| fs::write(path(name).join("owner"), host).expect("writable"));
    };
    left(".fresco-7-0.partial", Some(&host));
    left(".fresco-7-1.partial", Some("elsewhere\n"));
    left(".fresco-7-2.partial", None);
    left(".mine.partial", Some(&host));
    // Killed between taking a file away and putting the new one in its place; the other file had no successor.
    for (part, name) in [("old", "a.svg"), ("new", "a.svg"), ("old", "b.svg")] {
        fs::write(path(".fresco-7-0.partial").join(part).join(name), part).expect("writable");
    }
    let at_work = Staging::new(directory.path()).expect("is writable");
    report(directory.path());
    let own = format!(".fresco-{}-0.partial/", std::process::id());
    let found = content(directory.path());
    let mut names: Vec<&str> = found.keys().map(String::as_str).collect();
    names.retain(|name| *name != own);
    assert_eq!(
        names,
        [
            ".fresco-7-1.partial/",
            ".fresco-7-2.partial/",
            ".mine.partial/",
            "a.svg"
        ]
    );
    assert!(found.contains_key(&own) && found["a.svg"] == "old");
    drop(at_work);
    assert!(!content(directory.path()).contains_key(&own));
}

#[test]
fn a_directory_in_the_way_is_told_before_anything_is_changed() {
    for blocked in [PAGE, RESULTS, "b.svg"] {
        let directory = tempfile::tempdir().expect("a directory");
        let report = report(directory.path());
        report.replace(files("first", &["a.svg"])).expect("is written");
        let _ = fs::remove_file(directory.path().join(blocked));
        fs::create_dir(directory.path().join(blocked)).expect("writable");
        let before = content(directory.path());
        let error = report
            .replace(files("second", &["a.svg", "b.svg"]))
            .expect_err("is blocked");
        assert!(error.to_string().contains("found a directory"), "{error}");
        assert_eq!(content(directory.path()), before);
    }
}

#[test]
fn a_failure_in_the_middle_leaves_the_old_report() {
    let directory = tempfile::tempdir().expect("a directory");
    report(directory.path())
        .replace(files("first", &["a.svg", "b.svg"]))
        .expect("is written");
    let before = content(directory.path());
    let staging = Staging::new(directory.path()).expect("writable");
    for name in ["b.svg", "new.svg", RESULTS] {
        staging.add(name, b"second").expect("writable");
    }
    // The page is missing: the last step fails.
    let names = ["b.svg", "new.svg", RESULTS, PAGE];
    staging
        .exchange(&names, &["a.svg".to_owned()])
        .expect_err("the page is missing");
    assert_eq!(content(directory.path()), before);
}

#[test]
fn inputs_are_not_overwritten() {
    let directory = tempfile::tempdir().expect("a directory");
    let input = directory.path().join("s.toml");
    fs::write(&input, "x").expect("writable");
    fs::hard_link(&input, directory.path().join(RESULTS)).expect("a link");
    let error = ReportDirectory::prepare("fresco-sim", directory.path(), vec![input])
        .map(drop)
        .expect_err("is the input");
    assert!(error.found.contains("is read as"), "{error}");
    fs::remove_file(directory.path().join(RESULTS)).expect("there");
    let input = directory.path().join("a.svg");
    fs::write(&input, "x").expect("writable");
    let report = ReportDirectory::prepare("fresco-sim", directory.path(), vec![input.clone()]).expect("no figure yet");
    assert!(report.replace(files("first", &["a.svg"])).is_err());
    assert_eq!(content(directory.path()).len(), 2);
}

#[test]
fn what_no_report_has_put_there_is_left_as_it_is() {
    for own in [PAGE, RESULTS, MANIFEST] {
        let directory = tempfile::tempdir().expect("a directory");
        fs::write(directory.path().join(own), "mine").expect("writable");
        let error = ReportDirectory::prepare("fresco-sim", directory.path(), Vec::new())
            .map(drop)
            .expect_err("is not ours");
        assert!(error.found.contains("no report has put there"), "{own}: {error}");
        assert_eq!(
            content(directory.path()),
            BTreeMap::from([(own.to_owned(), "mine".to_owned())])
        );
    }
    // A figure is known by name only when it is drawn; a link that leads nowhere is somebody's, too.
    let directory = tempfile::tempdir().expect("a directory");
    let report = report(directory.path());
    report.replace(files("first", &["a.svg"])).expect("is written");
    fs::write(directory.path().join("b.svg"), "mine").expect("writable");
    std::os::unix::fs::symlink("/nowhere/at/all", directory.path().join("c.svg")).expect("a link");
    for own in ["b.svg", "c.svg"] {
        let error = report
            .replace(files("second", &["a.svg", own]))
            .expect_err("is not ours");
        assert!(error.to_string().contains(own), "{error}");
    }
    assert_eq!(
        fs::read_to_string(directory.path().join("b.svg")).expect("there"),
        "mine"
    );
    assert_eq!(fs::read_to_string(directory.path().join(PAGE)).expect("there"), "first");
}

/// A run that is stopped before it has something to show leaves no folder behind, and none that was there goes.
#[test]
fn folders_made_for_a_report_that_is_not_written_go() {
    let directory = tempfile::tempdir().expect("a directory");
    let there = directory.path().join("there");
    fs::create_dir(&there).expect("writable");
    let path = there.join("out/deep");
    drop(report(&path));
    assert_eq!(content(&there), BTreeMap::new());
    drop(report(&there));
    assert!(there.is_dir());
    let written = report(&path);
    written.replace(files("first", &[])).expect("is written");
    drop(written);
    assert_eq!(content(&path).len(), 3, "page, results, manifest");
}

#[test]
fn a_report_of_another_kind_is_not_replaced() {
    let directory = tempfile::tempdir().expect("a directory");
    let results = "{\n  \"schema\": \"fresco-sweep/1\",\n  \"data\": 1\n}\n";
    let kind = |kind| ReportDirectory::prepare(kind, directory.path(), Vec::new());
    let first = kind("fresco-sweep").expect("is empty");
    first.replace(files(results, &[])).expect("is written");
    let error = kind("fresco-compare").err().expect("another kind");
    assert!(
        error.found == "found a report of fresco-sweep" && error.allowed.ends_with("a report of fresco-compare"),
        "{error}"
    );
    let second = kind("fresco-sweep").expect("the same kind");
    second.replace(files(results, &["a.svg"])).expect("is written");
}
