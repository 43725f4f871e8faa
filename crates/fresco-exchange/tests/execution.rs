// SPDX-License-Identifier: MIT OR Apache-2.0
//! Schedules as Linux is told them, and recorded slots against a table's, by hand.

use crate::support::{lossy, planned, plans, write};
use fresco_exchange::execution::{
    Deadline, Execution, Executor, Judgement, Record, Slot, SlotTable, execution, judge, parse_records,
};
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
    let mut tables = 0;
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
            (Schedule::Slots { .. }, found) => {
                let told = found.expect_err("several tasks in a slot");
                assert!(told.contains("tasks in the slot of color"), "{told}");
            }
            (_, found) => {
                let told = found.expect_err("no windows");
                assert!(told.starts_with("a schedule that is "), "{told}");
            }
        }
    }
    assert!(tables > 0);
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
    };
    assert_eq!((table.frame_ns, &table.slots[..]), (*period_ns, &[slot][..]));
    let moved = table.on(&[3]).expect("a processor");
    assert_eq!(moved.slots[0].core, 3);
    assert_eq!(table.on(&[]), Err(0));
    let text = table.to_toml(|name| Some(format!("/here/{name}")));
    assert!(
        text.contains("{ name = \"control\", cgroup = \"/here/control\" }"),
        "{text}"
    );
}

#[test]
fn what_would_run_otherwise_is_refused() {
    let tasks = "[[task]]\nname = \"a\"\nperiod = \"8 ms\"\nwcet = \"1 ms\"\nmemory = \"64 KiB\"\n\
        [[task]]\nname = \"b\"\nperiod = \"16 ms\"\nwcet = \"1 ms\"\nmemory = \"64 KiB\"\n";
    let of = |method: &str| planned(&format!("machine = \"ss-rtmc\"\nplan.method = \"{method}\"\n{tasks}"));
    for (method, kind) in [
        ("flat", "the first ready task whose color is not locked, by deadlines"),
        ("crs", "servers"),
    ] {
        for executor in Executor::ALL {
            let told = run(&of(method), executor).expect_err(method);
            let wanted = format!("a schedule that is {kind}; allowed: a table or slots with table");
            assert!(told.starts_with(&wanted) && told.contains("--schedule none"), "{told}");
        }
        assert_eq!(Executor::of(of(method).plan.as_ref().expect("a plan")), None);
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

/// a from 0 to 200 us, b to 300 us, a from 500 us for 100 us, of 1 ms on processor 1.
fn table() -> SlotTable {
    let slot = |start_ns, length_ns, task: &str, ends| Slot {
        core: 1,
        start_ns,
        length_ns,
        task: task.to_owned(),
        ends,
    };
    SlotTable {
        frame_ns: 1_000_000,
        slots: vec![
            slot(0, 200_000, "a", false),
            slot(200_000, 100_000, "b", true),
            slot(500_000, 100_000, "a", true),
        ],
    }
}

/// A slot in which the task ran from `start` on to the end of the slot, or not at all.
fn record(begin_ns: u64, length_ns: u64, task: &str, start: Option<u64>) -> Record {
    Record {
        cpu: 1,
        task: Some(task.to_owned()),
        begin_ns,
        end_ns: begin_ns + length_ns,
        started_ns: start.map(|start| begin_ns + start),
        stopped_ns: start.map(|_| begin_ns + length_ns),
        ran_ns: start.map_or(0, |start| length_ns - start),
        ready: start.is_some(),
        cut: false,
        overran: false,
        missed: false,
        skipped: 0,
    }
}

/// Two frames in which all is as planned.
fn good() -> Vec<Record> {
    vec![
        record(7_000_000, 200_000, "a", Some(10_000)),
        record(7_200_000, 100_000, "b", Some(20_000)),
        record(7_500_000, 100_000, "a", Some(30_000)),
        record(8_000_000, 200_000, "a", Some(100_000)),
        record(8_200_000, 100_000, "b", None),
        record(8_500_000, 100_000, "a", Some(40_000)),
    ]
}

/// The judgement of the task after a change.
fn judged(task: usize, change: impl FnOnce(&mut Vec<Record>)) -> Judgement {
    let mut records = good();
    change(&mut records);
    judge(&table(), &records, 100_000).tasks.swap_remove(task)
}

#[test]
fn slots_as_planned() {
    let all = judge(&table(), &good(), 100_000);
    assert!(all.hold());
    assert_eq!((all.records, all.frames, all.not_planned), (6, 2, 0));
    let [a, b] = &all.tasks[..] else { panic!("two tasks") };
    assert_eq!(
        (a.slots, a.ran, a.unused, a.ran_ns),
        (4, 4, 0, 190_000 + 70_000 + 100_000 + 60_000)
    );
    // Of 10, 30, 40 and 100 us: the third of four is the median.
    assert_eq!(
        (a.start.count, a.start.min_ns, a.start.median_ns, a.start.max_ns),
        (4, 10_000, 40_000, 100_000)
    );
    assert_eq!((b.slots, b.ran, b.unused), (2, 1, 1));
}

#[test]
fn slots_not_as_planned() {
    let late = judged(0, |records| records[3].started_ns = Some(8_100_001));
    assert_eq!((late.late, late.holds), (1, false));
    let waited = judged(0, |records| {
        records[3].started_ns = Some(8_150_000);
        records[3].ready = false;
    });
    assert_eq!((waited.late, waited.start.count, waited.holds), (0, 3, true));
    let late_end = judged(1, |records| records[1].stopped_ns = Some(7_400_001));
    assert_eq!((late_end.late_ends, late_end.holds), (1, false));
    let cut = judged(0, |records| records[0].cut = true);
    assert_eq!((cut.cut, cut.overran, cut.holds), (1, 0, true));
    let overran = judged(1, |records| (records[1].cut, records[1].overran) = (true, true));
    assert_eq!((overran.cut, overran.overran, overran.holds), (1, 1, false));
    let missed = judged(1, |records| records[4].missed = true);
    assert_eq!((missed.missed, missed.unused, missed.holds), (1, 0, false));
    // The processor turned neither to the gap from 600 us on nor to a, b and the gap behind it.
    let skipped = |records: &mut Vec<Record>| {
        records.drain(3..5);
        records[3].skipped = 4;
    };
    assert_eq!(
        (
            judged(0, skipped).missed,
            judged(0, skipped).slots,
            judged(1, skipped).missed
        ),
        (1, 4, 1)
    );
    let lost = |records: &mut Vec<Record>| _ = records.drain(3..5);
    assert_eq!(
        (judged(0, lost).lost, judged(0, lost).slots, judged(1, lost).lost),
        (1, 4, 1)
    );
    assert!(!judged(1, lost).holds);
    // A thousand million frames later, at once.
    let gap = judged(1, |records| {
        records.push(record(1_000_000_000_000_000 + 8_200_000, 100_000, "b", None));
    });
    assert_eq!((gap.lost, gap.slots), (999_999_999, 1_000_000_002));
    for change in [
        |record: &mut Record| record.begin_ns += 1,
        |record: &mut Record| record.end_ns += 1,
        |record: &mut Record| record.task = Some("b".to_owned()),
        |record: &mut Record| record.task = None,
        |record: &mut Record| record.cpu = 0,
        |record: &mut Record| record.begin_ns = u64::MAX,
        // Before the one in front of it.
        |record: &mut Record| (record.begin_ns, record.end_ns) = (6_500_000, 6_600_000),
    ] {
        let mut records = good();
        change(&mut records[5]);
        let all = judge(&table(), &records, 100_000);
        assert_eq!((all.not_planned, all.hold()), (1, false), "{:?}", records[5]);
    }
    let nothing = judge(&table(), &[], 100_000);
    assert_eq!((nothing.frames, nothing.hold()), (0, false));
}

#[test]
fn lines_of_records() {
    let line = "{\"frame\":7,\"cpu\":1,\"task\":\"a\",\"begin_ns\":7000000,\"end_ns\":7200000,\"timer_ns\":7000005,\"started_ns\":7010000,\
        \"stopped_ns\":7200000,\"ran_ns\":190000,\"ready\":true,\"cut\":false,\"overran\":false,\"missed\":false,\"skipped\":0}\n";
    assert_eq!(
        parse_records("r", line),
        Ok(vec![record(7_000_000, 200_000, "a", Some(10_000))])
    );
    // One that was not written to its end.
    let killed = format!("{line}{}", &line[..40]);
    assert_eq!(parse_records("r", &killed).map(|all| all.len()), Ok(1));
    let error = parse_records("r", &format!("{line}{{}}\n{line}")).expect_err("no record");
    assert!(error.to_string().contains("r:2"), "{error}");
    assert!(parse_records("r", "{\"frame\"").is_err());
}
