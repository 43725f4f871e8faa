// SPDX-License-Identifier: MIT OR Apache-2.0
//! Frames that are promised all at once: strict memory is there when it is mapped, or is refused.
//!
//! The search for them goes on in slices, between which faults are answered, and ends as soon as it is clear that it would
//! not find them with all the memory that it may hold. What it has found so far does not make that clear: the kernel hands out
//! first what was given back last, by earlier searches, too, which have kept what is wanted. So a sample of all that the machine
//! has left has to say the same.

use crate::pool::{Pool, Short};
use crate::proc::Share;
use crate::sys::page_bytes;
use rustix::io::Errno;
use std::time::{Duration, Instant};

/// What other threads wait for a slice at most.
const SLICE: Duration = Duration::from_millis(200);
/// A search is judged once chance had it find so many frames,
const LEAST_FOUND: u64 = 64;
/// and once it has looked at this part of what it may hold: where other programs have the other colors, or have just given
/// these back, it finds more than the sample says.
const PART: u64 = 16;

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
    /// Returns true if the search goes on.
    pub fn is_sought(&self) -> bool {
        self.sought.is_some()
    }

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
        // Once in each slice: it takes a while, and changes.
        let mut share = None;
        let mut hopeless = |pool: &Pool| {
            let looked = pool.scanned() - begun.scanned;
            let found = pool.pages().saturating_sub(begun.pages);
            let share = || *share.get_or_insert_with(|| pool.share());
            outlook.is_hopeless(pool.pages(), pool.held() / page_bytes(), looked, found, share)
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
    /// `found` among the last `looked`. `share` tells what share of the memory that is left is wanted.
    fn is_hopeless(
        &self,
        free: u64,
        held: u64,
        looked: u64,
        found: u64,
        share: impl FnOnce() -> Option<Share>,
    ) -> Option<u64> {
        let rest = self.most.saturating_sub(held);
        if self.is_uniform && looked >= (self.rarity * LEAST_FOUND).max(self.most / PART) {
            // By what was found, four standard deviations of a count above that, and a quarter more: frames of a color lie together.
            let most = found + 4 * (found.isqrt() + 1);
            let likely = u128::from(most + most / 4) * u128::from(rest) / u128::from(looked);
            if u128::from(free) + likely >= u128::from(self.wanted) {
                return None;
            }
            // And by the sample: where nobody knows it goes on.
            let share = share()?;
            let likely = |share: f64| free + (share * rest as f64) as u64;
            return (likely(share.most * 1.25) < self.wanted).then(|| likely(share.found));
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

    /// A sample of much, of which so many parts of a thousand are wanted.
    fn share(thousandths: u32) -> Option<Share> {
        let found = f64::from(thousandths) / 1e3;
        let most = found + 1e-3;
        Some(Share { found, most })
    }

    #[test]
    fn what_can_never_be_there_is_not_looked_for() {
        let after =
            |outlook: Outlook, free: u64| outlook.is_hopeless(free, 0, 0, 0, || unreachable!("no sample is needed"));
        assert_eq!(after(outlook(12 * GIB, 16, true), 0), None);
        // It may hold 12 GiB, of which a sixteenth has the colors.
        assert_eq!(after(outlook(13 * GIB, 16, true), 0), Some(12 * GIB / 16));
        assert_eq!(after(outlook(13 * GIB, 16, false), 0), Some(12 * GIB));
        assert_eq!(after(outlook(13 * GIB, 16, true), GIB), None);
    }

    #[test]
    fn a_search_is_judged_by_what_it_finds_once_it_has_looked_at_enough() {
        let one = outlook(GIB, 16, true);
        let after = |looked: u64, found: u64| one.is_hopeless(found, looked, looked, found, || share(62));
        assert_eq!(after(GIB / 2, GIB / 32), None, "less than a sixteenth of 12 GiB");
        let likely = after(2 * GIB, 2 * GIB / 16).expect("it finds 0.75 GiB");
        assert!((3 * GIB / 4 - GIB / 64..=3 * GIB / 4).contains(&likely), "{likely}");
        assert_eq!(after(2 * GIB, 2 * GIB / 8), None, "it finds 1.5 GiB");
        assert!(after(2 * GIB, 0).is_some());
        // Where parts of the memory have colors of their own, the next may be all of one.
        let of_a_node = outlook(GIB, 16, false);
        assert_eq!(of_a_node.is_hopeless(0, 2 * GIB, 2 * GIB, 0, || share(0)), None);
        // What is likely to suffice is not refused for a few that may be missing.
        assert_eq!(after(2 * GIB, 2 * GIB / 12), None);
    }

    #[test]
    fn frames_that_were_given_back_and_come_first_are_no_reason_to_refuse() {
        // A quarter of the frames is wanted. Of the first 2 GiB, which earlier searches gave back, none is.
        let after =
            |wanted: u64, share: Option<Share>| outlook(wanted, 4, true).is_hopeless(0, 2 * GIB, 2 * GIB, 0, || share);
        assert_eq!(after(GIB, share(250)), None, "there are 2.5 GiB of them");
        assert_eq!(after(GIB / 256, share(250)), None);
        assert_eq!(after(GIB, None), None, "nobody knows");
        assert_eq!(after(3 * GIB, share(250)), None, "and a quarter more");
        assert_eq!(after(4 * GIB, share(250)), Some(10 * GIB / 4));
        // Other programs have what is wanted.
        let likely = after(GIB, share(50)).expect("there is half of it");
        assert!((GIB / 2 - GIB / 64..=GIB / 2).contains(&likely), "{likely}");
        assert_eq!(after(GIB / 256, share(0)), None, "a thousandth of 10 GiB may be there");
        assert_eq!(after(GIB / 16, share(0)), Some(0));
    }
}
