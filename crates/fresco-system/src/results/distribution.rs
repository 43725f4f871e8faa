// SPDX-License-Identifier: MIT OR Apache-2.0
//! Collects times, and sums them up as a [`Latency`].

use super::reads::{Bucket, Latency};
use super::spread::ns;
use fresco_dram::Ps;
use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};

/// Times so far, in picoseconds.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "Counted", into = "Counted")]
pub(crate) struct Distribution {
    histogram: Histogram<u64>,
    sum: u128,
    sum_of_squares: u128,
    min: Ps,
    max: Ps,
}

impl Default for Distribution {
    fn default() -> Self {
        Self {
            histogram: Histogram::new(3).expect("three digits are allowed"),
            sum: 0,
            sum_of_squares: 0,
            min: Ps::MAX,
            max: 0,
        }
    }
}

/// A distribution in figures: how many times fell into each slot of the histogram that has any.
#[derive(Serialize, Deserialize)]
struct Counted {
    slots: Vec<(u64, u64)>,
    sum: u128,
    sum_of_squares: u128,
    min: Ps,
    max: Ps,
}

impl From<Distribution> for Counted {
    fn from(of: Distribution) -> Self {
        let slots = of.histogram.iter_recorded();
        Self {
            slots: slots
                .map(|slot| (slot.value_iterated_to(), slot.count_at_value()))
                .collect(),
            sum: of.sum,
            sum_of_squares: of.sum_of_squares,
            min: of.min,
            max: of.max,
        }
    }
}

impl From<Counted> for Distribution {
    fn from(of: Counted) -> Self {
        let mut histogram = Self::default().histogram;
        for (time, count) in of.slots {
            histogram
                .record_n(time, count)
                .expect("the histogram grows as it needs");
        }
        Self {
            histogram,
            sum: of.sum,
            sum_of_squares: of.sum_of_squares,
            min: of.min,
            max: of.max,
        }
    }
}

impl Distribution {
    /// Takes in one time.
    pub fn record(&mut self, time: Ps) {
        self.histogram
            .record(time.max(1))
            .expect("the histogram grows as it needs");
        self.sum += u128::from(time);
        self.sum_of_squares += u128::from(time) * u128::from(time);
        self.min = self.min.min(time);
        self.max = self.max.max(time);
    }

    /// Takes in all times of another distribution.
    pub fn add(&mut self, other: &Self) {
        self.histogram.add(&other.histogram).expect("both histograms are alike");
        self.sum += other.sum;
        self.sum_of_squares += other.sum_of_squares;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    /// How many.
    pub fn count(&self) -> u64 {
        self.histogram.len()
    }

    /// What they amount to; all zero without any.
    pub fn latency(&self) -> Latency {
        if self.count() == 0 {
            return Latency::default();
        }
        let count = self.count() as f64;
        let mean = self.sum as f64 / count;
        // In integers up to the last step: the difference of two large squares loses nothing.
        let n = u128::from(self.count());
        let variance = (n * self.sum_of_squares - self.sum * self.sum) as f64 / count / count;
        // A bucket's upper end may lie above the largest value.
        let quantile = |q| ns(self.histogram.value_at_quantile(q).min(self.max));
        // A step ends with the whole slot of the histogram that its limit falls in; the last one with the maximum.
        let end = |limit| self.histogram.highest_equivalent(limit).min(self.max);
        let buckets = self.histogram.iter_log(1000, 1.02);
        let histogram = buckets.filter(|b| b.count_since_last_iteration() > 0).map(|b| Bucket {
            up_to_ns: ns(end(b.value_iterated_to())),
            count: b.count_since_last_iteration(),
        });
        Latency {
            mean_ns: mean / 1000.0,
            stddev_ns: variance.sqrt() / 1000.0,
            min_ns: ns(self.min),
            p50_ns: quantile(0.5),
            p90_ns: quantile(0.9),
            p99_ns: quantile(0.99),
            p99_9_ns: quantile(0.999),
            max_ns: ns(self.max),
            histogram: histogram.collect(),
        }
    }
}
