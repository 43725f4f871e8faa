// SPDX-License-Identifier: MIT OR Apache-2.0
//! How a claim is checked: a few kinds of test, each a formula or two.

use super::expr::{Expr, labels};
use super::results::Labels;
use serde::Deserialize;

/// One test of a claim; a claim holds if all its tests do.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "RawCheck")]
pub struct Check {
    /// Labels of every selector that does not give them itself.
    pub(super) at: Labels,
    /// Label over all of whose values the test must hold.
    pub(super) each: Option<String>,
    /// The test.
    pub(super) test: Test,
}

/// The kinds of test.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Test {
    /// Each value is strictly below the next.
    Order(Vec<Expr>),
    /// A factor (`x`) or percentage (`%`) lies in the band around the paper's; see `rules`.
    Near { of: Expr, paper: f64, unit: String },
    /// An absolute value, compared as ratio to the experiment's baseline, never absolutely: the hardware it was
    /// measured on is not here.
    Value {
        of: Expr,
        paper: f64,
        unit: String,
        baseline: Expr,
        paper_baseline: f64,
    },
    /// The value is strictly above and/or below a bound.
    Bound {
        of: Expr,
        above: Option<f64>,
        below: Option<f64>,
    },
    /// All values are the same within the tolerance of `rules`.
    Equal(Vec<Expr>),
    /// The two values differ by more than that tolerance.
    Apart(Vec<Expr>),
    /// The value is exactly this one: counts and settings.
    Exact { of: Expr, paper: f64 },
    /// The claim cannot be run here, whatever the results.
    Cannot { why: String },
}

impl Test {
    /// All formulas of the test.
    pub(super) fn formulas(&self) -> Vec<&Expr> {
        match self {
            Test::Order(list) | Test::Equal(list) | Test::Apart(list) => list.iter().collect(),
            Test::Value { of, baseline, .. } => vec![of, baseline],
            Test::Near { of, .. } | Test::Bound { of, .. } | Test::Exact { of, .. } => vec![of],
            Test::Cannot { .. } => Vec::new(),
        }
    }
}

/// A test as the file has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawCheck {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    at: String,
    each: Option<String>,
    ascending: Option<Vec<Expr>>,
    among: Option<Vec<Expr>>,
    of: Option<Expr>,
    paper: Option<f64>,
    unit: Option<String>,
    baseline: Option<Expr>,
    paper_baseline: Option<f64>,
    above: Option<f64>,
    below: Option<f64>,
    why: Option<String>,
}

impl TryFrom<RawCheck> for Check {
    type Error = String;

    fn try_from(raw: RawCheck) -> Result<Self, String> {
        let kind = raw.kind;
        let wrong = format!("check of type \"{kind}\" with fields it does not have, or without those it needs");
        let (at, each) = (labels(&raw.at)?, raw.each);
        // Taking the fields apart here leaves none unread: a field in the wrong place falls through to the last arm.
        let test = match (
            kind.as_str(),
            (raw.ascending, raw.among, raw.of, raw.why),
            (raw.paper, raw.unit, raw.baseline, raw.paper_baseline),
            (raw.above, raw.below),
        ) {
            ("order", (Some(list), None, None, None), (None, None, None, None), (None, None)) => Test::Order(list),
            ("equal", (None, Some(list), None, None), (None, None, None, None), (None, None)) => Test::Equal(list),
            ("apart", (None, Some(list), None, None), (None, None, None, None), (None, None)) => Test::Apart(list),
            ("near", (None, None, Some(of), None), (Some(paper), Some(unit), None, None), (None, None)) => {
                Test::Near { of, paper, unit }
            }
            (
                "value",
                (None, None, Some(of), None),
                (Some(paper), Some(unit), Some(baseline), Some(paper_baseline)),
                (None, None),
            ) => Test::Value {
                of,
                paper,
                unit,
                baseline,
                paper_baseline,
            },
            ("bound", (None, None, Some(of), None), (None, None, None, None), (above, below)) => {
                Test::Bound { of, above, below }
            }
            ("exact", (None, None, Some(of), None), (Some(paper), None, None, None), (None, None)) => {
                Test::Exact { of, paper }
            }
            ("cannot", (None, None, None, Some(why)), (None, None, None, None), (None, None)) => Test::Cannot { why },
            _ => return Err(wrong),
        };
        test.sound()?;
        Ok(Self { at, each, test })
    }
}

impl Test {
    /// Refuses tests that say nothing or cannot be judged.
    fn sound(&self) -> Result<(), String> {
        let fault = match self {
            Test::Order(list) | Test::Equal(list) if list.len() < 2 => "needs two values or more",
            Test::Apart(list) if list.len() != 2 => "needs two values",
            Test::Near { unit, .. } if !matches!(unit.as_str(), "x" | "%") => "\"near\" takes the units x and %",
            Test::Value { unit, .. } if matches!(unit.as_str(), "x" | "%") => "\"value\" takes absolute units",
            Test::Value { paper_baseline, .. } if *paper_baseline == 0.0 => "the baseline is zero",
            Test::Bound {
                above: None,
                below: None,
                ..
            } => "\"bound\" without a bound",
            _ => return Ok(()),
        };
        Err(fault.to_owned())
    }
}
