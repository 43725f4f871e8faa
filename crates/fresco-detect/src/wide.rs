// SPDX-License-Identifier: MIT OR Apache-2.0
//! Linear algebra over GF(2) on vectors of 128 bits: an address with its quotient beside it.

/// A growing reduced basis: no row holds the top bit of another.
#[derive(Clone, Debug, Default)]
pub struct Basis {
    rows: Vec<u128>,
}

impl Basis {
    /// The basis of what `rows` span.
    pub fn of(rows: impl IntoIterator<Item = u128>) -> Self {
        let mut basis = Self::default();
        rows.into_iter().for_each(|row| {
            basis.insert(row);
        });
        basis
    }

    /// What is left of a row when all that the basis can make is taken away.
    pub fn reduce(&self, row: u128) -> u128 {
        self.rows
            .iter()
            .fold(row, |row, basis| if row & top(*basis) != 0 { row ^ basis } else { row })
    }

    /// Adds a row; false if the basis has it already.
    pub fn insert(&mut self, row: u128) -> bool {
        let rest = self.reduce(row);
        if rest == 0 {
            return false;
        }
        for row in &mut self.rows {
            if *row & top(rest) != 0 {
                *row ^= rest;
            }
        }
        self.rows.push(rest);
        true
    }

    /// The rows.
    pub fn rows(&self) -> &[u128] {
        &self.rows
    }

    /// How many rows.
    pub fn rank(&self) -> usize {
        self.rows.len()
    }

    /// The top bits of all rows.
    pub fn pivots(&self) -> u128 {
        self.rows.iter().fold(0, |all, row| all | top(*row))
    }

    /// A basis of the vectors within `mask` whose product with every row is 0. Rows must lie within `mask`.
    pub fn annihilator(&self, mask: u128) -> Vec<u128> {
        let free = mask & !self.pivots();
        bits(free)
            .map(|bit| {
                let unit = 1u128 << bit;
                self.rows
                    .iter()
                    .filter(|row| *row & unit != 0)
                    .fold(unit, |vector, row| vector | top(*row))
            })
            .collect()
    }
}

/// Sum of the bits: 0 or 1.
#[inline]
pub fn parity(x: u128) -> u64 {
    u64::from(x.count_ones() & 1)
}

/// Positions of the set bits, ascending.
pub fn bits(x: u128) -> impl Iterator<Item = u32> {
    (0..128).filter(move |bit| x >> bit & 1 == 1)
}

/// A basis of the same space whose vectors have as few bits as can be, by number of bits, then by value; the rows as
/// they are if they are more than 14 and there are too many sums to look at.
pub fn sparsest(rows: &[u128]) -> Vec<u128> {
    if rows.len() > 14 {
        return rows.to_vec();
    }
    let mut sums: Vec<u128> = (1u64..1 << rows.len())
        .map(|combination| {
            rows.iter()
                .enumerate()
                .filter(|(i, _)| combination >> i & 1 == 1)
                .fold(0, |sum, (_, row)| sum ^ row)
        })
        .collect();
    sums.sort_unstable_by_key(|sum| (sum.count_ones(), *sum));
    let mut basis = Basis::default();
    let mut chosen: Vec<u128> = sums
        .into_iter()
        .filter(|sum| basis.insert(*sum))
        .take(rows.len())
        .collect();
    chosen.sort_unstable_by_key(|sum| (sum.trailing_zeros(), *sum));
    chosen
}

fn top(x: u128) -> u128 {
    debug_assert!(x != 0);
    1 << (127 - x.leading_zeros())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_annihilator_of_a_worked_example() {
        // Differences within a bank whose functions are 1^3 and 2: bits 1 and 3 move together, bit 0 freely.
        let differences = Basis::of([0b1010, 0b0001]);
        let mut functions = differences.annihilator(0b1111);
        functions.sort_unstable();
        assert_eq!(functions, [0b0100, 0b1010]);
    }

    #[test]
    fn the_sparsest_basis_of_a_worked_example() {
        assert_eq!(sparsest(&[0b0110, 0b0111]), [0b0001, 0b0110]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, rng_seed: proptest::test_runner::RngSeed::Fixed(20_140_415), failure_persistence: None, ..Default::default() })]

        #[test]
        fn annihilators_annihilate_and_have_the_right_dimension(rows in proptest::collection::vec(any::<u128>(), 0..40)) {
            let mask = u128::MAX >> 40;
            let basis = Basis::of(rows.iter().map(|row| row & mask));
            let functions = basis.annihilator(mask);
            prop_assert_eq!(functions.len() + basis.rank(), 88);
            prop_assert_eq!(Basis::of(functions.iter().copied()).rank(), functions.len());
            for function in functions {
                prop_assert!(rows.iter().all(|row| parity(row & mask & function) == 0));
            }
        }
    }
}
