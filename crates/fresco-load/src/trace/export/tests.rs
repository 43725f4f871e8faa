// SPDX-License-Identifier: MIT OR Apache-2.0

use super::*;
use crate::Marker;
use crate::trace::AnyTrace;
use proptest::prelude::*;
use std::io::Cursor;

fn access(gap: u64, addr: u64, size: u8, write: bool, dep: u32) -> Record {
    let what = What::Access { addr, size, write, dep };
    Record { thread: 0, gap, what }
}

fn written_as(records: &[Record], export: &Export, unit: Unit) -> (Vec<u8>, Vec<(u64, &'static str)>) {
    let header = Header {
        unit,
        ..Header::default()
    };
    let mut exporter = Exporter::new(Vec::new(), export, &header).expect("memory");
    for record in records {
        exporter.push(record).expect("memory");
    }
    let done = exporter.finish().expect("memory");
    (done.out, done.lost.iter().map(|lost| (lost.count, lost.what)).collect())
}

fn written(records: &[Record], format: Format, unit: Unit) -> (Vec<u8>, Vec<(u64, &'static str)>) {
    let export = Export {
        format,
        thread: None,
        instructions_per_cycle: 1,
    };
    written_as(records, &export, unit)
}

fn text(records: &[Record], format: Format, unit: Unit) -> (String, Vec<(u64, &'static str)>) {
    let (bytes, lost) = written(records, format, unit);
    (String::from_utf8(bytes).expect("text"), lost)
}

fn read(bytes: &[u8], format: Format) -> Vec<Record> {
    let trace = AnyTrace::new("t", Cursor::new(bytes.to_vec()), Some(format)).expect("is a trace");
    trace.collect::<Result<_, _>>().expect("is sound")
}

#[test]
fn text_formats_and_what_they_cannot_hold() {
    let records = [
        access(3, 0x100, 64, false, 0),
        access(0, 0x240, 64, true, 1),
        access(2, 0x308, 8, true, 0),
        Record {
            thread: 0,
            gap: 1,
            what: What::Mark(Marker::Pass),
        },
        access(4, 0x400, 64, false, 3),
        access(0, 1 << 63, 64, false, 0),
    ];
    let program = |format| text(&records, format, Unit::Instructions);
    assert_eq!(
        program(Format::RamulatorCpu),
        (
            "3 256 576\n2 776 776\n5 1024\n".to_owned(),
            vec![
                (2, "dependences"),
                (1, "sizes of accesses"),
                (
                    1,
                    "stores without a load just before them (a load of the same address is added)"
                ),
                (1, "marks"),
                (1, "accesses at addresses from 2^63 on"),
                (1, "instructions after the last access"),
            ]
        )
    );
    assert_eq!(program(Format::LoadStore).0, "LD 0x100\nST 0x240\nST 0x308\nLD 0x400\n");
    assert!(
        program(Format::LoadStore)
            .1
            .contains(&(10, "instructions without access"))
    );
    assert_eq!(
        program(Format::DramSim3).0,
        "0x100 READ 3\n0x240 WRITE 4\n0x308 WRITE 7\n0x400 READ 13\n0x8000000000000000 READ 14\n"
    );
    assert_eq!(
        program(Format::DramSim3).1,
        [(2, "dependences"), (1, "sizes of accesses"), (1, "marks")]
    );
    let slower = Export {
        format: Format::DramSim3,
        thread: None,
        instructions_per_cycle: 4,
    };
    let (bytes, _) = written_as(&records, &slower, Unit::Instructions);
    let cycles = String::from_utf8(bytes).expect("text");
    assert_eq!(
        cycles,
        "0x100 READ 0\n0x240 WRITE 1\n0x308 WRITE 1\n0x400 READ 3\n0x8000000000000000 READ 3\n"
    );
    let (requests, lost) = text(&records[..2], Format::DramSim3, Unit::Cycles);
    assert_eq!(
        (requests.as_str(), lost),
        ("0x100 READ 3\n0x240 WRITE 3\n", vec![(1, "dependences")])
    );
    let (requests, lost) = text(&records[..1], Format::Ramulator, Unit::Cycles);
    assert_eq!((requests.as_str(), lost), ("0x100 R\n", vec![(1, "arrival times")]));
}

#[test]
fn gaps_that_ramulator_does_not_read_are_shortened() {
    let (found, lost) = text(
        &[access(u64::from(u32::MAX), 64, 64, false, 0)],
        Format::RamulatorCpu,
        Unit::Instructions,
    );
    assert_eq!(found, "2147483647 64\n");
    assert_eq!(lost, [(1 << 31, "instructions of gaps beyond 2^31 - 1")]);
}

#[test]
fn formats_without_threads_hold_one() {
    let of = |thread, gap, addr| Record {
        thread,
        ..access(gap, addr, 64, false, 0)
    };
    let records = [of(3, 5, 0x40), of(1, 7, 0x80), of(3, 1, 0xc0)];
    let others = "accesses of other threads (--thread chooses one)";
    let (found, lost) = text(&records, Format::LoadStore, Unit::Instructions);
    assert_eq!(found, "LD 0x40\nLD 0xc0\n");
    assert!(lost.contains(&(1, others)), "{lost:?}");
    let export = |format, thread| Export {
        format,
        thread,
        instructions_per_cycle: 1,
    };
    let (found, lost) = written_as(&records, &export(Format::RamulatorCpu, Some(1)), Unit::Instructions);
    assert_eq!((&found[..], lost), (&b"7 128\n"[..], vec![(2, others)]));
    // Requests of all threads come in one order in time.
    let (found, lost) = text(&records, Format::DramSim3, Unit::Cycles);
    assert_eq!(found, "0x40 READ 5\n0x80 READ 12\n0xc0 READ 13\n");
    assert_eq!(lost, [(3, "numbers of threads")]);
    let (found, _) = written_as(&records, &export(Format::DramSim3, Some(3)), Unit::Cycles);
    assert_eq!(found, b"0x40 READ 5\n0xc0 READ 13\n");
    let (found, lost) = written(&records, Format::Fresco, Unit::Instructions);
    assert_eq!((read(&found, Format::Fresco), lost), (records.to_vec(), Vec::new()));
}

#[test]
fn registers_that_are_needed_stay() {
    // The first load is needed by each of the others, which nothing needs: it is the one that keeps its register.
    let mut records = vec![access(0, 0x1000, 8, false, 0)];
    records.extend((1..500).map(|number| access(0, 0x1000 + 64 * number, 8, false, number as u32)));
    let (bytes, lost) = written(&records, Format::ChampSim, Unit::Instructions);
    assert_eq!((read(&bytes, Format::ChampSim), lost), (records.clone(), Vec::new()));
    // One that is needed only after 64 others has lost it.
    for (record, dep) in records[1..].iter_mut().zip((1..65).map(|_| 0).chain([65])) {
        *record = access(0, 0x40, 8, false, dep);
    }
    let (_, lost) = written(&records[..66], Format::ChampSim, Unit::Instructions);
    assert_eq!(lost, [(1, "dependences on loads whose register holds another by then")]);
}

#[test]
fn an_access_at_address_0_is_told() {
    let (bytes, lost) = written(&[access(1, 0, 8, true, 0)], Format::ChampSim, Unit::Instructions);
    assert_eq!(bytes.len(), 128);
    assert_eq!(lost, [(1, "accesses at address 0, which says that there is none")]);
}

#[test]
fn a_gap_of_milliards_of_instructions_is_shortened() {
    let export = Export {
        format: Format::ChampSim,
        thread: None,
        instructions_per_cycle: 1,
    };
    let mut exporter = Exporter::new(std::io::sink(), &export, &Header::default()).expect("nothing is written");
    exporter
        .push(&access((1 << 24) + 7, 64, 8, true, 0))
        .expect("nothing is written");
    let lost = exporter.finish().expect("nothing is written").lost;
    assert_eq!((lost[0].count, lost[0].what), (7, "instructions of gaps beyond 2^24"));
}

/// Accesses whose dependences lie within the registers: what 30 accesses need and bring has room in them.
fn any_accesses() -> impl Strategy<Value = Vec<Record>> {
    let one = (0..6u64, 1..1u64 << 56, any::<bool>(), 0..30u32);
    proptest::collection::vec(one, 0..300).prop_map(|accesses| {
        let mut records: Vec<Record> = Vec::new();
        for (gap, addr, write, back) in accesses {
            let needed = records.len().checked_sub(back as usize);
            let is_load = |record: &Record| matches!(record.what, What::Access { write: false, .. });
            let dep = match needed.and_then(|needed| records.get(needed)) {
                Some(record) if is_load(record) => back,
                _ => 0,
            };
            records.push(access(gap, addr, crate::trace::champsim::size_at(addr), write, dep));
        }
        records
    })
}

proptest! {
    #![proptest_config(crate::testing::cases(64))]

    #[test]
    fn programs_go_to_champsim_and_back(records in any_accesses()) {
        let (bytes, lost) = written(&records, Format::ChampSim, Unit::Instructions);
        prop_assert_eq!(lost, Vec::new());
        let instructions: u64 = records.iter().map(|record| record.gap + 1).sum();
        prop_assert_eq!(bytes.len() as u64, 64 * instructions);
        if !records.is_empty() {
            prop_assert_eq!(read(&bytes, Format::ChampSim), records);
        }
    }

    #[test]
    fn lines_come_back_as_they_were(records in any_accesses()) {
        let plain = |record: &Record, timed: bool| match record.what {
            What::Access { addr, write, .. } => (if timed { record.gap } else { 0 }, addr, write),
            What::Mark(_) => unreachable!("no mark"),
        };
        for (format, timed, unit) in [
            (Format::LoadStore, false, Unit::Instructions),
            (Format::Ramulator, false, Unit::Cycles),
            (Format::DramSim3, true, Unit::Cycles),
        ] {
            let (bytes, _) = written(&records, format, unit);
            let found: Vec<_> = read(&bytes, format).iter().map(|record| plain(record, true)).collect();
            let expected: Vec<_> = records.iter().map(|record| plain(record, timed)).collect();
            prop_assert_eq!(found, expected);
        }
        // Of processor traces the loads and the gaps between them are what they were.
        let (bytes, lost) = written(&records, Format::RamulatorCpu, Unit::Instructions);
        let added = lost.iter().find(|(_, what)| what.starts_with("stores without")).map_or(0, |(count, _)| *count);
        let found = read(&bytes, Format::RamulatorCpu);
        prop_assert_eq!(found.len() as u64, records.len() as u64 + added);
        let gaps = |records: &[Record]| records.iter().map(|record| record.gap).sum::<u64>();
        prop_assert_eq!(gaps(&found), gaps(&records));
        let stores = |records: &[Record]| -> Vec<u64> {
            records.iter().map(|record| plain(record, false)).filter(|(.., write)| *write).map(|(_, addr, _)| addr).collect()
        };
        prop_assert_eq!(stores(&found), stores(&records));
    }
}
