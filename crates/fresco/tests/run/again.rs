// SPDX-License-Identifier: MIT OR Apache-2.0
//! Programs that give promised memory back and want it again (`--strict`): earlier searches have looked at what the kernel
//! hands out first, and kept what is wanted. That is no reason to refuse, nor to look at it again and again.

use crate::common::directory_with;
use crate::run::placing::colored_with;
use crate::run::told::before;
use crate::run::{MAP, cannot_color, compiled, searching_much};
use fresco_linux::proc::{PROC, available_bytes};
use fresco_testing::{Need, skip};
use std::path::Path;

/// Allocates and frees so many MiB for each number; `rest N` waits until it has no more than N MiB in memory, `many N` maps,
/// touches and unmaps one MiB N times.
const AGAIN: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static long resident(void) {
    long all, there = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (fscanf(file, "%ld %ld", &all, &there) != 2) exit(2);
    fclose(file);
    return there >> 8;
}
int main(int count, char **words) {
    for (int at = 1; at < count; at++) {
        if (!strcmp(words[at], "rest")) {
            long most = atol(words[++at]);
            for (int tenths = 0; resident() > most; tenths++) {
                if (tenths == 300) return 3;
                usleep(100000);
            }
            continue;
        }
        if (!strcmp(words[at], "many")) {
            for (int times = atoi(words[++at]); times--;) {
                char *block = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
                if (block == MAP_FAILED) return 4;
                *block = 1;
                munmap(block, 1 << 20);
            }
            continue;
        }
        size_t bytes = atol(words[at]) << 20;
        char *volatile block = malloc(bytes);
        puts(block ? "had" : "refused");
        if (block) memset(block, 1, bytes);
        free(block);
    }
    return 0;
}
"#;

/// What the program says, and what is told.
fn again(words: &[&str]) -> Option<(String, String)> {
    let directory = directory_with(&[("map.txt", MAP), ("again.c", AGAIN)]);
    if !compiled("again", directory.path()) {
        return None;
    }
    let options = ["--strict", "--search", "8G", "--stats=details"];
    let command = [&["timeout", "300", "./again"], words].concat();
    let done = colored_with(&options, &command, directory.path());
    let told = String::from_utf8(done.stderr).expect("UTF-8");
    assert!(done.status.success(), "{:?}: {told}", done.status);
    Some((String::from_utf8(done.stdout).expect("UTF-8"), told))
}

#[test]
fn what_was_given_back_is_had_again() {
    if cannot_color() {
        return;
    }
    let _alone = searching_much();
    if available_bytes(Path::new(PROC)) < Some(10 << 30) {
        return skip(Need::Memory, "less than 10 GiB are available");
    }
    // For 256 MiB of a quarter of the colors a GiB is looked at, twice what 8 GiB are judged by: of the 768 MiB that are given
    // back nothing is wanted. What is freed the allocator keeps.
    for words in [&["256", "512"][..], &["256", "rest", "300", "512"]] {
        let Some((said, told)) = again(words) else { return };
        assert_eq!(said, "had\nhad\n", "{words:?}: {told}");
    }
}

#[test]
fn frames_that_were_looked_at_are_not_looked_at_again_and_again() {
    if cannot_color() {
        return;
    }
    let _alone = searching_much();
    let Some((said, told)) = again(&["256", "many", "60"]) else {
        return;
    };
    assert_eq!(said, "had\n", "{told}");
    let own = told
        .lines()
        .find(|line| line.contains(" again[") && line.contains("looked at"));
    let looked = before(own.expect("a line of its own"), " frames looked at");
    // Four for each of 80,896 pages, and once what earlier programs have left: not 60 times 196,608 that the first search gave
    // back.
    assert!(looked < 1_000_000, "{told}");
}
