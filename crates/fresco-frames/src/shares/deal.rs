// SPDX-License-Identifier: MIT OR Apache-2.0
//! Dividing a list among several.

/// Part `number` of `parts` runs of a list, in order, whose lengths differ by one at most.
pub fn run<T: Copy>(list: &[T], number: usize, parts: usize) -> &[T] {
    let at = |part: usize| part * list.len() / parts.max(1);
    &list[at(number)..at(number + 1)]
}

/// One list that goes round the others: their first elements, their second ones, and so on.
pub(super) fn woven<T: Copy>(lists: &[Vec<T>]) -> Vec<T> {
    let longest = lists.iter().map(Vec::len).max().unwrap_or(0);
    let turn = |turn: usize| lists.iter().filter_map(move |list| list.get(turn).copied());
    (0..longest).flat_map(turn).collect()
}

/// The values of a list in the order of their first occurrence, each once.
pub(super) fn distinct<T: Copy + PartialEq>(list: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut found = Vec::new();
    for one in list {
        if !found.contains(&one) {
            found.push(one);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_cover_the_list_and_differ_by_one_at_most() {
        let list = [0, 1, 2, 3, 4, 5, 6];
        assert_eq!(
            [0, 1, 2].map(|part| run(&list, part, 3)),
            [&[0, 1][..], &[2, 3], &[4, 5, 6]]
        );
        assert_eq!(run(&list[..1], 0, 2), &[0; 0]);
        assert_eq!(run(&list[..1], 1, 2), &[0]);
    }

    #[test]
    fn woven_lists_take_turns() {
        assert_eq!(woven(&[vec![0, 1, 2], vec![8], vec![16, 17]]), [0, 8, 16, 1, 17, 2]);
    }
}
