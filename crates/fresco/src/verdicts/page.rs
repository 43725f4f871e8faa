// SPDX-License-Identifier: MIT OR Apache-2.0
//! The page of verdicts: what the papers answer, each claim of each system in a line that unfolds, and the experiments below.

use super::counted;
use fresco_report::claims::{Outcome, Question, Role, Seeds, Tally, TallyByRole, Verdict};
use fresco_report::plot::{Axis, Heading, Layer, StackedChart};
use fresco_report::{Entry, HtmlReport, Provenance, ReportError, Section};
use fresco_reproduce::comparisons::{self, Chart, Comparison};
use fresco_reproduce::experiments::{Experiment, KERNEL};
use fresco_reproduce::{Findings, Perturbed, Reproduction, SYSTEMS, System};
use fresco_show::figures::{self, Figure};
use fresco_show::page::{how, provenance_of};
use fresco_show::sweep::Sweep;
use fresco_show::{lead, words};
use std::collections::{BTreeMap, BTreeSet};

/// Characters of a paper's numbers, or of ours, that a claim's line shows.
const LONGEST: usize = 60;

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
    let title = match names.len() == SYSTEMS.len() {
        true => "What the papers claim, ours beside theirs".to_owned(),
        false => format!("Claims of {}, ours beside theirs", words::list(&names)),
    };
    let mut page = HtmlReport::new(title, in_short(reproduction), provenance.clone());
    let mut all = Vec::new();
    if let [_, _, ..] = reproduction.systems.as_slice() {
        let chart = by_system(reproduction, provenance)?;
        let section = Section::new("What was measured, and holds here").figure(chart.svg.clone(), &*chart.caption);
        page.sections.push(section);
        all.push(chart);
    }
    for question in Question::ALL {
        page.sections.extend(answer(reproduction, question));
    }
    page.sections.push(
        Section::new("How to read the verdicts")
            .paragraph(
                "A claim holds if what our models of the papers' machines do agrees with it, by rules that are the same for all claims: a factor within a quarter, a percentage \
                 within a quarter or five points and at least half of the effect, an order by more than 5 %, and who is better, where runs are repeated, by more than chance. \
                 It holds only if, where it does not without something that our experiment \
                 presumes and the paper does not say. It differs if it does not agree; the line unfolds into what is known of the reason. It is refuted if a counterexample or arithmetic is \
                 against it. It cannot be run where a program, a number or a part of the model is missing, and is open if shorter runs (--quick) do not tell.",
            )
            .paragraph(
                "\"paper\" is what the paper says, \"here\" what was found. Where a paper tells no number, \"paper\" is the test: a < b is an order, > 0.95 a bound. Elsewhere \
                 means another seed, or faster and slower memory. CON-n are places where a paper contradicts itself. All of it is explained in claims/README.md.",
            ),
    );
    // The experiment in whose section the figures of a scenario stand: the first that reads its results.
    let mut drawn = BTreeMap::new();
    let mut shown = BTreeSet::new();
    for system in &reproduction.systems {
        page.sections.extend(of_system(system, reproduction));
        let theirs = |experiment: &&&Experiment| experiment.systems.contains(&system.name.as_str());
        for experiment in findings.experiments.iter().filter(theirs) {
            if !shown.insert(experiment.name) {
                continue;
            }
            let first = experiment.scenario.map_or(experiment.name, |scenario| {
                *drawn.entry(scenario).or_insert(experiment.name)
            });
            let (section, figures) = section(experiment, first, findings, provenance)?;
            page.sections.push(section.part());
            all.extend(figures);
        }
    }
    Ok((page, all))
}

/// Returns true if the claim tells a measurement.
fn is_measured(verdict: &&Verdict) -> bool {
    verdict.role == Role::Result
}

/// How many claims hold.
fn in_short(reproduction: &Reproduction) -> String {
    let verdicts = reproduction.systems.iter().flat_map(|system| &system.verdicts);
    let tally = Tally::of(verdicts.clone());
    let run = tally.holds + tally.differs + tally.refuted;
    let results = TallyByRole::of(verdicts.clone())
        .0
        .get(&Role::Result)
        .copied()
        .unwrap_or_default();
    let open = match tally.open {
        0 => String::new(),
        1 => " 1 is open: these runs are shorter than those without --quick, and leave it so.".to_owned(),
        open => format!(" {open} are open: these runs are shorter than those without --quick, and leave them so."),
    };
    format!(
        "Of {} claims {run} can be checked here; {} of them hold{}, {} differ, {} are refuted. Of what the papers measured {} hold, {} differ; the others are \
         formulas, worked examples and parameters. {} more are numbers that they take from other papers.{open}",
        verdicts.count() - tally.cited,
        tally.holds,
        on_a_condition(&tally),
        tally.differs,
        tally.refuted,
        results.holds,
        results.differs,
        tally.cited
    )
}

/// How many of the claims that hold do so on a condition alone; empty if none does, or none was tried.
fn on_a_condition(tally: &Tally) -> String {
    match tally.conditional {
        0 => String::new(),
        conditional => format!(", {conditional} of these only on a condition"),
    }
}

/// What came of the measurements of each paper, as bars.
fn by_system(reproduction: &Reproduction, provenance: &Provenance) -> Result<Figure, ReportError> {
    let of = |outcome: Outcome| Layer {
        name: outcome.text().to_owned(),
        values: reproduction
            .systems
            .iter()
            .map(|system| {
                let is_so = |verdict: &&Verdict| verdict.outcome == outcome;
                system.verdicts.iter().filter(is_measured).filter(is_so).count() as f64
            })
            .collect(),
    };
    let chart = StackedChart {
        heading: Heading::new("Measured claims by system", "what came of each here"),
        bars_label: "system".to_owned(),
        bars: reproduction.systems.iter().map(|system| system.name.clone()).collect(),
        y: Axis::new("claims", ""),
        layers: [Outcome::Holds, Outcome::Differs, Outcome::CannotBeRun, Outcome::Open]
            .map(of)
            .into_iter()
            .filter(|layer| layer.name != Outcome::Open.text() || layer.values.iter().any(|count| *count > 0.0))
            .collect(),
    };
    Ok(Figure {
        name: "verdicts".to_owned(),
        svg: chart.to_svg(provenance)?,
        caption:
            "Claims on something that the paper measured; formulas, worked examples and parameters are not among them."
                .to_owned(),
    })
}

/// What the papers answer in their abstracts and conclusions, and what came of it; `None` if none of these systems does.
fn answer(reproduction: &Reproduction, question: Question) -> Option<Section> {
    let all = reproduction.systems.iter().flat_map(|system| {
        let theirs = system
            .verdicts
            .iter()
            .filter(|verdict| verdict.answers == Some(question));
        theirs.map(move |verdict| (system, verdict))
    });
    let all: Vec<(&System, &Verdict)> = all.collect();
    if all.is_empty() {
        return None;
    }
    let tally = Tally::of(all.iter().map(|(_, verdict)| *verdict));
    let open = match tally.open {
        0 => String::new(),
        1 => ", 1 is open".to_owned(),
        open => format!(", {open} are open"),
    };
    let section = Section::new(question.text()).paragraph(format!(
        "What the papers answer in their abstracts, introductions and conclusions: {} claims, of which {} hold here{}, and {} cannot be judged{open}.",
        all.len(),
        tally.holds,
        on_a_condition(&tally),
        tally.cannot_be_run,
    ));
    let entries = all.iter().map(|(system, verdict)| Entry {
        line: format!("{}: {}", system.name, verdict.says),
        ..entry(system, verdict)
    });
    Some(section.entries(entries.collect()))
}

/// The claims of a system, those on measurements first.
fn of_system(system: &System, reproduction: &Reproduction) -> Vec<Section> {
    let mut section = Section::new(system.name.to_uppercase())
        .paragraph(format!("{}: {}.", system.source, system.tally))
        .paragraph(counted(system));
    if let Some(record) = reproduction.record.as_ref().filter(|_| system.name == KERNEL) {
        let lines = record
            .lines()
            .into_iter()
            .map(|(name, value)| format!("{name}: {value}"));
        section = section.list(lines.collect());
    }
    let mut sections = vec![section];
    for (role, tally) in &system.by_role.0 {
        let of_role = system.verdicts.iter().filter(|verdict| verdict.role == *role);
        let entries = of_role.map(|verdict| entry(system, verdict)).collect();
        let heading = format!("{}: {}: {tally}", system.name, role.plural());
        sections.push(Section::new(heading).entries(entries).part());
    }
    sections
}

/// A claim in a line, and all of its verdict behind it.
fn entry(system: &System, verdict: &Verdict) -> Entry {
    let beside = [("paper", verdict.paper()), ("here", verdict.ours())];
    let beside = beside.into_iter().filter(|(_, text)| !text.is_empty());
    let aside: Vec<String> = beside
        .clone()
        .map(|(name, text)| format!("{name} {}", cut(&text)))
        .collect();
    let mut facts = vec![("where", verdict.place.clone())];
    facts.extend(beside);
    let seeds = verdict
        .seeds
        .map(|Seeds { of, same }| format!("the same verdict by {same} of {of} seeds, each alone"));
    facts.extend(seeds.map(|text| ("seeds", text)));
    let without = verdict.without.iter().map(|without| without.text(verdict.outcome));
    facts.extend(without.map(|text| ("condition", text)));
    facts.extend(Some(("why", verdict.explanation.clone())).filter(|(_, text)| !text.is_empty()));
    facts.extend(verdict.note.iter().map(|note| ("note", note.clone())));
    facts.extend(
        system
            .perturbed
            .iter()
            .flat_map(|perturbed| elsewhere(perturbed, verdict))
            .map(|text| ("elsewhere", text)),
    );
    let by_model = system.by_models.iter().find(|model| model.id == verdict.id);
    facts.extend(by_model.map(|model| ("by models", format!("{} ({})", model.outcome.text(), model.ours()))));
    facts.push(("experiment", verdict.experiment.clone()));
    Entry {
        mark: (verdict.word().to_owned(), verdict.outcome.tone()),
        line: verdict.says.clone(),
        aside: [vec![verdict.id.clone()], aside].concat().join(" · "),
        facts: facts.into_iter().map(|(name, text)| (name.to_owned(), text)).collect(),
    }
}

/// The beginning of what is too long for a line.
fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{} …", text[..end].trim_end_matches([';', ' '])),
        None => text.to_owned(),
    }
}

/// What came of a claim in other worlds, one line each.
fn elsewhere(perturbed: &Perturbed, verdict: &Verdict) -> Vec<String> {
    let Some(moved) = perturbed.moved.iter().find(|moved| moved.id == verdict.id) else {
        return Vec::new();
    };
    let of = |(world, there): (&fresco_reproduce::World, &fresco_reproduce::There)| {
        format!("{world}: {} ({})", there.outcome.text(), there.ours)
    };
    perturbed.worlds.iter().zip(&moved.there).map(of).collect()
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
        section = section.paragraph(lead::sentences(&sweep).join(" "));
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

#[cfg(test)]
mod tests;
