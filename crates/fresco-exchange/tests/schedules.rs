// SPDX-License-Identifier: MIT OR Apache-2.0
//! Windows of ARINC 653, slots of sched_ext and parameters of SCHED_DEADLINE against the plan.

use crate::support::{lossy, planned, plans, write};
use fresco_exchange::{ExportOptions, Subject, Supplement};
use fresco_scenario::plan::Schedule;
use roxmltree::Document;
use std::path::Path;

/// `0.004000000`, in ns.
fn ns(seconds: &str) -> u64 {
    let (whole, nine) = seconds.split_once('.').expect("a point");
    assert_eq!(nine.len(), 9);
    whole.parse::<u64>().expect("digits") * 1_000_000_000 + nine.parse::<u64>().expect("digits")
}

/// Name, start, length and whether a period begins, by start.
type Windows = Vec<(u64, u64, String, bool)>;

fn three(text: &str) -> (u64, Windows) {
    let document = Document::parse(text).expect("XML");
    let all = document.descendants();
    let windows = all.filter(|node| node.has_tag_name("PartitionTimeWindow")).map(|node| {
        let of = |name: &str| node.attribute(name).expect("an attribute");
        let number = |name: &str| of(name).parse().expect("a number");
        (
            number("Offset"),
            number("Duration"),
            of("PartitionNameRef").to_owned(),
            of("PeriodicProcessingStart") == "true",
        )
    });
    let frame = document
        .descendants()
        .find_map(|node| node.attribute("MajorFrameDuration"))
        .expect("a frame");
    (frame.parse().expect("a number"), windows.collect())
}

fn two(text: &str) -> (u64, Windows) {
    let document = Document::parse(text).expect("XML");
    let mut windows = Vec::new();
    for partition in document
        .descendants()
        .filter(|node| node.has_tag_name("Partition_Schedule"))
    {
        let name = partition.attribute("PartitionName").expect("a name");
        for node in partition.children().filter(|node| node.is_element()) {
            let of = |name: &str| node.attribute(name).expect("an attribute");
            let begins = of("PartitionPeriodStart") == "true";
            windows.push((
                ns(of("WindowStartSeconds")),
                ns(of("WindowDurationSeconds")),
                name.to_owned(),
                begins,
            ));
        }
    }
    windows.sort();
    let frame = document
        .descendants()
        .find_map(|node| node.attribute("MajorFrameSeconds"))
        .expect("a frame");
    (ns(frame), windows)
}

#[test]
fn windows_are_those_of_the_plan_in_both_supplements() {
    let mut kinds = [0, 0];
    for (plan, machine) in plans() {
        let subject = Subject::of_plan("plan.json", plan, machine).expect("a plan");
        let plan = subject.plan.as_ref().expect("a plan");
        for core in 0..plan.cores {
            let of = |supplement| ExportOptions {
                core: Some(core),
                supplement,
                ..lossy()
            };
            let (length, wanted): (u64, Windows) = match &plan.schedule {
                Schedule::Table { table, .. } => {
                    kinds[0] += 1;
                    let mut slots: Vec<_> = table.slots.iter().filter(|slot| slot.core == core as usize).collect();
                    slots.sort_by_key(|slot| slot.start);
                    let first = |number: usize| {
                        let slot = slots[number];
                        !slots[..number]
                            .iter()
                            .any(|other| (other.task, other.job) == (slot.task, slot.job))
                    };
                    let window = |number: usize| {
                        let slot = slots[number];
                        (
                            slot.start,
                            slot.length,
                            plan.tasks[slot.task].name.clone(),
                            first(number),
                        )
                    };
                    (table.length, (0..slots.len()).map(window).collect())
                }
                Schedule::Slots {
                    period_ns,
                    handler_ns,
                    cores,
                } => {
                    kinds[1] += 1;
                    let border = cores[core as usize].border_ns;
                    let window = |color: usize, start: u64, end: u64| {
                        (
                            start + handler_ns,
                            end - start - handler_ns,
                            format!("core{core}-color{color}"),
                            true,
                        )
                    };
                    (*period_ns, vec![window(0, 0, border), window(1, border, *period_ns)])
                }
                _ => {
                    let error = write(&subject, "arinc653", &of(Supplement::Three)).expect_err("no windows");
                    assert!(error.found.starts_with("found a schedule that is"), "{error}");
                    continue;
                }
            };
            let text = write(&subject, "arinc653", &of(Supplement::Three))
                .expect("windows")
                .text;
            assert_eq!(three(&text), (length, wanted.clone()), "{}", subject.name);
            let text = write(&subject, "arinc653", &of(Supplement::Two)).expect("windows").text;
            assert_eq!(two(&text), (length, wanted), "{}", subject.name);
        }
    }
    assert!(kinds[0] > 0 && kinds[1] > 0, "{kinds:?}");
}

/// The part of a table between its head, which names the version, and its end.
fn body(text: &str) -> &str {
    &text[text.find("format = ").expect("a format")..]
}

#[test]
fn slots_of_sched_ext_are_those_of_the_plan() {
    let mut tables = 0;
    for (plan, machine) in plans() {
        let subject = Subject::of_plan("plan.json", plan, machine).expect("a plan");
        let plan = subject.plan.as_ref().expect("a plan");
        let table = match (write(&subject, "sched-ext", &lossy()), &plan.schedule) {
            (Ok(exported), Schedule::Table { table, .. }) => {
                tables += 1;
                assert!(body(&exported.text).contains(&format!("frame_ns = {}\n", table.length)));
                (exported.text, table)
            }
            // Slots of colors leave nothing of a core to others.
            (Err(error), Schedule::Slots { .. }) => {
                assert!(error.found.contains("without a window on core"), "{error}");
                continue;
            }
            (Err(error), Schedule::Table { .. }) => panic!("{error}"),
            // As `fresco run` says it.
            (Err(error), Schedule::Servers { .. } | Schedule::Locked { .. }) => {
                assert!(
                    ["without a window on core", "which has an instance in each of"]
                        .iter()
                        .any(|words| error.found.contains(words)),
                    "{error}"
                );
                continue;
            }
            (Err(error), _) => {
                assert!(error.found.starts_with("found a schedule that is"), "{error}");
                continue;
            }
            (Ok(_), _) => panic!("{}: no windows", subject.name),
        };
        let (text, table) = table;
        let mut slots = table.slots.clone();
        slots.sort_by_key(|slot| (slot.start, slot.core));
        let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("  { core = ")).collect();
        assert_eq!(rows.len(), slots.len());
        for (number, (row, slot)) in rows.iter().zip(&slots).enumerate() {
            let job = (slot.task, slot.job);
            let goes_on = slots[number + 1..].iter().any(|other| (other.task, other.job) == job);
            let wanted = format!(
                "  {{ core = {}, start_ns = {}, length_ns = {}, task = \"{}\"{} }},",
                slot.core,
                slot.start,
                slot.length,
                plan.tasks[slot.task].name,
                if goes_on { ", ends = false" } else { "" }
            );
            assert_eq!(*row, wanted, "{}", subject.name);
        }
    }
    assert!(tables > 0);
}

/// The scheduler's own tests read the file that this one is compared with.
#[test]
fn a_table_that_the_scheduler_reads() {
    let tasks = "machine = \"ss-rtmc\"\nplan.method = \"colored-refresh\"\n\
        [[task]]\nname = \"control\"\nperiod = \"8 ms\"\nwcet = \"2 ms\"\nmemory = \"64 KiB\"\n\
        [[task]]\nname = \"the \\\"eye\\\"\"\nperiod = \"32 ms\"\nwcet = \"12 ms\"\nmemory = \"256 KiB\"\n";
    let text = write(&planned(tasks), "sched-ext", &lossy()).expect("a table").text;
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kernel/schedulers/tests/two.toml");
    if std::env::var_os("FRESCO_BLESS").is_some() {
        let head = "# SPDX-License-Identifier: GPL-2.0-only\n# Compared with what `fresco export --to sched-ext` writes, and read by the scheduler's tests.\n";
        std::fs::write(&file, format!("{head}{}", body(&text))).expect("written");
    }
    assert_eq!(body(&std::fs::read_to_string(file).expect("it is there")), body(&text));
}

const ONE: &str = "machine = \"gem5-2core\"\nplan.method = \"auto-refresh\"\n\
    [[task]]\nname = \"a\"\ncore = 0\nperiod = \"8 ms\"\nwcet = \"2 ms\"\ndeadline = \"6 ms\"\ncommand = [\"./a b\", \"-x\"]\n\
    [[task]]\nname = \"b\"\ncore = 1\nperiod = \"20 ms\"\nwcet = \"5 ms\"\n";

#[test]
fn parameters_of_the_kernel_by_hand() {
    let text = write(&planned(ONE), "sched-deadline", &ExportOptions::default())
        .expect("EDF by priorities")
        .text;
    // 2 / 8, as the kernel truncates it; the limit is 996147 of 2^20.
    assert!(
        text.contains("# Core 0: 0.250000 of a processor; the kernel admits 0.949999 of each\n"),
        "{text}"
    );
    let start = "sh -c 'echo $$ > /sys/fs/cgroup/core0/cgroup.procs && exec chrt --deadline --sched-runtime 2000000 --sched-deadline \
                 6000000 --sched-period 8000000 0 \"$@\"' sh './a b' -x &\n";
    assert!(text.contains(start), "{text}");
    let running = "chrt --deadline --sched-runtime 5000000 --sched-deadline 20000000 --sched-period 20000000 --pid 0 \"${PID_B:?process of b}\"\n";
    assert!(text.contains(running), "{text}");
    assert!(
        text.contains("echo root > /sys/fs/cgroup/core1/cpuset.cpus.partition\n"),
        "{text}"
    );
}

#[test]
fn what_the_kernel_refuses_is_refused() {
    let told = |from: &str, to: &str| {
        let subject = planned(&ONE.replace(from, to));
        let error = write(&subject, "sched-deadline", &ExportOptions::default()).expect_err(to);
        format!("{}; {}", error.found, error.allowed)
    };
    assert_eq!(
        told("wcet = \"2 ms\"", "wcet = \"1023 ns\""),
        "found an execution time of 1023 ns of a; 1024 ns or more"
    );
    assert_eq!(
        told(
            "period = \"20 ms\"\nwcet = \"5 ms\"",
            "period = \"5 s\"\nwcet = \"5 ms\""
        ),
        "found a period of 5 s of b; 100 us to 4194304 us"
    );
    assert_eq!(
        told(
            "period = \"20 ms\"\nwcet = \"5 ms\"",
            "period = \"99 us\"\nwcet = \"2 us\""
        ),
        "found a period of 99 us of b; 100 us to 4194304 us"
    );
    let mut full = planned(ONE);
    full.tasks[1].times.as_mut().expect("times").wcet_ns = 19_000_020;
    let error = write(&full, "sched-deadline", &ExportOptions::default()).expect_err("too much");
    assert!(
        error.found.starts_with("found a utilisation of 0.950000 on core 1"),
        "{error}"
    );
    // 95 % itself is admitted: the fraction of the task is truncated, too.
    full.tasks[1].times.as_mut().expect("times").wcet_ns = 19_000_000;
    assert!(write(&full, "sched-deadline", &ExportOptions::default()).is_ok());
    let mut late = planned(ONE);
    late.tasks[0].times.as_mut().expect("times").phase_ns = 1;
    let error = write(&late, "sched-deadline", &ExportOptions::default()).expect_err("a phase");
    assert_eq!(error.found, "found what sched-deadline cannot say: the phase of a");
}
