// SPDX-License-Identifier: MIT OR Apache-2.0
//! Recorded slots against a table's, by hand.

use fresco_exchange::execution::{Judgement, Judgements, Order, Record, Slot, SlotTable, judge, parse_records};

/// a from 0 to 200 us, b to 300 us, a from 500 us for 100 us, of 1 ms on processor 1.
fn table() -> SlotTable {
    let slot = |start_ns, length_ns, task: &str, ends| Slot {
        core: 1,
        start_ns,
        length_ns,
        task: task.to_owned(),
        ends,
        shut: Vec::new(),
    };
    SlotTable {
        frame_ns: 1_000_000,
        members: Vec::new(),
        order: Order::Rank,
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
        frame: begin_ns / 1_000_000,
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
    judge(&table(), &records, 100_000, 0).tasks.swap_remove(task)
}

#[test]
fn slots_as_planned() {
    let all = judge(&table(), &good(), 100_000, 0);
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
    // By the plan the job goes on after the first slot, and ends with the second one: whatever the flag says.
    for flag in [false, true] {
        let cut = judged(0, |records| (records[0].cut, records[0].overran) = (true, flag));
        assert_eq!((cut.cut, cut.overran, cut.holds), (1, 0, true));
        let overran = judged(1, |records| (records[1].cut, records[1].overran) = (true, flag));
        assert_eq!((overran.cut, overran.overran, overran.holds), (1, 1, false));
    }
    let missed = judged(1, |records| records[4].missed = true);
    assert_eq!((missed.missed, missed.unused, missed.holds), (1, 0, false));
    // It was ready, and did not run.
    let waited = judged(1, |records| records[4].ready = true);
    assert_eq!((waited.missed, waited.unused, waited.holds), (1, 0, false));
    let early = judged(0, |records| records[3].started_ns = Some(7_999_999));
    assert_eq!((early.early, early.ran, early.holds), (1, 4, false));
    // Chosen after the end, and then it goes on in the next slot.
    let behind = judged(0, |records| {
        records[0].ready = false;
        records[0].started_ns = Some(7_300_001);
    });
    assert_eq!((behind.late, behind.late_ends, behind.holds), (0, 1, false));
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
        |record: &mut Record| record.frame = 7,
        // Between it and the one before there is one gap.
        |record: &mut Record| record.skipped = 2,
        |record: &mut Record| record.skipped = 1_000_000,
        |record: &mut Record| record.begin_ns = u64::MAX,
        // Before the one in front of it.
        |record: &mut Record| (record.begin_ns, record.end_ns) = (6_500_000, 6_600_000),
    ] {
        let mut records = good();
        change(&mut records[5]);
        let all = judge(&table(), &records, 100_000, 0);
        assert_eq!((all.not_planned, all.hold()), (1, false), "{:?}", records[5]);
    }
    let nothing = judge(&table(), &[], 100_000, 0);
    assert_eq!((nothing.frames, nothing.hold()), (0, false));
}

/// The table on two processors: c has slots at 300 us and at 700 us on processor 2.
fn two() -> SlotTable {
    let mut table = table();
    table
        .slots
        .extend([(300_000, false), (700_000, true)].map(|(start_ns, ends)| Slot {
            core: 2,
            start_ns,
            length_ns: 100_000,
            task: "c".to_owned(),
            ends,
            shut: Vec::new(),
        }));
    table
}

/// Four frames on both, as planned, of which some records are left out.
fn on_two(is_left: impl Fn(&Record) -> bool, after_ns: u64) -> Judgements {
    let mut records = Vec::new();
    for frame in (7..11).map(|frame| frame * 1_000_000) {
        records.extend([
            record(frame, 200_000, "a", Some(10_000)),
            record(frame + 200_000, 100_000, "b", Some(10_000)),
            record(frame + 300_000, 100_000, "c", Some(10_000)),
            record(frame + 500_000, 100_000, "a", Some(10_000)),
            record(frame + 700_000, 100_000, "c", Some(10_000)),
        ]);
    }
    for record in records.iter_mut().filter(|record| record.task.as_deref() == Some("c")) {
        record.cpu = 2;
    }
    records.retain(is_left);
    judge(&two(), &records, 100_000, after_ns)
}

#[test]
fn the_span_is_that_of_all_processors() {
    let counts = |all: &Judgements| all.tasks.iter().map(|task| (task.slots, task.lost)).collect::<Vec<_>>();
    let all = on_two(|_| true, 0);
    assert_eq!(counts(&all), [(8, 0), (4, 0), (8, 0)]);
    assert!(all.hold());
    // Of the five slots of c without a record that ended before the last record, one may not have been written yet.
    let ends = on_two(|record| record.cpu == 1 || record.begin_ns < 8_000_000, 0);
    assert_eq!(counts(&ends), [(8, 0), (4, 0), (6, 4)]);
    let begins = on_two(|record| record.cpu == 1 || record.begin_ns > 9_000_000, 0);
    assert_eq!(counts(&begins), [(8, 0), (4, 0), (7, 3)]);
    let nothing = on_two(|record| record.cpu == 1, 0);
    assert_eq!(counts(&nothing), [(8, 0), (4, 0), (7, 7)]);
    for judged in [ends, begins, nothing] {
        assert!(!judged.hold());
    }
    // The other way round: a and b, of which the last ones ended before the last one of c.
    let ends = on_two(|record| record.cpu == 2 || record.begin_ns < 9_000_000, 0);
    assert_eq!(counts(&ends), [(7, 3), (4, 2), (8, 0)]);
    // One at either end.
    assert!(
        on_two(
            |record| record.begin_ns != 7_300_000 && record.begin_ns != 10_700_000,
            0
        )
        .hold()
    );
    assert!(on_two(|record| record.begin_ns != 10_500_000, 0).hold());
    assert!(!on_two(|record| !matches!(record.begin_ns, 10_200_000 | 10_500_000), 0).hold());
    // What was lost within the first 2 ms is of no account.
    let late = on_two(|record| record.cpu == 1 || record.begin_ns > 9_000_000, 2_000_000);
    assert_eq!(counts(&late), [(4, 0), (2, 0), (4, 0)]);
    assert_eq!((late.records, late.frames, late.hold()), (10, 2, true));
}

const LINE: &str = "{\"frame\":7,\"cpu\":1,\"task\":\"a\",\"begin_ns\":7000000,\"end_ns\":7200000,\"timer_ns\":7000005,\"started_ns\":7010000,\
    \"stopped_ns\":7200000,\"ran_ns\":190000,\"ready\":true,\"cut\":false,\"overran\":false,\"missed\":false,\"skipped\":0}\n";

#[test]
fn lines_of_records() {
    let read = parse_records("r", LINE).expect("a record");
    assert_eq!(read.records, [record(7_000_000, 200_000, "a", Some(10_000))]);
    assert_eq!(read.left_out, None);
    let whole = parse_records("r", LINE.trim_end()).expect("a record");
    assert_eq!((whole.records.len(), whole.left_out), (1, None));
    // Lines that were not written to their ends, wherever that was.
    for length in 1..LINE.len() - 1 {
        let killed = parse_records("r", &format!("{LINE}{}", &LINE[..length])).expect("a record");
        let told = killed.left_out.expect("something left out");
        assert_eq!(killed.records.len(), 1);
        assert_eq!(told, "r:2: the last line is incomplete, and left out");
    }
    let blank = parse_records("r", &format!("{LINE}\n \n")).expect("a record");
    assert_eq!(blank.records.len(), 1);
    assert_eq!(
        blank.left_out.as_deref(),
        Some("r: blank lines at the end are left out")
    );
    for (text, wanted) in [
        (
            format!("{LINE}{{}}\n{LINE}"),
            "r:2: found no record of a slot: missing field `frame`",
        ),
        (format!("{LINE}\n{LINE}"), "r:2: found a blank line between records"),
        (
            LINE.replace("\"cpu\":1", "\"cpu\":-1"),
            "r:1: found no record of a slot: invalid value",
        ),
        (
            format!("{LINE}nothing"),
            "r:2: found no record of a slot: expected ident, at character 2",
        ),
        (
            "{\"frame\"".to_owned(),
            "r:1: found no record of a slot: EOF while parsing an object",
        ),
        (String::new(), "r: found no record in it"),
        ("\n\n".to_owned(), "r: found no record in it"),
    ] {
        let told = parse_records("r", &text).expect_err(&text).to_string();
        assert!(told.contains(wanted) && !told.contains("column"), "{told}");
    }
}

#[test]
fn lines_that_contradict_themselves() {
    let of = |changes: &[(&str, &str)]| {
        let line = changes.iter().fold(LINE.to_owned(), |line, (from, to)| {
            assert!(line.contains(from), "{from}");
            line.replace(from, to)
        });
        parse_records("r", &format!("{LINE}{line}"))
            .map(|_| ())
            .map_err(|error| error.to_string())
    };
    let (start, stop) = ("\"started_ns\":7010000", "\"stopped_ns\":7200000");
    let (ran, cut) = ("\"ran_ns\":190000", "\"cut\":false");
    let (no_start, no_stop) = ("\"started_ns\":null", "\"stopped_ns\":null");
    for (changes, wanted) in [
        (&[(start, no_start)][..], "found stopped_ns of a task that has not run"),
        (
            &[(start, no_start), (stop, no_stop)],
            "found ran_ns above 0 of a task that has not run",
        ),
        (
            &[
                (start, no_start),
                (stop, no_stop),
                (ran, "\"ran_ns\":0"),
                (cut, "\"cut\":true"),
            ],
            "found cut of a task that has not run",
        ),
        (
            &[(stop, no_stop)],
            "found no stopped_ns of a task that ran from started_ns 7010000 on",
        ),
        (
            &[(stop, "\"stopped_ns\":7009999")],
            "found stopped_ns 7009999 before started_ns 7010000",
        ),
        (
            &[(ran, "\"ran_ns\":200001")],
            "found ran_ns 200001, though from begin_ns to stopped_ns there are 200000 ns",
        ),
        (
            &[("\"missed\":false", "\"missed\":true")],
            "found missed of a task that ran",
        ),
        (
            &[("\"overran\":false", "\"overran\":true")],
            "found overran without cut",
        ),
        (
            &[(cut, "\"cut\":true"), (stop, "\"stopped_ns\":7199999")],
            "found cut of a task that stopped at 7199999",
        ),
        (
            &[("\"end_ns\":7200000", "\"end_ns\":7000000")],
            "found end_ns 7000000, which is not after begin_ns",
        ),
        (
            &[("\"task\":\"a\"", "\"task\":null")],
            "found a task that ran or waited where",
        ),
    ] {
        let told = of(changes).expect_err(wanted);
        assert!(
            told.contains(&format!("r:2: {wanted}")) && told.contains("allowed: "),
            "{told}"
        );
    }
    for changes in [
        // It went on from the slot before, and is counted from the begin on; the processor turned to this one somewhat later.
        &[(ran, "\"ran_ns\":200000")][..],
        // The task was stopped after the end.
        &[(cut, "\"cut\":true"), (stop, "\"stopped_ns\":7204000")],
        // It began after the end, and goes on in the next slot.
        &[
            (start, "\"started_ns\":7203000"),
            (ran, "\"ran_ns\":0"),
            (cut, "\"cut\":true"),
        ],
        // It waited when the slot began, and does no longer.
        &[(start, no_start), (stop, no_stop), (ran, "\"ran_ns\":0")],
    ] {
        assert_eq!(of(changes), Ok(()));
    }
}
