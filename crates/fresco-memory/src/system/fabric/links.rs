// SPDX-License-Identifier: MIT OR Apache-2.0
//! Links between nodes: each carries so many bytes per second from one node to another.

use super::limits::{Fs, Limit};
use crate::request::Access;
use fresco_machine::Machine;

/// A link from each node to each other one.
#[derive(Debug)]
pub(super) struct Links {
    /// Node of each core, devices after them.
    homes: Vec<u32>,
    nodes: u32,
    /// `[from * nodes + to]`
    limits: Vec<Limit>,
}

impl Links {
    /// Those of a checked machine with devices on these nodes; `None` if they are unlimited.
    pub fn new(machine: &Machine, line_bytes: u64, agents: &[u32]) -> Option<Self> {
        let rate = machine.fabric.link?;
        let nodes = machine.memory.organisation.nodes;
        Some(Self {
            homes: [&machine.topology.node_of_core, agents].concat(),
            nodes,
            limits: vec![Limit::new(rate, line_bytes); (nodes * nodes) as usize],
        })
    }

    /// The link that carries the data of a line: from the memory if it is read, to it if it is written; `None` within a node.
    fn of(&self, core: u32, node: u32, access: Access) -> Option<usize> {
        let home = self.homes[core as usize];
        let (from, to) = match access {
            Access::Read => (node, home),
            Access::Write => (home, node),
        };
        (from != to).then_some((from * self.nodes + to) as usize)
    }

    /// When the link of a line is free.
    pub fn free(&self, core: u32, node: u32, access: Access) -> Fs {
        self.of(core, node, access).map_or(0, |link| self.limits[link].free)
    }

    /// A line takes its link.
    pub fn take(&mut self, core: u32, node: u32, access: Access, at: Fs) {
        if let Some(link) = self.of(core, node, access) {
            self.limits[link].take(at);
        }
    }
}
