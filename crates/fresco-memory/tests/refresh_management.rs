// SPDX-License-Identifier: MIT OR Apache-2.0
//! Refresh management and per-row activation counting of DDR5: who is hammered has an RFM for each RAAIMT activations less what refreshes
//! are worth, others have none; an alert is answered in time; the checker tells what breaks the rules.

use crate::checker_support::{tight, violated};
use crate::support::record::Record;
use crate::support::script::run;
use crate::support::traffic::Traffic;
use crate::support::{devices, variety};
use fresco_dram::{CommandKind, Cycle, Location, Organisation, Prac, Rfm, Timing};
use fresco_machine::{ControllerConfig, PagePolicy, Queues, RefreshPolicy, Scheduler};
use fresco_memory::checker::Constraint::{self, Activations, BackOff, RfcAb, RfmAb, RfmSb, Unsupported};
use fresco_memory::{Access, Command, Request, Stepping};

const STANDARD: &str = "ddr5-4800";

fn rfm(raaimt: u32, same_bank: bool) -> Rfm {
    Rfm {
        raaimt,
        raammt: 3 * raaimt,
        per_refresh: raaimt / 2,
        same_bank,
    }
}

fn prac(threshold: u32, level: u32) -> Prac {
    Prac { threshold, level }
}

fn config(refresh: RefreshPolicy) -> ControllerConfig {
    ControllerConfig {
        scheduler: Scheduler::FrFcfs { hit_cap: 16 },
        page: PagePolicy::Open,
        queues: Queues::Global { reads: 32, writes: 32 },
        drain_high: 16,
        drain_low: 8,
        refresh,
        drain_once: false,
        frontend: 0,
    }
}

/// One rank, one channel.
fn organisation() -> Organisation {
    Organisation {
        ranks: 1,
        ..devices::organisation(STANDARD)
    }
}

fn read(id: u64, (bank_group, bank): (u32, u32), row: u32) -> Request {
    let location = Location {
        bank_group,
        bank,
        row,
        ..Location::default()
    };
    Request {
        id,
        source: 0,
        access: Access::Read,
        line: (u64::from(bank_group) << 40) + (u64::from(bank) << 36) + (u64::from(row) << 16),
        location,
    }
}

/// Reads of one bank `gap` cycles apart, each of the next of so many rows, so that each opens its row.
fn hammer(reads: u64, rows: u64, gap: Cycle) -> impl Iterator<Item = (Cycle, Request)> {
    (0..reads).map(move |i| (gap * i, read(i, (0, 0), (i % rows) as u32)))
}

fn of_kind(commands: &[Command], kind: CommandKind) -> Vec<&Command> {
    commands.iter().filter(|command| command.kind == kind).collect()
}

fn play(timing: &Timing, refresh: RefreshPolicy, requests: impl Iterator<Item = (Cycle, Request)>) -> (Record, Cycle) {
    run(&config(refresh), &organisation(), timing, Stepping::Events, requests)
}

#[test]
fn a_hammered_bank_has_an_rfm_for_each_raaimt_activations() {
    let timing = devices::managed(STANDARD, &[], Some(rfm(32, false)), None);
    let (record, end) = play(&timing, RefreshPolicy::None, hammer(1000, 64, 200));
    let acts = of_kind(&record.commands, CommandKind::Act);
    let rfms = of_kind(&record.commands, CommandKind::RfmAb);
    assert_eq!((acts.len(), rfms.len()), (1000, 1000 / 32));
    // Between two of them exactly 32 activations, and the last of these in front of the RFM: its read, PREA and tRP come between.
    for (number, rfm) in (1..).zip(&rfms) {
        let mut before = acts.iter().filter(|act| act.cycle < rfm.cycle);
        assert_eq!(before.clone().count(), 32 * number);
        let last = before.next_back().expect("32 of them").cycle;
        assert_eq!(rfm.cycle - last, timing.ras.max(timing.rcd + timing.rtp) + timing.rp_ab);
    }
    let report = record.verdict(end);
    assert!(report.is_clean(), "{report}");
}

#[test]
fn refreshes_take_activations_off() {
    // A refresh each 9360 clocks, 46.8 reads; each is worth 16 of them.
    let timing = devices::managed(STANDARD, &[], Some(rfm(32, false)), None);
    let (record, end) = play(&timing, RefreshPolicy::AllBankSimultaneous, hammer(20_000, 2, 200));
    let (acts, refreshes, rfms) = (
        of_kind(&record.commands, CommandKind::Act).len() as u64,
        of_kind(&record.commands, CommandKind::RefAb).len() as u64,
        of_kind(&record.commands, CommandKind::RfmAb).len() as u64,
    );
    // A refresh finds at least 16 on the count but where an RFM came less than 16 activations before it, which falls to 0 then.
    let least = (acts - 16 * refreshes) / 32;
    assert!(
        (least..=least + refreshes / 2).contains(&rfms),
        "{rfms} RFM, {acts} ACT, {refreshes} REF"
    );
    assert!(
        rfms < acts / 32 - refreshes / 4,
        "{rfms} RFM, {acts} ACT, {refreshes} REF"
    );
    let report = record.verdict(end);
    assert!(report.is_clean(), "{report}");
    // Counts that refreshes bring to 0 each time never reach RAAIMT: 46 activations at most in between, 64 are needed.
    let timing = devices::managed(STANDARD, &[], Some(rfm(64, false)), None);
    let full = Timing {
        management: fresco_dram::Management {
            rfm: timing.management.rfm.map(|rfm| Rfm { per_refresh: 64, ..rfm }),
            ..timing.management
        },
        ..timing
    };
    let (record, _) = play(&full, RefreshPolicy::AllBankSimultaneous, hammer(20_000, 2, 200));
    assert_eq!(of_kind(&record.commands, CommandKind::RfmAb).len(), 0);
}

#[test]
fn a_benign_stream_has_no_rfm_and_management_that_nobody_needs_changes_nothing() {
    let plain = devices::timing(STANDARD, &[]);
    let managed = devices::managed(STANDARD, &[], Some(rfm(32, false)), None);
    // Rows one after the other, 128 lines of each, in turn over all banks: no bank is activated often.
    let stream = || {
        (0..50_000u64).map(|i| {
            let (bank, row) = ((i / 128 % 32) as u32, (i / 4096) as u32);
            let mut request = read(i, (bank % 8, bank / 8), row);
            request.location.column = (i % 64 * 16) as u32;
            request.line += i % 128 * 64;
            (8 * i, request)
        })
    };
    let (with, _) = play(&managed, RefreshPolicy::AllBankSimultaneous, stream());
    let (without, _) = play(&plain, RefreshPolicy::AllBankSimultaneous, stream());
    assert_eq!(of_kind(&with.commands, CommandKind::RfmAb).len(), 0);
    assert_eq!(with.commands, without.commands);
    assert_eq!(with.completions, without.completions);
}

#[test]
fn rfmsb_leaves_the_banks_of_other_numbers_alone() {
    let timing = devices::managed(STANDARD, &[], Some(rfm(32, true)), None);
    // Bank 0 of group 0 is hammered, bank 1 of group 1 is read now and then.
    let both = (0..2000u64).map(|i| match i % 2 {
        0 => (200 * i, read(i, (0, 0), (i / 2 % 2) as u32)),
        _ => (200 * i, read(i, (1, 1), 7)),
    });
    let (record, end) = play(&timing, RefreshPolicy::None, both);
    let rfms = of_kind(&record.commands, CommandKind::RfmSb);
    assert_eq!(rfms.len(), 1000 / 32);
    assert!(rfms.iter().all(|rfm| rfm.bank == 0));
    let victim = |id: u64| id % 2 == 1;
    let longest = record.completions.iter().filter(|done| victim(done.id));
    let longest = longest.map(|done| done.done - done.arrived).max();
    // Row hits of the victim: no longer than without any RFM, but for two cycles in which the bus is taken.
    assert!(
        longest <= Some(1 + timing.cl + timing.burst() + 2 * timing.act_slots + timing.rcd),
        "{longest:?}"
    );
    let report = record.verdict(end);
    assert!(report.is_clean(), "{report}");
}

/// A victim reads other rows of another bank while one bank is hammered as fast as it can be.
#[test]
fn the_latency_of_a_victim_is_bounded_by_one_rfm() {
    for same_bank in [false, true] {
        let timing = devices::managed(STANDARD, &[], Some(rfm(32, same_bank)), None);
        let both = (0..30_000u64).map(|i| match i % 10 {
            9 => (150 * i, read(i, (1, 1), (i / 10 % 64) as u32)),
            _ => (150 * i, read(i, (0, 0), (i % 64) as u32)),
        });
        let (record, end) = play(&timing, RefreshPolicy::None, both);
        let kind = if same_bank {
            CommandKind::RfmSb
        } else {
            CommandKind::RfmAb
        };
        assert!(of_kind(&record.commands, kind).len() > 500);
        let victims = record.completions.iter().filter(|done| done.id % 10 == 9);
        let longest = victims.map(|done| done.done - done.arrived).max().expect("some");
        // It finds another row open, and waits for a row cycle that has begun, one RFM of the rank, and commands of the other bank.
        let own = 1 + timing.rp + timing.rcd + timing.cl + timing.burst();
        let rfm = timing.rc + timing.rp_ab + timing.management.rfm_ab;
        let bound = own + if same_bank { timing.rc } else { rfm };
        assert!(longest <= bound, "{longest} cycles, at most {bound}");
        assert!(same_bank || longest > timing.management.rfm_ab, "{longest}");
        let report = record.verdict(end);
        assert!(report.is_clean(), "{report}");
    }
}

#[test]
fn an_alert_is_answered_when_its_window_is_over() {
    for level in [1, 2, 4] {
        let timing = devices::managed(STANDARD, &[], None, Some(prac(16, level)));
        // tRC is 126 clocks, tRP 87; the window 432.
        let gap = 130;
        let (record, end) = play(&timing, RefreshPolicy::None, hammer(2000, 2, gap));
        let acts = of_kind(&record.commands, CommandKind::Act);
        let rfms = of_kind(&record.commands, CommandKind::RfmAb);
        // The first row has closed 16 times with the 31st precharge, in front of the 32nd activation.
        let closed: Vec<_> = of_kind(&record.commands, CommandKind::Pre);
        let alert = closed[30].cycle;
        let end_of_window = alert + timing.management.window;
        assert_eq!(timing.management.window, 432);
        let in_window = acts
            .iter()
            .filter(|act| act.cycle > alert && act.cycle < end_of_window)
            .count();
        assert_eq!(in_window, 3, "tRP after the alert, and then each tRC of 126");
        let first = rfms[0].cycle;
        assert!(first >= end_of_window && first <= end_of_window + timing.rcd + timing.rtp + timing.rp_ab + 1);
        let answer = rfms
            .iter()
            .filter(|rfm| rfm.cycle < first + u64::from(level) * timing.management.rfm_ab)
            .count();
        assert_eq!(answer as u32, level);
        for pair in rfms[..level as usize].windows(2) {
            assert_eq!(pair[1].cycle - pair[0].cycle, timing.management.rfm_ab);
        }
        let during = acts.iter().filter(|act| {
            act.cycle >= end_of_window && act.cycle < first + u64::from(level) * timing.management.rfm_ab
        });
        assert_eq!(during.count(), 0);
        assert_eq!(rfms.len() % level as usize, 0);
        let report = record.verdict(end);
        assert!(report.is_clean(), "{report}");
    }
}

/// The most activations of a row between two times that its count began anew, by the commands alone.
fn most_activations(commands: &[Command]) -> u32 {
    let mut rows = std::collections::BTreeMap::new();
    let (mut most, mut open) = (0, None);
    for command in commands {
        match command.kind {
            CommandKind::Act => open = Some(command.row),
            CommandKind::Pre | CommandKind::PreAll => {
                if let Some(row) = open.take() {
                    let count = rows.entry(row).or_insert(0);
                    *count += 1;
                    most = most.max(*count);
                }
            }
            CommandKind::RfmAb => {
                let top = rows.iter().rev().max_by_key(|(_, count)| **count).map(|(row, _)| *row);
                top.map(|row| rows.remove(&row));
            }
            _ => {}
        }
    }
    most
}

#[test]
fn no_row_is_activated_much_more_often_than_the_threshold() {
    for (level, rows) in [(1, 2), (1, 50), (2, 8), (4, 8), (4, 200)] {
        let timing = devices::managed(STANDARD, &[], None, Some(prac(32, level)));
        let (record, end) = play(&timing, RefreshPolicy::AllBankSimultaneous, hammer(60_000, rows, 130));
        let most = most_activations(&record.commands);
        // Activations of the window and the delay between alerts, and as many more as rows reach the threshold together: of
        // each round of alerts the hammer has at most `level + 5` activations, and `level` rows begin anew.
        let in_round = level + 5;
        let slack = (1..=rows as u32).map(|hot| in_round.div_ceil(hot)).sum::<u32>() + in_round;
        assert!(
            (32..=32 + slack).contains(&most),
            "level {level}, {rows} rows: {most}, {slack} allowed"
        );
        let report = record.verdict(end);
        assert!(report.is_clean(), "level {level}, {rows} rows: {report}");
    }
}

#[test]
fn management_is_exact_and_clean_in_every_kind_of_traffic() {
    let asked = [
        (Some(rfm(4, false)), None),
        (Some(rfm(3, true)), None),
        (None, Some(prac(3, 1))),
        (Some(rfm(5, true)), Some(prac(4, 4))),
    ];
    let mut rfms = 0;
    for (seed, (rfm, prac)) in (0..).zip(asked) {
        let timing = devices::managed(STANDARD, &[("rfc_ab", 80), ("refi", 400)], rfm, prac);
        for (number, config) in (0..).zip(variety::configurations(seed)) {
            let org = devices::organisation(STANDARD);
            let go = |stepping| {
                let mut traffic = Traffic::new(number, &org, &timing);
                run(&config, &org, &timing, stepping, (0..300).map(|_| traffic.draw()))
            };
            let ((jumping, end), (stepping, _)) = (go(Stepping::Events), go(Stepping::EveryCycle));
            assert_eq!(jumping.commands, stepping.commands, "{config:?}, {rfm:?}, {prac:?}");
            assert_eq!(jumping.completions, stepping.completions, "{config:?}");
            assert_eq!(jumping.completions.len(), 300);
            rfms += jumping.commands.iter().filter(|c| c.kind.is_management()).count();
            let report = jumping.verdict(end);
            assert!(report.is_clean(), "{config:?}, {rfm:?}, {prac:?}: {report}");
        }
    }
    assert!(rfms > 1000, "{rfms}");
}

/// What the checker says to a trace of devices that ask for so much.
fn told(rfm: Option<Rfm>, prac: Option<Prac>, text: &str) -> Vec<Constraint> {
    violated(&devices::managed(STANDARD, &[], rfm, prac), text)
}

/// So many activations of one bank, of two rows in turn, and the cycle of the last precharge.
fn activations(number: u64) -> (String, Cycle) {
    let one = |i: u64| {
        format!(
            "{} ACT 0 0 0 0 {} -; {} PRE 0 0 0 0 - -; ",
            500 * i,
            i % 2,
            500 * i + 200
        )
    };
    ((0..number).map(one).collect(), 500 * number)
}

#[test]
fn the_checker_keeps_raammt() {
    let asked = rfm(2, false);
    let (six, end) = activations(6);
    assert_eq!(told(Some(asked), None, &six), [], "RAAMMT may be reached");
    let (seven, _) = activations(7);
    assert_eq!(told(Some(asked), None, &seven), [Activations]);
    // A refresh takes off one, an RFM two, neither more than there are.
    let then = |between: &str, more: u64| {
        let act = |i: u64| {
            format!(
                "{} ACT 0 0 0 0 7 -; {} PRE 0 0 0 0 - -; ",
                end + 2000 + 500 * i,
                end + 2200 + 500 * i
            )
        };
        format!("{six}{end} {between}; {}", (0..more).map(act).collect::<String>())
    };
    assert_eq!(told(Some(asked), None, &then("REFab 0 0 - - - -", 1)), []);
    assert_eq!(told(Some(asked), None, &then("REFab 0 0 - - - -", 2)), [Activations]);
    assert_eq!(told(Some(asked), None, &then("RFMab 0 0 - - - -", 2)), []);
    assert_eq!(told(Some(asked), None, &then("RFMab 0 0 - - - -", 3)), [Activations]);
    assert_eq!(told(Some(asked), None, &then("RFMsb 0 0 - 0 - -", 3)), [Activations]);
    assert_eq!(
        told(Some(asked), None, &then("RFMsb 0 0 - 1 - -", 1)),
        [Activations],
        "another bank"
    );
    assert_eq!(
        told(Some(asked), None, &then("RFMab 0 1 - - - -", 1)),
        [Activations],
        "another rank"
    );
    // Who does not ask has no RFM.
    assert_eq!(told(None, None, "0 RFMab 0 0 - - - -"), [Unsupported]);
    assert_eq!(told(None, None, "0 RFMsb 0 0 - 1 - -"), [Unsupported]);
}

#[test]
fn the_checker_keeps_the_times_of_rfm() {
    let plain = devices::managed(STANDARD, &[], Some(rfm(32, false)), None);
    tight(&plain, RfmAb, "0 RFMab 0 0 - - - -; @ ACT 0 0 3 3 7 -", 468); // 195 ns, as REFab
    tight(&plain, RfmAb, "0 RFMab 0 0 - - - -; @ REFab 0 0 - - - -", 468);
    tight(&plain, RfcAb, "0 REFab 0 0 - - - -; @ RFMab 0 0 - - - -", 468);
    tight(&plain, RfmSb, "0 RFMsb 0 0 - 2 - -; @ ACT 0 0 3 2 7 -", 276); // 115 ns, as REFsb
    tight(&plain, RfmSb, "0 RFMsb 0 0 - 2 - -; @ REFsb 0 0 - 2 - -", 276);
    let counting = devices::managed(STANDARD, &[], None, Some(prac(512, 1)));
    tight(&counting, RfmAb, "0 RFMab 0 0 - - - -; @ ACT 0 0 3 3 7 -", 840); // 350 ns
    tight(&counting, RfmSb, "0 RFMsb 0 0 - 2 - -; @ ACT 0 0 3 2 7 -", 720); // 300 ns
    tight(
        &counting,
        Constraint::Rp,
        "0 ACT 0 0 2 1 7 -; 80 PRE 0 0 2 1 - -; @ RFMab 0 0 - - - -",
        167,
    ); // 36 ns
}

#[test]
fn the_checker_keeps_the_back_off() {
    // The third precharge is the second of row 0: an alert at 1200, and no ACT from 1632 on before an RFMab.
    let asked = Some(prac(2, 1));
    let (three, end) = activations(3);
    let after = |rest: &str| told(None, asked, &format!("{three}{rest}"));
    assert_eq!(end, 1500);
    assert_eq!(after("1631 ACT 0 0 1 1 7 -"), []);
    assert_eq!(after("1632 ACT 0 0 1 1 7 -"), [BackOff]);
    assert_eq!(after("1632 RFMab 0 0 - - - -; 2472 ACT 0 0 1 1 7 -"), []);
    assert_eq!(
        after("1632 RFMab 0 1 - - - -; 2472 ACT 0 0 1 1 7 -"),
        [BackOff],
        "the other rank's"
    );
    assert_eq!(
        after("1632 RFMsb 0 0 - 0 - -; 2472 ACT 0 0 1 1 7 -"),
        [BackOff],
        "of all banks"
    );
    // Of level 2 there are two, and the second rank's are owed, too.
    let twice = |rest: &str| told(None, Some(prac(2, 2)), &format!("{three}{rest}"));
    assert_eq!(twice("1632 RFMab 0 0 - - - -; 2472 ACT 0 0 1 1 7 -"), [BackOff]);
    assert_eq!(
        twice("1632 RFMab 0 0 - - - -; 2472 RFMab 0 0 - - - -; 3312 ACT 0 0 1 1 7 -"),
        []
    );
    // A count begins anew with the RFM: row 0 has to close twice again, and an activation lies between two alerts.
    let anew = "1632 RFMab 0 0 - - - -; 1633 RFMab 0 1 - - - -; 3000 ACT 0 0 0 0 0 -; 3200 PRE 0 0 0 0 - -; 5000 ACT 0 0 1 1 7 -";
    assert_eq!(after(anew), []);
    let second = "1632 RFMab 0 0 - - - -; 1633 RFMab 0 1 - - - -; 3000 ACT 0 0 0 0 1 -; 3200 PRE 0 0 0 0 - -; 3632 ACT 0 0 1 1 7 -";
    assert_eq!(after(second), [BackOff], "row 1 has closed twice");
}
