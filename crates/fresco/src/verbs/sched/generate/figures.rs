// SPDX-License-Identifier: MIT OR Apache-2.0
//! Curves: fraction of sets accepted over utilisation, a figure for each density; and the page they stand on.

use super::accept::{Point, densities};
use super::sets::ShownRecipe;
use fresco_report::plot::{self, Axis, Heading, LineChart, Series};
use fresco_report::{HtmlReport, Provenance, ReportError, Section, Table};
use fresco_rt::acceptance::Method;
use fresco_rt::generate::Shares;
use fresco_show::figures::Figure;

/// A figure for each density, a line for each method.
pub fn of(
    points: &[Point],
    methods: &[Method],
    recipe: &ShownRecipe,
    provenance: &Provenance,
) -> Result<Vec<Figure>, ReportError> {
    let figure = |density: u32| {
        let mut chart = LineChart::new(
            Heading::new(format!("Task sets accepted, {density} Gb"), subtitle(recipe, points)),
            Axis::new("utilization", ""),
            Axis::new("fraction accepted", "").from_zero(),
        );
        for &method in methods {
            let own = points
                .iter()
                .filter(|point| point.density_gbit == density && point.method == method);
            chart.series.push(Series {
                name: method.name().to_owned(),
                points: own
                    .map(|point| plot::Point::new(point.utilization, point.fraction))
                    .collect(),
            });
        }
        Ok(Figure {
            name: format!("accepted-{density}gb"),
            svg: chart.to_svg(provenance)?,
            caption: format!("Fraction of random task sets that each method schedules with devices of {density} Gb."),
        })
    };
    densities(points).into_iter().map(figure).collect()
}

fn subtitle(recipe: &ShownRecipe, points: &[Point]) -> String {
    let shares = match recipe.shares {
        Shares::UUniFast => "UUniFast",
        Shares::Drs => "DRS",
    };
    let fewer = match points.iter().any(|point| point.sets < u64::from(recipe.sets)) {
        true => "up to ",
        false => "",
    };
    format!(
        "{fewer}{} sets of {} tasks at each point, {shares}",
        recipe.sets, recipe.tasks
    )
}

/// The page of a report.
pub fn page(
    points: &[Point],
    figures: &[Figure],
    tables: Vec<Table>,
    methods: &[Method],
    recipe: &ShownRecipe,
    provenance: &Provenance,
) -> HtmlReport {
    let methods: Vec<String> = methods.iter().map(|method| method.name().to_owned()).collect();
    let title = format!("Task sets accepted by {}", fresco_show::words::list(&methods));
    let lead = format!(
        "{}. Each curve is one method to schedule tasks and refresh on one core.",
        subtitle(recipe, points)
    );
    let mut page = HtmlReport::new(title, lead, provenance.clone());
    for (figure, table) in figures.iter().zip(tables) {
        let heading = figure.svg.title().to_owned();
        let section = Section::new(heading).figure(figure.svg.clone(), figure.caption.clone());
        page.sections.push(section.table(table));
    }
    let reading = "Tests are sound: what is accepted never misses, for sporadic tasks (auto-refresh, linear, periodic, \
                   table, aligned) or for the phases given (flat, colored-refresh). What is not accepted may still be \
                   schedulable by other servers, partitions or methods.";
    page.sections.push(Section::new("How to read this").paragraph(reading));
    page
}
