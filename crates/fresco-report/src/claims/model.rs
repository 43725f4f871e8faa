// SPDX-License-Identifier: MIT OR Apache-2.0
//! Claims, platforms and experiments, as the files in `claims/` have them.

use super::check::Check;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What kind of statement a claim is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// An absolute number.
    Value,
    /// A number relative to a baseline.
    Ratio,
    /// Who is better than whom.
    Ordering,
    /// A bound or a break point.
    Threshold,
    /// No cost, no loss, no miss.
    Zero,
}

/// What part a claim plays in its paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// A measured result.
    Result,
    /// A formula or derived bound.
    Analytic,
    /// A small exact example.
    WorkedExample,
    /// A setting of an experiment.
    Parameter,
    /// A number that the paper takes from another one: told, not judged.
    Cited,
}

impl Role {
    /// As tallies name several claims of it.
    pub fn plural(self) -> &'static str {
        match self {
            Self::Result => "what was measured",
            Self::Analytic => "formulas and bounds",
            Self::WorkedExample => "worked examples",
            Self::Parameter => "parameters",
            Self::Cited => "numbers of other papers",
        }
    }
}

/// What shows that a claim is false, not only that it came out otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Proof {
    /// A case that the claim speaks of and in which it fails.
    Counterexample,
    /// The claim's own terms, calculated.
    Arithmetic,
}

impl Proof {
    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Self::Counterexample => "a counterexample",
            Self::Arithmetic => "arithmetic",
        }
    }
}

/// What a reader wants to know of all papers together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Question {
    /// What memory of one's own banks, controllers and cache sets is worth.
    Coloring,
    /// What it is worth to schedule tasks and refresh together.
    Refresh,
    /// What a reserved bandwidth is worth.
    Bandwidth,
}

impl Question {
    /// All, in the order in which they are answered.
    pub const ALL: [Self; 3] = [Self::Coloring, Self::Refresh, Self::Bandwidth];

    /// As a heading.
    pub fn text(self) -> &'static str {
        match self {
            Self::Coloring => "What is coloring memory worth?",
            Self::Refresh => "What is it worth to schedule tasks and refresh together?",
            Self::Bandwidth => "What is reserving bandwidth worth?",
        }
    }
}

/// A number the paper gives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Number {
    /// Of what.
    pub of: String,
    /// The number.
    pub value: f64,
    /// Its unit; `x` for factors, empty for counts.
    pub unit: String,
}

/// One result stated in a paper, in words of our own, and how it is checked.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Stable name.
    pub id: String,
    /// Section, table or figure.
    #[serde(rename = "where")]
    pub place: String,
    /// Key of the platform it was measured on.
    pub platform: String,
    /// What ran.
    pub workload: String,
    /// What was measured.
    pub metric: String,
    /// Kind of statement.
    pub kind: Kind,
    /// Part it plays.
    pub role: Role,
    /// Experiment of ours that produces the results it is checked against.
    pub experiment: String,
    /// The statement, as a test can check it.
    pub says: String,
    /// The paper's numbers.
    #[serde(default)]
    pub numbers: Vec<Number>,
    /// It says that policies do the same, or that one does no harm: true where policies do nothing.
    #[serde(default)]
    pub no_effect: bool,
    /// The question that it answers, if the paper gives it as an answer in its abstract or its conclusion.
    pub answers: Option<Question>,
    /// What our workload has in place of a program that cannot be shipped.
    pub stand_in: Option<String>,
    /// Ambiguities and contradictions in the paper.
    pub note: Option<String>,
    /// The best explanation known, shown if the claim does not hold here.
    pub if_differs: Option<String>,
    /// What shows that it is false, if it does not hold: of formulas, examples and parameters alone.
    pub refuted_by: Option<Proof>,
    /// The tests; all must hold.
    pub check: Vec<Check>,
    /// The tests where programs were recorded, in place of `check`: what statistical models cannot show.
    #[serde(default)]
    pub recorded: Vec<Check>,
}

/// Something that an experiment presumes, and the paper does not say: claims are judged with and without it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// What is presumed, after "with": "eight colors a task".
    pub given: String,
    /// Keys of the experiment's scenario without it, as `--set` takes them.
    pub without: Vec<String>,
}

/// What a paper measured on: facts by name.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Platform {
    /// Key that claims refer to.
    pub key: String,
    /// Machine file of ours that models it, if one does.
    pub machine: Option<String>,
    /// Facts as the paper gives them: text, numbers, flags.
    #[serde(flatten)]
    pub facts: BTreeMap<String, toml::Value>,
}

/// One file of claims.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ClaimFile {
    pub(super) schema: String,
    pub(super) system: String,
    pub(super) source: String,
    #[serde(default)]
    pub(super) platform: Vec<Platform>,
    pub(super) claim: Vec<Claim>,
}

/// An experiment of ours and the rows it yields.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// Name.
    pub name: String,
    /// What it does.
    pub what: String,
    /// Labels of its rows with the values they take; an empty list means any value.
    pub labels: BTreeMap<String, Vec<String>>,
    /// Names of its values.
    pub values: Vec<String>,
    /// What its rows compare; `None` if they are of one policy or of none.
    pub policies: Option<Policies>,
    /// What it presumes.
    #[serde(default)]
    pub condition: Vec<Condition>,
}

/// What the rows of an experiment compare.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policies {
    /// The label that tells the policy of a row.
    pub label: String,
    /// Its values, from the policy that does the least to the one that is to be the best. Others are no policies: a program alone.
    pub values: Vec<String>,
    /// Values that tell the difference to the first policy, as they are where there is none: gains, 0.
    #[serde(default)]
    pub neutral: BTreeMap<String, f64>,
}

/// The file of experiments.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExperimentFile {
    pub(super) schema: String,
    pub(super) experiment: Vec<Experiment>,
}
