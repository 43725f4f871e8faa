// SPDX-License-Identifier: MIT OR Apache-2.0
//! "Did you mean": the known name nearest to a misspelt one.

/// The candidate that `word` was most likely meant to be: fewest insertions, deletions, replacements and swaps of
/// neighbours (optimal string alignment), at most a third of the word's length (and at least one). The first candidate wins a tie.
pub fn closest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let cut = |text: &str| text.chars().take(LONGEST).collect::<String>();
    let word = cut(word);
    let limit = (word.chars().count() / 3).max(1);
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let distance = strsim::osa_distance(&word, &cut(candidate));
        if distance <= limit && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Characters compared; bounds the work on absurd keys.
const LONGEST: usize = 64;

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
}
