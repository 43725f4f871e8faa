// SPDX-License-Identifier: MIT OR Apache-2.0
//! A comparison as a page, with the largest changes as a figure.

use super::comparison::{Comparison, Row};
use super::show;
use super::sides::named;
use fresco_report::plot::{Axis, Bar, BarChart, BarSeries, Heading};
use fresco_report::{HtmlReport, Provenance, ReportError, Section};
use fresco_show::figures::Figure;

/// Bars of the figure, and rows of the table.
const MOST_BARS: usize = 10;
const MOST_ROWS: usize = 500;

/// The page and its figure; with `all` of what may be chance, too.
///
/// # Errors
/// None in practice: values are finite.
pub fn of(
    comparison: &Comparison,
    all: bool,
    provenance: &Provenance,
) -> Result<(HtmlReport, Vec<Figure>), ReportError> {
    let (before, after) = (&comparison.before, &comparison.after);
    let title = format!("{} beside {}", after.label, before.label);
    let mut page = HtmlReport::new(title, show::sentence(comparison), provenance.clone());
    let shown = comparison.shown(all);
    let mut section = Section::new("What has changed");
    let figures: Vec<Figure> = figure(comparison, &shown, provenance)?.into_iter().collect();
    for figure in &figures {
        section = section.figure(figure.svg.clone(), figure.caption.clone());
    }
    section = section.table(show::table(comparison, shown.iter().take(MOST_ROWS).copied())?);
    page.sections.push(section);
    let sides = format!("First: {}. Second: {}.", before.whole(), after.whole());
    let method = format!(
        "Values of the same scenario, axes, subject and metric are compared; samples are the values of seeds and repetitions. The interval is Welch's for the difference of two means, which presumes neither equal variances nor pairs. More than the spread: a difference among those that Benjamini and Hochberg's procedure picks from all that were compared, so that at most {:.3} % of these are chance. Where a side has one value alone there is no spread, and nothing is said.",
        100.0 * (1.0 - comparison.confidence)
    );
    page.sections
        .push(Section::new("How to read this").paragraph(sides).paragraph(method));
    Ok((page, figures))
}

/// The largest relative changes with their intervals.
fn figure(comparison: &Comparison, shown: &[&Row], provenance: &Provenance) -> Result<Option<Figure>, ReportError> {
    // Changes of one kind stand on one scale: those of the metric that is looked at first.
    let Some(first) = shown.first() else { return Ok(None) };
    let same_metric = |row: &&&Row| row.of.metric == first.of.metric;
    let shown: Vec<&Row> = shown.iter().filter(same_metric).copied().collect();
    // A bar is labelled by what tells it apart from the others.
    let axes = first.of.axes.iter().map(|(name, _)| name.as_str());
    let (apart, common): (Vec<&str>, Vec<&str>) = ["scenario", "subject"]
        .into_iter()
        .chain(axes)
        .partition(|name| shown.iter().any(|row| part(row, name) != part(first, name)));
    let label = |row: &Row| match apart[..] {
        [] => row.of.subject.clone(),
        _ => apart.iter().map(|name| part(row, name)).collect::<Vec<_>>().join(", "),
    };
    let bars: Vec<(String, Bar)> = shown
        .iter()
        .filter_map(|row| {
            let (change, found, base) = (row.relative?, row.difference?, row.before.abs());
            let bar = Bar {
                value: 100.0 * change,
                spread: Some((100.0 * found.low / base, 100.0 * found.high / base)),
            };
            // Rounding may not put the bar beside its own interval.
            let (low, high) = bar.spread?;
            Some((
                label(row),
                Bar {
                    spread: Some((low.min(bar.value), high.max(bar.value))),
                    ..bar
                },
            ))
        })
        .take(MOST_BARS)
        .collect();
    if bars.is_empty() {
        return Ok(None);
    }
    let heading = Heading::new(
        "Largest changes",
        format!(
            "{} over {}, with intervals of {} %",
            comparison.after.label,
            comparison.before.label,
            100.0 * comparison.confidence
        ),
    );
    let (groups, bars): (Vec<String>, Vec<Bar>) = bars.into_iter().unzip();
    let common: Vec<String> = common.into_iter().map(|name| named(name, part(first, name))).collect();
    let chart = BarChart {
        heading: heading.described("Change of the second over the first, with its interval."),
        groups_label: apart.join(", "),
        groups,
        y: Axis::new(format!("change of {}", first.of.metric.replace('_', " ")), "%"),
        series: vec![BarSeries {
            name: "change".to_owned(),
            bars: bars.into_iter().map(Some).collect(),
        }],
        reference: None,
    };
    Ok(Some(Figure {
        name: "changes".to_owned(),
        svg: chart.to_svg(provenance)?,
        caption: format!(
            "Change of the mean{}; whiskers: interval of the difference. The table has the other metrics.",
            match common.is_empty() {
                true => String::new(),
                false => format!(", all of {}", common.join(", ")),
            }
        ),
    }))
}

/// Of what was measured the scenario, the subject, or the value of an axis; empty without.
fn part<'r>(row: &'r Row, name: &str) -> &'r str {
    match name {
        "scenario" => &row.of.scenario,
        "subject" => &row.of.subject,
        name => row
            .of
            .axes
            .iter()
            .find(|(axis, _)| axis == name)
            .map_or("", |(_, value)| value),
    }
}
