// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which memory node a core belongs to, and how far the other nodes are.

use fresco_dram::Ps;
use serde::{Deserialize, Serialize};

/// Cores, memory nodes and the interconnect between them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Topology {
    /// Memory node of each core; one entry per core.
    pub node_of_core: Vec<u32>,
    /// Interconnect hops `[from node][to node]`; 0 on the diagonal.
    pub hops: Vec<Vec<u32>>,
    /// Extra one-way latency `[from node][to node]` on top of a local access, in picoseconds; 0 on the diagonal.
    pub hop_latency: Vec<Vec<Ps>>,
}

impl Topology {
    /// One node that all `cores` belong to.
    pub fn uniform(cores: u32) -> Self {
        Self {
            node_of_core: vec![0; cores as usize],
            hops: vec![vec![0]],
            hop_latency: vec![vec![0]],
        }
    }

    /// Number of memory nodes.
    pub fn nodes(&self) -> u32 {
        self.hops.len() as u32
    }

    /// The cores of a node, in ascending order.
    pub fn cores_of_node(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        (0u32..)
            .zip(&self.node_of_core)
            .filter(move |(_, n)| **n == node)
            .map(|(core, _)| core)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_of_a_node_are_listed_in_order() {
        let t = Topology {
            node_of_core: vec![0, 1, 0, 1],
            hops: vec![vec![0, 1], vec![1, 0]],
            hop_latency: vec![vec![0, 5], vec![5, 0]],
        };
        assert_eq!(t.nodes(), 2);
        assert_eq!(t.cores_of_node(1).collect::<Vec<_>>(), [1, 3]);
        assert_eq!(Topology::uniform(3).cores_of_node(0).count(), 3);
    }
}
