// SPDX-License-Identifier: MIT OR Apache-2.0
//! "Did you mean": the known name nearest to a misspelt one.

/// The candidate that `word` was most likely meant to be: fewest insertions, deletions, replacements and swaps of
/// neighbours, at most a third of the word's length (and at least one). The first candidate wins a tie.
pub fn closest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word: Vec<char> = word.chars().take(LONGEST).collect();
    let limit = (word.len() / 3).max(1);
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let other: Vec<char> = candidate.chars().take(LONGEST).collect();
        let distance = edit_distance(&word, &other);
        if distance <= limit && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Characters compared; bounds the work on absurd keys.
const LONGEST: usize = 64;

/// Optimal string alignment distance (Damerau-Levenshtein without edits inside a swap).
fn edit_distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replace = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replace.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_finger_finds_the_word() {
        let known = ["cores", "core", "channels", "hit_cap"];
        assert_eq!(closest("croes", known), Some("cores"));
        assert_eq!(closest("chanels", known), Some("channels"));
        assert_eq!(closest("hitcap", known), Some("hit_cap"));
    }

    #[test]
    fn another_word_is_not_forced_on_the_user() {
        assert_eq!(closest("banks", ["cores", "channels"]), None);
        assert_eq!(closest("", ["cores"]), None);
    }

    #[test]
    fn distances() {
        let d = |a: &str, b: &str| edit_distance(&a.chars().collect::<Vec<_>>(), &b.chars().collect::<Vec<_>>());
        assert_eq!(
            (d("", "abc"), d("abc", "abc"), d("abcd", "acbd"), d("kitten", "sitting")),
            (3, 0, 1, 3)
        );
    }
}
