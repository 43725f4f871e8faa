// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random straight-line code, beside an interpreter that shares nothing with the recorder: addresses, sizes and directions of all accesses,
//! and the load that each of them needs.
//!
//! Code is generated while it is interpreted, so that every address lies in one area. An origin is the number of the latest load that a
//! value derives from. A register has one, whatever part of it is read or written; so have all flags together; and so has each word of
//! eight bytes of the area, which is that of what was stored there last.

mod arm;
mod x86;

use crate::common::{options, recorded};
use fresco_load::trace::ftrace::{TraceReader, What};
use std::path::Path;

/// Where the area lies, and its bytes: as many words as a trace remembers, so that none takes another one's place.
const AREA: u64 = 0x1000_0000;
const BYTES: u64 = 8 * 4096;
/// The uppermost part of it is the stack.
const STACK: u64 = 4096;

/// The number of an access, from 1 on, which is a load; 0 is none.
type Origin = u32;

/// Numbers from a seed: xorshift64* (Vigna, 2016).
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `end`.
    fn below(&mut self, end: u64) -> u64 {
        (self.next() >> 33) % end
    }

    fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len() as u64) as usize]
    }

    /// A number whose length varies.
    fn number(&mut self) -> u64 {
        let bits = self.below(64);
        self.next() >> bits
    }
}

/// An access as it must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Expected {
    address: u64,
    size: u8,
    write: bool,
    /// How many accesses before is the load that it needs; 0: none.
    needs: u32,
}

/// The memory, its accesses, and the text of the code.
struct Memory {
    bytes: Vec<u8>,
    /// Origins of what was stored in each word.
    words: Vec<Origin>,
    accesses: Vec<Expected>,
    /// Lines of code, with the number of accesses before each.
    lines: Vec<(usize, String)>,
}

impl Memory {
    fn new(random: &mut Random) -> Self {
        Self {
            bytes: (0..BYTES / 8).flat_map(|_| random.number().to_le_bytes()).collect(),
            words: vec![0; BYTES as usize / 8],
            accesses: Vec::new(),
            lines: Vec::new(),
        }
    }

    fn line(&mut self, text: String) {
        self.lines.push((self.accesses.len(), text));
    }

    fn push(&mut self, address: u64, size: u8, write: bool, origin: Origin) -> Origin {
        let number = self.accesses.len() as u32 + 1;
        self.accesses.push(Expected {
            address,
            size,
            write,
            needs: if origin > 0 { number - origin } else { 0 },
        });
        number
    }

    /// The origins of the words that an access touches.
    fn origins(&mut self, address: u64, size: u8) -> &mut [Origin] {
        let at = (address - AREA) as usize;
        &mut self.words[at / 8..(at + usize::from(size)).div_ceil(8)]
    }

    /// The origin of what an access finds in memory.
    fn stored(&mut self, address: u64, size: u8) -> Origin {
        self.origins(address, size).iter().copied().max().unwrap_or(0)
    }

    /// A load; its number, which is the origin of what it brings.
    fn load(&mut self, address: u64, size: u8, origin: Origin) -> (u64, Origin) {
        let at = (address - AREA) as usize;
        let stored = self.stored(address, size);
        let number = self.push(address, size, false, origin.max(stored));
        let mut value = [0; 8];
        value[..usize::from(size)].copy_from_slice(&self.bytes[at..at + usize::from(size)]);
        (u64::from_le_bytes(value), number)
    }

    /// A store of data of an origin.
    fn store(&mut self, address: u64, size: u8, origin: Origin, (value, data): (u64, Origin)) {
        let at = (address - AREA) as usize;
        self.push(address, size, true, origin.max(data));
        self.origins(address, size).fill(data);
        self.bytes[at..at + usize::from(size)].copy_from_slice(&value.to_le_bytes()[..usize::from(size)]);
    }

    /// The area's first content, as directives of an assembler.
    fn directives(&self) -> String {
        let words = self.bytes.chunks_exact(8).map(|word| {
            let word = u64::from_le_bytes(word.try_into().expect("eight bytes"));
            format!(".quad {word:#x}\n")
        });
        format!(".section .area, \"aw\"\n{}", words.collect::<String>())
    }

    /// Records the program, and compares.
    fn check(&self, plugin: &Path, directory: &Path, program: &Path, seed: u64) {
        let options = options(plugin, directory, program, &[]);
        recorded(&options);
        let reader = TraceReader::open(&options.output).expect("a trace");
        let mut found = Vec::new();
        for record in reader {
            if let What::Access { addr, size, write, dep } = record.expect("sound").what {
                found.push(Expected {
                    address: addr,
                    size,
                    write,
                    needs: dep,
                });
            }
        }
        let differs = found
            .iter()
            .zip(&self.accesses)
            .position(|(found, expected)| found != expected);
        if let Some(at) = differs {
            let to = self
                .lines
                .iter()
                .rposition(|(before, _)| *before <= at)
                .map_or(0, |line| line + 1);
            let code: Vec<String> = self.lines[to.saturating_sub(40)..to]
                .iter()
                .map(|(before, text)| format!("{before:5} {text}"))
                .collect();
            panic!(
                "seed {seed}: access {at} is {:x?}, expected {:x?}:\n{}",
                found[at],
                self.accesses[at],
                code.join("\n")
            );
        }
        assert_eq!(found.len(), self.accesses.len(), "seed {seed}");
    }
}
