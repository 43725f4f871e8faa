// SPDX-License-Identifier: MIT OR Apache-2.0
//! Loads and stores of AArch64: section C4.1.94 of the Arm Architecture Reference Manual.

use super::a64::{Word, v, x};
use super::{Address, Effect, Registers};

const RT: u32 = 0;
const RN: u32 = 5;
const RT2: u32 = 10;
const RM: u32 = 16;

/// What a load or store does.
pub(super) fn effect(word: Word, effect: &mut Effect) {
    match (word.bits(29, 28), word.bit(26), word.bit(24)) {
        (0b00, true, _) => structures(word, effect),
        (0b00, false, _) => exclusive(word, effect),
        (0b01, _, false) => {
            // Relative to the instruction: a constant, each one of its own.
            let address = Address {
                space: 0x100 + word.bits(23, 5),
                ..Address::default()
            };
            access(effect, true, address, target(word, RT), 16);
            // A hint.
            effect.certain = word.bits(31, 30) != 3 || word.bit(26);
        }
        // With acquire or release: an offset that is not scaled.
        (0b01, ..) => {
            let loads = word.bits(23, 22) != 0;
            access(effect, loads, based(word, word.signed(20, 12)), target(word, RT), 16);
        }
        (0b10, ..) => pair(word, effect),
        _ => single(word, effect),
    }
}

/// A general register or, of vectors, one of those.
fn target(word: Word, at: u32) -> Registers {
    if word.bit(26) { word.v(at) } else { word.x(at) }
}

fn based(word: Word, displacement: i64) -> Address {
    Address {
        base: Some(word.field(RN)),
        displacement,
        ..Address::default()
    }
}

fn access(effect: &mut Effect, loads: bool, address: Address, registers: Registers, size: u8) {
    effect.size = size;
    if loads {
        effect.load = Some(address);
        effect.writes |= registers;
    } else {
        effect.store = Some(address);
        effect.data |= registers;
    }
}

/// The base moves on by a constant.
fn step(word: Word, effect: &mut Effect, by: i64) {
    effect.steps.push((word.field(RN), word.field(RN), by));
}

/// Structures of one to four vectors.
fn structures(word: Word, effect: &mut Effect) {
    let one = word.bit(24);
    let count = match (one, word.bits(15, 12)) {
        (true, _) => (word.bits(13, 13) << 1 | word.bits(21, 21)) as u8 + 1,
        (false, 0b0000 | 0b0010) => 4,
        (false, 0b0100 | 0b0110) => 3,
        (false, 0b1000 | 0b1010) => 2,
        _ => 1,
    };
    let registers = (0..count).fold(0, |set, n| set | v(word.field(RT) + n));
    access(effect, word.bit(22), based(word, 0), registers, 64);
    // One element replaces a part of its register; one that is copied to all does not.
    if one && word.bit(22) && word.bits(15, 14) != 3 {
        effect.merges |= registers;
    }
    if word.bit(23) {
        match word.field(RM) {
            31 => effect.copies.push((word.field(RN), word.field(RN))),
            _ => {
                effect.data |= word.x(RM);
                effect.copies.push((word.field(RN), word.field(RN)));
            }
        }
    }
}

/// Exclusive and ordered accesses, compare and swap.
fn exclusive(word: Word, effect: &mut Effect) {
    let (loads, pairs, swaps) = (
        word.bit(22),
        word.bit(21),
        word.bit(21) && (word.bit(23) || !word.bit(31)),
    );
    let (address, status) = (based(word, 0), word.x(RM));
    if swaps {
        let two = !word.bit(23);
        let pair = |at: u32| word.x(at) | if two { x(word.field(at) + 1) } else { 0 };
        access(effect, true, address, pair(RM), 16);
        access(effect, false, address, pair(RT) | pair(RM), 16);
        (effect.stores_loaded, effect.certain) = (true, false);
        return;
    }
    let registers = word.x(RT) | if pairs { word.x(RT2) } else { 0 };
    access(effect, loads, address, registers, 16);
    if !loads && !word.bit(23) {
        // Whether it was stored.
        effect.writes |= status;
        (effect.certain, effect.loads_nothing) = (false, true);
    }
}

fn pair(word: Word, effect: &mut Effect) {
    // Size of each: of vectors 4 to 16 bytes, of general registers 4 or 8 (and two words with their signs).
    let size = match (word.bit(26), word.bits(31, 30)) {
        (true, opc) => 4i64 << opc.min(2),
        (false, 2) => 8,
        (false, _) => 4,
    };
    let offset = word.signed(21, 15) * size;
    let displacement = if word.bits(24, 23) == 0b01 { 0 } else { offset };
    access(
        effect,
        word.bit(22),
        based(word, displacement),
        target(word, RT) | target(word, RT2),
        (size * 2) as u8,
    );
    if word.bit(23) {
        step(word, effect, offset);
    }
}

fn single(word: Word, effect: &mut Effect) {
    let (vectors, size, opc) = (word.bit(26), word.bits(31, 30), word.bits(23, 22));
    let loads = if vectors { opc & 1 == 1 } else { opc != 0 };
    let log = if vectors && opc & 2 == 2 { 4 } else { size };
    let bytes = 1u8 << log;
    let hint = !vectors && size == 3 && opc == 2;
    if word.bit(24) {
        let address = based(word, i64::from(word.bits(21, 10)) << log);
        access(effect, loads, address, target(word, RT), bytes);
    } else if !word.bit(21) {
        let offset = word.signed(20, 12);
        let (moves, first) = (word.bit(10), word.bits(11, 10) == 0b01);
        let address = based(word, if first { 0 } else { offset });
        access(effect, loads, address, target(word, RT), bytes);
        if moves {
            step(word, effect, offset);
        }
    } else {
        match word.bits(11, 10) {
            0b10 => {
                let option = word.bits(15, 13);
                let address = Address {
                    base: Some(word.field(RN)),
                    index: Some(word.field(RM)).filter(|index| *index != 31),
                    scale: if word.bit(12) { bytes } else { 1 },
                    displacement: 0,
                    // An index of 32 bits is extended in one of several ways.
                    space: if option == 0b011 { 0 } else { option },
                };
                access(effect, loads, address, target(word, RT), bytes);
            }
            0b00 => atomic(word, effect, bytes),
            // With pointer authentication.
            _ => access(effect, true, based(word, 0), word.x(RT), 8),
        }
    }
    if hint && (word.bit(24) || !word.bit(21) || word.bits(11, 10) == 0b10) {
        (effect.writes, effect.certain) = (0, false);
    }
}

/// What is loaded is changed by a register and stored.
fn atomic(word: Word, effect: &mut Effect, bytes: u8) {
    let address = based(word, 0);
    access(effect, true, address, word.x(RT), bytes);
    // Loads with acquire have a place here too.
    if word.bits(15, 12) != 0b1100 {
        access(effect, false, address, word.x(RM), bytes);
        // All but swp.
        effect.stores_loaded = word.bits(15, 12) != 0b1000;
    }
}
