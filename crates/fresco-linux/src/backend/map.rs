// SPDX-License-Identifier: MIT OR Apache-2.0
//! The map of a kernel with page coloring, as its file `map` shows and takes it:
//! `MASK[,MASK]...[@START-END[:BASE][,START-END[:BASE]]...]`.

use crate::colors::{AskedColors, ColorCounts, FrameColors};
use fresco_dram::gf2::{self, Elimination};
use std::fmt;
use std::ops::Range;

/// Starts, ends and bases are multiples of the largest block of the kernel's page allocator.
const BLOCK_BYTES: u64 = 4 << 20;
/// Addresses above are refused by the kernel.
const MOST_BYTES: u64 = 1 << 52;
/// Functions and ranges that are read; the kernel takes 12 and 16.
const MOST_FUNCTIONS: usize = 16;
const MOST_RANGES: usize = 64;

/// Parity functions, and the memory that they hold for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelMap {
    /// Masks over physical address bits, in bytes; function `i` is bit `i` of the color.
    pub functions: Vec<u64>,
    /// Ascending and disjoint; none for all memory.
    pub ranges: Vec<MapRange>,
}

/// Memory that starts at another address of the DRAM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MapRange {
    /// First address, in bytes.
    pub start: u64,
    /// The first address behind it.
    pub end: u64,
    /// Subtracted before the functions read an address.
    pub base: u64,
}

impl KernelMap {
    /// Reads a map; `None` if this is none.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim_end();
        let (functions, ranges) = match text.split_once('@') {
            Some((functions, ranges)) => (functions, Some(ranges)),
            None => (text, None),
        };
        let functions: Option<Vec<u64>> = functions.split(',').map(number).collect();
        let ranges: Option<Vec<MapRange>> = ranges.into_iter().flat_map(|text| text.split(',')).map(range).collect();
        let map = Self {
            functions: functions?,
            ranges: ranges?,
        };
        let ascending = map.ranges.windows(2).all(|pair| pair[0].end <= pair[1].start);
        let sound = map.functions.len() <= MOST_FUNCTIONS && map.ranges.len() <= MOST_RANGES && ascending;
        (sound && map.functions.iter().all(|&mask| mask != 0)).then_some(map)
    }

    /// Numbers of colors, those included that no frame has.
    pub fn colors(&self) -> usize {
        1 << self.functions.len()
    }

    /// Where an address lies in the DRAM; `None` outside of all ranges.
    pub fn base_of(&self, address: u64) -> Option<u64> {
        match self.ranges.is_empty() {
            true => Some(0),
            false => self
                .ranges
                .iter()
                .find(|range| (range.start..range.end).contains(&address))
                .map(|range| range.base),
        }
    }

    /// The color of an address.
    pub fn color(&self, address: u64) -> Option<u64> {
        Some(gf2::apply(&self.functions, address - self.base_of(address)?))
    }

    /// The map with which a kernel tells apart what `colors` does, or, if `asked` is given, what these restrict;
    /// `None` if the kernel's form has no place for it.
    pub fn of(colors: &FrameColors, asked: Option<&AskedColors>, memory: &[Range<u64>]) -> Option<Self> {
        let counts = ColorCounts::of(colors);
        let all = AskedColors::all(counts);
        let banks = asked.is_none_or(|asked| asked.banks != all.banks);
        let llc = asked.is_none_or(|asked| asked.llc != all.llc);
        let mut functions = Vec::new();
        if banks {
            functions.extend(colors.bank_functions()?);
        }
        if llc {
            functions.extend(colors.llc_functions());
        }
        let mut independent = Elimination::new();
        functions.retain(|&function| independent.insert(function).is_none());
        let all_bytes: u64 = memory.iter().map(|range| range.end - range.start).sum();
        let mut spans: Vec<MapRange> = colors
            .spans()
            .map(|(_, span, base)| MapRange {
                start: span.start,
                end: span.end.min(MOST_BYTES - BLOCK_BYTES),
                base,
            })
            .filter(|range| range.start < range.end)
            .collect();
        spans.sort_by_key(|range| range.start);
        let everywhere = spans.iter().all(|range| range.base == 0) && colors.bytes_within(memory) >= all_bytes;
        let ranges = match everywhere {
            true => Vec::new(),
            false => joined(spans),
        };
        let aligned = ranges
            .iter()
            .all(|range| (range.start | range.end | range.base).is_multiple_of(BLOCK_BYTES));
        let fits = !functions.is_empty() && functions.len() <= 12 && ranges.len() <= 16;
        (aligned && fits).then_some(Self { functions, ranges })
    }
}

/// Ranges that go on where the last ended, with the same base, are one.
fn joined(spans: Vec<MapRange>) -> Vec<MapRange> {
    let mut ranges: Vec<MapRange> = Vec::new();
    for span in spans {
        match ranges.last_mut() {
            Some(last) if last.end == span.start && last.base == span.base => last.end = span.end,
            _ => ranges.push(span),
        }
    }
    ranges
}

impl fmt::Display for KernelMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, function) in self.functions.iter().enumerate() {
            write!(f, "{}{function:#x}", if index > 0 { "," } else { "" })?;
        }
        for (index, range) in self.ranges.iter().enumerate() {
            let MapRange { start, end, base } = range;
            write!(f, "{}{start:#x}-{end:#x}:{base:#x}", if index > 0 { "," } else { "@" })?;
        }
        Ok(())
    }
}

fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

fn range(text: &str) -> Option<MapRange> {
    let (start, rest) = text.split_once('-')?;
    let (end, base) = rest.split_once(':').unwrap_or((rest, "0"));
    let range = MapRange {
        start: number(start)?,
        end: number(end)?,
        base: number(base)?,
    };
    (range.start < range.end && range.base <= range.start).then_some(range)
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init)]
mod tests {
    use super::*;
    use fresco_dram::ColorSpace;
    use fresco_dram::map::BankMap;

    #[test]
    fn what_the_kernel_shows_is_read_and_written_alike() {
        for text in [
            "0x44000,0x88000",
            "0x22000",
            "0x22000,0x44000@0x0-0xc0000000:0x0,0x100000000-0x240000000:0x40000000",
        ] {
            let map = KernelMap::parse(&format!("{text}\n")).expect(text);
            assert_eq!(map.to_string(), text);
        }
        for text in [
            "",
            "\n",
            "0x0",
            "-1",
            "0x2000,",
            "0x2000@",
            "0x2000@2-1",
            "0x2000@0-8,4-12",
            "0x2000@1-2:3",
        ] {
            assert_eq!(KernelMap::parse(text), None, "{text}");
        }
    }

    #[test]
    fn colors_are_those_worked_out_by_hand() {
        let map = KernelMap::parse("0x22000,0x4000@0x0-0x80000000,0x100000000-0x180000000:0x80000000").expect("a map");
        assert_eq!(map.colors(), 4);
        for (address, color) in [
            (0, Some(0)),
            (0x2000, Some(1)),
            (0x22000, Some(0)),
            (0x24000, Some(3)),
            (0x8000_0000, None),
            (0x1_0000_4000, Some(2)),
        ] {
            assert_eq!(map.color(address), color, "{address:#x}");
        }
    }

    #[test]
    fn the_map_that_a_kernel_needs_is_written_down() {
        let map = BankMap::new(vec![1 << 14 | 1 << 18, 1 << 15], 0).unwrap();
        let space = ColorSpace::of_bank_map(&map, &[1 << 12, 1 << 15], 12).unwrap();
        let colors = FrameColors::of_bank_map(&map, &space);
        let memory = [0..1 << 33];
        let map = |asked: Option<&AskedColors>| KernelMap::of(&colors, asked, &memory).map(|map| map.to_string());
        // What banks and cache share is there once.
        assert_eq!(map(None).as_deref(), Some("0x44000,0x8000,0x1000"));
        let asked = AskedColors::parse("llc=0", ColorCounts::of(&colors)).unwrap();
        assert_eq!(map(Some(&asked)).as_deref(), Some("0x1000,0x8000"));
        // Memory from 4 GiB on.
        let map = BankMap::new(vec![1 << 14], 1 << 32).unwrap();
        let space = ColorSpace::of_bank_map(&map, &[], 12).unwrap();
        let colors = FrameColors::of_bank_map(&map, &space);
        let map = KernelMap::of(&colors, None, &memory).expect("it fits");
        assert_eq!(map.to_string(), "0x4000@0x100000000-0xfffffffc00000:0x100000000");
    }
}
