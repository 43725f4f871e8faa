// SPDX-License-Identifier: MIT OR Apache-2.0
//! Memory that libraries touch before there is a pager, as allocators of other libraries do; and memory that can be written
//! but not read.

use crate::common::{directory_with, json};
use crate::run::{COLORING, MAP, cannot_color, compiled, program};
use fresco_testing::{Need, skip};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

/// Begins before the library that colors, and touches 64 pages.
const LIBRARY: &str = r#"
#include <sys/mman.h>
char *early;
__attribute__((constructor)) static void begin(void) {
    early = mmap(0, 8 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int page = 0; page < 64; page++) early[page << 12] = 1;
}
"#;

/// Has a child at once, which allocates, says its number, and waits until its input ends.
const PARENT: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
extern char *early;
int main(void) {
    if (fork()) {
        int status;
        wait(&status);
        return status;
    }
    for (int page = 0; page < 64; page++) if (early[page << 12] != 1) return 2;
    char *volatile block = malloc(1 << 20);
    *block = 1;
    printf("%d\n", getpid());
    fflush(stdout);
    getchar();
    return 0;
}
"#;

/// Maps memory for writing alone, and for writing and executing, fills it, and says its number.
const WRITES: &str = r#"
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
int main(void) {
    int access[] = {PROT_WRITE, PROT_WRITE | PROT_EXEC, PROT_READ | PROT_WRITE | PROT_EXEC};
    for (int kind = 0; kind < 3; kind++) {
        char *block = mmap(0, 4 << 20, access[kind], MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (block == MAP_FAILED) return 2;
        memset(block, 1, 4 << 20);
    }
    printf("%d\n", getpid());
    fflush(stdout);
    getchar();
    return 0;
}
"#;

/// What `fresco verify` says of the process whose number the program says; and what is told.
fn verified(options: &[&str], name: &str, directory: &Path) -> (Value, String) {
    let mut child = Command::new(program())
        .args(COLORING)
        .args(options)
        .args(["--", &format!("./{name}")])
        .env("LD_LIBRARY_PATH", directory)
        .current_dir(directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut number = String::new();
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    output.read_line(&mut number).expect("UTF-8");
    let found = json(&["verify", number.trim(), "--json", "--least", "0"], directory)["data"].clone();
    drop(child.stdin.take());
    let done = child.wait_with_output().expect("it ends");
    assert!(done.status.success(), "{done:?}");
    (found, String::from_utf8(done.stderr).expect("UTF-8"))
}

#[test]
fn memory_touched_before_there_is_a_pager_has_its_colors_when_the_program_begins() {
    if cannot_color() {
        return;
    }
    let directory = directory_with(&[("map.txt", MAP), ("libearly.c", LIBRARY), ("parent.c", PARENT)]);
    let compile = |words: &[&str]| {
        let mut command = Command::new("cc");
        let status = command.args(words).current_dir(directory.path()).status();
        status.is_ok_and(|status| status.success())
    };
    let done = compile(&["-shared", "-fPIC", "-o", "libearly.so", "libearly.c"])
        && compile(&["-o", "parent", "parent.c", "-L.", "-learly"]);
    if !done {
        return skip(Need::Compiler, "no C compiler");
    }
    // The child has these pages from its parent, and has not written them: nobody can move them any more.
    let (found, _) = verified(&[], "parent", directory.path());
    assert_eq!(found["total"]["outside"], 0, "{found}");
    assert!(found["total"]["pages"].as_u64() >= Some(64), "{found}");
}

#[test]
fn memory_that_is_only_written_has_its_colors() {
    if cannot_color() {
        return;
    }
    let directory = directory_with(&[("map.txt", MAP), ("writes.c", WRITES)]);
    if !compiled("writes", directory.path()) {
        return;
    }
    for options in [&["--stats"][..], &["--stats", "--strict"]] {
        let (found, told) = verified(options, "writes", directory.path());
        assert_eq!(found["total"]["outside"], 0, "{options:?}: {found}");
        assert!(
            found["total"]["pages"].as_u64() >= Some(3 << 10),
            "{options:?}: {found}"
        );
        assert!(told.contains(" 0 left to the kernel"), "{options:?}: {told}");
    }
}
