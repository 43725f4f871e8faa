// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks a given map by timing: pairs that it says share a bank, and pairs that it says do not.

use crate::classes::{self, Classes};
use crate::detect::timer_works;
use crate::evidence::{Evidence, Stage};
use crate::governor::{Cost, Governor};
use crate::probe::Probe;
use crate::timer::Timer;
use crate::verify::{self, Banks, Outcome};
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt;

/// What became of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING-KEBAB-CASE")]
pub enum Judgement {
    /// It predicted what was measured.
    Confirmed,
    /// It did not.
    Wrong,
    /// It did once, and not again.
    Unstable,
    /// Nothing is surely a row conflict here, or the claim says nothing of this memory: no judgement.
    NoSignal,
}

impl Judgement {
    /// The exit status of the command.
    pub fn status(self) -> u8 {
        match self {
            Self::Confirmed => 0,
            Self::Wrong => 1,
            Self::NoSignal => 11,
            Self::Unstable => 12,
        }
    }
}

impl fmt::Display for Judgement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Confirmed => "CONFIRMED",
            Self::Wrong => "WRONG",
            Self::Unstable => "UNSTABLE",
            Self::NoSignal => "NO-SIGNAL",
        })
    }
}

/// A memory whose row conflicts are known, so that claims can be judged.
pub struct Judge<'t> {
    probe: Probe<'t>,
    classes: Option<Classes>,
    /// What was found so far.
    pub evidence: Evidence,
}

impl<'t> Judge<'t> {
    /// Looks for row conflicts, no longer than `seconds`.
    pub fn new(timer: &'t mut dyn Timer, seed: u64, seconds: f64) -> Self {
        let mut governor = Governor::new(timer);
        governor.limit(seconds);
        governor.begins(Stage::Timer);
        let mut probe = Probe::new(governor, seed);
        let mut evidence = Evidence::default();
        let works = timer_works(&mut probe, &mut evidence);
        probe.governor.begins(Stage::Conflict);
        let classes = works.then(|| classes::find(&mut probe, &mut evidence)).flatten();
        Self {
            probe,
            classes,
            evidence,
        }
    }

    /// Judges a claim by pairs on pages that were not looked at before: all pairs for a `share` of 1. `wait` is the time
    /// in nanoseconds after which half as many are asked again; `None` for not at all.
    pub fn judge(&mut self, claim: &dyn Banks, share: f64, wait: Option<f64>) -> (Judgement, Vec<Outcome>) {
        let Some(classes) = &self.classes else {
            return (Judgement::NoSignal, Vec::new());
        };
        let used: BTreeSet<u64> = verify::pages(classes.screens.iter().map(|screen| screen.base));
        let mut outcomes = Vec::new();
        let looks = [
            (Stage::Prediction, share, Some(0.0)),
            (Stage::Stability, share / 2.0, wait),
        ];
        for (stage, share, wait) in looks {
            let Some(wait) = wait else { continue };
            self.probe.governor.begins(stage);
            self.probe.governor.wait(wait);
            let Some(pairs) = verify::choose(&mut self.probe, claim, &used, share) else {
                self.evidence.at_least(stage, "pairs to predict", 0.0, 0, 1.0);
                return (Judgement::NoSignal, outcomes);
            };
            let outcome = verify::measure(&mut self.probe, &pairs, classes.threshold);
            let enough = outcome.note(stage, &mut self.evidence);
            outcomes.push(outcome);
            if !enough {
                let first = stage == Stage::Prediction;
                return (if first { Judgement::Wrong } else { Judgement::Unstable }, outcomes);
            }
        }
        (Judgement::Confirmed, outcomes)
    }

    /// What it cost.
    pub fn cost(&self) -> Cost {
        self.probe.governor.cost()
    }
}
