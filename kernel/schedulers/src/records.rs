// SPDX-License-Identifier: GPL-2.0-only
//! What has become of the slots of a table.

use crate::table::{NOBODY, Table};
use serde::Serialize;

/// As `struct record` of table.bpf.c has them.
const CUT: u32 = 1;
const MISSED: u32 = 2;
const OVERRAN: u32 = 4;
const READY: u32 = 8;

/// A slot that has ended. Times are CLOCK_MONOTONIC in ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// The frame times the number of segments of the CPU, and the segment's place in the frame.
    pub number: u64,
    /// Begin and end as planned.
    pub begin: u64,
    pub end: u64,
    /// When the timer's function ran; 0 if it did not.
    pub timer: u64,
    /// When the task ran first and last; 0 if it did not.
    pub started: u64,
    pub stopped: u64,
    /// How long.
    pub ran: u64,
    /// The CPU, and the number of the owner.
    pub cpu: u32,
    pub owner: u32,
    /// What is true of it.
    pub flags: u32,
    /// Segments before it that the CPU did not turn to.
    pub skipped: u32,
}

impl Record {
    /// Its size in the ring.
    pub const BYTES: usize = 72;

    /// Of the bytes that the kernel wrote; `None` if they are too few.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let bytes = bytes.first_chunk::<{ Self::BYTES }>()?;
        let long = |n: usize| u64::from_ne_bytes(std::array::from_fn(|i| bytes[n * 8 + i]));
        let short = |n: usize| u32::from_ne_bytes(std::array::from_fn(|i| bytes[n * 4 + i]));
        Some(Self {
            number: long(0),
            begin: long(1),
            end: long(2),
            timer: long(3),
            started: long(4),
            stopped: long(5),
            ran: long(6),
            cpu: short(14),
            owner: short(15),
            flags: short(16),
            skipped: short(17),
        })
    }

    fn is(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }
}

/// A record as a line of JSON.
#[derive(Serialize)]
pub struct Line<'t> {
    frame: u64,
    cpu: u32,
    task: Option<&'t str>,
    begin_ns: u64,
    end_ns: u64,
    timer_ns: Option<u64>,
    started_ns: Option<u64>,
    stopped_ns: Option<u64>,
    ran_ns: u64,
    ready: bool,
    cut: bool,
    overran: bool,
    missed: bool,
    skipped: u32,
}

impl<'t> Line<'t> {
    /// Of a record of a table.
    pub fn of(record: &Record, table: &'t Table) -> Self {
        let time = |at: u64| (at > 0).then_some(at);
        let segments = table.cores.get(record.cpu as usize).map_or(1, |core| core.len().max(1)) as u64;
        Self {
            frame: record.number / segments,
            cpu: record.cpu,
            task: table.owners.get(record.owner as usize).map(String::as_str),
            begin_ns: record.begin,
            end_ns: record.end,
            timer_ns: time(record.timer),
            started_ns: time(record.started),
            stopped_ns: time(record.stopped),
            ran_ns: record.ran,
            ready: record.is(READY),
            cut: record.is(CUT),
            overran: record.is(OVERRAN),
            missed: record.is(MISSED),
            skipped: record.skipped,
        }
    }
}

/// How many there were, and how long they took.
#[derive(Debug, Default, Serialize, PartialEq, Eq)]
pub struct Spread {
    count: usize,
    min_ns: u64,
    median_ns: u64,
    p99_ns: u64,
    max_ns: u64,
}

impl Spread {
    /// Of times in any order.
    pub fn of(mut times: Vec<u64>) -> Self {
        times.sort_unstable();
        let at = |percent: usize| {
            let last = times.len().saturating_sub(1);
            times.get((last * percent).div_ceil(100)).copied().unwrap_or(0)
        };
        Self {
            count: times.len(),
            min_ns: at(0),
            median_ns: at(50),
            p99_ns: at(99),
            max_ns: at(100),
        }
    }
}

/// What became of a task's slots.
#[derive(Debug, Default, Serialize)]
pub struct Summary {
    task: String,
    /// Slots that ended.
    slots: u64,
    /// In which it ran.
    ran: u64,
    /// In which it waited and did not run, or that the CPU did not turn to.
    missed: u64,
    /// In which there was nothing to do.
    unused: u64,
    /// At whose end it was still running, and of these the last ones of their jobs.
    cut: u64,
    overran: u64,
    ran_ns: u64,
    /// From a slot's begin until the task ran, where it was ready before.
    start: Spread,
    /// The same from the timer's function: what the switch takes.
    switch: Spread,
    /// From a slot's end until the task was stopped, where it was cut.
    stop: Spread,
}

/// What is collected of the records.
#[derive(Default)]
pub struct Collected {
    records: Vec<Record>,
}

impl Collected {
    /// One more record.
    pub fn add(&mut self, record: Record) {
        self.records.push(record);
    }

    /// Frames in which a slot ended.
    pub fn frames(&self, table: &Table) -> u64 {
        let frame = |record: &Record| record.begin / table.frame_ns;
        let first = self.records.iter().map(frame).min();
        let last = self.records.iter().map(frame).max();
        first.zip(last).map_or(0, |(first, last)| last - first + 1)
    }

    /// How late the timer was at begins of slots.
    pub fn timer(&self) -> Spread {
        let with = self.records.iter().filter(|record| record.timer > 0);
        Spread::of(with.map(|record| record.timer.saturating_sub(record.begin)).collect())
    }

    /// Of each task, or of the tasks that share slots.
    pub fn tasks(&self, table: &Table) -> Vec<Summary> {
        let mut skipped = vec![0; table.owners.len()];
        for record in &self.records {
            let Some(core) = table.cores.get(record.cpu as usize) else {
                continue;
            };
            for back in 1..=u64::from(record.skipped) {
                let segment = (record.number.wrapping_sub(back) % core.len() as u64) as usize;
                let owner = core[segment].owner;
                if let Some(count) = skipped.get_mut(owner as usize).filter(|_| owner != NOBODY) {
                    *count += 1;
                }
            }
        }
        let numbered = (0..).zip(&table.owners).zip(skipped);
        let of_task = |((owner, name), skipped): ((u32, &String), u64)| {
            let slots: Vec<&Record> = self.records.iter().filter(|record| record.owner == owner).collect();
            let count = |what: &dyn Fn(&Record) -> bool| slots.iter().filter(|record| what(record)).count() as u64;
            let ready = || slots.iter().filter(|record| record.is(READY) && record.started > 0);
            Summary {
                task: name.clone(),
                slots: slots.len() as u64 + skipped,
                ran: count(&|record| record.started > 0),
                missed: count(&|record| record.is(MISSED)) + skipped,
                unused: count(&|record| record.started == 0 && !record.is(MISSED)),
                cut: count(&|record| record.is(CUT)),
                overran: count(&|record| record.is(OVERRAN)),
                ran_ns: slots.iter().map(|record| record.ran).sum(),
                start: Spread::of(
                    ready()
                        .map(|record| record.started.saturating_sub(record.begin))
                        .collect(),
                ),
                switch: Spread::of(
                    ready()
                        .filter(|record| record.timer > 0)
                        .map(|record| record.started.saturating_sub(record.timer))
                        .collect(),
                ),
                stop: Spread::of(
                    slots
                        .iter()
                        .filter(|record| record.is(CUT))
                        .map(|record| record.stopped.saturating_sub(record.end))
                        .collect(),
                ),
            }
        };
        numbered.map(of_task).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let text = "format = \"fresco-table/1\"\nframe_ns = 100000\ntask = [{ name = \"a\" }, { name = \"b\" }]\nslot = [\
            { core = 0, start_ns = 0, length_ns = 20000, task = \"a\" }, { core = 0, start_ns = 20000, length_ns = 20000, task = \"b\" }]";
        crate::table::parse(text, "t").expect("a table")
    }

    #[test]
    fn bytes_of_the_kernel() {
        let mut bytes: Vec<u8> = (1u64..=7).flat_map(u64::to_ne_bytes).collect();
        bytes.extend((8u32..=11).flat_map(u32::to_ne_bytes));
        let record = Record::read(&bytes).expect("a record");
        assert_eq!((record.number, record.begin, record.end, record.timer), (1, 2, 3, 4));
        assert_eq!((record.started, record.stopped, record.ran), (5, 6, 7));
        assert_eq!((record.cpu, record.owner, record.flags, record.skipped), (8, 9, 10, 11));
        assert_eq!(Record::read(&bytes[1..]), None);
    }

    #[test]
    fn spreads() {
        let spread = Spread::of((1..=200).rev().collect());
        assert_eq!(
            (spread.min_ns, spread.median_ns, spread.p99_ns, spread.max_ns),
            (1, 101, 199, 200)
        );
        assert_eq!(Spread::of(vec![]), Spread::default());
    }

    #[test]
    fn each_slot_is_counted_once() {
        let mut all = Collected::default();
        let ran = Record {
            number: 3,
            begin: 100_000,
            end: 120_000,
            timer: 100_010,
            started: 100_030,
            stopped: 120_040,
            ran: 19_970,
            owner: 0,
            flags: CUT | OVERRAN | READY,
            ..Record::default()
        };
        all.add(ran);
        // Three segments later in the next frame: b, what is free and a were passed over.
        all.add(Record {
            number: 7,
            begin: 220_000,
            end: 240_000,
            started: 0,
            flags: MISSED,
            owner: 1,
            skipped: 3,
            ..ran
        });
        let [a, b] = &all.tasks(&table())[..] else {
            panic!("two tasks")
        };
        assert_eq!(
            (a.slots, a.ran, a.missed, a.unused, a.cut, a.overran),
            (2, 1, 1, 0, 1, 1)
        );
        assert_eq!((b.slots, b.ran, b.missed, b.unused), (2, 0, 2, 0));
        assert_eq!((a.start.max_ns, a.switch.max_ns, a.stop.max_ns), (30, 20, 40));
        assert_eq!(all.frames(&table()), 2);
    }
}
