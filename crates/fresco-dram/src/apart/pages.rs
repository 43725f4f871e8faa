// SPDX-License-Identifier: MIT OR Apache-2.0
//! The judge of page colors: which banks and which sets of a cache the pages of each owner touch, line by line.
//!
//! It shares no code with [`crate::color`] and none with the decoder of maps: there is no elimination, no color, and no table. Each line's
//! address is taken, the parity of its bits under each function counted, and the bank or set marked.

use crate::AddressMap;
use crate::Region;
use crate::map::Field;

/// What a judge looks at.
#[derive(Clone, Copy, Debug)]
pub struct Memory<'a> {
    /// From addresses to banks.
    pub map: &'a AddressMap,
    /// Parity masks over physical addresses that choose the set of a cache, least significant first; none for no cache.
    pub sets: &'a [u64],
    /// Bytes of a page; a power of two.
    pub page_bytes: u64,
    /// Bytes of a line of the cache; a power of two.
    pub line_bytes: u64,
}

/// Looks at pages, and says what their owners have in common.
#[derive(Debug)]
pub struct PageJudge<'a> {
    memory: Memory<'a>,
    /// Bytes that lie in one bank: no function of a bank reads a bit below.
    bank_step: u64,
    owners: Vec<Owner>,
}

/// What the pages of one owner touch, a bit each.
#[derive(Clone, Debug, Default)]
struct Owner {
    pages: u64,
    banks: Vec<u64>,
    sets: Vec<u64>,
}

impl<'a> PageJudge<'a> {
    /// A judge of so many owners that has seen nothing yet.
    pub fn new(memory: Memory<'a>, owners: usize) -> Self {
        let bits = memory.map.regions().iter().fold(0, |bits, region| {
            let granule = region.functions.granule_bits.map_or(0, |granule| 1u64 << granule);
            let read = Field::SELECTORS
                .into_iter()
                .flat_map(|field| region.functions.get(field));
            read.fold(bits | granule | region.base | region.offset, |bits, mask| bits | mask)
        });
        let step = 1u64.checked_shl(bits.trailing_zeros()).unwrap_or(memory.page_bytes);
        Self {
            memory,
            bank_step: step.clamp(1, memory.page_bytes),
            owners: vec![Owner::default(); owners],
        }
    }

    /// Addresses that are looked at in a page.
    pub fn addresses_of_page(&self) -> u64 {
        let lines = match self.memory.sets.is_empty() {
            true => 0,
            false => self.memory.page_bytes / self.memory.line_bytes,
        };
        self.memory.page_bytes / self.bank_step + lines
    }

    /// These owners have the page that begins at `first`; one without memory is passed over.
    pub fn see(&mut self, owners: &[usize], first: u64) {
        let memory = self.memory;
        let Some(region) = memory
            .map
            .regions()
            .iter()
            .find(|region| first >= region.base && first - region.base < region.size)
        else {
            return;
        };
        for &owner in owners {
            self.owners[owner].pages += 1;
        }
        for address in (first..first + memory.page_bytes).step_by(self.bank_step as usize) {
            let bank = bank(memory.map, region, address);
            for &owner in owners {
                mark(&mut self.owners[owner].banks, bank);
            }
        }
        if memory.sets.is_empty() {
            return;
        }
        for address in (first..first + memory.page_bytes).step_by(memory.line_bytes as usize) {
            let set = number(memory.sets, address);
            for &owner in owners {
                mark(&mut self.owners[owner].sets, set);
            }
        }
    }

    /// Pages of an owner that were seen.
    pub fn pages(&self, owner: usize) -> u64 {
        self.owners[owner].pages
    }

    /// Banks that its pages touch, by number in the machine ([`crate::Location::bank_in_machine`]), ascending.
    pub fn banks(&self, owner: usize) -> Vec<u32> {
        marked(&self.owners[owner].banks).map(|bank| bank as u32).collect()
    }

    /// How many sets of the cache its pages touch.
    pub fn sets(&self, owner: usize) -> u64 {
        marked(&self.owners[owner].sets).count() as u64
    }

    /// Banks that pages of both touch, ascending.
    pub fn shared_banks(&self, a: usize, b: usize) -> Vec<u32> {
        let both = common(&self.owners[a].banks, &self.owners[b].banks);
        marked(&both).map(|bank| bank as u32).collect()
    }

    /// How many sets of the cache pages of both touch.
    pub fn shared_sets(&self, a: usize, b: usize) -> u64 {
        marked(&common(&self.owners[a].sets, &self.owners[b].sets)).count() as u64
    }
}

/// The bank of an address, counted through the machine: node, channel, rank, group, bank.
fn bank(map: &AddressMap, region: &Region, address: u64) -> u64 {
    let organisation = map.organisation();
    let normalised = address - region.offset;
    let functions = &region.functions;
    let ways = u64::from(organisation.odd_ways());
    let (way, within) = match functions.granule_bits {
        Some(bits) if ways > 1 => {
            let granule = 1u64 << bits;
            let dealt = normalised / granule;
            (dealt % ways, dealt / ways * granule + normalised % granule)
        }
        _ => (0, normalised),
    };
    let of = |field: Field| number(functions.get(field), within);
    let node = region.node.map_or_else(|| of(Field::Node), u64::from);
    let channel = (way << functions.get(Field::Channel).len()) + of(Field::Channel);
    let mut bank = node * u64::from(organisation.channels) + channel;
    for (field, count) in [
        (Field::Rank, organisation.ranks),
        (Field::BankGroup, organisation.bank_groups),
        (Field::Bank, organisation.banks),
    ] {
        bank = bank * u64::from(count) + of(field);
    }
    bank
}

/// The number that functions spell for an address, the first one its least significant bit.
fn number(functions: &[u64], address: u64) -> u64 {
    let mut number = 0;
    for (bit, mask) in functions.iter().enumerate() {
        number += u64::from((address & mask).count_ones() % 2) << bit;
    }
    number
}

fn mark(marks: &mut Vec<u64>, place: u64) {
    let word = (place / 64) as usize;
    if marks.len() <= word {
        marks.resize(word + 1, 0);
    }
    marks[word] |= 1 << (place % 64);
}

fn common(a: &[u64], b: &[u64]) -> Vec<u64> {
    a.iter().zip(b).map(|(a, b)| a & b).collect()
}

fn marked(marks: &[u64]) -> impl Iterator<Item = u64> + '_ {
    let in_word = |(word, marks): (u64, &u64)| {
        let marks = *marks;
        (0..64)
            .filter(move |bit| marks >> bit & 1 == 1)
            .map(move |bit| word * 64 + bit)
    };
    (0u64..).zip(marks).flat_map(in_word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::testing::{cases, maps, small_organisations};
    use crate::{ColorSpace, FrameNumber, Functions, Organisation, PhysAddr};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn map(bank: Vec<u64>) -> AddressMap {
        let organisation = Organisation {
            nodes: 1,
            channels: 1,
            ranks: 1,
            bank_groups: 1,
            banks: 4,
            rows: 16,
            columns: 512,
            bus_bytes: 8,
        };
        let functions = Functions {
            bank,
            row: (14..18).map(|bit| 1 << bit).collect(),
            column: (3..12).map(|bit| 1 << bit).collect(),
            ..Functions::default()
        };
        let region = Region {
            base: 0,
            size: 256 << 10,
            offset: 0,
            node: None,
            functions,
        };
        AddressMap::new(organisation, vec![region]).expect("a map")
    }

    /// Bank bit 0 is bits 12 and 14, bank bit 1 is bit 13: page 0x4000 is in bank 1, 0x6000 in bank 3.
    #[test]
    fn pages_by_hand() {
        let map = map(vec![1 << 12 | 1 << 14, 1 << 13]);
        let sets = [1 << 6, 1 << 12];
        let memory = Memory {
            map: &map,
            sets: &sets,
            page_bytes: 4096,
            line_bytes: 64,
        };
        let mut judge = PageJudge::new(memory, 3);
        assert_eq!(judge.addresses_of_page(), 1 + 64);
        judge.see(&[0], 0x4000);
        judge.see(&[1, 2], 0x6000);
        judge.see(&[1], 0x1000);
        judge.see(&[0], 256 << 10);
        assert_eq!((judge.pages(0), judge.pages(1)), (1, 2));
        assert_eq!((judge.banks(0), judge.banks(1)), (vec![1], vec![1, 3]));
        assert_eq!(judge.shared_banks(0, 1), [1]);
        assert_eq!(judge.shared_banks(0, 2), []);
        // Sets 0 and 1 of the first, all four of the second.
        assert_eq!((judge.sets(0), judge.sets(1), judge.shared_sets(0, 1)), (2, 4, 2));
    }

    /// A function that reads a bit within the page: each page has two banks.
    #[test]
    fn a_page_may_lie_in_several_banks() {
        let map = map(vec![1 << 11 ^ 1 << 12, 1 << 13]);
        let memory = Memory {
            map: &map,
            sets: &[],
            page_bytes: 4096,
            line_bytes: 64,
        };
        let mut judge = PageJudge::new(memory, 1);
        judge.see(&[0], 0);
        assert_eq!(judge.banks(0), [0, 1]);
    }

    proptest! {
        #![proptest_config(cases(64))]

        /// The decoder and the colors say the same, of ranges with offsets, nodes by range, and channels that are dealt.
        #[test]
        fn it_agrees_with_decoder_and_colors(map in maps(small_organisations(), 6)) {
            const PAGE_BITS: u32 = 6;
            let memory = Memory { map: &map, sets: &[], page_bytes: 1 << PAGE_BITS, line_bytes: 64 };
            let bus = map.organisation().bus_bytes as usize;
            let space = ColorSpace::new(&map, &[], PAGE_BITS);
            for region in map.regions() {
                let first_page = region.base.next_multiple_of(1 << PAGE_BITS);
                for first in (first_page..).step_by(1 << PAGE_BITS).take_while(|first| first + (1 << PAGE_BITS) <= region.end()) {
                    let mut judge = PageJudge::new(memory, 1);
                    judge.see(&[0], first);
                    let decoded = (first..first + (1 << PAGE_BITS)).step_by(bus).filter_map(|line| map.decode(PhysAddr(line)));
                    let banks: BTreeSet<u32> = decoded.map(|place| place.bank_in_machine(map.organisation())).collect();
                    prop_assert_eq!(judge.banks(0), Vec::from_iter(banks), "{:#x}", first);
                    if let Ok(space) = &space {
                        let of_color = space.banks(space.bank_color(FrameNumber(first >> PAGE_BITS)));
                        prop_assert!(judge.banks(0).iter().all(|bank| of_color.contains(bank)), "{:#x}", first);
                    }
                }
            }
        }
    }
}
