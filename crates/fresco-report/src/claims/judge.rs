// SPDX-License-Identifier: MIT OR Apache-2.0
//! From a claim's tests and the results to its verdict.

use super::check::{Check, Test};
use super::eval::Context;
use super::expr::Expr;
use super::model::Claim;
use super::names::names;
use super::results::{Labels, Results};
use super::rules::{SAME, factor_band, is_no_chance, percentage_band, spread};
use super::verdict::{Outcome, Part, Verdict};
use crate::number::compact;

/// Judges `claim` by `results`. Never fails: what is missing makes it "cannot be run", with the reason.
pub fn judge(claim: &Claim, results: &Results) -> Verdict {
    judge_by_seeds(claim, results, &[])
}

/// Judges `claim` by the results of all seeds `together`. Orders and bounds hold only if what they are about differs so much, by each seed
/// `alone`, that it is no chance. Seeds that cannot tell do not count.
pub fn judge_by_seeds(claim: &Claim, together: &Results, alone: &[Results]) -> Verdict {
    let parts = claim
        .check
        .iter()
        .flat_map(|check| parts(claim, check, together, alone));
    Verdict::of(claim, parts.collect())
}

impl Claim {
    /// The claim as recorded programs judge it, which `recordings` names: by the tests for these if there are some.
    #[must_use]
    pub fn with_recordings(&self, recordings: &str) -> Self {
        let check = match self.recorded.is_empty() {
            true => self.check.clone(),
            false => self.recorded.clone(),
        };
        Self {
            check,
            stand_in: Some(format!("recordings: {recordings}")),
            // What is known of the models' differences.
            if_differs: None,
            ..self.clone()
        }
    }
}

/// The parts of one test: one, or one for each value of its `each` label.
fn parts(claim: &Claim, check: &Check, together: &Results, alone: &[Results]) -> Vec<Part> {
    let one = |at: &Labels, prefix: &str| part(claim, &check.test, (together, alone), at, prefix);
    let Some(each) = &check.each else {
        return vec![one(&check.at, "")];
    };
    let choices = match together.values_of(&claim.experiment, each, &check.at) {
        Ok(choices) => choices,
        Err(why) => return vec![missing(claim, &check.test, why)],
    };
    let of_choice = |choice: &String| {
        let mut at = check.at.clone();
        at.insert(each.clone(), choice.clone());
        one(&at, &format!("{choice}: "))
    };
    choices.iter().map(of_choice).collect()
}

fn part(claim: &Claim, test: &Test, (together, alone): (&Results, &[Results]), at: &Labels, prefix: &str) -> Part {
    let context = |results| Context {
        results,
        experiment: &claim.experiment,
        at,
    };
    let mut part = match measured(test, context(together)) {
        Ok(part) => part,
        Err(why) => return missing(claim, test, why),
    };
    part.ours = format!("{prefix}{}", part.ours);
    let by_seed: Vec<Vec<f64>> = alone
        .iter()
        .filter_map(|results| differences(test, context(results)))
        .collect();
    let of_place = |place: usize| by_seed.iter().map(|seed| seed[place]).collect::<Vec<f64>>();
    let places = by_seed.first().map_or(0, Vec::len);
    if part.outcome == Outcome::Holds && by_seed.len() > 1 && !(0..places).all(|place| is_no_chance(&of_place(place))) {
        part.outcome = Outcome::Differs;
        part.why = format!("may be chance by {} seeds", by_seed.len());
    }
    part
}

/// What must be larger than 0 for a test of an order or of bounds to hold. `None` if it is of another kind, or a value is missing.
fn differences(test: &Test, context: Context<'_>) -> Option<Vec<f64>> {
    match test {
        Test::Order(list) => {
            let values: Result<Vec<f64>, String> = list.iter().map(|expr| context.value(expr)).collect();
            Some(values.ok()?.windows(2).map(|pair| beyond(pair[0], pair[1])).collect())
        }
        Test::Bound { of, above, below } => {
            let ours = context.value(of).ok()?;
            let above = above.map(|bound| ours - bound);
            let below = below.map(|bound| bound - ours);
            Some(above.into_iter().chain(below).collect())
        }
        _ => None,
    }
}

/// How far `high` is above `low`: what counts of an order is how many times larger a value is, which is why the logarithms differ evenly from
/// seed to seed, where there are such.
fn beyond(low: f64, high: f64) -> f64 {
    match low > 0.0 && high > 0.0 {
        true => (high / low).ln(),
        false => high - low,
    }
}

fn is_within(value: f64, above: Option<f64>, below: Option<f64>) -> bool {
    above.is_none_or(|bound| value > bound) && below.is_none_or(|bound| value < bound)
}

fn missing(claim: &Claim, test: &Test, why: String) -> Part {
    let paper_value = match test {
        Test::Near { paper, .. } | Test::Value { paper, .. } | Test::Exact { paper, .. } => Some(*paper),
        _ => None,
    };
    let paper = if matches!(test, Test::Cannot { .. }) {
        numbers(claim)
    } else {
        in_words(test)
    };
    let ours = String::new();
    Part {
        paper,
        ours,
        paper_value,
        our_value: None,
        outcome: Outcome::CannotBeRun,
        why,
    }
}

/// The first few of the paper's numbers.
fn numbers(claim: &Claim) -> String {
    const SHOWN: usize = 4;
    let mut shown: Vec<String> = Vec::new();
    for number in claim.numbers.iter().take(SHOWN) {
        shown.push(format!("{} {}", number.of, with_unit(number.value, &number.unit)));
    }
    if claim.numbers.len() > SHOWN {
        shown.push(format!("and {} more", claim.numbers.len() - SHOWN));
    }
    shown.join(", ")
}

/// What the test asks for, in words.
fn in_words(test: &Test) -> String {
    match test {
        Test::Order(list) => names(list).join(" < "),
        Test::Equal(list) => names(list).join(" = "),
        Test::Apart(list) => names(list).join(" != "),
        Test::Near { paper, unit, .. } => with_unit(*paper, unit),
        Test::Value {
            paper,
            unit,
            paper_baseline,
            ..
        } => {
            format!(
                "{} ({})",
                with_unit(*paper, unit),
                with_unit(paper / paper_baseline, "x")
            )
        }
        Test::Bound { above, below, .. } => {
            let above = above.map(|bound| format!("> {}", compact(bound)));
            let below = below.map(|bound| format!("< {}", compact(bound)));
            above.into_iter().chain(below).collect::<Vec<_>>().join(" and ")
        }
        Test::Exact { paper, .. } => compact(*paper),
        Test::Cannot { .. } => String::new(),
    }
}

/// The test measured; an error says what is missing.
fn measured(test: &Test, context: Context<'_>) -> Result<Part, String> {
    let all = |list: &[Expr]| {
        list.iter()
            .map(|expr| context.value(expr))
            .collect::<Result<Vec<f64>, String>>()
    };
    let paper = in_words(test);
    let answer = |holds: bool, ours: String, why: String| Part {
        paper,
        ours,
        paper_value: None,
        our_value: None,
        outcome: if holds { Outcome::Holds } else { Outcome::Differs },
        why,
    };
    Ok(match test {
        Test::Order(list) => {
            let values = all(list)?;
            let in_order = |pair: &[f64]| pair[0] < pair[1];
            let apart = values.windows(2).filter(|pair| in_order(pair)).map(spread);
            let closest = apart.fold(f64::INFINITY, f64::min);
            let holds = values.is_sorted_by(|a, b| a < b) && closest > SAME;
            let why = if closest <= SAME {
                same_up_to(closest)
            } else {
                String::new()
            };
            answer(holds, related(&values), why)
        }
        Test::Equal(list) | Test::Apart(list) => {
            let values = all(list)?;
            let apart = spread(&values);
            let holds = (apart <= SAME) == matches!(test, Test::Equal(_));
            answer(holds, related(&values), same_up_to(apart))
        }
        Test::Near { of, paper, unit } => {
            let ours = context.value(of)?;
            let (low, high) = if unit == "%" {
                percentage_band(*paper)
            } else {
                factor_band(*paper)
            };
            let part = answer(
                low <= ours && ours <= high,
                with_unit(ours, unit),
                accepted(low, high, unit),
            );
            Part {
                paper_value: Some(*paper),
                our_value: Some(ours),
                ..part
            }
        }
        Test::Value {
            of,
            paper,
            unit,
            baseline,
            paper_baseline,
        } => {
            let (ours, base) = (context.value(of)?, context.value(baseline)?);
            let (ratio, paper_ratio) = (ours / base, paper / paper_baseline);
            if !ratio.is_finite() {
                return Err(format!("the baseline {} is {base}", baseline.text));
            }
            let (low, high) = factor_band(paper_ratio);
            let ours_text = format!("{} ({})", with_unit(ours, unit), with_unit(ratio, "x"));
            let part = answer(low <= ratio && ratio <= high, ours_text, accepted(low, high, "x"));
            Part {
                paper_value: Some(*paper),
                our_value: Some(ours),
                ..part
            }
        }
        Test::Bound { of, above, below } => {
            let ours = context.value(of)?;
            Part {
                our_value: Some(ours),
                ..answer(is_within(ours, *above, *below), compact(ours), String::new())
            }
        }
        Test::Exact { of, paper } => {
            let ours = context.value(of)?;
            let part = answer(ours == *paper, compact(ours), String::new());
            Part {
                paper_value: Some(*paper),
                our_value: Some(ours),
                ..part
            }
        }
        Test::Cannot { why } => return Err(why.clone()),
    })
}

fn same_up_to(apart: f64) -> String {
    format!(
        "{} % apart, same up to {} %",
        compact(100.0 * apart),
        compact(100.0 * SAME)
    )
}

fn accepted(low: f64, high: f64, unit: &str) -> String {
    format!("accepted {} to {}", compact(low), with_unit(high, unit))
}

fn with_unit(value: f64, unit: &str) -> String {
    if unit.is_empty() {
        compact(value)
    } else {
        format!("{} {unit}", compact(value))
    }
}

/// Values with the relation each has to the next.
fn related(values: &[f64]) -> String {
    let mut out = String::new();
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            let before = values[index - 1];
            out.push_str(if before < *value {
                " < "
            } else if before > *value {
                " > "
            } else {
                " = "
            });
        }
        out.push_str(&compact(*value));
    }
    out
}
