// SPDX-License-Identifier: MIT OR Apache-2.0
//! `row = "rest"`, `column = "rest"`: the address bits that the other functions leave over.

use fresco_dram::gf2::{Elimination, low_mask};
use fresco_dram::map::Field;
use fresco_dram::{Functions, Organisation};

/// Fills the fields in `rest` with single bits below `top`: the column with the lowest bits that are independent of the
/// given functions, then the row with the highest that are independent of all, in ascending order. Where the given
/// functions are independent, the map so completed is one to one.
///
/// The given fields must have as many functions as their counts need, so that all functions together fit 64 bits.
/// Taking rows from the top is what real maps do: in a permutation such as 13^17 the upper bit is a row bit and the lower
/// one the bank bit of the unhashed map. [`fresco_dram::map::BankMap::complete`] follows the same rule.
pub(super) fn complete(given: &mut Functions, rest: &[Field], org: &Organisation, top: u32) {
    let mut taken = Elimination::new();
    for bit in 0..org.bus_bytes.trailing_zeros() {
        taken.insert(1 << bit);
    }
    for field in Field::ALL.into_iter().filter(|field| !rest.contains(field)) {
        for mask in given.get(field) {
            // Bits from `top` up are constant within a region.
            taken.insert(mask & low_mask(top));
        }
    }
    let mut independent = |bits: &mut dyn Iterator<Item = u32>, count: u32| -> Vec<u64> {
        let masks = bits.map(|bit| 1u64 << bit);
        let free = masks.filter(|mask| taken.express(*mask).is_none() && taken.insert(*mask).is_none());
        free.take(count as usize).collect()
    };
    if rest.contains(&Field::Column) {
        given.column = independent(&mut (0..top), Field::Column.width(org));
    }
    if rest.contains(&Field::Row) {
        given.row = independent(&mut (0..top).rev(), Field::Row.width(org));
        given.row.reverse();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fresco_dram::{AddressMap, Region};
    use proptest::prelude::*;

    fn organisation() -> Organisation {
        Organisation {
            nodes: 1,
            channels: 2,
            ranks: 1,
            bank_groups: 1,
            banks: 8,
            rows: 1 << 12,
            columns: 1 << 10,
            bus_bytes: 8,
        }
    }

    #[test]
    fn column_takes_the_low_bits_and_row_the_high_ones() {
        let bank = vec![1 << 13 | 1 << 17, 1 << 14, 1 << 20];
        let mut functions = Functions {
            channel: vec![1 << 6],
            bank,
            ..Functions::default()
        };
        complete(&mut functions, &[Field::Row, Field::Column], &organisation(), 29);
        let bits = |masks: &[u64]| masks.iter().map(|mask| mask.trailing_zeros()).collect::<Vec<_>>();
        assert_eq!(bits(&functions.column), [3, 4, 5, 7, 8, 9, 10, 11, 12, 13]);
        assert_eq!(bits(&functions.row), [15, 16, 18, 19, 21, 22, 23, 24, 25, 26, 27, 28]);
    }

    proptest! {
        /// Whatever independent functions the selectors are, the completed map is one to one.
        #[test]
        fn the_completed_map_is_one_to_one(masks in prop::collection::vec(64u64..1 << 29, 4)) {
            let masks: Vec<u64> = masks.iter().map(|mask| mask & !63).collect();
            prop_assume!(fresco_dram::gf2::rank(&masks) == 4);
            let org = organisation();
            let mut functions = Functions { channel: vec![masks[0]], bank: masks[1..].to_vec(), ..Functions::default() };
            complete(&mut functions, &[Field::Row, Field::Column], &org, 29);
            let region = Region { base: 0, size: org.total_bytes(), offset: 0, node: None, functions };
            prop_assert!(AddressMap::new(org, vec![region]).is_ok());
        }
    }
}
