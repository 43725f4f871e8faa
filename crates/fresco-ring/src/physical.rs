// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the words of a processor mean that is recorded with the machine it belongs to.
//!
//! A stream is one processor's: [`BEGIN`] with its number, then accesses and gaps. An access has, in bits 52–60, the instructions before it
//! since the word before, 51 whether it is a store, 45–50 its bytes less one (1 to 64), and below its physical address. [`gap`]
//! is so many instructions more before the access that follows, or before the end.
//!
//! A program says by a mark where a processor is to be recorded from, or up to: an instruction of no effect, a NOP of eight bytes with a
//! displacement that compilers do not use.

pub use crate::event::BEGIN;

const GAP: u64 = 3 << 61;
const GAP_AT: u32 = 52;
/// Bits of the gap within an access.
pub const GAP_BITS: u32 = 9;
const STORE: u64 = 1 << 51;
const SIZE_AT: u32 = 45;
/// Bits of a physical address.
const ADDRESS: u64 = (1 << SIZE_AT) - 1;

/// The processor that executes it is recorded from here on.
pub const BEGIN_MARK: [u8; 8] = [0x0f, 0x1f, 0x84, 0x00, b'f', b'r', b'b', b'1'];
/// The processor that executes it is recorded up to here.
pub const END_MARK: [u8; 8] = [0x0f, 0x1f, 0x84, 0x00, b'f', b'r', b'e', b'1'];

/// A word of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// The first: number of the processor.
    Begin(u32),
    /// So many instructions.
    Gap(u64),
    /// A load or store.
    Access {
        /// Instructions before it, besides those of gaps.
        gap: u64,
        /// Physical address.
        address: u64,
        /// Bytes, 1 to 64.
        size: u8,
        /// A store.
        store: bool,
    },
}

impl Word {
    /// What a word means; `None` for a word of no meaning.
    pub fn of(word: u64) -> Option<Self> {
        match word >> 61 {
            0 => Some(Self::Access {
                gap: word >> GAP_AT & ((1 << GAP_BITS) - 1),
                address: word & ADDRESS,
                size: (word >> SIZE_AT & 63) as u8 + 1,
                store: word & STORE != 0,
            }),
            3 => Some(Self::Gap(word & !GAP)),
            6 => Some(Self::Begin((word & 0xffff_ffff) as u32)),
            _ => None,
        }
    }
}

/// The word of so many instructions, below 2^61.
pub fn gap(instructions: u64) -> u64 {
    GAP | instructions & !GAP
}

/// The word of an access after a gap below 2^9, of 1 to 64 bytes. Of an address only 45 bits are kept.
#[inline]
pub fn access(gap: u64, address: u64, size: u64, store: bool) -> u64 {
    gap << GAP_AT | u64::from(store) << 51 | (size - 1) << SIZE_AT | address & ADDRESS
}

/// What is recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Instructions of each processor after the mark that are left out.
    pub skip: u64,
    /// Instructions of each processor that are recorded.
    pub instructions: u64,
    /// Processors that are waited for.
    pub processors: u32,
}

impl Settings {
    /// As arguments of a plugin: each after a comma.
    pub fn arguments(&self) -> String {
        let Self {
            skip,
            instructions,
            processors,
        } = self;
        format!(",skip={skip},instructions={instructions},processors={processors}")
    }

    /// From the arguments of a plugin; those of others are left alone.
    pub fn of(arguments: &[&str]) -> Self {
        let number = |name: &str| {
            let values = arguments
                .iter()
                .filter_map(|argument| argument.strip_prefix(name)?.strip_prefix('='));
            values.filter_map(|value| value.parse().ok()).next()
        };
        Self {
            skip: number("skip").unwrap_or(0),
            instructions: number("instructions").unwrap_or(0),
            processors: number("processors").unwrap_or(0) as u32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_say_what_was_written() {
        for (gap, address, size, store) in [
            (0, 0, 1, false),
            (511, ADDRESS, 64, true),
            (7, 0x1234_5678_9abc, 8, false),
        ] {
            let word = Word::of(access(gap, address, size, store));
            let size = size as u8;
            assert_eq!(
                word,
                Some(Word::Access {
                    gap,
                    address,
                    size,
                    store
                })
            );
        }
        assert_eq!(Word::of(super::gap(1 << 40)), Some(Word::Gap(1 << 40)));
        assert_eq!(Word::of(BEGIN | 5), Some(Word::Begin(5)));
        assert_eq!(Word::of(1 << 61), None);
    }

    #[test]
    fn settings_travel_as_arguments() {
        let settings = Settings {
            skip: 5,
            instructions: 1 << 40,
            processors: 3,
        };
        let text = settings.arguments();
        let arguments: Vec<&str> = text.split(',').collect();
        assert_eq!(Settings::of(&arguments), settings);
    }
}
