// SPDX-License-Identifier: MIT OR Apache-2.0
//! ChampSim's format: an instruction for each access, one for each instruction of a gap, and registers for the dependences.

use super::Losses;
use crate::trace::champsim::{Instruction, size_at};
use crate::trace::ftrace::{Record, Unit, What};
use std::io::{self, Write};

/// Registers that hold what loads bring. ChampSim has 128 physical registers if not told otherwise, and needs one for each of these and for
/// each load under way: with more it would have fewer loads under way, and with all it would stop.
const REGISTERS: usize = 64;
/// The first of them: above those that mean something to ChampSim.
const FIRST: u8 = 64;
/// Address of the first instruction. The format wants one, and records have none: they run through a loop of these.
const CODE: u64 = 0x40_0000;
/// Instructions of the loop.
const LOOP: u64 = 1024;
/// Bytes of an instruction.
const STEP: u64 = 4;
/// Longest gap, in instructions: 1 GiB of the file.
const LONGEST_GAP: u64 = 1 << 24;

/// Writes the format.
pub(super) struct ChampSimWriter<W: Write> {
    out: W,
    unit: Unit,
    instructions: u64,
    accesses: u64,
    /// Instructions since the last access.
    gap: u64,
    /// Of each register: the access whose data it holds, from 1 on, and the one that last needed or brought them.
    held: [u64; REGISTERS],
    used: [u64; REGISTERS],
}

impl<W: Write> ChampSimWriter<W> {
    pub fn new(out: W, unit: Unit) -> Self {
        Self {
            out,
            unit,
            instructions: 0,
            accesses: 0,
            gap: 0,
            held: [0; REGISTERS],
            used: [0; REGISTERS],
        }
    }

    pub fn push(&mut self, record: &Record, losses: &mut Losses) -> io::Result<()> {
        match self.unit {
            Unit::Instructions => self.gap = self.gap.saturating_add(record.gap),
            Unit::Cycles => losses.add(u64::from(record.gap > 0), "arrival times"),
        }
        let What::Access { addr, size, write, dep } = record.what else {
            losses.add(1, "marks");
            return Ok(());
        };
        let gap = std::mem::take(&mut self.gap);
        losses.add(gap.saturating_sub(LONGEST_GAP), "instructions of gaps beyond 2^24");
        for _ in 0..gap.min(LONGEST_GAP) {
            self.instruction(Instruction::default())?;
        }
        losses.add(u64::from(size != size_at(addr)), "sizes of accesses");
        losses.add(
            u64::from(addr == 0),
            "accesses at address 0, which says that there is none",
        );
        self.accesses += 1;
        let needed = match self.accesses.saturating_sub(u64::from(dep)) {
            load if dep > 0 && load > 0 => self.register_of(load),
            _ => 0,
        };
        losses.add(
            u64::from(dep > 0 && needed == 0),
            "dependences on loads whose register holds another by then",
        );
        let mut instruction = Instruction {
            read: [needed, 0, 0, 0],
            ..Instruction::default()
        };
        if write {
            instruction.stores[0] = addr;
        } else {
            instruction.loads[0] = addr;
            instruction.written[0] = self.give();
        }
        self.instruction(instruction)
    }

    fn instruction(&mut self, instruction: Instruction) -> io::Result<()> {
        let address = CODE + self.instructions % LOOP * STEP;
        self.instructions += 1;
        self.out.write_all(&Instruction { address, ..instruction }.to_bytes())
    }

    /// The register that holds what an access brought; 0 if none does. It is in use.
    fn register_of(&mut self, access: u64) -> u8 {
        match self.held.iter().position(|held| *held == access) {
            Some(place) => {
                self.used[place] = self.accesses;
                FIRST + place as u8
            }
            None => 0,
        }
    }

    /// The register that was not used for the longest time, for the present access.
    fn give(&mut self) -> u8 {
        let oldest = self.used.iter().enumerate().min_by_key(|(_, used)| **used);
        let place = oldest.map_or(0, |(place, _)| place);
        (self.held[place], self.used[place]) = (self.accesses, self.accesses);
        FIRST + place as u8
    }

    pub fn finish(self) -> io::Result<W> {
        Ok(self.out)
    }
}
