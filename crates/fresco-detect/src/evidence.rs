// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was asked of the machine, what it answered, and what would have been enough.

use serde::Serialize;
use std::fmt;

/// The stages of a detection, in order. Each rests on those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// Checks that the timer can tell the time of a load from its noise.
    Timer,
    /// Checks that some pairs of lines take longer than their lines do.
    Conflict,
    /// Checks that "conflicts with" is the relation "another row of the same bank".
    Classes,
    /// Checks that the same pairs are slow again, at once and half a minute later.
    Repeat,
    /// Checks that functions of the addresses explain the classes.
    Functions,
    /// Checks that the functions predict pairs of lines on pages that were never looked at.
    Prediction,
    /// Checks that they predict such pairs again, half a minute later.
    Stability,
    /// Measures what a program gains if others keep off its banks.
    Benefit,
    /// Finds out which functions select channel, rank, bank group and bank.
    Names,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Timer => "timer",
            Self::Conflict => "conflict",
            Self::Classes => "classes",
            Self::Repeat => "repeat",
            Self::Functions => "functions",
            Self::Prediction => "prediction",
            Self::Stability => "stability",
            Self::Benefit => "benefit",
            Self::Names => "names",
        })
    }
}

/// One measured number against what was asked of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Check {
    /// The stage that asked.
    pub stage: Stage,
    /// What was measured.
    pub what: String,
    /// The number; `None` where none came out.
    pub value: Option<f64>,
    /// Its 95 % confidence interval, where it has one.
    pub interval: Option<(f64, f64)>,
    /// Of how many measurements.
    pub n: u64,
    /// What was asked, in words.
    pub asked: String,
    /// Whether the number sufficed.
    pub passed: bool,
}

/// The checks of a detection, in order.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Evidence {
    /// The checks.
    pub checks: Vec<Check>,
}

impl Evidence {
    /// Notes a number that has to be at least `least`; says whether it is.
    pub fn at_least(&mut self, stage: Stage, what: &str, value: f64, n: u64, least: f64) -> bool {
        // Not a number passes nothing.
        let passed = value >= least;
        self.push(stage, what, value, None, n, format!("at least {least}"), passed)
    }

    /// Notes a check; says whether it passed.
    #[allow(clippy::too_many_arguments)]
    pub fn push(
        &mut self,
        stage: Stage,
        what: &str,
        value: f64,
        interval: Option<(f64, f64)>,
        n: u64,
        asked: String,
        passed: bool,
    ) -> bool {
        self.checks.push(Check {
            stage,
            what: what.to_owned(),
            value: value.is_finite().then_some(value),
            interval,
            n,
            asked,
            passed,
        });
        passed
    }

    /// The first check that failed.
    pub fn failed(&self) -> Option<&Check> {
        self.checks.iter().find(|check| !check.passed)
    }
}
