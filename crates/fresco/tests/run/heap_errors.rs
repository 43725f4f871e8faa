// SPDX-License-Identifier: MIT OR Apache-2.0
//! Programs that free what they must not: they are aborted, as the C library aborts them, and one line says why. What is
//! allowed goes on as it would.

use crate::common::directory_with;
use crate::run::placing::colored_with;
use crate::run::{MAP, cannot_color, compiled};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output};

const MISUSES: &str = r#"
#pragma GCC diagnostic ignored "-Wfree-nonheap-object"
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
static char global[256];
static void *frees(void *block) { free(block); return NULL; }
static char *filled(size_t bytes) { return memset(malloc(bytes), 0xa5, bytes); }
static void twice(size_t bytes) {
    char *block = filled(bytes);
    free(block);
    free(block);
}
int main(int count, char **words) {
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    const char *how = words[1];
    char local[256] __attribute__((aligned(16)));
    memset(local, 0, sizeof local);
    volatile uintptr_t shift = 0;
    pthread_t thread;
    if (!strcmp(how, "small twice")) twice(100);
    if (!strcmp(how, "nothing twice")) twice(0);
    if (!strcmp(how, "large twice")) twice(1 << 20);
    if (!strcmp(how, "huge twice")) twice(64 << 20);
    if (!strcmp(how, "aligned twice")) {
        void *block;
        if (posix_memalign(&block, 4096, 10000)) return 9;
        free(block);
        free(block + shift);
    }
    if (!strcmp(how, "twice, with others between")) {
        char *block = filled(100), *others[1000];
        for (int i = 0; i < 1000; i++) others[i] = filled(100);
        free(block);
        for (int i = 0; i < 1000; i++) free(others[i]);
        free(block + shift);
    }
    if (!strcmp(how, "twice, much later")) {
        char *block = filled(200000);
        free(block);
        sleep(3);
        free(filled(10));
        free(block + shift);
    }
    if (!strcmp(how, "by two threads")) {
        char *block = filled(100);
        pthread_create(&thread, NULL, frees, block);
        pthread_join(thread, NULL);
        free(block + shift);
    }
    if (!strcmp(how, "by a thread, twice")) {
        char *block = filled(100);
        pthread_create(&thread, NULL, frees, block);
        pthread_join(thread, NULL);
        pthread_create(&thread, NULL, frees, block + shift);
        pthread_join(thread, NULL);
    }
    if (!strcmp(how, "in a child")) {
        int status;
        if (!fork()) twice(100);
        wait(&status);
        if (WIFSIGNALED(status)) raise(WTERMSIG(status));
    }
    if (!strcmp(how, "inside")) free(filled(1000) + 16 + shift);
    if (!strcmp(how, "odd")) free(filled(1000) + 8 + shift);
    if (!strcmp(how, "inside, large")) free(filled(10 << 20) + 4096 + shift);
    if (!strcmp(how, "stack")) free(local + 64 + shift);
    if (!strcmp(how, "global")) free(global + 64 + shift);
    if (!strcmp(how, "nowhere")) free((void *)(0x123450 + shift));
    if (!strcmp(how, "beyond")) free((void *)(0xffff800000000000 + shift));
    if (!strcmp(how, "realloc freed")) {
        char *block = filled(100);
        free(block);
        block = realloc(block + shift, 5000);
    }
    if (!strcmp(how, "realloc stack")) return realloc(local + 64 + shift, 1000) != NULL;
    return 0;
}
"#;

/// Its end, by the number of a signal: timeout(1) hands it on, or ends by it.
fn ended(output: &Output) -> Option<i32> {
    let status = output.status;
    status.signal().or(status.code().map(|code| code - 128))
}

#[test]
fn what_is_freed_twice_or_never_was_a_block_aborts_the_program_with_a_line() {
    if cannot_color() {
        return;
    }
    let directory = directory_with(&[("map.txt", MAP), ("misuses.c", MISUSES)]);
    if !compiled("misuses", directory.path()) {
        return;
    }
    for (how, why) in [
        ("small twice", "freed already, or inside a block"),
        ("nothing twice", "freed already, or inside a block"),
        ("large twice", "freed already, or inside a block"),
        ("huge twice", "freed already, or inside a block"),
        ("aligned twice", "freed already, or inside a block"),
        ("twice, with others between", "freed already, or inside a block"),
        ("twice, much later", "freed already, or inside a block"),
        ("by two threads", "freed already, or inside a block"),
        ("by a thread, twice", "freed already, or inside a block"),
        ("in a child", "freed already, or inside a block"),
        ("inside", "freed already, or inside a block"),
        ("odd", "freed already, or inside a block"),
        ("inside, large", "freed already, or inside a block"),
        ("stack", "not an address of the heap"),
        ("global", "not an address of the heap"),
        ("nowhere", "not an address of the heap"),
        ("beyond", "not an address of the heap"),
        ("realloc freed", "freed already, or inside a block"),
        ("realloc stack", "not an address of the heap"),
    ] {
        let colored = colored_with(&[], &["timeout", "20", "./misuses", how], directory.path());
        assert_eq!(ended(&colored), Some(6), "{how}: {colored:?}");
        let told = String::from_utf8_lossy(&colored.stderr);
        let told: Vec<&str> = told.lines().filter(|line| line.starts_with("fresco: ")).collect();
        let function = if how.starts_with("realloc") {
            "realloc()"
        } else {
            "free()"
        };
        assert_eq!(told.len(), 1, "{how}: {colored:?}");
        assert!(
            told[0].contains(&format!("{function}: invalid pointer 0x")),
            "{how}: {told:?}"
        );
        let why = if how == "huge twice" {
            "; the program is aborted"
        } else {
            why
        };
        assert!(told[0].contains(why), "{how}: {told:?}");
    }
}

/// What the C library allows: blocks of a library that does not look its functions up as others do, blocks of size zero,
/// and blocks that other threads free.
const ALLOWED: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define BLOCKS 20000
static void *blocks[4][BLOCKS];
static void *makes(void *place) {
    void **mine = place;
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < BLOCKS; i++) mine[i] = realloc(mine[i], 1 + (i * 37 + round) % 700);
    }
    return NULL;
}
static void *frees(void *place) {
    void **theirs = place;
    for (int i = 0; i < BLOCKS; i++) free(theirs[i]);
    memset(theirs, 0, sizeof blocks[0]);
    return makes(place);
}
int main(void) {
    void *module = dlopen("./module.so", RTLD_NOW | RTLD_DEEPBIND);
    void *(*make)(size_t) = dlsym(module, "make");
    for (int i = 0; i < 1000; i++) {
        char *block = make(100 + i);
        if (i % 2) block = realloc(block, 5000 + i);
        memset(block, 1, 100 + i);
        free(block);
    }
    for (int bytes = 0; bytes < 20; bytes++) {
        if ((uintptr_t)malloc(bytes) % 16 || (uintptr_t)calloc(bytes, 1) % 16) return 2;
    }
    if (realloc(malloc(10), 0)) return 3;
    pthread_t threads[4];
    for (int round = 0; round < 3; round++) {
        void *(*work)(void *) = round ? frees : makes;
        for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, work, blocks[(i + round) % 4]);
        for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    }
    puts("done");
    return 0;
}
"#;

#[test]
fn what_is_allowed_goes_on_as_it_would() {
    if cannot_color() {
        return;
    }
    let module = "#include <stdlib.h>\nvoid *make(size_t bytes) { return malloc(bytes); }\n";
    let files = [("map.txt", MAP), ("allowed.c", ALLOWED), ("module.c", module)];
    let directory = directory_with(&files);
    let shared = Command::new("cc")
        .args(["-shared", "-fPIC", "-o", "module.so", "module.c"])
        .current_dir(directory.path())
        .status();
    if !shared.is_ok_and(|status| status.success()) || !compiled("allowed", directory.path()) {
        return;
    }
    let done = colored_with(&[], &["timeout", "60", "./allowed"], directory.path());
    assert!(done.status.success(), "{done:?}");
    assert_eq!(String::from_utf8_lossy(&done.stdout), "done\n");
    assert_eq!(String::from_utf8_lossy(&done.stderr), "");
}
