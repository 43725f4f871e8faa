// SPDX-License-Identifier: MIT OR Apache-2.0
//! Colors in fact.

use crate::common::{directory_with, fresco, json, refused, stdout};
use crate::run::{COLORING, MAP, Running, cannot_color, compiled, expected_sum, memory_user, program};
use fresco_testing::{Need, skip};
use serde_json::Value;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn colored(command: &[&str], directory: &Path) -> Output {
    colored_with(&[], command, directory)
}

/// A command with four of the sixteen colors, and further options.
pub fn colored_with(options: &[&str], command: &[&str], directory: &Path) -> Output {
    let arguments = [&COLORING, options, &["--"], command].concat();
    fresco(&arguments, directory)
}

#[test]
fn a_programs_memory_has_the_colors_asked_for() {
    if cannot_color() {
        return;
    }
    let directory = directory_with(&[("map.txt", MAP)]);
    let (running, said) = Running::start(&["--colors", "banks=0-3,9"], &["24", "3"], directory.path());
    assert_eq!(said, ["ready"]);
    let found = running.verify(directory.path());
    assert_eq!(found["asked"], "banks=0-3,9,llc=0");
    let pages = found["total"]["pages"].as_u64().expect("a number");
    assert!(pages >= 24 * 256, "{found}");
    assert!(
        found["total"]["share"].as_f64().expect("a number") >= 0.999,
        "{}",
        found["total"]
    );
    let colors = found["bank_colors"].as_array().expect("a list");
    let sum: u64 = colors
        .iter()
        .map(|color| color["pages"].as_u64().expect("a number"))
        .sum();
    assert_eq!((colors.len(), sum), (16, pages), "every page has one color");
    // Another map judges the same pages otherwise.
    let pid = running.child.id().to_string();
    let other = ["verify", &pid, "--map", "map.txt", "--colors", "banks=15"];
    assert_eq!(fresco(&other, directory.path()).status.code(), Some(1));
    let listed = json(&["ps", "--json"], directory.path());
    let listed = listed["data"]["processes"].as_array().expect("a list");
    let own = listed
        .iter()
        .find(|view| view["pid"] == running.child.id())
        .expect("it is listed");
    assert_eq!(
        (&own["state"], &own["map"]),
        (&Value::from("covered"), &Value::from("map.txt"))
    );
    assert_eq!(running.finish(), (expected_sum(8, 3), String::new()));
}

#[test]
fn when_frames_run_out_others_are_taken_and_counted() {
    if cannot_color() {
        return;
    }
    let directory = directory_with(&[("map.txt", MAP)]);
    // One frame in 512, and a search that finds a few dozen.
    let options = ["--llc", "6-16", "--colors", "banks=1,llc=1", "--search", "32M"];
    let (running, said) = Running::start(&options, &["8"], directory.path());
    assert_eq!(said, ["ready"]);
    let total = running.verify(directory.path())["total"].clone();
    assert!(
        total["pages"].as_u64() >= Some(8 * 256) && total["share"].as_f64() < Some(0.5),
        "{total}"
    );
    let (sum, told) = running.finish();
    assert_eq!(sum, expected_sum(8, 1));
    assert!(told.contains("left to the kernel"), "{told}");
}

#[test]
fn strict_allocations_fail_when_frames_run_out() {
    if cannot_color() {
        return;
    }
    let directory = directory_with(&[("map.txt", MAP)]);
    let (running, said) = Running::start(&["--strict", "--colors", "banks=0-3"], &["16"], directory.path());
    assert_eq!(said, ["ready"]);
    let total = running.verify(directory.path())["total"].clone();
    assert!(total["share"].as_f64() >= Some(0.999), "{total}");
    assert_eq!(running.finish().0, expected_sum(16, 1));
    // One frame in 512, and a search that finds a few dozen: too few for the program to say so, perhaps.
    let user = memory_user();
    let mut command = vec![
        "run",
        "--map",
        "map.txt",
        "--strict",
        "--llc",
        "6-16",
        "--colors",
        "banks=1,llc=1",
    ];
    command.extend(["--search", "64M", "--", user.to_str().expect("UTF-8"), "64"]);
    let done = fresco(&command, directory.path());
    let (said, told) = (
        String::from_utf8_lossy(&done.stdout),
        String::from_utf8_lossy(&done.stderr),
    );
    // Or for it to start at all. It never gets all it asks for.
    let refused = said.starts_with("refused\n") || !done.status.success();
    assert!(refused, "{said}{told}");
}

#[test]
fn real_programs_do_the_same_as_without_colors() {
    if cannot_color() {
        return;
    }
    let directory = directory_with(&[("map.txt", MAP), ("a.c", "int main(void) { return 0; }\n")]);
    let text: String = (0..200_000u32)
        .map(|i| format!("{}\n", i.wrapping_mul(2_654_435_761)))
        .collect();
    std::fs::write(directory.path().join("data"), text).expect("writable");
    for command in [
        ["sort", "-n", "data"].as_slice(),
        &["xz", "-2", "-c", "data"],
        &["gzip", "-c", "-n", "data"],
        &[
            "awk",
            "{ s[$1 % 5003] += $1 } END { for (k in s) t += s[k]; print t }",
            "data",
        ],
        &[
            "/usr/bin/python3",
            "-c",
            "print(sum(len(str(i)) for i in list(range(300000))))",
        ],
        &["cc", "-O1", "-S", "-o", "-", "a.c"],
        &[
            "sh",
            "-c",
            "for i in 1 2 3 4 5 6 7 8 9 10; do (echo $i; (sort -n data | tail -1)); done",
        ],
    ] {
        let plain = Command::new(command[0])
            .args(&command[1..])
            .current_dir(directory.path())
            .output();
        let Ok(plain) = plain.map_err(|error| skip(Need::Programs, format!("{}: {error}", command[0]))) else {
            continue;
        };
        let done = colored(command, directory.path());
        assert!(plain.status.success(), "{command:?}");
        assert_eq!(
            done.status,
            plain.status,
            "{command:?}: {}",
            String::from_utf8_lossy(&done.stderr)
        );
        assert!(done.stdout == plain.stdout, "{command:?}");
        assert_eq!(
            String::from_utf8_lossy(&done.stderr),
            String::from_utf8_lossy(&plain.stderr),
            "{command:?}"
        );
    }
}

#[test]
fn status_and_signals_are_the_programs_own() {
    let directory = directory_with(&[("map.txt", MAP)]);
    let status = |command: &[&str]| colored(command, directory.path()).status;
    assert_eq!(status(&["no-such-program"]).code(), Some(127));
    assert_eq!(status(&["/etc/passwd"]).code(), Some(126));
    assert_eq!(status(&["/"]).code(), Some(126));
    if cannot_color() {
        return;
    }
    assert_eq!(status(&["sh", "-c", "exit 7"]).code(), Some(7));
    assert_eq!(status(&["sh", "-c", "kill -9 $$"]).signal(), Some(9));
    let done = colored(&["sh", "-c", "echo \"$1\"; cat", "sh", "--colors"], directory.path());
    assert_eq!(String::from_utf8_lossy(&done.stdout), "--colors\n");
}

#[test]
fn nothing_is_left_of_a_program_that_is_killed() {
    if cannot_color() {
        return;
    }
    let directory = directory_with(&[("map.txt", MAP)]);
    for mebibytes in ["1", "40", "4000"] {
        let mut child = Command::new(program())
            .args(["run", "--map", "map.txt", "--colors", "banks=0-7", "--"])
            .arg(memory_user())
            .arg(mebibytes)
            .current_dir(directory.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .expect("it starts");
        child.stdin.take().expect("a pipe").write_all(b"x").unwrap_or_default();
        std::thread::sleep(std::time::Duration::from_millis(60));
        child.kill().expect("ours");
        child.wait().expect("it ends");
        let complaint = refused(&["verify", &child.id().to_string()], directory.path());
        assert!(complaint.contains("found no process"), "{complaint}");
    }
}

#[test]
fn what_would_be_done_is_said_without_doing_it() {
    let directory = directory_with(&[("map.txt", MAP)]);
    let command = [
        "run",
        "--map",
        "map.txt",
        "--colors",
        "banks=0-3",
        "-n",
        "--",
        "sh",
        "-c",
        "touch here",
    ];
    let done = fresco(&command, directory.path());
    let able = crate::run::reason().is_none();
    assert_eq!(done.status.code(), Some(if able { 0 } else { 125 }), "{done:?}");
    let text = String::from_utf8(done.stdout).expect("UTF-8");
    for part in [
        "banks=0-3,llc=0",
        "stock: this kernel as it is",
        "not covered",
        "virtual machine",
    ] {
        assert!(text.contains(part), "{part}:\n{text}");
    }
    assert!(!directory.path().join("here").exists());
}

#[test]
fn a_process_without_colors_needs_a_map() {
    let directory = directory_with(&[("map.txt", MAP)]);
    let own = std::process::id().to_string();
    let complaint = refused(&["verify", &own], directory.path());
    assert!(complaint.contains("found no colors asked for"), "{complaint}");
    if cannot_color() {
        return;
    }
    let found = json(
        &["verify", &own, "--map", "map.txt", "--least", "0", "--json"],
        directory.path(),
    );
    assert_eq!(found["data"]["total"]["share"], 1.0, "all colors are asked for");
    assert_eq!(found["data"]["backend"], Value::Null);
    let named = [
        "verify",
        &own,
        "--map",
        "map.txt",
        "--colors",
        "banks=0-3",
        "--least",
        "0",
    ];
    let shown = stdout(&named, directory.path());
    assert!(shown.contains("colors of the command line"), "{shown}");
    assert!(shown.contains("none: it was not started by fresco run"), "{shown}");
    assert!(!shown.contains("requested  "), "{shown}");
}

#[test]
fn a_map_of_a_far_smaller_machine_and_a_pool_beyond_all_memory_are_told_at_once() {
    if cannot_color() {
        return;
    }
    let directory = directory_with(&[("map.txt", MAP)]);
    let start = std::time::Instant::now();
    // 2 GiB, here and in most machines less than a tenth.
    let small = ["run", "--machine", "core2-q8400", "--colors", "banks=0-3"];
    let done = fresco(
        &[&small[..], &["--", "sh", "-c", "echo yes"]].concat(),
        directory.path(),
    );
    let told = String::from_utf8_lossy(&done.stderr).into_owned();
    if told.is_empty() {
        skip(Need::Memory, "a machine of less than 4 GiB");
    } else {
        assert!(told.contains("lie outside the map core2-q8400"), "{told}");
        let searched = fresco(
            &[&small[..], &["--search", "64M", "--", "sh", "-c", "echo yes"]].concat(),
            directory.path(),
        );
        assert_eq!(searched.stdout, b"yes\n");
        assert!(String::from_utf8_lossy(&searched.stderr).contains("lie outside the map"));
    }
    for pool in ["1T", "1000G"] {
        let command = [
            "run",
            "--map",
            "map.txt",
            "--colors",
            "banks=0-3",
            "--pool",
            pool,
            "--",
            "true",
        ];
        let complaint = refused(&command, directory.path());
        assert!(
            complaint.starts_with("fresco: --pool: found ") && complaint.contains("at most"),
            "{complaint}"
        );
    }
    assert!(start.elapsed().as_secs() < 20);
}

#[test]
fn a_pool_that_is_not_had_is_told_and_one_that_is_is_counted() {
    if cannot_color() {
        return;
    }
    let directory = directory_with(&[("map.txt", MAP)]);
    let told = |options: &[&str]| {
        let colors = ["run", "--map", "map.txt", "--colors", "banks=0-3", "--stats=details"];
        let done = fresco(&[&colors[..], options, &["--", "true"]].concat(), directory.path());
        assert!(done.status.success(), "{done:?}");
        String::from_utf8_lossy(&done.stderr).into_owned()
    };
    let short = told(&["--pool", "64M", "--search", "16M"]);
    assert!(short.contains("--pool: wanted 64 MiB, found "), "{short}");
    assert!(short.contains("may hold no more than 16 MiB"), "{short}");
    let had = told(&["--pool", "1M"]);
    assert!(!had.contains("wanted"), "{had}");
    // A page is looked at in no less than a tenth of a microsecond.
    let set_up = had
        .split(" s of set-up")
        .next()
        .and_then(|before| before.rsplit(' ').next());
    let set_up: f64 = set_up.and_then(|seconds| seconds.parse().ok()).expect("a number");
    assert!((25e-6..60.0).contains(&set_up), "{had}");
    // A frame is looked at before it is kept.
    let looked = had.rsplit(" faults answered, ").next().unwrap_or_default();
    let looked: u64 = looked.split(' ').next().unwrap_or_default().parse().expect("a number");
    assert!(looked >= 256, "{had}");
}

#[test]
fn a_program_may_change_its_user() {
    if cannot_color() {
        return;
    }
    // A C library has all threads change their groups and their user, the pager too.
    let source = "#define _GNU_SOURCE\n#include <grp.h>\n#include <stdlib.h>\n#include <unistd.h>\n\
        int main(void) { malloc(1 << 20); setgroups(0, 0); setgid(65534); setuid(65534);\n\
        char *after = malloc(1 << 20); after[4096] = 1; return getuid() == 65534 && after[4096] == 1 ? 0 : 1; }\n";
    let directory = directory_with(&[("map.txt", MAP), ("leaves.c", source)]);
    if !compiled("leaves", directory.path()) {
        return;
    }
    let done = colored(&["./leaves"], directory.path());
    assert!(done.status.success(), "{done:?}");
}

#[test]
fn what_was_left_to_the_kernel_is_told_even_if_the_program_closes_standard_error() {
    if cannot_color() {
        return;
    }
    let source = "#include <stdlib.h>\n#include <unistd.h>\n\
        int main(void) { volatile char *all = malloc(1 << 20); for (int i = 0; i < 1 << 20; i += 4096) all[i] = 1;\n\
        close(2); return 0; }\n";
    let directory = directory_with(&[("map.txt", MAP), ("closes.c", source)]);
    if !compiled("closes", directory.path()) {
        return;
    }
    let done = colored_with(&["--search", "0"], &["./closes"], directory.path());
    let told = String::from_utf8_lossy(&done.stderr);
    assert!(told.contains("left to the kernel"), "{told}");
}
