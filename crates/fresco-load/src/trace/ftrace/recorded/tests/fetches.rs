// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fetches of code: known answers, from blocks at known places.

use super::super::section::digest;
use super::*;
use crate::trace::{AnyTrace, FETCHES, Lost};
use crate::{Batch, Event, Marker, Program, Setting};
use proptest::prelude::*;

/// `instructions` of `size` bytes at `address`, of which those in `loads` load.
fn block(address: u64, instructions: u16, size: u8, loads: &[u16]) -> Block {
    let sizes = vec![size; usize::from(instructions)];
    Block {
        address,
        instructions,
        sites: loads.iter().map(|instruction| load(*instruction, 1)).collect(),
        changed: Default::default(),
        code: Code::new(address, &sizes).map(Box::new),
    }
}

fn with_fetches(blocks: &[Block], threads: &[(u16, Vec<Did>)]) -> Vec<u8> {
    let about = About {
        fetches: true,
        ..about()
    };
    written_about(&about, blocks, threads)
}

/// What a thread does, as it is replayed: whether it is a fetch, the line or the address, or the place of an order; and the gap before it.
fn replayed(bytes: &[u8], between: Between) -> Vec<(bool, u64, u32)> {
    let (file, _directory) = opened(bytes).expect("sound");
    let (mut thread, mut events) = (RecordedThread::new(file, 0, between), Vec::new());
    while thread.next(&mut events).expect("sound") {}
    let shown = events.iter().map(|event| match *event {
        Event::Op(op) => (false, op.addr.0, op.gap),
        Event::Fetch { line, gap } => (true, line.0, gap),
        Event::Order { order, gap } => (false, u64::from(order.place), gap),
        Event::Mark { marker, gap } => (false, marker as u64, gap),
    });
    shown.collect()
}

/// Lines that a thread fetches, in three ways, which must agree; and what the trace says.
fn fetched(blocks: &[Block], runs: &[usize]) -> Vec<u64> {
    let did = |number: &usize| Did::Run(*number, vec![0x10_0000; blocks[*number].sites.len()]);
    let bytes = with_fetches(blocks, &[(0, runs.iter().map(did).collect())]);
    let lines: Vec<u64> = (replayed(&bytes, Between::Nothing).into_iter())
        .filter_map(|(is_fetch, at, _)| is_fetch.then_some(at))
        .collect();
    let (mut file, _directory) = opened(&bytes).expect("sound");
    let mut by_file = Vec::new();
    file.each_fetch(0, |line| by_file.push(line)).expect("sound");
    assert_eq!(by_file, lines);
    let counts = file.trailer().counts();
    assert_eq!(counts.fetches, lines.len() as u64);
    // Accesses are what they are without fetches.
    let plain = written(blocks, &[(0, runs.iter().map(did).collect())]);
    assert_eq!(read(&bytes), read(&plain));
    let (file, _directory) = opened(&plain).expect("sound");
    assert_eq!(
        counts,
        Counts {
            fetches: counts.fetches,
            ..file.trailer().counts()
        }
    );
    lines
}

#[test]
fn a_loop_within_a_line_is_fetched_once() {
    assert_eq!(fetched(&[block(0x40_1000, 4, 4, &[1])], &[0; 1000]), [0x40_1000]);
    // And one over two lines twice in each round.
    let lines = fetched(&[block(0x40_1030, 8, 4, &[1])], &[0; 10]);
    assert_eq!(lines, [0x40_1000, 0x40_1040].repeat(10));
}

#[test]
fn straight_code_is_fetched_line_by_line() {
    for (address, instructions, size) in [
        (0x40_1000, 64, 1),
        (0x40_1000, 65, 1),
        (0x40_1000, 512, 15),
        (0x40_1039, 1, 15),
    ] {
        let lines = fetched(&[block(address, instructions, size, &[])], &[0]);
        let bytes = address % 64 + u64::from(instructions) * u64::from(size);
        assert_eq!(
            lines.len() as u64,
            bytes.div_ceil(64),
            "{address:#x} {instructions} {size}"
        );
        assert_eq!(lines[0], address / 64 * 64);
        assert!(lines.windows(2).all(|pair| pair[1] == pair[0] + 64));
    }
}

#[test]
fn a_call_and_the_way_back() {
    // The call and what follows it are of one line, what is called of another.
    let blocks = [
        block(0x40_1000, 2, 4, &[0]),
        block(0x40_2010, 3, 4, &[1]),
        block(0x40_1008, 1, 4, &[]),
    ];
    let lines = fetched(&blocks, &[0, 1, 2, 0, 1, 2]);
    // Back at the begin the line is the one of before.
    assert_eq!(lines, [0x40_1000, 0x40_2000, 0x40_1000, 0x40_2000, 0x40_1000]);
}

#[test]
fn fetches_stand_where_their_instructions_are() {
    // Instructions of 16 bytes, but that at 60 over the border: 0 to 3 in the first line, 3 has the first byte of the second.
    let code = block(0x40_100c, 8, 16, &[0, 3, 6]);
    assert_eq!(code.code.as_ref().expect("known").entered, [3, 7]);
    let bytes = with_fetches(
        &[code],
        &[(0, vec![Did::Run(0, vec![8, 16, 24]), Did::Run(0, vec![32, 40, 48])])],
    );
    let expected = [
        (true, 0x40_1000, 0),
        (false, 8, 0),
        (true, 0x40_1040, 2),
        (false, 16, 0),
        (false, 24, 2),
        (true, 0x40_1080, 0),
        // One instruction of the first run is left.
        (true, 0x40_1000, 1),
        (false, 32, 0),
        (true, 0x40_1040, 2),
        (false, 40, 0),
        (false, 48, 2),
        (true, 0x40_1080, 0),
    ];
    assert_eq!(replayed(&bytes, Between::Nothing), expected);
}

#[test]
fn fetches_and_orders_stand_together() {
    let code = block(0x40_1000, 4, 4, &[0, 2]);
    let order = |at, ticket| Did::Ordered(Special::Order { at, object: 7, ticket });
    let did = vec![
        order(0, 0),
        order(1, 1),
        Did::Run(0, vec![8, 16]),
        order(1, 2),
        Did::Run(0, vec![24, 32]),
    ];
    let bytes = with_fetches(&[code], &[(0, did)]);
    let expected = [
        (false, 0, 0),
        (true, 0x40_1000, 0),
        (false, 8, 0),
        (false, 1, 0),
        (false, 16, 1),
        (false, 24, 1),
        (false, 2, 0),
        (false, 32, 1),
    ];
    assert_eq!(replayed(&bytes, Between::Orders), expected);
    let alone: Vec<_> = (expected.iter().enumerate())
        .filter_map(|(at, event)| (![0, 3, 6].contains(&at)).then_some(*event))
        .collect();
    assert_eq!(replayed(&bytes, Between::Nothing), alone);
}

#[test]
fn each_part_begins_without_a_line() {
    let run = || Did::Run(0, vec![8]);
    let bytes = with_fetches(
        &[block(0x40_1000, 2, 4, &[0])],
        &[(0, vec![run(), run(), Did::Cut, run()])],
    );
    assert_eq!(
        replayed(&bytes, Between::Nothing)
            .iter()
            .filter(|event| event.0)
            .count(),
        2
    );
    assert!(read(&bytes).is_ok());
}

#[test]
fn a_trace_without_fetches_has_the_bytes_that_it_always_had() {
    let did = |number| {
        vec![
            Did::Run(number, vec![0x1000; number + 1]),
            Did::Run(number, vec![0x1040; number + 1]),
        ]
    };
    let bytes = written(&[chase(), spill()], &[(0, did(0)), (3, did(1))]);
    // Known code changes nothing in it.
    let code = Code::new(0x40_1000, &[4, 4]).map(Box::new);
    let known = [Block { code, ..chase() }, spill()];
    let same = written(&known, &[(0, did(0)), (3, did(1))]);
    assert_eq!(digest(&bytes), 0x442d_76f3_a74b_29bd);
    let with = with_fetches(&known, &[(0, did(0)), (3, did(1))]);
    assert_eq!(
        (bytes[8..12].to_vec(), with[8..12].to_vec()),
        (vec![2, 0, 0, 0], vec![2, 0, 1, 0])
    );
    let (file, _directory) = opened(&with).expect("sound");
    assert!(file.about().fetches);
    // Of the block whose code is not known nothing is fetched.
    let counts: Vec<u64> = file
        .trailer()
        .threads
        .iter()
        .map(|totals| totals.counts.fetches)
        .collect();
    assert_eq!(counts, [1, 0]);
    // All but the pages in the trailer.
    let before_trailer = |bytes: &[u8]| {
        let footer = &bytes[bytes.len() - 24..];
        let at = u64::from_le_bytes(footer[..8].try_into().expect("eight"));
        bytes[..at as usize].to_vec()
    };
    assert!(before_trailer(&same) == before_trailer(&bytes));
}

#[test]
fn other_flags_and_counts_that_lie_are_told() {
    let did = || vec![(0, vec![Did::Run(0, vec![8])])];
    let mut bytes = with_fetches(&[block(0x40_1000, 2, 4, &[0])], &did());
    bytes[10] = 2;
    assert!(read(&bytes).expect_err("unknown flags").contains("flags [2, 0]"));
    assert!(opened(&bytes).is_err_and(|error| error.contains("the first bytes")));
    // Without the flag descriptions are too long, or another block begins in them.
    bytes[10] = 0;
    assert!(read(&bytes).is_err());
    for (content, expected) in [
        (&[0x80, 0xc0, 0x80, 0x04, 2, 0, 0, 1, 2][..], None),
        (
            &[0x80, 0xc0, 0x80, 0x04, 2, 0, 0, 65, 2],
            Some("an instruction in another line of 2"),
        ),
        (&[0x80, 0xc0, 0x80, 0x04, 2, 0, 0, 65], Some("too few bytes")),
        (
            &[0x80, 0xc0, 0x80, 0x04, 2, 0, 0, 0x80, 0x80, 8],
            Some("a length of code of 131072"),
        ),
        (&[1, 2, 0, 0, 8], Some("8 bytes of code at 0xffffffffffffffff")),
    ] {
        let found = super::super::file::define(content, true, &mut Vec::new()).err();
        match expected {
            Some(expected) => assert!(
                found.as_ref().is_some_and(|found| found.contains(expected)),
                "{found:?}"
            ),
            None => assert!(found.is_some(), "{content:?} has a byte too many"),
        }
    }
    // A chunk that says another number of fetches.
    let mut writer = RecordedWriter::new(
        Vec::new(),
        &About {
            fetches: true,
            ..about()
        },
    )
    .expect("memory");
    let (code, mut encoder) = (block(0x40_1000, 2, 4, &[0]), Encoder::new(0));
    encoder.run(0, &code, &[8]);
    let mut chunk = encoder.take();
    chunk.counts.fetches = 5;
    writer.blocks([&code]).expect("memory");
    writer.chunk(&chunk).expect("memory");
    let bytes = writer.finish(Ending::Stopped, Vec::new()).expect("memory").0;
    assert!(read(&bytes).expect_err("it lies").contains("than its trailer says"));
    let told = records_of(&bytes, 0).expect_err("it lies");
    assert!(told.contains("1 fetches where it says 5"), "{told}");
}

#[test]
fn what_records_do_not_hold_is_counted_and_what_is_recovered_has_it() {
    let blocks = [block(0x40_1030, 8, 4, &[1])];
    let bytes = with_fetches(&blocks, &[(0, vec![Did::Run(0, vec![8]), Did::Run(0, vec![16])])]);
    let mut trace = AnyTrace::new("t", std::io::Cursor::new(bytes.clone()), None).expect("a trace");
    while trace.next_record().expect("sound").is_some() {}
    assert!(
        trace.lost().contains(&Lost {
            count: 4,
            what: FETCHES
        }),
        "{:?}",
        trace.lost()
    );
    // Without its end.
    let cut = &bytes[..bytes.len() - 30];
    let Ok(recovered) = recover("t", cut, Vec::new()) else {
        panic!("is recovered");
    };
    assert_eq!(recovered.trailer.counts().fetches, 4);
    let pages: Vec<u64> = recovered.trailer.threads[0]
        .ranges
        .iter()
        .map(|range| range.first)
        .collect();
    assert_eq!(pages, [0, 0x401]);
    assert_eq!(
        replayed(&recovered.out, Between::Nothing),
        replayed(&bytes, Between::Nothing)
    );
}

#[test]
fn a_region_that_is_cut_out_counts_its_fetches_and_keeps_its_instructions() {
    let mark = |enters| {
        Did::Ordered(Special::Mark {
            at: 0,
            region: 0,
            enters,
        })
    };
    let did = vec![
        Did::Run(0, vec![8]),
        mark(true),
        Did::Run(0, vec![16]),
        mark(false),
        Did::Run(0, vec![24]),
    ];
    let mut writer = RecordedWriter::new(
        Vec::new(),
        &About {
            fetches: true,
            ..about()
        },
    )
    .expect("memory");
    let (code, mut encoder) = (block(0x40_1030, 8, 4, &[6]), Encoder::new(0));
    writer.blocks([&code]).expect("memory");
    for what in &did {
        match what {
            Did::Run(number, addresses) => encoder.run(*number as u32, &code, addresses),
            Did::Ordered(special) => encoder.special(*special),
            Did::Cut => {}
        }
    }
    writer.chunk(&encoder.take()).expect("memory");
    let visits = vec![Visits {
        thread: 0,
        times: 1,
        instructions: 8,
        accesses: 1,
    }];
    writer.regions(vec![Region {
        name: "r".into(),
        visits,
    }]);
    let bytes = writer.finish(Ending::Status(0), Vec::new()).expect("memory").0;
    let (_file, directory) = opened(&bytes).expect("sound");
    let mut trace = AnyTrace::of_region(&directory.path().join("t.ftrace"), "r").expect("is there");
    let mut gaps = Vec::new();
    while let Some(record) = trace.next_record().expect("sound") {
        gaps.push(record.gap);
    }
    // The begin; the load, the seventh instruction; the eighth, and the end.
    assert_eq!(gaps, [0, 6, 1]);
    assert!(
        trace.lost().contains(&Lost {
            count: 2,
            what: FETCHES
        }),
        "{:?}",
        trace.lost()
    );
}

#[test]
fn the_program_trace_replays_them_pass_by_pass_and_refuses_a_compressed_trace_with_them() {
    let blocks = [block(0x40_1030, 8, 4, &[1])];
    let bytes = with_fetches(
        &blocks,
        &[(0, vec![Did::Run(0, vec![0x1000]), Did::Run(0, vec![0x1010])])],
    );
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join("t.ftrace"), &bytes).expect("writable");
    let setting = Setting {
        trace_dir: directory.path().to_owned(),
        ..Setting::default()
    };
    let mut program = crate::build("trace", "file = \"t.ftrace\"\npasses = 2", &setting).expect("sound");
    let areas: Vec<u64> = program.footprint().iter().map(|area| area.base.0).collect();
    assert_eq!(areas, [0x1000, 0x40_1000]);
    let (mut batch, mut kinds) = (Batch::new(), String::new());
    while program.next(&mut batch).expect("sound") {
        kinds.extend(batch.events().iter().map(|event| match event {
            Event::Op(_) => 'o',
            Event::Fetch { .. } => 'f',
            Event::Mark {
                marker: Marker::Pass, ..
            } => 'p',
            Event::Mark { .. } | Event::Order { .. } => 'm',
        }));
        batch.clear();
    }
    // The first run: line, access, line; the same again.
    assert_eq!(kinds, "mfoffofpfoffofpm");
    let packed = zstd::encode_all(&bytes[..], 1).expect("memory");
    std::fs::write(directory.path().join("t.ftrace.zst"), packed).expect("writable");
    let error = crate::build("trace", "file = \"t.ftrace.zst\"", &setting)
        .err()
        .expect("is compressed");
    assert!(
        error
            .to_string()
            .contains("instruction fetches, which would be left out"),
        "{error}"
    );
}

proptest! {
    #![proptest_config(crate::testing::cases(64))]

    /// Beside the lines of each byte of each instruction.
    #[test]
    fn lines_are_those_of_the_bytes(
        blocks in proptest::collection::vec((0..1u64 << 12, proptest::collection::vec(1..=15u8, 1..40)), 1..5),
        runs in proptest::collection::vec(any::<usize>(), 1..40),
    ) {
        let made: Vec<Block> = blocks.iter().map(|(address, sizes)| Block {
            address: *address,
            instructions: sizes.len() as u16,
            code: Code::new(*address, sizes).map(Box::new),
            ..Block::default()
        }).collect();
        let runs: Vec<usize> = runs.iter().map(|run| run % blocks.len()).collect();
        let mut expected: Vec<u64> = Vec::new();
        for run in &runs {
            let (address, sizes) = &blocks[*run];
            let bytes = sizes.iter().map(|size| u64::from(*size)).sum::<u64>();
            for byte in *address..address + bytes {
                if expected.last() != Some(&(byte / 64 * 64)) {
                    expected.push(byte / 64 * 64);
                }
            }
        }
        prop_assert_eq!(fetched(&made, &runs), expected);
    }
}
