// SPDX-License-Identifier: MIT OR Apache-2.0
//! What `fresco verify` judges, and when.

use crate::common::{directory_with, fresco, json};
use crate::run::placing::colored_with;
use crate::run::{COLORING, MAP, Running, cannot_color, compiled, memory_user, program};
use fresco_testing::{Need, skip};
use serde_json::Value;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::Instant;

#[test]
fn a_pool_that_is_being_collected_is_not_judged() {
    if cannot_color() {
        return;
    }
    let directory = directory_with(&[("map.txt", MAP)]);
    let mut child = Command::new(program())
        .args(COLORING)
        .args(["--pool", "256M", "--"])
        .arg(memory_user())
        .arg("4")
        .current_dir(directory.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let pid = child.id().to_string();
    let (mut collected, start) = (0, Instant::now());
    loop {
        assert!(start.elapsed().as_secs() < 60, "it has not begun");
        // Before it has become the program it has nothing to be judged by.
        let done = fresco(&["verify", &pid, "--json"], directory.path());
        let Ok(report) = serde_json::from_slice::<Value>(&done.stdout) else {
            continue;
        };
        let (data, total) = (&report["data"], &report["data"]["total"]);
        let mappings = data["mappings"].as_array().expect("a list");
        let pages = |kind: &str| -> u64 {
            let of_kind = mappings.iter().filter(|mapping| mapping["kind"] == kind);
            of_kind.filter_map(|mapping| mapping["pages"].as_u64()).sum()
        };
        // A loader and a stack, before there is a pool.
        assert!(total["outside"].as_u64() < Some(1000), "{total}");
        if pages("pool") > 0 && pages("covered") == 0 {
            collected += 1;
            assert_eq!(
                (total["pages"].as_u64(), done.status.code()),
                (Some(0), Some(0)),
                "{data}"
            );
        }
        let begun = pages("covered") >= 4 * 256;
        if begun {
            assert_eq!(total["pages"].as_u64(), Some(pages("covered")));
            break;
        }
    }
    assert!(collected > 0, "a gigabyte is looked at in no time");
    drop(child.stdin.take());
    assert!(child.wait().expect("it ends").success());
}

#[test]
fn of_another_users_process_the_lack_of_permission_is_told() {
    if cannot_color() {
        return;
    }
    let directory = directory_with(&[("map.txt", MAP)]);
    let (running, _) = Running::start(&["--colors", "banks=0-3"], &["1"], directory.path());
    let pid = running.child.id().to_string();
    let done = Command::new(program())
        .args(["verify", &pid])
        .uid(65534)
        .gid(65534)
        .output();
    match done {
        Ok(done) => {
            let told = String::from_utf8_lossy(&done.stderr).into_owned();
            assert_eq!(done.status.code(), Some(2), "{told}");
            assert!(
                told.starts_with(&format!("fresco: /proc/{pid}/environ: cannot be read")),
                "{told}"
            );
            assert!(told.contains("run as root"), "{told}");
        }
        Err(error) => skip(Need::Users, format!("others may not execute it: {error}")),
    }
    running.finish();
}

#[test]
fn under_a_filter_of_system_calls_that_is_what_is_told_and_once() {
    if cannot_color() {
        return;
    }
    // Refuses userfaultfd as a kernel without it does, and starts what it is told to.
    let source = "#include <errno.h>\n#include <linux/filter.h>\n#include <linux/seccomp.h>\n#include <stddef.h>\n\
        #include <sys/prctl.h>\n#include <sys/syscall.h>\n#include <unistd.h>\n\
        int main(int count, char **words) { struct sock_filter code[] = {\n\
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),\n\
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_userfaultfd, 0, 1),\n\
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };\n\
        struct sock_fprog all = { 4, code }; prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);\n\
        if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all)) return 9; return execvp(words[1], words + 1); }\n";
    let directory = directory_with(&[("map.txt", MAP), ("filter.c", source)]);
    if !compiled("filter", directory.path()) {
        return;
    }
    let command = ["./filter", "sh", "-c", "for i in 1 2 3; do sh -c true; /bin/true; done"];
    let done = colored_with(&[], &command, directory.path());
    let told = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.success(), "{told}");
    assert!(
        told.contains("not colored: a filter of system calls (seccomp)"),
        "{told}"
    );
    assert_eq!(told.lines().count(), 1, "{told}");
}

/// `fresco` as a user who is nobody, if others may execute it.
fn as_nobody(arguments: &[&str]) -> Option<std::process::Output> {
    let done = Command::new(program()).args(arguments).uid(65534).gid(65534).output();
    done.map_err(|error| {
        skip(
            Need::Users,
            format!("others may not execute {}: {error}", program().display()),
        );
    })
    .ok()
}

#[test]
fn an_ordinary_user_is_told_what_may_not_be_looked_at() {
    if cannot_color() {
        return;
    }
    let directory = directory_with(&[("map.txt", MAP)]);
    let (running, _) = Running::start(&["--colors", "banks=0-3"], &["1"], directory.path());
    let Some(done) = as_nobody(&["ps"]) else { return };
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(done.status.success(), "{done:?}");
    assert!(!said.contains("(no rows)"), "{said}");
    let words: Vec<&str> = said.split_whitespace().collect();
    let said = words.join(" ");
    assert!(
        said.contains("No process that may be looked at has colored memory."),
        "{said}"
    );
    assert!(
        said.contains("may not be looked at: programs with colors may be among them. To see them, run as root"),
        "{said}"
    );
    let done = as_nobody(&["ps", "--json"]).expect("as before");
    let found: serde_json::Value = serde_json::from_slice(&done.stdout).expect("JSON");
    let hidden = found["data"]["not_looked_at"].as_u64().expect("a number");
    // This process and the program at least, and none of the kernel's threads.
    let all = std::fs::read_dir("/proc").expect("readable").flatten();
    let programs = all
        .filter(|entry| std::fs::read_link(entry.path().join("exe")).is_ok())
        .count() as u64;
    assert!((2..=programs + 50).contains(&hidden), "{hidden} of {programs}");
    // Root sees more; where it is root of a container, perhaps not all.
    let own = json(&["ps", "--json"], directory.path());
    assert!(own["data"]["not_looked_at"].as_u64() < Some(hidden), "{own}");
    running.finish();
}

#[test]
fn where_no_page_matches_a_summary_is_all_and_memory_outside_the_map_is_told_apart() {
    if cannot_color() {
        return;
    }
    // 128 colors, and a map that begins beyond all memory.
    let functions: String = (14..21).map(|bit| format!("{bit}\n")).collect();
    let directory = directory_with(&[("map.txt", MAP), ("many.txt", &functions)]);
    let (running, _) = Running::start(&["--colors", "banks=0-3"], &["4"], directory.path());
    let pid = running.child.id().to_string();
    let judge = |map: &[&str]| {
        let options = [&["verify", pid.as_str(), "--least", "0"][..], map].concat();
        let total = || json(&[&options[..], &["--json"]].concat(), directory.path())["data"]["total"].clone();
        // The program may still start: the text is of a moment between two at which it has the same pages.
        for _ in 0..20 {
            let before = total();
            let said = fresco(&options, directory.path());
            if total() == before {
                return (String::from_utf8(said.stdout).expect("UTF-8"), before);
            }
        }
        panic!("the program has other pages each time");
    };
    let (said, total) = judge(&[
        "--map",
        "many.txt",
        "--offset",
        "1099511627776",
        "--colors",
        "banks=0-127",
    ]);
    assert_eq!(
        (total["inside"].as_u64(), total["outside"].as_u64()),
        (Some(0), Some(0)),
        "{total}"
    );
    assert_eq!(total["off_the_map"], total["pages"], "{total}");
    assert!(said.lines().count() < 30, "{said}");
    let words: Vec<&str> = said.split_whitespace().collect();
    let told = format!("; of {} no color is known: the map has no memory there", total["pages"]);
    assert!(words.join(" ").contains(&told), "{told}: {said}");
    assert!(!said.contains("Pages judged by color"), "{said}");
    // Where pages match, colors without any are one line.
    let (said, total) = judge(&["--map", "many.txt", "--colors", "banks=0-126"]);
    assert!(total["inside"].as_u64() > Some(0), "{total}");
    assert!(said.contains("known"), "a column: {said}");
    let colors: Vec<&str> = said.lines().filter(|line| line.starts_with("bank")).collect();
    let zeros = colors
        .iter()
        .filter(|line| line.split_whitespace().last() == Some("0"))
        .count();
    assert!(zeros <= 1 && colors.len() > 1, "{said}");
    running.finish();
}
