// SPDX-License-Identifier: MIT OR Apache-2.0
//! AArch64: by the fields of the encodings, as chapter C4 of the Arm Architecture Reference Manual groups them. No disassembler is
//! needed to say which registers an instruction reads and writes.
//!
//! x0 to x30 are registers 0 to 30, the stack pointer is 31, v0 to v31 are 32 to 63. The flags share the number of x18, which the
//! platform reserves and compilers use last.

use super::{Effect, Registers};
use super::{a64_memory, a64_vector};

/// The flags.
const FLAGS: Registers = 1 << 18;
/// The stack pointer.
pub const SP: u8 = 31;
/// The link register.
const LINK: Registers = 1 << 30;

/// The fields of an instruction.
#[derive(Clone, Copy)]
pub(super) struct Word(pub u32);

impl Word {
    /// Bits `high` to `low`.
    pub fn bits(self, high: u32, low: u32) -> u32 {
        self.0 >> low & ((1u32 << (high - low) << 1).wrapping_sub(1))
    }

    /// A bit.
    pub fn bit(self, at: u32) -> bool {
        self.0 >> at & 1 == 1
    }

    /// The field that begins at bit `at`: the number of a register.
    pub fn field(self, at: u32) -> u8 {
        (self.0 >> at & 31) as u8
    }

    /// A general register, or the zero register, which is none.
    pub fn x(self, at: u32) -> Registers {
        x(self.field(at))
    }

    /// A general register, or the stack pointer.
    pub fn sp(self, at: u32) -> Registers {
        1 << self.field(at)
    }

    /// A vector register.
    pub fn v(self, at: u32) -> Registers {
        v(self.field(at))
    }

    /// The lowest `count` bits of a field as a signed number.
    pub fn signed(self, high: u32, low: u32) -> i64 {
        let width = high - low + 1;
        i64::from(self.bits(high, low)) << (64 - width) >> (64 - width)
    }
}

/// The general register with this number; 31 is zero.
pub(super) fn x(number: u8) -> Registers {
    if number & 31 == 31 { 0 } else { 1 << (number & 31) }
}

/// The vector register with this number.
pub(super) fn v(number: u8) -> Registers {
    1 << (32 + (number & 31))
}

/// Places of the fields of registers.
const RD: u32 = 0;
const RN: u32 = 5;
const RA: u32 = 10;
const RM: u32 = 16;

/// What an instruction does.
pub fn effect(bytes: &[u8]) -> Effect {
    let word = Word(bytes.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes)));
    let mut effect = Effect {
        certain: true,
        ..Effect::default()
    };
    // C4.1, bits 28 to 25.
    match word.bits(28, 25) {
        0b1000 | 0b1001 => immediate(word, &mut effect),
        0b1010 | 0b1011 => branch_or_system(word, &mut effect),
        0b0100 | 0b0110 | 0b1100 | 0b1110 => a64_memory::effect(word, &mut effect),
        0b0101 | 0b1101 => register(word, &mut effect),
        0b0111 | 0b1111 => vector(word, &mut effect),
        // Scalable vectors, whose accesses have addresses that are not followed.
        _ => both(&mut effect, word.v(RN) | word.v(RM) | word.v(RD), word.v(RD)),
    }
    effect
}

fn both(effect: &mut Effect, data: Registers, writes: Registers) {
    (effect.data, effect.writes) = (data, writes);
}

/// Data processing with an immediate.
fn immediate(word: Word, effect: &mut Effect) {
    let wide = word.bit(31);
    match word.bits(25, 23) {
        // Addresses relative to the instruction.
        0b000 | 0b001 => both(effect, 0, word.x(RD)),
        0b010 | 0b011 => {
            let flags = word.bit(29);
            let target = if flags { word.x(RD) } else { word.sp(RD) };
            both(effect, word.sp(RN), target | if flags { FLAGS } else { 0 });
            if wide && target != 0 && !word.bit(23) {
                let value = i64::from(word.bits(21, 10)) << if word.bit(22) { 12 } else { 0 };
                let by = if word.bit(30) { -value } else { value };
                effect.steps.push((word.field(RD), word.field(RN), by));
                effect.writes &= !target;
            }
        }
        0b100 => {
            let flags = word.bits(30, 29) == 3;
            let target = if flags { word.x(RD) | FLAGS } else { word.sp(RD) };
            both(effect, word.x(RN), target);
        }
        // All but movk replace the whole register.
        0b101 => both(effect, if word.bits(30, 29) == 3 { word.x(RD) } else { 0 }, word.x(RD)),
        0b110 => {
            let kept = if word.bits(30, 29) == 1 { word.x(RD) } else { 0 };
            both(effect, word.x(RN) | kept, word.x(RD));
        }
        _ => both(effect, word.x(RN) | word.x(RM), word.x(RD)),
    }
}

/// Branches, exceptions, system registers: only what they write matters.
fn branch_or_system(word: Word, effect: &mut Effect) {
    let call = word.bits(31, 26) == 0b10_0101 || word.bits(31, 21) == 0b110_1011_0001;
    if call {
        effect.writes = LINK;
    } else if word.bits(31, 20) == 0xd53 {
        effect.writes = word.x(RD);
    } else if word.0 & 0xffe0_001f == 0xd400_0001 {
        effect.writes = x(0);
    }
}

/// Data processing with registers.
fn register(word: Word, effect: &mut Effect) {
    both(effect, word.x(RN) | word.x(RM), word.x(RD));
    let flags = word.bit(29);
    match (word.bit(28), word.bits(24, 21)) {
        (false, kind) if kind & 0b1000 == 0 => {
            if word.bits(30, 29) == 3 {
                effect.writes |= FLAGS;
            }
            // mov: the bits of one register and of zero.
            let moves = word.bits(31, 21) == 0b101_0101_0000 && word.bits(15, 10) == 0;
            if moves && word.field(RN) == 31 && word.field(RM) != 31 && word.field(RD) != 31 {
                effect.steps.push((word.field(RD), word.field(RM), 0));
                effect.writes = 0;
            }
        }
        (false, kind) => {
            if kind & 1 == 1 {
                effect.data = word.sp(RN) | word.x(RM);
                effect.writes = if flags { word.x(RD) } else { word.sp(RD) };
            }
            if flags {
                effect.writes |= FLAGS;
            }
        }
        (true, 0b0000) => {
            effect.data |= FLAGS;
            effect.writes |= if flags { FLAGS } else { 0 };
        }
        (true, 0b0010) => {
            let second = if word.bit(11) { 0 } else { word.x(RM) };
            both(effect, word.x(RN) | second | FLAGS, FLAGS);
        }
        (true, 0b0100) => effect.data |= FLAGS,
        (true, 0b0110) if word.bit(30) => effect.data = word.x(RN),
        (true, kind) if kind & 0b1000 != 0 => effect.data |= word.x(RA),
        _ => {}
    }
}

/// Floating point and vectors.
fn vector(word: Word, effect: &mut Effect) {
    let (d, n, m) = (word.v(RD), word.v(RN), word.v(RM));
    let scalar = word.bits(30, 24) == 0b001_1110;
    if scalar && (word.bits(15, 10) == 0 || !word.bit(21)) {
        // Between general registers and these.
        match word.bits(18, 16) {
            0b010 | 0b011 | 0b111 => both(effect, word.x(RN), d),
            _ => both(effect, n, word.x(RD)),
        }
        return;
    }
    if scalar {
        match word.bits(11, 10) {
            0b01 => both(effect, n | m | FLAGS, FLAGS),
            0b10 => both(effect, n | m, d),
            0b11 => both(effect, n | m | FLAGS, d),
            _ if word.bits(13, 10) == 0b1000 => both(effect, n | m, FLAGS),
            // A constant.
            _ if word.bits(12, 10) == 0b100 => both(effect, 0, d),
            _ => both(effect, n, d),
        }
        return;
    }
    if word.bits(30, 24) == 0b001_1111 {
        both(effect, n | m | word.v(RA), d);
        return;
    }
    let copies = !word.bit(31) && word.bits(28, 21) == 0b0111_0000 && !word.bit(15) && word.bit(10);
    if copies {
        match (word.bit(29), word.bits(14, 11)) {
            (false, 0b0000) => both(effect, n, d),
            (false, 0b0001) => both(effect, word.x(RN), d),
            (false, 0b0011) => both(effect, word.x(RN) | d, d),
            (false, 0b0101 | 0b0111) => both(effect, n, word.x(RD)),
            _ => both(effect, n | d, d),
        }
        return;
    }
    if !word.bit(31) && word.bits(28, 19) == 0b01_1110_0000 && word.bit(10) {
        // A constant, or a constant put into what is there.
        let into = word.bit(12) && word.bits(15, 12) < 0b1100;
        both(effect, if into { d } else { 0 }, d);
        return;
    }
    both(effect, a64_vector::sources(word), d);
}
