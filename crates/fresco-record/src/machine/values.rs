// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which load the values in a processor's registers derive from, block by block, where most loads are left out.
//!
//! Loads have numbers, from 1 on, in the order of the trace; 0 is none. A load that is left out has its line in the first cache: what it
//! brings is there as soon as its address is, and the load that has brought the line; it hands on the later of the two.

use crate::decode::{Effect, Registers};
use fresco_load::trace::ftrace::recorded::REGISTERS;
use fresco_ring::physical::{Access, UNDER_WAY};

/// What an instruction does with values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Step {
    /// Which instruction of its block.
    place: u16,
    loads: bool,
    stores: bool,
    /// Registers that the addresses of its loads, and of its stores, derive from.
    load_by: Registers,
    store_by: Registers,
    stores_loaded: bool,
    data: Registers,
    writes: Registers,
    merges: Registers,
    /// Registers that become what others are.
    moves: Vec<(u8, u8)>,
}

impl Step {
    fn of(place: u16, effect: &Effect) -> Self {
        let by = |address: Option<crate::decode::Address>| address.map_or(0, |address| address.registers());
        let steps = effect.steps.iter().map(|(to, from, _)| (*to, *from));
        Self {
            place,
            loads: effect.load.is_some() && !effect.loads_nothing,
            stores: effect.store.is_some(),
            load_by: by(effect.load) | effect.scattered,
            store_by: by(effect.store) | effect.scattered,
            stores_loaded: effect.stores_loaded,
            data: effect.data,
            writes: effect.writes,
            merges: effect.merges,
            // A register that moves on by itself derives from what it did.
            moves: effect
                .copies
                .iter()
                .copied()
                .chain(steps)
                .filter(|(to, from)| to != from)
                .collect(),
        }
    }

    /// Registers that it reads.
    fn reads(&self) -> Registers {
        let moved = self.moves.iter().fold(0, |all, (_, from)| all | 1 << from);
        self.load_by | self.store_by | self.data | self.writes & self.merges | moved
    }

    /// Registers of which nothing is left of what they were.
    fn replaces(&self) -> Registers {
        let moved = self.moves.iter().fold(0, |all, (to, _)| all | 1 << to);
        self.writes & !self.merges | moved
    }

    /// Returns true if nothing depends on whether it is there.
    fn does_nothing(&self) -> bool {
        let accesses = self.loads || self.store_by != 0 || self.stores_loaded || self.stores && self.data != 0;
        !accesses && self.writes == 0 && self.moves.is_empty()
    }
}

/// What a block does with values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flow {
    steps: Vec<Step>,
    /// Of a run without accesses: registers that change, those that they derive from then, and each that derives from any.
    changed: Registers,
    entries: Registers,
    derived: Vec<(u8, Registers)>,
}

impl Flow {
    /// Of a block of these instructions.
    pub fn new(effects: &[Effect]) -> Self {
        let steps = (0..).zip(effects).map(|(place, effect)| Step::of(place, effect));
        let steps = useful(steps.collect());
        // Without accesses, what is derived from is registers at the begin.
        let mut sources: [Registers; REGISTERS] = std::array::from_fn(|register| 1 << register);
        for step in &steps {
            let of = |registers| each(registers).fold(0, |all, register| all | sources[register]);
            let value = of(step.data | if step.loads { step.load_by } else { 0 });
            let before = sources;
            for register in each(step.writes) {
                let kept = if step.merges >> register & 1 == 1 {
                    before[register]
                } else {
                    0
                };
                sources[register] = kept | value;
            }
            for (to, from) in &step.moves {
                sources[usize::from(*to)] = before[usize::from(*from)];
            }
        }
        let mut flow = Self {
            steps,
            ..Self::default()
        };
        for (register, source) in (0u8..).zip(sources) {
            if source != 1 << register {
                flow.changed |= 1 << register;
                flow.entries |= source;
                if source != 0 {
                    flow.derived.push((register, source));
                }
            }
        }
        flow
    }
}

/// The steps without writes that nothing reads before the next one, flags nearly always.
fn useful(mut steps: Vec<Step>) -> Vec<Step> {
    let mut read = Registers::MAX;
    for step in steps.iter_mut().rev() {
        step.writes &= read;
        step.moves.retain(|(to, _)| read >> to & 1 == 1);
        read = read & !step.replaces() | step.reads();
    }
    steps.retain(|step| !step.does_nothing());
    steps
}

fn each(mut registers: Registers) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let register = registers.trailing_zeros() as usize;
        registers &= registers.wrapping_sub(1);
        (register < REGISTERS).then_some(register)
    })
}

/// What was seen of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// An access of the trace.
    Access(Access),
    /// A load by the instruction at this place that is left out, of a line that the load with this number has brought.
    Hit(u16, u64),
}

/// The registers of a processor.
#[derive(Clone, Debug)]
pub struct Values {
    /// The load that each derives from.
    of: [u64; REGISTERS],
    /// Those that derive from one.
    derived: Registers,
    /// What registers that a block changes are to become.
    next: [u64; REGISTERS],
    /// Accesses so far.
    count: u64,
    /// How many they were when registers were last looked through, and instructions since.
    swept: u64,
    since: u64,
}

impl Default for Values {
    fn default() -> Self {
        Self {
            of: [0; REGISTERS],
            derived: 0,
            next: [0; REGISTERS],
            count: 0,
            swept: 0,
            since: 0,
        }
    }
}

impl Values {
    /// Nothing is known of any register.
    pub fn forget(&mut self) {
        self.derived = 0;
    }

    /// The latest load that any of these registers derives from.
    #[inline]
    fn latest(&self, registers: Registers) -> u64 {
        let (mut mask, mut latest) = (registers & self.derived, 0);
        while mask != 0 {
            latest = latest.max(self.of[mask.trailing_zeros() as usize]);
            mask &= mask - 1;
        }
        latest
    }

    #[inline]
    fn set(&mut self, register: usize, load: u64) {
        self.of[register % REGISTERS] = load;
        self.derived = self.derived & !(1 << register) | u64::from(load > 0) << register;
    }

    /// So many instructions were executed.
    #[inline(always)]
    pub fn pass(&mut self, instructions: u64) {
        self.since += instructions;
        if self.since >= UNDER_WAY {
            self.sweep();
        }
    }

    /// A run of a block without accesses.
    #[inline(always)]
    pub fn run(&mut self, flow: &Flow) {
        if flow.entries & self.derived == 0 {
            self.derived &= !flow.changed;
        } else {
            self.change(flow);
        }
    }

    #[inline(never)]
    fn change(&mut self, flow: &Flow) {
        let mut derived = 0;
        for (place, (register, registers)) in flow.derived.iter().enumerate() {
            let value = self.latest(*registers);
            self.next[place % REGISTERS] = value;
            derived |= u64::from(value > 0) << register;
        }
        for ((register, _), value) in flow.derived.iter().zip(&self.next) {
            self.of[usize::from(*register) % REGISTERS] = *value;
        }
        self.derived = self.derived & !flow.changed | derived;
    }

    /// A run of a block of which this was seen, in the order of its instructions; calls `each` with each access and the distance back, in
    /// accesses, to the load that it needs, 0 for none.
    #[inline(never)]
    pub fn run_seen<E>(
        &mut self,
        flow: &Flow,
        seen: &[Seen],
        mut each: impl FnMut(&Access, u32) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut rest = seen.iter();
        for step in &flow.steps {
            let address = if step.loads { self.latest(step.load_by) } else { 0 };
            let data = self.latest(step.data);
            let mut loaded = address;
            while let Some(first) = rest.as_slice().first() {
                match first {
                    Seen::Hit(place, load) if *place == step.place => loaded = loaded.max(*load),
                    Seen::Access(access) if access.place == step.place && !access.elsewhere => {
                        let needs = match access.store {
                            false => address,
                            true if step.stores_loaded => self.latest(step.store_by).max(data).max(loaded),
                            true => self.latest(step.store_by).max(data),
                        };
                        let number = self.tell(access, needs, &mut each)?;
                        if !access.store && step.loads {
                            loaded = number;
                        }
                    }
                    // Of an instruction of which nothing is known.
                    Seen::Hit(place, _) if *place < step.place => {}
                    Seen::Access(access) if access.place < step.place || access.elsewhere => {
                        self.tell(access, 0, &mut each)?;
                    }
                    _ => break,
                }
                rest.next();
            }
            self.write(step, loaded.max(data));
        }
        for seen in rest {
            if let Seen::Access(access) = seen {
                self.tell(access, 0, &mut each)?;
            }
        }
        Ok(())
    }

    /// An access is told, which needs the load of this number; its own number.
    fn tell<E>(
        &mut self,
        access: &Access,
        needs: u64,
        each: &mut impl FnMut(&Access, u32) -> Result<(), E>,
    ) -> Result<u64, E> {
        self.count += 1;
        let distance = match needs {
            0 => 0,
            needs => self.count.saturating_sub(needs),
        };
        each(access, u32::try_from(distance).unwrap_or(0))?;
        Ok(self.count)
    }

    #[inline(always)]
    fn write(&mut self, step: &Step, value: u64) {
        if !step.moves.is_empty() {
            return self.move_and_write(step, value);
        }
        for register in each(step.writes) {
            let kept = if step.merges >> register & 1 == 1 {
                self.latest(1 << register)
            } else {
                0
            };
            self.set(register, kept.max(value));
        }
    }

    fn move_and_write(&mut self, step: &Step, value: u64) {
        let mut moved = [0; 4];
        debug_assert!(step.moves.len() <= moved.len());
        for (value, (_, from)) in moved.iter_mut().zip(&step.moves) {
            *value = self.latest(1 << from);
        }
        for register in each(step.writes) {
            let kept = if step.merges >> register & 1 == 1 {
                self.latest(1 << register)
            } else {
                0
            };
            self.set(register, kept.max(value));
        }
        for ((to, _), value) in step.moves.iter().zip(moved) {
            self.set(usize::from(*to), value);
        }
    }

    /// Forgets what derives from loads that are done: those before the last time.
    #[inline(never)]
    fn sweep(&mut self) {
        for register in each(self.derived) {
            if self.of[register] <= self.swept {
                self.derived &= !(1 << register);
            }
        }
        (self.swept, self.since) = (self.count, 0);
    }
}

#[cfg(test)]
mod tests;
