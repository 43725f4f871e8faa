// SPDX-License-Identifier: MIT OR Apache-2.0
use super::*;
use crate::map::testing::cases;
use proptest::prelude::*;

fn rows(count: impl Into<proptest::collection::SizeRange>) -> impl Strategy<Value = Vec<u64>> {
    // Narrow rows are often dependent, wide ones hardly ever: both matter.
    proptest::collection::vec(prop_oneof![any::<u64>(), 0..32u64, Just(0)], count)
}

#[test]
fn row_reduce_of_a_worked_example() {
    // 0b110 = 0b011 ^ 0b101.
    assert_eq!(row_reduce(&[0b011, 0b101, 0b110]), [0b011, 0b101]);
    assert_eq!(rank(&[0b011, 0b101, 0b110]), 2);
    assert_eq!(kernel(&[0b011, 0b101, 0b110]), [0b111]);
}

#[test]
fn kernel_of_zero_rows_is_the_unit_vectors() {
    assert_eq!(kernel(&[0, 0, 0]), [1, 2, 4]);
}

#[test]
fn kernel_keeps_rows_that_are_zero_as_unit_vectors() {
    // Rows 1 and 3 are zero; 0 and 2 cancel.
    assert_eq!(kernel(&[5, 0, 5, 0]), [0b0010, 0b0101, 0b1000]);
}

#[test]
fn inverse_of_a_singular_matrix_is_none() {
    assert_eq!(inverse(&[0b01, 0b01]), None);
    assert_eq!(inverse(&[0b01, 0b100]), None, "bit 2 is outside a 2 x 2 matrix");
    assert_eq!(inverse(&[0b10, 0b01]), Some(vec![0b10, 0b01]));
}

proptest! {
    #![proptest_config(cases(128))]

    #[test]
    fn reduced_form_spans_the_same_space(rows in rows(0..20)) {
        let reduced = row_reduce(&rows);
        let mut with = reduced.clone();
        with.extend(&rows);
        prop_assert_eq!(row_reduce(&with), &reduced[..]);
        for (i, row) in reduced.iter().enumerate() {
            for (j, other) in reduced.iter().enumerate() {
                prop_assert_eq!(other & top_bit(*row) != 0, i == j);
            }
        }
    }

    #[test]
    fn kernel_is_every_zero_sum(rows in rows(0..40)) {
        let kernel = kernel(&rows);
        prop_assert_eq!(kernel.len() as u32 + rank(&rows), rows.len() as u32);
        for combination in kernel {
            prop_assert_eq!(combine(&rows, combination), 0);
        }
    }

    #[test]
    fn elimination_explains_each_dependent_row(rows in rows(0..40)) {
        let mut elimination = Elimination::new();
        for (i, &row) in rows.iter().enumerate() {
            if let Some(combination) = elimination.insert(row) {
                prop_assert_eq!(combine(&rows[..i], combination), row);
            }
        }
        prop_assert_eq!(elimination.rank(), rank(&rows));
    }

    #[test]
    fn solve_finds_a_preimage_exactly_where_there_is_one(rows in rows(1..20), x: u64, value: u64) {
        let image = apply(&rows, x);
        let found = solve(&rows, 64, image).expect("x itself is a solution");
        prop_assert_eq!(apply(&rows, found), image);
        let value = value & low_mask(rows.len() as u32);
        match solve(&rows, 64, value) {
            Some(found) => prop_assert_eq!(apply(&rows, found), value),
            // No solution: a zero sum of rows would have to take the value 1.
            None => prop_assert!(kernel(&rows).iter().any(|c| parity(c & value) == 1)),
        }
    }

    #[test]
    fn null_space_vectors_vanish(rows in rows(0..20)) {
        let basis = null_space(&rows, 64);
        prop_assert_eq!(basis.len() as u32, 64 - rank(&rows));
        for x in basis {
            prop_assert_eq!(apply(&rows, x), 0);
        }
    }

    #[test]
    fn inverse_undoes_the_matrix(rows in proptest::collection::vec(any::<u64>(), 1..64), x: u64) {
        let size = rows.len() as u32;
        let square: Vec<u64> = rows.iter().map(|row| row & low_mask(size)).collect();
        match inverse(&rows) {
            Some(inverse) => {
                let x = x & low_mask(size);
                prop_assert_eq!(apply(&inverse, apply(&square, x)), x);
                prop_assert_eq!(apply(&square, apply(&inverse, x)), x);
            }
            None => prop_assert!(rank(&square) < size),
        }
    }

    #[test]
    fn linear_map_equals_the_plain_product(rows in rows(0..=64), x: u64) {
        prop_assert_eq!(LinearMap::new(&rows).apply(x), apply(&rows, x));
    }

    #[test]
    fn linear_map_of_shifted_runs(shift in 0u32..40, width in 1u32..24, xor in 0u32..16, x: u64) {
        let rows: Vec<u64> = (0..width).map(|i| 1 << (i + shift) ^ 1 << ((i + shift + xor) % 64)).collect();
        prop_assert_eq!(LinearMap::new(&rows).apply(x), apply(&rows, x));
    }

    #[test]
    fn span_is_closed(rows in rows(0..8)) {
        let basis = row_reduce(&rows);
        let all: std::collections::BTreeSet<u64> = span(&basis).collect();
        prop_assert_eq!(all.len(), 1 << basis.len());
        prop_assert!(all.contains(&0));
        for row in rows {
            prop_assert!(all.contains(&row));
        }
    }
}
