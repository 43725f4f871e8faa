// SPDX-License-Identifier: MIT OR Apache-2.0
//! A set of color numbers.

use crate::FrameError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;

/// Bank colors or LLC colors, by number. Prints as ranges: `0-3,8`; the empty set prints as `none`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ColorSet(BTreeSet<u32>);

impl ColorSet {
    /// The empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// One color.
    pub fn one(color: u32) -> Self {
        Self(BTreeSet::from([color]))
    }

    /// The colors whose binary number matches `pattern`, most significant bit first: `0`, `1`, or `X` for either. Thus
    /// the PALLOC assignment `00XX` is colors 0 to 3 and `XX01` is 1, 5, 9 and 13 (PAL-10, MAP-7).
    ///
    /// # Errors
    /// [`FrameError::Pattern`] for another character, or a length outside 1 to 16.
    pub fn from_bit_pattern(pattern: &str) -> Result<Self, FrameError> {
        let bad = || FrameError::Pattern {
            pattern: pattern.to_owned(),
        };
        if !(1..=16).contains(&pattern.len()) {
            return Err(bad());
        }
        let mut colors = vec![0u32];
        for bit in pattern.chars() {
            let digits: &[u32] = match bit {
                '0' => &[0],
                '1' => &[1],
                'X' | 'x' => &[0, 1],
                _ => return Err(bad()),
            };
            colors = colors
                .iter()
                .flat_map(|c| digits.iter().map(move |d| c << 1 | d))
                .collect();
        }
        Ok(colors.into_iter().collect())
    }

    /// Adds a color; `false` if it was there.
    pub fn insert(&mut self, color: u32) -> bool {
        self.0.insert(color)
    }

    /// Returns true if the color is in the set.
    pub fn contains(&self, color: u32) -> bool {
        self.0.contains(&color)
    }

    /// Number of colors.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns true if the set has no color.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The colors in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().copied()
    }

    /// Returns true if the sets have no color in common.
    pub fn is_disjoint(&self, other: &Self) -> bool {
        self.0.is_disjoint(&other.0)
    }

    /// The largest color.
    pub fn last(&self) -> Option<u32> {
        self.0.last().copied()
    }
}

impl FromIterator<u32> for ColorSet {
    fn from_iter<I: IntoIterator<Item = u32>>(colors: I) -> Self {
        Self(colors.into_iter().collect())
    }
}

impl fmt::Display for ColorSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.iter().peekable();
        let mut comma = "";
        if rest.peek().is_none() {
            return f.write_str("none");
        }
        while let Some(first) = rest.next() {
            let mut last = first;
            while let Some(next) = rest.next_if_eq(&(last + 1)) {
                last = next;
            }
            match last - first {
                0 => write!(f, "{comma}{first}")?,
                _ => write!(f, "{comma}{first}-{last}")?,
            }
            comma = ",";
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(p: &str) -> String {
        ColorSet::from_bit_pattern(p).unwrap().to_string()
    }

    #[test]
    fn sets_print_as_ranges() {
        assert_eq!(ColorSet::from_iter([8, 0, 1, 2, 10, 11]).to_string(), "0-2,8,10-11");
        assert_eq!(ColorSet::new().to_string(), "none");
    }

    #[test]
    fn the_bank_assignments_of_palloc_are_patterns() {
        // PAL-10: private banks by row, private banks and cache by column, and the growing partitions.
        assert_eq!(
            ["00XX", "01XX", "10XX", "11XX"].map(pattern),
            ["0-3", "4-7", "8-11", "12-15"]
        );
        assert_eq!(pattern("XX01"), "1,5,9,13");
        assert_eq!(pattern("0XXX"), "0-7");
        assert_eq!(pattern("xxxx"), "0-15");
    }

    #[test]
    fn a_pattern_has_only_zero_one_and_x() {
        for bad in ["", "00Y0", "0b00", "00000000000000000"] {
            let error = ColorSet::from_bit_pattern(bad).unwrap_err();
            assert!(error.to_string().contains("0, 1 and X"), "{error}");
        }
    }
}
