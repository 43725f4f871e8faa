// SPDX-License-Identifier: MIT OR Apache-2.0
//! Stacked bars on typical data, byte for byte, and on data at the edges.

use crate::support::{assert_golden, provenance};
use fresco_report::ReportError;
use fresco_report::plot::{Axis, Heading, Layer, StackedChart};

fn anatomy() -> StackedChart {
    let layer = |name: &str, values: [f64; 3]| Layer {
        name: name.to_owned(),
        values: values.to_vec(),
    };
    StackedChart {
        heading: Heading::new("Where the time of a read goes", "Xeon W3530")
            .described("Sharing a bank adds time for the bank."),
        bars_label: "policy".to_owned(),
        bars: ["alone", "samebank +3", "diffbank +3"].map(str::to_owned).to_vec(),
        y: Axis::new("mean time of a read", "ns"),
        layers: vec![
            layer("caches and path", [33.0, 33.0, 33.0]),
            layer("own commands", [48.0, 48.0, 48.0]),
            layer("bank", [0.0, 116.5, 0.25]),
        ],
    }
}

#[test]
fn the_figure_matches_its_golden_file() {
    assert_golden("stacked.svg", anatomy().to_svg(&provenance()).unwrap().as_str());
}

#[test]
fn totals_stand_above_and_layers_inside() {
    let svg = anatomy().to_svg(&provenance()).unwrap();
    let count = |text: &str| svg.as_str().matches(&format!("\n{text}\n")).count();
    // Two bars are 81 high, one is 197.5, rounded to even by the formatter; the thin layer has no number.
    assert_eq!((count("81"), count("198"), count("48"), count("0")), (2, 1, 3, 1));
}

#[test]
fn nothing_to_stack_is_said() {
    let mut none = anatomy();
    none.layers.clear();
    assert!(none.to_svg(&provenance()).unwrap().as_str().contains("no data"));
}

#[test]
fn a_part_that_no_bar_has_keeps_its_color_and_leaves_the_legend() {
    let mut chart = anatomy();
    let with_all = chart.to_svg(&provenance()).unwrap();
    chart.layers[1].values.fill(0.0);
    let without = chart.to_svg(&provenance()).unwrap();
    assert!(with_all.as_str().contains("own commands") && !without.as_str().contains("own commands"));
    // The block of "bank", in the legend.
    let third = "class=\"c3\"";
    for svg in [&with_all, &without] {
        assert!(svg.wide().contains(third), "{}", svg.as_str());
    }
}

#[test]
fn values_that_cannot_be_stacked_are_refused() {
    let refused = |change: fn(&mut StackedChart)| {
        let mut chart = anatomy();
        change(&mut chart);
        chart.to_svg(&provenance()).unwrap_err()
    };
    let negative = refused(|chart| chart.layers[1].values[0] = -1.0);
    assert!(matches!(negative, ReportError::Inconsistent { .. }), "{negative}");
    let short = refused(|chart| chart.layers[1].values.truncate(2));
    assert!(matches!(short, ReportError::Inconsistent { .. }), "{short}");
    let nan = refused(|chart| chart.layers[1].values[0] = f64::NAN);
    assert!(matches!(nan, ReportError::NotFinite { .. }), "{nan}");
}
