// SPDX-License-Identifier: MIT OR Apache-2.0
//! Figures on a phone, and where points stand.

use crate::support::{assert_golden, provenance};
use fresco_report::plot::{Axis, Bar, BarChart, BarSeries, Heading, LineChart, Point, Reference, Series};
use fresco_report::{Column, HtmlReport, Section, Table};

/// Three policies beside none to three others, with spreads that overlap.
fn lines() -> LineChart {
    let mut chart = LineChart::new(
        Heading::new("Latency of foreground", "camc-fig2.7; opteron-6128"),
        Axis::new("co-runners", ""),
        Axis::new("mean latency of memory reads", "ns").from_zero(),
    );
    let series = |(name, grows): (&str, f64)| Series {
        name: name.to_owned(),
        points: (0..4)
            .map(f64::from)
            .map(|n| Point::with_spread(n, 20.0 + grows * n, 15.0, 30.0 + grows * n))
            .collect(),
    };
    chart.series = [("same_bank", 9.0), ("diff_bank", 3.0), ("diff_controller", 0.0)]
        .map(series)
        .to_vec();
    chart.reference = Some(Reference {
        name: "alone".to_owned(),
        value: 20.0,
    });
    chart
}

/// The values of an attribute, in the order of the document.
fn attribute(svg: &str, name: &str) -> Vec<f64> {
    let start = format!(" {name}=\"");
    let values = svg.split(start.as_str()).skip(1);
    values.filter_map(|rest| rest.split('"').next()?.parse().ok()).collect()
}

/// The points of the polylines.
fn polylines(svg: &str) -> Vec<Vec<(i32, i32)>> {
    let points = svg
        .split("<polyline")
        .skip(1)
        .filter_map(|rest| rest.split("points=\"").nth(1)?.split('"').next());
    let pixel = |text: &str| {
        let (x, y) = text.split_once(',')?;
        Some((x.parse().ok()?, y.parse().ok()?))
    };
    points
        .map(|line| line.split_whitespace().filter_map(pixel).collect())
        .collect()
}

#[test]
fn points_of_all_series_stand_on_their_x_and_clear_of_the_axis() {
    let svg = lines().to_svg(&provenance()).unwrap();
    for text in [svg.as_str(), svg.narrow()] {
        let all = polylines(text);
        let series: Vec<_> = all.iter().filter(|line| line.len() == 4).collect();
        assert_eq!(series.len(), 3);
        let places = |line: &[(i32, i32)]| line.iter().map(|point| point.0).collect::<Vec<_>>();
        assert!(series.iter().all(|line| places(line) == places(series[0])));
        // Grid lines reach from one end of the axis to the other; a marker is 5 pixels to each side.
        let grid = all.iter().filter(|line| line.len() == 2 && line[0].1 == line[1].1);
        let widest = grid.max_by_key(|line| line[1].0 - line[0].0).unwrap();
        let (first, last) = (series[0][0].0, series[0][3].0);
        assert!(
            first - 5 > widest[0].0 && last + 5 < widest[1].0,
            "{first} {last} {widest:?}"
        );
        // Whiskers stand at the points, and their caps differ.
        let caps = |line: &&Vec<(i32, i32)>| line.len() == 2 && line[0].0 + line[1].0 == 2 * first && line[0].0 < first;
        let mut widths: Vec<i32> = all.iter().filter(caps).map(|line| line[1].0 - line[0].0).collect();
        widths.sort_unstable();
        widths.dedup();
        assert_eq!(widths.len(), 3, "{widths:?}");
    }
}

#[test]
fn a_phone_gets_letters_as_large_on_half_the_width() {
    let groups = ["same_bank alone", "same_bank +3", "diff_bank +3", "diff_controller +3"];
    let bars = BarChart {
        heading: Heading::new("Slowdown of a program with a name, and of others", "xeon-w3530"),
        groups_label: "policy, co-runners".to_owned(),
        groups: groups.map(str::to_owned).to_vec(),
        y: Axis::new("slowdown", "x"),
        series: vec![BarSeries {
            name: "foreground".to_owned(),
            bars: [1.0, 7.97, 2.75, 1.15]
                .map(|value| Some(Bar { value, spread: None }))
                .to_vec(),
        }],
        reference: None,
    };
    for svg in [
        lines().to_svg(&provenance()).unwrap(),
        bars.to_svg(&provenance()).unwrap(),
    ] {
        assert!(svg.narrow().starts_with("<svg width=\"360\"") && svg.narrow().contains("viewBox=\"0 0 360 "));
        for name in ["x", "x1", "x2", "cx"] {
            let all = attribute(svg.narrow(), name);
            assert!(all.iter().all(|x| (0.0..=360.0).contains(x)), "{name}: {all:?}");
        }
        let smallest = |text: &str| attribute(text, "font-size").into_iter().fold(f64::INFINITY, f64::min);
        assert_eq!(smallest(svg.narrow()), smallest(svg.as_str()));
        assert!(smallest(svg.narrow()) > 7.0);
    }
    // Names at the ends of lines have no room there: they are in the legend, that of the reference too.
    let svg = lines().to_svg(&provenance()).unwrap();
    for name in ["same_bank", "diff_bank", "diff_controller", "alone"] {
        assert_eq!(svg.narrow().matches(&format!("\n{name}\n")).count(), 1, "{name}");
    }
    assert_golden("line_narrow.svg", svg.narrow());
}

#[test]
fn tick_labels_do_not_run_into_each_other() {
    let mut chart = lines();
    chart.x = Axis::new("bytes", "");
    for series in &mut chart.series {
        series.points = (0..9).map(|n| Point::new(1e6 + f64::from(n) * 1000.0, 1.0)).collect();
    }
    let svg = chart.to_svg(&provenance()).unwrap();
    let labels = |text: &str| text.matches("\n1.00").count();
    assert_eq!(labels(svg.as_str()), 9);
    assert!((3..9).contains(&labels(svg.narrow())), "{}", svg.narrow());
}

#[test]
fn a_page_shows_one_of_the_two_and_needs_no_scrolling_for_it() {
    let svg = lines().to_svg(&provenance()).unwrap();
    let mut table = Table::new("t", vec![Column::text("policy"), Column::number("max", "ns", 0)]);
    table.push(vec!["same_bank".into(), 42.0.into()]).unwrap();
    let mut report = HtmlReport::new("t", "", provenance());
    report.sections = vec![Section::new("s").figure(svg.clone(), "").table(table)];
    let page = report.to_html();
    assert_eq!(page.matches(svg.wide().trim_end()).count(), 1);
    assert_eq!(page.matches(svg.narrow().trim_end()).count(), 1);
    assert!(page.contains("<div class=\"wide\"><svg") && page.contains("<div class=\"narrow\"><svg"));
    let style = page.split("</style>").next().unwrap();
    let phone = style.split("(max-width:40rem)").nth(1).unwrap();
    assert!(phone.contains("figure.plot>.wide{display:none}") && phone.contains("figure.plot>.narrow{display:block}"));
    assert!(!style.contains("svg{display:block;width:100%;min-width"));
    // A table that is wider scrolls beside its first column.
    assert!(style.contains("th:first-child,td:first-child{position:sticky;left:0}"));
}
