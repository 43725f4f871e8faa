// SPDX-License-Identifier: MIT OR Apache-2.0
//! However a program ends: what it did until then is whole.

use crate::common::{built, options, plugin, record, recorded};
use fresco_load::trace::ftrace::recorded::{Ending, RecordedFile};
use fresco_record::Ended;
use std::cell::Cell;
use std::os::unix::process::ExitStatusExt;

/// A C program that fills a megabyte and then does `last`.
fn program(last: &str, flags: &[&str]) -> (tempfile::TempDir, std::path::PathBuf) {
    let source = format!(
        "#define _GNU_SOURCE\n#include <stdio.h>\n#include <stdlib.h>\n#include <signal.h>\n#include <unistd.h>\n\
         #include <sys/wait.h>\n#include <pthread.h>\nstatic volatile char area[1 << 20];\n\
         static void fill(void) {{ for (int i = 0; i < 1 << 20; i++) area[i] = i; }}\n\
         static void *thread(void *number) {{ for (int i = 0; i < 100000; i++) area[(long)number * 4096 + i % 64]++; return 0; }}\n\
         int main(void) {{ (void)thread; fill(); {last} }}"
    );
    built("program.c", &source, flags)
}

#[test]
fn by_itself_or_by_a_signal() {
    let Some(plugin) = plugin() else { return };
    let cases = [
        ("return 7;", Ending::Status(7)),
        ("_exit(200);", Ending::Status(200)),
        ("kill(getpid(), SIGKILL);", Ending::Signal(9)),
        ("abort();", Ending::Signal(6)),
        ("*(volatile int *)8 = 1;", Ending::Signal(11)),
        ("raise(SIGTERM);", Ending::Signal(15)),
    ];
    for (last, ending) in cases {
        let (directory, program) = program(last, &["-O1", "-static"]);
        let options = options(&plugin, directory.path(), &program, &[]);
        let recording = recorded(&options);
        let file = RecordedFile::open(&options.output).expect("sound");
        assert_eq!(file.trailer().ending, ending, "{last}");
        let counts = file.trailer().counts();
        assert!(
            counts.stores > 1 << 20 && counts.instructions > 4 << 20,
            "{last}: {counts:?}"
        );
        let Ended::Program(status) = recording.ended else {
            panic!("{last}: {:?}", recording.ended)
        };
        match ending {
            Ending::Status(code) => assert_eq!(status.code(), Some(code.into())),
            Ending::Signal(signal) => assert_eq!(status.signal(), Some(signal.into())),
            _ => unreachable!("not in the table"),
        }
    }
}

#[test]
fn children_write_nothing_into_the_trace_of_their_parent() {
    let Some(plugin) = plugin() else { return };
    let alone = program("return 0;", &["-O1", "-static"]);
    let forks = program(
        "for (int i = 0; i < 3; i++) { pid_t child = fork(); if (!child) { fill(); fill(); _exit(3); } \
         int status; waitpid(child, &status, 0); if (WEXITSTATUS(status) != 3) return 1; } return 0;",
        &["-O1", "-static"],
    );
    let stores = |(directory, program): &(tempfile::TempDir, std::path::PathBuf), children| {
        let recording = recorded(&options(&plugin, directory.path(), program, &[]));
        assert_eq!(recording.children, children);
        assert_eq!(recording.trailer.ending, Ending::Status(0));
        recording.trailer.counts().stores
    };
    let (one, other) = (stores(&alone, 0), stores(&forks, 3));
    assert!(other < one + 10_000, "{one} stores alone, {other} with children");
}

#[test]
fn another_program_in_its_place_is_told() {
    let Some(plugin) = plugin() else { return };
    let (directory, program) = program("execl(\"/bin/true\", \"true\", (char *)0); return 1;", &["-O1"]);
    let recording = recorded(&options(&plugin, directory.path(), &program, &[]));
    assert!(recording.executed);
    assert_eq!(recording.trailer.ending, Ending::Status(0));
}

#[test]
fn when_it_is_asked_for_while_the_program_would_run_for_ever() {
    let Some(plugin) = plugin() else { return };
    // Both a program that SIGTERM ends and one that it does not.
    for last in ["for (;;) fill();", "signal(SIGTERM, SIG_IGN); for (;;) fill();"] {
        let (directory, program) = program(last, &["-O1", "-static"]);
        let options = options(&plugin, directory.path(), &program, &[]);
        // Not after a time: a machine may be busy.
        let told = Cell::new(0);
        let recording = record(&options, &mut |done| told.set(done), &|| told.get() > 8_000_000).expect("is recorded");
        assert_eq!(recording.ended, Ended::Asked);
        let file = RecordedFile::open(&options.output).expect("sound");
        assert_eq!(file.trailer().ending, Ending::Stopped);
        assert!(file.trailer().counts().stores > 1_000_000);
    }
}

#[test]
fn threads_are_told_apart() {
    let Some(plugin) = plugin() else { return };
    let (directory, program) = program(
        "pthread_t threads[4]; for (long i = 0; i < 4; i++) pthread_create(threads + i, 0, thread, (void *)i); \
         for (int i = 0; i < 4; i++) pthread_join(threads[i], 0); return 0;",
        &["-O1", "-static", "-pthread"],
    );
    let recording = recorded(&options(&plugin, directory.path(), &program, &[]));
    assert_eq!(recording.trailer.ending, Ending::Status(0));
    let threads = &recording.trailer.threads;
    assert_eq!(threads.len(), 5);
    for totals in &threads[1..] {
        // A hundred thousand times a load and a store, and what it takes to start.
        assert!((100_000..110_000).contains(&totals.counts.stores), "{totals:?}");
    }
}

#[test]
fn a_program_that_the_emulator_does_not_start_is_told() {
    let Some(plugin) = plugin() else { return };
    let (directory, program) = program("return 0;", &["-O1", "-static"]);
    let mut options = options(&plugin, directory.path(), &program, &[]);
    options.plugin = directory.path().join("no-plugin.so");
    let failure = record(&options, &mut |_| {}, &|| false).expect_err("there is no plugin");
    assert_eq!(failure.why, fresco_record::Why::Unable);
}
