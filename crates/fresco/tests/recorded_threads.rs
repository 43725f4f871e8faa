// SPDX-License-Identifier: MIT OR Apache-2.0
//! Programs of several threads that check their own result, recorded and replayed together. The tests' programs are built with debug assertions,
//! by which the engine watches that no thread accesses memory before what woke it (`fresco-system/src/engine/witness.rs`).

use crate::common::{json, stdout};
use crate::record::{cannot_record, program};
use serde_json::Value;
use std::process::Command;

/// Programs of as many threads as their argument says, beside the first one, which waits for their end.
const PROGRAMS: [(&str, &str); 4] = [
    (
        "counter",
        "static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; static long counter;\n\
         static void *work(void *me) { for (int i = 0; i < 300; i++) { walk((long)me, 50); pthread_mutex_lock(&lock); counter++; \
         pthread_mutex_unlock(&lock); } return 0; }\n\
         static int is_right(void) { return counter == 300 * threads; }",
    ),
    (
        "barrier",
        "static long done[8], wrong;\n\
         static void *work(void *me) { for (int round = 1; round < 6; round++) { walk((long)me, 2000 * ((long)me + 1)); done[(long)me] = round; \
         pthread_barrier_wait(&barrier); for (int i = 0; i < threads; i++) if (done[i] != round) wrong = 1; pthread_barrier_wait(&barrier); } return 0; }\n\
         static int is_right(void) { return !wrong; }",
    ),
    (
        "queue",
        "static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; static pthread_cond_t more = PTHREAD_COND_INITIALIZER, \
         room = PTHREAD_COND_INITIALIZER;\n\
         static long queue[4], in, out, sum;\n\
         static void *work(void *me) { for (long i = 1; i <= 200; i++) { walk((long)me, 100); pthread_mutex_lock(&lock); if ((long)me % 2) { \
         while (in - out == 4) pthread_cond_wait(&room, &lock); queue[in++ % 4] = i; pthread_cond_signal(&more); } else { \
         while (in == out) pthread_cond_wait(&more, &lock); sum += queue[out++ % 4]; pthread_cond_signal(&room); } \
         pthread_mutex_unlock(&lock); } return 0; }\n\
         static int is_right(void) { return sum == threads / 2 * 20100; }",
    ),
    (
        "join",
        "static long part[8];\n\
         static void *work(void *me) { walk((long)me, 20000); for (long i = (long)me; i < 80000; i += threads) part[(long)me] += i; return 0; }\n\
         static int is_right(void) { long sum = 0; for (int i = 0; i < threads; i++) sum += part[i]; return sum == 79999L * 40000; }",
    ),
];

const POLICIES: &str = "buddy,palloc,camc,tintmalloc,bpm,bpm+,cache-only,channel-only,soft,memguard";

/// A directory with these programs and their recordings.
fn recorded(threads: &str) -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    for (name, work) in PROGRAMS {
        let source = format!(
            "#include <pthread.h>\n#include <stdlib.h>\nstatic int threads; static pthread_barrier_t barrier; static volatile char area[8][1 << 16];\n\
             static void walk(long me, int steps) {{ for (int i = 0; i < steps; i++) area[me][i * 64 & 0xffff]++; }}\n{work}\n\
             int main(int count, char **words) {{ (void)count; threads = atoi(words[1]); pthread_barrier_init(&barrier, 0, threads); \
             pthread_t made[8]; for (long i = 0; i < threads; i++) pthread_create(made + i, 0, work, (void *)i); \
             for (int i = 0; i < threads; i++) pthread_join(made[i], 0); return !is_right(); }}\n"
        );
        std::fs::write(directory.path().join(format!("{name}.c")), source).expect("writable");
        let done = Command::new("gcc")
            .args(["-O1", "-static", "-pthread", "-o", name, &format!("{name}.c")])
            .current_dir(&directory)
            .output()
            .expect("gcc");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        let trace = format!("{name}.ftrace");
        let walk = format!("./{name}");
        let done = Command::new(program())
            .args(["record", "--quiet", "-o", &trace, "--", &walk, threads])
            .current_dir(&directory)
            .output()
            .expect("it runs");
        assert!(
            done.status.success(),
            "{name} {threads}: {}",
            String::from_utf8_lossy(&done.stderr)
        );
    }
    directory
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn replay_together(threads: usize) {
    if cannot_record() {
        return;
    }
    let directory = recorded(&threads.to_string());
    for (name, _) in PROGRAMS {
        let trace = format!("{name}.ftrace");
        let info = json(&["trace", "info", &trace, "--json"], directory.path());
        let accesses: Vec<u64> = info["data"]["threads"]
            .as_array()
            .expect("threads")
            .iter()
            .map(|thread| thread["loads"].as_u64().expect("loads") + thread["stores"].as_u64().expect("stores"))
            .collect();
        assert_eq!(accesses.len(), threads + 1, "{name}");
        let words = ["sim", "--on", "opteron-6128", &trace, "--policies", POLICIES, "--json"];
        let whole = [
            "--set",
            "warm_up={passes=0}",
            "--set",
            "measure={passes=1}",
            "--set",
            "check=true",
        ];
        let results = json(&[&words[..], &whole].concat(), directory.path());
        let points = results["data"]["scenarios"][0]["points"].as_array().expect("points");
        assert_eq!(points.len(), POLICIES.split(',').count());
        for point in points {
            let tasks = point["runs"][0]["tasks"].as_array().expect("tasks");
            let place = format!("{name} with {threads} under {}", point["values"][0]);
            let done: Vec<u64> = tasks
                .iter()
                .map(|task| task["operations"].as_u64().expect("operations"))
                .collect();
            assert_eq!(done, accesses, "{place}");
            // Whoever made the others waits for them. How long depends on who had a processor when while it was recorded.
            let idle = |task: &Value| number(&task["thread"]["idle_ps"]);
            assert!(idle(&tasks[0]) > 0.0, "{place}: {}", idle(&tasks[0]));
            assert!(
                tasks.iter().all(|task| task["thread"].get("given_up").is_none()),
                "{place}"
            );
            let team = &point["teams"][0];
            assert!(number(&team["total_idle_ns"]["mean"]) > 0.0, "{place}");
            // Each thread of this one has more to do than the one before, and all wait for the last at each barrier.
            if name == "barrier" {
                let (first, last) = (idle(&tasks[1]), idle(&tasks[threads]));
                assert!(first > last, "{place}: {first} and {last}");
            }
        }
    }
}

#[test]
fn two_threads_are_replayed_together() {
    replay_together(2);
}

#[test]
fn four_threads_are_replayed_together() {
    replay_together(4);
}

#[test]
fn eight_threads_are_replayed_together() {
    replay_together(8);
}

#[test]
fn a_part_of_a_program_of_several_threads_is_replayed_to_its_end() {
    if cannot_record() {
        return;
    }
    let directory = recorded("4");
    let part = [
        "record",
        "--quiet",
        "-o",
        "part.ftrace",
        "--skip",
        "100000",
        "--instructions",
        "200000",
    ];
    stdout(&[&part[..], &["--", "./counter", "4"]].concat(), directory.path());
    let words = ["sim", "--on", "opteron-6128", "part.ftrace", "--json"];
    let whole = ["--set", "warm_up={passes=0}", "--set", "measure={passes=1}"];
    let results = json(&[&words[..], &whole].concat(), directory.path());
    let tasks = results["data"]["scenarios"][0]["points"][0]["runs"][0]["tasks"]
        .as_array()
        .expect("tasks");
    assert!(
        tasks.iter().all(|task| task["thread"].get("given_up").is_none()),
        "{tasks:?}"
    );
}

#[test]
fn without_cores_for_all_threads_one_is_replayed_and_told() {
    if cannot_record() {
        return;
    }
    let directory = recorded("4");
    let few = ["--set", "warm_up.operations=100", "--set", "measure.operations=1000"];
    let done = Command::new(program())
        .args(["sim", "--on", "xeon-w3530", "join.ftrace"])
        .args(few)
        .current_dir(&directory)
        .output()
        .expect("it runs");
    let told = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.success(), "{told}");
    assert!(
        told.contains("join.ftrace has 5 threads, of which thread 1 is replayed"),
        "{told}"
    );
    // Beside others as well: the one that does the most.
    let words = [
        "sim",
        "--on",
        "xeon-w3530",
        "latency",
        "--beside",
        "join.ftrace",
        "--print-scenario",
    ];
    let scenario = stdout(&words, directory.path());
    assert!(scenario.contains("parameters.thread = 1\n"), "{scenario}");
}
