// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the words of a processor mean that is recorded with the machine it belongs to.
//!
//! A stream is one processor's. The three highest bits of a word say what it is:
//!
//! | | below |
//! |---|---|
//! | [`access`] | bits 52–60 the number of the instruction in its block, 51 a store, 45–50 its bytes less one (1 to 64), 44 of no instruction of the block that runs; then its physical address |
//! | [`DEFINE`] | bits 32–47 the number of instructions, below the block's number; then words: its address, a byte for the length of each instruction, the instructions' bytes, each list filled up to whole words |
//! | [`hit`] | a load that is left out, of a line that a load has brought a moment ago: bits 52–60 as above, below how many accesses of the stream came after that load |
//! | [`block`] | a block runs: its number. Before its accesses |
//! | [`BEGIN`] | the first word: number of the processor |
//! | [`end`] | so many instructions of the block that came last are recorded, and nothing after them |
//!
//! A stream defines each block before it runs there for the first time; a number means the same block in all streams.
//!
//! A program says by a mark where a processor is to be recorded from, or up to: an instruction of no effect, a NOP of eight bytes with a
//! displacement that compilers do not use.

pub use crate::event::{BEGIN, DEFINE};
use crate::event::{BLOCK, END, KIND, ORDER};

const HIT: u64 = ORDER;
const PLACE_AT: u32 = 52;
/// Instructions of a block, at most: as many as there are places.
pub const PLACES: u64 = 1 << 9;
const STORE: u64 = 1 << 51;
const SIZE_AT: u32 = 45;
const ELSEWHERE_AT: u32 = 44;
/// Bits of a physical address.
const ADDRESS: u64 = (1 << ELSEWHERE_AT) - 1;
/// Instructions after a load during which what is left out of the same line may still wait for it: more than any core has under way.
pub const UNDER_WAY: u64 = 512;

/// The processor that executes it is recorded from here on.
pub const BEGIN_MARK: [u8; 8] = [0x0f, 0x1f, 0x84, 0x00, b'f', b'r', b'b', b'1'];
/// The processor that executes it is recorded up to here.
pub const END_MARK: [u8; 8] = [0x0f, 0x1f, 0x84, 0x00, b'f', b'r', b'e', b'1'];

/// Instructions for which one PAUSE counts in a closed loop: some 140 cycles on a core that begins four in each (Intel's optimisation manual
/// has 140 for cores since Skylake, and it says that a processor waits).
pub const PAUSE: u64 = 512;

/// A word of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// The first: number of the processor.
    Begin(u32),
    /// A block is defined by the words that follow.
    Define {
        /// Its instructions.
        instructions: u16,
        /// Its number.
        number: u32,
    },
    /// A block runs.
    Block(u32),
    /// A load or store.
    Access(Access),
    /// A load that is left out.
    Hit {
        /// Which instruction of the block.
        place: u16,
        /// Accesses of the stream after the load that has brought its line.
        after: u32,
    },
    /// So many instructions of the last block are recorded.
    End(u64),
}

/// A load or store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Which instruction of the block.
    pub place: u16,
    /// It is of no instruction of the block that runs: the emulator has begun one in its middle.
    pub elsewhere: bool,
    /// Physical address.
    pub address: u64,
    /// Bytes, 1 to 64.
    pub size: u8,
    /// A store.
    pub store: bool,
}

impl Word {
    /// What a word means; `None` for a word of no meaning.
    #[inline(always)]
    pub fn of(word: u64) -> Option<Self> {
        let (place, low) = ((word >> PLACE_AT & (PLACES - 1)) as u16, word as u32);
        match word & KIND {
            0 => Some(Self::Access(Access {
                place,
                elsewhere: word >> ELSEWHERE_AT & 1 == 1,
                address: word & ADDRESS,
                size: (word >> SIZE_AT & 63) as u8 + 1,
                store: word & STORE != 0,
            })),
            DEFINE => Some(Self::Define {
                instructions: (word >> 32 & 0xffff) as u16,
                number: low,
            }),
            HIT => Some(Self::Hit { place, after: low }),
            BLOCK => Some(Self::Block(low)),
            BEGIN => Some(Self::Begin(low)),
            END => Some(Self::End(word & !KIND)),
            _ => None,
        }
    }
}

/// The word of an access of 1 to 64 bytes by the instruction at `place`, below [`PLACES`]. Of an address only 44 bits are kept.
#[inline]
pub fn access(place: u64, address: u64, size: u64, store: bool) -> u64 {
    place << PLACE_AT | u64::from(store) << 51 | (size - 1) << SIZE_AT | address & ADDRESS
}

/// The same of an instruction that is none of the block that runs.
#[inline]
pub fn elsewhere(address: u64, size: u64, store: bool) -> u64 {
    1 << ELSEWHERE_AT | access(0, address, size, store)
}

/// The word of a load that is left out, and of whose line a load has come `after` accesses before, below 2^32.
#[inline]
pub fn hit(place: u64, after: u64) -> u64 {
    HIT | place << PLACE_AT | after & 0xffff_ffff
}

/// The word of a block that runs, by its number.
#[inline]
pub fn block(number: u32) -> u64 {
    BLOCK | u64::from(number)
}

/// The last word: so many instructions of the block that came last are recorded.
pub fn end(instructions: u64) -> u64 {
    END | instructions & !KIND
}

/// The words that define a block at `address` with these instructions, at most [`PLACES`].
pub fn definition(number: u32, address: u64, instructions: &[&[u8]]) -> Vec<u64> {
    let sizes: Vec<u8> = instructions.iter().map(|bytes| bytes.len() as u8).collect();
    let mut words = vec![DEFINE | (sizes.len() as u64) << 32 | u64::from(number), address];
    for bytes in [sizes, instructions.concat()] {
        words.extend(bytes.chunks(8).map(|chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            u64::from_le_bytes(word)
        }));
    }
    words
}

/// A block as its definition says it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Defined {
    /// Address of its first instruction.
    pub address: u64,
    /// The bytes of each instruction.
    pub instructions: Vec<Vec<u8>>,
}

impl Defined {
    /// Reads what follows the first word, which says how many instructions there are; also the number of words that it takes. `None` if
    /// it is cut off.
    pub fn read(instructions: u16, words: &[u64]) -> Option<(Self, usize)> {
        let count = usize::from(instructions);
        let (address, rest) = words.split_first()?;
        let bytes = |words: &[u64]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
        let (sizes, rest) = rest.split_at_checked(count.div_ceil(8))?;
        let sizes = &bytes(sizes)[..count];
        let length = sizes.iter().map(|size| usize::from(*size)).sum::<usize>();
        let code = bytes(rest.get(..length.div_ceil(8))?);
        let mut code = &code[..];
        let mut all = Vec::with_capacity(count);
        for size in sizes {
            let (one, more) = code.split_at(usize::from(*size));
            all.push(one.to_vec());
            code = more;
        }
        let taken = 1 + count.div_ceil(8) + length.div_ceil(8);
        Some((
            Self {
                address: *address,
                instructions: all,
            },
            taken,
        ))
    }
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
    /// In a closed loop, instructions that a processor executes until it hands over to the model; 0: an open one. A closed loop begins
    /// when all processors have come to the begin of what is recorded.
    pub window: u64,
    /// A closed loop begins a multiple of so many nanoseconds after a processor's mark, by the machine's time; 0: when it would anyway.
    pub align: u64,
    /// Where memory ends: what is accessed beyond is a device's, and not told. 0: nothing is.
    pub below: u64,
}

impl Settings {
    /// As arguments of a plugin: each after a comma.
    pub fn arguments(&self) -> String {
        let Self {
            skip,
            instructions,
            processors,
            window,
            align,
            below,
        } = self;
        format!(
            ",skip={skip},instructions={instructions},processors={processors},window={window},align={align},below={below}"
        )
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
            window: number("window").unwrap_or(0),
            align: number("align").unwrap_or(0),
            below: number("below").unwrap_or(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_say_what_was_written() {
        for (place, address, size, store) in [
            (0, 0, 1, false),
            (511, ADDRESS, 64, true),
            (7, 0x234_5678_9abc, 8, false),
        ] {
            let said = |elsewhere, place| {
                let size = size as u8;
                Some(Word::Access(Access {
                    place,
                    elsewhere,
                    address,
                    size,
                    store,
                }))
            };
            assert_eq!(Word::of(access(place, address, size, store)), said(false, place as u16));
            assert_eq!(Word::of(elsewhere(address, size, store)), said(true, 0));
        }
        let after = u32::MAX;
        assert_eq!(Word::of(hit(511, after.into())), Some(Word::Hit { place: 511, after }));
        assert_eq!(Word::of(block(u32::MAX)), Some(Word::Block(u32::MAX)));
        assert_eq!(Word::of(end(1 << 40)), Some(Word::End(1 << 40)));
        assert_eq!(Word::of(BEGIN | 5), Some(Word::Begin(5)));
        assert_eq!(Word::of(4 << 61), None);
    }

    #[test]
    fn definitions_are_read_as_they_are_written() {
        let code: Vec<Vec<u8>> = (0..11).map(|size| (0..size).collect()).collect();
        let all: Vec<&[u8]> = code.iter().map(Vec::as_slice).collect();
        let mut words = definition(77, 0xffff_ffff_8100_0000, &all);
        let (instructions, number) = (11, 77);
        assert_eq!(Word::of(words[0]), Some(Word::Define { instructions, number }));
        // 11 lengths, 55 bytes.
        assert_eq!(words.len(), 2 + 2 + 7);
        for cut in 1..words.len() {
            assert_eq!(Defined::read(instructions, &words[1..cut]), None, "{cut}");
        }
        words.push(block(77));
        let defined = Defined {
            address: 0xffff_ffff_8100_0000,
            instructions: code,
        };
        assert_eq!(Defined::read(instructions, &words[1..]), Some((defined, 10)));
    }

    #[test]
    fn settings_travel_as_arguments() {
        let settings = Settings {
            skip: 5,
            instructions: 1 << 40,
            processors: 3,
            window: 2000,
            align: 64_000_000,
            below: 1 << 30,
        };
        let text = settings.arguments();
        let arguments: Vec<&str> = text.split(',').collect();
        assert_eq!(Settings::of(&arguments), settings);
    }
}
