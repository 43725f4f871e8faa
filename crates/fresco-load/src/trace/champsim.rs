// SPDX-License-Identifier: MIT OR Apache-2.0
//! ChampSim's traces: 64 bytes for each instruction, `input_instr` of its `inc/trace_instruction.h`.
//!
//! | bytes | content, little-endian |
//! |---|---|
//! | 0–7 | address of the instruction |
//! | 8 | 1: a branch |
//! | 9 | 1: it was taken |
//! | 10–11 | registers written; 0: none |
//! | 12–15 | registers read; 0: none |
//! | 16–31 | two addresses stored to; 0: none |
//! | 32–63 | four addresses loaded from; 0: none |

use super::ftrace::{Record, What};
use super::input::{Input, unreadable};
use super::records::{Lost, Pace, Records, to_end_of_line};
use fresco_input::InputError;
use std::collections::VecDeque;
use std::io::{BufReader, ErrorKind, Read};

/// Bytes of an instruction.
pub(crate) const INSTRUCTION: usize = 64;
/// The stack pointer, by the numbers of Pin.
const STACK_POINTER: u8 = 6;
/// The instruction pointer.
const INSTRUCTION_POINTER: u8 = 26;
/// Bytes of an access, at most: the format says no sizes, and most are of a word.
const WORD: u8 = 8;
/// Addresses of programs' instructions lie below this.
const CODE_LIMIT: u64 = 1 << 48;

/// The size that an access is taken to have: a word, or what is left of its line.
pub(crate) fn size_at(addr: u64) -> u8 {
    WORD.min(to_end_of_line(addr))
}

/// Returns true if a stream with these first bytes may be such a trace: two bytes that say yes or no stand where a text has none, after the
/// address of an instruction.
pub(crate) fn is_likely(head: &[u8]) -> bool {
    let address = head.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    head.len() >= INSTRUCTION && head[8] <= 1 && head[9] <= 1 && (1..CODE_LIMIT).contains(&address)
}

/// An instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Instruction {
    pub address: u64,
    pub branch: bool,
    pub taken: bool,
    pub written: [u8; 2],
    pub read: [u8; 4],
    pub stores: [u64; 2],
    pub loads: [u64; 4],
}

impl Instruction {
    /// As it stands in a file.
    pub fn to_bytes(self) -> [u8; INSTRUCTION] {
        let mut bytes = [0; INSTRUCTION];
        bytes[..8].copy_from_slice(&self.address.to_le_bytes());
        bytes[8] = u8::from(self.branch);
        bytes[9] = u8::from(self.taken);
        bytes[10..12].copy_from_slice(&self.written);
        bytes[12..16].copy_from_slice(&self.read);
        let words = self.stores.iter().chain(&self.loads);
        for (place, word) in bytes[16..].chunks_exact_mut(8).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    /// The inverse; what is wrong with the bytes.
    pub fn of_bytes(bytes: &[u8; INSTRUCTION]) -> Result<Self, String> {
        let word = |at: usize| bytes[at..].first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
        if let Some(at) = [8, 9].into_iter().find(|at| bytes[*at] > 1) {
            return Err(format!("byte {at} of the instruction is {}", bytes[at]));
        }
        Ok(Self {
            address: word(0),
            branch: bytes[8] == 1,
            taken: bytes[9] == 1,
            written: [bytes[10], bytes[11]],
            read: [bytes[12], bytes[13], bytes[14], bytes[15]],
            stores: [word(16), word(24)],
            loads: [word(32), word(40), word(48), word(56)],
        })
    }
}

/// Such a trace as records.
///
/// Loads of an instruction come first, then its stores. An access needs the latest load that a register which the instruction reads derives
/// from; a store also the loads of its own instruction. A register that is written derives from the instruction's last load, or from the
/// registers read; the stack and instruction pointers from these alone, for what `pop` and `ret` load goes elsewhere.
pub(crate) struct ChampSim {
    name: String,
    reader: BufReader<Box<dyn Read + Send>>,
    pace: Pace,
    /// Instructions read.
    instructions: u64,
    branches: u64,
    /// Accesses handed out or ready.
    accesses: u64,
    /// Of each register the load that it derives from: its number among the accesses, from 1 on; 0: none.
    origins: [u64; 256],
    ready: VecDeque<Record>,
}

impl ChampSim {
    /// The instructions of `input`, from the first.
    pub fn new(input: Input) -> Self {
        Self {
            name: input.name.clone(),
            reader: BufReader::with_capacity(1 << 16, Box::new(input.into_read())),
            pace: Pace::default(),
            instructions: 0,
            branches: 0,
            accesses: 0,
            origins: [0; 256],
            ready: VecDeque::new(),
        }
    }

    /// The next instruction.
    fn instruction(&mut self) -> Result<Option<Instruction>, InputError> {
        let (mut bytes, mut length) = ([0; INSTRUCTION], 0);
        while length < INSTRUCTION {
            match self.reader.read(&mut bytes[length..]) {
                Ok(0) if length == 0 && self.instructions == 0 => {
                    return Err(InputError::new(&self.name, "contains no instruction")
                        .help("check that the trace was written to its end"));
                }
                Ok(0) if length == 0 => return Ok(None),
                Ok(0) => {
                    self.instructions += 1;
                    let found = format!("ends after {length} bytes of it: truncated");
                    return Err(self
                        .error_here(found)
                        .allowed("64 bytes for each instruction")
                        .help("copy or write it again"));
                }
                Ok(read) => length += read,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    let error = unreadable(&self.name, &error);
                    let found = format!("{}, after {} instructions", error.found, self.instructions);
                    return Err(InputError::new(&self.name, found).help(&error.help));
                }
            }
        }
        self.instructions += 1;
        let instruction = Instruction::of_bytes(&bytes);
        Ok(Some(instruction.map_err(|found| {
            self.error_here(found)
                .allowed("0 or 1, in a trace of ChampSim's input_instr")
                .help("check the format; traces of CloudSuite (cloudsuite_instr) have another layout")
        })?))
    }

    fn follow(&mut self, instruction: &Instruction) {
        self.pace.instruction();
        self.branches += u64::from(instruction.branch);
        let origin = |register: &u8| self.origins[usize::from(*register)];
        let needed = instruction.read.iter().map(origin).max().unwrap_or(0);
        let mut loaded = 0;
        for addr in instruction.loads.into_iter().filter(|addr| *addr != 0) {
            self.access(addr, false, needed);
            loaded = self.accesses;
        }
        for addr in instruction.stores.into_iter().filter(|addr| *addr != 0) {
            self.access(addr, true, needed.max(loaded));
        }
        for register in instruction.written.into_iter().filter(|register| *register != 0) {
            let moves_on = matches!(register, STACK_POINTER | INSTRUCTION_POINTER);
            self.origins[usize::from(register)] = if moves_on { needed } else { needed.max(loaded) };
        }
    }

    fn access(&mut self, addr: u64, write: bool, needed: u64) {
        self.accesses += 1;
        let distance = if needed > 0 { self.accesses - needed } else { 0 };
        let what = What::Access {
            addr,
            size: size_at(addr),
            write,
            dep: u32::try_from(distance).unwrap_or(0),
        };
        let gap = self.pace.gap();
        self.ready.push_back(Record { thread: 0, gap, what });
    }
}

impl Records for ChampSim {
    fn next_record(&mut self) -> Result<Option<Record>, InputError> {
        while self.ready.is_empty() {
            match self.instruction()? {
                Some(instruction) => self.follow(&instruction),
                None => return Ok(None),
            }
        }
        Ok(self.ready.pop_front())
    }

    fn error_here(&self, found: String) -> InputError {
        InputError::new(&self.name, format!("instruction {}: {found}", self.instructions))
    }

    fn lost(&self) -> Vec<Lost> {
        let branches = Lost {
            count: self.branches,
            what: "branches",
        };
        [vec![branches], self.pace.lost(self.instructions)].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn read(bytes: Vec<u8>) -> Result<(Vec<Record>, Vec<u64>), String> {
        let mut trace = ChampSim::new(Input::new("t", Cursor::new(bytes)).expect("readable"));
        let mut records = Vec::new();
        while let Some(record) = trace.next_record().map_err(|error| error.to_string())? {
            records.push(record);
        }
        Ok((records, trace.lost().iter().map(|lost| lost.count).collect()))
    }

    fn bytes(instructions: &[Instruction]) -> Vec<u8> {
        instructions.iter().flat_map(|i| i.to_bytes()).collect()
    }

    fn made(written: [u8; 2], read: [u8; 4], loads: [u64; 4], stores: [u64; 2]) -> Instruction {
        Instruction {
            address: 0x40_0000,
            written,
            read,
            loads,
            stores,
            ..Instruction::default()
        }
    }

    #[test]
    fn the_layout_is_that_of_champsim() {
        let instruction = Instruction {
            address: 0x0102_0304_0506_0708,
            branch: true,
            taken: false,
            written: [0x11, 0x12],
            read: [0x21, 0x22, 0x23, 0x24],
            stores: [0x31, 0x32],
            loads: [0x41, 0x42, 0x43, 0x44],
        };
        let bytes = instruction.to_bytes();
        assert_eq!(
            bytes[..16],
            [8, 7, 6, 5, 4, 3, 2, 1, 1, 0, 0x11, 0x12, 0x21, 0x22, 0x23, 0x24]
        );
        let words: Vec<u8> = [0x31, 0x32, 0x41, 0x42, 0x43, 0x44]
            .into_iter()
            .flat_map(u64::to_le_bytes)
            .collect();
        assert_eq!(bytes[16..], words);
        assert_eq!(Instruction::of_bytes(&bytes), Ok(instruction));
    }

    #[test]
    fn registers_give_the_dependences() {
        let chase = made([3, 0], [3, 0, 0, 0], [0x1000, 0, 0, 0], [0, 0]);
        let add = made([4, 25], [3, 4, 0, 0], [0; 4], [0; 2]);
        let store = made([0, 0], [4, 5, 0, 0], [0; 4], [0x2000, 0]);
        let fresh = made([3, 0], [6, 0, 0, 0], [0x3000, 0, 0, 0], [0, 0]);
        let both = made([25, 0], [3, 0, 0, 0], [0x4000, 0, 0, 0], [0x4000, 0]);
        // `pop rbx` moves the stack pointer, which what it loads is not.
        let pop = made([6, 3], [6, 0, 0, 0], [0x7000, 0, 0, 0], [0, 0]);
        let push = made([6, 0], [6, 7, 0, 0], [0; 4], [0x6ff8, 0]);
        let sound = [chase, chase, add, store, fresh, both, add, pop, push];
        let (records, lost) = read(bytes(&sound)).expect("is sound");
        let found: Vec<(u64, bool, u32)> = records
            .iter()
            .map(|record| match record.what {
                What::Access { write, dep, .. } => (record.gap, write, dep),
                What::Mark(_) => panic!("no mark"),
            })
            .collect();
        let expected = [
            (0, false, 0),
            (0, false, 1),
            (1, true, 1),
            (0, false, 0),
            (0, false, 1),
            (0, true, 1),
            // One instruction without access, less the one that made two.
            (0, false, 0),
            (0, true, 0),
        ];
        assert_eq!(found, expected);
        assert_eq!(lost, [0, 9, 0]);
    }

    #[test]
    fn sizes_stay_within_a_line() {
        assert_eq!([0u64, 56, 57, 63].map(size_at), [8, 8, 7, 1]);
    }

    #[test]
    fn what_is_no_such_trace_is_told_with_its_place() {
        let sound = bytes(&[made([1, 0], [0; 4], [64, 0, 0, 0], [0, 0]); 3]);
        assert!(is_likely(&sound) && !is_likely(&sound[..63]) && !is_likely(&[0; 64]));
        assert!(!is_likely(
            b"0x1f40 READ 12\n0x1f40 READ 12\n0x1f40 READ 12\n0x1f40 READ 12\n0x1f40 READ 12\n"
        ));
        let error = read(sound[..150].to_vec()).expect_err("is truncated");
        assert!(
            error.contains("instruction 3: ends after 22 bytes of it: truncated"),
            "{error}"
        );
        let mut wrong = sound.clone();
        wrong[64 + 9] = 7;
        let error = read(wrong).expect_err("no branch");
        assert!(
            error.contains("instruction 2: byte 9 of the instruction is 7"),
            "{error}"
        );
        assert!(error.contains("help: "), "{error}");
        assert!(
            read(Vec::new())
                .expect_err("is empty")
                .contains("contains no instruction")
        );
    }
}
