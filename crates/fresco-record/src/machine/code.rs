// SPDX-License-Identifier: MIT OR Apache-2.0
//! The code of a machine, block by block, and which block may follow which.
//!
//! Interrupts, exceptions and system calls are not told. They show in that a block runs that the one before does not lead to.

use super::values::Flow;
use crate::decode::{Architecture, leads::leads};
use fresco_ring::physical::{Defined, PLACES};
use std::collections::HashMap;

/// Blocks, at most: as many as there can be translations in an emulator's memory, by far.
const MOST_BLOCKS: usize = 1 << 24;

/// No address: none has but the highest bit.
const NOWHERE: u64 = 1 << 63;

/// A block.
pub struct Block {
    /// Its instructions.
    pub instructions: u64,
    /// Its last instruction is PAUSE.
    pub pauses: bool,
    /// What it does with values.
    pub flow: Flow,
    address: u64,
    /// Addresses to which it leads, or [`NOWHERE`].
    next: [u64; 2],
    anywhere: bool,
    /// Number of the place where it begins.
    place: usize,
}

impl Block {
    /// Returns true if it is code of programs, not of the kernel.
    fn is_of_programs(&self) -> bool {
        self.address >> 63 == 0
    }
}

/// Which of the blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Index(u32);

impl std::ops::Index<Index> for Code {
    type Output = Block;

    #[inline(always)]
    fn index(&self, Index(index): Index) -> &Block {
        &self.blocks[index as usize]
    }
}

/// All blocks of a machine.
#[derive(Default)]
pub struct Code {
    /// By the emulator's number, the place among the blocks, plus one.
    numbers: Vec<u32>,
    blocks: Vec<Block>,
    by_code: HashMap<Defined, u32>,
    /// Numbers of addresses.
    places: HashMap<u64, usize>,
    /// Whether code is known to lead there.
    led_to: Vec<bool>,
}

impl Code {
    /// Takes a definition.
    ///
    /// # Errors
    /// There are too many.
    pub fn define(&mut self, number: u32, defined: Defined) -> Result<(), &'static str> {
        let number = number as usize;
        if number >= MOST_BLOCKS || defined.instructions.len() as u64 > PLACES {
            return Err("more code than any machine has");
        }
        let index = match self.by_code.get(&defined) {
            Some(index) => *index,
            None => {
                let block = self.decoded(&defined);
                self.blocks.push(block);
                let index = self.blocks.len() as u32;
                self.by_code.insert(defined, index);
                index
            }
        };
        if number >= self.numbers.len() {
            self.numbers.resize(number + 1, 0);
        }
        self.numbers[number] = index;
        Ok(())
    }

    fn decoded(&mut self, defined: &Defined) -> Block {
        let instructions: Vec<&[u8]> = defined.instructions.iter().map(Vec::as_slice).collect();
        let effects = Architecture::X86.decode(defined.address, &instructions);
        let (last, others) = instructions
            .split_last()
            .map_or((&[][..], &[][..]), |(last, others)| (*last, others));
        let length = others.iter().map(|bytes| bytes.len() as u64).sum::<u64>();
        let leads = leads(defined.address.wrapping_add(length), last);
        for address in leads.next.iter().chain(&leads.back) {
            let place = self.place(*address);
            self.led_to[place] = true;
        }
        Block {
            instructions: instructions.len() as u64,
            pauses: last == [0xf3, 0x90],
            flow: Flow::new(&effects),
            address: defined.address,
            next: [0, 1].map(|which| leads.next.get(which).copied().unwrap_or(NOWHERE)),
            anywhere: leads.anywhere,
            place: self.place(defined.address),
        }
    }

    /// The number of an address.
    fn place(&mut self, address: u64) -> usize {
        let new = self.led_to.len();
        let place = *self.places.entry(address).or_insert(new);
        if place == new {
            self.led_to.push(false);
        }
        place
    }

    /// The block of this number of the emulator's.
    #[inline(always)]
    pub fn block(&self, number: u32) -> Option<Index> {
        let index = *self.numbers.get(number as usize)?;
        (index > 0).then(|| Index(index - 1))
    }

    /// Returns true if `next` ran after `block` because that leads there, so that all of `block` was executed and nothing came between.
    /// False if it may have been otherwise.
    ///
    /// A program is left for the kernel only by what leads nowhere, and never found where it was not. In the kernel, what leads
    /// anywhere is believed to lead only to where other code leads: not to what an interrupt begins with.
    #[inline(always)]
    pub fn leads_to(&self, block: &Block, next: &Block) -> bool {
        if block.is_of_programs() != next.is_of_programs() {
            return false;
        }
        let [one, other] = block.next;
        one == next.address
            || other == next.address
            || block.anywhere && (next.is_of_programs() || self.led_to[next.place])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KERNEL: u64 = 0xffff_ffff_8100_0000;

    fn code(blocks: &[(u64, &[&[u8]])]) -> Code {
        let mut code = Code::default();
        for (number, (address, instructions)) in (0..).zip(blocks) {
            let instructions = instructions.iter().map(|bytes| bytes.to_vec()).collect();
            let address = *address;
            code.define(number, Defined { address, instructions }).expect("few");
        }
        code
    }

    #[test]
    fn what_runs_between_blocks_shows() {
        let (jump, call, ret, indirect): (&[u8], &[u8], &[u8], &[u8]) =
            (&[0xeb, 0x0e], &[0xe8, 0xfb, 0, 0, 0], &[0xc3], &[0xff, 0xe0]);
        let code = code(&[
            (KERNEL, &[&[0x90], jump]),       // 0: to 17
            (KERNEL + 17, &[call]),           // 1: calls 17 + 5 + 0xfb, returns to 22
            (KERNEL + 17 + 5 + 0xfb, &[ret]), // 2
            (KERNEL + 22, &[indirect]),       // 3
            (KERNEL + 0x1000, &[ret]),        // 4: an interrupt
            (0x40_0000, &[ret]),              // 5: a program
            (0x50_0000, &[&[0x0f, 0x05]]),    // 6: syscall
            (0x50_0002, &[indirect]),         // 7
        ]);
        let leads = |from: u32, to: u32| {
            let block = |number| code.block(number).expect("defined");
            code.leads_to(&code[block(from)], &code[block(to)])
        };
        let all = |from: u32| (0..8).filter(|to| leads(from, *to)).collect::<Vec<_>>();
        assert_eq!(all(0), [1]);
        assert_eq!(all(1), [2]);
        // Where calls return to, where jumps go and calls: not where nothing is known to lead.
        assert_eq!(all(2), [1, 2, 3]);
        assert_eq!(all(3), [1, 2, 3]);
        assert_eq!(all(5), [5, 6, 7]);
        assert_eq!(all(6), [0; 0]);
        assert_eq!(all(7), [5, 6, 7]);
        assert!(code.block(8).is_none());
    }

    #[test]
    fn the_same_code_is_one_block() {
        let defined = || Defined {
            address: 4096,
            instructions: vec![vec![0x90], vec![0xc3]],
        };
        let mut code = Code::default();
        code.define(7, defined()).expect("few");
        code.define(900, defined()).expect("few");
        assert_eq!(code.blocks.len(), 1);
        assert_eq!((code.block(7), code.block(900)), (Some(Index(0)), Some(Index(0))));
        assert_eq!(code[Index(0)].instructions, 2);
        assert!(code.block(8).is_none());
        assert!(code.define(u32::MAX, defined()).is_err());
    }
}
