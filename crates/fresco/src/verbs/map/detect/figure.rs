// SPDX-License-Identifier: MIT OR Apache-2.0
//! Latencies of pairs of lines as a figure: what parts conflicts from the rest.

use super::report::DetectReport;
use crate::failure::Failure;
use fresco_detect::Detection;
use fresco_report::Provenance;
use fresco_report::plot::{Axis, CdfChart, Distribution, Heading, Svg};

/// The distributions of contrasts of random pairs, of pairs within classes and across; `None` if no pair stood out.
pub fn contrasts(report: &DetectReport, found: &Detection, provenance: &Provenance) -> Result<Option<Svg>, Failure> {
    let Some(contrasts) = &found.contrasts else {
        return Ok(None);
    };
    let title = format!("Row conflicts of {}: {}", report.machine(), found.verdict);
    let subtitle = format!("conflicts are above {:.1} ns", contrasts.threshold);
    let groups = [
        ("two random lines", &contrasts.random),
        ("two lines of a class", &contrasts.within),
        ("a line of a class and one outside", &contrasts.across),
    ];
    let series = groups.into_iter().filter(|(_, samples)| !samples.is_empty());
    let chart = CdfChart {
        heading: Heading::new(title, subtitle),
        x: Axis::new("time of a pair beyond that of its lines", "ns"),
        y_label: "share of pairs".to_owned(),
        distributions: series
            .map(|(name, samples)| Distribution::of_samples(name, samples))
            .collect::<Result<_, _>>()?,
    };
    Ok(Some(chart.to_svg(provenance)?))
}
