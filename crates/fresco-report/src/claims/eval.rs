// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values of formulas.

use super::expr::{Expr, Fold, Node, Operator};
use super::results::{Labels, Results};

/// Where a formula looks its values up.
#[derive(Clone, Copy)]
pub(super) struct Context<'r> {
    pub(super) results: &'r Results,
    /// Experiment of selectors that name none.
    pub(super) experiment: &'r str,
    /// Labels of selectors that do not give them.
    pub(super) at: &'r Labels,
}

impl Context<'_> {
    /// The value of `expr`, or why it has none.
    pub(super) fn value(&self, expr: &Expr) -> Result<f64, String> {
        let value = self.node(&expr.node)?;
        if value.is_finite() {
            Ok(value)
        } else {
            Err(format!("{} is {value}", expr.text))
        }
    }

    fn node(&self, node: &Node) -> Result<f64, String> {
        match node {
            Node::Number(value) => Ok(*value),
            Node::Select { metric, labels } => self.select(metric, labels),
            Node::Binary(left, operator, right) => {
                let (left, right) = (self.node(left)?, self.node(right)?);
                Ok(match operator {
                    Operator::Add => left + right,
                    Operator::Subtract => left - right,
                    Operator::Multiply => left * right,
                    Operator::Divide => left / right,
                })
            }
            Node::Over { fold, label, inner } => self.over(*fold, label, inner),
        }
    }

    fn select(&self, metric: &str, labels: &Labels) -> Result<f64, String> {
        let mut all = self.at.clone();
        all.extend(labels.iter().map(|(name, value)| (name.clone(), value.clone())));
        let experiment = all.remove("experiment");
        self.results
            .value(experiment.as_deref().unwrap_or(self.experiment), metric, &all)
    }

    fn over(&self, fold: Fold, label: &str, inner: &Node) -> Result<f64, String> {
        let experiment = inner.experiment(self.experiment);
        let choices = self.results.values_of(experiment, label, self.at)?;
        let mut values = Vec::with_capacity(choices.len());
        for choice in choices {
            let mut at = self.at.clone();
            at.insert(label.to_owned(), choice);
            values.push(Context { at: &at, ..*self }.node(inner)?);
        }
        Ok(match fold {
            Fold::Mean => values.iter().sum::<f64>() / values.len() as f64,
            Fold::Median => {
                values.sort_by(f64::total_cmp);
                let middle = values.len() / 2;
                match values.len() % 2 {
                    0 => f64::midpoint(values[middle - 1], values[middle]),
                    _ => values[middle],
                }
            }
            Fold::Min => values.iter().copied().fold(f64::INFINITY, f64::min),
            Fold::Max => values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::Row;

    #[test]
    fn formulas_read_rows_and_say_what_is_missing() {
        let mut results = Results::new();
        for (n, time) in [(0, 10.0), (3, 40.0)] {
            results.push(
                "e",
                Row::new()
                    .label("policy", "a")
                    .label("corunners", n)
                    .value("t.mean", time),
            );
        }
        results.push("f", Row::new().value("t.mean", 5.0).value("bad", f64::NAN));
        for (size, time) in [(1, 7.0), (2, 9.0)] {
            results.push("g", Row::new().label("size", size).value("t.mean", time));
        }
        for (size, time) in [(1, 90.0), (2, 7.0), (3, 8.0)] {
            results.push("h", Row::new().label("size", size).value("t.mean", time));
        }
        let at = Labels::new();
        let context = Context {
            results: &results,
            experiment: "e",
            at: &at,
        };
        let value = |text: &str| context.value(&Expr::try_from(text.to_owned()).unwrap());
        assert_eq!(value("100 * (1 - t.mean{corunners=0} / t.mean{corunners=3})"), Ok(75.0));
        assert_eq!(value("mean(corunners: t.mean) + t.mean{experiment=f}"), Ok(30.0));
        assert_eq!(value("max(corunners: t.mean) - min(corunners: t.mean)"), Ok(30.0));
        assert_eq!(value("median(corunners: t.mean)"), Ok(25.0));
        assert_eq!(value("median(size: t.mean{experiment=h})"), Ok(8.0));
        // Over the values of another experiment, where all selectors pick it.
        assert_eq!(value("max(size: t.mean{experiment=g} - 1)"), Ok(8.0));
        for (text, why) in [
            ("t.mean{corunners=9}", "no result t.mean{corunners=9} in e"),
            ("t.mean", "2 results t.mean in e, one expected"),
            ("t.mean{experiment=i}", "experiment i was not run"),
            ("bad{experiment=f}", "bad in f is NaN"),
            ("mean(size: t.mean)", "no result with label size in e"),
            (
                "1 / (t.mean{corunners=0} - 10)",
                "1 / (t.mean{corunners=0} - 10) is inf",
            ),
        ] {
            assert_eq!(value(text), Err(why.to_owned()));
        }
    }
}
