// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which back end is taken. Kernels with page coloring are folders of plain files here: that programs get their colors
//! is tested on the kernel itself (`scripts/kernel-test fresco`).

use crate::common::directory_with;
use crate::run::{MAP, program};
use fresco_testing::{Need, skip};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

fn run(tree: &Path, directory: &Path, options: &[&str]) -> Output {
    Command::new(program())
        .env("FRESCO_PAGE_COLOR", tree)
        .args(["run", "--map", "map.txt"])
        .args(options)
        .args(["--", "true"])
        .current_dir(directory)
        .output()
        .expect("it starts")
}

fn dry(tree: &Path, directory: &Path, backend: &str) -> Value {
    let options = ["--colors", "banks=0-3", "--backend", backend, "--dry-run", "--json"];
    let output = run(tree, directory, &options);
    let value: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    // As of running it.
    let able = value["data"]["missing"].as_array().is_some_and(Vec::is_empty);
    assert_eq!(output.status.code(), Some(if able { 0 } else { 125 }), "{output:?}");
    value["data"].clone()
}

#[test]
fn a_kernel_without_page_coloring_leaves_the_library() {
    let directory = directory_with(&[("map.txt", MAP)]);
    let nowhere = directory.path().join("nowhere");
    for backend in ["auto", "stock"] {
        let plan = dry(&nowhere, directory.path(), backend);
        assert_eq!(plan["backend"], "stock: this kernel as it is");
        assert!(
            plan["covered"]
                .as_str()
                .is_some_and(|text| text.starts_with("heap (malloc"))
        );
    }
    let plan = dry(&nowhere, directory.path(), "kernel");
    assert_eq!(plan["backend"], "kernel: its page coloring");
    assert!(
        plan["covered"]
            .as_str()
            .is_some_and(|text| text.contains("stacks, data, bss"))
    );
    let missing = plan["missing"].as_array().expect("a list");
    assert_eq!(missing.len(), 1, "{missing:?}");
    let output = run(
        &nowhere,
        directory.path(),
        &["--colors", "banks=1", "--backend", "kernel"],
    );
    assert_eq!(output.status.code(), Some(125));
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    let reason = "fresco run: memory cannot be colored here: this kernel has no page coloring (kernel/README.md has the patches)\n";
    assert_eq!(told, reason);
}

#[test]
fn a_kernel_that_is_not_ready_is_passed_over_and_that_is_told_with_the_cure() {
    if !may_set_colors() {
        return skip(Need::Root, "the kernel's map is for root");
    }
    let directory = directory_with(&[("map.txt", MAP)]);
    let tree = directory_with(&[("map", "\n"), ("enabled", "0\n")]);
    let plan = dry(tree.path(), directory.path(), "auto");
    let words = plan["backend"].as_str().expect("words");
    let begin = "stock: this kernel as it is; not the kernel's coloring: the kernel's page coloring is switched off; as root: echo 0x44000,0x88000,0x110000,0x220000 > ";
    assert!(words.starts_with(begin), "{words}");
    std::fs::write(tree.path().join("map"), "0x44000,0x88000\n").expect("ours");
    std::fs::write(tree.path().join("enabled"), "1\n").expect("ours");
    let output = run(
        tree.path(),
        directory.path(),
        &["--colors", "banks=0-3", "--backend", "kernel"],
    );
    assert_eq!(output.status.code(), Some(125));
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        told.contains("the kernel's map is 0x44000,0x88000, and its color "),
        "{told}"
    );
    assert!(told.contains("echo 0 > "), "{told}");
}

#[test]
fn options_of_the_library_are_refused_with_the_kernel() {
    let directory = directory_with(&[("map.txt", MAP)]);
    for option in [["--pool", "1M"], ["--search", "1M"]] {
        let options = [&["--colors", "banks=1", "--backend", "kernel"], option.as_slice()].concat();
        let output = run(Path::new("/nowhere"), directory.path(), &options);
        assert_eq!(output.status.code(), Some(2));
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            told.contains(&format!("{}: found it with --backend kernel", option[0])),
            "{told}"
        );
    }
}

/// Returns true if this process has CAP_SYS_NICE, which the kernel's map and colors need.
fn may_set_colors() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    let bits = line.and_then(|text| u64::from_str_radix(text.trim(), 16).ok());
    bits.is_some_and(|bits| bits >> 23 & 1 == 1)
}
