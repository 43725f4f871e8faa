// SPDX-License-Identifier: MIT OR Apache-2.0
//! Much memory that is promised at once (`--strict`): it is had in one search, or refused before that holds the machine's
//! memory, and lines say how far it is and why it is refused.

use crate::common::{directory_with, fresco};
use crate::run::{MAP, cannot_color, compiled, searching_much};
use fresco_testing::{Need, skip};
use std::collections::BTreeSet;

/// Wants so many MiB at a multiple of so many bytes, in three ways; says what it got, and the most it ever had in memory.
const WANTS: &str = r#"
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
int main(int count, char **words) {
    size_t bytes = atol(words[2]) << 20, align = atol(words[3]);
    char *block = NULL;
    if (*words[1] == 'a' && posix_memalign((void **)&block, align, bytes)) block = NULL;
    if (*words[1] == 'r') {
        strcpy(block = malloc(4 << 20), "kept");
        char *grown = realloc(block, bytes);
        if (grown && strcmp(grown, "kept") || strcmp(grown ? grown : block, "kept")) return 3;
        block = grown;
    }
    if (*words[1] == 'm') {
        block = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (block == MAP_FAILED) block = NULL;
    }
    if (block) memset(block + (4 << 20), 1, bytes - (4 << 20));
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%s %ld\n", block ? "had" : "refused", usage.ru_maxrss >> 10);
    return 0;
}
"#;

/// What a program that wants much says, with the MiB that it had in memory at most, and what is told.
fn wants(colors: &str, search: &str, words: &[&str]) -> Option<(String, u64, String)> {
    let directory = directory_with(&[("map.txt", MAP), ("wants.c", WANTS)]);
    if !compiled("wants", directory.path()) {
        return None;
    }
    let options = [
        "run", "--map", "map.txt", "--strict", "--colors", colors, "--search", search, "--",
    ];
    let command = [&options[..], &["timeout", "300", "./wants"], words].concat();
    let done = fresco(&command, directory.path());
    assert!(done.status.success(), "{done:?}");
    let said = String::from_utf8(done.stdout).expect("UTF-8");
    let (said, most) = said.trim_end().split_once(' ').expect("two words");
    let told = String::from_utf8(done.stderr).expect("UTF-8");
    Some((said.to_owned(), most.parse().expect("a number"), told))
}

#[test]
fn much_aligned_memory_is_looked_for_once() {
    if cannot_color() {
        return;
    }
    let _alone = searching_much();
    // The allocator maps two or three times as much, to have it aligned: only what is kept is looked for. A quarter of the
    // frames have the colors, so four times as much is held, and more while other tests have some of these.
    let Some((said, most, told)) = wants("banks=0-3", "2200M", &["aligned", "256", "268435456"]) else {
        return;
    };
    if said == "refused" && told.contains("a search may hold would give about") {
        // Other programs have the frames of these colors.
        return skip(Need::Memory, told);
    }
    assert_eq!(said, "had", "{told}");
    assert!(most < 2200, "{most} MiB: {told}");
    for line in told.lines() {
        assert!(
            line.contains("--strict: looking for 256 MiB of the colors banks=0-3,llc=0: found "),
            "{told}"
        );
    }
}

#[test]
fn what_a_search_would_not_find_is_refused_before_it_holds_all_that_it_may() {
    if cannot_color() {
        return;
    }
    let _alone = searching_much();
    // A sixteenth of what the search may hold is an eighth of what is wanted: other tests that end now give back frames of this
    // bank, and those are found first.
    for how in ["aligned", "mapped", "realloc"] {
        let Some((said, most, told)) = wants("banks=0", "2G", &[how, "1024", "4096"]) else {
            return;
        };
        assert_eq!(said, "refused", "{how}: {told}");
        // It is judged once it has looked at a sixteenth of 2 GiB, and refused by then where the frames lie as chance has them.
        assert!(most < 1024, "{how}: {most} MiB: {told}");
        let refusals: Vec<&str> = told
            .lines()
            .filter(|line| line.contains("are refused (ENOMEM)"))
            .collect();
        // Each is told once. Where nothing at all was found, the smaller pieces that the C library asks for next are refused, too.
        let sizes: BTreeSet<&str> = refusals
            .iter()
            .filter_map(|line| line.split(" are refused").next())
            .collect();
        assert_eq!(sizes.len(), refusals.len(), "{how}: {told}");
        assert!(
            refusals.len() == 1 || refusals[0].contains("found 0 KiB"),
            "{how}: {told}"
        );
        for part in [
            "1024 MiB",
            "found ",
            "colors banks=0,llc=0",
            "a search may hold would give about",
            "--search SIZE",
        ] {
            assert!(refusals[0].contains(part), "{how}: {part}: {}", refusals[0]);
        }
    }
}

#[test]
fn a_limit_of_the_process_is_named_where_it_is_what_binds() {
    if cannot_color() {
        return;
    }
    let directory = directory_with(&[("map.txt", MAP), ("wants.c", WANTS)]);
    if !compiled("wants", directory.path()) {
        return;
    }
    let script = "ulimit -d 400000; exec \"$0\" run --map map.txt --strict --colors banks=0 -- ./wants mapped 256 4096";
    let done = std::process::Command::new("sh")
        .args(["-c", script])
        .arg(crate::run::program())
        .current_dir(directory.path())
        .output()
        .expect("a shell");
    let told = String::from_utf8_lossy(&done.stderr).into_owned();
    let refusal = told.lines().find(|line| line.contains("are refused (ENOMEM)"));
    let refusal = refusal.unwrap_or_else(|| panic!("{done:?}"));
    assert!(
        refusal.ends_with("or a higher limit of data (ulimit -d): a search may hold an eighth of what it leaves"),
        "{refusal}"
    );
}

/// Has large blocks and, where those were, small ones; asks for so many MiB, which are refused, and has small ones again. Says
/// of each block that it gets, before it writes to it, how many pages are not in memory.
const LOOKS: &str = r#"
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
static unsigned char there[1 << 16];
static void look(const char *what, char *block, size_t bytes) {
    char *first = (char *)((size_t)block & -4096);
    size_t pages = (block + bytes - first + 4095) / 4096, missing = 0;
    if (mincore(first, pages * 4096, there)) perror("mincore");
    for (size_t page = 0; page < pages; page++) missing += !(there[page] & 1);
    if (missing) printf("%s: %zu of %zu pages are not in memory\n", what, missing, pages);
    memset(block, 7, bytes);
}
static int small(const char *what, int most) {
    char *blocks[100];
    int had = 0;
    while (had < most && (blocks[had] = malloc(1 << 20))) look(what, blocks[had++], 1 << 20);
    for (int block = 0; block < had; block++) free(blocks[block]);
    return had;
}
int main(int count, char **words) {
    size_t wanted = atol(words[1]) << 20, large = 20 << 20;
    errno = 0;
    for (int turn = 0; turn < 2 && count > 2; turn++) {
        char *block = malloc(large);
        if (!block) return 2;
        if (errno) printf("errno %d\n", errno);
        look("malloc", block, large);
        free(block);
        small("after a large one", 30);
        if (!(block = calloc(1, large))) return 2;
        for (size_t at = 0; at < large; at++) if (block[at]) { puts("calloc: not zero"); break; }
        look("calloc", block, large);
        free(block);
        if (!(block = aligned_alloc(1 << 16, large))) return 2;
        look("aligned_alloc", block, large);
        free(block);
    }
    for (int turn = 0; turn < 3; turn++) {
        char *block = turn == 1 ? calloc(1, wanted) : malloc(wanted);
        if (block) return 3;
        if (errno != ENOMEM) printf("errno %d\n", errno);
        small("after a refusal", 60);
    }
    puts("done");
    return 0;
}
"#;

#[test]
fn each_block_has_its_frames_before_the_program_has_it() {
    if cannot_color() {
        return;
    }
    let _alone = searching_much();
    let directory = directory_with(&[("map.txt", MAP), ("looks.c", LOOKS)]);
    if !compiled("looks", directory.path()) {
        return;
    }
    let strict = "exec \"$0\" run --map map.txt --strict --colors banks=0-3";
    for script in [
        // What fits many times in what a search may hold is had, whatever others hold, and what is more than that is refused,
        // even where a program that ended has just given back gigabytes of these colors.
        format!("{strict} --search 1200M -- ./looks 1300 large"),
        // Where a limit leaves little, a search may find nothing at all: that is refused, too, and kills nobody.
        format!("ulimit -d 400000; {strict} -- ./looks 256"),
    ] {
        for _ in 0..6 {
            let done = std::process::Command::new("sh")
                .args(["-c", &script])
                .arg(crate::run::program())
                .current_dir(directory.path())
                .output()
                .expect("a shell");
            assert!(done.status.success(), "{script}: {done:?}");
            assert_eq!(String::from_utf8_lossy(&done.stdout), "done\n", "{script}: {done:?}");
        }
    }
}
