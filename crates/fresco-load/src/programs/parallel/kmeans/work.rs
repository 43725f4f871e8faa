// SPDX-License-Identifier: MIT OR Apache-2.0
//! The pieces of a round, and the rounds by plain loops.

use super::{KMeans, Registers};
use crate::recorder::{LOOP, Recorder, Source};

/// Subtract, square, add.
const DISTANCE: u32 = 3;

impl KMeans {
    /// The distance of a point from one centre.
    pub(super) fn look(&mut self, thread: usize, point: usize, recorder: &mut Recorder<'_>) {
        let Registers { center, distance, .. } = self.registers[thread];
        let (mut sum, mut last) = (0.0, Source::NONE);
        for dimension in 0..self.dimensions {
            let (x, _) = self
                .points
                .get(point * self.dimensions + dimension, Source::NONE, recorder);
            let (y, source) = self
                .centers
                .get(center * self.dimensions + dimension, Source::NONE, recorder);
            recorder.work(DISTANCE + LOOP);
            (sum, last) = (sum + (x - y) * (x - y), source);
        }
        recorder.work(1 + LOOP);
        let registers = &mut self.registers[thread];
        if sum < distance {
            (registers.nearest, registers.distance) = (center, sum);
        }
        (registers.center, registers.last) = (center + 1, last);
    }

    /// Adds a point to the table, at its nearest centre.
    pub(super) fn add(&mut self, thread: usize, point: usize, recorder: &mut Recorder<'_>) {
        let Registers { nearest, last, .. } = self.registers[thread];
        let table = &mut self.tables[thread];
        let first = nearest * (self.dimensions + 1);
        self.nearest.set(point, nearest as u32, last, recorder);
        for dimension in 0..=self.dimensions {
            // The number of points stands behind the sums.
            let (x, _) = match dimension < self.dimensions {
                true => self
                    .points
                    .get(point * self.dimensions + dimension, Source::NONE, recorder),
                false => (1.0, Source::NONE),
            };
            let (sum, source) = table.get(first + dimension, last, recorder);
            table.set(first + dimension, sum + x, source.and(last), recorder);
            recorder.work(1 + LOOP);
        }
    }

    /// One coordinate of a new centre; a centre without points stays. True at the last coordinate.
    pub(super) fn update(&mut self, center: usize, recorder: &mut Recorder<'_>) -> bool {
        let dimension = self.registers[0].dimension;
        let first = center * (self.dimensions + 1);
        let (mut sum, mut count, mut last) = (0.0, 0.0, Source::NONE);
        for table in &self.tables {
            let (part, _) = table.get(first + dimension, Source::NONE, recorder);
            let (points, source) = table.get(first + self.dimensions, Source::NONE, recorder);
            recorder.work(2 + LOOP);
            (sum, count, last) = (sum + part, count + points, source);
        }
        recorder.work(1 + LOOP);
        if count > 0.0 {
            self.centers
                .set(center * self.dimensions + dimension, sum / count, last, recorder);
        }
        self.registers[0].dimension = (dimension + 1) % self.dimensions;
        self.registers[0].dimension == 0
    }

    /// The centres after so many rounds, by plain loops.
    pub(super) fn reference(&self) -> Vec<f64> {
        let (dimensions, mut centers) = (self.dimensions, self.first_centers());
        for _ in 0..self.updates {
            let (mut sums, mut counts) = (vec![0.0; centers.len()], vec![0.0; self.clusters]);
            for point in self.points.data.chunks_exact(dimensions) {
                let squared = |center: &[f64]| {
                    point
                        .iter()
                        .zip(center)
                        .fold(0.0, |sum, (x, y)| sum + (x - y) * (x - y))
                };
                let distances = centers.chunks_exact(dimensions).map(squared);
                let nearest = distances
                    .enumerate()
                    .reduce(|best, next| if next.1 < best.1 { next } else { best });
                let (nearest, _) = nearest.unwrap_or_default();
                counts[nearest] += 1.0;
                let sums = &mut sums[nearest * dimensions..][..dimensions];
                sums.iter_mut().zip(point).for_each(|(sum, x)| *sum += x);
            }
            let before = centers.clone();
            for (i, center) in centers
                .iter_mut()
                .enumerate()
                .filter(|(i, _)| counts[i / dimensions] > 0.0)
            {
                *center = sums[i] / counts[i / dimensions];
            }
            if centers == before {
                break;
            }
        }
        centers
    }
}
