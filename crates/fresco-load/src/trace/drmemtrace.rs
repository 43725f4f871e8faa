// SPDX-License-Identifier: MIT OR Apache-2.0
//! What DynamoRIO's drmemtrace has of a program, as its tool `view` prints it, as records.

use super::ftrace::{Record, What};
use super::records::{Lost, Pace, Records};
use super::text::{Lines, ViewRecord, is_of_view, view};
use super::threads::Threads;
use fresco_input::InputError;
use std::collections::VecDeque;

/// Bytes of the longest access of a record.
const LONGEST: u64 = 64;

/// Such a trace, whose threads are numbered as they appear. It knows no dependences but that of a store on the load of the same bytes in its
/// instruction. Longer accesses are several of at most 64 bytes.
pub(crate) struct DrMemtrace {
    lines: Lines,
    threads: Threads,
    states: Vec<State>,
    /// Instructions as the tool counts them, at the last one.
    counted: Option<u64>,
    instructions: u64,
    hints: u64,
    markers: u64,
    ready: VecDeque<Record>,
}

/// A thread.
#[derive(Default)]
struct State {
    pace: Pace,
    accesses: u64,
    /// Address, size and number of the loads of its present instruction.
    loads: Vec<(u64, u64, u64)>,
}

/// Loads of an instruction that are remembered: gathers have 16.
const MOST_LOADS: usize = 64;

impl DrMemtrace {
    /// The accesses of `lines`, from the first.
    pub fn new(lines: Lines) -> Self {
        Self {
            lines,
            threads: Threads::default(),
            states: Vec::new(),
            counted: None,
            instructions: 0,
            hints: 0,
            markers: 0,
            ready: VecDeque::new(),
        }
    }

    fn access(&mut self, thread: u16, addr: u64, size: u64, write: bool) {
        let state = &mut self.states[usize::from(thread)];
        let same = |load: &&(u64, u64, u64)| write && (load.0, load.1) == (addr, size);
        let load = state.loads.iter().rev().find(same);
        // Both are cut alike: each part needs the one as far before it.
        let dep = load.map_or(0, |(_, _, number)| (state.accesses - number) as u32);
        if !write && state.loads.len() < MOST_LOADS {
            state.loads.push((addr, size, state.accesses));
        }
        let mut done = 0;
        while done < size {
            let part = LONGEST.min(size - done);
            let what = What::Access {
                addr: addr.wrapping_add(done),
                size: part as u8,
                write,
                dep,
            };
            let gap = state.pace.gap();
            self.ready.push_back(Record { thread, gap, what });
            state.accesses += 1;
            done += part;
        }
    }
}

impl Records for DrMemtrace {
    fn next_record(&mut self) -> Result<Option<Record>, InputError> {
        while self.ready.is_empty() {
            let line = match self.lines.next()? {
                None => return Ok(None),
                Some(line) if is_of_view(line) => continue,
                Some(line) => view(line),
            };
            let line = line.map_err(|fault| self.lines.field_error(*fault))?;
            match line.record {
                ViewRecord::Rest => continue,
                ViewRecord::Hint => self.hints += 1,
                ViewRecord::Marker => self.markers += 1,
                _ => {}
            }
            let thread = self
                .threads
                .number(line.thread)
                .map_err(|found| self.lines.error(found))?;
            if usize::from(thread) == self.states.len() {
                self.states.push(State::default());
            }
            match line.record {
                ViewRecord::Instruction { fetched } => {
                    let state = &mut self.states[usize::from(thread)];
                    state.loads.clear();
                    // Where the trace has the bytes of instructions nothing but the count tells those that are not fetched.
                    if fetched && (line.instructions.is_none() || line.instructions != self.counted) {
                        self.instructions += 1;
                        state.pace.instruction();
                    }
                    self.counted = line.instructions;
                }
                ViewRecord::Load { addr, size } => self.access(thread, addr, size, false),
                ViewRecord::Store { addr, size } => self.access(thread, addr, size, true),
                ViewRecord::Hint | ViewRecord::Marker | ViewRecord::Rest => {}
            }
        }
        Ok(self.ready.pop_front())
    }

    fn error_here(&self, found: String) -> InputError {
        self.lines.error(found)
    }

    fn lost(&self) -> Vec<Lost> {
        let left = self.states.iter().map(|state| state.pace.left()).sum();
        let lost = [
            (self.instructions, "addresses of instructions"),
            (left, "instructions after the last access"),
            (self.hints, "prefetches and flushes"),
            (self.markers, "markers (times, processors, system calls, signals)"),
        ];
        lost.map(|(count, what)| Lost { count, what }).to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::input::Input;
    use std::io::Cursor;

    /// By hand, in the layout of DynamoRIO's view.cpp: two threads, a change of a word, a copy of three rounds, a long store.
    const TEXT: &str = include_str!("drmemtrace/two-threads.txt");

    type Access = (u16, u64, u64, u8, bool, u32);

    fn all(text: &str) -> (Vec<Access>, Vec<u64>) {
        let lines = Lines::new(Input::new("t", Cursor::new(text.to_owned())).expect("readable"));
        let mut trace = DrMemtrace::new(lines);
        let mut found = Vec::new();
        while let Some(record) = trace.next_record().expect("is sound") {
            let What::Access { addr, size, write, dep } = record.what else {
                panic!("no mark")
            };
            found.push((record.thread, record.gap, addr, size, write, dep));
        }
        (found, trace.lost().iter().map(|lost| lost.count).collect())
    }

    #[test]
    fn a_trace_of_two_threads_as_counted_by_hand() {
        let (found, lost) = all(TEXT);
        let expected = [
            (0, 1, 0x7ffd_1000, 8, false, 0),
            (0, 0, 0x40_3000, 4, false, 0),
            (0, 0, 0x40_3000, 4, true, 1),
            (1, 0, 0x7fdf_64e2_adc8, 8, false, 0),
            (0, 0, 0x7f88_81e3_7c70, 8, false, 0),
            (0, 0, 0x7f88_81e3_7a70, 8, true, 0),
            (0, 0, 0x7f88_81e3_7c78, 8, false, 0),
            (0, 0, 0x7f88_81e3_7a78, 8, true, 0),
            (1, 1, 0x7fdf_64e2_a000, 64, true, 0),
            (1, 0, 0x7fdf_64e2_a040, 36, true, 0),
        ];
        assert_eq!(found, expected);
        // Instructions, of which two of thread 0 are taken by accesses beyond one; a prefetch; markers.
        assert_eq!(lost, [9, 0, 1, 9]);
    }

    #[test]
    fn as_versions_before_2023_printed_it() {
        let text = "Output format:\n<record#>: T<tid> <record details>\n-----\n        1: T12 <marker: version 4>\n\
                    2: T12 ifetch 3 byte(s) @ 0x0000000000402680 non-branch\n3: T12 ifetch 3 byte(s) @ 0x0000000000402683 non-branch\n\
                    4: T12 read 8 byte(s) @ 0x0000000000001000 by PC 0x0000000000402683\n\
                    5: T12 ifetch 3 byte(s) @ 0x0000000000402683 non-fetched instruction\n\
                    6: T12 read 8 byte(s) @ 0x0000000000001008 by PC 0x0000000000402683\n";
        let expected = [(0, 1, 0x1000, 8, false, 0), (0, 0, 0x1008, 8, false, 0)];
        assert_eq!(all(text), (expected.to_vec(), vec![2, 0, 0, 1]));
    }
}
