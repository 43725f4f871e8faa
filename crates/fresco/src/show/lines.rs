// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lines over the horizontal axis of a sweep: time and latency against the number of co-runners.

use super::subject::Subject;
use super::sweep::{Sweep, label};
use fresco_report::plot::{Axis, Heading, LineChart, Point, Reference, Series, Svg};
use fresco_report::{Provenance, ReportError};
use fresco_system::results::Spread;

/// What is drawn upwards.
#[derive(Clone, Copy)]
pub struct Quantity {
    /// Of what: "run time".
    pub label: &'static str,
    pub unit: &'static str,
    pub value: fn(&Subject<'_>) -> Option<Spread>,
}

/// A line for each compared value. `None` if there is nothing to draw.
///
/// # Errors
/// None in practice; see [`LineChart::to_svg`].
pub fn chart(
    sweep: &Sweep<'_>,
    panel: &[usize],
    task: &str,
    quantity: &Quantity,
    provenance: &Provenance,
) -> Result<Option<Svg>, ReportError> {
    let Some(across) = sweep.across else { return Ok(None) };
    let mut chart = LineChart::new(
        heading(sweep, panel, format!("{} of {task}", quantity.label)),
        Axis::new(label(&sweep.result.axes[across].name), ""),
        Axis::new(quantity.label, quantity.unit).from_zero(),
    );
    let mut alone = Vec::new();
    for compared in 0..sweep.count(sweep.compared) {
        let mut points = Vec::new();
        for number in 0..sweep.count(sweep.across) {
            let point = sweep.point(panel, compared, number);
            let Some(spread) = Subject::at(point, task).and_then(|subject| (quantity.value)(&subject)) else {
                continue;
            };
            if sweep.is_baseline(point) {
                alone.push(spread.mean);
            }
            points.push(point_of(sweep.x(number), &spread));
        }
        if !points.is_empty() {
            let name = match sweep.value(sweep.compared, compared) {
                "" => task.to_owned(),
                name => name.to_owned(),
            };
            chart.series.push(Series { name, points });
        }
    }
    chart.reference = agreed(&alone).map(|value| Reference {
        name: "single run".to_owned(),
        value,
    });
    if chart.series.is_empty() {
        return Ok(None);
    }
    chart.to_svg(provenance).map(Some)
}

/// Title, which begins with a capital letter then, and subtitle of a figure.
pub fn heading(sweep: &Sweep<'_>, panel: &[usize], mut title: String) -> Heading {
    let result = sweep.result;
    let mut subtitle = vec![
        result.scenario.clone(),
        super::table::machines(&result.points).join(", "),
    ];
    if !panel.is_empty() {
        subtitle.insert(0, sweep.panel_name(panel));
    }
    if let Some(first) = title.get_mut(0..1) {
        first.make_ascii_uppercase();
    }
    let compared = sweep.compared.map(|axis| label(&result.axes[axis].name));
    let description = match (sweep.across, compared) {
        (Some(axis), Some(compared)) => {
            format!(
                "{title} against {}, a line for each {compared}.",
                label(&result.axes[axis].name)
            )
        }
        (_, compared) => format!("{title} by {}.", compared.unwrap_or_default()),
    };
    Heading::new(title, subtitle.join("; ")).described(description)
}

/// A point; its spread is drawn if there was one.
pub fn point_of(x: f64, spread: &Spread) -> Point {
    if spread.count > 1 {
        Point::with_spread(x, spread.mean, spread.min.min(spread.mean), spread.max.max(spread.mean))
    } else {
        Point::new(x, spread.mean)
    }
}

/// Values that are the same everywhere, to 1 %: then the task alone is one reference for all lines.
fn agreed(values: &[f64]) -> Option<f64> {
    let first = *values.first()?;
    (values.len() > 1 && values.iter().all(|value| (value - first).abs() <= 0.01 * first)).then_some(first)
}
