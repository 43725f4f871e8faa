// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is done with registers alone.

use super::{Machine, bits, cut, name, ones, rotated, signed, sum};

impl Machine {
    pub fn arithmetic(&mut self, wide: bool) {
        let (to, a, b) = (self.used(), self.read(), self.read());
        let (d, n, m) = (name(to, wide), name(a, wide), name(b, wide));
        let (a, b) = (self.get(a, wide), self.get(b, wide));
        let minus = self.random.below(2) == 0;
        let flags = self.random.below(3) == 0;
        let operation = format!("{}{}", if minus { "sub" } else { "add" }, if flags { "s" } else { "" });
        let (text, second, origin) = match self.random.below(4) {
            0 | 1 => {
                let by = self.random.below(bits(wide));
                (format!("{m}, lsl #{by}"), cut(b.0 << by, wide), a.1.max(b.1))
            }
            2 if n.ends_with('r') => return,
            2 => {
                let constant = self.random.below(4096);
                (format!("#{constant}"), constant, a.1)
            }
            _ if n.ends_with('r') || !wide => return,
            _ => {
                let sign = self.random.below(2) == 0;
                let by = self.random.below(4);
                let word = if sign {
                    signed(b.0 & 0xffff_ffff, 32)
                } else {
                    b.0 & 0xffff_ffff
                };
                let extension = if sign { "sxtw" } else { "uxtw" };
                (format!("w{}, {extension} #{by}", &m[1..]), word << by, a.1.max(b.1))
            }
        };
        self.emit(format!("{operation} {d}, {n}, {text}"));
        let (value, found) = match minus {
            true => sum(a.0, !second, true, wide),
            false => sum(a.0, second, false, wide),
        };
        self.set(to, wide, (value, origin));
        if flags {
            (self.flags, self.flags_from) = (found, origin);
        }
    }

    pub fn logic(&mut self, wide: bool) {
        let (to, a, b) = (self.used(), self.read(), self.read());
        let operation = self.random.of(&["and", "orr", "eor", "bic", "orn", "eon", "ands"]);
        let by = self.random.below(bits(wide));
        self.emit(format!(
            "{operation} {}, {}, {}, ror #{by}",
            name(to, wide),
            name(a, wide),
            name(b, wide)
        ));
        let (a, b) = (self.get(a, wide), self.get(b, wide));
        let second = rotated(b.0, by, wide);
        let value = match operation {
            "and" | "ands" => a.0 & second,
            "orr" => a.0 | second,
            "eor" => a.0 ^ second,
            "bic" => a.0 & !second,
            "orn" => a.0 | !second,
            _ => a.0 ^ !second,
        };
        let value = (cut(value, wide), a.1.max(b.1));
        self.set(to, wide, value);
        if operation == "ands" {
            let negative = value.0 >> (bits(wide) - 1) & 1 == 1;
            (self.flags, self.flags_from) = ([negative, value.0 == 0, false, false], value.1);
        }
    }

    pub fn moves(&mut self, wide: bool) {
        let (to, from) = (self.used(), self.read());
        let (d, n) = (name(to, wide), name(from, wide));
        let place = self.random.below(bits(wide) / 16) * 16;
        let constant = self.random.below(1 << 16);
        match self.random.below(4) {
            0 => {
                self.emit(format!("mov {d}, {n}"));
                self.set(to, wide, self.get(from, wide));
            }
            1 => {
                self.emit(format!("movz {d}, #{constant}, lsl #{place}"));
                self.set(to, wide, (constant << place, 0));
            }
            2 => {
                self.emit(format!("movn {d}, #{constant}, lsl #{place}"));
                self.set(to, wide, (!(constant << place), 0));
            }
            _ => {
                self.emit(format!("movk {d}, #{constant}, lsl #{place}"));
                let (old, origin) = self.get(to, wide);
                self.set(to, wide, (old & !(0xffff << place) | constant << place, origin));
            }
        }
    }

    pub fn multiply(&mut self, wide: bool) {
        let (to, a, b, c) = (self.used(), self.read(), self.read(), self.read());
        let [d, n, m, k] = [to, a, b, c].map(|register| name(register, wide));
        let (a, b, c) = (self.get(a, wide), self.get(b, wide), self.get(c, wide));
        let both = a.1.max(b.1);
        let value = match self.random.below(5) {
            0 => {
                self.emit(format!("madd {d}, {n}, {m}, {k}"));
                (a.0.wrapping_mul(b.0).wrapping_add(c.0), both.max(c.1))
            }
            1 => {
                self.emit(format!("msub {d}, {n}, {m}, {k}"));
                (c.0.wrapping_sub(a.0.wrapping_mul(b.0)), both.max(c.1))
            }
            2 if wide => {
                self.emit(format!("umulh {d}, {n}, {m}"));
                (((u128::from(a.0) * u128::from(b.0)) >> 64) as u64, both)
            }
            3 => {
                self.emit(format!("udiv {d}, {n}, {m}"));
                (a.0.checked_div(b.0).unwrap_or(0), both)
            }
            _ => {
                self.emit(format!("umull x{to}, w{}, w{}", &n[1..], &m[1..]));
                self.set(to, true, ((a.0 & 0xffff_ffff) * (b.0 & 0xffff_ffff), both));
                return;
            }
        };
        self.set(to, wide, value);
    }

    pub fn shifts(&mut self, wide: bool) {
        let (to, a, b) = (self.used(), self.read(), self.read());
        let [d, n, m] = [to, a, b].map(|register| name(register, wide));
        let (a, b) = (self.get(a, wide), self.get(b, wide));
        let all = bits(wide);
        let low = self.random.below(all);
        let width = 1 + self.random.below(all - low);
        let value = match self.random.below(9) {
            0 => {
                self.emit(format!("lsl {d}, {n}, {m}"));
                (a.0 << (b.0 % all), a.1.max(b.1))
            }
            1 => {
                self.emit(format!("asr {d}, {n}, {m}"));
                ((signed(a.0, all) as i64 >> (b.0 % all)) as u64, a.1.max(b.1))
            }
            2 => {
                self.emit(format!("lsr {d}, {n}, #{low}"));
                (a.0 >> low, a.1)
            }
            3 => {
                self.emit(format!("ubfx {d}, {n}, #{low}, #{width}"));
                (a.0 >> low & ones(width), a.1)
            }
            4 => {
                self.emit(format!("sbfx {d}, {n}, #{low}, #{width}"));
                (signed(a.0 >> low & ones(width), width), a.1)
            }
            5 => {
                self.emit(format!("bfi {d}, {n}, #{low}, #{width}"));
                let old = self.get(to, wide);
                let value = old.0 & !(ones(width) << low) | (a.0 & ones(width)) << low;
                (value, old.1.max(a.1))
            }
            6 => {
                self.emit(format!("extr {d}, {n}, {m}, #{low}"));
                let joined = u128::from(a.0) << all | u128::from(b.0);
                ((joined >> low) as u64, a.1.max(b.1))
            }
            7 => {
                self.emit(format!("rev {d}, {n}"));
                (a.0.swap_bytes() >> (64 - all), a.1)
            }
            _ => {
                self.emit(format!("clz {d}, {n}"));
                (u64::from(a.0.leading_zeros()) - (64 - all), a.1)
            }
        };
        self.set(to, wide, value);
    }

    pub fn conditions(&mut self, wide: bool) {
        let (to, a, b) = (self.used(), self.read(), self.read());
        let [d, n, m] = [to, a, b].map(|register| name(register, wide));
        let (a, b) = (self.get(a, wide), self.get(b, wide));
        let (condition, holds) = self.condition();
        let from = self.flags_from;
        match self.random.below(5) {
            0 => {
                self.emit(format!("csel {d}, {n}, {m}, {condition}"));
                self.set(to, wide, (if holds { a.0 } else { b.0 }, a.1.max(b.1).max(from)));
            }
            1 => {
                self.emit(format!("csinc {d}, {n}, {m}, {condition}"));
                self.set(
                    to,
                    wide,
                    (if holds { a.0 } else { b.0.wrapping_add(1) }, a.1.max(b.1).max(from)),
                );
            }
            2 => {
                self.emit(format!("cset {d}, {condition}"));
                self.set(to, wide, (u64::from(holds), from));
            }
            3 => {
                let constant = self.random.below(32);
                let flags = self.random.below(16);
                self.emit(format!("ccmp {n}, #{constant}, #{flags}, {condition}"));
                self.flags = match holds {
                    true => sum(a.0, !constant, true, wide).1,
                    false => [8, 4, 2, 1].map(|bit| flags & bit != 0),
                };
                self.flags_from = from.max(a.1);
            }
            _ => {
                self.emit(format!("adcs {d}, {n}, {m}"));
                let (value, flags) = sum(a.0, b.0, self.flags[2], wide);
                let origin = a.1.max(b.1).max(from);
                self.set(to, wide, (value, origin));
                (self.flags, self.flags_from) = (flags, origin);
            }
        }
    }
}
