// SPDX-License-Identifier: MIT OR Apache-2.0
//! Compression (BEN-9, by the function of Mälardalen's `compress`): Lempel, Ziv and Welch's method with a hash table in
//! memory. Codes are as wide as the largest so far needs; when there are no more, all are forgotten. Each byte of the
//! input makes a probe of the table at a place that looks random.

mod decoder;
mod text;

use crate::Area;
use crate::kernel::{Kernel, Looped};
use crate::parameter::{Kind, Parameter};
use crate::recorder::{LOOP, Recorder, Source};
use crate::registry::{Build, PASSES, ProgramKind, passes};
use crate::traced::{Layout, Traced};

/// The code that says: forget all codes but those of single bytes.
const CLEAR: u32 = 256;
/// The first code of a longer string.
const FIRST: u32 = 257;
/// Bits of the narrowest codes.
const NARROWEST: u32 = 9;
/// 2^32 over the golden ratio: spreads keys over the table.
const SPREAD: u32 = 0x9e37_79b1;

/// Entry in the table of programs.
pub(crate) static COMPRESS: ProgramKind = ProgramKind {
    name: Compress::NAME,
    doc: "compresses a text by LZW with a hash table (BEN-9)",
    parameters: &[
        &[
            Parameter {
                name: "bytes",
                kind: Kind::Size {
                    min: 1,
                    max: 1 << 28,
                    multiple: 1,
                    default: 64 << 10,
                },
                doc: "length of the text",
            },
            Parameter {
                name: "bits",
                kind: Kind::Count {
                    min: NARROWEST as u64,
                    max: 16,
                    default: 12,
                },
                doc: "bits of the widest code; the hash table takes 12 bytes for each of the 2^bits codes",
            },
        ],
        PASSES,
    ],
    build: Build::Program(|values, setting| {
        let text = text::create(values.number("bytes") as usize, setting.seed);
        let kernel = Compress::new(text, values.number("bits") as u32);
        Ok(Box::new(Looped::new(kernel, passes(values))))
    }),
};

/// Bits of the codes that are written when `next` is the next to be defined.
fn width(next: u32) -> u32 {
    (next - 1).ilog2() + 1
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Empty one place of the hash table.
    Forget,
    /// Take one byte of the text.
    Take,
}

/// The running program. A pass compresses the text once.
pub(crate) struct Compress {
    bits: u32,
    text: Traced<u8>,
    output: Traced<u8>,
    /// The hash table: string and byte that follows, plus one (0: empty); and the code of the two.
    keys: Traced<u32>,
    codes: Traced<u16>,
    phase: Phase,
    i: usize,
    /// Registers: bytes taken and written, the next code, the string read so far and where it came from, bits not yet
    /// written and their number.
    taken: usize,
    written: usize,
    next: u32,
    string: Option<(u32, Source)>,
    pending: u32,
    pending_bits: u32,
    passes: u64,
}

impl Compress {
    /// Compresses `text`, which is not empty, with codes of at most `bits` bits, 9 to 16.
    pub fn new(text: Vec<u8>, bits: u32) -> Self {
        // At worst a code per byte, and a code to forget for each table full.
        let codes = text.len() + text.len() / ((1 << bits) - FIRST as usize) + 1;
        let places = 2 << bits;
        let mut layout = Layout::new();
        Self {
            bits,
            text: layout.array(text),
            output: layout.array(vec![0; (codes * bits as usize).div_ceil(8)]),
            keys: layout.array(vec![0; places]),
            codes: layout.array(vec![0; places]),
            phase: Phase::Forget,
            i: 0,
            taken: 0,
            written: 0,
            next: FIRST,
            string: None,
            pending: 0,
            pending_bits: 0,
            passes: 0,
        }
    }

    /// Appends `code`, which came from `source`, to the output.
    fn write(&mut self, code: u32, source: Source, recorder: &mut Recorder<'_>) {
        self.pending |= code << self.pending_bits;
        self.pending_bits += width(self.next);
        recorder.work(3); // shift, or, add
        while self.pending_bits >= 8 {
            self.write_byte(source, recorder);
        }
    }

    fn write_byte(&mut self, source: Source, recorder: &mut Recorder<'_>) {
        self.output.set(self.written, self.pending as u8, source, recorder);
        self.written += 1;
        self.pending >>= 8;
        self.pending_bits = self.pending_bits.saturating_sub(8);
        recorder.work(2 + LOOP); // shift, subtract
    }

    /// Takes a byte: the string grows by it if the table knows the longer one, else its code is written, the longer
    /// string gets a code, and the byte begins the next string.
    fn take(&mut self, recorder: &mut Recorder<'_>) {
        let (byte, source) = self.text.get(self.taken, Source::NONE, recorder);
        let byte = u32::from(byte);
        self.taken += 1;
        let Some((string, before)) = self.string.replace((byte, source)) else {
            return;
        };
        let key = (string << 8 | byte) + 1;
        let mut place = (key.wrapping_mul(SPREAD) >> (u32::BITS - 1 - self.bits)) as usize;
        let mut at = source.and(before);
        recorder.work(5); // shift, or, add, multiply, shift
        loop {
            let (found, from) = self.keys.get(place, at, recorder);
            recorder.work(2); // compare with the key, with nothing
            if found == key {
                let (code, from) = self.codes.get(place, from, recorder);
                self.string = Some((u32::from(code), from));
                return;
            }
            at = from;
            if found == 0 {
                break;
            }
            place = (place + 1) % self.keys.data.len();
            recorder.work(LOOP);
        }
        self.write(string, before, recorder);
        self.keys.set(place, key, at, recorder);
        self.codes.set(place, self.next as u16, at, recorder);
        self.next += 1;
        recorder.work(2); // increment, compare with the last code
        if self.next == 1 << self.bits {
            self.write(CLEAR, Source::NONE, recorder);
            (self.phase, self.next) = (Phase::Forget, FIRST);
        }
    }

    /// The text is over: writes the last string and the bits that are left.
    fn finish(&mut self, recorder: &mut Recorder<'_>) {
        if let Some((string, source)) = self.string.take() {
            self.write(string, source, recorder);
            if self.pending_bits > 0 {
                self.write_byte(source, recorder);
            }
        }
        self.passes += 1;
    }
}

impl Kernel for Compress {
    const NAME: &'static str = "compress";

    fn areas(&self) -> Vec<Area> {
        vec![
            self.text.area("text"),
            self.output.area("output"),
            self.keys.area("keys"),
            self.codes.area("codes"),
        ]
    }

    fn step(&mut self, recorder: &mut Recorder<'_>) -> bool {
        if self.phase == Phase::Forget && self.i == 0 && self.taken == self.text.data.len() {
            (self.taken, self.written, self.next) = (0, 0, FIRST);
        }
        match self.phase {
            Phase::Forget => {
                self.keys.set(self.i, 0, Source::NONE, recorder);
                self.i += 1;
                if self.i == self.keys.data.len() {
                    (self.phase, self.i) = (Phase::Take, 0);
                }
            }
            Phase::Take => self.take(recorder),
        }
        recorder.work(LOOP);
        let last = self.taken == self.text.data.len() && self.string.is_some();
        if last {
            self.finish(recorder);
            self.phase = Phase::Forget;
        }
        last
    }

    /// Decompresses: the output so far must be the beginning of the text, that of a whole pass the text.
    fn verify(&self) -> Result<(), String> {
        let bytes = decoder::decode(&self.output.data[..self.written], self.bits)?;
        let text = &self.text.data;
        if let Some(i) = (0..bytes.len()).find(|&i| text.get(i) != Some(&bytes[i])) {
            return Err(format!("byte {i} is not what it was before compression"));
        }
        let whole = self.taken == text.len() && self.string.is_none() && self.passes > 0;
        if whole && bytes.len() < text.len() {
            return Err(format!("{} of {} bytes come back", bytes.len(), text.len()));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
