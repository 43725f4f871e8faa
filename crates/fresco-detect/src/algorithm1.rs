// SPDX-License-Identifier: MIT OR Apache-2.0
//! BPM's discovery of bank bits, bit by bit, with its step for pairs of XORed bits (MAP-12).
//!
//! It asks for the time of two lines that differ in a few chosen bits, and knows maps of single bits and of XORs of two.
//! On others it says so: a bit whose place it cannot tell is left over.

mod appendix;

pub use appendix::appendix;

use crate::stats::split;
use serde::Serialize;

/// What the algorithm makes of the bits of an address.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Bits {
    /// Bits that select the row and nothing else.
    pub row: Vec<u32>,
    /// Bits that select the column.
    pub column: Vec<u32>,
    /// Bank functions of two bits.
    pub xor: Vec<(u32, u32)>,
    /// Bank functions of one bit.
    pub single: Vec<u32>,
    /// Bits of more than one XOR: the map is none that the algorithm knows.
    pub ambiguous: Vec<u32>,
}

impl Bits {
    /// The bank functions as masks, ascending by lowest bit; `None` if some bit is ambiguous.
    pub fn functions(&self) -> Option<Vec<u64>> {
        if !self.ambiguous.is_empty() {
            return None;
        }
        let xor = self.xor.iter().map(|(u, v)| 1u64 << u | 1 << v);
        let mut functions: Vec<u64> = xor.chain(self.single.iter().map(|bit| 1 << bit)).collect();
        functions.sort_unstable_by_key(|function| function.trailing_zeros());
        Some(functions)
    }
}

/// Least distance of the slow group from the others, as a share of what is fastest.
const LEAST_GAP: f64 = 0.03;

/// Runs the algorithm over `bits` (ascending). `time` is the mean time, in any unit, of an access when two uncached
/// lines that differ in exactly the bits of the mask are accessed in turn.
///
/// `None` if the times show no row: no group of bits is slower than the rest.
pub fn discover(bits: &[u32], mut time: impl FnMut(u64) -> f64) -> Option<Bits> {
    // Step 1: a bit that alone makes a row conflict selects a row.
    let alone: Vec<f64> = bits.iter().map(|bit| time(1 << bit)).collect();
    let limit = slow_limit(&alone)?;
    let (row, rest) = divide(bits, &alone, limit);
    let x = *row.first()?;
    // Step 2: with a row bit, a column bit conflicts still, and a bank bit does not.
    let with_row: Vec<f64> = rest.iter().map(|bit| time(1 << bit | 1 << x)).collect();
    let (column, mut remain) = divide(&rest, &with_row, limit);
    // Step 3: two bits whose changes cancel leave the bank as it is.
    let mut xor = Vec::new();
    let mut ambiguous = Vec::new();
    for (i, u) in remain.iter().enumerate() {
        for v in &remain[i + 1..] {
            if time(1 << u | 1 << v | 1 << x) > limit {
                xor.push((*u, *v));
            }
        }
    }
    for bit in &remain {
        if xor.iter().filter(|(u, v)| u == bit || v == bit).count() > 1 {
            ambiguous.push(*bit);
        }
    }
    remain.retain(|bit| !xor.iter().any(|(u, v)| u == bit || v == bit));
    Some(Bits {
        row,
        column,
        xor,
        single: remain,
        ambiguous,
    })
}

/// The limit of the slowest group: half way across the gap below it. Banks, too, differ in latency, so that the largest
/// gap of all need not be it; the slowest times are row conflicts, if there are any.
fn slow_limit(times: &[f64]) -> Option<f64> {
    let two = split(times)?;
    let mut slow: Vec<f64> = times.iter().copied().filter(|t| *t > two.threshold).collect();
    let fastest = times.iter().copied().fold(f64::INFINITY, f64::min);
    // Within the slow group, bits of other banks may stand below a second gap.
    slow.sort_by(f64::total_cmp);
    let gap = slow
        .windows(2)
        .map(|pair| (pair[1] - pair[0], (pair[0] + pair[1]) / 2.0))
        .max_by(|a, b| a.0.total_cmp(&b.0));
    let limit = match gap {
        Some((gap, middle)) if gap > LEAST_GAP * fastest => middle,
        _ => two.threshold,
    };
    (two.high - two.low > LEAST_GAP * fastest).then_some(limit)
}

/// Bits with times above the limit, and the others.
fn divide(bits: &[u32], times: &[f64], limit: f64) -> (Vec<u32>, Vec<u32>) {
    let slow = |bit: &u32| bits.iter().position(|b| b == bit).is_some_and(|i| times[i] > limit);
    bits.iter().partition(|bit| slow(bit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_papers_example_comes_out_as_printed() {
        let times = appendix();
        let bits: Vec<u32> = (3..=28).collect();
        let found = discover(&bits, |mask| times[&mask]).expect("rows are slow");
        assert_eq!(found.row, (21..=28).collect::<Vec<_>>());
        assert_eq!(found.column, (3..=12).collect::<Vec<_>>());
        assert_eq!(found.xor, [(13, 17), (14, 18), (15, 19), (16, 20)]);
        assert_eq!((found.single.len(), found.ambiguous.len()), (0, 0));
        assert_eq!(
            found.functions(),
            Some([13, 14, 15, 16].map(|b| 1u64 << b | 1 << (b + 4)).to_vec())
        );
    }

    /// The time of a memory with the given functions, columns below bit 13 and rows above 17.
    fn time(functions: &[u64], mask: u64) -> f64 {
        let other_bank = functions.iter().any(|f| (f & mask).count_ones() % 2 == 1);
        let other_row = mask >> 16 != 0;
        if !other_bank && other_row {
            98.0
        } else if other_bank {
            83.0
        } else {
            70.0
        }
    }

    #[test]
    fn single_bits_are_bank_bits_of_their_own() {
        let bits: Vec<u32> = (6..=28).collect();
        let found = discover(&bits, |mask| time(&[1 << 13, 1 << 14, 1 << 15 | 1 << 19], mask)).expect("rows");
        assert_eq!(found.single, [13, 14]);
        assert_eq!(found.xor, [(15, 19)]);
        assert_eq!(found.column, (6..=12).collect::<Vec<_>>());
    }

    #[test]
    fn a_bit_of_two_functions_is_left_over() {
        let bits: Vec<u32> = (6..=28).collect();
        let found = discover(&bits, |mask| time(&[1 << 13 | 1 << 17 | 1 << 18], mask)).expect("rows");
        assert_eq!(found.ambiguous, [13, 17, 18]);
        assert_eq!(found.functions(), None);
    }

    #[test]
    fn a_memory_that_shows_no_rows_is_refused() {
        assert_eq!(discover(&[6, 7, 8, 9, 10], |_| 70.0), None);
        assert_eq!(discover(&[6, 7, 8, 9, 10], |mask| 70.0 + (mask % 3) as f64 * 0.2), None);
    }
}
