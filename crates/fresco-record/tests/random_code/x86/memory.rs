// SPDX-License-Identifier: MIT OR Apache-2.0
//! Loads and stores, the stack, vector registers.

use super::super::{AREA, BYTES, Origin, STACK};
use super::{Machine, NAMES, Part, SIZES, extended, join};

impl Machine {
    /// An address in the area for an access of so many bytes: its text, where it is, its origin.
    fn address(&mut self, log: usize) -> (String, u64, Origin) {
        let index = self.register();
        let name = NAMES[3][index];
        let scale = self.random.of(&[1u64, 2, 4, 8]);
        let limit = (0x3fff / scale) & !((1 << log) - 1);
        self.emit(format!("and {name}, {limit:#x}"));
        let value = self.operate("and", self.registers[index], (limit, 0), 3);
        self.registers[index] = value;
        let displacement = self.random.below((BYTES - STACK - 0x4000) / 8) * 8;
        let address = AREA + displacement + value.0 * scale;
        let base = self.register();
        // The area's begin from a register that derives from something else as well.
        if self.random.below(3) == 0 && base != index {
            let base_name = NAMES[3][base];
            self.emit(format!("and {base_name}, 0"));
            self.registers[base] = self.operate("and", self.registers[base], (0, 0), 3);
            self.emit(format!("lea {base_name}, [{base_name} + r15]"));
            self.registers[base].0 = AREA;
            let text = format!("{} ptr [{base_name} + {name}*{scale} + {displacement}]", SIZES[log]);
            return (text, address, self.registers[base].1.max(value.1));
        }
        let text = format!("{} ptr [r15 + {name}*{scale} + {displacement}]", SIZES[log]);
        (text, address, value.1)
    }

    pub fn load(&mut self) {
        let log = self.random.below(4) as usize;
        let (text, address, from) = self.address(log);
        let size = 1u8 << log;
        let to = self.part(log, true);
        match self.random.below(8) {
            0..4 => {
                self.emit(format!("mov {}, {text}", to.name()));
                let value = self.memory.load(address, size, from);
                self.set(to, value);
            }
            4 if log < 2 => {
                let to = Part { log: 3, ..to };
                self.emit(format!("movsx {}, {text}", to.name()));
                let value = self.memory.load(address, size, from);
                self.set(to, (extended(value.0, log), value.1));
            }
            5 if log > 0 => {
                let Some((name, holds)) = self.condition() else { return };
                self.emit(format!("cmov{name} {}, {text}", to.name()));
                let value = self.memory.load(address, size, from);
                let old = self.get(to);
                self.set(to, (if holds { value.0 } else { old.0 }, value.1));
            }
            _ => {
                let name = self.operation();
                let a = self.get(to);
                self.emit(format!("{name} {}, {text}", to.name()));
                let value = self.memory.load(address, size, from);
                let value = self.operate(name, a, value, log);
                if !Self::keeps(name) {
                    self.set(to, value);
                }
            }
        }
    }

    pub fn store(&mut self) {
        let log = self.random.below(4) as usize;
        let (text, address, from) = self.address(log);
        let size = 1u8 << log;
        let part = self.part(log, true);
        let value = self.get(part);
        match self.random.below(6) {
            0..3 => {
                self.emit(format!("mov {text}, {}", part.name()));
                self.memory.store(address, size, from, value);
            }
            3 => {
                let constant = self.random.below(100);
                self.emit(format!("mov {text}, {constant}"));
                self.memory.store(address, size, from, (constant, 0));
            }
            4 => {
                let name = self.operation();
                self.emit(format!("{name} {text}, {}", part.name()));
                let loaded = self.memory.load(address, size, from);
                let result = self.operate(name, loaded, value, log);
                if !Self::keeps(name) {
                    self.memory.store(address, size, from, result);
                }
            }
            _ => {
                self.emit(format!("xchg {text}, {}", part.name()));
                let loaded = self.memory.load(address, size, from);
                self.memory.store(address, size, from, value);
                self.set(part, loaded);
            }
        }
    }

    pub fn stack(&mut self) {
        let register = self.register();
        let top = AREA + BYTES - 8 * self.depth;
        let name = NAMES[3][register];
        if self.depth > 0 && self.random.below(2) == 0 {
            self.emit(format!("pop {name}"));
            self.registers[register] = self.memory.load(top, 8, 0);
            self.depth -= 1;
        } else if self.depth < STACK / 8 {
            self.emit(format!("push {name}"));
            self.memory.store(top - 8, 8, 0, self.registers[register]);
            self.depth += 1;
        }
    }

    pub fn vectors(&mut self) {
        let (to, from, register) = (
            self.random.below(8) as usize,
            self.random.below(8) as usize,
            self.register(),
        );
        let name = NAMES[3][register];
        match self.random.below(6) {
            0 => {
                self.emit(format!("movq xmm{to}, {name}"));
                self.vectors[to] = self.registers[register];
            }
            1 => {
                self.emit(format!("movq {name}, xmm{from}"));
                self.registers[register] = self.vectors[from];
            }
            2 => {
                self.emit(format!("movdqa xmm{to}, xmm{from}"));
                self.vectors[to] = self.vectors[from];
            }
            3 if to != from => {
                self.emit(format!("paddq xmm{to}, xmm{from}"));
                let (a, b) = (self.vectors[to], self.vectors[from]);
                self.vectors[to] = join(a, b, a.0.wrapping_add(b.0));
            }
            4 => {
                self.emit(format!("pxor xmm{to}, xmm{to}"));
                self.vectors[to] = (0, 0);
            }
            _ => {
                let (text, address, origin) = self.address(3);
                if self.random.below(2) == 0 {
                    self.emit(format!("movq xmm{to}, {text}"));
                    self.vectors[to] = self.memory.load(address, 8, origin);
                } else {
                    self.emit(format!("movq {text}, xmm{from}"));
                    self.memory.store(address, 8, origin, self.vectors[from]);
                }
            }
        }
    }
}
