// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a figure must not mislead its reader about: where bars start, what a scale is, what was measured; and that it can
//! be read on a light and on a dark screen.

use crate::support::charts::*;
use crate::support::svg::{attribute, lines, number, tags, texts};
use fresco_report::plot::*;
use fresco_report::{HtmlReport, Provenance, Section};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn provenance() -> Provenance {
    Provenance::new("0.1.0", "fresco sim first", 1)
}

/// A figure of every kind.
fn all() -> Vec<Svg> {
    let provenance = provenance();
    let mut band = palloc_chart();
    band.spread = SpreadStyle::Band;
    let gantt = Gantt {
        to_ns: 64,
        styles: vec![(BarStyle::Hatched, "waits".to_owned())],
        lanes: vec![Lane {
            name: "a".to_owned(),
            bars: vec![
                GanttBar {
                    to_ns: 30,
                    label: "a1".to_owned(),
                    key: "a".to_owned(),
                    ..GanttBar::default()
                },
                GanttBar {
                    from_ns: 30,
                    to_ns: 60,
                    style: BarStyle::Hatched,
                    ..GanttBar::default()
                },
            ],
            marks: vec![Mark {
                at_ns: 40,
                kind: MarkKind::Miss,
            }],
            ..Lane::default()
        }],
        ..Gantt::default()
    };
    let stacked = StackedChart {
        heading: Heading::new("t", "s"),
        bars_label: String::new(),
        bars: vec!["a".to_owned()],
        y: Axis::new("time", "ns"),
        layers: (0..9)
            .map(|n| Layer {
                name: format!("l{n}"),
                values: vec![20.0],
            })
            .collect(),
    };
    let drawn = [
        palloc_chart().to_svg(&provenance),
        band.to_svg(&provenance),
        camc_bars().to_svg(&provenance),
        cdf().to_svg(&provenance),
        histogram().to_svg(&provenance),
        queue_lengths().to_svg(&provenance),
        boxes().to_svg(&provenance),
        gantt.to_svg(&provenance),
        stacked.to_svg(&provenance),
    ];
    drawn.map(Result::unwrap).to_vec()
}

#[test]
fn figures_name_classes_and_the_style_sheet_has_both_schemes() {
    let (light, dark) = Svg::style()
        .split_once("@media screen and (prefers-color-scheme:dark)")
        .expect("both");
    for svg in all() {
        let (head, rest) = svg.as_str().split_once("<style>").expect("a file has its colors");
        let (style, rest) = rest.split_once("</style>").expect("ends");
        assert_eq!(style.trim(), Svg::style().trim());
        for body in [head, rest, svg.wide(), svg.narrow()] {
            for color in ["fill", "stroke"].into_iter().flat_map(|name| attribute(body, name)) {
                assert!(["none", "currentColor"].contains(&color), "{}: {color}", svg.title());
            }
            assert!(!body.contains("style="), "{}", svg.title());
            for class in attribute(body, "class") {
                let rule = format!(".{class}{{color:#");
                assert!(
                    light.contains(&rule) && dark.contains(&rule),
                    "{}: {class}",
                    svg.title()
                );
            }
        }
        let colored = attribute(svg.wide(), "fill").len() + attribute(svg.wide(), "stroke").len();
        assert!(attribute(svg.wide(), "class").len() > 10 && colored > 10);
    }
}

#[test]
fn a_page_has_one_heading_one_style_of_figures_and_no_color_outside_its_style() {
    let mut page = HtmlReport::new("Plan two: aligned", "", provenance());
    for (number, svg) in all().into_iter().enumerate() {
        page.sections.push(Section::new(format!("s{number}")).figure(svg, "c"));
    }
    let html = page.to_html();
    assert_eq!(
        (html.matches("<h1").count(), html.matches("<title>Plan").count()),
        (1, 1)
    );
    assert!(html.contains("<h1>Plan two: aligned</h1>"));
    assert_eq!(
        (html.matches(Svg::style()).count(), html.matches("<style").count()),
        (1, 1)
    );
    let (style, body) = html.split_once("</style>").expect("a style");
    assert!(!body.contains("=\"#0") && !body.contains("=\"#F") && !body.contains("rgb("));
    // What is behind the figures follows the scheme too.
    let panel = style.split("figure.plot>div{").nth(1).expect("a rule");
    assert!(panel.starts_with("background:var(--paper)"), "{panel:.80}");
}

fn slowdowns(values: &[f64]) -> BarChart {
    BarChart {
        heading: Heading::new("Slowdown", ""),
        groups_label: String::new(),
        groups: values.iter().map(f64::to_string).collect(),
        y: Axis::ratio("slowdown"),
        series: vec![BarSeries {
            name: "a".to_owned(),
            bars: values.iter().map(|&value| Some(Bar { value, spread: None })).collect(),
        }],
        reference: None,
    }
}

#[test]
fn bars_of_slowdowns_start_at_one_and_say_so() {
    let svg = slowdowns(&[2.0, 3.0]).to_svg(&provenance()).unwrap();
    for text in [svg.wide(), svg.narrow()] {
        let bars: Vec<&str> = tags(text, "rect")
            .into_iter()
            .filter(|tag| tag.contains("\"c1\""))
            .collect();
        let heights: Vec<i32> = bars.iter().map(|bar| number(bar, "height")).collect();
        assert!((heights[1] - 2 * heights[0]).abs() <= 2, "{heights:?}");
        let base = number(bars[0], "y") + heights[0];
        let label = texts(text)
            .into_iter()
            .find(|&(_, y, _)| (y - base).abs() <= 1)
            .expect("a tick");
        assert!(label.2.starts_with('1'), "{label:?}");
        assert!(text.contains("\nslowdown (x), axis starts at 1"), "{text}");
    }
    // A bar without length can be told from one that was not measured.
    let svg = slowdowns(&[1.0, 3.0]).to_svg(&provenance()).unwrap();
    let bars = tags(svg.narrow(), "rect")
        .into_iter()
        .filter(|tag| tag.contains("\"c1\""));
    let heights: Vec<i32> = bars.map(|bar| number(bar, "height")).collect();
    assert!(heights.len() == 2 && heights[0] == 2, "{heights:?}");
    // Below 1 a bar hangs, and the line that bars start from is drawn.
    let svg = slowdowns(&[0.8, 1.4]).to_svg(&provenance()).unwrap();
    let bars: Vec<&str> = tags(svg.wide(), "rect")
        .into_iter()
        .filter(|tag| tag.contains("\"c1\""))
        .collect();
    let base = number(bars[1], "y") + number(bars[1], "height");
    assert_eq!(number(bars[0], "y"), base);
    assert!(number(bars[0], "height") > 0 && svg.wide().contains("slowdown (x), drawn from 1"));
    assert!(
        lines(svg.wide(), "soft")
            .iter()
            .any(|line| line.iter().all(|point| point.1 == base))
    );
}

#[test]
fn bars_of_quantities_start_at_zero_whatever_their_axis_says() {
    let mut chart = slowdowns(&[100.0, 101.0]);
    chart.y = Axis::new("latency", "ns").logarithmic();
    let svg = chart.to_svg(&provenance()).unwrap();
    let bars: Vec<&str> = tags(svg.wide(), "rect")
        .into_iter()
        .filter(|tag| tag.contains("\"c1\""))
        .collect();
    let base = number(bars[0], "y") + number(bars[0], "height");
    assert!(
        texts(svg.wide())
            .iter()
            .any(|&(_, y, text)| (y - base).abs() <= 1 && text == "0")
    );
    assert!(!svg.wide().contains("log scale") && !svg.wide().contains("axis starts"));
}

#[test]
fn an_axis_that_is_cut_says_where() {
    let mut chart = palloc_chart();
    assert!(!chart.to_svg(&provenance()).unwrap().wide().contains("axis starts"));
    chart.y = Axis::new("latency", "ns");
    let svg = chart.to_svg(&provenance()).unwrap();
    for text in [svg.wide(), svg.narrow()] {
        assert!(text.contains("\nlatency (ns), axis starts at 50\n"), "{text}");
    }
    // A long title of an axis is broken, not cut off.
    chart.y.label = "latency of the reads that a program makes while three others write".to_owned();
    let svg = chart.to_svg(&provenance()).unwrap();
    let words: Vec<&str> = texts(svg.narrow()).into_iter().map(|text| text.2).collect();
    assert!(
        words.join(" ").contains("three others write (ns), axis starts at 50"),
        "{words:?}"
    );
}

/// A chart of a sweep over `xs`.
fn sweep(xs: &[f64]) -> LineChart {
    let mut chart = LineChart::new(
        Heading::new("t", ""),
        Axis::new("banks", ""),
        Axis::new("speed", "%").from_zero(),
    );
    chart.series.push(Series {
        name: "a".to_owned(),
        points: xs.iter().map(|&x| Point::new(x, 50.0)).collect(),
    });
    chart
}

#[test]
fn a_log_axis_is_named_and_its_ticks_are_the_values_that_occur() {
    let mut chart = sweep(&[1.0, 3.0, 12.0, 48.0]);
    assert!(!chart.to_svg(&provenance()).unwrap().wide().contains("log scale"));
    chart.x = chart.x.logarithmic();
    let svg = chart.to_svg(&provenance()).unwrap();
    for text in [svg.wide(), svg.narrow()] {
        let title = texts(text)
            .into_iter()
            .find(|text| text.2 == "banks (log scale)")
            .expect("a title");
        let below: Vec<&str> = texts(text)
            .into_iter()
            .filter(|&(_, y, _)| y > title.1 - 24 && y < title.1)
            .map(|text| text.2)
            .collect();
        assert_eq!(below, ["1", "3", "12", "48"]);
    }
    let svg = cdf().to_svg(&provenance()).unwrap();
    assert!(svg.wide().contains("\nread latency (ns, log scale)\n"));
}

#[test]
fn no_line_crosses_what_was_not_measured() {
    let mut chart = sweep(&[0.0, 1.0, 3.0]);
    let joined = |chart: &LineChart| {
        let svg = chart.to_svg(&provenance()).unwrap();
        lines(svg.wide(), "c1")
            .into_iter()
            .filter(|line| line.len() > 1)
            .collect::<Vec<_>>()
    };
    // Names at the ends of lines leave no other line of this color.
    assert_eq!(joined(&chart).iter().map(Vec::len).collect::<Vec<_>>(), [3]);
    // Another series has a point at 2, and this one none.
    chart.series.push(Series {
        name: "b".to_owned(),
        points: (0..4).map(|x| Point::new(f64::from(x), 60.0)).collect(),
    });
    assert_eq!(joined(&chart).iter().map(Vec::len).collect::<Vec<_>>(), [2]);
    // Along a curve x is no parameter that others have a value at.
    chart.between = Between::Curve;
    assert_eq!(joined(&chart).iter().map(Vec::len).collect::<Vec<_>>(), [3]);
    chart.between = Between::Nothing;
    let svg = chart.to_svg(&provenance()).unwrap();
    assert!(lines(svg.wide(), "c1").is_empty() && lines(svg.narrow(), "c1").is_empty());
    // Circles: one for each point, ringed, and one in the legend.
    let circles = tags(svg.wide(), "circle")
        .into_iter()
        .filter(|tag| tag.contains("\"c1\""))
        .count();
    assert_eq!(circles, 3 + 1);
}

#[test]
fn traces_are_steps() {
    let chart = TimeSeries {
        heading: Heading::new("t", ""),
        time: Axis::new("time", "ms"),
        y: Axis::new("bandwidth", "MB/s").from_zero(),
        traces: vec![Trace {
            name: "a".to_owned(),
            samples: vec![(0.0, 10.0), (1.0, 30.0), (2.0, 20.0)],
            end: 3.0,
        }],
    };
    let svg = chart.to_svg(&provenance()).unwrap();
    let line = lines(svg.wide(), "c1").pop().expect("a trace");
    assert!(
        line.windows(2)
            .all(|pair| pair[0].0 == pair[1].0 || pair[0].1 == pair[1].1),
        "{line:?}"
    );
    let markers = tags(svg.wide(), "circle")
        .into_iter()
        .filter(|tag| tag.contains("\"c1\""))
        .count();
    assert_eq!(markers, 3);
    // The last value holds as long as the first.
    let widths: Vec<i32> = line
        .windows(2)
        .map(|pair| pair[1].0 - pair[0].0)
        .filter(|width| *width > 0)
        .collect();
    assert!(
        widths.len() == 3 && widths.iter().all(|width| (width - widths[0]).abs() <= 1),
        "{widths:?}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, rng_seed: proptest::test_runner::RngSeed::Fixed(1), ..ProptestConfig::default() })]

    /// Whatever is swept: labels of the horizontal axis are values that occur, unless these are many; every point has a
    /// marker.
    #[test]
    fn ticks_of_a_sweep_occur(values in prop::collection::btree_set(1u32..5000, 1..24), log in any::<bool>()) {
        let xs: Vec<f64> = values.iter().copied().map(f64::from).collect();
        let mut chart = sweep(&xs);
        if log {
            chart.x = chart.x.logarithmic();
        }
        let svg = chart.to_svg(&provenance()).unwrap();
        let title = if log { "banks (log scale)" } else { "banks" };
        for text in [svg.wide(), svg.narrow()] {
            let (_, title, _) = texts(text).into_iter().find(|text| text.2 == title).expect("a title");
            let labels = texts(text).into_iter().filter(|&(_, y, _)| y > title - 24 && y < title);
            let labels: BTreeSet<u32> = labels.map(|text| text.2.parse().expect("a number")).collect();
            prop_assert!(!labels.is_empty() && labels.is_subset(&values), "{:?} {:?}", labels, values);
            let markers = tags(text, "circle").into_iter().filter(|tag| tag.contains("\"c1\"")).count();
            // One more stands with the name.
            prop_assert_eq!(markers, xs.len() + 1);
        }
    }
}
