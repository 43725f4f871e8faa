// SPDX-License-Identifier: MIT OR Apache-2.0
//! Blocks: from an emulator's translations to what a trace says of them.
//!
//! What a block of the program does in a run is what was seen: one that does now this and now that (a repeated string instruction, a
//! masked load, a fault in the middle) is several blocks of the trace.

use crate::decode::{Address, Architecture, Effect};
use crate::marks::{self, Part};
use crate::summary::{Seen, summarise};
use fresco_load::trace::ftrace::recorded::{Block, Code, MOST_BLOCKS};
use fresco_ring::event::{INSTRUCTION, KIND, LOW, ORDER, SIZE, STORE, UPDATE};
use std::collections::HashMap;

/// A block of the program as it was translated.
pub struct Translation {
    /// Where it begins.
    pub address: u64,
    effects: Vec<Effect>,
    /// Bytes of each instruction, if it is to be known where code lies.
    sizes: Vec<u8>,
    /// Instructions that are parts of marks, with their places.
    pub marks: Vec<(u16, Part)>,
    /// One of them begins a mark.
    pub has_head: bool,
    /// What its runs were like.
    variants: Vec<Variant>,
    /// Which of them was the last.
    last: usize,
}

/// How a run can be.
pub struct Variant {
    /// Its events without their addresses.
    shape: Vec<u64>,
    /// Which event each access is of.
    from: Vec<u16>,
    /// Each event is the access of the same number.
    plain: bool,
    /// Events that are orders, and how many accesses come before.
    pub orders: Vec<(u16, u16)>,
    /// The number of the block in the trace.
    pub block: u32,
}

/// All blocks.
pub struct Blocks {
    architecture: Architecture,
    /// Say where their code lies.
    fetches: bool,
    /// By the emulator's number.
    numbers: Vec<u32>,
    translations: Vec<Translation>,
    by_code: HashMap<(u64, Vec<u8>), u32>,
    /// The blocks of the trace.
    blocks: Vec<Block>,
}

impl Blocks {
    /// None yet; with `fetches` they say where their code lies.
    pub fn new(architecture: Architecture, fetches: bool) -> Self {
        Self {
            architecture,
            fetches,
            numbers: Vec::new(),
            translations: Vec::new(),
            by_code: HashMap::new(),
            blocks: Vec::new(),
        }
    }

    /// Takes a definition: what the emulator numbers next.
    pub fn define(&mut self, address: u64, sizes: &[u8], code: &[u8]) {
        let number = match self.by_code.get(&(address, code.to_vec())) {
            Some(number) => *number,
            None => {
                let (mut rest, mut instructions) = (code, Vec::with_capacity(sizes.len()));
                for size in sizes {
                    let (bytes, more) = rest.split_at(usize::from(*size).min(rest.len()));
                    instructions.push(bytes);
                    rest = more;
                }
                let number = self.translations.len() as u32;
                let marks: Vec<(u16, Part)> = (0u16..)
                    .zip(&instructions)
                    .filter_map(|(place, code)| Some((place, marks::part(self.architecture, code)?)))
                    .collect();
                self.translations.push(Translation {
                    address,
                    effects: self.architecture.decode(address, &instructions),
                    sizes: if self.fetches { sizes.to_vec() } else { Vec::new() },
                    has_head: marks.iter().any(|(_, part)| matches!(part, Part::Head(_))),
                    marks,
                    variants: Vec::new(),
                    last: 0,
                });
                self.by_code.insert((address, code.to_vec()), number);
                number
            }
        };
        self.numbers.push(number);
    }

    /// Returns true if the emulator's block is known.
    pub fn knows(&self, number: u64) -> bool {
        number < self.numbers.len() as u64
    }

    /// Blocks of the trace so far.
    pub fn all(&self) -> &[Block] {
        &self.blocks
    }

    /// The emulator's block, which is known.
    #[inline]
    pub fn translation(&self, number: u64) -> &Translation {
        &self.translations[self.numbers[number as usize] as usize]
    }

    /// Returns true if an event of a run of the emulator's block, which is known, is an access whose address is a register's value plus
    /// a constant.
    pub fn is_by(&self, number: u64, event: u64, register: u8) -> bool {
        let effects = &self.translation(number).effects;
        let effect = effects.get((event >> INSTRUCTION & 0x1ff) as usize);
        let of = |address: Option<Address>| {
            address.is_some_and(|address| address.base == Some(register) && address.index.is_none())
        };
        event & KIND <= UPDATE && effect.is_some_and(|effect| of(effect.load) || of(effect.store))
    }

    /// Which block of the trace a run of the emulator's block was; `None` if there are too many already. The addresses of its accesses
    /// replace those in `addresses`.
    #[inline]
    pub fn run(&mut self, number: u64, events: &[u64], addresses: &mut Vec<u64>) -> Option<(&Variant, &Block)> {
        let translation = &mut self.translations[self.numbers[number as usize] as usize];
        let fits = |variant: &Variant| {
            let mut both = variant.shape.iter().zip(events);
            variant.shape.len() == events.len() && both.all(|(a, b)| (a ^ b) & !LOW == 0)
        };
        if !translation.variants.get(translation.last).is_some_and(fits) {
            match translation.variants.iter().position(fits) {
                Some(place) => translation.last = place,
                None if self.blocks.len() >= MOST_BLOCKS => return None,
                None => {
                    let (variant, block) = translation.observe(events, self.blocks.len() as u32);
                    translation.last = translation.variants.len();
                    translation.variants.push(variant);
                    self.blocks.push(block);
                }
            }
        }
        let variant = &translation.variants[translation.last];
        addresses.clear();
        match variant.plain {
            true => addresses.extend(events.iter().map(|event| event & LOW)),
            false => addresses.extend(variant.from.iter().map(|event| events[usize::from(*event)] & LOW)),
        }
        Some((variant, &self.blocks[variant.block as usize]))
    }
}

impl Translation {
    /// Its instructions.
    #[inline]
    pub fn instructions(&self) -> u64 {
        self.effects.len() as u64
    }

    /// A new kind of run.
    fn observe(&self, events: &[u64], block: u32) -> (Variant, Block) {
        let (mut seen, mut orders): (Vec<Seen>, Vec<(u16, u16)>) = (Vec::new(), Vec::new());
        let mut from = Vec::new();
        for (place, event) in events.iter().enumerate() {
            if event & KIND == ORDER {
                orders.push((place as u16, seen.len() as u16));
                continue;
            }
            let mut access = Seen {
                instruction: (event >> INSTRUCTION & 0x1ff) as u16,
                write: event >> STORE & 1 == 1,
                size: 1 << (event >> SIZE & 7).min(6),
                address: event & LOW,
            };
            let effect = self.effects.get(usize::from(access.instruction));
            let loads_nothing = effect.is_some_and(|effect| effect.loads_nothing);
            if loads_nothing && !access.write {
                continue;
            }
            if event & KIND == UPDATE && !loads_nothing {
                seen.push(Seen { write: false, ..access });
                from.push(place as u16);
            } else {
                let whole = self.whole(access.instruction);
                if let Some(last) = seen.last_mut()
                    && last.goes_on(&access, whole)
                {
                    last.size += access.size;
                    continue;
                }
                if effect.is_some_and(|effect| effect.no_more) {
                    if seen.iter().any(|other| other.is_of_same(&access)) {
                        continue;
                    }
                    access.size = access.size.min(whole);
                }
            }
            seen.push(access);
            from.push(place as u16);
        }
        let variant = Variant {
            shape: events.iter().map(|event| event & !LOW).collect(),
            plain: from.len() == events.len() && (0..).zip(&from).all(|(at, event)| at == *event),
            from,
            orders,
            block,
        };
        let mut block = summarise(self.address, &self.effects, &seen);
        let executed = self.sizes.get(..usize::from(block.instructions)).unwrap_or_default();
        block.code = Code::new(self.address, executed).map(Box::new);
        (variant, block)
    }

    /// Bytes that an instruction accesses at once; 0 if that is not known, or at several places.
    fn whole(&self, instruction: u16) -> u8 {
        let effect = self.effects.get(usize::from(instruction));
        effect
            .filter(|effect| effect.scattered == 0)
            .map_or(0, |effect| effect.size)
    }
}
