// SPDX-License-Identifier: MIT OR Apache-2.0
//! Recorded jobs against a table's, by hand.

use fresco_exchange::execution::{
    Job, JobJudgement, Member, Order, Record, Slot, SlotTable, judge_jobs, parse_records,
};

/// a of 2 ms in 10 and b of 5 ms in 20 share what is left of 20 ms beside 1 ms; times are in us.
fn table(order: Order) -> SlotTable {
    let member = |task: &str, rank, period: u64, deadline: u64, phase: u64, wcet: u64| Member {
        task: task.to_owned(),
        slots: "s".to_owned(),
        rank,
        color: 0,
        period_ns: period * 1000,
        deadline_ns: deadline * 1000,
        phase_ns: phase * 1000,
        wcet_ns: wcet * 1000,
    };
    SlotTable {
        frame_ns: 20_000_000,
        slots: vec![Slot {
            core: 0,
            start_ns: 1_000_000,
            length_ns: 19_000_000,
            task: "s".to_owned(),
            ends: false,
            shut: Vec::new(),
        }],
        members: vec![
            member("a", 0, 10_000, 10_000, 0, 2_000),
            member("b", 1, 20_000, 12_000, 3_000, 5_000),
        ],
        order,
    }
}

/// Slots from 1 ms to 60 ms: recording lasts until then.
fn slots() -> Vec<Record> {
    let slot = |frame: u64| Record {
        frame,
        cpu: 0,
        task: Some("s".to_owned()),
        begin_ns: frame * 20_000_000 + 1_000_000,
        end_ns: (frame + 1) * 20_000_000,
        started_ns: None,
        stopped_ns: None,
        ran_ns: 0,
        ready: false,
        cut: false,
        overran: false,
        missed: false,
        skipped: 0,
    };
    vec![slot(0), slot(1), slot(2)]
}

/// A job by its number: when it was ready, started and ended, and how long it ran, in us.
fn job(task: &str, number: u64, times: [u64; 3], ran: u64) -> Job {
    let (phase, period, deadline) = match task {
        "a" => (0, 10_000, 10_000),
        _ => (3_000, 20_000, 12_000),
    };
    let arrived = (phase + number * period) * 1000;
    let [ready_ns, started, ended] = times.map(|time| time * 1000);
    Job {
        job: number,
        cpu: 0,
        task: task.to_owned(),
        thread: if task == "a" { 1 } else { 2 },
        arrived_ns: arrived,
        ready_ns,
        deadline_ns: arrived + deadline * 1000,
        started_ns: Some(started),
        ended_ns: Some(ended),
        ran_ns: ran * 1000,
        exits: false,
        pager: false,
    }
}

/// b of 23 ms is stopped by a's of 30 ms only if that goes first: it is due at 40 ms, b at 35.
fn good() -> Vec<Job> {
    vec![
        job("a", 2, [20_010, 21_010, 22_500], 1_490),
        job("b", 1, [23_010, 23_020, 27_000], 3_980),
        job("a", 3, [30_010, 30_020, 31_500], 1_480),
        job("a", 4, [40_010, 41_010, 42_500], 1_490),
        job("b", 2, [43_010, 43_020, 48_000], 4_980),
        job("a", 5, [50_010, 50_020, 51_500], 1_480),
    ]
}

fn judged(order: Order, jobs: &[Job]) -> (Vec<JobJudgement>, u64) {
    judge_jobs(&table(order), &slots(), jobs, 100_000, 0)
}

/// The judgement of a task after a change.
fn after(task: usize, change: impl FnOnce(&mut Vec<Job>)) -> JobJudgement {
    let mut jobs = good();
    change(&mut jobs);
    judged(Order::Deadline, &jobs).0.swap_remove(task)
}

#[test]
fn jobs_as_planned() {
    let (all, not_planned) = judged(Order::Deadline, &good());
    let [a, b] = &all[..] else { panic!("two tasks") };
    assert_eq!(not_planned, 0);
    assert_eq!(
        (a.jobs, a.missed, a.overran, a.out_of_turn, a.holds),
        (4, 0, 0, 0, true)
    );
    assert_eq!(
        (b.jobs, b.missed, b.overran, b.out_of_turn, b.holds),
        (2, 0, 0, 0, true)
    );
    // 1000, 10, 1000 and 10 us until they ran; 2500, 1500, 2500 and 1500 us from the arrival.
    assert_eq!((a.start.count, a.start.min_ns, a.start.max_ns), (4, 10_000, 1_000_000));
    assert_eq!(
        (a.response.min_ns, a.response.max_ns, a.longest_ns),
        (1_500_000, 2_500_000, 1_490_000)
    );
    assert_eq!((b.response.max_ns, b.longest_ns), (5_000_000, 4_980_000));
}

#[test]
fn jobs_not_as_planned() {
    // Due at 35 ms.
    let late = after(1, |jobs| jobs[1].ended_ns = Some(35_000_001));
    assert_eq!((late.missed, late.holds), (1, false));
    let in_time = after(1, |jobs| jobs[1].ended_ns = Some(35_000_000));
    assert_eq!((in_time.missed, in_time.holds), (0, true));
    // It had not ended when recording did, and was due before.
    let endless = after(1, |jobs| jobs[4].ended_ns = None);
    assert_eq!((endless.jobs, endless.missed, endless.holds), (2, 1, false));
    // One that is due at 60 ms or later need not have ended.
    let under_way = after(0, |jobs| jobs[5].ended_ns = None);
    assert_eq!((under_way.jobs, under_way.missed, under_way.holds), (3, 0, true));
    let long = after(0, |jobs| jobs[0].ran_ns = 2_000_001);
    assert_eq!((long.overran, long.longest_ns, long.holds), (1, 2_000_001, false));
    // Two threads, or a thread twice, for the same arrival: 1490 + 510 us are what a job may take, one more is not.
    for (more, overran) in [(510_000, 0), (510_001, 1)] {
        let twice = after(0, |jobs| {
            jobs.push(Job {
                thread: 3,
                ran_ns: more,
                ..job("a", 2, [27_100, 27_110, 28_000], 0)
            });
        });
        assert_eq!(
            (twice.jobs, twice.overran, twice.response.max_ns),
            (4, overran, 8_000_000)
        );
    }
    // The pager's part is counted if it began before the job was done, at 22.5 ms; it keeps none from its deadline.
    for (started, overran) in [(22_499, 1), (22_500, 0)] {
        let paged = after(0, |jobs| {
            jobs.push(Job {
                thread: 9,
                pager: true,
                ..job("a", 2, [22_400, started, 31_000], 511)
            });
        });
        assert_eq!(
            (paged.jobs, paged.missed, paged.overran, paged.start.count),
            (4, 0, overran, 4)
        );
    }
    // What ends the program comes after its last job, and is none; before that a thread that ends is as any other.
    for (number, times, missed) in [(5, [58_000, 58_100, 60_100], 0), (4, [48_000, 48_100, 50_100], 1)] {
        let ended = after(0, |jobs| {
            jobs.push(Job {
                exits: true,
                ..job("a", number, times, 100)
            });
        });
        assert_eq!((ended.jobs, ended.missed), (4, missed));
    }
    // What arrived within 15 ms is left out, but for a job that never ended, or only with its program, long after it was due.
    for ended_ns in [None, Some(55_000_000), Some(48_000_000)] {
        let mut jobs = good();
        jobs.retain(|job| job.task == "a");
        jobs.push(Job {
            ended_ns,
            exits: ended_ns.is_some(),
            ..job("b", 0, [3_010, 3_020, 3_030], 10)
        });
        let (all, _) = judge_jobs(&table(Order::Deadline), &slots(), &jobs, 100_000, 15_000_000);
        let is_left_out = ended_ns == Some(48_000_000);
        assert_eq!((all[1].jobs, all[1].missed), if is_left_out { (0, 0) } else { (1, 1) });
    }
    let none = after(1, |jobs| jobs.retain(|job| job.task == "a"));
    assert_eq!((none.jobs, none.holds), (0, false));
    for change in [
        |job: &mut Job| job.task = "c".to_owned(),
        |job: &mut Job| job.arrived_ns += 1,
        |job: &mut Job| job.deadline_ns += 1,
        |job: &mut Job| job.job += 1,
    ] {
        let mut jobs = good();
        change(&mut jobs[1]);
        assert_eq!(judged(Order::Deadline, &jobs).1, 1);
    }
    // What arrived within 35 ms after the first slot began, at 1 ms, is left out.
    let (later, _) = judge_jobs(&table(Order::Deadline), &slots(), &good(), 100_000, 35_000_000);
    assert_eq!((later[0].jobs, later[1].jobs), (2, 1));
}

/// b of 23 ms has not ended when a's of 30 ms begins at 30.02 ms. By deadlines b goes first, due at 35 ms and a at 40; by ranks a does.
#[test]
fn who_goes_first_is_judged() {
    let mut jobs = good();
    jobs[1] = job("b", 1, [23_010, 23_020, 32_000], 4_500);
    let by = |order: Order, jobs: &[Job]| {
        let all = judged(order, jobs).0;
        (all[0].out_of_turn, all[1].out_of_turn)
    };
    assert_eq!(by(Order::Deadline, &jobs), (1, 0));
    assert_eq!(by(Order::Rank, &jobs), (0, 0));
    // What has missed its deadline, of 35 ms, gives way: at 34.9 ms not yet.
    for (begun, count) in [(34_900, 1), (35_100, 0)] {
        let mut late = jobs.clone();
        late[1].ended_ns = Some(38_000_000);
        late[2] = job("a", 3, [30_010, begun, 36_500], 1_300);
        assert_eq!(by(Order::Deadline, &late), (count, 0));
    }
    // It became ready within the bound before the other began: that was chosen before.
    jobs[1] = job("b", 1, [29_950, 30_100, 32_000], 1_500);
    assert_eq!(by(Order::Deadline, &jobs), (0, 0));
    jobs[1].ready_ns = 29_910_000;
    assert_eq!(by(Order::Deadline, &jobs), (1, 0));
    // a, ready at 40.01 ms and begun at 44 ms, goes first by its rank, and by its deadline of 50 ms, b's being 55.
    let mut jobs = good();
    jobs[3] = job("a", 4, [40_010, 44_000, 45_000], 900);
    assert_eq!((by(Order::Deadline, &jobs), by(Order::Rank, &jobs)), ((0, 1), (0, 1)));
}

#[test]
fn lines_of_jobs_are_read_among_those_of_slots() {
    let slot = "{\"frame\":1,\"cpu\":0,\"task\":\"s\",\"begin_ns\":21,\"end_ns\":40,\"timer_ns\":null,\"started_ns\":null,\"stopped_ns\":null,\
        \"ran_ns\":0,\"ready\":false,\"cut\":false,\"overran\":false,\"missed\":false,\"skipped\":0}";
    let line = "{\"job\":2,\"cpu\":0,\"task\":\"a\",\"thread\":7,\"arrived_ns\":20,\"ready_ns\":21,\"deadline_ns\":30,\"started_ns\":22,\
        \"ended_ns\":25,\"ran_ns\":3,\"exits\":false,\"pager\":false}";
    let read = |lines: &[&str]| parse_records("r.jsonl", &format!("{}\n", lines.join("\n")));
    let both = read(&[line, slot]).expect("records");
    assert_eq!((both.records.len(), both.jobs.len(), both.left_out), (1, 1, None));
    assert_eq!((both.jobs[0].thread, both.jobs[0].ended_ns), (7, Some(25)));
    let open = line.replace("\"ended_ns\":25", "\"ended_ns\":null");
    assert_eq!(read(&[slot, &open]).expect("records").jobs[0].ended_ns, None);
    for (from, to, told) in [
        (
            "\"ready_ns\":21",
            "\"ready_ns\":19",
            "found a job that arrived at 20, was ready at 19",
        ),
        ("\"ended_ns\":25", "\"ended_ns\":21", "started at 22 and ended at 21"),
        ("\"ran_ns\":3", "\"ran_ns\":4", "found ran_ns 4 of a job that had 3 ns"),
        (
            "\"started_ns\":22",
            "\"started_ns\":null",
            "found ran_ns 3 of a job that had 0 ns",
        ),
        (
            "\"deadline_ns\":30",
            "\"deadline_ns\":19",
            "found deadline_ns 19 before arrived_ns 20",
        ),
        ("\"thread\":7,", "", "found no record of a job: missing field `thread`"),
    ] {
        let error = read(&[slot, &line.replace(from, to)]).expect_err(told).to_string();
        assert!(error.contains("r.jsonl:2: ") && error.contains(told), "{error}");
    }
    // The last line of a program that was killed.
    let cut = parse_records("r.jsonl", &format!("{slot}\n{}", &line[..40])).expect("a record");
    assert_eq!((cut.jobs.len(), cut.left_out.is_some()), (0, true));
}
