// SPDX-License-Identifier: MIT OR Apache-2.0
//! The evidence as a report, from which page and PDF are made: sections 1 to 9, in tables of the facts.

use super::claims::at_most;
use super::facts::{BoundFacts, Evidence, Verdict};
use super::formulas;
use super::page_parts::{attacks_and_runs, live, partition, plan};
use super::runs::{BOUND, MACHINE};
use super::subject::Subject;
use crate::verbs::machine::{MachineView, tables_of};
use fresco_dram::Ps;
use fresco_report::plot::{Axis, Bar, BarChart, BarSeries, Heading, Svg};
use fresco_report::{Cell, Column, HtmlReport, Provenance, ReportError, Section, Table, Tone};
use fresco_show::plan::tables::tables as tables_of_plan;

/// The report. `digest` is that of `evidence.json`.
///
/// # Errors
/// None in practice: facts hold no numbers that cannot be shown.
pub fn of(
    evidence: &Evidence,
    subject: &Subject,
    provenance: &Provenance,
    digest: &str,
) -> Result<HtmlReport, ReportError> {
    let lead = format!(
        "{} Machine {}. The facts are in evidence.json (SHA-256 {digest}), the digests of all files in SHA256SUMS.",
        match evidence.holds {
            true => "All that is claimed here holds.",
            false => "NOT all that is claimed here holds.",
        },
        evidence.machine.name
    );
    let mut report = HtmlReport::new(format!("{}: evidence", evidence.name), lead, provenance.clone());
    report.sections.push(summary(evidence)?);
    report.sections.extend(machine(evidence, subject)?);
    report.sections.extend(partition(evidence)?);
    report.sections.extend(bounds(evidence, provenance)?);
    report.sections.push(attacks_and_runs(evidence)?);
    report.sections.push(live(evidence)?);
    let mut of_plan = plan(evidence)?;
    if let Some(loaded) = &subject.plan {
        for table in tables_of_plan(&loaded.plan)? {
            of_plan = of_plan.table(table);
        }
    }
    report.sections.push(of_plan);
    report.sections.push(not_covered(evidence)?);
    report.sections.extend(files(evidence)?);
    Ok(report)
}

/// The verdict of a claim, in its color.
pub fn verdict(verdict: Verdict) -> Cell {
    let tone = match verdict {
        Verdict::Proven | Verdict::Observed => Tone::Good,
        Verdict::Assumed => Tone::Plain,
        Verdict::NotCovered => Tone::Faint,
        Verdict::Refuted => Tone::Bad,
    };
    Cell::Text(verdict.words().to_owned(), tone)
}

/// A table of text.
pub fn texts(title: &str, columns: &[&str], rows: Vec<Vec<Cell>>) -> Result<Table, ReportError> {
    let mut table = Table::new(title, columns.iter().map(|name| Column::text(*name)).collect());
    for row in rows {
        table.push(row)?;
    }
    Ok(table)
}

pub fn ns(time: Ps) -> Cell {
    Cell::Number(time as f64 / 1000.0)
}

fn summary(evidence: &Evidence) -> Result<Section, ReportError> {
    let rows = evidence.claims.iter().map(|claim| {
        vec![
            claim.about.as_str().into(),
            claim.claim.as_str().into(),
            verdict(claim.verdict),
            claim.basis.as_str().into(),
            claim.files.join(", ").into(),
        ]
    });
    let count = |verdict: Verdict| evidence.claims.iter().filter(|claim| claim.verdict == verdict).count();
    let all = [
        Verdict::Proven,
        Verdict::Observed,
        Verdict::Assumed,
        Verdict::NotCovered,
        Verdict::Refuted,
    ];
    let counts: Vec<String> = all
        .iter()
        .map(|&verdict| format!("{} {}", count(verdict), verdict.words()))
        .collect();
    Ok(Section::new("1. What is claimed")
        .paragraph(format!("{}.", counts.join(", ")))
        .list(
            [
                "proven: it follows from the model of the machine, whatever the programs do",
                "observed: it was so in what was run",
                "assumed: it holds if assumptions hold that nobody checked here",
                "not covered: nothing is claimed",
                "refuted: it does not hold",
            ]
            .map(str::to_owned)
            .to_vec(),
        )
        .table(texts(
            "Claims",
            &["about", "claim", "verdict", "because", "files"],
            rows.collect(),
        )?))
}

fn machine(evidence: &Evidence, subject: &Subject) -> Result<Vec<Section>, ReportError> {
    let machine = &evidence.machine;
    let functions = machine.functions.iter().map(|function| {
        let within: Vec<String> = function.within_page.iter().map(u32::to_string).collect();
        let within = if within.is_empty() {
            "none".to_owned()
        } else {
            within.join(", ")
        };
        vec![
            function.selects.as_str().into(),
            function.function.as_str().into(),
            within.into(),
        ]
    });
    let map = &machine.map_evidence;
    let mut section = Section::new("2. The machine, and how its map is known")
        .paragraph(format!("{}: {}.", machine.name, machine.title))
        .paragraph(format!(
            "Its file is {} (digest of the text and of what is changed: {}); with what is changed it is {MACHINE}.",
            machine.file, machine.digest
        ))
        .paragraph(format!("The map: {}.", map.found));
    if !machine.changes.is_empty() {
        section = section
            .paragraph("Changed by the scenario:")
            .list(machine.changes.clone());
    }
    section = section
        .table(texts(
            "Functions of the map that choose a bank, and what of them lies within a page",
            &["selects", "XOR of address bits", "within a page"],
            functions.collect(),
        )?)
        .paragraph("What pages can be told apart by: sums of these functions that read no bit within a page, and so have one value for all addresses of a page.")
        .list(machine.color_bits.clone());
    let mut parameters = Section::new("Parameters").part();
    for table in tables_of(&MachineView::new(&subject.model))? {
        parameters = parameters.table(table);
    }
    Ok(vec![section, parameters])
}

/// Heading of the bounds.
const BOUNDS: &str = "4. Bounds, and what they assume";

/// Bounds, with each part of their sums.
fn bounds(evidence: &Evidence, provenance: &Provenance) -> Result<Vec<Section>, ReportError> {
    let mut reads = Table::new(
        "A read in its controller, in ns",
        vec![
            Column::text("task"),
            Column::number("core", "", 0),
            Column::number("at most", "ns", 1),
            Column::number("in the simulation", "ns", 1),
            Column::number("by attacks", "ns", 1),
        ],
    );
    let attacked = |task: &str| {
        let attacks = evidence.attacks.iter().flatten();
        attacks
            .into_iter()
            .find(|attack| attack.task == task)
            .map(|attack| attack.observed_ps)
    };
    let mut work = Table::new(
        "The work of a task (a job, or its measured phase)",
        vec![
            Column::text("task"),
            Column::number("at most", "us", 1),
            Column::number("alone", "us", 1),
            Column::number("in the simulation", "us", 1),
        ],
    );
    let mut without = Vec::new();
    let mut parts = Section::new("The parts of each sum")
        .part()
        .paragraph(format!("Source: {}.", formulas::SOURCE));
    for bound in &evidence.bounds {
        reads.push(vec![
            bound.task.as_str().into(),
            Cell::Count(u64::from(bound.core)),
            bound.read_ps.map_or(Cell::Text("no bound".to_owned(), Tone::Bad), ns),
            bound.observed_read_ps.map_or(Cell::Missing, ns),
            attacked(&bound.task).map_or(Cell::Missing, ns),
        ])?;
        let us = |time: Option<Ps>| time.map(|time| time as f64 / 1e6).into();
        if bound.work_ps.is_some() {
            work.push(vec![
                bound.task.as_str().into(),
                us(bound.work_ps),
                us(bound.work_alone_ps),
                us(bound.observed_work_ps),
            ])?;
        }
        for unbounded in &bound.unbounded {
            without.push(vec![
                bound.task.as_str().into(),
                unbounded.what.into(),
                unbounded.why.as_str().into(),
                unbounded.way_out.as_str().into(),
            ]);
        }
    }
    for alike in alike(&evidence.bounds) {
        parts = parts.table(terms(&alike)?);
    }
    let mut section = Section::new(BOUNDS)
        .paragraph(format!(
            "From {BOUND}. A bound of a read follows from the machine's timing, the policies of its controller, and how many requests may be under way; \
             nothing of it is measured. Cycles are of the memory clock."
        ))
        .table(reads);
    if evidence.bounds.is_empty() {
        return Ok(vec![Section::new(BOUNDS).paragraph(
            "There are none: the plan's tasks name no program, so that `fresco bound` has nothing to run. Section 7 says what their WCETs rest on: as they are given, or measured alone with what other cores cost added.",
        )]);
    }
    if let Some(figure) = figure(evidence, provenance)? {
        section = section.figure(figure, "The longest read of each task: bound, attacks, simulation.");
    }
    if !work.rows().is_empty() {
        section = section.table(work).paragraph("Bounds of work assume:").list(
            [
                "a read that takes longer by some time makes the work longer by no more (no timing anomalies)",
                "alone a task has done what it does with others: the same lines miss",
                "the work that was seen alone is the longest: inputs that make it longer must be run",
            ]
            .map(str::to_owned)
            .to_vec(),
        );
    }
    if !without.is_empty() {
        let columns = ["task", "of its", "no bound, because", "cheapest way out"];
        section = section.table(texts("Without a bound", &columns, without)?);
    }
    match evidence.bounds.iter().any(|bound| bound.read_ps.is_some()) {
        true => Ok(vec![section, parts]),
        false => Ok(vec![section]),
    }
}

/// Tasks with bounds of reads, those with the same parts together.
fn alike(bounds: &[BoundFacts]) -> Vec<Vec<&BoundFacts>> {
    let mut groups: Vec<Vec<&BoundFacts>> = Vec::new();
    for bound in bounds.iter().filter(|bound| bound.read_ps.is_some()) {
        match groups.iter_mut().find(|group| group[0].terms == bound.terms) {
            Some(group) => group.push(bound),
            None => groups.push(vec![bound]),
        }
    }
    groups
}

/// The parts of the bound of tasks that have the same.
fn terms(alike: &[&BoundFacts]) -> Result<Table, ReportError> {
    let names: Vec<&str> = alike.iter().map(|bound| bound.task.as_str()).collect();
    let longest = alike[0].read_ps.unwrap_or_default();
    let columns = vec![
        Column::text("part"),
        Column::number("cycles", "", 0),
        Column::text("formula"),
    ];
    let title = format!("{}: a read takes at most {}", names.join(", "), at_most(longest));
    let mut table = Table::new(title, columns);
    for term in &alike[0].terms {
        table.push(vec![term.term.into(), Cell::Count(term.cycles), term.formula.into()])?;
    }
    Ok(table)
}

/// Bounds beside what was found, where there are bounds.
fn figure(evidence: &Evidence, provenance: &Provenance) -> Result<Option<Svg>, ReportError> {
    let bounded: Vec<_> = evidence
        .bounds
        .iter()
        .filter(|bound| bound.read_ps.is_some() && bound.is_measured)
        .collect();
    if bounded.is_empty() || bounded.len() > 16 {
        return Ok(None);
    }
    let bar = |time: Option<Ps>| {
        time.map(|time| Bar {
            value: time as f64 / 1000.0,
            spread: None,
        })
    };
    let mut chart = BarChart {
        heading: Heading::new(
            format!("{}: the longest read", evidence.name),
            "in its controller, of each measured task",
        ),
        groups_label: "task".to_owned(),
        groups: bounded.iter().map(|bound| bound.task.clone()).collect(),
        y: Axis::new("longest read", "ns").from_zero(),
        series: vec![BarSeries {
            name: "bound".to_owned(),
            bars: bounded.iter().map(|bound| bar(bound.read_ps)).collect(),
        }],
        reference: None,
    };
    if let Some(attacks) = &evidence.attacks {
        let of = |task: &str| {
            attacks
                .iter()
                .find(|attack| attack.task == task)
                .map(|attack| attack.observed_ps)
        };
        chart.series.push(BarSeries {
            name: "attacks".to_owned(),
            bars: bounded.iter().map(|bound| bar(of(&bound.task))).collect(),
        });
    }
    if bounded.iter().any(|bound| bound.observed_read_ps.is_some()) {
        chart.series.push(BarSeries {
            name: "simulation".to_owned(),
            bars: bounded.iter().map(|bound| bar(bound.observed_read_ps)).collect(),
        });
    }
    chart.to_svg(provenance).map(Some)
}

fn not_covered(evidence: &Evidence) -> Result<Section, ReportError> {
    let rows = evidence
        .not_covered
        .iter()
        .map(|gap| vec![gap.what.as_str().into(), gap.why.as_str().into()]);
    Ok(Section::new("8. What is not covered")
        .paragraph("Derived from the scenario, the machine and the command line; the last ones hold for each.")
        .table(texts("Not covered", &["what", "why"], rows.collect())?))
}

fn files(evidence: &Evidence) -> Result<Vec<Section>, ReportError> {
    let rows = evidence.files.iter().map(|file| {
        let command = file.command.clone().unwrap_or_else(|| "a copy".to_owned());
        vec![file.path.as_str().into(), file.what.as_str().into(), command.into()]
    });
    let digests = evidence
        .files
        .iter()
        .map(|file| vec![file.path.as_str().into(), file.sha256.as_str().into()]);
    let mut section = Section::new("9. Where each number is from")
        .paragraph("Each command, run in this folder by the same version of Fresco, prints the file again, byte for byte. `sha256sum -c SHA256SUMS` verifies the digests.")
        .table(texts("Files", &["file", "what it is", "command"], rows.collect())?)
        .table(texts("SHA-256", &["file", "digest"], digests.collect())?);
    if !evidence.subject.needs.is_empty() {
        section = section
            .paragraph("Commands need more than this folder:")
            .list(evidence.subject.needs.clone());
    }
    if evidence.attacks.is_some() {
        let command = format!(
            "fresco attack {} --replay {}",
            evidence.subject.file,
            super::runs::ATTACK
        );
        section = section.paragraph(format!(
            "The worst attacks are played once more, with the DRAM commands while the longest read waits, by: {command}{}",
            set_of(evidence)
        ));
    }
    Ok(vec![section])
}

/// `--set` of the scenario, where it is read as it stands.
fn set_of(evidence: &Evidence) -> String {
    match evidence.subject.kind {
        super::facts::Kind::Scenario => {
            let words = evidence.subject.set.iter();
            words
                .map(|word| format!(" --set {}", crate::provenance::quoted(word)))
                .collect()
        }
        _ => String::new(),
    }
}
