// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sums up what a block does with values: where the address and the data of each access, and each register at its end, come from.

use crate::decode::{Address, Effect, Registers};
use fresco_load::trace::ftrace::recorded::{Block, MOST_INSTRUCTIONS, MOST_SITES, REGISTERS, Site, Source};
use std::collections::HashMap;

/// An access of a run, as it was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Which instruction of the block.
    pub instruction: u16,
    /// A store.
    pub write: bool,
    /// Bytes.
    pub size: u8,
    /// Where.
    pub address: u64,
}

impl Seen {
    /// Returns true if `next` is the next piece of it; the instruction accesses `whole` bytes at once.
    pub fn goes_on(&self, next: &Self, whole: u8) -> bool {
        self.is_of_same(next) && self.address + u64::from(self.size) == next.address && self.size + next.size <= whole
    }

    /// Returns true if `other` is of the same instruction, and a load as this, or a store as this.
    pub fn is_of_same(&self, other: &Self) -> bool {
        (self.instruction, self.write) == (other.instruction, other.write)
    }
}

/// What a register is made of, as far as it is known: something of a number, plus a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Symbol {
    root: u32,
    plus: i64,
}

/// What is the same in two addresses whose difference is known.
type Place = (u32, u32, u8, u32);

/// Numbers that are no root of a register.
const NONE: u32 = u32::MAX;

struct State {
    sources: [Source; REGISTERS],
    symbols: [Symbol; REGISTERS],
    roots: u32,
    sites: Vec<Site>,
    addresses: Vec<u64>,
    /// The last access by place, and its distance from there.
    places: HashMap<Place, (u16, i64)>,
}

fn join(a: Source, b: Source) -> Source {
    match a.load.max(b.load) {
        0 => Source {
            load: 0,
            entry: a.entry | b.entry,
        },
        load => Source { load, entry: 0 },
    }
}

/// The block at `address` with these instructions, in whose run these accesses were seen.
pub fn summarise(address: u64, effects: &[Effect], seen: &[Seen]) -> Block {
    let mut state = State {
        sources: std::array::from_fn(entry),
        symbols: std::array::from_fn(|register| Symbol {
            root: register as u32,
            plus: 0,
        }),
        roots: REGISTERS as u32,
        sites: Vec::with_capacity(seen.len()),
        addresses: Vec::with_capacity(seen.len()),
        places: HashMap::new(),
    };
    let instructions = executed(effects, seen);
    let mut rest = &seen[..seen.len().min(MOST_SITES)];
    for (number, effect) in effects.iter().enumerate().take(usize::from(instructions)) {
        let count = rest
            .iter()
            .take_while(|access| usize::from(access.instruction) == number)
            .count();
        let (own, others) = rest.split_at(count);
        rest = others;
        let load = state.accesses(effect, own);
        state.registers(effect, load);
    }
    let changed = (0..REGISTERS).filter(|register| state.sources[*register] != entry(*register));
    Block {
        address,
        instructions,
        changed: changed
            .map(|register| (register as u8, state.sources[register]))
            .collect::<Vec<_>>()
            .into(),
        sites: state.sites,
        code: None,
    }
}

fn entry(register: usize) -> Source {
    Source {
        load: 0,
        entry: 1 << register,
    }
}

/// How many instructions were executed: if one that always accesses memory did not, and none after it, the run ended there.
fn executed(effects: &[Effect], seen: &[Seen]) -> u16 {
    let from = seen.last().map_or(0, |last| usize::from(last.instruction) + 1);
    let missing = effects.iter().enumerate().skip(from);
    let mut missing = missing.filter(|(_, effect)| effect.certain && (effect.load.is_some() || effect.store.is_some()));
    let count = missing.next().map_or(effects.len(), |(number, _)| number);
    (count.max(from).max(1) as u16).min(MOST_INSTRUCTIONS)
}

impl State {
    fn of(&self, mut registers: Registers) -> Source {
        let mut source = Source::default();
        while registers != 0 {
            source = join(source, self.sources[registers.trailing_zeros() as usize]);
            registers &= registers - 1;
        }
        source
    }

    /// Adds the accesses of an instruction; the place of its last load plus one, or 0.
    fn accesses(&mut self, effect: &Effect, seen: &[Seen]) -> u16 {
        let mut load = 0;
        let mut before: [Option<u16>; 2] = [None; 2];
        for access in seen {
            let address = if access.write { effect.store } else { effect.load };
            let from = address.map_or(0, |address| address.registers() | effect.scattered);
            let data = match access.write {
                true if effect.stores_loaded && load > 0 => Source { load, entry: 0 },
                true => self.of(effect.data),
                false => Source::default(),
            };
            let number = self.sites.len() as u16 + 1;
            let beside = match before[usize::from(access.write)] {
                // A piece: beside the one before, as it is this time.
                Some(other) if effect.scattered == 0 => Some((
                    other,
                    access.address.wrapping_sub(self.addresses[usize::from(other) - 1]),
                )),
                Some(_) => None,
                None if effect.scattered == 0 => address.and_then(|address| self.beside(&address, number)),
                None => None,
            };
            let (beside, distance) = beside.unwrap_or((0, 0));
            self.sites.push(Site {
                instruction: access.instruction,
                size: access.size,
                write: access.write,
                address: self.of(from),
                data,
                beside,
                distance,
            });
            self.addresses.push(access.address);
            before[usize::from(access.write)] = Some(number);
            if !access.write {
                load = number;
            }
        }
        load
    }

    /// The last access whose distance from an address is known, and the distance; the next one with its place is `number`.
    fn beside(&mut self, address: &Address, number: u16) -> Option<(u16, u64)> {
        let symbol = |register: Option<u8>| {
            register.map_or(Symbol { root: NONE, plus: 0 }, |register| {
                self.symbols[usize::from(register)]
            })
        };
        let (base, index) = (symbol(address.base), symbol(address.index));
        let plus = index
            .plus
            .wrapping_mul(i64::from(address.scale))
            .wrapping_add(base.plus);
        let plus = plus.wrapping_add(address.displacement);
        let place = (base.root, index.root, address.scale, address.space);
        let before = self.places.insert(place, (number, plus));
        before.map(|(other, there)| (other, plus.wrapping_sub(there) as u64))
    }

    /// Follows the registers through an instruction, whose last load is `load`.
    fn registers(&mut self, effect: &Effect, load: u16) {
        let value = match load {
            0 => self.of(effect.data),
            load => Source { load, entry: 0 },
        };
        let (sources, symbols) = (self.sources, self.symbols);
        let mut writes = effect.writes;
        while writes != 0 {
            let register = writes.trailing_zeros() as usize;
            writes &= writes - 1;
            let merges = effect.merges >> register & 1 == 1;
            self.sources[register] = if merges { join(sources[register], value) } else { value };
            self.symbols[register] = self.fresh();
        }
        for (to, from) in &effect.copies {
            self.sources[usize::from(*to)] = sources[usize::from(*from)];
            self.symbols[usize::from(*to)] = match to == from {
                true => self.fresh(),
                false => symbols[usize::from(*from)],
            };
        }
        for (to, from, by) in &effect.steps {
            self.sources[usize::from(*to)] = sources[usize::from(*from)];
            let Symbol { root, plus } = symbols[usize::from(*from)];
            self.symbols[usize::from(*to)] = Symbol {
                root,
                plus: plus.wrapping_add(*by),
            };
        }
    }

    fn fresh(&mut self) -> Symbol {
        self.roots += 1;
        Symbol {
            root: self.roots,
            plus: 0,
        }
    }
}
