// SPDX-License-Identifier: MIT OR Apache-2.0
//! The limits of the way to the controllers: lines wait until each limit of their cluster and of their node lets them pass.
//!
//! A limit of so many bytes per second lets one line pass, and then none for the time that a line takes at that rate. Where
//! several wait for the same limit, the core and direction goes first that was served least recently, so that who asks for
//! little does not wait behind the queue of those who ask for much. Lines of one core and direction keep their order.

use crate::request::Access;
use fresco_dram::{Location, NEVER, PhysAddr, Ps};
use fresco_machine::{Machine, Rates};
use std::collections::VecDeque;

/// A line on its way to a controller.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passing {
    pub core: u32,
    pub line: PhysAddr,
    pub access: Access,
    /// By which [`Pending`](super::pending::Pending) knows a read.
    pub slot: u32,
    pub location: Location,
}

/// Femtoseconds: at rates of 100 GB/s a line takes less than a nanosecond, and a picosecond would be an error of 0.2 %.
type Fs = u64;
const FS_PER_PS: Fs = 1000;

/// One limit: when it lets the next line pass, and how long a line takes.
#[derive(Clone, Copy, Debug)]
struct Limit {
    free: Fs,
    line: Fs,
}

impl Limit {
    fn new(bytes_per_second: u64, line_bytes: u64) -> Self {
        let line = (u128::from(line_bytes) * 1_000_000_000_000_000).div_ceil(u128::from(bytes_per_second.max(1)));
        Self {
            free: 0,
            line: u64::try_from(line).unwrap_or(u64::MAX),
        }
    }
}

/// The limits of a cluster or of a node.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// By direction: reads, writes.
    own: [Option<Limit>; 2],
    both: Option<Limit>,
    /// What a written line takes of `both`, in percent of one that is read.
    write_cost: Fs,
}

impl Limits {
    fn new(rates: &Rates, line_bytes: u64) -> Self {
        let limit = |rate: Option<u64>| rate.map(|rate| Limit::new(rate, line_bytes));
        Self {
            own: [limit(rates.reads), limit(rates.writes)],
            both: limit(rates.traffic),
            write_cost: rates.write_cost.unwrap_or(100).into(),
        }
    }

    /// When a line may pass.
    fn free(&self, direction: usize) -> Fs {
        let free = |limit: Option<Limit>| limit.map_or(0, |limit| limit.free);
        free(self.own[direction]).max(free(self.both))
    }

    /// A line passes.
    fn take(&mut self, direction: usize, at: Fs) {
        if let Some(limit) = &mut self.own[direction] {
            limit.free = at + limit.line;
        }
        if let Some(limit) = &mut self.both {
            let cost = if direction == 0 { 100 } else { self.write_cost };
            limit.free = at + limit.line * cost / 100;
        }
    }
}

/// Lines of one core and direction that wait.
#[derive(Clone, Debug, Default)]
struct Source {
    /// With the time from which on each waits.
    waiting: VecDeque<(Ps, Passing)>,
    /// Number of the line that it passed last, over all sources.
    served: u64,
}

/// All limits of a machine, and what waits for them.
#[derive(Debug)]
pub(super) struct Fabric {
    clusters: Vec<Limits>,
    nodes: Vec<Limits>,
    cores_per_cluster: u32,
    /// By core, then by direction.
    sources: Vec<Source>,
    /// Sources that have a line, in no order.
    active: Vec<u32>,
    passed: u64,
    /// When the next line passes, and whose; [`NEVER`] if none waits.
    next: (Fs, u32),
}

impl Fabric {
    /// The limits of a checked machine; `None` if it has none.
    pub fn new(machine: &Machine, cores_per_cluster: u32, line_bytes: u64) -> Option<Self> {
        let config = &machine.fabric;
        if config.is_unlimited() {
            return None;
        }
        let limits = |rates, count: u32| vec![Limits::new(rates, line_bytes); count as usize];
        Some(Self {
            clusters: limits(&config.cluster, machine.cores.div_ceil(cores_per_cluster)),
            nodes: limits(&config.node, machine.memory.organisation.nodes),
            cores_per_cluster,
            sources: vec![Source::default(); 2 * machine.cores as usize],
            active: Vec::new(),
            passed: 0,
            next: (NEVER, 0),
        })
    }

    /// A line waits from `at` on.
    pub fn wait(&mut self, at: Ps, passing: Passing) {
        let number = 2 * passing.core + direction(passing.access) as u32;
        let source = &mut self.sources[number as usize];
        source.waiting.push_back((at, passing));
        if source.waiting.len() == 1 {
            self.active.push(number);
            self.find_next();
        }
    }

    /// When the next line passes; [`NEVER`] if none waits.
    pub fn next_event(&self) -> Ps {
        match self.next.0 {
            NEVER => NEVER,
            at => at.div_ceil(FS_PER_PS),
        }
    }

    /// The next line that passes up to and including `until`, and when.
    pub fn pass(&mut self, until: Ps) -> Option<(Ps, Passing)> {
        let at = self.next_event();
        if at > until || at == NEVER {
            return None;
        }
        let (exactly, number) = self.next;
        self.passed += 1;
        let source = &mut self.sources[number as usize];
        let (_, passing) = source.waiting.pop_front().expect("an active source has a line");
        source.served = self.passed;
        if source.waiting.is_empty() {
            self.active.retain(|other| *other != number);
        }
        let (cluster, node, direction) = self.way(&passing);
        self.clusters[cluster].take(direction, exactly);
        self.nodes[node].take(direction, exactly);
        self.find_next();
        Some((at, passing))
    }

    /// Cluster, node and direction of a line.
    fn way(&self, passing: &Passing) -> (usize, usize, usize) {
        let cluster = passing.core / self.cores_per_cluster;
        (
            cluster as usize,
            passing.location.node as usize,
            direction(passing.access),
        )
    }

    fn find_next(&mut self) {
        let candidate = |number: &u32| {
            let source = &self.sources[*number as usize];
            let (since, passing) = source.waiting.front().expect("an active source has a line");
            let (cluster, node, direction) = self.way(passing);
            let free = self.clusters[cluster]
                .free(direction)
                .max(self.nodes[node].free(direction));
            // Sources that have never passed a line have none of their own number: the lower one goes first.
            (free.max(since * FS_PER_PS), source.served, *number)
        };
        let next = self.active.iter().map(candidate).min();
        self.next = next.map_or((NEVER, 0), |(at, _, number)| (at, number));
    }
}

fn direction(access: Access) -> usize {
    match access {
        Access::Read => 0,
        Access::Write => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four cores in two clusters at one node, lines of 64 bytes.
    fn fabric(text: &[(&str, &str)]) -> Fabric {
        let overrides: Vec<_> = text
            .iter()
            .map(|(key, value)| ((*key).into(), (*value).into()))
            .collect();
        let text = fresco_machine::builtin_text("xeon-w3530").expect("is built in");
        let machine = Machine::parse("test.toml", text, &overrides).expect("is valid");
        Fabric::new(&machine, 2, 64).expect("has limits")
    }

    fn line(core: u32, access: Access) -> Passing {
        Passing {
            core,
            line: PhysAddr(0),
            access,
            slot: 0,
            location: Location::default(),
        }
    }

    /// Time in picoseconds and core of everything that passes.
    fn all(fabric: &mut Fabric) -> Vec<(Ps, u32)> {
        std::iter::from_fn(|| fabric.pass(1_000_000))
            .map(|(at, passing)| (at, passing.core))
            .collect()
    }

    #[test]
    fn lines_pass_at_the_rate() {
        // 64 GB/s: a line per nanosecond. 150 GB/s: one per 426 2/3 ps, which do not add up to an error.
        let mut one = fabric(&[("fabric.node.traffic", "\"64 GB/s\"")]);
        (0..3).for_each(|_| one.wait(500, line(0, Access::Read)));
        assert_eq!(all(&mut one), [(500, 0), (1500, 0), (2500, 0)]);
        let mut fast = fabric(&[("fabric.node.traffic", "\"150 GB/s\"")]);
        (0..301).for_each(|_| fast.wait(0, line(0, Access::Read)));
        assert_eq!(all(&mut fast).last(), Some(&(128_001, 0)));
    }

    #[test]
    fn who_was_served_least_recently_goes_first() {
        let mut fabric = fabric(&[("fabric.node.traffic", "\"64 GB/s\"")]);
        (0..4).for_each(|_| fabric.wait(0, line(1, Access::Read)));
        assert_eq!(fabric.pass(0).map(|(at, _)| at), Some(0));
        assert!(fabric.pass(999).is_none());
        // Core 3 asks once, behind three lines of core 1: it waits for the line under way alone.
        fabric.wait(100, line(3, Access::Read));
        assert_eq!(all(&mut fabric), [(1000, 3), (2000, 1), (3000, 1), (4000, 1)]);
    }

    #[test]
    fn reads_and_writes_have_limits_apart_and_clusters_their_own() {
        let mut apart = fabric(&[
            ("fabric.node.reads", "\"64 GB/s\""),
            ("fabric.node.writes", "\"32 GB/s\""),
        ]);
        for access in [Access::Read, Access::Write] {
            (0..2).for_each(|_| apart.wait(0, line(0, access)));
        }
        let passed: Vec<_> = std::iter::from_fn(|| apart.pass(9999))
            .map(|(at, p)| (at, p.access))
            .collect();
        let (read, write) = (Access::Read, Access::Write);
        assert_eq!(passed, [(0, read), (0, write), (1000, read), (2000, write)]);

        // Of both together a written line may take more: here as much as one and a half that are read.
        let mut costly = fabric(&[
            ("fabric.node.traffic", "\"64 GB/s\""),
            ("fabric.node.write_cost", "150"),
        ]);
        for access in [Access::Write, Access::Read, Access::Read] {
            costly.wait(0, line(0, access));
        }
        assert_eq!(all(&mut costly), [(0, 0), (1000, 0), (2500, 0)]);

        // Cores 0 and 1 share a cluster, 2 has another one.
        let mut clusters = fabric(&[("fabric.cluster.traffic", "\"64 GB/s\"")]);
        (0..3).for_each(|core| clusters.wait(0, line(core, Access::Read)));
        assert_eq!(all(&mut clusters), [(0, 0), (0, 2), (1000, 1)]);

        // The tighter of two limits holds.
        let mut both = fabric(&[
            ("fabric.cluster.traffic", "\"64 GB/s\""),
            ("fabric.node.traffic", "\"32 GB/s\""),
        ]);
        (0..3).for_each(|_| both.wait(0, line(0, Access::Read)));
        assert_eq!(all(&mut both), [(0, 0), (2000, 0), (4000, 0)]);
    }

    #[test]
    fn without_limits_there_is_none() {
        let machine = fresco_machine::builtin("xeon-w3530").expect("is built in");
        assert!(Fabric::new(&machine, 4, 64).is_none());
    }
}
