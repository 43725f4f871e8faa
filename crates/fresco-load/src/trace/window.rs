// SPDX-License-Identifier: MIT OR Apache-2.0
//! A part of a trace: so much of each thread, from some place on.

use super::ftrace::{Record, Unit, What};
use super::records::Lost;
use std::collections::BTreeMap;

/// What a [`Window`] is measured in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Accesses.
    Accesses,
    /// Instructions, of which each access is one.
    Instructions,
}

/// Cuts records. Requests in cycles are one thread, for their order is one.
#[derive(Debug)]
pub struct Window {
    from: u64,
    /// Where it ends; `None`: with the trace.
    end: Option<u64>,
    measure: Measure,
    unit: Unit,
    threads: BTreeMap<u16, Thread>,
    /// Accesses within it, of each thread of the records.
    kept: BTreeMap<u16, u64>,
    /// Accesses that needed one from before the window.
    cut: u64,
}

/// What of a thread has been read.
#[derive(Debug, Default)]
struct Thread {
    accesses: u64,
    instructions: u64,
}

impl Window {
    /// From `from` on, so many as `count` says; both in `measure`, of each thread.
    pub fn new(from: u64, count: Option<u64>, measure: Measure, unit: Unit) -> Self {
        Self {
            from,
            end: count.map(|count| from.saturating_add(count)),
            measure,
            unit,
            threads: BTreeMap::new(),
            kept: BTreeMap::new(),
            cut: 0,
        }
    }

    /// The record as it is within the window; `None` if it lies outside. A dependence on what lies before is left out, and so is what of a
    /// gap does.
    pub fn keep(&mut self, record: &Record) -> Option<Record> {
        let key = if self.unit == Unit::Cycles { 0 } else { record.thread };
        let thread = self.threads.entry(key).or_default();
        let is_access = matches!(record.what, What::Access { .. });
        let before = thread.instructions;
        if self.unit == Unit::Instructions {
            thread.instructions = before.saturating_add(record.gap).saturating_add(u64::from(is_access));
        }
        let at = match self.measure {
            Measure::Accesses => thread.accesses,
            Measure::Instructions => before.saturating_add(record.gap),
        };
        thread.accesses += u64::from(is_access);
        if at < self.from || self.end.is_some_and(|end| at >= end) {
            return None;
        }
        let mut kept = *record;
        if self.measure == Measure::Instructions {
            kept.gap = kept.gap.min(at - self.from);
        }
        if let What::Access { dep, .. } = &mut kept.what {
            let accesses = self.kept.entry(record.thread).or_default();
            if u64::from(*dep) > *accesses {
                *dep = 0;
                self.cut += 1;
            }
            *accesses += 1;
        }
        Some(kept)
    }

    /// Returns true if no record of a trace of one thread can lie in the window any more.
    pub fn is_over(&self) -> bool {
        let (Some(end), Some(thread)) = (self.end, self.threads.get(&0)) else {
            return false;
        };
        match self.measure {
            Measure::Accesses => thread.accesses >= end,
            Measure::Instructions => thread.instructions >= end,
        }
    }

    /// What the longest thread has, in the measure of the window, as far as it was read.
    pub fn length(&self) -> u64 {
        let of = |thread: &Thread| match self.measure {
            Measure::Accesses => thread.accesses,
            Measure::Instructions => thread.instructions,
        };
        self.threads.values().map(of).max().unwrap_or(0)
    }

    /// Accesses within it.
    pub fn kept(&self) -> u64 {
        self.kept.values().sum()
    }

    /// What was left out of records that lie in it.
    pub fn lost(&self) -> Lost {
        Lost {
            count: self.cut,
            what: "dependences on accesses before the cut",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Marker;

    fn access(thread: u16, gap: u64, addr: u64, dep: u32) -> Record {
        let what = What::Access {
            addr,
            size: 8,
            write: false,
            dep,
        };
        Record { thread, gap, what }
    }

    fn kept(window: &mut Window, records: &[Record]) -> Vec<(u16, u64, u64, u32)> {
        let kept = records.iter().filter_map(|record| window.keep(record));
        kept.map(|record| match record.what {
            What::Access { addr, dep, .. } => (record.thread, record.gap, addr, dep),
            What::Mark(_) => (record.thread, record.gap, 0, 0),
        })
        .collect()
    }

    #[test]
    fn accesses_are_counted_in_each_thread() {
        let records = [
            access(0, 1, 1, 0),
            access(1, 2, 2, 0),
            access(0, 3, 3, 1),
            access(0, 4, 4, 1),
            access(1, 5, 5, 1),
            access(0, 6, 6, 3),
        ];
        let mut window = Window::new(1, Some(2), Measure::Accesses, Unit::Instructions);
        assert_eq!(kept(&mut window, &records), [(0, 3, 3, 0), (0, 4, 4, 1), (1, 5, 5, 0)]);
        assert_eq!((window.lost().count, window.length(), window.kept()), (2, 4, 3));
        assert!(window.is_over());
        let mut all = Window::new(0, None, Measure::Accesses, Unit::Instructions);
        assert_eq!(kept(&mut all, &records).len(), records.len());
        assert!(all.lost().count == 0 && !all.is_over());
    }

    #[test]
    fn a_window_of_instructions_cuts_gaps() {
        // Instructions 0 to 4 and 4 the access; 5 to 9 and the mark; 10, 11 and 12 the access.
        let records = [
            access(0, 4, 1, 0),
            Record {
                thread: 0,
                gap: 5,
                what: What::Mark(Marker::Pass),
            },
            access(0, 2, 2, 1),
        ];
        let window = |from, count| {
            let mut window = Window::new(from, count, Measure::Instructions, Unit::Instructions);
            kept(&mut window, &records)
        };
        assert_eq!(window(3, Some(2)), [(0, 1, 1, 0)]);
        assert_eq!(window(3, Some(1)), []);
        assert_eq!(window(5, Some(8)), [(0, 5, 0, 0), (0, 2, 2, 0)]);
        assert_eq!(window(8, None), [(0, 2, 0, 0), (0, 2, 2, 0)]);
        assert_eq!(window(11, None), [(0, 1, 2, 0)]);
        assert_eq!(window(13, None), []);
    }

    #[test]
    fn requests_of_all_threads_are_one_row() {
        let records = [access(0, 9, 1, 0), access(1, 9, 2, 0), access(0, 9, 3, 0)];
        let mut window = Window::new(1, Some(1), Measure::Accesses, Unit::Cycles);
        assert_eq!(kept(&mut window, &records), [(1, 9, 2, 0)]);
    }
}
