// SPDX-License-Identifier: MIT OR Apache-2.0
//! Memory that is moved: several mappings by one call, as Linux does it from 6.17 on.

use crate::common::directory_with;
use crate::run::placing::colored_with;
use crate::run::{MAP, cannot_color, compiled};

/// Moves 128 pages, of which the first 2 or 64 are another mapping, and says what is where.
const MOVES: &str = r#"
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int count, char **words) {
    size_t page = 4096, part = 64 * page;
    int access = PROT_READ | PROT_WRITE, own = MAP_PRIVATE | MAP_ANONYMOUS;
    char *source = mmap(0, 2 * part, access, own, -1, 0), *place = mmap(0, 2 * part, access, own, -1, 0);
    memset(source, 1, 2 * part);
    memset(place, 9, 2 * part);
    switch (*words[1]) {
    case 'f': mmap(source, 2 * page, access, MAP_PRIVATE | MAP_FIXED, open(words[0], O_RDONLY), 0); break;
    case 's': mmap(source, part, access, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0); break;
    case 'b': syscall(SYS_mmap, source, part, access, own | MAP_FIXED, -1, 0); break;
    case 'x': mprotect(source, part, access | PROT_EXEC); break;
    case 'h': munmap(source + part, page); break;
    }
    if (*words[1] != 'h') memset(source, 2, 16 * page);
    char *now = mremap(source, 2 * part, 2 * part, MREMAP_MAYMOVE | MREMAP_FIXED, place);
    if (now != place) {
        printf("%s\n", strerrorname_np(errno));
        return 1;
    }
    unsigned char there[128];
    printf("%d %d %d ", mincore(source, page, there), mincore(source + part, page, there), mincore(source + 2 * part - page, page, there));
    printf("%d %d %d\n", now[0], now[15 * page], now[2 * part - 1]);
    /* What has been moved is memory like any other. */
    memset(now + part + page, 3, part - page);
    madvise(now + part + page, part - page, MADV_DONTNEED);
    return now[2 * part - 1];
}
"#;

#[test]
fn several_mappings_are_moved_by_one_call() {
    if cannot_color() {
        return;
    }
    let directory = directory_with(&[("map.txt", MAP), ("moves.c", MOVES)]);
    if !compiled("moves", directory.path()) {
        return;
    }
    // A file's pages before anonymous memory, shared memory, memory mapped by a bare system call, memory that can be executed;
    // and a hole, which stays one.
    for (how, first) in [
        ("file", 2),
        ("shared", 2),
        ("bare", 2),
        ("executable", 2),
        ("hole", 1),
        ("one", 2),
    ] {
        for options in [&[][..], &["--strict"]] {
            let done = colored_with(options, &["./moves", how], directory.path());
            let said = String::from_utf8_lossy(&done.stdout).into_owned();
            assert_eq!(
                said,
                format!("-1 -1 -1 {first} {first} 1\n"),
                "{how} {options:?}: {done:?}"
            );
            assert!(done.status.success(), "{how} {options:?}: {done:?}");
        }
    }
}

/// Moves memory to the end of other memory, none of it touched, and says whether each is watched (`um` of smaps).
const BESIDE: &str = r#"
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
static int watched(char *place) {
    FILE *file = fopen("/proc/self/smaps", "r");
    char line[512], next;
    int is_here = 0, is_watched = 0;
    while (fgets(line, sizeof line, file)) {
        unsigned long start, end;
        if (sscanf(line, "%lx-%lx%c", &start, &end, &next) == 3 && next == ' ')
            is_here = (unsigned long)place >= start && (unsigned long)place < end;
        if (is_here && !strncmp(line, "VmFlags:", 8)) is_watched = strstr(line, " um") != 0;
    }
    fclose(file);
    return is_watched;
}
int main(void) {
    size_t bytes = 1 << 20;
    int access = PROT_READ | PROT_WRITE, own = MAP_PRIVATE | MAP_ANONYMOUS;
    char *hole = mmap(0, 5 * bytes, access, own, -1, 0);
    munmap(hole, 5 * bytes);
    char *below = mmap(hole + bytes, bytes, access, own | MAP_FIXED, -1, 0);
    char *above = mmap(hole + 3 * bytes, bytes, access, own | MAP_FIXED, -1, 0);
    char *moved = mmap(0, bytes, access, own, -1, 0);
    moved = mremap(moved, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, hole + 2 * bytes);
    printf("%d %d %d\n", watched(below), watched(moved), watched(above));
    return 0;
}
"#;

#[test]
fn memory_beside_which_other_memory_is_moved_stays_covered() {
    if cannot_color() {
        return;
    }
    let directory = directory_with(&[("map.txt", MAP), ("beside.c", BESIDE)]);
    if !compiled("beside", directory.path()) {
        return;
    }
    // Linux makes one mapping of the three, and watches none of it.
    let done = colored_with(&[], &["./beside"], directory.path());
    assert_eq!(String::from_utf8_lossy(&done.stdout), "1 1 1\n", "{done:?}");
}
