// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the module has counted of a group or a processor.

use super::Budget;
use std::collections::BTreeMap;
use std::path::Path;

/// Counts by name, as in the file `stat`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stat {
    counts: BTreeMap<String, u64>,
}

impl Stat {
    /// Reads the file's text; what cannot be read is left out, as modules add counts.
    pub fn parse(text: &str) -> Self {
        let counts = text.lines().filter_map(|line| {
            let (name, count) = line.split_once(' ')?;
            Some((name.to_owned(), count.trim().parse().ok()?))
        });
        Self {
            counts: counts.collect(),
        }
    }

    /// The counts of a folder; none where it may not be looked at.
    pub fn of(folder: &Path) -> Self {
        Self::parse(&crate::settings::text(&folder.join("stat")))
    }

    /// A count; 0 where there is none.
    pub fn count(&self, name: &str) -> u64 {
        self.counts.get(name).copied().unwrap_or(0)
    }

    /// Returns true if nothing was read.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// What a group with this budget has used, in words.
    pub fn words_of_group(&self, budget: Option<Budget>) -> String {
        let [periods, used, exhausted] = ["periods", "used", "exhausted"].map(|name| self.count(name));
        let [over, overshoot, sleeps] = ["over", "overshoot", "sleeps"].map(|name| self.count(name));
        let whole = format!("used {used} lines in {periods} periods");
        match budget {
            None => whole,
            Some(budget) => format!(
                "{whole}, all of its {} in {exhausted} of them; beyond that in {over}, by {overshoot} at most; held {sleeps} times",
                budget.lines
            ),
        }
    }

    /// What a processor has used since it had the counts of `before`, in words.
    pub fn words_of_processor(&self, before: &Self) -> String {
        let since = |name: &str| self.count(name).saturating_sub(before.count(name));
        format!(
            "used {} lines in {} periods, all of its reservation in {} of them; beyond that in {}; held for {} ms",
            since("used"),
            since("periods"),
            since("exhausted"),
            since("over"),
            since("held_ns") / 1_000_000
        )
    }
}
