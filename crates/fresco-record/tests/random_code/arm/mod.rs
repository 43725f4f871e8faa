// SPDX-License-Identifier: MIT OR Apache-2.0
//! AArch64.

mod memory;
mod registers;

use super::{AREA, BYTES, Memory, Origin, Random};
use crate::common::{built_by, can_build_for_arm, plugin};

/// Value and origin.
type Value = (u64, Origin);

/// Registers that are used: x18 is the platform's, and the recorder's flags; x28 points at the area.
const USED: [usize; 27] = [
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 19, 20, 21, 22, 23, 24, 25, 26, 27,
];
const ZERO: usize = 31;

struct Machine {
    random: Random,
    memory: Memory,
    registers: [Value; 32],
    vectors: [Value; 8],
    /// Negative, zero, carry, overflow.
    flags: [bool; 4],
    flags_from: Origin,
    depth: u64,
}

fn name(register: usize, wide: bool) -> String {
    let letter = if wide { 'x' } else { 'w' };
    match register {
        ZERO => format!("{letter}zr"),
        register => format!("{letter}{register}"),
    }
}

fn bits(wide: bool) -> u64 {
    if wide { 64 } else { 32 }
}

fn cut(value: u64, wide: bool) -> u64 {
    if wide { value } else { value & 0xffff_ffff }
}

fn signed(value: u64, width: u64) -> u64 {
    ((value << (64 - width)) as i64 >> (64 - width)) as u64
}

fn ones(width: u64) -> u64 {
    u64::MAX >> (64 - width)
}

fn rotated(value: u64, by: u64, wide: bool) -> u64 {
    match (wide, by) {
        (true, by) => value.rotate_right(by as u32),
        (false, by) => u64::from((value as u32).rotate_right(by as u32)),
    }
}

/// `a + b + carry`, with its flags.
fn sum(a: u64, b: u64, carry: bool, wide: bool) -> (u64, [bool; 4]) {
    let (a, b) = (cut(a, wide), cut(b, wide));
    let exact = u128::from(a) + u128::from(b) + u128::from(carry);
    let value = cut(exact as u64, wide);
    let top = |value: u64| value >> (bits(wide) - 1) & 1 == 1;
    let carries = exact >> bits(wide) != 0;
    (value, [top(value), value == 0, carries, top((a ^ value) & (b ^ value))])
}

impl Machine {
    fn emit(&mut self, text: String) {
        self.memory.line(text);
    }

    fn used(&mut self) -> usize {
        self.random.of(&USED)
    }

    /// A register to be read, now and then the one that is always zero.
    fn read(&mut self) -> usize {
        if self.random.below(16) == 0 { ZERO } else { self.used() }
    }

    fn get(&self, register: usize, wide: bool) -> Value {
        let (value, origin) = self.registers[register];
        (cut(value, wide), origin)
    }

    fn set(&mut self, register: usize, wide: bool, (value, origin): Value) {
        if register != ZERO {
            self.registers[register] = (cut(value, wide), origin);
        }
    }

    fn condition(&mut self) -> (&'static str, bool) {
        let [n, z, c, v] = self.flags;
        self.random.of(&[
            ("eq", z),
            ("ne", !z),
            ("cs", c),
            ("cc", !c),
            ("mi", n),
            ("vs", v),
            ("hi", c && !z),
            ("le", z || n != v),
            ("ge", n == v),
        ])
    }

    fn step(&mut self) {
        let wide = self.random.below(2) == 0;
        match self.random.below(16) {
            0..2 => self.arithmetic(wide),
            2 => self.logic(wide),
            3 => self.moves(wide),
            4 => self.multiply(wide),
            5 => self.shifts(wide),
            6 | 7 => self.conditions(wide),
            8..11 => self.load(),
            11..13 => self.store(),
            13 => self.atomic(),
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
        registers: [(0, 0); 32],
        vectors: [(0, 0); 8],
        flags: [false, true, true, false],
        flags_from: 0,
        depth: 0,
    };
    // The flags are those of this comparison.
    let mut start = format!(
        "movz x28, #{:#x}, lsl #16\nadd x27, x28, #{BYTES}\nmov sp, x27\nsubs xzr, xzr, xzr\n",
        AREA >> 16
    );
    for register in USED {
        let value = machine.random.number();
        machine.registers[register].0 = value;
        for part in 0..4 {
            let (bits, operation) = (value >> (16 * part) & 0xffff, if part == 0 { "movz" } else { "movk" });
            start += &format!("{operation} x{register}, #{bits:#x}, lsl #{}\n", 16 * part);
        }
    }
    for vector in 0..8 {
        start += &format!("fmov d{vector}, xzr\n");
    }
    (0..steps).for_each(|_| machine.step());
    let lines: Vec<&str> = machine.memory.lines.iter().map(|(_, text)| text.as_str()).collect();
    let code = lines.join("\n");
    let source = format!(
        ".arch armv8.2-a\n.globl _start\n.text\n_start:\n{start}{code}\nmov x0, #0\nmov x8, #93\nsvc #0\n{directives}"
    );
    (machine.memory, source)
}

#[test]
fn random_code_for_arm() {
    let Some(plugin) = plugin() else { return };
    let Some(compiler) = can_build_for_arm() else { return };
    let place = format!("-Wl,--section-start=.area={AREA:#x}");
    for seed in 1..=8 {
        let (expected, source) = program(seed, 4000);
        let (directory, program) = built_by(
            compiler,
            "program.s",
            &source,
            &["-nostdlib", "-static", "-no-pie", &place],
        );
        expected.check(&plugin, directory.path(), &program, seed);
    }
}
