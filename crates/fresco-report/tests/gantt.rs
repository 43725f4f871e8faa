// SPDX-License-Identifier: MIT OR Apache-2.0
//! Gantt charts on a small schedule, byte for byte, and on data at the edges.

use crate::support::rectangles::{FIRST, rectangles};
use crate::support::{assert_golden, provenance};
use fresco_report::ReportError;
use fresco_report::plot::{BarStyle, Gantt, GanttBar, Heading, Lane, Mark, MarkKind};

const MS: u64 = 1_000_000;

fn bar(from_ms: u64, to_ms: u64, key: &str, label: &str) -> GanttBar {
    GanttBar {
        from_ns: from_ms * MS,
        to_ns: to_ms * MS,
        label: label.to_owned(),
        key: key.to_owned(),
        style: BarStyle::Solid,
    }
}

/// Two tasks (16, 4) and (32, 7) on a core, a server, and the lock window of its memory.
fn schedule() -> Gantt {
    let lane = |group: &str, name: &str, bars: Vec<GanttBar>, marks: Vec<(u64, MarkKind)>| Lane {
        group: group.to_owned(),
        name: name.to_owned(),
        bars,
        marks: marks
            .into_iter()
            .map(|(ms, kind)| Mark { at_ns: ms * MS, kind })
            .collect(),
    };
    let styled = |style: BarStyle, bar: GanttBar| GanttBar { style, ..bar };
    use MarkKind::{Completion, Deadline, Miss, Release};
    Gantt {
        heading: Heading::new("Two tasks and a refresh server", "deadline monotonic, one core")
            .described("Task b is late once, as the refresh of its bank takes the server's second period."),
        from_ns: 0,
        to_ns: 64 * MS,
        styles: vec![
            (BarStyle::Hatched, "waits for a refresh".to_owned()),
            (BarStyle::Outline, "budget left over".to_owned()),
        ],
        lanes: vec![
            lane(
                "core 0",
                "task a (16, 4)",
                vec![
                    bar(0, 4, "job of a", "a1"),
                    bar(16, 20, "job of a", "a2"),
                    bar(32, 36, "job of a", "a3"),
                ],
                vec![
                    (0, Release),
                    (4, Completion),
                    (16, Deadline),
                    (16, Release),
                    (20, Completion),
                    (32, Release),
                ],
            ),
            lane(
                "core 0",
                "task b (32, 7)",
                vec![
                    bar(4, 8, "job of b", "b1"),
                    styled(BarStyle::Hatched, bar(8, 16, "job of b", "b1")),
                    bar(20, 23, "job of b", "b1"),
                ],
                vec![
                    (0, Release),
                    (23, Completion),
                    (32, Deadline),
                    (32, Release),
                    (60, Miss),
                ],
            ),
            lane(
                "servers",
                "S1",
                vec![
                    bar(0, 6, "supply", "6 ms"),
                    styled(BarStyle::Outline, bar(6, 8, "supply", "")),
                ],
                vec![],
            ),
            lane("DRAM", "rank 0", vec![bar(40, 41, "refresh", "REF")], vec![]),
        ],
    }
}

#[test]
fn the_figures_match_their_golden_files() {
    let svg = schedule().to_svg(&provenance()).unwrap();
    assert_golden("gantt.svg", svg.as_str());
    assert_golden("gantt_narrow.svg", svg.narrow());
}

#[test]
fn bars_stand_where_their_times_are() {
    let svg = schedule().to_svg(&provenance()).unwrap();
    // The first is the block in the legend.
    let bars = &rectangles(svg.as_str(), FIRST)[1..];
    assert_eq!(bars.len(), 3, "{bars:?}");
    // 16 ms apart and 4 ms long, less the blank that sets a bar off; a pixel for rounding.
    let (pitch, width) = (bars[1][0] - bars[0][0], bars[0][2]);
    assert!((pitch - 4 * (width + 1)).abs() <= 2, "{bars:?}");
    assert!((bars[2][0] - bars[1][0] - pitch).abs() <= 1, "{bars:?}");
    assert!(bars.iter().all(|bar| bar[3] == bars[0][3] && bar[1] == bars[0][1]));
}

#[test]
fn labels_stand_only_where_they_fit() {
    let svg = schedule().to_svg(&provenance()).unwrap();
    let shown = |text: &str, label: &str| text.matches(&format!("\n{label}\n")).count();
    assert_eq!((shown(svg.as_str(), "a1"), shown(svg.as_str(), "6 ms")), (1, 1));
    // One millisecond is too short for three letters.
    assert_eq!(shown(svg.as_str(), "REF"), 0);
}

#[test]
fn the_legend_names_keys_styles_and_the_marks_there_are() {
    let mut gantt = schedule();
    let names = [
        "job of a",
        "job of b",
        "supply",
        "refresh",
        "waits for a refresh",
        "budget left over",
    ];
    let marks = ["release", "deadline", "completion", "missed deadline"];
    for text in [
        gantt.to_svg(&provenance()).unwrap().as_str(),
        gantt.to_svg(&provenance()).unwrap().narrow(),
    ] {
        for name in names.iter().chain(&marks) {
            assert_eq!(text.matches(&format!("\n{name}\n")).count(), 1, "{name}");
        }
    }
    for lane in &mut gantt.lanes {
        lane.marks.retain(|mark| mark.kind != MarkKind::Miss);
    }
    assert!(
        !gantt
            .to_svg(&provenance())
            .unwrap()
            .as_str()
            .contains("missed deadline")
    );
}

#[test]
fn a_short_bar_that_stands_alone_has_the_full_height() {
    let mut gantt = schedule();
    gantt.lanes[0].bars = vec![
        bar(0, 4, "job of a", ""),
        GanttBar {
            to_ns: 30 * MS + 1,
            ..bar(30, 31, "job of a", "")
        },
    ];
    let svg = gantt.to_svg(&provenance()).unwrap();
    let bars = rectangles(svg.as_str(), FIRST);
    assert_eq!(bars[2][2..], [1, bars[1][3]], "{bars:?}");
}

#[test]
fn bars_are_cut_at_the_ends_of_the_window_and_marks_outside_left_out() {
    let mut gantt = schedule();
    (gantt.from_ns, gantt.to_ns) = (2 * MS, 10 * MS);
    let text = gantt.to_svg(&provenance()).unwrap().as_str().to_owned();
    let bars = rectangles(&text, FIRST);
    assert_eq!(bars.len(), 2, "legend and a1: {bars:?}");
    assert!(bars[1][0] + bars[1][2] <= 720);
    // Half of a1 is seen: 2 of 8 ms.
    let whole = schedule();
    let unit = |gantt: &Gantt| (gantt.to_ns - gantt.from_ns) as f64;
    let expected = f64::from(rectangles(whole.to_svg(&provenance()).unwrap().as_str(), FIRST)[1][2] + 1) * unit(&whole)
        / unit(&gantt)
        / 2.0;
    assert!(
        (f64::from(bars[1][2] + 1) - expected).abs() < 5.0,
        "{bars:?} {expected}"
    );
}

#[test]
fn no_lanes_and_an_empty_window() {
    let mut gantt = schedule();
    gantt.lanes.clear();
    assert!(gantt.to_svg(&provenance()).unwrap().as_str().contains("no data"));
    gantt.to_ns = gantt.from_ns;
    assert!(matches!(
        gantt.to_svg(&provenance()),
        Err(ReportError::Inconsistent { .. })
    ));
    let mut backwards = schedule();
    backwards.lanes[1].bars[0].to_ns = 0;
    let error = backwards.to_svg(&provenance()).unwrap_err().to_string();
    assert!(error.contains("task b") && error.contains("4000000 ns"), "{error}");
}

#[test]
fn the_ends_of_time_are_no_trouble() {
    let mut gantt = schedule();
    (gantt.from_ns, gantt.to_ns) = (u64::MAX - 1, u64::MAX);
    assert!(gantt.to_svg(&provenance()).is_ok());
    (gantt.from_ns, gantt.to_ns) = (0, u64::MAX);
    assert!(gantt.to_svg(&provenance()).is_ok());
}
