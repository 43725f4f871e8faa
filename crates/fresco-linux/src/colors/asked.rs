// SPDX-License-Identifier: MIT OR Apache-2.0
//! Colors as a user asks for them: `banks=0-3,8,llc=0-7`.

use super::FrameColors;
use fresco_dram::color::{format_list, parse_list};
use fresco_input::InputError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;

/// How many colors there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColorCounts {
    /// Bank colors.
    pub banks: u32,
    /// LLC colors.
    pub llc: u32,
}

impl ColorCounts {
    /// Those of a map.
    pub fn of(colors: &FrameColors) -> Self {
        Self {
            banks: colors.bank_colors(),
            llc: colors.llc_colors(),
        }
    }
}

/// Bank colors and LLC colors; a frame has to have one of each.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AskedColors {
    /// Bank colors, ascending.
    pub banks: Vec<u32>,
    /// LLC colors, ascending.
    pub llc: Vec<u32>,
}

/// The option that such lists stand in.
const OPTION: &str = "--colors";

impl AskedColors {
    /// Reads `banks=LIST`, `llc=LIST` or both with a comma between, in either order. What is not named is not
    /// restricted.
    ///
    /// # Errors
    /// A key that is neither, or stands twice; a list that [`parse_list`] refuses.
    pub fn parse(text: &str, counts: ColorCounts) -> Result<Self, InputError> {
        if text.is_empty() {
            return Err(refused("found nothing".to_owned()).help("name the colors, or leave the option out"));
        }
        let mut banks = None;
        let mut llc = None;
        for (key, list) in entries(text)? {
            let (slot, limit) = match key {
                "banks" => (&mut banks, counts.banks),
                "llc" => (&mut llc, counts.llc),
                "rows" => {
                    let found = "found row domains for a program on this machine".to_owned();
                    return Err(refused(found).help(
                        "leave rows out: Linux goes on using the rest of a domain and its guards, so that no choice of frames keeps others' rows \
                         away. Reserve the memory at boot (memmap=, addresses from `fresco map domains`), or simulate it: rows of a scenario",
                    ));
                }
                _ => {
                    return Err(refused(format!("found the key {:?}", clipped(key))).help("write banks or llc"));
                }
            };
            if slot.is_some() {
                return Err(refused(format!("found {key} twice")).help("join the two lists"));
            }
            *slot = Some(parse_list(list, limit, &format!("{OPTION} {key}"))?);
        }
        let all = Self::all(counts);
        Ok(Self {
            banks: banks.unwrap_or(all.banks),
            llc: llc.unwrap_or(all.llc),
        })
    }

    /// All colors that there are.
    pub fn all(counts: ColorCounts) -> Self {
        Self {
            banks: (0..counts.banks).collect(),
            llc: (0..counts.llc).collect(),
        }
    }

    /// The colors of all of these.
    pub fn all_of(sets: &[Self]) -> Self {
        let all = |list: fn(&Self) -> &Vec<u32>| {
            let colors: BTreeSet<u32> = sets.iter().flat_map(list).copied().collect();
            colors.into_iter().collect()
        };
        Self {
            banks: all(|set| &set.banks),
            llc: all(|set| &set.llc),
        }
    }

    /// Returns true if both lists ascend and stay below `counts`.
    pub(super) fn is_sound(&self, counts: ColorCounts) -> bool {
        let list = |list: &[u32], limit: u32| {
            list.windows(2).all(|pair| pair[0] < pair[1]) && list.last().is_some_and(|&last| last < limit)
        };
        list(&self.banks, counts.banks) && list(&self.llc, counts.llc)
    }
}

impl fmt::Display for AskedColors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "banks={},llc={}", format_list(&self.banks), format_list(&self.llc))
    }
}

/// Key and list of each entry. Lists contain commas: a new entry begins where an equals sign follows.
fn entries(text: &str) -> Result<Vec<(&str, &str)>, InputError> {
    let mut found = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let Some((key, after)) = rest.split_once('=') else {
            return Err(refused(format!("found {:?} without a key", clipped(rest))).help("write banks=0-3 or llc=0-7"));
        };
        // The next key begins after the last comma before the next equals sign.
        let end = match after.find('=') {
            Some(next) => after[..next].rfind(',').unwrap_or(next),
            None => after.len(),
        };
        found.push((key, &after[..end]));
        rest = after[end..].strip_prefix(',').unwrap_or(&after[end..]);
    }
    Ok(found)
}

fn refused(found: String) -> InputError {
    InputError::new(OPTION, found).allowed("banks=LIST, llc=LIST, or both with a comma between; lists as 0-3,8")
}

fn clipped(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNTS: ColorCounts = ColorCounts { banks: 16, llc: 8 };

    #[test]
    fn reads_either_or_both_in_any_order() {
        for (text, meant) in [
            ("banks=0-3,llc=0-7", "banks=0-3,llc=0-7"),
            ("llc=1,3,banks=0,8-9", "banks=0,8-9,llc=1,3"),
            ("banks=15", "banks=15,llc=0-7"),
            ("llc=2", "banks=0-15,llc=2"),
        ] {
            let asked = AskedColors::parse(text, COUNTS).expect(text);
            assert_eq!(asked.to_string(), meant, "{text}");
            assert!(asked.is_sound(COUNTS));
        }
    }

    #[test]
    fn refuses_with_the_cure() {
        for (text, found) in [
            ("", "found nothing"),
            ("banks=3-1", "`3-1` falls"),
            ("banks=0-", "`0-`"),
            ("banks=0,,1", "``"),
            ("banks=", "an empty list"),
            ("banks=0-1000000000", "`0-1000000000` does not exist"),
            ("banks=16", "`16` does not exist"),
            ("bank=1", "found the key \"bank\""),
            ("banks=0,rows=0-1", "found row domains for a program on this machine"),
            ("0-3", "found \"0-3\" without a key"),
            ("banks=1,banks=2", "found banks twice"),
            ("banks=1,llc=0,", "``"),
            ("banks=1 ,llc=0", "`1 `"),
            ("banks==1", "an empty list"),
            ("=1", "found the key \"\""),
        ] {
            let error = AskedColors::parse(text, COUNTS).expect_err(text);
            assert_eq!(error.found, found, "{text}");
            assert!(!error.help.is_empty() && !error.allowed.is_empty(), "{text}: {error}");
        }
    }
}
