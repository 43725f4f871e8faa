// SPDX-License-Identifier: MIT OR Apache-2.0
//! Latency (BEN-2): a linked list whose nodes, one per line, are chained in random order. Each load needs the value
//! of the load before it, so that at most one request is outstanding and the run time is the memory latency.

use crate::Area;
use crate::kernel::{Kernel, Looped};
use crate::parameter::{Kind, Parameter};
use crate::recorder::{Recorder, Source};
use crate::registry::{Build, PASSES, ProgramKind, passes};
use crate::traced::{Layout, Traced};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;

/// Bytes of a node: one line.
const NODE_BYTES: u64 = 64;
/// Compare the pointer with the end of the list, branch.
const FOLLOW: u32 = 2;

/// Entry in the table of programs.
pub(crate) static LATENCY: ProgramKind = ProgramKind {
    name: Latency::NAME,
    doc: "Latency: follows a linked list in random order, one outstanding read at a time (BEN-2)",
    parameters: &[
        &[Parameter {
            name: "bytes",
            kind: Kind::Size {
                min: 64,
                max: 1 << 30,
                multiple: 64,
                default: 16 << 20,
            },
            doc: "size of the list, one node per 64 bytes; the papers take twice the last-level cache",
        }],
        PASSES,
    ],
    build: Build::Program(|values, setting| {
        let config = LatencyConfig {
            bytes: values.number("bytes"),
            seed: setting.seed,
        };
        Ok(Box::new(Looped::new(Latency::new(&config), passes(values))))
    }),
};

/// Parameters of [`Latency`].
#[derive(Clone, Debug)]
pub(crate) struct LatencyConfig {
    /// Size of the list in bytes, one node for each whole 64; at least 64. The papers take twice the last-level cache.
    pub bytes: u64,
    /// Seed of the permutation.
    pub seed: u64,
}

/// The part of a node that the program touches. As wide as a pointer.
#[derive(Clone, Copy, Debug)]
struct Node {
    next: u32,
    /// Number of the pass that visited the node last; kept beside the program, not accessed by it.
    visited: u32,
}

/// The running program. A pass follows the whole list once.
pub(crate) struct Latency {
    nodes: Traced<Node>,
    /// Node to visit next, and the load that said so.
    here: u32,
    source: Source,
    /// Nodes visited in this pass.
    visits: usize,
    /// Number of this pass, from 1.
    pass: u32,
    /// The first node that was met a second time in a pass.
    fault: Option<u32>,
}

impl Latency {
    /// Builds the list.
    pub fn new(config: &LatencyConfig) -> Self {
        let next = one_cycle((config.bytes / NODE_BYTES) as u32, config.seed);
        let nodes = next.into_iter().map(|next| Node { next, visited: 0 }).collect();
        Self {
            nodes: Layout::new().spread(nodes, NODE_BYTES),
            here: 0,
            source: Source::NONE,
            visits: 0,
            pass: 1,
            fault: None,
        }
    }
}

impl Kernel for Latency {
    const NAME: &'static str = "latency";

    fn areas(&self) -> Vec<Area> {
        vec![self.nodes.area("list")]
    }

    fn step(&mut self, recorder: &mut Recorder<'_>) -> bool {
        let here = self.here;
        let (node, source) = self.nodes.get(here as usize, self.source, recorder);
        recorder.work(FOLLOW);
        if node.visited == self.pass {
            self.fault.get_or_insert(here);
        }
        self.nodes.data[here as usize].visited = self.pass;
        (self.here, self.source) = (node.next, source);
        self.visits += 1;
        let last = self.visits == self.nodes.data.len();
        if last {
            self.visits = 0;
            self.pass = self.pass.wrapping_add(1);
        }
        last
    }

    fn verify(&self) -> Result<(), String> {
        if let Some(node) = self.fault {
            return Err(format!("node {node} was met twice in one pass over the list"));
        }
        let visited = self.nodes.data.iter().filter(|node| node.visited == self.pass).count();
        if visited != self.visits {
            return Err(format!(
                "{visited} nodes carry the mark of pass {}, not {}",
                self.pass, self.visits
            ));
        }
        if self.visits == 0 && self.here != 0 {
            return Err(format!("the pass ended at node {}, not where it began", self.here));
        }
        Ok(())
    }
}

/// A uniformly random permutation of `0..count` that is one single cycle (Sattolo 1986): following it from anywhere
/// visits every element before it returns.
fn one_cycle(count: u32, seed: u64) -> Vec<u32> {
    let mut next: Vec<u32> = (0..count).collect();
    let mut random = Pcg64::seed_from_u64(seed);
    for last in (1..next.len()).rev() {
        // 32-bit draws: the same numbers whatever the width of a pointer.
        let other = random.random_range(0..last as u32) as usize;
        next.swap(last, other);
    }
    next
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::Passes;
    use crate::testing::{addresses, run};

    #[test]
    fn every_load_waits_for_the_one_before_it() {
        let run = run(Looped::new(
            Latency::new(&LatencyConfig { bytes: 6400, seed: 1 }),
            Passes::new(1, 2),
        ));
        assert_eq!(run.marks(), (1, 2, 1));
        let ops = run.ops();
        assert_eq!(ops.len(), 300);
        assert_eq!(ops[0].dep, 0);
        assert!(ops[1..].iter().all(|op| op.dep == 1 && !op.write && op.size == 8));
    }

    #[test]
    fn every_pass_visits_every_node_in_the_same_order() {
        let run = run(Looped::new(
            Latency::new(&LatencyConfig {
                bytes: 64 * 1000,
                seed: 7,
            }),
            Passes::new(0, 3),
        ));
        let order = addresses(&run);
        assert!(order[..1000] == order[1000..2000] && order[..1000] == order[2000..]);
        let mut nodes: Vec<u64> = order[..1000]
            .iter()
            .map(|address| (address - 0x1000_0000) / 64)
            .collect();
        let neighbours = nodes.windows(2).filter(|pair| pair[0].abs_diff(pair[1]) < 10).count();
        assert!(neighbours < 60, "{neighbours} of 1000 steps stay near: not shuffled");
        nodes.sort_unstable();
        assert!(nodes.into_iter().eq(0..1000));
    }

    #[test]
    fn seeds_differ_and_repeat() {
        assert_eq!(one_cycle(100, 3), one_cycle(100, 3));
        assert_ne!(one_cycle(100, 3), one_cycle(100, 4));
        assert_eq!(one_cycle(1, 3), [0]);
    }

    #[test]
    fn a_shorter_cycle_is_found() {
        let mut kernel = Latency::new(&LatencyConfig { bytes: 640, seed: 1 });
        kernel.nodes.data[3].next = 3;
        let (mut execution, mut batch) = (crate::recorder::ExecutionState::default(), crate::Batch::new());
        let mut recorder = execution.record(&mut batch);
        while !kernel.step(&mut recorder) {}
        assert!(kernel.verify().unwrap_err().contains("node 3 was met twice"));
    }
}
