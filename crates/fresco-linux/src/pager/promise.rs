// SPDX-License-Identifier: MIT OR Apache-2.0
//! Frames that are promised all at once: strict memory is there when it is mapped, or is refused.
//!
//! The search for them goes on in slices, between which faults are answered, and ends as soon as it is clear that it would
//! not find them with all the memory that it may hold.

use crate::pool::{Pool, Short};
use crate::sys::page_bytes;
use rustix::io::Errno;
use std::time::{Duration, Instant};

/// What other threads wait for a slice at most.
const SLICE: Duration = Duration::from_millis(200);
/// A search is judged once chance had it find so many frames,
const LEAST_FOUND: u64 = 64;
/// and once it has looked at this share of what it may hold: what was given back last comes first. Chance alone is no
/// judge: where other programs have the other colors, most of what is left may be of these.
const SHARE: u64 = 16;
/// Where chance would have found all that is wanted by then, what was looked at is not like the rest: it goes on to this share.
const SHARE_OF_LITTLE: u64 = 4;

/// A promise that is being kept.
#[derive(Debug, Default)]
pub(super) struct Promise {
    /// Pages wanted, and what had been looked at and found before.
    sought: Option<(u64, Begun)>,
}

#[derive(Clone, Copy, Debug)]
struct Begun {
    scanned: u64,
    pages: u64,
}

/// Why a promise is not kept, or not yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unkept {
    /// The slice is over: ask again.
    NotYet,
    /// There are too few.
    Refused(Short),
    /// As little was refused a short while ago.
    RefusedAgain,
}

impl From<Unkept> for Errno {
    fn from(unkept: Unkept) -> Self {
        match unkept {
            Unkept::NotYet => Errno::AGAIN,
            Unkept::Refused(_) | Unkept::RefusedAgain => Errno::NOMEM,
        }
    }
}

impl Promise {
    /// Goes on looking for `wanted` pages. Once it is refused, what was looked at is given back, and what was found kept.
    pub fn keep(&mut self, wanted: u64, pool: &mut Pool) -> Result<(), Unkept> {
        if pool.pages() >= wanted {
            self.sought = None;
            return Ok(());
        }
        let now = Begun {
            scanned: pool.scanned(),
            pages: pool.pages(),
        };
        let begun = match self.sought {
            Some((pages, begun)) if pages == wanted => begun,
            _ => now,
        };
        self.sought = Some((wanted, begun));
        let limit = pool.limit();
        let outlook = Outlook {
            wanted,
            most: limit / page_bytes(),
            rarity: pool.rarity(),
            is_uniform: pool.is_uniform(),
        };
        let hopeless = |pool: &Pool| {
            let looked = pool.scanned() - begun.scanned;
            let found = pool.pages().saturating_sub(begun.pages);
            outlook.is_hopeless(pool.pages(), pool.held() / page_bytes(), looked, found)
        };
        let start = Instant::now();
        let mut judged = None;
        let looked = pool.look(wanted, |pool| {
            judged = hopeless(pool);
            judged.is_none() && start.elapsed() < SLICE
        });
        let short = match (looked, judged) {
            (Ok(()), _) => {
                self.sought = None;
                return Ok(());
            }
            (Err(_), Some(likely)) => Short::Hopeless {
                limit,
                likely: likely * page_bytes(),
            },
            (Err(Short::Time), None) => return Err(Unkept::NotYet),
            (Err(short), None) => short,
        };
        self.sought = None;
        Err(Unkept::Refused(short))
    }
}

/// What is known of a search, in pages.
struct Outlook {
    wanted: u64,
    /// What it may hold.
    most: u64,
    rarity: u64,
    is_uniform: bool,
}

impl Outlook {
    /// How many pages there would be in the end, if that is too few: with `free` of them there, `held` pages held, and
    /// `found` among the last `looked`.
    fn is_hopeless(&self, free: u64, held: u64, looked: u64, found: u64) -> Option<u64> {
        let rest = self.most.saturating_sub(held);
        let is_little = self.wanted.saturating_mul(self.rarity) <= looked;
        let share = if is_little { SHARE_OF_LITTLE } else { SHARE };
        if self.is_uniform && looked >= (self.rarity * LEAST_FOUND).max(self.most / share) {
            // By what was found, four standard deviations of a count above that, and a quarter more: frames of a color lie together.
            let likely = |found: u64| free + (u128::from(found) * u128::from(rest) / u128::from(looked)) as u64;
            let most = found + 4 * (found.isqrt() + 1);
            return (likely(most + most / 4) < self.wanted).then(|| likely(found));
        }
        // What can never be there: not even if all that is held were of the colors.
        let likely = if self.is_uniform {
            rest / self.rarity.max(1)
        } else {
            rest
        };
        (looked == 0 && free + rest < self.wanted).then_some(free + likely)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 18;

    fn outlook(wanted: u64, rarity: u64, is_uniform: bool) -> Outlook {
        Outlook {
            wanted,
            most: 12 * GIB,
            rarity,
            is_uniform,
        }
    }

    #[test]
    fn what_can_never_be_there_is_not_looked_for() {
        assert_eq!(outlook(12 * GIB, 16, true).is_hopeless(0, 0, 0, 0), None);
        // It may hold 12 GiB, of which a sixteenth has the colors.
        assert_eq!(outlook(13 * GIB, 16, true).is_hopeless(0, 0, 0, 0), Some(12 * GIB / 16));
        assert_eq!(outlook(13 * GIB, 16, false).is_hopeless(0, 0, 0, 0), Some(12 * GIB));
        assert_eq!(outlook(13 * GIB, 16, true).is_hopeless(GIB, 0, 0, 0), None);
    }

    #[test]
    fn a_search_is_judged_by_what_it_finds_once_it_has_looked_at_enough() {
        let one = outlook(GIB, 16, true);
        let after = |looked: u64, found: u64| one.is_hopeless(found, looked, looked, found);
        assert_eq!(after(GIB / 2, GIB / 32), None, "less than a sixteenth of 12 GiB");
        let likely = after(2 * GIB, 2 * GIB / 16).expect("it finds 0.75 GiB");
        assert!((3 * GIB / 4 - 9..=3 * GIB / 4).contains(&likely), "{likely}");
        assert_eq!(after(2 * GIB, 2 * GIB / 8), None, "it finds 1.5 GiB");
        assert_eq!(after(2 * GIB, 0), Some(0));
        // Where parts of the memory have colors of their own, the next may be all of one.
        let of_a_node = outlook(GIB, 16, false);
        assert_eq!(of_a_node.is_hopeless(0, 2 * GIB, 2 * GIB, 0), None);
        // 4 MiB are not refused for what was looked at first: freed frames of one color lie together.
        let little = outlook(GIB / 256, 16, true);
        assert_eq!(little.is_hopeless(0, GIB, GIB, 0), None);
        assert_eq!(little.is_hopeless(0, 3 * GIB, 3 * GIB, 0), Some(0));
        // What is likely to suffice is not refused for a few that may be missing.
        assert_eq!(after(2 * GIB, 2 * GIB / 12), None);
    }
}
