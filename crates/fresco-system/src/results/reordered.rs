// SPDX-License-Identifier: MIT OR Apache-2.0
//! Accesses to the last-level cache: its hits, and what may be a read from memory if others change the order of accesses.

use super::chain::Chain;
use fresco_dram::Ps;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Reads of a task, and those of its hits and joined reads that may be reads if its accesses come in another order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reordered {
    cached: u64,
    hits: u64,
    /// Ends and begins of those that others may still end before.
    under_way: BinaryHeap<Reverse<(Ps, Ps)>>,
    /// When the last of the others ended.
    ended: Ps,
    /// When the latest of all was sent.
    latest: Ps,
    chain: Chain,
}

/// What was collected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MayBeRead {
    /// Hits in the last-level cache.
    pub cached: u64,
    /// Those of these, and reads that joined others, that may be reads of their own.
    pub hits: u64,
    /// The most of these and of the reads of which each was sent when the one before had ended.
    pub chain: u64,
}

impl Reordered {
    /// Takes in a hit, from when it was `sent` to when its data are there; `may_be_read` if it depends on the order of accesses.
    pub fn hit(&mut self, sent: Ps, at: Ps, may_be_read: bool) {
        self.cached += 1;
        if may_be_read {
            self.record(sent, at, false);
        }
    }

    /// Takes in an access from when it was `sent` to when its data are there. None that ends before the latest was sent may come later.
    pub fn record(&mut self, sent: Ps, at: Ps, is_read: bool) {
        self.hits += u64::from(!is_read);
        self.latest = self.latest.max(sent);
        debug_assert!(at >= self.ended, "what ended at {at} is told of after {}", self.ended);
        self.under_way.push(Reverse((at, sent)));
        while let Some(&Reverse((at, sent))) = self.under_way.peek()
            && at <= self.latest
        {
            self.under_way.pop();
            self.ended = at;
            self.chain.follow(sent, at);
        }
    }

    /// What was collected.
    pub fn total(&self) -> MayBeRead {
        let mut chain = self.chain.clone();
        let mut rest: Vec<(Ps, Ps)> = self.under_way.iter().map(|Reverse(one)| *one).collect();
        rest.sort_unstable();
        rest.iter().for_each(|(at, sent)| chain.follow(*sent, *at));
        MayBeRead {
            cached: self.cached,
            hits: self.hits,
            chain: chain.reads,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As if all were told of in the order of their ends.
    #[test]
    fn hits_are_told_of_when_they_are_sent_and_reads_when_they_are_served() {
        let mut state = 1u64;
        for _ in 0..300 {
            let mut all: Vec<(Ps, Ps, bool)> = Vec::new();
            for _ in 0..40 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let (sent, is_read) = ((state >> 33) % 200, state >> 60 & 1 == 0);
                let takes = if is_read { 5 + (state >> 50) % 30 } else { 4 };
                all.push((sent, sent + takes, is_read));
            }
            let mut chain = Chain::default();
            all.sort_by_key(|(sent, at, _)| (*at, *sent));
            all.iter().for_each(|(sent, at, _)| chain.follow(*sent, *at));
            let mut reordered = Reordered::default();
            // Reads a little before their data arrive.
            all.sort_by_key(|(sent, at, is_read)| if *is_read { at - 3 } else { *sent });
            for (sent, at, is_read) in &all {
                match is_read {
                    true => reordered.record(*sent, *at, true),
                    false => reordered.hit(*sent, *at, true),
                }
                reordered.hit(*sent, *at, false);
            }
            let hits = all.iter().filter(|(.., is_read)| !is_read).count() as u64;
            assert_eq!(
                reordered.total(),
                MayBeRead {
                    cached: hits + 40,
                    hits,
                    chain: chain.reads
                }
            );
        }
    }
}
