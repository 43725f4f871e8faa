// SPDX-License-Identifier: MIT OR Apache-2.0
//! Samples of memory accesses that perf took of a program, as records.

use super::ftrace::{Record, What};
use super::records::{Lost, Records, to_end_of_line};
use super::text::{Lines, perf};
use super::threads::Threads;
use fresco_input::InputError;

/// Samples, whose threads are numbered as they appear, with the time between them in ns. How long an access is they do not say: it goes to
/// the end of its line. They are one access in many: [`super::Format::check_whole`] says who may not take them.
pub(crate) struct Samples {
    lines: Lines,
    threads: Threads,
    /// When the one before was taken.
    before: Option<u64>,
    without: u64,
}

impl Samples {
    /// The samples of `lines`, from the first.
    pub fn new(lines: Lines) -> Self {
        Self {
            lines,
            threads: Threads::default(),
            before: None,
            without: 0,
        }
    }
}

impl Records for Samples {
    fn next_record(&mut self) -> Result<Option<Record>, InputError> {
        loop {
            let Some(line) = self.lines.next()?.map(perf) else {
                return Ok(None);
            };
            let line = line.map_err(|fault| self.lines.field_error(*fault))?;
            if line.addr == 0 {
                self.without += 1;
                continue;
            }
            let thread = self
                .threads
                .number(line.thread)
                .map_err(|found| self.lines.error(found))?;
            // Samples of several processors may come a little out of order.
            let before = self.before.unwrap_or(line.time);
            self.before = Some(before.max(line.time));
            let what = What::Access {
                addr: line.addr,
                size: to_end_of_line(line.addr),
                write: line.write,
                dep: 0,
            };
            return Ok(Some(Record {
                thread,
                gap: line.time.saturating_sub(before),
                what,
            }));
        }
    }

    fn error_here(&self, found: String) -> InputError {
        self.lines.error(found)
    }

    fn lost(&self) -> Vec<Lost> {
        vec![Lost {
            count: self.without,
            what: "samples without an address",
        }]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::input::Input;
    use std::io::Cursor;

    /// perf 6.1.187: `perf record -e page-faults -c 1 -d -- ls`, `perf script -F comm,pid,tid,time,event,addr`, the first lines.
    const TEXT: &str = include_str!("perf/page-faults.txt");

    fn all(text: &str) -> (Vec<(u16, u64, u64, bool)>, u64) {
        let lines = Lines::new(Input::new("t", Cursor::new(text.to_owned())).expect("readable"));
        let mut samples = Samples::new(lines);
        let mut found = Vec::new();
        while let Some(record) = samples.next_record().expect("is sound") {
            let What::Access { addr, write, .. } = record.what else {
                panic!("no mark")
            };
            found.push((record.thread, record.gap, addr, write));
        }
        (found, samples.lost()[0].count)
    }

    #[test]
    fn as_perf_printed_them() {
        let (found, without) = all(TEXT);
        assert_eq!((found.len(), without), (12, 0));
        assert_eq!(
            found[..2],
            [(0, 0, 0x5647_8579_35c0, false), (0, 28_000, 0x7f9b_ac40_7110, false)]
        );
    }

    #[test]
    fn threads_are_numbered_and_times_do_not_go_back() {
        let text = "7 10.000001: cpu/mem-stores/P: 1000\n9 10.000003: cpu/mem-loads/P: 0\n9 10.000003: cpu/mem-loads/P: 2000\n\
                    7 10.000002: cpu/mem-loads/P: 1040\n7 10.000004: cpu/mem-loads/P: 1080\n";
        let expected = [
            (0, 0, 0x1000, true),
            (1, 2000, 0x2000, false),
            (0, 0, 0x1040, false),
            (0, 1000, 0x1080, false),
        ];
        assert_eq!(all(text), (expected.to_vec(), 1));
    }
}
