// SPDX-License-Identifier: MIT OR Apache-2.0
//! Gantt charts of thousands of bars, and of any.

use crate::support::rectangles::{FIRST, rectangles};
use fresco_report::Provenance;
use fresco_report::plot::{BarStyle, Gantt, GanttBar, Lane, Mark, MarkKind};
use proptest::prelude::*;

fn provenance() -> Provenance {
    Provenance::new("0.1.0", "fresco sched table.toml", 1)
}

/// `count` bars of `share` of their period each, over the whole window, and marks at their starts.
fn dense(count: u64, share: f64) -> Gantt {
    let period = 1000.0;
    let bars = (0..count).map(|index| {
        let from = index as f64 * period;
        GanttBar {
            from_ns: from as u64,
            to_ns: (from + share * period) as u64,
            key: "refresh".to_owned(),
            ..GanttBar::default()
        }
    });
    let bars: Vec<GanttBar> = bars.collect();
    let marks = bars.iter().map(|bar| Mark {
        at_ns: bar.from_ns,
        kind: MarkKind::Release,
    });
    Gantt {
        to_ns: count * 1000,
        lanes: vec![Lane {
            marks: marks.collect(),
            bars,
            ..Lane::default()
        }],
        ..Gantt::default()
    }
}

#[test]
fn bars_too_close_to_see_show_the_share_of_time_they_take() {
    for (share, height) in [(0.05, 1), (0.5, 8), (0.9, 14)] {
        let svg = dense(100_000, share).to_svg(&provenance()).unwrap();
        let all = rectangles(svg.as_str(), FIRST);
        let widest = all.iter().max_by_key(|bar| bar[2]).unwrap();
        assert!((widest[3] - height).abs() <= 1, "{share}: {widest:?}");
        let covered: i32 = all.iter().skip(1).map(|bar| bar[2]).sum();
        assert!(covered > 600, "{share}: {covered}");
    }
}

#[test]
fn thousands_of_bars_stay_a_small_file() {
    for count in [300, 1000, 5000, 200_000] {
        let svg = dense(count, 0.3).to_svg(&provenance()).unwrap();
        assert!(svg.as_str().len() < 110_000, "{count}: {}", svg.as_str().len());
    }
}

/// Any lane of up to forty bars and marks around a window of up to two thousand nanoseconds.
fn lanes() -> impl Strategy<Value = Lane> {
    use MarkKind::{Completion, Deadline, Miss, Release};
    let style = prop::sample::select(vec![BarStyle::Solid, BarStyle::Hatched, BarStyle::Outline]);
    let bar =
        (0..3000u64, 0..400u64, ".{0,4}", "[a-c]?", style).prop_map(|(from_ns, length, label, key, style)| GanttBar {
            from_ns,
            to_ns: from_ns + length,
            label,
            key,
            style,
        });
    let kind = prop::sample::select(vec![Release, Deadline, Completion, Miss]);
    let mark = (0..3000u64, kind).prop_map(|(at_ns, kind)| Mark { at_ns, kind });
    let (bars, marks) = (prop::collection::vec(bar, 0..40), prop::collection::vec(mark, 0..40));
    ("[xy]?", ".{0,40}", bars, marks).prop_map(|(group, name, bars, marks)| Lane {
        group,
        name,
        bars,
        marks,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, rng_seed: proptest::test_runner::RngSeed::Fixed(1), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_chart_stays_on_its_sheet(lanes in prop::collection::vec(lanes(), 0..5), from_ns in 0..2000u64, span in 1..2000u64) {
        let gantt = Gantt { from_ns, to_ns: from_ns + span, lanes, ..Gantt::default() };
        let svg = gantt.to_svg(&provenance()).unwrap();
        prop_assert_eq!(&svg, &gantt.to_svg(&provenance()).unwrap());
        for (text, width) in [(svg.as_str(), 720), (svg.narrow(), 360)] {
            for color in [FIRST, "c2", "c3", "soft", "paper"] {
                for [x, y, wide, high] in rectangles(text, color) {
                    prop_assert!(x >= 0 && y >= 0 && wide > 0 && high > 0, "{:?}", [x, y, wide, high]);
                    // A mark or a line at the very end of the window may touch the margin.
                    prop_assert!(x + wide <= width, "{:?}", [x, wide]);
                }
            }
        }
    }
}
