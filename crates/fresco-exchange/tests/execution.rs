// SPDX-License-Identifier: MIT OR Apache-2.0
//! Schedules as Linux is told them, by hand.

use crate::support::{lossy, planned, plans, write};
use fresco_exchange::execution::{Deadline, Execution, Executor, Slot, execution};
use fresco_exchange::{ExportOptions, Subject};
use fresco_scenario::plan::Schedule;

/// One core, by priorities or deadlines.
fn set(policy: &str, rows: &[(&str, &str)]) -> Subject {
    let rows = rows
        .iter()
        .map(|(name, times)| format!("[[task]]\nname = \"{name}\"\ncore = 0\n{times}\n"));
    planned(&format!(
        "machine = \"ss-rtmc\"\nplan.method = \"auto-refresh\"\nplan.policy = \"{policy}\"\n{}",
        rows.collect::<String>()
    ))
}

fn run(subject: &Subject, executor: Executor) -> Result<Execution, String> {
    let plan = subject.plan.as_ref().expect("a plan");
    execution(plan, executor)
        .map_err(|misfit| format!("{}; allowed: {}; {}", misfit.found, misfit.allowed, misfit.help))
}

#[test]
fn deadlines_by_hand() {
    let subject = set(
        "edf",
        &[
            ("a", "period = \"8 ms\"\nwcet = \"2 ms\"\ndeadline = \"6 ms\""),
            ("b", "period = \"20 ms\"\nwcet = \"5 ms\""),
        ],
    );
    let of = |runtime_ns, deadline_ns, period_ns| {
        Some(Deadline {
            runtime_ns,
            deadline_ns,
            period_ns,
        })
    };
    let wanted = vec![
        of(2_000_000, 6_000_000, 8_000_000),
        of(5_000_000, 20_000_000, 20_000_000),
    ];
    assert_eq!(run(&subject, Executor::Deadline), Ok(Execution::Deadlines(wanted)));
    assert_eq!(
        Executor::of(subject.plan.as_ref().expect("a plan")),
        Some(Executor::Deadline)
    );
}

#[test]
fn priorities_by_hand() {
    // By period a, then b and c by name, where their deadlines are equal; by deadline d first.
    let rows = [
        ("c", "period = \"20 ms\"\nwcet = \"1 ms\""),
        ("b", "period = \"20 ms\"\nwcet = \"1 ms\""),
        ("a", "period = \"8 ms\"\nwcet = \"1 ms\""),
        ("d", "period = \"40 ms\"\nwcet = \"1 ms\"\ndeadline = \"5 ms\""),
    ];
    for (policy, wanted) in [("rm", [2, 3, 4, 1]), ("dm", [1, 2, 3, 4])] {
        let found = run(&set(policy, &rows), Executor::Fifo);
        assert_eq!(found, Ok(Execution::Priorities(wanted.map(Some).to_vec())), "{policy}");
    }
}

#[test]
fn each_core_has_its_own_priorities() {
    let two = "machine = \"gem5-2core\"\nplan.method = \"auto-refresh\"\nplan.policy = \"rm\"\n\
        [[task]]\nname = \"a\"\ncore = 0\nperiod = \"8 ms\"\nwcet = \"2 ms\"\n\
        [[task]]\nname = \"b\"\ncore = 1\nperiod = \"20 ms\"\nwcet = \"5 ms\"\n\
        [[task]]\nname = \"c\"\ncore = 1\nperiod = \"40 ms\"\nwcet = \"5 ms\"\n";
    let subject = planned(two);
    assert_eq!(
        run(&subject, Executor::Fifo),
        Ok(Execution::Priorities(vec![Some(1), Some(2), Some(1)]))
    );
    let told = run(&planned(&two.replace("\"rm\"", "\"edf\"")), Executor::Deadline).expect_err("two cores");
    assert!(told.starts_with("a plan for 2 cores; allowed: one core"), "{told}");
    let anywhere = two.replace("core = 0\n", "").replace("core = 1\n", "") + "[plan]\n";
    let anywhere = anywhere
        .replace("plan.policy", "plan.migration = \"global\"\nplan.policy")
        .replace("[plan]\n", "");
    let told = run(&planned(&anywhere), Executor::Fifo).expect_err("any core");
    assert!(
        told.starts_with("task a, whose jobs run on any core; allowed: tasks that are bound"),
        "{told}"
    );
}

#[test]
fn tables_are_those_of_the_export() {
    let (mut tables, mut shared) = (0, 0);
    for (plan, machine) in plans() {
        let subject = Subject::of_plan("plan.json", plan, machine).expect("a plan");
        let plan = subject.plan.as_ref().expect("a plan");
        match (&plan.schedule, run(&subject, Executor::Table)) {
            (Schedule::Table { table, .. }, Ok(Execution::Table(found))) => {
                tables += 1;
                assert_eq!(found.frame_ns, table.length);
                let text = write(&subject, "sched-ext", &lossy()).expect("a table").text;
                assert!(text.ends_with(&found.to_toml(|_| None)), "{}", subject.name);
            }
            (Schedule::Slots { .. } | Schedule::Servers { .. } | Schedule::Locked { .. }, Err(told)) => {
                // Their handlers are short, and the rest of the time has an owner.
                assert!(
                    told.contains("without a window on core") && told.contains("handlers")
                        || told.contains("which has an instance in each of"),
                    "{}: {told}",
                    subject.name
                );
            }
            (Schedule::Slots { .. }, Ok(Execution::Table(found))) => {
                // The slot of a color without tasks, or long handlers, are free.
                shared += 1;
                let timed = plan.tasks.iter().filter(|task| task.period_ns > 0).count();
                assert_eq!(found.members.len(), timed, "{}", subject.name);
                let is_shared = |name: &str| found.members.iter().any(|member| member.slots == name);
                assert!(found.slots.iter().all(|slot| is_shared(&slot.task)), "{}", subject.name);
            }
            (_, found) => {
                let told = found.expect_err("no windows");
                assert!(told.starts_with("a schedule that is "), "{}: {told}", subject.name);
            }
        }
    }
    assert!(tables > 0 && shared > 0);
}

#[test]
fn slots_of_single_tasks_are_theirs() {
    let subject = planned(
        "machine = \"ss-rtmc\"\nplan.method = \"aligned\"\n\
         [[task]]\nname = \"control\"\nperiod = \"8 ms\"\nwcet = \"2 ms\"\ncore = 0\ncolor = 0\nmemory = \"64 KiB\"\n",
    );
    let Schedule::Slots {
        period_ns,
        handler_ns,
        cores,
    } = &subject.plan.as_ref().expect("a plan").schedule
    else {
        panic!("slots")
    };
    let Ok(Execution::Table(table)) = run(&subject, Executor::Table) else {
        panic!("a table")
    };
    // From the handler's end to the border; the slot of the other color is nobody's.
    let slot = Slot {
        core: 0,
        start_ns: *handler_ns,
        length_ns: cores[0].border_ns - handler_ns,
        task: "control".to_owned(),
        ends: false,
        shut: Vec::new(),
    };
    assert_eq!((table.frame_ns, &table.slots[..]), (*period_ns, &[slot][..]));
    let moved = table.on(&[3]).expect("a processor");
    assert_eq!(moved.slots[0].core, 3);
    assert_eq!(table.on(&[]), Err(0));
    let text = table.to_toml(|name| Some(format!("/here/{name}")));
    assert!(
        text.contains("{ name = \"control\", cgroup = \"/here/control\", slots = \"control\", rank = 0, period_ns = 8000000, deadline_ns = 8000000, phase_ns = 0 }"),
        "{text}"
    );
}

#[test]
fn what_would_run_otherwise_is_refused() {
    let tasks = "[[task]]\nname = \"a\"\nperiod = \"8 ms\"\nwcet = \"1 ms\"\nmemory = \"64 KiB\"\n\
        [[task]]\nname = \"b\"\nperiod = \"16 ms\"\nwcet = \"1 ms\"\nmemory = \"64 KiB\"\n";
    let of = |method: &str| planned(&format!("machine = \"ss-rtmc\"\nplan.method = \"{method}\"\n{tasks}"));
    for (method, kind) in [
        ("flat", "the first ready task whose color is not locked"),
        ("crs", "servers"),
    ] {
        for executor in [Executor::Deadline, Executor::Fifo] {
            let told = run(&of(method), executor).expect_err(method);
            let wanted =
                format!("a schedule that is {kind}; allowed: a table, slots, servers or lock windows with table");
            assert!(
                told.starts_with(&wanted) && told.contains("use --schedule table"),
                "{told}"
            );
        }
        let told = run(&of(method), Executor::Table).expect_err(method);
        assert!(
            told.starts_with("42560 ns of 64000000 without a window on core 0; allowed: a hundredth or more")
                && told.ends_with(
                    "fresco plan --set plan.lock='170 us' --set plan.unlock='170 us', of aligned slots plan.handler"
                ),
            "{told}"
        );
    }
    let table = of("colored-refresh");
    for executor in [Executor::Deadline, Executor::Fifo] {
        let told = run(&table, executor).expect_err("a table");
        assert!(
            told.contains("a table;") && told.ends_with("use --schedule table, or auto"),
            "{told}"
        );
    }
    let short = set("edf", &[("a", "period = \"8 ms\"\nwcet = \"1023 ns\"")]);
    let told = run(&short, Executor::Deadline).expect_err("too short");
    assert!(
        told.starts_with("an execution time of 1023 ns of a; allowed: 1024 ns or more"),
        "{told}"
    );
    let full = set("edf", &[("a", "period = \"10 ms\"\nwcet = \"9.6 ms\"")]);
    let told = run(&full, Executor::Deadline).expect_err("too much");
    assert!(told.starts_with("a utilisation of 0.9"), "{told}");
    // The exporter judges the same.
    let error = write(&full, "sched-deadline", &ExportOptions::default()).expect_err("too much");
    assert!(error.found.starts_with("found a utilisation of 0.9"), "{error}");
}
