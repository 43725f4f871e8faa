// SPDX-License-Identifier: MIT OR Apache-2.0
//! A processor's slots and the gaps between them, numbered through all frames as `kernel/schedulers` numbers them.

use super::records::Record;
use super::slots::SlotTable;
use fresco_rt::Time;

/// Time of a processor, with a task or without one; it lasts until the next one.
struct Segment {
    begin_ns: Time,
    end_ns: Time,
    task: Option<usize>,
    /// A job ends with it.
    ends: bool,
}

/// The segments of a processor, in the order of the frame.
pub(super) struct Segments {
    frame_ns: Time,
    all: Vec<Segment>,
}

impl Segments {
    /// Of a processor. Tasks are numbered as in `names`.
    pub(super) fn of(table: &SlotTable, cpu: u32, names: &[&str]) -> Self {
        let mut slots: Vec<_> = table.slots.iter().filter(|slot| slot.core == cpu).collect();
        slots.sort_by_key(|slot| slot.start_ns);
        let (mut all, mut at) = (Vec::new(), 0);
        let mut push = |begin_ns, end_ns, task, ends| {
            if begin_ns < end_ns {
                all.push(Segment {
                    begin_ns,
                    end_ns,
                    task,
                    ends,
                });
            }
        };
        for slot in slots {
            let end = slot.start_ns.saturating_add(slot.length_ns);
            push(at, slot.start_ns, None, false);
            push(
                slot.start_ns,
                end,
                names.iter().position(|name| *name == slot.task),
                slot.ends,
            );
            at = end;
        }
        push(at, table.frame_ns, None, false);
        Self {
            frame_ns: table.frame_ns.max(1),
            all,
        }
    }

    fn at(&self, number: u64) -> Option<&Segment> {
        let place = number.checked_rem(self.all.len() as u64)?;
        self.all.get(usize::try_from(place).ok()?)
    }

    /// The task of a segment, by its number through all frames.
    pub(super) fn task(&self, number: u64) -> Option<usize> {
        self.at(number)?.task
    }

    /// A job ends with this segment.
    pub(super) fn ends(&self, number: u64) -> bool {
        self.at(number).is_some_and(|segment| segment.ends)
    }

    /// The number, through all frames, of the segment that a record is of.
    pub(super) fn number(&self, record: &Record, names: &[&str]) -> Option<u64> {
        let (frame, at) = (record.begin_ns / self.frame_ns, record.begin_ns % self.frame_ns);
        let place = self.all.iter().position(|segment| segment.begin_ns == at)?;
        let segment = &self.all[place];
        let is_same = record.frame == frame
            && record.end_ns.checked_sub(record.begin_ns) == Some(segment.end_ns - at)
            && record.task.as_deref() == segment.task.map(|task| names[task]);
        is_same.then_some(())?;
        frame.checked_mul(self.all.len() as u64)?.checked_add(place as u64)
    }

    /// The first one that does not begin before a time.
    pub(super) fn from(&self, time: Time) -> u64 {
        self.before(time, |segment| segment.begin_ns < time % self.frame_ns)
    }

    /// The first one that ends after a time.
    pub(super) fn until(&self, time: Time) -> u64 {
        self.before(time, |segment| segment.end_ns <= time % self.frame_ns)
    }

    fn before(&self, time: Time, is_before: impl Fn(&Segment) -> bool) -> u64 {
        let in_frame = self.all.iter().filter(|segment| is_before(segment)).count() as u64;
        (time / self.frame_ns)
            .saturating_mul(self.all.len() as u64)
            .saturating_add(in_frame)
    }

    /// The range without its first slot, and the gaps before that.
    pub(super) fn without_first(&self, from: u64, to: u64) -> u64 {
        let mut near = from..to.min(from.saturating_add(self.all.len() as u64));
        near.find(|number| self.task(*number).is_some())
            .map_or(to, |slot| slot + 1)
    }

    /// The range's end without its last slot, and the gaps behind that.
    pub(super) fn without_last(&self, from: u64, to: u64) -> u64 {
        let near = from.max(to.saturating_sub(self.all.len() as u64))..to;
        near.rev().find(|number| self.task(*number).is_some()).unwrap_or(from)
    }

    /// Adds how many slots each task has from one number to before another.
    pub(super) fn count(&self, from: u64, to: u64, mut add: impl FnMut(usize, u64)) {
        let length = self.all.len() as u64;
        if from >= to || length == 0 {
            return;
        }
        // How often each place comes, without going through all.
        let before = |number: u64, place: u64| number / length + u64::from(number % length > place);
        for (place, segment) in (0..).zip(&self.all) {
            if let Some(task) = segment.task {
                add(task, before(to, place) - before(from, place));
            }
        }
    }
}
