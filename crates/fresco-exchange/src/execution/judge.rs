// SPDX-License-Identifier: MIT OR Apache-2.0
//! Recorded slots against the plan's.

use super::records::Record;
use super::segments::Segments;
use super::slots::SlotTable;
use fresco_rt::Time;
use serde::Serialize;
use std::collections::BTreeMap;

/// What has become of the slots of all tasks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Judgements {
    /// Records that are judged.
    pub records: u64,
    /// Turns of the table in which a slot was recorded.
    pub frames: u64,
    /// Records that are no slot of the plan, not in the order of time, or that have passed over more slots than there are.
    pub not_planned: u64,
    /// Of each task with slots, or of slots that tasks share.
    pub tasks: Vec<Judgement>,
}

/// What has become of the slots of a task, or of tasks that share them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Judgement {
    /// The task, or the name of slots that tasks share.
    pub task: String,
    /// Slots that ended, from the first record of any processor to the last.
    pub slots: u64,
    /// In which it ran.
    pub ran: u64,
    /// In which there was nothing to do.
    pub unused: u64,
    /// In which it was ready or waited and did not run, or that the processor did not turn to.
    pub missed: u64,
    /// In which it began before the slot.
    pub early: u64,
    /// In which it was ready and began later than the bound.
    pub late: u64,
    /// In which it went on after the end for longer than the bound.
    pub late_ends: u64,
    /// At whose end it was stopped.
    pub cut: u64,
    /// Those of them that are the last of a job by the plan.
    pub overran: u64,
    /// Of which there is no record.
    pub lost: u64,
    /// How long it ran, in ns.
    pub ran_ns: Time,
    /// From a slot's begin until the task ran, where it was ready.
    pub start: Spread,
    /// There are slots, and none is missed, early, late, overrun or lost.
    pub holds: bool,
}

/// How many there were, and how long they took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Spread {
    /// How many.
    pub count: u64,
    /// The least, in ns.
    pub min_ns: Time,
    /// As many are above as below, in ns.
    pub median_ns: Time,
    /// One in a hundred is above, in ns.
    pub p99_ns: Time,
    /// The most, in ns.
    pub max_ns: Time,
}

impl Spread {
    /// Of times in any order: the least of them that as many are not above.
    pub(super) fn of(mut times: Vec<Time>) -> Self {
        times.sort_unstable();
        let at = |percent: usize| {
            let last = times.len().saturating_sub(1);
            times.get((last * percent).div_ceil(100)).copied().unwrap_or(0)
        };
        Self {
            count: times.len() as u64,
            min_ns: at(0),
            median_ns: at(50),
            p99_ns: at(99),
            max_ns: at(100),
        }
    }
}

impl Judgements {
    /// Returns true if all is as planned.
    pub fn hold(&self) -> bool {
        self.not_planned == 0 && self.tasks.iter().all(|task| task.holds)
    }
}

/// What is known of a processor so far.
struct Progress {
    segments: Segments,
    /// Number of the last segment that has a record.
    before: Option<u64>,
}

/// What is counted.
struct Counting {
    tasks: Vec<Judgement>,
    starts: Vec<Vec<Time>>,
    late_ns: Time,
}

/// Judges records of a table whose turns begin at multiples of its length. Starts and ends may be later than planned by `late_ns`; slots that
/// began within `after_ns` after the first one are left out.
///
/// All processors are to have records of all their slots from the first record of any to the last one of any; at both ends one slot
/// of each may have none, as its processor had not begun yet, or had not finished it.
pub fn judge(table: &SlotTable, records: &[Record], late_ns: Time, after_ns: Time) -> Judgements {
    let names = table.owners();
    let frame_ns = table.frame_ns.max(1);
    let mut cpus: BTreeMap<u32, Progress> = BTreeMap::new();
    for cpu in table
        .slots
        .iter()
        .map(|slot| slot.core)
        .chain(records.iter().map(|record| record.cpu))
    {
        cpus.entry(cpu).or_insert_with(|| Progress {
            segments: Segments::of(table, cpu, &names),
            before: None,
        });
    }
    let numbers = numbers(&cpus, records, &names);
    let planned = || records.iter().zip(&numbers).filter(|(_, number)| number.is_some());
    let begin = match planned().map(|(record, _)| record.begin_ns).min() {
        Some(begin) => begin,
        None => records.iter().map(|record| record.begin_ns).min().unwrap_or(0),
    }
    .saturating_add(after_ns);
    let mut counting = Counting {
        tasks: names
            .iter()
            .map(|name| Judgement {
                task: (*name).to_owned(),
                ..Judgement::default()
            })
            .collect(),
        starts: vec![Vec::new(); names.len()],
        late_ns,
    };
    let (mut judged, mut not_planned, mut first, mut last) = (0, 0, u64::MAX, 0);
    for (record, number) in records.iter().zip(&numbers) {
        let is_judged = record.begin_ns >= begin || after_ns == 0;
        judged += u64::from(is_judged);
        let (Some(number), Some(cpu)) = (*number, cpus.get_mut(&record.cpu)) else {
            not_planned += u64::from(is_judged);
            continue;
        };
        counting.before(cpu, record, number, begin, after_ns == 0);
        cpu.before = Some(number);
        if is_judged {
            let frame = record.begin_ns / frame_ns;
            (first, last) = (first.min(frame), last.max(frame));
            counting.add(&cpu.segments, record, number);
        }
    }
    if let Some(end) = planned().map(|(record, _)| record.end_ns).max() {
        for cpu in cpus.values() {
            counting.behind(cpu, begin, end);
        }
    }
    Judgements {
        records: judged,
        frames: if first <= last { last - first + 1 } else { 0 },
        not_planned,
        tasks: counting.done(),
    }
}

/// The number of each record's segment; `None` of one that is not of the plan, comes before one that is in front of it, or
/// says that more was passed over than there is between the two.
fn numbers(cpus: &BTreeMap<u32, Progress>, records: &[Record], names: &[&str]) -> Vec<Option<u64>> {
    let mut last: BTreeMap<u32, u64> = BTreeMap::new();
    let number = |record: &Record| {
        let number = cpus.get(&record.cpu)?.segments.number(record, names)?;
        let between = match last.get(&record.cpu) {
            Some(before) => number.checked_sub(*before)?.checked_sub(1)?,
            None => number,
        };
        (u64::from(record.skipped) <= between).then_some(())?;
        last.insert(record.cpu, number);
        Some(number)
    };
    records.iter().map(number).collect()
}

impl Counting {
    /// Counts what is between a record and the one before it.
    fn before(&mut self, cpu: &Progress, record: &Record, number: u64, begin: Time, from_start: bool) {
        let segments = &cpu.segments;
        let least = segments.from(begin);
        let skipped_from = number - u64::from(record.skipped);
        let from = match cpu.before {
            Some(before) => least.max(before + 1),
            // The timers of the processors are started one after the other.
            None => segments.without_first(least, skipped_from),
        };
        self.lose(segments, from, skipped_from);
        // What was passed over before the first record is known from that.
        let least = if from_start && cpu.before.is_none() { 0 } else { least };
        segments.count(skipped_from.max(least), number, |task, count| {
            self.tasks[task].slots += count;
            self.tasks[task].missed += count;
        });
    }

    /// Counts what is behind the last record of a processor.
    fn behind(&mut self, cpu: &Progress, begin: Time, end: Time) {
        let (least, to) = (cpu.segments.from(begin), cpu.segments.until(end));
        match cpu.before {
            Some(before) => {
                let from = least.max(before + 1);
                // A task that is cut is stopped somewhat later, and then there is a record.
                self.lose(&cpu.segments, from, cpu.segments.without_last(from, to));
            }
            None => self.lose(&cpu.segments, least, to),
        }
    }

    fn lose(&mut self, segments: &Segments, from: u64, to: u64) {
        segments.count(from, to, |task, count| {
            self.tasks[task].slots += count;
            self.tasks[task].lost += count;
        });
    }

    /// Counts a slot by what happened in it: flags are believed where times and the plan do not say it.
    fn add(&mut self, segments: &Segments, record: &Record, number: u64) {
        let Some(place) = segments.task(number) else {
            return;
        };
        let late_ns = self.late_ns;
        let after = |at: Option<Time>, planned: Time| at.is_some_and(|at| at.saturating_sub(planned) > late_ns);
        let has_run = record.started_ns.is_some();
        // The flag alone is not set of a thread that a processor had fetched, and did not come to run.
        let is_missed = !has_run && (record.missed || record.ready);
        let task = &mut self.tasks[place];
        task.slots += 1;
        task.ran += u64::from(has_run);
        task.unused += u64::from(!has_run && !is_missed);
        task.missed += u64::from(is_missed);
        task.early += u64::from(record.started_ns.is_some_and(|start| start < record.begin_ns));
        task.late += u64::from(record.ready && after(record.started_ns, record.begin_ns));
        task.late_ends += u64::from(after(record.stopped_ns.max(record.started_ns), record.end_ns));
        task.cut += u64::from(record.cut);
        task.overran += u64::from(record.cut && segments.ends(number));
        task.ran_ns = task.ran_ns.saturating_add(record.ran_ns);
        let start = record.started_ns.filter(|_| record.ready);
        self.starts[place].extend(start.map(|start| start.saturating_sub(record.begin_ns)));
    }

    fn done(mut self) -> Vec<Judgement> {
        for (task, starts) in self.tasks.iter_mut().zip(self.starts) {
            task.start = Spread::of(starts);
            let bad = task.missed + task.early + task.late + task.late_ends + task.overran + task.lost;
            task.holds = task.slots > 0 && bad == 0;
        }
        self.tasks
    }
}
