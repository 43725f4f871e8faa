// SPDX-License-Identifier: MIT OR Apache-2.0
//! Points in groups: k-means (Lloyd, 1982), begun as k-means++ does (Arthur and Vassilvitskii, 2007), with fixed seeds.

use crate::generate::SplitMix64;

/// Dimensions of a point: as many as SimPoint projects to (Sherwood, Perelman, Hamerly, Calder, ASPLOS 2002).
pub const DIMENSIONS: usize = 15;

/// A point.
pub type Point = [f64; DIMENSIONS];

/// Begins that are tried.
const TRIES: u64 = 5;
/// Rounds of each, at most.
const ROUNDS: usize = 100;

/// Number `place` of the generator whose seed is 0.
pub fn mixed(place: u64) -> u64 {
    SplitMix64::at(place).next()
}

/// From 0 to below 1.
pub fn unit(number: u64) -> f64 {
    (number >> 11) as f64 / (1u64 << 53) as f64
}

/// The square of the distance of two points.
pub fn apart(a: &Point, b: &Point) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// Groups of points.
pub struct Groups {
    /// Which group each point is in.
    pub of: Vec<usize>,
    /// Their centers.
    pub centers: Vec<Point>,
}

/// Puts points, each of which counts as much as its weight, into at most `count` groups, so that the squares of their distances from the centers of
/// their groups are small.
pub fn groups(points: &[Point], weights: &[f64], count: usize) -> Groups {
    let tried = (0..TRIES).map(|seed| {
        let found = one(points, weights, count, seed);
        let cost = |at: usize| weights[at] * apart(&points[at], &found.centers[found.of[at]]);
        ((0..points.len()).map(cost).sum::<f64>(), found)
    });
    let best = tried.min_by(|a, b| a.0.total_cmp(&b.0));
    best.map_or(
        Groups {
            of: Vec::new(),
            centers: Vec::new(),
        },
        |(_, groups)| groups,
    )
}

/// The nearest of these centers, and how far it is.
fn nearest(point: &Point, centers: &[Point]) -> (usize, f64) {
    let distances = centers.iter().map(|center| apart(point, center)).enumerate();
    distances.min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, 0.0))
}

fn one(points: &[Point], weights: &[f64], count: usize, seed: u64) -> Groups {
    let mut centers: Vec<Point> = Vec::new();
    let mut random = mixed(seed);
    while centers.len() < count {
        // The farther from those that there are, the likelier; at first by weight alone.
        let chances: Vec<f64> = (points.iter().zip(weights))
            .map(|(point, weight)| {
                weight
                    * if centers.is_empty() {
                        1.0
                    } else {
                        nearest(point, &centers).1
                    }
            })
            .collect();
        let all: f64 = chances.iter().sum();
        if all <= 0.0 {
            break;
        }
        random = mixed(random);
        let mut left = unit(random) * all;
        let found = chances.iter().position(|chance| {
            left -= chance;
            left < 0.0
        });
        centers.push(points[found.unwrap_or(points.len() - 1)]);
    }
    let mut of: Vec<usize> = Vec::new();
    for _ in 0..ROUNDS {
        let now: Vec<usize> = points.iter().map(|point| nearest(point, &centers).0).collect();
        if now == of {
            break;
        }
        of = now;
        let mut sums = vec![([0.0; DIMENSIONS], 0.0); centers.len()];
        for ((point, weight), group) in points.iter().zip(weights).zip(&of) {
            let (sum, all) = &mut sums[*group];
            sum.iter_mut().zip(point).for_each(|(sum, at)| *sum += at * weight);
            *all += weight;
        }
        for (center, (sum, all)) in centers.iter_mut().zip(sums) {
            if all > 0.0 {
                *center = sum.map(|sum| sum / all);
            }
        }
    }
    Groups { of, centers }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(x: f64, y: f64) -> Point {
        let mut point = [0.0; DIMENSIONS];
        (point[0], point[1]) = (x, y);
        point
    }

    #[test]
    fn three_heaps_are_found() {
        let points: Vec<Point> = (0..90)
            .map(|at| {
                let (heap, within) = (at % 3, f64::from(at / 3) * 0.01);
                point(f64::from(heap) * 5.0 + within, f64::from(heap * heap) - within)
            })
            .collect();
        let found = groups(&points, &[1.0; 90], 3);
        for at in 3..90 {
            assert_eq!(found.of[at], found.of[at - 3], "point {at}");
        }
        assert!(found.of[0] != found.of[1] && found.of[1] != found.of[2] && found.of[0] != found.of[2]);
    }

    #[test]
    fn a_heavy_point_draws_its_center_and_there_are_no_more_groups_than_points() {
        let points = [point(0.0, 0.0), point(1.0, 0.0)];
        let found = groups(&points, &[3.0, 1.0], 1);
        assert!((found.centers[0][0] - 0.25).abs() < 1e-12);
        assert_eq!(groups(&[point(1.0, 1.0); 5], &[1.0; 5], 3).centers.len(), 1);
        assert!(groups(&[], &[], 3).of.is_empty());
    }
}
