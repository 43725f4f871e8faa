// SPDX-License-Identifier: MIT OR Apache-2.0
//! What stands between a prober and the memory on a real machine: noise, drift, caches, and addresses that are not so.

use crate::random::{Draws, LINE};
use crate::timer::{Load, Stream, Timer};
use std::f64::consts::TAU;
use std::ops::Range;

/// How far the addresses that the prober knows are those of the memory.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Labels {
    /// They are.
    #[default]
    True,
    /// Blocks of `2^block_bits` bytes lie anywhere, as in a virtual machine: only the bits within a block are true.
    Shuffled {
        /// log2 of the bytes of a block; at least 6.
        block_bits: u32,
    },
    /// A share of the blocks, from 0 to 1, lies somewhere else.
    Wrong {
        /// The share.
        share: f64,
        /// log2 of the bytes of a block; at least 6.
        block_bits: u32,
    },
}

/// Disturbances. All are off by default.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Disturbance {
    /// Deviation of the time of an access, in nanoseconds.
    pub noise: f64,
    /// Probability that an interrupt falls into a run of accesses.
    pub interrupts: f64,
    /// How long it takes, in nanoseconds, on average.
    pub interrupt: f64,
    /// The timer counts in steps of this many nanoseconds.
    pub step: f64,
    /// All latencies swing by this share …
    pub drift: f64,
    /// … with this period, in seconds.
    pub drift_period: f64,
    /// Lines differ in latency by this much, in nanoseconds: half of them are slow, whatever the bank.
    pub line_spread: f64,
    /// Probability that a run finds one of its two lines in a cache all the time.
    pub prefetch: f64,
    /// The addresses.
    pub labels: Labels,
    /// After this time, in seconds, blocks lie elsewhere than before; 0 for never.
    pub moves_after: f64,
}

impl Disturbance {
    /// Those of a quiet machine: times deviate by 3 ns and are counted in steps of 10 ns, and an interrupt of 3 us falls into two of a
    /// thousand runs. `fresco map detect --simulate` has them unless told otherwise.
    pub fn of_a_quiet_machine() -> Self {
        Self {
            noise: 3.0,
            interrupts: 0.002,
            interrupt: 3_000.0,
            step: 10.0,
            ..Self::default()
        }
    }
}

/// A timer with disturbances.
pub struct Disturbed<T> {
    inner: T,
    disturbance: Disturbance,
    draws: Draws,
    seed: u64,
}

impl<T: Timer> Disturbed<T> {
    /// Disturbs a timer.
    pub fn new(inner: T, disturbance: Disturbance, seed: u64) -> Self {
        Self {
            inner,
            disturbance,
            draws: Draws::new(seed ^ 0x6469_7374),
            seed,
        }
    }

    /// Where the line that the prober calls `label` is.
    pub fn actual(&self, label: u64) -> u64 {
        let moved = self.disturbance.moves_after > 0.0 && self.now() > self.disturbance.moves_after * 1e9;
        let seed = if moved { self.seed ^ 0x5eed } else { self.seed };
        match self.disturbance.labels {
            _ if moved => self.elsewhere(label, 12, seed),
            Labels::True => label,
            Labels::Shuffled { block_bits } => self.elsewhere(label, block_bits, seed),
            Labels::Wrong { share, block_bits } => {
                let draw = hash(seed, label >> block_bits) as f64 / u64::MAX as f64;
                if draw < share {
                    self.elsewhere(label, block_bits, seed)
                } else {
                    label
                }
            }
        }
    }

    /// A random permutation of the blocks of the range that holds the label (of its largest power of two of blocks).
    fn elsewhere(&self, label: u64, block_bits: u32, seed: u64) -> u64 {
        let Some(range) = self.inner.ranges().iter().find(|range| range.contains(&label)) else {
            return label;
        };
        let blocks = (range.end - range.start) >> block_bits;
        let place = label - range.start;
        if blocks < 2 || place >> block_bits >= 1 << blocks.ilog2() {
            return label;
        }
        let block = permuted(place >> block_bits, blocks.ilog2(), seed);
        range.start + (block << block_bits | place & ((1 << block_bits) - 1))
    }

    fn line_extra(&self, line: u64) -> f64 {
        match hash(self.seed ^ 0x6c69, line / LINE) & 1 {
            1 => self.disturbance.line_spread,
            _ => 0.0,
        }
    }

    /// What a time of `accesses` accesses, of which each line's extra is `extra`, is measured as.
    fn measured(&mut self, time: f64, accesses: f64, extra: f64) -> f64 {
        let Disturbance {
            noise,
            interrupts,
            interrupt,
            step,
            drift,
            drift_period,
            ..
        } = self.disturbance;
        let mut time = time + extra;
        if drift > 0.0 {
            time *= 1.0 + drift * (TAU * self.inner.now() / (drift_period * 1e9)).sin();
        }
        if noise > 0.0 {
            time += noise * accesses.sqrt() * self.draws.normal();
        }
        if interrupts > 0.0 && self.draws.unit() < interrupts {
            time -= interrupt * (1.0 - self.draws.unit()).ln();
        }
        let time = time.max(0.0);
        if step > 0.0 { (time / step).round() * step } else { time }
    }
}

fn hash(seed: u64, x: u64) -> u64 {
    let mut h = (x ^ seed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    h = (h ^ h >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    h ^ h >> 32
}

/// A bijection of the numbers below `2^bits`: odd multiplications and shifts, each of which has an inverse.
fn permuted(mut x: u64, bits: u32, seed: u64) -> u64 {
    let mask = (1u64 << bits) - 1;
    for round in 0..4 {
        x = x
            .wrapping_mul(hash(seed, round) | 1)
            .wrapping_add(hash(seed, round + 8))
            & mask;
        x ^= x >> (bits / 2).max(1);
    }
    x & mask
}

impl<T: Timer> Timer for Disturbed<T> {
    fn ranges(&self) -> &[Range<u64>] {
        self.inner.ranges()
    }

    fn regions(&self) -> Vec<Range<u64>> {
        self.inner.regions()
    }

    fn begins(&mut self, stage: crate::evidence::Stage) {
        self.inner.begins(stage);
    }

    fn pair(&mut self, a: u64, b: u64, rounds: u32) -> f64 {
        let (a, mut b) = (self.actual(a), self.actual(b));
        if self.disturbance.prefetch > 0.0 && self.draws.unit() < self.disturbance.prefetch {
            b = a;
        }
        let extra = (self.line_extra(a) + self.line_extra(b)) / 2.0 * f64::from(rounds);
        let time = self.inner.pair(a, b, rounds);
        self.measured(time, 2.0 * f64::from(rounds), extra)
    }

    fn streams(&mut self, streams: &[Stream<'_>], accesses: u32) -> f64 {
        let lines: Vec<Vec<u64>> = streams
            .iter()
            .map(|stream| stream.lines.iter().map(|line| self.actual(*line)).collect())
            .collect();
        let actual: Vec<Stream<'_>> = streams
            .iter()
            .zip(&lines)
            .map(|(stream, lines)| Stream {
                lines,
                outstanding: stream.outstanding,
            })
            .collect();
        let own = accesses as f64 / streams.len() as f64;
        let extra: f64 = lines[0].iter().map(|line| self.line_extra(*line)).sum::<f64>() / lines[0].len() as f64;
        let time = self.inner.streams(&actual, accesses);
        self.measured(time * own, own, extra * own) / own
    }

    fn series(&mut self, line: u64, accesses: u32) -> Vec<Load> {
        let line = self.actual(line);
        let extra = self.line_extra(line);
        let loads = self.inner.series(line, accesses);
        loads
            .into_iter()
            .map(|load| Load {
                at: load.at,
                took: self.measured(load.took, 1.0, extra),
            })
            .collect()
    }

    fn wait(&mut self, nanoseconds: f64) {
        self.inner.wait(nanoseconds);
    }

    fn now(&self) -> f64 {
        self.inner.now()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::Formula;
    use std::collections::BTreeSet;

    #[test]
    fn shuffled_blocks_are_a_permutation_that_keeps_what_is_inside() {
        for bits in [1, 2, 5, 10] {
            let images: BTreeSet<u64> = (0..1 << bits).map(|x| permuted(x, bits, 7)).collect();
            assert_eq!(images.len(), 1 << bits);
        }
        let labels = Labels::Shuffled { block_bits: 12 };
        let timer = Disturbed::new(
            Formula::xor(1 << 28, &[1 << 13]),
            Disturbance {
                labels,
                ..Default::default()
            },
            1,
        );
        let moved = (0..1000u64)
            .filter(|page| timer.actual(page << 12) != page << 12)
            .count();
        assert!(moved > 990, "{moved}");
        assert_eq!(timer.actual(0x5fc0) & 0xfff, 0xfc0);
    }

    #[test]
    fn a_share_of_wrong_labels_is_that_share() {
        let labels = Labels::Wrong {
            share: 0.25,
            block_bits: 12,
        };
        let timer = Disturbed::new(
            Formula::xor(1 << 30, &[1 << 13]),
            Disturbance {
                labels,
                ..Default::default()
            },
            1,
        );
        let wrong = (0..10_000u64)
            .filter(|page| timer.actual(page << 12) != page << 12)
            .count();
        assert!((2_300..2_700).contains(&wrong), "{wrong}");
    }
}
