// SPDX-License-Identifier: MIT OR Apache-2.0
//! The page of a sweep: figures over the swept axes, how much each decides, extremes, failures.

use super::report::{AtPoint, Report, scaled, worded};
use super::show;
use fresco_report::plot::{Axis, BoxPlot, BoxStats, Heading, LineChart, Point, Series, SpreadStyle};
use fresco_report::{Column, HtmlReport, Provenance, ReportError, Section, Table};
use fresco_show::figures::{Figure, file_name};
use fresco_show::sweep::label;
use fresco_sweep::{Effect, Sweep};

/// Most figures; the table has the other axes.
const MOST_FIGURES: usize = 24;
/// Most boxes of a figure, and most failures of the page.
const MOST_BOXES: usize = 16;
const MOST_FAILURES: usize = 100;
/// Numbers that are so many times apart stand on a logarithmic axis.
const APART: f64 = 50.0;

/// The page and its figures.
///
/// # Errors
/// None in practice: results hold no numbers that cannot be shown.
pub fn of(sweep: &Sweep, report: &Report, provenance: &Provenance) -> Result<(HtmlReport, Vec<Figure>), ReportError> {
    let title = match sweep.spec.title.is_empty() {
        true => format!("Sweep {}", report.sweep),
        false => sweep.spec.title.clone(),
    };
    let mut page = HtmlReport::new(title, lead(report), provenance.clone());
    let mut figures = Vec::new();
    // Of each response the axes that decide most come first.
    let mut effects: Vec<&Effect> = report
        .effects
        .iter()
        .filter(|one| one.share >= show::LEAST_SHARE)
        .collect();
    effects.sort_by(|a, b| a.response.cmp(&b.response).then(b.share.total_cmp(&a.share)));
    let mut section = Section::new("What the axes do");
    for effect in effects.into_iter().take(MOST_FIGURES) {
        if let Some(figure) = figure(sweep, effect, provenance)? {
            section = section.figure(figure.svg.clone(), figure.caption.clone());
            figures.push(figure);
        }
    }
    section = section.table(show::effects(sweep, &report.effects)?);
    page.sections.push(section);
    page.sections.push(Section::new("Extremes").table(extremes(report)?));
    if !report.failures.is_empty() {
        page.sections.push(failures(report)?);
    }
    page.sections.push(reading());
    Ok((page, figures))
}

fn lead(report: &Report) -> String {
    let mut lead = format!("{} points of {}: {} done", report.points, report.scenario, report.done);
    for (count, what) in [(report.failed, "failed"), (report.missing, "missing")] {
        if count > 0 {
            lead.push_str(&format!(", {count} {what}"));
        }
    }
    lead + "."
}

fn figure(sweep: &Sweep, effect: &Effect, provenance: &Provenance) -> Result<Option<Figure>, ReportError> {
    let Some(column) = sweep.columns.iter().find(|column| column.key == effect.axis) else {
        return Ok(None);
    };
    let what = effect.response.words();
    let heading = Heading::new(
        format!("{}: {what}", sweep.spec.name),
        format!("over {}", label(&effect.axis)),
    );
    let heading = heading.described("Quartiles over the points with each value of the axis, whatever the others are.");
    let metric = effect.response.metric.replace('_', " ");
    let largest = effect.values.iter().map(|at| at.quartiles[4]).fold(0.0, f64::max);
    let (factor, short) = scaled(&effect.response.unit, largest);
    let y = match effect.response.unit.as_str() {
        "ratio" => Axis::ratio(metric),
        _ => Axis::new(metric, short).from_zero(),
    };
    let numbers: Option<Vec<f64>> = effect.values.iter().map(|at| at.value.parse().ok()).collect();
    let svg = match numbers.filter(|_| column.kind.is_number()) {
        Some(numbers) => {
            let (first, last) = (
                numbers.first().copied().unwrap_or(0.0),
                numbers.last().copied().unwrap_or(0.0),
            );
            let x = Axis::new(label(&effect.axis), column.unit.as_str());
            let x = if first > 0.0 && last / first >= APART {
                x.logarithmic()
            } else {
                x
            };
            let mut chart = LineChart::new(heading, x, y);
            chart.spread = SpreadStyle::Band;
            let point = |(x, at): (f64, &fresco_sweep::AtValue)| {
                let [_, low, median, high, _] = at.quartiles.map(|value| value * factor);
                Point::with_spread(x, median, low, high)
            };
            chart.series.push(Series {
                name: effect.response.task.clone(),
                points: numbers.into_iter().zip(&effect.values).map(point).collect(),
            });
            chart.to_svg(provenance)?
        }
        None if effect.values.len() > MOST_BOXES => return Ok(None),
        None => {
            let stats = |at: &fresco_sweep::AtValue| {
                let [min, q1, median, q3, max] = at.quartiles.map(|value| value * factor);
                BoxStats {
                    name: at.value.clone(),
                    min,
                    q1,
                    median,
                    q3,
                    max,
                    mean: Some(at.mean * factor),
                }
            };
            let boxes = BoxPlot {
                heading,
                boxes_label: label(&effect.axis),
                y,
                boxes: effect.values.iter().map(stats).collect(),
            };
            boxes.to_svg(provenance)?
        }
    };
    let share = 100.0 * effect.share;
    Ok(Some(Figure {
        name: file_name(&[&sweep.spec.name, &what, "over", &effect.axis]),
        svg,
        caption: format!(
            "Median and quartiles over the points; {share:.0} % of the variance between points ({}).",
            show::known(sweep, effect)
        ),
    }))
}

fn extremes(report: &Report) -> Result<Table, ReportError> {
    let columns = ["measured", "smallest", "point", "with", "largest", "point", "with"];
    let mut table = Table::new("Smallest and largest", columns.map(Column::text).to_vec());
    for one in &report.extremes {
        let value = |at: &AtPoint| worded(&one.response.unit, at.value);
        let cells = [&one.least, &one.most].map(|at| [value(at), at.point.to_string(), at.values.clone()]);
        let row = std::iter::once(one.response.words()).chain(cells.into_iter().flatten());
        table.push(row.map(Into::into).collect())?;
    }
    Ok(table)
}

fn failures(report: &Report) -> Result<Section, ReportError> {
    let mut table = Table::new("Failures", ["point", "sets", "why"].map(Column::text).to_vec());
    for failed in report.failures.iter().take(MOST_FAILURES) {
        let row = [failed.point.to_string(), failed.set.join(" "), failed.error.clone()];
        table.push(row.map(Into::into).to_vec())?;
    }
    let section = Section::new("What failed, and why").table(table);
    let others = report.failed as usize - report.failures.len().min(MOST_FAILURES);
    Ok(match others {
        0 => section,
        others => section.paragraph(format!("And {others} others: table points, column error.")),
    })
}

fn reading() -> Section {
    Section::new("How to read this").list(
        [
            "A value of a point is the mean of its repetitions.",
            "Median and quartiles at a value of an axis are those of all points that have it, whatever they have on the other axes. An axis of many different numbers is divided into parts with as many points each; a part stands at the mean of its numbers. Figures are of axes that decide 1 % or more.",
            "Share: variance of the means at the values of an axis over the variance of all points, the first-order index of a sensitivity analysis. Of an axis of a grid it is exact, of these points, where each value meets the same of all else, a sample being one more axis; such shares add up to 100 % at most, less what axes do together. Of sampled axes it is an estimate from so many samples as the table says, and of seeds, of axes in parts and where points are listed or missing, from points: what chance would show is taken off (Kelley's epsilon squared), and an axis that has another value at each point has none. Samples of several axes are never quite apart, so that their shares, each an estimate by itself, may add up to more than 100 %: more samples bring them nearer.",
            "observations.parquet has every value of every point, points.parquet what each point sets, its status and the error of those that failed.",
        ]
        .map(str::to_owned)
        .to_vec(),
    )
}
