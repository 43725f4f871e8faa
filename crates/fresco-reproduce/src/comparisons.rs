// SPDX-License-Identifier: MIT OR Apache-2.0
//! Charts of our numbers beside the paper's, where the paper prints any: plain data, which others draw.

use crate::experiments::SIZES_MIB;
use fresco_report::claims::{Claims, Results, Row};
use fresco_report::plot::{Axis, Bar, BarChart, BarSeries, Heading, LineChart, Point, Series};

/// A chart of ours beside theirs.
pub struct Comparison {
    /// Its name, as a file may have it.
    pub name: String,
    /// What is drawn.
    pub chart: Chart,
    /// What else has to be known.
    pub caption: &'static str,
}

/// The kinds of chart that comparisons are.
pub enum Chart {
    /// Bars in groups.
    Bars(BarChart),
    /// Lines over a size.
    Lines(LineChart),
}

/// The comparisons of an experiment; none if the paper prints no numbers of it, or we have none.
pub fn of(experiment: &str, claims: &Claims, results: &Results) -> Vec<Comparison> {
    let both = &Both { claims, results };
    match experiment {
        "camc-tab2.1" => controllers(both),
        "camc-tab2.2" => allocators(both),
        "palloc-tab1" => allocation_times(both),
        "kernel-allocation" => kernel_allocations(both),
        "kernel-start" => kernel_starts(both),
        _ => Vec::new(),
    }
}

/// Theirs and ours.
struct Both<'b> {
    /// The paper's numbers.
    claims: &'b Claims,
    /// Our rows.
    results: &'b Results,
}

impl Both<'_> {
    /// A number that a claim quotes.
    fn paper(&self, claim: &str, of: &str) -> Option<f64> {
        let claims = self.claims.systems.values().flat_map(|system| &system.claims);
        let claim = claims.into_iter().find(|one| one.id == claim)?;
        claim
            .numbers
            .iter()
            .find(|number| number.of == of)
            .map(|number| number.value)
    }

    /// A value of the row that has these labels.
    fn ours(&self, experiment: &str, labels: &[(&str, &str)], value: &str) -> Option<f64> {
        let rows = self.results.0.get(experiment)?;
        let is = |row: &Row| {
            labels
                .iter()
                .all(|(name, value)| row.labels.get(*name).is_some_and(|found| found == value))
        };
        let row = rows.iter().find(|row| is(row))?;
        row.values.get(value).copied()
    }
}

/// Table 2.1: time of a write, by the controller that the memory is on.
fn controllers(both: &Both<'_>) -> Vec<Comparison> {
    let claims = [
        "camc-tab2.1-local",
        "camc-tab2.1-onchip",
        "camc-tab2.1-offchip",
        "camc-tab2.1-offchip",
    ];
    let paper = claims.map(|claim| both.paper(claim, "mean"));
    let ours = ["0", "1", "2", "3"].map(|node| both.ours("camc-tab2.1", &[("node", node)], "access_ns.mean"));
    let chart = bars(
        Heading::new(
            "Time of a write, by the controller of its memory",
            "CAMC table 2.1; one task on core 1",
        ),
        [
            "controller 0, local",
            "controller 1, same socket",
            "controller 2, other socket",
            "controller 3, other socket",
        ],
        Axis::new("time of a write", "ns"),
        paper,
        ours,
    );
    vec![Comparison {
        name: "camc-tab2.1-comparison".to_owned(),
        chart: Chart::Bars(chart),
        caption: "Claims compare ratios only: absolute times are those of other hardware.",
    }]
}

/// Table 2.2: CAMC in relation to the buddy allocator.
fn allocators(both: &Both<'_>) -> Vec<Comparison> {
    let ratio = |of: &str| {
        Some(
            both.paper("camc-tab2.2-latency", &format!("CAMC, {of}"))?
                / both.paper("camc-tab2.2-latency", &format!("buddy, {of}"))?,
        )
    };
    let value = |policy: &str, value: &str| both.ours("camc-tab2.2", &[("policy", policy)], value);
    // One run deviates from nothing.
    let our_ratio = |of: &str| Some(value("camc", of)? / value("buddy", of)?).filter(|ratio| ratio.is_finite());
    let chart = bars(
        Heading::new(
            "CAMC relative to the buddy allocator",
            "CAMC table 2.2; four tasks on the cores of one node",
        ),
        [
            "time of a write",
            "its deviation",
            "first allocations",
            "later allocations",
        ],
        Axis::ratio("CAMC over buddy"),
        [
            ratio("mean"),
            ratio("standard deviation"),
            both.paper("camc-tab2.2-alloc-init", "CAMC over buddy"),
            both.paper("camc-tab2.2-alloc-computation", "CAMC over buddy"),
        ],
        [
            our_ratio("access_ns.mean"),
            our_ratio("access_ns.stddev"),
            value("camc", "alloc_init.ratio"),
            value("camc", "alloc_steady.ratio"),
        ],
    );
    vec![Comparison {
        name: "camc-tab2.2-comparison".to_owned(),
        chart: Chart::Bars(chart),
        caption: "Deviation over repetitions with other page frames. Allocations: whole page faults, as a program sees them.",
    }]
}

/// Table I: time of a page allocation, by size.
fn allocation_times(both: &Both<'_>) -> Vec<Comparison> {
    let mut comparisons = Vec::new();
    for (name, claim, value, title) in [
        (
            "mean",
            "palloc-tab1-avg",
            "alloc_ns.mean",
            "Mean time of a page allocation",
        ),
        ("longest", "palloc-tab1-max", "alloc_ns.max", "Longest page allocation"),
    ] {
        let mut chart = LineChart::new(
            Heading::new(
                title,
                "PALLOC table I; a program that touches memory in four of sixteen banks",
            ),
            Axis::new("memory allocated", "MiB").logarithmic(),
            Axis::new("time in the allocator", "ns").logarithmic(),
        );
        for policy in ["palloc", "buddy"] {
            let mut series = [("paper", Vec::new()), ("ours", Vec::new())];
            for size in SIZES_MIB {
                let paper = both.paper(claim, &format!("{policy}, {size} MiB"));
                let ours = both.ours(
                    "palloc-tab1",
                    &[("policy", policy), ("size_mib", &size.to_string())],
                    value,
                );
                for ((_, points), y) in std::iter::zip(&mut series, [paper, ours]) {
                    points.extend(y.map(|y| Point::new(size as f64, y)));
                }
            }
            for (whose, points) in series.into_iter().filter(|(_, points)| !points.is_empty()) {
                chart.series.push(Series {
                    name: format!("{policy}, {whose}"),
                    points,
                });
            }
        }
        comparisons.push(Comparison {
            name: format!("palloc-tab1-{name}"),
            chart: Chart::Lines(chart),
            caption: "Ours: counted work of the allocator times assumed costs of its steps.",
        });
    }
    comparisons
}

/// Table I as a factor: a page allocation in four banks against one of buddy's, by size, on the patched kernel.
fn kernel_allocations(both: &Both<'_>) -> Vec<Comparison> {
    let mut comparisons = Vec::new();
    for (name, claim, value, title) in [
        (
            "mean",
            "kernel-palloc-tab1-avg",
            "mean_insn",
            "Mean cost of a page allocation",
        ),
        (
            "longest",
            "kernel-palloc-tab1-max",
            "longest_insn",
            "Most expensive page allocation",
        ),
    ] {
        let mut chart = LineChart::new(
            Heading::new(title, "PALLOC table I; four of sixteen banks, buddy = 1"),
            Axis::new("memory allocated", "MiB").logarithmic(),
            Axis::ratio("four banks over buddy").logarithmic(),
        );
        let mut series = [("PALLOC, time", Vec::new()), ("ours, instructions", Vec::new())];
        for size in SIZES_MIB {
            let cost = |policy: &str| {
                let labels = [("policy", policy), ("size_mib", &size.to_string())];
                both.ours("kernel-allocation", &labels, value)
            };
            let ours = cost("colored").zip(cost("buddy")).map(|(one, other)| one / other);
            let paper = both.paper(claim, &format!("PALLOC over buddy, {size} MiB"));
            for ((_, points), y) in std::iter::zip(&mut series, [paper, ours]) {
                points.extend(y.map(|y| Point::new(size as f64, y)));
            }
        }
        for (name, points) in series.into_iter().filter(|(_, points)| !points.is_empty()) {
            chart.series.push(Series {
                name: name.to_owned(),
                points,
            });
        }
        comparisons.push(Comparison {
            name: format!("kernel-allocation-{name}"),
            chart: Chart::Lines(chart),
            caption: "The allocator alone. Ours: Linux with the patches in QEMU, interrupts off.",
        });
    }
    comparisons
}

/// What the first use of memory costs a registered program.
fn kernel_starts(both: &Both<'_>) -> Vec<Comparison> {
    let value = |policy: &str, colors: &str, value: &str| {
        both.ours("kernel-start", &[("policy", policy), ("colors", colors)], value)
    };
    let over = |policy: &str, colors: &str, of: &str| Some(value(policy, colors, of)? / value("unpatched", "0", of)?);
    let first = both.paper("kernel-camc-alloc-init", "CAMC over buddy");
    let later = both.paper("kernel-camc-alloc-computation", "CAMC over buddy");
    let chart = bars(
        Heading::new(
            "A page fault of a colored program, relative to one without colors",
            "CAMC table 2.2; 32 MiB of one node on the patched kernel",
        ),
        [
            "first use, 1 color",
            "first use, 8 colors",
            "used again, 1",
            "used again, 8",
            "allocated ahead, 1",
            "allocated ahead, 8",
        ],
        Axis::ratio("colored over unpatched"),
        [first, first, later, later, later, later],
        [
            over("colored", "1", "first_insn"),
            over("colored", "8", "first_insn"),
            over("colored", "1", "again_insn"),
            over("colored", "8", "again_insn"),
            over("ahead", "1", "first_insn"),
            over("ahead", "8", "first_insn"),
        ],
    );
    vec![Comparison {
        name: "kernel-start-comparison".to_owned(),
        chart: Chart::Bars(chart),
        caption: "Ours: instructions of whole page faults. What is allocated ahead is paid for at exec.",
    }]
}

/// The paper's bars and ours, side by side.
fn bars<const N: usize>(
    heading: Heading,
    groups: [&str; N],
    y: Axis,
    paper: [Option<f64>; N],
    ours: [Option<f64>; N],
) -> BarChart {
    let series = |(name, values): (&str, [Option<f64>; N])| BarSeries {
        name: name.to_owned(),
        bars: values
            .map(|value| value.map(|value| Bar { value, spread: None }))
            .to_vec(),
    };
    BarChart {
        heading,
        groups_label: String::new(),
        groups: groups.map(str::to_owned).to_vec(),
        y,
        series: [("paper", paper), ("ours", ours)].map(series).to_vec(),
        reference: None,
    }
}
