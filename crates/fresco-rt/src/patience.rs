// SPDX-License-Identifier: MIT OR Apache-2.0
//! When a search is to be given up: asked now and then while it lasts, and told apart from a verdict.

use std::fmt;

/// What errors say of it.
pub(crate) const STOPPED: &str = "the search was stopped before there was a verdict";

/// Whoever waits for a result. A search asks, and ends with an error named `Stopped` once there is no patience left; what it had found
/// out by then is no verdict.
///
/// ```
/// use fresco_rt::{Patience, Progress};
///
/// let at = |done| Progress { what: "partitions", done, most: 9 };
/// let is_over = |progress: Progress| progress.done > 3;
/// let patience = Patience::until(&is_over);
/// assert!(!patience.is_over(at(3)) && patience.is_over(at(4)));
/// assert!(!Patience::ENDLESS.is_over(at(9)));
/// ```
#[derive(Clone, Copy, Default)]
pub struct Patience<'a>(Option<&'a (dyn Fn(Progress) -> bool + Sync)>);

/// How far a search is: so many of `what`, of at most so many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// A plural, in words.
    pub what: &'static str,
    /// Those behind it.
    pub done: u64,
    /// Those at which it ends at the latest.
    pub most: u64,
}

impl<'a> Patience<'a> {
    /// Never over.
    pub const ENDLESS: Self = Patience(None);

    /// Over once `is_over` says so, which is called often.
    pub fn until(is_over: &'a (dyn Fn(Progress) -> bool + Sync)) -> Self {
        Patience(Some(is_over))
    }

    /// Whether to give up.
    pub fn is_over(self, at: Progress) -> bool {
        self.0.is_some_and(|is_over| is_over(at))
    }
}

impl fmt::Debug for Patience<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Some(_) => "Patience::until(..)",
            None => "Patience::ENDLESS",
        })
    }
}

/// How far a search among many candidates goes: so many of them, and no longer than the patience lasts.
///
/// A number alone is endless patience: `attempts.into()`.
#[derive(Clone, Copy, Debug)]
pub struct Attempts<'a> {
    /// Most candidates.
    pub most: usize,
    /// Asked before each, and within those that take long.
    pub patience: Patience<'a>,
}

impl Attempts<'_> {
    /// Whether to give up before this candidate, counted from 0.
    pub(crate) fn are_over(self, number: usize) -> bool {
        self.patience.is_over(Progress {
            what: "partitions",
            done: number as u64,
            most: self.most as u64,
        })
    }
}

impl From<usize> for Attempts<'_> {
    fn from(most: usize) -> Self {
        Attempts {
            most,
            patience: Patience::ENDLESS,
        }
    }
}
