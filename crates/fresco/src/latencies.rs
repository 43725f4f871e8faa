// SPDX-License-Identifier: MIT OR Apache-2.0
//! Exact counts of latencies in cycles.

use std::collections::BTreeMap;

/// Latencies up to this many cycles are counted in an array.
const DENSE: usize = 4096;

/// How often each latency occurred. Quantiles are exact.
#[derive(Clone, Debug)]
pub struct Latencies {
    dense: Vec<u64>,
    sparse: BTreeMap<u64, u64>,
    count: u64,
    sum: u128,
    squares: u128,
}

impl Default for Latencies {
    fn default() -> Self {
        Self {
            dense: vec![0; DENSE],
            sparse: BTreeMap::new(),
            count: 0,
            sum: 0,
            squares: 0,
        }
    }
}

impl Latencies {
    /// Counts one.
    pub fn record(&mut self, cycles: u64) {
        match self.dense.get_mut(cycles as usize) {
            Some(count) => *count += 1,
            None => *self.sparse.entry(cycles).or_default() += 1,
        }
        self.count += 1;
        self.sum += u128::from(cycles);
        self.squares += u128::from(cycles) * u128::from(cycles);
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Mean, in cycles; 0 if there are none.
    pub fn mean(&self) -> f64 {
        if self.count == 0 {
            0.0
        } else {
            self.sum as f64 / self.count as f64
        }
    }

    /// Standard deviation of the population, in cycles.
    pub fn stddev(&self) -> f64 {
        if self.count == 0 {
            return 0.0;
        }
        let n = u128::from(self.count);
        // n * sum of squares - (sum)^2 is exact and never negative.
        ((n * self.squares - self.sum * self.sum) as f64).sqrt() / self.count as f64
    }

    /// The smallest latency that at least `per_mille` of a thousand do not exceed; 0 if there are none.
    pub fn quantile(&self, per_mille: u64) -> u64 {
        let wanted = (u128::from(self.count) * u128::from(per_mille)).div_ceil(1000).max(1);
        let mut seen = 0u128;
        for (cycles, count) in self.counts() {
            seen += u128::from(count);
            if seen >= wanted {
                return cycles;
            }
        }
        0
    }

    /// The longest; 0 if there are none.
    pub fn max(&self) -> u64 {
        self.counts().last().map_or(0, |(cycles, _)| cycles)
    }

    /// Latencies that occurred, shortest first, each with how often it did.
    pub fn counts(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let dense = self
            .dense
            .iter()
            .enumerate()
            .map(|(cycles, &count)| (cycles as u64, count));
        dense
            .chain(self.sparse.iter().map(|(&cycles, &count)| (cycles, count)))
            .filter(|&(_, count)| count > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_and_moments_are_exact() {
        let mut latencies = Latencies::default();
        assert_eq!(
            (latencies.quantile(500), latencies.max(), latencies.mean()),
            (0, 0, 0.0)
        );
        for cycles in [10, 20, 30, 1_000_000] {
            latencies.record(cycles);
        }
        assert_eq!(latencies.quantile(500), 20);
        assert_eq!(latencies.quantile(750), 30);
        assert_eq!(latencies.quantile(999), 1_000_000);
        assert_eq!(latencies.max(), 1_000_000);
        assert_eq!(latencies.mean(), 250_015.0);
        let mut two = Latencies::default();
        two.record(1);
        two.record(3);
        assert_eq!(two.stddev(), 1.0);
    }
}
