// SPDX-License-Identifier: MIT OR Apache-2.0

use super::*;
use crate::trace::ftrace::{Record, TraceReader, What, frame_of};
use std::io::Cursor;

mod fetches;
mod random;

/// What a thread does.
#[derive(Clone, Debug)]
enum Did {
    Run(usize, Vec<u64>),
    Ordered(Special),
    Cut,
}

fn about() -> About {
    About {
        program: "a program".into(),
        tool: "test".into(),
        architecture: "x86-64".into(),
        fetches: false,
    }
}

fn load(instruction: u16, entry: u64) -> Site {
    Site {
        instruction,
        size: 8,
        write: false,
        address: Source { load: 0, entry },
        data: Source::default(),
        beside: 0,
        distance: 0,
    }
}

/// `mov rbx, [rbx]` (register 3) and a jump: a list is followed.
fn chase() -> Block {
    Block {
        address: 0x40_1000,
        instructions: 2,
        sites: vec![load(0, 1 << 3)],
        changed: vec![(3, Source { load: 1, entry: 0 })].into(),
        code: None,
    }
}

/// `mov rax, [rsp]; add rax, 1; mov [rsp + 8], rax`.
fn spill() -> Block {
    let store = Site {
        write: true,
        data: Source { load: 1, entry: 0 },
        beside: 1,
        distance: 8,
        ..load(2, 1 << 4)
    };
    Block {
        address: 0x40_1010,
        instructions: 3,
        sites: vec![load(0, 1 << 4), store],
        changed: vec![(0, Source { load: 1, entry: 0 })].into(),
        code: None,
    }
}

/// A file of these, thread by thread.
fn written(blocks: &[Block], threads: &[(u16, Vec<Did>)]) -> Vec<u8> {
    written_about(&about(), blocks, threads)
}

/// The same with another header.
fn written_about(about: &About, blocks: &[Block], threads: &[(u16, Vec<Did>)]) -> Vec<u8> {
    let mut writer = RecordedWriter::new(Vec::new(), about).expect("memory");
    let half = blocks.len() / 2;
    // Definitions in two sections: a chunk comes after those that it needs.
    writer.blocks(&blocks[..half]).expect("memory");
    writer.blocks(&blocks[half..]).expect("memory");
    let mut totals = Vec::new();
    for (thread, did) in threads {
        let mut encoder = Encoder::new(*thread);
        let mut pages = Vec::new();
        for what in did {
            match what {
                Did::Run(number, addresses) => encoder.run(*number as u32, &blocks[*number], addresses),
                Did::Ordered(special) => encoder.special(*special),
                Did::Cut => writer.chunk(&encoder.take()).expect("memory"),
            }
        }
        pages.extend(encoder.fresh_pages());
        pages.sort_unstable();
        writer.chunk(&encoder.take()).expect("memory");
        totals.push(ThreadTotals {
            thread: *thread,
            ranges: pages
                .iter()
                .map(|first| Range {
                    first: *first,
                    pages: 1,
                    kind: Kind::Heap,
                })
                .collect(),
            ..ThreadTotals::default()
        });
    }
    writer.finish(Ending::Status(3), totals).expect("memory").0
}

fn read(bytes: &[u8]) -> Result<Vec<Record>, String> {
    let reader = TraceReader::new("t.ftrace", Cursor::new(bytes.to_vec())).map_err(|error| error.to_string())?;
    reader.collect::<Result<_, _>>().map_err(|error| error.to_string())
}

/// The file, and the directory that it lies in.
fn opened(bytes: &[u8]) -> Result<(RecordedFile, tempfile::TempDir), String> {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("t.ftrace");
    std::fs::write(&path, bytes).expect("writable");
    let file = RecordedFile::open(&path).map_err(|error| error.to_string())?;
    Ok((file, directory))
}

fn records_of(bytes: &[u8], thread: u16) -> Result<Vec<Record>, String> {
    let (file, _directory) = opened(bytes)?;
    let (mut thread_of, mut events) = (RecordedThread::new(file, thread, Between::Nothing), Vec::new());
    while thread_of.next(&mut events).map_err(|error| error.to_string())? {}
    let record = |event: &crate::Event| match *event {
        crate::Event::Op(op) => Record {
            thread,
            gap: op.gap.into(),
            what: What::Access {
                addr: op.addr.0,
                size: op.size,
                write: op.write,
                dep: op.dep,
            },
        },
        other => unreachable!("{other:?} is not asked for"),
    };
    Ok(events.iter().map(record).collect())
}

fn deps(records: &[Record]) -> Vec<u32> {
    let dep = |record: &Record| match record.what {
        What::Access { dep, .. } => dep,
        What::Mark(_) => unreachable!("no mark"),
    };
    records.iter().map(dep).collect()
}

#[test]
fn bytes_as_documented() {
    let did = vec![
        Did::Run(0, vec![0x1000]),
        Did::Run(0, vec![0x1040]),
        Did::Run(0, vec![0x1080]),
    ];
    let bytes = written(&[chase()], &[(5, did)]);
    assert_eq!(
        bytes[..12],
        [0x89, 0x46, 0x54, 0x52, 0x41, 0x43, 0x45, 0x0a, 2, 0, 0, 0]
    );
    let mut at = 12;
    let mut sections = Vec::new();
    while at < bytes.len() - 24 {
        let word = |from: usize| u32::from_le_bytes(bytes[from..from + 4].try_into().expect("four")) as usize;
        let (stored, content) = (word(at + 1), word(at + 5));
        let decoded = zstd::decode_all(&bytes[at + 9..at + 9 + stored]).expect("a frame");
        assert_eq!(decoded.len(), content);
        sections.push((bytes[at], decoded));
        at += 9 + stored;
    }
    let header = [&[9u8][..], b"a program", &[4], b"test", &[6], b"x86-64"].concat();
    // Address 0x401000 in zigzag code; 2 instructions; 1 access: instruction +0, 8 bytes and a load, from entry registers 1 << 3, beside
    // nothing; 1 register: 3, from load 1.
    let block = [0x80, 0xc0, 0x80, 0x04, 2, 1, 0, 16, 0, 8, 0, 1, 3, 1];
    // Thread 5, 3 runs, 6 instructions, 3 loads, no store; lists of 1, 2, 5 and 0 bytes. Bits: block unknown, address unknown;
    // block unknown (the value H is new), address not as expected (0x2000); block unknown, address as expected.
    let chunk = [5, 3, 6, 3, 0, 1, 2, 5, 0, 0b10_0000, 4, 1, 0x80, 0x40, 0x80, 0x01];
    assert_eq!(sections[0], (1, header));
    assert_eq!(sections[1], (2, block.to_vec()));
    let lists = &sections[2].1;
    assert_eq!(lists[..5], chunk[..5]);
    assert_eq!(sections.iter().map(|(tag, _)| *tag).collect::<Vec<_>>(), [1, 2, 3, 4]);
    let trailer = &sections[3].1;
    // Ended by itself with status 3; one thread: 5, its counts, no dependences, one range of one page from page 1, heap.
    assert_eq!(trailer[..18], [0, 3, 1, 5, 3, 6, 3, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1]);
    assert_eq!(trailer[18..20], [3, 3]);
    assert_eq!(bytes[bytes.len() - 8..], *b"FTRACEEN");
}

#[test]
fn dependences_through_registers_and_words() {
    let blocks = [chase(), spill()];
    let did = vec![
        Did::Run(0, vec![0x1000]),
        Did::Run(0, vec![0x9000]),
        Did::Run(0, vec![0x5000]),
        // The word that is stored is loaded again: it derives from the load before it.
        Did::Run(1, vec![0x7000, 0x7008]),
        Did::Run(1, vec![0x7008, 0x7010]),
        Did::Cut,
        // After a cut nothing is known of what was before.
        Did::Run(0, vec![0x1000]),
        Did::Run(1, vec![0x7010, 0x7018]),
    ];
    let bytes = written(&blocks, &[(0, did)]);
    let records = read(&bytes).expect("sound");
    assert_eq!(deps(&records), [0, 1, 1, 0, 1, 2, 1, 0, 0, 1]);
    assert_eq!(records_of(&bytes, 0), Ok(records));
}

#[test]
fn one_part_in_eight_is_looked_at_after_the_first_four() {
    let blocks = [chase()];
    let mut encoder = Encoder::new(0);
    encoder.run(0, &blocks[0], &[0x1000]);
    encoder.run(0, &blocks[0], &[0x9000]);
    let chunk = encoder.take();
    let mut counter = dependences::Counter::default();
    let mut look = |chunk: &Chunk| counter.count(chunk, &blocks).expect("sound");
    let looked_at: Vec<u64> = (0..20).map(|_| look(&chunk).loads).collect();
    let wanted = (0..20).map(|number| if number < 4 || number % 8 == 0 { 2 } else { 0 });
    assert_eq!(looked_at, wanted.collect::<Vec<_>>());
    // Another thread begins anew.
    let other = Chunk { thread: 1, ..chunk };
    assert_eq!(look(&other).near, [1, 1]);
}

#[test]
fn an_instruction_of_two_accesses_counts_once_where_there_is_room() {
    // `add [rax], rbx` thrice, then three instructions without memory.
    let store = Site {
        write: true,
        beside: 1,
        ..load(0, 1)
    };
    let sites = (0..3u16).flat_map(|i| {
        [
            Site {
                instruction: i,
                ..load(0, 1)
            },
            Site {
                instruction: i,
                beside: 2 * i + 1,
                ..store
            },
        ]
    });
    let block = Block {
        address: 0x1000,
        instructions: 6,
        sites: sites.collect(),
        changed: Default::default(),
        code: None,
    };
    let did = vec![Did::Run(0, vec![64; 6]), Did::Run(0, vec![64; 6])];
    let records = read(&written(&[block], &[(0, did)])).expect("sound");
    let gaps: u64 = records.iter().map(|record| record.gap).sum();
    // Twelve accesses of six instructions; of the three others of the first run none is left.
    assert_eq!((records.len(), gaps), (12, 0));
}

#[test]
fn what_is_cut_off_flipped_or_exchanged_is_told() {
    let blocks = [chase(), spill()];
    let runs = |seed: u64| {
        let run = move |i: u64| match i % 3 {
            0 => Did::Run(1, vec![i * 64, i * 64 + 8]),
            _ => Did::Run(0, vec![(i * i * seed) % 100_000 * 8]),
        };
        (0..100).map(run).chain([Did::Cut]).collect::<Vec<_>>()
    };
    let whole = written(&blocks, &[(0, runs(7)), (1, runs(11))]);
    assert_eq!(read(&whole).expect("sound").len(), 2 * (34 * 2 + 66));
    for length in (0..whole.len()).step_by(5).chain(whole.len() - 30..whole.len()) {
        for error in [
            read(&whole[..length]).expect_err("is truncated"),
            opened(&whole[..length]).map(|_| ()).expect_err("is truncated"),
        ] {
            assert!(
                error.contains("help: ") && error.contains("t.ftrace: "),
                "{length}: {error}"
            );
        }
    }
    let sound = (records_of(&whole, 0), records_of(&whole, 1));
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        assert!(read(&bytes).is_err(), "byte {at}");
        let found = (records_of(&bytes, 0), records_of(&bytes, 1));
        assert!(
            (found.0.is_err() || found.0 == sound.0) && (found.1.is_err() || found.1 == sound.1),
            "byte {at}"
        );
    }
    // The trailer of another trace of the same length.
    let other = written(&blocks, &[(0, runs(7)), (1, runs(7))]);
    let spliced = [&whole[..whole.len() / 2], &other[other.len() / 2..]].concat();
    assert!(read(&spliced).is_err());
    assert!(read(&[&whole[..], b"x"].concat()).is_err());
    let mut later = whole.clone();
    later[8] = 3;
    let error = read(&later).expect_err("a later version");
    assert!(
        error.contains("has version 3") && error.contains("or a later one"),
        "{error}"
    );
    assert!(opened(&frame_of(&[0, 0, 0, 0, 0, 3, 0])).is_err(), "version 1");
}

#[test]
fn blocks_that_lie_are_told() {
    let cases: [(&[u8], &str); 9] = [
        (&[0, 0, 0, 0], "without instructions"),
        (&[0, 0x81, 0x04, 0, 0], "a number of instructions of 513"),
        (&[0, 1, 1, 1, 16, 0, 0, 0, 0], "an instruction of 1"),
        (&[0, 1, 1, 0, 0, 0, 0, 0, 0], "an access of 0 bytes"),
        (&[0, 1, 1, 0, 16, 1, 0, 0, 0], "a load of 1"),
        (&[0, 1, 1, 0, 16, 0, 0, 1, 0], "an access beside of 1"),
        (&[0, 1, 0, 1, 64, 0, 0], "register 64"),
        (&[0, 1, 2, 0, 17, 0, 0, 0, 0, 0, 0, 16, 1, 0, 0], "a value of store 1"),
        (&[0, 1, 9], "too few bytes"),
    ];
    for (content, expected) in cases {
        let error = super::file::define(content, false, &mut Vec::new()).expect_err(expected);
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn a_chunk_of_a_block_that_is_not_defined_is_told() {
    let did = vec![Did::Run(0, vec![8]), Did::Run(1, vec![8, 16])];
    let mut writer = RecordedWriter::new(Vec::new(), &about()).expect("memory");
    let (blocks, mut encoder) = ([chase(), spill()], Encoder::new(0));
    for what in did {
        let Did::Run(number, addresses) = what else { continue };
        encoder.run(number as u32, &blocks[number], &addresses);
    }
    writer.blocks(&blocks[..1]).expect("memory");
    writer.chunk(&encoder.take()).expect("memory");
    let bytes = writer.finish(Ending::Stopped, Vec::new()).expect("memory").0;
    let error = read(&bytes).expect_err("block 1 is missing");
    assert!(error.contains("block 1, which is not defined"), "{error}");
    assert!(
        records_of(&bytes, 0)
            .expect_err("missing")
            .contains("which is not defined")
    );
}

#[test]
fn several_threads_touch_pages_once() {
    let range = |first, pages, kind| Range { first, pages, kind };
    let totals = |thread, ranges| ThreadTotals {
        thread,
        ranges,
        ..ThreadTotals::default()
    };
    let trailer = Trailer {
        threads: vec![
            totals(0, vec![range(1, 4, Kind::Heap), range(9, 1, Kind::Stack)]),
            totals(1, vec![range(2, 6, Kind::Heap)]),
        ],
        ..Trailer::default()
    };
    let pages = trailer.pages_by_kind();
    assert_eq!((pages[Kind::Heap as usize], pages[Kind::Stack as usize]), (7, 1));
    assert_eq!(Trailer::parse(&trailer.content(false), false), Ok(trailer));
}

#[test]
fn threads_that_are_replayed_together_come_to_orders_where_they_were() {
    let order = |at, ticket| Did::Ordered(Special::Order { at, object: 7, ticket });
    let after = |at, ticket| Did::Ordered(Special::After { at, object: 7, ticket });
    let run = |address| Did::Run(1, vec![address, address + 8]);
    let first = vec![
        after(0, 3),
        run(0x1000),
        order(1, 4),
        run(0x1000),
        run(0x1000),
        order(0, 6),
    ];
    // What it waits for was not recorded, the next is there; nothing new; then something new.
    let second = vec![
        after(0, 4),
        after(0, 6),
        run(0x2000),
        after(0, 5),
        after(2, 7),
        run(0x2000),
    ];
    let bytes = written(&[chase(), spill()], &[(0, first), (1, second)]);
    let events = |thread: u16| {
        let (file, _directory) = opened(&bytes).expect("sound");
        let orders = &file.trailer().orders;
        assert_eq!((orders.count(), orders.missing()), (2, 5));
        let (mut thread, mut events) = (RecordedThread::new(file, thread, Between::Orders), Vec::new());
        while thread.next(&mut events).expect("sound") {}
        // Places of orders and gaps of all.
        let shown = events.iter().map(|event| match event {
            crate::Event::Op(op) => (None, op.gap),
            crate::Event::Order { order, gap } => (Some((order.place, order.is_own)), *gap),
            other => unreachable!("{other:?} was not written"),
        });
        shown.collect::<Vec<_>>()
    };
    // Three instructions, of which the first and the last access memory.
    let own = |place| (Some((place, true)), 0);
    assert_eq!(
        events(0),
        [
            (None, 0),
            (None, 1),
            (None, 0),
            own(0),
            (None, 1),
            (None, 0),
            (None, 1),
            own(1)
        ]
    );
    assert_eq!(
        events(1),
        [
            (Some((1, false)), 0),
            (None, 0),
            (None, 1),
            (None, 0),
            (None, 1),
            (Some((2, false)), 0)
        ]
    );
}

#[test]
fn a_region_is_taken_out_visit_by_visit() {
    let mark = |at, region, enters| Did::Ordered(Special::Mark { at, region, enters });
    let run = |address| Did::Run(1, vec![address, address + 8]);
    let did = vec![
        run(0x1000),
        mark(1, 1, true),
        run(0x2000),
        mark(0, 0, true),
        run(0x3000),
        mark(1, 1, false),
        run(0x4000),
        mark(2, 1, true),
        run(0x5000),
        run(0x6000),
    ];
    let mut writer = RecordedWriter::new(Vec::new(), &about()).expect("memory");
    writer.blocks(&[chase(), spill()]).expect("memory");
    let mut encoder = Encoder::new(2);
    for what in &did {
        match what {
            Did::Run(number, addresses) => encoder.run(*number as u32, &spill(), addresses),
            Did::Ordered(special) => encoder.special(*special),
            Did::Cut => {}
        }
    }
    writer.chunk(&encoder.take()).expect("memory");
    let region = |name: &str| Region {
        name: name.to_owned(),
        visits: vec![Visits {
            thread: 2,
            times: 2,
            instructions: 9,
            accesses: 6,
        }],
    };
    writer.regions(vec![region("other"), region("wanted")]);
    let bytes = writer.finish(Ending::Status(0), Vec::new()).expect("memory").0;
    let (file, directory) = opened(&bytes).expect("sound");
    assert_eq!(file.trailer().regions[1], region("wanted"));
    let path = directory.path().join("t.ftrace");
    let mut records = RegionRecords::open(&path, "wanted").expect("is there");
    let mut found = Vec::new();
    while let Some(record) = crate::trace::records::Records::next_record(&mut records).expect("sound") {
        assert_eq!(record.thread, 2);
        found.push(match record.what {
            What::Access { addr, dep, .. } => (addr, record.gap, dep),
            What::Mark(marker) => (marker as u64, record.gap, 0),
        });
    }
    let (begin, pass) = (crate::Marker::Begin as u64, crate::Marker::Pass as u64);
    // The store of the first visit needs the load before it, which is outside; a visit that has no end ends with the trace.
    let first = [
        (begin, 0, 0),
        (0x2008, 1, 0),
        (0x3000, 0, 0),
        (0x3008, 1, 1),
        (0x4000, 0, 0),
        (pass, 0, 0),
    ];
    let second = [(0x6000, 0, 0), (0x6008, 1, 1), (pass, 0, 0)];
    assert_eq!(found, [&first[..], &second].concat());
    assert_eq!(crate::trace::records::Records::lost(&records)[0].count, 1);
    assert!(
        RegionRecords::open(&path, "wantd")
            .err()
            .expect("no such")
            .to_string()
            .contains("did you mean wanted?")
    );
}

#[test]
fn what_the_first_pass_leaves_out_is_in_the_second() {
    let (next, spilled) = (
        |address| Did::Run(0, vec![address]),
        |address| Did::Run(1, vec![address, address + 8]),
    );
    let did = vec![
        next(0x1000),
        spilled(0x2000),
        next(0x1040),
        Did::Cut,
        next(0x1080),
        spilled(0x3000),
        next(0x10c0),
        next(0x1100),
    ];
    let bytes = written(&[chase(), spill()], &[(3, did)]);
    let (_file, directory) = opened(&bytes).expect("sound");
    let setting = crate::Setting {
        trace_dir: directory.path().into(),
        ..crate::Setting::default()
    };
    let replayed = |skip: u64| {
        let parameters = format!("file = 't.ftrace'\nthread = 3\npasses = 2\nskip = {skip}");
        crate::build("trace", &parameters, &setting).map(crate::testing::run)
    };
    let all = replayed(0).expect("sound").ops();
    let whole = &all[..9];
    assert_eq!(whole, &all[9..]);
    for skip in 0..9 {
        let run = replayed(skip as u64).expect("sound");
        assert_eq!(run.marks(), (1, 2, 1), "{skip}");
        let ops = run.ops();
        let (first, second) = ops.split_at(9 - skip);
        assert_eq!(second, whole, "{skip}");
        for (place, (op, of_all)) in std::iter::zip(first, &whole[skip..]).enumerate() {
            let dep = if of_all.dep as usize > place { 0 } else { of_all.dep };
            // Of the instructions before the first one those of chunks that are not read are missing.
            let gap = if place == 0 { op.gap } else { of_all.gap };
            assert!(op.gap <= of_all.gap, "{skip}, {place}");
            assert_eq!(*op, crate::Op { dep, gap, ..*of_all }, "{skip}, {place}");
        }
    }
    assert!(whole[1..].iter().any(|op| op.dep > 1), "{whole:?}");
    let error = replayed(9).err().expect("nothing is left").to_string();
    assert!(
        error.contains("skip: found 9, and ") && error.contains("has 9 loads and stores"),
        "{error}"
    );
    assert!(error.contains("allowed: 0 to 8"), "{error}");
}
