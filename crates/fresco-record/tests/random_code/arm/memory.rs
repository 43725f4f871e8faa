// SPDX-License-Identifier: MIT OR Apache-2.0
//! Loads and stores, pairs on the stack, vector registers.

use super::super::{AREA, BYTES, Origin, STACK};
use super::{Machine, ZERO, name, signed};

impl Machine {
    /// An address for an access of so many bytes, as logarithm: its text, where it is, its origin; and a register that it may move on, with by how
    /// much.
    fn address(&mut self, log: u64) -> (String, u64, Origin, Option<(usize, u64)>) {
        let index = self.used();
        let form = self.random.below(6);
        let scaled = matches!(form, 1 | 2);
        let mask = if scaled {
            0x3fff >> log
        } else {
            0x3fff & !((1 << log) - 1)
        };
        self.emit(format!("and x{index}, x{index}, #{mask:#x}"));
        let (value, origin) = self.registers[index];
        let value = value & mask;
        self.registers[index] = (value, origin);
        let by = if scaled { log } else { 0 };
        let address = AREA + (value << by);
        match form {
            0 => return (format!("[x28, x{index}]"), address, origin, None),
            1 => return (format!("[x28, x{index}, lsl #{log}]"), address, origin, None),
            2 => return (format!("[x28, w{index}, uxtw #{log}]"), address, origin, None),
            _ => {}
        }
        let base = self.used();
        self.emit(format!("add x{base}, x28, x{index}"));
        self.emit(format!("add x{base}, x{base}, #512"));
        let address = address + 512;
        self.registers[base] = (address, origin);
        match form {
            3 => {
                let offset = self.random.below(256) << log;
                (format!("[x{base}, #{offset}]"), address + offset, origin, None)
            }
            form => {
                let offset = self.random.below(63) as i64 * 8 - 248;
                let moved = address.wrapping_add(offset as u64);
                self.registers[base].0 = moved;
                match form {
                    4 => (format!("[x{base}, #{offset}]!"), moved, origin, Some((base, moved))),
                    _ => (format!("[x{base}], #{offset}"), address, origin, Some((base, moved))),
                }
            }
        }
    }

    /// A register that is not the one that an address moves on.
    fn beside(&mut self, moved: Option<(usize, u64)>) -> usize {
        loop {
            let register = self.used();
            if moved.is_none_or(|(base, _)| base != register) {
                return register;
            }
        }
    }

    pub fn load(&mut self) {
        let log = self.random.below(4);
        let (text, address, from, moved) = self.address(log);
        let to = self.beside(moved);
        let sign = log < 3 && self.random.below(3) == 0;
        let operation = match (log, sign) {
            (0, false) => "ldrb",
            (0, true) => "ldrsb",
            (1, false) => "ldrh",
            (1, true) => "ldrsh",
            (2, true) => "ldrsw",
            _ => "ldr",
        };
        self.emit(format!("{operation} {}, {text}", name(to, sign || log == 3)));
        let (value, origin) = self.memory.load(address, 1 << log, from);
        let value = if sign { signed(value, 8 << log) } else { value };
        self.set(to, true, (value, origin));
    }

    pub fn store(&mut self) {
        let log = self.random.below(4);
        let (text, address, from, moved) = self.address(log);
        let register = match self.random.below(8) {
            0 => ZERO,
            _ => self.beside(moved),
        };
        let operation = ["strb", "strh", "str", "str"][log as usize];
        self.emit(format!("{operation} {}, {text}", name(register, log == 3)));
        let value = self.registers[register];
        self.memory.store(address, 1 << log, from, value);
    }

    pub fn atomic(&mut self) {
        let index = self.used();
        self.emit(format!("and x{index}, x{index}, #0x3ff8"));
        self.emit(format!("add x{index}, x28, x{index}"));
        let (value, origin) = self.registers[index];
        let address = AREA + (value & 0x3ff8);
        self.registers[index] = (address, origin);
        let (operand, to) = (self.used(), self.used());
        let adds = self.random.below(2) == 0;
        self.emit(format!(
            "{} x{operand}, x{to}, [x{index}]",
            if adds { "ldadd" } else { "swp" }
        ));
        let given = self.registers[operand];
        let loaded = self.memory.load(address, 8, origin);
        let stored = match adds {
            true => (loaded.0.wrapping_add(given.0), loaded.1),
            false => given,
        };
        self.memory.store(address, 8, origin, stored);
        self.set(to, true, loaded);
    }

    /// Two registers at a time, which are one access.
    pub fn stack(&mut self) {
        let (a, b) = (self.used(), self.used());
        let top = AREA + BYTES - 16 * self.depth;
        if self.depth > 0 && self.random.below(2) == 0 {
            if a == b {
                return;
            }
            self.emit(format!("ldp x{a}, x{b}, [sp], #16"));
            let at = (top - AREA) as usize;
            let word = |at: usize| u64::from_le_bytes(self.memory.bytes[at..at + 8].try_into().expect("eight bytes"));
            let values = [word(at), word(at + 8)];
            let stored = self.memory.stored(top, 16);
            let number = self.memory.push(top, 16, false, stored);
            self.registers[a] = (values[0], number);
            self.registers[b] = (values[1], number);
            self.depth -= 1;
        } else if self.depth < STACK / 16 {
            self.emit(format!("stp x{a}, x{b}, [sp, #-16]!"));
            let (a, b) = (self.registers[a], self.registers[b]);
            let at = (top - 16 - AREA) as usize;
            let origin = a.1.max(b.1);
            self.memory.push(top - 16, 16, true, origin);
            self.memory.origins(top - 16, 16).fill(origin);
            self.memory.bytes[at..at + 8].copy_from_slice(&a.0.to_le_bytes());
            self.memory.bytes[at + 8..at + 16].copy_from_slice(&b.0.to_le_bytes());
            self.depth += 1;
        }
    }

    pub fn vectors(&mut self) {
        let (to, from, register) = (
            self.random.below(8) as usize,
            self.random.below(8) as usize,
            self.used(),
        );
        match self.random.below(4) {
            0 => {
                self.emit(format!("fmov d{to}, x{register}"));
                self.vectors[to] = self.registers[register];
            }
            1 => {
                self.emit(format!("fmov x{register}, d{from}"));
                self.registers[register] = self.vectors[from];
            }
            2 => {
                self.emit(format!("fmov d{to}, d{from}"));
                self.vectors[to] = self.vectors[from];
            }
            _ => {
                let (text, address, origin, _) = self.address(3);
                if self.random.below(2) == 0 {
                    self.emit(format!("ldr d{to}, {text}"));
                    self.vectors[to] = self.memory.load(address, 8, origin);
                } else {
                    self.emit(format!("str d{from}, {text}"));
                    self.memory.store(address, 8, origin, self.vectors[from]);
                }
            }
        }
    }
}
