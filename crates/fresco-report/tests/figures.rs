// SPDX-License-Identifier: MIT OR Apache-2.0
//! Each kind of figure on typical data, byte for byte, and on data at the edges.

use crate::support::charts::*;
use crate::support::{assert_golden, provenance};
use fresco_report::ReportError;
use fresco_report::plot::*;
use proptest::prelude::*;

#[test]
fn figures_match_their_golden_files() {
    let provenance = provenance();
    let mut band = palloc_chart();
    band.spread = SpreadStyle::Band;
    band.reference = Some(Reference {
        name: "single run".to_owned(),
        value: 61.0,
    });
    let figures = [
        ("line.svg", palloc_chart().to_svg(&provenance)),
        ("band.svg", band.to_svg(&provenance)),
        ("bars.svg", camc_bars().to_svg(&provenance)),
        ("cdf.svg", cdf().to_svg(&provenance)),
        ("histogram.svg", histogram().to_svg(&provenance)),
        ("time_series.svg", queue_lengths().to_svg(&provenance)),
        ("boxes.svg", boxes().to_svg(&provenance)),
    ];
    for (name, svg) in figures {
        assert_golden(name, svg.unwrap().as_str());
    }
}

#[test]
fn a_figure_scales_and_tells_its_story_to_those_who_cannot_see_it() {
    let svg = palloc_chart().to_svg(&provenance()).unwrap();
    let text = svg.as_str();
    assert!(text.starts_with("<svg width=\"720\""));
    assert!(text.contains("viewBox=\"0 0 720 "));
    assert!(text.contains("<title>Samebank, diffbank and buddy</title>"));
    assert!(text.contains("stays flat with private banks. [tool: fresco 0.1.0 (4f817c0); command: fresco reproduce"));
    assert!(text.contains("machine: xeon-w3530 (digest 9f86d081884c7d65)"));
    assert_eq!(svg.title(), "Samebank, diffbank and buddy");
}

#[test]
fn names_are_escaped() {
    let mut chart = palloc_chart();
    chart.heading.title = "<script>alert('x')</script> & \u{1b}[1m".to_owned();
    chart.series[0].name = "a<b & \"c\"\u{0}".to_owned();
    let text = chart.to_svg(&provenance()).unwrap().as_str().to_owned();
    assert!(!text.contains("<script") && !text.contains('\u{1b}') && !text.contains('\u{0}'));
    assert!(text.contains("a&lt;b &amp; &quot;c&quot;?"));
    assert!(text.contains("aria-label=\"&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; ?[1m\""));
}

#[test]
fn no_data_is_said_not_hidden() {
    let provenance = provenance();
    let (mut line, mut bars, mut cdf, mut histogram, mut series, mut boxes) = (
        palloc_chart(),
        camc_bars(),
        cdf(),
        histogram(),
        queue_lengths(),
        boxes(),
    );
    line.series.clear();
    bars.series.clear();
    cdf.distributions = vec![Distribution::of_samples("none", &[]).unwrap()];
    histogram.series.clear();
    series.traces.clear();
    boxes.boxes.clear();
    let figures = [
        line.to_svg(&provenance),
        bars.to_svg(&provenance),
        cdf.to_svg(&provenance),
        histogram.to_svg(&provenance),
        series.to_svg(&provenance),
        boxes.to_svg(&provenance),
    ];
    for figure in figures {
        assert!(figure.unwrap().as_str().contains("no data"));
    }
}

#[test]
fn what_is_not_a_number_is_refused() {
    let provenance = provenance();
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut line = palloc_chart();
        line.series[1].points[2] = Point::new(2.0, bad);
        let mut bars = camc_bars();
        bars.series[0].bars[0] = Some(Bar {
            value: bad,
            spread: None,
        });
        let mut series = queue_lengths();
        series.traces[0].samples = vec![(0.0, bad)];
        let mut boxes = boxes();
        boxes.boxes[0].mean = Some(bad);
        let refused = [
            line.to_svg(&provenance),
            bars.to_svg(&provenance),
            series.to_svg(&provenance),
            boxes.to_svg(&provenance),
            Distribution::of_samples("x", &[bad]).map(|_| unreachable!()),
        ];
        for result in refused {
            assert!(matches!(result, Err(ReportError::NotFinite { .. })), "{result:?}");
        }
    }
}

#[test]
fn contradictions_are_refused() {
    let provenance = provenance();
    let mut line = palloc_chart();
    line.series[0].points[0] = Point::with_spread(0.0, 5.0, 6.0, 7.0);
    let mut bars = camc_bars();
    bars.series[0].bars.pop();
    let mut boxes = boxes();
    boxes.boxes[0].median = -1.0;
    let mut histogram = histogram();
    histogram.series[0].bins.reverse();
    let mut backwards = queue_lengths();
    backwards.traces[0].samples.reverse();
    let refused = [
        line.to_svg(&provenance),
        bars.to_svg(&provenance),
        boxes.to_svg(&provenance),
        histogram.to_svg(&provenance),
        backwards.to_svg(&provenance),
    ];
    for result in refused {
        assert!(matches!(result, Err(ReportError::Inconsistent { .. })), "{result:?}");
    }
    let mut log = palloc_chart();
    log.y = Axis::new("latency", "ns").logarithmic();
    log.series[0].points[0] = Point::new(0.0, 0.0);
    assert!(matches!(log.to_svg(&provenance), Err(ReportError::NotPositive { .. })));
}

#[test]
fn single_points_and_huge_ranges_draw() {
    let provenance = provenance();
    let mut line = palloc_chart();
    line.series.truncate(1);
    line.series[0].points.truncate(1);
    line.to_svg(&provenance).unwrap();
    line.series[0].points = vec![Point::new(-1e15, 1e-12), Point::new(1e15, 1e15)];
    line.to_svg(&provenance).unwrap();
    line.y = Axis::new("latency", "ns").logarithmic();
    line.to_svg(&provenance).unwrap();
    line.series[0].points = vec![Point::new(0.0, -1.7e308), Point::new(1.0, 1.7e308)];
    line.y = Axis::new("latency", "ns");
    assert!(matches!(line.to_svg(&provenance), Err(ReportError::TooWide { .. })));
    let mut series = queue_lengths();
    series.traces = vec![Trace {
        name: "one".to_owned(),
        samples: vec![(3.0, 3.0)],
        end: 3.0,
    }];
    series.to_svg(&provenance).unwrap();
}

#[test]
fn long_time_series_stay_small_and_keep_their_peak() {
    let mut series = queue_lengths();
    let mut samples: Vec<(f64, f64)> = (0..1_000_000).map(|n| (f64::from(n), f64::from(n % 3))).collect();
    samples[777_777].1 = 1000.0;
    series.traces = vec![Trace {
        name: "long".to_owned(),
        samples,
        end: 1e6,
    }];
    let svg = series.to_svg(&provenance()).unwrap();
    assert!(svg.as_str().len() < 100_000, "{} bytes", svg.as_str().len());
    // The axis ends at 1000: the peak reaches the highest grid line.
    let heights = |line: &str| -> Vec<i32> {
        let points = line
            .split("points=\"")
            .nth(1)
            .and_then(|rest| rest.split('"').next())
            .unwrap_or_default();
        points
            .split_whitespace()
            .filter_map(|point| point.split(',').nth(1)?.parse().ok())
            .collect()
    };
    let lines: Vec<Vec<i32>> = svg.as_str().split("<polyline").skip(1).map(heights).collect();
    let trace = lines.iter().max_by_key(|line| line.len()).unwrap();
    let highest_grid_line = lines.iter().filter(|line| line.len() == 2).flatten().min().unwrap();
    assert_eq!(trace.iter().min(), Some(highest_grid_line));
}

#[test]
fn a_missing_bar_is_marked() {
    let mut bars = camc_bars();
    assert!(!bars.to_svg(&provenance()).unwrap().as_str().contains("n/a"));
    bars.series[1].bars[2] = None;
    assert_eq!(bars.to_svg(&provenance()).unwrap().as_str().matches("n/a").count(), 1);
}

#[test]
fn many_groups_share_the_labels_there_is_room_for() {
    let mut bars = camc_bars();
    bars.groups = (0..200).map(|n| format!("g{n}")).collect();
    for series in &mut bars.series {
        series.bars = vec![
            Some(Bar {
                value: 1.0,
                spread: None
            });
            200
        ];
    }
    let svg = bars.to_svg(&provenance()).unwrap();
    assert!(svg.as_str().contains("\ng0\n") && !svg.as_str().contains("\ng1\n"));
    assert!(svg.as_str().matches("\ng").count() <= 28);
}

#[test]
fn distributions_accumulate_to_one() {
    let one = Distribution::of_counts("x", vec![(5.0, 1), (1.0, 3), (5.0, 0), (2.0, 4), (1.0, 2)]).unwrap();
    assert_eq!(one.steps(), [(1.0, 0.5), (2.0, 0.9), (5.0, 1.0)]);
}

#[test]
fn quartiles_interpolate() {
    let one = BoxStats::of_samples("x", &[4.0, 1.0, 2.0, 3.0]).unwrap();
    assert_eq!(
        (one.min, one.q1, one.median, one.q3, one.max),
        (1.0, 1.75, 2.5, 3.25, 4.0)
    );
    assert_eq!(one.mean, Some(2.5));
    assert!(BoxStats::of_samples("x", &[]).is_none());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, rng_seed: proptest::test_runner::RngSeed::Fixed(1), ..ProptestConfig::default() })]

    /// Any finite numbers draw, or are refused with an error; no coordinate is NaN, every tag closes.
    #[test]
    fn any_finite_data_draws(values in prop::collection::vec((-1e18f64..1e18, -1e18f64..1e18), 0..40), log in any::<bool>()) {
        let mut chart = palloc_chart();
        let points = |shift: f64| values.iter().map(|&(x, y)| Point::new(x, y / shift)).collect();
        chart.series = (1..9).map(|n| Series { name: format!("series {n}"), points: points(f64::from(n)) }).collect();
        if log {
            chart.y = chart.y.logarithmic();
        }
        match chart.to_svg(&provenance()) {
            Ok(svg) => {
                prop_assert!(!svg.as_str().contains("NaN") && !svg.as_str().contains("inf"));
                prop_assert_eq!(svg.as_str().matches("<text").count(), svg.as_str().matches("</text>").count());
                prop_assert!(svg.as_str().trim_end().ends_with("</svg>"));
            }
            Err(error) => prop_assert!(log, "{}", error),
        }
    }
}
