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
        let poor = !self.plenty && longest.is_some() && found * self.pool.rarity() * POOR < looked;
        let again = self.last_patience * 2;
        self.last_patience = match self.pool.pages() {
            0 => again.clamp(PATIENCE, MOST_PATIENCE),
            _ if poor => again.clamp(LITTLE_PATIENCE, MOST_PATIENCE),
            _ => 0,
        };
        self.patience = self.last_patience;
        self.pool.pages() > 0
    }
}

/// Pages that a search looks for.
fn batch(placed: u64) -> u64 {
    LEAST_SEARCH.max(placed / SEARCH_SHARE)
}
