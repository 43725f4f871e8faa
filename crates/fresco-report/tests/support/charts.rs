// SPDX-License-Identifier: MIT OR Apache-2.0
//! A figure of each kind on typical data.

use fresco_report::plot::*;

pub fn palloc_chart() -> LineChart {
    let heading = Heading::new(
        "Samebank, diffbank and buddy",
        "Latency on core 0, Xeon W3530; mean, minimum, maximum",
    )
    .described("Latency rises with co-runners when all share one bank, and stays flat with private banks.");
    let mut chart = LineChart::new(
        heading,
        Axis::new("co-runners", ""),
        Axis::new("memory latency", "ns").from_zero(),
    );
    let series = |name: &str, means: [f64; 4]| Series {
        name: name.to_owned(),
        points: (0..4)
            .map(|n| Point::with_spread(n as f64, means[n], means[n] * 0.96, means[n] * 1.08))
            .collect(),
    };
    chart.series = vec![
        series("samebank", [61.0, 104.5, 148.2, 191.0]),
        series("diffbank", [61.0, 61.9, 62.3, 62.8]),
        series("buddy", [61.0, 66.1, 71.4, 78.0]),
    ];
    chart
}

pub fn camc_bars() -> BarChart {
    let bar = |value: f64| {
        Some(Bar {
            value,
            spread: Some((value * 0.97, value * 1.05)),
        })
    };
    let series = |name: &str, values: [f64; 4]| BarSeries {
        name: name.to_owned(),
        bars: values.map(bar).to_vec(),
    };
    BarChart {
        heading: Heading::new(
            "One program and three attackers",
            "Opteron 6128; mean, minimum, maximum of 20 runs",
        ),
        groups_label: "program (stand-ins for Parsec)".to_owned(),
        groups: ["matmult", "integer_sort", "alternating_strides", "latency"]
            .map(str::to_owned)
            .to_vec(),
        y: Axis::new("execution time", "ms"),
        series: vec![
            series("same_bank", [12.1, 21.9, 40.2, 33.3]),
            series("diff_bank", [10.8, 17.2, 31.5, 26.0]),
            series("diff_controller", [10.1, 15.5, 25.4, 22.7]),
            series("single_run", [10.1, 15.4, 25.3, 22.6]),
        ],
        reference: None,
    }
}

/// A repeatable spread of latencies with a long tail.
pub fn latencies(base: f64, tail: f64) -> Vec<f64> {
    (0..2000u32)
        .map(|n| base + f64::from(n * 7919 % 100) * 0.3 + if n % 97 == 0 { tail } else { 0.0 })
        .collect()
}

pub fn cdf() -> CdfChart {
    CdfChart {
        heading: Heading::new("Read latency of core 0", "three co-runners"),
        x: Axis::new("read latency", "ns").logarithmic(),
        y_label: "share of reads".to_owned(),
        distributions: vec![
            Distribution::of_samples("samebank", &latencies(160.0, 900.0)).unwrap(),
            Distribution::of_samples("diffbank", &latencies(52.0, 350.0)).unwrap(),
        ],
    }
}

pub fn histogram() -> HistogramChart {
    let bins = |shift: f64, counts: &[u64]| {
        let bin = |(index, &count): (usize, &u64)| {
            let low = shift + 10.0 * index as f64;
            Bin {
                low,
                high: low + 10.0,
                count,
            }
        };
        counts.iter().enumerate().map(bin).collect()
    };
    HistogramChart {
        heading: Heading::new("Run times of the control task", "1000 jobs"),
        x: Axis::new("run time", "us"),
        y_label: "jobs".to_owned(),
        series: vec![
            BinSeries {
                name: "buddy".to_owned(),
                bins: bins(100.0, &[3, 40, 120, 260, 300, 180, 70, 20, 5, 2]),
            },
            BinSeries {
                name: "private banks".to_owned(),
                bins: bins(80.0, &[12, 480, 400, 90, 15, 3]),
            },
        ],
    }
}

pub fn queue_lengths() -> TimeSeries {
    let samples = |period: u32, height: f64| {
        (0..4000u32)
            .map(|n| {
                (
                    f64::from(n) * 0.25,
                    height * f64::from(n / period % 5) + f64::from(n * 31 % 7),
                )
            })
            .collect()
    };
    TimeSeries {
        heading: Heading::new("Requests waiting in the read queues", "controller 0"),
        time: Axis::new("time", "us"),
        y: Axis::new("requests", "").from_zero(),
        traces: vec![
            Trace {
                name: "channel 0".to_owned(),
                samples: samples(400, 6.0),
                end: 1000.0,
            },
            Trace {
                name: "channel 1".to_owned(),
                samples: samples(150, 2.0),
                end: 1000.0,
            },
        ],
    }
}

pub fn boxes() -> BoxPlot {
    let one = |name: &str, base: f64| BoxStats::of_samples(name, &latencies(base, 60.0)).unwrap();
    BoxPlot {
        heading: Heading::new(
            "Latency by policy",
            "quartiles, extremes, median (bar) and mean (diamond)",
        ),
        boxes_label: "policy".to_owned(),
        y: Axis::new("memory latency", "ns").from_zero(),
        boxes: vec![
            one("same_bank", 150.0),
            one("diff_bank", 60.0),
            one("diff_controller", 52.0),
        ],
    }
}
