// SPDX-License-Identifier: MIT OR Apache-2.0
//! How many reads followed one another.

use fresco_dram::Ps;
use fresco_memory::Sample;
use serde::{Deserialize, Serialize};

/// The longest chain of reads of which each was sent when the data of the one before had arrived, and the shortest of all.
///
/// Of intervals on a line the most that do not overlap are found by taking, in the order of their ends, each that begins after the last one taken.
/// Reads are told of when their controllers have served them, and links may bring the data of one past those of another: so the end of the last but
/// one is kept, too.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Chain {
    /// Reads in it.
    pub reads: u64,
    /// The least time that any read was in its controller.
    pub shortest_ps: Option<Ps>,
    /// When its last but one ended …
    before: Ps,
    /// … and its last, at the earliest.
    end: Ps,
}

impl Chain {
    /// Takes in a read whose data arrived at `at`; one that joined another is none of its own.
    pub fn record(&mut self, at: Ps, sample: &Sample) {
        if sample.merged > 0 {
            return;
        }
        self.follow(at - sample.latency, at);
        self.shortest_ps = Some(
            self.shortest_ps
                .map_or(sample.in_memory, |least| least.min(sample.in_memory)),
        );
    }

    /// The same of one that was `sent` then, its time in a controller apart.
    pub fn follow(&mut self, sent: Ps, at: Ps) {
        if sent >= self.end {
            self.reads += 1;
            (self.before, self.end) = (self.end, at);
        } else if sent >= self.before {
            self.end = self.end.min(at);
        } else {
            debug_assert!(
                at >= self.before,
                "a read that ended at {at} is told of after {}",
                self.before
            );
        }
    }

    /// Takes in a chain of another run.
    pub fn add(&mut self, other: &Self) {
        self.reads += other.reads;
        self.shortest_ps = self.shortest_ps.into_iter().chain(other.shortest_ps).min();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fresco_memory::RowOutcome;

    /// A read from one time to another.
    fn read(sent: Ps, at: Ps) -> (Ps, Sample) {
        let latency = at - sent;
        let sample = Sample {
            latency,
            path: 0,
            remote: 0,
            queue: 0,
            bank: 0,
            bus: 0,
            refresh: 0,
            service: latency,
            in_memory: latency,
            merged: 0,
            outcome: RowOutcome::Hit,
            node: 0,
            hops: 0,
        };
        (at, sample)
    }

    fn chain(reads: &[(Ps, Ps)]) -> Chain {
        let mut chain = Chain::default();
        for (sent, at) in reads {
            let (at, sample) = read(*sent, *at);
            chain.record(at, &sample);
        }
        chain
    }

    #[test]
    fn reads_one_after_the_other_are_a_chain_and_those_at_once_are_one_of_it() {
        assert_eq!(chain(&[]).reads, 0);
        assert_eq!(chain(&[(0, 10), (10, 20), (25, 40)]).reads, 3);
        assert_eq!(chain(&[(0, 10), (1, 11), (2, 12)]).reads, 1);
        // Two registers that are never free at once: by turns.
        assert_eq!(chain(&[(0, 10), (5, 15), (10, 20), (15, 25)]).reads, 2);
        // A long one is passed by three short ones.
        assert_eq!(chain(&[(0, 10), (11, 20), (21, 30), (1, 35)]).reads, 3);
        // Data that links bring later than they are told of.
        assert_eq!(chain(&[(0, 12), (1, 10), (11, 20)]).reads, 2);
        assert_eq!(chain(&[(0, 12), (1, 10), (11, 20)]).shortest_ps, Some(9));
    }

    /// By trying all subsets.
    #[test]
    fn no_longer_chain_is_among_the_reads() {
        let mut state = 1u64;
        for _ in 0..300 {
            let mut reads: Vec<(Ps, Ps)> = Vec::new();
            for _ in 0..9 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let sent = (state >> 33) % 40;
                reads.push((sent, sent + 1 + (state >> 50) % 15));
            }
            reads.sort_by_key(|(_, at)| *at);
            let is_chain = |set: u32| {
                let taken: Vec<&(Ps, Ps)> = reads
                    .iter()
                    .enumerate()
                    .filter(|(i, _)| set >> i & 1 == 1)
                    .map(|(_, read)| read)
                    .collect();
                taken.windows(2).all(|pair| pair[1].0 >= pair[0].1)
            };
            let longest = (0..1 << 9).filter(|set| is_chain(*set)).map(u32::count_ones).max();
            assert_eq!(Some(chain(&reads).reads as u32), longest, "{reads:?}");
        }
    }
}
