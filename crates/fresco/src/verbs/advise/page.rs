// SPDX-License-Identifier: MIT OR Apache-2.0
//! The advice as a page: sensitivity of each task, and the frontier.

use super::show::{sentences, tables, unit};
use fresco_advise::{Advice, Bench, Resource, Tried};
use fresco_report::plot::{Axis, Between, Heading, LineChart, Point, Series};
use fresco_report::{HtmlReport, Provenance, ReportError, Section};
use fresco_show::figures::Figure;

/// The page and its figures.
///
/// # Errors
/// None in practice: results hold no numbers that cannot be shown.
pub fn of(
    bench: &Bench,
    advice: &Advice,
    name: &str,
    provenance: &Provenance,
) -> Result<(HtmlReport, Vec<Figure>), ReportError> {
    let mut figures = Vec::new();
    // Ctrl-C may have come before the first partition.
    if !advice.tried.is_empty() {
        figures.push(frontier(advice, name, provenance)?);
    }
    for resource in [Resource::Banks, Resource::Llc, Resource::Bandwidth] {
        figures.extend(sensitivity(advice, name, resource, provenance)?);
    }
    let mut page = HtmlReport::new(
        format!("{name}: which partition?"),
        sentences(advice).join(" "),
        provenance.clone(),
    );
    let mut section = Section::new("Partitions and tasks");
    for figure in &figures {
        section = section.figure(figure.svg.clone(), figure.caption.clone());
    }
    for table in tables(bench, advice, true)? {
        section = section.table(table);
    }
    page.sections.push(section);
    let keys = advice.keys(bench);
    if !keys.is_empty() {
        page.sections
            .push(Section::new("The proposal, as --set takes it").list(keys));
    }
    page.sections.push(Section::new("How to read this").list(
        [
            "Set aside: the mean of three shares: of the machine's bank colors, of its cache colors, of the bandwidth that its \
             controllers guarantee. What is not set aside all other tasks share.",
            "Slowdown: instructions per cycle alone on the whole machine, divided by those here; of several copies the slowest.",
            "Alone with less: the task without the others, with so many bank colors of its node, so many cache colors, or under \
             a budget of so much bandwidth for each core.",
        ]
        .map(str::to_owned)
        .to_vec(),
    ));
    Ok((page, figures))
}

/// Largest slowdown against what is set aside: a point for each partition, and no line, as there is nothing between two.
fn frontier(advice: &Advice, name: &str, provenance: &Provenance) -> Result<Figure, ReportError> {
    let heading = Heading::new(
        format!("{name}: what isolation costs"),
        "largest slowdown of a measured task, for each partition that was run",
    )
    .described(
        "Each partition that was run: those on the frontier, which no cheaper one beats, the others, and the one proposed.",
    );
    let mut chart = LineChart::new(
        heading,
        Axis::new("set aside", "%").from_zero(),
        Axis::ratio("largest slowdown"),
    );
    chart.between = Between::Nothing;
    let proposed = advice.proposal();
    let of = |name: &str, is_in: &dyn Fn(&Tried) -> bool| Series {
        name: name.to_owned(),
        points: advice
            .tried
            .iter()
            .filter(|one| one.outcome.max_slowdown < f64::MAX && is_in(one))
            .map(|one| Point::new(100.0 * one.candidate.cost, one.outcome.max_slowdown))
            .collect(),
    };
    let is_proposed = |one: &Tried| proposed.is_some_and(|proposed| std::ptr::eq(one, proposed));
    let series = [
        of("on the frontier", &|one| one.on_frontier && !is_proposed(one)),
        of("beaten by a cheaper one", &|one| !one.on_frontier && !is_proposed(one)),
        of("proposed", &is_proposed),
    ];
    chart
        .series
        .extend(series.into_iter().filter(|series| !series.points.is_empty()));
    Ok(Figure {
        name: "frontier".to_owned(),
        svg: chart.to_svg(provenance)?,
        caption: "The further left and the lower the better; the table has all partitions.".to_owned(),
    })
}

/// Speed of each task with less of a resource; `None` if it was not varied.
fn sensitivity(
    advice: &Advice,
    name: &str,
    resource: Resource,
    provenance: &Provenance,
) -> Result<Option<Figure>, ReportError> {
    let of_resource = advice
        .curves
        .iter()
        .filter(|curve| curve.resource == resource && !curve.points.is_empty());
    let series: Vec<Series> = of_resource
        .map(|curve| Series {
            name: curve.task.clone(),
            points: curve
                .points
                .iter()
                .map(|(amount, speed)| Point::new(f64::from(*amount), 100.0 * speed))
                .collect(),
        })
        .collect();
    if series.is_empty() {
        return Ok(None);
    }
    let what = match resource {
        Resource::Banks => "banks",
        Resource::Llc => "cache",
        Resource::Bandwidth => "bandwidth",
    };
    let less = match resource {
        Resource::Banks => "fewer banks".to_owned(),
        Resource::Llc | Resource::Bandwidth => format!("less {what}"),
    };
    let heading = Heading::new(format!("{name}: speed with {less}"), "each task alone on the machine")
        .described("Speed relative to that with the whole machine.");
    let mut chart = LineChart::new(
        heading,
        Axis::new(what, unit(resource)).logarithmic(),
        Axis::new("speed", "%").from_zero(),
    );
    chart.series = series;
    Ok(Some(Figure {
        name: format!("sensitivity-{what}"),
        svg: chart.to_svg(provenance)?,
        caption: String::new(),
    }))
}
