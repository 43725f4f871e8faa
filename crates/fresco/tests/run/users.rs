// SPDX-License-Identifier: MIT OR Apache-2.0
//! Programs that change their user and groups. The C library has all threads do so, the pager too, and ends a program
//! whose threads are not allowed the same: each has to go on as it does without colors.

use crate::common::directory_with;
use crate::run::placing::colored_with;
use crate::run::{MAP, cannot_color, compiled};
use fresco_testing::{Need, skip};
use std::path::Path;
use std::process::{Command, Output};

/// Makes the changes named by its argument, and says what came of each; at the end, whether a thread may do more than it.
const CHANGES: &str = r#"
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define UID (1 << CAP_SETUID)
#define GID (1 << CAP_SETGID)
#define SAY(call) (errno = 7, say(#call, call))

static void say(const char *what, int result) {
    printf("%s: %d, %s\n", what, result, strerror(errno));
    fflush(stdout);
}

/* By a system call: the C library has the calling thread do it in any case. */
static int limit(unsigned permitted, unsigned effective) {
    struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct sets[2] = {{effective, permitted, 0}};
    return syscall(SYS_capset, &head, sets);
}

static void use_memory(void) {
    char *block = malloc(1 << 20);
    memset(block, 1, 1 << 20);
}

static void privileges_of(const char *task, unsigned long long *permitted, unsigned long long *effective) {
    char path[400], line[400];
    snprintf(path, sizeof path, "/proc/self/task/%s/status", task);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        sscanf(line, "CapPrm: %llx", permitted);
        sscanf(line, "CapEff: %llx", effective);
    }
    if (file) fclose(file);
}

static void look_at_threads(void) {
    char own[20];
    unsigned long long permitted, effective;
    snprintf(own, sizeof own, "%d", getpid());
    privileges_of(own, &permitted, &effective);
    DIR *tasks = opendir("/proc/self/task");
    int threads = 0;
    for (struct dirent *task; (task = readdir(tasks));) {
        if (task->d_name[0] == '.') continue;
        unsigned long long its_permitted = ~0ull, its_effective = ~0ull;
        privileges_of(task->d_name, &its_permitted, &its_effective);
        if (its_permitted & ~permitted || its_effective & ~effective) printf("%s may do more\n", task->d_name);
        threads++;
    }
    closedir(tasks);
    fprintf(stderr, "%d threads\n", threads);
}

static void change(const char *how) {
    if (!strcmp(how, "keep")) {
        SAY(prctl(PR_SET_KEEPCAPS, 1));
        SAY(setresuid(65534, 65534, 65534));
        SAY(setresgid(65534, 65534, 65534));
        SAY(limit(UID | GID, GID));
        SAY(setresgid(65533, 65533, 65533));
        SAY(setresuid(65533, 65533, 65533));
        SAY(limit(UID | GID, UID));
        SAY(setresuid(65533, 65533, 65533));
        SAY(setgroups(0, 0));
        SAY(limit(UID, 0));
        SAY(setuid(0));
        SAY(limit(UID, UID));
        SAY(setuid(65533));
        SAY(limit(0, 0));
    } else if (!strcmp(how, "none")) {
        SAY(limit(0, 0));
        SAY(setgid(65534));
        SAY(setegid(65534));
        SAY(setregid(65534, 65534));
        SAY(setresgid(65534, 65534, 65534));
        SAY(setgroups(0, 0));
        SAY(initgroups("root", 0));
        SAY(setuid(65534));
        SAY(seteuid(65534));
        SAY(setreuid(65534, 65534));
        SAY(setresuid(65534, 65534, 65534));
    } else if (!strcmp(how, "back")) {
        SAY(seteuid(65534));
        SAY(setgid(1));
        SAY(seteuid(0));
        SAY(setegid(65534));
        SAY(setegid(0));
        SAY(setregid(65534, 65534));
        SAY(initgroups("root", 0));
        SAY(setreuid(65534, 0));
        SAY(setreuid(65534, 65534));
    } else if (!strcmp(how, "fixed")) {
        SAY(prctl(PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP));
        SAY(setresuid(65534, 65534, 65534));
        SAY(setresgid(65534, 65534, 65534));
        SAY(setuid(0));
        SAY(setuid(1));
        SAY(limit(0, 0));
    } else if (!strcmp(how, "children")) {
        /* What children do changes nothing for the parent's pager. */
        if (!vfork()) {
            setgid(65534);
            setuid(65534);
            _exit(setuid(0) == 0);
        }
        int status;
        SAY(wait(&status) < 0 || status);
        fflush(stdout);
        if (!fork()) {
            use_memory();
            SAY(setgid(65534));
            SAY(setuid(65534));
            SAY(setuid(0));
            look_at_threads();
            fflush(stdout);
            _exit(0);
        }
        SAY(wait(&status) < 0 || status);
        SAY(setgid(65534));
        SAY(setuid(65534));
    }
    SAY(setuid(0));
    SAY(setgid(0));
    SAY(setgroups(0, 0));
}

int main(int count, char **arguments) {
    use_memory();
    change(arguments[1]);
    use_memory();
    look_at_threads();
    return count - 2;
}
"#;

fn plain(command: &[&str], directory: &Path) -> Output {
    let (name, arguments) = command.split_first().expect("a name");
    let mut plain = Command::new(name);
    plain
        .args(arguments)
        .current_dir(directory)
        .output()
        .expect("it starts")
}

#[test]
fn users_and_groups_change_or_are_refused_as_without_colors() {
    if cannot_color() {
        return;
    }
    let directory = directory_with(&[("map.txt", MAP), ("changes.c", CHANGES)]);
    if !compiled("changes", directory.path()) {
        return;
    }
    for how in ["keep", "none", "back", "fixed", "children"] {
        let command = ["./changes", how];
        let expected = plain(&command, directory.path());
        assert!(expected.status.success(), "{expected:?}");
        let refusals = String::from_utf8_lossy(&expected.stdout)
            .matches("not permitted")
            .count();
        assert!(refusals >= 2, "{expected:?}");
        let done = colored_with(&[], &command, directory.path());
        assert_eq!(
            (done.status.code(), &done.stdout),
            (Some(0), &expected.stdout),
            "{how}: {done:?}"
        );
        let told = String::from_utf8_lossy(&done.stderr);
        assert!(told.ends_with("2 threads\n"), "{how}: the pager is there: {told}");
    }
}

#[test]
fn setpriv_starts_programs_of_other_users() {
    if cannot_color() {
        return;
    }
    let directory = directory_with(&[("map.txt", MAP)]);
    if Command::new("setpriv").arg("--version").output().is_err() {
        return skip(Need::Users, "no setpriv");
    }
    for groups in ["--clear-groups", "--init-groups"] {
        let command = ["setpriv", "--reuid", "65534", "--regid", "65534", groups, "id", "-u"];
        let done = colored_with(&[], &command, directory.path());
        assert_eq!(
            (done.status.code(), &done.stdout[..]),
            (Some(0), &b"65534\n"[..]),
            "{done:?}"
        );
    }
}
