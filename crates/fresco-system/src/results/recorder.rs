// SPDX-License-Identifier: MIT OR Apache-2.0
//! Collects reads while a run goes on.

use super::chain::Chain;
use super::distribution::Distribution;
use super::reads::{Anatomy, Reads, RowCounts};
use super::reordered::{MayBeRead, Reordered};
use super::spread::ratio;
use fresco_dram::Ps;
use fresco_memory::{OrderCounts, RowOutcome, Sample};
use serde::{Deserialize, Serialize};

/// Collects the reads of one task that missed all caches.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct ReadRecorder {
    latencies: Distribution,
    /// Sums of the parts, in the order of [`Anatomy`].
    parts: [u128; 8],
    rows: RowCounts,
    remote: u64,
    joined: u64,
    #[serde(default)]
    refreshed: u64,
    /// Sum and largest of the times in the controllers.
    #[serde(default)]
    in_memory: (u128, Ps),
    #[serde(default)]
    chain: Chain,
    /// What may be a read if accesses come in another order, if anybody wants to know.
    #[serde(skip)]
    reordered: Option<Box<Reordered>>,
    /// The same as the last-level cache tells of it.
    #[serde(skip)]
    order: OrderCounts,
}

impl ReadRecorder {
    /// From now on takes in hits, too.
    pub fn heed_order(&mut self) {
        self.reordered = Some(Box::default());
    }

    /// Begins anew.
    pub fn reset(&mut self) {
        let heeds_order = self.reordered.is_some();
        *self = Self::default();
        if heeds_order {
            self.heed_order();
        }
    }

    /// Takes in a hit of the last-level cache, as [`Reordered::hit`].
    pub fn record_hit(&mut self, sent: Ps, at: Ps, may_be_read: bool) {
        if let Some(reordered) = &mut self.reordered {
            reordered.hit(sent, at, may_be_read);
        }
    }

    /// What was collected, with what the last-level cache has counted of it.
    pub fn with_order(&self, order: OrderCounts) -> Self {
        Self { order, ..self.clone() }
    }

    /// What may be a read if accesses come in another order; `None` if nobody wanted to know.
    pub fn may_be_read(&self) -> Option<(MayBeRead, OrderCounts)> {
        Some((self.reordered.as_ref()?.total(), self.order))
    }

    /// Takes in one read, whose data arrived at `at`.
    pub fn record(&mut self, at: Ps, sample: &Sample) {
        self.chain.record(at, sample);
        if let Some(reordered) = &mut self.reordered {
            reordered.record(at - sample.latency, at, sample.merged == 0);
        }
        self.latencies.record(sample.latency);
        let parts = [
            sample.path,
            sample.remote,
            sample.queue,
            sample.bank,
            sample.bus,
            sample.refresh,
            sample.service,
            sample.merged,
        ];
        for (sum, part) in std::iter::zip(&mut self.parts, parts) {
            *sum += u128::from(part);
        }
        self.remote += u64::from(sample.hops > 0);
        self.refreshed += u64::from(sample.refresh > 0);
        self.in_memory.0 += u128::from(sample.in_memory);
        self.in_memory.1 = self.in_memory.1.max(sample.in_memory);
        if sample.merged > 0 {
            self.joined += 1;
            return;
        }
        match sample.outcome {
            RowOutcome::Hit => self.rows.hits += 1,
            RowOutcome::Miss => self.rows.misses += 1,
            RowOutcome::Conflict => self.rows.conflicts += 1,
            RowOutcome::Forwarded => self.rows.forwarded += 1,
            // Writes only.
            RowOutcome::Buffered => {}
        }
    }

    /// Takes in all reads of another recorder.
    pub fn add(&mut self, other: &Self) {
        self.latencies.add(&other.latencies);
        for (sum, part) in std::iter::zip(&mut self.parts, other.parts) {
            *sum += part;
        }
        self.rows.hits += other.rows.hits;
        self.rows.misses += other.rows.misses;
        self.rows.conflicts += other.rows.conflicts;
        self.rows.forwarded += other.rows.forwarded;
        self.remote += other.remote;
        self.joined += other.joined;
        self.refreshed += other.refreshed;
        self.in_memory.0 += other.in_memory.0;
        self.in_memory.1 = self.in_memory.1.max(other.in_memory.1);
        self.chain.add(&other.chain);
    }

    /// What was collected.
    pub fn reads(&self) -> Reads {
        Reads {
            count: self.latencies.count(),
            remote: self.remote,
            joined: self.joined,
            refreshed: self.refreshed,
            latency: self.latencies.latency(),
            anatomy: self.anatomy(),
            in_memory_ps: u64::try_from(self.in_memory.0).unwrap_or(u64::MAX),
            in_memory_max_ps: self.in_memory.1,
            in_memory_min_ps: self.chain.shortest_ps.unwrap_or(0),
            chain: self.chain.reads,
            rows: self.rows,
        }
    }

    fn anatomy(&self) -> Anatomy {
        let count = self.latencies.count() as f64;
        let [
            path_ns,
            remote_ns,
            queue_ns,
            bank_ns,
            bus_ns,
            refresh_ns,
            service_ns,
            joined_ns,
        ] = self.parts.map(|sum| ratio(sum as f64 / 1000.0, count));
        Anatomy {
            path_ns,
            remote_ns,
            queue_ns,
            bank_ns,
            bus_ns,
            refresh_ns,
            service_ns,
            joined_ns,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::spread::ns;
    use super::*;

    fn sample(latency: Ps, outcome: RowOutcome) -> Sample {
        Sample {
            latency,
            path: 10_000,
            remote: 0,
            queue: 0,
            bank: latency - 30_000,
            bus: 0,
            refresh: 0,
            service: 20_000,
            in_memory: latency - 10_000,
            merged: 0,
            outcome,
            node: 0,
            hops: 0,
        }
    }

    #[test]
    fn a_distribution_is_what_went_in() {
        let mut recorder = ReadRecorder::default();
        for latency in 1..=1000u64 {
            recorder.record(
                latency * 1_000_000,
                &sample(30_000 + latency * 100, RowOutcome::Conflict),
            );
        }
        let reads = recorder.reads();
        assert_eq!((reads.count, reads.rows.conflicts), (1000, 1000));
        let latency = &reads.latency;
        assert_eq!(latency.mean_ns, 80.05);
        assert!((latency.stddev_ns - 28.8675).abs() < 1e-4);
        assert_eq!((latency.min_ns, latency.max_ns), (30.1, 130.0));
        for (found, exact) in [(latency.p50_ns, 80.0), (latency.p90_ns, 120.0), (latency.p99_ns, 129.0)] {
            assert!((found - exact).abs() <= exact / 1000.0, "{found} is not {exact}");
        }
        assert_eq!(latency.histogram.iter().map(|bucket| bucket.count).sum::<u64>(), 1000);
        let a = reads.anatomy;
        assert_eq!((a.path_ns, a.service_ns), (10.0, 20.0));
        assert!((a.path_ns + a.bank_ns + a.service_ns - latency.mean_ns).abs() < 1e-9);
    }

    #[test]
    fn each_bucket_holds_the_reads_up_to_its_end_and_the_last_ends_with_the_maximum() {
        // Latencies from one cycle to milliseconds, most of them not where a bucket ends.
        let mut latencies: Vec<Ps> = (0..3000u64)
            .map(|i| 30_000 + i * i * i % 9_999_991 * (i % 31))
            .collect();
        latencies.extend([30_001, 60_900, 60_901, 2_873_333_333]);
        for most in [60_901, 1_000_000, Ps::MAX] {
            let mut recorder = ReadRecorder::default();
            let taken: Vec<Ps> = latencies.iter().copied().filter(|latency| *latency <= most).collect();
            for latency in &taken {
                recorder.record(*latency, &sample(*latency, RowOutcome::Hit));
            }
            let latency = recorder.reads().latency;
            let mut seen = 0;
            for bucket in &latency.histogram {
                seen += bucket.count;
                let exact = taken.iter().filter(|latency| ns(**latency) <= bucket.up_to_ns).count();
                assert_eq!(exact as u64, seen, "up to {} ns", bucket.up_to_ns);
            }
            assert_eq!(
                latency.histogram.last().map(|bucket| bucket.up_to_ns),
                Some(latency.max_ns)
            );
        }
    }

    #[test]
    fn recorders_add_up() {
        let (mut all, mut one, mut two) = (
            ReadRecorder::default(),
            ReadRecorder::default(),
            ReadRecorder::default(),
        );
        for i in 0..100u64 {
            let mut sample = sample(40_000 + i * 777, [RowOutcome::Hit, RowOutcome::Miss][i as usize % 2]);
            if i % 8 == 0 {
                (sample.bank, sample.refresh) = (sample.bank - 5_000, 5_000);
            }
            // None begins before the one before has ended.
            let at = (i + 1) * 1_000_000;
            all.record(at, &sample);
            if i < 30 { &mut one } else { &mut two }.record(at, &sample);
        }
        one.add(&two);
        assert_eq!(one.reads(), all.reads());
        // 0, 8 .. 96: thirteen of a hundred waited for 5 ns.
        assert_eq!((all.reads().refreshed, all.reads().anatomy.refresh_ns), (13, 0.65));
        assert_eq!(ReadRecorder::default().reads(), Reads::default());
    }
}
