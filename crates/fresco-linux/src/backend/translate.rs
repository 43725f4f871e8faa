// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which colours of the kernel the colours asked for are.
//!
//! Both maps are looked at over the memory that there is, block by block: in an aligned block in which no base changes
//! a bit that varies, both are affine over GF(2). So the frames of one colour of the kernel have, in a block, colours
//! that differ by the sums of a few vectors, and it can be said without looking at frames whether all of them were
//! asked for, or none.

use super::KernelMap;
use crate::colors::{AskedColors, Filter, FrameColors};
use fresco_dram::FrameNumber;
use std::collections::HashSet;
use std::fmt;
use std::ops::Range;

/// The kernel's map does not tell apart what has to be told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mixed {
    /// A colour of the kernel,
    pub color: u64,
    /// that frames asked for have, and others; an address near one of the others, in bytes.
    pub address: u64,
}

impl fmt::Display for Mixed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "its colour {} has frames that were asked for and frames that were not (as in the block at {:#x})",
            self.color, self.address
        )
    }
}

/// The colours of the kernel whose frames have the colours `asked`, ascending; none, if no frame has. `memory` is that
/// of the machine, in bytes.
///
/// # Errors
/// [`Mixed`].
pub fn translate(
    map: &KernelMap,
    colors: &FrameColors,
    asked: &AskedColors,
    memory: &[Range<u64>],
) -> Result<Vec<u32>, Mixed> {
    let page_bits = colors.page_bits();
    let page = 1u64 << page_bits;
    let filter = Filter::new(colors, asked);
    let mut verdicts = Verdicts(vec![None; map.colors()]);
    let mut seen = HashSet::new();
    for range in memory {
        let range = range.start.next_multiple_of(page)..range.end & !(page - 1);
        let mut at = range.start;
        while at < range.end {
            let (end, order) = affine(map, colors, at, range.end);
            // The largest aligned block that begins here and ends in time.
            let order = order.min(at.trailing_zeros()).min((end - at).ilog2()).max(page_bits);
            let block = at;
            at += 1 << order;
            let Some(first) = map.color(block) else { continue };
            let own = filter.color(FrameNumber(block >> page_bits));
            if !seen.insert((order, first, own)) {
                continue;
            }
            judge(map, &filter, page_bits, block, order, &mut verdicts)?;
        }
    }
    Ok(verdicts.wanted())
}

/// How far from an address on no range ends, and the order of blocks in which the bases of both maps change no bit that
/// varies.
fn affine(map: &KernelMap, colors: &FrameColors, at: u64, end: u64) -> (u64, u32) {
    let page = 1u64 << colors.page_bits();
    let mut end = end;
    let mut bases = map.base_of(at).unwrap_or(0);
    for range in &map.ranges {
        for edge in [range.start, range.end] {
            end = if edge > at { end.min(edge) } else { end };
        }
    }
    for (_, span, offset) in colors.spans() {
        for edge in [span.start, span.end] {
            end = if edge > at { end.min(edge) } else { end };
        }
        if span.contains(&at) {
            bases |= offset;
        }
    }
    (end.max(at + page), if bases == 0 { 63 } else { bases.trailing_zeros() })
}

/// Per colour of the kernel: was it asked for? Unknown before a frame of it was met.
struct Verdicts(Vec<Option<bool>>);

impl Verdicts {
    fn note(&mut self, color: u64, wanted: bool, address: u64) -> Result<(), Mixed> {
        let verdict = &mut self.0[color as usize];
        match *verdict.get_or_insert(wanted) == wanted {
            true => Ok(()),
            false => Err(Mixed { color, address }),
        }
    }

    fn wanted(&self) -> Vec<u32> {
        let wanted = (0..).zip(&self.0).filter(|(_, verdict)| **verdict == Some(true));
        wanted.map(|(color, _)| color).collect()
    }
}

/// Judges the colours of one block.
fn judge(
    map: &KernelMap,
    filter: &Filter,
    page_bits: u32,
    block: u64,
    order: u32,
    verdicts: &mut Verdicts,
) -> Result<(), Mixed> {
    let kernel = |address: u64| map.color(address).unwrap_or(0);
    // Bank colour and LLC colour as one vector: within a part banks count from a multiple of their number or differ by
    // a sum that does not change when the part's first colour is taken away.
    let first_bank = filter.first_bank(FrameNumber(block >> page_bits));
    let own = |address: u64| {
        let color = filter.color(FrameNumber(address >> page_bits));
        color.map(|(bank, llc)| u64::from(bank - first_bank) | u64::from(llc) << 32)
    };
    let asks = |vector: u64| filter.asks((first_bank + (vector & 0xffff_ffff) as u32, (vector >> 32) as u32));
    let (kernel_first, own_first) = (kernel(block), own(block));
    // What a bit of the address adds to both; reduced so that each row has a bit of the kernel's colour of its own.
    let mut rows: Vec<(u64, u64)> = Vec::new();
    let mut hidden: Vec<u64> = Vec::new();
    for bit in page_bits..order {
        let mut row = (
            kernel(block | 1 << bit) ^ kernel_first,
            own(block | 1 << bit)
                .zip(own_first)
                .map_or(0, |(this, first)| this ^ first),
        );
        for &(color, vector) in &rows {
            if row.0 & top(color) != 0 {
                row = (row.0 ^ color, row.1 ^ vector);
            }
        }
        match row.0 {
            0 => add(&mut hidden, row.1),
            _ => rows.push(row),
        }
    }
    for (color, vector) in sums(&rows, (kernel_first, own_first.unwrap_or(0))) {
        match own_first {
            None => verdicts.note(color, false, block)?,
            Some(_) => {
                let hidden: Vec<(u64, u64)> = hidden.iter().map(|&vector| (0, vector)).collect();
                for (_, vector) in sums(&hidden, (0, vector)) {
                    verdicts.note(color, asks(vector), block)?;
                }
            }
        }
    }
    Ok(())
}

/// The highest bit that is set.
fn top(vector: u64) -> u64 {
    1 << vector.ilog2()
}

/// Adds a vector to independent ones, unless it is a sum of them.
fn add(vectors: &mut Vec<u64>, vector: u64) {
    let rest = vectors.iter().fold(
        vector,
        |rest, &other| if rest & top(other) != 0 { rest ^ other } else { rest },
    );
    if rest != 0 {
        vectors.push(rest);
    }
}

/// `first` with every sum of `rows` added to it.
fn sums(rows: &[(u64, u64)], first: (u64, u64)) -> impl Iterator<Item = (u64, u64)> + '_ {
    let mut sum = first;
    (0u64..1 << rows.len()).map(move |step| {
        // One row differs between neighbours of the Gray code.
        if step > 0 {
            let row = rows[step.trailing_zeros() as usize];
            sum = (sum.0 ^ row.0, sum.1 ^ row.1);
        }
        sum
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::colors::ColorCounts;
    use fresco_dram::ColorSpace;
    use fresco_dram::map::BankMap;
    use proptest::prelude::*;

    fn colors(functions: &[u64], llc: &[u64], offset: u64) -> FrameColors {
        let map = BankMap::new(functions.to_vec(), offset).expect("a map");
        let space = ColorSpace::of_bank_map(&map, llc, 12).expect("colours");
        FrameColors::of_bank_map(&map, &space)
    }

    fn asked(colors: &FrameColors, text: &str) -> AskedColors {
        AskedColors::parse(text, ColorCounts::of(colors)).expect(text)
    }

    fn translated(map: &str, colors: &FrameColors, text: &str, memory: &[Range<u64>]) -> Result<Vec<u32>, Mixed> {
        translate(&KernelMap::parse(map).expect(map), colors, &asked(colors, text), memory)
    }

    const MEMORY: [Range<u64>; 2] = [0x1000..0x9f000, 0x10_0000..0x8000_0000];

    #[test]
    fn the_same_functions_in_another_order_are_other_numbers() {
        let colors = colors(&[1 << 14 | 1 << 18, 1 << 15 | 1 << 19], &[], 0);
        for (map, text, expected) in [
            ("0x44000,0x88000", "banks=1", vec![1]),
            ("0x88000,0x44000", "banks=1", vec![2]),
            ("0x88000,0x44000", "banks=0,2", vec![0, 1]),
            // Sums: bit 0 is bank bit 0 + bank bit 1, bit 1 is bank bit 1.
            ("0xcc000,0x88000", "banks=2-3", vec![2, 3]),
            ("0xcc000,0x88000", "banks=1", vec![1]),
            ("0xcc000,0x88000", "banks=2", vec![3]),
            // One function more than is asked about.
            ("0x1000,0x44000,0x88000", "banks=1", vec![2, 3]),
            // One that is a sum of the others: half of the numbers have no frame.
            ("0x44000,0x88000,0xcc000", "banks=1", vec![5]),
            // Less than the whole is enough for what is asked.
            ("0x88000", "banks=2-3", vec![1]),
        ] {
            assert_eq!(translated(map, &colors, text, &MEMORY), Ok(expected), "{map} {text}");
        }
    }

    #[test]
    fn a_map_that_mixes_colors_is_refused() {
        let colors = colors(&[1 << 14 | 1 << 18, 1 << 15 | 1 << 19], &[1 << 12], 0);
        for (map, text) in [
            ("0x88000", "banks=1"),
            ("0x4000,0x88000", "banks=1"),
            ("0x44000,0x88000", "llc=0"),
            ("0x44000,0x88000", "banks=1,llc=0"),
        ] {
            assert!(translated(map, &colors, text, &MEMORY).is_err(), "{map} {text}");
        }
        // Memory in which the functions are the same is not mixed.
        assert_eq!(
            translated("0x4000,0x8000", &colors, "banks=1", &[0..1 << 18]),
            Ok(vec![1])
        );
    }

    #[test]
    fn ranges_and_offsets_count() {
        let colors = colors(&[1 << 14, 1 << 32], &[], 1 << 32);
        let memory = [0..1 << 31, 1 << 32..3 << 32];
        // Below 4 GiB no frame has a colour, but the kernel has colours for them: those of frames from 8 GiB on.
        assert_eq!(
            translated("0x4000,0x100000000", &colors, "banks=0", &memory),
            Ok(vec![2])
        );
        assert!(translated("0x4000,0x100000000", &colors, "banks=2", &memory).is_err());
        let map = "0x4000,0x100000000@0x100000000-0x300000000:0x100000000";
        assert_eq!(translated(map, &colors, "banks=0,3", &memory), Ok(vec![0, 3]));
        // Without a base the second function is the other way round.
        let map = "0x4000,0x100000000@0x100000000-0x300000000";
        assert_eq!(translated(map, &colors, "banks=0,1", &memory), Ok(vec![2, 3]));
        // A base that is not the map's own shifts what a bit within it says.
        let map = "0x4000,0x100000000@0x100000000-0x300000000:0x800000";
        assert!(translated(map, &colors, "banks=0-1", &memory).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn frame_by_frame_it_is_the_same(
            functions in prop::collection::vec(1u64..1 << 14, 1..4),
            llc in prop::collection::vec(1u64..1 << 14, 0..3),
            kernel in prop::collection::vec(1u64..1 << 14, 1..6),
            same in any::<bool>(),
            offset in 0u64..3,
            base in 0u64..3,
            banks in 1u32..15,
            spans in prop::collection::vec(1u64..3000, 1..4),
        ) {
            let pages = |masks: &[u64]| masks.iter().map(|mask| mask << 12).collect::<Vec<_>>();
            let Ok(map) = BankMap::new(pages(&functions), offset << 22) else { return Ok(()) };
            let Ok(space) = ColorSpace::of_bank_map(&map, &pages(&llc), 12) else { return Ok(()) };
            let colors = FrameColors::of_bank_map(&map, &space);
            let mut kernel = pages(&kernel);
            if same {
                // Mostly a map that fits: random ones hardly ever do.
                kernel.extend(pages(&functions));
            }
            let from = offset.max(base) << 22;
            let map = KernelMap {
                functions: kernel,
                ranges: vec![super::super::MapRange { start: from, end: 1 << 40, base: base << 22 }],
            };
            let counts = ColorCounts::of(&colors);
            let list: Vec<u32> = (0..counts.banks).filter(|bank| banks >> (bank % 4) & 1 == 1).collect();
            prop_assume!(!list.is_empty());
            let asked = AskedColors { banks: list, ..AskedColors::all(counts) };
            let mut memory = Vec::new();
            let mut at = 0u64;
            for pages in spans {
                memory.push(at..at + (pages << 12));
                at += pages + 777 << 12;
            }
            let filter = Filter::new(&colors, &asked);
            let mut expected: Vec<Option<bool>> = vec![None; map.colors()];
            let mut mixed = false;
            for frame in memory.iter().flat_map(|range| range.start >> 12..range.end >> 12) {
                let Some(color) = map.color(frame << 12) else { continue };
                let wanted = filter.wants(FrameNumber(frame));
                mixed |= *expected[color as usize].get_or_insert(wanted) != wanted;
            }
            let wanted = (0..).zip(expected).filter(|(_, verdict)| *verdict == Some(true));
            let wanted: Vec<u32> = wanted.map(|(color, _)| color).collect();
            match translate(&map, &colors, &asked, &memory) {
                Ok(found) => {
                    prop_assert!(!mixed);
                    prop_assert_eq!(found, wanted);
                }
                Err(_) => prop_assert!(mixed),
            }
        }
    }
}
