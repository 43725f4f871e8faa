// SPDX-License-Identifier: MIT OR Apache-2.0
//! Frames for a set of colours, searched for when they are wanted.

use crate::colors::{Filter, Request, WhenFull};
use crate::pool::Pool;
use crate::proc::PageMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A search looks for so many pages, or for this share of those placed so far if that is more. What is found and not
/// used is work in vain; small programs use little.
const LEAST_SEARCH: u64 = 32;
const SEARCH_SHARE: u64 = 8;
/// After a search in vain, so many questions go without one; twice as many after each further one, up to a limit.
const PATIENCE: u64 = 256;
/// After a poor one, which has found less than this share of what chance gives, begin with fewer.
const POOR: u64 = 8;
const LITTLE_PATIENCE: u64 = 16;
const MOST_PATIENCE: u64 = 1 << 16;
/// So many pages that are there already are many.
const MANY: u64 = 1024;
/// A search takes so long at most, where other frames may be taken instead.
const LONGEST: Duration = Duration::from_secs(5);

/// A pool, and when it is filled again.
#[derive(Debug)]
pub(super) struct Supply {
    pub pool: Pool,
    /// What a thread waits for a search at most; `None` where only colours count.
    longest: Option<Duration>,
    /// Did the last search find all it looked for? None has, before the first page was asked for.
    plenty: bool,
    /// Questions to go before the next search.
    patience: u64,
    /// What it was after the last search in vain.
    last_patience: u64,
}

impl Supply {
    /// A supply of frames that `filter` wants, for a program that was started with `request`.
    pub fn new(filter: Filter, map: Arc<PageMap>, request: &Request) -> Self {
        Self {
            pool: Pool::new(filter, map, request.search_bytes),
            longest: (request.when_full == WhenFull::Spill).then_some(LONGEST),
            plenty: false,
            patience: 0,
            last_patience: 0,
        }
    }

    /// The next pages to give, at most `pages`; `placed` have been so far. `None` when there are no more.
    pub fn next(&mut self, pages: u64, placed: u64) -> Option<Range<u64>> {
        if self.pool.pages() == 0 && !self.refill(pages, placed) {
            return None;
        }
        self.pool.next(pages)
    }

    /// Are there more pages than are wanted soon?
    pub fn has_many(&self) -> bool {
        self.pool.pages() >= MANY
    }

    /// Will a search be wanted soon?
    pub fn runs_low(&self, placed: u64) -> bool {
        self.plenty && self.pool.pages() < batch(placed) / 2
    }

    /// Searches while nobody waits.
    pub fn search_ahead(&mut self, placed: u64) {
        if self.runs_low(placed) {
            self.refill(0, placed);
        }
    }

    /// Looks for frames, unless the last search was in vain a short while ago.
    fn refill(&mut self, pages: u64, placed: u64) -> bool {
        if self.patience > 0 {
            self.patience -= 1;
            return false;
        }
        let (start, longest) = (Instant::now(), self.longest);
        let goes_on = |_: &Pool| longest.is_none_or(|longest| start.elapsed() < longest);
        let (had, scanned) = (self.pool.pages(), self.pool.scanned());
        self.plenty = self.pool.search(pages.max(batch(placed)), goes_on).is_ok();
        let (found, looked) = (self.pool.pages() - had, self.pool.scanned() - scanned);
        // Where memory is short, the frames that are given back are those that come again.
        let poor = !self.plenty && longest.is_some() && is_poor(found, looked, self.pool.rarity());
        self.last_patience = patience(self.last_patience, self.pool.pages(), poor);
        self.patience = self.last_patience;
        self.pool.pages() > 0
    }
}

/// Pages that a search looks for.
fn batch(placed: u64) -> u64 {
    LEAST_SEARCH.max(placed / SEARCH_SHARE)
}

/// Has a search that looked at so many frames, one of `rarity` of the right colours, found far less than chance gives?
fn is_poor(found: u64, looked: u64, rarity: u64) -> bool {
    found.saturating_mul(rarity).saturating_mul(POOR) < looked
}

/// Questions that go without a search, after one that left so many pages; `last` was the answer before.
fn patience(last: u64, pages: u64, poor: bool) -> u64 {
    match pages {
        0 => (last * 2).clamp(PATIENCE, MOST_PATIENCE),
        _ if poor => (last * 2).clamp(LITTLE_PATIENCE, MOST_PATIENCE),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_are_repeated_ever_more_seldom_while_they_find_too_little() {
        // Of four colours one: 1000 of 4000 is chance, 125 an eighth of it.
        assert!(!is_poor(1000, 4000, 4) && !is_poor(125, 4000, 4));
        assert!(is_poor(124, 4000, 4) && is_poor(0, 1, 4));
        let mut last = 0;
        let poor: Vec<u64> = (0..14)
            .map(|_| {
                last = patience(last, 7, true);
                last
            })
            .collect();
        assert_eq!(poor[..4], [16, 32, 64, 128]);
        assert_eq!(poor[12..], [65_536, 65_536]);
        assert_eq!(patience(0, 0, true), 256, "in vain");
        assert_eq!(patience(256, 0, false), 512);
        assert_eq!(patience(512, 7, false), 0, "one that found enough is no reason to wait");
    }
}
