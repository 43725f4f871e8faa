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
    let mut sides = format!("First: {}. Second: {}.", before.whole(), after.whole());
    if let Some(missing) = show::missing(comparison) {
        sides = format!("{sides} {missing}");
    }
    let method = format!(
        "Values of the same scenario, axes, subject and metric are compared; samples are the values of seeds and repetitions. The interval is Welch's for the difference of two means, which presumes neither equal variances nor pairs. More than the spread: a difference among those that Benjamini and Hochberg's procedure picks from all that were compared, so that at most {:.3} % of these are chance. Where a side has one value alone there is no spread, and nothing is said.",
        100.0 * (1.0 - comparison.confidence)
    );
    page.sections
        .push(Section::new("How to read this").paragraph(sides).paragraph(method));
    Ok((page, figures))
}

/// The largest relative changes with their intervals, of whatever metric: a share of what was there is one scale for all.
fn figure(comparison: &Comparison, shown: &[&Row], provenance: &Provenance) -> Result<Option<Figure>, ReportError> {
    let mut drawn: Vec<(&Row, f64)> = shown.iter().filter_map(|row| Some((*row, row.relative?))).collect();
    drawn.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    drawn.truncate(MOST_BARS);
    let Some((first, _)) = drawn.first().copied() else {
        return Ok(None);
    };
    // A bar is labelled by what tells it apart from the others.
    let mut axes: Vec<&str> = Vec::new();
    for (axis, _) in drawn.iter().flat_map(|(row, _)| &row.of.axes) {
        if !axes.contains(&axis.as_str()) {
            axes.push(axis);
        }
    }
    let (apart, common): (Vec<&str>, Vec<&str>) = ["metric", "scenario", "subject"]
        .into_iter()
        .chain(axes)
        .partition(|name| drawn.iter().any(|(row, _)| part(row, name) != part(first, name)));
    let label = |row: &Row| match apart[..] {
        [] => row.of.subject.clone(),
        _ => apart.iter().map(|name| part(row, name)).collect::<Vec<_>>().join(", "),
    };
    let bar = |(row, change): &(&Row, f64)| {
        let (value, base) = (100.0 * change, row.before.abs());
        let bar = Bar {
            value,
            // Rounding may not put the bar beside its own interval.
            spread: row.difference.map(|found| {
                let (low, high) = (100.0 * found.low / base, 100.0 * found.high / base);
                (low.min(value), high.max(value))
            }),
        };
        (label(row), bar)
    };
    let bars: Vec<(String, Bar)> = drawn.iter().map(bar).collect();
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
    let alike: Vec<String> = common.iter().map(|name| named(name, &part(first, name))).collect();
    let others = shown.len() - drawn.len();
    let chart = BarChart {
        heading: heading.described("Change of the second over the first, with its interval."),
        groups_label: apart.join(", "),
        groups,
        y: match common.contains(&"metric") {
            true => Axis::new(format!("change of {}", first.of.metric.replace('_', " ")), "%"),
            false => Axis::new("change", "%"),
        },
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
            "Change of the mean{}; whiskers: interval of the difference.{}",
            match alike.is_empty() {
                true => String::new(),
                false => format!(", all of {}", alike.join(", ")),
            },
            match others {
                0 => String::new(),
                others => format!(" The table has {others} more."),
            }
        ),
    }))
}

/// Of what was measured the metric in words, the scenario, the subject, or the value of an axis; empty without.
fn part(row: &Row, name: &str) -> String {
    match name {
        "metric" => row.of.metric.replace('_', " "),
        "scenario" => row.of.scenario.clone(),
        "subject" => row.of.subject.clone(),
        name => {
            let own = row.of.axes.iter().find(|(axis, _)| axis == name);
            own.map_or(String::new(), |(_, value)| value.clone())
        }
    }
}
