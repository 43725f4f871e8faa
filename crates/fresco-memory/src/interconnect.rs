// SPDX-License-Identifier: MIT OR Apache-2.0
//! The way between a core and a memory node (D §2.4.1, §3.1: local, within the socket, across sockets).
//!
//! Pure latency: a message takes the one-way time between its two nodes, whatever else is on the way. The bandwidth of
//! links between nodes, if a machine file limits it, is waited for before a line is sent ([the fabric](crate::MemorySystem)).

use fresco_dram::Ps;
use fresco_machine::Topology;

/// The way from one core, or device, to one memory node and back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Route {
    /// Hops one way; 0 for the core's own node.
    pub hops: u32,
    /// Time of a request to the node, in picoseconds.
    pub there: Ps,
    /// Time of the data back, in picoseconds.
    pub back: Ps,
}

/// All routes of a machine.
#[derive(Clone, Debug)]
pub struct Interconnect {
    nodes: usize,
    /// `[core * nodes + node]`
    routes: Vec<Route>,
}

impl Interconnect {
    /// The routes of a checked topology: square tables, every core on a node that exists. After the cores come devices, each on the
    /// node that `agents` gives.
    pub fn new(topology: &Topology, agents: &[u32]) -> Self {
        let nodes = topology.hops.len();
        let from_core = |&home: &u32| {
            let home = home as usize;
            (0..nodes).map(move |node| Route {
                hops: topology.hops[home][node],
                there: topology.hop_latency[home][node],
                back: topology.hop_latency[node][home],
            })
        };
        let routes = topology.node_of_core.iter().chain(agents).flat_map(from_core).collect();
        Self { nodes, routes }
    }

    /// The way from `core` to `node` and back.
    #[inline]
    pub fn route(&self, core: u32, node: u32) -> Route {
        debug_assert!((node as usize) < self.nodes);
        self.routes[core as usize * self.nodes + node as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routes_follow_the_tables_in_both_directions() {
        let topology = Topology {
            node_of_core: vec![0, 0, 1],
            hops: vec![vec![0, 1], vec![1, 0]],
            hop_latency: vec![vec![0, 20], vec![30, 0]],
        };
        let interconnect = Interconnect::new(&topology, &[1]);
        assert_eq!(interconnect.route(1, 0), Route::default());
        let (hops, there, back) = (1, 20, 30);
        assert_eq!(interconnect.route(1, 1), Route { hops, there, back });
        let (there, back) = (30, 20);
        assert_eq!(interconnect.route(2, 0), Route { hops, there, back });
        assert_eq!(interconnect.route(2, 1), Route::default());
        // A device on node 1.
        assert_eq!(interconnect.route(3, 0), Route { hops, there, back });
    }
}
