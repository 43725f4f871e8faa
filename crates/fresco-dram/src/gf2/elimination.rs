// SPDX-License-Identifier: MIT OR Apache-2.0
//! Elimination that remembers which rows it added up.

use super::top_bit;

/// A growing set of independent rows, each with the combination of inserted rows that it is the sum of.
///
/// This is what turns "these functions are dependent" into "bank 2 is the sum of bank 0 and rank 0".
#[derive(Clone, Debug, Default)]
pub struct Elimination {
    /// Echelon rows: (row, combination). No row holds the top bit of a row before it.
    rows: Vec<(u64, u64)>,
    /// Rows inserted so far, dependent ones included: the bit of the next row in a combination.
    inserted: u32,
}

impl Elimination {
    /// The empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a row. Returns `None` if it is independent of those before it, else the combination of *earlier* rows
    /// that sums to it (bit `i` stands for the row of the `i`-th call). At most 64 rows may be inserted.
    pub fn insert(&mut self, row: u64) -> Option<u64> {
        debug_assert!(self.inserted < 64, "a combination is a u64");
        let own = 1 << self.inserted;
        self.inserted += 1;
        let (rest, combination) = self.reduce(row);
        if rest == 0 {
            return Some(combination);
        }
        self.rows.push((rest, combination | own));
        None
    }

    /// The combination of inserted rows that sums to `target`, or `None` if there is none.
    ///
    /// Rows whose insertion was refused as dependent never take part.
    pub fn express(&self, target: u64) -> Option<u64> {
        let (rest, combination) = self.reduce(target);
        (rest == 0).then_some(combination)
    }

    /// Number of independent rows.
    pub fn rank(&self) -> u32 {
        self.rows.len() as u32
    }

    fn reduce(&self, row: u64) -> (u64, u64) {
        self.rows
            .iter()
            .fold((row, 0), |(rest, combination), (basis, made_of)| {
                if rest & top_bit(*basis) != 0 {
                    (rest ^ basis, combination ^ made_of)
                } else {
                    (rest, combination)
                }
            })
    }
}
