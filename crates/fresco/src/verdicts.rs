// SPDX-License-Identifier: MIT OR Apache-2.0
//! The papers' claims and the verdicts on them, as text and as a page.

mod page;

pub use page::page;

use fresco_report::claims::{Outcome, Seeds, Verdict, verdict_table};
use fresco_report::{Column, Provenance, ReportError, Table};
use fresco_reproduce::kernel_record::Record;
use fresco_reproduce::{Reproduction, Run, System};
use fresco_show::text::wrapped;

/// For each system a table of the claims that were checked, the others by reason, the tally; at the end what was run.
///
/// # Errors
/// None in practice: the cells are text.
pub fn text(reproduction: &Reproduction, width: usize, provenance: &Provenance) -> Result<String, ReportError> {
    let mut text = String::new();
    for system in &reproduction.systems {
        text.push_str(&verdict_table(&system.source, &checked(system))?.to_text(width));
        if !system.by_models.is_empty() {
            text.push_str(&format!("\n{}", both(system)?.to_text(width)));
        }
        for (heading, outcome) in [("Cannot be run", Outcome::CannotBeRun), ("Open", Outcome::Open)] {
            let reasons = reasons(system, outcome);
            if !reasons.is_empty() {
                text.push_str(&format!("\n{heading}:\n"));
            }
            for (reason, ids) in reasons {
                text.push_str(&indented(&format!("- {reason}:"), 2, width));
                text.push_str(&indented(&ids.join(", "), 4, width));
            }
        }
        text.push_str(&format!("\n{}: {}\n", system.name, system.tally));
        text.push_str(&indented(&counted(system), 0, width));
        text.push('\n');
    }
    for run in reproduction.recordings.iter().flatten() {
        text.push_str(&indented(&with_recordings(run), 0, width));
        text.push('\n');
    }
    if reproduction.recordings.as_ref().is_some_and(Vec::is_empty) {
        text.push_str("No experiment was made with recorded programs: all verdicts are those of models.\n\n");
    }
    for (name, value) in reproduction.record.iter().flat_map(Record::lines) {
        text.push_str(&format!("{name:<9}{value}\n"));
    }
    for (name, value) in provenance.entries() {
        text.push_str(&format!("{name:<9}{value}\n"));
    }
    Ok(text)
}

/// Which programs an experiment was made with.
fn with_recordings(run: &Run) -> String {
    let left = match run.left_out.is_empty() {
        true => String::new(),
        false => format!("; without, for want of a recording, {}", run.left_out.join(", ")),
    };
    format!(
        "{} ({}) was made with recordings: {}{left}.",
        run.scenario,
        run.experiments.join(", "),
        run.stand_ins()
    )
}

/// What was measured, and what else papers state; empty if they state nothing else.
fn by_role(system: &System) -> String {
    match system.by_role.0.len() {
        0 | 1 => String::new(),
        _ => format!("By what they are: {}.", system.by_role),
    }
}

/// What verdicts are of and rest on.
fn counted(system: &System) -> String {
    let tried = format!("Of its claims that can be judged {}.", system.tried);
    let perturbed = system.perturbed.as_ref().map(ToString::to_string).unwrap_or_default();
    let all = [by_role(system), tried, by_seed(system), perturbed];
    all.into_iter()
        .filter(|text| !text.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// How many verdicts are the same by each seed alone, and which are not; empty if no run is repeated.
fn by_seed(system: &System) -> String {
    let several = system
        .verdicts
        .iter()
        .filter_map(|verdict| Some((verdict, verdict.seeds?)));
    let (same, others): (Vec<_>, Vec<_>) = several.partition(|(_, seeds)| seeds.same == seeds.of);
    let all = same.len() + others.len();
    if all == 0 {
        return String::new();
    }
    let others: Vec<String> = others
        .iter()
        .map(|(verdict, Seeds { of, same })| format!("{} ({same} of {of})", verdict.id))
        .collect();
    let not = match others.is_empty() {
        true => String::new(),
        false => format!("; not {}", others.join(", ")),
    };
    format!(
        "Of {all} verdicts on runs that are repeated {} are the same by each seed alone{not}.",
        same.len()
    )
}

/// What recordings say beside what models say.
fn both(system: &System) -> Result<Table, ReportError> {
    let columns = ["claim", "by recordings", "by models", "paper", "recordings", "models"].map(Column::text);
    let mut table = Table::new(
        "Recorded programs, and the models that they took the place of",
        columns.to_vec(),
    );
    for by_model in &system.by_models {
        let Some(verdict) = system.verdicts.iter().find(|one| one.id == by_model.id) else {
            continue;
        };
        table.push(vec![
            verdict.id.as_str().into(),
            verdict.outcome.text().into(),
            by_model.outcome.text().into(),
            verdict.paper().into(),
            verdict.ours().into(),
            by_model.ours().into(),
        ])?;
    }
    Ok(table)
}

/// The claims of which something was found.
fn checked(system: &System) -> Vec<Verdict> {
    let is_checked = |verdict: &&Verdict| !is_untold(verdict);
    system.verdicts.iter().filter(is_checked).cloned().collect()
}

/// Returns true if nothing can be told of the claim, or not by shorter runs.
fn is_untold(verdict: &Verdict) -> bool {
    match verdict.outcome {
        Outcome::CannotBeRun => true,
        Outcome::Open => verdict.ours().is_empty(),
        _ => false,
    }
}

/// Why nothing can be told of claims with this outcome, and which, in the order of the paper.
fn reasons(system: &System, outcome: Outcome) -> Vec<(&str, Vec<&str>)> {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    let verdicts = system.verdicts.iter().filter(|verdict| verdict.outcome == outcome);
    for verdict in verdicts.filter(|verdict| is_untold(verdict)) {
        match reasons.iter_mut().find(|(reason, _)| *reason == verdict.explanation) {
            Some((_, ids)) => ids.push(&verdict.id),
            None => reasons.push((&verdict.explanation, vec![&verdict.id])),
        }
    }
    reasons
}

fn indented(text: &str, indent: usize, width: usize) -> String {
    let lines = wrapped(text, width.saturating_sub(indent));
    lines.lines().map(|line| format!("{:indent$}{line}\n", "")).collect()
}
