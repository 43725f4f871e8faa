// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks the error of a solution against the bound that theory gives.

use super::Cg;

/// The vector that is to be found.
pub(super) fn solution(row: usize) -> f64 {
    ((row * 7919 + 13) % 101) as f64 - 50.0
}

impl Cg {
    /// The largest difference of r from b − A x, by the size of b.
    pub(super) fn drift(&self) -> f64 {
        let largest =
            |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, |most: f64, value| most.max(value.abs()));
        let rows = 0..self.x.data.len();
        let difference = |row: usize| self.b.data[row] - self.matrix.times(row, &self.x.data) - self.r.data[row];
        largest(&mut rows.map(difference)) / largest(&mut self.b.data.iter().copied())
    }

    /// After so many iterations the error in the norm of A is at most 2 · ((√κ − 1) / (√κ + 1))^k of what it was, with κ
    /// the quotient of the largest and the smallest eigenvalue; besides, rounding.
    pub(super) fn check(&self) -> Result<(), String> {
        let known: Vec<f64> = (0..self.x.data.len()).map(solution).collect();
        let error: Vec<f64> = self.x.data.iter().zip(&known).map(|(x, known)| x - known).collect();
        let norm = |v: &[f64]| {
            (0..v.len())
                .map(|row| v[row] * self.matrix.times(row, v))
                .sum::<f64>()
                .sqrt()
        };
        let root = self.matrix.largest().sqrt();
        let shrinks = 2.0 * ((root - 1.0) / (root + 1.0)).powf(self.iterations as f64);
        let (found, allowed) = (norm(&error) / norm(&known), shrinks.max(1e-12));
        if found <= allowed {
            Ok(())
        } else {
            Err(format!("the error is {found:e} of the solution, above {allowed:e}"))
        }
    }
}
