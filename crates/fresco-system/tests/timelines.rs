// SPDX-License-Identifier: MIT OR Apache-2.0
//! The recorded part of a run: what happens at known times is where it belongs, and spans of a core do not overlap.

use crate::common::{parse, results};
use fresco_system::experiment::{Activity, Timeline};
use fresco_system::results::RunResult;

/// Picoseconds of a microsecond.
const US: u64 = 1_000_000;

fn run(text: &str) -> RunResult {
    results(text).points[0].runs[0].clone()
}

fn timeline(run: &RunResult) -> &Timeline {
    run.timeline.as_ref().expect("the scenario has a timeline")
}

/// A scenario on the small machine.
fn small(head: &str, tasks: &str) -> String {
    format!("name = \"t\"\nmachine = \"small.toml\"\ncheck = true\n{head}\n{tasks}")
}

#[test]
fn a_page_fault_is_where_the_job_touches_its_page() {
    // The only page is touched by the first access of the first job: at its release and a switch of 3.8 us, with two instructions
    // before it, which take a cycle at most. Trap and clearing take 2800 and 640 cycles of 0.5 ns, and the allocator its time.
    let run = run(&small(
        "warm_up.jobs = 0\nmeasure.jobs = 2",
        "[[task]]\nname = \"one\"\nprogram = \"latency\"\ncore = 0\npages = \"on-touch\"\nperiod = \"200 us\"\nphase = \"100 us\"\n\
         parameters.bytes = \"4 KiB\"",
    ));
    let timeline = timeline(&run);
    let [fault] = timeline.faults.as_slice() else {
        panic!("one page: {:?}", timeline.faults)
    };
    let asked = 100 * US + 3_800_000;
    assert!((asked..=asked + 1000).contains(&fault.start_ps), "{fault:?}");
    let lasted = fault.end_ps - fault.start_ps;
    assert_eq!(lasted as f64 / 1000.0, run.tasks[0].pages.fault_ns);
    assert_eq!(lasted as f64 / 1000.0, 1720.0 + run.tasks[0].pages.allocation_ns);
    let pages = &run.tasks[0].pages.by_bank;
    assert_eq!(pages.as_slice(), [(fault.bank_color.expect("frames have colors"), 1)]);
    let job = timeline.runs[0];
    assert!(
        job.start_ps <= fault.start_ps && fault.end_ps <= job.end_ps,
        "{job:?} {fault:?}"
    );
}

#[test]
fn phases_are_recorded_from_when_all_are_warm() {
    let tasks = "[[task]]\nname = \"busy\"\nprogram = \"idle\"\ncore = 0\nparameters.instructions = 60000\n\
                 [[task]]\nname = \"other\"\nprogram = \"idle\"\ncore = 3\nrole = \"background\"\n";
    let head = "warm_up.passes = 3\nmeasure.passes = 4";
    assert!(run(&small(head, tasks)).timeline.is_none(), "nobody asks");
    // A pass takes 10 us: 60,000 instructions, three in each cycle of 0.5 ns.
    let run = run(&small(&format!("timeline = \"25 us\"\n{head}"), tasks));
    let timeline = timeline(&run);
    assert_eq!((timeline.from_ps, timeline.recorded_ps), (run.from_ps, 25 * US));
    let end = timeline.from_ps + 25 * US;
    let spans: Vec<_> = timeline
        .runs
        .iter()
        .map(|span| (span.core, span.start_ps, span.end_ps))
        .collect();
    assert_eq!(spans, [(0, timeline.from_ps, end), (3, timeline.from_ps, end)]);
    let passes: Vec<u64> = timeline
        .passes
        .iter()
        .filter(|pass| pass.task == 0)
        .map(|pass| pass.at_ps)
        .collect();
    // The warm-up ends with a pass, which is before.
    let since: Vec<u64> = passes.iter().map(|at| at - timeline.from_ps).collect();
    assert!(since.len() == 2 && since[0].abs_diff(10 * US) < 2000, "{since:?}");
    assert!(since[1].abs_diff(20 * US) < 2000, "{since:?}");
    // Of a measured phase that is shorter, all of it.
    let short = crate::timelines::run(&small(&format!("timeline = \"1 s\"\n{head}"), tasks));
    let timeline = crate::timelines::timeline(&short);
    assert_eq!(timeline.recorded_ps, short.to_ps - short.from_ps);
}

#[test]
fn a_wanted_timeline_is_that_of_the_first_repetition() {
    let text = small(
        "repetitions = 2\nmeasure.time = \"2 ms\"",
        "[[task]]\nname = \"busy\"\nprogram = \"latency\"\ncore = 0\nparameters.bytes = \"256 KiB\"",
    );
    let mut scenario = parse(&text).unwrap_or_else(|error| panic!("{error}"));
    let plain = fresco_system::run_all(&scenario, 1, &|_| {}).unwrap_or_else(|error| panic!("{error}"));
    scenario.timelines = true;
    let result = fresco_system::run_all(&scenario, 1, &|_| {}).unwrap_or_else(|error| panic!("{error}"));
    let [first, second] = result.points[0].runs.as_slice() else {
        panic!("two repetitions")
    };
    assert!(second.timeline.is_none());
    // 128 refresh intervals of 7.8 us; each rank is refreshed once in each.
    let timeline = timeline(first);
    assert!(
        timeline.recorded_ps.abs_diff(128 * 7_800_000) < 128 * 2000,
        "{}",
        timeline.recorded_ps
    );
    for node in 0..4 {
        for rank in 0..2 {
            let own = timeline
                .refreshes
                .iter()
                .filter(|span| (span.channel, span.rank) == (node, rank));
            let commands: u64 = own.map(|span| span.commands).sum();
            assert!((126..=130).contains(&commands), "{commands}");
        }
    }
    // Recording changes nothing else.
    let without = |run: &RunResult| {
        let run = RunResult {
            timeline: None,
            ..run.clone()
        };
        serde_json::to_string(&run).expect("JSON")
    };
    assert_eq!(
        result.points[0].runs.iter().map(without).collect::<Vec<_>>(),
        plain.points[0].runs.iter().map(without).collect::<Vec<_>>()
    );
}

#[test]
fn pages_move_at_the_scan_to_colors_of_their_task() {
    // Four nodes of 16 colors: 32 colors for each of two tasks. The large one wants eight more, which the small one leaves at the
    // first scan, 500 us after the programs begin; its pages in these move.
    let run = run(&small(
        "timeline = \"2 ms\"\npolicy = { frames = \"bpm\", dynamic = true, interval = \"500 us\" }\n\
         warm_up.time = \"1 us\"\nmeasure.time = \"2 ms\"",
        "[[task]]\nname = \"large\"\nprogram = \"random\"\ncore = 0\npages = \"on-touch\"\n\
         parameters = { bytes = \"80 MiB\", write_percent = 50 }\n\
         [[task]]\nname = \"small\"\nprogram = \"random\"\ncore = 2\nparameters.bytes = \"8 MiB\"",
    ));
    let timeline = timeline(&run);
    assert!(!timeline.moves.is_empty());
    for one in &timeline.moves {
        assert_eq!(one.task, 1, "{one:?}");
        // The warm-up lasts 1 us, and to the end of the page fault or the load that is under way.
        let since = one.at_ps - timeline.from_ps;
        assert!(((496 * US)..=(499 * US)).contains(&since), "{since}");
        assert!((56..64).contains(&one.from_color.expect("colors")), "{one:?}");
        let to = one.to_color.expect("colors");
        assert!((8..16).contains(&(to % 16)) && to < 56, "{one:?}");
    }
    let moved: u64 = timeline.moves.iter().map(|one| one.pages).sum();
    assert_eq!(moved, run.tasks[1].pages.recolored);
    // The core of the small task stands still at once: a microsecond for each page, and what the allocator does.
    let [shootdown] = timeline.shootdowns.as_slice() else {
        panic!("one scan moves pages: {:?}", timeline.shootdowns)
    };
    assert_eq!((shootdown.core, shootdown.task), (2, 1));
    assert!(shootdown.start_ps - timeline.moves[0].at_ps < 2 * US);
    let each = (shootdown.end_ps - shootdown.start_ps) / moved;
    assert!((US..2 * US).contains(&each), "{each} ps for a page");
}

/// A reader that has used up its budget, 312 lines in 100 us, after a third of each period; `interrupt` is in cycles of the core.
fn stalled(interrupt: u32) -> RunResult {
    run(&format!(
        r#"
        name = "stalls"
        machine = "core2-q8400"
        check = true
        timeline = "1 ms"
        policy.bandwidth = "memguard"
        bandwidth = {{ period = "100 us", count_write_backs = true, interrupt = {interrupt} }}
        warm_up.operations = 0
        measure.time = "1 ms"
        [[task]]
        name = "reader"
        program = "random"
        core = 0
        reserve = "200 MB/s"
        reservation = "hard"
        parameters.bytes = "16 MiB"
    "#
    ))
}

#[test]
fn a_stall_lasts_to_the_end_of_its_period() {
    let run = stalled(0);
    let timeline = timeline(&run);
    // Periods begin with the programs, and so does the measured phase.
    assert_eq!(timeline.stalls.len(), 10, "{:?}", timeline.stalls);
    for (number, stall) in (1..).zip(&timeline.stalls) {
        assert_eq!(stall.end_ps - timeline.from_ps, number * 100 * US, "{stall:?}");
        assert!(stall.end_ps - stall.start_ps > 30 * US, "{stall:?}");
    }
    let stalled: u64 = timeline.stalls.iter().map(|stall| stall.end_ps - stall.start_ps).sum();
    let executed: u64 = timeline.runs.iter().map(|span| span.end_ps - span.start_ps).sum();
    assert_eq!(stalled + executed, timeline.recorded_ps);
}

#[test]
fn a_period_with_a_stall_has_one_interrupt_at_its_beginning() {
    // The core is stalled by the interrupt that finds the budget used up, whatever else was under way then: a period is its timer's
    // interrupt, and the reads. 20,000 cycles of 2.667 GHz are 7.5 us.
    let starts = |interrupt: u32| {
        let run = stalled(interrupt);
        let timeline = timeline(&run);
        let after_the_first = timeline.stalls.iter().zip(0..).skip(1);
        let offsets = after_the_first.map(|(stall, number)| stall.start_ps - timeline.from_ps - number * 100 * US);
        offsets.sum::<u64>() as f64 / (timeline.stalls.len() - 1) as f64
    };
    let interrupts = (starts(20_000) - starts(0)) / 7.5e6;
    assert!((0.9..1.1).contains(&interrupts), "{interrupts} interrupts to the stall");
}

#[test]
fn jobs_meet_the_refreshes_of_their_rank() {
    // Loads that wait for each other, of one bank: each refresh of its rank while the job loads is met by one of them, or none if it
    // is over before the next comes.
    let run = run(&small(
        "policy = { frames = \"palloc\", context_switch = \"0 us\" }\ntimeline = \"10 ms\"\nwarm_up.jobs = 0\nmeasure.jobs = 20",
        "[[task]]\nname = \"chain\"\nprogram = \"latency\"\ncore = 0\nbanks = 0\nperiod = \"500 us\"\nparameters.bytes = \"128 KiB\"",
    ));
    let timeline = timeline(&run);
    let task = &run.tasks[0];
    let jobs = &task.jobs.as_ref().expect("periodic").jobs;
    let mut met = 0;
    for job in jobs {
        let (start, end) = (job.start_ps.expect("begun"), job.end_ps.expect("ended"));
        let own = timeline
            .refreshes
            .iter()
            .filter(|span| (span.channel, span.rank) == (0, 0));
        let during = own.filter(|span| span.start_ps < end && start < span.end_ps);
        let refreshes = during.clone().count() as u64;
        let lasted: u64 = during.map(|span| span.end_ps - span.start_ps).sum();
        assert!(job.met_refresh_reads <= refreshes, "{job:?}: {refreshes}");
        assert!(job.met_refresh_reads + 2 >= refreshes, "{job:?}: {refreshes}");
        // A read waits for the refresh, and before it while its bank is being closed.
        assert!(job.refresh_wait_ps <= lasted + 100_000 * refreshes, "{job:?}: {lasted}");
        met += job.met_refresh_reads;
    }
    assert!(met > 200, "{met}");
    // The same, from the latencies of all reads.
    let waited: u64 = jobs.iter().map(|job| job.refresh_wait_ps).sum();
    let mean = task.reads.anatomy.refresh_ns * task.reads.count as f64;
    assert!((waited as f64 / 1000.0 - mean).abs() < 1.0, "{waited} ps, {mean} ns");
    // Without refreshes nothing is met.
    let idle = crate::timelines::run(&small(
        "warm_up.jobs = 0\nmeasure.jobs = 3",
        "[[task]]\nname = \"idle\"\nprogram = \"idle\"\ncore = 0\nperiod = \"1 ms\"",
    ));
    let jobs = &idle.tasks[0].jobs.as_ref().expect("periodic").jobs;
    assert!(
        jobs.iter()
            .all(|job| (job.met_refresh_reads, job.refresh_wait_ps) == (0, 0))
    );
}

/// Numbers from a fixed start (Knuth's MMIX generator).
struct Draws(u64);

impl Draws {
    fn of<T: Copy>(&mut self, values: &[T]) -> T {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        values[(self.0 >> 33) as usize % values.len()]
    }
}

#[test]
fn spans_of_a_core_do_not_overlap_and_lie_in_the_recorded_part() {
    let mut draws = Draws(18);
    let (mut faults, mut moves, mut stalls, mut phases) = (0, 0, 0, 0);
    for _ in 0..24 {
        let is_periodic = draws.of(&[true, false]);
        phases += u32::from(!is_periodic);
        let mut head = format!(
            "seed = {}\ntimeline = \"{}\"\n",
            draws.of(&[1, 2, 3]),
            draws.of(&["70 us", "300 us", "1 s"])
        );
        head += draws.of(&[
            "policy = { frames = \"bpm\", dynamic = true, interval = \"50 us\"",
            "policy = { frames = \"soft\"",
            "policy = { frames = \"buddy\"",
        ]);
        head += draws.of(&[
            " }\n",
            ", bandwidth = \"memguard\" }\nbandwidth = { period = \"40 us\" }\n",
        ]);
        head += match is_periodic {
            true => "warm_up.jobs = 0\nmeasure.time = \"600 us\"\n",
            false => "warm_up.time = \"20 us\"\nmeasure.time = \"400 us\"\n",
        };
        let mut tasks = String::new();
        for number in 0..draws.of(&[2, 3, 4]) {
            let program = draws.of(&["latency", "random"]);
            let (core, bytes) = (
                number / (1 + u32::from(is_periodic)),
                draws.of(&["64 KiB", "256 KiB", if number == 0 { "72 MiB" } else { "1 MiB" }]),
            );
            let bytes = if is_periodic { "16 KiB" } else { bytes };
            // Setting up so much beforehand takes long.
            let pages = if bytes == "72 MiB" {
                "pages = \"on-touch\"\n"
            } else {
                draws.of(&["pages = \"on-touch\"\n", ""])
            };
            tasks += &format!(
                "[[task]]\nname = \"t{number}\"\nprogram = {program:?}\ncore = {core}\nparameters.bytes = {bytes:?}\n"
            );
            tasks += pages;
            if is_periodic {
                tasks += &format!("period = {:?}\n", draws.of(&["90 us", "150 us", "400 us"]));
            }
        }
        let text = small(&head, &tasks);
        let run = run(&text);
        let timeline = timeline(&run);
        let inside = |start: u64, end: u64| {
            assert!(timeline.from_ps <= start && start < end, "{start} to {end} in {text}");
            assert!(
                end <= timeline.from_ps + timeline.recorded_ps,
                "{start} to {end} in {text}"
            );
        };
        let mut of_cores: Vec<(u32, u64, u64)> = Vec::new();
        for span in &timeline.runs {
            assert!(matches!(span.activity, Activity::Run { .. }));
            of_cores.push((span.core, span.start_ps, span.end_ps));
        }
        of_cores.extend(
            timeline
                .stalls
                .iter()
                .map(|span| (span.core, span.start_ps, span.end_ps)),
        );
        of_cores.sort_unstable();
        for pair in of_cores.windows(2) {
            assert!(pair[0].0 < pair[1].0 || pair[0].2 <= pair[1].1, "{pair:?} in {text}");
        }
        of_cores.iter().for_each(|&(_, start, end)| inside(start, end));
        let nested = timeline
            .faults
            .iter()
            .map(|span| (span.core, span.start_ps, span.end_ps));
        let nested = nested.chain(
            timeline
                .shootdowns
                .iter()
                .map(|span| (span.core, span.start_ps, span.end_ps)),
        );
        for (core, start, end) in nested {
            inside(start, end);
            let holds = |run: &&fresco_system::experiment::RunSpan| {
                run.core == core && run.start_ps <= start && end <= run.end_ps
            };
            assert!(
                timeline.runs.iter().any(|run| holds(&run)),
                "core {core}: {start} to {end} in {text}"
            );
        }
        for span in &timeline.refreshes {
            inside(span.start_ps, span.end_ps);
        }
        let instants = timeline
            .moves
            .iter()
            .map(|one| one.at_ps)
            .chain(timeline.passes.iter().map(|pass| pass.at_ps));
        instants.for_each(|at| inside(at, at + 1));
        faults += timeline.faults.len();
        moves += timeline.moves.len();
        stalls += timeline.stalls.len();
    }
    println!("{phases} runs of phases; {faults} page faults, {moves} moves, {stalls} stalls");
    assert!(phases > 6 && faults > 20 && stalls > 20, "{phases} {faults} {stalls}");
}
