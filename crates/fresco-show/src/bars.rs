// SPDX-License-Identifier: MIT OR Apache-2.0
//! Grouped bars for sweeps without a horizontal axis: programs in groups, a bar for each policy.

use super::lines::{Quantity, heading};
use super::subject::{Subject, measured};
use super::sweep::{Sweep, label};
use fresco_report::plot::{Bar, BarChart, BarSeries, Svg};
use fresco_report::{Provenance, ReportError};

/// A bar for each task, panel and compared value. `None` if there is nothing to draw.
///
/// # Errors
/// None in practice; see [`BarChart::to_svg`].
pub fn chart(sweep: &Sweep<'_>, quantity: &Quantity, provenance: &Provenance) -> Result<Option<Svg>, ReportError> {
    let tasks = measured(sweep.result);
    let panels = sweep.panels();
    // Where there is one group only, the compared values are the groups.
    let single = tasks.len() * panels.len() == 1;
    let compared = 0..sweep.count(sweep.compared);
    let bar = |panel: &[usize], task: &str, compared: usize| {
        let spread =
            Subject::at(sweep.point(panel, compared, 0), task).and_then(|subject| (quantity.value)(&subject))?;
        let range = (spread.min.min(spread.mean), spread.max.max(spread.mean));
        Some(Bar {
            value: spread.mean,
            spread: (spread.count > 1).then_some(range),
        })
    };
    let of_value = |number: usize| {
        let groups = panels
            .iter()
            .flat_map(|panel| tasks.iter().map(move |task| (panel, task)));
        BarSeries {
            name: sweep.value(sweep.compared, number).to_owned(),
            bars: groups.map(|(panel, task)| bar(panel, task, number)).collect(),
        }
    };
    let axis_label = |axis: usize| label(&sweep.result.axes[axis].name);
    let (groups_label, groups, series) = if single {
        let series = BarSeries {
            name: tasks[0].clone(),
            bars: compared
                .clone()
                .map(|number| bar(&panels[0], &tasks[0], number))
                .collect(),
        };
        let names = compared
            .map(|number| sweep.value(sweep.compared, number).to_owned())
            .collect();
        (sweep.compared.map_or(String::new(), axis_label), names, vec![series])
    } else {
        let name = |(panel, task): (&Vec<usize>, &String)| match (panel.is_empty(), tasks.len()) {
            (true, _) => task.clone(),
            (false, 1) => sweep.panel_name(panel),
            (false, _) => format!("{} {task}", sweep.panel_name(panel)),
        };
        let groups = panels
            .iter()
            .flat_map(|panel| tasks.iter().map(move |task| (panel, task)));
        let labels: Vec<String> = sweep.others.iter().map(|axis| axis_label(*axis)).collect();
        (
            labels.join(", "),
            groups.map(name).collect(),
            compared.map(of_value).collect(),
        )
    };
    let chart = BarChart {
        heading: heading(
            sweep,
            &[],
            format!("{} of {}", quantity.label, super::words::list(&tasks)),
        ),
        groups_label,
        groups,
        y: quantity.axis(),
        series,
        reference: None,
    };
    let is_empty = chart
        .series
        .iter()
        .all(|series: &BarSeries| series.bars.iter().all(Option::is_none));
    if is_empty {
        return Ok(None);
    }
    chart.to_svg(provenance).map(Some)
}

#[cfg(test)]
mod tests {
    use super::super::figures::of;
    use super::super::sweep::Sweep;
    use super::super::testing::short_run;
    use fresco_report::Provenance;

    #[test]
    fn slowdowns_start_at_one_and_other_quantities_at_zero() {
        let result = short_run("camc-fig2.4", &["sweep.program=[\"is\"]"]);
        let figures = of(&Sweep::new(&result), &Provenance::new("0", "test", 1)).expect("drawn");
        let named = |part: &str| {
            let figure = figures.iter().find(|figure| figure.name.contains(part)).expect(part);
            figure.svg.wide()
        };
        let slowdown = named("slowdown");
        assert!(slowdown.contains("slowdown (x), axis starts at 1") || slowdown.contains("slowdown (x), drawn from 1"));
        assert!(!slowdown.contains("\n0\n"), "{slowdown}");
        let latency = named("latency");
        assert!(latency.contains("\n0\n") && !latency.contains("axis starts") && !latency.contains("drawn from"));
    }
}
