// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is done with registers alone.

use super::{ALL, CARRY, CL, Machine, NAMES, OVERFLOW, Part, SIGN, ZERO, extended, join, mask};

impl Machine {
    pub fn registers_alone(&mut self) {
        let log = self.random.below(4) as usize;
        // With a prefix for the registers that are new in 64-bit mode there are no second bytes.
        let low = self.random.below(2) == 0;
        let (to, from) = (self.part(log, low), self.part(log, low));
        let mixed = log == 0 && (to.high || from.high) && (to.register.max(from.register) >= 5);
        if mixed {
            return;
        }
        let (a, b) = (self.get(to), self.get(from));
        let immediate = self.random.number() & mask(log.min(2)) >> 1;
        match self.random.below(12) {
            0 => {
                self.emit(format!("mov {}, {}", to.name(), from.name()));
                self.set(to, b);
            }
            1 => {
                let value = if log == 3 { self.random.next() } else { immediate };
                self.emit(format!("mov {}, {value:#x}", to.name()));
                self.set(to, (value, 0));
            }
            2 | 3 => {
                let name = self.operation();
                let same = to.register == from.register && to.high == from.high;
                if same && matches!(name, "sbb") {
                    return;
                }
                self.emit(format!("{name} {}, {}", to.name(), from.name()));
                // What is the same whatever was there comes from nowhere.
                let zero = same && matches!(name, "xor" | "sub");
                let (a, b) = if zero { ((a.0, 0), (b.0, 0)) } else { (a, b) };
                let value = self.operate(name, a, b, log);
                if !Self::keeps(name) {
                    self.set(to, value);
                }
            }
            4 => {
                let name = self.operation();
                self.emit(format!("{name} {}, {immediate:#x}", to.name()));
                let value = self.operate(name, a, (immediate, 0), log);
                if !Self::keeps(name) {
                    self.set(to, value);
                }
            }
            5 => {
                let name = self.random.of(&["inc", "dec", "neg", "not"]);
                self.emit(format!("{name} {}", to.name()));
                let (value, flags, written) = match name {
                    "inc" => (Self::add(a.0, 1, 0, log).0, Self::add(a.0, 1, 0, log).1, ALL & !CARRY),
                    "dec" => (
                        Self::subtract(a.0, 1, 0, log).0,
                        Self::subtract(a.0, 1, 0, log).1,
                        ALL & !CARRY,
                    ),
                    "neg" => (Self::subtract(0, a.0, 0, log).0, Self::subtract(0, a.0, 0, log).1, ALL),
                    _ => (!a.0, 0, 0),
                };
                if written != 0 {
                    self.set_flags(flags, written, ALL, a.1);
                }
                self.set(to, (value, a.1));
            }
            6 => self.lea(),
            7 => self.extend(),
            8 => {
                let log = log.max(1);
                let (to, from) = (
                    Part { log, high: false, ..to },
                    Part {
                        log,
                        high: false,
                        ..from
                    },
                );
                let Some((name, holds)) = self.condition() else { return };
                self.emit(format!("cmov{name} {}, {}", to.name(), from.name()));
                let (a, b) = (self.get(to), self.get(from));
                let value = join(a, b, if holds { b.0 } else { a.0 });
                self.set(to, (value.0, value.1.max(self.flags_from)));
            }
            9 => {
                let Some((name, holds)) = self.condition() else { return };
                let to = self.part(0, low);
                self.emit(format!("set{name} {}", to.name()));
                self.set(to, (u64::from(holds), self.flags_from));
            }
            10 => {
                self.emit(format!("xchg {}, {}", to.name(), from.name()));
                // In parts of registers both stay what they were as well.
                self.set(to, b);
                self.set(from, a);
            }
            _ => self.shift(to, log),
        }
    }

    fn lea(&mut self) {
        let (to, base, index) = (self.register(), self.register(), self.register());
        let log = self.random.of(&[2, 3]);
        let displacement = self.random.below(1 << 20) as i64 - (1 << 19);
        let scale = self.random.of(&[1u64, 2, 4, 8]);
        let (b, i) = (self.registers[base], self.registers[index]);
        let name = NAMES[log][to];
        let value = if self.random.below(2) == 0 {
            self.emit(format!("lea {name}, [{} + {displacement}]", NAMES[3][base]));
            (b.0.wrapping_add(displacement as u64), b.1)
        } else {
            self.emit(format!(
                "lea {name}, [{} + {}*{scale} + {displacement}]",
                NAMES[3][base], NAMES[3][index]
            ));
            let value =
                b.0.wrapping_add(i.0.wrapping_mul(scale))
                    .wrapping_add(displacement as u64);
            join(b, i, value)
        };
        let part = Part {
            register: to,
            log,
            high: false,
        };
        self.set(part, value);
    }

    fn extend(&mut self) {
        let (from_log, to_log) = (self.random.below(2) as usize, 2 + self.random.below(2) as usize);
        let (to, from) = (self.part(to_log, true), self.part(from_log, true));
        let (value, origin) = self.get(from);
        let signed = self.random.below(2) == 0;
        self.emit(format!(
            "mov{}x {}, {}",
            if signed { 's' } else { 'z' },
            to.name(),
            from.name()
        ));
        self.set(to, (if signed { extended(value, from_log) } else { value }, origin));
    }

    fn shift(&mut self, to: Part, log: usize) {
        if log < 2 {
            return;
        }
        let a = self.get(to);
        let name = self.random.of(&["shl", "shr", "sar", "rol"]);
        let by_register = self.random.below(3) == 0;
        let count = match by_register {
            true => self.registers[CL].0 & (if log == 3 { 63 } else { 31 }),
            false => 1 + self.random.below((8 << log) - 1),
        };
        let origin = if by_register {
            a.1.max(self.registers[CL].1)
        } else {
            a.1
        };
        let text = if by_register {
            "cl".to_owned()
        } else {
            count.to_string()
        };
        self.emit(format!("{name} {}, {text}", to.name()));
        let bits = 8u64 << log;
        let value = match name {
            "shl" => a.0 << count,
            "shr" => a.0 >> count,
            "sar" => ((extended(a.0, log) as i64) >> count) as u64,
            _ if count % bits == 0 => a.0,
            _ => a.0 << (count % bits) | a.0 >> (bits - count % bits),
        } & mask(log);
        // By a register it may be by nothing: then the flags are what they were.
        let written = if name == "rol" { CARRY | OVERFLOW } else { ALL };
        let flags = Self::of_result(value, log);
        let defined = if name == "rol" { 0 } else { ZERO | SIGN };
        let kept = self.flags_from;
        let changed = if by_register && count == 0 { 0 } else { written };
        self.set_flags(flags, changed, defined, origin);
        self.flags_from = if by_register || written != ALL {
            kept.max(origin)
        } else {
            origin
        };
        self.set(to, (value, origin));
    }

    pub fn multiply(&mut self) {
        let log = 2 + self.random.below(2) as usize;
        let (to, from) = (self.part(log, true), self.part(log, true));
        let (a, b) = (self.get(to), self.get(from));
        match self.random.below(4) {
            0 => {
                self.emit(format!("imul {}, {}", to.name(), from.name()));
                self.set(to, join(a, b, a.0.wrapping_mul(b.0)));
                self.set_flags(0, ALL, 0, a.1.max(b.1));
            }
            1 => {
                let by = self.random.below(1 << 30);
                self.emit(format!("imul {}, {}, {by}", to.name(), from.name()));
                self.set(to, (b.0.wrapping_mul(by), b.1));
                self.set_flags(0, ALL, 0, b.1);
            }
            2 => {
                self.emit(format!("mul {}", from.name()));
                let rax = Part {
                    register: 0,
                    log,
                    high: false,
                };
                let a = self.get(rax);
                let wide = u128::from(a.0) * u128::from(b.0);
                self.set(rax, join(a, b, wide as u64));
                self.set(Part { register: 2, ..rax }, join(a, b, (wide >> (8 << log)) as u64));
                self.set_flags(0, ALL, 0, a.1.max(b.1));
            }
            _ => {
                self.emit(format!("bswap {}", to.name()));
                let swapped = a.0.swap_bytes() >> (64 - (8 << log));
                self.set(to, (swapped, a.1));
            }
        }
    }
}
