// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lines over the horizontal axis of a sweep: time and latency against the number of co-runners.

use super::subject::Subject;
use super::sweep::{CORUNNERS, Sweep, label};
use fresco_report::plot::{Axis, Heading, LineChart, Point, Reference, Series, Svg};
use fresco_report::{Provenance, ReportError};
use fresco_system::results::Spread;

/// What is drawn upwards.
#[derive(Clone, Copy)]
pub struct Quantity {
    /// Of what: "run time".
    pub label: &'static str,
    /// Its unit; "x" for a ratio.
    pub unit: &'static str,
    /// Its value of a subject; none if that has none.
    pub value: fn(&Subject<'_>) -> Option<Spread>,
}

impl Quantity {
    /// A ratio is seen from 1, all else from 0.
    pub fn axis(&self) -> Axis {
        match self.unit {
            "x" => Axis::ratio(self.label),
            unit => Axis::new(self.label, unit).from_zero(),
        }
    }
}

/// A chart.
pub struct Lines {
    /// The drawing.
    pub svg: Svg,
    /// What its reader has to know of the line to compare with; empty if it has none.
    pub note: String,
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
) -> Result<Option<Lines>, ReportError> {
    let Some(across) = sweep.across else { return Ok(None) };
    let mut chart = LineChart::new(
        heading(sweep, panel, format!("{} of {task}", quantity.label)),
        axis_across(sweep, across),
        quantity.axis(),
    );
    // Means of the points that others are compared with, and whether all of them are without co-runners.
    let (mut bases, mut alone) = (Vec::new(), is_across(sweep, CORUNNERS));
    for compared in 0..sweep.count(sweep.compared) {
        let mut points = Vec::new();
        for number in 0..sweep.count(sweep.across) {
            let point = sweep.point(panel, compared, number);
            let Some(spread) = Subject::at(point, task).and_then(|subject| (quantity.value)(&subject)) else {
                continue;
            };
            if sweep.is_baseline(point) {
                bases.push(spread.mean);
                alone &= sweep.x(number) == 0.0;
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
    if chart.series.is_empty() {
        return Ok(None);
    }
    let mut note = String::new();
    if let Some(value) = agreed(&bases) {
        let (name, points) = if alone {
            ("alone", "without co-runners")
        } else {
            ("compared with", "that the others are compared with")
        };
        note =
            format!("Grey dotted line, \u{201c}{name}\u{201d}: mean of the points {points}, which agree within 1 %.");
        chart.reference = Some(Reference {
            name: name.to_owned(),
            value,
        });
    }
    let svg = chart.to_svg(provenance)?;
    Ok(Some(Lines { svg, note }))
}

/// From this ratio of the largest to the smallest value on, a sweep has a logarithmic axis.
const WIDE: f64 = 20.0;

/// The horizontal axis.
fn axis_across(sweep: &Sweep<'_>, across: usize) -> Axis {
    let axis = Axis::new(label(&sweep.result.axes[across].name), "");
    let [least, most] = [sweep.least(), sweep.most()].map(|number| sweep.x(number));
    match least > 0.0 && most / least >= WIDE {
        true => axis.logarithmic(),
        false => axis,
    }
}

/// Returns true if the horizontal axis is that of this name.
fn is_across(sweep: &Sweep<'_>, name: &str) -> bool {
    sweep.across.is_some_and(|axis| sweep.result.axes[axis].name == name)
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

/// The mean of values that are the same everywhere, to 1 %: then it is one reference for all lines.
fn agreed(values: &[f64]) -> Option<f64> {
    let Spread {
        count, mean, min, max, ..
    } = Spread::of(values.iter().copied());
    (count > 1 && max - min <= 0.01 * min).then_some(mean)
}

#[cfg(test)]
mod tests {
    use super::agreed;

    #[test]
    fn values_agree_within_a_percent_and_their_mean_stands_for_them() {
        assert_eq!(agreed(&[100.0, 101.0]), Some(100.5));
        assert_eq!(agreed(&[100.0, 101.1]), None);
        // One point is no line to compare others with.
        assert_eq!((agreed(&[100.0]), agreed(&[])), (None, None));
    }
}
