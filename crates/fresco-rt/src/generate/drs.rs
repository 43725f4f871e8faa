// SPDX-License-Identifier: MIT OR Apache-2.0
//! Dirichlet-Rescale: shares that add up to a total, each within bounds of its own (Griffin, Bate and Davis, RTSS 2020).

use rand::Rng;

use super::shares::unit;

/// Rescales of a point before it is drawn anew, and points before giving up.
const MAX_RESCALES: usize = 1_000;
const MAX_POINTS: usize = 1_000;

/// Shares of `total` within `bounds` (least and greatest of each); `None` if no shares add up to it, or none is found.
///
/// A point is drawn from the flat Dirichlet distribution, uniform on the simplex of all shares. The part of the simplex
/// where some shares exceed their bounds is a smaller simplex with its corner at these bounds; a point inside is mapped from
/// there to the whole, which keeps it uniform, until it exceeds nothing. Where the bounds leave less room above
/// the shares than below, what is missing to the bounds is drawn instead, which exceeds them less often.
///
/// The points that exceed exactly some bounds, and no others, fill the smaller simplex only in part, so that where several
/// bounds are tight the distribution is near uniform, not uniform: its authors say so since, of their own program.
pub fn drs(rng: &mut impl Rng, total: f64, bounds: &[(f64, f64)]) -> Option<Vec<f64>> {
    let spans: Vec<f64> = bounds.iter().map(|(low, high)| high - low).collect();
    // Sums of bounds are rounded: what they miss by that is no reason to fail.
    const ROUNDED: f64 = 1e-9;
    let above = total - bounds.iter().map(|(low, _)| low).sum::<f64>();
    let below = spans.iter().sum::<f64>() - above;
    if bounds.is_empty() || spans.iter().any(|&span| span < 0.0) || above < -ROUNDED || below < -ROUNDED {
        return None;
    }
    let inverted = below < above;
    let sum = if inverted { below } else { above }.max(0.0);
    let point = (0..MAX_POINTS).find_map(|_| rescaled(flat(rng, spans.len(), sum), &spans, sum))?;
    let share = |((low, high), x): (&(f64, f64), f64)| (if inverted { high - x } else { low + x }).clamp(*low, *high);
    Some(bounds.iter().zip(point).map(share).collect())
}

/// A point of the simplex of `sum`: the gaps between uniform cuts.
fn flat(rng: &mut impl Rng, count: usize, sum: f64) -> Vec<f64> {
    let mut cuts: Vec<f64> = (1..count).map(|_| unit(rng) * sum).collect();
    cuts.sort_unstable_by(f64::total_cmp);
    let ends = cuts.iter().copied().chain([sum]);
    let mut start = 0.0;
    ends.map(|end| end - std::mem::replace(&mut start, end)).collect()
}

/// The point, mapped from the simplices it exceeds its spans in until it does no more; `None` if it goes on.
fn rescaled(mut point: Vec<f64>, spans: &[f64], sum: f64) -> Option<Vec<f64>> {
    for _ in 0..MAX_RESCALES {
        let exceeded: Vec<usize> = (0..point.len()).filter(|&i| point[i] > spans[i]).collect();
        if exceeded.is_empty() {
            return Some(point);
        }
        let left = sum - exceeded.iter().map(|&i| spans[i]).sum::<f64>();
        if left <= 0.0 {
            return None;
        }
        exceeded.iter().for_each(|&i| point[i] -= spans[i]);
        // What rounding took from the sum over many rescales is given back.
        let scale = sum / point.iter().sum::<f64>();
        point.iter_mut().for_each(|x| *x *= scale);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_pcg::Pcg64;

    fn holds(shares: &[f64], total: f64, bounds: &[(f64, f64)]) {
        assert!((shares.iter().sum::<f64>() - total).abs() < 1e-9, "{shares:?}");
        let within = |(share, bound): (&f64, &(f64, f64))| bound.0 <= *share && *share <= bound.1;
        assert!(shares.iter().zip(bounds).all(within), "{shares:?}");
    }

    #[test]
    fn shares_are_within_their_bounds() {
        let rng = &mut Pcg64::seed_from_u64(2);
        let cases: [(f64, &[(f64, f64)]); 5] = [
            (0.9, &[(0.0, 1.0); 6]),
            (0.9, &[(0.1, 0.2); 6]),
            (1.15, &[(0.1, 0.2); 6]),
            (0.7, &[(0.0, 0.05), (0.0, 0.7), (0.2, 0.3), (0.0, 0.01)]),
            (0.6, &[(0.1, 0.1); 6]),
        ];
        for (total, bounds) in cases {
            for _ in 0..500 {
                holds(&drs(rng, total, bounds).unwrap(), total, bounds);
            }
        }
        assert_eq!(drs(rng, 0.5, &[(0.1, 0.2); 2]), None);
        assert_eq!(drs(rng, 0.1, &[(0.1, 0.2); 2]), None);
        assert_eq!(drs(rng, 0.1, &[]), None);
    }

    /// One bound in three dimensions: the valid part of the triangle, known by discarding points outside.
    #[test]
    fn one_bound_keeps_the_distribution() {
        let rng = &mut Pcg64::seed_from_u64(3);
        let bounds = [(0.0, 0.3), (0.0, 1.0), (0.0, 1.0)];
        const POINTS: usize = 40_000;
        let near = |shares: &[f64]| shares[0] > 0.15 && shares[1] > 0.4;
        let by_rescaling = (0..POINTS).filter(|_| near(&drs(rng, 1.0, &bounds).unwrap())).count() as f64;
        let (mut kept, mut by_discarding) = (0, 0.0);
        while kept < POINTS {
            let point = flat(rng, 3, 1.0);
            if point[0] <= 0.3 {
                kept += 1;
                by_discarding += f64::from(u8::from(near(&point)));
            }
        }
        assert!(
            (by_rescaling - by_discarding).abs() / (POINTS as f64) < 0.01,
            "{by_rescaling} {by_discarding}"
        );
    }
}
