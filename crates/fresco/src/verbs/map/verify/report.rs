// SPDX-License-Identifier: MIT OR Apache-2.0
//! What `fresco map verify` reports.

use super::Judged;
use super::claim::Claim;
use crate::verbs::map::detect::live::LiveView;
use crate::verbs::map::source::{Source, SourceView};
use fresco_detect::evidence::{Check, Evidence};
use fresco_detect::stats::Proportion;
use fresco_detect::verify::Outcome;
use fresco_detect::{Cost, Judgement};
use fresco_report::{Column, ReportError, Table};
use serde::Serialize;

/// Everything `fresco map verify` reports: schema `fresco-map-verify/1`.
#[derive(Debug, Serialize)]
pub struct MapVerifyReport {
    /// The map.
    source: SourceView,
    /// The memory that was asked.
    memory: String,
    simulated: bool,
    judgement: Judgement,
    /// The exit status.
    pub(super) status: u8,
    /// The first check that failed; `null` if all passed.
    failed: Option<Check>,
    /// What tells banks apart by the map, in the order of the counts by function.
    functions: Vec<String>,
    /// How predictions came true, at once and later.
    predictions: Vec<Outcome>,
    evidence: Evidence,
    cost: Cost,
    live: Option<LiveView>,
    #[serde(skip)]
    name: String,
}

impl MapVerifyReport {
    pub(super) fn new(
        source: &Source,
        claim: &Claim<'_>,
        memory: String,
        judged: Judged,
        live: Option<LiveView>,
    ) -> Self {
        Self {
            source: source.view(),
            memory,
            simulated: live.is_none(),
            judgement: judged.judgement,
            status: judged.judgement.status(),
            failed: judged.evidence.failed().cloned(),
            functions: claim.functions(),
            predictions: judged.predictions,
            evidence: judged.evidence,
            cost: judged.cost,
            live,
            name: source.name.clone(),
        }
    }

    /// For people: the judgement, then counts.
    pub fn tables(&self) -> Result<Vec<Table>, ReportError> {
        let simulated = if self.simulated { " (simulated)" } else { "" };
        let title = format!("Map {} on {}{simulated}: {}", self.name, self.memory, self.judgement);
        let mut table = Table::new(title, vec![Column::text("what"), Column::text("found")]);
        if let Some(check) = &self.failed {
            let value = check
                .value
                .map_or_else(|| "nothing".to_owned(), |value| format!("{value:.3}"));
            let text = format!(
                "{}: {}: {value}, asked {}, n = {}",
                check.stage, check.what, check.asked, check.n
            );
            table.push(vec!["failed".into(), text.into()])?;
        }
        let cost = format!(
            "{} accesses, {} pauses, {:.1} s of the machine's time",
            self.cost.accesses, self.cost.pauses, self.cost.seconds
        );
        table.push(vec!["cost".into(), cost.into()])?;
        for (what, text) in self.live.iter().flat_map(LiveView::rows) {
            table.push(vec![what.into(), text.into()])?;
        }
        let mut tables = vec![table];
        for (outcome, when) in self.predictions.iter().zip(["at once", "half a minute later"]) {
            tables.push(self.counts(outcome, when)?);
        }
        Ok(tables)
    }

    fn counts(&self, outcome: &Outcome, when: &str) -> Result<Table, ReportError> {
        let columns = vec![
            Column::text("pairs that by the map"),
            Column::number("as predicted", "", 0),
            Column::number("of", "", 0),
            Column::text("95 %"),
        ];
        let mut table = Table::new(format!("Predictions, {when}"), columns);
        let mut row = |what: String, count: &Proportion| {
            let interval = format!("{:.3} to {:.3}", count.low, count.high);
            table.push(vec![what.into(), count.hits.into(), count.n.into(), interval.into()])
        };
        row("share a bank".to_owned(), &outcome.same)?;
        for (function, count) in self.functions.iter().zip(&outcome.by_function) {
            row(format!("differ in {function} only"), count)?;
        }
        row("all".to_owned(), &outcome.all)?;
        Ok(table)
    }
}
