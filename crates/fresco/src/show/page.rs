// SPDX-License-Identifier: MIT OR Apache-2.0
//! The page that `fresco sim --out` writes.

use super::figures::{self, Figure};
use super::sweep::Sweep;
use super::table::{self, Tasks};
use super::{lead, subject};
use fresco_report::{HtmlReport, InputFile, Provenance, ReportError, Section};
use fresco_system::Extent;
use fresco_system::results::ScenarioResult;

/// The page and the figures on it.
///
/// # Errors
/// None in practice: results hold no numbers that cannot be shown.
pub fn of(results: &[ScenarioResult], provenance: &Provenance) -> Result<(HtmlReport, Vec<Figure>), ReportError> {
    let title = match results {
        [one] if !one.title.is_empty() => one.title.clone(),
        _ => "Memory interference".to_owned(),
    };
    let mut short = Vec::new();
    let mut sections = Vec::new();
    let mut all = Vec::new();
    for result in results {
        let sweep = Sweep::new(result);
        short.push(lead::sentences(&sweep));
        let figures = figures::of(&sweep, &provenance_of(result, provenance))?;
        sections.push(section(&sweep, &figures)?);
        all.extend(figures);
    }
    let lead = match short.as_slice() {
        [one] => one.join(" "),
        _ => String::new(),
    };
    let mut page = HtmlReport::new(title, lead, provenance.clone());
    if short.len() > 1 {
        let first = |(result, sentences): (&ScenarioResult, Vec<String>)| {
            Some(format!("{}: {}", result.scenario, sentences.into_iter().next()?))
        };
        let items = std::iter::zip(results, short).filter_map(first).collect();
        page.sections.push(Section::new("In short").list(items));
    }
    page.sections.extend(sections);
    page.sections.push(reading());
    Ok((page, all))
}

/// What was run for one scenario, for the foot of its figures.
pub fn provenance_of(result: &ScenarioResult, whole: &Provenance) -> Provenance {
    let mut provenance = whole.clone();
    let is_its_machine = |file: &InputFile| result.points.iter().any(|point| point.machine_digest == file.digest);
    provenance.machine_files.retain(is_its_machine);
    let inputs = std::mem::take(&mut provenance.inputs);
    if provenance.scenario.is_none() {
        provenance.scenario = inputs.into_iter().find(|file| file.name.contains(&result.scenario));
    }
    provenance.seed = result.seed;
    provenance
}

fn section(sweep: &Sweep<'_>, figures: &[Figure]) -> Result<Section, ReportError> {
    let result = sweep.result;
    let heading = if result.title.is_empty() {
        &result.scenario
    } else {
        &result.title
    };
    let mut section = Section::new(heading.clone()).paragraph(lead::sentences(sweep).join(" "));
    for figure in figures {
        section = section.figure(figure.svg.clone(), figure.caption.clone());
    }
    section = section.table(table::of(sweep, Tasks::Measured)?);
    let background = result
        .points
        .iter()
        .any(|point| point.tasks.len() > subject::measured(result).len());
    if background {
        section = section.table(table::of(sweep, Tasks::Background)?);
    }
    Ok(section.paragraph(how(result)))
}

/// What was simulated for each point.
pub fn how(result: &ScenarioResult) -> String {
    let Some(point) = result.points.first() else {
        return String::new();
    };
    let repeated = match result.repetitions {
        1 => "one run for each row".to_owned(),
        times => format!(
            "{times} runs for each row, with seeds {} to {}",
            result.seed,
            result.seed + u64::from(times) - 1
        ),
    };
    let (warm_up, measure) = (extent(point.warm_up), extent(point.measure));
    format!(
        "Scenario {}: {repeated}; each measured task warms up for {warm_up} and is measured for {measure}.",
        result.scenario
    )
}

fn extent(extent: Extent) -> String {
    match extent {
        Extent::Passes(1) => "one pass over its data".to_owned(),
        Extent::Passes(passes) => format!("{passes} passes over its data"),
        Extent::Operations(operations) => format!("{operations} loads and stores"),
        Extent::Time(time) => fresco_input::format_duration(time),
    }
}

/// What the columns and colours mean.
fn reading() -> Section {
    Section::new("How to read this").list(
        [
            "Slowdown: instructions per cycle of the run it is compared with, divided by those of this run.",
            "Mean, p99, max: latency of the reads that missed all caches, from the access to the data at the core.",
            "Row h/m/c: of these reads, how many percent found their row open, their bank closed, or another row open.",
            "Caches and path: looking up the caches, to the controller and back. Own commands: activation, column access and data of the read itself.",
            "Bank, bus and rank, refresh, queue: time the read waited for its bank, for the data bus or rank timing, for a refresh, and in the controller's queues while none of these held it up.",
            "Traffic: bytes of lines read and written per second. LLC misses: of the measured phase, mean of the repetitions.",
        ]
        .map(str::to_owned)
        .to_vec(),
    )
}
