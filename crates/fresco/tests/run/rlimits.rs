// SPDX-License-Identifier: MIT OR Apache-2.0
//! Limits of a process's memory (setrlimit, ulimit): a program goes on as it does without colors, or is refused memory
//! as the C standard has it.

use crate::common::directory_with;
use crate::run::placing::colored_with;
use crate::run::{MAP, cannot_color, compiled};
use std::fmt::Write;

#[test]
fn under_limits_that_leave_too_little_programs_run_without_colors_and_one_line_says_why() {
    if cannot_color() {
        return;
    }
    let lines = (0..30_000).fold(String::new(), |mut lines, line| {
        writeln!(lines, "{}", line * 7919 % 30_000).expect("a string takes all");
        lines
    });
    let sorted = (0..30_000).map(|line| format!("{line}\n")).collect::<String>();
    let directory = directory_with(&[("map.txt", MAP), ("data", &lines)]);
    let addresses = "the limit of address space (RLIMIT_AS, ulimit -v)";
    let data = "the limit of data (RLIMIT_DATA, ulimit -d)";
    for (limit, reason) in [
        ("-v 1000000", addresses),
        ("-v 200000", addresses),
        ("-d 5120", data),
        ("-d 20480", data),
    ] {
        let script = format!("ulimit {limit}; exec sort -n data");
        let done = colored_with(&[], &["sh", "-c", &script], directory.path());
        let told = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{limit}: {told}");
        assert!(done.stdout == sorted.as_bytes(), "{limit}");
        assert_eq!(told.lines().count(), 1, "{limit}: {told}");
        let said = told.split_once("memory is not colored: ").expect("it says so").1;
        assert!(
            said.starts_with(reason) && said.ends_with(" MiB are needed\n"),
            "{limit}: {told}"
        );
        // A shell that has colors already, and children of it.
        let script = format!("ulimit {limit}; sort -n data | (read first; echo $first; tail -n 1); echo $?");
        let done = colored_with(&[], &["sh", "-c", &script], directory.path());
        assert_eq!(
            String::from_utf8_lossy(&done.stdout),
            "0\n29999\n0\n",
            "{limit}: {done:?}"
        );
    }
    // Limits that leave enough change nothing.
    let script = "ulimit -v 3000000; ulimit -d 1000000; exec sort -n data";
    let done = colored_with(&[], &["sh", "-c", script], directory.path());
    assert!(done.stdout == sorted.as_bytes(), "{done:?}");
    assert!(
        !String::from_utf8_lossy(&done.stderr).contains("not colored"),
        "{done:?}"
    );
}

/// Sets a limit of data of so many MiB once it runs, allocates beyond it by all functions, and again without it.
const ALLOCATES: &str = r#"
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static int failed;
static void is(const char *what, int right) {
    if (!right) { printf("%s\n", what); failed = 1; }
}
static void limit(rlim_t bytes) {
    struct rlimit both;
    getrlimit(RLIMIT_DATA, &both);
    both.rlim_cur = bytes;
    is("setrlimit", !setrlimit(RLIMIT_DATA, &both));
}
static void refused(const char *what, void *volatile block) {
    is(what, !block && errno == ENOMEM);
    errno = 0;
}
/* Addresses that were open before the limit may be given again. */
static void refused_or_had(const char *what, void *volatile block, size_t bytes) {
    if (!block) is(what, errno == ENOMEM);
    else memset(block, 9, bytes);
    free(block);
    errno = 0;
}

int main(int count, char **arguments) {
    size_t mebi = 1 << 20, huge = (100 + 2 * atol(arguments[1])) * mebi;
    char *volatile small = malloc(100);
    memset(small, 5, 100);
    char *volatile large = malloc(40 * mebi);
    memset(large, 6, 40 * mebi);
    for (int turn = 0; turn < 2; turn++) {
        limit(atol(arguments[1]) * mebi);
        errno = 0;
        if (!turn) {
            refused("malloc", malloc(huge));
            refused("calloc", calloc(1, huge));
            refused("realloc of a small block", realloc(small, huge));
            refused("realloc of a large block", realloc(large, huge));
            refused("memalign", memalign(4096, huge));
            refused("memalign to 64 MiB", memalign(64 * mebi, huge));
        }
        refused_or_had("malloc again", malloc(huge), huge);
        refused_or_had("calloc again", calloc(1, huge), huge);
        refused_or_had("memalign again", memalign(65536, huge), huge);
        is("what there was", small[99] == 5 && large[40 * mebi - 1] == 6);
        /* Smaller ones are had or refused, too. */
        size_t sizes[] = {1000, 50000, mebi, 20 * mebi, 31 * mebi, 33 * mebi};
        for (int size = 0; size < 6; size++) {
            char *blocks[300];
            int had = 0;
            for (; had < 300; had++) {
                blocks[had] = had % 2 ? calloc(1, sizes[size]) : malloc(sizes[size]);
                if (!blocks[had]) break;
                if (had % 2) is("zero", !blocks[had][sizes[size] - 1]);
                memset(blocks[had], 7, sizes[size]);
            }
            if (!turn && sizes[size] * 300 > huge) is("an end", had < 300);
            while (had--) free(blocks[had]);
        }
        limit(RLIM_INFINITY);
        char *volatile after = calloc(1, huge);
        is("memory after the limit", after && !after[0] && !after[huge - 1]);
        if (after) memset(after, 8, huge);
        free(after);
    }
    return failed;
}
"#;

#[test]
fn a_limit_set_later_is_told_by_malloc() {
    if cannot_color() {
        return;
    }
    let directory = directory_with(&[("map.txt", MAP), ("allocates.c", ALLOCATES)]);
    if !compiled("allocates", directory.path()) {
        return;
    }
    for mebibytes in ["10", "60", "100", "150"] {
        let done = colored_with(&[], &["./allocates", mebibytes], directory.path());
        assert!(done.status.success(), "{mebibytes} MiB: {done:?}");
    }
}

#[test]
fn a_limit_of_file_sizes_kills_no_program_that_writes_none() {
    if cannot_color() {
        return;
    }
    let directory = directory_with(&[("map.txt", MAP)]);
    // Of nothing, and of less than a record of what was asked has.
    for blocks in ["0", "1"] {
        for options in [&["--stats"][..], &["--stats", "--strict"], &[]] {
            let script = format!("ulimit -f {blocks}; cat map.txt; echo $?");
            let done = colored_with(options, &["bash", "-c", &script], directory.path());
            let said = String::from_utf8_lossy(&done.stdout).into_owned();
            assert_eq!(said, format!("{MAP}0\n"), "{blocks} {options:?}: {done:?}");
            let told = String::from_utf8_lossy(&done.stderr).into_owned();
            assert!(!told.contains("not colored"), "{told}");
            assert_eq!(told.contains("fresco: cat["), !options.is_empty(), "{told}");
        }
    }
    // Without a pager, what is told goes to a file that may grow no more.
    let script = "ulimit -f 0; ulimit -d 5120; exec 2>> told; cat map.txt; echo $?";
    let done = colored_with(&[], &["bash", "-c", script], directory.path());
    assert_eq!(String::from_utf8_lossy(&done.stdout), format!("{MAP}0\n"), "{done:?}");
}
