// SPDX-License-Identifier: MIT OR Apache-2.0
//! A matrix prepared for being applied millions of times.

use super::{apply, bits_of};

/// A fixed matrix with a fast product; [`LinearMap::apply`] equals [`super::apply`].
///
/// Address maps are mostly runs of bits that move together, and then a product is a few rotate-and-mask steps (one
/// per diagonal of the matrix). Hashes with many bits per function have too many diagonals; for those, one table per
/// byte of the argument costs the same however dense the matrix is.
#[derive(Clone, Debug)]
pub struct LinearMap {
    steps: Steps,
}

#[derive(Clone, Debug)]
enum Steps {
    /// XOR of `argument.rotate_right(rotation) & mask`.
    Diagonals(Box<[(u32, u64)]>),
    /// XOR of `table[byte of the argument at shift]`.
    Bytes(Box<[(u32, [u64; 256])]>),
}

impl LinearMap {
    /// Prepares the matrix `rows` (at most 64, row `i` gives bit `i` of the product).
    pub fn new(rows: &[u64]) -> Self {
        let mut diagonals = [0u64; 64];
        for (i, &row) in rows.iter().enumerate() {
            for j in bits_of(row) {
                diagonals[(j as usize + 64 - i) % 64] |= 1 << i;
            }
        }
        let diagonals: Box<[_]> = (0..64)
            .map(|d| (d, diagonals[d as usize]))
            .filter(|(_, mask)| *mask != 0)
            .collect();
        let used = rows.iter().fold(0, |all, row| all | row);
        let bytes: Vec<u32> = (0..64).step_by(8).filter(|shift| used >> shift & 0xff != 0).collect();
        // A diagonal and a byte cost about the same five instructions, but a byte brings 2 KiB into the data cache.
        let steps = if diagonals.len() <= bytes.len() + 3 {
            Steps::Diagonals(diagonals)
        } else {
            Steps::Bytes(
                bytes
                    .into_iter()
                    .map(|shift| (shift, byte_table(rows, shift)))
                    .collect(),
            )
        };
        Self { steps }
    }

    /// The product of the matrix and `x`.
    #[inline]
    pub fn apply(&self, x: u64) -> u64 {
        match &self.steps {
            Steps::Diagonals(steps) => steps
                .iter()
                .fold(0, |sum, &(rotation, mask)| sum ^ x.rotate_right(rotation) & mask),
            Steps::Bytes(steps) => steps
                .iter()
                .fold(0, |sum, (shift, table)| sum ^ table[usize::from((x >> shift) as u8)]),
        }
    }
}

fn byte_table(rows: &[u64], shift: u32) -> [u64; 256] {
    std::array::from_fn(|byte| apply(rows, (byte as u64) << shift))
}
