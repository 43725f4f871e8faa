// SPDX-License-Identifier: MIT OR Apache-2.0
//! The limits of the way to the controllers: lines wait until each limit of their cluster and of their node lets them pass.
//! Devices belong to no cluster. A line whose data cross to another node also waits for the link that carries them, and takes it when it
//! passes: a read, too, though its data come later.
//!
//! A limit of so many bytes per second lets one line pass, and then none for the time that a line takes at that rate. Where
//! several wait for the same limit, the core and direction goes first that was served least recently, so that who asks for
//! little does not wait behind the queue of those who ask for much. Lines of one core and direction keep their order.
//!
//! A limit of lines under way counts a line from when it passes until its data are at the core, or a controller has taken it into its
//! write buffer and that is known. While as many are under way, none passes.

mod limits;
mod links;
#[cfg(test)]
mod tests;

use crate::request::Access;
use fresco_dram::{Location, NEVER, PhysAddr, Ps};
use fresco_machine::{Machine, Rates};
use limits::{FS_PER_PS, Fs, Limits};
use links::Links;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

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
    /// The last one is that of devices, which have none.
    clusters: Vec<Limits>,
    nodes: Vec<Limits>,
    /// Limits between nodes, if there are any.
    links: Option<Links>,
    cores: u32,
    cores_per_cluster: u32,
    /// Lines under way are limited.
    counts: bool,
    /// When the places of lines under way are free, as far as is known, and their clusters and nodes.
    arriving: BinaryHeap<Reverse<(Ps, u32, u32)>>,
    /// When the last place became free that is taken into account: nothing passes before that any more.
    freed: Fs,
    /// By core, devices after them, then by direction.
    sources: Vec<Source>,
    /// Sources that have a line, in no order.
    active: Vec<u32>,
    passed: u64,
    /// When the next line passes, and whose; [`NEVER`] if none waits.
    next: (Fs, u32),
}

impl Fabric {
    /// The limits of a checked machine, beside whose cores there are devices on these nodes; `None` if it has none.
    pub fn new(machine: &Machine, cores_per_cluster: u32, line_bytes: u64, agents: &[u32]) -> Option<Self> {
        let config = &machine.fabric;
        if config.is_unlimited() {
            return None;
        }
        let limits = |rates, count: u32| vec![Limits::new(rates, line_bytes); count as usize];
        let mut clusters = limits(&config.cluster, machine.cores.div_ceil(cores_per_cluster));
        clusters.push(Limits::new(&Rates::default(), line_bytes));
        Some(Self {
            clusters,
            nodes: limits(&config.node, machine.memory.organisation.nodes),
            links: Links::new(machine, line_bytes, agents),
            cores: machine.cores,
            cores_per_cluster,
            counts: config.cluster.in_flight.is_some() || config.node.in_flight.is_some(),
            arriving: BinaryHeap::new(),
            freed: 0,
            sources: vec![Source::default(); 2 * (machine.cores as usize + agents.len())],
            active: Vec::new(),
            passed: 0,
            next: (NEVER, 0),
        })
    }

    /// Returns true if lines under way are limited: then it is to be [told](Self::arrives) when they arrive.
    pub fn counts(&self) -> bool {
        self.counts
    }

    /// Returns true if a line waits that nothing but the arrival of another may let pass.
    pub fn may_wait_for_others(&self) -> bool {
        self.counts && !self.active.is_empty()
    }

    /// A line that `core` has under way to or from a node arrives at `at`. Its place is free after that picosecond, so that who passes at a time
    /// does not depend on what is known of the same time.
    pub fn arrives(&mut self, core: u32, node: u32, at: Ps) {
        self.arriving.push(Reverse((at + 1, self.cluster(core), node)));
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

    /// When the next line passes, or one arrives for which another may wait; [`NEVER`] if none waits, or nothing is known.
    pub fn next_event(&self) -> Ps {
        let arrival = self.arriving.peek().filter(|_| !self.active.is_empty());
        arrival.map_or(NEVER, |Reverse((at, ..))| *at).min(self.next_pass())
    }

    fn next_pass(&self) -> Ps {
        match self.next.0 {
            NEVER => NEVER,
            at => at.div_ceil(FS_PER_PS),
        }
    }

    /// The next line that passes up to and including `until`, and when.
    pub fn pass(&mut self, until: Ps) -> Option<(Ps, Passing)> {
        while let Some(&Reverse((at, cluster, node))) = self.arriving.peek()
            && at <= until
            && at <= self.next_pass()
        {
            self.arriving.pop();
            self.clusters[cluster as usize].arrived();
            self.nodes[node as usize].arrived();
            self.freed = at * FS_PER_PS;
            self.find_next();
        }
        let at = self.next_pass();
        if at > until || at == NEVER {
            return None;
        }
        let (exactly, number) = self.next;
        self.passed += 1;
        let source = &mut self.sources[number as usize];
        let (_, passing) = source.waiting.pop_front().expect("an active source has a line");
        source.served = self.passed;
        match source.waiting.front_mut() {
            // Its limits may have let it pass before.
            Some((since, _)) => *since = at.max(*since),
            None => self.active.retain(|other| *other != number),
        }
        let (cluster, node, direction) = self.way(&passing);
        self.clusters[cluster].take(direction, exactly, self.counts);
        self.nodes[node].take(direction, exactly, self.counts);
        if let Some(links) = &mut self.links {
            links.take(passing.core, passing.location.node, passing.access, exactly);
        }
        self.find_next();
        Some((at, passing))
    }

    fn cluster(&self, core: u32) -> u32 {
        match core < self.cores {
            true => core / self.cores_per_cluster,
            false => self.clusters.len() as u32 - 1,
        }
    }

    /// Cluster, node and direction of a line.
    fn way(&self, passing: &Passing) -> (usize, usize, usize) {
        (
            self.cluster(passing.core) as usize,
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
            let link = |links: &Links| links.free(passing.core, passing.location.node, passing.access);
            let free = free.max(self.links.as_ref().map_or(0, link));
            // Sources that have never passed a line have none of their own number: the lower one goes first.
            (free.max(since * FS_PER_PS).max(self.freed), source.served, *number)
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
