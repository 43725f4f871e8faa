// SPDX-License-Identifier: MIT OR Apache-2.0
//! Linear algebra over GF(2), the field of two elements, where addition is XOR.
//!
//! A vector is a `u64` (bit `i` is coordinate `i`), a matrix a slice of rows. A row of an address map is a parity
//! function: its value for the address `x` is the parity of `row & x`. Sums of functions are XORs of rows, so
//! everything asked of a map (is it bijective, which sums avoid the page offset) is elimination on these rows.

mod elimination;
mod linear;
#[cfg(test)]
mod tests;

pub use elimination::Elimination;
pub use linear::LinearMap;

/// Sum of the bits of `x`: 0 or 1.
#[inline]
pub fn parity(x: u64) -> u64 {
    u64::from(x.count_ones() & 1)
}

/// Product of the matrix `rows` and the vector `x`: bit `i` of the result is the parity of `rows[i] & x`.
///
/// At most 64 rows. For a product that is taken often, see [`LinearMap`].
pub fn apply(rows: &[u64], x: u64) -> u64 {
    debug_assert!(rows.len() <= 64);
    rows.iter()
        .enumerate()
        .fold(0, |acc, (i, row)| acc | parity(row & x) << i)
}

/// Sum of the rows that `combination` names: row `i` where bit `i` is set.
pub fn combine(rows: &[u64], combination: u64) -> u64 {
    debug_assert!(rows.len() == 64 || rows.len() < 64 && combination >> rows.len() == 0);
    rows.iter()
        .enumerate()
        .filter(|(i, _)| combination >> i & 1 == 1)
        .fold(0, |sum, (_, row)| sum ^ row)
}

/// Number of linearly independent rows.
pub fn rank(rows: &[u64]) -> u32 {
    row_reduce(rows).len() as u32
}

/// The reduced row echelon form, without zero rows, in ascending order of pivot.
///
/// The pivot of a row is its highest bit, and no other row holds that bit. The form depends only on the space that
/// the rows span, so two sets of rows span the same space exactly if their forms are equal.
pub fn row_reduce(rows: &[u64]) -> Vec<u64> {
    let mut basis: Vec<u64> = Vec::new();
    for &row in rows {
        let rest = basis
            .iter()
            .fold(row, |row, b| if row & top_bit(*b) != 0 { row ^ b } else { row });
        if rest != 0 {
            for b in &mut basis {
                if *b & top_bit(rest) != 0 {
                    *b ^= rest;
                }
            }
            basis.push(rest);
        }
    }
    basis.sort_unstable();
    basis
}

/// The rows that are no sum of rows before them, in their order.
pub fn independent(rows: impl IntoIterator<Item = u64>) -> Vec<u64> {
    let mut echelon: Vec<u64> = Vec::new();
    let mut kept = Vec::new();
    for row in rows {
        let rest = echelon.iter().fold(
            row,
            |row, basis| if row & top_bit(*basis) != 0 { row ^ basis } else { row },
        );
        if rest != 0 {
            echelon.push(rest);
            kept.push(row);
        }
    }
    kept
}

/// All combinations of rows that sum to zero, as a reduced basis (see [`row_reduce`]): bit `i` of a combination stands
/// for row `i`. At most 64 rows.
///
/// If every row is zero the basis is the unit vectors in order, so that "no constraint" keeps the numbering.
pub fn kernel(rows: &[u64]) -> Vec<u64> {
    let mut elimination = Elimination::new();
    let zero_sums: Vec<u64> = rows
        .iter()
        .enumerate()
        .filter_map(|(i, &row)| elimination.insert(row).map(|others| others | 1 << i))
        .collect();
    row_reduce(&zero_sums)
}

/// The matrix of the columns: bit `i` of result `j` is bit `j` of `rows[i]`. `columns` at most 64, as rows.
pub fn transpose(rows: &[u64], columns: u32) -> Vec<u64> {
    debug_assert!(rows.len() <= 64 && columns <= 64);
    (0..columns)
        .map(|j| {
            rows.iter()
                .enumerate()
                .fold(0, |column, (i, row)| column | (row >> j & 1) << i)
        })
        .collect()
}

/// A vector `x` with `apply(rows, x) == value`, or `None` where there is none. Coordinates of `x` are below `columns`.
pub fn solve(rows: &[u64], columns: u32, value: u64) -> Option<u64> {
    let mut elimination = Elimination::new();
    for column in transpose(rows, columns) {
        elimination.insert(column);
    }
    elimination.express(value)
}

/// A reduced basis of the vectors `x` below `2^columns` with `apply(rows, x) == 0`.
pub fn null_space(rows: &[u64], columns: u32) -> Vec<u64> {
    kernel(&transpose(rows, columns))
}

/// The inverse of a square matrix: `rows.len()` rows over the bits `0..rows.len()`; `None` if it is singular.
///
/// Bits at or above `rows.len()` are ignored.
pub fn inverse(rows: &[u64]) -> Option<Vec<u64>> {
    let size = rows.len() as u32;
    debug_assert!(size <= 64);
    let mut elimination = Elimination::new();
    for &row in rows {
        if elimination.insert(row & low_mask(size)).is_some() {
            return None;
        }
    }
    // Row j of the inverse names the rows whose sum is the unit vector e_j.
    (0..size).map(|j| elimination.express(1 << j)).collect()
}

/// The bits below `bits`.
#[inline]
pub fn low_mask(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

/// The positions of the set bits, ascending.
pub fn bits_of(x: u64) -> impl Iterator<Item = u32> {
    (0..64).filter(move |bit| x >> bit & 1 == 1)
}

/// All sums of a set of independent vectors, starting with zero; `2^basis.len()` of them.
///
/// Bit `i` of the position in the sequence says whether `basis[i]` is in the sum.
pub fn span(basis: &[u64]) -> impl Iterator<Item = u64> + '_ {
    debug_assert!(basis.len() < 64);
    (0..1u64 << basis.len()).map(|combination| combine(basis, combination))
}

fn top_bit(x: u64) -> u64 {
    debug_assert!(x != 0);
    1 << (63 - x.leading_zeros())
}
