// SPDX-License-Identifier: MIT OR Apache-2.0
//! Addresses that the library keeps for itself: for the program they are taken when it maps, and empty otherwise.

use crate::common::directory_with;
use crate::run::placing::colored_with;
use crate::run::{MAP, cannot_color, compiled};

/// Tries all calls on 64 MiB at an address, and whether memory and children are well after. Says what came of each.
const TRIES: &str = r#"
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
static void says(const char *what, void *got, void *wanted) {
    if (got == MAP_FAILED) printf("%s: %s\n", what, strerrorname_np(errno));
    else printf("%s: %s\n", what, got == wanted ? "there" : "elsewhere");
}
static int fills(void) {
    for (int turn = 0; turn < 20; turn++) {
        char *volatile block = malloc(5 << 20);
        if (!block) return 1;
        memset(block, turn, 5 << 20);
        if (block[(5 << 20) - 1] != turn) return 1;
    }
    return 0;
}
int main(int count, char **words) {
    size_t bytes = 64 << 20;
    int access = PROT_READ | PROT_WRITE, own = MAP_PRIVATE | MAP_ANONYMOUS;
    char *place = (char *)strtoull(words[1], NULL, 16), *got;
    if (fills()) return 2;
    says("fixed", mmap(place, bytes, access, own | MAP_FIXED, -1, 0), place);
    if (count > 2) {
        memset(place, 1, bytes);
        return fills();
    }
    says("not replacing", mmap(place, bytes, access, own | MAP_FIXED_NOREPLACE, -1, 0), place);
    says("shared", mmap(place, bytes, access, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0), place);
    got = mmap(place, bytes, access, own, -1, 0);
    says("wished", got, place);
    memset(got, 1, bytes);
    says("moved there", mremap(got, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, place), place);
    says("moved from there", mremap(place, bytes, 2 * bytes, MREMAP_MAYMOVE), place);
    printf("opened: %s\n", mprotect(place, bytes, access) ? strerrorname_np(errno) : "done");
    printf("dropped: %s\n", madvise(place, bytes, MADV_DONTNEED) ? strerrorname_np(errno) : "done");
    printf("unmapped: %s\n", munmap(place, bytes) ? strerrorname_np(errno) : "done");
    /* What lies below and above goes, what is between stays. */
    char *below = (char *)(1ull << 40) - 4096, *above = (char *)(7ull << 38);
    says("below", mmap(below, 4096, access, own | MAP_FIXED, -1, 0), below);
    says("above", mmap(above, 4096, access, own | MAP_FIXED, -1, 0), above);
    printf("all: %s\n", munmap(below, above + 4096 - below) ? strerrorname_np(errno) : "done");
    unsigned char there;
    printf("%d %d\n", mincore(below, 4096, &there), mincore(above, 4096, &there));
    if (got[bytes - 1] != 1 || fills()) return 3;
    int status;
    if (!fork()) _exit(fills());
    wait(&status);
    return status;
}
"#;

#[test]
fn what_the_library_keeps_for_itself_is_refused_and_nothing_hangs() {
    if cannot_color() {
        return;
    }
    let directory = directory_with(&[("map.txt", MAP), ("tries.c", TRIES)]);
    if !compiled("tries", directory.path()) {
        return;
    }
    // Frames that are looked for, the library's own heap, and an address that is anybody's.
    let own = "fixed: ENOMEM\nnot replacing: EEXIST\nshared: ENOMEM\nwished: elsewhere\nmoved there: ENOMEM\n\
               moved from there: EFAULT\nopened: ENOMEM\ndropped: ENOMEM\nunmapped: done\nbelow: there\nabove: there\n\
               all: done\n-1 -1\n";
    for place in ["10000000000", "18000000000", "17fffff0000"] {
        let done = colored_with(&[], &["timeout", "60", "./tries", place], directory.path());
        assert_eq!(String::from_utf8_lossy(&done.stdout), own, "{place}: {done:?}");
        assert!(done.status.success(), "{place}: {done:?}");
    }
    // Elsewhere it is as it is without colors.
    let done = colored_with(
        &[],
        &["timeout", "60", "./tries", "20000000000", "elsewhere"],
        directory.path(),
    );
    assert!(done.status.success() && done.stdout == b"fixed: there\n", "{done:?}");
}
