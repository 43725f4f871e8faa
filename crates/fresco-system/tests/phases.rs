// SPDX-License-Identifier: MIT OR Apache-2.0
//! Warm-up, measured phase, starts, page faults: what is counted, and when.

use crate::common::{point, results, task};

fn scenario(head: &str, tasks: &str) -> String {
    format!("name = \"test\"\nmachine = \"small.toml\"\ncheck = true\n{head}\n{tasks}")
}

const CHASE: &str = "
[[task]]
name = \"chase\"
program = \"latency\"
core = 0
parameters.bytes = \"64 KiB\"
";

#[test]
fn a_phase_in_operations_has_exactly_these() {
    let text = scenario("[warm_up]\noperations = 100\n[measure]\noperations = 777", CHASE);
    let result = results(&text);
    let run = &result.points[0].runs[0];
    let chase = &run.tasks[0];
    assert_eq!(chase.operations, 777);
    // BEN-2: two instructions besides each load.
    assert_eq!(chase.instructions, 3 * 777);
    assert_eq!((chase.from_ps, chase.to_ps), (run.from_ps, run.to_ps));
    assert!((chase.access_time_ns * 777.0 - chase.run_time_ps as f64 / 1000.0).abs() < 1e-6);
    assert_eq!((chase.passes, chase.pass_time_ns), (0, None));
}

#[test]
fn only_passes_that_began_and_ended_within_the_phase_are_counted() {
    // A pass is 1024 loads. What a whole one takes, a phase in passes says.
    let whole = results(&scenario("[warm_up]\npasses = 2\n[measure]\npasses = 3", CHASE));
    let whole = whole.points[0].runs[0].tasks[0].pass_time_ns.expect("three passes");
    let of = |warm_up: &str, measure: &str| {
        let text = scenario(&format!("[warm_up]\n{warm_up}\n[measure]\n{measure}"), CHASE);
        let chase = results(&text).points[0].runs[0].tasks[0].clone();
        if let Some(time) = chase.pass_time_ns {
            // To refreshes, which do not come with passes.
            assert!(
                (time.min / whole.mean - 1.0).abs() < 0.05,
                "{warm_up}, {measure}: {time:?}, {whole:?}"
            );
            assert!(
                (time.max / whole.mean - 1.0).abs() < 0.05,
                "{warm_up}, {measure}: {time:?}, {whole:?}"
            );
        }
        assert_eq!(chase.passes, chase.pass_time_ns.map_or(0, |time| time.count));
        chase.passes
    };
    // 1000 loads into a pass, 24 of which are left: they are no pass.
    assert_eq!(of("operations = 2024", "operations = 500"), 0);
    assert_eq!(of("operations = 3048", "operations = 100"), 0);
    assert_eq!(of("operations = 3048", "operations = 1100"), 1);
    assert_eq!(of("operations = 2048", "operations = 2100"), 2);
    // The warm-up ends with a pass: the measured phase begins with one.
    assert_eq!(of("passes = 2", "operations = 1100"), 1);
    let time = whole.mean as u64;
    assert_eq!(of("operations = 2500", &format!("time = \"{} ns\"", time / 4)), 0);
    assert_eq!(of("operations = 2500", &format!("time = \"{} ns\"", 3 * time)), 2);
}

#[test]
fn controllers_say_how_long_they_counted_and_agree_with_the_tasks() {
    let tasks = format!(
        "{CHASE}[[task]]\nname = \"writer\"\nprogram = \"bandwidth\"\ncores = [1, 4]\nparameters = {{ bytes = \"1 MiB\", access = \"write\" }}\n"
    );
    let window = |run: &fresco_system::results::RunResult| (run.to_ps - run.from_ps) as f64 / 1000.0;
    // In passes: tasks begin with their next pass, the controllers when all are warm.
    let result = results(&scenario("[warm_up]\npasses = 1\n[measure]\npasses = 1", &tasks));
    let run = &result.points[0].runs[0];
    assert!(run.controllers.iter().all(|one| one.window_ns == window(run)));
    assert!(
        run.tasks
            .iter()
            .any(|task| (task.run_time_ps as f64) < 900.0 * window(run))
    );

    // In the background tasks are counted in the window of the controllers, and the traffic is the same but for lines
    // that wait in write-back buffers.
    let tasks = tasks.replace("cores = [1, 4]", "cores = [1, 4]\nrole = \"background\"");
    let result = results(&scenario(
        "[warm_up]\noperations = 1000\n[measure]\noperations = 40000",
        &tasks,
    ));
    let run = &result.points[0].runs[0];
    let of_tasks: f64 = run.tasks.iter().map(|task| task.bandwidth_bytes_per_s).sum();
    let of_controllers: f64 = run.controllers.iter().map(|one| one.bandwidth_bytes_per_s).sum();
    assert!(
        (of_tasks / of_controllers - 1.0).abs() < 0.01,
        "{of_tasks} {of_controllers}"
    );
    let (busy, idle): (Vec<_>, Vec<_>) = run.controllers.iter().partition(|one| one.writes > 0);
    assert_eq!(busy.len(), 2, "the nodes of cores 0, 1 and 4");
    assert!(
        idle.iter()
            .all(|one| one.bandwidth_bytes_per_s == 0.0 && one.window_ns == window(run))
    );
    for one in busy {
        let line = 64.0;
        let bytes = (one.reads + one.writes) as f64 * line;
        assert!((bytes / one.window_ns * 1e9 / one.bandwidth_bytes_per_s - 1.0).abs() < 1e-9);
        assert!(one.bandwidth_bytes_per_s < one.peak_bandwidth_bytes_per_s);
        // Data on the bus half of the time is half of the peak.
        let busy = one.bandwidth_bytes_per_s / one.peak_bandwidth_bytes_per_s;
        assert!(
            (busy / one.bus_utilisation - 1.0).abs() < 0.01,
            "{busy} {}",
            one.bus_utilisation
        );
    }
}

#[test]
fn a_phase_in_passes_is_whole_passes_of_each_task() {
    let tasks =
        format!("{CHASE}[[task]]\nname = \"other\"\nprogram = \"latency\"\ncore = 1\nparameters.bytes = \"32 KiB\"\n");
    let result = results(&scenario("[warm_up]\npasses = 1\n[measure]\npasses = 3", &tasks));
    let run = &result.points[0].runs[0];
    let [chase, other] = &run.tasks[..] else {
        panic!("two tasks")
    };
    assert_eq!((chase.operations, other.operations), (3 * 1024, 3 * 512));
    let times = chase.pass_time_ns.expect("passes were completed");
    assert_eq!((chase.passes, times.count), (3, 3));
    let total = times.mean * 3.0;
    assert!(
        (total - chase.run_time_ps as f64 / 1000.0).abs() < 1e-6,
        "passes fill the phase"
    );
    assert!(
        other.from_ps >= run.from_ps && chase.from_ps >= run.from_ps,
        "nobody is measured before all are warm"
    );
    assert_eq!(run.to_ps, chase.to_ps.max(other.to_ps));
}

#[test]
fn a_phase_in_time_lasts_that_long() {
    let result = results(&scenario(
        "[warm_up]\ntime = \"20 us\"\n[measure]\ntime = \"50 us\"",
        CHASE,
    ));
    let chase = &result.points[0].runs[0].tasks[0];
    // It ends with the operation that is under way when the time is up, and what the core had run ahead.
    let over = chase
        .run_time_ps
        .checked_sub(50_000_000)
        .expect("no shorter than asked");
    assert!(over < 1_500_000, "{over} ps too long");
}

#[test]
fn background_tasks_are_counted_while_the_others_are_measured() {
    let tasks = format!(
        "{CHASE}[[task]]\nname = \"noise\"\nprogram = \"random\"\nparameters.bytes = \"1 MiB\"\nrole = \"background\"\ncores = [1, 4]\n"
    );
    let result = results(&scenario(
        "[warm_up]\noperations = 10\n[measure]\noperations = 2000",
        &tasks,
    ));
    let run = &result.points[0].runs[0];
    let names: Vec<&str> = run.tasks.iter().map(|task| task.name.as_str()).collect();
    assert_eq!(names, ["chase", "noise.0", "noise.1"]);
    for noise in &run.tasks[1..] {
        assert_eq!((noise.from_ps, noise.to_ps), (run.from_ps, run.to_ps));
        assert!(noise.operations > 1000 && noise.reads.count > 1000);
    }
    let of_nodes: u64 = run.controllers.iter().map(|controller| controller.reads).sum();
    let of_tasks: u64 = run.tasks.iter().map(|task| task.reads.count - task.reads.joined).sum();
    assert!(
        of_nodes.abs_diff(of_tasks) < 40,
        "{of_nodes} reads at the controllers, {of_tasks} of the tasks"
    );
}

#[test]
fn pages_are_mapped_at_the_start_or_when_they_are_touched() {
    let head =
        "[sweep]\ntask.chase.pages = [\"at-start\", \"on-touch\"]\n[warm_up]\noperations = 0\n[measure]\npasses = 1";
    let result = results(&scenario(head, CHASE));
    let [at_start, on_touch] = ["at-start", "on-touch"].map(|pages| &point(&result, &[pages]).runs[0].tasks[0]);
    assert_eq!((at_start.pages.faults, at_start.pages.faults_measured), (16, 0));
    assert_eq!((on_touch.pages.faults, on_touch.pages.faults_measured), (16, 16));
    // What the page faults take is part of the phase, and little else differs.
    let faults = on_touch.pages.fault_ns * 16.0;
    let longer = (on_touch.run_time_ps - at_start.run_time_ps) as f64 / 1000.0;
    assert!(faults > 16.0 * 1000.0, "{faults}");
    assert!(
        (longer / faults - 1.0).abs() < 0.2,
        "{longer} ns for faults of {faults} ns"
    );
}

#[test]
fn a_task_starts_after_its_delay() {
    let tasks = format!("{CHASE}start = \"3 us\"\n").replace(
        "parameters.bytes = \"64 KiB\"\nstart",
        "parameters.bytes = \"64 KiB\"\nstart",
    );
    let begin = |text: &str| {
        results(&scenario("[warm_up]\noperations = 0\n[measure]\noperations = 10", text)).points[0].runs[0].from_ps
    };
    let (now, later) = (begin(CHASE), begin(&tasks));
    // Rounded to a whole slot of the core, a sixth of a nanosecond.
    assert!((later - now).abs_diff(3_000_000) < 200, "{now} {later}");
}

#[test]
fn slowdowns_are_relative_to_the_baseline_that_the_scenario_names() {
    let head = "
        [warm_up]
        operations = 500
        [measure]
        operations = 1000
        [sweep]
        memory.controller.page = [\"open\", \"closed\"]
        [baseline]
        memory.controller.page = \"closed\"
        ";
    let result = results(&scenario(head, CHASE));
    let (open, closed) = (point(&result, &["open"]), point(&result, &["closed"]));
    assert_eq!((open.baseline, closed.baseline), (Some(1), None));
    let slowdown = task(open, "chase").slowdown.expect("has a baseline").mean;
    let ratio = task(closed, "chase").instructions_per_cycle.mean / task(open, "chase").instructions_per_cycle.mean;
    assert_eq!(slowdown, ratio);
    assert!(task(closed, "chase").slowdown.is_none());
    assert_ne!(open.machine_digest, closed.machine_digest);
}

#[test]
fn frames_outside_the_colors_are_counted_when_spilling_is_allowed() {
    let head = "
        [policy]
        frames = \"palloc\"
        exhaustion = \"spill\"
        [warm_up]
        operations = 0
        [measure]
        operations = 100
        ";
    let tasks = CHASE
        .replace("64 KiB", "3 MiB")
        .replace("core = 0", "core = 0\nbanks = 5");
    let result = results(&scenario(head, &tasks));
    let pages = &result.points[0].runs[0].tasks[0].pages;
    // A bank holds 2 MiB, 512 pages, a few of which the boot keeps.
    assert_eq!(pages.faults, 768);
    assert!((256..300).contains(&pages.spilled), "{}", pages.spilled);
    // The share of its footprint per bank (MET-8) tells the same.
    let [in_five, elsewhere] = [true, false].map(|five| {
        let of_these = pages.by_bank.iter().filter(|(bank, _)| (*bank == 5) == five);
        of_these.map(|(_, frames)| frames).sum::<u64>()
    });
    assert_eq!((in_five, elsewhere), (768 - pages.spilled, pages.spilled));
}

#[test]
fn a_program_without_memory_lets_time_pass() {
    let idle = "[[task]]\nname = \"idle\"\nprogram = \"idle\"\ncore = 1\n";
    let alone = |head: &str| results(&scenario(head, idle)).points[0].runs[0].tasks[0].clone();
    let in_passes = alone("[measure]\npasses = 2");
    assert_eq!((in_passes.instructions, in_passes.operations), (2_000_000, 0));
    assert!(
        (in_passes.instructions_per_cycle - 3.0).abs() < 1e-6,
        "the issue width, not {}",
        in_passes.instructions_per_cycle
    );
    let in_time = alone("[measure]\ntime = \"1 ms\"\n[warm_up]\ntime = \"1 us\"");
    assert!(
        (1_000_000_000..1_400_000_000).contains(&in_time.run_time_ps),
        "{}",
        in_time.run_time_ps
    );
    let text = scenario("[measure]\noperations = 1000", idle);
    let error = fresco_system::run(&crate::common::parse(&text).unwrap_or_else(|e| panic!("{e}")).runs()[0])
        .expect_err("never ends");
    assert!(
        error.to_string().contains("a program without loads and stores"),
        "{error}"
    );

    let beside = format!(
        "{CHASE}{}",
        idle.replace(
            "core = 1",
            "core = 1\nrole = \"background\"\nparameters.instructions = 3000"
        )
    );
    let result = results(&scenario("[measure]\noperations = 10000", &beside));
    let background = &result.points[0].runs[0].tasks[1];
    assert!(
        (2.9..3.1).contains(&background.instructions_per_cycle),
        "{}",
        background.instructions_per_cycle
    );
}

/// A program that does one thing first and another later: its phase begins at the same point, beside a slower one that is measured too.
#[test]
fn a_task_that_is_warm_waits_for_the_others() {
    let directory = tempfile::tempdir().expect("a directory");
    let trace = directory.path().join("two-parts.trace");
    // 4,000 loads of one line, then a new line each.
    let lines = (0..20_000u64).map(|n| format!("3 {}\n", n.saturating_sub(4_000) * 64));
    std::fs::write(&trace, lines.collect::<String>()).expect("writable");
    let program = format!(
        "[[task]]\nname = \"parts\"\nprogram = \"trace\"\ncore = 1\nparameters.file = {:?}\n",
        trace.display().to_string()
    );
    let reads = |others: &str| {
        let head = "[warm_up]\noperations = 3500\n[measure]\noperations = 1000";
        let result = results(&scenario(head, &format!("{program}{others}")));
        let tasks = &result.points[0].runs[0].tasks;
        let parts = tasks.iter().find(|one| one.name == "parts").expect("there");
        (parts.operations, parts.reads.count)
    };
    let alone = reads("");
    assert_eq!(alone, (1000, 499), "the second half of its phase");
    assert_eq!(reads(CHASE), alone);
}
