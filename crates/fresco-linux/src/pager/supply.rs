// SPDX-License-Identifier: MIT OR Apache-2.0
//! Frames for a set of colors, searched for when they are wanted.

use super::promise::{Promise, Unkept};
use crate::colors::{Filter, Request, WhenFull};
use crate::pool::Pool;
use crate::proc::{FrameFlags, PageMap};
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
/// Promises of fewer pages are refused for a while without a search, once one was in vain. More are always looked for: the
/// program may have given back what it had.
const LITTLE: u64 = 8192;
/// And so is less than that, after so long: others may have given back what they had.
const REFUSED_FOR: Duration = Duration::from_secs(10);
/// A search takes so long at most, where other frames may be taken instead, or where it has found some.
const LONGEST: Duration = Duration::from_secs(5);

/// A pool, and when it is filled again.
#[derive(Debug)]
pub(super) struct Supply {
    pub pool: Pool,
    /// Frames promised all at once.
    promise: Promise,
    /// Frames of other colors may be taken instead.
    spills: bool,
    /// Whether the last refill found all it looked for; false before the first one.
    plenty: bool,
    /// Questions to go before the next search.
    patience: u64,
    /// What it was after the last search in vain.
    last_patience: u64,
    /// When little was last refused after a search.
    refused: Option<Instant>,
}

impl Supply {
    /// A supply of frames that `filter` wants, for a program that was started with `request`.
    pub fn new(filter: Filter, map: Arc<PageMap>, flags: Option<Arc<FrameFlags>>, request: &Request) -> Self {
        Self {
            pool: Pool::new(filter, map, flags, request.search_bytes),
            promise: Promise::default(),
            spills: request.when_full == WhenFull::Spill,
            plenty: false,
            patience: 0,
            last_patience: 0,
            refused: None,
        }
    }

    /// The next pages to give, at most `pages`; `placed` have been so far. `None` when there are no more.
    pub fn next(&mut self, pages: u64, placed: u64) -> Option<Range<u64>> {
        if self.pool.pages() == 0 && !self.refill(pages, placed) {
            return None;
        }
        self.pool.next(pages)
    }

    /// Returns true if there are more pages than are wanted soon.
    pub fn has_many(&self) -> bool {
        self.pool.pages() >= MANY
    }

    /// Returns true if few pages are left, and the last refill found all it looked for.
    pub fn runs_low(&self, placed: u64) -> bool {
        self.plenty && self.pool.pages() < batch(placed) / 2
    }

    /// Searches while nobody waits.
    pub fn search_ahead(&mut self, placed: u64) {
        if self.runs_low(placed) {
            self.refill(0, placed);
        }
    }

    /// Returns true if somebody waits for pages that were promised at once.
    pub fn is_keeping_promise(&self) -> bool {
        self.promise.is_sought()
    }

    /// Goes on looking for `pages` that are promised at once.
    ///
    /// # Errors
    /// They are not there, or not yet.
    pub fn keep_promise(&mut self, pages: u64) -> Result<(), Unkept> {
        let is_little = pages < LITTLE;
        let lately = self.refused.is_none_or(|refused| refused.elapsed() < REFUSED_FOR);
        if is_little && lately && self.patience > 0 && self.pool.pages() < pages {
            // Allocators ask again and again, in several ways, for each block that is not to be had.
            self.patience -= 1;
            return Err(Unkept::RefusedAgain);
        }
        let kept = self.promise.keep(pages, &mut self.pool);
        if matches!(kept, Err(Unkept::Refused(_))) {
            self.pool.trim();
            if is_little {
                self.last_patience = patience(self.last_patience, 0, false);
                self.patience = self.last_patience;
                self.refused = Some(Instant::now());
            }
        }
        kept
    }

    /// Looks for frames, unless the last search was in vain a short while ago.
    fn refill(&mut self, pages: u64, placed: u64) -> bool {
        if self.patience > 0 {
            self.patience -= 1;
            return false;
        }
        let (start, spills) = (Instant::now(), self.spills);
        let goes_on = |pool: &Pool| start.elapsed() < LONGEST || !spills && pool.pages() == 0;
        let (had, scanned) = (self.pool.pages(), self.pool.scanned());
        self.plenty = self.pool.search(pages.max(batch(placed)), goes_on).is_ok();
        let (found, looked) = (self.pool.pages() - had, self.pool.scanned() - scanned);
        // Where memory is short, the frames that are given back are those that come again.
        let poor = !self.plenty && spills && is_poor(found, looked, self.pool.rarity());
        self.last_patience = patience(self.last_patience, self.pool.pages(), poor);
        self.patience = self.last_patience;
        self.pool.pages() > 0
    }
}

/// Pages that a search looks for.
fn batch(placed: u64) -> u64 {
    LEAST_SEARCH.max(placed / SEARCH_SHARE)
}

/// Returns true if a search found far less than chance gives: it looked at `looked` frames, and one of `rarity` has the
/// right colors.
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
        // Of four colors one: 1000 of 4000 is chance, 125 an eighth of it.
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

    #[test]
    fn little_that_was_refused_is_refused_again_without_a_search() {
        let mut request = crate::colors::test_request("any");
        request.when_full = WhenFull::Strict;
        // A search may hold nothing.
        request.search_bytes = Some(0);
        let map = PageMap::of_self().expect("every process may open its own");
        let mut supply = Supply::new(request.filter(), Arc::new(map), None, &request);
        let mut ask = |pages| supply.keep_promise(pages);
        assert!(matches!(ask(1), Err(Unkept::Refused(_))));
        for _ in 0..PATIENCE {
            assert_eq!(ask(1), Err(Unkept::RefusedAgain));
        }
        assert!(matches!(ask(1), Err(Unkept::Refused(_))));
        assert!(
            matches!(ask(LITTLE), Err(Unkept::Refused(_))),
            "much is looked for each time"
        );
        supply.patience = 7;
        supply.refused = Instant::now().checked_sub(REFUSED_FOR);
        let kept = supply.keep_promise(1);
        assert!(matches!(kept, Err(Unkept::Refused(_))), "and little after a while");
    }
}
