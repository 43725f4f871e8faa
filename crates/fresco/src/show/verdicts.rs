// SPDX-License-Identifier: MIT OR Apache-2.0
//! The papers' claims and the verdicts on them, as text and as a page.

use super::figures::{self, Figure};
use super::page::{how, provenance_of};
use super::sweep::Sweep;
use super::text::wrapped;
use fresco_report::claims::{Outcome, Role, Tally, TallyByRole, Verdict, verdict_table};
use fresco_report::{Column, HtmlReport, Provenance, ReportError, Section, Table};
use fresco_reproduce::comparisons::{self, Chart, Comparison};
use fresco_reproduce::experiments::{Experiment, KERNEL};
use fresco_reproduce::kernel_record::Record;
use fresco_reproduce::{Findings, Reproduction, Run, System};
use std::collections::BTreeMap;

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
        let reasons = reasons(system);
        if !reasons.is_empty() {
            text.push_str("\nCannot be run:\n");
        }
        for (reason, ids) in reasons {
            text.push_str(&indented(&format!("- {reason}:"), 2, width));
            text.push_str(&indented(&ids.join(", "), 4, width));
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
    let all = [by_role(system), tried, perturbed];
    all.into_iter()
        .filter(|text| !text.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
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

/// The claims that hold or differ.
fn checked(system: &System) -> Vec<Verdict> {
    let verdicts = system.verdicts.iter();
    verdicts
        .filter(|verdict| verdict.outcome != Outcome::CannotBeRun)
        .cloned()
        .collect()
}

/// Why claims cannot be run, and which, in the order of the paper.
fn reasons(system: &System) -> Vec<(&str, Vec<&str>)> {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for verdict in system
        .verdicts
        .iter()
        .filter(|verdict| verdict.outcome == Outcome::CannotBeRun)
    {
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

/// The page, and the figures on it.
///
/// # Errors
/// None in practice: results hold no numbers that cannot be shown.
pub fn page(findings: &Findings, provenance: &Provenance) -> Result<(HtmlReport, Vec<Figure>), ReportError> {
    let reproduction = &findings.reproduction;
    let names: Vec<String> = reproduction
        .systems
        .iter()
        .map(|system| system.name.to_uppercase())
        .collect();
    let title = format!("Claims of {}, ours beside theirs", super::words::list(&names));
    let mut page = HtmlReport::new(title, lead(reproduction), provenance.clone());
    for system in &reproduction.systems {
        let mut section = claims(system)?;
        if let Some(record) = reproduction.record.as_ref().filter(|_| system.name == KERNEL) {
            let lines = record
                .lines()
                .into_iter()
                .map(|(name, value)| format!("{name}: {value}"));
            section = section.list(lines.collect());
        }
        page.sections.push(section);
    }
    let mut all = Vec::new();
    // The experiment in whose section the figures of a scenario stand: the first that reads its results.
    let mut drawn = BTreeMap::new();
    for experiment in &findings.experiments {
        let first = experiment.scenario.map_or(experiment.name, |scenario| {
            *drawn.entry(scenario).or_insert(experiment.name)
        });
        let (section, figures) = section(experiment, first, findings, provenance)?;
        page.sections.push(section);
        all.extend(figures);
    }
    Ok((page, all))
}

/// What an experiment did, its figures, and its rows. Those of its scenario stand with `first`, which may be another.
fn section(
    experiment: &Experiment,
    first: &str,
    findings: &Findings,
    provenance: &Provenance,
) -> Result<(Section, Vec<Figure>), ReportError> {
    let what = findings
        .claims
        .experiments
        .get(experiment.name)
        .map_or("", |one| one.what.as_str());
    let mut section = Section::new(experiment.name).paragraph(what);
    let result = findings
        .results
        .iter()
        .find(|result| Some(result.scenario.as_str()) == experiment.scenario);
    let provenance = result.map_or_else(|| provenance.clone(), |result| provenance_of(result, provenance));
    let compared = comparisons::of(experiment.name, &findings.claims, &findings.reproduction.results);
    let drawn = compared.into_iter().map(|one| figure(one, &provenance));
    let mut figures = drawn.collect::<Result<Vec<Figure>, ReportError>>()?;
    if first != experiment.name {
        section = section.paragraph(format!("Its runs and their figures are those of {first}, above."));
    } else if let Some(result) = result {
        let sweep = Sweep::new(result);
        section = section.paragraph(super::lead::sentences(&sweep).join(" "));
        figures.extend(figures::of(&sweep, &provenance)?);
    }
    for figure in &figures {
        section = section.figure(figure.svg.clone(), figure.caption.clone());
    }
    if let Some(rows) = findings.reproduction.results.0.get(experiment.name) {
        section = section.json("Rows that claims are checked against", rows)?;
    }
    if let Some(result) = result {
        section = section.paragraph(how(result));
    }
    Ok((section, figures))
}

/// Ours beside theirs, drawn.
fn figure(comparison: Comparison, provenance: &Provenance) -> Result<Figure, ReportError> {
    Ok(Figure {
        name: comparison.name,
        svg: match comparison.chart {
            Chart::Bars(chart) => chart.to_svg(provenance)?,
            Chart::Lines(chart) => chart.to_svg(provenance)?,
        },
        caption: comparison.caption.to_owned(),
    })
}

fn lead(reproduction: &Reproduction) -> String {
    let verdicts: Vec<Verdict> = reproduction
        .systems
        .iter()
        .flat_map(|system| system.verdicts.clone())
        .collect();
    let tally = Tally::of(&verdicts);
    let run = tally.holds + tally.differs + tally.refuted;
    let results = TallyByRole::of(&verdicts)
        .0
        .get(&Role::Result)
        .copied()
        .unwrap_or_default();
    format!(
        "Of {} claims {run} can be checked here; {} of them hold, {} differ, {} are refuted. Of what the papers measured {} hold, {} differ; the others are \
         formulas, worked examples and parameters.",
        verdicts.len(),
        tally.holds,
        tally.differs,
        tally.refuted,
        results.holds,
        results.differs
    )
}

fn claims(system: &System) -> Result<Section, ReportError> {
    let section = Section::new(system.name.to_uppercase())
        .paragraph(format!("{}: {}.", system.source, system.tally))
        .paragraph(counted(system));
    let mut section = section.table(verdict_table("Claims that were checked", &checked(system))?);
    if !system.by_models.is_empty() {
        section = section.table(both(system)?);
    }
    let verdicts = system.verdicts.iter();
    let mut others = verdicts
        .filter(|verdict| verdict.outcome == Outcome::CannotBeRun)
        .peekable();
    if others.peek().is_none() {
        return Ok(section);
    }
    let mut missing = Table::new(
        "Claims that cannot be run here",
        ["claim", "says", "why"].map(Column::text).to_vec(),
    );
    for verdict in others {
        let cells = [verdict.id.clone(), verdict.says.clone(), verdict.remarks()].map(Into::into);
        missing.push(cells.to_vec())?;
    }
    Ok(section.table(missing))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fresco_report::claims::{Claims, Results};
    use fresco_reproduce::experiments::ALL;
    use std::collections::BTreeSet;

    #[test]
    fn figures_of_a_scenario_that_several_experiments_read_are_drawn_once() {
        let set = [
            "sweep.workload=[\"tiny\"]",
            "repetitions=1",
            "warm_up.time=\"2 us\"",
            "measure.time=\"10 us\"",
        ];
        let set: Vec<String> = set.map(str::to_owned).to_vec();
        let loaded = crate::scenarios::load("bpm-mixes", &set).expect("is built in");
        let result = fresco_system::run_all(&loaded.0, 1, &|_| {}).expect("runs");
        let reads = |experiment: &&Experiment| experiment.scenario == Some("bpm-mixes");
        let experiments: Vec<&Experiment> = ALL.iter().filter(reads).collect();
        assert!(experiments.len() > 1);
        let findings = Findings {
            reproduction: Reproduction {
                systems: Vec::new(),
                results: Results::new(),
                record: None,
                recordings: None,
            },
            experiments: experiments.clone(),
            scenarios: vec![loaded],
            results: vec![result],
            claims: Claims::builtin().expect("the claims are sound"),
        };
        let (page, figures) = page(&findings, &crate::provenance::of_this_run(None)).expect("can be drawn");
        let names: BTreeSet<&str> = figures.iter().map(|figure| figure.name.as_str()).collect();
        assert!(!names.is_empty());
        assert_eq!(names.len(), figures.len(), "{names:?}");
        let html = page.to_html();
        let others = html
            .matches("Its runs and their figures are those of bpm-mixes, above.")
            .count();
        assert_eq!(others, experiments.len() - 1);
    }
}
