// SPDX-License-Identifier: MIT OR Apache-2.0
//! A program that is simulated while it runs, beside the replay of its recording with pages that come when they are touched.

use fresco_load::trace::ftrace::recorded::{
    About, Block, Chunk, Code, Encoder, Ending, Fed, Kind, Live, Range, RecordedWriter, Site, Source, ThreadTotals,
};
use fresco_system::results::{RunResult, ScenarioResult};
use fresco_system::{LiveRun, Scenario, run_all};
use std::collections::BTreeSet;
use std::path::Path;

/// A load, and a store to where what was loaded says; code in two lines.
fn block() -> Block {
    let site = |instruction, write: bool| Site {
        instruction,
        size: 8,
        write,
        address: Source {
            load: u16::from(write),
            ..Source::default()
        },
        data: Source::default(),
        beside: 0,
        distance: 0,
    };
    Block {
        address: 0x40_1030,
        instructions: 7,
        sites: vec![site(2, false), site(5, true)],
        changed: Default::default(),
        code: Code::new(0x40_1030, &[4; 7]).map(Box::new),
    }
}

/// Parts of a thread that jumps between places far apart, downwards as well as upwards, and the pages that it touches.
fn parts() -> (Vec<Chunk>, BTreeSet<u64>) {
    let (mut encoder, block, mut pages) = (Encoder::new(0), block(), BTreeSet::new());
    let mut state = 1u64;
    let mut parts = Vec::new();
    for part in 0..3u64 {
        for _ in 0..3000 {
            let mut address = || {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                let (area, line) = (state >> 40 & 3, state >> 50);
                ((0x7f - area - 16 * part) << 32) + line * 72 / 8 * 8
            };
            let addresses = [address(), address()];
            pages.extend(
                addresses
                    .iter()
                    .flat_map(|address| [address >> 12, (address + 7) >> 12]),
            );
            encoder.run(0, &block, &addresses);
        }
        parts.push(encoder.take());
    }
    (parts, pages)
}

fn written(path: &Path, parts: &[Chunk], pages: &BTreeSet<u64>, fetches: bool) {
    let about = About {
        program: "jumps".to_owned(),
        tool: "test".to_owned(),
        architecture: "x86-64".to_owned(),
        fetches,
    };
    let mut writer = RecordedWriter::new(std::fs::File::create(path).expect("writable"), &about).expect("writable");
    writer.blocks([&block()]).expect("writable");
    parts.iter().for_each(|part| writer.chunk(part).expect("writable"));
    // Below all others.
    let code = if fetches { &[0x401][..] } else { &[] };
    let range = |page: &u64| Range {
        first: *page,
        pages: 1,
        kind: Kind::Heap,
    };
    let totals = ThreadTotals {
        ranges: code.iter().chain(pages).map(range).collect(),
        ..ThreadTotals::default()
    };
    writer.finish(Ending::Status(0), vec![totals]).expect("writable");
}

/// A scenario in which `program` is measured beside another one.
fn scenario(program: &str, policy: &str, phases: &str) -> Scenario {
    let text = format!(
        r#"
        name = "live"
        machine = "xeon-w3530"
        check = true
        policy.frames = "{policy}"
        {phases}
        [[task]]
        name = "jumps"
        core = 0
        pages = "on-touch"
        {program}
        [[task]]
        name = "noise"
        program = "random"
        core = 1
        role = "background"
        parameters.bytes = "4 MiB"
        "#
    );
    Scenario::parse("live.toml", &text, Path::new(""), &[]).expect("sound")
}

/// The only run, and the name of its measured program, which is taken out.
fn run_of(result: ScenarioResult) -> (RunResult, String) {
    let mut run = result.points[0].runs[0].clone();
    let program = std::mem::take(&mut run.tasks[0].program);
    (run, program)
}

fn told(scenario: &Scenario, parts: &[Chunk], fetches: bool) -> Result<RunResult, fresco_input::InputError> {
    let run = LiveRun::new(scenario)?;
    let (feeder, live) = Live::new(run.thread(), || false);
    let result = std::thread::scope(|scope| {
        let run = scope.spawn(move || run.run(Box::new(live)));
        let code = block().code.filter(|_| fetches);
        assert!(feeder.feed(Fed::Blocks(vec![Block { code, ..block() }])));
        parts.iter().for_each(|part| _ = feeder.feed(Fed::Chunk(part.clone())));
        drop(feeder);
        run.join().expect("does not panic")
    });
    let (run, program) = run_of(result?);
    assert_eq!(program, "live");
    Ok(run)
}

#[test]
fn it_is_the_replay_of_its_recording() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("jumps.ftrace");
    let (parts, pages) = parts();
    let whole = "warm_up.passes = 0\nmeasure.passes = 1";
    let some = "warm_up.operations = 1000\nmeasure.operations = 15000";
    let cases = [
        ("buddy", whole, false),
        ("palloc", whole, true),
        ("bpm", some, false),
        ("buddy", some, true),
    ];
    for (policy, phases, fetches) in cases {
        written(&path, &parts, &pages, fetches);
        let live = told(&scenario("program = \"live\"", policy, phases), &parts, fetches).expect("is simulated");
        assert_eq!(live.tasks[0].fetches > 10_000, fetches, "{live:#?}");
        let file = format!("program = \"trace\"\nparameters.file = {path:?}");
        let replayed = run_all(&scenario(&file, policy, phases), 1, &|_| {}).expect("is replayed");
        let (replayed, program) = run_of(replayed);
        assert_eq!(program, "trace");
        assert_eq!(format!("{live:#?}"), format!("{replayed:#?}"), "{policy}, {phases}");
        let memory: u64 = live.tasks[0].pages.by_bank.iter().map(|(_, pages)| pages).sum();
        assert!(memory > 1000 && live.tasks[0].reads.count > 1000, "{live:#?}");
    }
}

#[test]
fn a_phase_ends_with_the_program_and_a_warm_up_may_not() {
    let (parts, _) = parts();
    let of = |phases| told(&scenario("program = \"live\"", "buddy", phases), &parts, false);
    let rest = of("warm_up.operations = 8000\nmeasure.operations = 1000000").expect("is simulated");
    assert_eq!(rest.tasks[0].operations, 10_000, "of 18,000 those after the warm-up");
    let error = of("warm_up.operations = 20000\nmeasure.operations = 1").expect_err("is too short");
    assert!(error.to_string().contains("was over before its warm-up was"), "{error}");
    let alone = run_all(
        &scenario("program = \"live\"", "buddy", "measure.passes = 1"),
        1,
        &|_| {},
    );
    assert!(
        alone
            .expect_err("nobody runs it")
            .to_string()
            .contains("fresco record --live")
    );
}
