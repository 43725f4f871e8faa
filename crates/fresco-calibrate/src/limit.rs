// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether measured maxima look like one limit of the traffic of a node.

use crate::Curve;
use crate::knobs::Setting;

pub(crate) const NODE_TRAFFIC: &str = "fabric.node.traffic";
pub(crate) const WRITE_COST: &str = "fabric.node.write_cost";

/// How far each measured maximum may be from the limit, as a part of it.
const NEAR: f64 = 0.04;

/// Traffic that is limited, where a written line counts as much as `write_cost` read ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Limit {
    /// Of reads alone, in 10^9 bytes per second.
    gb_s: f64,
    /// At least 1.
    write_cost: f64,
}

impl Limit {
    /// The limit that the maxima of several shares of reads lie on; `None` of one share, or where one of them is further from it than
    /// [`NEAR`]. Where writes that cost as much as reads explain them, they do: the fewer values, the more do they say of other shares. Of `gb_s` with a part `w` of writes a limit of `c` lets pass `gb_s · (1 + w (cost - 1)) = c`: `1 / gb_s` is a straight
    /// line over `w`, found by least squares.
    pub fn of(curves: &[&Curve]) -> Option<Self> {
        let maxima = || {
            curves
                .iter()
                .map(|curve| (1.0 - f64::from(curve.reads) / 100.0, 1.0 / curve.highest()))
        };
        let count = curves.len() as f64;
        let mean = |sum: f64| sum / count;
        let (writes, times) = (
            mean(maxima().map(|one| one.0).sum()),
            mean(maxima().map(|one| one.1).sum()),
        );
        let variance: f64 = maxima().map(|(w, _)| (w - writes).powi(2)).sum();
        if curves.len() < 2 || variance <= 0.0 {
            return None;
        }
        let slope = maxima().map(|(w, time)| (w - writes) * (time - times)).sum::<f64>() / variance;
        [0.0, slope].into_iter().find_map(|slope| {
            let alone = times - slope * writes;
            let is_near = |(w, time): (f64, f64)| (time / (alone + slope * w) - 1.0).abs() <= NEAR;
            // Writes that cost less than reads are no limit before the controllers.
            let is_limit = slope >= 0.0 && alone > 0.0 && maxima().all(is_near);
            is_limit.then_some(Self {
                gb_s: 1.0 / alone,
                write_cost: 1.0 + slope / alone,
            })
        })
    }

    /// As keys of a machine with so many nodes.
    pub fn settings(&self, nodes: u32) -> Vec<Setting> {
        let rate = Setting::new(NODE_TRAFFIC, format!("\"{:.1} GB/s\"", self.gb_s / f64::from(nodes)));
        let cost = Setting::new(WRITE_COST, (100.0 * self.write_cost).round());
        match self.write_cost < 1.005 {
            true => vec![rate],
            false => vec![rate, cost],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Measured;

    fn curves(maxima: &[(u32, f64)]) -> Vec<Curve> {
        let points = |gb_s| [0.0, gb_s].map(|gb_s| Measured { gb_s, ns: 100.0 }).to_vec();
        maxima
            .iter()
            .map(|&(reads, gb_s)| Curve {
                reads,
                points: points(gb_s),
            })
            .collect()
    }

    fn limit(maxima: &[(u32, f64)]) -> Option<Vec<Setting>> {
        let curves = curves(maxima);
        let all: Vec<&Curve> = curves.iter().collect();
        Limit::of(&all).map(|limit| limit.settings(1))
    }

    #[test]
    fn maxima_on_a_limit_give_it() {
        let rate = |text: &str| Setting::new(NODE_TRAFFIC, format!("\"{text} GB/s\""));
        // By hand: writes that cost 1.5 take of 120 GB/s with half of them 96, with a fifth 109.09.
        let found = limit(&[(100, 120.0), (80, 109.09), (50, 96.0)]).expect("a limit");
        assert_eq!(found, [rate("120.0"), Setting::new(WRITE_COST, 150)]);
        // Maxima that hardly depend on the share: their mean, that of the times of a byte.
        assert_eq!(limit(&[(80, 100.0), (50, 100.0)]), Some(vec![rate("100.0")]));
        assert_eq!(limit(&[(80, 98.0), (50, 102.0)]), Some(vec![rate("100.0")]));
        assert_eq!(limit(&[(80, 103.0), (60, 100.0), (50, 97.0)]), Some(vec![rate("99.9")]));
    }

    #[test]
    fn maxima_that_are_none_give_none() {
        assert_eq!(limit(&[(80, 100.0)]), None);
        assert_eq!(limit(&[(80, 580.0), (60, 820.0), (50, 830.0)]), None);
    }
}
