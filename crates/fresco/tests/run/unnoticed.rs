// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a program must not notice: its descriptors are its own, it ends as it would, and memory for code is memory.

use crate::common::directory_with;
use crate::run::placing::colored_with;
use crate::run::{MAP, cannot_color, compiled};
use fresco_testing::{Need, skip};
use std::os::unix::process::ExitStatusExt;
use std::process::Command;

/// The first thread ends before the process: by `pthread_exit` with and without another thread, or by the bare system call.
const ENDS: &str = r#"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
static void bye(void) { puts("bye"); }
static void *work(void *unused) {
    usleep(200000);
    char *p = malloc(1 << 20);
    memset(p, 1, 1 << 20);
    puts("worked");
    return unused;
}
int main(int n, char **v) {
    pthread_t thread;
    atexit(bye);
    printf("begun ");
    if (n > 2) pthread_create(&thread, NULL, work, NULL);
    if (*v[1] == 'b') {
        fflush(stdout);
        syscall(SYS_exit, 3);
    }
    pthread_exit(NULL);
}
"#;

#[test]
fn a_program_whose_first_thread_leaves_ends_as_it_would() {
    if cannot_color() {
        return;
    }
    let directory = directory_with(&[("map.txt", MAP), ("ends.c", ENDS)]);
    if !compiled("ends", directory.path()) {
        return;
    }
    for arguments in [&["exits"][..], &["exits", "with"], &["bare"]] {
        let plain = Command::new(directory.path().join("ends"))
            .args(arguments)
            .output()
            .expect("it starts");
        let command: Vec<&str> = ["timeout", "60", "./ends"].iter().chain(arguments).copied().collect();
        let colored = colored_with(&[], &command, directory.path());
        assert_eq!(colored.status, plain.status, "{arguments:?}: {colored:?}");
        assert_eq!(colored.stdout, plain.stdout, "{arguments:?}");
    }
}

/// Seccomp kills the only thread, by a filter or in strict mode.
const KILLED: &str = r#"
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int n, char **v) {
    struct sock_filter filter[] = {
        {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, nr)},
        {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_getppid},
        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_KILL_THREAD},
        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
    };
    struct sock_fprog program = {4, filter};
    if (*v[1] == 's') return prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) || getppid();
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program)) return 1;
    return getppid() == 0;
}
"#;

#[test]
fn a_program_that_seccomp_kills_has_not_ended_well() {
    if cannot_color() {
        return;
    }
    let directory = directory_with(&[("map.txt", MAP), ("killed.c", KILLED)]);
    if !compiled("killed", directory.path()) {
        return;
    }
    for mode in ["filter", "strict"] {
        let plain = Command::new(directory.path().join("killed"))
            .arg(mode)
            .output()
            .expect("it starts");
        assert_ne!(plain.status.signal(), None, "{mode}: {plain:?}");
        let colored = colored_with(&[], &["./killed", mode], directory.path());
        assert_eq!(colored.status, plain.status, "{mode}: {colored:?}");
    }
}

/// Gives some of its mappings back and forks: what maps memory in a child finds their addresses free.
const HOLES: &str = r#"
import mmap, os
kept = [mmap.mmap(-1, 524288, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) for _ in range(40)]
for one in kept:
    one[0] = 1
for one in kept[1::5]:
    one.close()
for _ in range(5):
    child = os.fork()
    if child == 0:
        blocks = [bytes(1000) for _ in range(2000)], bytearray(1 << 20)
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
print("done")
"#;

#[test]
fn a_child_of_a_program_that_gave_addresses_back_does_not_wait_for_itself() {
    if cannot_color() {
        return;
    }
    let directory = directory_with(&[("map.txt", MAP), ("holes.py", HOLES)]);
    let command = ["timeout", "-s", "KILL", "120", "/usr/bin/python3", "holes.py"];
    if !Command::new("/usr/bin/python3")
        .arg("--version")
        .output()
        .is_ok_and(|python| python.status.success())
    {
        return skip(Need::Python, "no /usr/bin/python3");
    }
    let colored = colored_with(&[], &command, directory.path());
    assert_eq!(String::from_utf8_lossy(&colored.stdout), "done\n", "{colored:?}");
}

/// Touches a page of each 64 KiB.
const SPARSE: &str = r#"
#include <stddef.h>
#include <sys/mman.h>
int main(void) {
    char *p = mmap(NULL, 4096L << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (long i = 0; i < 4096; i++) p[i << 16] = 1;
    return 0;
}
"#;

#[test]
fn pages_touched_far_apart_do_not_bring_those_between() {
    if cannot_color() {
        return;
    }
    let directory = directory_with(&[("map.txt", MAP), ("sparse.c", SPARSE)]);
    if !compiled("sparse", directory.path()) {
        return;
    }
    for pool in ["0", "64M"] {
        let colored = colored_with(&["--stats", "--pool", pool], &["./sparse"], directory.path());
        let told = String::from_utf8_lossy(&colored.stderr);
        let placed = told
            .split_once(" pages placed")
            .and_then(|(before, _)| before.rsplit(' ').next());
        let placed: u64 = placed.and_then(|placed| placed.parse().ok()).expect(&told);
        assert!((4096..4 * 4096).contains(&placed), "{told}");
    }
}

/// Takes the numbers of descriptors that it finds free, and says what is in the files at the end.
const FILES: &str = r#"
set -u
exec 2>&-
exec 2> two
exec 200> lock
echo mine >&200
x=$(seq 100000)
flock -n lock true && echo "free for all"
flock -n 200
flock -n lock true || echo "locked"
"#;

#[test]
fn descriptors_of_a_program_are_its_own() {
    if cannot_color() {
        return;
    }
    let directory = directory_with(&[("map.txt", MAP), ("files.sh", FILES)]);
    // What is told at the end goes where standard error went at the beginning.
    let told = colored_with(&["--stats", "--search", "4K"], &["bash", "files.sh"], directory.path());
    assert!(told.status.success(), "{told:?}");
    assert_eq!(
        String::from_utf8_lossy(&told.stdout),
        "free for all\nlocked\n",
        "{told:?}"
    );
    let has = |name: &str| std::fs::read_to_string(directory.path().join(name)).expect("readable");
    assert_eq!(has("lock"), "mine\n", "{told:?}");
    // Programs that it starts begin with this file as standard error; it did not.
    assert!(!has("two").contains("bash["), "{}", has("two"));
    assert!(
        String::from_utf8_lossy(&told.stderr).contains("pages placed"),
        "{told:?}"
    );
}

/// Memory that is written and executed, as just-in-time compilers take it.
const CODE: &str = r#"
#include <string.h>
#include <sys/mman.h>
int main(void) {
    size_t bytes = 8 << 20;
    unsigned char *code = mmap(0, bytes, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (code == MAP_FAILED) return 2;
    memset(code, 0xc3, bytes);
#ifdef __x86_64__
    ((void (*)(void))(code + bytes / 2))();
#endif
    return 0;
}
"#;

#[test]
fn memory_for_code_has_the_colors_asked_for() {
    if cannot_color() {
        return;
    }
    let directory = directory_with(&[("map.txt", MAP), ("code.c", CODE)]);
    if !compiled("code", directory.path()) {
        return;
    }
    for options in [&["--stats"][..], &["--stats", "--strict"]] {
        let done = colored_with(options, &["./code"], directory.path());
        let told = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!((done.status.code(), done.status.signal()), (Some(0), None), "{told}");
        let placed = told
            .split(" pages placed")
            .next()
            .and_then(|before| before.rsplit(' ').next());
        assert!(placed.and_then(|pages| pages.parse().ok()) >= Some(2048u64), "{told}");
        assert!(told.contains(" 0 left to the kernel"), "{told}");
    }
}

#[test]
fn a_program_may_enter_a_namespace_of_mounts() {
    if cannot_color() {
        return;
    }
    let directory = directory_with(&[("map.txt", MAP)]);
    let own = std::process::id().to_string();
    let enter = ["nsenter", "-m", "-t", &own, "true"];
    let plain = Command::new(enter[0]).args(&enter[1..]).output();
    if !plain.is_ok_and(|done| done.status.success()) {
        return skip(Need::Root, "nsenter enters no namespace");
    }
    // It is refused to those who share their root and working directory.
    let done = colored_with(&[], &enter, directory.path());
    assert!(done.status.success() && done.stderr.is_empty(), "{done:?}");
}
