// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the axes of a sweep mean in a figure: along the horizontal axis, a line each, or a figure each.

use fresco_report::{Cell, Column};
use fresco_system::Axis;
use fresco_system::results::{PointResult, ScenarioResult};

/// A scenario's result with a part given to each of its axes.
pub struct Sweep<'r> {
    /// The result.
    pub result: &'r ScenarioResult,
    /// Axis of numbers, drawn from left to right.
    pub across: Option<usize>,
    /// Axis whose values are compared: a line or a color each.
    pub compared: Option<usize>,
    /// The others: a figure, or a group of bars, for each combination of their values.
    pub others: Vec<usize>,
}

/// An axis of numbers with more values than this is drawn as a line even if it is the only one.
const FEW: usize = 6;

impl<'r> Sweep<'r> {
    /// Gives out the parts.
    pub fn new(result: &'r ScenarioResult) -> Self {
        let axes = &result.axes;
        let is_line = |axis: &Axis| {
            if is_names(&axis.name) {
                return false;
            }
            let numbers = axis.values.len() > 1 && axis.values.iter().all(|value| value.parse::<f64>().is_ok());
            numbers && (axis.name == CORUNNERS || axes.len() > 1 || axis.values.len() > FEW)
        };
        let named = |name: &str| axes.iter().position(|axis| axis.name == name && is_line(axis));
        let across = named(CORUNNERS).or_else(|| axes.iter().rposition(is_line));
        let left = |number: &usize| Some(*number) != across;
        let policy = |number: &usize| axes[*number].name.starts_with("policy");
        let compared = (0..axes.len())
            .filter(left)
            .find(policy)
            .or_else(|| (0..axes.len()).rfind(left));
        let others = (0..axes.len()).filter(|number| left(number) && Some(*number) != compared);
        Self {
            result,
            across,
            compared,
            others: others.collect(),
        }
    }

    /// The first columns of a table of points: one for each axis with several values.
    pub fn columns(&self) -> Vec<Column> {
        self.varied().map(|(_, axis)| Column::text(&axis.name)).collect()
    }

    /// The cells of a point in these columns.
    pub fn cells(&self, point: &PointResult) -> Vec<Cell> {
        let values = self.varied().map(|(number, _)| point.values[number].as_str());
        values.map(Cell::from).collect()
    }

    fn varied(&self) -> impl Iterator<Item = (usize, &'r Axis)> {
        let axes = self.result.axes.iter().enumerate();
        axes.filter(|(_, axis)| axis.values.len() > 1)
    }

    /// Number of values on an axis that may not be there: then one.
    pub fn count(&self, axis: Option<usize>) -> usize {
        axis.map_or(1, |axis| self.result.axes[axis].values.len())
    }

    /// A value of an axis; empty if there is no such axis.
    pub fn value(&self, axis: Option<usize>, number: usize) -> &'r str {
        axis.map_or("", |axis| self.result.axes[axis].values[number].as_str())
    }

    /// All combinations of values of the other axes, each as value numbers; one, empty, if there are none.
    pub fn panels(&self) -> Vec<Vec<usize>> {
        let longer = |panels: Vec<Vec<usize>>, axis: &usize| {
            let count = self.result.axes[*axis].values.len();
            let extend = |panel: &Vec<usize>| {
                (0..count)
                    .map(|value| [&panel[..], &[value]].concat())
                    .collect::<Vec<_>>()
            };
            panels.iter().flat_map(extend).collect()
        };
        self.others.iter().fold(vec![Vec::new()], longer)
    }

    /// The values of a panel in words; empty if there is but one panel.
    pub fn panel_name(&self, panel: &[usize]) -> String {
        let values = std::iter::zip(&self.others, panel).map(|(axis, value)| self.value(Some(*axis), *value));
        values.collect::<Vec<_>>().join(", ")
    }

    /// The point with these values.
    pub fn point(&self, panel: &[usize], compared: usize, across: usize) -> &'r PointResult {
        let value = |axis: usize| match axis {
            axis if Some(axis) == self.across => across,
            axis if Some(axis) == self.compared => compared,
            axis => {
                let number = self.others.iter().position(|other| *other == axis);
                number.map_or(0, |number| panel[number])
            }
        };
        // The last axis runs fastest.
        let axes = self.result.axes.iter().enumerate();
        let number = axes.fold(0, |number, (index, axis)| number * axis.values.len() + value(index));
        &self.result.points[number]
    }

    /// Which value of the horizontal axis is the largest: where interference shows most.
    pub fn most(&self) -> usize {
        self.extreme(|a, b| a > b)
    }

    /// Which is the smallest.
    pub fn least(&self) -> usize {
        self.extreme(|a, b| a < b)
    }

    fn extreme(&self, better: fn(f64, f64) -> bool) -> usize {
        (0..self.count(self.across)).fold(0, |best, number| {
            if better(self.x(number), self.x(best)) {
                number
            } else {
                best
            }
        })
    }

    /// A value of the horizontal axis as a number.
    pub fn x(&self, number: usize) -> f64 {
        self.value(self.across, number).parse().unwrap_or(0.0)
    }

    /// Returns true if another point is compared with this one.
    pub fn is_baseline(&self, point: &PointResult) -> bool {
        let points = &self.result.points;
        points
            .iter()
            .any(|other| other.baseline.is_some_and(|base| std::ptr::eq(&points[base], point)))
    }
}

/// Returns true if the values of this key are names, even if they are numbers. There is nothing between two of them, and no line joins
/// them.
fn is_names(key: &str) -> bool {
    const OF_TASK: [&str; 8] = ["node", "core", "cores", "banks", "banks_each", "llc", "colors", "rows"];
    let of_task = key.strip_prefix("task.").and_then(|rest| rest.split_once('.'));
    key == "seed" || of_task.is_some_and(|(_, key)| OF_TASK.contains(&key))
}

/// Key of the number of background tasks.
pub const CORUNNERS: &str = "corunners";

/// An axis as people read it.
pub fn label(name: &str) -> String {
    match name {
        CORUNNERS => "co-runners".to_owned(),
        name => match name.strip_prefix("task.").and_then(|rest| rest.split_once('.')) {
            Some((task, key)) => format!("{} of {task}", key.trim_start_matches("parameters.")),
            None => name.to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(axes: &[(&str, &[&str])]) -> ScenarioResult {
        let axis = |(name, values): &(&str, &[&str])| Axis {
            name: (*name).to_owned(),
            values: values.iter().map(|value| (*value).to_owned()).collect(),
        };
        ScenarioResult {
            scenario: "test".to_owned(),
            title: String::new(),
            method: None,
            seed: 1,
            repetitions: 1,
            axes: axes.iter().map(axis).collect(),
            points: Vec::new(),
            stopped: None,
        }
    }

    fn parts(axes: &[(&str, &[&str])]) -> (Option<usize>, Option<usize>, Vec<usize>) {
        let result = result(axes);
        let sweep = Sweep::new(&result);
        (sweep.across, sweep.compared, sweep.others.clone())
    }

    #[test]
    fn axes_find_their_parts() {
        let policies: &[&str] = &["samebank", "diffbank"];
        assert_eq!(parts(&[]), (None, None, vec![]));
        assert_eq!(
            parts(&[("policy", policies), (CORUNNERS, &["0", "1"])]),
            (Some(1), Some(0), vec![])
        );
        assert_eq!(parts(&[(CORUNNERS, &["0", "3"])]), (Some(0), None, vec![]));
        // Two programs under two policies: bars, grouped by program.
        assert_eq!(
            parts(&[("program", &["is", "matmult"]), ("policy", policies)]),
            (None, Some(1), vec![0])
        );
        // A few node numbers are names, not a scale.
        assert_eq!(
            parts(&[("task.writer.node", &["0", "1", "2"])]),
            (None, Some(0), vec![])
        );
        let nodes: &[&str] = &["0", "1", "2", "3", "4", "5", "6", "7"];
        assert_eq!(parts(&[("task.writer.node", nodes)]), (None, Some(0), vec![]));
        assert_eq!(
            parts(&[("task.writer.node", nodes), ("policy", policies)]),
            (None, Some(1), vec![0])
        );
        let sizes: &[&str] = &["1", "2", "4", "8"];
        assert_eq!(
            parts(&[("program", &["a", "b"]), ("size", sizes), ("policy", policies)]),
            (Some(1), Some(2), vec![0])
        );
    }

    #[test]
    fn panels_are_all_combinations() {
        let result = result(&[("a", &["x", "y"]), ("b", &["u", "v"]), ("policy", &["p", "q"])]);
        let sweep = Sweep::new(&result);
        assert_eq!(sweep.panels(), [[0, 0], [0, 1], [1, 0], [1, 1]]);
        assert_eq!(sweep.panel_name(&[1, 0]), "y, u");
    }

    #[test]
    fn axes_have_names_for_people() {
        assert_eq!(label("corunners"), "co-runners");
        assert_eq!(label("task.victim.parameters.bytes"), "bytes of victim");
        assert_eq!(label("policy"), "policy");
    }
}
