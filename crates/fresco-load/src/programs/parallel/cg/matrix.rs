// SPDX-License-Identifier: MIT OR Apache-2.0
//! The matrix: symmetric, diagonally dominant, with the structure of a random graph.

use super::super::graph::Graph;
use crate::traced::{Layout, Traced};

/// A matrix in compressed rows, its diagonal apart.
pub(super) struct Matrix {
    /// Which elements beside the diagonal are not zero.
    pub graph: Graph,
    /// Those elements.
    pub values: Traced<f64>,
    pub diagonal: Traced<f64>,
}

impl Matrix {
    /// `rows` rows with about `degree` elements each beside the diagonal. Each diagonal element is 1 more than the others of
    /// its row in sum, so all eigenvalues are at least 1 (Gershgorin).
    pub fn new(rows: usize, degree: usize, seed: u64, layout: &mut Layout) -> Self {
        let graph = Graph::new(rows, degree, seed, layout);
        let neighbors = |row: usize| {
            graph.neighbors.data[graph.places(row)]
                .iter()
                .map(move |&to| (row, to as usize))
        };
        let values: Vec<f64> = (0..rows)
            .flat_map(neighbors)
            .map(|(row, column)| element(row, column))
            .collect();
        let off = |row: usize| values[graph.places(row)].iter().map(|value| value.abs()).sum::<f64>();
        let diagonal = (0..rows).map(|row| 1.0 + off(row)).collect();
        Self {
            values: layout.array(values),
            diagonal: layout.array(diagonal),
            graph,
        }
    }

    /// An upper bound of the eigenvalues (Gershgorin).
    pub fn largest(&self) -> f64 {
        self.diagonal
            .data
            .iter()
            .fold(0.0, |most, &diagonal| most.max(2.0 * diagonal - 1.0))
    }

    /// Row `row` of the matrix times `x`, without an event.
    pub fn times(&self, row: usize, x: &[f64]) -> f64 {
        let places = self.graph.places(row);
        let columns = &self.graph.neighbors.data[places.clone()];
        let terms = self.values.data[places]
            .iter()
            .zip(columns)
            .map(|(value, &column)| value * x[column as usize]);
        self.diagonal.data[row] * x[row] + terms.sum::<f64>()
    }
}

/// From −1 to −1/8, the same both ways.
fn element(row: usize, column: usize) -> f64 {
    let mixed = (row ^ column).wrapping_mul(0x9e37_79b9) >> 7;
    -((mixed % 8 + 1) as f64) / 8.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symmetric_and_dominant() {
        let matrix = Matrix::new(30, 4, 1, &mut Layout::new());
        let unit = |i: usize| -> Vec<f64> { (0..30).map(|j| f64::from(u8::from(i == j))).collect() };
        for i in 0..30 {
            for j in 0..i {
                assert_eq!(matrix.times(i, &unit(j)), matrix.times(j, &unit(i)));
            }
            // Off-diagonal elements are negative: a row sums to 1.
            assert!((matrix.times(i, &[1.0; 30]) - 1.0).abs() < 1e-12);
            assert!(matrix.diagonal.data[i] <= matrix.largest());
        }
    }
}
