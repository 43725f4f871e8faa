// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is C compiles without a warning, and tables hold what the plan holds.

use crate::support::{lossy, plans, random_partition, subject, task, write};
use fresco_exchange::{ExportOptions, Subject, Task};
use fresco_scenario::Plan;
use fresco_scenario::plan::{Migration, RefreshPlan, Schedule};
use fresco_testing::Need;
use rand::SeedableRng;
use rand_pcg::Pcg64;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Output};

const FLAGS: [&str; 6] = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O0"];

/// Prints all tables, a line for each row.
const READER: &str = r#"
#include <inttypes.h>
#include <stdio.h>
#include "plan.h"
#define N(x) (x == FRESCO_NONE ? -1L : (long)(x))
int main(void)
{
	uint32_t i;
	printf("frame %" PRIu64 " lock %" PRIu64 " refresh %" PRIu64 " jitter %" PRIu64 " policy %s cores %" PRIu64 " migrates %" PRIu64 "\n",
	       FRESCO_FRAME_NS, FRESCO_LOCK_PERIOD_NS, FRESCO_REFRESH_PERIOD_NS, FRESCO_REFRESH_JITTER_NS, FRESCO_POLICY, FRESCO_CORES, FRESCO_MIGRATES);
	for (i = 0; i + 1 < FRESCO_TASKS + 1; i++)
		printf("task %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %ld\n", fresco_tasks[i].name, fresco_tasks[i].phase_ns,
		       fresco_tasks[i].period_ns, fresco_tasks[i].wcet_ns, fresco_tasks[i].deadline_ns, N(fresco_tasks[i].core));
	for (i = 0; i + 1 < FRESCO_COLORS + 1; i++)
		printf("color %ld %s\n", N(fresco_colors[i].bank), fresco_colors[i].bank_colors);
	for (i = 0; i + 1 < FRESCO_WINDOWS + 1; i++)
		printf("window %" PRIu64 " %" PRIu64 " %ld %ld %ld %ld %ld\n", fresco_windows[i].start_ns, fresco_windows[i].length_ns,
		       N(fresco_windows[i].core), N(fresco_windows[i].task), N(fresco_windows[i].job), N(fresco_windows[i].instance),
		       N(fresco_windows[i].color));
	for (i = 0; i + 1 < FRESCO_SERVERS + 1; i++)
		printf("server %ld %ld %" PRIu64 " %" PRIu64 "\n", N(fresco_servers[i].core), N(fresco_servers[i].color),
		       fresco_servers[i].period_ns, fresco_servers[i].budget_ns);
	for (i = 0; i + 1 < FRESCO_LOCKS + 1; i++)
		printf("lock %" PRIu64 " %" PRIu64 " %ld\n", fresco_locks[i].start_ns, fresco_locks[i].length_ns, N(fresco_locks[i].color));
	for (i = 0; i + 1 < FRESCO_REFRESHES + 1; i++)
		printf("refresh %" PRIu64 " %" PRIu64 " %ld\n", fresco_refreshes[i].start_ns, fresco_refreshes[i].commands,
		       N(fresco_refreshes[i].color));
	return 0;
}
"#;

fn compile(directory: &Path, files: &[&str], output: &[&str]) -> Option<Output> {
    let done = Command::new("cc")
        .args(FLAGS)
        .args(output)
        .args(files)
        .current_dir(directory)
        .output();
    match done {
        Ok(done) => Some(done),
        Err(_) => {
            fresco_testing::skip(Need::Compiler, "there is no cc");
            None
        }
    }
}

fn must_compile(done: &Output) {
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

/// The same lines from the plan itself.
fn expected(plan: &Plan) -> String {
    let signed = |value: Option<usize>| value.map_or(-1, |value| value as i64);
    let mut tasks = String::new();
    for task in &plan.tasks {
        let core = signed(task.core.map(|core| core as usize));
        let times = format!(
            "{} {} {} {}",
            task.phase_ns, task.period_ns, task.wcet_ns, task.deadline_ns
        );
        _ = writeln!(tasks, "task {} {times} {core}", task.name);
    }
    for color in &plan.colors {
        _ = writeln!(
            tasks,
            "color {} {}",
            signed(color.bank.map(|bank| bank as usize)),
            color.bank_colors
        );
    }
    let (mut windows, mut servers, mut lock_lines) = (String::new(), String::new(), String::new());
    let (mut frame, mut lock) = (0, 0);
    match &plan.schedule {
        Schedule::Table { table, .. } => {
            (frame, lock) = (table.length, table.length);
            let mut slots = table.slots.clone();
            slots.sort_by_key(|slot| (slot.start, slot.core));
            for slot in &slots {
                let who = format!("{} {} {} {}", slot.core, slot.task, slot.job, slot.instance);
                _ = writeln!(windows, "window {} {} {who} -1", slot.start, slot.length);
            }
            for burst in &table.bursts {
                _ = writeln!(lock_lines, "lock {} {} {}", burst.start, burst.length, burst.color);
            }
        }
        Schedule::Slots {
            period_ns,
            handler_ns,
            cores,
        } => {
            frame = *period_ns;
            let mut rows = Vec::new();
            for (core, slots) in cores.iter().enumerate() {
                rows.push((*handler_ns, slots.border_ns - handler_ns, core, 0));
                rows.push((
                    slots.border_ns + handler_ns,
                    period_ns - slots.border_ns - handler_ns,
                    core,
                    1,
                ));
            }
            rows.retain(|row| row.1 > 0);
            rows.sort_unstable_by_key(|row| (row.0, row.2));
            for (start, length, core, color) in rows {
                _ = writeln!(windows, "window {start} {length} {core} -1 0 0 {color}");
            }
        }
        Schedule::Servers { locks, cores } => {
            lock = locks.period_ns;
            for (core, all) in cores.iter().enumerate() {
                for server in &all.servers {
                    _ = writeln!(
                        servers,
                        "server {core} {} {} {}",
                        server.color, server.period_ns, server.budget_ns
                    );
                }
            }
            for (color, (phase, burst)) in locks.phase_ns.iter().zip(&locks.burst_ns).enumerate() {
                _ = writeln!(
                    lock_lines,
                    "lock {phase} {} {color}",
                    locks.lock_ns + burst + locks.unlock_ns
                );
            }
        }
        Schedule::Locked { locks } => {
            lock = locks.period_ns;
            for (color, (phase, burst)) in locks.phase_ns.iter().zip(&locks.burst_ns).enumerate() {
                _ = writeln!(
                    lock_lines,
                    "lock {phase} {} {color}",
                    locks.lock_ns + burst + locks.unlock_ns
                );
            }
        }
        Schedule::Priorities | Schedule::Fair { .. } => {}
    }
    let mut refreshes = String::new();
    let mut refresh = 0;
    if let RefreshPlan::Windows { period_ns, windows } = &plan.refresh {
        refresh = *period_ns;
        for window in windows {
            _ = writeln!(
                refreshes,
                "refresh {} {} {}",
                window.start_ns, window.commands, window.color
            );
        }
    }
    let policies = fresco_rt::policy::Policy::NAMES;
    let policy = policies
        .into_iter()
        .find(|(_, policy)| *policy == plan.policy)
        .expect("named")
        .0;
    let jitter = plan.refresh_jitter_ns;
    format!(
        "frame {frame} lock {lock} refresh {refresh} jitter {jitter} policy {policy} cores {} migrates {}\n{tasks}{windows}{servers}{lock_lines}{refreshes}",
        plan.cores,
        u8::from(plan.migration == Migration::Global)
    )
}

/// Two cores, on either of which each job runs.
const GLOBAL: &str = "machine = \"gem5-2core\"\nplan = { method = \"auto-refresh\", policy = \"dm\", migration = \"global\" }\n\
     [[task]]\nname = \"a\"\nperiod = \"8 ms\"\nwcet = \"1 ms\"\n[[task]]\nname = \"b\"\nperiod = \"20 ms\"\nwcet = \"4 ms\"\n";

/// Formats that put tasks on cores do not say so.
#[test]
fn that_jobs_run_on_any_core_is_lost_in_pycpa() {
    let subject = crate::support::planned(GLOBAL);
    let refusal = write(&subject, "pycpa", &ExportOptions::default())
        .unwrap_err()
        .to_string();
    assert!(refusal.contains("that jobs run on any of 2 cores"), "{refusal}");
    let refusal = write(&subject, "cheddar", &lossy()).unwrap_err().to_string();
    assert!(refusal.contains("no core of a, b"), "{refusal}");
}

#[test]
fn tables_hold_what_plans_of_tasks_hold() {
    let directory = tempfile::tempdir().expect("a directory");
    let options = ExportOptions {
        stem: Some("plan".to_owned()),
        ..lossy()
    };
    let mut kinds = std::collections::BTreeSet::new();
    let mut all = plans();
    let flat = "plan.method = \"flat\"\n[[task]]\nname = \"a\"\nperiod = \"8 ms\"\nwcet = \"1 ms\"\n";
    let plain = flat.replace("flat", "auto-refresh");
    for text in [flat, &plain, GLOBAL] {
        let subject = crate::support::planned(text);
        all.push((subject.plan.expect("a plan"), subject.machine));
    }
    assert_eq!(all.last().expect("one").0.migration, Migration::Global);
    for (plan, machine) in all {
        kinds.insert(match plan.schedule {
            Schedule::Priorities => "priorities",
            Schedule::Locked { .. } => "locked",
            Schedule::Servers { .. } => "servers",
            Schedule::Slots { .. } => "slots",
            Schedule::Table { .. } => "table",
            Schedule::Fair { .. } => "fair",
        });
        let wanted = expected(&plan);
        let subject = Subject::of_plan("plan.json", plan, machine).expect("a plan");
        let exported = write(&subject, "c-table", &options).expect("any plan");
        let (ending, header) = exported.companion.expect("a header");
        assert_eq!(ending, "h");
        std::fs::write(directory.path().join("plan.h"), header).expect("writable");
        std::fs::write(directory.path().join("plan.c"), &exported.text).expect("writable");
        std::fs::write(directory.path().join("main.c"), READER).expect("writable");
        let Some(done) = compile(directory.path(), &["plan.c", "main.c"], &["-o", "reader"]) else {
            return;
        };
        must_compile(&done);
        let done = Command::new(directory.path().join("reader")).output().expect("it runs");
        assert_eq!(String::from_utf8_lossy(&done.stdout), wanted, "{}", subject.name);
    }
    assert_eq!(kinds.len(), 6, "{kinds:?}");
}

/// The members of the structures that the macros are for, as the sources of both hypervisors have them.
const STRUCTURES: &str = "\
#include <stdint.h>
#define JAILHOUSE_CACHE_L3 3
struct vm_config { unsigned long entry; unsigned long cpu_affinity; unsigned long colors; };
struct jailhouse_cache { uint32_t start, size; uint8_t type; uint8_t padding; uint16_t flags; };
struct jailhouse_memory { uint64_t phys_start, virt_start, size, flags, colors; };
";

#[test]
fn macros_for_hypervisors_are_initialisers() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut subject = random_partition("zcu102", &mut Pcg64::seed_from_u64(4));
    subject.tasks[0].name = "t0".to_owned();
    subject.tasks[0].ways = Some(vec![2, 3, 4]);
    for (name, user) in [
        (
            "bao",
            "struct vm_config vm = { FRESCO_VM_T0 .entry = 1 };\nint main(void) { return vm.colors == 0; }\n",
        ),
        (
            "jailhouse",
            "struct jailhouse_cache caches[] = { FRESCO_CELL_T0_CACHE, };\n\
             struct jailhouse_memory memory = { .colors = FRESCO_CELL_T0_COLORS };\n\
             uint64_t cpus[] = { FRESCO_CELL_T0_CPUS };\n\
             int main(void) { return caches[0].start != 2 || caches[0].size != 3 || cpus[0] != 1 || memory.colors == 0; }\n",
        ),
    ] {
        let exported = write(&subject, name, &lossy()).expect("it has colors");
        std::fs::write(directory.path().join("colors.h"), &exported.text).expect("writable");
        let text = format!("{STRUCTURES}#include \"colors.h\"\n{user}");
        std::fs::write(directory.path().join("user.c"), text).expect("writable");
        let flags = ["-Wno-missing-field-initializers", "-o", "user"];
        let Some(done) = compile(directory.path(), &["user.c"], &flags) else {
            return;
        };
        must_compile(&done);
        let done = Command::new(directory.path().join("user")).status().expect("it runs");
        assert!(done.success(), "{name}: {}", exported.text);
    }
}

#[test]
fn ways_that_are_not_side_by_side_are_no_region() {
    let with = Task {
        ways: Some(vec![0, 2]),
        ..task("a")
    };
    let error = write(
        &subject("xeon-w3530", vec![with]),
        "jailhouse",
        &ExportOptions::default(),
    )
    .expect_err("a gap");
    assert_eq!(error.found, "found the ways 0,2 of a");
}
