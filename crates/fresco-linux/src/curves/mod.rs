// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bandwidth beside latency on this machine, as `fresco calibrate` has them of a model: a chase of pointers on one processor, streams with a
//! share of reads and a pause on all others.
//!
//! Bandwidth is what the generators asked for: a load moves a line, a store two, one that is fetched and one that is written back. No
//! counter of a memory controller is read.

mod generator;
mod lines;

use crate::launch::bind_cpus;
use generator::{Moved, Orders, generate};
use lines::{Lines, huge_bytes};
use rustix::io::Errno;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use serde::Serialize;
use std::hint::black_box;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// Bytes of a line.
const LINE: u64 = 64;

/// Bytes of a number in the chase.
const WORD: u64 = 4;

/// What is measured.
#[derive(Clone, Debug)]
pub struct Wanted<'a> {
    /// Numbers of words of four bytes, each of another line, in the order of the chase, which closes.
    pub chase: &'a [u32],
    /// Bytes of each of the two arrays of a generator.
    pub stream_bytes: u64,
    /// Loads of the chase in a point.
    pub loads: u64,
    /// How long generators run before a point, and without a pause before a share of reads: until caches are as dirty as they become.
    pub settle: Duration,
    /// Shares of reads in the traffic, in percent, 50 to 100.
    pub reads: &'a [u32],
    /// Turns of an empty loop after each burst, longest first.
    pub pauses: &'a [u32],
}

/// A point of a curve.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Point {
    /// Reads in a hundred lines of the generators' traffic.
    pub reads: u32,
    /// Turns of an empty loop after each burst; `None` without generators.
    pub pause: Option<u32>,
    /// 10^9 bytes per second, of generators and chase.
    pub gb_s: f64,
    /// Time of a load of the chase, in nanoseconds.
    pub ns: f64,
}

/// What was measured, and how.
#[derive(Clone, Debug, Serialize)]
pub struct Measured {
    /// By share of reads, from idleness to no pause.
    pub points: Vec<Point>,
    /// Processor of the chase.
    pub chaser: u32,
    /// Processors of the generators.
    pub generators: Vec<u32>,
    /// Those of them that could not be kept to their processor.
    pub not_pinned: Vec<u32>,
    /// Bytes of all arrays.
    pub bytes: u64,
    /// Bytes of this process that are in huge pages; `None` if the kernel does not tell.
    pub huge_bytes: Option<u64>,
}

/// The processors that this thread may use, ascending.
///
/// # Errors
/// As of `sched_getaffinity`.
pub fn allowed_cpus() -> Result<Vec<u32>, Errno> {
    let set = sched_getaffinity(None)?;
    let all = (0..CpuSet::MAX_CPU as u32).filter(|cpu| set.is_set(*cpu as usize));
    Ok(all.collect())
}

/// Measures on the processors that this thread may use, two at least; `observer` is told each point, and ends it by returning false.
///
/// # Errors
/// No memory left; one processor ([`Errno::INVAL`]).
pub fn measure(wanted: &Wanted<'_>, mut observer: impl FnMut(&Point) -> bool) -> Result<Measured, Errno> {
    let before = sched_getaffinity(None)?;
    let cpus = allowed_cpus()?;
    let Some((&chaser, generators)) = cpus.split_first().filter(|(_, others)| !others.is_empty()) else {
        return Err(Errno::INVAL);
    };
    let mut not_pinned = Vec::new();
    if bind_cpus(&[chaser]).is_err() {
        not_pinned.push(chaser);
    }
    let mut chase = Chase::new(wanted.chase)?;
    let orders = Orders::default();
    let moved: Vec<Moved> = generators.iter().map(|_| Moved::default()).collect();
    let (mut points, mut huge) = (Vec::new(), None);
    let result = thread::scope(|scope| {
        let (sender, ready) = mpsc::channel();
        for (cpu, moved) in std::iter::zip(generators, &moved) {
            let (sender, orders) = (sender.clone(), &orders);
            scope.spawn(move || {
                let pinned = bind_cpus(&[*cpu]).is_ok();
                // Memory comes from the node of the processor that touches it first.
                let arrays =
                    Lines::take(wanted.stream_bytes).and_then(|one| Ok([one, Lines::take(wanted.stream_bytes)?]));
                match arrays {
                    Ok(mut arrays) => {
                        let _ = sender.send(Ok((*cpu, pinned)));
                        generate(&mut arrays, orders, moved);
                    }
                    Err(error) => drop(sender.send(Err(error))),
                }
            });
        }
        drop(sender);
        let mut all_ready = || -> Result<(), Errno> {
            for _ in generators {
                let (cpu, pinned) = ready.recv().unwrap_or(Err(Errno::NOMEM))?;
                not_pinned.extend((!pinned).then_some(cpu));
            }
            huge = huge_bytes();
            Ok(())
        };
        let done = all_ready().map(|()| curves(wanted, &mut chase, &orders, &moved, &mut points, &mut observer));
        orders.stop();
        done
    });
    let _ = sched_setaffinity(None, &before);
    result?;
    not_pinned.sort_unstable();
    Ok(Measured {
        points,
        chaser,
        generators: generators.to_vec(),
        not_pinned,
        bytes: chase.bytes() + 2 * wanted.stream_bytes * generators.len() as u64,
        huge_bytes: huge,
    })
}

/// All points, as far as the observer lets them come.
fn curves(
    wanted: &Wanted<'_>,
    chase: &mut Chase,
    orders: &Orders,
    moved: &[Moved],
    points: &mut Vec<Point>,
    observer: &mut impl FnMut(&Point) -> bool,
) {
    chase.run(wanted.chase.len() as u64);
    for &reads in wanted.reads {
        let pauses = wanted.pauses.iter().copied().map(Some);
        for pause in std::iter::once(None).chain(pauses) {
            if pause == wanted.pauses.first().copied() {
                orders.give(reads, Some(0));
                thread::sleep(wanted.settle);
            }
            orders.give(reads, pause);
            thread::sleep(wanted.settle);
            let total = || moved.iter().map(Moved::bytes).sum::<u64>();
            let begin = total();
            let took = chase.run(wanted.loads).as_secs_f64();
            let bytes = total() - begin + wanted.loads * LINE;
            let point = Point {
                reads,
                pause,
                gb_s: bytes as f64 / took / 1e9,
                ns: took * 1e9 / wanted.loads as f64,
            };
            points.push(point);
            if !observer(&point) {
                return;
            }
        }
        orders.give(reads, None);
    }
}

/// A list of which each element says where the next one is.
struct Chase {
    lines: Lines,
    at: u32,
}

impl Chase {
    fn new(order: &[u32]) -> Result<Self, Errno> {
        let words = order.iter().max().map_or(1, |last| u64::from(*last) + 1);
        let mut lines = Lines::take(words * WORD)?;
        let list = lines.words();
        for (from, to) in std::iter::zip(order, order.iter().cycle().skip(1)) {
            list[*from as usize] = *to;
        }
        Ok(Self {
            lines,
            at: order.first().copied().unwrap_or(0),
        })
    }

    fn bytes(&self) -> u64 {
        self.lines.bytes()
    }

    /// Follows so many pointers.
    fn run(&mut self, loads: u64) -> Duration {
        let list = self.lines.words();
        let begin = Instant::now();
        let mut at = self.at;
        for _ in 0..loads {
            at = list[at as usize];
        }
        self.at = black_box(at);
        begin.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chase_goes_through_its_list_and_begins_anew() {
        let mut chase = Chase::new(&[16, 48, 0, 32]).expect("there is memory");
        let mut places = Vec::new();
        for _ in 0..5 {
            places.push(chase.at);
            chase.run(1);
        }
        assert_eq!(places, [16, 48, 0, 32, 16]);
    }

    /// Whatever the machine: generators move what they say, less with a pause, and stop.
    #[test]
    fn points_are_measured_where_there_are_processors() {
        let order: Vec<u32> = (0..4096).map(|line| line * 16).collect();
        let wanted = Wanted {
            chase: &order,
            stream_bytes: 1 << 20,
            loads: 20_000,
            settle: Duration::from_millis(2),
            reads: &[100, 50],
            pauses: &[100_000, 0],
        };
        let measured = match measure(&wanted, |_| true) {
            Ok(measured) => measured,
            Err(error) => {
                let alone = allowed_cpus().expect("is told").len() < 2;
                return assert!(alone && error == Errno::INVAL, "{error}");
            }
        };
        let pauses: Vec<_> = measured.points.iter().map(|point| (point.reads, point.pause)).collect();
        let all = |reads| [None, Some(100_000), Some(0)].map(|pause| (reads, pause));
        assert_eq!(pauses, [all(100), all(50)].concat());
        assert!(measured.points.iter().all(|point| point.ns > 0.1 && point.gb_s > 0.0));
        assert_eq!(measured.points.len(), 6);
        // Without generators only the chase moves anything.
        let idle = &measured.points[0];
        assert!((idle.gb_s * idle.ns / 64.0 - 1.0).abs() < 1e-6, "{idle:?}");
        assert!(!measured.generators.contains(&measured.chaser));
    }
}
