// SPDX-License-Identifier: MIT OR Apache-2.0
//! What came of each claim.

use super::model::{Claim, Question, Role};
use crate::{Cell, Column, ReportError, Table, Tone};
use serde::Serialize;
use std::collections::BTreeMap;

/// Whether something claimed came out of our results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It did.
    Holds,
    /// The results do not reach far enough to tell.
    CannotBeRun,
    /// It hangs on how far the results are off, or on some that are left out, which longer runs would tell.
    Open,
    /// It did not.
    Differs,
    /// It cannot be so: there is a counterexample, or arithmetic is against it.
    Refuted,
}

impl Outcome {
    /// As tables show it.
    pub fn text(self) -> &'static str {
        match self {
            Outcome::Holds => "holds",
            Outcome::CannotBeRun => "cannot be run",
            Outcome::Open => "open",
            Outcome::Differs => "differs",
            Outcome::Refuted => "refuted",
        }
    }

    /// As pages color it.
    pub fn tone(self) -> Tone {
        match self {
            Outcome::Holds => Tone::Good,
            Outcome::CannotBeRun | Outcome::Open => Tone::Faint,
            Outcome::Differs | Outcome::Refuted => Tone::Bad,
        }
    }
}

/// One test of a claim.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Part {
    /// What the paper says, as number, order or bound.
    pub paper: String,
    /// What we found; empty if nothing.
    pub ours: String,
    /// The paper's value, if the test is about one number.
    pub paper_value: Option<f64>,
    /// Our value, in the same unit.
    pub our_value: Option<f64>,
    /// What came of it.
    pub outcome: Outcome,
    /// The accepted band, or what is missing.
    pub why: String,
}

/// What came of a claim without something that our experiment presumes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Without {
    /// What is presumed otherwise.
    pub given: String,
    /// Keys of the scenario without it.
    pub set: Vec<String>,
    /// What came of the claim then.
    pub outcome: Outcome,
    /// What we found then, all tests in one line.
    pub ours: String,
}

/// How many of several seeds, each by itself, give a claim the same verdict as all of them together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Seeds {
    /// How many there are.
    pub of: usize,
    /// Those with the same verdict.
    pub same: usize,
}

/// A claim judged.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// Id of the claim.
    pub id: String,
    /// Section, table or figure.
    #[serde(rename = "where")]
    pub place: String,
    /// The statement.
    pub says: String,
    /// Part that it plays in its paper.
    pub role: Role,
    /// The question that it answers in the abstract or the conclusion of its paper.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers: Option<Question>,
    /// Ambiguities and contradictions in the paper, whatever came of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Our experiment.
    pub experiment: String,
    /// What came of the whole: differs if a part differs, or is refuted if that proves the claim false, else cannot be run if a part cannot,
    /// else holds.
    pub outcome: Outcome,
    /// Why, in words: reason, stand-in, best explanation of a difference.
    pub explanation: String,
    /// The tests.
    pub parts: Vec<Part>,
    /// What came of it by each seed alone; absent if each run is made once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seeds: Option<Seeds>,
    /// What came of it without what the experiment presumes, as far as that was tried.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<Without>,
}

impl Verdict {
    pub(super) fn of(claim: &Claim, parts: Vec<Part>) -> Self {
        // Of holds, cannot be run, differs, the last counts most.
        let outcome = parts
            .iter()
            .map(|part| part.outcome)
            .max()
            .unwrap_or(Outcome::CannotBeRun);
        let mut reasons: Vec<String> = Vec::new();
        for part in parts
            .iter()
            .filter(|part| part.outcome == outcome && !part.why.is_empty())
        {
            if !reasons.contains(&part.why) {
                reasons.push(part.why.clone());
            }
        }
        if outcome != Outcome::CannotBeRun {
            reasons.extend(claim.stand_in.iter().map(|text| format!("stand-in: {text}")));
        }
        if outcome == Outcome::Differs {
            reasons.extend(claim.if_differs.clone());
        }
        let outcome = match claim.refuted_by {
            Some(proof) if outcome == Outcome::Differs => {
                reasons.insert(0, format!("by {}", proof.text()));
                Outcome::Refuted
            }
            _ => outcome,
        };
        Self {
            id: claim.id.clone(),
            place: claim.place.clone(),
            says: claim.says.clone(),
            role: claim.role,
            answers: claim.answers,
            note: claim.note.clone(),
            experiment: claim.experiment.clone(),
            outcome,
            explanation: reasons.join("; "),
            parts,
            seeds: None,
            without: Vec::new(),
        }
    }

    /// The verdict in a few words.
    pub fn word(&self) -> &'static str {
        match self.is_conditional() {
            _ if self.role == Role::Cited => "cited",
            true => "holds only if",
            false => self.outcome.text(),
        }
    }

    /// Returns true if the claim holds, but not without something that our experiment presumes.
    pub fn is_conditional(&self) -> bool {
        self.outcome == Outcome::Holds && self.without.iter().any(|without| without.outcome != Outcome::Holds)
    }

    /// What the paper says, all parts in one line.
    pub fn paper(&self) -> String {
        joined(self.parts.iter().map(|part| part.paper.as_str()))
    }

    /// Why, and what is to be said of the claim itself.
    pub fn remarks(&self) -> String {
        let note = self.note.iter().map(|note| format!("note: {note}"));
        let all = (!self.explanation.is_empty()).then(|| self.explanation.clone());
        let without = self.without.iter().map(|without| without.text(self.outcome));
        without.chain(all).chain(note).collect::<Vec<_>>().join("; ")
    }

    /// What we found, all parts in one line.
    pub fn ours(&self) -> String {
        joined(self.parts.iter().map(|part| part.ours.as_str()))
    }
}

impl Without {
    /// What the condition does to a verdict.
    pub fn text(&self, with: Outcome) -> String {
        let Self {
            given, outcome, ours, ..
        } = self;
        match (with, *outcome) {
            (Outcome::Holds, Outcome::Holds) => format!("with {given} and without: {ours}"),
            (Outcome::Holds, _) => format!("only with {given}, else {ours}"),
            (_, Outcome::Holds) => format!("by {given}: without, it holds ({ours})"),
            _ => format!("not by {given}: without, {ours}"),
        }
    }
}

fn joined<'p>(parts: impl Iterator<Item = &'p str>) -> String {
    let mut shown: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    // Once if they are all the same; else each, in the places of the other column.
    if shown.windows(2).all(|two| two[0] == two[1]) {
        shown.truncate(1);
    }
    shown.join("; ")
}

/// The table of verdicts: claim, verdict, what it says, paper's value, ours, why. The verdict stands where a phone
/// shows it.
///
/// # Errors
/// None in practice: the cells are text.
pub fn verdict_table(title: &str, verdicts: &[Verdict]) -> Result<Table, ReportError> {
    let columns = ["claim", "verdict", "says", "paper", "ours", "why"].map(Column::text);
    let mut table = Table::new(title, columns.to_vec());
    for verdict in verdicts {
        table.push(vec![
            verdict.id.as_str().into(),
            Cell::Text(verdict.word().to_owned(), verdict.outcome.tone()),
            verdict.says.as_str().into(),
            verdict.paper().into(),
            verdict.ours().into(),
            verdict.remarks().into(),
        ])?;
    }
    Ok(table)
}

/// Returns true if there is none of a kind.
fn is_none(count: &usize) -> bool {
    *count == 0
}

/// How many claims hold, differ, are refuted, cannot be run, are of other papers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Claims that hold.
    pub holds: usize,
    /// Those of them that do not without something that our experiment presumes.
    pub conditional: usize,
    /// Claims that differ.
    pub differs: usize,
    /// Claims that are proven false.
    pub refuted: usize,
    /// Claims that cannot be run.
    pub cannot_be_run: usize,
    /// Claims that shorter runs leave open.
    #[serde(skip_serializing_if = "is_none")]
    pub open: usize,
    /// Numbers of other papers, which are none of the above.
    pub cited: usize,
}

impl Tally {
    /// Counts `verdicts`.
    pub fn of<'v>(verdicts: impl IntoIterator<Item = &'v Verdict>) -> Self {
        let mut tally = Self::default();
        verdicts.into_iter().for_each(|verdict| tally.add(verdict));
        tally
    }

    fn add(&mut self, verdict: &Verdict) {
        self.conditional += usize::from(verdict.is_conditional());
        *match verdict.outcome {
            _ if verdict.role == Role::Cited => &mut self.cited,
            Outcome::Holds => &mut self.holds,
            Outcome::Differs => &mut self.differs,
            Outcome::Refuted => &mut self.refuted,
            Outcome::CannotBeRun => &mut self.cannot_be_run,
            Outcome::Open => &mut self.open,
        } += 1;
    }
}

/// The same by the part that claims play: what was measured, formulas and bounds, worked examples, parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct TallyByRole(pub BTreeMap<Role, Tally>);

impl TallyByRole {
    /// Counts `verdicts`.
    pub fn of<'v>(verdicts: impl IntoIterator<Item = &'v Verdict>) -> Self {
        let mut by_role: BTreeMap<Role, Tally> = BTreeMap::new();
        for verdict in verdicts {
            by_role.entry(verdict.role).or_default().add(verdict);
        }
        Self(by_role)
    }
}

impl std::fmt::Display for TallyByRole {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shown = self.0.iter().map(|(role, tally)| format!("{}: {tally}", role.plural()));
        f.write_str(&shown.collect::<Vec<_>>().join("; "))
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let be = |count| if count == 1 { "is" } else { "are" };
        write!(f, "{} hold", self.holds)?;
        if self.conditional > 0 {
            write!(f, " ({} only on a condition)", self.conditional)?;
        }
        write!(f, ", {} differ, ", self.differs)?;
        if self.refuted > 0 {
            write!(f, "{} {} refuted, ", self.refuted, be(self.refuted))?;
        }
        if self.open > 0 {
            write!(f, "{} {} open, ", self.open, be(self.open))?;
        }
        write!(f, "{} cannot be run", self.cannot_be_run)?;
        if self.cited > 0 {
            write!(f, ", {} cited", self.cited)?;
        }
        Ok(())
    }
}
