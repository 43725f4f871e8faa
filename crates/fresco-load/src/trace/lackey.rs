// SPDX-License-Identifier: MIT OR Apache-2.0
//! What valgrind's tool lackey writes of a program, as records.

use super::ftrace::{Record, What};
use super::records::{Lost, Pace, Records};
use super::text::{LackeyLine, LackeyOperation, Lines, is_of_valgrind, lackey};
use fresco_input::InputError;
use std::collections::VecDeque;

/// Bytes of the longest access of a record.
const LONGEST: u64 = 64;

/// Such a trace, which knows no dependences. Longer accesses are several of at most 64 bytes.
pub(crate) struct Lackey {
    lines: Lines,
    pace: Pace,
    instructions: u64,
    ready: VecDeque<Record>,
}

impl Lackey {
    /// The accesses of `lines`, from the first.
    pub fn new(lines: Lines) -> Self {
        Self {
            lines,
            pace: Pace::default(),
            instructions: 0,
            ready: VecDeque::new(),
        }
    }

    fn access(&mut self, line: &LackeyLine, write: bool) {
        let mut done = 0;
        while done < line.size {
            let size = LONGEST.min(line.size - done);
            let what = What::Access {
                addr: line.addr.wrapping_add(done),
                size: size as u8,
                write,
                // What is modified is stored after it was loaded.
                dep: u32::from(write && line.operation == LackeyOperation::Modify) * line.size.div_ceil(LONGEST) as u32,
            };
            let gap = self.pace.gap();
            self.ready.push_back(Record { thread: 0, gap, what });
            done += size;
        }
    }
}

impl Records for Lackey {
    fn next_record(&mut self) -> Result<Option<Record>, InputError> {
        while self.ready.is_empty() {
            let line = match self.lines.next()? {
                None => return Ok(None),
                Some(line) if is_of_valgrind(line) => continue,
                Some(line) => lackey(line),
            };
            let line = line.map_err(|fault| self.lines.field_error(*fault))?;
            match line.operation {
                LackeyOperation::Instruction => {
                    self.instructions += 1;
                    self.pace.instruction();
                }
                LackeyOperation::Load => self.access(&line, false),
                LackeyOperation::Store => self.access(&line, true),
                LackeyOperation::Modify => {
                    self.access(&line, false);
                    self.access(&line, true);
                }
            }
        }
        Ok(self.ready.pop_front())
    }

    fn error_here(&self, found: String) -> InputError {
        self.lines.error(found)
    }

    fn lost(&self) -> Vec<Lost> {
        self.pace.lost(self.instructions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::input::Input;
    use std::io::Cursor;

    #[test]
    fn instructions_become_gaps_and_a_change_a_load_and_a_store() {
        let text = "==7== Lackey\nI  400000,3\nI  400003,4\n L 1000,8\nI  400007,2\n M 1040,4\nI  400009,2\nI  40000b,2\n\
                    I  40000d,4\n S 2000,160\nI  400011,2\n==7== Exit code: 0\n";
        let lines = Lines::new(Input::new("t", Cursor::new(text)).expect("readable"));
        let mut trace = Lackey::new(lines);
        let mut found = Vec::new();
        while let Some(record) = trace.next_record().expect("is sound") {
            let What::Access { addr, size, write, dep } = record.what else {
                panic!("no mark")
            };
            found.push((record.gap, addr, size, write, dep));
        }
        let expected = [
            (1, 0x1000, 8, false, 0),
            (0, 0x1040, 4, false, 0),
            (0, 0x1040, 4, true, 1),
            // Two instructions before it, less the one that made two accesses.
            (1, 0x2000, 64, true, 0),
            (0, 0x2040, 64, true, 0),
            (0, 0x2080, 32, true, 0),
        ];
        assert_eq!(found, expected);
        assert_eq!(trace.lost().iter().map(|lost| lost.count).collect::<Vec<_>>(), [7, 0]);
    }
}
