// SPDX-License-Identifier: MIT OR Apache-2.0
//! A calibration as a page: ours over measured, a figure for each share of reads.

use super::report::{Report, Share};
use super::show::{sentences, tables};
use fresco_report::plot::{Axis, Between, Heading, LineChart, Point, Series};
use fresco_report::{HtmlReport, Provenance, ReportError, Section};
use fresco_show::figures::Figure;

/// The page and its figures.
///
/// # Errors
/// None in practice: results hold no numbers that cannot be shown.
pub fn of(report: &Report, provenance: &Provenance) -> Result<(HtmlReport, Vec<Figure>), ReportError> {
    let title = format!("{}: the model beside what was measured", report.machine);
    let mut page = HtmlReport::new(title, sentences(report).join(" "), provenance.clone());
    let figures = (report.shares.iter())
        .map(|share| figure(report, share, provenance))
        .collect::<Result<Vec<_>, _>>()?;
    let mut section = Section::new("Latency under load");
    for figure in &figures {
        section = section.figure(figure.svg.clone(), figure.caption.clone());
    }
    for table in tables(report, true)? {
        section = section.table(table);
    }
    page.sections.push(section);
    Ok((page, figures))
}

fn figure(report: &Report, share: &Share, provenance: &Provenance) -> Result<Figure, ReportError> {
    let heading = Heading::new(
        format!("{}: {} % reads", report.machine, share.reads),
        "latency of a dependent load beside traffic",
    )
    .described("The measured curve and the points of the model, from idleness to saturation.");
    let mut chart = LineChart::new(
        heading,
        Axis::new("traffic", "GB/s").from_zero(),
        Axis::new("latency", "ns").from_zero(),
    );
    chart.between = Between::Curve;
    let measured = share.comparison.measured.points.iter();
    let model = share.comparison.model.iter();
    chart.series = vec![
        Series {
            name: "measured".to_owned(),
            points: measured.map(|point| Point::new(point.gb_s, point.ns)).collect(),
        },
        Series {
            name: match share.fitted || report.fitted.steps.is_empty() {
                true => "model",
                false => "model, held out",
            }
            .to_owned(),
            points: model.map(|point| Point::new(point.gb_s, point.ns)).collect(),
        },
    ];
    Ok(Figure {
        name: format!("reads-{}", share.reads),
        svg: chart.to_svg(provenance)?,
        caption: String::new(),
    })
}
