// SPDX-License-Identifier: MIT OR Apache-2.0
//! x86-64.

mod memory;
mod registers;

use super::{AREA, BYTES, Memory, Origin, Random};
use crate::common::{built, plugin};

/// Names by size, as logarithm; the stack pointer (4) and r15, which points at the area, are left alone.
const NAMES: [[&str; 15]; 4] = [
    [
        "al", "cl", "dl", "bl", "", "bpl", "sil", "dil", "r8b", "r9b", "r10b", "r11b", "r12b", "r13b", "r14b",
    ],
    [
        "ax", "cx", "dx", "bx", "", "bp", "si", "di", "r8w", "r9w", "r10w", "r11w", "r12w", "r13w", "r14w",
    ],
    [
        "eax", "ecx", "edx", "ebx", "", "ebp", "esi", "edi", "r8d", "r9d", "r10d", "r11d", "r12d", "r13d", "r14d",
    ],
    [
        "rax", "rcx", "rdx", "rbx", "", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14",
    ],
];
const HIGH: [&str; 4] = ["ah", "ch", "dh", "bh"];
const SIZES: [&str; 4] = ["byte", "word", "dword", "qword"];
const CL: usize = 1;

/// Flags, those that conditions look at.
const CARRY: u8 = 1;
const ZERO: u8 = 2;
const SIGN: u8 = 4;
const OVERFLOW: u8 = 8;
const ALL: u8 = 15;

/// A part of a register: the lowest bytes, 2 to the power of `log` of them; or the second one.
#[derive(Clone, Copy)]
struct Part {
    register: usize,
    log: usize,
    high: bool,
}

impl Part {
    fn name(self) -> &'static str {
        if self.high {
            HIGH[self.register]
        } else {
            NAMES[self.log][self.register]
        }
    }
}

fn mask(log: usize) -> u64 {
    u64::MAX >> (64 - (8 << log))
}

fn sign(value: u64, log: usize) -> bool {
    value >> ((8 << log) - 1) & 1 == 1
}

fn extended(value: u64, log: usize) -> u64 {
    let unused = 64 - (8 << log);
    ((value << unused) as i64 >> unused) as u64
}

struct Machine {
    random: Random,
    memory: Memory,
    registers: [(u64, Origin); 15],
    vectors: [(u64, Origin); 8],
    flags: u8,
    /// Flags whose value is defined.
    defined: u8,
    flags_from: Origin,
    /// Words on the stack.
    depth: u64,
}

/// An operand and what it is: value and origin.
type Value = (u64, Origin);

fn join(a: Value, b: Value, value: u64) -> Value {
    (value, a.1.max(b.1))
}

impl Machine {
    fn emit(&mut self, text: String) {
        self.memory.line(text);
    }

    fn register(&mut self) -> usize {
        loop {
            let register = self.random.below(15) as usize;
            if register != 4 {
                return register;
            }
        }
    }

    /// A part of some register; no second byte where `low`.
    fn part(&mut self, log: usize, low: bool) -> Part {
        let register = self.register();
        let high = log == 0 && !low && register < 4 && self.random.below(2) == 0;
        Part { register, log, high }
    }

    fn get(&self, part: Part) -> Value {
        let (value, origin) = self.registers[part.register];
        (value >> (8 * u64::from(part.high)) & mask(part.log), origin)
    }

    /// Four bytes replace eight; fewer are put into what is there.
    fn set(&mut self, part: Part, (value, origin): Value) {
        let old = self.registers[part.register];
        self.registers[part.register] = match part.log {
            2 | 3 => (value & mask(part.log), origin),
            log => {
                let shift = 8 * u64::from(part.high);
                let kept = old.0 & !(mask(log) << shift);
                (kept | (value & mask(log)) << shift, old.1.max(origin))
            }
        };
    }

    /// Flags that were written, and those of them that are defined; the others keep what they were.
    fn set_flags(&mut self, flags: u8, written: u8, defined: u8, origin: Origin) {
        self.flags = self.flags & !written | flags & written;
        self.defined = self.defined & !written | written & defined;
        self.flags_from = match written {
            ALL => origin,
            _ => self.flags_from.max(origin),
        };
    }

    fn of_result(value: u64, log: usize) -> u8 {
        (u8::from(value & mask(log) == 0) * ZERO) | (u8::from(sign(value, log)) * SIGN)
    }

    /// `a + b + carry`, and all its flags.
    fn add(a: u64, b: u64, carry: u64, log: usize) -> (u64, u8) {
        let wide = u128::from(a) + u128::from(b) + u128::from(carry);
        let value = wide as u64 & mask(log);
        let overflow = sign((a ^ value) & (b ^ value), log);
        let carries = wide > u128::from(mask(log));
        (
            value,
            Self::of_result(value, log) | (u8::from(carries) * CARRY) | (u8::from(overflow) * OVERFLOW),
        )
    }

    fn subtract(a: u64, b: u64, borrow: u64, log: usize) -> (u64, u8) {
        let value = a.wrapping_sub(b).wrapping_sub(borrow) & mask(log);
        let overflow = sign((a ^ b) & (a ^ value), log);
        let borrows = u128::from(a) < u128::from(b) + u128::from(borrow);
        (
            value,
            Self::of_result(value, log) | (u8::from(borrows) * CARRY) | (u8::from(overflow) * OVERFLOW),
        )
    }

    /// An operation of two operands by its name: the result and its flags. It may read the carry.
    fn operate(&mut self, name: &str, a: Value, b: Value, log: usize) -> Value {
        let carry = u64::from(self.flags & CARRY);
        let mut origin = a.1.max(b.1);
        let (value, flags) = match name {
            "add" => Self::add(a.0, b.0, 0, log),
            "sub" | "cmp" => Self::subtract(a.0, b.0, 0, log),
            "adc" => Self::add(a.0, b.0, carry, log),
            "sbb" => Self::subtract(a.0, b.0, carry, log),
            _ => {
                let value = match name {
                    "and" | "test" => a.0 & b.0,
                    "or" => a.0 | b.0,
                    _ => a.0 ^ b.0,
                };
                (value, Self::of_result(value, log))
            }
        };
        if matches!(name, "adc" | "sbb") {
            origin = origin.max(self.flags_from);
        }
        self.set_flags(flags, ALL, ALL, origin);
        (value, origin)
    }

    /// One of these operations that can be executed now.
    fn operation(&mut self) -> &'static str {
        let name = self
            .random
            .of(&["add", "sub", "and", "or", "xor", "cmp", "test", "adc", "sbb"]);
        match name {
            "adc" | "sbb" if self.defined & CARRY == 0 => "add",
            name => name,
        }
    }

    fn keeps(name: &str) -> bool {
        matches!(name, "cmp" | "test")
    }

    /// A condition that is defined: its name, and whether it holds.
    fn condition(&mut self) -> Option<(&'static str, bool)> {
        let (name, flag, wanted) = self.random.of(&[
            ("z", ZERO, true),
            ("nz", ZERO, false),
            ("c", CARRY, true),
            ("ns", SIGN, false),
            ("o", OVERFLOW, true),
        ]);
        (self.defined & flag != 0).then_some((name, (self.flags & flag != 0) == wanted))
    }

    fn step(&mut self) {
        match self.random.below(16) {
            0..7 => self.registers_alone(),
            7 => self.multiply(),
            8..11 => self.load(),
            11..14 => self.store(),
            14 => self.stack(),
            _ => self.vectors(),
        }
    }
}

/// A program with so many steps.
fn program(seed: u64, steps: usize) -> (Memory, String) {
    let mut random = Random::new(seed);
    let memory = Memory::new(&mut random);
    let directives = memory.directives();
    let mut machine = Machine {
        random,
        memory,
        registers: [(0, 0); 15],
        vectors: [(0, 0); 8],
        flags: 0,
        defined: 0,
        flags_from: 0,
        depth: 0,
    };
    let mut start = format!("mov r15d, {AREA:#x}\nlea rsp, [r15 + {BYTES}]\n");
    for register in (0..15).filter(|register| *register != 4) {
        let value = machine.random.number();
        machine.registers[register].0 = value;
        start += &format!("mov {}, {value:#x}\n", NAMES[3][register]);
    }
    for vector in 0..8 {
        start += &format!("pxor xmm{vector}, xmm{vector}\n");
    }
    (0..steps).for_each(|_| machine.step());
    let lines: Vec<&str> = machine.memory.lines.iter().map(|(_, text)| text.as_str()).collect();
    let code = lines.join("\n");
    let source = format!(
        ".intel_syntax noprefix\n.globl _start\n.text\n_start:\n{start}{code}\nxor edi, edi\nmov eax, 60\nsyscall\n{directives}"
    );
    (machine.memory, source)
}

#[test]
fn random_code_for_x86() {
    let Some(plugin) = plugin() else { return };
    let place = format!("-Wl,--section-start=.area={AREA:#x}");
    for seed in 1..=8 {
        let (expected, source) = program(seed, 4000);
        let (directory, program) = built("program.s", &source, &["-nostdlib", "-static", "-no-pie", &place]);
        expected.check(&plugin, directory.path(), &program, seed);
    }
}
