// SPDX-License-Identifier: MIT OR Apache-2.0
//! What `fresco map detect` reports, as JSON and as tables.

use super::live::LiveView;
use super::names::NamesView;
use fresco_detect::benefit::Benefit;
use fresco_detect::evidence::{Check, Evidence};
use fresco_detect::model::{Odd, Span, function_text};
use fresco_detect::queues::Queues;
use fresco_detect::refresh::RefreshTimes;
use fresco_detect::stats::Proportion;
use fresco_detect::verify::Outcome;
use fresco_detect::{ACTIVATIONS_PER_WINDOW, Cost, Detection, LINE_BITS, Shape, Verdict, WINDOW_NS};
use fresco_dram::gf2::bits_of;
use serde::Serialize;

/// Everything `fresco map detect` reports: schema `fresco-map-detect/1`.
#[derive(Debug, Serialize)]
pub struct DetectReport {
    /// The machine whose memory was probed.
    pub(super) machine: String,
    /// Its memory is a simulation.
    pub(super) simulated: bool,
    /// What a running machine was timed with.
    pub(super) live: Option<LiveView>,
    pub(super) verdict: Verdict,
    pub(super) status: u8,
    /// The check that ended the detection; `null` if all passed.
    pub(super) failed: Option<Check>,
    pub(super) evidence: Evidence,
    /// Share of random lines that conflict with a line.
    pub(super) conflicts: Option<Proportion>,
    /// What explains the classes; a map only if `defended`.
    pub(super) functions: Option<FunctionsView>,
    /// Rows and columns of a map.
    pub(super) shape: Option<ShapeView>,
    /// Which function selects the channel, the rank, the bank group or the bank; `null` where that was not asked.
    pub(super) names: Option<NamesView>,
    /// Predictions on fresh pages, at once and half a minute later.
    pub(super) predictions: Vec<Outcome>,
    /// What timing did not tell.
    pub(super) not_recovered: Vec<String>,
    pub(super) refresh: Option<RefreshTimes>,
    pub(super) queues: Option<Queues>,
    pub(super) benefit: Option<Benefit>,
    pub(super) cost: Cost,
    /// Most activations of any row within a refresh window.
    pub(super) bound_activations: u32,
    /// That window, in nanoseconds.
    pub(super) bound_window_ns: f64,
}

/// Functions that were found.
#[derive(Debug, Serialize)]
pub struct FunctionsView {
    /// Whether they predicted what was never measured, twice.
    pub(super) defended: bool,
    /// Banks that they tell apart.
    pub(super) banks: f64,
    /// Ranges of addresses, with what is subtracted first.
    pub(super) spans: Vec<Span>,
    /// Other offsets of the last range that explain as much.
    pub(super) alias_offsets: Vec<u64>,
    /// Interleave over an odd number of ways.
    pub(super) odd: Option<Odd>,
    /// Each as text; `q20` is bit 20 of the address within its way.
    pub(super) functions: Vec<String>,
    /// Each as a mask, where there is no odd interleave.
    pub(super) masks: Option<Vec<String>>,
}

/// Rows and columns.
#[derive(Debug, Serialize)]
pub struct ShapeView {
    /// Functions of the row.
    pub(super) row: Vec<String>,
    /// Bits that change only the column.
    pub(super) column_bits: Vec<u32>,
    /// Bits of the address within its way, under an odd interleave, that change only the column.
    pub(super) column_bits_within: Vec<u32>,
    /// Differences of lines of one row that change more than one bit.
    pub(super) column_differences: Vec<String>,
}

impl ShapeView {
    fn of(shape: &Shape) -> Self {
        let several = shape.columns.iter().filter(|column| column.count_ones() > 1);
        Self {
            row: shape.rows.iter().map(|row| function_text(*row)).collect(),
            column_bits: shape.column_bits.iter().filter(|bit| **bit < 64).copied().collect(),
            column_bits_within: shape.column_bits.iter().filter_map(|bit| bit.checked_sub(64)).collect(),
            column_differences: several.map(|column| function_text(*column)).collect(),
        }
    }
}

impl DetectReport {
    /// The report of a detection.
    pub fn new(machine: &str, found: &Detection, live: Option<LiveView>) -> Self {
        let functions = found.solution.as_ref().map(|solution| FunctionsView {
            defended: found.verdict.has_map(),
            banks: solution.model.banks(),
            spans: solution.model.form.spans.clone(),
            alias_offsets: solution.alias_offsets.clone(),
            odd: solution.model.form.odd,
            functions: solution.model.functions.iter().map(|f| function_text(*f)).collect(),
            masks: solution
                .model
                .masks()
                .map(|masks| masks.iter().map(|mask| format!("{mask:#x}")).collect()),
        });
        Self {
            machine: machine.to_owned(),
            simulated: live.is_none(),
            live,
            verdict: found.verdict,
            status: found.verdict.status(),
            failed: found.evidence.failed().cloned(),
            evidence: found.evidence.clone(),
            conflicts: found.conflicts,
            functions,
            shape: found.shape.as_ref().map(ShapeView::of),
            names: found.names.as_ref().map(NamesView::of),
            predictions: found.predictions.clone(),
            not_recovered: not_recovered(found),
            refresh: found.refresh,
            queues: found.queues,
            benefit: found.benefit.clone(),
            cost: found.cost,
            bound_activations: ACTIVATIONS_PER_WINDOW,
            bound_window_ns: WINDOW_NS,
        }
    }

    /// The machine.
    pub fn machine(&self) -> &str {
        &self.machine
    }

    /// What timing did not tell.
    pub fn not_recovered(&self) -> &[String] {
        &self.not_recovered
    }
}

/// What a detection leaves open.
fn not_recovered(found: &Detection) -> Vec<String> {
    let mut open = Vec::new();
    let Some(solution) = &found.solution else {
        return open;
    };
    let model = &solution.model;
    let fixed: Vec<String> = bits_of(solution.fixed as u64).map(|bit| bit.to_string()).collect();
    let top = model
        .form
        .spans
        .iter()
        .map(|span| span.end.saturating_sub(1))
        .max()
        .unwrap_or(0);
    let reach = 64 - top.leading_zeros();
    let inside: Vec<String> = fixed
        .into_iter()
        .filter(|bit| bit.parse().is_ok_and(|bit: u32| bit < reach))
        .collect();
    if model.form.odd.is_none() && !inside.is_empty() {
        open.push(format!(
            "bits {}: they do not vary by themselves in what was probed",
            inside.join(", ")
        ));
    }
    if found.verdict.has_map() {
        open.push(format!("bits 0 to {}: within a line, column or byte", LINE_BITS - 1));
        match &found.names {
            Some(names) => open.extend(NamesView::of(names).untold()),
            None => {
                open.push("which function is channel, rank, bank group or bank: all tell banks apart alike".to_owned())
            }
        }
        if found.shape.is_none() {
            open.push(found.no_shape.clone().unwrap_or_else(|| "rows and columns".to_owned()));
        }
        if found.benefit.is_some() && found.refresh.is_none() {
            open.push("when lines are refreshed: their delays show no period".to_owned());
        }
        if found.alone {
            open.push("queues, and what coloring gains: no other processor may be used".to_owned());
        }
        if found.benefit.is_some() && found.queues.is_none() {
            open.push("queues: fewer than eight banks".to_owned());
        }
        if !solution.alias_offsets.is_empty() {
            open.push(format!(
                "the offset of the last range: {} others explain as much",
                solution.alias_offsets.len()
            ));
        }
    }
    open
}
