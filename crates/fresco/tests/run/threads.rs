// SPDX-License-Identifier: MIT OR Apache-2.0
//! Threads with colors of their own, and what forks do to colors.

use crate::common::{directory_with, json};
use crate::run::placing::colored_with;
use crate::run::{COLORING, MAP, Running, cannot_color, compiled, expected_sum, program, ready};
use fresco_testing::{Need, skip};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

fn share(view: &Value) -> f64 {
    view["share"].as_f64().expect("a number")
}

/// Asks again until the share is there: pages are mended a while after a fork.
fn until(pid: u32, least: f64, directory: &Path) -> Value {
    let start = std::time::Instant::now();
    loop {
        let report = json(&["verify", &pid.to_string(), "--json", "--least", "0"], directory);
        let total = report["data"]["total"].clone();
        if share(&total) >= least || start.elapsed().as_secs() >= 15 {
            return total;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

#[test]
fn threads_take_colors_in_turn() {
    if cannot_color() {
        return;
    }
    let directory = directory_with(&[("map.txt", MAP)]);
    // The first thread, and three workers of 4 MiB each, one of which has the first one's colors.
    let options = ["--thread-colors", "banks=0-1;banks=4-5;banks=9"];
    let (running, _) = Running::start(&options, &["12", "3"], directory.path());
    let report = running.verify(directory.path());
    assert_eq!(report["asked"], "banks=0-1,4-5,9,llc=0");
    let threads = report["threads"].as_array().expect("a list");
    let sets: Vec<&str> = threads.iter().filter_map(|view| view["asked"].as_str()).collect();
    assert_eq!(
        sets,
        ["banks=0-1,llc=0", "banks=4-5,llc=0", "banks=9,llc=0"],
        "{report}"
    );
    for view in threads {
        assert!(view["pages"].as_u64() >= Some(4 * 256), "{view}");
        assert!(share(view) >= 0.999, "{view}");
    }
    assert!(share(&report["total"]) >= 0.999, "{}", report["total"]);
    assert_eq!(running.finish().0, expected_sum(4, 3));
}

/// Each thread names its colors, allocates, gives memory to others to free, and maps.
const PROGRAM: &str = r#"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "fresco_colors.h"

enum { BLOCKS = 4000, BYTES = 1000 };
static char *blocks[3][BLOCKS];
static const char *colors[3] = {"banks=0-3", "banks=8-11", 0};
static pthread_barrier_t barrier;

static void *work(void *argument) {
    int self = *(int *)argument;
    if (fresco_thread_colors(colors[self])) exit(3);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < BLOCKS; i++) memset(blocks[self][i] = malloc(BYTES), self + 1, BYTES);
        pthread_barrier_wait(&barrier);
        for (int i = 0; i < BLOCKS; i++) {
            char *other = blocks[(self + 1) % 3][i];
            if (other[BYTES - 1] != (self + 1) % 3 + 1) exit(4);
            if (round < 2) free(other);
        }
        pthread_barrier_wait(&barrier);
    }
    char *mapped = mmap(0, 1 << 22, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(mapped, 1, 1 << 22);
    pthread_barrier_wait(&barrier);
    return 0;
}

int main(void) {
    if (!fresco_thread_colors) { puts("not there"); return 0; }
    if (fresco_thread_colors("banks=99") != EINVAL || fresco_thread_colors("nonsense") != EINVAL) return 2;
    pthread_t threads[3];
    int numbers[3] = {0, 1, 2};
    pthread_barrier_init(&barrier, 0, 4 - 1);
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, work, &numbers[i]);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
    puts("ready");
    fflush(stdout);
    getchar();
    return 0;
}
"#;

#[test]
fn a_program_chooses_the_colors_of_its_threads() {
    if cannot_color() {
        return;
    }
    let directory = directory_with(&[("map.txt", MAP), ("threads.c", PROGRAM)]);
    if !compiled("threads", directory.path()) {
        return;
    }
    let alone = Command::new(directory.path().join("threads"))
        .output()
        .expect("it starts");
    assert_eq!(alone.stdout, b"not there\n");
    let (mut child, _output) = ready(
        Command::new(program())
            .args(["run", "--map", "map.txt", "--colors", "banks=15", "--", "./threads"])
            .current_dir(directory.path()),
    );
    let report = json(&["verify", &child.id().to_string(), "--json"], directory.path());
    let threads = report["data"]["threads"].as_array().expect("a list");
    assert_eq!(threads.len(), 2, "{threads:?}");
    for (view, asked) in threads.iter().zip(["banks=0-3,llc=0", "banks=8-11,llc=0"]) {
        assert_eq!(view["asked"], asked);
        // 4 MB of blocks, 4 MiB mapped.
        assert!(view["pages"].as_u64() >= Some(1900), "{view}");
        assert_eq!(share(view), 1.0, "{view}");
    }
    let total = &report["data"]["total"];
    assert!(
        share(total) >= 0.999 && total["pages"].as_u64() >= Some(6000),
        "{total}"
    );
    drop(child.stdin.take());
    assert!(child.wait().expect("it ends").success());
}

/// Parent and child write all of 16 MiB while they share it; the child says who it is.
const FORKS: &str = r#"
import os, sys
size = 16 << 20
data = bytearray(b"a") * size
def write(letter):
    for at in range(0, size, 4096): data[at] = ord(letter)
child = os.fork()
if child == 0:
    more = [str(i) for i in range(20000)]
    write("c")
    print(os.getpid(), flush=True)
    sys.stdin.read()
    assert data[::4096] == b"c" * (size // 4096) and data[1::4096] == b"a" * (size // 4096)
    os._exit(0)
write("p")
sys.stdin.read()
assert data[::4096] == b"p" * (size // 4096) and data[1::4096] == b"a" * (size // 4096)
assert os.waitpid(child, 0)[1] == 0
print("done")
"#;

#[test]
fn pages_copied_after_a_fork_get_their_colors_back() {
    if cannot_color() {
        return;
    }
    let directory = directory_with(&[("map.txt", MAP), ("forks.py", FORKS)]);
    let started = Command::new(program())
        .args(COLORING)
        .args(["--", "/usr/bin/python3", "forks.py"])
        .current_dir(directory.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let mut child = started.expect("it starts");
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut line = String::new();
    if output.read_line(&mut line).expect("UTF-8") == 0 {
        child.wait().expect("it ends");
        return skip(Need::Python, "no python3");
    }
    let grandchild: u32 = line.trim().parse().expect("a number");
    for pid in [child.id(), grandchild] {
        let total = until(pid, 0.999, directory.path());
        assert!(
            share(&total) >= 0.999 && total["pages"].as_u64() >= Some(16 * 256),
            "{pid}: {total}"
        );
    }
    drop(child.stdin.take());
    line.clear();
    output.read_line(&mut line).expect("UTF-8");
    assert!(child.wait().expect("it ends").success());
    assert_eq!(line, "done\n");
}

/// Threads that count in all pages of a block while others fork: no increment is lost, in the parent or in a child.
const COUNTS: &str = r#"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PAGES = 4096 };
static volatile unsigned (*page)[1024];
static volatile int stop;
static unsigned long rounds;

static void *count(void *unused) {
    while (!stop) {
        for (int i = 0; i < PAGES; i++) page[i][7]++;
        rounds++;
    }
    return unused;
}

int main(void) {
    page = mmap(0, PAGES * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < PAGES; i++) page[i][9] = i;
    pthread_t thread;
    pthread_create(&thread, 0, count, 0);
    time_t start = time(0);
    int forks = 0, children = 0, pages = 0;
    // On a busy machine few forks take long.
    while (time(0) < start + 4 || (forks < 20 && time(0) < start + 60)) {
        int child = fork();
        if (child == 0) {
            for (int i = 0; i < PAGES; i++) if (page[i][9] != (unsigned)i) _exit(1);
            usleep(forks % 3 * 20000);
            _exit(0);
        }
        int status;
        // Some end before the next fork, some after.
        while (waitpid(-1, &status, forks % 2 ? WNOHANG : 0) > 0) children += status != 0;
        char *scratch = malloc(1 << 20);
        memset(scratch, 1, 1 << 20);
        free(scratch);
        usleep(5000);
        forks++;
    }
    int status;
    while (wait(&status) > 0) children += status != 0;
    stop = 1;
    pthread_join(thread, 0);
    for (int i = 0; i < PAGES; i++) {
        if (page[i][7] == (unsigned)rounds && page[i][9] == (unsigned)i) continue;
        pages++;
        printf("page %d: %u for %d, %u of %lu rounds\n", i, page[i][9], i, page[i][7], rounds);
    }
    if (pages || children) printf("lost: %d pages; %d children of %d\n", pages, children, forks);
    else if (forks < 20) printf("too few forks: %d\n", forks);
    else puts("all there");
    return 0;
}
"#;

#[test]
fn nothing_is_lost_while_pages_are_mended() {
    if cannot_color() {
        return;
    }
    let directory = directory_with(&[("map.txt", MAP), ("counts.c", COUNTS)]);
    if !compiled("counts", directory.path()) {
        return;
    }
    let done = colored_with(&["--stats=details"], &["./counts"], directory.path());
    let told = String::from_utf8_lossy(&done.stderr);
    assert_eq!(String::from_utf8_lossy(&done.stdout), "all there\n", "{told}");
    assert!(told.contains(" pages given their colors back"), "{told}");
    assert!(!told.contains(" 0 pages given their colors back"), "{told}");
}
