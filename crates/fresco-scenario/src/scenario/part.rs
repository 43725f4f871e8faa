// SPDX-License-Identifier: MIT OR Apache-2.0
//! The part of a scenario whose runs are made, when not all of them are.

use super::{Point, Scenario};
use std::sync::Arc;

/// What is left of a scenario.
enum Rest {
    /// Of an axis, the values that are marked.
    Values(usize, Vec<bool>),
    /// So many repetitions.
    Repetitions(u32),
}

impl Scenario {
    /// The largest scenario of those runs of this one that are `made`: fewer values on one axis, or fewer repetitions.
    /// Also says, for each of its runs, the number among [`Scenario::runs`]. `None` if no run is left.
    pub fn made_part(&self, made: &[bool]) -> Option<(Self, Vec<usize>)> {
        let of_point = |point: usize| {
            let first = point * self.repetitions as usize;
            &made[first..first + self.repetitions as usize]
        };
        let of_axis = |axis: usize| {
            let is_whole = |value: usize| {
                let mut points = self.points.iter().enumerate();
                points.all(|(number, point)| point.values[axis] != value || of_point(number).iter().all(|made| *made))
            };
            Rest::Values(axis, (0..self.axes[axis].values.len()).map(is_whole).collect())
        };
        let repetitions = |point: usize| of_point(point).iter().take_while(|made| **made).count();
        let repetitions = (0..self.points.len()).map(repetitions).min().unwrap_or(0);
        (0..self.axes.len())
            .map(of_axis)
            .chain([Rest::Repetitions(repetitions as u32)])
            .map(|rest| self.reduced(&rest))
            .reduce(|largest, other| {
                if other.1.len() > largest.1.len() {
                    other
                } else {
                    largest
                }
            })
            .filter(|(_, runs)| !runs.is_empty())
    }

    fn reduced(&self, rest: &Rest) -> (Self, Vec<usize>) {
        let is_kept = |point: &Point| match rest {
            Rest::Values(axis, kept) => kept[point.values[*axis]],
            Rest::Repetitions(_) => true,
        };
        let kept: Vec<usize> = (0..self.points.len())
            .filter(|number| is_kept(&self.points[*number]))
            .collect();
        let point = |number: &usize| {
            let old = &self.points[*number];
            let mut values = old.values.clone();
            if let Rest::Values(axis, kept) = rest {
                values[*axis] = kept[..values[*axis]].iter().filter(|kept| **kept).count();
            }
            Arc::new(Point {
                values,
                baseline: old.baseline.and_then(|base| kept.iter().position(|kept| *kept == base)),
                setup: Arc::clone(&old.setup),
            })
        };
        let mut axes = self.axes.clone();
        if let Rest::Values(axis, kept) = rest {
            let mut kept = kept.iter();
            axes[*axis].values.retain(|_| kept.next() == Some(&true));
        }
        let repetitions = match rest {
            Rest::Values(..) => self.repetitions,
            Rest::Repetitions(repetitions) => *repetitions,
        };
        let runs = |number: &usize| {
            let first = number * self.repetitions as usize;
            first..first + repetitions as usize
        };
        let part = Self {
            name: self.name.clone(),
            title: self.title.clone(),
            axes,
            repetitions,
            seed: self.seed,
            points: kept.iter().map(point).collect(),
            timelines: self.timelines,
        };
        (part, kept.iter().flat_map(runs).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// Two values by three, the baseline the first of the three; each run twice.
    fn scenario() -> Scenario {
        let text = r#"
            name = "s"
            machine = "xeon-w3530"
            repetitions = 2
            sweep.check = [false, true]
            sweep.corunners = [0, 1, 2]
            [[task]]
            name = "a"
            program = "latency"
            core = 0
            [[task]]
            name = "b"
            program = "latency"
            cores = "1-2"
            role = "background"
        "#;
        Scenario::parse("s.toml", text, Path::new(""), &[]).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The axes, the repetitions, the runs and the baselines of what is left.
    type Left = (Vec<Vec<String>>, u32, Vec<usize>, Vec<Option<usize>>);

    fn left(made: &[usize]) -> Option<Left> {
        let scenario = scenario();
        let made: Vec<bool> = (0..scenario.runs().len()).map(|run| made.contains(&run)).collect();
        let (part, runs) = scenario.made_part(&made)?;
        assert_eq!(part.runs().len(), runs.len());
        let axes = part.axes.iter().map(|axis| axis.values.clone()).collect();
        let baselines = part.points.iter().map(|point| point.baseline).collect();
        Some((axes, part.repetitions, runs, baselines))
    }

    fn words(words: &str) -> Vec<String> {
        words.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn what_is_left_is_a_whole_scenario() {
        let (both, three) = (words("false true"), words("0 1 2"));
        let all: Vec<usize> = (0..12).collect();
        let whole = left(&all).expect("all is left");
        assert_eq!(
            (&whole.0, whole.1, &whole.2),
            (&vec![both.clone(), three.clone()], 2, &all)
        );
        // The first value of the first axis, and more.
        let (axes, _, runs, baselines) = left(&[0, 1, 2, 3, 4, 5, 6]).expect("some are left");
        assert_eq!(
            (axes, runs),
            (vec![words("false"), three.clone()], vec![0, 1, 2, 3, 4, 5])
        );
        assert_eq!(baselines, [None, Some(0), Some(0)]);
        // Two threads begin at both ends of the first axis.
        let (axes, _, runs, baselines) = left(&[2, 3, 4, 5, 8, 9, 10, 11]).expect("some are left");
        assert_eq!(
            (axes, runs),
            (vec![both.clone(), words("1 2")], vec![2, 3, 4, 5, 8, 9, 10, 11])
        );
        assert_eq!(baselines, [None; 4], "what they are compared with is not there");
        // One repetition of each.
        let (axes, repetitions, runs, _) = left(&[0, 2, 4, 6, 8, 10, 11]).expect("some are left");
        assert_eq!(
            (axes, repetitions, runs),
            (vec![both, three], 1, vec![0, 2, 4, 6, 8, 10])
        );
        for nothing in [&[][..], &[0, 2, 4, 6, 8], &[1, 3, 5, 7, 9, 11]] {
            assert_eq!(left(nothing), None, "{nothing:?}");
        }
    }
}
