// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the time of a read went: stacked bars, one for each compared value, alone and with most co-runners.

use super::lines::heading;
use super::subject::{PARTS, Subject};
use super::sweep::{CORUNNERS, Sweep, label};
use fresco_report::plot::{Axis, Layer, StackedChart, Svg};
use fresco_report::{Provenance, ReportError};
use fresco_system::results::Anatomy;

/// Parts that nowhere make up this share of the highest bar are left out.
const LEAST: f64 = 0.002;

/// The stacked bars of a task. `None` if it read nothing from memory.
///
/// # Errors
/// None in practice; see [`StackedChart::to_svg`].
pub fn chart(
    sweep: &Sweep<'_>,
    panel: &[usize],
    task: &str,
    provenance: &Provenance,
) -> Result<Option<Svg>, ReportError> {
    let mut across = vec![sweep.least(), sweep.most()];
    across.dedup();
    let bar = |compared: usize, number: usize| {
        let subject = Subject::at(sweep.point(panel, compared, number), task)?;
        (subject.reads() > 0).then(|| (name(sweep, compared, number), subject.anatomy()))
    };
    // What is the same for all of them stands there once.
    let compared = 0..sweep.count(sweep.compared);
    let least: Vec<Anatomy> = compared
        .clone()
        .filter_map(|value| Some(bar(value, across[0])?.1))
        .collect();
    let same = across.len() > 1 && least.len() > 1 && least.iter().all(|one| near(total(one), total(&least[0])));
    let mut bars: Vec<(String, Anatomy)> = Vec::new();
    for compared in compared {
        for &number in &across {
            let is_first = compared == 0 && number == across[0];
            match bar(compared, number) {
                Some((name, anatomy)) if same && is_first => {
                    let compared = sweep.value(sweep.compared, compared);
                    bars.push((name.replacen(compared, "", 1).trim().to_owned(), anatomy));
                }
                Some(_) if same && number == across[0] => {}
                other => bars.extend(other),
            }
        }
    }
    if bars.is_empty() {
        return Ok(None);
    }
    let highest = bars.iter().map(|(_, anatomy)| total(anatomy)).fold(0.0, f64::max);
    // A part too small to be seen is left out, but keeps its place: so each part has its color in every figure.
    let layers = PARTS.iter().map(|(name, _, part)| {
        let values = bars.iter().map(|(_, anatomy)| part(anatomy));
        let seen = values.clone().any(|value| value > LEAST * highest);
        Layer {
            name: (*name).to_owned(),
            values: values.map(|value| if seen { value } else { 0.0 }).collect(),
        }
    });
    let axes = [sweep.compared, sweep.across].into_iter().flatten();
    let labels: Vec<String> = axes.map(|axis| label(&sweep.result.axes[axis].name)).collect();
    let mut heading = heading(sweep, panel, format!("where the time of {task}'s memory reads goes"));
    heading.description = format!("{}. One bar for each {}.", heading.title, labels.join(" and "));
    let chart = StackedChart {
        heading,
        bars_label: labels.join(", "),
        y: Axis::new("mean time of a read", "ns"),
        layers: layers.collect(),
        bars: bars.into_iter().map(|(name, _)| name).collect(),
    };
    chart.to_svg(provenance).map(Some)
}

fn total(anatomy: &Anatomy) -> f64 {
    PARTS.iter().map(|(_, _, part)| part(anatomy)).sum()
}

/// The same to 1 %.
fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 0.01 * b
}

/// `samebank +3`: the compared value, and the number of co-runners.
fn name(sweep: &Sweep<'_>, compared: usize, across: usize) -> String {
    let value = sweep.value(sweep.compared, compared);
    let Some(axis) = sweep.across else {
        return value.to_owned();
    };
    match (sweep.result.axes[axis].name.as_str(), sweep.value(sweep.across, across)) {
        (CORUNNERS, "0") => format!("{value} alone"),
        (CORUNNERS, number) => format!("{value} +{number}"),
        (_, number) => format!("{value} {number}"),
    }
}
