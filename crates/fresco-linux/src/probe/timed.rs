// SPDX-License-Identifier: MIT OR Apache-2.0
//! Held memory, timed from one processor.

use super::counter::{Counter, ticks};
use super::held::Held;
use super::streams::{self, Walk};
use super::{ProbeRefusal, loads};
use crate::launch::bind_cpus;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::ops::Range;
use std::time::Duration;

/// Memory and the processor that loads it. The calling thread stays on that processor until this is dropped.
#[derive(Debug)]
pub struct Timed {
    held: Held,
    counter: Counter,
    start: u64,
    cpu: u32,
    others: Vec<u32>,
    before: CpuSet,
}

impl Timed {
    /// Takes `bytes` of memory and a processor: the last that may be used, as the first ones serve most interrupts.
    ///
    /// # Errors
    /// This machine, or this process, lacks what it takes.
    pub fn begin(bytes: u64) -> Result<Self, ProbeRefusal> {
        let counter = Counter::find()?;
        let before = sched_getaffinity(None).map_err(ProbeRefusal::Processor)?;
        let mut others: Vec<u32> = (0..CpuSet::MAX_CPU as u32)
            .filter(|cpu| before.is_set(*cpu as usize))
            .collect();
        let cpu = others.pop().ok_or(ProbeRefusal::Processor(rustix::io::Errno::INVAL))?;
        let held = Held::take(bytes)?;
        bind_cpus(&[cpu]).map_err(ProbeRefusal::Processor)?;
        Ok(Self {
            held,
            counter,
            start: ticks(),
            cpu,
            others,
            before,
        })
    }

    /// The memory.
    pub fn held(&self) -> &Held {
        &self.held
    }

    /// The counter.
    pub fn counter(&self) -> Counter {
        self.counter
    }

    /// The processor that measures.
    pub fn cpu(&self) -> u32 {
        self.cpu
    }

    /// Other processors that may be used.
    pub fn others(&self) -> &[u32] {
        &self.others
    }

    /// Ranges of physical addresses that can be loaded.
    pub fn ranges(&self) -> &[Range<u64>] {
        self.held.ranges()
    }

    /// Nanoseconds that both lines take when they are loaded at the same time, over `rounds` rounds. NaN if one of them
    /// is not held.
    pub fn pair(&self, a: u64, b: u64, rounds: u32) -> f64 {
        loads::pair(&self.held, a, b, rounds).map_or(f64::NAN, |ticks| self.counter.ns(ticks))
    }

    /// Begin, in nanoseconds of [`Self::now`], and length of each of a series of loads. Empty if the line is not held.
    pub fn series(&self, line: u64, accesses: u32) -> Vec<(f64, f64)> {
        let loads = loads::series(&self.held, line, accesses).unwrap_or_default();
        let at = |count: u64| self.counter.ns(count.wrapping_sub(self.start));
        loads
            .into_iter()
            .map(|(begin, took)| (at(begin), self.counter.ns(took)))
            .collect()
    }

    /// Nanoseconds of an access of the first walk beside the others. NaN where there is no processor for them.
    pub fn streams(&self, walks: &[Walk<'_>], accesses: u32) -> f64 {
        streams::run(&self.held, walks, accesses, &self.others).map_or(f64::NAN, |ticks| ticks * self.counter.tick_ns)
    }

    /// Sleeps.
    pub fn wait(&self, nanoseconds: f64) {
        std::thread::sleep(Duration::from_nanos(nanoseconds.clamp(0.0, 1e15) as u64));
    }

    /// Nanoseconds since the beginning.
    pub fn now(&self) -> f64 {
        self.counter.ns(ticks().wrapping_sub(self.start))
    }
}

impl Drop for Timed {
    fn drop(&mut self) {
        // What was allowed before is allowed again, unless someone has taken it away meanwhile.
        let _ = sched_setaffinity(None, &self.before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever the machine: loads take time, waiting takes as long as was asked, nothing is made up.
    #[test]
    fn loads_of_held_lines_take_time() {
        let timed = match Timed::begin(8 << 20) {
            Ok(timed) => timed,
            Err(reason) => return fresco_testing::skip(fresco_testing::Need::Timing, reason),
        };
        let line = timed.ranges()[0].start;
        let before = timed.now();
        let took = timed.pair(line, line + 4032, 10);
        assert!(took > 10.0 && timed.now() - before >= took, "{took}");
        let series = timed.series(line, 50);
        assert_eq!(series.len(), 50);
        assert!(
            series.windows(2).all(|two| two[0].0 + two[0].1 <= two[1].0),
            "one after the other"
        );
        let asleep = timed.now();
        timed.wait(2e6);
        assert!(timed.now() - asleep >= 2e6);
        // A line that is not ours has no time.
        let behind = timed.ranges().last().map_or(0, |range| range.end);
        assert!(timed.pair(line, behind, 1).is_nan());
        let walk = |lines| Walk { lines, outstanding: 2 };
        let (one, two) = ([line, line + 64], [line + 128, line + 192]);
        let alone = timed.streams(&[walk(&one)], 100);
        assert!(alone > 1.0, "{alone}");
        let beside = timed.streams(&[walk(&one), walk(&two), walk(&two)], 100);
        assert!(beside.is_nan() == timed.others().is_empty(), "{beside}");
    }
}
