// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bandwidth and ways: classes of resctrl, in a tree of plain files.

use crate::common::directory_with;
use crate::run::{COLORING, MAP, cannot_color, memory_user, program, ready};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// A tree of resctrl made of plain files: one cache of eleven ways, bandwidth in MiB/s.
pub fn resctrl() -> tempfile::TempDir {
    let tree = directory_with(&[("schemata", "MB:0=4294967295\nL3:0=7ff\n"), ("tasks", "")]);
    let info = tree.path().join("info/L3");
    std::fs::create_dir_all(&info).expect("writable");
    std::fs::write(info.join("cbm_mask"), "7ff\n").expect("writable");
    std::fs::write(info.join("min_cbm_bits"), "1\n").expect("writable");
    tree
}

fn classes(tree: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(tree).expect("readable").flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| name.starts_with("fresco-")).collect()
}

/// Waits for the keeper.
pub fn no_class_is_left(tree: &Path) {
    let start = std::time::Instant::now();
    while !classes(tree).is_empty() {
        assert!(start.elapsed().as_secs() < 10, "{:?}", classes(tree));
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

#[test]
fn a_tree_that_is_not_there_is_named_and_a_mask_without_ways_has_none_to_choose() {
    if cannot_color() {
        return;
    }
    let directory = directory_with(&[("map.txt", MAP)]);
    let refused = |tree: &Path| {
        let mut command = Command::new(program());
        command.env("FRESCO_RESCTRL", tree).current_dir(directory.path());
        command.args(COLORING).args(["--ways", "0-3", "--", "true"]);
        let done = command.output().expect("it starts");
        assert_eq!(done.status.code(), Some(125), "{done:?}");
        String::from_utf8_lossy(&done.stderr).into_owned()
    };
    let told = refused(Path::new("/no/such/tree"));
    assert!(told.contains("FRESCO_RESCTRL names /no/such/tree"), "{told}");
    let tree = resctrl();
    std::fs::write(tree.path().join("info/L3/cbm_mask"), "0\n").expect("writable");
    let told = refused(tree.path());
    assert!(told.contains("no ways of the last-level cache"), "{told}");
}

#[test]
fn bandwidth_and_ways_are_a_class_of_its_own_that_goes_away_with_the_program() {
    if cannot_color() {
        return;
    }
    let directory = directory_with(&[("map.txt", MAP)]);
    let tree = resctrl();
    let user = memory_user();
    let command = |options: &[&str]| {
        let mut command = Command::new(program());
        command.env("FRESCO_RESCTRL", tree.path()).current_dir(directory.path());
        command.args(COLORING).args(options);
        command
    };
    for kill in [false, true] {
        let (mut child, _output) = ready(&mut command(&[
            "--bandwidth",
            "500M",
            "--ways",
            "0-3",
            "--",
            user.to_str().expect("UTF-8"),
            "1",
        ]));
        let pid = child.id().to_string();
        assert_eq!(classes(tree.path()), [format!("fresco-{pid}")]);
        let class = tree.path().join(format!("fresco-{pid}"));
        let schemata = std::fs::read_to_string(class.join("schemata")).expect("readable");
        // 500 MB/s are 476.8 MiB/s.
        assert_eq!(schemata, "L3:0=f\nMB:0=476\n");
        let verified = Command::new(program())
            .args(["verify", &pid, "--json"])
            .env("FRESCO_RESCTRL", tree.path())
            .output()
            .expect("it starts");
        assert!(verified.status.success(), "{verified:?}");
        let verified: Value = serde_json::from_slice(&verified.stdout).expect("JSON");
        assert_eq!(verified["data"]["limits_asked"]["bytes_per_s"], 500_000_000);
        assert_eq!(verified["data"]["limits_applied"]["bytes_per_s"], 476u64 << 20);
        assert_eq!(
            verified["data"]["limits_applied"]["ways"],
            serde_json::json!([0, 1, 2, 3])
        );
        if kill {
            child.kill().expect("ours");
        }
        drop(child.stdin.take());
        child.wait().expect("it ends");
        no_class_is_left(tree.path());
    }
    // What a killed keeper has left goes when the next class is made, before it is refused or not.
    std::fs::create_dir(tree.path().join("fresco-1-left")).expect("writable");
    std::fs::write(tree.path().join("fresco-1-left/tasks"), "4194305\n").expect("writable");
    assert!(
        command(&["--ways", "0", "--", "true"])
            .status()
            .expect("it starts")
            .success()
    );
    no_class_is_left(tree.path());
    let refused = command(&["--ways", "20", "--", "true"]).output().expect("it starts");
    assert_eq!(refused.status.code(), Some(125));
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(
        told,
        "fresco run: --ways: resctrl does not take these ways: 1 or more of 0-10, side by side\n"
    );
    no_class_is_left(tree.path());
}

#[test]
fn limits_that_the_machine_cannot_hold_are_refused_in_one_line() {
    if cannot_color() {
        return;
    }
    let directory = directory_with(&[("map.txt", MAP)]);
    let nothing = directory.path().join("nothing");
    let done = Command::new(program())
        .args(COLORING)
        .args(["--bandwidth", "1 GB/s", "--", "touch", "here"])
        .env("FRESCO_RESCTRL", &nothing)
        .current_dir(directory.path())
        .output()
        .expect("it starts");
    let told = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(done.status.code(), Some(125), "{told}");
    assert!(
        told.starts_with("fresco run: --bandwidth: ") && told.contains("resctrl"),
        "{told}"
    );
    assert_eq!(told.lines().count(), 1, "{told}");
    assert!(!directory.path().join("here").exists());
}
