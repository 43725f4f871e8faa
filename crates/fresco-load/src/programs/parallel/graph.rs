// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random symmetric sparse structure: who is whose neighbour, in compressed rows.

use crate::team::{Fill, bounds};
use crate::traced::{Layout, Traced};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;

/// A graph without direction. Two vertices may be joined by several edges.
pub(super) struct Graph {
    /// Where each vertex's neighbours begin, and after them where they all end.
    pub starts: Traced<u32>,
    /// Neighbours of vertex 0, then those of vertex 1, and so on.
    pub neighbors: Traced<u32>,
}

impl Graph {
    /// `vertices` (from 2) with `degree` neighbours each on average: an even number. Edges join uniform pairs.
    pub fn new(vertices: usize, degree: usize, seed: u64, layout: &mut Layout) -> Self {
        let mut random = Pcg64::seed_from_u64(seed);
        let other = |vertex: usize, random: &mut Pcg64| (vertex + random.random_range(1..vertices)) % vertices;
        let edges: Vec<(u32, u32)> = (0..vertices * degree / 2)
            .map(|i| (i % vertices, other(i % vertices, &mut random)))
            .map(|(from, to)| (from as u32, to as u32))
            .collect();
        let mut starts = vec![0; vertices + 1];
        for (from, to) in &edges {
            starts[*from as usize + 1] += 1;
            starts[*to as usize + 1] += 1;
        }
        (1..starts.len()).for_each(|vertex| starts[vertex] += starts[vertex - 1]);
        let (mut next, mut neighbors) = (starts.clone(), vec![0; 2 * edges.len()]);
        for (from, to) in edges {
            for (vertex, neighbor) in [(from, to), (to, from)] {
                let place = &mut next[vertex as usize];
                neighbors[*place as usize] = neighbor;
                *place += 1;
            }
        }
        Self {
            starts: layout.array(starts),
            neighbors: layout.array(neighbors),
        }
    }

    /// Vertices.
    pub fn vertices(&self) -> usize {
        self.starts.data.len() - 1
    }

    /// Places of a vertex's neighbours.
    pub fn places(&self, vertex: usize) -> std::ops::Range<usize> {
        self.starts.data[vertex] as usize..self.starts.data[vertex + 1] as usize
    }

    /// The bounds of the threads' parts of the neighbours, whose vertices are dealt out evenly.
    pub fn bounds(&self, threads: usize) -> Vec<usize> {
        let vertices = bounds(self.vertices(), threads);
        vertices
            .into_iter()
            .map(|vertex| self.starts.data[vertex] as usize)
            .collect()
    }

    /// Initialisation of both arrays; the last thread also stores the end.
    pub fn fills(&self, threads: usize) -> [Fill; 2] {
        let mut starts = bounds(self.vertices(), threads);
        if let Some(end) = starts.last_mut() {
            *end += 1;
        }
        [
            self.starts.fill(&starts, 1),
            self.neighbors.fill(&self.bounds(threads), 1),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_lead_both_ways_and_nowhere_else() {
        let graph = Graph::new(50, 6, 3, &mut Layout::new());
        assert_eq!(graph.neighbors.data.len(), 300);
        let edges = |from: usize, to: usize| {
            let neighbors = &graph.neighbors.data[graph.places(from)];
            neighbors.iter().filter(|&&neighbor| neighbor as usize == to).count()
        };
        for (a, b) in (0..50).flat_map(|a| (0..=a).map(move |b| (a, b))) {
            assert_eq!(edges(a, b), edges(b, a));
            assert!(a != b || edges(a, b) == 0);
        }
    }
}
