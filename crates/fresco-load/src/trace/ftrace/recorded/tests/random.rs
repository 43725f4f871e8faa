// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random blocks and runs, written and read back, beside a reading by the book.

use super::super::decoder::{Decoder, Step};
use super::super::*;
use super::{Did, chase, opened, read, records_of, spill, written};
use crate::trace::ftrace::{Record, What};
use proptest::prelude::*;
use std::collections::{BTreeMap, HashMap};

prop_compose! {
    fn any_block()(
        address: u64,
        instructions in 1..=20u16,
        sites in proptest::collection::vec(
            (0..20u16, 1..=64u8, any::<bool>(), any::<[u64; 2]>(), 0..8u16, any::<u8>(), any::<[u16; 2]>()), 0..80),
        changed in proptest::collection::btree_map(0..64u8, (any::<u16>(), any::<u64>()), 0..6),
    ) -> Block {
        let mut instruction_of: Vec<u16> = sites.iter().map(|site| site.0 % instructions).collect();
        instruction_of.sort_unstable();
        let mut made: Vec<Site> = Vec::new();
        let source = |made: &[Site], load: u16, entry: u64| {
            let loads: Vec<usize> = (0..made.len()).filter(|place| !made[*place].write).collect();
            match load % 3 {
                0 if !loads.is_empty() => Source { load: loads[usize::from(load) % loads.len()] as u16 + 1, entry: 0 },
                _ => Source { load: 0, entry: entry & entry >> 7 & entry >> 13 },
            }
        };
        for (place, (_, size, write, entries, beside, distance, loads)) in sites.into_iter().enumerate() {
            let beside = if usize::from(beside) <= place { beside } else { 0 };
            made.push(Site {
                instruction: instruction_of[place],
                size,
                write,
                address: source(&made, loads[0], entries[0]),
                data: if write { source(&made, loads[1], entries[1]) } else { Source::default() },
                beside,
                distance: if beside > 0 { u64::from(distance).wrapping_sub(100) } else { 0 },
            });
        }
        let changed = changed.into_iter().map(|(register, (load, entry))| (register, source(&made, load, entry))).collect::<Vec<_>>().into();
        Block { address, instructions, sites: made, changed, code: None }
    }
}

/// What threads do with blocks: now as expected, now not.
fn any_did(blocks: usize) -> impl Strategy<Value = Vec<(usize, u8, u64)>> {
    proptest::collection::vec(
        (
            prop_oneof![4 => 0..2.min(blocks), 1 => 0..blocks],
            0..30u8,
            any::<u64>(),
        ),
        0..200,
    )
}

fn done(blocks: &[Block], choices: &[(usize, u8, u64)]) -> Vec<Did> {
    let mut at: HashMap<(usize, usize), u64> = HashMap::new();
    let mut did = Vec::new();
    for (number, what, random) in choices {
        match what {
            0 => did.push(Did::Cut),
            1 | 2 => {
                let (at, object, ticket) = (*random as u16, (random >> 16) as u16 % OBJECTS, (random >> 33) as u32);
                did.push(Did::Ordered(match what {
                    1 => Special::Order { at, object, ticket },
                    _ => Special::After { at, object, ticket },
                }));
            }
            _ => {}
        }
        let mut addresses: Vec<u64> = Vec::new();
        for (place, site) in blocks[*number].sites.iter().enumerate() {
            let last = at.entry((*number, place)).or_insert(*random);
            *last = match (what, site.beside) {
                (3..=25, 0) => last.wrapping_add(8),
                (3..=25, beside) => addresses[usize::from(beside) - 1].wrapping_add(site.distance),
                _ => random.wrapping_mul(place as u64 + 3) >> (random % 60),
            };
            addresses.push(*last);
        }
        did.push(Did::Run(*number, addresses));
    }
    did
}

/// What the accesses of a thread need, by the book: every register and every word is kept, each with what it derives from.
fn by_the_book(blocks: &[Block], did: &[Did]) -> Vec<(u64, u8, bool, u32)> {
    let (mut accesses, mut registers) = (Vec::new(), BTreeMap::<u8, usize>::new());
    // By place: the word that was stored there last, and its origin.
    let mut words = BTreeMap::<u64, (u64, usize)>::new();
    for what in did {
        let Did::Run(number, addresses) = what else {
            if matches!(what, Did::Cut) {
                registers.clear();
                words.clear();
            }
            continue;
        };
        let block = &blocks[*number];
        let first = accesses.len();
        let origin = |registers: &BTreeMap<u8, usize>, source: Source| match source.load {
            0 => (0..64)
                .filter(|r| source.entry >> r & 1 == 1)
                .filter_map(|r| registers.get(&r).copied())
                .max()
                .unwrap_or(0),
            load => first + usize::from(load),
        };
        for (site, address) in block.sites.iter().zip(addresses) {
            let mut needed = origin(&registers, site.address);
            let data = origin(&registers, site.data);
            if site.write {
                needed = needed.max(data);
            }
            // Byte by byte: a word of which there are several bytes comes several times.
            for byte in 0..u64::from(site.size.max(1)) {
                let word = address.saturating_add(byte) / 8;
                if site.write {
                    words.insert(word % 4096, (word, data));
                } else if let Some((_, data)) = words.get(&(word % 4096)).filter(|(stored, _)| *stored == word) {
                    needed = needed.max(*data);
                }
            }
            let number = accesses.len() + 1;
            let dep = if needed > 0 { (number - needed) as u32 } else { 0 };
            accesses.push((*address, site.size, site.write, dep));
        }
        let changed: Vec<_> = block
            .changed
            .all()
            .iter()
            .map(|(r, source)| (*r, origin(&registers, *source)))
            .collect();
        registers.extend(changed);
    }
    accesses
}

fn as_accesses(records: &[Record]) -> Vec<(u64, u8, bool, u32)> {
    let access = |record: &Record| match record.what {
        What::Access { addr, size, write, dep } => (addr, size, write, dep),
        What::Mark(_) => unreachable!("no mark"),
    };
    records.iter().map(access).collect()
}

proptest! {
    #![proptest_config(crate::testing::cases(128))]

    #[test]
    fn what_is_written_is_read_back(
        blocks in proptest::collection::vec(any_block(), 1..12),
        choices in (any_did(1), any_did(1)),
        spread: u64,
    ) {
        // Blocks are chosen after how many there are is known.
        let choose = |choices: &[(usize, u8, u64)]| {
            let number = |(at, choice): (usize, &(usize, u8, u64))| {
                let wild = choice.1.is_multiple_of(5);
                let number = if wild { (choice.2 ^ spread) as usize % blocks.len() } else { at % 3 % blocks.len() };
                (number, choice.1, choice.2)
            };
            choices.iter().enumerate().map(number).collect::<Vec<_>>()
        };
        let threads = [(0u16, done(&blocks, &choose(&choices.0))), (7, done(&blocks, &choose(&choices.1)))];
        let bytes = written(&blocks, &threads);
        let all = read(&bytes).map_err(TestCaseError::fail)?;
        let (file, _directory) = opened(&bytes).map_err(TestCaseError::fail)?;
        prop_assert_eq!(file.trailer().ending, Ending::Status(3));
        for (thread, did) in &threads {
            let of: Vec<Record> = all.iter().copied().filter(|record| record.thread == *thread).collect();
            prop_assert_eq!(as_accesses(&of), by_the_book(&blocks, did));
            prop_assert_eq!(records_of(&bytes, *thread).map_err(TestCaseError::fail)?, of);
            // Every page of every access is in a range of the thread, and no other is.
            let mut pages: Vec<u64> = by_the_book(&blocks, did).iter().flat_map(|(address, size, ..)| {
                [address >> 12, address.wrapping_add(u64::from(*size) - 1) >> 12]
            }).collect();
            pages.sort_unstable();
            pages.dedup();
            let totals = file.trailer().thread(*thread).expect("is there");
            let told: Vec<u64> = totals.ranges.iter().map(|range| range.first).collect();
            prop_assert_eq!(told, pages);
        }
    }

    #[test]
    fn any_bytes_are_a_trace_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let (mut blocks, mut decoder) = (vec![chase(), spill()], Decoder::new());
        for fetches in [false, true] {
            let _ = super::super::file::define(&bytes, fetches, &mut blocks);
            if let Ok(chunk) = Chunk::parse(&bytes, fetches) {
                decoder.begin(chunk);
                let mut addresses = Vec::new();
                while let Ok(Some(_)) = decoder.next(&blocks, &mut addresses) {}
            }
            let _ = Trailer::parse(&bytes, fetches);
            let head = [b"\x89FTRACE\n\x02\0", &FLAGS[usize::from(fetches)][..]].concat();
            let _ = read(&[&head[..], &bytes].concat());
        }
    }

    #[test]
    fn orders_come_back_where_they_were(at in 0..9u16, object in 0..OBJECTS, ticket in 0..u32::MAX, what in 0..4u8) {
        let special = match what {
            0 => Special::Order { at, object, ticket },
            1 => Special::After { at, object, ticket },
            _ => Special::Mark { at, region: object as u8, enters: what == 2 },
        };
        let mut encoder = Encoder::new(0);
        let blocks = [chase()];
        encoder.special(special);
        encoder.run(0, &blocks[0], &[64]);
        encoder.special(special);
        let (mut decoder, mut addresses, mut steps) = (Decoder::new(), Vec::new(), Vec::new());
        decoder.begin(encoder.take());
        while let Some(step) = decoder.next(&blocks, &mut addresses).map_err(TestCaseError::fail)? {
            steps.push(step);
        }
        prop_assert_eq!(steps, [Step::Special(special), Step::Run(0), Step::Special(special)]);
    }
}
