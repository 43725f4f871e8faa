// SPDX-License-Identifier: MIT OR Apache-2.0
//! What `--stats` tells: a line for each program, and a total.

use crate::common::directory_with;
use crate::run::placing::colored_with;
use crate::run::{COLORING, MAP, cannot_color, program};
use fresco_linux::launch::{LIBRARY_NAME, find_library};
use std::process::Command;

/// The number before some words.
pub fn before(line: &str, words: &str) -> u64 {
    let number = line.split(words).next().and_then(|before| before.rsplit(' ').next());
    number
        .and_then(|number| number.parse().ok())
        .unwrap_or_else(|| panic!("{words}: {line}"))
}

#[test]
fn each_program_tells_a_line_and_the_first_a_total() {
    if cannot_color() {
        return;
    }
    let directory = directory_with(&[("map.txt", MAP)]);
    let script = "for i in 1 2 3; do sort -n map.txt > /dev/null; done; true | sort; echo done";
    let done = colored_with(&["--stats"], &["bash", "-c", script], directory.path());
    let told = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(String::from_utf8_lossy(&done.stdout), "done\n", "{told}");
    let (own, totals): (Vec<&str>, Vec<&str>) = told.lines().partition(|line| !line.contains("in all, "));
    assert_eq!(totals.len(), 1, "{told}");
    assert_eq!(told.lines().last(), totals.first().copied(), "{told}");
    assert!(totals[0].starts_with("fresco: bash["), "{told}");
    assert!(
        own.iter().filter(|line| line.starts_with("fresco: sort[")).count() == 4,
        "{told}"
    );
    let sum = |words: &str| own.iter().map(|line| before(line, words)).sum::<u64>();
    for words in [" pages placed in the colors asked for", " left to the kernel"] {
        assert_eq!(before(totals[0], words), sum(words), "{told}");
    }
    assert!(before(totals[0], " programs: ") >= own.len() as u64, "{told}");
    let pids: std::collections::BTreeSet<&str> = own.iter().filter_map(|line| line.split(['[', ']']).nth(1)).collect();
    assert_eq!(pids.len(), own.len(), "a line for each: {told}");
    // One that a signal ends tells nothing, and is counted.
    let script = "sort map.txt > /dev/null; bash -c 'x=$(seq 1000); kill -9 $$'; true";
    let done = colored_with(&["--stats"], &["bash", "-c", script], directory.path());
    let told = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(told.contains("of them have told nothing"), "{told}");
    // If it is the first one, the total is told all the same, once.
    for end in ["kill -9 $$", "kill -TERM $$", "exec true"] {
        let script = format!("sort map.txt > /dev/null; {end}");
        let done = colored_with(&["--stats"], &["bash", "-c", &script], directory.path());
        let told = String::from_utf8_lossy(&done.stderr).into_owned();
        let totals: Vec<&str> = told.lines().filter(|line| line.contains("in all, ")).collect();
        let sort = told.lines().find(|line| line.starts_with("fresco: sort["));
        let placed = before(sort.expect("a line of sort"), " pages placed");
        assert_eq!(totals.len(), 1, "{end}: {told}");
        assert!(totals[0].starts_with("fresco: bash["), "{end}: {told}");
        assert!(
            before(totals[0], " pages placed") >= placed && placed > 0,
            "{end}: {told}"
        );
    }
    // What the library is told of the total the program does not see.
    let seen = colored_with(&["--stats"], &["env"], directory.path());
    assert!(
        !String::from_utf8_lossy(&seen.stdout).contains("FRESCO_TOTALS"),
        "{seen:?}"
    );
}

#[test]
fn what_it_took_is_told_on_request() {
    if cannot_color() {
        return;
    }
    let directory = directory_with(&[("map.txt", MAP)]);
    let told = |option: &str| {
        let done = colored_with(&[option], &["sort", "map.txt"], directory.path());
        String::from_utf8_lossy(&done.stderr).into_owned()
    };
    let (sum, details) = (told("--stats"), told("--stats=details"));
    assert_eq!(sum.lines().count(), 1, "{sum}");
    for words in [
        "faults answered",
        "frames looked at",
        "s of set-up",
        "s of processor time",
        "pages given their colors back",
    ] {
        assert!(
            details.contains(words) && !sum.contains(words),
            "{words}: {sum}{details}"
        );
    }
    assert!(
        details.lines().last().is_some_and(|line| line.contains("pages placed")),
        "{details}"
    );
}

#[test]
fn a_request_that_the_library_does_not_understand_is_told() {
    if cannot_color() {
        return;
    }
    let library = find_library(program()).expect("is built");
    let done = Command::new("ls")
        .arg("/")
        .env("LD_PRELOAD", library)
        .env("FRESCO_REQUEST", "of another version")
        .output()
        .expect("it starts");
    let told = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{told}");
    assert!(
        told.starts_with("fresco: ls[") && told.contains("memory is not colored"),
        "{told}"
    );
}

#[test]
fn a_damaged_library_is_refused_before_the_program_starts() {
    if cannot_color() {
        return;
    }
    let directory = directory_with(&[("map.txt", MAP), (LIBRARY_NAME, "garbage")]);
    let copy = directory.path().join("fresco");
    std::fs::copy(program(), &copy).expect("writable");
    let done = Command::new(copy)
        .args(COLORING)
        .args(["--", "echo", "started"])
        .current_dir(directory.path())
        .output()
        .expect("it starts");
    let told = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(125), "{told}");
    assert!(done.stdout.is_empty() && told.contains("is damaged"), "{told}");
}
