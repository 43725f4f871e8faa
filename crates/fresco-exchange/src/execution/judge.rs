// SPDX-License-Identifier: MIT OR Apache-2.0
//! Recorded slots against the plan's.

use super::records::Record;
use super::slots::SlotTable;
use fresco_rt::Time;
use serde::Serialize;
use std::collections::BTreeMap;

/// What has become of the slots of all tasks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Judgements {
    /// Records.
    pub records: u64,
    /// Turns of the table in which a slot was recorded.
    pub frames: u64,
    /// Records that are no slot of the plan, or not in the order of time.
    pub not_planned: u64,
    /// Of each task with slots.
    pub tasks: Vec<Judgement>,
}

/// What has become of the slots of a task.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Judgement {
    /// The task.
    pub task: String,
    /// Slots that ended, from the first record of their processor to the last.
    pub slots: u64,
    /// In which it ran.
    pub ran: u64,
    /// In which there was nothing to do.
    pub unused: u64,
    /// In which it waited and did not run, or that the processor did not turn to.
    pub missed: u64,
    /// In which it was ready and began later than the bound.
    pub late: u64,
    /// In which it went on after the end for longer than the bound.
    pub late_ends: u64,
    /// At whose end it was stopped.
    pub cut: u64,
    /// Those of them that are the last of a job.
    pub overran: u64,
    /// Of which there is no record.
    pub lost: u64,
    /// How long it ran, in ns.
    pub ran_ns: Time,
    /// From a slot's begin until the task ran, where it was ready.
    pub start: Spread,
    /// There are slots, and none is missed, late, overrun or lost.
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
    fn of(mut times: Vec<Time>) -> Self {
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

/// Time of a processor, with a task or without one; it lasts until the next one.
struct Segment {
    begin_ns: Time,
    end_ns: Time,
    task: Option<usize>,
}

/// The segments of a processor, in the order of the frame.
struct Segments(Vec<Segment>);

impl Segments {
    fn of(table: &SlotTable, cpu: u32, names: &[&str]) -> Self {
        let mut slots: Vec<_> = table.slots.iter().filter(|slot| slot.core == cpu).collect();
        slots.sort_by_key(|slot| slot.start_ns);
        let (mut segments, mut at) = (Vec::new(), 0);
        let mut push = |begin_ns, end_ns, task| {
            if begin_ns < end_ns {
                segments.push(Segment { begin_ns, end_ns, task });
            }
        };
        for slot in slots {
            let end = slot.start_ns.saturating_add(slot.length_ns);
            push(at, slot.start_ns, None);
            push(slot.start_ns, end, names.iter().position(|name| *name == slot.task));
            at = end;
        }
        push(at, table.frame_ns, None);
        Self(segments)
    }

    /// The number, through all frames, of the segment that a record is of.
    fn number(&self, record: &Record, frame_ns: Time, names: &[&str]) -> Option<u64> {
        let (frame, at) = (record.begin_ns / frame_ns, record.begin_ns % frame_ns);
        let place = self.0.iter().position(|segment| segment.begin_ns == at)?;
        let segment = &self.0[place];
        let is_same = record.end_ns.checked_sub(record.begin_ns) == Some(segment.end_ns - at)
            && record.task.as_deref() == segment.task.map(|task| names[task]);
        is_same.then_some(())?;
        frame.checked_mul(self.0.len() as u64)?.checked_add(place as u64)
    }

    /// Adds how many slots each task has from one number to before another.
    fn count(&self, from: u64, to: u64, mut add: impl FnMut(usize, u64)) {
        let length = self.0.len() as u64;
        if from >= to || length == 0 {
            return;
        }
        // How often each place comes, without going through all.
        let before = |number: u64, place: u64| number / length + u64::from(number % length > place);
        for (place, segment) in (0..).zip(&self.0) {
            if let Some(task) = segment.task {
                add(task, before(to, place) - before(from, place));
            }
        }
    }
}

/// Judges records of a table whose turns begin at multiples of its length. Starts and ends may be later than planned by `late_ns`.
pub fn judge(table: &SlotTable, records: &[Record], late_ns: Time) -> Judgements {
    let names = table.tasks();
    let frame_ns = table.frame_ns.max(1);
    let mut tasks: Vec<Judgement> = names
        .iter()
        .map(|name| Judgement {
            task: (*name).to_owned(),
            ..Judgement::default()
        })
        .collect();
    let mut starts: Vec<Vec<Time>> = vec![Vec::new(); names.len()];
    let mut by_cpu: BTreeMap<u32, (Segments, Option<u64>)> = BTreeMap::new();
    let (mut not_planned, mut first, mut last) = (0, u64::MAX, 0);
    for record in records {
        let (segments, before) = by_cpu
            .entry(record.cpu)
            .or_insert_with(|| (Segments::of(table, record.cpu, &names), None));
        let number = segments.number(record, frame_ns, &names);
        let Some(number) = number.filter(|number| before.is_none_or(|before| before < *number)) else {
            not_planned += 1;
            continue;
        };
        let skipped_from = number.saturating_sub(record.skipped.into());
        let from = before.map_or(skipped_from, |before| before + 1);
        segments.count(from.max(skipped_from), number, |task, count| {
            tasks[task].slots += count;
            tasks[task].missed += count;
        });
        segments.count(from, skipped_from, |task, count| {
            tasks[task].slots += count;
            tasks[task].lost += count;
        });
        *before = Some(number);
        let frame = record.begin_ns / frame_ns;
        (first, last) = (first.min(frame), last.max(frame));
        let Some(task) = segments.0[(number % segments.0.len() as u64) as usize].task else {
            continue;
        };
        add(&mut tasks[task], record, late_ns);
        let start = record.started_ns.filter(|_| record.ready);
        starts[task].extend(start.map(|start| start.saturating_sub(record.begin_ns)));
    }
    for (task, starts) in tasks.iter_mut().zip(starts) {
        task.start = Spread::of(starts);
        let bad = task.missed + task.late + task.late_ends + task.overran + task.lost;
        task.holds = task.slots > 0 && bad == 0;
    }
    Judgements {
        records: records.len() as u64,
        frames: if first <= last { last - first + 1 } else { 0 },
        not_planned,
        tasks,
    }
}

fn add(task: &mut Judgement, record: &Record, late_ns: Time) {
    let after = |at: Option<Time>, planned: Time| at.is_some_and(|at| at.saturating_sub(planned) > late_ns);
    let has_run = record.started_ns.is_some();
    task.slots += 1;
    task.ran += u64::from(has_run);
    task.unused += u64::from(!has_run && !record.missed);
    task.missed += u64::from(record.missed);
    task.late += u64::from(record.ready && after(record.started_ns, record.begin_ns));
    task.late_ends += u64::from(after(record.stopped_ns, record.end_ns));
    task.cut += u64::from(record.cut);
    task.overran += u64::from(record.overran);
    task.ran_ns = task.ran_ns.saturating_add(record.ran_ns);
}
