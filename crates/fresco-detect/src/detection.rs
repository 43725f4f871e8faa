// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a detection found out.

use crate::benefit::Benefit;
use crate::evidence::Evidence;
use crate::governor::Cost;
use crate::method::Method;
use crate::names::Names;
use crate::queues::Queues;
use crate::refresh::RefreshTimes;
use crate::shape::Shape;
use crate::solve::Solution;
use crate::stats::Proportion;
use crate::verdict::Verdict;
use crate::verify::Outcome;

/// What to ask beyond the map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Seed of all random choices.
    pub seed: u64,
    /// Where functions come from.
    pub method: Method,
    /// Refresh times, queues, benefit and names, too.
    pub all: bool,
    /// Seconds of the timer's time after which no more lines are looked for; stages that need more of them fail.
    pub seconds: f64,
}

/// Everything a detection found out.
#[derive(Clone, Debug)]
pub struct Detection {
    /// The ending.
    pub verdict: Verdict,
    /// The stage that failed, and how, where one did.
    pub evidence: Evidence,
    /// Contrasts, for figures; `None` if no conflict was found.
    pub contrasts: Option<Contrasts>,
    /// What the functions stage found, whether it was enough or not.
    pub solution: Option<Solution>,
    /// How predictions came true, at once and later.
    pub predictions: Vec<Outcome>,
    /// Share of lines that conflict with a line.
    pub conflicts: Option<Proportion>,
    /// Rows and columns.
    pub shape: Option<Shape>,
    /// Why there are none, where that is known.
    pub no_shape: Option<String>,
    /// Period and phase of the refreshes of one line.
    pub refresh: Option<RefreshTimes>,
    /// Queues of the controller.
    pub queues: Option<Queues>,
    /// What coloring gains.
    pub benefit: Option<Benefit>,
    /// What each function selects, where that was asked.
    pub names: Option<Names>,
    /// Nothing could be timed beside other loads: no queues, no benefit.
    pub alone: bool,
    /// Somebody wanted an end before the last stage: the verdict is that of what was measured until then.
    pub stopped: bool,
    /// What it cost.
    pub cost: Cost,
}

/// Contrasts of three kinds of pairs, in nanoseconds.
#[derive(Clone, Debug)]
pub struct Contrasts {
    /// Random lines.
    pub random: Vec<f64>,
    /// Two lines of a class.
    pub within: Vec<f64>,
    /// A line of a class and one outside.
    pub across: Vec<f64>,
    /// What parts conflicts from the rest.
    pub threshold: f64,
}
