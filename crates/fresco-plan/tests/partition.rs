// SPDX-License-Identifier: MIT OR Apache-2.0
//! A scenario's own partition as a plan, by hand; and what a plan has no place for.

use fresco_input::InputError;
use fresco_plan::plan::{RefreshPlan, Schedule};
use fresco_plan::{Method, Plan, Refusal, TaskSet, check, plan};
use fresco_scenario::{Paging, Scenario, Source};
use std::path::Path;

/// Two tasks with parts of their own, the second in a part of the cache too, and two that share the rest of the banks.
pub const PARTITION: &str = r#"
name = "parts"
machine = "xeon-w3530"
plan.method = "partition"
policy.frames = "palloc"
policy.bandwidth = "memguard"
bandwidth.period = "100 us"
measure.jobs = 3
[[task]]
name = "control"
program = "lms"
parameters.samples = 2000
core = 0
banks = "0-1"
period = "8 ms"
wcet = "1 ms"
reserve = "100 MB/s"
command = ["./control"]
[[task]]
name = "pointers"
program = "latency"
parameters.bytes = "64 KiB"
core = 1
banks = "2-3"
llc = "2-3"
memory = "128 KiB"
[[task]]
name = "noise"
program = "random"
parameters.bytes = "1 MiB"
cores = "2-3"
role = "background"
banks = "4-15"
"#;

fn set(text: &str) -> Result<TaskSet, InputError> {
    TaskSet::parse("parts.toml", text, Path::new(""), &[])
}

fn planned(text: &str) -> (Plan, TaskSet) {
    let set = set(text).unwrap_or_else(|error| panic!("{error}"));
    (plan(&set).unwrap_or_else(|refusal| panic!("{refusal}")), set)
}

fn no_plan(text: &str) -> Refusal {
    plan(&set(text).unwrap_or_else(|error| panic!("{error}"))).expect_err("no plan")
}

/// The Xeon's 16 banks have 256 MiB each; a bank has pages of a quarter of the 128 cache colors, 8 MiB of each: those whose
/// number leaves the bank's remainder by four.
#[test]
fn parts_of_the_memory_are_counted() {
    let (plan, set) = planned(PARTITION);
    let of = |number: usize| {
        let color = &plan.colors[number];
        (
            color.bank_colors.as_str(),
            color.llc_colors.as_deref(),
            color.bytes >> 20,
        )
    };
    assert_eq!(plan.colors.len(), 3, "tasks of the same colors share a part");
    assert_eq!(
        [of(0), of(1), of(2)],
        [("0-1", None, 512), ("2-3", Some("2-3"), 16), ("4-15", None, 3072)]
    );
    // Bank color bit 3 chooses the rank.
    let ranks: Vec<&[u32]> = plan.colors.iter().map(|color| color.ranks.as_slice()).collect();
    assert_eq!(ranks, [&[0][..], &[0], &[0, 1]]);
    let names: Vec<(&str, Option<u32>, u64)> = plan
        .tasks
        .iter()
        .map(|task| (task.name.as_str(), task.core, task.memory_bytes))
        .collect();
    assert_eq!(
        names[1..],
        [
            ("pointers", Some(1), 128 << 10),
            ("noise.0", Some(2), 1 << 20),
            ("noise.1", Some(3), 1 << 20)
        ]
    );
    assert_eq!(plan.tasks[3].instances, [vec![0, 0, 1 << 20]]);
    assert_eq!((plan.tasks[0].period_ns, plan.tasks[1].period_ns), (8_000_000, 0));
    assert_eq!((plan.cores, &plan.schedule), (4, &Schedule::Priorities));
    let controller = RefreshPlan::Controller {
        policy: "all-bank-independent".to_owned(),
    };
    assert!(
        plan.refresh == controller && plan.proofs.is_empty(),
        "{:?}",
        plan.refresh
    );
    // 100 MB/s in 100 us are 156.25 lines of 64 bytes; the others share what is left of r_min evenly.
    let lines = &plan.bandwidth.as_ref().expect("budgets").lines;
    assert!(
        lines[0] == 156 && lines[1] > 0 && lines[1..].iter().all(|of| *of == lines[1]),
        "{lines:?}"
    );
    let report = check(&plan, &set.machine).unwrap_or_else(|violation| panic!("{violation}"));
    let said = |part: &str| {
        report
            .facts
            .iter()
            .chain(&report.warnings)
            .any(|fact| fact.contains(part))
    };
    assert!(
        said("no page frame is of two of the 3 colors") && said("no deadline is guaranteed"),
        "{report:?}"
    );
}

#[test]
fn a_partition_is_read_as_the_scenario_of_its_tasks() {
    for text in [PARTITION, UNCOLORED] {
        let (first, _) = planned(text);
        let data = serde_json::to_string(&first).expect("is data");
        let text = format!("{{\"schema\": \"{}\", \"data\": {data}}}", fresco_plan::plan::SCHEMA);
        let source = Source::of_text("plan.json", text, Path::new("")).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(planned(&source.text).0, first, "{}", source.text);
        Scenario::parse("plan.json", &source.text, Path::new(""), &[]).unwrap_or_else(|error| panic!("{error}"));
    }
}

/// Nothing is colored, one core has no task and no budget.
const UNCOLORED: &str = r#"
machine = "xeon-w3530"
name = "plain"
plan.method = "partition"
policy.bandwidth = "memguard"
[[task]]
name = "a"
program = "latency"
parameters.bytes = "64 KiB"
core = 2
"#;

#[test]
fn cores_without_tasks_have_no_budgets() {
    let (plan, set) = planned(UNCOLORED);
    assert!(plan.colors.is_empty() && plan.tasks[0].instances.is_empty());
    let lines = &plan.bandwidth.as_ref().expect("budgets").lines;
    assert!(lines[..2] == [0, 0] && lines[2] > 0 && lines.len() == 3, "{lines:?}");
    assert!(check(&plan, &set.machine).is_ok());
}

/// Threads of one program in banks of their own, whose pages come on touch.
#[test]
fn threads_and_pages_on_touch_have_a_part() {
    let text = PARTITION.replace(
        "program = \"random\"\nparameters.bytes = \"1 MiB\"",
        "program = \"strides-parallel\"",
    );
    let (found, set) = planned(&text.replace("llc = \"2-3\"", "pages = \"on-touch\""));
    assert!(check(&found, &set.machine).is_ok());
    let [_, pointers, threads @ ..] = found.tasks.as_slice() else {
        panic!("{:?}", found.tasks)
    };
    assert_eq!((pointers.pages, pointers.team), (Paging::OnTouch, None));
    assert!(threads.len() == 2 && threads.iter().all(|thread| thread.team == Some(2)));
    // Each may touch all of the program's memory: two areas of 32 MiB.
    assert!(
        threads.iter().all(|thread| thread.memory_bytes == 64 << 20),
        "{threads:?}"
    );
    let text = format!(
        "{{\"schema\": \"{}\", \"data\": {}}}",
        fresco_plan::plan::SCHEMA,
        serde_json::to_string(&found).expect("is data")
    );
    let source = Source::of_text("plan.json", text, Path::new("")).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(planned(&source.text).0, found, "{}", source.text);
}

#[test]
fn what_a_plan_has_no_place_for_is_refused() {
    for (from, to, field) in [
        (
            "llc = \"2-3\"",
            "memory_limit = \"1 MiB\"",
            "task.pointers.memory_limit",
        ),
        ("llc = \"2-3\"", "start = \"1 us\"", "task.pointers.start"),
        (
            "period = \"100 us\"",
            "period = \"100 us\"\nbandwidth.reclaim = true",
            "bandwidth",
        ),
        (
            "period = \"100 us\"",
            "period = \"100 us\"\nbandwidth.share = \"best-effort\"",
            "bandwidth",
        ),
        ("period = \"100 us\"", "period = \"100000001 ps\"", "bandwidth.period"),
        ("banks = \"4-15\"", "", "task.noise"),
        ("memory = \"128 KiB\"", "memory = \"32 KiB\"", "task.pointers.memory"),
        (
            "plan.method = \"partition\"",
            "plan = { method = \"partition\", cores = 2 }",
            "task.noise.cores",
        ),
        (
            "program = \"random\"\nparameters.bytes = \"1 MiB\"\ncores = \"2-3\"\nrole = \"background\"\nbanks = \"4-15\"",
            "program = \"strides-parallel\"\ncores = \"2-3\"\nrole = \"background\"\nbanks_each = [4, 5]",
            "task.noise",
        ),
        (
            "policy.frames = \"palloc\"",
            "policy.frames = \"bpm\"\npolicy.dynamic = true",
            "policy.dynamic",
        ),
    ] {
        let text = PARTITION.replace(from, to);
        assert_ne!(text, PARTITION, "{from}");
        let error = set(&text).err().unwrap_or_else(|| panic!("accepted: {to}"));
        assert!(error.field == field && !error.help.is_empty(), "{to}: {error}");
    }
}

#[test]
fn parts_that_overlap_are_refused() {
    let refusal = no_plan(&PARTITION.replace("banks = \"4-15\"", "banks = \"1-15\""));
    assert!(
        refusal
            .reason
            .contains("control and noise.0 have some page frames in common"),
        "{refusal}"
    );
    // The same banks, other cache colors: no frame in common.
    let (plan, _) = planned(&PARTITION.replace("banks = \"4-15\"", "banks = \"2-3\"\nllc = \"6-7,10-11\""));
    assert_eq!(
        (plan.colors[2].bank_colors.as_str(), plan.colors[2].bytes >> 20),
        ("2-3", 32)
    );
}

/// Other methods decide what a partition gives.
#[test]
fn the_partition_is_asked_for() {
    let error = set(&PARTITION.replace("\"partition\"", "\"aligned\"")).expect_err("banks");
    assert!(
        error.field == "task.control.banks" && error.help.contains("plan.method = \"partition\""),
        "{error}"
    );
    assert!(Method::of_refresh().all(|method| method != Method::Partition));
}
