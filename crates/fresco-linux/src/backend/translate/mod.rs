// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which colors of the kernel the colors asked for are.
//!
//! Both maps are looked at over the memory that there is, block by block: in an aligned block in which no base changes
//! a bit that varies, both are affine over GF(2). So the frames of one color of the kernel have, in a block, colors
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
    /// A color of the kernel,
    pub color: u64,
    /// that frames asked for have, and others; an address near one of the others, in bytes.
    pub address: u64,
}

impl fmt::Display for Mixed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "its color {} has frames that were asked for and frames that were not (as in the block at {:#x})",
            self.color, self.address
        )
    }
}

/// The colors of the kernel whose frames have the colors `asked`, ascending; none, if no frame has. `memory` is that
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

/// Whether each color of the kernel was asked for; `None` until a frame of it was met.
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

/// Judges the colors of one block.
fn judge(
    map: &KernelMap,
    filter: &Filter,
    page_bits: u32,
    block: u64,
    order: u32,
    verdicts: &mut Verdicts,
) -> Result<(), Mixed> {
    let kernel = |address: u64| map.color(address).unwrap_or(0);
    // Bank color and LLC color as one vector: within a part banks count from a multiple of their number or differ by
    // a sum that does not change when the part's first color is taken away.
    let first_bank = filter.first_bank(FrameNumber(block >> page_bits));
    let own = |address: u64| {
        let color = filter.color(FrameNumber(address >> page_bits));
        color.map(|(bank, llc)| u64::from(bank - first_bank) | u64::from(llc) << 32)
    };
    let asks = |vector: u64| filter.asks((first_bank + (vector & 0xffff_ffff) as u32, (vector >> 32) as u32));
    let (kernel_first, own_first) = (kernel(block), own(block));
    // What a bit of the address adds to both; reduced so that each row has a bit of the kernel's color of its own.
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
mod tests;
