// SPDX-License-Identifier: MIT OR Apache-2.0
//! One function for each bit that a kind selects: those of few address bits.

use super::tally::{Quotient, sums};
use super::verdict::Kind;
use crate::model::Model;
use crate::wide::Basis;

/// A basis of the functions of a map, the outermost kind first. `told` are the spaces of functions up to each kind, each within the
/// next one; functions beyond the last have the kind that comes next. Where nothing is told, the functions are as they were.
pub fn choose(model: &Model, told: &[Quotient]) -> Vec<(u128, Option<Kind>)> {
    if told.is_empty() {
        return model.functions.iter().map(|function| (*function, None)).collect();
    }
    let mask = |sum: u64| {
        let chosen = model.functions.iter().enumerate().filter(|(i, _)| sum >> i & 1 == 1);
        chosen.fold(0, |mask, (_, function)| mask ^ function)
    };
    let all: Vec<u64> = (0..model.functions.len()).map(|i| 1 << i).collect();
    let spaces = told.iter().map(Quotient::members).chain([sums(&all)]);
    let mut basis = Basis::default();
    let mut chosen = Vec::new();
    for (kind, space) in Kind::ALL.into_iter().zip(spaces) {
        let mut masks: Vec<u128> = space.into_iter().map(mask).collect();
        masks.sort_unstable_by_key(|mask| (mask.count_ones(), *mask));
        let first = chosen.len();
        chosen.extend(
            masks
                .into_iter()
                .filter(|mask| basis.insert(*mask))
                .map(|mask| (mask, Some(kind))),
        );
        chosen[first..].sort_unstable_by_key(|(mask, _)| (mask.trailing_zeros(), *mask));
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Form;

    #[test]
    fn swapped_and_combined_functions_come_apart() {
        // Channel 6, rank 17^21, banks 13 and 14, found as sums of one another.
        let (channel, rank) = (1u128 << 6, 1 << 17 | 1 << 21);
        let (low, high) = (1 << 13, 1 << 14);
        let model = Model {
            form: Form::plain(&[]),
            functions: vec![rank ^ low, low ^ channel, high ^ rank, channel ^ high ^ low],
        };
        let in_basis = |wanted: u128| {
            (1..16u64).find(|sum| {
                let sum = (0..4)
                    .filter(|i| sum >> i & 1 == 1)
                    .fold(0, |all, i| all ^ model.functions[i]);
                sum == wanted
            })
        };
        let vectors = [in_basis(channel), in_basis(rank)].map(|vector| vector.expect("a sum of the functions"));
        let told = [
            Quotient::of([vectors[0]], 4),
            Quotient::of(vectors, 4),
            Quotient::of(vectors, 4),
        ];
        let found = choose(&model, &told);
        let expected = [
            (channel, Some(Kind::Channel)),
            (rank, Some(Kind::Rank)),
            (low, Some(Kind::Bank)),
            (high, Some(Kind::Bank)),
        ];
        assert_eq!(found, expected);
        assert_eq!(choose(&model, &[]).len(), 4);
        assert_eq!(choose(&model, &[])[0], (rank ^ low, None));
    }
}
